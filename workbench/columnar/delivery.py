"""What a task gets behind a shuffle is what was sent to it, or the task fails.

In front of a shuffle, a task counts what it sends to each place, and sends a note of that behind
its last bundle. Behind the shuffle, a task counts what it opens, and holds that against the notes
(docs/decisions/0015).
"""

import struct
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from itertools import count
from typing import NamedTuple

import pyarrow as pa

from workbench.columnar.blocks import one_binary, packed_rows, unpacked_rows
from workbench.errors import WorkbenchError

#: With what a note begins, unlike any table that is packed.
_MARK = b"delivery"
#: That, who sent the note, for which place, and how many bundles and rows went there.
_NOTE = struct.Struct("<8s8sqqq")
_AGAIN = "so there is no answer; run it again, and report it if that stays so."
#: What numbers tasks where Spark does not.
_numbers = count()


class Bundle(NamedTuple):
    """Rows on their way.

    Attributes
    ----------
    to : int
        The place that they go to.
    rows : int
    packed : pyarrow.Buffer
    """

    to: int
    rows: int
    packed: pa.Buffer

    @classmethod
    def of(cls, rows: pa.Table, to: int = 0) -> "Bundle":
        """Return rows as a bundle for a place."""
        return cls(to, len(rows), packed_rows(rows))


class Sent:
    """What a task sends to each place.

    Parameters
    ----------
    what : iterable of str
        What tells the task apart from others that Spark may run under the same number: what the
        columns are called that arrive.
    """

    def __init__(self, what: Iterable[str]) -> None:
        self._what = tuple(what)
        self._counts: dict[int, tuple[int, int]] = {}

    def counted(self, bundles: Iterable[Bundle]) -> Iterator[Bundle]:
        """Return bundles, and count them."""
        for one in bundles:
            known, rows = self._counts.get(one.to, (0, 0))
            self._counts[one.to] = known + 1, rows + one.rows
            yield one

    def notes(self) -> list[Bundle]:
        """Return a note for each place that something went to."""
        # The same when Spark runs the task again: it may compare what it then sends.
        sender = blake2b(repr((task_number(), self._what)).encode(), digest_size=8).digest()
        packed = {to: _NOTE.pack(_MARK, sender, to, *one) for to, one in self._counts.items()}
        return [Bundle(to, 0, pa.py_buffer(note)) for to, note in packed.items()]


def task_number() -> int:
    """Return the number of the task among those that Spark runs together."""
    from pyspark import TaskContext

    context = TaskContext.get()
    return context.partitionId() if context else next(_numbers)


class Received:
    """What a task gets, and what notes say that it gets."""

    def __init__(self) -> None:
        self._bundles = self._rows = 0
        # One of each sender for each place: what was sent twice was not said to be.
        self._notes: dict[tuple[bytes, int], tuple[int, int]] = {}

    def opened(self, value: pa.Buffer) -> Iterator[pa.Table]:
        """Return the tables of a value, without a copy of them.

        Parameters
        ----------
        value : pyarrow.Buffer
            Bundles and notes, one behind the other.
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
                    f"shuffle: a bundle came to a task without a part of it ({error}), {_AGAIN}"
                ) from None
            self._bundles, self._rows = self._bundles + 1, self._rows + len(table)
            yield table
            del table

    def _note(self, packed: bytes) -> None:
        # Of a note that is cut nothing is known; then more comes than was said to be sent.
        if len(packed) == _NOTE.size:
            _, sender, to, bundles, rows = _NOTE.unpack(packed)
            self._notes[sender, to] = bundles, rows

    def check(self) -> None:
        """Refuse to go on where not all has come that was sent, or more than that.

        Raises
        ------
        WorkbenchError
        """
        bundles, rows = (sum(note[i] for note in self._notes.values()) for i in (0, 1))
        if (bundles, rows) != (self._bundles, self._rows):
            raise WorkbenchError(
                f"shuffle: {rows:,} rows in {bundles:,} bundles were sent to a task, but "
                f"{self._rows:,} rows in {self._bundles:,} bundles came, {_AGAIN}"
            )


def delivered(values: Iterable[pa.Buffer]) -> Iterator[pa.Table]:
    """Return the tables of all values that came to a task, and fail behind the last if some lack.

    Parameters
    ----------
    values : iterable of pyarrow.Buffer

    Raises
    ------
    WorkbenchError

    Examples
    --------
    >>> sent = Sent(["n"])
    >>> some, more = (Bundle.of(pa.table({"n": n})) for n in ([1, 2], [3]))
    >>> values = [one.packed for one in [*sent.counted([some, more]), *sent.notes()]]
    >>> [table.to_pydict() for table in delivered(values)]
    [{'n': [1, 2]}, {'n': [3]}]
    >>> list(delivered(values[1:]))
    Traceback (most recent call last):
    workbench.errors.WorkbenchError: shuffle: 3 rows in 2 bundles were sent to a task, but 1 rows \
in 1 bundles came, so there is no answer; run it again, and report it if that stays so.
    """
    received = Received()
    for value in values:
        yield from received.opened(value)
    received.check()


def to_one_task(
    tables: Iterable[pa.Table], name: str, what: Iterable[str]
) -> Iterator[pa.RecordBatch]:
    """Return tables, each as one value of a column that goes to a single task, and a note of them.

    Parameters
    ----------
    tables : iterable of pyarrow.Table
    name : str
        Of the column.
    what : iterable of str
        See :class:`Sent`.
    """
    sent = Sent(what)
    for one in sent.counted(map(Bundle.of, tables)):
        yield pa.record_batch({name: one_binary(one.packed)})
    for note in sent.notes():
        yield pa.record_batch({name: one_binary(note.packed)})
