"""The distribution of a backfill's rows: over keys and hops, and over the tasks of a run."""

from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

import pandas as pd

from workbench.backfill.bind import Plan
from workbench.backfill.inspect.instrumented import KINDS, SCHEMA, InstrumentedTask
from workbench.backfill.instants import begin_of_hop
from workbench.backfill.methods import PLANS
from workbench.backfill.split.plan import SplitPlan
from workbench.columnar.blocks import TIME
from workbench.columnar.packed_rows import binaries, unpacked_rows
from workbench.durations import HOUR
from workbench.engine.ranges.cuts import CUTS, START
from workbench.errors import WorkbenchError
from workbench.spark.jobs import collected, in_arrow, in_one_sentence
from workbench.spark.one_key import literal

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

#: The most keys that are shown, and the most hops of each: of more, adjacent ones are merged.
MOST_KEYS, MOST_HOPS = 12, 240
#: How many adjacent hops are merged: hours to days, days to weeks.
FACTORS = (1, 2, 3, 4, 6, 7, 8, 12, *(24 * 2**k for k in range(60)))


@dataclass(frozen=True)
class Skew:
    """The distribution of the rows of a backfill, before and after its keys are cut.

    Attributes
    ----------
    hops : pandas.DataFrame
        A row for each of the largest keys and each hop in which it has rows: ``key``, ``hop`` (its
        begin), and ``rows``, queries and events together. ``attrs["hop"]`` is its length.
    spans : pandas.DataFrame
        A row for each span of the keys that are cut: ``key``, and ``begin`` of the span.
    tasks : pandas.DataFrame
        A row for each task of two runs, as :meth:`workbench.Backfill.tasks` returns them.
    """

    hops: pd.DataFrame
    spans: pd.DataFrame
    tasks: pd.DataFrame

    def __repr__(self) -> str:
        parts = []
        for method, rows in self.tasks.groupby("method", sort=False)["rows"]:
            times = rows.max() / max(rows.mean(), 1)
            parts.append(
                f"{method}: the largest task has {rows.max():,} rows, {times:.1f} times the mean"
            )
        return "; ".join(parts)


def skew_of(plan: Plan, hop: int | None = None) -> Skew:
    """Return the distribution of rows, by a pass over keys and times and by runs with and without
    cuts.

    Parameters
    ----------
    plan : Plan
    hop : int, optional
        In the kernels' integers; by default the longest hop of the features.

    Returns
    -------
    Skew
    """
    tasks = [tasks_of(plan, method) for method in ("scan", "auto")]
    return Skew(hops_of(plan, hop), spans_of(plan), pd.concat(tasks, ignore_index=True))


def tasks_of(plan: Plan, method: str) -> pd.DataFrame:
    """Return the numbers of rows of each task of a run, which the tasks count while they answer.

    Parameters
    ----------
    plan : Plan
    method : str
        One of :data:`workbench.backfill.methods.PLANS`.

    Returns
    -------
    pandas.DataFrame

    Raises
    ------
    WorkbenchError
        When the method has no tasks that can count.
    """
    if not isinstance(method, str) or method not in PLANS:
        known = ", ".join(map(repr, PLANS))
        raise WorkbenchError(
            f"method: {method!r} has no tasks that count their rows; give one of {known}."
        )
    work = PLANS[method](plan)
    counted = work.bundles.mapInArrow(InstrumentedTask(work.task).run, SCHEMA)
    with in_one_sentence():
        found = counted.toPandas()
    found.insert(0, "method", method)
    found.insert(len(found.columns) - 2, "rows", found[list(KINDS)].sum(axis=1))
    return found.sort_values("task", ignore_index=True)


def hops_of(plan: Plan, hop: int | None = None) -> pd.DataFrame:
    """Return the number of rows of the largest keys in each hop."""
    from pyspark.sql import functions as F

    both, keys = _keys_and_times(plan)
    ends = F.count(F.lit(1)).alias("n"), F.min(TIME).alias("low"), F.max(TIME).alias("high")
    largest = collected(both.groupBy(*keys).agg(*ends).orderBy(F.desc("n"), *keys).limit(MOST_KEYS))
    if not largest:
        found = pd.DataFrame({"key": [], "hop": [], "rows": []})
        found.attrs["hop"] = 1
        return found
    longest = max(one.span.hop for one in plan.features)
    # Sliding windows have no hop.
    length = hop or (longest if longest > 1 or plan.integer_time else HOUR)
    extent = max(row["high"] for row in largest) - min(row["low"] for row in largest) + 1
    length *= next(factor for factor in FACTORS if factor * length * MOST_HOPS >= extent)
    names = {tuple(row)[: len(keys)]: _key_text(tuple(row)[: len(keys)]) for row in largest}
    of_largest = both.where(reduce(lambda a, b: a | b, (_equals(keys, key) for key in names)))
    begin = begin_of_hop(F.col(TIME), length)
    counted = of_largest.groupBy(*keys, begin.alias("hop")).agg(F.count(F.lit(1)).alias("rows"))
    rows = collected(counted.orderBy("hop"))
    found = pd.DataFrame(
        {
            "key": [names[tuple(row)[: len(keys)]] for row in rows],
            "hop": _times(plan, [row["hop"] for row in rows]),
            "rows": [row["rows"] for row in rows],
        }
    )
    order = {name: place for place, name in enumerate(names.values())}
    found = found.sort_values("key", key=lambda one: one.map(order), kind="stable")
    found.attrs["hop"] = length if plan.integer_time else pd.Timedelta(length, "us")
    return found.reset_index(drop=True)


def spans_of(plan: Plan) -> pd.DataFrame:
    """Return the begins of the spans of keys that are cut, without the first span of each key."""
    split_plan = SplitPlan(plan)
    packed = in_arrow(split_plan.summaries().mapInArrow(split_plan.task.run, f"{CUTS} binary"))
    keys: list[str] = []
    begins: list[int] = []
    for chunk in packed.column(CUTS).chunks:
        for one in binaries(chunk):
            cuts = unpacked_rows(one)
            cut_keys = zip(
                *(cuts.column(name).to_pylist() for name in split_plan.keys), strict=True
            )
            for key, starts in zip(cut_keys, cuts.column(START).to_pylist(), strict=True):
                keys += [_key_text(key)] * (len(starts) - 1)
                begins += starts[1:]
    return pd.DataFrame({"key": keys, "begin": _times(plan, begins)})


def _keys_and_times(plan: Plan) -> "tuple[DataFrame, list[Column]]":
    """Return the keys and times of both tables."""
    from pyspark.sql import functions as F

    split_plan = SplitPlan(plan)
    queries = split_plan.keys_and_times(plan.queries)
    events = split_plan.keys_and_times(plan.events)
    return queries.unionAll(events), [F.col(name) for name in split_plan.key_aliases]


def _equals(keys: "list[Column]", values: tuple[Any, ...]) -> "Column":
    pairs = zip(keys, values, strict=True)
    return reduce(lambda a, b: a & b, (key == literal(value) for key, value in pairs))


def _key_text(key: tuple[Any, ...]) -> str:
    return ", ".join(map(str, key))


def _times(plan: Plan, values: list[int]) -> "pd.Series[Any]":
    """Return integers as times, in UTC, unless times are integers."""
    found = pd.Series(values, dtype="int64")
    if plan.integer_time:
        return found
    # A span may begin before all time, and a hop before the first year that pandas knows.
    return pd.to_datetime(found, unit="us", errors="coerce")
