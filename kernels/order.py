"""The order of entries in a partition: by time, and at equal times by step."""

import numpy as np

from kernels.kernel import Int64Column, Uint32Column, kernel

#: Partitions up to this length are sorted by insertion, which costs nothing when they are in order.
SHORT = 32


@kernel
def in_order(time: Int64Column, step: Uint32Column) -> int:
    """Return 1 when the entries are sorted by (time, step), else 0.

    Parameters
    ----------
    time : int64 array of shape (entries,)
        Microseconds.
    step : uint32 array of shape (entries,)

    Returns
    -------
    int

    Notes
    -----
    O(n), and it stops at the first pair that is out of order.

    Examples
    --------
    >>> import numpy as np
    >>> in_order(np.array([1, 1, 2]), np.array([1, 2, 1], np.uint32))
    1
    """
    for i in range(1, len(time)):
        if time[i] < time[i - 1] or (time[i] == time[i - 1] and step[i] < step[i - 1]):
            return 0
    return 1


@kernel
def insertion_sort(time: Int64Column, step: Uint32Column) -> None:
    """Sort the entries of a short partition by (time, step), in place.

    Parameters
    ----------
    time : int64 array of shape (entries,)
        Microseconds.
    step : uint32 array of shape (entries,)

    Notes
    -----
    O(n + inversions): linear when the entries are nearly in order, which events mostly are.

    Examples
    --------
    >>> import numpy as np
    >>> time, step = np.array([3, 1, 1]), np.array([1, 2, 1], np.uint32)
    >>> insertion_sort(time, step)
    >>> time.tolist(), step.tolist()
    ([1, 1, 3], [1, 2, 1])
    """
    for i in range(1, len(time)):
        now, k = time[i], step[i]  #: The entry at {now:time} looks for its place.
        j = i
        while j > 0 and (time[j - 1] > now or (time[j - 1] == now and step[j - 1] > k)):
            time[j], step[j] = time[j - 1], step[j - 1]
            j -= 1
        time[j], step[j] = now, k  #: Its place is {j}.


@kernel
def sort_entries(time: Int64Column, step: Uint32Column) -> None:
    """Sort the entries of a partition by (time, step), in place, and leave sorted ones alone.

    Parameters
    ----------
    time : int64 array of shape (entries,)
        Microseconds.
    step : uint32 array of shape (entries,)

    Notes
    -----
    O(n) when the entries are in order, else O(n log n). Two stable sorts, by the second key and
    then by the first, order by both.

    Examples
    --------
    >>> import numpy as np
    >>> time, step = np.array([3, 1, 1]), np.array([1, 2, 1], np.uint32)
    >>> sort_entries(time, step)
    >>> time.tolist(), step.tolist()
    ([1, 1, 3], [1, 2, 1])
    """
    if len(time) <= SHORT:
        insertion_sort(time, step)
    elif in_order(time, step) == 0:
        by_step = np.argsort(step, kind="mergesort")  #: Sorted by step first ...
        by_time = np.argsort(time[by_step], kind="mergesort")  #: ... then by time, ties kept.
        order = by_step[by_time]
        time[:], step[:] = time[order], step[order]
