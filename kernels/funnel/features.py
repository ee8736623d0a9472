"""How many users of each group have each code."""

from kernels.core.kernel import Int64Row, Int64Scratch, Int64Table, Uint32Column, kernel

#: The code of a row to be ignored.
NOTHING = 2**32 - 1


@kernel
def count_once(
    code: Uint32Column, user_group: Int64Row, last_user: Int64Scratch, counts: Int64Table
) -> int:
    """Count one user once for each different code of the rows; return how many these are.

    Parameters
    ----------
    code : uint32 array of shape (rows,)
        The code of each row, below ``len(last_user)``; 2³² - 1 for rows to be ignored.
    user_group : int64 array of shape (2,)
        The user's unique number, which is not -1, and the user's group.
    last_user : int64 array of shape (codes,)
        Working memory, -1 before the first user: the last user with each code.
    counts : int64 array of shape (groups, codes)
        Added to: the number of users of a group that have a code.

    Returns
    -------
    int

    Notes
    -----
    O(rows), and no other memory. Nothing has to be cleared between users.

    Examples
    --------
    >>> import numpy as np
    >>> last_user, counts = np.full(3, -1), np.zeros((2, 3), np.int64)
    >>> count_once(np.array([2, 0, 2], np.uint32), np.array([7, 1]), last_user, counts)
    2
    >>> counts.tolist()
    [[0, 0, 0], [1, 0, 1]]
    """
    user, group = user_group[0], user_group[1]
    different = 0  #: User {user} of group {group} has nothing yet.
    for i in range(len(code)):
        k = code[i]
        if k == NOTHING or last_user[k] == user:
            continue  #: Row {i} has no code, or one that is already counted.
        last_user[k] = user
        counts[group, k] += 1
        different += 1  #: Row {i}: code {k} is new of this user, and counts for group {group}.
    return different  #: User {user} has {different} different codes.
