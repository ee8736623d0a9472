"""Drivers: what distinguishes those who went on from those who dropped off, in equal time."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from workbench.arguments import check_known, check_truth, optional_names, whole_number
from workbench.described import Described, frame_table, noun
from workbench.durations import duration_text
from workbench.errors import WorkbenchError, warn
from workbench.funnel.behaviour.named_events import (
    bind_named,
    named_figures,
    named_people,
    named_task_of,
)
from workbench.funnel.behaviour.plan import BehaviourPlan
from workbench.funnel.bind import unit_of
from workbench.funnel.intervals import adjusted
from workbench.funnel.prepared import Prepared
from workbench.funnel.rules import span, step_number
from workbench.funnel.spec import FunnelSpec
from workbench.funnel.summary import warn_of_skipped
from workbench.funnel.worker.drivers import (
    EVENTS,
    MOST_VALUES,
    WHOLE,
    DriversTask,
    Trait,
    sum_features,
)
from workbench.funnel.worker.summary import steps_before
from workbench.markup import Markup
from workbench.spark.jobs import in_one_sentence
from workbench.spark.table import BoundTable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row

    from workbench.spark.sources.given import TableLike

MOST = 1_000
#: How p-values are adjusted for multiple tests, by the names of statsmodels.
ADJUST = "fdr_bh", "holm"
_DRIVERS = BehaviourPlan(
    "drivers", sum_features, "column int, value string, went_on long, dropped long"
)
COLUMNS = [
    "column", "value", "went_on", "dropped", "share_went_on", "share_dropped", "odds_ratio", "low",
    "high", "p", "adjusted_p",
]  # fmt: skip


class Drivers(Described):
    """What distinguishes those who went on; :meth:`workbench.Funnel.drivers` makes it.

    This is association: what it lists need not be the cause.

    Attributes
    ----------
    table : pandas.DataFrame
        The events and values with the least adjusted p-values: ``column`` and ``value``; how many
        ``went_on`` and ``dropped`` with it, and their shares of all who did; the odds ratio, above
        1 if those with it go on more often, with its 95% interval; the p-value, and the p-value
        adjusted for all comparisons.
    looked_at, rare : int
        How many events and values were compared, and how many were not because too few have or
        lack them.
    went_on, dropped : int
        How many of those compared went on, and dropped off.
    early, late : int
        How many are left out: they went on before the landmark, or their window was over by then.
    landmark : str
        How long everybody was watched, from the step before on.
    step, before : str
        The step, and the one before it.
    skipped : int
        How many rows were left out because their key or time is null.
    unit : str
        The plural noun for what is counted.
    event : str
        The column of events.
    """

    def __init__(
        self, funnel: FunnelSpec, events: BoundTable | Prepared, task: DriversTask,
        rows: "Sequence[Row | dict[str, Any]]", skipped: int, least: int, adjust: str, most: int,
    ) -> None:  # fmt: skip
        self._funnel, self._events, self._task = funnel, events, task
        self.step, self.before = funnel.labels[task.step], funnel.labels[task.before]
        whole = {row["value"]: row for row in rows if row["column"] == WHOLE}
        nobody = {"went_on": 0, "dropped": 0}
        compared, left_out = (whole.get(name, nobody) for name in ("compared", "left out"))
        self.went_on, self.dropped = int(compared["went_on"]), int(compared["dropped"])
        self.early, self.late = int(left_out["went_on"]), int(left_out["dropped"])
        self.event, names = funnel.event, [funnel.event, *task.columns]
        traits = [
            (names[row["column"] - EVENTS], row["value"], row["went_on"], row["dropped"])
            for row in rows
            if row["column"] != WHOLE
        ]
        table = pd.DataFrame(traits, columns=COLUMNS[:4])
        support = table["went_on"] + table["dropped"]
        enough = (support >= least) & (self.went_on + self.dropped - support >= least)
        self.looked_at, self.rare = int(enough.sum()), int((~enough).sum())
        both = self.went_on > 0 and self.dropped > 0
        table = table[enough & both].reset_index(drop=True)
        self.table = _compared(table, self.went_on, self.dropped, adjust).head(most)
        self.skipped, self.unit = skipped, unit_of(funnel, events)
        self.landmark = str(task.landmark) if events.integer_time else duration_text(task.landmark)

    def __repr__(self) -> str:
        return (
            f"<drivers of {self.step}: {self.looked_at:,} looked at, {self.went_on:,} "
            f"{noun(self.went_on, self.unit)} went on and {self.dropped:,} dropped off>"
        )

    def _described(self) -> Markup:
        title = f"Who goes on to {self.step}"
        if self.table.empty:
            return frame_table(f"{title}. {why_empty(self)}", self.table)
        title += f": association of {self.looked_at:,} that were looked at"
        shares = dict.fromkeys(("share_went_on", "share_dropped"), "{:.1%}".format)
        numbers = dict.fromkeys(("odds_ratio", "low", "high", "p", "adjusted_p"), "{:.3g}".format)
        return frame_table(title, self.table, shown=shares | numbers)

    def people(
        self, value: str, column: str | None = None, converted: bool | None = None
    ) -> "DataFrame":
        """Return those of the compared keys that have an event or a value.

        Parameters
        ----------
        value : str
            The name of an event, or a value of a column as text, as in :attr:`table`.
        column : str, optional
            The column; without it, the one of events.
        converted : bool, optional
            Only those who went on, or only those who dropped off.

        Returns
        -------
        pyspark.sql.DataFrame
            The key's columns, as :meth:`workbench.Funnel.levels` has them, and ``converted``.
            Nothing runs until it is used.

        Raises
        ------
        WorkbenchError
            When that column was not compared.

        Examples
        --------
        >>> import workbench as wb
        >>> spark = wb.session()
        >>> rows = [(1, 0, "a"), (1, 2, "help"), (1, 8, "b"), (2, 0, "a"), (2, 3, "help")]
        >>> events = spark.createDataFrame(rows, "user_id int, timestamp int, event string")
        >>> found = wb.Funnel(["a", "b"], 9).drivers(events, "b", landmark=5, least=1)
        >>> found.people("help", converted=True).toPandas()["user_id"].tolist()
        [1]
        """
        from pyspark.sql import types as T

        names = (self._funnel.event, *self._task.columns)
        name = names[0] if column is None else column
        check_known(name, names, "column")
        if not isinstance(value, str):
            raise WorkbenchError(f"value: {value!r} is not text; give it as in the table.")
        if converted is not None:
            converted = check_truth(converted, "converted")
        wanted = Trait(names.index(name) + EVENTS, value, converted)
        task = replace(self._task, wanted=wanted)
        went_on = T.StructField("converted", T.BooleanType())
        return named_people(
            self._funnel, self._events, _DRIVERS, task, task.columns, more=[went_on]
        )


def why_empty(drivers: Drivers) -> str:
    """Return a sentence about why nothing could be compared."""
    if not drivers.went_on or not drivers.dropped:
        return "Nothing could be compared: one of the two groups is empty."
    if drivers.rare:
        what = "events and values are" if drivers.rare > 1 else "event or value is"
        return f"Nothing could be compared: {drivers.rare:,} {what} too rare or too common."
    return "Nothing could be compared: none of them did anything else meanwhile."


def drivers_of(
    funnel: FunnelSpec, events: "TableLike | Prepared", step: Any, by: Any, landmark: Any,
    least: Any, adjust: Any, most: Any,
) -> Drivers:  # fmt: skip
    """Return the drivers of a step; see :meth:`workbench.Funnel.drivers`."""
    k, before = _checked_step(funnel, step)
    columns = _checked_columns(funnel, optional_names(by, "by"))
    check_known(adjust, ADJUST, "adjust")
    if (whole_number(least) or 0) < 1:
        raise WorkbenchError(f"least: {least!r} is not possible; "
                             f"give 1 or more {funnel.counted or 'users'}.")  # fmt: skip
    if whole_number(most) not in range(1, MOST + 1):
        raise WorkbenchError(f"most: {most!r} is not possible; give 1 to {MOST:,} drivers.")
    bound = bind_named(funnel, events, columns)
    _check_text(bound, columns)
    length = _checked_landmark(funnel, landmark, k, bound.integer_time)
    own = () if funnel.names is None else funnel.names[k]
    task = DriversTask(named_task_of(funnel, bound), k, before, length, columns, own)
    with in_one_sentence():
        rows, skipped = named_figures(funnel, bound, _DRIVERS, task, columns)
    for row in rows:
        if row["went_on"] < 0:
            raise _too_many(funnel.event, columns, row["column"])
    warn_of_skipped(funnel, skipped)
    drivers = Drivers(funnel, bound, task, rows, skipped, int(least), adjust, int(most))
    if not (drivers.went_on and drivers.dropped):
        who = "nobody is left who" if not drivers.went_on else "all that are left"
        warn(
            f"step: after the landmark, {who} went on to {drivers.step!r}, so there is nothing to "
            "compare; give a shorter landmark, or another step."
        )
    return drivers


def _compared(table: pd.DataFrame, went_on: int, dropped: int, adjust: str) -> pd.DataFrame:
    """Return odds ratios, their intervals and p-values, the least adjusted p-value first."""
    from statsmodels.stats.contingency_tables import Table2x2

    if table.empty:
        return table.reindex(columns=COLUMNS)
    statistics = []
    for has, lacks in zip(table["went_on"], table["dropped"], strict=True):
        counts = np.array([[has, lacks], [went_on - has, dropped - lacks]], dtype=float)
        # Haldane's correction; statsmodels' own shift_zeros adds to the empty cells alone.
        cells = Table2x2(counts if counts.all() else counts + 0.5, shift_zeros=False)
        statistics.append((cells.oddsratio, *cells.oddsratio_confint(), cells.oddsratio_pvalue()))
    table["share_went_on"], table["share_dropped"] = (
        table["went_on"] / went_on,
        table["dropped"] / dropped,
    )
    table[["odds_ratio", "low", "high", "p"]] = statistics
    table["adjusted_p"] = adjusted(table["p"].to_numpy(), adjust)
    strength = -np.abs(np.log(table["odds_ratio"]))
    order = table.assign(far=strength).sort_values(["adjusted_p", "far", "column", "value"]).index
    return table.loc[order, COLUMNS].reset_index(drop=True)


def _checked_step(funnel: FunnelSpec, step: Any) -> tuple[int, int]:
    if funnel.rules.order == "any":
        raise WorkbenchError(
            "step: steps in any order do not follow each other; ask a funnel of another order."
        )
    k = step_number(step, funnel.labels, "step")
    if k == 0:
        raise WorkbenchError("step: the first step has no step before it; name a later one.")
    if k in funnel.rules.optional:
        raise WorkbenchError(
            f"step: {funnel.labels[k]!r} is optional, so those who skip it do not drop off; "
            "name a required one."
        )
    return k, steps_before(len(funnel.labels), funnel.rules.optional)[k]


def _checked_columns(funnel: FunnelSpec, columns: tuple[str, ...]) -> tuple[str, ...]:
    if funnel.event in columns:
        raise WorkbenchError(
            f"by: {funnel.event!r} is the column of events, which are examined anyway; "
            "leave it out."
        )
    if both := [one.label for one in funnel.segmenting.cohorts if one.label in columns]:
        raise WorkbenchError(f"by: {both[0]!r} is a cohort; name columns of the table.")
    return columns


def _check_text(events: BoundTable | Prepared, columns: tuple[str, ...]) -> None:
    """Refuse columns of bytes, which need not be text."""
    kinds = {name: events.schema[name].dataType.typeName() for name in columns}
    if wrong := [name for name, kind in kinds.items() if kind == "binary"]:
        raise WorkbenchError(
            f"by: column {wrong[0]!r} holds binary values, which cannot be read as text; "
            "cast it to text, or leave it out."
        )


def _too_many(event: str, columns: tuple[str, ...], column: int) -> WorkbenchError:
    """Return the error for a column with more values than are counted."""
    if column == EVENTS:
        return WorkbenchError(
            f"event: column {event!r} has more than {MOST_VALUES:,} different names; "
            "give events fewer names."
        )
    return WorkbenchError(
        f"by: column {columns[column]!r} has more than {MOST_VALUES:,} different values; "
        "cut it into fewer, or leave it out."
    )


def _checked_landmark(funnel: FunnelSpec, landmark: Any, k: int, integer_time: bool) -> int:
    longest = funnel.rules.within.get(k, funnel.window)
    limit = span(longest, integer_time)
    if landmark is None:
        return max(limit // 10, 1)
    length = span(landmark, integer_time, "landmark")
    if not length:
        raise WorkbenchError(f"landmark: {landmark!r} is not longer than zero; give a longer one.")
    if length >= limit:
        raise WorkbenchError(
            f"landmark: {landmark!r} is not shorter than the window of {funnel.labels[k]!r}, "
            f"{longest!r}, so nobody could go on after it; give a shorter one."
        )
    return length
