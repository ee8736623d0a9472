"""Compute the levels of a funnel in Spark's Python workers: blocks in, levels out."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from kernels.funnel.chain_levels import Rules, chain_levels
from kernels.funnel.conversions import Conversions, conversions
from kernels.funnel.levels import funnel_levels
from workbench.columnar.blocks import CONDITIONS, KEEP, NAME, TIME, Block, grouped, key_columns
from workbench.columnar.instants import from_instants, instants
from workbench.columnar.key_codes import as_array, key_codes
from workbench.columnar.ragged import begins_run, offsets_of, places_in_runs
from workbench.funnel.worker.blocks import block_of_rows, packed_blocks
from workbench.funnel.worker.reached import FunnelAnswers, Reached, ScanResult

#: The time of the last row of a key, session or chain that may be a first step, as an integer.
ENTERED = "__entered__"


@dataclass(frozen=True)
class FunnelTask:
    """The definition of a funnel for the workers.

    Attributes
    ----------
    keys : tuple of str
        The key's columns.
    steps : tuple of (tuple of str) or int
        For blocks that hold event names, the names of each step; else the bit of each step among
        the conditions. The exclusions follow the steps.
    window : int
        In the unit of :func:`workbench.columnar.instants.instants`.
    modes : dict of str to bool
    by : tuple of str
        The kept columns whose values at the step of ``attribution`` are returned as well.
    levels : tuple of int
        Return only the keys of these levels, with the time of their next event, and with ``next``
        the value of that kept column. If empty, return all keys.
    timed : bool
        Also return the time from the first step to each step, as integers.
    rules : Rules, optional
        Rules beyond the order of the steps, such as exclusions; None for ClickHouse's scan.
    without_excluded : bool
        Whether a key reaches no step if an excluded event ended its furthest chain.
    period : tuple of (int or None), optional
        The times between which the first step must lie; the end is excluded.
    gap : int, optional
        The longest time between two events of one session. Each session has its own result.
    number : str, optional
        The name of the column that numbers from 1 the sessions of a key, or its chains: each
        completed chain, and the furthest one after them. Without it a key has one result.
    attribution : str or int
        The step whose row supplies the values of ``by``, counted from 0, or ``"first"`` or
        ``"last"``; with ``"each"``, the rows of each value are a separate partition.
    done : tuple of str
        Cohorts among ``by`` of keys that ever fulfilled a condition. Their conditions follow the
        exclusions.
    having : dict of str to (str, tuple)
        Cohorts among ``by`` of keys with any row that has one of these values in a kept column.
    entered : bool
        Also return the time of the last event that may begin a chain, as an integer.
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
    period: tuple[int | None, int | None] | None = None
    gap: int | None = None
    number: str | None = None
    attribution: str | int = "first"
    done: tuple[str, ...] = ()
    having: dict[str, tuple[str, tuple[Any, ...]]] = field(default_factory=dict)
    entered: bool = False

    @property
    def cohorts(self) -> tuple[str, ...]:
        """The segments that are true or false of a whole key."""
        return (*self.done, *self.having)

    @property
    def excludes(self) -> bool:
        """Whether the result tells which keys an excluded event kept from the next step."""
        return self.rules is not None and len(self.rules.exclusions) > 0

    @property
    def only_matching(self) -> bool:
        """Whether rows that fulfil no step matter only because they show that their key exists."""
        by_value = self.attribution == "each" or len(self.having) > 0
        return not (self.strict or self.levels or by_value) and self.gap is None

    @property
    def strict(self) -> bool:
        """Whether rows that fulfil no step may interrupt a chain."""
        ordered = self.rules is not None and self.rules.order == "strict"
        return self.modes["strict_order"] or ordered

    def from_rows(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Return the levels for a Spark partition that holds all rows of its keys."""
        blocks = block_of_rows(batches, self.keys, by_time=self.number is not None)
        yield from map(self.answer, blocks)

    def from_blocks(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Return the levels for packed blocks, one binary value each."""
        yield from map(self.answer, packed_blocks(batches, self.keys))

    def answer(self, block: Block) -> pa.RecordBatch:
        """Return one row for each key, session or chain: the level, and the times of the chain.

        Parameters
        ----------
        block : Block

        Returns
        -------
        pyarrow.RecordBatch
        """
        if self.by:
            block = self.with_segments(block)
        parts = self.parts(block, rows=bool(self.levels or self.segment_columns or self.entered))
        block, number, time, conditions, _ = parts
        result = self.result(parts)
        columns = self.columns(
            FunnelAnswers(
                block.keys,
                result,
                block.rows.schema.field(TIME).type,
                self.segments(block, time, conditions, result) if self.by else {},
                self.last_entry(block, time, conditions),
                number,
            )
        )
        # After a completed chain, a rest that begins no chain is not another one.
        present = (result.level > 0) | (number == 1) | (self.gap is not None)
        if not self.levels:
            return _filtered(present, columns)
        names = None if self.next is None else block.plain(self.next).cast(pa.string())
        after = next_rows(block, time, result, names)
        if names is not None:
            columns["next_event"] = names.take(after)
        columns["next_time"] = block.column(TIME).take(after)
        return _filtered(present & np.isin(result.level, self.levels), columns)

    def columns(self, answers: FunnelAnswers) -> dict[str, pa.Array]:
        """Return the columns of the result: how far each partition got."""
        result, reached = answers.result, answers.result.reached
        key_names = zip(self.keys, key_columns(self.keys), strict=True)
        columns = {name: as_array(answers.keys.column(key)) for name, key in key_names}
        if self.number is not None:
            columns[self.number] = pa.array(answers.number)
        columns["level"] = pa.array(result.level.astype(np.int32))
        columns["reached"] = lists_of(result.taken, reached, answers.time_type)
        if self.excludes:
            columns["excluded"] = pa.array(result.excluded)
        # A column of the key is there already, with a value for those without a chain, too.
        columns |= {name: one for name, one in answers.segments.items() if name not in self.keys}
        if self.timed:
            columns["since_first"] = lists_of(result.taken, reached - reached[:, :1], pa.int64())
        if self.entered:
            columns[ENTERED] = pa.array(answers.entered)
        return columns

    def last_entry(
        self, block: Block, time: NDArray[np.int64], conditions: NDArray[np.uint32]
    ) -> NDArray[np.int64] | None:
        """Return the time of each partition's last row that may begin a chain, if requested."""
        if not self.entered:
            return None
        return last_entry(block.offsets, time, self.may_begin(conditions))

    def reached_by_partition(self, block: Block) -> "tuple[Block, NDArray[np.int64], Reached]":
        """Return a block with a partition for each key, session or chain, and how far they got.

        Parameters
        ----------
        block : Block

        Returns
        -------
        block : Block
        number : int64 array of shape (partitions,)
            The number of the session or chain of its key, from 1.
        reached : Reached
        """
        parts = self.parts(block)
        return parts.block, parts.number, self.result(parts)

    def with_segments(self, block: Block) -> Block:
        """Return the block with the segments of a key that do not depend on its winning chain.

        Its cohorts become columns of the key. With the attribution "each", each key and
        combination of values becomes a partition.
        """
        keys = block.keys
        if self.cohorts:
            fulfilled = self._fulfilled(block)
            for k, label in enumerate(self.done, len(self.steps) - len(self.done)):
                did = any_in_partition(block, fulfilled >> k & 1 == 1)
                keys = keys.append_column(KEEP + label, did)
            for label, (name, values) in self.having.items():
                has = any_in_partition(block, has_value(block, name, values))
                keys = keys.append_column(KEEP + label, has)
            block = Block(keys, block.offsets, block.rows)
        names = [KEEP + name for name in self.by if name not in self.cohorts]
        return split_by_values(block, names) if self.attribution == "each" and names else block

    def segments(
        self,
        block: Block,
        time: NDArray[np.int64],
        conditions: NDArray[np.uint32],
        result: Reached,
    ) -> dict[str, pa.Array]:
        """Return the value of each column of segments."""
        of_key = {name for name in self.by if KEEP + name in block.keys.column_names}
        values = {name: as_array(block.keys.column(KEEP + name)) for name in of_key}
        if at_step := [name for name in self.by if name not in of_key]:
            columns = [block.column(KEEP + name) for name in at_step]
            rows = self._rows_of_segments(block, time, conditions, result, columns)
            for name, column in zip(at_step, columns, strict=True):
                values[name] = take_decoded(column, rows)
        return {name: values[name] for name in self.by}

    def _rows_of_segments(
        self,
        block: Block,
        time: NDArray[np.int64],
        conditions: NDArray[np.uint32],
        result: Reached,
        values: Sequence[pa.Array],
    ) -> pa.Array:
        """Return for each winning chain the row that supplies its segment, null without the step.

        Among several rows of that time that fulfil the step, the one with the least values is
        used, so the result does not depend on the order of arrival.
        """
        partitions, steps = np.arange(len(result.level)), result.taken.shape[1]
        step = np.zeros(len(partitions), np.int64)
        fulfilled: NDArray[Any] = conditions
        if self.attribution == "last":
            step = steps - 1 - np.argmax(result.taken[:, ::-1], axis=1)
        elif isinstance(self.attribution, int):
            step[:] = self.attribution
        if self.attribution != "last" and self._steps_ordered:
            fulfilled = conditions >> np.uint32(step[0] if len(step) else 0) & 1
        has_step, step_time = result.taken[partitions, step], result.reached[partitions, step]
        rows = np.flatnonzero(fulfilled)
        partition = np.searchsorted(block.offsets, rows, side="right") - 1
        matches = has_step[partition] & (time[rows] == step_time[partition])
        if self._steps_ordered:
            matches &= conditions[rows] >> step[partition].astype(np.uint32) & 1 == 1
        rows, partition = rows[matches], partition[matches]
        row_of = np.full(len(partitions), -1)
        row_of[partition] = rows
        repeated = partition[1:] == partition[:-1]
        if repeated.any():
            tied = np.append(repeated, False) | np.append(False, repeated)
            by_value = _sorted_by_values(values, rows[tied])[::-1]
            # NumPy keeps the last of several rows written to one index: reversed, the least values.
            row_of[partition[tied][by_value]] = rows[tied][by_value]
        return pa.array(row_of, mask=row_of < 0)

    @property
    def _steps_ordered(self) -> bool:
        """Whether the k-th time of a chain belongs to step k, and not to any of the steps."""
        return self.rules is None or self.rules.order != "any"

    def parts(self, block: Block, only_begun: bool = False, rows: bool = True) -> "BlockParts":
        """Return a partition for each key, session or chain, with its times and conditions.

        Parameters
        ----------
        block : Block
        only_begun : bool
            Only chains that began are needed: sessions by a gap in which no chain can begin are
            left out, and of conversions only the columns that segments are read from are sorted.
        rows : bool
            Whether the rows of each part are needed. Conversions can do without them when only
            how far each got is needed.
        """
        time, conditions = instants(block.column(TIME)), self.conditions(block)
        if self.number is None:
            return BlockParts(block, np.ones(len(block.keys), np.int64), time, conditions)
        if self.gap is not None:
            # Unsigned, because the distance between two times may need 64 bits.
            last = np.append(np.diff(time.view(np.uint64)) > np.uint64(self.gap), True)
            if not only_begun:
                return BlockParts(*split_partitions(block, last), time, conditions)
            block, number = split_partitions(block, last, self.may_begin(conditions))
            return BlockParts(block, number, instants(block.column(TIME)), self.conditions(block))
        if rows and (order := self._order_of_ties(block, time)) is not None:
            block = Block(block.keys, block.offsets, block.rows.take(pa.array(order)))
            conditions = conditions[order]
        chains = conversions(block.offsets, time, conditions, cast(Rules, self.rules), rows)
        if not rows:
            return self._without_rows(block, chains)
        if chains.order is not None:
            retained = block.rows.select(self.segment_columns) if only_begun else block.rows
            block = Block(block.keys, block.offsets, retained.take(pa.array(chains.order)))
            time, conditions = time[chains.order], conditions[chains.order]
        reached = self.to_reached(chains.level, chains.reached, chains.outcome)
        return BlockParts(*split_partitions(block, chains.ends == 1), time, conditions, reached)

    def _order_of_ties(self, block: Block, time: NDArray[np.int64]) -> NDArray[np.int64] | None:
        """Return an order in which rows of one time are by the values of segments, null last.

        An event at the end of a chain is used for no other, so which one it is decides about the
        segments of both. None if no two rows of a key have one time, or nothing is read from them.
        """
        begins = begins_run(block.partition_of_rows(), time)
        tied = np.flatnonzero(~begins | ~np.append(begins[1:], True))
        if not len(tied) or not self.segment_columns:
            return None
        by_value = _sorted_by_values([block.column(one) for one in self.segment_columns], tied)
        run = np.cumsum(begins)[tied]
        order = np.arange(len(time))
        order[tied] = tied[by_value[np.argsort(run[by_value], kind="stable")]]
        return order

    def _without_rows(self, block: Block, chains: Conversions) -> "BlockParts":
        """Return the chains of each key as partitions without rows."""
        key = np.repeat(np.arange(len(chains.chain_counts)), chains.chain_counts)
        number = 1 + places_in_runs(chains.chain_counts)
        empty = Block(
            block.keys.take(pa.array(key)), np.zeros(len(key) + 1, np.int64), block.rows.slice(0, 0)
        )
        reached = self.to_reached(chains.level, chains.reached, chains.outcome)
        no_rows = np.zeros(0, np.int64), np.zeros(0, np.uint32)
        return BlockParts(empty, number, *no_rows, reached)

    @property
    def segment_columns(self) -> list[str]:
        """The kept columns that segments are read from at a step."""
        names = () if self.attribution == "each" else self.by
        return [KEEP + name for name in names if name not in self.cohorts]

    def result(self, parts: "BlockParts") -> Reached:
        """Return how far the parts of a block got, computed unless they already hold it."""
        if parts.result is not None:
            return parts.result
        return self.reached(parts.block.offsets, parts.time, parts.conditions)

    def reached(
        self, offsets: NDArray[np.int64], time: NDArray[np.int64], conditions: NDArray[np.uint32]
    ) -> Reached:
        """Return how far partitions got."""
        return self.to_reached(*self.scan(offsets, time, conditions))

    def scan(
        self, offsets: NDArray[np.int64], time: NDArray[np.int64], conditions: NDArray[np.uint32]
    ) -> ScanResult:
        """Return the output of the kernels for partitions."""
        if self.rules is not None:
            return ScanResult(*chain_levels(offsets, time, conditions, self.rules))
        steps = len(self.steps) - len(self.done)
        level, reached = funnel_levels(offsets, time, conditions, steps, self.window, **self.modes)
        return ScanResult(level, reached, None)

    def to_reached(
        self,
        level: NDArray[np.int64],
        reached: NDArray[np.int64],
        outcome: NDArray[np.int64] | None,
    ) -> Reached:
        """Convert the output of the kernels to a result; this writes to the arrays."""
        if outcome is None:
            return Reached(level, reached, np.arange(reached.shape[1]) < level[:, None])
        rules = cast(Rules, self.rules)
        steps = rules.steps
        if self.without_excluded:
            excluded = outcome[:, 2] == 1
            level[excluded] = 0
            outcome[excluded, 0] = 0
        taken = outcome[:, :1] >> np.arange(steps) & 1 == 1
        if rules.order == "any":
            # Sorted by time, whichever steps they belong to.
            some = np.flatnonzero(level)
            latest = np.iinfo(np.int64).max
            reached[some] = np.sort(np.where(taken[some], reached[some], latest), axis=1)
            taken = np.arange(steps) < level[:, None]
        return Reached(level, reached, taken, outcome[:, 1] == 1)

    def may_begin(self, conditions: NDArray[np.uint32]) -> NDArray[np.bool_]:
        """Return a mask of the rows at which a chain may begin."""
        begins: NDArray[np.bool_] = conditions & np.uint32(self.first_bits) != 0
        return begins

    @property
    def first_bits(self) -> int:
        """The bits of the conditions that may begin a chain."""
        return self._step_bits if self.rules is not None and self.rules.order == "any" else 1

    @property
    def _step_bits(self) -> int:
        """The bits of the steps and the exclusions, which come before those of cohorts."""
        return (1 << len(self.steps) - len(self.done)) - 1

    def conditions(self, block: Block) -> NDArray[np.uint32]:
        """Return the steps that each row fulfils, as bits: bit k for step k."""
        fulfilled = self._fulfilled(block)
        if self.done:
            fulfilled = fulfilled & np.uint32(self._step_bits)
        if self.period is None:
            return fulfilled
        return self.in_period(instants(block.column(TIME)), fulfilled)

    def in_period(
        self, time: NDArray[np.int64], conditions: NDArray[np.uint32]
    ) -> NDArray[np.uint32]:
        """Return the steps that rows fulfil, without first steps that lie outside the period.

        Parameters
        ----------
        time : int64 array of shape (rows,)
        conditions : uint32 array of shape (rows,)
            Bit k is set when the row fulfils step k.

        Returns
        -------
        uint32 array of shape (rows,)
        """
        if self.period is None:
            return conditions
        (first, end), outside = self.period, np.zeros(len(time), bool)
        if first is not None:
            outside |= time < first
        if end is not None:
            outside |= time >= end
        return np.where(outside, conditions & ~np.uint32(self.first_bits), conditions)

    def _fulfilled(self, block: Block) -> NDArray[np.uint32]:
        if NAME in block.rows.column_names and not isinstance(self.steps[0], int):
            return self._of_names(block.column(NAME))
        fulfilled: NDArray[np.uint32] = block.column(CONDITIONS).to_numpy().view(np.uint32)
        if self.steps == tuple(range(len(self.steps))):
            return fulfilled
        places = cast(tuple[int, ...], self.steps)
        bits = [((fulfilled >> np.uint32(bit)) & 1) << k for k, bit in enumerate(places)]
        return np.asarray(np.bitwise_or.reduce(bits), np.uint32)

    def _of_names(self, names: pa.DictionaryArray) -> NDArray[np.uint32]:
        bits = [
            sum(1 << k for k, step in enumerate(self.steps) if name in cast(tuple[str, ...], step))
            for name in names.dictionary.to_pylist()
        ]
        # A last entry for rows without a name, which fulfil nothing.
        table = np.array([*bits, 0], np.uint32)
        codes = names.indices.fill_null(len(bits)).to_numpy()
        return np.asarray(np.take(table, codes), np.uint32)


class BlockParts(NamedTuple):
    """A block with a partition for each key, session or chain.

    Attributes
    ----------
    block : Block
    number : int64 array of shape (partitions,)
        The number of the session or chain of its key, from 1.
    time : int64 array of shape (rows,)
    conditions : uint32 array of shape (rows,)
        Bit k is set when the row fulfils step k.
    result : Reached, or None
        How far they got, where splitting has already computed it.
    """

    block: Block
    number: NDArray[np.int64]
    time: NDArray[np.int64]
    conditions: NDArray[np.uint32]
    result: Reached | None = None


def last_entry(
    offsets: NDArray[np.int64], time: NDArray[np.int64], first: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Return the time of each partition's last row that may begin a chain.

    Parameters
    ----------
    offsets : int64 array of shape (partitions + 1,)
    time : int64 array of shape (rows,)
    first : bool array of shape (rows,)

    Returns
    -------
    int64 array of shape (partitions,)
        The smallest integer where there is no such row.

    Examples
    --------
    >>> last_entry(np.array([0, 2, 3]), np.array([4, 5, 6]), np.array([True, False, True])).tolist()
    [4, 6]
    """
    none = np.iinfo(np.int64).min
    return np.maximum.reduceat(np.where(first, time, none), offsets[:-1])


def split_partitions(
    block: Block, last: NDArray[np.bool_], having: NDArray[np.bool_] | None = None
) -> tuple[Block, NDArray[np.int64]]:
    """Split partitions at some rows; return the new block and the numbers of its parts.

    Parameters
    ----------
    block : Block
    last : bool array of shape (rows,)
        Where a part ends; the last row of a key ends one as well.
    having : bool array of shape (rows,), optional
        Keep only the parts with any of these rows; without it, all parts.

    Returns
    -------
    block : Block
    number : int64 array of shape (parts,)
        Counted from 1 within each key.

    Examples
    --------
    >>> block = Block(pa.table({"k0": ["a", "b"]}), np.array([0, 3, 4]), pa.table({"n": range(4)}))
    >>> parts, number = split_partitions(block, np.array([False, True, False, False]))
    >>> parts.keys.to_pydict(), parts.offsets.tolist(), number.tolist()
    ({'k0': ['a', 'a', 'b']}, [0, 2, 3, 4], [1, 2, 1])
    """
    ends = last.copy()
    ends[block.offsets[1:] - 1] = True
    offsets = np.append(0, np.flatnonzero(ends) + 1)
    parts = np.add.reduceat(ends, block.offsets[:-1], dtype=np.int64)
    key = np.repeat(np.arange(len(parts)), parts)
    number = 1 + places_in_runs(parts)
    if having is None:
        return Block(block.keys.take(pa.array(key)), offsets, block.rows), number
    selected, length = np.logical_or.reduceat(having, offsets[:-1]), np.diff(offsets)
    rows = block.rows.filter(pa.array(np.repeat(selected, length)))
    keys = block.keys.take(pa.array(key[selected]))
    return Block(keys, offsets_of(length[selected]), rows), number[selected]


def any_in_partition(block: Block, rows: NDArray[np.bool_]) -> pa.Array:
    """Return for each partition whether the mask is true of any of its rows.

    Examples
    --------
    >>> block = Block(pa.table({"k0": ["a", "b"]}), np.array([0, 2, 3]), pa.table({"n": range(3)}))
    >>> any_in_partition(block, np.array([False, True, False])).to_pylist()
    [True, False]
    """
    return pa.array(np.logical_or.reduceat(rows, block.offsets[:-1]))


def has_value(block: Block, name: str, values: tuple[Any, ...]) -> NDArray[np.bool_]:
    """Return a mask of the rows with one of some values in a kept column; null is never one."""
    column = block.plain(KEEP + name)
    if pa.types.is_integer(column.type):
        column = column.cast(pa.int64())
    matches = pc.is_in(column, pa.array(values, column.type))
    return np.asarray(matches.to_numpy(zero_copy_only=False))


def split_by_values(block: Block, names: Sequence[str]) -> Block:
    """Return a block with a partition for each key and each combination of its rows' values.

    Parameters
    ----------
    block : Block
    names : sequence of str
        Event columns, which the keys of the new block have in addition to their own.

    Returns
    -------
    Block
        Its partitions are in the order of the keys, then of first rows; rows keep their order.

    Examples
    --------
    >>> rows = pa.table({"device": ["tv", "web", "tv", None], "n": range(4)})
    >>> whole = Block(pa.table({"k0": ["a", "b"]}), np.array([0, 3, 4]), rows)
    >>> block = split_by_values(whole, ["device"])
    >>> block.keys.to_pydict(), block.offsets.tolist(), block.rows["n"].to_pylist()
    ({'k0': ['a', 'a', 'b'], 'device': ['tv', 'web', None]}, [0, 2, 3, 4], [0, 2, 1, 3])
    """
    partition = block.partition_of_rows()
    values = {name: block.column(name) for name in names}
    comparable = pa.table({name: values_or_codes(one) for name, one in values.items()})
    codes, different = key_codes(comparable)
    pairs = pa.table({"": pa.array(partition * different + codes)})
    offsets, order = grouped(*key_codes(pairs))
    first = order[offsets[:-1]]
    keys = block.keys.take(pa.array(partition[first]))
    for name, one in values.items():
        sample = one.take(pa.array(first))
        coded = pa.types.is_dictionary(sample.type)
        keys = keys.append_column(name, sample.cast(sample.type.value_type) if coded else sample)
    return Block(keys, offsets, block.rows.take(pa.array(order)))


def values_or_codes(values: pa.Array) -> pa.Array:
    """Return values to compare by: the codes of dictionary text, with one more code for null."""
    if not pa.types.is_dictionary(values.type):
        return values
    return values.indices.cast(pa.int64()).fill_null(len(values.dictionary))


def next_rows(
    block: Block,
    time: NDArray[np.int64],
    result: Reached,
    names: pa.Array | None,
) -> pa.Array:
    """Return each partition's earliest row after its winning chain, null where there is none.

    Among several rows at that time, the one whose name sorts first is returned.
    """
    partition = block.partition_of_rows()
    last = np.where(result.taken, result.reached, np.iinfo(np.int64).min).max(axis=1)
    rows = np.flatnonzero(time > last[partition])
    if names is not None:
        rows = rows[pc.sort_indices(names.take(pa.array(rows))).to_numpy()]
    rows = rows[np.argsort(time[rows], kind="stable")]
    return first_of_each(rows, partition, len(last))


def take_decoded(values: pa.Array, rows: pa.Array) -> pa.Array:
    """Return some rows of a column, decoded if it has a dictionary.

    Examples
    --------
    >>> take_decoded(pa.array(["a", "b"]).dictionary_encode(), pa.array([1, None, 1])).to_pylist()
    ['b', None, 'b']
    """
    column = values.take(rows)
    coded = pa.types.is_dictionary(column.type)
    return column.cast(column.type.value_type) if coded else column


def _sorted_by_values(values: Sequence[pa.Array], rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the indices that sort some rows by their values, null last."""
    names = [str(k) for k in range(len(values))]
    table = pa.table([take_decoded(one, pa.array(rows)) for one in values], names)
    order = pc.sort_indices(table, [(name, "ascending") for name in names])
    return np.asarray(order.to_numpy())


def _filtered(mask: NDArray[np.bool_], columns: dict[str, pa.Array]) -> pa.RecordBatch:
    """Return the rows of columns that a mask selects, without a copy if it selects all."""
    batch = pa.record_batch(columns)
    return batch if mask.all() else batch.filter(pa.array(mask))


def first_of_each(rows: NDArray[np.int64], partition: NDArray[np.int64], count: int) -> pa.Array:
    present, at = np.unique(partition[rows], return_index=True)
    first = np.full(count, -1)
    first[present] = rows[at]
    return pa.array(first, mask=first < 0)


def lists_of(taken: NDArray[np.bool_], reached: NDArray[np.int64], like: pa.DataType) -> pa.Array:
    """Return each row's times up to its last taken step as a list, null for a step not taken.

    Parameters
    ----------
    taken : bool array of shape (rows, steps)
    reached : int64 array of shape (rows, steps)
    like : pyarrow.DataType
        The type of the times.

    Examples
    --------
    >>> taken = np.array([[True, False, True], [True, False, False]])
    >>> lists_of(taken, np.array([[4, 0, 6], [1, 0, 0]]), pa.int64()).to_pylist()
    [[4, None, 6], [1]]
    """
    steps = taken.shape[1]
    length = np.zeros(len(taken), np.int64)
    for step in range(steps):
        np.copyto(length, step + 1, where=taken[:, step])
    ends = offsets_of(length).astype(np.int32)
    complete = np.count_nonzero(taken) == ends[-1]
    within = np.flatnonzero(taken if complete else np.arange(steps) < length[:, None])
    values = from_instants(reached.ravel()[within], like)
    if not complete:
        values = pc.if_else(pa.array(taken.ravel()[within]), values, pa.scalar(None, values.type))
    return pa.ListArray.from_arrays(pa.array(ends), values)
