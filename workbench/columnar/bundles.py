"""The shuffle by key, in bundles: Spark moves a few large values instead of every row.

A worker before the shuffle sorts its rows by their target partition, and packs the rows of each
partition as one binary value. So Spark does not serialize single rows, and rows that the result
does not need never travel (docs/decisions/0006).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import ArrayLike, NDArray

from workbench.columnar.blocks import CONDITIONS, grouped
from workbench.columnar.delivery import Bundle, Sent, delivered
from workbench.columnar.instants import instants
from workbench.columnar.key_codes import as_array, encoded, key_codes, narrow
from workbench.columnar.packed_rows import binaries, one_binary
from workbench.columnar.process import freeze_gc
from workbench.columnar.spark_hash import numbers_for

#: The columns with a row's target partition, and with the rows bundled for a partition.
PARTITION, BUNDLE = "__partition__", "__bundle__"
#: The column with the number of rows that a task left out, in an extra row with an empty bundle.
SKIPPED = "__skipped__"
#: What a worker collects before it sends bundles: enough for large bundles, and little enough to be
#: sorted in the processor's cache (docs/decisions/0006).
ROWS_IN_FRONT, BYTES_AT_ONCE = 500_000, 256_000_000
#: What it collects to summarize: more rows mean better and fewer summaries.
ROWS_AT_ONCE = 2_000_000

#: The numbers of the rows to send, their partitions, and columns to add.
Routed = tuple[NDArray[np.int64], NDArray[np.uint32], dict[str, NDArray[Any]]]


@dataclass(frozen=True)
class BundleTask:
    """Bundle rows by their target partition.

    Attributes
    ----------
    columns : tuple of str
        The names of the arriving columns. They are part of the task, because Spark considers plans
        equal that differ in column names alone, and would reuse one for the other.
    keys : tuple of str
        The columns of the key.
    partitions : int
    only_matching : bool
        Whether to send only one row per key of the rows that fulfil no condition.
    text_as_codes : bool
        Whether to send text as dictionary codes, for events with few distinct names.
    latest : str, optional
        A column of times. The row with the last time is sent even if it fulfils no condition, so
        that the end of the data is known after the shuffle.
    hashed : int, optional
        The number of partitions among which Spark chooses by the hash of a bundle's number;
        without it, the number is the partition.
    present : tuple of str
        Rows with a null in one of these columns are left out and counted.
    """

    columns: tuple[str, ...]
    keys: tuple[str, ...]
    partitions: int
    only_matching: bool = False
    text_as_codes: bool = False
    latest: str | None = None
    hashed: int | None = None
    present: tuple[str, ...] = ()

    @property
    def schema(self) -> str:
        """The Spark schema of the sent columns."""
        skipped = f", {SKIPPED} long" if self.present else ""
        return f"{PARTITION} int, {BUNDLE} binary{skipped}"

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Bundle the rows of a Spark partition, a limited number at a time."""
        freeze_gc()
        named = (batch.rename_columns(list(self.columns)) for batch in batches)
        whole = WholeRows(gathered(named, ROWS_IN_FRONT), self.present)
        yield from self.sent(bundle for rows in whole for bundle in self.bundles(rows))
        if whole.skipped:
            yield self._batch_to([0], one_binary(pa.py_buffer(b"")), whole.skipped)

    def sent(self, bundles: Iterable[Bundle]) -> Iterator[pa.RecordBatch]:
        """Yield bundles as batches, and after the last one notes of how much was sent where."""
        sent = Sent(self.columns)
        for bundle in sent.counted(bundles):
            yield self._batch_of([bundle])
        if notes := sent.notes():
            yield self._batch_of(notes)

    def _batch_of(self, bundles: Sequence[Bundle]) -> pa.RecordBatch:
        values = [self.values(one.packed) for one in bundles]
        to = np.repeat([one.to for one in bundles], list(map(len, values)))
        return self._batch_to(to, values[0] if len(values) == 1 else pa.concat_arrays(values))

    def _batch_to(self, to: ArrayLike, values: pa.Array, skipped: int = 0) -> pa.RecordBatch:
        number = np.asarray(to, np.int32)
        if self.hashed is not None:
            number = numbers_for(self.partitions, self.hashed)[number]
        columns = {PARTITION: pa.array(number), BUNDLE: values}
        if self.present:
            columns[SKIPPED] = pa.array(np.full(len(values), skipped))
        return pa.record_batch(columns)

    def values(self, packed: pa.Buffer) -> pa.Array:
        """Return a bundle as the values of a column."""
        return one_binary(packed)

    def bundles(self, rows: pa.Table) -> Iterator[Bundle]:
        """Yield the bundles of rows, one for each partition with rows."""
        return self.packed(rows, self.routed(rows))

    def packed(self, rows: pa.Table, routed: Routed) -> Iterator[Bundle]:
        """Yield routed rows as bundles, one for each partition with rows."""
        chosen, to, marks = routed
        offsets, order = grouped(to, self.partitions)
        rows = rows.drop_columns([PARTITION]).combine_chunks().take(chosen[order])
        for name, mark in marks.items():
            rows = rows.append_column(name, pa.array(mark[order]))
        for partition in np.flatnonzero(np.diff(offsets)):
            first, last = offsets[partition], offsets[partition + 1]
            yield Bundle.of(self.coded(rows.slice(first, last - first)), int(partition))

    def routed(self, rows: pa.Table) -> Routed:
        """Return the rows to send, their partitions, and columns to add."""
        chosen = self.needed(rows) if self.only_matching else np.arange(len(rows))
        return chosen, rows.column(PARTITION).to_numpy().view(np.uint32)[chosen], {}

    def coded(self, rows: pa.Table) -> pa.Table:
        """Return the rows with text as dictionary codes if requested, except in the keys."""
        for i, name in enumerate(rows.column_names if self.text_as_codes else ()):
            if name not in self.keys and pa.types.is_string(rows.column(i).type):
                rows = rows.set_column(i, name, encoded(rows.column(i)))
        return rows

    def needed(self, rows: pa.Table) -> NDArray[np.int64]:
        """Return the rows that fulfil a condition, and one row of each key without such a row."""
        fulfils = rows.column(CONDITIONS).to_numpy() != 0
        if fulfils.all():
            return np.arange(len(rows))
        codes, count = key_codes(rows.select(list(self.keys)))
        without_match = np.ones(count, bool)
        without_match[codes[np.flatnonzero(fulfils)]] = False
        # NumPy keeps the last of several values for one index: in reverse order, the first row.
        first, others = np.empty(count, np.int64), np.flatnonzero(without_match.take(codes))[::-1]
        first[codes[others]] = others
        fulfils[first[without_match]] = True
        if self.latest is not None:
            fulfils[np.argmax(instants(as_array(rows.column(self.latest))))] = True
        return np.flatnonzero(fulfils)


