"""The path of a user between two times: the events in order, without repetitions."""

from kernels.core.kernel import Int64Column, Int64Row, Uint32Column, kernel

NOTHING = -1
#: The code of an event without a name, which is not part of a path.
NO_NAME = 2**32 - 1


@kernel
def collapsed_path(
    time: Int64Column, code: Uint32Column, between: Int64Row, backwards: bool, path: Int64Row
) -> int:
    """Write one user's events between two times, with each run of equal events once.

    Parameters
    ----------
    time : int64 array of shape (rows,)
        Microseconds, ascending.
    code : uint32 array of shape (rows,)
        The code of the event; 2³² - 1 if it is unknown.
    between : int64 array of shape (2,)
        The first and the last time, inclusive; no row is used when the last is before the first.
    backwards : bool
        Whether the path is read from the last event back.
    path : int64 array of shape (longest,)
        Written: the codes in order, then -1; backwards, they start with the last event.

    Returns
    -------
    int
        The number of events; one more than ``longest`` if the path is cut.

    Notes
    -----
    O(rows) time.

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
