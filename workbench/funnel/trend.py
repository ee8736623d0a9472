"""A funnel by the time of the first step, as a pandas table."""

from collections.abc import Iterable, Sequence
from functools import partial
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from workbench.described import frame_table, set_html
from workbench.funnel.bind import bind, clock_of, time_unit, unit_of
from workbench.funnel.intervals import CONFIDENCE, check_confidence, shares_of
from workbench.funnel.periods import check_every, check_points, end_of, periods_for
from workbench.funnel.plan import entered
from workbench.funnel.prepared import Prepared
from workbench.funnel.segment_values import is_nan
from workbench.funnel.spec import FunnelSpec
from workbench.funnel.summary import check_largest, step_names, warn_of
from workbench.funnel.worker.entries import PERIOD, numbers
from workbench.funnel.worker.periods import Periods
from workbench.funnel.worker.summary import OTHERS, segment
from workbench.markup import Markup
from workbench.spark.jobs import in_one_sentence
from workbench.spark.shuffle import optional_names
from workbench.spark.table import BoundTable

if TYPE_CHECKING:
    from pyspark.sql import Row

    from workbench.durations import Duration
    from workbench.spark.sources.given import TableLike

TREND_COLUMNS = "from", "to", "step", "entrants", "open", "users", "share", "low", "high"


def trend_of(
    funnel: FunnelSpec,
    events: "TableLike | Prepared",
    every: "Duration" = "1 day",
    by: str | Sequence[str] | None = None,
    largest: int | None = None,
    confidence: float = CONFIDENCE,
) -> pd.DataFrame:
    """Return a funnel by the time of the first step; see :meth:`workbench.Funnel.trend`."""
    names = optional_names(by, "by")
    check_every(every)
    check_largest(largest, names)
    check_confidence(confidence)
    bound = bind(funnel, events, names, TREND_COLUMNS, at_once=True)
    periods = periods_for(every, funnel, bound)
    if isinstance(bound, Prepared) and bound.span is not None:
        first, last = numbers(periods, np.array(within_period(funnel, bound, *bound.span)))
        check_points(max(int(last - first), 0) + 1, 1, every)
    with in_one_sentence():
        found, skipped = entered(funnel, bound, names, periods, largest)
    number = _periods_between(found, periods, funnel, bound, every)
    table = _table(found, number, names, step_names(funnel), confidence)
    numbered = table["from"].to_numpy(np.int64)
    table["from"], table["to"] = (
        one.to_pandas() for one in (periods.begins(numbered), periods.ends(numbered))
    )
    end = end_of(found[0]["end"], periods) if found else None
    table.attrs = {
        "skipped": skipped, "unit": unit_of(funnel, bound), "time_unit": time_unit(bound),
        "end": end, "every": every, "confidence": confidence, "begin": _begin(periods, number),
        "others": max((row[OTHERS] for row in found), default=0),
    }  # fmt: skip
    seen = table.assign(excluded=1)
    seen.attrs = {"cut": False}
    warn_of(funnel, bound, seen, skipped)
    set_html(table, partial(_trend_html, table))
    return table


def within_period(
    funnel: FunnelSpec, events: BoundTable | Prepared, first: int, last: int
) -> tuple[int, int]:
    """Return the first and the last time at which a first step may be."""
    period = funnel.counting.period(*clock_of(funnel, events)) or (None, None)
    begin, end = period
    return (
        first if begin is None else max(first, begin),
        last if end is None else min(last, end - 1),
    )


def _periods_between(
    found: "Sequence[Row | dict[str, Any]]",
    periods: Periods,
    funnel: FunnelSpec,
    events: BoundTable | Prepared,
    every: "Duration",
) -> NDArray[np.int64]:
    """The number of each period, to the end of the data, without a gap."""
    if not found:
        return np.zeros(0, np.int64)
    known = [row[PERIOD] for row in found]
    _, end = within_period(funnel, events, 0, found[0]["end"])
    last = max(*known, int(numbers(periods, np.array([end]))[0]))
    segments = len({_one_nan(row[name] for name in _names(row)) for row in found})
    check_points(last - min(known) + 1, segments, every)
    # From zero, as what is behind the last integer is none.
    return np.arange(last - min(known) + 1) + np.int64(min(known))


def _begin(periods: Periods, number: NDArray[np.int64]) -> pd.Timestamp | None:
    """When the first period begins, with its zone, where clocks may show one like another."""
    if periods.zone is None or periods.of_days or not len(number):
        return None
    instant = pd.Timestamp(int(number[0]) * periods.length, unit="us", tz="UTC")
    return instant.tz_convert(periods.zone)


def _names(row: Any) -> list[str]:
    """What the columns of segments are called in a row, and what tells others apart."""
    names = list(row) if isinstance(row, dict) else row.__fields__
    return [name for name in names if name.startswith(segment(0)[:-1])] + [OTHERS]


def _one_nan(values: Iterable[Any]) -> tuple[Any, ...]:
    """Return values of a segment, NaN as one object: two of them are not equal."""
    return tuple(nan if is_nan(value) else value for value in values)


def _table(
    found: "Sequence[Row | dict[str, Any]]",
    number: NDArray[np.int64],
    by: Sequence[str],
    steps: Sequence[str],
    confidence: float,
) -> pd.DataFrame:
    """A row for each segment, period and step; ``from`` is the number of the period."""
    keys = [(row[OTHERS] > 0, *_one_nan(row[segment(k)] for k in range(len(by)))) for row in found]
    total: dict[tuple[Any, ...], int] = {}
    for key, row in zip(keys, found, strict=True):
        total[key] = total.get(key, 0) + row["entrants"]
    # Those with the most entrants first, then in their own order, null first and NaN last; others
    # behind all of them.
    segments = sorted(
        total,
        key=lambda key: (key[0], -total[key], [(v is not None, is_nan(v), v) for v in key[1:]]),
    )
    places = {key: k for k, key in enumerate(segments)}
    shape = len(segments), len(number)
    entrants, still_open = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    users = np.zeros((*shape, len(steps)), np.int64)
    for key, row in zip(keys, found, strict=True):
        at = places[key], row[PERIOD] - int(number[0])
        entrants[at], still_open[at], users[at] = row["entrants"], row["open"], row["users"]
    many = len(steps)
    over = np.repeat((entrants - still_open).ravel(), many)
    shares = shares_of(users.ravel(), over, confidence)
    named = [(OTHERS,) * len(by) if key[0] else key[1:] for key in segments]
    columns: dict[str, Any] = {
        name: [one[k] for one in named for _ in range(shape[1] * many)] for k, name in enumerate(by)
    }
    columns |= {"from": np.tile(np.repeat(number, many), shape[0]), "to": 0}
    columns |= {"step": list(steps) * (shape[0] * shape[1])}
    columns |= {"entrants": np.repeat(entrants.ravel(), many)}
    columns |= {"open": np.repeat(still_open.ravel(), many), "users": users.ravel()}
    return pd.DataFrame(columns | shares._asdict(), columns=[*by, *TREND_COLUMNS])


def _trend_html(trend: pd.DataFrame) -> Markup:
    """What a notebook shows of a trend: shares in percent."""
    shown = dict.fromkeys(("share", "low", "high"), "{:.1%}".format)
    return frame_table("Trend", trend, heads={"users": trend.attrs["unit"]}, shown=shown)
