"""The part of a funnel that runs in Spark's Python workers: blocks in, levels out."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from kernels.funnel.chain_levels import Rules, chain_levels
from kernels.funnel.levels import funnel_levels
from workbench.columnar.blocks import (
    CONDITIONS,
    KEEP,
    NAME,
    TIME,
    Block,
    binaries,
    from_instants,
    gather,
    instants,
    key_columns,
    unpack,
)
from workbench.columnar.bundles import unbundled
from workbench.columnar.key_codes import as_array
from workbench.columnar.process import freeze_gc
from workbench.columnar.ragged import offsets_of


@dataclass(frozen=True)
class FunnelTask:
    """What a worker has to know of a funnel.

    Attributes
    ----------
    keys : tuple of str
        The key's columns.
    steps : tuple of (tuple of str) or int
        For blocks that hold event names, the names of each step; else the bit of each step among
        the conditions. Behind the steps come the exclusions.
    window : int
        In the unit of :func:`workbench.columnar.blocks.instants`.
    modes : dict of str to bool
    by : tuple of str
        The kept columns whose values at the first step are returned as well.
    levels : tuple of int
        Return only the keys of these levels, with the time of their next event, and with ``next``
        the value of that kept column. Without any, all keys.
    timed : bool
        Return also the time of each step since the first, as integers.
    rules : Rules, optional
        What is asked beyond the steps.
    without_excluded : bool
        Whether keys whose furthest chain an excluded event has ended reached no step at all.
    """

    keys: tuple[str, ...]
    steps: tuple[tuple[str, ...] | int, ...]
    window: int
    modes: dict[str, bool]
    by: tuple[str, ...] = ()
    levels: tuple[int, ...] = ()
    next: str | None = None
    timed: bool = False
    rules: Rules | None = None
    without_excluded: bool = False

    @property
    def excludes(self) -> bool:
        """Whether an answer says which keys an excluded event has kept from the next step."""
        return self.rules is not None and len(self.rules.exclusions) > 0

    @property
    def only_matching(self) -> bool:
        """Whether rows that fulfil no step say nothing but that their key is there."""
        strict = self.modes["strict_order"] or (self.rules and self.rules.order == "strict")
        return not strict and not self.levels

    def from_rows(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Answer for a Spark partition that holds all rows of its keys."""
        freeze_gc()
        block = gather(unbundled(batches), key_columns(self.keys))
        if block is not None:
            yield self.answer(block)

    def from_blocks(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Answer for packed blocks, one binary value each."""
        freeze_gc()
        for batch in batches:
            for packed in binaries(batch.column(0)):
                yield self.answer(unpack(packed, key_columns(self.keys)))

    def answer(self, block: Block) -> pa.RecordBatch:
        """Return one row for each key: the level, and the times of the winning chain.

        Parameters
        ----------
        block : Block

        Returns
        -------
        pyarrow.RecordBatch
        """
        conditions = self.conditions(block)
        time = instants(block.column(TIME))
        found = self._reached(block.offsets, time, conditions)
        level, reached = found.level, found.reached
        key_names = zip(self.keys, key_columns(self.keys), strict=True)
        columns = {name: as_array(block.keys.column(key)) for name, key in key_names}
        columns["level"] = pa.array(level.astype(np.int32))
        columns["reached"] = _lists(found.taken, reached, block.rows.schema.field(TIME).type)
        if self.excludes:
            columns["excluded"] = pa.array(found.excluded)
        if self.by:
            values = [block.plain(KEEP + name) for name in self.by]
            opens = conditions & np.uint32(self._first_bits) != 0
            first = first_rows(block, time, opens, level, reached, values)
            columns |= {name: one.take(first) for name, one in zip(self.by, values, strict=True)}
        if self.timed:
            columns["since_first"] = _lists(found.taken, reached - reached[:, :1], pa.int64())
        if not self.levels:
            return pa.record_batch(columns)
        names = None if self.next is None else block.plain(self.next).cast(pa.string())
        after = next_rows(block, time, found, names)
        if names is not None:
            columns["next_event"] = names.take(after)
        columns["next_time"] = block.column(TIME).take(after)
        return pa.record_batch(columns).filter(pa.array(np.isin(level, self.levels)))

    def _reached(
        self, offsets: NDArray[np.int64], time: NDArray[np.int64], conditions: NDArray[np.uint32]
    ) -> "Reached":
        if self.rules is None:
            steps = len(self.steps)
            level, reached = funnel_levels(
                offsets, time, conditions, steps, self.window, **self.modes
            )
            return Reached(level, reached, np.arange(steps) < level[:, None])
        steps = self.rules.steps
        level, reached, outcome = chain_levels(offsets, time, conditions, self.rules)
        if self.without_excluded:
            level, outcome[:, 0] = (
                np.where(outcome[:, 2], 0, level),
                outcome[:, 0] * (outcome[:, 2] == 0),
            )
        taken = outcome[:, :1] >> np.arange(steps) & 1 == 1
        if self.rules.order == "any":
            # In the sequence of their times, whichever steps they are.
            reached = np.sort(np.where(taken, reached, np.iinfo(np.int64).max), axis=1)
            taken = np.arange(steps) < level[:, None]
        return Reached(level, reached, taken, outcome[:, 1] == 1)

    @property
    def _first_bits(self) -> int:
        """The bits of a row at which a chain may begin."""
        anywhere = self.rules is not None and self.rules.order == "any"
        return (1 << len(self.steps)) - 1 if anywhere else 1

    def conditions(self, block: Block) -> NDArray[np.uint32]:
        """Return for each row the steps that it fulfils, bit k for step k."""
        if NAME in block.rows.column_names and not isinstance(self.steps[0], int):
            return self._of_names(block.column(NAME))
        fulfilled: NDArray[np.uint32] = block.column(CONDITIONS).to_numpy().view(np.uint32)
        if self.steps == tuple(range(len(self.steps))):
            return fulfilled
        places = cast(tuple[int, ...], self.steps)
        bits = [((fulfilled >> np.uint32(bit)) & 1) << k for k, bit in enumerate(places)]
        return np.asarray(np.bitwise_or.reduce(bits), np.uint32)

    def _of_names(self, names: pa.DictionaryArray) -> NDArray[np.uint32]:
        fulfils = [
            sum(1 << k for k, step in enumerate(self.steps) if name in cast(tuple[str, ...], step))
            for name in names.dictionary.to_pylist()
        ]
        # One more for rows without a name, which fulfil nothing.
        table = np.array([*fulfils, 0], np.uint32)
        codes = names.indices.fill_null(len(fulfils)).to_numpy()
        return np.asarray(np.take(table, codes), np.uint32)


class Reached(NamedTuple):
    """How far the partitions of a block got.

    Attributes
    ----------
    level : int64 array of shape (partitions,)
    reached : int64 array of shape (partitions, steps)
        The times of the winning chain.
    taken : bool array of shape (partitions, steps)
        Which of these times mean something.
    excluded : bool array of shape (partitions,), or None
        Where an excluded event has ended the furthest chain.
    """

    level: NDArray[np.int64]
    reached: NDArray[np.int64]
    taken: NDArray[np.bool_]
    excluded: NDArray[np.bool_] | None = None


def first_rows(
    block: Block,
    time: NDArray[np.int64],
    opens: NDArray[np.bool_],
    level: NDArray[np.int64],
    reached: NDArray[np.int64],
    values: Sequence[pa.Array],
) -> pa.Array:
    """Return the row at which each partition's winning chain begins, null at level 0.

    Of several rows of that instant that fulfil the first step, the one with the least values is
    taken: so the answer depends on the data, and not on their order of arrival.
    """
    partition = block.partition_of_rows()
    begins = (level[partition] > 0) & (time == reached[partition, 0]) & opens
    rows = np.flatnonzero(begins)
    names = [str(k) for k in range(len(values))]
    there = pa.table([one.take(pa.array(rows)) for one in values], names)
    order = pc.sort_indices(there, [(name, "ascending") for name in names])
    return _first_of_each(rows[order.to_numpy()], partition, len(level))


def next_rows(
    block: Block,
    time: NDArray[np.int64],
    found: Reached,
    names: pa.Array | None,
) -> pa.Array:
    """Return each partition's earliest row behind its winning chain, null where there is none.

    Of several rows at that time, the one whose name comes first is taken.
    """
    partition = block.partition_of_rows()
    last = np.where(found.taken, found.reached, np.iinfo(np.int64).min).max(axis=1)
    rows = np.flatnonzero(time > last[partition])
    if names is not None:
        rows = rows[pc.sort_indices(names.take(pa.array(rows))).to_numpy()]
    rows = rows[np.argsort(time[rows], kind="stable")]
    return _first_of_each(rows, partition, len(last))


def _first_of_each(rows: NDArray[np.int64], partition: NDArray[np.int64], count: int) -> pa.Array:
    present, at = np.unique(partition[rows], return_index=True)
    first = np.full(count, -1)
    first[present] = rows[at]
    return pa.array(first, mask=first < 0)


def _lists(taken: NDArray[np.bool_], reached: NDArray[np.int64], like: pa.DataType) -> pa.Array:
    """The times of each row up to the last that is taken, as a list; null where one is not."""
    steps = taken.shape[1]
    length = np.where(taken.any(axis=1), steps - np.argmax(taken[:, ::-1], axis=1), 0)
    ends = offsets_of(length).astype(np.int32)
    within = np.arange(steps) < length[:, None]
    values = from_instants(reached[within], like)
    if not (there := taken[within]).all():
        values = pc.if_else(pa.array(there), values, pa.scalar(None, values.type))
    return pa.ListArray.from_arrays(pa.array(ends), values)
