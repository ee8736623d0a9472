"""Segments of a funnel beside each other, with intervals, as a pandas table."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

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
    spoken_length,
    step_names,
    warn_of,
)
from workbench.funnel.worker.summary import OTHERS, segment
from workbench.markup import Markup
from workbench.spark.jobs import in_one_sentence
from workbench.spark.shuffle import optional_names

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
    """Return segments beside each other; see :meth:`workbench.Funnel.compare`."""
    names = optional_names(by, "by")
    asked = _checked_baseline(names, baseline)
    check_largest(largest, names)
    check_confidence(confidence)
    bound = bind(funnel, events, names, COMPARE_COLUMNS, at_once=True)
    if asked is not None and not (largest and asked == (OTHERS,) * len(names)):
        asked = checked_values(funnel, bound, names, asked, "baseline")
    with in_one_sentence():
        found, skipped = figures(funnel, bound, names, _BINS, largest, median_ranks(confidence))
    segments = [row for row in found if not row["whole"]]
    table, number = _table(
        segments[:MOST_SEGMENTS], names, step_names(funnel), asked, confidence, bound.integer_time
    )
    rows = len(funnel.labels)
    table.attrs = {
        "skipped": skipped, "unit": unit_of(funnel, bound), "time_unit": time_unit(bound),
        "baseline": tuple(table.loc[number * rows, list(names)]), "confidence": confidence,
        "others": sum(row[OTHERS] for row in segments),
        "compared": int(table["difference"].notna().sum()),
    }  # fmt: skip
    seen = table.assign(excluded=1)
    seen.attrs = {"cut": len(segments) > MOST_SEGMENTS}
    warn_of(funnel, bound, seen, skipped)
    set_html(table, partial(_compare_html, table))
    return table


def _checked_baseline(by: Sequence[str], baseline: Any) -> tuple[Any, ...] | None:
    """The baseline's segment as it is given; None where it is the largest."""
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
    found: Sequence[Any],
    by: Sequence[str],
    steps: Sequence[str],
    asked: tuple[Any, ...] | None,
    confidence: float,
    integer_time: bool,
) -> tuple[pd.DataFrame, int]:
    """A row for each segment and step, and the number of the baseline's segment."""
    keys = [
        tuple(OTHERS if row[OTHERS] else row[segment(k)] for k in range(len(by))) for row in found
    ]
    if len(keys) < 2:
        which = f", {_said(keys[0])}" if keys else ""
        raise WorkbenchError(
            f"by: there {'is one segment' if keys else 'are no segments'}{which}, and a comparison "
            "needs two; name another column."
        )
    base = 0 if asked is None else _place(keys, asked)
    users = np.array([row["users"] for row in found], np.int64)
    of = np.repeat(users[:, :1], len(steps), axis=1)
    columns: dict[str, Any] = {
        name: [key[k] for key in keys for _ in steps] for k, name in enumerate(by)
    }
    columns |= {"step": list(steps) * len(keys), "users": users.ravel(), "of": of.ravel()}
    shares = shares_of(users, of, confidence)
    columns |= {name: value.ravel() for name, value in shares._asdict().items()}
    columns |= _differences(users, of, base, confidence)
    for name, figure in zip(COMPARE_COLUMNS[-3:], ("median", "median_low", "median_high"),
                            strict=True):  # fmt: skip
        columns[name] = [length_of(value, integer_time) for row in found for value in row[figure]]
    return pd.DataFrame(columns, columns=[*by, *COMPARE_COLUMNS]), base


def _differences(users: Any, of: Any, base: int, confidence: float) -> dict[str, Any]:
    """The differences to the baseline, of all steps behind the first."""
    compared = np.zeros(users.shape, bool)
    compared[:, 1:] = True
    compared[base] = False
    base_users, base_of = (np.broadcast_to(one[base], one.shape)[compared] for one in (users, of))
    found = differences_of(users[compared], of[compared], base_users, base_of, confidence)
    columns = {}
    for name, values in zip(COMPARE_COLUMNS[6:10], found, strict=True):
        column = np.full(users.shape, np.nan)
        column[compared] = values
        columns[name] = column.ravel()
    return columns


def _place(keys: Sequence[tuple[Any, ...]], asked: tuple[Any, ...]) -> int:
    """The number of the segment that has some values; for NaN the null one, without one of NaN."""
    found = [k for k, key in enumerate(keys) if all(map(_is_asked, key, asked))]
    if found:
        return min(found, key=lambda k: [value is None for value in keys[k]])
    known = ", ".join(map(_said, keys[:6])) + (", and more" if len(keys) > 6 else "")
    raise WorkbenchError(f"baseline: {_said(asked)} is no segment; there are {known}.")


def _is_asked(value: Any, asked: Any) -> bool:
    if is_nan(asked):
        return value is None or is_nan(value)
    if isinstance(value, datetime) and isinstance(asked, datetime) and asked.tzinfo is not None:
        # A time without a zone is this process's, as Spark's rows have it.
        return value.astimezone(UTC) == asked
    return bool(value == asked)


def _said(key: tuple[Any, ...]) -> str:
    return repr(key[0] if len(key) == 1 else key)


def _compare_html(compared: pd.DataFrame) -> Markup:
    """What a notebook shows of a comparison: shares in percent, times as they are said."""
    shares = ("share", "low", "high", "difference", "difference_low", "difference_high")
    shown: dict[str, Callable[[Any], object]] = {
        **dict.fromkeys(shares, "{:.1%}".format),
        "p_value": "{:.2g}".format,
        **dict.fromkeys(COMPARE_COLUMNS[-3:], spoken_length),
    }
    return frame_table("Comparison", compared, heads={"users": compared.attrs["unit"]}, shown=shown)
