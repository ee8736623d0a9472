"""Processing of a stream's rows by a window call, independent of Spark.

The state of a query over a stream is divided into *buckets*, one for each task, and a bucket into
*parts*, each a packed value. So a micro-batch reads and writes only the parts that it touches
(:mod:`workbench.windows.stream.worker.bucket`). A :class:`StreamOperator` decides which rows are
kept and which are emitted. It gets the partitions of all touched parts as one block, the arrivals,
and the watermark; it returns the updated partitions and the emitted rows. It is a pure function
over Arrow and NumPy, and independent of buckets and parts.

A mode has three steps: :func:`place_arrivals` finds the partition of each arrival; kernels process
blocks of partitions; :class:`Emitted` is the result.

``retained.keys`` has a row for each partition. Its columns are those of the key, by the names that
they have in the workers (:class:`workbench.spark.shuffle.Carried`), :data:`HASH`, and any integers
that a mode keeps for each partition. ``retained.rows`` has the columns of the arrivals except
:data:`HASH`, and any columns that a mode adds. A partition may have no row. A partition that a mode
does not return is dropped. The columns and types of the state must always be the same.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import pyarrow as pa

from kernels.core.arrays import Ints
from workbench.columnar.blocks import Block, grouped
from workbench.columnar.key_codes import as_array, key_codes
from workbench.columnar.ragged import offsets_of
from workbench.engine.block import Call
from workbench.engine.task import WindowTask
from workbench.windows.stream.worker.packing import typed_as

#: The column with a 64-bit hash of the key, of each arrival and of each partition.
HASH = "__hash__"
#: A time at which nothing is due.
NEVER = 2**63 - 1


class Clock(NamedTuple):
    """The progress of the stream, in microseconds; None without a watermark, or before the first.

    Attributes
    ----------
    watermark : int or None
        Later micro-batches have no rows with this time or an earlier one.
    before : int or None
        The watermark at the bucket's last step. Arrivals whose time is not above it are late. It
        is never above ``watermark``.
    """

    watermark: int | None
    before: int | None


@dataclass(frozen=True)
class Emitted:
    """The result of processing some partitions.

    Attributes
    ----------
    retained : Block
        The partitions to keep, in any order; the next call gets them.
    output : pyarrow.Table
        The emitted rows, with the columns of the query's result; without columns when no row is
        emitted.
    counts : dict of str to int
        Counts, by the names of :attr:`StreamOperator.counts`.
    due : int64 array of shape (partitions,)
        For each partition of ``retained``: the watermark at which it must be processed even
        without arrivals; :data:`NEVER` where that is not needed.
    """

    retained: Block
    output: pa.Table
    counts: Mapping[str, int]
    due: Ints


class StreamOperator(Protocol):
    """The interface of an emit mode of a window call over a stream.

    Implementations are frozen dataclasses that can be pickled, of plain values only.

    Attributes
    ----------
    counts : tuple of str
        The names of the counts in the query's progress, such as "late_rows".
    """

    @property
    def counts(self) -> tuple[str, ...]:
        """The names of the counts."""
        ...

    @property
    def description(self) -> Mapping[str, object]:
        """Plain values that determine the state; a checkpoint is bound to them."""
        ...

    def process(self, retained: Block | None, arrivals: pa.Table | None, clock: Clock) -> Emitted:
        """Process arrivals, and return the updated partitions and the emitted rows.

        Parameters
        ----------
        retained : Block or None
            The partitions of the touched parts, as ``process`` returned them: those of the
            arrivals, those that are due, and others. None when the touched parts are empty.
        arrivals : pyarrow.Table or None
            The arrivals, in the order of arrival: the columns that go to the workers, and
            :data:`HASH`. None when there are none; then ``retained`` is given.
        clock : Clock

        Returns
        -------
        Emitted
        """
        ...


def description_of(task: WindowTask) -> dict[str, object]:
    """Return the properties that determine a window call's state, without class and field names.

    Checkpoints outlive versions of the workbench, so these properties are listed explicitly.

    Parameters
    ----------
    task : WindowTask

    Returns
    -------
    dict of str to object
        Plain values that JSON can represent.
    """
    return {
        "columns": [list(one) for one in task.columns],
        "keys": list(task.keys),
        "order": [[one.name, one.descending, one.nulls_first] for one in task.order],
        "calls": [_call(one) for one in task.calls],
    }


def _call(call: Call) -> list[object]:
    given = call.options
    options: list[object] = [given.n, list(given.q), given.single, repr(given.default)]
    options += [given.ignore_nulls, given.distinct, given.separator]
    bounds = call.frame.low, call.frame.high
    frame: list[object] = [call.frame.unit, call.frame.exclude]
    frame += [None if one is None else [repr(one.amount), one.unit] for one in bounds]
    columns = [list(call.arguments), call.where, call.default]
    # Added only if there are any, so that queries without them keep their description.
    own_order: list[object] = [[one.name, one.descending, one.nulls_first] for one in call.order]
    more = [own_order, call.per_row_n] if call.order or call.per_row_n else []
    return [call.column, call.function, *columns, frame, options, *more]


class PlacedArrivals(NamedTuple):
    """Retained and new partitions, and the arrivals of each.

    Attributes
    ----------
    keys : pyarrow.Table
        The columns of the key and :data:`HASH` of each partition: first the retained partitions,
        in their order, then the new ones.
    offsets : int64 array of shape (partitions + 1,)
        Offsets of the retained rows; new partitions have none.
    new_offsets : int64 array of shape (partitions + 1,)
        Offsets of each partition's arrivals in ``order``.
    order : int64 array of shape (arrivals,)
        The arrivals by partition, and within each in the order of arrival.
    """

    keys: pa.Table
    offsets: Ints
    new_offsets: Ints
    order: Ints

    @property
    def partitions(self) -> int:
        """The number of partitions, new ones included."""
        return len(self.offsets) - 1


def place_arrivals(
    retained: Block | None, arrivals: pa.Table | None, key: Sequence[str]
) -> PlacedArrivals:
    """Find the partition of each arrival.

    Parameters
    ----------
    retained : Block or None
    arrivals : pyarrow.Table or None
        At least one of the two is given.
    key : sequence of str
        The columns that make the partition.

    Returns
    -------
    PlacedArrivals

    Notes
    -----
    O(partitions + arrivals).

    Examples
    --------
    >>> keys = pa.table({"user": ["a", "b"], HASH: [1, 2]})
    >>> retained = Block(keys, np.array([0, 1, 2]), pa.table({"time": [5, 6]}))
    >>> new = pa.table({"user": ["c", "b", "c"], HASH: [3, 2, 3], "time": [7, 8, 9]})
    >>> placed = place_arrivals(retained, new, ["user"])
    >>> placed.keys.to_pydict()
    {'user': ['a', 'b', 'c'], '__hash__': [1, 2, 3]}
    >>> placed.offsets.tolist(), placed.new_offsets.tolist(), placed.order.tolist()
    ([0, 1, 2, 2], [0, 0, 1, 3], [1, 0, 2])
    """
    names = [*key, HASH]
    arrival_keys = None if arrivals is None else arrivals.select(names)
    known_keys = None if retained is None else retained.keys.select(names)
    keys = concat_rows(known_keys, arrival_keys)
    known = 0 if retained is None else len(retained.keys)
    codes, count = key_codes(keys.select(list(key)))
    # Codes count up in the order of first rows, so those of retained partitions are their numbers.
    new_offsets, order = grouped(codes[known:].copy(), count)
    first = np.arange(count)
    first[known:] = known + order[new_offsets[known:-1]]
    sizes = np.zeros(count, np.int64)
    if retained is not None:
        sizes[:known] = np.diff(retained.offsets)
    return PlacedArrivals(
        keys.take(pa.array(first)), offsets_of(sizes), new_offsets, order.astype(np.int64)
    )


def concat_rows(retained: pa.Table | None, arrivals: pa.Table | None) -> pa.Table:
    """Return retained rows followed by arrivals.

    Parameters
    ----------
    retained, arrivals : pyarrow.Table or None
        At least one of the two is given; their columns have the same names. Retained rows are cast
        to the types of the arrivals, where a setting has changed these since.

    Returns
    -------
    pyarrow.Table

    Examples
    --------
    >>> arrivals = pa.table({"time": pa.array([2], pa.int64())})
    >>> concat_rows(pa.table({"time": pa.array([1], pa.int32())}), arrivals).to_pydict()
    {'time': [1, 2]}
    """
    if retained is None or arrivals is None:
        return arrivals if retained is None else retained
    return pa.concat_tables([typed_as(retained, arrivals), arrivals])


def integers_of(retained: Block | None, name: str, partitions: int) -> Ints:
    """Return an integer column of the retained partitions, extended by 0 for new partitions.

    Parameters
    ----------
    retained : Block or None
    name : str
        A column of ``retained.keys``.
    partitions : int
        The number of partitions, new ones included.

    Returns
    -------
    int64 array of shape (partitions,)

    Examples
    --------
    >>> retained = Block(pa.table({"seen": [4]}), np.array([0, 0]), pa.table({}))
    >>> integers_of(retained, "seen", 3).tolist()
    [4, 0, 0]
    """
    values = np.zeros(partitions, np.int64)
    if retained is not None:
        values[: len(retained.keys)] = as_array(retained.keys.column(name)).to_numpy()
    return values
