"""What a user did between two times: the different events, one behind the other."""

from kernels.core.kernel import Int64Column, Int64Row, Uint32Column, kernel

NOTHING = -1
#: The code of an event without a name, which is no part of a path.
NO_NAME = 2**32 - 1


@kernel
def collapsed_path(
    time: Int64Column, code: Uint32Column, between: Int64Row, backwards: bool, path: Int64Row
) -> int:
    """Write one user's events between two times, each run of equal ones once, and count them.

    Parameters
    ----------
    time : int64 array of shape (rows,)
        Microseconds, ascending.
    code : uint32 array of shape (rows,)
        What happened, as a number; 2³² - 1 where that is not known.
    between : int64 array of shape (2,)
        The first and the last time that count, inclusive; none where the last lies before.
    backwards : bool
        Whether the path is read from its end.
    path : int64 array of shape (longest,)
        Written: the events as they follow, -1 behind the last; backwards, from the last one on.

    Returns
    -------
    int
        How many there are; one more than the longest where the path is cut.

    Notes
    -----
    O(rows) time: the scan ends with what it looks for.

    Examples
    --------
    >>> import numpy as np
    >>> time, code = np.arange(5), np.array([7, 3, 3, 4, 3], np.uint32)
    >>> path = np.empty(3, np.int64)
    >>> collapsed_path(time, code, np.array([1, 4]), False, path), path.tolist()
    (3, [3, 4, 3])
    """
    path[:] = NOTHING
    count = 0  #: Nothing is on the path, which has room for {len(path)} events.
    for j in range(len(time)):
        i = len(time) - 1 - j if backwards else j
        if time[i] < between[0] or time[i] > between[1] or code[i] == NO_NAME:
            continue
        if count > 0 and path[count - 1] == code[i]:
            continue  #: {time[i]:time}: the same again, so the path stays as it is.
        if count == len(path):
            return count + 1  #: {time[i]:time}: the path is cut, as it is as long as it may be.
        path[count] = code[i]
        count += 1  #: {time[i]:time}: event {count} of the path is {code[i]}.
    return count  #: The path has {count} events.
