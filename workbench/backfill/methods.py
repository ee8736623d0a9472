"""The plans of a backfill, and which one is taken."""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from workbench.backfill.bind import Plan, Work, bundles, gathered_by_place
from workbench.backfill.naive import naive
from workbench.backfill.split.plan import auto, sawtooth
from workbench.backfill.tree.plan import tree
from workbench.spark.shipping import ship

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


#: Of what Spark is set to, which says how many cores there are. Measured with 4 on two cores: a key
#: with half of all rows costs a scan nothing there, while looking for such keys costs it half as
#: much again.
FEW = 4
#: No task gets less where Spark coalesces partitions.
LEAST_BYTES = 2**20
_COSTS = "to look for large keys and to cut them costs more than one of them can hold up"


class MethodChoice(NamedTuple):
    """A method, and why it is taken."""

    method: str
    why: str


def scan(plan: Plan) -> Work:
    """Bring queries and events of a key together in one shuffle, and go through both once."""
    ship(plan.queries.without_rows.sparkSession)
    going = plan.wire
    queries = bundles(plan, going.queries, going.task.keys, queries=True)
    events = bundles(plan, going.events, going.task.keys, queries=False)
    return Work(plan, gathered_by_place(plan, queries.unionAll(events)), going.task)


#: How queries and events meet, by the method; "auto" keeps most keys whole and cuts large ones.
PLANS: "dict[str, Callable[[Plan], Work]]" = {
    "tree": tree,
    "scan": scan,
    "sawtooth": sawtooth,
    "auto": auto,
}
#: Every method by its name, in the order of the ladder.
METHODS = ("naive", "tree", "scan", "sawtooth")


def execute(plan: Plan, method: str) -> "DataFrame":
    """Return every query with its features, by a method."""
    return naive(plan) if method == "naive" else PLANS[method](plan).answers()


def choose(plan: Plan) -> MethodChoice:
    """Return the method that suits the tables, from what is known before anything runs."""
    few, partitions = plan.set_partitions, plan.partitions
    if plan.shuffle.coalesced and 0 < plan.shuffle.read <= FEW * LEAST_BYTES:
        return MethodChoice("scan", f"the tables are small, and {_COSTS} so few rows")
    if few <= FEW:
        has = f"a shuffle has {partitions} partitions, and {_COSTS} so few tasks"
        if partitions > few:
            has = (
                f"a shuffle has {partitions} partitions, as the tables are large, but Spark is set "
                f"to {few}, as for few cores, and {_COSTS} these"
            )
        return MethodChoice("scan", has)
    return MethodChoice(
        "auto", "a key of more than its share is cut by time, the others stay whole"
    )
