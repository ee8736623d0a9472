"""A table that changes, as a source of features: its snapshots and its mutations."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from workbench.arguments import column_names, one_name
from workbench.backfill.entities.checks import check_entities
from workbench.backfill.entities.tables import (
    EXACT,
    EntityTables,
    problems_of,
    skipped_in,
    validity_as_times,
)
from workbench.spark.sources.given import table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from workbench.spark.sources.given import TableLike


class Entities(EntityTables):
    """A table that receives inserts, updates and deletes: its snapshots, and its mutations.

    A query sees the table as it was right before it: a row counts from the instant after its
    insert to its delete, if its own time is in the window. An update ends a row and begins another,
    with another value, time or key.

    Parameters
    ----------
    snapshots : TableLike
        The whole table, once for each time that a snapshot was taken.
    mutations : TableLike, optional
        A row for each inserted or deleted row; an update is two rows, before and after it. Its
        columns have the names and types of those of the snapshots.
    key : str or list of str
        The columns that match queries with rows.
    id : str or list of str
        The columns that identify a row of the table.
    time : str
        The column of the rows' own times.
    mutation_time : str
        The mutations' column of the time of each, of the type of the rows' own times.
    date : str
        The snapshots' column of when each was taken: dates, or text such as '2021-09-30', whose
        midnights are in UTC; or times like the rows' own. If mutations have it too, those in a
        partition of another date are reported. A snapshot exists only by its rows: a snapshot of an
        empty table is not seen, and the last rows stay valid until mutations delete them.
    op : str
        The mutations' column of the kind of each: "insert", "update_before", "update_after" or
        "delete"; or true for a row before a change, and false for a row after it.
    accuracy : str
        "exact", or "midnight" to use the snapshots alone: then rows change when these are taken.
    taken : str
        Whether a snapshot was taken at the "end" or the "begin" of its date.

    Raises
    ------
    WorkbenchError
        When an argument is not valid.

    Examples
    --------
    >>> import workbench as wb
    >>> spark = wb.session()
    >>> snapshots = spark.sql("SELECT 0L AS ds, 7 AS id, 'ann' AS user, 1L AS ts, 5 AS stars")
    >>> mutations = spark.sql(
    ...     "SELECT * FROM VALUES (20L, 'update_before', 7, 'ann', 1L, 5), "
    ...     "(20L, 'update_after', 7, 'ann', 1L, 2) AS (made, op, id, user, ts, stars)"
    ... )
    >>> ratings = wb.Entities(
    ...     snapshots, mutations, key="user", id="id", time="ts", mutation_time="made", date="ds"
    ... )
    >>> queries = spark.sql("SELECT * FROM VALUES ('ann', 20L), ('ann', 21L) AS (user, ts)")
    >>> backfill = wb.Backfill("user", "ts", wb.Aggregation("max", "stars"), "sliding")
    >>> backfill.run(queries, ratings).orderBy("ts").show()
    +----+---+---------+
    |user| ts|stars_max|
    +----+---+---------+
    | ann| 20|        5|
    | ann| 21|        2|
    +----+---+---------+
    <BLANKLINE>
    """

    def __init__(
        self,
        snapshots: "TableLike",
        mutations: "TableLike | None" = None,
        *,
        key: str | Sequence[str],
        id: str | Sequence[str],
        time: str,
        mutation_time: str | None = None,
        date: str = "ds",
        op: str = "op",
        accuracy: str = EXACT,
        taken: str = "end",
    ) -> None:
        keys, ids = column_names(key), column_names(id, "id")
        times, dates = one_name(time, "time"), one_name(date, "date")
        tables = (
            table(snapshots, "snapshots"),
            None if mutations is None else table(mutations, "mutations"),
        )
        super().__init__(
            *(*tables, keys, ids, times),
            *(mutation_time, dates, op, accuracy, taken),
        )
        check_entities(self)

    def __repr__(self) -> str:
        names = ("key", "id", "time", "mutation_time", "date", "op", "accuracy", "taken")
        given: dict[str, Any] = {name: getattr(self, name) for name in names}
        for name in ("key", "id"):
            given[name] = given[name][0] if len(given[name]) == 1 else list(given[name])
        return f"wb.Entities({', '.join(f'{name}={value!r}' for name, value in given.items())})"

    def problems(self) -> "DataFrame":
        """Return the problems of snapshots and mutations, row by row.

        Returns
        -------
        pyspark.sql.DataFrame
            A row for each problem: the key, the id, the row's own time, ``known``: the time from
            which the problem is known, and ``problem``: its description. A day without a snapshot
            between days with one has a row without key and id.

        Notes
        -----
        One shuffle of both tables, when the result is used. docs/decisions/0013 defines the
        validity interval in each case.

        Examples
        --------
        >>> import workbench as wb
        >>> spark = wb.session()
        >>> snapshots = spark.sql("SELECT 5L AS ds, 7 AS id, 'ann' AS user, 1L AS ts")
        >>> mutations = spark.sql("SELECT 20L AS at, 'delete' AS op, 8 AS id, 'ann' AS user, 1L ts")
        >>> ratings = wb.Entities(
        ...     snapshots, mutations, key="user", id="id", time="ts", mutation_time="at", date="ds"
        ... )
        >>> ratings.problems().select("id", "known", "problem").show(truncate=False)
        +---+-----+-----------------------------+
        |id |known|problem                      |
        +---+-----+-----------------------------+
        |8  |20   |removed, but it was not there|
        +---+-----+-----------------------------+
        <BLANKLINE>
        """
        return problems_of(self)

    def lives(self) -> "DataFrame":
        """Return every row that was ever in the table, with its validity interval.

        Returns
        -------
        pyspark.sql.DataFrame
            The columns that both tables share, ``alive_from`` and ``alive_until``: queries from the
            first instant to the second, exclusive, see the row. The end is null for a row that is
            still in the table.

        Notes
        -----
        One shuffle of both tables, when the result is used.

        Examples
        --------
        A user who was there on day 0, and whose row was deleted at 20:

        >>> import pandas as pd
        >>> import workbench as wb
        >>> spark = wb.session()
        >>> snapshots = pd.DataFrame({"ds": [0], "id": [7], "user": ["ann"], "ts": [1]})
        >>> mutations = snapshots.rename(columns={"ds": "at"}).assign(at=20, op="delete")
        >>> users = wb.Entities(
        ...     snapshots, mutations, key="user", id="id", time="ts", mutation_time="at"
        ... )
        >>> users.lives().show()
        +---+----+---+----------+-----------+
        | id|user| ts|alive_from|alive_until|
        +---+----+---+----------+-----------+
        |  7| ann|  1|         0|         21|
        +---+----+---+----------+-----------+
        <BLANKLINE>
        """
        return validity_as_times(self)

    def skipped(self) -> int:
        """Return how many rows are left out: those without key, id or time, and mutations and
        snapshots without the time of their own.

        Returns
        -------
        int

        Examples
        --------
        >>> import pandas as pd
        >>> import workbench as wb
        >>> spark = wb.session()
        >>> users = pd.DataFrame({"ds": 5, "id": [7, 8], "user": ["ann", None], "ts": [1, 2]})
        >>> wb.Entities(users, key="user", id="id", time="ts", accuracy="midnight").skipped()
        1
        """
        return skipped_in(self)
