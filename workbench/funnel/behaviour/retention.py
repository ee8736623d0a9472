"""Retention: how many of those who did something first came back in each later period."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow as pa

from workbench.arguments import check_truth, whole_number
from workbench.described import Described, facts_table, frame_table, noun
from workbench.durations import Duration
from workbench.errors import WorkbenchError, warn
from workbench.funnel.behaviour.retention_plan import CohortCounts, cohort_counts, people_of
from workbench.funnel.behaviour.retention_spec import BoundRetention, Happening, RetentionSpec
from workbench.funnel.bind import unit_of
from workbench.funnel.summary import unmatched_hint, warn_of_skipped
from workbench.funnel.worker.retention import MOST_COHORTS, CohortCell
from workbench.markup import Markup
from workbench.spark.jobs import in_one_sentence

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from workbench.funnel.prepared import Prepared
    from workbench.spark.sources.given import TableLike


class Retention(Described):
    """Who came back, by cohort and period; :func:`workbench.retention` makes it.

    Attributes
    ----------
    table : pandas.DataFrame
        A row for each cohort and each of its periods that has begun, in their order: ``cohort``
        (the begin of its own period, as local time of the Spark session; for integer times an
        integer), ``users`` in it, ``period`` (0 is the cohort's own), ``back`` (how many of them
        came back in it), ``share``, and ``open``: whether the period is not over at the last
        event, so that more may come back.
    skipped : int
        How many rows were left out because their key or time is null.
    unit : str
        The plural noun for the keys.
    spec : RetentionSpec
        What was computed.
    asked : BoundRetention
        The same, with its events.

    Examples
    --------
    Two users in the first period of ten; one of them came back in it, and again in the next one:

    >>> import pandas as pd
    >>> import workbench as wb
    >>> spark = wb.session()
    >>> visits = pd.DataFrame({"user_id": [1, 1, 1, 2], "timestamp": [0, 9, 12, 3]})
    >>> found = wb.retention(visits, {"a visit": "true"}, every=10, periods=1)
    >>> found
    <retention: 2 users in 1 cohort every 10, a visit → a visit>
    >>> found.table
       cohort  users  period  back  share   open
    0       0      2       0     1    0.5  False
    1       0      2       1     1    0.5   True
    """

    def __init__(self, asked: BoundRetention, counts: CohortCounts) -> None:
        self.asked, self._numbers = asked, counts.numbers
        self.spec, self.skipped = asked.spec, counts.skipped
        self.unit = unit_of(asked.funnel, asked.events)
        self.table = _table(asked, counts)

    def __repr__(self) -> str:
        cohorts = self._cohorts()
        users = int(cohorts["users"].sum())
        return (
            f"<retention: {users:,} {noun(users, self.unit)} in {len(cohorts):,} "
            f"{noun(len(cohorts), 'cohorts')} every {self.spec.every}, "
            f"{self.spec.label} → {self.spec.again_label}>"
        )

    def _described(self) -> Markup:
        title = f"Came back: {self.spec.label} → {self.spec.again_label}, every {self.spec.every}"
        if self.table.empty:
            return facts_table(title, {"cohorts": "none"})
        wide = self.triangle().reset_index()
        formats = dict.fromkeys(wide.columns[2:], "{:.1%}".format)
        return frame_table(title, wide, heads={"users": self.unit}, shown=formats)

    def triangle(self) -> pd.DataFrame:
        """Return the shares with a row for each cohort and a column for each period.

        Returns
        -------
        pandas.DataFrame
            Its index are the cohorts; ``users``, then ``"0"``, ``"1"``, …: the share that came
            back, NaN where the period is not over.

        Examples
        --------
        >>> import workbench as wb
        >>> visits = wb.session().sql("SELECT 1 AS user_id, explode(array(0, 9, 12)) AS timestamp")
        >>> found = wb.retention(visits, {"a visit": "true"}, every=10, periods=1)
        >>> found.triangle().reset_index()
           cohort  users    0   1
        0       0      1  1.0 NaN
        """
        cohorts = self._cohorts()
        row = (self.table["period"] == 0).cumsum().to_numpy() - 1
        over = ~self.table["open"].to_numpy()
        shares = np.full((len(cohorts), self.spec.periods + 1), np.nan)
        shares[row[over], self.table["period"][over]] = self.table["share"][over]
        index = pd.Index(cohorts["cohort"], name="cohort")
        wide = pd.DataFrame(shares, index, [str(k) for k in range(self.spec.periods + 1)])
        wide.insert(0, "users", cohorts["users"].to_numpy())
        return wide

    def _cohorts(self) -> pd.DataFrame:
        """Return the first row of each cohort; in an hour that clocks repeat, two look alike."""
        return self.table[self.table["period"] == 0]

    def people(self, cohort: Any, period: int | None = None, back: bool = True) -> "DataFrame":
        """Return the keys of a cell, or of a whole cohort.

        Parameters
        ----------
        cohort : Timestamp, datetime, date, str or int
            One of the cohorts of :attr:`table`. If clocks show an hour twice, it is the first; a
            time with a zone is unambiguous.
        period : int, optional
            The cell's period, from 0; without it, everybody in the cohort.
        back : bool
            Whether to return those who came back in that period, or those who did not.

        Returns
        -------
        pyspark.sql.DataFrame
            The key's columns, ``first_time``, and ``again_time``: the first return in that period,
            null without one. Nothing runs until it is used.

        Raises
        ------
        WorkbenchError
            When there is no such cell.

        Examples
        --------
        >>> import workbench as wb
        >>> visits = wb.session().sql("SELECT 1 AS user_id, explode(array(0, 9, 12)) AS timestamp")
        >>> found = wb.retention(visits, {"a visit": "true"}, every=10, periods=1)
        >>> found.people(0, period=1).show()
        +-------+----------+----------+
        |user_id|first_time|again_time|
        +-------+----------+----------+
        |      1|         0|        12|
        +-------+----------+----------+
        <BLANKLINE>
        """
        back = check_truth(back, "back")
        if period is not None and whole_number(period) not in range(self.spec.periods + 1):
            raise WorkbenchError(
                f"period: {period!r} is not a period; give 0 to {self.spec.periods}, "
                "or leave it out."
            )
        if period is None and not back:
            raise WorkbenchError("back: it is for one period; name the period, or leave it out.")
        return people_of(self.asked, CohortCell(self._number(cohort), whole_number(period), back))

    def _number(self, cohort: Any) -> int:
        """Return the number of a cohort's period."""
        known, periods = self._cohorts()["cohort"].tolist(), self.asked.periods
        try:
            requested = cohort if periods.integers else pd.Timestamp(cohort)
            if getattr(requested, "tzinfo", None) is not None and periods.zone is not None:
                time = pa.array([requested], pa.timestamp("us", "UTC"))
                return self._numbers[self._numbers.index(int(periods.numbers(time)[0]))]
            return self._numbers[known.index(requested)]
        except (ValueError, TypeError):
            available = f"there are {_cohorts_text(known)}" if known else "there is none"
            raise WorkbenchError(f"cohort: {cohort!r} is not a cohort; {available}.") from None


