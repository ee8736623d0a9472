"""A window call's kernel on one partition's rows, traced and made into a lesson.

The last kernel that the worker's code calls for the answer is traced, with the same arguments.
"""

import re
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import replace
from inspect import signature
from typing import Any

import numpy as np

from kernels import Trace, trace
from kernels.core.recording import Run, recorded
from kernels.core.trace import interpreted
from workbench.engine.block import Call, Window
from workbench.engine.functions import answer
from workbench.errors import WorkbenchError
from workbench.functions.catalogue import SKETCHES
from workbench.widgets.lessons.edited import LessonMaker, PartitionInput
from workbench.widgets.lessons.fields import Rows
from workbench.widgets.lessons.funnel_view import clock_for
from workbench.widgets.lessons.window_pictures import structures
from workbench.widgets.lessons.window_timeline import timeline
from workbench.widgets.stepper.lesson import Lesson
from workbench.widgets.stepper.trace_lesson import lesson_of
from workbench.windows.inspect.one_partition import Partition, value_text

#: By the type of an array, a value that no answer has; it marks unwritten cells, shown as empty.
UNWRITTEN: dict[str, Any] = {"i8": -(2**62) - 1, "i4": -(2**30) - 1, "f8": -1.7976931348623157e308}
NOTHING = frozenset(UNWRITTEN.values())
#: Matches the parameters of a kernel that its docstring says are written.
WRITES = re.compile(r"^ *([\w, ]+) : .*\n +Written: ", re.MULTILINE)


def window_maker(partition: Partition, column: str | None = None) -> LessonMaker:
    """Return the maker of a window call's lesson on a partition, or on edited rows of it.

    Parameters
    ----------
    partition, column
        As in :func:`window_lesson`.

    Returns
    -------
    function
    """
    partition_input = PartitionInput(partition)

    def make(edited: Rows | None) -> Lesson:
        now = partition if edited is None else partition_input.read(edited)
        lesson = window_lesson(now, column)
        return (
            {**lesson, "input": partition_input.table(now)}
            if partition_input.is_editable
            else lesson
        )

    return make


def window_lesson(partition: Partition, column: str | None = None) -> dict[str, Any]:
    """Return the lesson that steps through one function of a window call.

    Parameters
    ----------
    partition : Partition
    column : str, optional
        The result that is stepped through; by default the first.

    Returns
    -------
    dict
        As :class:`workbench.widgets.stepper.player.Player` takes it.

    Raises
    ------
    WorkbenchError
        When there is no such result, it is computed by a sketch, or the run has too many steps to
        follow.
    """
    call, window = partition.call(column), partition.window()
    if call.info.family in SKETCHES:
        raise WorkbenchError(
            f"{call.column}: {call.function} is answered by sketches of a library, which have no "
            "steps to show; choose another result."
        )
    with recorded() as runs:
        answers = answer(window, call)
    run = [one for one in runs if one.has_captions][-1]
    traced_run = _traced(run, partition, window)
    lesson = lesson_of(traced_run, _title(partition, call), _formatters(traced_run))
    lesson["intro"] = _intro(partition, call)
    lesson["result"] = ", ".join(value_text(value) for value in answers.to_pylist())
    pictures = [
        timeline(traced_run, partition, window, call),
        *structures(traced_run, partition, window, call),
    ]
    lesson["pictures"] = pictures
    return lesson


def _traced(run: Run, partition: Partition, window: Window) -> Trace:
    order = window.order
    clock: Callable[[Any], str] = str
    if order.key is not None and len(partition.task.order) == 1:
        kind = str(window.column(partition.task.order[0].name).type)
        if kind.startswith(("date", "timestamp")):
            clock = clock_for(np.asarray(order.key[slice(*order.valid[0])], np.int64), False)
    backward = order.descending
    show = {"": _in_words, "time": lambda code: clock(~code if backward else code)}
    try:
        return trace(run.kernel, *_unwritten(run), show=show)
    except ValueError:
        raise WorkbenchError(
            f"key: {partition.who} has {partition.rows} rows, whose run has more steps than a "
            "person can follow; choose a smaller partition, or filter the table."
        ) from None


def _unwritten(run: Run) -> list[Any]:
    """Return the kernel's arguments, with the arrays that it only writes marked as unwritten.

    Such arrays have arbitrary content at first, which would be shown like answers.
    """
    arguments, kernel = run.part(), interpreted(run.kernel)
    written, filled = _arguments_after(kernel, arguments), list(arguments)
    # Reused memory may already contain the answers, so that documented outputs count, too.
    documented = ", ".join(WRITES.findall(run.kernel.python.__doc__ or "")).split(", ")
    for place, name in enumerate(signature(run.kernel.python).parameters):
        one = arguments[place]
        if not _can_be_marked(one) or (_same(one, written[place]) and name not in documented):
            continue
        # An array that is read before it is written is an input: another one changes the answers.
        other = _arguments_after(
            kernel, [*arguments[:place], np.ones_like(one), *arguments[place + 1 :]]
        )
        if other and all(_same(*pair) for pair in zip(written, other, strict=True)):
            filled[place] = np.full_like(one, UNWRITTEN[one.dtype.str[1:]])
    return filled


def _arguments_after(kernel: Callable[..., Any], arguments: list[Any]) -> list[Any]:
    """Return the arguments after a run; empty if the kernel cannot run on them."""
    copies = deepcopy(arguments)
    try:
        kernel(*copies)
    except (ArithmeticError, LookupError, ValueError):
        return []
    return copies


def _can_be_marked(one: Any) -> bool:
    return isinstance(one, np.ndarray) and one.dtype.str[1:] in UNWRITTEN


def _same(one: Any, other: Any) -> bool:
    if not _can_be_marked(one):
        return True
    return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")


def _title(partition: Partition, call: Call) -> str:
    function = repr(replace(partition.over.columns[call.column], frame=None))
    return f"{call.column} = {function.removeprefix('wb.fn.')} · {partition.who}"


def _intro(partition: Partition, call: Call) -> str:
    notes = [f"Over {call.frame!r}.".replace("wb.", "")] if call.info.has_frame else []
    if partition.over.choice.engine == "spark":
        notes.append(
            "Spark's own window operator answers this call; "
            "this is the kernel that does so with engine='kernel'."
        )
    if partition.cut:
        notes.append(
            f"Only the first {partition.rows} rows of {partition.who} are shown, "
            "and frames end with the last of them."
        )
    counted = partition.window().counted(call, call.without_null)
    if counted is not None and call.info.has_frame:
        notes.append(
            f"{int((~counted).sum())} of {partition.rows} rows do not count, as their value is "
            "null or their condition not true; the kernel numbers the others from 0."
        )
    return " ".join(notes)


def _in_words(value: Any) -> str:
    """Return a value of a caption as text: a state by its fields, a number in a few digits."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_in_words(one)}" for name, one in value.items())
    return value_text(value) if isinstance(value, float) else str(value)


def _formatters(run: Trace) -> dict[str, Callable[[Any], Any]]:
    """Return the formatters of variables: states by their fields, ranges of one piece flat."""
    names = {name for step in run.steps for name in step.variables}
    return dict.fromkeys(names, _plain)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return _in_words(value)
    if isinstance(value, list):
        value = [_plain(one) for one in value]
    elif value in NOTHING:
        return ""
    is_table = isinstance(value, list) and bool(value) and isinstance(value[0], list)
    return [one[0] for one in value] if is_table and len(value[0]) == 1 else value
