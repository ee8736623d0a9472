"""The funnel's summaries as small pandas tables."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from workbench.columnar.blocks import NAME
from workbench.errors import warn
from workbench.funnel.bind import bind, time_unit, unit_of
from workbench.funnel.checks import check_bins
from workbench.funnel.plan import MOST_SEGMENTS, figures
from workbench.funnel.prepared import Prepared
from workbench.funnel.spec import FunnelSpec
from workbench.funnel.worker.pack import MOST_NAMES
from workbench.funnel.worker.summary import segment
from workbench.spark.jobs import collected, in_one_sentence
from workbench.spark.shuffle import any_of
from workbench.spark.table import BoundTable, column, nearest

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
    "median_time",
    "p90_time",
)


class Summary(NamedTuple):
    """What a funnel says of all keys: its steps, and how long those took who reached the last.

    Attributes
    ----------
    steps : pandas.DataFrame
        As :meth:`workbench.Funnel.steps` returns it.
    times : pandas.DataFrame
        As :meth:`workbench.Funnel.times` returns it.
    """

    steps: pd.DataFrame
    times: pd.DataFrame


def summary_of(
    funnel: FunnelSpec,
    events: "TableLike | Prepared",
    by: str | Sequence[str] | None = None,
    bins: int = 30,
    warn: bool = True,
) -> Summary:
    """Return what a funnel says of all keys; see :meth:`workbench.Funnel.summary`."""
    check_bins(bins)
    names = any_of(by, "by")
    bound = bind(funnel, events, names, STEP_COLUMNS)
    with in_one_sentence():
        found, skipped = figures(funnel, bound, names, bins)
    whole: list[Any] = [row for row in found if row["whole"]] or [nobody(len(funnel.labels))]
    segments = [row for row in found if not row["whole"]] if names else whole
    steps = steps_table(
        segments, step_names(funnel), names, bound.integer_time, funnel.rules.optional
    )
    units = {"unit": unit_of(funnel, bound), "time_unit": time_unit(bound)}
    steps.attrs |= {"skipped": skipped, "all": list(whole[0]["users"]), **units}
    if warn:
        _warn(funnel, bound, steps, skipped)
    if not funnel.rules.exclusions:
        steps = steps.drop(columns="excluded")
    times = times_table(whole[0]["width"], whole[0]["histogram"], bound.integer_time)
    times.attrs |= units
    return Summary(steps, times)


def step_names(funnel: FunnelSpec) -> tuple[str, ...]:
    """Return what the steps of a summary are called: in any order, how many steps they are."""
    if funnel.rules.order != "any":
        return funnel.labels
    return tuple(f"{k + 1} step{'s' if k else ''}" for k in range(len(funnel.labels)))


def nobody(steps: int) -> dict[str, Any]:
    """Return the summary of no key at all."""
    unknown = [float("nan")] * steps
    figures = {"users": [0] * steps, "median": unknown, "p90": unknown, "excluded": [0] * steps}
    return {**figures, "width": 1, "histogram": []}


def steps_table(
    found: "Sequence[Row | dict[str, Any]]",
    labels: Sequence[str],
    by: Sequence[str],
    integer_time: bool,
    optional: Sequence[int] = (),
) -> pd.DataFrame:
    """Return a row for each step (and segment): users, shares, losses and times.

    Parameters
    ----------
    found : sequence of pyspark.sql.Row, or of dict
        A summary of each segment, as :mod:`workbench.funnel.worker.summary` makes it.
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
        ``attrs["cut"]`` says whether there are more segments than these.
    """
    rows = [
        _row(one, k, label, by, integer_time, optional)
        for one in found[:MOST_SEGMENTS]
        for k, label in enumerate(labels)
    ]
    table = pd.DataFrame(rows, columns=[*by, *STEP_COLUMNS])
    table.attrs["cut"] = len(found) > MOST_SEGMENTS
    return table


def times_table(width: int, users: Sequence[int], integer_time: bool) -> pd.DataFrame:
    """Return the histogram of the time that those took who reached every step.

    Parameters
    ----------
    width : int
        Of each interval.
    users : sequence of int
        In each interval, from 0 on.
    integer_time : bool

    Returns
    -------
    pandas.DataFrame
        ``from``, ``to`` and ``users``.
    """
    lengths = [_length(k * width, integer_time) for k in range(len(users) + 1)]
    return pd.DataFrame({"from": lengths[:-1], "to": lengths[1:], "users": list(users)})


def _row(
    found: Any, k: int, label: str, by: Sequence[str], integer_time: bool, optional: Sequence[int]
) -> tuple[Any, ...]:
    users, first, excluded = found["users"][k], found["users"][0], found["excluded"][k]
    before = max((j for j in range(k) if j not in optional), default=k)
    previous = found["users"][before]
    return (
        *(found[segment(part)] for part in range(len(by))),
        label,
        users,
        users / first if first else float("nan"),
        users / previous if previous else float("nan"),
        0 if k in optional else previous - users - excluded,
        excluded,
        *(_length(found[name][k], integer_time) for name in ("median", "p90")),
    )


def _length(value: float, integer_time: bool) -> Any:
    if value != value:
        return float("nan") if integer_time else pd.NaT
    return value if integer_time else pd.Timedelta(round(value), "us")


def _warn(
    funnel: FunnelSpec, events: BoundTable | Prepared, found: pd.DataFrame, skipped: int
) -> None:
    if skipped:
        one = "1 row was left out: its key or its time is null."
        some = f"{skipped:,} rows were left out: their key or their time is null."
        warn(one if skipped == 1 else some)
    if found.attrs["cut"]:
        warn(
            f"by: there are more than {len(found) // len(funnel.labels):,} segments; "
            "those with the most users are given."
        )
    reached = set(found.loc[found["users"] > 0, "step"])
    if funnel.rules.order == "any" and found["users"].all():
        reached = set(funnel.labels)
    for label in dict.fromkeys(funnel.labels):
        if label not in reached and (hint := _unmatched(funnel, events, label)) is not None:
            warn(f"steps: {label!r} matches no event; {hint}")
    for exclusion in funnel.rules.exclusions if not found["excluded"].any() else ():
        label = exclusion.label
        if (hint := _unmatched(funnel, events, label)) is not None:
            warn(f"exclude: {label!r} matches no event; {hint}")


def _unmatched(funnel: FunnelSpec, events: BoundTable | Prepared, label: str) -> str | None:
    """The end of a sentence when a step or an exclusion matches no event of the data, else None."""
    what = funnel.looked_for
    if isinstance(what, dict):
        if isinstance(events, Prepared):
            return None
        from pyspark.sql import functions as F

        condition = what[label]
        true = F.expr(condition) if isinstance(condition, str) else condition
        return None if collected(events.df.where(true).limit(1)) else "look at its condition."
    labels = (*funnel.labels, *(one.label for one in funnel.rules.exclusions))
    names = what[labels.index(label)]
    known = events.names if isinstance(events, Prepared) else _names(funnel, events)
    return None if set(names) & set(known) else nearest(names[0], known)


def _names(funnel: FunnelSpec, events: BoundTable) -> list[str]:
    name = column(events, funnel.event, "event").cast("string").alias(NAME)
    names = [row[0] for row in collected(events.df.select(name).distinct().limit(MOST_NAMES))]
    return sorted(name for name in names if name is not None)
