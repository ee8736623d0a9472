"""The funnel on Spark: how far each key got through a sequence of steps, and how fast."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from workbench.arguments import check_truth, optional_names
from workbench.described import set_html
from workbench.errors import WorkbenchError
from workbench.funnel.bind import bind
from workbench.funnel.checks import check_level
from workbench.funnel.plan import levels, pieces
from workbench.funnel.prepared import Prepared, prepared_of
from workbench.funnel.spec import FunnelSpec
from workbench.spark.shuffle import skipped_in
from workbench.spark.sources.given import table
from workbench.spark.table import BoundTable

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql import DataFrame

    from workbench.durations import Duration
    from workbench.funnel.behaviour.drivers import Drivers
    from workbench.funnel.behaviour.paths import Paths
    from workbench.funnel.counting import Moment
    from workbench.funnel.summary import Summary
    from workbench.spark.sources.given import TableLike


class Funnel(FunnelSpec):
    """A sequence of steps that each user may pass through within a window of time.

    The results are those of ClickHouse's ``windowFunnel``, in every mode. With ``order``,
    ``optional``, ``within`` or ``exclude`` they follow product analytics: one event is used for
    one step; of several chains of steps the one that got furthest counts, then the one that began
    last, then the one with most optional steps; and events of one time are processed in the order
    of their steps. The scan of a key ends at the first event at which a chain takes the last of
    several steps: of completed chains, the one completed first counts, whichever began last.

    Parameters
    ----------
    steps : list of (str or list of str), or dict of str to (str or Column)
        Names of events in the column ``event``, where a list of names is a step that any of them
        fulfils; or conditions by label, as SQL text or Columns. 1 to 32 steps.
    window : str, timedelta or int
        The longest time from the first step to the last, inclusive: text with a unit such as
        ``"1 hour"``; an integer only if the time column holds integers, in its unit.
    key : str or list of str
        The column or columns whose values identify one user.
    time : str
        A column of timestamps (with or without a zone), dates or integers.
    event : str
        The column of event names.
    modes : sequence of str
        Any of ``strict_order``: no other event may come between the steps;
        ``strict_deduplication``: a repeated step ends the funnel; ``strict_increase``: each step
        is later than the one before, not at the same time; ``strict_once``: a row counts for one
        step only; ``allow_reentry``: with ``strict_order``, a step too far ahead is ignored.
    unit : str, optional
        A plural noun for the keys, for labels: ``"aircraft"``. Without it, the ``"unit"`` in the
        metadata of the key's column, or ``"users"``.
    order : str
        ``"this"``: other events may come between the steps. ``"strict"``: no event may, neither
        another event nor a repeated step; the chain starts again after it, and the furthest step
        counts (as in PostHog). ClickHouse's ``strict_order`` lets earlier steps repeat in between,
        and ends the whole scan at the first other event: for ``A x A B C`` it returns 1, and
        ``"strict"`` 3; for ``A B A C`` 3, and ``"strict"`` 2. ``"any"``: the steps in any order;
        the level is how many different steps one window holds. Steps in any order have nothing
        between them, so ``optional``, ``within`` and ``exclude`` need one of the other two.
    optional : list of (str or int)
        Steps, by label or by number from 1, that may be skipped. Never the first. Shares, losses
        and times of a step are relative to the last required step.
    within : dict of (str or int) to (str, timedelta or int)
        Windows of single steps: the longest time since the required step before, inclusive.
    exclude : str, list of str, or dict of str to (str, str)
        Events that must not happen between two required steps: ``{"refund": ("cart", "pay")}``;
        a name alone means between the first step and the last. With conditions,
        ``{"refunded": ("amount < 0", "cart", "checkout")}``. An event that is used for a step of
        a chain does not exclude that chain, and neither does one after the window.
    exclude_from : str
        Where to count a key whose furthest chain was ended by an excluded event, unless another of
        its chains got further. ``"later"``: it keeps the steps before that event, as in Mixpanel,
        and the table of steps counts it as ``excluded`` instead of ``lost``. ``"all"``: it leaves
        every step, as in PostHog, unless a later chain got as far.
    hold : str or list of str
        Columns that have one value along a chain, such as the product: each combination of a key
        and their values is a separate funnel, and is counted once, as Amplitude's "holding
        constant". They follow the key's columns in every result. Rows where one of them is null
        are left out and counted as skipped, like those without a key.
    count : str
        ``"users"``: each key once. ``"sessions"``: each session of a key once, and a chain lies
        within one session. ``"conversions"``: every completed chain, with no event used twice: a
        chain is completed at the first event that can complete it, and the next one begins after
        that event (Mixpanel's totals), so this is the largest number of consecutive chains; the
        rest after the last one counts as one more chain if it reaches a step.
    session : str, timedelta or int, optional
        For sessions, their column, which is held constant; or the longest time between two events
        of a session, inclusive, whatever the events are: ``"30 minutes"``.
    start, end : str, date, datetime, numpy.datetime64 or int, optional
        The period in which the first step must lie, its end excluded; later steps may lie after
        it. Times without a zone are in the Spark session's time zone. Events before or after the
        period are no first steps, so a later one replaces none within the period. With steps in
        any order only ``start`` is allowed, and earlier events are no steps.
    attribution : str or int
        At which step ``by=`` reads the columns of segments. ``"first"``: at the first step of the
        winning chain; ``"last"``: at its furthest; a step by label or by number from 1: at that
        step, and null for those whose chain does not have it (PostHog's first touch takes the
        first value of all events, on the chain or not). ``"each"``: at every step, so a chain lies
        within one value, and each combination of a key and its values is counted, like ``hold``
        but without preparing again (PostHog's "all events"). Of several events of one time that
        fulfil the step, the one with the least values counts, null last.
    cohorts : dict of str to (str, list of str, Column or dict)
        Labels that ``by=`` may name: whether a key ever did something, in or out of the chain, the
        window and the period. Like a step, a cohort is an event name, a list of names or a
        condition; or it is ``{"country": "fr"}``, a column with a value or a list of values, which
        is true if any event of the key has one. The segments are true and false.
    cut : str, int or None
        "auto" cuts keys that hold more than their share of a large table into pieces by time, so
        that several tasks share them: a bot, or an id that stands for nobody. It costs a pass over
        the columns of key, time and steps. A number sets roughly how many rows a piece has. None
        leaves each key to one task. A chain lies within its window, so the results are the same;
        :meth:`explain` tells for which funnels keys stay whole, and why. It applies to
        :meth:`levels`, :meth:`steps`, :meth:`times`, :meth:`summary` and :meth:`compare` of a
        table; prepared events, :meth:`trend`, :meth:`people`, :meth:`paths` and :meth:`drivers`
        always have whole keys.

    Attributes
    ----------
    uncut : str or None
        Why large keys cannot be cut; None if they can.

    Raises
    ------
    WorkbenchError
        When the steps, the window or the modes are invalid.

    Examples
    --------
    >>> import workbench as wb
    >>> spark = wb.session()
    >>> funnel = wb.Funnel(["signup", "add_to_cart", "checkout"], window="1 hour")
    >>> events = spark.sql('''
    ...     SELECT 1 AS user_id, timestamp_seconds(i) AS timestamp, event FROM (
    ...     SELECT posexplode(array("signup", "welcome", "add_to_cart", "checkout")) AS (i, event))
    ... ''')
    >>> funnel.levels(events).select("user_id", "level").show()
    +-------+-----+
    |user_id|level|
    +-------+-----+
    |      1|    3|
    +-------+-----+
    <BLANKLINE>
    """

    def prepare(self, events: "TableLike", keep: Sequence[str] = ()) -> Prepared:
        """Scan, shuffle and sort the events once, to compute this funnel and its variants quickly.

        Parameters
        ----------
        events : TableLike
        keep : sequence of str
            Further columns to hold, for segments. Columns of cohorts are always held.

        Returns
        -------
        Prepared

        Examples
        --------
        >>> import pandas as pd
        >>> import workbench as wb
        >>> spark = wb.session()
        >>> did = ["visit", "buy", "visit"]
        >>> events = pd.DataFrame({"user_id": [1, 1, 2], "timestamp": [0, 2, 1], "event": did})
        >>> funnel = wb.Funnel(["visit", "buy"], window=9)
        >>> with funnel.prepare(events) as prepared:
        ...     funnel.steps(prepared)["users"].tolist()
        [2, 1]
        """
        cohorts = self.segmenting.cohorts
        cohort_conditions = {
            one.label: one.condition for one in cohorts if one.condition is not None
        }
        event = (
            self.event if self.all_conditions is None else self.all_conditions | cohort_conditions
        )
        columns = (*optional_names(keep, "keep"), *(one.column for one in cohorts if one.column))
        argument_of = dict.fromkeys(self.labels, "steps") | self.argument_of
        columns = tuple(dict.fromkeys(columns))
        return prepared_of(events, self.key, self.time, event, columns, argument_of)

    def levels(
        self, events: "TableLike | Prepared", by: str | Sequence[str] | None = None
    ) -> "DataFrame":
        """Return how far each key got, as one row for every key of the input.

        Parameters
        ----------
        events : TableLike or Prepared
            Rows whose key or time is null are left out; :meth:`skipped` counts them.
        by : str or sequence of str, optional
            Columns whose values at a step of the winning chain, and cohorts whose labels, are
            returned as well; :class:`Funnel` says at which step by ``attribution``.

        Returns
        -------
        pyspark.sql.DataFrame
            The key's columns, ``level`` (0 to the number of steps; with optional steps, the number
            of the furthest required one), and ``reached``: the time of each step on the winning
            chain, null for a skipped step; with steps in any order, the times ascending. With
            ``exclude``, ``excluded``: whether an excluded event ended a chain of that level.
            Columns held constant follow the key's columns; sessions by a time between events, and
            conversions, have a row each, numbered from 1 in ``session`` or ``chain``. Nothing runs
            until the DataFrame is used, except that a small table from outside of Spark is
            computed at once, in this process (docs/front-door.md).

        Raises
        ------
        WorkbenchError
            When a column is missing or has a wrong type.

        Examples
        --------
        >>> import pandas as pd
        >>> import workbench as wb
        >>> spark = wb.session()
        >>> did = ["visit", "buy", "visit"]
        >>> events = pd.DataFrame({"user_id": [1, 1, 2], "timestamp": [0, 2, 1], "event": did})
        >>> wb.Funnel(["visit", "buy"], window=9).levels(events).show()
        +-------+-----+-------+
        |user_id|level|reached|
        +-------+-----+-------+
        |      1|    2| [0, 2]|
        |      2|    1|    [1]|
        +-------+-----+-------+
        <BLANKLINE>
        """
        names = optional_names(by, "by")
        return levels(self, bind(self, events, names), by=names)

    def to_sql(self, dialect: str = "clickhouse", table: str = "events") -> str:
        """Return :meth:`levels` as a query for another system, to be run there and compared.

        Parameters
        ----------
        dialect : str
            "clickhouse"; the query calls its ``windowFunnel``.
        table : str
            The name of the table of events there.

        Returns
        -------
        str
            :func:`workbench.sql` reads it as this funnel. Times are of ClickHouse's type DateTime,
            which has whole seconds, or unsigned integers if the window is an integer.

        Raises
        ------
        WorkbenchError
            When the funnel uses what ``windowFunnel`` lacks, such as ``order`` or ``exclude``, or
            when a step is a Column.

        Examples
        --------
        >>> import workbench as wb
        >>> print(wb.Funnel(["signup", "checkout"], "1 hour", modes=["strict_order"]).to_sql())
        SELECT
          "user_id",
          windowFunnel(3600, 'strict_order')("timestamp", COALESCE("event" = 'signup', FALSE), \
COALESCE("event" = 'checkout', FALSE)) AS "level"
        FROM "events"
        WHERE
          "user_id" IS NOT NULL AND "timestamp" IS NOT NULL
        GROUP BY
          "user_id"
        """
        from workbench.funnel.as_sql import as_sql

        return as_sql(self, dialect, table)

    def steps(
        self,
        events: "TableLike | Prepared",
        by: str | Sequence[str] | None = None,
        largest: int | None = None,
    ) -> "pd.DataFrame":
        """Return how many reach each step, and how many are lost before it.

        Parameters
        ----------
        events : TableLike or Prepared
        by : str or sequence of str, optional
            A column or a cohort, or several; each combination of their values is a segment. The
            funnel's ``attribution`` sets at which step values are read, by default the first.
        largest : int, optional
            How many segments have rows of their own, those with the most users; the others are
            combined as ``"others"``, the last one.

        Returns
        -------
        pandas.DataFrame
            A row for each step (and segment): ``users`` who reached it, ``from_first`` and
            ``from_previous`` as shares, ``lost`` since the step before, and the median and 90th
            percentile of the time since the step before; with ``exclude``, ``excluded``: those
            whom an excluded event kept from the step; with ``start`` or ``end``, ``open``: how
            many of the lost may still go on, as their last first step lies less than a window
            before the last event of the data. Those who reached a required step are
            those who reached the next one, were lost before it, or were excluded.
            ``attrs["skipped"]`` is the number of rows that were left out, ``attrs["all"]`` how
            many of all segments reached each step, ``attrs["unit"]`` the plural noun for them,
            ``attrs["others"]`` how many segments are combined, and ``attrs["before"]`` for each
            step the required one before it, counted from 0.

        Warns
        -----
        WorkbenchWarning
            When rows were left out, or when a step matches no event; it lists the nearest names.

        Examples
        --------
        >>> import workbench as wb
        >>> clicks = wb.datasets.clickstream(wb.session(), users=500)
        >>> funnel = wb.Funnel(["signup", "add_to_cart", "checkout"], window="1 day")
        >>> table = funnel.steps(clicks)
        >>> table["step"].tolist(), bool(table["users"].is_monotonic_decreasing)
        (['signup', 'add_to_cart', 'checkout'], True)
        """
        from workbench.funnel.summary import summary_of

        return summary_of(self, events, by, largest=largest).steps

    def times(self, events: "TableLike | Prepared", bins: int = 30) -> "pd.DataFrame":
        """Return how long those who reached every step took, as a histogram.

        Parameters
        ----------
        events : TableLike or Prepared
        bins : int
            The most intervals, which have equal width.

        Returns
        -------
        pandas.DataFrame
            ``from``, ``to`` (exclusive except for the last) and ``users``, with empty intervals.

        Examples
        --------
        >>> import pandas as pd
        >>> import workbench as wb
        >>> spark = wb.session()
        >>> did = ["visit", "buy", "visit"]
        >>> events = pd.DataFrame({"user_id": [1, 1, 2], "timestamp": [0, 2, 1], "event": did})
        >>> wb.Funnel(["visit", "buy"], window=9).times(events)
           from  to  users
        0     0   1      0
        1     1   2      1
        """
        from workbench.funnel.summary import summary_of

        return summary_of(self, events, bins=bins, warn=False).times

    def summary(
        self,
        events: "TableLike | Prepared",
        by: str | Sequence[str] | None = None,
        bins: int = 30,
        largest: int | None = None,
    ) -> "Summary":
        """Return :meth:`steps` and :meth:`times`, computed in one Spark job.

        Parameters
        ----------
        events : TableLike or Prepared
        by : str or sequence of str, optional
            As :meth:`steps` takes it.
        bins : int
            The most intervals of time.
        largest : int, optional
            As :meth:`steps` takes it.

        Returns
        -------
        Summary
            Two pandas tables, ``steps`` and ``times``.

        Warns
        -----
        WorkbenchWarning
            As :meth:`steps`.

        Examples
        --------
        >>> import pandas as pd
        >>> import workbench as wb
        >>> spark = wb.session()
        >>> did = ["visit", "buy", "visit"]
        >>> events = pd.DataFrame({"user_id": [1, 1, 2], "timestamp": [0, 2, 1], "event": did})
        >>> found = wb.Funnel(["visit", "buy"], window=9).summary(events)
        >>> found.steps[["step", "users", "lost", "median_time"]]
            step  users  lost  median_time
        0  visit      2     0          NaN
        1    buy      1     1          2.0
        >>> found.times["users"].tolist()
        [0, 1]
        """
        from workbench.funnel.summary import summary_of

        return summary_of(self, events, by, bins, largest=largest)

    def trend(
        self,
        events: "TableLike | Prepared",
        every: "Duration" = "1 day",
        by: str | Sequence[str] | None = None,
        largest: int | None = None,
        confidence: float = 0.95,
    ) -> "pd.DataFrame":
        """Return how many reach each step, by the time of the first step.

        A key counts once in each period in which it takes the first step, with the best chain that
        begins there, as if the funnel had that ``start`` and ``end``; later steps may lie in later
        periods, and an event may be a step of chains of several periods. Each chain of
        ``count="conversions"``, and of steps in any order, counts in the period in which it begins.
        A key is *open* if its last first step of the period lies less than a window before the last
        event of the data: it may still go on, so shares are computed of the others only.

        Parameters
        ----------
        events : TableLike or Prepared
        every : str, timedelta or int
            The length of a period: ``"1 day"``, ``"1 week"`` (from Monday), ``"1 month"``,
            ``"quarter"``. Days and months are in the session's time zone; all periods are counted
            from the start of 1970. For a time column of integers, an integer, counted from 0. At
            most 10,000 points are returned.
        by : str or sequence of str, optional
            As :meth:`steps` takes it.
        largest : int, optional
            How many segments have rows of their own, those with the most entrants; the others are
            combined as ``"others"``, the last one.
        confidence : float
            The confidence of each single interval.

        Returns
        -------
        pandas.DataFrame
            A row for each (segment,) period and step: when the period begins (``from``) and ends
            (``to``), ``entrants``, how many of them are ``open``, ``users`` of the others who
            reached the step, their ``share`` and its interval, ``low`` and ``high`` (Wilson's, by
            statsmodels). Periods have no gaps up to the end of the data; shares of a period without
            entrants are missing. ``attrs["end"]`` is the time of the last event.

        Raises
        ------
        WorkbenchError
            When ``every`` is no duration, or makes too many periods.

        Warns
        -----
        WorkbenchWarning
            As :meth:`steps`.

        Examples
        --------
        >>> import workbench as wb
        >>> events = wb.session().sql('''
        ...     SELECT * FROM VALUES (1, 0, "visit"), (1, 5, "buy"), (2, 8, "visit"),
        ...     (1, 21, "visit"), (3, 25, "visit"), (3, 26, "buy") AS (user_id, timestamp, event)
        ... ''')
        >>> trend = wb.Funnel(["visit", "buy"], window=5).trend(events, every=10)
        >>> trend.loc[trend["step"] == "buy", ["from", "entrants", "open", "users", "share"]]
           from  entrants  open  users  share
        1     0         2     0      1    0.5
        3    10         0     0      0    NaN
        5    20         2     1      0    0.0
        """
        from workbench.funnel.trend import trend_of

        return trend_of(self, events, every, by, largest, confidence)

    def compare(
        self,
        events: "TableLike | Prepared",
        by: str | Sequence[str],
        baseline: Any = None,
        largest: int | None = None,
        confidence: float = 0.95,
    ) -> "pd.DataFrame":
        """Return how far each segment got, with intervals and tests of their differences.

        Parameters
        ----------
        events : TableLike or Prepared
        by : str or sequence of str
            A column or a cohort, or several, as :meth:`steps` takes it. Intervals of differences
            are valid if nobody is in two segments, so not with ``attribution="each"``.
        baseline : value or tuple, optional
            The segment that the others are compared with: its value, or one for each of ``by``;
            ``(None,)`` is the null, and NaN as :meth:`people` takes it. By default the largest.
        largest : int, optional
            How many segments have rows of their own, as for :meth:`steps`; fewer segments need
            fewer comparisons.
        confidence : float
            The confidence of each single interval of a share or a median, and of all intervals of
            differences together.

        Returns
        -------
        pandas.DataFrame
            A row for each segment and step: ``users`` who reached it, ``of`` those who took the
            first step, their ``share``, ``low`` and ``high`` (Wilson's interval). For all but the
            baseline and the first step ``difference``, the share minus the baseline's, with
            ``difference_low`` and ``difference_high`` (Newcombe's interval, corrected by Bonferroni
            so that all hold together) and ``p_value`` (the score test, adjusted by Holm);
            ``attrs["compared"]`` is the number of comparisons. ``median_time`` since the step
            before, with ``median_low`` and ``median_high``: order statistics, by the binomial
            distribution; missing below 6 users (at 95%). Shares and tests are by statsmodels.

        Raises
        ------
        WorkbenchError
            When there are fewer than two segments, or the baseline is not one of them.

        Warns
        -----
        WorkbenchWarning
            As :meth:`steps`.

        Examples
        --------
        >>> import workbench as wb
        >>> clicks = wb.datasets.clickstream(wb.session(), users=500)
        >>> funnel = wb.Funnel(["signup", "add_to_cart"], window="1 day")
        >>> found = funnel.compare(clicks, by="device").dropna(subset="difference")
        >>> found["step"].tolist(), found.attrs["baseline"]
        (['add_to_cart', 'add_to_cart'], ('mobile',))
        """
        from workbench.funnel.compare import compare_of

        return compare_of(self, events, by, baseline, largest, confidence)

    def people(
        self,
        events: "TableLike | Prepared",
        stopped_at: int | None = None,
        *,
        reached: str | int | None = None,
        by: str | Sequence[str] | None = None,
        segment: Any = None,
        entered: "Moment | None" = None,
        every: "Duration | None" = None,
        open: bool = False,
    ) -> "DataFrame":
        """Return the keys behind a number of a funnel, a trend or a comparison.

        Parameters
        ----------
        events : TableLike or Prepared
        stopped_at : int, optional
            Only those who stopped at this level: 0 for those who never took the first step, up to
            the number of steps.
        reached : str or int, optional
            Instead of ``stopped_at``: those who reached a step, by its label or number from 1; with
            steps in any order, those who took as many: ``"2 steps"`` or 2.
        by : str or sequence of str, optional
            Columns and cohorts to return as well.
        segment : value or tuple, optional
            Only those of one segment: its value, or one for each of ``by``; ``(None,)`` is the
            null. NaN is the segment of NaN, or if there is none the null, which pandas shows as NaN
            in a table of segments.
        entered : str, date, datetime, numpy.datetime64 or int, optional
            Only those who entered in the period of a trend that contains this time. If clocks show
            an hour twice, it is the first; a time with a zone is unambiguous.
        every : str, timedelta or int, optional
            With ``entered``: the length of a period, as :meth:`trend` takes it.
        open : bool
            Those whose window is not over at the end of the data: without ``entered`` the ``open``
            of :meth:`steps`; with it, they replace those whose window is over.

        Returns
        -------
        pyspark.sql.DataFrame
            As :meth:`levels`, with ``next_time`` and, if the event column is known,
            ``next_event``: the earliest event later than the last step reached. As the last line
            of a cell it shows its first rows if the events are prepared and so few that this
            starts no job; else it shows its columns, and nothing runs.

        Raises
        ------
        WorkbenchError
            When there is no such level, step or period.

        Examples
        --------
        >>> import workbench as wb
        >>> clicks = wb.datasets.clickstream(wb.session(), users=500)
        >>> funnel = wb.Funnel(["signup", "add_to_cart"], window="1 day")
        >>> week = dict(every="1 week", entered="2024-01-10", reached="add_to_cart")
        >>> trend = funnel.trend(clicks, every="1 week")
        >>> int(trend["users"][3]) == funnel.people(clicks, **week).count()
        True
        """
        from workbench.funnel.inspect.behind import PeopleQuery, people_behind
        from workbench.funnel.inspect.people import people_html

        names, open = optional_names(by, "by"), check_truth(open, "open")
        if reached is None and segment is None and entered is None and not open and every is None:
            check_level(self, stopped_at)
            people = levels(self, bind(self, events, names), by=names, levels=(stopped_at,))
            level = cast(int, stopped_at)
            set_html(people, lambda: people_html(self, events, level, people.columns))
            return people
        query = PeopleQuery(stopped_at, reached, names, segment, entered, every, open)
        return people_behind(self, events, query)

    def paths(
        self,
        events: "TableLike | Prepared",
        after: str | int | None = None,
        before: str | int | None = None,
        dropped: bool = False,
        longest: int = 5,
        most: int = 20,
    ) -> "Paths":
        """Return what people did between two steps, after one, or before one.

        A path has the events between the times of steps of a winning chain, those times excluded:
        with ``after`` and ``before``, all events between the two; with ``after`` alone, those that
        follow within the window of the funnel; with ``before`` alone, those that precede it within
        the same length of time. Immediate repeats of an event count as one; events of one time are
        ordered by name; those without a name are left out.

        Parameters
        ----------
        events : TableLike or Prepared
            This takes one shuffle, or none if they are prepared. If steps are conditions, the
            column of events is needed as well.
        after, before : str or int, optional
            Steps by label, or by number from 1. Only those who took them are counted.
        dropped : bool
            With ``after`` alone: only those who took no step after it.
        longest : int
            The most events of a path, 1 to 10: the first after ``after``, or without it the last
            before ``before``. Longer paths are cut, and counted separately.
        most : int
            How many paths are returned, the most frequent; all others are only counted.

        Returns
        -------
        Paths
            ``table``, ``others``, and ``people(path)``.

        Raises
        ------
        WorkbenchError
            When a step does not exist, or a column is missing.

        Warns
        -----
        WorkbenchWarning
            When rows were left out.

        Examples
        --------
        >>> import workbench as wb
        >>> spark = wb.session()
        >>> funnel = wb.Funnel(["signup", "checkout"], window="1 hour")
        >>> events = spark.sql('''
        ...     SELECT 1 AS user_id, timestamp_seconds(i) AS timestamp, event FROM (
        ...     SELECT posexplode(array("signup", "help", "help", "cart", "checkout"))
        ...     AS (i, event))
        ... ''')
        >>> found = funnel.paths(events, after="signup", before="checkout")
        >>> found.table
                   path   more  users  share
        0  (help, cart)  False      1    1.0
        >>> found.people(["help", "cart"]).show()
        +-------+
        |user_id|
        +-------+
        |      1|
        +-------+
        <BLANKLINE>
        """
        from workbench.funnel.behaviour.paths import paths_of

        return paths_of(self, events, after, before, dropped, longest, most)

    def drivers(
        self,
        events: "TableLike | Prepared",
        step: str | int,
        by: str | Sequence[str] = (),
        landmark: "Duration | None" = None,
        least: int = 20,
        adjust: str = "fdr_bh",
        most: int = 20,
    ) -> "Drivers":
        """Return which events and values distinguish those who went on to a step from the others.

        This is association and not cause: those who read the help page may go on more often
        because they already intended to buy.

        Those who go on are observed for a shorter time than those who drop off, so rare events
        would look like a reason to drop off. Therefore everybody who took the step before is
        watched for the same time from there, the landmark, and only those are compared who might
        still go on by then: those who went on earlier are left out and counted (``early``), and so
        are those whose window was over (``late``).

        Parameters
        ----------
        events : TableLike or Prepared
            This takes one shuffle, or none if they are prepared.
        step : str or int
            A required step after the first, by label or by number from 1.
        by : str or sequence of str
            Columns whose values are compared as well, as text: whether a person had one at the
            step before or within the landmark. 10,000 different values of each at the most.
        landmark : str, timedelta or int, optional
            How long everybody is watched; by default, a tenth of the step's window.
        least : int
            Only what at least this many of those compared have, and as many lack.
        adjust : str
            How p-values are adjusted for multiple tests: ``"fdr_bh"`` (Benjamini and Hochberg,
            the false discovery rate) or ``"holm"`` (Holm, the family-wise error rate).
        most : int
            How many are returned, those with the least adjusted p-values.

        Returns
        -------
        Drivers
            ``table``, ``looked_at``, and ``people(value)``. Odds ratios, Woolf's intervals and
            p-values are those of statsmodels' ``Table2x2``; if one of the four cells is empty,
            half a person is added to each.

        Raises
        ------
        WorkbenchError
            When the step or the landmark is invalid, or a column is missing.

        Warns
        -----
        WorkbenchWarning
            When rows were left out, or one of the two groups is empty.

        Examples
        --------
        >>> import workbench as wb
        >>> clicks = wb.datasets.clickstream(wb.session(), users=500)
        >>> funnel = wb.Funnel(["signup", "add_to_cart"], window="1 day")
        >>> found = funnel.drivers(clicks, step="add_to_cart", landmark="2 minutes")
        >>> found.table.columns[:4].tolist(), found.looked_at > 0
        (['column', 'value', 'went_on', 'dropped'], True)
        """
        from workbench.funnel.behaviour.drivers import drivers_of

        return drivers_of(self, events, step, by, landmark, least, adjust, most)

    def pieces(self, events: "TableLike") -> "DataFrame":
        """Return the keys of a table that are cut, with their numbers of rows and pieces.

        Parameters
        ----------
        events : TableLike

        Returns
        -------
        pyspark.sql.DataFrame
            The columns of the key, ``rows`` (an estimate, which counts only rows that fulfil a
            step if others are not shuffled) and ``pieces``; an underscore is appended to a name
            that the key already has. Without ``cut``, the keys that "auto" would cut. Nothing runs
            until it is used.

        Raises
        ------
        WorkbenchError
            When keys cannot be cut, or when the funnel does not fit the table.

        Examples
        --------
        >>> import workbench as wb
        >>> visits = wb.session().sql("SELECT 7 AS user_id, id AS timestamp, 'visit' AS event "
        ...     "FROM range(50)")
        >>> wb.Funnel(["visit", "buy"], window=2, cut=10).pieces(visits).show()
        +-------+----+------+
        |user_id|rows|pieces|
        +-------+----+------+
        |      7|  50|     5|
        +-------+----+------+
        <BLANKLINE>
        """
        if isinstance(events, Prepared):
            raise WorkbenchError("events: prepared events hold whole keys; give the table.")
        if self.uncut is not None:
            raise WorkbenchError(f"cut: each key is one task, because {self.uncut}.")
        return pieces(self, cast(BoundTable, bind(self, events)))

    def skipped(self, events: "TableLike | Prepared") -> int:
        """Return how many rows are left out because their key or their time is null.

        Parameters
        ----------
        events : TableLike or Prepared

        Returns
        -------
        int

        Examples
        --------
        >>> import pandas as pd
        >>> import workbench as wb
        >>> spark = wb.session()
        >>> events = pd.DataFrame({"user_id": ["ann", None], "timestamp": [0, 5], "event": "visit"})
        >>> wb.Funnel(["visit", "buy"], window=9).skipped(events)
        1
        """
        if isinstance(events, Prepared):
            return events.skipped
        return skipped_in(cast(BoundTable, bind(self, events)))

    def integer_time(self, events: "TableLike | Prepared") -> bool:
        """Return whether the events' time column holds integers."""
        if isinstance(events, Prepared):
            return events.integer_time
        return BoundTable.of(table(events), self.key, self.time).integer_time
