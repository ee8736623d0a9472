"""Rows of a table that changes, as a source of features: snapshots of it, and what changed."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from workbench.backfill.entities.checks import check_entities
from workbench.backfill.entities.tables import (
    EXACT,
    EntityTables,
    problems_of,
    shown_validity,
    skipped_in,
)
from workbench.spark.shuffle import column_names, one_name
from workbench.spark.sources.given import table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from workbench.spark.sources.given import TableLike


class Entities(EntityTables):
    """A table that receives inserts, updates and deletes: its snapshots, and its mutations.

    A query sees the table as it was right before it: a row counts from the instant behind its
    insert to its delete, and while its own time is in the window. An update ends a row and begins
    another, with another value, time or key.

    Parameters
    ----------
    snapshots : TableLike
        The whole table, once for each time that it was taken.
    mutations : TableLike, optional
        A row for each row that was put in or taken out; an update is two, what was before and what
        is after. Its columns have the names and types of those of the snapshots.
    key : str or list of str
        The columns that queries and rows are matched by.
    id : str or list of str
        The columns that tell rows of the table apart.
    time : str
        The rows' own times.
    mutation_time : str
        The mutations' column of when each was made, of the type of the rows' own times.
    date : str
        The snapshots' column of when each was taken: dates, or text such as '2021-09-30', whose
        midnights are those of UTC; or times like the rows' own. Mutations may have it too: then
        those that lie in a partition of another date are found. A snapshot is known by its rows:
        one of an emptied table is none, and its last rows are there until mutations delete them.
    op : str
        The mutations' column of what each row is: "insert", "update_before", "update_after" or
        "delete"; or true for what was before, and false for what is after.
    accuracy : str
        "exact", or "midnight" for the snapshots alone: then rows change when they are taken.
    taken : str
        Whether a snapshot was taken at the "end" or the "begin" of its date.

    Raises
    ------
    WorkbenchError
        When something of this cannot be meant.

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
    >>> asked = spark.sql("SELECT * FROM VALUES ('ann', 20L), ('ann', 21L) AS (user, ts)")
    >>> backfill = wb.Backfill("user", "ts", wb.Aggregation("max", "stars"), "sliding")
    >>> backfill.run(asked, ratings).orderBy("ts").show()
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
        """Return what is wrong with snapshots and mutations, row by row.

        Returns
        -------
        pyspark.sql.DataFrame
            A row for each: the key, the id, the row's own time, ``known``: when that was found
            out, and ``problem``: what is wrong. A day between others of which there is no snapshot
            has a row without key and id.

        Notes
        -----
        One shuffle of both tables, when the result is used. What a validity interval is in
        each case: docs/decisions/0013.

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
        +---+-----+-------------------------------+
        |id |known|problem                        |
        +---+-----+-------------------------------+
        |8  |20   |taken out, but it was not there|
        +---+-----+-------------------------------+
        <BLANKLINE>
        """
        return problems_of(self)

    def lives(self) -> "DataFrame":
        """Return every row that was ever in the table, with its validity interval.

        Returns
        -------
        pyspark.sql.DataFrame
            The columns that both tables share, and ``alive_from`` and ``alive_until``: a query sees
            the row from the one instant on, and from the other on not any more; null where it is
            still there.

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
        return shown_validity(self)

    def skipped(self) -> int:
        """Return how many rows are left out: those without key, id or time, and mutations or
        snapshots without theirs.

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
