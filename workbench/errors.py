"""What goes wrong, said in one sentence to the person who can mend it."""

import contextlib
import functools
import linecache
import re
import sys
import textwrap
import traceback
import warnings
from collections.abc import Iterator
from contextvars import ContextVar
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any

_HERE = Path(__file__).parent
#: Whose lines are not the caller's: ours, and what Python puts between them.
_BETWEEN = (
    f"{_HERE}/",
    f"{_HERE.with_name('kernels')}/",
    contextlib.__file__,
    functools.__file__,
)
_notes: ContextVar[list[str] | None] = ContextVar("notes", default=None)


class WorkbenchError(ValueError):
    """A request that cannot be carried out: the message names the argument and what to do.

    In a cell of a notebook it is that sentence with the caller's own line; ``%tb`` shows the rest.

    Examples
    --------
    >>> import workbench as wb
    >>> wb.Frame.rows(-1.5, 0)
    Traceback (most recent call last):
    workbench.errors.WorkbenchError: low: -1.5 is not a whole number, but a frame of rows counts \
rows; give an integer, negative before the current row, a Column, or None for no bound.
    """

    def _render_traceback_(self) -> list[str]:
        return shown_in_a_cell(self, f"{type(self).__name__}: {self}")


def kind_in_words(value: object) -> str:
    """Say what somebody gave, in a sentence.

    Examples
    --------
    >>> import numpy as np
    >>> kind_in_words([1]), kind_in_words(7), kind_in_words(np.zeros(2))
    ('a list', 'an int', "numpy's ndarray")
    """
    kind = type(value)
    home = kind.__module__.partition(".")[0]
    if home in ("builtins", "kernels", "workbench"):
        return f"{'an' if kind.__name__[0] in 'aeioAEIO' else 'a'} {kind.__name__}"
    return f"{home}'s {kind.__name__}"


class WorkbenchWarning(UserWarning):
    """Something that is carried out, but is probably not what was meant.

    Examples
    --------
    Where it is to end a program, Python makes an error of it:

    >>> import warnings
    >>> import workbench as wb
    >>> with warnings.catch_warnings(action="error", category=wb.WorkbenchWarning):
    ...     wb.Frame.rows(2, 1)
    Traceback (most recent call last):
    workbench.errors.WorkbenchWarning: low, high: the frame begins at 2, after its end at 1, so \
it has no rows; give the earlier bound first, negative before the current row.
    """


class JobError(WorkbenchError):
    """A Spark job that was broken off: the message says by what, and what to do."""


def warn(sentence: str) -> None:
    """Warn of something at the line of the caller's that asked for it.

    Parameters
    ----------
    sentence : str

    Warns
    -----
    WorkbenchWarning

    Examples
    --------
    >>> with noted() as notes:
    ...     warn("3 rows were left out.")
    >>> notes
    ['3 rows were left out.']
    """
    notes = _notes.get()
    if notes is not None:
        notes.append(sentence)
        return
    # What `skip_file_prefixes` does, which Python 3.11 does not have.
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and _is_between(frame):
        level, frame = level + 1, frame.f_back
    warnings.warn(sentence, WorkbenchWarning, stacklevel=level)


@contextlib.contextmanager
def noted() -> Iterator[list[str]]:
    """Keep what is warned of as a list, where a widget says it; of this thread alone.

    Yields
    ------
    list of str
    """
    notes: list[str] = []
    token = _notes.set(notes)
    try:
        yield notes
    finally:
        _notes.reset(token)


def shown_in_a_cell(error: BaseException, sentence: str) -> list[str]:
    """Return how IPython shows an error: the line that asked, and one sentence.

    Parameters
    ----------
    error : exception
        What was raised. Where it is shown once more, as ``%tb`` does, all of it is.
    sentence : str

    Returns
    -------
    list of str
        As IPython wants it of ``_render_traceback_``.
    """
    if vars(error).setdefault("_shown_in_a_cell", False):
        return whole_traceback(error)
    vars(error)["_shown_in_a_cell"] = True
    call = _lines_of_call(error.__traceback__)
    # A page may break lines within words.
    first, *marked = sentence.split("\n")
    lines = textwrap.wrap(first, 88, break_long_words=False, break_on_hyphens=False) + marked
    return [*call, *([""] if call else []), *lines, "%tb shows the whole traceback."]


def whole_traceback(error: BaseException) -> list[str]:
    """Return how IPython shows an error that does not say how it is to be shown."""
    here = shell()
    if here is None:
        return traceback.format_exception(error)
    kind, trace = type(error), error.__traceback__
    found: list[str] = here.InteractiveTB.structured_traceback(kind, error, trace, tb_offset=1)
    return found


def shell() -> Any:
    """Return the IPython that runs, None where none does."""
    ipython = sys.modules.get("IPython")
    return None if ipython is None else ipython.get_ipython()


def _is_between(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith(_BETWEEN)


def _is_of_spark(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__")).partition(".")[0] in ("pyspark", "py4j")


def _is_of_ipython(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__")).partition(".")[0] == "IPython"


def _lines_of_call(trace: TracebackType | None) -> list[str]:
    """The caller's own line: the last one before ours begin, or Spark's."""
    found: tuple[FrameType, int] | None = None
    for frame, line in traceback.walk_tb(trace):
        if _is_of_ipython(frame):
            # It stands between a cell and its magic.
            continue
        if found is not None and (_is_between(frame) or _is_of_spark(frame)):
            break
        found = frame, line
    if found is None or _is_between(found[0]):
        return []
    frame, line = found
    name = frame.f_code.co_filename
    text = _as_typed(linecache.getline(name, line, frame.f_globals).strip())
    return [f"{_place(name)}, line {line}", f"----> {line} {text}"] if text else []


def _as_typed(text: str) -> str:
    """A line of a cell as it was typed: of a cell with a magic, IPython makes one call."""
    found = re.match(r"get_ipython\(\)\.run_cell_magic\('(\w+)', (['\"])(.*?)\2, ", text)
    return text if found is None else f"%%{found[1]} {found[3]}".rstrip()


def _place(name: str) -> str:
    """What IPython calls a file, which can be a cell."""
    here = shell()
    named = None if here is None else here.compile.format_code_name(name)
    return " ".join(named) if named else f"File {name}"
