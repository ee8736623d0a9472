"""Series of a table, ordered and packed once, so that another window of them is quick to ask.

What answers is the task of a Spark worker, run in this process on the one series that is looked at:
a slider must not repeat the scan, the shuffle and the sort, which no window changes.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import pairwise
from numbers import Number
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kernels.frames.frames import Ranges
from workbench.columnar.blocks import Block, binaries, one_binary, packed_rows, unpacked_rows
from workbench.columnar.bundles import unbundled
from workbench.columnar.key_codes import as_array
from workbench.columnar.process import freeze_gc
from workbench.engine.block import Call, Window
from workbench.engine.order import ordered_block
from workbench.engine.task import WindowTask
from workbench.frames.bounds import PerRow
from workbench.functions.order import OrderColumn
from workbench.spark.jobs import collected, in_arrow
from workbench.spark.one_key import literal
from workbench.spark.sessions.session import cores
from workbench.spark.shipping import ship
from workbench.spark.shuffle import Carried, bundle_rows
from workbench.spark.sources.given import table
from workbench.spark.steps import named_task
from workbench.spark.table import check_plain, type_of
from workbench.windows.inspect.one_partition import Partition

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from workbench.windows.over import Over

#: A piece must stay below what one value of Spark, and one message of Spark Connect, can hold.
ROWS_A_PIECE = 1_000_000
#: How many series stay in this process, those that were looked at last.
MOST_FETCHED = 8
#: Kernels run beside each other on so many threads at most, each for so many rows at a time: what
#: is between these and their answers is little, and is made in the memory of those before. Memory
#: for all rows of a long series takes the system longer than the arithmetic.
MOST_THREADS, ROWS_AT_ONCE = 8, 65_536
PIECE, ROWS, PACKED = "piece", "rows", "packed"

Key = tuple[Any, ...]
Made = TypeVar("Made")


class PreparedSeries:
    """The rows of each partition in their order, held as packed columns.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
    over : Over
        Its partitions and order are kept, and the columns that its functions look at.

    Attributes
    ----------
    sizes : dict of tuple to int
        The rows of each partition by its key, the values of the columns that make it.

    Raises
    ------
    WorkbenchError
        When the table lacks a column, or a column has a type that cannot be used so.

    Examples
    --------
    >>> import workbench as wb
    >>> over = wb.Over("plant", "date", wb.Frame.rows(-1, 1), most=wb.fn.max("mwh"))
    >>> series = PreparedSeries(wb.datasets.power_plants(wb.session()), over)
    >>> series.sizes
    {('Boston',): 12, ('Worcester',): 12}
    >>> series.answer(over, ("Boston",)).column("most").to_pylist()[:3]
    [564337, 564337, 528523]
    >>> series.free()
    """

    def __init__(self, df: "DataFrame", over: "Over") -> None:
        self.df = table(df, "df")
        task, carried = over.bound(self.df)
        for name in over.partition_by:
            check_plain(carried.table.schema, name, "partition_by")
        ship(self.df.sparkSession)
        self._order = task.order
        self._windows: dict[Key, Window] = {}
        self._pieces = self._packed(over, task, carried).persist()
        try:
            self.sizes = self._measured()
        except BaseException:
            self.free()
            raise

    def answer(self, over: "Over", key: Key) -> pa.Table:
        """Return the rows of one partition in their order, with the answer of every function.

        Parameters
        ----------
        over : Over
            What was prepared, with other frames or quantiles.
        key : tuple
            One of ``sizes``.

        Returns
        -------
        pyarrow.Table
            The columns that were kept, and the answers.
        """
        return pa.concat_tables(self.answers(over, key, lambda _rows, found: found))

    def answers(
        self, over: "Over", key: Key, make: Callable[[slice, pa.Table], Made]
    ) -> list[Made]:
        """Return what is made of the rows of one partition and their answers, some at a time.

        Parameters
        ----------
        over, key
            As :meth:`answer` takes them.
        make : function
            Gets which rows they are, and what :meth:`answer` has of them; on several threads.

        Returns
        -------
        list
            In the order of the rows.
        """
        task, window = self._task_and_window(over, key)
        rows = len(window.block.rows)
        if rows <= ROWS_AT_ONCE or not all(call.info.has_frame for call in task.calls):
            return [make(slice(0, rows), task.answer(window.block))]
        frames = {
            frame: window.compute_ranges(frame) for frame in {call.frame for call in task.calls}
        }

        def made(span: _Span) -> Made:
            found = task.of_window(window.part(span.low, span.high, frames))
            own = found.slice(span.first - span.low, span.last - span.first)
            return make(slice(span.first, span.last), own)

        with ThreadPoolExecutor(min(cores(), MOST_THREADS)) as pool:
            return list(pool.map(made, _spans(rows, list(frames.values()))))

    def rows(self, over: "Over", key: Key) -> pa.Table:
        """Return the rows of one partition in their order: the columns that were kept."""
        task, window = self._task_and_window(over, key)
        return pa.table({name: window.column(alias) for name, alias in task.columns})

    def once(self, key: Key, what: Any, compute: Callable[[], Made]) -> Made:
        """Return what was computed of a partition under a name, at first by computing it.

        It is forgotten when the rows of the partition leave this process.
        """
        found: Made = self._window(key).once(what, compute)
        return found

    def partition(self, over: "Over", key: Key, row: int) -> Partition:
        """Return the frame of one row as a partition, to be looked at by a person.

        Parameters
        ----------
        over : Over
            What was prepared, with other frames or quantiles.
        key : tuple
            One of ``sizes``.
        row : int
            Its number in the order.

        Returns
        -------
        Partition
            The rows of the frame, and the row itself.
        """
        task, window = self._task_and_window(over, key)
        first, last = self.frame(over, key, row)
        first, last = min(first, row), max(last, row + 1)
        rows = window.block.rows.slice(first, last - first)
        alone = Block(pa.table({}), np.array([0, len(rows)]), rows)
        return Partition(over, self.df, key, task, alone, cut=False)

    def frame(self, over: "Over", key: Key, row: int) -> tuple[int, int]:
        """Return from which row to which one the frame of a row goes, half open."""
        task, window = self._task_and_window(over, key)
        begin, end = window.compute_ranges(task.calls[0].frame)
        return _reach(begin[row : row + 1], end[row : row + 1], row)

    def _task_and_window(self, over: "Over", key: Key) -> tuple[WindowTask, Window]:
        task, carried = over.bound(self.df)
        window = self._window(key)
        names = {carried.of(name): name for name in carried.table.names}
        held = window.block.rows.column_names
        back = tuple((names[alias], alias) for alias in held if alias in names)
        return replace(task, columns=back, keys=()), window

    def free(self) -> None:
        """Give back the memory; a later question packs the series once more."""
        self._pieces.unpersist()
        self._windows.clear()

    def _packed(self, over: "Over", task: WindowTask, carried: Carried) -> "DataFrame":
        from pyspark.sql import types as t

        used = {term.name for term in task.order}
        used = used.union(*map(looked_at, task.calls))
        needed = {*used, *task.keys}
        wanted = {name: carried.wanted[name] for name in carried.wanted if name in needed}
        kinds = [type_of(carried.table, name) for name in over.partition_by]
        fields = [t.StructField(f"k{i}", kind) for i, kind in enumerate(kinds)]
        fields += [t.StructField(name, t.LongType()) for name in (PIECE, ROWS)]
        schema = t.StructType([*fields, t.StructField(PACKED, t.BinaryType())])
        needed_names = tuple(name for name in wanted if name in used)
        packing = PackSeries(task.keys, task.order, needed_names)
        return bundle_rows(self.df, wanted, task.keys).mapInArrow(
            named_task("pack by key", packing.run), schema
        )

    def _measured(self) -> dict[Key, int]:
        sizes: dict[Key, int] = {}
        for *values, rows in collected(self._pieces.drop(PIECE, PACKED)):
            key = tuple(bytes(v) if isinstance(v, bytearray) else v for v in values)
            sizes[key] = sizes.get(key, 0) + rows
        return dict(sorted(sizes.items(), key=lambda item: [*map(_sortable, item[0])]))

    def _window(self, key: Key) -> Window:
        """A series in this process; those that were looked at last stay here."""
        from pyspark.sql import functions as F

        if key not in self._windows:
            rows = self._pieces
            for i, value in enumerate(key):
                rows = rows.where(F.col(f"k{i}").eqNullSafe(literal(value)))
            pieces = in_arrow(rows.select(PIECE, PACKED)).sort_by(PIECE).column(PACKED)
            packed = (piece for chunk in pieces.chunks for piece in binaries(chunk))
            found = pa.concat_tables(map(unpacked_rows, packed)).combine_chunks()
            if len(self._windows) >= MOST_FETCHED:
                del self._windows[next(iter(self._windows))]
            block = Block(pa.table({}), np.array([0, len(found)]), found)
            self._windows[key] = Window(block, self._order)
        return self._windows[key]


class _Span(NamedTuple):
    """Rows that are answered at a time, and all that their frames look at.

    Attributes
    ----------
    first, last : int
        The rows, half open.
    low, high : int
        What their frames look at, and the rows.
    """

    first: int
    last: int
    low: int
    high: int


def _spans(rows: int, frames: Sequence[Ranges]) -> list[_Span]:
    """The rows in parts whose frames do not reach far beyond them, in one part where they do."""
    size = ROWS_AT_ONCE
    while size < rows:
        found = [_span(frames, first, min(first + size, rows)) for first in range(0, rows, size)]
        if sum(one.high - one.low for one in found) < 1.5 * rows:
            return found
        size *= 2
    return [_Span(0, rows, 0, rows)]


def _span(frames: Sequence[Ranges], first: int, last: int) -> _Span:
    reached = [_reach(begin[first:last], end[first:last], first) for begin, end in frames]
    low, high = min(low for low, _ in reached), max(high for _, high in reached)
    return _Span(first, last, min(first, low), max(last, high))


def _reach(begin: NDArray[np.int64], end: NDArray[np.int64], nowhere: int) -> tuple[int, int]:
    """From where to where some frames go; parts that hold no row may stand anywhere."""
    some = end > begin
    if not some.any():
        return nowhere, nowhere
    return int(begin[some].min()), int(end[some].max())


@dataclass(frozen=True)
class PackSeries:
    """The part that runs in Spark's Python workers: rows in, packed pieces of series out.

    Attributes
    ----------
    keys : tuple of str
    order : tuple of OrderColumn
    columns : tuple of str
        The columns that are packed.
    most : int
        How many rows a piece has at most.
    """

    keys: tuple[str, ...]
    order: tuple[OrderColumn, ...]
    columns: tuple[str, ...]
    most: int = ROWS_A_PIECE

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Pack a Spark partition that holds all rows of its keys."""
        freeze_gc()
        parts = [batch for batch in unbundled(batches) if batch.num_rows]
        if not parts:
            return
        block = ordered_block(pa.Table.from_batches(parts), self.keys, self.order)
        rows = block.rows.select(list(self.columns))
        for p, (first, last) in enumerate(pairwise(block.offsets.tolist())):
            for piece, at in enumerate(range(first, last, self.most)):
                some = rows.slice(at, min(self.most, last - at))
                yield self._piece(block.keys.slice(p, 1), piece, some)

    def _piece(self, key: pa.Table, piece: int, rows: pa.Table) -> pa.RecordBatch:
        columns = {f"k{i}": as_array(key.column(i)) for i in range(key.num_columns)}
        columns[PIECE] = pa.array([piece], pa.int64())
        columns[ROWS] = pa.array([len(rows)], pa.int64())
        columns[PACKED] = one_binary(packed_rows(rows))
        return pa.record_batch(columns)


def looked_at(call: Call) -> set[str]:
    """Return the columns of the block that a call needs."""
    bounds = [bound.amount for bound in (call.frame.low, call.frame.high) if bound]
    own = [str(amount.column) for amount in bounds if isinstance(amount, PerRow)]
    return {*call.needs, *own}


def _sortable(value: Any) -> tuple[bool, Any]:
    return value is not None, value if isinstance(value, Number | str) else str(value)
