"""A backfill's sawtooth windows on the last rows of one key, as a lesson for the step player."""

from typing import Any

import numpy as np

from kernels import trace
from kernels.tiling.sawtooth import sawtooth_windows
from workbench.backfill.bind import Plan
from workbench.backfill.inspect.one_query import ask, times_of_key
from workbench.backfill.inspect.origin import in_words
from workbench.errors import WorkbenchError
from workbench.widgets.lessons.funnel_view import clock_for
from workbench.widgets.lessons.tiling import tiling_lesson
from workbench.windows.inspect.one_partition import said

MOST_EVENTS, MOST_QUERIES = 12, 4


def backfill_lesson(plan: Plan, key: Any, column: str | None = None) -> dict[str, Any]:
    """Return the lesson that steps through one feature of a key's last queries.

    Parameters
    ----------
    plan : Plan
    key : value, or tuple of values when the key has several columns
    column : str, optional
        The feature; without it, the first that has states and a sawtooth window.

    Returns
    -------
    dict
        As :class:`workbench.widgets.stepper.player.Player` takes it.

    Raises
    ------
    WorkbenchError
        When no query has this key, or the feature has no sawtooth window or no states.
    """
    one_query = ask(plan, key, most=MOST_EVENTS)
    spans = {one.name: one.span for one in plan.features if _has_teeth(one)}
    found = {name: one_query.columns(name) for name in spans}
    shown = [name for name, (_, mergeable) in found.items() if mergeable is not None]
    if column is None and shown:
        column = shown[0]
    if column is None or column not in shown:
        known = ", ".join(map(repr, shown)) or "none here"
        raise WorkbenchError(
            f"column: {column!r} has no sawtooth window with states to step through; "
            f"those that have: {known}."
        )
    time, mergeable = found[column]
    assert mergeable is not None
    span, since = spans[column], time[0] if len(time) else one_query.query
    times = [at for at in times_of_key(plan, key) if at >= since]
    query = np.array(times[-MOST_QUERIES:], np.int64)
    empty = mergeable.empty
    states = np.zeros((len(query), len(empty)), mergeable.value.dtype)
    clock = clock_for(np.concatenate([query, time]), plan.integer_time)

    def words(state: Any) -> str:
        row = [list(state.values())]
        rows = getattr(empty, "_fields", ()) and tuple(state.values()) != tuple(empty)
        return mergeable.words(np.array(row, states.dtype))[0] if rows else "nothing"

    arguments = (query, span.window, span.hop, time, mergeable.value, mergeable.other, states)
    show = {"": lambda one: words(one) if isinstance(one, dict) else str(one), "time": clock}
    run = trace(sawtooth_windows, empty, *arguments, show=show)
    who = ", ".join(map(said, key)) if isinstance(key, tuple) else said(key)
    lesson = tiling_lesson(run, f"{column} · {who}", words, clock)
    # Over a block of one partition, as Spark's workers run it: so it is compiled already.
    ends = np.array([0, len(query)]), np.array([0, len(time)])
    sawtooth_windows.over(ends[0], empty, *arguments, right=ends[1])
    answers = mergeable.answers(states, _rows(query, span, time))
    lesson["intro"] = (
        f"The newest {len(time)} events that count, and {len(query)} queries. "
        "A query at q sees [floor(q - window), q)."
    )
    return {**lesson, "result": ", ".join(map(in_words, answers))}


def _has_teeth(one: Any) -> bool:
    span = one.span
    return span.window is not None and span.hop > 1 and span.last_hop == 1 and one.by is None


def _rows(query: Any, span: Any, time: Any) -> list[int]:
    """How many events each query sees."""
    low = (query - span.window) // span.hop * span.hop
    rows = np.searchsorted(time, query) - np.searchsorted(time, low)
    return [int(one) for one in rows]
