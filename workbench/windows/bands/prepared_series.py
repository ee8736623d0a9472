"""Series of a table, sorted and packed once, so that results for other frames are quick.

The task of a Spark worker computes the results in this process, for the displayed series only: a
slider must not repeat the scan, the shuffle and the sort, which do not depend on the frame.
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
from workbench.columnar.blocks import Block
from workbench.columnar.bundles import unbundled
from workbench.columnar.key_codes import as_array
from workbench.columnar.packed_rows import binaries, one_binary, packed_rows, unpacked_rows
from workbench.columnar.process import freeze_gc
from workbench.engine.block import Window
from workbench.engine.order import ordered_block
from workbench.engine.task import WindowTask
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

#: A piece must fit into one value of Spark, and into one message of Spark Connect.
ROWS_A_PIECE = 1_000_000
#: The number of series cached in this process: the most recent ones.
MOST_FETCHED = 8
#: The most threads on which kernels run in parallel, and the rows of each at a time. So their
#: intermediate arrays are small and reuse memory: for all rows of a long series, allocation would
#: take longer than the arithmetic.
MOST_THREADS, ROWS_AT_ONCE = 8, 65_536
PIECE, ROWS, PACKED = "piece", "rows", "packed"

Key = tuple[Any, ...]
Result = TypeVar("Result")


class PreparedSeries:
    """The sorted rows of each partition, stored as packed columns.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
    over : Over
        Determines the partitions, the order and the columns that are stored.

    Attributes
    ----------
    sizes : dict of tuple to int
        The number of rows of each partition, by its key.

    Raises
    ------
    WorkbenchError
        When the table lacks a column, or a column has an unsupported type.

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
        """Return the sorted rows of one partition, with the result of every function.

        Parameters
        ----------
        over : Over
            The prepared call, possibly with other frames or quantiles.
        key : tuple
            One of ``sizes``.

        Returns
        -------
        pyarrow.Table
            The stored columns and the results.
        """
        return pa.concat_tables(self.answers(over, key, lambda _rows, results: results))

    def answers(
        self, over: "Over", key: Key, make: Callable[[slice, pa.Table], Result]
    ) -> list[Result]:
        """Return a function's values for slices of one partition with their results.

        Parameters
        ----------
        over, key
            As for :meth:`answer`.
        make : function
            Takes a slice of rows and the result of :meth:`answer` for it; called on several
            threads.

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

        def make_span(span: _Span) -> Result:
            results = task.of_window(window.part(span.low, span.high, frames))
            own_rows = results.slice(span.first - span.low, span.last - span.first)
            return make(slice(span.first, span.last), own_rows)

        with ThreadPoolExecutor(min(cores(), MOST_THREADS)) as pool:
            return list(pool.map(make_span, _spans(rows, list(frames.values()))))

    def rows(self, over: "Over", key: Key) -> pa.Table:
        """Return the stored columns of one partition, sorted."""
        task, window = self._task_and_window(over, key)
        return pa.table({name: window.column(alias) for name, alias in task.columns})

    def once(self, key: Key, what: Any, compute: Callable[[], Result]) -> Result:
        """Return a cached value of a partition; compute it on first use.

        The cache lasts as long as the rows of the partition stay in this process.
        """
        return self._window(key).once(what, compute)

    def partition(self, over: "Over", key: Key, row: int) -> Partition:
        """Return the frame of one row as a partition, for display.

        Parameters
        ----------
        over : Over
            The prepared call, possibly with other frames or quantiles.
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
        """Return the first row of a row's frame and its end, half open."""
        task, window = self._task_and_window(over, key)
        begin, end = window.compute_ranges(task.calls[0].frame)
        return _reach(begin[row : row + 1], end[row : row + 1], row)

    def _task_and_window(self, over: "Over", key: Key) -> tuple[WindowTask, Window]:
        task, carried = over.bound(self.df)
        window = self._window(key)
        names = {carried.of(name): name for name in carried.table.names}
        aliases = window.block.rows.column_names
        columns = tuple((names[alias], alias) for alias in aliases if alias in names)
        return replace(task, columns=columns, keys=()), window

    def free(self) -> None:
        """Free the memory; the next request packs the series again."""
        self._pieces.unpersist()
        self._windows.clear()

    def _packed(self, over: "Over", task: WindowTask, carried: Carried) -> "DataFrame":
        from pyspark.sql import types as t

        used = {term.name for term in task.order}
        used = used.union(*((*call.needs, *call.bounds) for call in task.calls))
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
        """Return a series in this process, where the most recent ones are cached."""
        from pyspark.sql import functions as F

        if key not in self._windows:
            rows = self._pieces
            for i, value in enumerate(key):
                rows = rows.where(F.col(f"k{i}").eqNullSafe(literal(value)))
            pieces = in_arrow(rows.select(PIECE, PACKED)).sort_by(PIECE).column(PACKED)
            packed = (piece for chunk in pieces.chunks for piece in binaries(chunk))
            series = pa.concat_tables(map(unpacked_rows, packed)).combine_chunks()
            if len(self._windows) >= MOST_FETCHED:
                del self._windows[next(iter(self._windows))]
            block = Block(pa.table({}), np.array([0, len(series)]), series)
            self._windows[key] = Window(block, self._order)
        return self._windows[key]


class _Span(NamedTuple):
    """Rows that are computed at a time, and the rows that their frames cover.

    Attributes
    ----------
    first, last : int
        The rows, half open.
    low, high : int
        The rows that their frames cover, these rows included.
    """

    first: int
    last: int
    low: int
    high: int


def _spans(rows: int, frames: Sequence[Ranges]) -> list[_Span]:
    """Return rows in spans whose frames reach little beyond them, in one span if they do."""
    size = ROWS_AT_ONCE
    while size < rows:
        spans = [_span(frames, first, min(first + size, rows)) for first in range(0, rows, size)]
        if sum(one.high - one.low for one in spans) < 1.5 * rows:
            return spans
        size *= 2
    return [_Span(0, rows, 0, rows)]


def _span(frames: Sequence[Ranges], first: int, last: int) -> _Span:
    reached = [_reach(begin[first:last], end[first:last], first) for begin, end in frames]
    low, high = min(low for low, _ in reached), max(high for _, high in reached)
    return _Span(first, last, min(first, low), max(last, high))


def _reach(begin: NDArray[np.int64], end: NDArray[np.int64], nowhere: int) -> tuple[int, int]:
    """Return the range that some frames cover; empty pieces are ignored."""
    nonempty = end > begin
    if not nonempty.any():
        return nowhere, nowhere
    return int(begin[nonempty].min()), int(end[nonempty].max())


@dataclass(frozen=True)
class PackSeries:
    """Packs series in Spark's Python workers: rows in, packed pieces out.

    Attributes
    ----------
    keys : tuple of str
    order : tuple of OrderColumn
    columns : tuple of str
        The columns that are packed.
    most : int
        The most rows of a piece.
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
                piece_rows = rows.slice(at, min(self.most, last - at))
                yield self._piece(block.keys.slice(p, 1), piece, piece_rows)

    def _piece(self, key: pa.Table, piece: int, rows: pa.Table) -> pa.RecordBatch:
        columns = {f"k{i}": as_array(key.column(i)) for i in range(key.num_columns)}
        columns[PIECE] = pa.array([piece], pa.int64())
        columns[ROWS] = pa.array([len(rows)], pa.int64())
        columns[PACKED] = one_binary(packed_rows(rows))
        return pa.record_batch(columns)


def _sortable(value: Any) -> tuple[bool, Any]:
    return value is not None, value if isinstance(value, Number | str) else str(value)
