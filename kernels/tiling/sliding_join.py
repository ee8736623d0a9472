"""States of many rows each, combined over ranges that only move forward."""

import numpy as np

from kernels.core.kernel import Int64Matrix, Matrix, RightMatrix, State, kernel
from kernels.states.states import load, store


@kernel
def join_ranges(
    empty: State, part: RightMatrix, begin: Int64Matrix, end: Int64Matrix, states: Matrix
) -> None:
    """Combine the states in each range, with one state for its older and one for its newer parts.

    Parameters
    ----------
    empty : state
        The aggregate's state before any row, of :mod:`kernels.states.states`.
    part : array of shape (parts, fields)
        One state per row, such as those of hops, in the order of their rows.
    begin, end : int64 arrays of shape (ranges, 1)
        Half-open ranges of the parts; from one non-empty range to the next, neither end moves back.
    states : array of shape (ranges, fields)
        Written: the combined state of each range; the empty state for an empty range.

    Notes
    -----
    O(parts + ranges): it is :func:`kernels.windows.sliding.sliding_states` with states instead of
    rows.

    Examples
    --------
    >>> import numpy as np
    >>> from kernels.states.states import Count
    >>> part, states = np.array([[1], [2], [4]]), np.zeros((2, 1), np.int64)
    >>> join_ranges(Count(), part, np.array([[0], [1]]), np.array([[2], [3]]), states)
    >>> states.tolist()
    [[3], [6]]
    """
    older = np.zeros_like(part)
    newer, pivot, seen = empty, 0, 0
    for i in range(len(begin)):
        low, high = begin[i, 0], end[i, 0]
        joined = empty
        if low < high:
            if low >= pivot:
                for k in range(high - 1, low - 1, -1):
                    joined = load(empty, part, k).combine(joined)
                    store(older, k, joined)
                newer, pivot, seen = empty, high, high  #: The parts up to {high} are now the older.
            for k in range(seen, high):
                newer = newer.combine(load(empty, part, k))
                seen = k + 1  #: Part {k} joins the newer ones: {newer}.
            joined = load(empty, older, low).combine(newer)
        store(states, i, joined)  #: Range {i}, from {low} to {high}: {joined}.
