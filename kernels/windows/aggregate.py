"""Aggregates over moving frames, with the method that suits the frames and the aggregate."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernels.frames.cache_blocks import STREAMED, CacheBlock, parts
from kernels.frames.frame_deltas import frames_slide
from kernels.states.aggregates import AGGREGATES, KEYS, empty_for, finalized
from kernels.structures.sort_keys import sort_keys
from kernels.windows.segment_tree import FANOUT, tree_states
from kernels.windows.sliding import least_rows, running_states, sliding_states

METHODS = ("running", "deque", "sliding", "tree")


def choose_method(
    offsets: NDArray[np.int64], name: str, begin: NDArray[np.int64], end: NDArray[np.int64]
) -> str:
    """Return the fastest method that is right for an aggregate over some frames.

    Parameters
    ----------
    offsets : int64 array of shape (partitions + 1,)
        Partition p owns the rows ``offsets[p]`` to ``offsets[p + 1]``.
    name : str
        One of :data:`kernels.states.aggregates.AGGREGATES`.
    begin, end : int64 arrays of shape (rows, pieces)
        The frame of each row as up to three half-open ranges of its partition's values.

    Returns
    -------
    str
        "tree" for frames that have holes or move back. For frames that only move forward: "running"
        if the aggregate is of integers and has an inverse, "deque" for min and max, else "sliding".

    Examples
    --------
    >>> import numpy as np
    >>> begin, end = np.array([[0], [0], [1]]), np.array([[2], [3], [3]])
    >>> [choose_method(np.array([0, 3]), one, begin, end) for one in ("count", "sum", "max")]
    ['running', 'sliding', 'deque']
    """
    if not frames_slide.over(offsets, begin, end).all():
        return "tree"
    if name in ("min", "max"):
        return "deque"
    empty = AGGREGATES[name].empty
    return "running" if hasattr(empty, "inverse") and isinstance(empty[0], int) else "sliding"


def moving_aggregate(
    offsets: NDArray[np.int64],
    name: str,
    values: NDArray[Any],
    begin: NDArray[np.int64],
    end: NDArray[np.int64],
    *,
    other: NDArray[Any] | None = None,
    method: str | None = None,
    fanout: int = FANOUT,
) -> NDArray[Any]:
    """Return an aggregate over each frame.

    Parameters
    ----------
    offsets : int64 array of shape (partitions + 1,)
        Partition p owns the rows ``offsets[p]`` to ``offsets[p + 1]``.
    name : str
        One of :data:`kernels.states.aggregates.AGGREGATES`.
    values : array of shape (rows,)
        If a partition has fewer values than rows, they come first, and the other cells are ignored.
    begin, end : int64 arrays of shape (rows, pieces)
        The frame of each row as up to three half-open ranges of its partition's values, in order.
    other : array of shape (rows,), optional
        The second column of an aggregate of pairs.
    method : str, optional
        "running", "deque", "sliding" or "tree"; by default :func:`choose_method` decides for each
        part of the rows.
    fanout : int
        The number of children of a node of the tree.

    Returns
    -------
    array of shape (rows,)
        For first, last, min and max (and so for arg_min and arg_max) the row of the partition's
        values, -1 for none. For the others the result; it is not valid for a frame with fewer rows
        than the aggregate ``needs``.

    Raises
    ------
    ValueError
        When the name or the method is not known, or the aggregate's state lacks what the method
        needs: ``combine``, or ``inverse`` for "running".

    Examples
    --------
    >>> import numpy as np
    >>> begin, end = np.array([[0], [0], [1]]), np.array([[2], [3], [3]])
    >>> moving_aggregate(np.array([0, 3]), "sum", np.array([3.0, 1, 8]), begin, end).tolist()
    [4.0, 12.0, 9.0]
    >>> moving_aggregate(np.array([0, 3]), "max", np.array([3.0, 1, 8]), begin, end).tolist()
    [0, 2, 2]
    """
    if name not in AGGREGATES:
        raise ValueError(f"name: {name!r} is no aggregate; use one of {', '.join(AGGREGATES)}.")
    if method is not None:
        _check_method(name, method)
    result = None
    for part in parts(offsets, begin, end, STREAMED):
        column = _aggregate(part, name, method, fanout, values, other)
        if len(column) == len(begin):
            return column
        # To collect the columns of all parts first would keep their states in memory.
        result = np.empty(len(begin), column.dtype) if result is None else result
        result[part.rows] = column
    return np.empty(0, np.int64) if result is None else result


def _aggregate(
    part: CacheBlock,
    name: str,
    method: str | None,
    fanout: int,
    values: NDArray[Any],
    other: NDArray[Any] | None,
) -> NDArray[Any]:
    """Return the aggregate over the frames of a part."""
    if method is None:
        method = choose_method(part.offsets, name, part.begin, part.end)
    takes, dtype = AGGREGATES[name].takes, np.asarray(AGGREGATES[name].empty).dtype
    value = values[part.values]
    value = sort_keys(value) if takes == KEYS else value.astype(dtype, copy=False)
    second = value if other is None else other[part.values].astype(dtype, copy=False)
    if method == "deque":
        column = _extreme_rows(part, value, name == "max")
    else:
        empty = empty_for(name, value, second)
        column = finalized(name, _states(part, method, empty, fanout, (value, second)))
    if takes == KEYS:
        part.to_partition(column)
    return column


def moving_states(
    offsets: NDArray[np.int64],
    name: str,
    values: NDArray[Any],
    begin: NDArray[np.int64],
    end: NDArray[np.int64],
    *,
    other: NDArray[Any] | None = None,
) -> NDArray[Any]:
    """Return the state over each frame, which can be combined with other states.

    Parameters
    ----------
    offsets, name, values, begin, end, other
        As :func:`moving_aggregate` takes them; not min and max, whose rows are enough.

    Returns
    -------
    array of shape (rows, fields)

    Examples
    --------
    >>> import numpy as np
    >>> begin, end = np.array([[0], [0], [1]]), np.array([[2], [3], [3]])
    >>> moving_states(np.array([0, 3]), "integer_sum", np.array([3, 1, 8]), begin, end).tolist()
    [[4, 2], [12, 3], [9, 2]]
    """
    method, empty = choose_method(offsets, name, begin, end), AGGREGATES[name].empty
    dtype = np.asarray(empty).dtype
    value = values.astype(dtype, copy=False)
    second = value if other is None else other.astype(dtype, copy=False)
    simple, fields = empty_for(name, value, second), len(empty)
    matrices = [
        _states(part, method, simple, FANOUT, (value[part.values], second[part.values]))
        for part in parts(offsets, begin, end, STREAMED)
    ]
    states = matrices[0] if len(matrices) == 1 else np.concatenate(matrices)
    if len(simple) == fields:
        return states
    return np.append(states, np.ones((len(states), fields - len(simple))), axis=1)


def _check_method(name: str, method: str) -> None:
    if method not in METHODS:
        raise ValueError(f"method: {method!r} is not known; use one of {', '.join(METHODS)}.")
    if method == "deque" and name not in ("min", "max"):
        raise ValueError(f"method: a deque finds 'min' and 'max'; {name!r} needs another method.")
    needed = {"running": "inverse"}.get(method, "combine")
    if method != "deque" and not hasattr(AGGREGATES[name].empty, needed):
        raise ValueError(
            f"method: {method!r} needs an aggregate whose state has {needed!r}, "
            f"which that of {name!r} has not; use another method."
        )


def _extreme_rows(part: CacheBlock, key: NDArray[np.int64], greatest: bool) -> NDArray[np.int64]:
    rows = np.empty(len(part.begin), np.int64)
    least_rows.over(part.offsets, ~key if greatest else key, part.begin, part.end, rows)
    return rows


def _states(
    part: CacheBlock,
    method: str,
    empty: Any,
    fanout: int,
    columns: tuple[NDArray[Any], NDArray[Any]],
) -> NDArray[Any]:
    frames = part.begin, part.end
    states = np.empty((len(part.begin), len(empty)), columns[0].dtype)
    if method == "tree":
        tree_states.over(part.offsets, empty, fanout, *columns, *frames, states)
    else:
        kernel = running_states if method == "running" else sliding_states
        kernel.over(part.offsets, empty, *columns, *frames, states)
    return states
