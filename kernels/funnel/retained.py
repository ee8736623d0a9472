"""Who came back, and when: the periods behind a user's first event that hold another one."""

from kernels.core.kernel import Int64Column, Int64Row, Uint32Column, kernel
from kernels.structures.instants import window_end

NONE = -1
FIRST, AGAIN = 1, 2


@kernel
def retained_periods(
    time: Int64Column, period: Int64Column, fulfils: Uint32Column, returned: Int64Row
) -> int:
    """Return one user's first event, and write by period the first event that came back to it.

    Parameters
    ----------
    time : int64 array of shape (rows,)
        Microseconds, ascending.
    period : int64 array of shape (rows,)
        The number of the period that each row lies in.
    fulfils : uint32 array of shape (rows,)
        1 for a row that begins, 2 for one that comes back, 3 for both, 0 for any other.
    returned : int64 array of shape (periods,)
        Written: the earliest row that came back in each period, counted from that of the first
        event; -1 where none did. A row comes back when its time is later than that of the first.

    Returns
    -------
    int
        The row of the first event, -1 without one.

    Notes
    -----
    O(rows + periods). Where a clock is put back, a later row may lie in an earlier period: it
    counts for that of the first event.

    Source: cohorts as PostHog and Amplitude draw them, "first time" and "return on".

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
            break  #: {time[i]:time}: behind the last of the periods, so nothing more can count.
        k = max(period[i] - period[first], 0)
        if returned[k] == NONE:
            returned[k] = i  #: {time[i]:time}: came back in period {k}.
    return first  #: The first event is row {first}.
