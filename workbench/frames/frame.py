"""Frames: which rows around the current one a window function sees."""

from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from workbench.arguments import check_known
from workbench.errors import WorkbenchError
from workbench.frames.bounds import (
    Offset,
    PerRow,
    check_bounds,
    ends_early,
    is_column,
    read_count,
    read_distance,
)

if TYPE_CHECKING:
    from pyspark.sql import Column

UNITS = ("rows", "range", "groups", "session")
EXCLUSIONS = ("no others", "current row", "group", "ties")


@dataclass(frozen=True)
class Frame:
    """The rows that a window function sees, from one bound to the other, both inclusive.

    Make one with :meth:`rows`, :meth:`range`, :meth:`groups` or :meth:`session`. A bound is a
    signed distance from the current row: negative is before it, zero is the row (or its peers),
    positive is after it, None is no bound. A Column gives a distance per row, which must not be
    null. A frame that begins after its end is empty.

    Attributes
    ----------
    unit : str
        "rows", "range", "groups" or "session".
    low, high : Offset or None
        For a session, its gap on both sides.
    exclude : str
        "no others", "current row", "group" (the row and its peers) or "ties" (its peers alone).

    Examples
    --------
    >>> Frame.rows(-3, 3)
    wb.Frame.rows(-3, 3)
    >>> Frame.range("-3 days", "3 days", exclude="current row")
    wb.Frame.range('-3 days', '3 days', exclude='current row')
    >>> Frame.groups(None, 0)
    wb.Frame.groups(None, 0)

    With a Column, every row has its own frame:

    >>> import workbench as wb
    >>> from pyspark.sql import functions as F
    >>> rows = wb.session().sql("SELECT id, id % 3 AS n FROM range(5)")
    >>> frame = Frame.rows(-F.col("n"), 0)
    >>> wb.over(rows, order_by="id", frame=frame, total=wb.fn.sum("id")).orderBy("id").show()
    +---+---+-----+
    | id|  n|total|
    +---+---+-----+
    |  0|  0|    0|
    |  1|  1|    1|
    |  2|  2|    3|
    |  3|  0|    3|
    |  4|  1|    7|
    +---+---+-----+
    <BLANKLINE>
    """

    unit: str
    low: Offset | None
    high: Offset | None
    exclude: str = "no others"
    given: tuple[Any, Any] = field(default=(None, None), compare=False)

    def __post_init__(self) -> None:
        check_known(self.unit, UNITS, "unit")
        check_known(self.exclude, EXCLUSIONS, "exclude")
        for name, bound in (("low", self.low), ("high", self.high)):
            if not isinstance(bound, Offset | None):
                raise WorkbenchError(
                    f"{name}: {bound!r} is not a parsed bound; make the frame with "
                    f"wb.Frame.{self.unit}(...)."
                )

    @classmethod
    def rows(
        cls,
        low: "int | Column | None",
        high: "int | Column | None",
        *,
        exclude: str = "no others",
    ) -> "Frame":
        """Return a frame that counts rows.

        Parameters
        ----------
        low, high : int, Column or None
            Where the frame begins and ends, in rows from the current one.
        exclude : str
            "no others", "current row", "group" or "ties".

        Returns
        -------
        Frame

        Raises
        ------
        WorkbenchError
            When a bound is not an integer.

        Warns
        -----
        WorkbenchWarning
            When the frame ends before it begins, so that it is empty.

        Examples
        --------
        The row before, the row and the row after:

        >>> import pandas as pd
        >>> import workbench as wb
        >>> spark = wb.session()
        >>> days = pd.DataFrame({"day": [1, 2, 3], "mwh": [5, 7, 6]})
        >>> frame = Frame.rows(-1, 1)
        >>> wb.over(days, order_by="day", frame=frame, usual=wb.fn.median("mwh")).show()
        +---+---+-----+
        |day|mwh|usual|
        +---+---+-----+
        |  1|  5|  6.0|
        |  2|  7|  6.0|
        |  3|  6|  6.5|
        +---+---+-----+
        <BLANKLINE>
        """
        return cls._checked("rows", low, high, exclude)

    @classmethod
    def groups(
        cls,
        low: "int | Column | None",
        high: "int | Column | None",
        *,
        exclude: str = "no others",
    ) -> "Frame":
        """Return a frame that counts groups of peers: rows that are equal in the order.

        Parameters
        ----------
        low, high : int, Column or None
            Where the frame begins and ends, in groups from the current row's group.
        exclude : str
            "no others", "current row", "group" or "ties".

        Returns
        -------
        Frame

        Raises
        ------
        WorkbenchError
            When a bound is not an integer.

        Warns
        -----
        WorkbenchWarning
            When the frame ends before it begins, so that it is empty.

        Examples
        --------
        All rows of the day, and of the last day before that has rows:

        >>> import pandas as pd
        >>> import workbench as wb
        >>> spark = wb.session()
        >>> days = pd.DataFrame({"day": [1, 1, 2, 9]})
        >>> wb.over(days, order_by="day", frame=Frame.groups(-1, 0), seen=wb.fn.count()).show()
        +---+----+
        |day|seen|
        +---+----+
        |  1|   2|
        |  1|   2|
        |  2|   3|
        |  9|   2|
        +---+----+
        <BLANKLINE>
        """
        return cls._checked("groups", low, high, exclude)

    @classmethod
    def range(
        cls,
        low: "int | float | Decimal | str | timedelta | Column | None",
        high: "int | float | Decimal | str | timedelta | Column | None",
        *,
        exclude: str = "no others",
    ) -> "Frame":
        """Return a frame that measures distances along the one order column.

        Parameters
        ----------
        low, high : number, str, timedelta, Column or None
            Where the frame begins and ends, as distances from the current row's value. Along
            numbers, a distance is a number. Along times, it is a duration such as ``"-3 days"``,
            which is exact time, or ``"-1 month"`` (months, quarters, years), which follows the
            calendar. 0 stands for the current row's peers, whatever the column holds. A Column
            holds numbers along numbers, and intervals along times.
        exclude : str
            "no others", "current row", "group" or "ties".

        Returns
        -------
        Frame

        Raises
        ------
        WorkbenchError
            When a bound is neither a number nor a duration.

        Warns
        -----
        WorkbenchWarning
            When the frame ends before it begins, so that it is empty.

        Examples
        --------
        From two days before to the day itself, whether or not these days have rows:

        >>> import pandas as pd
        >>> import workbench as wb
        >>> spark = wb.session()
        >>> days = pd.DataFrame({"day": [1, 2, 4, 8]})
        >>> frame = Frame.range(-2, 0)
        >>> wb.over(days, order_by="day", frame=frame, usual=wb.fn.median("day")).show()
        +---+-----+
        |day|usual|
        +---+-----+
        |  1|  1.0|
        |  2|  1.5|
        |  4|  3.0|
        |  8|  8.0|
        +---+-----+
        <BLANKLINE>
        """
        return cls._checked("range", low, high, exclude)

    @classmethod
    def session(
        cls, gap: "int | float | Decimal | str | timedelta", *, exclude: str = "no others"
    ) -> "Frame":
        """Return a frame that is the row's session: rows less than a gap apart.

        A row that is a gap or more after the row before it starts a new session. Each row whose
        order value is null is a session of its own.

        Parameters
        ----------
        gap : number, str or timedelta
            Above zero. Along numbers, a number; along times, a duration such as
            ``"30 minutes"``, or ``"1 month"``, which follows the calendar.
        exclude : str
            "no others", "current row", "group" or "ties".

        Returns
        -------
        Frame

        Raises
        ------
        WorkbenchError
            When the gap is neither a number nor a duration, or is not above zero.

        Examples
        --------
        >>> import pandas as pd
        >>> import workbench as wb
        >>> spark = wb.session()
        >>> visits = pd.DataFrame({"minute": [1, 3, 40, 44, 45]})
        >>> begin, clicks = wb.fn.first("minute"), wb.fn.count()
        >>> frame = Frame.session(30)
        >>> wb.over(visits, order_by="minute", frame=frame, begin=begin, clicks=clicks).show()
        +------+-----+------+
        |minute|begin|clicks|
        +------+-----+------+
        |     1|    1|     2|
        |     3|    1|     2|
        |    40|   40|     3|
        |    44|   40|     3|
        |    45|   40|     3|
        +------+-----+------+
        <BLANKLINE>
        """
        check_known(exclude, EXCLUSIONS, "exclude")
        high = None if is_column(gap) else read_distance(gap, "gap", "session")
        if high is None:
            raise WorkbenchError(
                f"gap: {gap!r} is not a single gap for all rows; give a number, or a duration "
                "such as '30 minutes'."
            )
        if high.amount <= 0:
            raise WorkbenchError(
                f"gap: {gap!r} is not above zero, and rows a gap apart are in two sessions; "
                "give a longer one."
            )
        return cls("session", high._replace(amount=-high.amount), high, exclude, (gap, gap))

    @classmethod
    def _checked(cls, unit: str, low: Any, high: Any, exclude: str) -> "Frame":
        check_known(exclude, EXCLUSIONS, "exclude")
        read_bound = read_distance if unit == "range" else read_count
        begin, end = read_bound(low, "low", unit), read_bound(high, "high", unit)
        frame = cls(unit, begin, end, exclude, (low, high))
        if begin is not None and end is not None and not frame.varies:
            check_bounds(begin, end, low, high)
        return frame

    def __repr__(self) -> str:
        low, high = self.given
        exclude = "" if self.exclude == "no others" else f", exclude={self.exclude!r}"
        if self.unit == "session":
            return f"wb.Frame.session({high!r}{exclude})"
        return f"wb.Frame.{self.unit}({low!r}, {high!r}{exclude})"

    @property
    def measured(self) -> str | None:
        """The unit of distances along the order: "number", "microseconds", "months", or None.

        Examples
        --------
        >>> Frame.range("-3 days", 0).measured, Frame.range("-1 year", 0).measured
        ('microseconds', 'months')
        >>> Frame.range(-3, 0).measured, Frame.rows(-3, 0).measured
        ('number', None)
        """
        for bound in (self.low, self.high):
            if self.unit in ("range", "session") and bound is not None and bound.amount != 0:
                return bound.unit
        return None

    @property
    def varies(self) -> bool:
        """Whether a bound is a Column, so that the frame differs from row to row.

        Examples
        --------
        >>> import workbench as wb
        >>> from pyspark.sql import functions as F
        >>> spark = wb.session()
        >>> Frame.rows(-F.col("n"), 0).varies, Frame.rows(-3, 0).varies
        (True, False)
        """
        bounds = (self.low, self.high)
        return any(bound is not None and isinstance(bound.amount, PerRow) for bound in bounds)

    @property
    def is_empty(self) -> bool:
        """Whether every frame is empty, because it begins after its end.

        Examples
        --------
        >>> import warnings
        >>> with warnings.catch_warnings(action="ignore"):
        ...     Frame.rows(2, 1).is_empty
        True
        >>> Frame.rows(1, 2).is_empty
        False
        """
        return ends_early(self.low, self.high)

    @property
    def is_whole(self) -> bool:
        """Whether every row of the partition is in every frame.

        Examples
        --------
        >>> Frame.rows(None, None).is_whole, Frame.rows(None, 0).is_whole
        (True, False)
        """
        return self.low is None and self.high is None and self.exclude == "no others"

    @property
    def is_running(self) -> bool:
        """Whether the frame goes from the partition's first row to the current row or its peers.

        Examples
        --------
        >>> Frame.rows(None, 0).is_running, Frame.rows(None, 1).is_running
        (True, False)
        """
        up_to_here = self.high is not None and self.high.amount == 0
        return self.low is None and up_to_here and self.exclude == "no others"


#: SQL's default frames: with an order, and without one.
RUNNING, WHOLE = Frame.range(None, 0), Frame.range(None, None)
