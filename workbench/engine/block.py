"""A block of rows in their order, and what window functions ask of it."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kernels.frames.frames import Ranges, frames_of_kept
from kernels.frames.ordering import Order
from workbench.columnar.blocks import Block
from workbench.columnar.columns import codes_in_order, numbers, present
from workbench.columnar.key_codes import key_codes
from workbench.columnar.memo import Memo
from workbench.engine.added import AddedFunction, added
from workbench.engine.order import order_of, ranges_of, rows_in_order
from workbench.errors import WorkbenchError
from workbench.frames.frame import Frame
from workbench.functions.catalogue import FunctionInfo, Options, info_of
from workbench.functions.order import OrderColumn


@dataclass(frozen=True)
class Call:
    """A window function as the workers know it.

    Attributes
    ----------
    column : str
        The result's name.
    function : str
    arguments : tuple of str
        Columns of the block.
    options : Options
    frame : Frame
    where : str, optional
        A column of the block: only rows in which it is true count.
    default : str, optional
        A column of the block: what ``lag`` and ``lead`` give where there is no row.
    order : tuple of OrderColumn
        The order in which it looks at the rows of its frame, where that is not the window's.
    each : str, optional
        A column of the block: the n of each row, in the place of the option.
    """

    column: str
    function: str
    arguments: tuple[str, ...]
    options: Options
    frame: Frame
    where: str | None = None
    default: str | None = None
    order: tuple[OrderColumn, ...] = ()
    each: str | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        given = tuple(getattr(self, one.name) for one in fields(self))
        return _known, (added(self.function), given)

    @property
    def info(self) -> FunctionInfo:
        """The function's row of the catalogue."""
        return info_of(self.function, bool(self.order))

    @property
    def needs(self) -> tuple[str, ...]:
        """The columns of the block that it looks at, but for those of its frame."""
        own = (one.name for one in self.order)
        return tuple(
            name for name in (*self.arguments, self.where, self.default, *own, self.each) if name
        )

    @property
    def without_null(self) -> tuple[str, ...]:
        """The arguments whose nulls do not count: all, unless the value of a row is picked."""
        picks = self.info.picks and not self.options.ignore_nulls
        return () if picks else self.arguments


def _known(more: AddedFunction | None, given: tuple[Any, ...]) -> Call:
    """A call that has come to an executor, with what is to be known of its function."""
    if more is not None:
        more.learn()
    return Call(*given)


@dataclass(frozen=True)
class Frames:
    """The frames of a call over those rows that count.

    Attributes
    ----------
    begin, end : int64 arrays of shape (rows, pieces)
        Ranges of positions among the partition's rows that count.
    row : int64 array of shape (rows,), or None
        The row of the block at each position; None where all rows count.
    """

    begin: NDArray[np.int64]
    end: NDArray[np.int64]
    row: NDArray[np.int64] | None

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many rows are in each frame."""
        return np.asarray((self.end - self.begin).sum(axis=1), np.int64)

    def ordered(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return values by position instead of by row."""
        return values if self.row is None else values[self.row]


@dataclass(frozen=True)
class OwnOrder:
    """The rows of a block in another order than that of the window.

    Attributes
    ----------
    order : Order
        Of the rows as they stand in it.
    row : int64 array of shape (rows,)
        The row of the block that stands at each place, partition by partition.
    """

    order: Order
    row: NDArray[np.int64]

    @property
    def place_in_block(self) -> NDArray[np.int64]:
        """Where each row stands."""
        place = np.empty(len(self.row), np.int64)
        place[self.row] = np.arange(len(self.row))
        return place

    @property
    def place(self) -> NDArray[np.int64]:
        """Where each row stands in its partition."""
        return self.place_in_block - self._first

    @property
    def first_peer(self) -> NDArray[np.int64]:
        """Where the first of the rows stands that are equal to each row."""
        at = self.order.group + self._first
        return np.asarray(self.order.start[at][self.place_in_block], np.int64)

    @property
    def behind_peers(self) -> NDArray[np.int64]:
        """Where the first row stands that is greater than each row."""
        offsets = self.order.offsets
        last = np.append(self.order.group[1:] != self.order.group[:-1], True)
        last[offsets[1:][np.diff(offsets) > 0] - 1] = True
        ends = np.flatnonzero(last)
        behind = ends[np.searchsorted(ends, np.arange(len(last)))] + 1 - self._first
        return np.asarray(behind[self.place_in_block], np.int64)

    @property
    def _first(self) -> NDArray[np.int64]:
        return np.repeat(self.order.offsets[:-1], np.diff(self.order.offsets))


