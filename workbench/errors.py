"""Errors and warnings in one sentence, for the person who can fix the cause."""

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
#: Files whose lines are not the caller's: ours, and modules of Python that may be between them.
_BETWEEN = (
    f"{_HERE}/",
    f"{_HERE.with_name('kernels')}/",
    contextlib.__file__,
    functools.__file__,
)
_notes: ContextVar[list[str] | None] = ContextVar("notes", default=None)


class WorkbenchError(ValueError):
    """A request that cannot be carried out: the message names the argument and what to do.

    A notebook's cell shows that sentence with the caller's own line; ``%tb`` shows the rest.

    Examples
    --------
    >>> import workbench as wb
    >>> wb.Frame.rows(-1.5, 0)
    Traceback (most recent call last):
    workbench.errors.WorkbenchError: low: -1.5 is not a whole number, but a frame of rows counts \
rows; give an integer, negative before the current row, a Column, or None for no bound.
    """

    def _render_traceback_(self) -> list[str]:
        return cell_traceback(self, f"{type(self).__name__}: {self}")


def kind_in_words(value: object) -> str:
    """Return the type of a value with its article, for an error message.

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
    """A request that is carried out, but is probably not what was meant.

    Examples
    --------
    Python can turn it into an error:

    >>> import warnings
    >>> import workbench as wb
    >>> with warnings.catch_warnings(action="error", category=wb.WorkbenchWarning):
    ...     wb.Frame.rows(2, 1)
    Traceback (most recent call last):
    workbench.errors.WorkbenchWarning: low, high: the frame begins at 2, after its end at 1, so \
it has no rows; give the earlier bound first, negative before the current row.
    """


class JobError(WorkbenchError):
    """A Spark job that failed: the message says why, and what to do."""


def warn(sentence: str) -> None:
    """Warn at the caller's line.

    Parameters
    ----------
    sentence : str

    Warns
    -----
    WorkbenchWarning

    Examples
    --------
    >>> with collect_warnings() as notes:
    ...     warn("3 rows were left out.")
    >>> notes
    ['3 rows were left out.']
    """
    notes = _notes.get()
    if notes is not None:
        notes.append(sentence)
        return
    # Python 3.11 does not have `skip_file_prefixes`, which does the same.
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and _is_between(frame):
        level, frame = level + 1, frame.f_back
    warnings.warn(sentence, WorkbenchWarning, stacklevel=level)


@contextlib.contextmanager
def collect_warnings() -> Iterator[list[str]]:
    """Collect this thread's warnings in a list, which a widget can show.

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


def cell_traceback(error: BaseException, sentence: str) -> list[str]:
    """Return the lines that IPython shows for an error: the caller's line, and one sentence.

    Parameters
    ----------
    error : exception
        If it is shown a second time, as ``%tb`` does, its full traceback is returned.
    sentence : str

    Returns
    -------
    list of str
        The result of IPython's hook ``_render_traceback_``.
    """
    if vars(error).setdefault("_shown_in_a_cell", False):
        return full_traceback(error)
    vars(error)["_shown_in_a_cell"] = True
    call = _call_lines(error.__traceback__)
    # A page may break longer lines inside words.
    first, *marked = sentence.split("\n")
    lines = textwrap.wrap(first, 88, break_long_words=False, break_on_hyphens=False) + marked
    return [*call, *([""] if call else []), *lines, "%tb shows the whole traceback."]


def full_traceback(error: BaseException) -> list[str]:
    """Return the lines of IPython's default traceback of an error."""
    here = shell()
    if here is None:
        return traceback.format_exception(error)
    kind, trace = type(error), error.__traceback__
    lines: list[str] = here.InteractiveTB.structured_traceback(kind, error, trace, tb_offset=1)
    return lines


def shell() -> Any:
    """Return the running IPython shell, or None."""
    ipython = sys.modules.get("IPython")
    return None if ipython is None else ipython.get_ipython()


def _is_between(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith(_BETWEEN)


def _is_of_spark(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__")).partition(".")[0] in ("pyspark", "py4j")


def _is_of_ipython(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__")).partition(".")[0] == "IPython"


def _call_lines(trace: TracebackType | None) -> list[str]:
    """Return the caller's own line: the last one before the first line of ours or of Spark's."""
    caller: tuple[FrameType, int] | None = None
    for frame, line in traceback.walk_tb(trace):
        if _is_of_ipython(frame):
            # These frames are between a cell and its magic.
            continue
        if caller is not None and (_is_between(frame) or _is_of_spark(frame)):
            break
        caller = frame, line
    if caller is None or _is_between(caller[0]):
        return []
    frame, line = caller
    name = frame.f_code.co_filename
    text = _typed_line(linecache.getline(name, line, frame.f_globals).strip())
    return [f"{_file_label(name)}, line {line}", f"----> {line} {text}"] if text else []


def _typed_line(text: str) -> str:
    """Return a line of a cell as typed: IPython converts a cell with a magic into one call."""
    magic = re.match(r"get_ipython\(\)\.run_cell_magic\('(\w+)', (['\"])(.*?)\2, ", text)
    return text if magic is None else f"%%{magic[1]} {magic[3]}".rstrip()


def _file_label(name: str) -> str:
    """Return IPython's label of a file, which can be a cell."""
    here = shell()
    label = None if here is None else here.compile.format_code_name(name)
    return " ".join(label) if label else f"File {name}"
