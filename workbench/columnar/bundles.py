"""The shuffle by key, in bundles: Spark moves a few large values in place of every row.

A worker in front of the shuffle sorts its rows by their partition-to-be and packs those that go the
same way as one binary value. So a row costs no serialization of its own, and rows that an answer
does not need never travel (docs/decisions/0006).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import ArrayLike, NDArray

from workbench.columnar.blocks import CONDITIONS, binaries, grouped, instants, one_binary
from workbench.columnar.delivery import Bundle, Sent, delivered
from workbench.columnar.key_codes import as_array, encoded, key_codes, narrow
from workbench.columnar.process import freeze_gc
from workbench.columnar.spark_hash import numbers_for

#: The columns that name a row's partition-to-be, and that hold the rows bundled for one.
PARTITION, BUNDLE = "__partition__", "__bundle__"
#: The column that says how many rows a task left out: on a row of its own, with an empty bundle.
SKIPPED = "__skipped__"
#: What a worker holds before it sends it on: enough for large bundles, and little enough for the
#: processor's cache, in which rows are put in order (docs/decisions/0006).
ROWS_IN_FRONT, BYTES_AT_ONCE = 500_000, 256_000_000
#: What it holds to sum it up: a summary is the better and the fewer they are.
ROWS_AT_ONCE = 2_000_000

#: Which rows go on, to which partitions, and columns that are added to them.
Routed = tuple[NDArray[np.int64], NDArray[np.uint32], dict[str, NDArray[Any]]]


@dataclass(frozen=True)
class BundleTask:
    """Bundle rows by the partition they go to.

    Attributes
    ----------
    columns : tuple of str
        The names of the columns as they arrive. They are part of the task, because Spark takes
        plans for equal whose columns differ by name alone, and would use the one for the other.
    keys : tuple of str
        The columns that make the key.
    partitions : int
    only_matching : bool
        Of rows that fulfil no condition, one for each key is enough.
    text_as_codes : bool
        Send a dictionary of a column's different texts, for events that have few different names.
    latest : str, optional
        A column of times: of rows that fulfil no condition, the one with the last time goes on as
        well, so that where the data end is known behind the shuffle.
    hashed : int, optional
        Of how many partitions Spark chooses one by the hash of the number that a bundle gets;
        without it, the number is that of the partition.
    present : tuple of str
        Rows in which one of these columns is null are left out, and counted.
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
        """The columns of what is sent, as Spark has them."""
        skipped = f", {SKIPPED} long" if self.present else ""
        return f"{PARTITION} int, {BUNDLE} binary{skipped}"

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Bundle the rows of a Spark partition, not too many at once."""
        freeze_gc()
        named = (batch.rename_columns(list(self.columns)) for batch in batches)
        whole = WholeRows(gathered(named, ROWS_IN_FRONT), self.present)
        yield from self.sent(bundle for rows in whole for bundle in self.bundles(rows))
        if whole.skipped:
            yield self._placed([0], one_binary(pa.py_buffer(b"")), whole.skipped)

    def sent(self, bundles: Iterable[Bundle]) -> Iterator[pa.RecordBatch]:
        """Return bundles as Spark moves them, and behind the last one notes of what went where."""
        sent = Sent(self.columns)
        for bundle in sent.counted(bundles):
            yield self._moved([bundle])
        if notes := sent.notes():
            yield self._moved(notes)

    def _moved(self, bundles: Sequence[Bundle]) -> pa.RecordBatch:
        values = [self.values(one.packed) for one in bundles]
        to = np.repeat([one.to for one in bundles], list(map(len, values)))
        return self._placed(to, values[0] if len(values) == 1 else pa.concat_arrays(values))

    def _placed(self, to: ArrayLike, values: pa.Array, skipped: int = 0) -> pa.RecordBatch:
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
        """Return the rows for each partition that has some."""
        return self.packed(rows, self.routed(rows))

    def packed(self, rows: pa.Table, routed: Routed) -> Iterator[Bundle]:
        """Return rows that go to some partitions as bundles for these."""
        chosen, to, marks = routed
        offsets, order = grouped(to, self.partitions)
        rows = rows.drop_columns([PARTITION]).combine_chunks().take(chosen[order])
        for name, mark in marks.items():
            rows = rows.append_column(name, pa.array(mark[order]))
        for partition in np.flatnonzero(np.diff(offsets)):
            first, last = offsets[partition], offsets[partition + 1]
            yield Bundle.of(self.coded(rows.slice(first, last - first)), int(partition))

    def routed(self, rows: pa.Table) -> Routed:
        """Return the rows that go on, the partition of each, and columns that mark them."""
        chosen = self.needed(rows) if self.only_matching else np.arange(len(rows))
        return chosen, rows.column(PARTITION).to_numpy().view(np.uint32)[chosen], {}

    def coded(self, rows: pa.Table) -> pa.Table:
        """Return the rows with text as codes where that is wanted, but for that of the keys."""
        for i, name in enumerate(rows.column_names if self.text_as_codes else ()):
            if name not in self.keys and pa.types.is_string(rows.column(i).type):
                rows = rows.set_column(i, name, encoded(rows.column(i)))
        return rows

    def needed(self, rows: pa.Table) -> NDArray[np.int64]:
        """Return the rows that fulfil a condition, and the first row of each key without one."""
        fulfils = rows.column(CONDITIONS).to_numpy() != 0
        if fulfils.all():
            return np.arange(len(rows))
        codes, count = key_codes(rows.select(list(self.keys)))
        without_match = np.ones(count, bool)
        without_match[codes[np.flatnonzero(fulfils)]] = False
        # Of several values for one place NumPy keeps the last: backwards, that is the first row.
        first, others = np.empty(count, np.int64), np.flatnonzero(without_match.take(codes))[::-1]
        first[codes[others]] = others
        fulfils[first[without_match]] = True
        if self.latest is not None:
            fulfils[np.argmax(instants(as_array(rows.column(self.latest))))] = True
        return np.flatnonzero(fulfils)


class WholeRows:
    """Tables without the rows that lack one of some columns, and how many these were.

    Parameters
    ----------
    tables : iterable of pyarrow.Table
    present : sequence of str

    Attributes
    ----------
    skipped : int
        How many rows were left out of the tables that were read so far.
    """

    def __init__(self, tables: Iterable[pa.Table], present: Sequence[str]) -> None:
        self.skipped, self._tables, self._present = 0, tables, present

    def __iter__(self) -> Iterator[pa.Table]:
        for rows in self._tables:
            whole = with_all(rows, self._present)
            self.skipped += len(rows) - len(whole)
            yield whole


def with_all(rows: pa.Table, present: Sequence[str]) -> pa.Table:
    """Return the rows that have none of some columns missing.

    Examples
    --------
    >>> with_all(pa.table({"user": ["ann", None], "at": [1, 2]}), ["user"]).to_pydict()
    {'user': ['ann'], 'at': [1]}
    """
    for name in present:
        if rows.column(name).null_count:
            rows = rows.filter(pc.is_valid(rows.column(name)))
    return rows


def gathered(batches: Iterable[pa.RecordBatch], most: int = ROWS_AT_ONCE) -> Iterator[pa.Table]:
    """Return the rows of batches that Spark gives in tables, not too many at once."""
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
    """Return the rows of all bundles that came to a task, without a copy of them.

    Raises
    ------
    WorkbenchError
        Behind the last bundle, when not all have come that were sent.
    """
    values = (value for batch in batches for value in binaries(batch.column(BUNDLE)))
    for rows in delivered(values):
        yield from rows.to_batches()
