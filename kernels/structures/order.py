"""Sorting of rows: within each partition by time, and at equal times by step."""

import numpy as np

from kernels.core.kernel import Int64Column, Int64Scratch, Uint8Column, Uint32Column, kernel

#: Partitions up to this length are sorted by insertion, which is fast when they are in order.
SHORT = 64


@kernel
def group_rows(group: Uint32Column, offsets: Int64Scratch, order: Uint32Column) -> None:
    """Write the rows of every group, which may be anywhere, group by group.

    Parameters
    ----------
    group : uint32 array of shape (rows,)
        The number of each row's group. Written: the row's position in ``order``.
    offsets : int64 array of shape (groups + 1,)
        Written: group g owns the positions ``offsets[g]`` to ``offsets[g + 1]`` of ``order``.
    order : uint32 array of shape (rows,)
        Written: the rows of each group, in their order.

    Notes
    -----
    O(rows + groups).

    Examples
    --------
    >>> import numpy as np
    >>> group = np.array([1, 0, 1, 0], np.uint32)
    >>> offsets, order = np.zeros(3, np.int64), np.zeros(4, np.uint32)
    >>> group_rows(group, offsets, order)
    >>> offsets.tolist(), order.tolist(), group.tolist()
    ([0, 2, 4], [1, 3, 0, 2], [2, 0, 3, 1])
    """
    offsets[:] = 0
    for g in group:
        offsets[g + 1] += 1
    for g in range(1, len(offsets)):
        offsets[g] += offsets[g - 1]
    for i in range(len(group)):
        g = group[i]
        group[i] = offsets[g]
        order[offsets[g]] = i
        offsets[g] += 1  # The position after the group's last row so far.
    for g in range(len(offsets) - 1, 0, -1):
        offsets[g] = offsets[g - 1]
    offsets[0] = 0


@kernel
def in_order(time: Int64Column, step: Uint32Column) -> int:
    """Return 1 if the entries are sorted by (time, step), else 0.

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
def counting_sort(digit: Uint8Column, time: Int64Column, step: Uint32Column) -> None:
    """Sort entries by one digit of each, in place; the sort is stable.

    Parameters
    ----------
    digit : uint8 array of shape (entries,)
        Not changed.
    time : int64 array of shape (entries,)
    step : uint32 array of shape (entries,)

    Notes
    -----
    O(n + 256).

    Examples
    --------
    >>> import numpy as np
    >>> time, step = np.array([30, 10, 11]), np.array([1, 2, 3], np.uint32)
    >>> counting_sort(np.array([3, 1, 1], np.uint8), time, step)
    >>> time.tolist(), step.tolist()
    ([10, 11, 30], [2, 3, 1])
    """
    position = np.zeros(257, np.int64)
    for value in digit:
        position[np.int64(value) + 1] += 1
    for value in range(256):
        position[value + 1] += position[value]
    from_time, from_step = time.copy(), step.copy()
    for i in range(len(digit)):
        to = position[digit[i]]
        time[to], step[to] = from_time[i], from_step[i]
        position[digit[i]] += 1


@kernel
def radix_sort(time: Int64Column, step: Uint32Column) -> None:
    """Sort the entries of a long partition by (time, step), in place.

    Parameters
    ----------
    time : int64 array of shape (entries,)
        Microseconds.
    step : uint32 array of shape (entries,)

    Notes
    -----
    O(n) for each byte of the steps and of the span of time. Each pass is stable, so the last one,
    by the highest byte of the times, completes the order.

    Examples
    --------
    >>> import numpy as np
    >>> time, step = np.array([3, 1, 1]), np.array([1, 2, 1], np.uint32)
    >>> radix_sort(time, step)
    >>> time.tolist(), step.tolist()
    ([1, 1, 3], [1, 2, 1])
    """
    for shift in range(0, 32, 8):
        if step.max() >> np.uint32(shift) > 0:
            counting_sort((step >> np.uint32(shift)).astype(np.uint8), time, step)
    # As unsigned integers, distances from the earliest time are right even if int64 overflows.
    low = time.min()
    span = (time - low).view(np.uint64).max()
    for shift in range(0, 64, 8):
        if span >> np.uint64(shift) > 0:
            since = (time - low).view(np.uint64)
            counting_sort((since >> np.uint64(shift)).astype(np.uint8), time, step)


@kernel
def sort_entries(time: Int64Column, step: Uint32Column) -> None:
    """Sort the entries of a partition by (time, step), in place.

    Parameters
    ----------
    time : int64 array of shape (entries,)
        Microseconds.
    step : uint32 array of shape (entries,)

    Notes
    -----
    O(n): for entries in order, for short partitions nearly in order, and with a radix sort.

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
        radix_sort(time, step)