def _cohorts_text(cohorts: list[Any]) -> str:
    some = [str(one).removesuffix(" 00:00:00") for one in cohorts]
    return ", ".join(some) if len(some) < 6 else f"{', '.join(some[:3])} and more, to {some[-1]}"


def _table(bound: BoundRetention, counts: CohortCounts) -> pd.DataFrame:
    begins = bound.periods.begins(np.array(counts.numbers, np.int64)).to_pandas()
    # Periods of a cohort that begin after the last event are unknown, and have no rows.
    most = bound.spec.periods
    periods_begun = [min(counts.last - number, most) + 1 for number in counts.numbers]
    row = np.repeat(np.arange(len(periods_begun)), periods_begun)
    period = np.concatenate([*map(np.arange, periods_begun), np.zeros(0, np.int64)])
    users = np.array(counts.users, np.int64)[row]
    back = np.array(counts.back, np.int64).reshape(len(periods_begun), most + 1)
    returned = back[row, period]
    open_ = [counts.numbers[i] + int(k) == counts.last for i, k in zip(row, period, strict=True)]
    return pd.DataFrame(
        {
            "cohort": begins.to_numpy()[row],
            "users": users,
            "period": period,
            "back": returned,
            "share": returned / users,
            "open": np.array(open_, bool),
        }
    )


