"""A funnel by the time of the first step, as a pandas table."""

from collections.abc import Iterable, Sequence
from functools import partial
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from workbench.arguments import optional_names
from workbench.described import frame_table, set_html
from workbench.funnel.bind import bind, clock_of, time_unit, unit_of
from workbench.funnel.intervals import CONFIDENCE, check_confidence, shares_of
from workbench.funnel.periods import check_every, check_points, end_of, periods_for
from workbench.funnel.plan import trend_figures
from workbench.funnel.prepared import Prepared
from workbench.funnel.segment_values import is_nan
from workbench.funnel.spec import FunnelSpec
from workbench.funnel.summary import check_largest, step_names, warn_of
from workbench.funnel.worker.entries import PERIOD, period_numbers
from workbench.funnel.worker.periods import Periods
from workbench.funnel.worker.summary import OTHERS, segment_column
from workbench.markup import Markup
from workbench.spark.jobs import in_one_sentence
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
    confidence = check_confidence(confidence)
    bound = bind(funnel, events, names, TREND_COLUMNS, at_once=True)
    periods = periods_for(every, funnel, bound)
    if isinstance(bound, Prepared) and bound.span is not None:
        first, last = period_numbers(periods, np.array(within_period(funnel, bound, *bound.span)))
        check_points(max(int(last - first), 0) + 1, 1, every)
    with in_one_sentence():
        rows, skipped = trend_figures(funnel, bound, names, periods, largest)
    period_range = _periods_between(rows, periods, funnel, bound, every)
    table = _table(rows, period_range, names, step_names(funnel), confidence)
    numbered = table["from"].to_numpy(np.int64)
    table["from"], table["to"] = (
        one.to_pandas() for one in (periods.begins(numbered), periods.ends(numbered))
    )
    end = end_of(rows[0]["end"], periods) if rows else None
    table.attrs = {
        "skipped": skipped, "unit": unit_of(funnel, bound), "time_unit": time_unit(bound),
        "end": end, "every": every, "confidence": confidence,
        "begin": _begin(periods, period_range),
        "others": max((row[OTHERS] for row in rows), default=0),
    }  # fmt: skip
    warned = table.assign(excluded=1)
    warned.attrs = {"cut": False}
    warn_of(funnel, bound, warned, skipped)
    set_html(table, partial(_trend_html, table))
    return table


def within_period(
    funnel: FunnelSpec, events: BoundTable | Prepared, first: int, last: int
) -> tuple[int, int]:
    """Return the first and the last time at which a first step may lie."""
    period = funnel.counting.period(*clock_of(funnel, events)) or (None, None)
    begin, end = period
    return (
        first if begin is None else max(first, begin),
        last if end is None else min(last, end - 1),
    )


def _periods_between(
    rows: "Sequence[Row | dict[str, Any]]",
    periods: Periods,
    funnel: FunnelSpec,
    events: BoundTable | Prepared,
    every: "Duration",
) -> NDArray[np.int64]:
    """Return the numbers of all periods up to the end of the data, without gaps."""
    if not rows:
        return np.zeros(0, np.int64)
    with_entrants = [row[PERIOD] for row in rows]
    _, end = within_period(funnel, events, 0, rows[0]["end"])
    last = max(*with_entrants, int(period_numbers(periods, np.array([end]))[0]))
    segments = len({_one_nan(row[name] for name in _names(row)) for row in rows})
    check_points(last - min(with_entrants) + 1, segments, every)
    # Counted from zero, because the end of the range may exceed the largest integer.
    return np.arange(last - min(with_entrants) + 1) + np.int64(min(with_entrants))


def _begin(periods: Periods, period_range: NDArray[np.int64]) -> pd.Timestamp | None:
    """Return the begin of the first period with its zone, if local times may be ambiguous."""
    if periods.zone is None or periods.of_days or not len(period_range):
        return None
    instant = pd.Timestamp(int(period_range[0]) * periods.length, unit="us", tz="UTC")
    return instant.tz_convert(periods.zone)


def _names(row: Any) -> list[str]:
    """Return the names of a row's segment columns, and of the column that marks the others."""
    names = list(row) if isinstance(row, dict) else row.__fields__
    return [name for name in names if name.startswith(segment_column(0)[:-1])] + [OTHERS]


def _one_nan(values: Iterable[Any]) -> tuple[Any, ...]:
    """Return a segment's values with NaN as one object, because two NaN are not equal."""
    return tuple(nan if is_nan(value) else value for value in values)


def _table(
    rows: "Sequence[Row | dict[str, Any]]",
    period_range: NDArray[np.int64],
    by: Sequence[str],
    steps: Sequence[str],
    confidence: float,
) -> pd.DataFrame:
    """Return a row for each segment, period and step; ``from`` is the number of the period."""
    names = [segment_column(k) for k in range(len(by))]
    keys = [(row[OTHERS] > 0, *_one_nan(row[name] for name in names)) for row in rows]
    total: dict[tuple[Any, ...], int] = {}
    for key, row in zip(keys, rows, strict=True):
        total[key] = total.get(key, 0) + row["entrants"]
    # Most entrants first, then by value, null first and NaN last; the combined others come last.
    segments = sorted(
        total,
        key=lambda key: (key[0], -total[key], [(v is not None, is_nan(v), v) for v in key[1:]]),
    )
    places = {key: k for k, key in enumerate(segments)}
    shape = len(segments), len(period_range)
    entrants, still_open = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    users = np.zeros((*shape, len(steps)), np.int64)
    for key, row in zip(keys, rows, strict=True):
        at = places[key], row[PERIOD] - int(period_range[0])
        entrants[at], still_open[at], users[at] = row["entrants"], row["open"], row["users"]
    step_count = len(steps)
    over = np.repeat((entrants - still_open).ravel(), step_count)
    shares = shares_of(users.ravel(), over, confidence)
    segment_values = [(OTHERS,) * len(by) if key[0] else key[1:] for key in segments]
    columns: dict[str, Any] = {
        name: [one[k] for one in segment_values for _ in range(shape[1] * step_count)]
        for k, name in enumerate(by)
    }
    columns |= {"from": np.tile(np.repeat(period_range, step_count), shape[0]), "to": 0}
    columns |= {"step": list(steps) * (shape[0] * shape[1])}
    columns |= {"entrants": np.repeat(entrants.ravel(), step_count)}
    columns |= {"open": np.repeat(still_open.ravel(), step_count), "users": users.ravel()}
    return pd.DataFrame(columns | shares._asdict(), columns=[*by, *TREND_COLUMNS])


def _trend_html(trend: pd.DataFrame) -> Markup:
    """Return a trend as a notebook shows it: shares in percent."""
    shown = dict.fromkeys(("share", "low", "high"), "{:.1%}".format)
    return frame_table("Trend", trend, heads={"users": trend.attrs["unit"]}, shown=shown)
