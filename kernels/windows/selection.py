"""Order statistics by selection: the keys at some ranks, in linear time and without a sort.

Every round splits the keys at one of them, the pivot, and continues in the part with the requested
rank. The pivot comes from fixed positions, so the same column always takes the same time. If pivots
are repeatedly near an end, the rest is sorted with a radix sort, which is linear for any keys.
"""

from collections.abc import Sequence

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from kernels.core.kernel import (
    Float64Matrix,
    Float64Scratch,
    Int64Column,
    Int64Matrix,
    Int64Row,
    Int64Scratch,
    kernel,
)
from kernels.structures.order import sort_entries
from kernels.windows.quantile import interpolate
from kernels.windows.quantile_places import INTERPOLATE, NONE, in_billionths, target

#: Ranges up to this length are sorted, as further rounds would cost more.
FEW = 16
#: A round is poor if it leaves more than 7/8 of a range; after so many of them the range is sorted.
PATIENCE = 2


@register_jitable
def middle(a: int, b: int, c: int) -> int:
    """Return the median of three keys.

    Examples
    --------
    >>> middle(5, 9, 7)
    7
    """
    return max(min(a, b), min(max(a, b), c))


@register_jitable
def choose_pivot(key: NDArray[np.int64]) -> int:
    """Return the median of three medians of three evenly spaced keys (Tukey's ninther).

    Examples
    --------
    >>> int(choose_pivot(np.arange(90)))
    40
    """
    step = len(key) // 9
    left = middle(key[0], key[step], key[2 * step])
    centre = middle(key[3 * step], key[4 * step], key[5 * step])
    return middle(left, centre, middle(key[6 * step], key[7 * step], key[8 * step]))


@kernel
def move_below(key: Int64Column, pivot: int, with_equals: bool) -> int:
    """Move the keys below a pivot to the front, in place, and return their number.

    Parameters
    ----------
    key : int64 array of shape (keys,)
    pivot : int
    with_equals : bool
        Whether keys equal to the pivot are moved to the front as well.

    Returns
    -------
    int

    Notes
    -----
    O(keys), without a branch: every key is swapped with the first one that is not below, and only a
    key that is below moves the border by one.

    Source: N. Lomuto's partition, from J. Bentley, "Programming Pearls" (1986), column 10.

    Examples
    --------
    >>> import numpy as np
    >>> key = np.array([7, 2, 9, 4])
    >>> move_below(key, 5, False), key.tolist()
    (2, [2, 4, 7, 9])
    """
    below = 0
    for i in range(len(key)):
        value = key[i]
        key[i], key[below] = key[below], value
        below += (value < pivot) | (with_equals & (value == pivot))  #: {value}: {below} in front.
    return below


@kernel
def select_ranks(key: Int64Column, ranks: Int64Row) -> None:
    """Move to each requested rank the key that sorting would put there, without sorting the others.

    Parameters
    ----------
    key : int64 array of shape (keys,)
        Reordered: no key before a requested rank is above the key there, none after it is below.
    ranks : int64 array of shape (ranks,)
        From 0, in ascending order; -1 for none. Ranks may repeat.

    Notes
    -----
    One rank takes O(keys), about three passes over keys in any order. R ranks take O(keys · log R),
    as they share their rounds, and O(keys · R) at worst. A *fence* is a position that no key has to
    cross any more: the keys before it are not above those after it. The rounds for one rank leave
    fences, which bound the rounds for the next one.

    Source: Hoare, "Algorithm 65: FIND" (1961); the guard follows Musser, "Introspective sorting
    and selection algorithms" (1997), with a radix sort as the fallback.

    Examples
    --------
    >>> import numpy as np
    >>> key = np.arange(100)[::-1].copy()
    >>> select_ranks(key, np.array([25, 75]))
    >>> key[[25, 75]].tolist()
    [25, 75]
    """
    fences = [len(key)]
    first = settled = 0
    for rank in ranks:
        patience = PATIENCE
        while rank >= settled:
            while fences[-1] <= rank:
                first = fences.pop()  #: Rank {rank} lies after the fence at {first}.
            last = fences[-1]
            size = last - first
            if size <= FEW or patience == 0:
                sort_entries(key[first:last], np.zeros(size, np.uint32))
                settled = last  #: Places {first} to {last - 1} are sorted: rank {rank} is there.
                continue
            pivot = choose_pivot(key[first:last])  #: Places {first} to {last - 1} split at {pivot}.
            below = first + move_below(key[first:last], pivot, False)
            if rank < below:
                fences.append(below)  #: Rank {rank} is below {pivot}: a fence at {below}.
            else:
                first = below + move_below(key[below:last], pivot, True)
                if rank < first:
                    settled = first  #: Rank {rank} is {pivot}, as all from {below} to {first - 1}.
                    continue
            remaining = fences[-1] - first  #: {remaining} of {size} places are left.
            patience -= remaining > size - size // 8


