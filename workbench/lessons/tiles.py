"""Ranges of queries cut into tiles, the nodes of a binary tree over the queries."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kernels.tiling.tile_tree import MOST_TILES, count_leaves, generate_tiles


class Tile(NamedTuple):
    """A node of the tree, and the queries [begin, end) below it.

    Examples
    --------
    >>> Tile(8, 12).node(leaves=16), Tile(8, 12).words
    (6, '[8, 12)')
    """

    begin: int
    end: int

    def node(self, leaves: int) -> int:
        """Return the node's number: the root is 1, the children of n are 2 · n and 2 · n + 1."""
        return (leaves + self.begin) // (self.end - self.begin)

    @property
    def words(self) -> str:
        """The range as text."""
        return f"[{self.begin}, {self.end})"


def tiles_of(left: int, right: int) -> list[Tile]:
    """Return the tiles of the range [left, right), from left to right.

    Parameters
    ----------
    left, right : int
        From 0 on.

    Returns
    -------
    list of Tile

    Examples
    --------
    >>> [tile.words for tile in tiles_of(4, 14)]
    ['[4, 8)', '[8, 12)', '[12, 14)']
    """
    tiles = np.zeros((MOST_TILES, 2), np.int64)
    count = generate_tiles(left, right, tiles)
    return sorted(Tile(*pair) for pair in tiles[:count].tolist())


def every_tile(places: int) -> list[Tile]:
    """Return every node of the tree, in the order of the nodes' numbers.

    Parameters
    ----------
    places : int
        The number of queries.

    Returns
    -------
    list of Tile

    Examples
    --------
    >>> [tile.words for tile in every_tile(3)]
    ['[0, 4)', '[0, 2)', '[2, 4)', '[0, 1)', '[1, 2)', '[2, 3)', '[3, 4)']
    """
    tiles, size = [], count_leaves(places)
    leaves = size
    while size:
        tiles += [Tile(begin, begin + size) for begin in range(0, leaves, size)]
        size //= 2
    return tiles


def most_tiles(places: int) -> int:
    """Return the bound on the tiles of any range: 2 · log2 of the number of queries, rounded up.

    Examples
    --------
    >>> most_tiles(16), most_tiles(1_000_000), most_tiles(1)
    (8, 40, 1)
    """
    return max(2 * (places - 1).bit_length(), 1)


def tiles_by_length(places: int) -> Sequence[int]:
    """Return, for each length from 1 on, the largest number of tiles of a range of that length.

    Parameters
    ----------
    places : int
        The number of queries.

    Returns
    -------
    list of int

    Examples
    --------
    >>> tiles_by_length(8)
    [1, 2, 2, 3, 3, 4, 3, 1]
    """
    return [
        max(len(tiles_of(left, left + length)) for left in range(places - length + 1))
        for length in range(1, places + 1)
    ]
