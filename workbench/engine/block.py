"""A sorted block of rows as a window, with the arrays that window functions share."""

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
from workbench.engine.added import AddedFunction, added_function
from workbench.engine.order import order_of, ranges_of, rows_in_order
from workbench.errors import WorkbenchError
from workbench.frames.bounds import PerRow
from workbench.frames.frame import Frame
from workbench.functions.catalogue import FIRST, FunctionInfo, Options, info_of
from workbench.functions.order import OrderColumn


@dataclass(frozen=True)
class Call:
    """A window function in the form that the workers use.

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
        A column of the block; only rows where it is true count.
    default : str, optional
        A column of the block: what ``lag`` and ``lead`` return where there is no row.
    order : tuple of OrderColumn
        The function's own order for the rows of its frame, if any.
    per_row_n : str, optional
        A column of the block: the n of each row, which replaces the option.
    """

    column: str
    function: str
    arguments: tuple[str, ...]
    options: Options
    frame: Frame
    where: str | None = None
    default: str | None = None
    order: tuple[OrderColumn, ...] = ()
    per_row_n: str | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        values = tuple(getattr(self, one.name) for one in fields(self))
        return _restore_call, (added_function(self.function), values)

    @property
    def info(self) -> FunctionInfo:
        """The function's row of the catalogue."""
        return info_of(self.function, bool(self.order))

    @property
    def needs(self) -> tuple[str, ...]:
        """The columns of the block that it reads, except those of its frame."""
        order = (one.name for one in self.order)
        return tuple(
            name
            for name in (*self.arguments, self.where, self.default, *order, self.per_row_n)
            if name
        )

    @property
    def bounds(self) -> tuple[str, ...]:
        """The columns of the block that are bounds of its frame."""
        amounts = (one.amount for one in (self.frame.low, self.frame.high) if one is not None)
        return tuple(str(one.column) for one in amounts if isinstance(one, PerRow))

    @property
    def without_null(self) -> tuple[str, ...]:
        """The arguments whose nulls do not count: all, unless the function picks a row."""
        picks = self.info.picks and not self.options.ignore_nulls
        return () if picks else self.arguments


def _restore_call(added: AddedFunction | None, values: tuple[Any, ...]) -> Call:
    """Return an unpickled call, after registering its function where it was added at run time."""
    if added is not None:
        added.register()
    return Call(*values)


@dataclass(frozen=True)
class Frames:
    """The frames of a call over the rows that count.

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
        """The number of rows in each frame."""
        return np.asarray((self.end - self.begin).sum(axis=1), np.int64)

    def ordered(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return values indexed by position instead of by row."""
        return values if self.row is None else values[self.row]


@dataclass(frozen=True)
class OwnOrder:
    """The rows of a block in an order other than the window's.

    Attributes
    ----------
    order : Order
        The order of the sorted rows.
    row : int64 array of shape (rows,)
        The row of the block at each position, partition by partition.
    """

    order: Order
    row: NDArray[np.int64]

    @property
    def place_in_block(self) -> NDArray[np.int64]:
        """The position of each row in this order."""
        place = np.empty(len(self.row), np.int64)
        place[self.row] = np.arange(len(self.row))
        return place

    @property
    def place(self) -> NDArray[np.int64]:
        """The position of each row in this order, within its partition."""
        return self.place_in_block - self._first

    @property
    def first_peer(self) -> NDArray[np.int64]:
        """The position of each row's first peer, within its partition."""
        at = self.order.group + self._first
        return np.asarray(self.order.start[at][self.place_in_block], np.int64)

    @property
    def after_peers(self) -> NDArray[np.int64]:
        """The position after each row's last peer, within its partition."""
        offsets = self.order.offsets
        last = np.append(self.order.group[1:] != self.order.group[:-1], True)
        last[offsets[1:][np.diff(offsets) > 0] - 1] = True
        ends = np.flatnonzero(last)
        after = ends[np.searchsorted(ends, np.arange(len(last)))] + 1 - self._first
        return np.asarray(after[self.place_in_block], np.int64)

    @property
    def _first(self) -> NDArray[np.int64]:
        return np.repeat(self.order.offsets[:-1], np.diff(self.order.offsets))


