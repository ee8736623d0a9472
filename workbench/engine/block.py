"""A block of rows in their order, and what window functions ask of it."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kernels.frames.frames import Ranges, frames_of_kept
from kernels.frames.ordering import Order
from workbench.columnar.blocks import Block
from workbench.columnar.columns import codes_in_order, present
from workbench.columnar.key_codes import key_codes
from workbench.columnar.memo import Memo
from workbench.engine.added import AddedFunction, added
from workbench.engine.order import OrderColumn, order_of, ranges_of
from workbench.frames.frame import Frame
from workbench.functions.catalogue import CATALOGUE, FunctionInfo, Options


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
    """

    column: str
    function: str
    arguments: tuple[str, ...]
    options: Options
    frame: Frame
    where: str | None = None
    default: str | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        given = tuple(getattr(self, one.name) for one in fields(self))
        return _known, (added(self.function), given)

    @property
    def info(self) -> FunctionInfo:
        """The function's row of the catalogue."""
        return CATALOGUE[self.function]

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

    def codes(self, name: str) -> NDArray[np.int64]:
        """Return integers in the order of a column's values."""
        found: NDArray[np.int64] = self.once(
            ("codes", name), lambda: codes_in_order(self.column(name))
        )
        return found

    def ranges(self, frame: Frame) -> Ranges:
        """Return the frame of every row."""
        like = self.column(self.columns[0].name).type if len(self.columns) == 1 else None
        found: Ranges = self.once(frame, lambda: ranges_of(frame, self.order, like, self.column))
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
        first = np.repeat(self.offsets[:-1], np.diff(self.offsets))
        at = np.where(positions < 0, 0, positions + first)
        return np.where(positions < 0, -1, at if frames.row is None else frames.row[at])
