"""A rung of the ladder of window tiling, or one of its kernels, as a lesson for the step player."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernels import Step, Trace, trace
from kernels.core.recording import recorded
from kernels.tiling.ladder import RUNGS, tiled_aggregate
from workbench.durations import Duration, duration_text, microseconds, ticks
from workbench.errors import WorkbenchError
from workbench.lessons.tiling_steps import READERS
from workbench.lessons.tree_run import TREE_AGGREGATES, answer_formatter
from workbench.widgets.lessons.edited import LessonMaker, RungInput, make_both, open_player
from workbench.widgets.lessons.fields import Rows
from workbench.widgets.lessons.funnel_view import clock_for
from workbench.widgets.lessons.tiling_pictures import Clock, Formatter, state_words, tiling_pictures
from workbench.widgets.stepper.lesson import Lesson
from workbench.widgets.stepper.player import Player
from workbench.widgets.stepper.trace_lesson import lesson_of

#: The kernels whose runs have queries, events, hops or tiles to show.
TILING = (*READERS, "tile_windows", "sawtooth_windows")
TIMES = ("query", "time", "start", "low", "high", "begin", "end", "head")
#: Times of one kernel, whose names stand for rows in others.
TIMES_OF = {"rollup_windows": ("last",)}
LENGTHS = ("window", "hop")
STATES = ("empty", "state", "newer", "tile")
TABLES = ("states", "tree", "hops", "rolled", "older", "tails", "heads")
#: For each kernel the counter of the used part of these arrays, which are larger.
FILLED = {
    "hop_states": ("count", ("start", "stop", "hops")),
    "sawtooth_windows": ("count", ("start", "stop", "hops")),
    "rollup_windows": ("days", ("start", "stop", "rolled")),
    **dict.fromkeys(("generate_tiles", "update_tiles", "tree_tails"), ("count", ("tiles",))),
}


def play_rung(
    rung: str,
    name: str,
    query: Sequence[Any] | NDArray[Any],
    time: Sequence[Any] | NDArray[Any],
    values: Sequence[float] | NDArray[Any],
    window: Duration,
    hop: Duration | None = None,
    *,
    beside: str | None = None,
) -> Player:
    """Open the step player on a rung, which shows how it finds the window of each query.

    Parameters
    ----------
    rung : str
        One of :data:`kernels.tiling.ladder.RUNGS`.
    name : str
        "sum", "avg", "count", "min", "max", "first", "last", "product" or "stddev_samp".
    query, time : sequences of timestamps, or of integers
        The times of the queries and the events of one key, sorted.
    values : sequence of numbers
        One for each event.
    window, hop : str, timedelta or int
        The lengths of windows and hops; integers only if the times are integers.
    beside : str, optional
        Another rung, which is shown side by side with this one.

    Returns
    -------
    Player
        The queries and events can be edited; the kernels then run on the edited ones.

    Raises
    ------
    WorkbenchError
        When there is no such rung or aggregate, the rung cannot compute the aggregate, or the run
        has too many steps to follow.

    Examples
    --------
    >>> play_rung("cursors", "sum", [4, 9], [1, 4, 8], [3, 5, 7], 5)
    Player('cursors: sum of 3 events for 2 queries, in 6 operations', step 1 of 6: \
Event 0 enters, before 4: 3.)
    """
    if name not in TREE_AGGREGATES:
        raise WorkbenchError(f"name: {name!r} is not shown; use {', '.join(TREE_AGGREGATES)}.")
    (query_times, event_times), length = _times(query, time)
    key_input = RungInput(query_times, event_times, np.asarray(values, np.float64), length is ticks)
    lengths = [length(window, "window"), None if hop is None else length(hop, "hop")]
    makes = [
        _rung_maker(one, name, key_input, lengths) for one in (rung, beside) if one is not None
    ]
    return open_player(makes[0] if beside is None else make_both(*makes))


def _rung_maker(rung: str, name: str, key_input: RungInput, lengths: list[Any]) -> LessonMaker:
    def make(edited: Rows | None) -> Lesson:
        now = key_input if edited is None else key_input.read(edited)
        return {**_rung_lesson(rung, name, now, lengths), "input": now.table()}

    return make


def _rung_lesson(rung: str, name: str, key_input: RungInput, lengths: list[Any]) -> Lesson:
    clock = clock_for(np.concatenate([key_input.query, key_input.time]), key_input.integer_time)
    formatter = answer_formatter(name, key_input.value)
    columns = key_input.query, key_input.time, key_input.value
    try:
        run, answers_text = _traced(rung, name, *columns, lengths, formatter, clock)
    except ValueError as error:
        raise WorkbenchError(str(error)) from None
    title = (
        f"{rung}: {name} of {len(key_input.time)} events for {len(key_input.query)} queries, "
        f"in {run.result:,} operations"
    )
    run = replace(run, steps=[_with_values(step, key_input.value.tolist()) for step in run.steps])
    lesson = tiling_lesson(run, title, formatter, clock)
    lesson["intro"] = _meaning(rung)
    return {**lesson, "result": ", ".join(answers_text)}


def tiling_lesson(
    run: Trace, title: str, formatter: Formatter | None = None, clock: Clock | None = None
) -> Lesson:
    """Return the lesson that steps through a run of tiling kernels.

    Parameters
    ----------
    run : kernels.Trace
        A run of kernels of :data:`TILING`.
    title : str
    formatter : function, optional
        Formats a state; by default by its fields.
    clock : function, optional
        Formats a time; by default as an integer.

    Returns
    -------
    dict
        As :class:`workbench.widgets.stepper.player.Player` takes it.
    """
    formatter, write = formatter or _fields, clock or str
    tidy = replace(run, steps=[_in_words(step, formatter, clock) for step in run.steps])
    lesson = lesson_of(tidy, title, _formatters(formatter, write, clock is not None))
    return {**lesson, "pictures": tiling_pictures(run, formatter, write)}


def _traced(
    rung: str,
    name: str,
    query: Any,
    time: Any,
    column: Any,
    lengths: Any,
    formatter: Formatter,
    clock: Clock,
) -> tuple[Trace, list[str]]:
    """Return the traces of the rung's kernels as one, and the answers as texts."""
    with recorded() as runs:
        result = tiled_aggregate(rung, name, query, time, column, *lengths)
    show = {"": lambda one: formatter(one) if isinstance(one, Mapping) else str(one), "time": clock}
    parts = [trace(run.kernel, *run.part(), show=show) for run in runs if run.has_captions]
    kernels = {kernel.__name__: kernel for part in parts for kernel in part.kernels}
    steps = [step for part in parts for step in part.steps]
    answers_text = [
        _answer_text(name, value, rows, column)
        for value, rows in zip(result.value.tolist(), result.rows.tolist(), strict=True)
    ]
    return Trace(tuple(kernels.values()), steps, result.operations), answers_text


