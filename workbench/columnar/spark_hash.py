"""Numbers that Spark's hash partitioning sends to given partitions.

Spark coalesces small partitions of a shuffle by hash, but not of a shuffle with explicit partition
numbers. So bundles are shuffled by numbers whose hashes are the wanted partitions
(docs/decisions/0050).
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from workbench.columnar.ragged import starts_of

#: Spark's seed, and the constants of MurmurHash3 for 32 bits (Austin Appleby, 2011).
SEED = 42
FIRST, SECOND, ADDED = 0xCC9E2D51, 0x1B873593, 0xE6546B64
MIXED = (16, 0x85EBCA6B), (13, 0xC2B2AE35), (16, 1)


@cache
def numbers_for(places: int, partitions: int) -> NDArray[np.int32]:
    """Return a distinct number for each place that Spark's hash sends to the place's partition.

    Parameters
    ----------
    places : int
    partitions : int
        Place i is in partition ``i % partitions``.

    Returns
    -------
    int32 array of shape (places,)

    Notes
    -----
    O(places · log partitions): a partition gets one of ``partitions`` numbers on average.

    Examples
    --------
    >>> numbers_for(4, 2)
    array([2, 0, 4, 1], dtype=int32)
    >>> (spark_hash(numbers_for(4, 2)) % 2).tolist()
    [0, 1, 0, 1]
    """
    per_partition = -(-places // partitions)
    count = 2 * per_partition * partitions
    while True:
        partition = spark_hash(np.arange(count, dtype=np.int32)) % partitions
        order = np.argsort(partition, kind="stable")
        sizes = np.bincount(partition, minlength=partitions)
        if sizes.min() >= per_partition:
            first, place = starts_of(sizes), np.arange(places)
            numbers = order[first[place % partitions] + place // partitions]
            return np.asarray(numbers, np.int32)
        count *= 2


def spark_hash(numbers: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return Spark's ``hash`` of 32-bit integers.

    Examples
    --------
    >>> spark_hash(np.array([0, 1, -1], np.int32))
    array([  933211791,  -559580957, -1604776387], dtype=int32)
    """
    with np.errstate(over="ignore"):
        mixed = numbers.astype(np.uint32) * np.uint32(FIRST)
        mixed = _rotate_left(mixed, 15) * np.uint32(SECOND) ^ np.uint32(SEED)
        mixed = _rotate_left(mixed, 13) * np.uint32(5) + np.uint32(ADDED)
        # The number of bytes of an integer.
        mixed ^= np.uint32(4)
        for shift, factor in MIXED:
            mixed = (mixed ^ mixed >> np.uint32(shift)) * np.uint32(factor)
    return mixed.view(np.int32)


def _rotate_left(bits: NDArray[np.uint32], by: int) -> NDArray[np.uint32]:
    return bits << np.uint32(by) | bits >> np.uint32(32 - by)
