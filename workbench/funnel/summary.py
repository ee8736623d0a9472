"""The funnel's summaries as small pandas tables."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from workbench.arguments import optional_names, whole_number
from workbench.columnar.blocks import NAME
from workbench.described import frame_table, name_shown, set_html
from workbench.durations import duration_text
from workbench.errors import WorkbenchError, warn
from workbench.funnel.bind import bind, time_unit, unit_of
from workbench.funnel.checks import check_bins
from workbench.funnel.plan import MOST_SEGMENTS, figures
from workbench.funnel.prepared import Prepared
from workbench.funnel.spec import FunnelSpec
from workbench.funnel.worker.pack import MOST_NAMES
from workbench.funnel.worker.summary import OTHERS, segment_column, steps_before
from workbench.markup import Markup
from workbench.spark.jobs import collected, in_one_sentence
from workbench.spark.names import nearest
from workbench.spark.table import BoundTable, column

if TYPE_CHECKING:
    from pyspark.sql import Row

    from workbench.spark.sources.given import TableLike

STEP_COLUMNS = (
    "step",
    "users",
    "from_first",
    "from_previous",
    "lost",
    "excluded",
    "open",
    "median_time",
    "p90_time",
)


class Summary(NamedTuple):
    """The summary of a funnel: its steps, and how long those took who reached the last one.

    Attributes
    ----------
    steps : pandas.DataFrame
        As :meth:`workbench.Funnel.steps` returns it.
    times : pandas.DataFrame
        As :meth:`workbench.Funnel.times` returns it.
    whole : pandas.DataFrame
        The steps of all segments together; without segments, ``steps`` itself.
    """

    steps: pd.DataFrame
    times: pd.DataFrame
    whole: pd.DataFrame


def summary_of(
    funnel: FunnelSpec,
    events: "TableLike | Prepared",
    by: str | Sequence[str] | None = None,
    bins: int = 30,
    warn: bool = True,
    largest: int | None = None,
) -> Summary:
    """Return the summary of a funnel; see :meth:`workbench.Funnel.summary`."""
    check_bins(bins)
    names = optional_names(by, "by")
    check_largest(largest, names)
    bound = bind(funnel, events, names, STEP_COLUMNS, at_once=True)
    with in_one_sentence():
        rows, skipped = figures(funnel, bound, names, bins, largest)
    everybody: list[Any] = [row for row in rows if row["whole"]] or [
        empty_summary(len(funnel.labels))
    ]
    units = {"unit": unit_of(funnel, bound), "time_unit": time_unit(bound)}
    attributes = {"skipped": skipped, "all": list(everybody[0]["users"]), **units}
    steps = whole = _steps(funnel, everybody, (), bound.integer_time, attributes)
    if names:
        segments = [row for row in rows if not row["whole"]]
        steps = _steps(funnel, segments, names, bound.integer_time, attributes)
    if warn:
        warn_of(funnel, bound, steps, skipped)
    times = times_table(everybody[0]["width"], everybody[0]["histogram"], bound.integer_time)
    times.attrs |= units
    return Summary(steps, times, whole)


def _steps(
    funnel: FunnelSpec,
    rows: "Sequence[Row | dict[str, Any]]",
    by: Sequence[str],
    integer_time: bool,
    attributes: dict[str, Any],
) -> pd.DataFrame:
    """Return the table of steps with its attributes."""
    steps = steps_table(rows, step_names(funnel), by, integer_time, funnel.rules.optional)
    steps.attrs |= {"others": sum(row[OTHERS] for row in rows), **attributes}
    steps.attrs["before"] = steps_before(len(funnel.labels), funnel.rules.optional)
    if not funnel.rules.exclusions:
        steps = steps.drop(columns="excluded")
    if not funnel.counting.has_period:
        steps = steps.drop(columns="open")
    set_html(steps, partial(_steps_html, steps))
    return steps


def check_largest(largest: Any, by: Sequence[str]) -> None:
    """Raise an error unless it is None, or a number of segments where there are segments.

    Raises
    ------
    WorkbenchError
    """
    if largest is None:
        return
    if whole_number(largest) not in range(1, MOST_SEGMENTS + 1):
        raise WorkbenchError(
            f"largest: {largest!r} is not possible; give 1 to {MOST_SEGMENTS:,} segments."
        )
    if not by:
        raise WorkbenchError(
            f"largest: {largest!r} is a number of segments, and there are none; "
            "give by=, or leave it out."
        )


def _steps_html(steps: pd.DataFrame) -> Markup:
    """Return the steps as a notebook shows them: shares in percent, times in words."""
    shown: dict[str, Callable[[Any], object]] = {
        "step": name_shown,
        **dict.fromkeys(("from_first", "from_previous"), "{:.1%}".format),
        **dict.fromkeys(("median_time", "p90_time"), timedelta_text),
    }
    return frame_table("Steps", steps, heads={"users": steps.attrs["unit"]}, shown=shown)


def timedelta_text(length: Any) -> Any:
    """Return a duration in words; an integer stays an integer."""
    is_duration = isinstance(length, pd.Timedelta)
    return duration_text(length / pd.Timedelta("1us")) if is_duration else length


def step_names(funnel: FunnelSpec) -> tuple[str, ...]:
    """Return the names of a summary's steps; with steps in any order, their counts."""
    if funnel.rules.order != "any":
        return funnel.labels
    return tuple(f"{k + 1} step{'s' if k else ''}" for k in range(len(funnel.labels)))


