"""Features as of each query: aggregates of the events in windows before it, on Spark."""

from typing import TYPE_CHECKING, Any

from workbench.arguments import check_known
from workbench.backfill.bind import Plan, bind, bind_events
from workbench.backfill.days import limit_queries_to_days, limit_to_days
from workbench.backfill.entities.checks import check_not_entities
from workbench.backfill.entities.entities import Entities
from workbench.backfill.entities.plan import bind_entities, run_entities
from workbench.backfill.in_driver import in_driver
from workbench.backfill.inspect.check import check_features
from workbench.backfill.inspect.explain import explanation
from workbench.backfill.inspect.one_query import fetch_query
from workbench.backfill.inspect.origin import Origin
from workbench.backfill.inspect.skew import Skew, skew_of, tasks_of
from workbench.backfill.methods import METHODS, choose, execute
from workbench.backfill.spec import BackfillSpec
from workbench.spark.shuffle import skipped_in
from workbench.spark.table import is_integer_time

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql import DataFrame

    from workbench.spark.sources.given import TableLike


class Backfill(BackfillSpec):
    """Aggregations of events over windows that end at each query: point-in-time correct features.

    A query at q sees the events of its key in the window, which ends at q and excludes it. For a
    window of length W, "sliding" is ``[q - W, q)``, "sawtooth" is ``[floor(q - W), q)`` and
    "hopping" is ``[floor(q - W), floor(q))``; floor rounds down to the hop.

    Parameters
    ----------
    key : str or list of str
        The columns that match queries with events. A null key matches nothing.
    time : str
        The events' column of times: timestamps (with or without a zone), dates or integers.
    aggregations : list of Aggregation
    window : str
        "sawtooth", "sliding" or "hopping".
    hop : str, timedelta or int, optional
        The hop of all windows. Without it windows of 12 days and more hop by a day, of 12 hours
        and more by an hour, others by 5 minutes; integer times have no such default.
    query_time : str, optional
        The queries' column of times, if its name differs from that of the events.

    Raises
    ------
    WorkbenchError
        When an argument is not valid.

    Examples
    --------
    >>> import workbench as wb
    >>> spark = wb.session()
    >>> views = spark.sql("SELECT 'ann' AS user, id AS ts, id * 10 AS price FROM range(6)")
    >>> queries = spark.sql("SELECT * FROM VALUES ('ann', 4L), ('bob', 4L) AS (user, ts)")
    >>> backfill = wb.Backfill(
    ...     key="user",
    ...     time="ts",
    ...     aggregations=[
    ...         wb.Aggregation("count", windows=[2, None]),
    ...         wb.Aggregation("avg", "price", windows=3),
    ...     ],
    ...     window="sliding",
    ... )
    >>> backfill.run(queries, views).orderBy("user").show()
    +----+---+-------+-----+-----------+
    |user| ts|count_2|count|price_avg_3|
    +----+---+-------+-----+-----------+
    | ann|  4|      2|    4|       20.0|
    | bob|  4|      0|    0|       NULL|
    +----+---+-------+-----+-----------+
    <BLANKLINE>
    """

    def run(
        self,
        queries: "TableLike",
        events: "TableLike | Entities",
        method: str = "auto",
        days: Any = None,
    ) -> "DataFrame":
        """Return every query with its features.

        Parameters
        ----------
        queries : TableLike
            Rows with the key and a time; duplicates, and rows without key or time, come back too.
        events : TableLike or Entities
            Rows with the key, a time and the aggregated columns. Those whose key or time is null
            are left out; :meth:`skipped` counts them. Rows of entities count while they are valid.
        method : str
            "naive", "tree", "scan", "sawtooth" or "auto". All give the same answers by different
            plans. "auto" scans, or cuts large keys by time; :meth:`explain` shows its choice and
            the numbers behind it. "tree" shuffles the queries but no events; it suits few queries
            of many events, and features whose states combine.
        days : date, str, or pair of them, optional
            Answer only the queries of one day, or from a first to a last day (inclusive), in UTC.
            Their features are the same as in a run of all queries.

        Returns
        -------
        pyspark.sql.DataFrame
            All columns of the queries, and one for each aggregation and window. Every query is
            returned once, in any order. Without values, counts and entropies are 0 and other
            features are null. The result is lazy, except for small tables that are not Spark's:
            with ``method="auto"`` and without ``days`` these are answered at once, in this process
            (:meth:`explain`).

        Raises
        ------
        WorkbenchError
            When a column is missing or has an unsupported type.

        Examples
        --------
        >>> import pandas as pd
        >>> import workbench as wb
        >>> spark = wb.session()
        >>> views = pd.DataFrame({"user": "ann", "ts": [1, 2, 3, 4]})
        >>> queries = pd.DataFrame({"user": ["ann", "bob"], "ts": [4, 4]})
        >>> count = wb.Aggregation("count", windows=2)
        >>> wb.Backfill("user", "ts", count, window="sliding").run(queries, views).show()
        +----+---+-------+
        |user| ts|count_2|
        +----+---+-------+
        | ann|  4|      2|
        | bob|  4|      0|
        +----+---+-------+
        <BLANKLINE>
        """
        check_known(method, ("auto", *METHODS), "method")
        if isinstance(events, Entities):
            bound = bind_entities(self, queries, events)
            return run_entities(
                bound if days is None else limit_queries_to_days(bound, days), method
            )
        plan = self.bound(queries, events)
        if method == "auto" and days is None and (answers := in_driver(plan)) is not None:
            return answers
        plan = plan if days is None else limit_to_days(plan, days)
        return execute(plan, choose(plan).method if method == "auto" else method)

    def bound(self, queries: "TableLike", events: "TableLike") -> Plan:
        """Return the backfill bound to its tables.

        Raises
        ------
        WorkbenchError
            When a column is missing or has an unsupported type.
        """
        check_not_entities(events)
        return bind(self, queries, events)

    def to_sql(
        self, dialect: str = "duckdb", queries: str = "queries", events: str = "events"
    ) -> str:
        """Return the backfill as a query of another system, to be run there and compared.

        Parameters
        ----------
        dialect : str
            "duckdb".
        queries, events : str
            The names of the tables there.

        Returns
        -------
        str
            A query for all columns of the queries, and the features. A day has 24 hours, as here.
            Times of pandas and Arrow without a zone are local times of the session here, and have
            no zone there. So where clocks change, lengths differ by an hour; and hops begin at
            hours and days of UTC here, but of the local clock there. Times with a zone agree.

        Raises
        ------
        WorkbenchError
            When a feature aggregates a Column, is a map (``by=``), or has a function that DuckDB
            lacks or that depends on the order of events, other than "first" and "last".

        Examples
        --------
        >>> import workbench as wb
        >>> rated = wb.Aggregation("avg", "rating", windows="2 hours", where="rating > 0")
        >>> print(wb.Backfill("user", "time", rated, window="sliding").to_sql())
        SELECT
          q.*,
          w0.*
        FROM "queries" AS q
        CROSS JOIN LATERAL (
          SELECT
            avg("rating") FILTER(WHERE
              rating > 0) AS "rating_avg_2h"
          FROM "events" AS e
          WHERE
            e."user" = q."user"
            AND e."time" >= q."time" - INTERVAL '2 hours'
            AND e."time" < q."time"
        ) AS w0
        """
        from workbench.backfill.as_sql import as_sql

        return as_sql(self, dialect, queries, events)

    def explain(self, queries: "TableLike", events: "TableLike") -> str:
        """Return which plan ``auto`` takes for these tables, and the numbers behind its choice.

        Parameters
        ----------
        queries, events : TableLike
            As :meth:`run` takes them.

        Returns
        -------
        str
            Sizes, the reason for the method, and the keys that are cut by time.

        Raises
        ------
        WorkbenchError
            When a column is missing or has an unsupported type.

        Notes
        -----
        Runs a job over the key and time columns, and a second one if keys may be cut.

        Examples
        --------
        >>> import workbench as wb
        >>> spark = wb.session()
        >>> views = spark.sql("SELECT id % 10 AS user, id AS ts FROM range(1000)")
        >>> queries = spark.sql("SELECT id % 20 AS user, id * 8 AS ts FROM range(100)")
        >>> backfill = wb.Backfill("user", "ts", wb.Aggregation("count", windows=90), "sliding")
        >>> print(backfill.explain(queries, views).partition(";")[0])
        100 queries and 1,000 events with a key and a time, of 20 keys
        """
        return explanation(self.bound(queries, events))

    def check(
        self,
        features: "TableLike",
        events: "TableLike | Entities",
        rows: int = 1_000,
        arrived: str | None = None,
    ) -> "pd.DataFrame":
        """Compare a table of features, from any pipeline, with the correct values.

        Parameters
        ----------
        features : TableLike
            The key, the queries' time, and any of the columns of :meth:`run`, by their names. Maps
            may be structs, as dictionaries of pandas become; a null field is then an absent bucket.
        events : TableLike or Entities
        rows : int
            How many rows are compared. The same table gives the same sample each time.
        arrived : str, optional
            The events' column of arrival times, to detect features that missed late events.

        Returns
        -------
        pandas.DataFrame
            A row for each value that differs: the key and the time, ``column``, ``given``,
            ``expected``, and ``reason``: the first known mistake that explains the given value.
            ``attrs["checked"]`` is the number of rows compared.

        Raises
        ------
        WorkbenchError
            When a column is missing or has an unsupported type.

        Notes
        -----
        A job recomputes the sample by the naive join. If a value differs, each reason recomputes it
        once more.

        Examples
        --------
        >>> import workbench as wb
        >>> spark = wb.session()
        >>> views = spark.sql("SELECT 'ann' AS user, id AS ts FROM range(6)")
        >>> queries = spark.sql("SELECT 'ann' AS user, 4L AS ts, 3L AS count_2")
        >>> count = wb.Aggregation("count", windows=2)
        >>> wb.Backfill("user", "ts", count, window="sliding").check(queries, views).T
                                                    0
        user                                      ann
        ts                                          4
        column                                count_2
        given                                       3
        expected                                    2
        reason    an event at the query's time counts
        """
        return check_features(self, features, events, rows, arrived)

    def origin(
        self,
        queries: "TableLike",
        events: "TableLike",
        key: Any,
        time: Any = None,
        feature: str | None = None,
    ) -> "Origin":
        """Return how one query's answer is made: its hops, its single events, and what these
        combine to.

        Parameters
        ----------
        queries, events : TableLike
        key : value, or tuple of values when the key has several columns
        time : value, optional
            The query's time, a value of its column's type. By default the last one of the key.
        feature : str, optional
            One of ``names``. By default the first.

        Returns
        -------
        Origin

        Raises
        ------
        WorkbenchError
            When no query has this key and time, or too many events are in the window.

        Examples
        --------
        >>> import workbench as wb
        >>> spark = wb.session()
        >>> views = spark.sql("SELECT 'ann' AS user, id AS ts, id * 10 AS price FROM range(20)")
        >>> queries = spark.sql("SELECT 'ann' AS user, 12L AS ts")
        >>> total = wb.Aggregation("sum", "price", windows=8)
        >>> origin = wb.Backfill("user", "ts", total, hop=5).origin(queries, views, "ann")
        >>> origin
        price_sum_8 = 660, of 2 hops and 2 single events
        >>> origin.states
        ['total 100, rows 5', 'total 350, rows 5', 'total 100, rows 1', 'total 110, rows 1']
        >>> origin.merged
        [100, 450, 550, 660]
        """
        return fetch_query(self.bound(queries, events), key, time).origin(feature)

    def tasks(
        self, queries: "TableLike", events: "TableLike", method: str = "auto"
    ) -> "pd.DataFrame":
        """Run a backfill and return the work of each of its tasks instead of the answers.

        Parameters
        ----------
        queries, events : TableLike
            As :meth:`run` takes them.
        method : str
            "tree", "scan", "sawtooth" or "auto", which here always looks for large keys.

        Returns
        -------
        pandas.DataFrame
            A row for each task after the shuffle: the ``queries`` and ``events`` it received, the
            ``earlier`` events and ``states`` that represent events of other tasks, the total of
            these as ``rows``, the number of ``answers``, and the ``seconds`` that answering took.

        Raises
        ------
        WorkbenchError
            When a column is missing or has an unsupported type, or the method has no
            such tasks.

        Examples
        --------
        >>> import workbench as wb
        >>> spark = wb.session()
        >>> views = spark.sql("SELECT id % 10 AS user, id AS ts FROM range(1000)")
        >>> queries = spark.sql("SELECT id % 20 AS user, id * 8 AS ts FROM range(100)")
        >>> backfill = wb.Backfill("user", "ts", wb.Aggregation("count", windows=90), "sliding")
        >>> backfill.tasks(queries, views, "scan")[["queries", "events", "answers"]].sum().tolist()
        [100, 1000, 100]
        """
        return tasks_of(self.bound(queries, events), method)

    def skew(self, queries: "TableLike", events: "TableLike") -> "Skew":
        """Return how rows are distributed over keys and hops, and over the tasks of two runs.

        Parameters
        ----------
        queries, events : TableLike
            As :meth:`run` takes them.

        Returns
        -------
        Skew
            The rows of the largest keys by hop, the begins of the spans that large keys are cut
            into, and the results of :meth:`tasks` for "scan" (every key whole) and for "auto".

        Raises
        ------
        WorkbenchError
            When a column is missing or has an unsupported type.

        Notes
        -----
        Runs the backfill twice, and makes passes over the keys and times.

        Examples
        --------
        >>> import workbench as wb
        >>> spark = wb.session()
        >>> views = spark.sql("SELECT id % 10 AS user, id AS ts FROM range(1000)")
        >>> backfill = wb.Backfill("user", "ts", wb.Aggregation("count", windows=90), hop=10)
        >>> skew = backfill.skew(views, views)
        >>> skew.hops.groupby("key")["rows"].sum().tolist()
        [200, 200, 200, 200, 200, 200, 200, 200, 200, 200]
        """
        return skew_of(self.bound(queries, events))

    def skipped(self, events: "TableLike | Entities") -> int:
        """Return how many events are left out because their key or their time is null.

        Parameters
        ----------
        events : TableLike or Entities

        Returns
        -------
        int

        Examples
        --------
        >>> import pandas as pd
        >>> import workbench as wb
        >>> spark = wb.session()
        >>> views = pd.DataFrame({"user": ["ann", None, "bob"], "ts": [1, 2, 3]})
        >>> wb.Backfill("user", "ts", wb.Aggregation("count"), "sliding").skipped(views)
        1
        """
        if isinstance(events, Entities):
            return events.skipped()
        bound = bind_events(self, events)
        is_integer_time(bound, self.time)
        return skipped_in(bound)
