"""Verification of shuffles: a task receives exactly what was sent to it, or it fails.

Before a shuffle, a task counts what it sends to each partition, and sends a note with the counts
after its last bundle. After the shuffle, a task counts what it opens, and compares that with the
notes (docs/decisions/0015).
"""

import struct
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from itertools import count
from typing import NamedTuple

import pyarrow as pa

from workbench.columnar.packed_rows import one_binary, packed_rows, unpacked_rows
from workbench.errors import WorkbenchError

#: The first bytes of a note, unlike those of any packed table.
_MARK = b"delivery"
#: These bytes, the note's sender, its target, and the numbers of bundles and rows sent there.
_NOTE = struct.Struct("<8s8sqqq")
_AGAIN = "so there is no answer; run it again, and report it if this persists."
#: Numbers tasks outside of Spark.
_numbers = count()


class Bundle(NamedTuple):
    """Packed rows and their target.

    Attributes
    ----------
    to : int
        The target, such as a partition.
    rows : int
    packed : pyarrow.Buffer
    """

    to: int
    rows: int
    packed: pa.Buffer

    @classmethod
    def of(cls, rows: pa.Table, to: int = 0) -> "Bundle":
        """Return rows as a bundle for a target."""
        return cls(to, len(rows), packed_rows(rows))


class Sent:
    """Counts what a task sends to each target.

    Parameters
    ----------
    what : iterable of str
        Identifies the task among others that Spark may run under the same number: the names of
        the arriving columns.
    """

    def __init__(self, what: Iterable[str]) -> None:
        self._what = tuple(what)
        self._counts: dict[int, tuple[int, int]] = {}

    def counted(self, bundles: Iterable[Bundle]) -> Iterator[Bundle]:
        """Yield bundles, and count them."""
        for one in bundles:
            known, rows = self._counts.get(one.to, (0, 0))
            self._counts[one.to] = known + 1, rows + one.rows
            yield one

    def notes(self) -> list[Bundle]:
        """Return a note for each target with bundles."""
        # Deterministic, as Spark may compare the output of a task that it runs again.
        sender = blake2b(repr((task_number(), self._what)).encode(), digest_size=8).digest()
        packed = {to: _NOTE.pack(_MARK, sender, to, *one) for to, one in self._counts.items()}
        return [Bundle(to, 0, pa.py_buffer(note)) for to, note in packed.items()]


def task_number() -> int:
    """Return the number of the task among those that Spark runs together."""
    from pyspark import TaskContext

    context = TaskContext.get()
    return context.partitionId() if context else next(_numbers)


class Received:
    """Counts what a task receives, and compares it with the notes."""

    def __init__(self) -> None:
        self._bundles = self._rows = 0
        # One note per sender and target, so that bundles that arrive twice are detected.
        self._notes: dict[tuple[bytes, int], tuple[int, int]] = {}

    def opened(self, value: pa.Buffer) -> Iterator[pa.Table]:
        """Yield the tables of a value, without copying them.

        Parameters
        ----------
        value : pyarrow.Buffer
            Concatenated bundles and notes.
        """
        reader, octets = pa.BufferReader(value), memoryview(value)
        while (at := reader.tell()) < value.size:
            if octets[at : at + len(_MARK)] == _MARK:
                self._note(reader.read(_NOTE.size))
                continue
            try:
                table = unpacked_rows(reader)
            except (pa.ArrowException, OSError) as error:
                raise WorkbenchError(
                    f"shuffle: a bundle reached a task incomplete ({error}), {_AGAIN}"
                ) from None
            self._bundles, self._rows = self._bundles + 1, self._rows + len(table)
            yield table
            del table

    def _note(self, packed: bytes) -> None:
        # A truncated note is ignored; then more rows arrive than the notes announce.
        if len(packed) == _NOTE.size:
            _, sender, to, bundles, rows = _NOTE.unpack(packed)
            self._notes[sender, to] = bundles, rows

    def check(self) -> None:
        """Refuse to continue where less or more has arrived than was sent.

        Raises
        ------
        WorkbenchError
        """
        bundles, rows = (sum(note[i] for note in self._notes.values()) for i in (0, 1))
        if (bundles, rows) != (self._bundles, self._rows):
            raise WorkbenchError(
                f"shuffle: {rows:,} rows in {bundles:,} bundles were sent to a task, but "
                f"{self._rows:,} rows in {self._bundles:,} bundles arrived, {_AGAIN}"
            )


def delivered(values: Iterable[pa.Buffer]) -> Iterator[pa.Table]:
    """Yield the tables of all values of a task, and fail after the last if some are missing.

    Parameters
    ----------
    values : iterable of pyarrow.Buffer

    Raises
    ------
    WorkbenchError

    Examples
    --------
    >>> sent = Sent(["n"])
    >>> one, two = (Bundle.of(pa.table({"n": n})) for n in ([1, 2], [3]))
    >>> values = [bundle.packed for bundle in [*sent.counted([one, two]), *sent.notes()]]
    >>> [table.to_pydict() for table in delivered(values)]
    [{'n': [1, 2]}, {'n': [3]}]
    >>> list(delivered(values[1:]))
    Traceback (most recent call last):
    workbench.errors.WorkbenchError: shuffle: 3 rows in 2 bundles were sent to a task, but 1 rows \
in 1 bundles arrived, so there is no answer; run it again, and report it if this persists.
    """
    received = Received()
    for value in values:
        yield from received.opened(value)
    received.check()


def to_one_task(
    tables: Iterable[pa.Table], name: str, what: Iterable[str]
) -> Iterator[pa.RecordBatch]:
    """Yield tables, each as one value of a column for a single task, and a note of their number.

    Parameters
    ----------
    tables : iterable of pyarrow.Table
    name : str
        The name of the column.
    what : iterable of str
        See :class:`Sent`.
    """
    sent = Sent(what)
    for one in sent.counted(map(Bundle.of, tables)):
        yield pa.record_batch({name: one_binary(one.packed)})
    for note in sent.notes():
        yield pa.record_batch({name: one_binary(note.packed)})