def empty_summary(steps: int) -> dict[str, Any]:
    """Return the summary of a table without keys."""
    unknown = [float("nan")] * steps
    figures = {"users": [0] * steps, "median": unknown, "p90": unknown}
    figures |= {"excluded": [0] * steps, "open": [0] * steps}
    figures |= {"median_low": unknown, "median_high": unknown}
    return {**figures, "width": 1, "histogram": [], OTHERS: 0}


def steps_table(
    summaries: "Sequence[Row | dict[str, Any]]",
    labels: Sequence[str],
    by: Sequence[str],
    integer_time: bool,
    optional: Sequence[int] = (),
) -> pd.DataFrame:
    """Return a row for each step (and segment): users, shares, losses and times.

    Parameters
    ----------
    summaries : sequence of pyspark.sql.Row, or of dict
        The summary of each segment, from :mod:`workbench.funnel.worker.summary`.
    labels : sequence of str
        The steps.
    by : sequence of str
        The columns of segments.
    integer_time : bool
        Whether times are integers, which stay as they are.
    optional : sequence of int
        Steps that may be left out, counted from 0.

    Returns
    -------
    pandas.DataFrame
        ``attrs["cut"]`` tells whether there are more segments than these.
    """
    before = steps_before(len(labels), optional)
    rows = [
        _row(one, k, label, by, integer_time, before[k], k in optional)
        for one in summaries[:MOST_SEGMENTS]
        for k, label in enumerate(labels)
    ]
    table = pd.DataFrame(rows, columns=[*by, *STEP_COLUMNS])
    table.attrs["cut"] = len(summaries) > MOST_SEGMENTS
    return table


def times_table(width: int, users: Sequence[int], integer_time: bool) -> pd.DataFrame:
    """Return the histogram of the times to convert of those who reached every step.

    Parameters
    ----------
    width : int
        The width of each interval.
    users : sequence of int
        The number of users in each interval, from 0 on.
    integer_time : bool

    Returns
    -------
    pandas.DataFrame
        ``from``, ``to`` and ``users``.
    """
    lengths = [length_of(k * width, integer_time) for k in range(len(users) + 1)]
    return pd.DataFrame({"from": lengths[:-1], "to": lengths[1:], "users": list(users)})


def _row(
    summary: Any,
    k: int,
    label: str,
    by: Sequence[str],
    integer_time: bool,
    before: int,
    optional: bool,
) -> tuple[Any, ...]:
    users, first, excluded = summary["users"][k], summary["users"][0], summary["excluded"][k]
    previous = summary["users"][before]
    return (
        *(OTHERS if summary[OTHERS] else summary[segment_column(part)] for part in range(len(by))),
        label,
        users,
        users / first if first else float("nan"),
        users / previous if previous else float("nan"),
        0 if optional else previous - users - excluded,
        excluded,
        summary["open"][k],
        *(length_of(summary[name][k], integer_time) for name in ("median", "p90")),
    )


def length_of(value: float, integer_time: bool) -> Any:
    """Return a duration as tables hold it, a Timedelta; an integer stays an integer."""
    if value != value:
        return float("nan") if integer_time else pd.NaT
    return value if integer_time else pd.Timedelta(round(value), "us")


def warn_of(
    funnel: FunnelSpec, events: BoundTable | Prepared, steps: pd.DataFrame, skipped: int
) -> None:
    """Warn of rows and segments that were left out, and of steps that match no event."""
    warn_of_skipped(funnel, skipped)
    if steps.attrs["cut"]:
        warn(
            f"by: there are more than {len(steps) // len(funnel.labels):,} segments; "
            "those with the most users are given."
        )
    reached = set(steps.loc[steps["users"] > 0, "step"])
    if funnel.rules.order == "any" and steps["users"].all():
        reached = set(funnel.labels)
    for label in dict.fromkeys(funnel.labels):
        if label not in reached and (hint := unmatched_hint(funnel, events, label)) is not None:
            warn(f"steps: {label!r} matches no event; {hint}")
    none_excluded = funnel.rules.exclusions and not steps["excluded"].any()
    for exclusion in funnel.rules.exclusions if none_excluded else ():
        label = exclusion.label
        if (hint := unmatched_hint(funnel, events, label)) is not None:
            warn(f"exclude: {label!r} matches no event; {hint}")


def warn_of_skipped(funnel: FunnelSpec, skipped: int) -> None:
    """Warn of rows that were left out, if any."""
    if not skipped:
        return
    held = ", or a column held constant," if funnel.counting.columns else ""
    one = f"1 row was left out: its key or its time{held} is null."
    some = f"{skipped:,} rows were left out: their key or their time{held} is null."
    warn(one if skipped == 1 else some)


def unmatched_hint(funnel: FunnelSpec, events: BoundTable | Prepared, label: str) -> str | None:
    """Return the end of a warning if a step or an exclusion matches no event, else None."""
    if funnel.all_conditions is not None:
        if isinstance(events, Prepared):
            return None
        from pyspark.sql import functions as F

        condition = funnel.all_conditions[label]
        true = F.expr(condition) if isinstance(condition, str) else condition
        # A condition with a window function must be a column before it can be a filter.
        matching = events.df.select(true.alias(NAME)).where(F.col(NAME)).limit(1)
        return None if collected(matching) else "look at its condition."
    labels = (*funnel.labels, *(one.label for one in funnel.rules.exclusions))
    names = funnel.all_names[labels.index(label)]
    known = events.names if isinstance(events, Prepared) else _names(funnel, events)
    return None if set(names) & set(known) else nearest(names[0], known)


def _names(funnel: FunnelSpec, events: BoundTable) -> list[str]:
    name = column(events, funnel.event, "event").cast("string").alias(NAME)
    names = [row[0] for row in collected(events.df.select(name).distinct().limit(MOST_NAMES))]
    return sorted(name for name in names if name is not None)