def _answer_text(name: str, value: Any, rows: int, column: NDArray[Any]) -> str:
    if not rows and name != "count":
        return "nothing"
    number = column[value] if name in ("min", "max", "first", "last") else value
    return f"{number:.4g}"


def _times(query: Any, time: Any) -> tuple[list[NDArray[np.int64]], Callable[..., int]]:
    both = [np.asarray(query), np.asarray(time)]
    if all(one.dtype.kind == "M" for one in both):
        times = [one.astype("datetime64[us]").astype(np.int64) for one in both]
        return times, microseconds
    if all(one.dtype.kind in "iu" or not len(one) for one in both):
        return [one.astype(np.int64) for one in both], ticks
    raise WorkbenchError("query, time: give timestamps (datetime64) for both, or integers.")


def _meaning(rung: str) -> str:
    windows = {
        "sliding": "A query at q sees [q - window, q).",
        "hopping": "A query at q sees [floor(q - window), floor(q)): whole hops alone.",
        "sawtooth": "A query at q sees [floor(q - window), q): whole hops and a head.",
    }
    return windows[RUNGS[rung].meaning]


def _fields(state: Mapping[str, Any]) -> str:
    return ", ".join(f"{one:.6g}" if isinstance(one, float) else str(one) for one in state.values())


def _with_values(step: Step, values: list[float]) -> Step:
    """Return the step with the original values: for min and max, the kernels get sort keys."""
    names = [name for name in ("value", "other") if name in step.variables]
    return replace(step, variables={**step.variables, **dict.fromkeys(names, values)})


def _in_words(step: Step, formatter: Formatter, clock: Clock | None) -> Step:
    """Return the step with states as texts, and without the unused parts of arrays."""
    variables = dict(step.variables)
    if variables.get("other") == variables.get("value"):
        variables.pop("other", None)
    counter, names = FILLED.get(step.kernel, ("", ()))
    variables |= {
        name: variables[name][: variables.get(counter, 0)] for name in names if name in variables
    }
    if clock is not None:
        own = TIMES_OF.get(step.kernel, ())
        variables |= {name: clock(variables[name]) for name in own if name in variables}
    if "empty" in variables:
        tables = {name: variables[name] for name in TABLES if name in variables}
        empty = variables["empty"]
        variables |= {
            name: [state_words(empty, row, formatter) or "" for row in rows]
            for name, rows in tables.items()
        }
    return replace(step, variables=variables)


def _formatters(formatter: Formatter, clock: Clock, timed: bool) -> dict[str, Callable[[Any], Any]]:
    def times(value: Any) -> Any:
        return [clock(one) for one in value] if isinstance(value, list) else clock(value)

    shown: dict[str, Callable[[Any], Any]] = dict.fromkeys(STATES, formatter)
    if timed:
        shown |= dict.fromkeys(TIMES, times) | dict.fromkeys(LENGTHS, duration_text)
    return shown
