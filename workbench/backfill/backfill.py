"""Features as of each query: aggregates of what happened in windows before it, on Spark."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kernels.tiling.hops import default_hop
from workbench.backfill.aggregation import Aggregation, Window, check_length
from workbench.backfill.bind import Plan, bind
from workbench.backfill.days import of_days, only_days
from workbench.backfill.inspection import Looks
from workbench.backfill.methods import METHODS, answered, choose
from workbench.backfill.worker.cogroup import Span
from workbench.durations import Duration, microseconds, ticks
from workbench.errors import WorkbenchError
from workbench.spark.shuffle import several

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from workbench.backfill.entities.entities import Entities

KINDS = ("sawtooth", "sliding", "hopping")


class Backfill(Looks):
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

    def __init__(
        self,
        key: str | Sequence[str],
        time: str,
        aggregations: Aggregation | Sequence[Aggregation],
        window: str = "sawtooth",
        hop: Duration | None = None,
        query_time: str | None = None,
    ) -> None:
        self.key, self.time = several(key), several(time, "time")[0]
        self.query_time = self.time if query_time is None else several(query_time, "query_time")[0]
        self.aggregations = _aggregations(aggregations)
        self.window, self.hop = window, hop
        if window not in KINDS:
            known = ", ".join(map(repr, KINDS))
            raise WorkbenchError(f"window: {window!r} is not known; give one of {known}.")
        if hop is not None:
            check_length(hop, "hop")

    def __repr__(self) -> str:
        key = self.key[0] if len(self.key) == 1 else list(self.key)
        given: dict[str, Any] = {"key": key, "time": self.time}
        given["aggregations"] = list(self.aggregations)
        given |= {} if self.window == "sawtooth" else {"window": self.window}
        given |= {} if self.hop is None else {"hop": self.hop}
        given |= {} if self.query_time == self.time else {"query_time": self.query_time}
        return f"wb.Backfill({', '.join(f'{name}={value!r}' for name, value in given.items())})"

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that a run adds."""
        return tuple(name for one in self.aggregations for name in one.names)

    def run(
        self,
        queries: "DataFrame",
        events: "DataFrame | Entities",
        method: str = "auto",
        days: Any = None,
    ) -> "DataFrame":
        """Return every query with its features.

        Parameters
        ----------
        queries : pyspark.sql.DataFrame
            Rows with the key and a time; duplicates, and rows without key or time, come back too.
        events : pyspark.sql.DataFrame or Entities
            Rows with the key, a time, and what is aggregated. Those whose key or time is null are
            left out; :meth:`skipped` counts them. Rows of entities count while they are there.
        method : str
            "naive", "tree", "scan", "sawtooth", or "auto", which scans, or chooses for each key:
            the same answers by different plans. :meth:`explain` says what is chosen, and what each
            method costs. "tree" sends the queries to the events in place of these to a shuffle: it
            is for few queries of many events, and for features whose states add up.
        days : date, str, or pair of them, optional
            Only the queries of a day, or from a first to a last day, both included, in UTC; they
            get what they would get in a run of all.

        Returns
        -------
        pyspark.sql.DataFrame
            All columns of the queries and one for each aggregation and window, every query once,
            in any order. Counts of nothing are 0, other features null. Nothing runs until it is
            used.

        Raises
        ------
        WorkbenchError
            When a column is missing or has a type that cannot be used so.
        """
        if method not in (*METHODS, "auto"):
            known = ", ".join(map(repr, ("auto", *METHODS)))
            raise WorkbenchError(f"method: {method!r} is not known; give one of {known}.")
        from workbench.backfill.entities.entities import Entities

        if isinstance(events, Entities):
            from workbench.backfill.entities.plan import bind_entities, run_entities

            bound = bind_entities(self, queries, events)
            return run_entities(bound if days is None else only_days(bound, days), method)
        plan = self.bound(queries, events)
        plan = plan if days is None else of_days(plan, days)
        return answered(plan, choose(plan).method if method == "auto" else method)

    def bound(self, queries: "DataFrame", events: "DataFrame") -> Plan:
        """Return the backfill bound to its tables.

        Raises
        ------
        WorkbenchError
            When a column is missing or has a type that cannot be used so.
        """
        return bind(self, queries, events)

    def span(self, aggregation: Aggregation, window: Window, integer_time: bool) -> Span:
        """Return what a query sees of the events' times, for a window of an aggregation."""
        length = ticks if integer_time else microseconds
        size = None if window is None else length(window, "windows")
        if self.window == "sliding":
            return Span(size)
        given = self.hop if aggregation.hop is None else aggregation.hop
        # An unbounded window has no begin to round.
        usual = default_hop(2**62 if size is None else size)
        hop = usual if given is None else length(given, "hop")
        return Span(size, hop, hop if self.window == "hopping" else 1)


def _aggregations(given: object) -> tuple[Aggregation, ...]:
    found = (given,) if isinstance(given, Aggregation) else given
    if not isinstance(found, Sequence) or isinstance(found, str) or not found:
        raise WorkbenchError(
            f"aggregations: {given!r} is none; give a list of wb.Aggregation(...)."
        )
    for one in found:
        if not isinstance(one, Aggregation):
            raise WorkbenchError(f"aggregations: {one!r} is none; give wb.Aggregation(...).")
    counted = Counter(name.lower() for one in found for name in one.names)
    if twice := [name for name, count in counted.items() if count > 1]:
        raise WorkbenchError(
            f"aggregations: two results are called {twice[0]!r}; give one of them a name=."
        )
    return tuple(found)
