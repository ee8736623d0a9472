"""Functions of rows that have a life, over tiles: each query's rows as a few ranges of places.

The places of a row say nothing of its time, so what depends on the order of rows asks for it: the
first row is the one of the least number, and of equal values the one of the least number is taken.

Executors load this module, so it needs pyarrow, numpy and the kernels and nothing else.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa

from kernels.frames import Ranges
from kernels.frequencies import moving_extremes
from kernels.life_tiles import tile_frames, tile_rows, tile_sizes
from kernels.moving import moving_aggregate
from workbench.backfill_block import Ints, places
from workbench.backfill_lives import Lives
from workbench.blocks import Block
from workbench.codes import key_codes
from workbench.window_block import Call, Window
from workbench.window_columns import lists_of_ends, rows_of
from workbench.window_functions import answer


@dataclass(frozen=True)
class Tiled(Window):
    """What window functions ask of rows that are laid out in tiles.

    Attributes
    ----------
    lives : Lives
    held : mapping of str to pyarrow.Array
        The columns of the rows.
    laid : int64 array of shape (places,)
        The row, among the lives, at each place of the block.
    frames_of : tuple of two int64 arrays of shape (places, pieces)
        The frame of each row of the block.
    query_places : int64 array of shape (queries,)
        The row of the block that answers each query.
    """

    lives: Lives = field(kw_only=True)
    held: Mapping[str, pa.Array] = field(kw_only=True)
    laid: Ints = field(kw_only=True)
    frames_of: Ranges = field(kw_only=True)
    query_places: Ints = field(kw_only=True)

    def column(self, name: str) -> pa.Array:
        """Return a column of the rows by their places."""
        return self._once(("column", name), lambda: self.held[name].take(self._taken))

    def ranges(self, frame: Any) -> Ranges:
        """Return the frame of every row of the block: there is only one of each."""
        return self.frames_of

    @property
    def _taken(self) -> pa.Array:
        row = self.lives.row
        # A place that no row has gets the first one; without any row there are nulls.
        taken = row[self.laid] if len(row) else self.laid
        return pa.array(taken, mask=None if len(row) else np.ones(len(taken), bool))


def tiled(lives: Lives, held: Mapping[str, pa.Array]) -> Tiled:
    """Lay rows out in tiles over the queries of their keys.

    Parameters
    ----------
    lives : Lives
    held : mapping of str to pyarrow.Array

    Returns
    -------
    Tiled
    """
    asked, rows = lives.queries.offsets, lives.offsets
    size = np.zeros((len(lives.queries.time), 2), np.int64)
    total = tile_sizes.over(asked, size, lives.first, lives.last, right=rows)
    ends = np.concatenate([[0], np.cumsum(total)])
    # A block has a row for each answer and one for each value, whichever are more.
    offsets = np.concatenate([[0], np.cumsum(np.maximum(total, np.diff(asked)))])
    start = (np.cumsum(size) - size.ravel()).reshape(size.shape)
    start += np.repeat(offsets[:-1] - ends[:-1], np.diff(asked))[:, None]
    stop, laid = start.copy(), np.zeros(offsets[-1], np.int64)
    number = np.arange(len(lives.row))
    tile_rows.over(asked, stop, lives.first, lives.last, number, laid, right=rows)
    base = np.repeat(offsets[:-1], np.diff(asked))[:, None]
    pieces = int(2 * np.diff(asked).max(initial=1) - 1).bit_length()
    ranges = np.zeros((2, len(size), pieces), np.int64)
    tile_frames.over(asked, start - base, stop - base, *ranges)
    used = (ranges[0] < ranges[1]).any(axis=0)
    used[-1] = True
    begin, end = np.zeros((2, int(offsets[-1]), int(used.sum())), np.int64)
    at = places(asked, offsets)
    begin[at], end[at] = ranges[0][:, used], ranges[1][:, used]
    none = Block(pa.table({}), offsets, pa.table({}))
    return Tiled(
        none, (), lives=lives, held=held, laid=laid, frames_of=(begin, end), query_places=at
    )


def answer_in_tiles(call: Call, lives: Lives, held: Mapping[str, pa.Array]) -> pa.Array:
    """Return the answers of all queries in their order.

    Parameters
    ----------
    call : Call
    lives : Lives
        The rows that count for it.
    held : mapping of str to pyarrow.Array

    Returns
    -------
    pyarrow.Array
    """
    # The lives are those that count already.
    call = replace(call, where=None)
    if call.options.distinct or call.function in DISTINCT:
        lives = distinct(lives, call, held)
        call = replace(call, options=replace(call.options, distinct=False))
    if call.function in COUNTS:
        counted = lives.sizes
        most = call.options.n if call.function == "bounded_count_distinct" else None
        return pa.array(counted if most is None else np.minimum(counted, most))
    window = tiled(lives, held)
    found = OWN.get(call.function, answer)(window, call)
    return found.take(pa.array(window.query_places))


def distinct(lives: Lives, call: Call, held: Mapping[str, pa.Array]) -> Lives:
    """Return lives of values: from where the first row has it until where none has it any more.

    Parameters
    ----------
    lives : Lives
    call : Call
        Its arguments make the value.
    held : mapping of str to pyarrow.Array

    Returns
    -------
    Lives
        Of the rows with one value, no two count for the same query.
    """
    values = pa.table({name: held[name].take(pa.array(lives.row)) for name in call.arguments})
    code, _ = key_codes(values)
    order = np.lexsort((lives.first, code, lives.key))
    group = np.stack([lives.key[order], code[order]])
    new = np.concatenate([[True], (group[:, 1:] != group[:, :-1]).any(axis=0)])[: len(order)]
    first, last = lives.first[order], lives.last[order]
    # Runs of one value reach as far as any of them so far; those of others begin anew.
    shift = np.cumsum(new) * (len(lives.queries.time) + 1)
    reach = np.maximum.accumulate(last + shift)
    begins = new | np.concatenate([[True], first[1:] + shift[1:] > reach[:-1]])[: len(order)]
    at = np.flatnonzero(begins)
    if not len(at):
        return lives
    ends = np.maximum.reduceat(last, at)
    chosen = order[at]
    back = np.argsort(chosen, kind="stable")
    counts = np.bincount(lives.key[chosen], minlength=len(lives.offsets) - 1)
    offsets = np.concatenate([[0], np.cumsum(counts)])
    chosen, first, ends = chosen[back], first[at][back], ends[back]
    return Lives(lives.queries, lives.row[chosen], lives.time[chosen], offsets, first, ends)


def _extreme(window: Tiled, call: Call) -> pa.Array:
    """The first argument's value where the last one is least or greatest, first of equal ones."""
    frames, name = window.frames(call, call.arguments), call.function.removeprefix("arg_")
    codes = window.codes(call.arguments[-1])
    if name != call.function:
        number = -window.laid if name == "max" else window.laid
        order = np.lexsort((number, codes))
        codes = np.empty(len(order), np.int64)
        codes[order] = np.arange(len(order))
    found = moving_aggregate(window.offsets, name, codes, frames.begin, frames.end)
    return rows_of(window.column(call.arguments[0]), window.block_rows(frames, found))


