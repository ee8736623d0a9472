"""The specification of a retention: checked, and bound to its events before a job starts."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from workbench.arguments import column_names, listed, one_name, whole_number
from workbench.durations import MONTHS_IN, Duration, microseconds, ticks
from workbench.errors import WorkbenchError
from workbench.funnel.bind import bind, task_of
from workbench.funnel.counting import arrow_zone
from workbench.funnel.prepared import Prepared
from workbench.funnel.spec import FunnelSpec
from workbench.funnel.steps import Condition, check_steps
from workbench.funnel.worker.periods import Periods
from workbench.funnel.worker.retention import CohortCell, RetentionTask
from workbench.spark.in_driver import ZONE
from workbench.spark.sources.given import table
from workbench.spark.table import BoundTable, check_plain

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from pyspark.sql import DataFrame

    from workbench.spark.sources.given import TableLike

Happening = str | Sequence[str] | Mapping[str, Condition]

MOST_PERIODS = 366
_CALENDAR = re.compile(rf"\s*(\d+)?\s*({'|'.join(MONTHS_IN)})s?\s*", re.IGNORECASE)


@dataclass(frozen=True)
class RetentionSpec:
    """Those who did one thing first, and came back to do another.

    Attributes
    ----------
    first, again : str, list of str, or dict of str to (str or Column)
        As :func:`workbench.retention` takes them; ``again`` is None if both are the same.
    every : str, timedelta or int
    periods : int
    key : tuple of str
    time, event : str
    unit : str, or None
    """

    first: Happening
    again: Happening | None
    every: Duration
    periods: int
    key: tuple[str, ...]
    time: str
    event: str
    unit: str | None

    @classmethod
    def of(
        cls, first: Any, again: Any, every: Any, periods: Any, key: Any, time: Any, event: Any,
        unit: Any,
    ) -> "RetentionSpec":  # fmt: skip
        """Return the specification after all checks that need no table.

        Raises
        ------
        WorkbenchError
        """
        _check_happening(first, "first")
        if again is not None:
            _check_happening(again, "again")
            if isinstance(first, Mapping) != isinstance(again, Mapping):
                raise WorkbenchError(
                    "again: one of first and again is a name and the other a condition; give two "
                    'of one kind, such as {"back": "event = \'visit\'"}.'
                )
            if isinstance(first, Mapping) and {*first} & {*again}:
                raise WorkbenchError(
                    f"again: {next(iter(again))!r} is the label of first; give it another one."
                )
        if (count := whole_number(periods)) not in range(1, MOST_PERIODS + 1):
            raise WorkbenchError(
                f"periods: {periods!r} is not possible; give 1 to {MOST_PERIODS} periods."
            )
        periods_of(every, whole_number(every) is not None)
        names = one_name(time, "time"), one_name(event, "event")
        spec = cls(first, again, every, int(count or 0), column_names(key), *names, unit)
        spec.funnel(integer_time=False)
        return spec

    @property
    def label(self) -> str:
        """The label of what people begin with."""
        return _label(self.first)

    @property
    def again_label(self) -> str:
        """The label of what people come back to do."""
        return _label(self.first if self.again is None else self.again)

    def funnel(self, integer_time: bool) -> FunnelSpec:
        """Return a funnel that defines the events: two steps, or one if both are the same."""
        window = 1 if integer_time else "1 day"
        happenings = [self.first] if self.again is None else [self.first, self.again]
        steps: Any = [
            list(listed(one, "first")) for one in happenings if not isinstance(one, Mapping)
        ]
        if not steps:
            steps = {label: what for one in happenings if isinstance(one, Mapping)
                     for label, what in one.items()}  # fmt: skip
        funnel = FunnelSpec(steps, window, self.key, self.time, self.event, unit=self.unit)
        funnel.argument_of = {self.again_label: "again", self.label: "first"}
        return funnel

    def bound(self, events: "TableLike | Prepared") -> "BoundRetention":
        """Return the retention bound to the columns of the events.

        Raises
        ------
        WorkbenchError
            When a column is missing or has a wrong type, or prepared events do not hold it.
        """
        bound: BoundTable | Prepared
        if isinstance(events, Prepared):
            bound = events
        else:
            bound = BoundTable.of(table(events), self.key, self.time)
        integers = bound.integer_time
        length, months = periods_of(self.every, integers)
        funnel = self.funnel(integers)
        bound = bind(funnel, events)
        for name in self.key:
            check_plain(bound.schema, name, "key", ("first_time", "again_time"))
        rows = bound.blocks if isinstance(bound, Prepared) else bound.df
        zone = None
        if bound.schema[self.time].dataType.typeName() == "timestamp":
            zone = arrow_zone(rows.sparkSession.conf.get(ZONE) or "UTC")
        return BoundRetention(self, funnel, bound, Periods(length, months, zone, integers))


@dataclass(frozen=True)
class BoundRetention:
    """A retention and its events.

    Attributes
    ----------
    spec : RetentionSpec
    funnel : FunnelSpec
        Its steps define the events.
    events : BoundTable or Prepared
    periods : Periods
    """

    spec: RetentionSpec
    funnel: FunnelSpec
    events: "BoundTable | Prepared"
    periods: Periods

    @property
    def rows(self) -> "DataFrame | Prepared":
        """The events in a form that :func:`workbench.retention` accepts."""
        return self.events if isinstance(self.events, Prepared) else self.events.df

    def times(self, instants: "NDArray[np.int64]") -> pa.Array:
        """Convert the workers' integers to times that ``periods`` accepts."""
        if self.periods.integers:
            return pa.array(instants)
        kind = self.events.schema[self.spec.time].dataType.typeName()
        zone = "UTC" if kind == "timestamp" else None
        return pa.array(instants).cast(pa.timestamp("us", zone))

    def task(self, cell: CohortCell | None = None) -> RetentionTask:
        """Return the task of the workers."""
        events, labels = self.events, ()
        named = isinstance(events, Prepared) and isinstance(events.event, str)
        if isinstance(events, Prepared):
            labels = events.names
        task = task_of(self.funnel, events.integer_time, named, labels)
        return RetentionTask(task, self.periods, self.spec.periods, cell)


