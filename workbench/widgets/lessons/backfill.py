"""A backfill's sawtooth windows on the last rows of one key, as a lesson for the step player."""

from typing import Any

import numpy as np

from kernels import trace
from kernels.tiling.sawtooth import sawtooth_windows
from workbench.backfill.bind import BoundFeature, Plan
from workbench.backfill.inspect.one_query import fetch_query, times_of_key
from workbench.backfill.inspect.origin import OneQuery, counted, in_words
from workbench.errors import WorkbenchError
from workbench.widgets.lessons.backfill_input import BackfillInput, KeyOfBackfill
from workbench.widgets.lessons.edited import LessonMaker
from workbench.widgets.lessons.fields import Rows
from workbench.widgets.lessons.funnel_view import clock_for
from workbench.widgets.lessons.tiling import tiling_lesson
from workbench.widgets.stepper.lesson import Lesson
from workbench.windows.inspect.one_partition import value_text

MOST_EVENTS, MOST_QUERIES = 12, 4


def backfill_maker(plan: Plan, key: Any, column: str | None = None) -> LessonMaker:
    """Return the maker of a lesson of one feature, for a key's last queries and for edited ones.

    Parameters
    ----------
    plan : Plan
    key : value, or tuple of values when the key has several columns
    column : str, optional
        The feature; by default the first that has states and a sawtooth window.

    Returns
    -------
    function

    Raises
    ------
    WorkbenchError
        When no query has this key, or the feature has no sawtooth window or no states.
    """
    one_query = fetch_query(plan, key, most=MOST_EVENTS)
    feature = _stepped_feature(plan, one_query, column)
    time, _ = one_query.columns(feature.name)
    since = time[0] if len(time) else one_query.query
    times = [at for at in times_of_key(plan, key) if at >= since]
    fetched = KeyOfBackfill(np.array(times[-MOST_QUERIES:], np.int64), one_query)
    key_input = BackfillInput(fetched, feature.name, _names(feature, one_query), plan.integer_time)
    start = key_input.start()
    who = ", ".join(map(value_text, key)) if isinstance(key, tuple) else value_text(key)

    def make(edited: Rows | None) -> Lesson:
        edited_key = start if edited is None else key_input.read(edited)
        lesson = _lesson(edited_key, feature, who, plan.integer_time)
        # Rows of entities have validity intervals, which the table does not show.
        editable = key_input.is_editable and not plan.has_validity
        return {**lesson, "input": key_input.table(edited_key)} if editable else lesson

    return make


def _lesson(key: KeyOfBackfill, feature: BoundFeature, who: str, integer_time: bool) -> Lesson:
    """Return the lesson that steps through a feature of a key's queries."""
    (time, mergeable), query, span = key.one.columns(feature.name), key.query, feature.span
    assert mergeable is not None
    empty = mergeable.empty
    states = np.zeros((len(query), len(empty)), mergeable.value.dtype)
    clock = clock_for(np.concatenate([query, time]), integer_time)

    def words(state: Any) -> str:
        row = [list(state.values())]
        rows = getattr(empty, "_fields", ()) and tuple(state.values()) != tuple(empty)
        return mergeable.words(np.array(row, states.dtype))[0] if rows else "nothing"

    arguments = (query, span.window, span.hop, time, mergeable.value, mergeable.other, states)
    show = {"": lambda one: words(one) if isinstance(one, dict) else str(one), "time": clock}
    run = trace(sawtooth_windows, empty, *arguments, show=show)
    lesson = tiling_lesson(run, f"{feature.name} · {who}", words, clock)
    # Over a block of one partition, as in Spark's workers: that version is already compiled.
    ends = np.array([0, len(query)]), np.array([0, len(time)])
    sawtooth_windows.over(ends[0], empty, *arguments, right=ends[1])
    answers = mergeable.answers(states, _rows(query, span, time))
    lesson["intro"] = (
        f"The newest {counted(len(time), 'event')} of those that count, and "
        f"{counted(len(query), 'query', 'queries')}. "
        "A query at q sees [floor(q - window), q)."
    )
    return {**lesson, "result": ", ".join(map(in_words, answers))}


def _stepped_feature(plan: Plan, one_query: OneQuery, column: str | None) -> BoundFeature:
    """Return the feature of a name, or the first that can be stepped through."""
    steppable = {one.name: one for one in plan.features if _is_sawtooth(one)}
    steppable_names = [name for name in steppable if one_query.columns(name)[1] is not None]
    name = steppable_names[0] if column is None and steppable_names else column
    if name is None:
        raise WorkbenchError(
            "what: none of its features has a sawtooth window with states to step through; "
            "give it one without by, whose function keeps states, as avg, sum and max do."
        )
    if name not in steppable_names:
        known = ", ".join(map(repr, steppable_names)) or "none here"
        raise WorkbenchError(
            f"column: {column!r} has no sawtooth window with states to step through; "
            f"those that have: {known}."
        )
    return steppable[name]


def _names(feature: BoundFeature, one_query: OneQuery) -> dict[str, str]:
    """Return the columns that a feature reads: the user's name by the workers' name."""
    features = one_query.task.features
    call = next(one.call for one in features if one.call.column == feature.name)
    pairs = zip(call.arguments, feature.resolved.function.arguments, strict=True)
    return {name: one if isinstance(one, str) else "value" for name, one in pairs}


def _is_sawtooth(one: Any) -> bool:
    span = one.span
    return span.window is not None and span.hop > 1 and span.last_hop == 1 and one.by is None


def _rows(query: Any, span: Any, time: Any) -> list[int]:
    """Return the number of events in each query's window."""
    low = (query - span.window) // span.hop * span.hop
    rows = np.searchsorted(time, query) - np.searchsorted(time, low)
    return [int(one) for one in rows]
