"""The simplest way to aggregate frames: scan each from its first row to its last."""

from kernels.core.kernel import Column, Int64Matrix, Matrix, State, kernel
from kernels.states.states import store


@kernel
def naive_states(
    empty: State,
    value: Column,
    other: Column,
    begin: Int64Matrix,
    end: Int64Matrix,
    states: Matrix,
) -> None:
    """Scan the rows of every frame, and reuse nothing from one frame to the next.

    Parameters
    ----------
    empty : state
        The state before any row, of :mod:`kernels.states.states`.
    value, other : arrays of shape (values,)
        The columns to aggregate, of the type of the state's fields.
    begin, end : int64 arrays of shape (rows, pieces)
        The frame of each row as up to three half-open ranges of the values.
    states : array of shape (rows, fields)
        Written: the state of each frame.

    Notes
    -----
    O(rows of all frames), no memory. It is right for any aggregate, and the baseline of the others.

    Examples
    --------
    >>> import numpy as np
    >>> from kernels.states.states import Sum
    >>> value, states = np.array([1, 2, 4]), np.zeros((2, 2), np.int64)
    >>> naive_states(Sum(0, 0), value, value, np.array([[0], [1]]), np.array([[2], [3]]), states)
    >>> states.tolist()
    [[3, 2], [6, 2]]
    """
    for i in range(len(begin)):
        state = empty
        for piece in range(begin.shape[1]):
            for row in range(begin[i, piece], end[i, piece]):
                state = state.update(value[row], other[row], row)  #: Row {row} joins: {state}.
        store(states, i, state)  #: The frame of row {i} holds {state}.
