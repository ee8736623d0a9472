"""The funnel on Spark: who got how far through a sequence of steps, and how fast."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from workbench.described import shown_as
from workbench.funnel.bind import bind
from workbench.funnel.checks import check_level
from workbench.funnel.plan import levels
from workbench.funnel.prepared import Prepared, prepare
from workbench.funnel.spec import FunnelSpec
from workbench.spark.shuffle import any_of, skipped_in
from workbench.spark.sources.given import table
from workbench.spark.table import BoundTable

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql import DataFrame

    from workbench.funnel.summary import Summary
    from workbench.spark.sources.given import TableLike


class Funnel(FunnelSpec):
    """A sequence of steps that each user may pass through within a window of time.

    The answers are those of ClickHouse's ``windowFunnel``, in every mode. With ``order``,
    ``optional``, ``within`` or ``exclude`` they are those of product analytics: one event is used
    for one step; of several chains of steps the one that got furthest counts, then the one that
    began last, then the one with most optional steps; and events of one time are taken in the
    order of their steps.

    Parameters
    ----------
    steps : list of (str or list of str), or dict of str to (str or Column)
        Names of events in the column ``event``, or several names for a step that is any of them;
        or conditions by label, as SQL text or Columns. 1 to 32 steps.
    window : str, timedelta or int
        The longest time from the first step to the last, inclusive: text with a unit such as
        ``"1 hour"``; an integer only where the time column holds integers, in its unit.
    key : str or list of str
        The column or columns whose values are one user.
    time : str
        A column of timestamps (with or without a zone), dates or integers.
    event : str
        The column of event names.
    modes : sequence of str
        Any of ``strict_order``: no other event may come between the steps;
        ``strict_deduplication``: a step that repeats ends the funnel; ``strict_increase``: each
        step is later than the one before, not at the same time; ``strict_once``: a row counts for
        one step only; ``allow_reentry``: with ``strict_order``, a step too far ahead is passed
        over.
    unit : str, optional
        What the keys are, in the plural, for labels: ``"aircraft"``. Without it, the ``"unit"`` in
        the metadata of the key's column, or ``"users"``.
    order : str
        ``"this"``: other events may come between the steps. ``"strict"``: none may, and the
        furthest step is kept (PostHog's; ClickHouse's ``strict_order`` ends the whole scan at the
        first event between). ``"any"``: the steps in any sequence; the level is how many
        different steps one window holds.
    optional : list of (str or int)
        Steps, by label or by number from 1, that may be left out: those who skip one still go on.
        Never the first. Shares, losses and times of a step are since the last required step.
    within : dict of (str or int) to (str, timedelta or int)
        For steps that have a window of their own: the longest time since the last required step
        before, inclusive.
    exclude : str, list of str, or dict of str to (str, str)
        Events that must not happen between two required steps: ``{"refund": ("cart", "pay")}``;
        a name alone, between the first step and the last. With conditions,
        ``{"refunded": ("amount < 0", "cart", "checkout")}``. An event that is used for a step of
        a chain does not exclude it, nor does one behind the window.
    exclude_from : str
        Where those are counted whose furthest chain an excluded event has ended, unless another
        chain of theirs got further. ``"later"``: they keep the steps before it, as Mixpanel's, and
        the table of steps counts them as ``excluded`` instead of ``lost``. ``"all"``: they leave
        every step, as PostHog's, unless a later chain got as far again.

    Raises
    ------
    WorkbenchError
        When the steps, the window or the modes cannot be meant.

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
        """Scan, shuffle and sort the events once, to ask this funnel and its variants again.

        Parameters
        ----------
        events : TableLike
        keep : sequence of str
            Further columns to hold, for segments.

        Returns
        -------
        Prepared
        """
        what = self.looked_for if isinstance(self.looked_for, dict) else self.event
        return prepare(events, self.key, self.time, what, keep)

    def levels(
        self, events: "TableLike | Prepared", by: str | Sequence[str] | None = None
    ) -> "DataFrame":
        """Return how far each key got, as one row for every key of the input.

        Parameters
        ----------
        events : TableLike or Prepared
            Rows whose key or time is null are left out; :meth:`skipped` counts them.
        by : str or sequence of str, optional
            Columns whose values at the first step of the winning chain are returned as well.

        Returns
        -------
        pyspark.sql.DataFrame
            The key's columns, ``level`` (0 to the number of steps; with optional steps, the number
            of the furthest required one), and ``reached``: the times of each step on the winning
            chain, null for one that was left out, in any order the times as they follow. With
            ``exclude``, ``excluded``: whether an excluded event has ended a chain of that level.
            Nothing runs until it is used.

        Raises
        ------
        WorkbenchError
            When a column is missing or has a wrong type.
        """
        names = any_of(by, "by")
        return levels(self, bind(self, events, names), by=names)

    def steps(
        self, events: "TableLike | Prepared", by: str | Sequence[str] | None = None
    ) -> "pd.DataFrame":
        """Return what each step keeps and loses.

        Parameters
        ----------
        events : TableLike or Prepared
        by : str or sequence of str, optional
            A column, or several; their values at the first step are a segment.

        Returns
        -------
        pandas.DataFrame
            A row for each step (and segment): ``users`` who reached it, ``from_first`` and
            ``from_previous`` as shares, ``lost`` since the step before, and the median and 90th
            percentile of the time since the step before; with ``exclude``, ``excluded``: those
            whom an excluded event has kept from the step. Those who reached a required step are
            those who reached the next one, were lost before it, or were excluded.
            ``attrs["skipped"]`` is the number of
            rows that were left out, ``attrs["all"]`` those of all segments who reached each step,
            ``attrs["unit"]`` what they are.

        Warns
        -----
        WorkbenchWarning
            When rows were left out, or when a step matches no event; the nearest names are given.

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

        return summary_of(self, events, by).steps

    def times(self, events: "TableLike | Prepared", bins: int = 30) -> "pd.DataFrame":
        """Return how long those who reached every step took, as a histogram.

        Parameters
        ----------
        events : TableLike or Prepared
        bins : int
            How many intervals of equal width, at the most.

        Returns
        -------
        pandas.DataFrame
            ``from``, ``to`` (exclusive, but for the last) and ``users``, empty intervals included.
        """
        from workbench.funnel.summary import summary_of

        return summary_of(self, events, bins=bins, warn=False).times

    def summary(
        self, events: "TableLike | Prepared", by: str | Sequence[str] | None = None, bins: int = 30
    ) -> "Summary":
        """Return :meth:`steps` and :meth:`times` of one question to Spark.

        Parameters
        ----------
        events : TableLike or Prepared
        by : str or sequence of str, optional
            A column, or several; their values at the first step are a segment of the steps.
        bins : int
            How many intervals of time, at the most.

        Returns
        -------
        Summary
            Two pandas tables, ``steps`` and ``times``.

        Warns
        -----
        WorkbenchWarning
            As :meth:`steps`.
        """
        from workbench.funnel.summary import summary_of

        return summary_of(self, events, by, bins)

    def people(self, events: "TableLike | Prepared", stopped_at: int) -> "DataFrame":
        """Return the keys that stopped at a level, and what they did next.

        Parameters
        ----------
        events : TableLike or Prepared
        stopped_at : int
            The level: 0 for those who never took the first step, up to the number of steps.

        Returns
        -------
        pyspark.sql.DataFrame
            As :meth:`levels`, with ``next_time`` and, where the event column is known,
            ``next_event``: the earliest event later than the last step reached. As the last line
            of a cell it shows its first rows where the events are prepared and so few that this
            starts no job; else its columns, and nothing runs.
        """
        from workbench.funnel.inspect.people import people_html

        check_level(self, stopped_at)
        people = levels(self, bind(self, events), levels=(stopped_at,))
        shown_as(people, lambda: people_html(self, events, stopped_at, people.columns))
        return people

    def skipped(self, events: "TableLike | Prepared") -> int:
        """Return how many rows are left out because their key or their time is null.

        Parameters
        ----------
        events : TableLike or Prepared

        Returns
        -------
        int
        """
        if isinstance(events, Prepared):
            return events.skipped
        return skipped_in(cast(BoundTable, bind(self, events)))

    def integer_time(self, events: "TableLike | Prepared") -> bool:
        """Say whether the events' time column holds integers."""
        if isinstance(events, Prepared):
            return events.integer_time
        return BoundTable.of(table(events), self.key, self.time).integer_time
