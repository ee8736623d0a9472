"""The plans of a retention: from rows with one shuffle, or from prepared events with none."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from workbench.funnel.behaviour.plan import BehaviourPlan
from workbench.funnel.behaviour.retention_spec import BoundRetention
from workbench.funnel.bind import bits
from workbench.funnel.prepared import Prepared
from workbench.funnel.worker.retention import CohortCell, sum_cohorts
from workbench.spark.micros import micros
from workbench.spark.shipping import ship
from workbench.spark.shuffle import count_skipped, select_rows, skipped_of
from workbench.spark.table import BoundTable, column
from workbench.spark.types import INTEGERS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Observation, Row
    from pyspark.sql.types import StructType

_RETENTION = BehaviourPlan(
    "retention", sum_cohorts, "cohort long, users long, back array<long>, cohorts long"
)


class CohortCounts(NamedTuple):
    """The counts of all cohorts, in order.

    Attributes
    ----------
    numbers : list of int
        The numbers of their periods.
    users : list of int
    back : list of list of int
        How many came back in each period from the cohort's own on.
    last : int
        The period that holds the last event.
    skipped : int
        How many rows were left out.
    cohorts : int
        How many cohorts there are, including those that are not returned.
    """

    numbers: list[int]
    users: list[int]
    back: list[list[int]]
    last: int
    skipped: int
    cohorts: int


def cohort_counts(bound: BoundRetention) -> CohortCounts:
    """Return the cohorts, their users, and how many came back in each period."""
    task, events = bound.task(), bound.events
    if isinstance(events, Prepared):
        last, skipped = (0 if events.span is None else events.span[1]), events.skipped
        return _cohort_counts(bound, _RETENTION.figures(events, task), last, skipped)
    observed, observation = _observed(events)
    rows = _RETENTION.figures(_rows(bound, observed), task)
    skipped = skipped_of(observation, bool(rows), events)
    return _cohort_counts(bound, rows, (observation.get["last"] or 0) if rows else 0, skipped)


def people_of(bound: BoundRetention, cell: CohortCell) -> "DataFrame":
    """Return the keys of a cell, one row a key."""
    events = bound.events
    rows = events if isinstance(events, Prepared) else _rows(bound, events)
    return _RETENTION.answers(rows, bound.task(cell), _people_schema(bound))


def _cohort_counts(
    bound: BoundRetention, rows: "Sequence[Row | dict[str, Any]]", last: int, skipped: int
) -> CohortCounts:
    cohorts, users, back = ([row[one] for row in rows] for one in ("cohort", "users", "back"))
    total = rows[0]["cohorts"] if rows else 0
    last_period = int(bound.periods.numbers(bound.times(np.array([last])))[0])
    return CohortCounts(cohorts, users, back, last_period, skipped, total)


def _rows(bound: BoundRetention, events: BoundTable) -> "DataFrame":
    ship(events.df.sparkSession)
    return select_rows(events, bits(bound.funnel, events), (), only_matching=True)


def _observed(events: BoundTable) -> "tuple[BoundTable, Observation]":
    """Return the events with an observation of their last time and the number of skipped rows."""
    from pyspark.sql import Observation
    from pyspark.sql import functions as F

    time = micros(events, events.time, column(events, events.time, "time"))
    keys = [column(events, name, "key").isNotNull() for name in events.key]
    keyed_time = F.when(F.forall(F.array(*keys), lambda one: one), time)
    observation = Observation()
    rows = events.df.observe(observation, count_skipped(events), F.max(keyed_time).alias("last"))
    return events.with_rows(rows), observation


def _people_schema(bound: BoundRetention) -> "StructType":
    from pyspark.sql import types as T

    source = bound.events.schema
    kind = source[bound.spec.time].dataType
    instant = T.LongType() if kind.typeName() in INTEGERS else kind
    kinds = {name: source[name].dataType for name in bound.spec.key}
    kinds |= {"first_time": instant, "again_time": instant}
    return T.StructType([T.StructField(name, kind) for name, kind in kinds.items()])
