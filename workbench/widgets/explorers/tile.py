"""The tile explorer: drag a range over the queries, and see the tiles that cover it."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import ipywidgets as widgets
import pandas as pd

from kernels.tiling.tile_tree import count_leaves
from workbench.backfill.inspect.origin import counted
from workbench.errors import WorkbenchError
from workbench.figures.tiles import tile_counts_figure
from workbench.lessons.tiles import Tile, every_tile, most_tiles, tiles_by_length, tiles_of
from workbench.widgets.chart import Chart
from workbench.widgets.explorers.explorer import Answer, Leaves, TreeChart
from workbench.widgets.lessons.tiling_tree import tile_shape
from workbench.widgets.redraw import redraw
from workbench.widgets.sharing.grid import PageChoice

MOST_QUERIES = 64
_WIDE = {"style": {"description_width": "70px"}}


class TileExplorer(TreeChart):
    """A binary tree over sorted queries, and the range of them that an event affects.

    Parameters
    ----------
    queries : int
        The number of queries, 2 to 64.
    left, right : int
        The initial range, [left, right).

    Attributes
    ----------
    tiles : list of Tile
        The tiles that cover the range, from left to right.
    words : str
        The same in words, with the bound.

    Raises
    ------
    WorkbenchError
        When there are too many queries, or too few, or the range is not within them.

    Examples
    --------
    >>> TileExplorer(16, 4, 14)
    Tile explorer: 3 tiles cover [4, 14): [4, 8), [8, 12), [12, 14)
    """

    FILE = "tiles"
    LEAVES = Leaves("query", "queries", "in the range", valued=False)

    def __init__(self, queries: int = 16, left: int = 4, right: int = 14) -> None:
        _check(queries, left, right)
        self.range = widgets.IntRangeSlider(
            value=(left, right), min=0, max=queries, description="Range",
            layout={"width": "620px"}, **_WIDE,
        )  # fmt: skip
        self.queries = widgets.BoundedIntText(
            value=queries, min=2, max=MOST_QUERIES, description="Queries",
            layout={"width": "140px"}, **_WIDE,
        )  # fmt: skip
        self.counts = Chart(toolbar=False)
        # Observed before the answer is computed, so that a range that no longer fits moves first.
        self.queries.observe(self._resize, names="value")
        super().__init__(
            "Tiles that cover a range of queries", {"queries": self.queries, "range": self.range}
        )

    @property
    def tiles(self) -> list[Tile]:
        """The tiles that cover the range, from left to right."""
        result: list[Tile] = self.answer.result
        return result

    def _pictures(self) -> Sequence[Any]:
        return [*super()._pictures(), self.counts]

    def _resize(self, _change: Any = None) -> None:
        self.range.max = self.queries.value

    def _answer(self, settings: Mapping[str, Any]) -> Answer:
        (left, right), queries = settings["range"], settings["queries"]
        tiles = tiles_of(left, right)
        ends = [(tile.begin, tile.end, tile.end - tile.begin) for tile in tiles]
        return Answer(
            _picture(tiles, left, right, queries),
            tiles,
            _summary(tiles, left, right),
            _words(tiles, left, right, queries),
            pd.DataFrame(ends, columns=["from query", "before query", "queries"]),
            f"TileExplorer({queries}, {left}, {right})",
        )

    def _draw(self, answer: Answer) -> None:
        (left, right), queries = self.range.value, self.queries.value
        now, lengths = (right - left, len(answer.result)), _by_length(queries)
        redraw(self.counts, tile_counts_figure(lengths, most_tiles(queries), now))
        self.counts.on_mark(lambda trace, k: self.look_at_length(int(trace.x[k])))
        super()._draw(answer)

    def look_at_length(self, length: int) -> None:
        """Look at a range with the most tiles of its length, as a click on the chart below does.

        Parameters
        ----------
        length : int
        """
        begins = range(self.queries.value - length + 1)
        left = max(begins, key=lambda begin: len(tiles_of(begin, begin + length)))
        self.range.value = left, left + length

    def _choices(self) -> list[PageChoice]:
        # The begin and the length: any pair of both is a range.
        (left, right), queries = self.range.value, self.queries.value
        begins = [(str(k), k) for k in range(queries + 1)]
        lengths = [(counted(k, "query", "queries"), k) for k in range(queries + 1)]
        return [
            PageChoice("from query", begins, left, ordered=True),
            PageChoice("for", lengths, right - left, ordered=True),
        ]

    def _chosen_values(self, *chosen: Any) -> dict[str, Any]:
        left, length = chosen
        return {"range": (left, min(left + length, self.queries.value))}


@cache
def _by_length(queries: int) -> list[int]:
    """Return the largest number of tiles of a range, for each length."""
    return list(tiles_by_length(queries))


def _picture(tiles: Sequence[Tile], left: int, right: int, queries: int) -> dict[str, Any]:
    leaves = count_leaves(queries)
    nodes = [tile for tile in every_tile(queries) if tile.begin < queries]
    values = {str(tile.node(leaves)): _name(tile) for tile in nodes}
    lit = [str(tile.node(leaves)) for tile in tiles]
    frames = [{"from": left, "to": right}] if left < right else []
    state = {
        "values": values, "lit": lit, "current": None, "frames": frames,
        "label": f"the event affects [{left}, {right})",
    }  # fmt: skip
    shape = tile_shape(queries, "queries", {"lit": "a tile: one update"})
    # The range of a node is its value already, so that it needs no label.
    unnamed = [{**node, "label": ""} for node in shape["nodes"]]
    return {**shape, "nodes": unnamed, "states": [state]}


def _words(tiles: Sequence[Tile], left: int, right: int, queries: int) -> str:
    if left == right:
        return "The range is empty: the event affects no query, and there is nothing to update."
    names = ", ".join(tile.words for tile in tiles)
    count = counted(len(tiles), "tile")
    verb = "covers" if len(tiles) == 1 else "cover"
    return (
        f"An event affects {_queries(left, right)}. {count} {verb} them: {names}. "
        f"So {counted(len(tiles), 'update')} instead of {right - left}. "
        f"Of {queries} queries, no range has more than {most_tiles(queries)} tiles: "
        f"2 · log₂ {queries}{'' if _is_power(queries) else ', rounded up'}."
    )


def _summary(tiles: Sequence[Tile], left: int, right: int) -> str:
    names = ", ".join(tile.words for tile in tiles) or "none"
    verb = "covers" if len(tiles) == 1 else "cover"
    return f"Tile explorer: {counted(len(tiles), 'tile')} {verb} [{left}, {right}): {names}"


def _name(tile: Tile) -> str:
    return str(tile.begin) if tile.end == tile.begin + 1 else tile.words


def _queries(left: int, right: int) -> str:
    if right == left + 1:
        return f"query {left} alone"
    return f"queries {left} to {right - 1}, that is [{left}, {right}), {right - left} of them"


def _is_power(number: int) -> bool:
    return number == count_leaves(number)


def _check(queries: int, left: int, right: int) -> None:
    if not 2 <= queries <= MOST_QUERIES:
        raise WorkbenchError(
            f"queries: {queries} cannot be drawn; give 2 to {MOST_QUERIES}, so that each is seen."
        )
    if not 0 <= left <= right <= queries:
        raise WorkbenchError(
            f"left, right: [{left}, {right}) is not a range of {queries} queries; "
            f"give 0 <= left <= right <= {queries}."
        )
