"""The plans of a retention: from rows in one shuffle, or from prepared events without any."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from workbench.funnel.behaviour.plan import BehaviourPlan
from workbench.funnel.behaviour.retention_spec import BoundRetention
from workbench.funnel.bind import bits
from workbench.funnel.prepared import Prepared
from workbench.funnel.worker.retention import CohortCell, summed_cohorts
from workbench.spark.micros import micros
from workbench.spark.shipping import ship
from workbench.spark.shuffle import count_skipped, select_rows, skipped_of
from workbench.spark.table import INTEGERS, BoundTable, column

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Observation, Row
    from pyspark.sql.types import StructType

_RETENTION = BehaviourPlan(
    "retention", summed_cohorts, "cohort long, users long, back array<long>, cohorts long"
)


class Counted(NamedTuple):
    """The cohorts, in their order.

    Attributes
    ----------
    numbers : list of int
        Of their periods.
    users : list of int
    back : list of list of int
        How many came back in each period behind the cohort's.
    last : int
        The period that holds the last event.
    skipped : int
        How many rows were left out.
    cohorts : int
        How many there are, also where they are too many.
    """

    numbers: list[int]
    users: list[int]
    back: list[list[int]]
    last: int
    skipped: int
    cohorts: int


def counted(asked: BoundRetention) -> Counted:
    """Return the cohorts, their users, and how many came back in which period."""
    task, events = asked.task(), asked.events
    if isinstance(events, Prepared):
        last, skipped = (0 if events.span is None else events.span[1]), events.skipped
        return _counted(asked, _RETENTION.figures(events, task), last, skipped)
    watched, seen = _watched(events)
    found = _RETENTION.figures(_rows(asked, watched), task)
    skipped = skipped_of(seen, bool(found), events)
    return _counted(asked, found, (seen.get["last"] or 0) if found else 0, skipped)


def people_of(asked: BoundRetention, cell: CohortCell) -> "DataFrame":
    """Return the keys of a cell, one row a key."""
    events = asked.events
    rows = events if isinstance(events, Prepared) else _rows(asked, events)
    return _RETENTION.answers(rows, asked.task(cell), _people_schema(asked))


def _counted(
    asked: BoundRetention, found: "Sequence[Row | dict[str, Any]]", last: int, skipped: int
) -> Counted:
    cohorts, users, back = ([row[one] for row in found] for one in ("cohort", "users", "back"))
    many = found[0]["cohorts"] if found else 0
    last_period = int(asked.periods.numbers(asked.times(np.array([last])))[0])
    return Counted(cohorts, users, back, last_period, skipped, many)


def _rows(asked: BoundRetention, events: BoundTable) -> "DataFrame":
    ship(events.df.sparkSession)
    return select_rows(events, bits(asked.funnel, events), (), only_matching=True)


def _watched(events: BoundTable) -> "tuple[BoundTable, Observation]":
    """The events, and what notes their last time, and how many are left out, as they are read."""
    from pyspark.sql import Observation
    from pyspark.sql import functions as F

    time = micros(events, events.time, column(events, events.time, "time"))
    keys = [column(events, name, "key").isNotNull() for name in events.key]
    there = F.when(F.forall(F.array(*keys), lambda one: one), time)
    seen = Observation()
    rows = events.df.observe(seen, count_skipped(events), F.max(there).alias("last"))
    return events.with_rows(rows), seen


def _people_schema(asked: BoundRetention) -> "StructType":
    from pyspark.sql import types as T

    source = asked.events.schema
    kind = source[asked.spec.time].dataType
    instant = T.LongType() if kind.typeName() in INTEGERS else kind
    kinds = {name: source[name].dataType for name in asked.spec.key}
    kinds |= {"first_time": instant, "again_time": instant}
    return T.StructType([T.StructField(name, kind) for name, kind in kinds.items()])
