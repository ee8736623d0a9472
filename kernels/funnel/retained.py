"""Retention: the periods after a user's first event that contain a returning event."""

from kernels.core.kernel import Int64Column, Int64Row, Uint32Column, kernel
from kernels.structures.instants import window_end

NONE = -1
FIRST, AGAIN = 1, 2


@kernel
def retained_periods(
    time: Int64Column, period: Int64Column, fulfils: Uint32Column, returned: Int64Row
) -> int:
    """Return one user's first event, and write the first returning event of each period.

    Parameters
    ----------
    time : int64 array of shape (rows,)
        Microseconds, ascending.
    period : int64 array of shape (rows,)
        The number of each row's period.
    fulfils : uint32 array of shape (rows,)
        1 for a first event, 2 for a returning event, 3 for both, 0 for neither.
    returned : int64 array of shape (periods,)
        Written: the earliest returning row of each period, counted from the period of the first
        event; -1 if there is none. A row returns when its time is later than that of the first.

    Returns
    -------
    int
        The row of the first event, -1 without one.

    Notes
    -----
    O(rows + periods). When a clock is set back, a later row may be in an earlier period; it counts
    for the period of the first event.

    Source: the cohorts of PostHog and Amplitude, "first time" and "return on".

    Examples
    --------
    >>> import numpy as np
    >>> days = np.array([0, 0, 1, 3])
    >>> returned = np.empty(3, np.int64)
    >>> retained_periods(days * 24, days, np.array([1, 2, 2, 2], np.uint32), returned)
    0
    >>> returned.tolist()
    [-1, 2, -1]
    """
    returned[:] = NONE
    first = NONE  #: Nobody has begun, and {len(returned)} periods are empty.
    for i in range(len(time)):
        if first == NONE:
            if fulfils[i] & FIRST:
                first = i  #: {time[i]:time}: the first event; period 0 is {period[i]:period}.
            continue
        if not fulfils[i] & AGAIN or time[i] == time[first]:
            continue  #: {time[i]:time}: no return to what was begun.
        if period[i] > window_end(period[first], len(returned) - 1):
            break  #: {time[i]:time}: after the last of the periods, so nothing more can count.
        k = max(period[i] - period[first], 0)
        if returned[k] == NONE:
            returned[k] = i  #: {time[i]:time}: came back in period {k}.
    return first  #: The first event is row {first}.
