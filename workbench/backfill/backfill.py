"""Features as of each query: aggregates of what happened in windows before it, on Spark."""

from typing import TYPE_CHECKING, Any

from workbench.arguments import check_known
from workbench.backfill.bind import Plan, bind, bind_events
from workbench.backfill.days import of_days, only_days
from workbench.backfill.entities.checks import check_not_entities
from workbench.backfill.entities.entities import Entities
from workbench.backfill.entities.plan import bind_entities, run_entities
from workbench.backfill.in_driver import in_driver
from workbench.backfill.inspect.check import check_features
from workbench.backfill.inspect.explain import explained
from workbench.backfill.inspect.one_query import ask
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
    """Aggregations of events over windows that end at each query: point in time correct features.

    A query at q sees the events of its key from the window's begin up to, but not at, q. With the
    window W and its hop, "sliding" windows are ``[q - W, q)``, "sawtooth" ones
    ``[floor(q - W), q)`` and "hopping" ones ``[floor(q - W), floor(q))``, both floors to the hop.

    Parameters
    ----------
    key : str or list of str
        The columns that queries and events are matched by. A key that is null matches nothing.
    time : str
        The events' column of times: timestamps (with or without a zone), dates or integers.
    aggregations : list of Aggregation
    window : str
        "sawtooth", "sliding" or "hopping".
    hop : str, timedelta or int, optional
        The hop of all windows. Without it windows of 12 days and more hop by a day, of 12 hours
        and more by an hour, others by 5 minutes; integer times have no such default.
    query_time : str, optional
        The queries' column of times, where it is not called as that of the events.

    Raises
    ------
    WorkbenchError
        When something of this cannot be meant.

    Examples
    --------
    >>> import workbench as wb
    >>> spark = wb.session()
    >>> views = spark.sql("SELECT 'ann' AS user, id AS ts, id * 10 AS price FROM range(6)")
    >>> asked = spark.sql("SELECT * FROM VALUES ('ann', 4L), ('bob', 4L) AS (user, ts)")
    >>> backfill = wb.Backfill(
    ...     key="user",
    ...     time="ts",
    ...     aggregations=[
    ...         wb.Aggregation("count", windows=[2, None]),
    ...         wb.Aggregation("avg", "price", windows=3),
    ...     ],
    ...     window="sliding",
    ... )
    >>> backfill.run(asked, views).orderBy("user").show()
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
            Rows with the key, a time, and what is aggregated. Those whose key or time is null are
            left out; :meth:`skipped` counts them. Rows of entities count while they are there.
        method : str
            "naive", "tree", "scan", "sawtooth", or "auto", which scans, or chooses for each key:
            the same answers by different plans. :meth:`explain` says what is chosen, and by which
            numbers. "tree" sends the queries to the events in place of these to a shuffle: it
            is for few queries of many events, and for features whose states add up.
        days : date, str, or pair of them, optional
            Only the queries of a day, or from a first to a last day, both included, in UTC; they
            get what they would get in a run of all.

        Returns
        -------
        pyspark.sql.DataFrame
            All columns of the queries and one for each aggregation and window, every query once,
            in any order. Counts of nothing, and the entropy of no value, are 0, other features
            null. Nothing runs until it is used, but for small tables that are not Spark's: these
            are answered at once, in this process, where ``method`` is "auto" and there are no
            ``days`` (:meth:`explain`).

        Raises
        ------
        WorkbenchError
            When a column is missing or has a type that cannot be used so.

        Examples
        --------
        >>> import pandas as pd
        >>> import workbench as wb
        >>> spark = wb.session()
        >>> views = pd.DataFrame({"user": "ann", "ts": [1, 2, 3, 4]})
        >>> asked = pd.DataFrame({"user": ["ann", "bob"], "ts": [4, 4]})
        >>> count = wb.Aggregation("count", windows=2)
        >>> wb.Backfill("user", "ts", count, window="sliding").run(asked, views).show()
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
            return run_entities(bound if days is None else only_days(bound, days), method)
        plan = self.bound(queries, events)
        if method == "auto" and days is None and (here := in_driver(plan)) is not None:
            return here
        plan = plan if days is None else of_days(plan, days)
        return execute(plan, choose(plan).method if method == "auto" else method)

    def bound(self, queries: "TableLike", events: "TableLike") -> Plan:
        """Return the backfill bound to its tables.

        Raises
        ------
        WorkbenchError
            When a column is missing or has a type that cannot be used so.
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
            What the tables are called there.

        Returns
        -------
        str
            All columns of the queries, and the features. Days are of 24 hours, as they are here.
            Times of pandas and Arrow without a zone are of the session's clock here and of none
            there: where clocks change, lengths differ by an hour, and hops begin at UTC's hours and
            days here and at the clock's there, unless they are given a zone.

        Raises
        ------
        WorkbenchError
            When a feature is of a Column, a map (``by=``), of a function that DuckDB has not, or of
            one that goes by the order of events, other than "first" and "last".

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
        """Return what ``auto`` does with these tables, and the numbers that it decides by.

        Parameters
        ----------
        queries, events : TableLike
            As :meth:`run` takes them.

        Returns
        -------
        str
            Sizes, why the method is taken, and the keys that are cut by time.

        Raises
        ------
        WorkbenchError
            When a column is missing or has a type that cannot be used so.

        Notes
        -----
        A job over the columns of the key and the time, and another one where keys may be cut.

        Examples
        --------
        >>> import workbench as wb
        >>> spark = wb.session()
        >>> views = spark.sql("SELECT id % 10 AS user, id AS ts FROM range(1000)")
        >>> asked = spark.sql("SELECT id % 20 AS user, id * 8 AS ts FROM range(100)")
        >>> backfill = wb.Backfill("user", "ts", wb.Aggregation("count", windows=90), "sliding")
        >>> print(backfill.explain(asked, views).partition(";")[0])
        100 queries and 1,000 events with a key and a time, of 20 keys
        """
        return explained(self.bound(queries, events))

    def check(
        self,
        features: "TableLike",
        events: "TableLike | Entities",
        rows: int = 1_000,
        arrived: str | None = None,
    ) -> "pd.DataFrame":
        """Compare a table of features, from any pipeline, with what they have to be.

        Parameters
        ----------
        features : TableLike
            The key, the queries' time, and columns called as those of :meth:`run`; any of them.
            Maps may be structs, as pandas' dictionaries come: a bucket with null is absent there.
        events : TableLike or Entities
        rows : int
            How many rows are compared, the same ones each time.
        arrived : str, optional
            The events' column of when each was known, to find features that missed late ones.

        Returns
        -------
        pandas.DataFrame
            A row for each value that differs: the key and the time, ``column``, ``given``,
            ``expected``, and the ``reason`` for which the pipeline may have got the other value:
            the first that explains it. ``attrs["checked"]`` is the number of rows compared.

        Raises
        ------
        WorkbenchError
            When a column is missing or has a type that cannot be used so.

        Notes
        -----
        The sample is recomputed by the naive join, in a job of its own, and once more for each
        reason if anything differs.

        Examples
        --------
        >>> import workbench as wb
        >>> spark = wb.session()
        >>> views = spark.sql("SELECT 'ann' AS user, id AS ts FROM range(6)")
        >>> asked = spark.sql("SELECT 'ann' AS user, 4L AS ts, 3L AS count_2")
        >>> count = wb.Aggregation("count", windows=2)
        >>> wb.Backfill("user", "ts", count, window="sliding").check(asked, views).T
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
        """Return where the answer to one query comes from: its hops, its single events, and what
        they add up to.

        Parameters
        ----------
        queries, events : TableLike
        key : value, or tuple of values when the key has several columns
        time : value, optional
            When the query is asked, as its column has it; without it, the last one of the key.
        feature : str, optional
            One of ``names``; without it, the first.

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
        >>> asked = spark.sql("SELECT 'ann' AS user, 12L AS ts")
        >>> total = wb.Aggregation("sum", "price", windows=8)
        >>> origin = wb.Backfill("user", "ts", total, hop=5).origin(asked, views, "ann")
        >>> origin
        price_sum_8 = 660, of 2 hops and 2 single events
        >>> origin.states
        ['total 100, rows 5', 'total 350, rows 5', 'total 100, rows 1', 'total 110, rows 1']
        >>> origin.merged
        [100, 450, 550, 660]
        """
        return ask(self.bound(queries, events), key, time).origin(feature)

    def tasks(
        self, queries: "TableLike", events: "TableLike", method: str = "auto"
    ) -> "pd.DataFrame":
        """Run a backfill, and return what each of its tasks had to do in place of its answers.

        Parameters
        ----------
        queries, events : TableLike
            As :meth:`run` takes them.
        method : str
            "tree", "scan", "sawtooth", or "auto", which here looks for large keys in any case.

        Returns
        -------
        pandas.DataFrame
            A row for each task behind the shuffle: ``queries`` and ``events`` that it got, the
            ``earlier`` events and ``states`` that stand for events elsewhere, all of these as
            ``rows``, its ``answers``, and the ``seconds`` that it answered for.

        Raises
        ------
        WorkbenchError
            When a column is missing or has a type that cannot be used so, or the method has no
            such tasks.

        Examples
        --------
        >>> import workbench as wb
        >>> spark = wb.session()
        >>> views = spark.sql("SELECT id % 10 AS user, id AS ts FROM range(1000)")
        >>> asked = spark.sql("SELECT id % 20 AS user, id * 8 AS ts FROM range(100)")
        >>> backfill = wb.Backfill("user", "ts", wb.Aggregation("count", windows=90), "sliding")
        >>> backfill.tasks(asked, views, "scan")[["queries", "events", "answers"]].sum().tolist()
        [100, 1000, 100]
        """
        return tasks_of(self.bound(queries, events), method)

    def skew(self, queries: "TableLike", events: "TableLike") -> "Skew":
        """Return where rows are: in which keys and hops, and in which tasks of two runs.

        Parameters
        ----------
        queries, events : TableLike
            As :meth:`run` takes them.

        Returns
        -------
        Skew
            The rows of the largest keys by hop, when the spans begin that large keys are cut into,
            and what :meth:`tasks` returns for "scan", with every key whole, and for "auto".

        Raises
        ------
        WorkbenchError
            When a column is missing or has a type that cannot be used so.

        Notes
        -----
        Two runs, and passes over the keys and times.

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
