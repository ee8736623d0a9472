"""Compares served features with those of a backfill, and finds the reasons of differences."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.arguments import check_count
from workbench.arrow_frame import arrow_frame
from workbench.backfill.aggregation import checked_length
from workbench.backfill.inspect import check as reasons
from workbench.backfill.inspect.check import Difference, check_events, check_shown, differences
from workbench.backfill.inspect.given_types import GivenTable
from workbench.columnar.equality import alike
from workbench.described import Described, frame_table, rows_table, set_html
from workbench.durations import Duration, microseconds, ticks
from workbench.errors import WorkbenchError
from workbench.markup import Markup
from workbench.online.checks import check_backfill
from workbench.online.inspect.agreement_counts import (
    ANSWERED,
    QUERY_TIME,
    SERVED,
    STATES,
    comparable_tables,
    count_states,
    differing_rows,
    joined_rows,
)
from workbench.spark.jobs import collected, in_arrow, in_one_sentence

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql import DataFrame

    from workbench.backfill.backfill import Backfill
    from workbench.backfill.entities.entities import Entities
    from workbench.spark.sources.given import TableLike

#: The columns of a difference, in addition to the key and the time.
DIFFERING = ("column", "served", "offline", "reason", "cause")
OFFLINE = "the offline value is not what the events give now"
NO_EVENTS = "no events are given"
#: The causes of differences, by their reasons.
CAUSES = {
    reasons.LATE: "late event",
    **dict.fromkeys(
        (reasons.AT_QUERY, reasons.HEADLESS, reasons.NOT_ROUNDED, reasons.ROUNDED), "boundary"
    ),
    **dict.fromkeys((reasons.UNTIL_MIDNIGHT, reasons.NEVER_OUT), "delete"),
    reasons.AFTER_UPLOAD: "not yet uploaded",
    **dict.fromkeys((reasons.ONCE, reasons.TWICE), "duplicate"),
    OFFLINE: "offline",
}


@dataclass(frozen=True)
class Consistency(Described):
    """The agreement of served features with those of a backfill.

    Attributes
    ----------
    columns : pandas.DataFrame
        A row for each feature: ``rows`` that were compared; of these how many are ``both_null``,
        ``left_null`` (the served value is missing), ``right_null`` (the offline one), ``equal`` and
        ``different``; ``smape``, the symmetric mean absolute percentage error of those that neither
        lacks: the mean of 200 · abs(served - offline) / (abs(served) + abs(offline)); and the
        percentiles ``p05``, ``p50`` and ``p95`` of served - offline.
    over_time : pandas.DataFrame
        The same for each period, with the ``time`` at which it begins.
    differing : pandas.DataFrame
        A row for each value that differs, of a sample of rows: the key and the time, ``column``,
        ``served``, ``offline``, the ``reason`` and its ``cause``.
    only_served, only_offline : int
        Rows whose key and time only one of the tables has.
    """

    columns: "pd.DataFrame"
    over_time: "pd.DataFrame"
    differing: "pd.DataFrame"
    only_served: int
    only_offline: int

    @property
    def causes(self) -> "pd.DataFrame":
        """The number of differing values of the sample by cause and column."""
        import pandas as pd

        found: pd.DataFrame = pd.crosstab(self.differing["column"], self.differing["cause"])
        set_html(found, lambda: frame_table("Causes in a sample", found.reset_index()))
        return found

    def _described(self) -> Markup:
        heads = ["feature", *map(str, self.columns.columns)]
        rows = [(name, *row) for name, *row in self.columns.itertuples()]
        return rows_table(repr(self), heads, rows)

    def __repr__(self) -> str:
        compared = int(self.columns[list(STATES)].to_numpy().sum())
        same = int(self.columns[["both_null", "equal"]].to_numpy().sum())
        return (
            f"{same:,} of {compared:,} values agree; only served: {self.only_served:,} rows, "
            f"only offline: {self.only_offline:,} rows"
        )


@in_one_sentence()
def consistency(
    view_log: "TableLike",
    offline: "TableLike",
    backfill: "Backfill",
    events: "TableLike | Entities | None" = None,
    *,
    by: Duration | None = "1 day",
    arrived: str | None = None,
    uploads: Duration | None = None,
    rows: int = 1_000,
) -> Consistency:
    """Compare served features with those of a backfill, and find why they differ.

    Parameters
    ----------
    view_log : TableLike
        The served features: the key, the time, and columns with the names of the backfill's.
    offline : TableLike
        The result of :meth:`workbench.Backfill.run` for the same queries.
    backfill : Backfill
    events : TableLike or Entities, optional
        The events of the backfill. With them the reason of each difference is found, by
        recomputing it.
    by : str, timedelta or int, optional
        The length of a period; for integer times an integer or None.
    arrived : str, optional
        The events' column of arrival times, to find late ones.
    uploads : str, timedelta or int, optional
        The interval between the view's uploads, to find events after the last one.
    rows : int
        For how many differing rows the reasons are found; the sample is the same each time.

    Returns
    -------
    Consistency

    Raises
    ------
    WorkbenchError
        When a column is missing, or tables cannot be compared.

    Notes
    -----
    One join of both tables, each of which is computed once. Of offline rows with the same key and
    time one is used.

    Examples
    --------
    >>> import workbench as wb
    >>> spark = wb.session()
    >>> views = spark.sql("SELECT 'ann' AS user, id AS ts FROM range(6)")
    >>> log = spark.sql("SELECT 'ann' AS user, id AS ts, id - (id = 4)::int AS count FROM range(6)")
    >>> backfill = wb.Backfill("user", "ts", wb.Aggregation("count"), "sliding")
    >>> offline = backfill.run(log.select("user", "ts"), views)
    >>> found = wb.consistency(log, offline, backfill, views, by=None, uploads=2)
    >>> found
    5 of 6 values agree; only served: 0 rows, only offline: 0 rows
    >>> found.differing.T
                                     0
    user                           ann
    ts                               4
    column                       count
    served                           3
    offline                          4
    reason   none of the usual reasons
    cause                      unknown
    """
    check_backfill(backfill)
    check_shown(backfill, DIFFERING)
    served_rows, offline_rows = (
        GivenTable.of(df, argument, backfill.key, backfill.query_time, side)
        for argument, df, side in (
            ("view_log", view_log, "served rows"), ("offline", offline, "offline rows"),
        )
    )  # fmt: skip
    log, other, names = comparable_tables(backfill, served_rows, offline_rows)
    length = ticks if log.integer_time else microseconds
    by, uploads = (
        None if value is None else checked_length(value, argument)
        for value, argument in ((by, "by"), (uploads, "uploads"))
    )
    if isinstance(by, str) and by == "1 day" and length is ticks:
        by = None
    period = None if by is None else _checked_length(length(by, "by"), "by")
    upload_interval = (
        None if uploads is None else _checked_length(length(uploads, "uploads"), "uploads")
    )
    rows = check_count(rows, "rows", "rows")
    if events is not None:
        # Checked even if nothing differs, when the events would not be used.
        check_events(backfill, served_rows.bound, events, arrived)
    both = joined_rows(backfill, log, other, names).persist()
    try:
        counted, served, answered = count_states(backfill, both, names, log, period)
        sample = _sample(differing_rows(both, names), backfill, rows)
    finally:
        both.unpersist()
    # Without rows, pandas does not infer booleans.
    whole = counted["whole"].astype(bool)
    columns = counted[whole].drop(columns=["whole", "period"]).set_index("column")
    over_time = counted[~whole].drop(columns=["whole"])
    over_time = over_time.rename(columns={"period": "time"}).sort_values(["column", "time"])
    if length is microseconds:
        over_time["time"] = over_time["time"].astype("datetime64[us]")
    over_time = over_time.reset_index(drop=True)
    differing = _explain_differences(
        sample, backfill, names, events, rows, arrived, upload_interval
    )
    set_html(columns, lambda: frame_table("Features", columns.reset_index()))
    set_html(over_time, lambda: frame_table("Features over time", over_time))
    set_html(differing, lambda: frame_table("Values that differ in a sample", differing))
    return Consistency(columns, over_time, differing, served, answered)


def _checked_length(length: int, argument: str) -> int:
    if length < 1:
        raise WorkbenchError(f"{argument}: it has no length; give one longer than 0.")
    return length


def _columns_of_queries(backfill: "Backfill") -> tuple[str, ...]:
    """Return the columns of both tables that identify a query."""
    return *(f"k{i}" for i in range(len(backfill.key))), QUERY_TIME


def _sample(differing: "DataFrame", backfill: "Backfill", rows: int) -> "DataFrame":
    """Return a sample of the rows that differ, held by the driver."""
    from pyspark.sql import functions as F

    # Ordered by a hash of values, so the sample does not depend on how the tables are stored.
    query_columns = _columns_of_queries(backfill)
    chosen = differing.orderBy(F.xxhash64(*query_columns)).limit(rows).drop(SERVED, ANSWERED)
    return arrow_frame(differing.sparkSession, in_arrow(chosen))


def _explain_differences(
    sample: "DataFrame",
    backfill: "Backfill",
    names: tuple[str, ...],
    events: "TableLike | Entities | None",
    rows: int,
    arrived: str | None,
    uploads: int | None,
) -> "pd.DataFrame":
    """Return the differing values of a sample, with their reasons and causes."""
    import pandas as pd
    from pyspark.sql import functions as F

    query_columns = _columns_of_queries(backfill)
    called = (*backfill.key, backfill.query_time)
    differing = [
        Difference(tuple(row[one] for one in query_columns), name, row[f"v{i}"], row[f"o{i}"])
        for row in (one.asDict() for one in collected(sample))
        for i, name in enumerate(names)
        if not alike(row[f"v{i}"], row[f"o{i}"])
    ]
    reason_texts = [NO_EVENTS] * len(differing)
    if differing and events is not None:
        logged = [F.col(one).alias(name) for one, name in zip(query_columns, called, strict=True)]
        logged += [F.col(f"v{i}").alias(name) for i, name in enumerate(names)]
        features = sample.select(*logged)
        checked, _ = differences(backfill, features, events, rows, arrived, uploads, most=True)
        checked_by_value: dict[Any, list[Difference]] = {}
        for one in checked:
            checked_by_value.setdefault((one.moment, one.column), []).append(one)
        reason_texts = [
            _reason(one, checked_by_value.get((one.moment, one.column), [])) for one in differing
        ]
    rows_shown = [
        (*one.moment, one.column, one.given, one.expected, reason, CAUSES.get(reason, "unknown"))
        for one, reason in zip(differing, reason_texts, strict=True)
    ]
    return pd.DataFrame(rows_shown, columns=[*called, *DIFFERING], dtype=object)


def _reason(one: Difference, checked: list[Difference]) -> str:
    """Return the reason why a served value is wrong, or that the offline one is."""
    for other in checked:
        if alike(one.given, other.given):
            return other.reason
    return OFFLINE
