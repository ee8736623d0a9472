"""What a backfill would cost by each method, and which one is taken: from a pass over the keys."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from workbench.backfill.bind import Plan
from workbench.backfill.inspect import cost
from workbench.backfill.inspect.cost import Cost, CutKeys, RowKind, Sizes
from workbench.backfill.methods import choose
from workbench.backfill.split.plan import SplitPlan
from workbench.backfill.tree.plan import no_state
from workbench.backfill.tree.query_times import MOST_BYTES
from workbench.backfill.worker.partials import feature_groups, needs_all
from workbench.columnar.blocks import TIME
from workbench.spark.jobs import collected

if TYPE_CHECKING:
    from pyspark.sql import Row

#: What a value of a type without a fixed size is taken to need.
TEXT_BYTES = 24
#: Keys that are cut are listed up to this many.
SHOWN = 10


def explained(plan: Plan) -> str:
    """Return sizes, the method that is chosen and why, and the cost of each, for a person to read.

    Parameters
    ----------
    plan : Plan

    Returns
    -------
    str
    """
    chosen, sizes = choose(plan), sizes_of(plan)
    cutting = chosen.method == "auto"
    hot = collected(SplitPlan(plan).shown().orderBy("rows", ascending=False)) if cutting else []
    kinds, cuts = kinds_of(plan), [CutKeys(1, row["rows"], row["spans"]) for row in hot]
    lines = [
        f"{sizes.queries:,} queries and {sizes.events:,} events with a key and a time, "
        f"of {sizes.keys:,} keys; the largest has {sizes.largest_key:,} rows",
        f"auto{'' if cutting else ' is scan'}: {chosen.why}",
        f"cut by time: {len(hot):,} keys" if hot else "cut by time: no key",
    ]
    lines += [
        f"  {_key(row, plan)}: {row['rows']:,} rows in {row['spans']} spans" for row in hot[:SHOWN]
    ]
    lines += [f"  and {len(hot) - SHOWN:,} more"] if len(hot) > SHOWN else []
    lines += _every(plan)
    without = no_state(plan)
    if without:
        lines.append(f"tree cannot answer {', '.join(without)}: no state of theirs adds up")
    costs = {
        "naive": cost.naive(sizes, kinds),
        **({} if without else {"tree": cost.tree(sizes, kinds)}),
        "scan": cost.scan(sizes, kinds),
        "sawtooth": cost.sawtooth(sizes, kinds),
        "auto": cost.auto(sizes, kinds, cuts),
    }
    return "\n".join([*lines, "", *_table(costs)])


def sizes_of(plan: Plan) -> Sizes:
    """Return how much there is, by one job over the keys and times of both tables."""
    from pyspark.sql import functions as F

    cutting = SplitPlan(plan)
    queries = cutting.moments(plan.queries)
    events = cutting.moments(plan.events)
    both = queries.withColumn("asks", F.lit(1)).unionAll(events.withColumn("asks", F.lit(0)))
    keys = both.withColumn("task", F.spark_partition_id()).groupBy(*cutting.keys_of_moments)
    asked, rows = F.sum("asks").alias("q"), F.count("asks").alias("n")
    ends = F.min(TIME).alias("low"), F.max(TIME).alias("high"), F.max("task").alias("task")
    # Those that read events come behind those that read queries.
    first = F.min(F.when(F.col("asks") == 0, F.col("task"))).alias("first")
    pairs = F.sum(F.col("q") * (F.col("n") - F.col("q"))).cast("decimal(38, 0)")
    found = keys.agg(asked, rows, *ends, first).agg(
        F.count("n"),
        F.sum("q"),
        F.sum("n"),
        pairs,
        F.max("n"),
        F.max("high") - F.min("low"),
        F.max("task"),
        F.min("first"),
    )
    count, q, n, pairs_of, largest, extent, task, first_of = (
        int(one or 0) for one in collected(found)[0]
    )
    going = plan.wire
    back = plan.queries.schema.fields
    asked_bytes = bytes_of([plan.arrow_type(field.dataType) for field in back])
    return Sizes(
        *(n - q, q, count, pairs_of, largest, extent, plan.partitions, task + 1),
        event_bytes=bytes_of(going.task.schema.types),
        query_bytes=asked_bytes,
        event_tasks=task + 1 - first_of,
    )


def kinds_of(plan: Plan) -> list[RowKind]:
    """Return what the features need of earlier spans, by their windows."""
    task = plan.wire.task
    found = []
    for group in feature_groups(task.features, task.schema):
        every = sum(needs_all(call, task.schema) for call in group.calls)
        few = sum(
            max(call.options.n, 1) if call.info.keeps_n and not call.info.once else 1
            for call in group.calls
            if not needs_all(call, task.schema)
        )
        span = group.span
        found.append(RowKind(span.window, span.hop, len(group.slots), few, every))
    return found


def bytes_of(kinds: Sequence[pa.DataType]) -> int:
    """Return about how many bytes a row of some types has.

    Examples
    --------
    >>> bytes_of([pa.int64(), pa.timestamp("us"), pa.string()])
    40
    """
    size = 0
    for kind in kinds:
        fixed = pa.types.is_primitive(kind) or pa.types.is_decimal(kind)
        size += max(1, kind.bit_width // 8) if fixed else TEXT_BYTES
    return size


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


def _table(costs: dict[str, Cost]) -> list[str]:
    heads: tuple[Any, ...] = ("method", "rows shuffled", "bytes", "tasks", "largest task")
    lines = ["{:<9} {:>18} {:>20} {:>8} {:>18}".format(*heads)]
    for name, one in costs.items():
        unit = "pairs" if name == "naive" else "rows"
        line = f"{name:<9} {one.rows:>18,} {one.bytes:>20,} {one.tasks:>8,} {one.largest:>12,}"
        lines.append(f"{line} {unit}")
        if one.broadcast:
            limit = ", which is too much" if one.broadcast > MOST_BYTES else ""
            lines[-1] += f", and {one.broadcast:,} bytes of queries in each task{limit}"
    return lines
