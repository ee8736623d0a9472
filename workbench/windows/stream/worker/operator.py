"""What a window call does with the rows of a stream: the part that knows no Spark.

A query over a stream keeps the rows of its partitions in *buckets*, one for each task, and a bucket
in *parts*, each a packed value of its own: so a micro-batch reads and writes those parts alone that
it touches (:mod:`workbench.windows.stream.worker.bucket`). What is kept, what leaves and when is
the business of a :class:`StreamOperator`. It gets the partitions of all touched parts as one block,
the rows that have come, and the watermark; it returns the partitions as they are now and the rows
that go on. It is a pure function over Arrow and NumPy, and has no say in buckets and parts.

A mode is written in three steps: :func:`placed` finds the partition of each row that has come;
kernels do the rest over blocks of partitions; :class:`Emitted` says what has become of them.

The columns of ``retained.keys``, a row for each partition, are those of the key by the names that
they have on the way (:class:`workbench.spark.shuffle.Carried`), :data:`HASH`, and whatever integers
a mode keeps for each partition. ``retained.rows`` has the columns of the arrivals but for
:data:`HASH`, and whatever a mode adds. A partition may have no row. One that a mode leaves out of
what it returns is forgotten. What a mode keeps must have the same columns, of the same types, each
time.
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

#: Of each row that comes, and of each partition that is held: 64 bits of a hash of the key.
HASH = "__hash__"
#: A time at which nothing is due.
NEVER = 2**63 - 1


class Clock(NamedTuple):
    """How far the stream is, in microseconds; None where there is no watermark, or not yet.

    Attributes
    ----------
    watermark : int or None
        No row comes in a later micro-batch with this time or a smaller one.
    before : int or None
        The watermark when the bucket was last asked: rows that come now and whose time is not
        above it are late. It is never above ``watermark``.
    """

    watermark: int | None
    before: int | None


@dataclass(frozen=True)
class Emitted:
    """What has become of some partitions.

    Attributes
    ----------
    retained : Block
        The partitions that are still kept, in any order, as the next call gets them.
    output : pyarrow.Table
        The rows that go on, with the columns of the query's result; none of either when no row
        goes on.
    counts : dict of str to int
        What is counted, by the names of :attr:`Mode.counts`.
    due : int64 array of shape (partitions,)
        Of each partition of ``retained``: what the watermark must reach before the mode is to be
        asked again, though no row comes; :data:`NEVER` where that is not needed.
    """

    retained: Block
    output: pa.Table
    counts: Mapping[str, int]
    due: Ints


class StreamOperator(Protocol):
    """How a window call answers a stream.

    Implementations are frozen dataclasses that can be pickled, of plain values only.

    Attributes
    ----------
    counts : tuple of str
        The names of what is counted, which a person sees in the query's progress: such as
        "late_rows".
    """

    @property
    def counts(self) -> tuple[str, ...]:
        """The names of what is counted."""
        ...

    @property
    def description(self) -> Mapping[str, object]:
        """What the state depends on, in plain values: a checkpoint is bound to it."""
        ...

    def take(self, retained: Block | None, arrivals: pa.Table | None, clock: Clock) -> Emitted:
        """Take in rows, and return what has become of the partitions.

        Parameters
        ----------
        retained : Block or None
            The partitions of the parts that are touched, as ``take`` has returned them: those of
            the rows that come, those in which something is due, and others. None when none of them
            is kept yet.
        arrivals : pyarrow.Table or None
            The rows that have come, in the order of arrival: the columns that go to the workers,
            and :data:`HASH`. None when none has, and then ``retained`` is given.
        clock : Clock

        Returns
        -------
        Emitted
        """
        ...


def description_of(task: WindowTask) -> dict[str, object]:
    """Return what a window call's state depends on, without the names of classes and fields.

    A checkpoint outlives a version of the workbench, so what it is bound to is written out here.

    Parameters
    ----------
    task : WindowTask

    Returns
    -------
    dict of str to object
        Plain values, that JSON takes.
    """
    return {
        "columns": [list(one) for one in task.columns],
        "keys": list(task.keys),
        "order": [[one.name, one.descending, one.nulls_first] for one in task.order],
        "calls": [_call(one) for one in task.calls],
    }


def _call(call: Call) -> list[object]:
    options = call.options
    given: list[object] = [options.n, list(options.q), options.single, repr(options.default)]
    given += [options.ignore_nulls, options.distinct, options.separator]
    bounds = call.frame.low, call.frame.high
    frame: list[object] = [call.frame.unit, call.frame.exclude]
    frame += [None if one is None else [repr(one.amount), one.unit] for one in bounds]
    columns = [list(call.arguments), call.where, call.default]
    # Only where there are such, so that queries without them stay what they are.
    own: list[object] = [[one.name, one.descending, one.nulls_first] for one in call.order]
    more = [own, call.each] if call.order or call.each else []
    return [call.column, call.function, *columns, frame, given, *more]


class PlacedArrivals(NamedTuple):
    """Partitions that are held and those that come with new rows, which are none's yet.

    Attributes
    ----------
    keys : pyarrow.Table
        The columns of the key and :data:`HASH` of each partition: first those that are held, in
        their order, then the new ones.
    offsets : int64 array of shape (partitions + 1,)
        The rows that are held; new partitions have none.
    new_offsets : int64 array of shape (partitions + 1,)
        The arrivals of each partition, as places in ``order``.
    order : int64 array of shape (arrivals,)
        The arrivals partition by partition, and within each as they have come.
    """

    keys: pa.Table
    offsets: Ints
    new_offsets: Ints
    order: Ints

    @property
    def partitions(self) -> int:
        """How many partitions there are, the new ones included."""
        return len(self.offsets) - 1


def placed(retained: Block | None, arrivals: pa.Table | None, key: Sequence[str]) -> PlacedArrivals:
    """Find the partitions of rows that have come.

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
    >>> there = pa.table({"user": ["a", "b"], HASH: [1, 2]})
    >>> held = Block(there, np.array([0, 1, 2]), pa.table({"time": [5, 6]}))
    >>> new = pa.table({"user": ["c", "b", "c"], HASH: [3, 2, 3], "time": [7, 8, 9]})
    >>> found = placed(held, new, ["user"])
    >>> found.keys.to_pydict()
    {'user': ['a', 'b', 'c'], '__hash__': [1, 2, 3]}
    >>> found.offsets.tolist(), found.new_offsets.tolist(), found.order.tolist()
    ([0, 1, 2, 2], [0, 0, 1, 3], [1, 0, 2])
    """
    names = [*key, HASH]
    come = None if arrivals is None else arrivals.select(names)
    keys = one_behind_the_other(None if retained is None else retained.keys.select(names), come)
    known = 0 if retained is None else len(retained.keys)
    codes, count = key_codes(keys.select(list(key)))
    # Codes count up in the order of first rows, so those of held partitions are their numbers.
    new_offsets, order = grouped(codes[known:].copy(), count)
    first = np.arange(count)
    first[known:] = known + order[new_offsets[known:-1]]
    sizes = np.zeros(count, np.int64)
    if retained is not None:
        sizes[:known] = np.diff(retained.offsets)
    return PlacedArrivals(
        keys.take(pa.array(first)), offsets_of(sizes), new_offsets, order.astype(np.int64)
    )


def one_behind_the_other(retained: pa.Table | None, arrivals: pa.Table | None) -> pa.Table:
    """Return rows that are held and behind them rows that have come.

    Parameters
    ----------
    retained, arrivals : pyarrow.Table or None
        At least one of the two is given, and of both the columns have the same names. The held
        ones take the types of the arrivals, where a setting has changed these since.

    Returns
    -------
    pyarrow.Table

    Examples
    --------
    >>> come = pa.table({"time": pa.array([2], pa.int64())})
    >>> one_behind_the_other(pa.table({"time": pa.array([1], pa.int32())}), come).to_pydict()
    {'time': [1, 2]}
    """
    if retained is None or arrivals is None:
        return arrivals if retained is None else retained
    if retained.schema != arrivals.schema:
        retained = retained.select(arrivals.column_names).cast(arrivals.schema)
    return pa.concat_tables([retained, arrivals])


def integers_of(retained: Block | None, name: str, partitions: int) -> Ints:
    """Return what is kept for each partition under a name, and 0 for those that are new.

    Parameters
    ----------
    retained : Block or None
    name : str
        A column of ``retained.keys``.
    partitions : int
        How many there are, the new ones included.

    Returns
    -------
    int64 array of shape (partitions,)

    Examples
    --------
    >>> held = Block(pa.table({"seen": [4]}), np.array([0, 0]), pa.table({}))
    >>> integers_of(held, "seen", 3).tolist()
    [4, 0, 0]
    """
    found = np.zeros(partitions, np.int64)
    if retained is not None:
        found[: len(retained.keys)] = as_array(retained.keys.column(name)).to_numpy()
    return found
