"""The tree of window tiling as a picture, over the queries or over hops."""

from typing import Any

from kernels.tiling.tile_tree import count_leaves
from workbench.lessons.tiles import every_tile


def tile_shape(places: int, what: str, legend: dict[str, str]) -> dict[str, Any]:
    """Return the nodes of a binary tree as a picture without states.

    Parameters
    ----------
    places : int
        The number of used leaves.
    what : str
        The leaves: "queries" or "hops".
    legend : dict
        The meanings of "now", "lit" and "empty" nodes.

    Returns
    -------
    dict
        A picture of kind "tree", with the nodes' numbers as ids; nodes beyond the last leaf are
        left out.

    Examples
    --------
    >>> shape = tile_shape(3, "queries", {"lit": "a tile"})
    >>> [node["id"] + " " + node["label"] for node in shape["nodes"]]
    ['1 [0, 4)', '2 [0, 2)', '3 [2, 4)', '4 0', '5 1', '6 2']
    """
    leaves = count_leaves(places)
    depth = leaves.bit_length()
    nodes = [
        {
            "id": str(tile.node(leaves)),
            "label": str(tile.begin) if tile.end == tile.begin + 1 else tile.words,
            "from": tile.begin,
            "to": tile.end,
            "depth": tile.node(leaves).bit_length() - 1,
        }
        for tile in every_tile(places)
        if tile.begin < max(places, 1)
    ]
    return {
        "kind": "tree",
        "title": f"The tree: its leaves are the {what}, a node stands for those below it",
        "levels": [*(f"by {2**level}" for level in range(depth - 1, 0, -1)), what],
        "legend": legend,
        "nodes": nodes,
    }