def _warn_of_unmatched(bound: BoundRetention, counts: CohortCounts) -> None:
    """Warn if nobody did an event because the data has none."""
    nobody = {"first": not counts.users, "again": not any(map(any, counts.back))}
    labels = {"first": bound.spec.label, "again": bound.spec.again_label}
    for argument in ("first",) if bound.spec.again is None else ("first", "again"):
        if nobody[argument]:
            label = labels[argument]
            if (hint := unmatched_hint(bound.funnel, bound.events, label)) is not None:
                warn(f"{argument}: {label!r} matches no event; {hint}")


def retention(
    events: "TableLike | Prepared",
    first: Happening,
    again: Happening | None = None,
    every: Duration = "1 week",
    periods: int = 8,
    key: str | Sequence[str] = "user_id",
    time: str = "timestamp",
    event: str = "event",
    unit: str | None = None,
) -> Retention:
    """Count who came back, by the period of their first event and the periods after it.

    Everybody is in one cohort: that of the period of their first ``first`` event. They came back in
    a period if one of their ``again`` events lies in it and is later than the first event; this
    includes period 0, the cohort's own. Periods are calendar periods, as in PostHog, and not
    counted from each person's own first event: weeks begin on Mondays; days, months, quarters and
    years begin at midnight in the Spark session's time zone; shorter periods, and multiples such as
    2 days, are counted from 1970. The period that holds the last event of all is not over: its
    cells are ``open``, and there are no later ones.

    Parameters
    ----------
    events : TableLike or Prepared
        Prepared events need no further scan and shuffle. Rows whose key or time is null are left
        out and counted.
    first : str, list of str, or dict of str to (str or Column)
        What people begin with: the name of an event, several names, or a condition by its label.
    again : str, list of str, or dict of str to (str or Column), optional
        What they come back to do; by default the same as ``first``.
    every : str, timedelta or int
        The length of a period: ``"1 day"``, ``"1 month"``; an integer only if the time column
        holds integers, in its unit.
    periods : int
        How many periods after a cohort's own are counted, 1 to 366.
    key, time, event, unit
        As :class:`workbench.Funnel` takes them.

    Returns
    -------
    Retention
        ``table``, ``triangle()``, and ``people(cohort, period)``. The newest 1,000 cohorts.

    Raises
    ------
    WorkbenchError
        When a column is missing or has a wrong type, or an argument is invalid.

    Warns
    -----
    WorkbenchWarning
        When rows or cohorts were left out, or an event matches none; it lists the nearest names.

    Examples
    --------
    >>> import workbench as wb
    >>> clicks = wb.datasets.clickstream(wb.session(), users=500)
    >>> found = wb.retention(clicks, "signup", "add_to_cart", every="1 week", periods=3)
    >>> found.table.columns.tolist()
    ['cohort', 'users', 'period', 'back', 'share', 'open']
    >>> bool((found.table["back"] <= found.table["users"]).all())
    True
    """
    spec = RetentionSpec.of(first, again, every, periods, key, time, event, unit)
    bound = spec.bound(events)
    with in_one_sentence():
        counts = cohort_counts(bound)
    warn_of_skipped(bound.funnel, counts.skipped)
    if counts.cohorts > len(counts.numbers):
        warn(
            f"every: there are {counts.cohorts:,} cohorts, and the newest {MOST_COHORTS:,} are "
            "returned; give longer periods."
        )
    _warn_of_unmatched(bound, counts)
    return Retention(bound, counts)
