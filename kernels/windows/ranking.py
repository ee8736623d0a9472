"""The ranking functions of SQL, from a row's number, peers and partition.

:func:`ranking` runs them on a block; each kernel is one function.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernels.core.kernel import Float64Column, Int64Column, Kernel, kernel
from kernels.frames.ordering import Order


@kernel
def row_number(group: Int64Column, start: Int64Column, number: Int64Column) -> None:
    """Number the rows of a partition from 1.

    Parameters
    ----------
    group, start : int64 arrays of shape (rows,)
        Not used; every ranking kernel takes them.
    number : int64 array of shape (rows,)
        Written.

    Notes
    -----
    O(n). Tied rows get different numbers, in their order.

    Examples
    --------
    >>> import numpy as np
    >>> number = np.zeros(3, np.int64)
    >>> row_number(np.array([0, 0, 1]), np.array([0, 2, 0]), number)
    >>> number.tolist()
    [1, 2, 3]
    """
    for i in range(len(number)):
        number[i] = i + 1  #: Row {i} is number {i + 1}.


@kernel
def rank(group: Int64Column, start: Int64Column, number: Int64Column) -> None:
    """Write the number of each row's first peer.

    Parameters
    ----------
    group : int64 array of shape (rows,)
        The number of each row's group of peers, from 0.
    start : int64 array of shape (rows,)
        Where each group begins.
    number : int64 array of shape (rows,)
        Written: ranks from 1, with gaps after ties.

    Notes
    -----
    O(n).

    Examples
    --------
    >>> import numpy as np
    >>> number = np.zeros(3, np.int64)
    >>> rank(np.array([0, 0, 1]), np.array([0, 2, 0]), number)
    >>> number.tolist()
    [1, 1, 3]
    """
    for i in range(len(number)):
        number[i] = start[group[i]] + 1  #: Row {i}: rows before its peers: {number[i] - 1}.


@kernel
def dense_rank(group: Int64Column, start: Int64Column, number: Int64Column) -> None:
    """Number the groups of peers from 1.

    Parameters
    ----------
    group : int64 array of shape (rows,)
        The number of each row's group of peers, from 0.
    start : int64 array of shape (rows,)
        Not used; every ranking kernel takes it.
    number : int64 array of shape (rows,)
        Written: ranks from 1, without gaps.

    Notes
    -----
    O(n).

    Examples
    --------
    >>> import numpy as np
    >>> number = np.zeros(3, np.int64)
    >>> dense_rank(np.array([0, 0, 1]), np.array([0, 2, 0]), number)
    >>> number.tolist()
    [1, 1, 2]
    """
    for i in range(len(number)):
        number[i] = group[i] + 1  #: Row {i}: groups before its own: {group[i]}.


@kernel
def percent_rank(group: Int64Column, start: Int64Column, share: Float64Column) -> None:
    """Write the share of the other rows that come before each row's peers.

    Parameters
    ----------
    group : int64 array of shape (rows,)
        The number of each row's group of peers, from 0.
    start : int64 array of shape (rows,)
        Where each group begins.
    share : float64 array of shape (rows,)
        Written: (rank - 1) / (rows - 1); 0 for a single row.

    Notes
    -----
    O(n).

    Examples
    --------
    >>> import numpy as np
    >>> share = np.zeros(3)
    >>> percent_rank(np.array([0, 0, 1]), np.array([0, 2, 0]), share)
    >>> share.tolist()
    [0.0, 0.0, 1.0]
    """
    others = max(len(share) - 1, 1)
    for i in range(len(share)):
        share[i] = start[group[i]] / others  #: Row {i}: {start[group[i]]} of {others} are before.


@kernel
def cume_dist(group: Int64Column, start: Int64Column, share: Float64Column) -> None:
    """Write the share of the rows that come before each row or are its peers.

    Parameters
    ----------
    group : int64 array of shape (rows,)
        The number of each row's group of peers, from 0.
    start : int64 array of shape (rows,)
        Where each group begins.
    share : float64 array of shape (rows,)
        Written: greater than 0, and 1 for the last.

    Notes
    -----
    O(n).

    Examples
    --------
    >>> import numpy as np
    >>> share = np.zeros(4)
    >>> cume_dist(np.array([0, 0, 0, 1]), np.array([0, 3, 0, 0]), share)
    >>> share.tolist()
    [0.75, 0.75, 0.75, 1.0]
    """
    rows = len(share)
    groups = group[rows - 1] + 1 if rows > 0 else 0
    for i in range(rows):
        end = start[group[i] + 1] if group[i] + 1 < groups else rows
        share[i] = end / rows  #: Row {i}: its peers end at {end} of {rows}.


@kernel
def ntile(buckets: Int64Column, tile: Int64Column) -> None:
    """Distribute the rows of a partition over buckets of nearly equal size, in order.

    Parameters
    ----------
    buckets : int64 array of shape (rows,)
        The number of buckets for each row, at least 1.
    tile : int64 array of shape (rows,)
        Written: the row's bucket, from 1; the first buckets get the remaining rows.

    Notes
    -----
    O(n).

    Examples
    --------
    >>> import numpy as np
    >>> tile = np.zeros(5, np.int64)
    >>> ntile(np.full(5, 2), tile)
    >>> tile.tolist()
    [1, 1, 1, 2, 2]
    """
    rows = len(tile)
    for i in range(rows):
        size, larger = rows // buckets[i], rows % buckets[i]
        within_larger = larger * (size + 1)
        if i < within_larger:
            tile[i] = i // (size + 1) + 1  #: Row {i}: bucket {tile[i]}, of {size + 1} rows.
        else:
            tile[i] = larger + (i - within_larger) // size + 1  #: Row {i}: bucket {tile[i]}.


RANKINGS: dict[str, Kernel] = {
    k.__name__: k for k in (row_number, rank, dense_rank, percent_rank, cume_dist)
}


def ranking(order: Order, function: str) -> NDArray[Any]:
    """Return a ranking function's result for every row of a block.

    Parameters
    ----------
    order : Order
    function : str
        "row_number", "rank", "dense_rank", "percent_rank" or "cume_dist".

    Returns
    -------
    array of shape (rows,)
        float64 for the last two functions, int64 for the others.

    Raises
    ------
    ValueError
        When the function is none of these.

    Examples
    --------
    >>> import numpy as np
    >>> from kernels.frames.ordering import order_by_key
    >>> order = order_by_key(np.array([0, 3, 5]), np.array([1, 1, 4, 2, 8]))
    >>> ranking(order, "rank").tolist(), ranking(order, "percent_rank").tolist()
    ([1, 1, 3, 1, 2], [0.0, 0.0, 1.0, 0.0, 1.0])
    """
    if function not in RANKINGS:
        names = ", ".join(map(repr, RANKINGS))
        raise ValueError(f"function: {function!r} is no ranking function; give one of {names}.")
    is_share = function in ("percent_rank", "cume_dist")
    result = np.zeros(order.rows, np.float64 if is_share else np.int64)
    RANKINGS[function].over(order.offsets, order.group, order.start, result)
    return result


def tiles(order: Order, buckets: int | NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the bucket of every row of a block: ``ntile``.

    Parameters
    ----------
    order : Order
    buckets : int or int64 array of shape (rows,)
        The number of buckets, for all rows or for each.

    Returns
    -------
    int64 array of shape (rows,)
        From 1.

    Raises
    ------
    ValueError
        When a number of buckets is less than 1.

    Examples
    --------
    >>> import numpy as np
    >>> from kernels.frames.ordering import order_by_key
    >>> tiles(order_by_key(np.array([0, 3]), np.array([1, 1, 4])), 2).tolist()
    [1, 1, 2]
    """
    if np.min(buckets, initial=1) < 1:
        raise ValueError("buckets: ntile needs at least one bucket.")
    tile = np.zeros(order.rows, np.int64)
    ntile.over(order.offsets, np.full(order.rows, buckets, np.int64), tile)
    return tile