@dataclass(frozen=True)
class Window(Memo):
    """A sorted block, with arrays that several calls share, computed once.

    Attributes
    ----------
    block : Block
    columns : sequence of OrderColumn
    """

    block: Block
    columns: tuple[OrderColumn, ...]

    @property
    def offsets(self) -> NDArray[np.int64]:
        """The offsets of the partitions."""
        return self.block.offsets

    @property
    def first_row(self) -> NDArray[np.int64]:
        """The first row of each row's partition."""
        return np.repeat(self.offsets[:-1], np.diff(self.offsets))

    @property
    def order(self) -> Order:
        """The rows' groups of peers, and their order key."""
        return self.once("order", lambda: order_of(self.block, self.columns))

    def column(self, name: str) -> pa.Array:
        """Return a column of the block."""
        return self.once(("column", name), lambda: self.block.column(name))

    def present(self, name: str) -> NDArray[np.bool_]:
        """Return where a column is not null."""
        return self.once(("present", name), lambda: present(self.column(name)))

    def keys(self, names: tuple[str, ...]) -> NDArray[np.int64]:
        """Return integers that are equal where the values of all columns are equal."""
        if len(names) == 1:
            return self.codes(names[0])
        pairs = pa.table({name: pa.array(self.codes(name)) for name in names})
        return key_codes(pairs)[0].astype(np.int64)

    def equal_codes(self, name: str) -> NDArray[np.int64]:
        """Return integers that are equal where a column's values are, also for nested types."""
        if not pa.types.is_nested(self.column(name).type):
            return self.codes(name)
        return self.once(
            ("equal", name),
            lambda: key_codes(pa.table({name: self.column(name)}))[0].astype(np.int64),
        )

    def codes_with_null(self, name: str) -> NDArray[np.int64]:
        """Return integers that are equal where a column's values are equal, nulls included."""
        column = self.column(name)
        if not column.null_count:
            return self.equal_codes(name)
        # The codes of integers are the integers themselves, so no code is free for null.
        return self.once(
            ("with null", name), lambda: key_codes(pa.table({name: column}))[0].astype(np.int64)
        )

    def codes(self, name: str) -> NDArray[np.int64]:
        """Return integers that sort like a column's values."""
        return self.once(("codes", name), lambda: codes_in_order(self.column(name)))

    def own_order(self, order: tuple[OrderColumn, ...]) -> OwnOrder:
        """Return the rows in another order; the window's order breaks ties."""
        return self.once(("own order", order), lambda: self._own_order(order))

    def _own_order(self, order: tuple[OrderColumn, ...]) -> OwnOrder:
        at = np.arange(len(self.block.rows), dtype=np.uint32)
        row = rows_in_order(self.block.rows, order, self.offsets, at).astype(np.int64)
        names = [one.name for one in order]
        rows = pa.table({name: self.column(name).take(pa.array(row)) for name in names})
        return OwnOrder(order_of(Block(self.block.keys, self.offsets, rows), order), row)

    def n_of(self, call: Call) -> Any:
        """Return the n of a call: one for all rows, or one per row, 0 where it is null."""
        return call.options.n if call.per_row_n is None else numbers(self.column(call.per_row_n))

    def nth_of(self, call: Call) -> Any:
        """Return which rows of the frames a call picks; negative numbers count from the last."""
        if call.info.keeps_n:
            return self.n_of(call)
        return 1 if call.info.keeps == FIRST else -1

    def buckets(self, call: Call) -> tuple[Any, NDArray[np.bool_]]:
        """Return the number of buckets of a call, at least one, and where it is not null.

        Raises
        ------
        WorkbenchError
            When a row asks for fewer than one.
        """
        if call.per_row_n is None:
            return call.options.n, np.ones(len(self.block.rows), np.bool_)
        known = self.present(call.per_row_n)
        buckets = np.where(known, numbers(self.column(call.per_row_n)), 1)
        if (buckets < 1).any():
            raise WorkbenchError(
                f"{call.column}: {call.function} has {buckets.min():,} buckets for a row; "
                "give every row 1 or more."
            )
        return buckets, known

    def ranges(self, frame: Frame) -> Ranges:
        """Return the frame of every row."""
        return self.once(frame, lambda: self.compute_ranges(frame))

    def compute_ranges(self, frame: Frame) -> Ranges:
        """Return the frame of every row, without caching it."""
        like = self.column(self.columns[0].name).type if len(self.columns) == 1 else None
        return ranges_of(frame, self.order, like, self.column)

    def part(self, low: int, high: int, frames: Mapping[Frame, Ranges]) -> "Window":
        """Return a slice of a block of one partition, with its frames clipped to the slice.

        Parameters
        ----------
        low, high : int
            The rows, half open.
        frames : dict of Frame to (int64 array, int64 array)
            The frames of all rows of the block, from :meth:`compute_ranges`.
        """
        rows = self.block.rows.slice(low, high - low)
        window = Window(Block(self.block.keys, np.array([0, len(rows)]), rows), self.columns)
        for frame, (begin, end) in frames.items():
            window._known[frame] = tuple(
                np.clip(ends[low:high] - low, 0, high - low) for ends in (begin, end)
            )
        return window

    def counted(self, call: Call, without_null: tuple[str, ...]) -> NDArray[np.bool_] | None:
        """Return a mask of the rows that count for a call, None for all rows."""
        masks = [self.present(name) for name in without_null]
        if call.where is not None:
            true = self.column(call.where).fill_null(False)
            masks.append(np.asarray(true.to_numpy(zero_copy_only=False), np.bool_))
        masks = [mask for mask in masks if not mask.all()]
        return np.logical_and.reduce(masks) if masks else None

    def frames(self, call: Call, without_null: tuple[str, ...]) -> Frames:
        """Return the frames of a call over the rows that count."""
        key = "frames", call.frame, call.where, without_null
        return self.once(key, lambda: self._frames(call, without_null))

    def _frames(self, call: Call, without_null: tuple[str, ...]) -> Frames:
        begin, end = self.ranges(call.frame)
        counted = self.counted(call, without_null)
        if counted is None:
            return Frames(begin, end, None)
        frames = frames_of_kept(self.offsets, counted.astype(np.uint8), begin, end)
        return Frames(frames.begin, frames.end, frames.row)

    def block_rows(self, frames: Frames, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the rows of the block at positions in the partitions, -1 for no row."""
        at = np.where(positions < 0, 0, positions + self.first_row)
        return np.where(positions < 0, -1, at if frames.row is None else frames.row[at])
