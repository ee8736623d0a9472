"""Which plan ``auto`` takes for a backfill's tables, and why: from a pass over the keys."""

from typing import TYPE_CHECKING, NamedTuple

from workbench.backfill.bind import Plan
from workbench.backfill.inspect.origin import counted
from workbench.backfill.methods import choose
from workbench.backfill.split.plan import SplitPlan
from workbench.backfill.tree.plan import features_without_state
from workbench.backfill.worker.partials import needs_every_event
from workbench.spark.jobs import collected
from workbench.spark.sources.small_tables import where_answered

if TYPE_CHECKING:
    from pyspark.sql import Row

#: The most keys that are listed among those that are cut.
MOST_SHOWN = 10


class Sizes(NamedTuple):
    """The numbers of rows and keys, and the number of rows of the largest key."""

    queries: int
    events: int
    keys: int
    largest: int


def explanation(plan: Plan) -> str:
    """Return sizes, the chosen method and the numbers that decide it, as text.

    Parameters
    ----------
    plan : Plan

    Returns
    -------
    str
    """
    chosen, sizes = choose(plan), _sizes(plan)
    cuts_keys = chosen.method == "auto"
    where = [where_answered(plan.queries.source, plan.events.source)] if plan.in_driver else []
    lines = [
        *where,
        f"{counted(sizes.queries, 'query', 'queries')} and {counted(sizes.events, 'event')} "
        f"with a key and a time, of {counted(sizes.keys, 'key')}; "
        f"the largest has {counted(sizes.largest, 'row')}",
        f"auto{'' if cuts_keys else ' takes scan'}: {chosen.why}",
        *(_cuts(plan, sizes) if cuts_keys else ["cut by time: no key"]),
        *_features_that_need_all(plan),
    ]
    without = features_without_state(plan)
    if without:
        lines.append(f"tree cannot answer {', '.join(without)}: they have no state that adds up")
    return "\n".join(lines)


def _sizes(plan: Plan) -> Sizes:
    """Return the sizes of both tables, by one job over their keys and times."""
    from pyspark.sql import functions as F

    split_plan = SplitPlan(plan)
    queries = split_plan.keys_and_times(plan.queries)
    events = split_plan.keys_and_times(plan.events)
    both = queries.withColumn("asks", F.lit(1)).unionAll(events.withColumn("asks", F.lit(0)))
    query_count, rows = F.sum("asks").alias("q"), F.count("asks").alias("n")
    keys = both.groupBy(*split_plan.key_aliases).agg(query_count, rows)
    totals = keys.agg(F.count("n"), F.sum("q"), F.sum("n"), F.max("n"))
    count, q, n, largest = (int(one or 0) for one in collected(totals)[0])
    return Sizes(q, n - q, count, largest)


def _cuts(plan: Plan, sizes: Sizes) -> list[str]:
    """Return lines on the keys that a run cuts, and on what makes a key large."""
    split_plan = SplitPlan(plan)
    aim, most = split_plan.task.sizes(sizes.queries + sizes.events)
    large = f"a key of more than {most:,} rows is large, and a span of it has about {aim:,}"
    cut_keys = collected(split_plan.cut_keys().orderBy("rows", ascending=False))
    if not cut_keys:
        return [f"cut by time: no key; {large}"]
    lines = [f"cut by time: {counted(len(cut_keys), 'key')}; {large}"]
    lines += [
        f"  {_key(row, plan)}: {row['rows']:,} rows in {row['spans']} spans"
        for row in cut_keys[:MOST_SHOWN]
    ]
    more = len(cut_keys) - MOST_SHOWN
    return [*lines, f"  and {more:,} more"] if more > 0 else lines


def _key(row: "Row", plan: Plan) -> str:
    return ", ".join(repr(value) for value in row[: len(plan.backfill.key)])


def _features_that_need_all(plan: Plan) -> list[str]:
    """Return a line on the features that bring all of their events to every span that sees them."""
    task = plan.wire.task
    names = [
        bound.name
        for bound, one in zip(plan.features, task.features, strict=True)
        if needs_every_event(one.call, task.schema)
    ]
    if not names:
        return []
    return [
        f"all events travel to each span that sees them, for {', '.join(names)}; "
        "so a key is cut only where their windows are short compared with its spans"
    ]