@dataclass(frozen=True)
class Window(Memo):
    """A block in its order, with what several calls need of it, computed once.

    Attributes
    ----------
    block : Block
    columns : sequence of OrderColumn
    """

    block: Block
    columns: tuple[OrderColumn, ...]

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Where each partition begins, and the last one ends."""
        return self.block.offsets

    @property
    def first_row(self) -> NDArray[np.int64]:
        """The first row of each row's partition."""
        return np.repeat(self.offsets[:-1], np.diff(self.offsets))

    @property
    def order(self) -> Order:
        """The rows' groups of peers, and their key."""
        found: Order = self.once("order", lambda: order_of(self.block, self.columns))
        return found

    def column(self, name: str) -> pa.Array:
        """Return a column of the block."""
        return self.once(("column", name), lambda: self.block.column(name))

    def present(self, name: str) -> NDArray[np.bool_]:
        """Return where a column is not null."""
        found: NDArray[np.bool_] = self.once(("present", name), lambda: present(self.column(name)))
        return found

    def keys(self, names: tuple[str, ...]) -> NDArray[np.int64]:
        """Return integers that are equal where the values of all columns are."""
        if len(names) == 1:
            return self.codes(names[0])
        pairs = pa.table({name: pa.array(self.codes(name)) for name in names})
        return key_codes(pairs)[0].astype(np.int64)

    def equal_codes(self, name: str) -> NDArray[np.int64]:
        """Return integers that are equal where a column's values are, of structs and lists too."""
        if not pa.types.is_nested(self.column(name).type):
            return self.codes(name)
        found: NDArray[np.int64] = self.once(
            ("equal", name),
            lambda: key_codes(pa.table({name: self.column(name)}))[0].astype(np.int64),
        )
        return found

    def codes_with_null(self, name: str) -> NDArray[np.int64]:
        """Return integers that are equal where a column's values are, null among them."""
        column = self.column(name)
        if not column.null_count:
            return self.equal_codes(name)
        # No code of an integer is left for null, as each of them is its own.
        found: NDArray[np.int64] = self.once(
            ("with null", name), lambda: key_codes(pa.table({name: column}))[0].astype(np.int64)
        )
        return found

    def codes(self, name: str) -> NDArray[np.int64]:
        """Return integers in the order of a column's values."""
        found: NDArray[np.int64] = self.once(
            ("codes", name), lambda: codes_in_order(self.column(name))
        )
        return found

    def own_order(self, order: tuple[OrderColumn, ...]) -> OwnOrder:
        """Return the rows in another order; those that are equal in it stand as in the window."""
        found: OwnOrder = self.once(("own order", order), lambda: self._own_order(order))
        return found

    def _own_order(self, order: tuple[OrderColumn, ...]) -> OwnOrder:
        at = np.arange(len(self.block.rows), dtype=np.uint32)
        row = rows_in_order(self.block.rows, order, self.offsets, at).astype(np.int64)
        names = [one.name for one in order]
        rows = pa.table({name: self.column(name).take(pa.array(row)) for name in names})
        return OwnOrder(order_of(Block(self.block.keys, self.offsets, rows), order), row)

    def each(self, call: Call) -> Any:
        """Return the n of a call: one for all rows, or one a row, which is 0 where it has none."""
        return call.options.n if call.each is None else numbers(self.column(call.each))

    def buckets(self, call: Call) -> tuple[Any, NDArray[np.bool_]]:
        """Return how many buckets a call has, at least one, and where that is known.

        Raises
        ------
        WorkbenchError
            When a row asks for fewer than one.
        """
        if call.each is None:
            return call.options.n, np.ones(len(self.block.rows), np.bool_)
        known = self.present(call.each)
        found = np.where(known, numbers(self.column(call.each)), 1)
        if (found < 1).any():
            raise WorkbenchError(
                f"{call.column}: {call.function} has {found.min():,} buckets in a row; "
                "give every row 1 or more."
            )
        return found, known

    def ranges(self, frame: Frame) -> Ranges:
        """Return the frame of every row."""
        found: Ranges = self.once(frame, lambda: self.ranges_anew(frame))
        return found

    def ranges_anew(self, frame: Frame) -> Ranges:
        """Return the frame of every row, without remembering it."""
        like = self.column(self.columns[0].name).type if len(self.columns) == 1 else None
        return ranges_of(frame, self.order, like, self.column)

    def part(self, low: int, high: int, frames: Mapping[Frame, Ranges]) -> "Window":
        """Return some rows of a block of one partition, with their frames, cut to these rows.

        Parameters
        ----------
        low, high : int
            The rows, half open.
        frames : dict of Frame to (int64 array, int64 array)
            Of all rows of the block, from :meth:`ranges_anew`.
        """
        rows = self.block.rows.slice(low, high - low)
        found = Window(Block(self.block.keys, np.array([0, len(rows)]), rows), self.columns)
        for frame, (begin, end) in frames.items():
            found._known[frame] = tuple(
                np.clip(ends[low:high] - low, 0, high - low) for ends in (begin, end)
            )
        return found

    def counted(self, call: Call, without_null: tuple[str, ...]) -> NDArray[np.bool_] | None:
        """Return the rows that count for a call, None for all of them."""
        masks = [self.present(name) for name in without_null]
        if call.where is not None:
            true = self.column(call.where).fill_null(False)
            masks.append(np.asarray(true.to_numpy(zero_copy_only=False), np.bool_))
        masks = [mask for mask in masks if not mask.all()]
        return np.logical_and.reduce(masks) if masks else None

    def frames(self, call: Call, without_null: tuple[str, ...]) -> Frames:
        """Return a call's frames over the rows that count."""
        key = "frames", call.frame, call.where, without_null
        found: Frames = self.once(key, lambda: self._frames(call, without_null))
        return found

    def _frames(self, call: Call, without_null: tuple[str, ...]) -> Frames:
        begin, end = self.ranges(call.frame)
        counted = self.counted(call, without_null)
        if counted is None:
            return Frames(begin, end, None)
        frames = frames_of_kept(self.offsets, counted.astype(np.uint8), begin, end)
        return Frames(frames.begin, frames.end, frames.row)

    def block_rows(self, frames: Frames, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the rows of the block at positions in the partitions, -1 for none."""
        at = np.where(positions < 0, 0, positions + self.first_row)
        return np.where(positions < 0, -1, at if frames.row is None else frames.row[at])