class WholeRows:
    """Tables without the rows that have a null in some columns, and the number of those rows.

    Parameters
    ----------
    tables : iterable of pyarrow.Table
    present : sequence of str

    Attributes
    ----------
    skipped : int
        How many rows were left out of the tables read so far.
    """

    def __init__(self, tables: Iterable[pa.Table], present: Sequence[str]) -> None:
        self.skipped, self._tables, self._present = 0, tables, present

    def __iter__(self) -> Iterator[pa.Table]:
        for rows in self._tables:
            whole = without_nulls(rows, self._present)
            self.skipped += len(rows) - len(whole)
            yield whole


def without_nulls(rows: pa.Table, present: Sequence[str]) -> pa.Table:
    """Return the rows without a null in any of some columns.

    Examples
    --------
    >>> without_nulls(pa.table({"user": ["ann", None], "at": [1, 2]}), ["user"]).to_pydict()
    {'user': ['ann'], 'at': [1]}
    """
    for name in present:
        if rows.column(name).null_count:
            rows = rows.filter(pc.is_valid(rows.column(name)))
    return rows


def gathered(batches: Iterable[pa.RecordBatch], most: int = ROWS_AT_ONCE) -> Iterator[pa.Table]:
    """Yield the rows of Spark's batches as tables, a limited number of rows at a time."""
    pending: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in map(narrow, batches):
        pending.append(batch)
        rows, size = rows + len(batch), size + batch.nbytes
        if rows >= most or size >= BYTES_AT_ONCE:
            yield pa.Table.from_batches(pending)
            pending, rows, size = [], 0, 0
    if pending:
        yield pa.Table.from_batches(pending)


def unbundled(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the rows of all bundles of a task, without copying them.

    Raises
    ------
    WorkbenchError
        After the last bundle, when some of the sent bundles are missing.
    """
    values = (value for batch in batches for value in binaries(batch.column(BUNDLE)))
    for rows in delivered(values):
        yield from rows.to_batches()
