"""The plans of a backfill, and the choice between them."""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from workbench.backfill.bind import Plan, Work, bundles, gathered_by_subpartition
from workbench.backfill.naive import naive
from workbench.backfill.split.plan import auto, sawtooth
from workbench.backfill.tree.plan import tree
from workbench.spark.shipping import ship

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


#: With so few partitions in Spark's configuration, which tells how many cores there are, it does
#: not pay to cut keys. Measured with 4 on two cores: a key with half of all rows costs a scan
#: nothing, while the search for such keys takes half as long again.
FEW = 4
#: The least that a task gets where Spark coalesces partitions.
LEAST_BYTES = 2**20
_COSTS = "looking for large keys and cutting them costs more than a large key can delay"


class MethodChoice(NamedTuple):
    """A method, and the reason for it."""

    method: str
    why: str


def scan(plan: Plan) -> Work:
    """Bring queries and events of a key together in one shuffle, and read both once."""
    ship(plan.queries.without_rows.sparkSession)
    wire = plan.wire
    queries = bundles(plan, wire.queries, wire.task.keys, queries=True)
    events = bundles(plan, wire.events, wire.task.keys, queries=False)
    return Work(plan, gathered_by_subpartition(plan, queries.unionAll(events)), wire.task)


#: The plan of each method; "auto" keeps most keys whole and cuts large ones.
PLANS: "dict[str, Callable[[Plan], Work]]" = {
    "tree": tree,
    "scan": scan,
    "sawtooth": sawtooth,
    "auto": auto,
}
#: Every method by its name, in the order of the ladder.
METHODS = ("naive", "tree", "scan", "sawtooth")


def execute(plan: Plan, method: str) -> "DataFrame":
    """Return every query with its features, computed by a method."""
    return naive(plan) if method == "naive" else PLANS[method](plan).answers()


def choose(plan: Plan) -> MethodChoice:
    """Return the method that suits the tables, by what is known before a job runs."""
    configured, partitions = plan.set_partitions, plan.partitions
    if plan.shuffle.coalesced and 0 < plan.shuffle.read <= FEW * LEAST_BYTES:
        return MethodChoice("scan", f"the tables are small, and {_COSTS} so few rows")
    if configured <= FEW:
        reason = f"a shuffle has {partitions} partitions, and {_COSTS} so few tasks"
        if partitions > configured:
            reason = (
                f"a shuffle has {partitions} partitions because the tables are large, but Spark is "
                f"set to {configured}, as for few cores, and {_COSTS} these"
            )
        return MethodChoice("scan", reason)
    return MethodChoice(
        "auto", "a key with more than its share of rows is cut by time; the others stay whole"
    )
