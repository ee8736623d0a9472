"""Numbered periods of equal length: clock time, days in a time zone, or months."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from workbench.columnar.instants import instants
from workbench.durations import DAY, MOST_TICKS

#: Weeks begin on a Monday, and 1970 began on a Thursday.
_TO_MONDAY = 3 * DAY


@dataclass(frozen=True)
class Periods:
    """Consecutive periods; number 0 contains the start of 1970, or the integer zero.

    Attributes
    ----------
    length : int
        In microseconds, in the unit of an integer time column, or in months.
    months : bool
        Whether the length counts months.
    zone : str, optional
        The time zone of days and months, for times that have one.
    integers : bool
        Whether times are integers, whose unit has no days.
    """

    length: int
    months: bool = False
    zone: str | None = None
    integers: bool = False

    @property
    def of_days(self) -> bool:
        """Whether the periods begin at midnight."""
        return self.months or (not self.integers and self.length % DAY == 0)

    @property
    def _shift(self) -> int:
        weeks = self.of_days and not self.months and self.length % (7 * DAY) == 0
        return _TO_MONDAY if weeks else 0

    def numbers(self, time: pa.Array) -> NDArray[np.int64]:
        """Return the number of the period that each time lies in.

        Parameters
        ----------
        time : pyarrow.Array
            Timestamps with or without a zone, dates, or integers; no nulls.

        Returns
        -------
        int64 array

        Examples
        --------
        >>> from datetime import date
        >>> days = pa.array([date(1970, 1, 4), date(1970, 1, 5), date(1969, 12, 31)])
        >>> Periods(7 * 86_400_000_000).numbers(days), Periods(1, months=True).numbers(days)
        (array([0, 1, 0]), array([ 0,  0, -1]))
        """
        if self.of_days and self.zone is not None and pa.types.is_timestamp(time.type):
            time = pc.local_timestamp(time.cast(pa.timestamp("us", self.zone)))
        ticks = instants(time)
        if self.months:
            month = ticks.astype("datetime64[us]").astype("datetime64[M]").astype(np.int64)
            return np.asarray(month // self.length)
        return np.asarray((ticks + self._shift) // self.length)

    def ends(self, numbers: NDArray[np.int64]) -> pa.Array:
        """Return when the next periods begin, the largest integer where there is none.

        Examples
        --------
        >>> Periods(10, integers=True).ends(np.array([-1, 2**63 // 10])).to_pylist()
        [0, 9223372036854775807]
        """
        return self.begins(np.minimum(numbers, MOST_TICKS - 1) + 1)

    def begins(self, numbers: NDArray[np.int64]) -> pa.Array:
        """Return when periods begin, as local time of the time zone; integers stay integers.

        Examples
        --------
        >>> Periods(3, months=True).begins(np.array([-1, 1])).to_pylist()
        [datetime.datetime(1969, 10, 1, 0, 0), datetime.datetime(1970, 4, 1, 0, 0)]
        """
        if self.months:
            begin = (numbers * self.length).astype("datetime64[M]").astype("datetime64[us]")
            return pa.array(begin)
        # The period of the smallest integers may begin below them.
        least, most = -(2**63 // self.length), MOST_TICKS // self.length
        begin = np.clip(numbers, least, most) * self.length
        begin = np.where(numbers < least, -(2**63), np.where(numbers > most, MOST_TICKS, begin))
        if self.integers:
            return pa.array(begin)
        if self.zone is None or self.of_days:
            return pa.array(begin - self._shift).cast(pa.timestamp("us"))
        return pc.local_timestamp(pa.array(begin).cast(pa.timestamp("us", self.zone)))
