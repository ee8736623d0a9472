"""Segments of a funnel compared, with intervals, as a pandas table."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from workbench.arguments import optional_names
from workbench.described import frame_table, set_html
from workbench.errors import WorkbenchError
from workbench.funnel.bind import bind, time_unit, unit_of
from workbench.funnel.intervals import (
    CONFIDENCE,
    check_confidence,
    differences_of,
    median_ranks,
    shares_of,
)
from workbench.funnel.plan import MOST_SEGMENTS, figures
from workbench.funnel.prepared import Prepared
from workbench.funnel.segment_values import checked_values, is_nan
from workbench.funnel.spec import FunnelSpec
from workbench.funnel.summary import (
    check_largest,
    length_of,
    step_names,
    timedelta_text,
    warn_of,
)
from workbench.funnel.worker.summary import OTHERS, segment_column
from workbench.markup import Markup
from workbench.spark.jobs import in_one_sentence

if TYPE_CHECKING:
    from workbench.spark.sources.given import TableLike

COMPARE_COLUMNS = (
    "step", "users", "of", "share", "low", "high", "difference", "difference_low",
    "difference_high", "p_value", "median_time", "median_low", "median_high",
)  # fmt: skip
#: A histogram is no part of a comparison; one bin costs nothing.
_BINS = 1


def compare_of(
    funnel: FunnelSpec,
    events: "TableLike | Prepared",
    by: str | Sequence[str],
    baseline: Any = None,
    largest: int | None = None,
    confidence: float = CONFIDENCE,
) -> pd.DataFrame:
    """Return a comparison of segments; see :meth:`workbench.Funnel.compare`."""
    names = optional_names(by, "by")
    baseline_key = _checked_baseline(names, baseline)
    check_largest(largest, names)
    confidence = check_confidence(confidence)
    bound = bind(funnel, events, names, COMPARE_COLUMNS, at_once=True)
    if baseline_key is not None and not (largest and baseline_key == (OTHERS,) * len(names)):
        baseline_key = checked_values(funnel, bound, names, baseline_key, "baseline")
    with in_one_sentence():
        rows, skipped = figures(funnel, bound, names, _BINS, largest, median_ranks(confidence))
    segments = [row for row in rows if not row["whole"]]
    table, baseline_index = _table(
        segments[:MOST_SEGMENTS], names, step_names(funnel), baseline_key, confidence,
        bound.integer_time,
    )  # fmt: skip
    steps = len(funnel.labels)
    table.attrs = {
        "skipped": skipped, "unit": unit_of(funnel, bound), "time_unit": time_unit(bound),
        "baseline": tuple(table.loc[baseline_index * steps, list(names)]), "confidence": confidence,
        "others": sum(row[OTHERS] for row in segments),
        "compared": int(table["difference"].notna().sum()),
    }  # fmt: skip
    seen = table.assign(excluded=1)
    seen.attrs = {"cut": len(segments) > MOST_SEGMENTS}
    warn_of(funnel, bound, seen, skipped)
    set_html(table, partial(_compare_html, table))
    return table


def _checked_baseline(by: Sequence[str], baseline: Any) -> tuple[Any, ...] | None:
    """Return the baseline's segment as given; None for the largest segment."""
    if not by:
        raise WorkbenchError(
            "by: a comparison needs segments; name a column or a cohort, or several in a list."
        )
    if baseline is None:
        return None
    values = tuple(baseline) if isinstance(baseline, tuple | list) else (baseline,)
    if len(values) != len(by):
        raise WorkbenchError(
            f"baseline: {baseline!r} has {len(values)} value{'s' if len(values) > 1 else ''}, and "
            f"a segment has one of each of {', '.join(map(repr, by))}; give {len(by)}, in a tuple."
        )
    return values


