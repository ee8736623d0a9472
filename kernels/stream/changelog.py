"""Changelogs of results: old results are retracted only if they have changed."""

from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kernels.core.arrays import Flags, Ints
from kernels.core.kernel import COLUMN, Int64Column, Uint8Column, kernel
from kernels.stream.sort_buffer import NONE, Merged

Int8Matrix = Annotated[NDArray[np.int8], COLUMN, np.int8, 2]

#: The operation of each code.
OPS = ("+I", "-U", "+U", "-D")
INSERT, UPDATE_BEFORE, UPDATE_AFTER, DELETE = range(4)
NOTHING = -1


@kernel
def changelog(before: Int64Column, after: Int64Column, same: Uint8Column, op: Int8Matrix) -> int:
    """Write the changes of each row's result.

    Parameters
    ----------
    before, after : int64 arrays of shape (rows,)
        The row's old and new row numbers; -1 if it is in only one of the blocks.
    same : uint8 array of shape (rows,)
        1 if its result has not changed; ignored for inserted and deleted rows.
    op : int8 array of shape (rows, 2)
        Written: up to two changes, as indices of :data:`OPS`, then -1.

    Returns
    -------
    int
        The number of changes.

    Notes
    -----
    O(n).

    Examples
    --------
    >>> op = np.zeros((4, 2), np.int8)
    >>> places = np.array([0, 1, 2, -1]), np.array([-1, 0, 1, 2])
    >>> changelog(*places, np.array([0, 1, 0, 0], np.uint8), op)
    4
    >>> op.tolist()
    [[3, -1], [-1, -1], [1, 2], [0, -1]]
    """
    count = 0
    op[:] = NOTHING
    for i in range(len(before)):
        if before[i] == NONE:
            op[i, 0] = INSERT  #: Row {i} is new: +I.
            count += 1
        elif after[i] == NONE:
            op[i, 0] = DELETE  #: Row {i} has gone: -D.
            count += 1
        elif same[i] == 0:
            op[i, 0], op[i, 1] = UPDATE_BEFORE, UPDATE_AFTER  #: Row {i} has changed: -U, +U.
            count += 2
    return count


class Pairs(NamedTuple):
    """Pairs of old and new rows: first the deleted rows, then the others in order.

    Attributes
    ----------
    before : int64 array of shape (rows,)
        The row of the old block, -1 for an inserted row.
    after : int64 array of shape (rows,)
        The row of the new block, -1 for a deleted row.
    """

    before: Ints
    after: Ints


def pair_rows(merged: Merged, affected: Ints) -> Pairs:
    """Return the deleted rows, followed by those whose results may have changed.

    A row that moves is deleted at one position and inserted at another. As deletions come
    first, a reader that folds the changes in order by an id ends with the inserted row.

    Parameters
    ----------
    merged : Merged
    affected : int64 array of shape (rows,)
        The rows of the affected ranges in the new block, ascending.

    Returns
    -------
    Pairs

    Examples
    --------
    >>> from kernels.stream.sort_buffer import merge_rows
    >>> one, gone = np.array([0, 2]), np.array([1, 0], np.uint8)
    >>> merged = merge_rows(one, np.array([1, 2]), one, gone, one // 2, np.array([3]), one[:1])
    >>> before, after = pair_rows(merged, np.array([0, 1]))
    >>> before.tolist(), after.tolist()
    ([0, 1, -1], [-1, 0, 1])
    """
    before = np.concatenate([merged.deleted, merged.before[affected]])
    return Pairs(before, np.concatenate([np.full_like(merged.deleted, NONE), affected]))


class Changed(NamedTuple):
    """A changelog.

    Attributes
    ----------
    op : int8 array of shape (changes,)
        Indices of :data:`OPS`.
    row : int64 array of shape (changes,)
        The row of the change: in the old block for -U and -D, in the new one for +I and +U.
    """

    op: NDArray[np.int8]
    row: Ints


def changes_of(pairs: Pairs, same: Flags) -> Changed:
    """Return the changes from the old to the new results of some rows.

    Parameters
    ----------
    pairs : Pairs
    same : uint8 array of shape (rows,)
        1 if all columns of a row are unchanged, not only its results.

    Returns
    -------
    Changed
        In the order of the rows; +U comes right after its -U.

    Examples
    --------
    >>> pairs = Pairs(np.array([0, 1, -1]), np.array([-1, 0, 1]))
    >>> op, row = changes_of(pairs, np.array([0, 0, 0], np.uint8))
    >>> [OPS[one] for one in op], row.tolist()
    (['-D', '-U', '+U', '+I'], [0, 1, 0, 1])
    """
    op = np.empty((len(same), 2), np.int8)
    changelog.over(np.array([0, len(same)]), *pairs, same, op)
    i, which = np.nonzero(op != NOTHING)
    op_of_row = op[i, which]
    now = (op_of_row == INSERT) | (op_of_row == UPDATE_AFTER)
    return Changed(op_of_row, np.where(now, pairs.after[i], pairs.before[i]))


def same_values(
    before: NDArray[Any],
    after: NDArray[Any],
    before_null: NDArray[np.bool_] | None = None,
    after_null: NDArray[np.bool_] | None = None,
) -> Flags:
    """Return where two columns have equal values; NULL equals NULL, and NaN equals NaN.

    Parameters
    ----------
    before, after : arrays of shape (rows,)
        Columns of one type. For values that NumPy cannot compare, give numbers for equal values.
    before_null, after_null : bool arrays of shape (rows,), optional
        Where the values are NULL.

    Returns
    -------
    uint8 array of shape (rows,)

    Examples
    --------
    >>> same_values(np.array([1.0, np.nan, 2.0]), np.array([1.0, np.nan, 3.0])).tolist()
    [1, 1, 0]
    """
    equal = (before == after) | ((before != before) & (after != after))
    none = np.zeros(len(before), np.bool_)
    was = none if before_null is None else before_null
    now = none if after_null is None else after_null
    return np.where(was | now, was & now, equal).astype(np.uint8)