def _ends(window: Tiled, k: int, last: bool) -> tuple[Ints, Ints]:
    """The first or the last k rows of each frame, from the end on, as rows of the block."""
    begin, end = window.frames_of
    ends, rows = moving_extremes(window.offsets, window.laid, begin, end, k, greatest=last)
    return ends, rows + np.repeat(window.offsets[:-1], np.diff(ends[window.offsets]))


def _picked(window: Tiled, call: Call) -> pa.Array:
    """The value of the nth row, from the begin or from the end."""
    nth = {"first": 1, "last": -1}.get(call.function, call.options.n)
    ends, rows = _ends(window, abs(nth), nth < 0)
    found = np.full(len(ends) - 1, -1, np.int64)
    enough = np.diff(ends) == abs(nth)
    if nth:
        found[enough] = rows[ends[1:][enough] - 1]
    return rows_of(window.column(call.arguments[0]), found)


def _end_values(window: Tiled, call: Call) -> pa.Array:
    """The first or the last values, in their order."""
    last = call.function == "last_k"
    ends, rows = _ends(window, call.options.n, last)
    if last:
        sizes = np.diff(ends)
        # From the last one on, and so each list is turned round.
        rows = rows[np.repeat(ends[:-1] + ends[1:] - 1, sizes) - np.arange(len(rows))]
    flat = rows_of(window.column(call.arguments[0]), rows)
    return lists_of_ends(ends, flat, np.diff(ends) == 0)


COUNTS = ("count", "count_distinct", "bounded_count_distinct")
DISTINCT = ("count_distinct", "bounded_count_distinct")
#: Functions that depend on the order of rows.
OWN: dict[str, Callable[[Tiled, Call], pa.Array]] = {
    **dict.fromkeys(("min", "max", "arg_min", "arg_max"), _extreme),
    **dict.fromkeys(("first", "last", "nth"), _picked),
    **dict.fromkeys(("first_k", "last_k"), _end_values),
}
