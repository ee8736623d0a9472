"""The kernel of a retention on one key's rows, traced and made into a lesson for the player."""

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kernels import trace
from kernels.funnel.retained import AGAIN, FIRST, NONE, retained_periods
from workbench.durations import from_epoch
from workbench.funnel import Retention
from workbench.funnel.inspect.one_key import a_key, rows_of_key
from workbench.funnel.worker.periods import Periods
from workbench.widgets.lessons.funnel_view import clock_for
from workbench.widgets.stepper.lesson import Lesson
from workbench.widgets.stepper.trace_lesson import array_pictures, lesson_of

_FULFILS = {0: "·", FIRST: "first", AGAIN: "again", FIRST | AGAIN: "first, again"}


def retention_lesson(retention: Retention, key: Any = None) -> tuple[Lesson, Any]:
    """Return the lesson that steps through a retention on one key's rows, and the key.

    Parameters
    ----------
    retention : Retention
    key : value, or tuple of values when the key has several columns
        By default one that did both.

    Returns
    -------
    lesson : dict
        As :class:`workbench.widgets.stepper.player.Player` takes it.
    key : value
    """
    funnel, events, periods = retention.asked.funnel, retention.asked.rows, retention.asked.periods
    chosen = a_key(funnel, events) if key is None else key
    rows = rows_of_key(funnel, events, chosen)
    fulfils = rows.conditions * np.uint32(1 if retention.spec.again else FIRST | AGAIN)
    returned = np.zeros(retention.spec.periods + 1, np.int64)
    numbers = periods.numbers(retention.asked.times(rows.time))
    clock = clock_for(rows.time, rows.integer_time)
    period_names = _begins(periods, numbers)
    show = {"time": clock, "period": lambda number: period_names.get(number, str(number))}
    run = trace(retained_periods, rows.time, numbers, fulfils, returned, show=show, limit=10_000)
    who = ", ".join(map(str, chosen)) if isinstance(chosen, tuple) else str(chosen)
    spec = retention.spec
    title = f"Came back every {spec.every}: {spec.label} → {spec.again_label} · {who}"
    formatters = {
        "time": lambda times: list(map(clock, times)),
        "period": lambda numbers: list(map(show["period"], numbers)),
        "fulfils": lambda each: [_FULFILS[one] for one in each],
        "returned": lambda each: ["·" if row == NONE else f"row {row}" for row in each],
    }
    lesson = lesson_of(run, title, formatters)
    if rows.cut:
        lesson["intro"] = f"Only the first {len(rows.time)} rows of {who} are shown."
    lesson["pictures"] = [one for one in array_pictures(run, formatters) if one["title"] != "time"]
    return lesson, chosen


def _begins(periods: Periods, numbers: NDArray[np.int64]) -> dict[int, str]:
    """Return the begin of each period, as text in its time zone, by the period's number.

    Empty for integers.
    """
    if periods.integers:
        return {}
    begins: list[int] = periods.begins(numbers).cast(pa.int64()).to_pylist()
    if periods.of_days:
        several = len({from_epoch(one).year for one in begins}) > 1
        texts = [f"{from_epoch(one):%d %b{' %Y' if several else ''}}" for one in begins]
    else:
        texts = list(map(clock_for(np.array(begins), False), begins))
    return dict(zip(numbers.tolist(), texts, strict=True))
