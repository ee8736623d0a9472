"""What ``auto`` does with a backfill's tables, and why: from a pass over the keys."""

from typing import TYPE_CHECKING, NamedTuple

from workbench.backfill.bind import Plan
from workbench.backfill.inspect.origin import counted
from workbench.backfill.methods import choose
from workbench.backfill.split.plan import SplitPlan
from workbench.backfill.tree.plan import no_state
from workbench.backfill.worker.partials import needs_all
from workbench.spark.jobs import collected
from workbench.spark.sources.held import where_answered

if TYPE_CHECKING:
    from pyspark.sql import Row

#: Keys that are cut are listed up to this many.
SHOWN = 10


class Sizes(NamedTuple):
    """How many rows and keys there are, and the rows of the largest key."""

    queries: int
    events: int
    keys: int
    largest: int


def explained(plan: Plan) -> str:
    """Return sizes, the method that is chosen and the numbers that decide it, for a person to read.

    Parameters
    ----------
    plan : Plan

    Returns
    -------
    str
    """
    chosen, sizes = choose(plan), _sizes(plan)
    cutting = chosen.method == "auto"
    here = [where_answered(plan.queries.source, plan.events.source)] if plan.in_driver else []
    lines = [
        *here,
        f"{counted(sizes.queries, 'query', 'queries')} and {counted(sizes.events, 'event')} "
        f"with a key and a time, of {counted(sizes.keys, 'key')}; "
        f"the largest has {counted(sizes.largest, 'row')}",
        f"auto{'' if cutting else ' is scan'}: {chosen.why}",
        *(_cuts(plan, sizes) if cutting else ["cut by time: no key"]),
        *_every(plan),
    ]
    without = no_state(plan)
    if without:
        lines.append(f"tree cannot answer {', '.join(without)}: no state of theirs adds up")
    return "\n".join(lines)


def _sizes(plan: Plan) -> Sizes:
    """How much there is, by one job over the keys and times of both tables."""
    from pyspark.sql import functions as F

    cutting = SplitPlan(plan)
    queries = cutting.keys_and_times(plan.queries)
    events = cutting.keys_and_times(plan.events)
    both = queries.withColumn("asks", F.lit(1)).unionAll(events.withColumn("asks", F.lit(0)))
    query_count, rows = F.sum("asks").alias("q"), F.count("asks").alias("n")
    keys = both.groupBy(*cutting.keys_told_apart).agg(query_count, rows)
    found = keys.agg(F.count("n"), F.sum("q"), F.sum("n"), F.max("n"))
    count, q, n, largest = (int(one or 0) for one in collected(found)[0])
    return Sizes(q, n - q, count, largest)


def _cuts(plan: Plan, sizes: Sizes) -> list[str]:
    """Which keys are cut, as a run finds them, and what makes a key large."""
    cutting = SplitPlan(plan)
    aim, most = cutting.task.sizes(sizes.queries + sizes.events)
    large = f"large is a key of more than {most:,} rows, and a span of it has about {aim:,}"
    hot = collected(cutting.shown().orderBy("rows", ascending=False))
    if not hot:
        return [f"cut by time: no key; {large}"]
    lines = [f"cut by time: {counted(len(hot), 'key')}; {large}"]
    lines += [
        f"  {_key(row, plan)}: {row['rows']:,} rows in {row['spans']} spans" for row in hot[:SHOWN]
    ]
    return [*lines, f"  and {len(hot) - SHOWN:,} more"] if len(hot) > SHOWN else lines


def _key(row: "Row", plan: Plan) -> str:
    return ", ".join(repr(value) for value in row[: len(plan.backfill.key)])


def _every(plan: Plan) -> list[str]:
    """Which features bring all of their events to every span that sees them."""
    task = plan.wire.task
    names = [
        bound.name
        for bound, one in zip(plan.features, task.features, strict=True)
        if needs_all(one.call, task.schema)
    ]
    if not names:
        return []
    return [
        f"all events travel to each span that sees them, for {', '.join(names)}; "
        "so a key is cut only where their windows are short beside its spans"
    ]