@kernel
def quantile_places(
    size: Int64Column,
    q: Float64Scratch,
    billionths: Int64Scratch,
    low: Int64Matrix,
    high: Int64Matrix,
    fraction: Float64Matrix,
) -> None:
    """Write the ranks around each quantile of partitions of given sizes.

    Parameters
    ----------
    size : int64 array of shape (partitions,)
    q, billionths : arrays of shape (quantiles,)
        As :func:`kernels.windows.quantile.walk_quantiles` takes them.
    low, high : int64 arrays of shape (partitions, quantiles)
        Written: the ranks around the quantile, -1 if the partition is empty.
    fraction : float64 array of shape (partitions, quantiles)
        Written: the quantile's fraction of the way from the low rank to the high one.

    Notes
    -----
    O(partitions · quantiles).

    Examples
    --------
    >>> import numpy as np
    >>> low, high, fraction = np.zeros((3, 2, 1))
    >>> low, high = low.astype(np.int64), high.astype(np.int64)
    >>> median = np.array([0.5]), np.array([-1])
    >>> quantile_places(np.array([4, 0]), *median, low, high, fraction)
    >>> low.tolist(), high.tolist(), fraction.tolist()
    ([[1], [-1]], [[2], [-1]], [[0.5], [0.0]])
    """
    for i in range(len(size)):
        for k in range(len(q)):
            low[i, k], high[i, k], fraction[i, k] = NONE, NONE, 0.0
            if size[i] > 0:
                low[i, k], high[i, k], fraction[i, k] = target(size[i], q[k], billionths[k])


def quantile_ranks(
    size: NDArray[np.int64], q: Sequence[float], *, discrete: bool = False
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Return the ranks around each quantile of partitions of given sizes.

    Parameters
    ----------
    size : int64 array of shape (partitions,)
    q : sequence of float
        From 0 to 1.
    discrete : bool
        Whether a quantile is one of the values instead of being interpolated between two.

    Returns
    -------
    low, high : int64 arrays of shape (partitions, quantiles)
        -1 where the partition is empty.
    fraction : float64 array of shape (partitions, quantiles)
        The quantile's fraction of the way from the low rank to the high one.

    Examples
    --------
    >>> low, high, fraction = quantile_ranks(np.array([4, 0]), [0.5, 1.0])
    >>> low.tolist(), high.tolist(), fraction.tolist()
    ([[1, 3], [-1, -1]], [[2, 3], [-1, -1]], [[0.5, 0.0], [0.0, 0.0]])
    """
    shape = len(size), len(q)
    low, high = np.empty(shape, np.int64), np.empty(shape, np.int64)
    fraction = np.empty(shape, np.float64)
    billionths = [in_billionths(quantile) if discrete else INTERPOLATE for quantile in q]
    quantiles = np.array(q, np.float64), np.array(billionths, np.int64)
    quantile_places(np.ascontiguousarray(size, np.int64), *quantiles, low, high, fraction)
    return low, high, fraction


def keys_at(
    offsets: NDArray[np.int64], key: NDArray[np.int64], *ranks: NDArray[np.int64]
) -> list[NDArray[np.int64]]:
    """Return the keys at some ranks of every partition of a block.

    Parameters
    ----------
    offsets : int64 array of shape (partitions + 1,)
        Partition p owns the rows ``offsets[p]`` to ``offsets[p + 1]``.
    key : int64 array of shape (rows,)
        Keys from :func:`kernels.structures.sort_keys.sort_keys`.
    *ranks : int64 arrays of shape (partitions, ranks)
        From 0, or -1 for none.

    Returns
    -------
    list of int64 arrays
        One of the same shape for each array of ranks; 0 for rank -1.

    Examples
    --------
    >>> keys_at(np.array([0, 3, 5]), np.array([9, 7, 8, 2, 1]), np.array([[0, 2], [0, -1]]))
    [array([[7, 9],
           [1, 0]])]
    """
    key = np.array(key, np.int64)
    select_ranks.over(offsets, key, np.sort(np.concatenate(ranks, axis=1), axis=1))
    first = np.asarray(offsets)[:-1, None]
    padded = np.append(key, 0)
    return [padded[np.where(rank == NONE, len(key), first + rank)] for rank in ranks]


def between(
    low: NDArray[np.number], high: NDArray[np.number], fraction: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the numbers at a fraction of the way between others.

    Parameters
    ----------
    low, high : arrays of one shape (rows, columns)
    fraction : float64 array of the same shape
        At 0 it is the low number, infinite ones included.

    Returns
    -------
    float64 array of the same shape

    Examples
    --------
    >>> between(np.array([[1, 4]]), np.array([[2, 9]]), np.array([[0.5, 0.0]])).tolist()
    [[1.5, 4.0]]
    """
    values = np.concatenate([low.ravel(), high.ravel()]).astype(np.float64)
    at = np.arange(low.size).reshape(low.shape)
    other = np.where(fraction == 0, at, at + low.size)
    result = np.empty(low.shape, np.float64)
    interpolate(values, at, other, np.ascontiguousarray(fraction), result)
    return result


def floats_of_keys(key: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the floats from which :func:`kernels.structures.sort_keys.sort_keys` made these keys.

    Parameters
    ----------
    key : int64 array

    Returns
    -------
    float64 array of the same shape

    Examples
    --------
    >>> from kernels.structures.sort_keys import sort_keys
    >>> floats_of_keys(sort_keys(np.array([-1.5, np.inf, np.nan, 0.0]))).tolist()
    [-1.5, inf, nan, 0.0]
    """
    return np.asarray(key ^ ((key >> 63) & np.int64(2**63 - 1))).view(np.float64)