def _table(
    rows: Sequence[Any],
    by: Sequence[str],
    steps: Sequence[str],
    baseline_key: tuple[Any, ...] | None,
    confidence: float,
    integer_time: bool,
) -> tuple[pd.DataFrame, int]:
    """Return a row for each segment and step, and the index of the baseline's segment."""
    names = [segment_column(k) for k in range(len(by))]
    keys = [tuple(OTHERS if row[OTHERS] else row[name] for name in names) for row in rows]
    if len(keys) < 2:
        which = f", {_key_text(keys[0])}" if keys else ""
        raise WorkbenchError(
            f"by: there {'is one segment' if keys else 'are no segments'}{which}, and a comparison "
            "needs two; name another column."
        )
    baseline = 0 if baseline_key is None else _segment_index(keys, baseline_key)
    users = np.array([row["users"] for row in rows], np.int64)
    entrants = np.repeat(users[:, :1], len(steps), axis=1)
    columns: dict[str, Any] = {
        name: [key[k] for key in keys for _ in steps] for k, name in enumerate(by)
    }
    columns |= {"step": list(steps) * len(keys), "users": users.ravel(), "of": entrants.ravel()}
    shares = shares_of(users, entrants, confidence)
    columns |= {name: value.ravel() for name, value in shares._asdict().items()}
    columns |= _differences(users, entrants, baseline, confidence)
    for name, figure in zip(COMPARE_COLUMNS[-3:], ("median", "median_low", "median_high"),
                            strict=True):  # fmt: skip
        columns[name] = [length_of(value, integer_time) for row in rows for value in row[figure]]
    return pd.DataFrame(columns, columns=[*by, *COMPARE_COLUMNS]), baseline


def _differences(users: Any, entrants: Any, baseline: int, confidence: float) -> dict[str, Any]:
    """Return the differences from the baseline, for all steps after the first."""
    compared = np.zeros(users.shape, bool)
    compared[:, 1:] = True
    compared[baseline] = False
    baseline_users, baseline_entrants = (
        np.broadcast_to(one[baseline], one.shape)[compared] for one in (users, entrants)
    )
    differences = differences_of(
        users[compared], entrants[compared], baseline_users, baseline_entrants, confidence
    )
    columns = {}
    for name, values in zip(COMPARE_COLUMNS[6:10], differences, strict=True):
        column = np.full(users.shape, np.nan)
        column[compared] = values
        columns[name] = column.ravel()
    return columns


def _segment_index(keys: Sequence[tuple[Any, ...]], wanted: tuple[Any, ...]) -> int:
    """Return the index of the segment with some values; NaN means null if no segment is NaN."""
    matches = [k for k, key in enumerate(keys) if all(map(_equal_values, key, wanted))]
    if matches:
        return min(matches, key=lambda k: [value is None for value in keys[k]])
    known = ", ".join(map(_key_text, keys[:6])) + (", and more" if len(keys) > 6 else "")
    raise WorkbenchError(f"baseline: {_key_text(wanted)} is not a segment; there are {known}.")


def _equal_values(value: Any, wanted: Any) -> bool:
    if is_nan(wanted):
        return value is None or is_nan(value)
    if isinstance(value, datetime) and isinstance(wanted, datetime) and wanted.tzinfo is not None:
        # Spark's rows hold times without a zone, in the time zone of this process.
        return value.astimezone(UTC) == wanted
    return bool(value == wanted)


def _key_text(key: tuple[Any, ...]) -> str:
    return repr(key[0] if len(key) == 1 else key)


def _compare_html(compared: pd.DataFrame) -> Markup:
    """Return a comparison as a notebook shows it: shares in percent, times in words."""
    shares = ("share", "low", "high", "difference", "difference_low", "difference_high")
    shown: dict[str, Callable[[Any], object]] = {
        **dict.fromkeys(shares, "{:.1%}".format),
        "p_value": "{:.2g}".format,
        **dict.fromkeys(COMPARE_COLUMNS[-3:], timedelta_text),
    }
    return frame_table("Comparison", compared, heads={"users": compared.attrs["unit"]}, shown=shown)
