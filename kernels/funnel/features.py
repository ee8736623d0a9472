"""Of how many users in each group something is true: each user and thing counted once."""

from kernels.core.kernel import Int64Row, Int64Scratch, Int64Table, Uint32Column, kernel

#: The code of a row that says nothing.
NOTHING = 2**32 - 1


@kernel
def count_once(code: Uint32Column, mine: Int64Row, seen: Int64Scratch, counts: Int64Table) -> int:
    """Count one user for each different code of the rows, and return how many those are.

    Parameters
    ----------
    code : uint32 array of shape (rows,)
        What each row says, as a number below ``len(seen)``; 2³² - 1 for nothing.
    mine : int64 array of shape (2,)
        The number of the user, unlike any other's and not -1, and the user's group.
    seen : int64 array of shape (codes,)
        Working memory, -1 before the first user: the last user with each code.
    counts : int64 array of shape (groups, codes)
        Added to: how many users of a group have a code.

    Returns
    -------
    int

    Notes
    -----
    O(rows), no memory of its own, and nothing to be cleared between users.

    Examples
    --------
    >>> import numpy as np
    >>> seen, counts = np.full(3, -1), np.zeros((2, 3), np.int64)
    >>> count_once(np.array([2, 0, 2], np.uint32), np.array([7, 1]), seen, counts)
    2
    >>> counts.tolist()
    [[0, 0, 0], [1, 0, 1]]
    """
    user, group = mine[0], mine[1]
    many = 0  #: User {user} of group {group} has nothing yet.
    for i in range(len(code)):
        k = code[i]
        if k == NOTHING or seen[k] == user:
            continue  #: Row {i} says nothing, or what is counted already.
        seen[k] = user
        counts[group, k] += 1
        many += 1  #: Row {i}: code {k} is new of this user, and counts for group {group}.
    return many  #: User {user} has {many} different codes.
