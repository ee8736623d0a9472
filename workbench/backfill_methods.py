"""The plans of a backfill, and which one is taken."""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from workbench.backfill_naive import naive
from workbench.backfill_plan import Plan, bundles, sent
from workbench.bundles import BUNDLE, PARTITION
from workbench.rows import shuffle_partitions
from workbench.shipping import ship

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


class Choice(NamedTuple):
    """A method, and why it is taken."""

    method: str
    why: str


def scan(plan: Plan) -> "DataFrame":
    """Bring queries and events of a key together in one shuffle, and go through both once."""
    from pyspark.sql.types import StructField, StructType

    ship(plan.queries.sparkSession)
    going = sent(plan)
    queries = bundles(plan, going.queries, going.task.keys, queries=True)
    events = bundles(plan, going.events, going.task.keys, queries=False)
    partitions = shuffle_partitions(plan.queries)
    both = queries.unionAll(events).repartitionById(partitions, PARTITION).select(BUNDLE)
    added = [StructField(one.name, plan.type_of(one)) for one in plan.features]
    schema = StructType([*plan.queries.schema.fields, *added])
    return both.mapInArrow(going.task.run, schema)


#: Every method by its name.
METHODS: "dict[str, Callable[[Plan], DataFrame]]" = {"naive": naive, "scan": scan}


def choose(plan: Plan) -> Choice:
    """Return the method that suits the tables."""
    return Choice("scan", "queries and events of a key fit one task")