def periods_of(every: Any, integer_time: bool) -> tuple[int, bool]:
    """Return the length of a period, and whether it is in months.

    Raises
    ------
    WorkbenchError

    Examples
    --------
    >>> periods_of("1 hour", False), periods_of("2 quarters", False), periods_of(5, True)
    ((3600000000, False), (6, True), (5, False))
    """
    if integer_time:
        length, months = ticks(every, "every"), False
    elif isinstance(every, str) and (calendar := _CALENDAR.fullmatch(every)):
        length, months = int(calendar[1] or 1) * MONTHS_IN[calendar[2].lower()], True
    else:
        length, months = microseconds(every, "every"), False
    if not length:
        raise WorkbenchError(f"every: {every!r} is not longer than zero; give a longer one.")
    if months and length > 12 * 1_000:
        raise WorkbenchError(f"every: {every!r} is too long; give at most 1,000 years.")
    return length, months


def _check_happening(what: Any, argument: str) -> None:
    if isinstance(what, Mapping):
        if len(what) != 1:
            raise WorkbenchError(
                f"{argument}: {len(what)} conditions are given; give one by its label, "
                'such as {"late": "delay > 15"}.'
            )
        check_steps(what, argument)
        return
    if what is None or (names := listed(what, argument)) == ():
        raise WorkbenchError(
            f"{argument}: no event is named; give its name, a list of names, or a condition by "
            "its label."
        )
    check_steps(names, argument)


def _label(what: Happening) -> str:
    return " or ".join([what] if isinstance(what, str) else list(what))
