"""The part of a funnel that runs in Spark's Python workers: blocks in, levels out."""

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
from workbench.columnar.blocks import (
    CONDITIONS,
    KEEP,
    NAME,
    TIME,
    Block,
    from_instants,
    grouped,
    instants,
    key_columns,
)
from workbench.columnar.key_codes import as_array, key_codes
from workbench.columnar.ragged import offsets_of, places_in_runs
from workbench.funnel.worker.blocks import block_of_rows, packed_blocks
from workbench.funnel.worker.reached import FunnelAnswers, Reached, Scanned

#: The time of the last first step of an answer, as an integer.
ENTERED = "__entered__"


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
    period : tuple of (int or None), optional
        Where the first step must lie; the end is excluded.
    gap : int, optional
        The longest time between two events of one session, each of which is answered for.
    number : str, optional
        What the column is called that numbers the sessions of a key from 1, or its chains: each
        that is completed, and the furthest behind them. Without it a key has one answer.
    attribution : str or int
        The step whose row has the values of ``by``, counted from 0, or ``"first"`` or ``"last"``;
        ``"each"``: rows of each value are a partition of their own.
    done : tuple of str
        Cohorts among ``by`` of keys that ever did something: what that is stands behind the
        exclusions.
    having : dict of str to (str, tuple)
        Cohorts among ``by`` of keys of whose rows one has one of some values in a kept column.
    entered : bool
        Return also when the last event was that may begin a chain, as an integer.
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
        """The segments that say whether a key ever did something."""
        return (*self.done, *self.having)

    @property
    def excludes(self) -> bool:
        """Whether an answer says which keys an excluded event has kept from the next step."""
        return self.rules is not None and len(self.rules.exclusions) > 0

    @property
    def only_matching(self) -> bool:
        """Whether rows that fulfil no step say nothing but that their key is there."""
        by_value = self.attribution == "each" or len(self.having) > 0
        return not (self.strict or self.levels or by_value) and self.gap is None

    @property
    def strict(self) -> bool:
        """Whether rows that fulfil no step may stand in the way of those that do."""
        ordered = self.rules is not None and self.rules.order == "strict"
        return self.modes["strict_order"] or ordered

    def from_rows(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Answer for a Spark partition that holds all rows of its keys."""
        blocks = block_of_rows(batches, self.keys, by_time=self.number is not None)
        yield from map(self.answer, blocks)

    def from_blocks(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Answer for packed blocks, one binary value each."""
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
        parts = self.parts(block, rows=bool(self.levels or self.read or self.entered))
        block, number, time, conditions, _ = parts
        found = self.found(parts)
        columns = self.columns(
            FunnelAnswers(
                block.keys,
                found,
                block.rows.schema.field(TIME).type,
                self.segments(block, time, conditions, found) if self.by else {},
                self.last_entry(block, time, conditions),
                number,
            )
        )
        # Behind a completed chain, what begins none is no further one.
        there = (found.level > 0) | (number == 1) | (self.gap is not None)
        if not self.levels:
            return _where(there, columns)
        names = None if self.next is None else block.plain(self.next).cast(pa.string())
        after = next_rows(block, time, found, names)
        if names is not None:
            columns["next_event"] = names.take(after)
        columns["next_time"] = block.column(TIME).take(after)
        return _where(there & np.isin(found.level, self.levels), columns)

    def columns(self, answers: FunnelAnswers) -> dict[str, pa.Array]:
        """Return the columns of a result that say how far each partition got."""
        found, reached = answers.found, answers.found.reached
        key_names = zip(self.keys, key_columns(self.keys), strict=True)
        columns = {name: as_array(answers.keys.column(key)) for name, key in key_names}
        if self.number is not None:
            columns[self.number] = pa.array(answers.number)
        columns["level"] = pa.array(found.level.astype(np.int32))
        columns["reached"] = lists_of(found.taken, reached, answers.time)
        if self.excludes:
            columns["excluded"] = pa.array(found.excluded)
        columns |= answers.segments
        if self.timed:
            columns["since_first"] = lists_of(found.taken, reached - reached[:, :1], pa.int64())
        if self.entered:
            columns[ENTERED] = pa.array(answers.entered)
        return columns

    def last_entry(
        self, block: Block, time: NDArray[np.int64], conditions: NDArray[np.uint32]
    ) -> NDArray[np.int64] | None:
        """Return when each partition's last row was that may begin a chain, where it is asked."""
        if not self.entered:
            return None
        return last_entry(block.offsets, time, self.may_begin(conditions))

    def outcome(self, block: Block) -> "tuple[Block, NDArray[np.int64], Reached]":
        """Return a block with a partition for each that is answered for, their numbers, and levels.

        Parameters
        ----------
        block : Block

        Returns
        -------
        block : Block
        number : int64 array of shape (partitions,)
            Of the sessions or chains of a key, from 1.
        found : Reached
        """
        parts = self.parts(block)
        return parts.block, parts.number, self.found(parts)

    def with_segments(self, block: Block) -> Block:
        """Return the block with the segments that a key has whichever chain of it wins.

        Those are its cohorts, which are columns of the key then; and where each value has chains of
        its own, a partition for each key and value.
        """
        keys = block.keys
        if self.cohorts:
            fulfilled = self._fulfilled(block)
            for k, label in enumerate(self.done, len(self.steps) - len(self.done)):
                keys = keys.append_column(KEEP + label, ever(block, fulfilled >> k & 1 == 1))
            for label, (name, values) in self.having.items():
                keys = keys.append_column(KEEP + label, ever(block, has_value(block, name, values)))
            block = Block(keys, block.offsets, block.rows)
        names = [KEEP + name for name in self.by if name not in self.cohorts]
        return by_values(block, names) if self.attribution == "each" and names else block

    def segments(
        self,
        block: Block,
        time: NDArray[np.int64],
        conditions: NDArray[np.uint32],
        found: Reached,
    ) -> dict[str, pa.Array]:
        """Return the value of each column of segments."""
        known = {name for name in self.by if KEEP + name in block.keys.column_names}
        values = {name: as_array(block.keys.column(KEEP + name)) for name in known}
        if read := [name for name in self.by if name not in known]:
            columns = [block.column(KEEP + name) for name in read]
            rows = self._rows_of_segments(block, time, conditions, found, columns)
            values |= {name: taken(one, rows) for name, one in zip(read, columns, strict=True)}
        return {name: values[name] for name in self.by}

    def _rows_of_segments(
        self,
        block: Block,
        time: NDArray[np.int64],
        conditions: NDArray[np.uint32],
        found: Reached,
        values: Sequence[pa.Array],
    ) -> pa.Array:
        """The row of each winning chain whose values are its segment, null where it is not taken.

        Of several rows of that time that fulfil the step, the one with the least values is taken:
        so the answer depends on the data, and not on their order of arrival.
        """
        partitions, steps = np.arange(len(found.level)), found.taken.shape[1]
        step = np.zeros(len(partitions), np.int64)
        fulfils: NDArray[Any] = conditions
        if self.attribution == "last":
            step = steps - 1 - np.argmax(found.taken[:, ::-1], axis=1)
        elif isinstance(self.attribution, int):
            step[:] = self.attribution
        if self.attribution != "last" and self._told_apart:
            fulfils = conditions >> np.uint32(step[0] if len(step) else 0) & 1
        there, at = found.taken[partitions, step], found.reached[partitions, step]
        rows = np.flatnonzero(fulfils)
        partition = np.searchsorted(block.offsets, rows, side="right") - 1
        fits = there[partition] & (time[rows] == at[partition])
        if self._told_apart:
            fits &= conditions[rows] >> step[partition].astype(np.uint32) & 1 == 1
        rows, partition = rows[fits], partition[fits]
        first = np.full(len(partitions), -1)
        first[partition] = rows
        again = partition[1:] == partition[:-1]
        if again.any():
            several = np.append(again, False) | np.append(False, again)
            least = _by_values(values, rows[several])[::-1]
            # Of several rows for one place NumPy keeps the last: backwards, that with least values.
            first[partition[several][least]] = rows[several][least]
        return pa.array(first, mask=first < 0)

    @property
    def _told_apart(self) -> bool:
        """Whether a step of a chain is one step, and not any of them."""
        return self.rules is None or self.rules.order != "any"

    def parts(self, block: Block, begun: bool = False, rows: bool = True) -> "Parted":
        """Return a partition for each key, session or chain, with what its rows are.

        Parameters
        ----------
        block : Block
        begun : bool
            Only for what is said of begun chains: sessions by a gap in which none can begin are
            left out, and of the rows only those columns are kept in order that segments are read
            from.
        rows : bool
            Whether the rows of each part are wanted; of conversions they need not be looked for
            where it is said how far each got.
        """
        time, conditions = instants(block.column(TIME)), self.conditions(block)
        if self.number is None:
            return Parted(block, np.ones(len(block.keys), np.int64), time, conditions)
        if self.gap is not None:
            # Without a sign, as the distance of two times may need 64 bits.
            last = np.append(np.diff(time.view(np.uint64)) > np.uint64(self.gap), True)
            if not begun:
                return Parted(*parted(block, last), time, conditions)
            block, number = parted(block, last, self.may_begin(conditions))
            return Parted(block, number, instants(block.column(TIME)), self.conditions(block))
        found = conversions(block.offsets, time, conditions, cast(Rules, self.rules), rows)
        if not rows:
            return self._without_rows(block, found)
        if found.order is not None:
            kept = block.rows.select(self.read) if begun else block.rows
            block = Block(block.keys, block.offsets, kept.take(pa.array(found.order)))
            time, conditions = time[found.order], conditions[found.order]
        reached = self.told(found.level, found.reached, found.outcome)
        return Parted(*parted(block, found.ends == 1), time, conditions, reached)

    def _without_rows(self, block: Block, found: Conversions) -> "Parted":
        """The chains of each key, as if they had no rows."""
        key = np.repeat(np.arange(len(found.chain_counts)), found.chain_counts)
        number = 1 + places_in_runs(found.chain_counts)
        none = Block(
            block.keys.take(pa.array(key)), np.zeros(len(key) + 1, np.int64), block.rows.slice(0, 0)
        )
        reached = self.told(found.level, found.reached, found.outcome)
        nothing = np.zeros(0, np.int64), np.zeros(0, np.uint32)
        return Parted(none, number, *nothing, reached)

    @property
    def read(self) -> list[str]:
        """The kept columns that segments are read from at a step."""
        own = () if self.attribution == "each" else self.by
        return [KEEP + name for name in own if name not in self.cohorts]

    def found(self, parts: "Parted") -> Reached:
        """Return how far the parts of a block got."""
        if parts.found is not None:
            return parts.found
        return self.reached(parts.block.offsets, parts.time, parts.conditions)

    def reached(
        self, offsets: NDArray[np.int64], time: NDArray[np.int64], conditions: NDArray[np.uint32]
    ) -> Reached:
        """Return how far partitions got."""
        return self.told(*self.scanned(offsets, time, conditions))

    def scanned(
        self, offsets: NDArray[np.int64], time: NDArray[np.int64], conditions: NDArray[np.uint32]
    ) -> Scanned:
        """Return what the kernels say of partitions."""
        if self.rules is not None:
            return Scanned(*chain_levels(offsets, time, conditions, self.rules))
        steps = len(self.steps) - len(self.done)
        level, reached = funnel_levels(offsets, time, conditions, steps, self.window, **self.modes)
        return Scanned(level, reached, None)

    def told(
        self,
        level: NDArray[np.int64],
        reached: NDArray[np.int64],
        outcome: NDArray[np.int64] | None,
    ) -> Reached:
        """Return what the kernels say as an answer tells it; the arrays are written to."""
        if outcome is None:
            return Reached(level, reached, np.arange(reached.shape[1]) < level[:, None])
        rules = cast(Rules, self.rules)
        steps = rules.steps
        if self.without_excluded:
            gone = outcome[:, 2] == 1
            level[gone] = 0
            outcome[gone, 0] = 0
        taken = outcome[:, :1] >> np.arange(steps) & 1 == 1
        if rules.order == "any":
            # In the sequence of their times, whichever steps they are.
            some = np.flatnonzero(level)
            none = np.iinfo(np.int64).max
            reached[some] = np.sort(np.where(taken[some], reached[some], none), axis=1)
            taken = np.arange(steps) < level[:, None]
        return Reached(level, reached, taken, outcome[:, 1] == 1)

    def may_begin(self, conditions: NDArray[np.uint32]) -> NDArray[np.bool_]:
        """Return at which rows a chain may begin."""
        begins: NDArray[np.bool_] = conditions & np.uint32(self.first_bits) != 0
        return begins

    @property
    def first_bits(self) -> int:
        """The bits of a row at which a chain may begin."""
        return self._own_bits if self.rules is not None and self.rules.order == "any" else 1

    @property
    def _own_bits(self) -> int:
        """The bits of the steps and the exclusions, behind which those of cohorts are."""
        return (1 << len(self.steps) - len(self.done)) - 1

    def conditions(self, block: Block) -> NDArray[np.uint32]:
        """Return for each row the steps that it fulfils, bit k for step k."""
        found = self._fulfilled(block)
        if self.done:
            found = found & np.uint32(self._own_bits)
        if self.period is None:
            return found
        return self.in_period(instants(block.column(TIME)), found)

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
        fulfils = [
            sum(1 << k for k, step in enumerate(self.steps) if name in cast(tuple[str, ...], step))
            for name in names.dictionary.to_pylist()
        ]
        # One more for rows without a name, which fulfil nothing.
        table = np.array([*fulfils, 0], np.uint32)
        codes = names.indices.fill_null(len(fulfils)).to_numpy()
        return np.asarray(np.take(table, codes), np.uint32)


class Parted(NamedTuple):
    """A block with a partition for each that is answered for.

    Attributes
    ----------
    block : Block
    number : int64 array of shape (partitions,)
        Of the sessions or chains of a key, from 1.
    time : int64 array of shape (rows,)
    conditions : uint32 array of shape (rows,)
        Bit k is set when the row fulfils step k.
    found : Reached, or None
        How far they got, where that is known of what they were parted by.
    """

    block: Block
    number: NDArray[np.int64]
    time: NDArray[np.int64]
    conditions: NDArray[np.uint32]
    found: Reached | None = None


def last_entry(
    offsets: NDArray[np.int64], time: NDArray[np.int64], first: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Return for each partition the time of its last row that may begin a chain.

    Parameters
    ----------
    offsets : int64 array of shape (partitions + 1,)
    time : int64 array of shape (rows,)
    first : bool array of shape (rows,)

    Returns
    -------
    int64 array of shape (partitions,)
        The least integer where there is no such row.

    Examples
    --------
    >>> last_entry(np.array([0, 2, 3]), np.array([4, 5, 6]), np.array([True, False, True])).tolist()
    [4, 6]
    """
    none = np.iinfo(np.int64).min
    return np.maximum.reduceat(np.where(first, time, none), offsets[:-1])


def parted(
    block: Block, last: NDArray[np.bool_], only: NDArray[np.bool_] | None = None
) -> tuple[Block, NDArray[np.int64]]:
    """Return a block with a partition for each part of a key's rows, and the parts' numbers.

    Parameters
    ----------
    block : Block
    last : bool array of shape (rows,)
        Where a part ends; the last row of a key ends one as well.
    only : bool array of shape (rows,), optional
        Without it all parts; else those with a row that is among these.

    Returns
    -------
    block : Block
    number : int64 array of shape (parts,)
        From 1 for each key.

    Examples
    --------
    >>> block = Block(pa.table({"k0": ["a", "b"]}), np.array([0, 3, 4]), pa.table({"n": range(4)}))
    >>> parts, number = parted(block, np.array([False, True, False, False]))
    >>> parts.keys.to_pydict(), parts.offsets.tolist(), number.tolist()
    ({'k0': ['a', 'a', 'b']}, [0, 2, 3, 4], [1, 2, 1])
    """
    ends = last.copy()
    ends[block.offsets[1:] - 1] = True
    offsets = np.append(0, np.flatnonzero(ends) + 1)
    many = np.add.reduceat(ends, block.offsets[:-1], dtype=np.int64)
    key = np.repeat(np.arange(len(many)), many)
    number = 1 + places_in_runs(many)
    if only is None:
        return Block(block.keys.take(pa.array(key)), offsets, block.rows), number
    there, length = np.logical_or.reduceat(only, offsets[:-1]), np.diff(offsets)
    rows = block.rows.filter(pa.array(np.repeat(there, length)))
    keys = block.keys.take(pa.array(key[there]))
    return Block(keys, offsets_of(length[there]), rows), number[there]


def ever(block: Block, rows: NDArray[np.bool_]) -> pa.Array:
    """Return for each partition whether one of its rows is among some.

    Examples
    --------
    >>> block = Block(pa.table({"k0": ["a", "b"]}), np.array([0, 2, 3]), pa.table({"n": range(3)}))
    >>> ever(block, np.array([False, True, False])).to_pylist()
    [True, False]
    """
    return pa.array(np.logical_or.reduceat(rows, block.offsets[:-1]))


def has_value(block: Block, name: str, values: tuple[Any, ...]) -> NDArray[np.bool_]:
    """Return which rows have one of some values in a kept column; null is none of them."""
    column = block.plain(KEEP + name)
    if pa.types.is_integer(column.type):
        column = column.cast(pa.int64())
    found = pc.is_in(column, pa.array(values, column.type))
    return np.asarray(found.to_numpy(zero_copy_only=False))


def by_values(block: Block, names: Sequence[str]) -> Block:
    """Return a block with a partition for each key and each combination of its rows' values.

    Parameters
    ----------
    block : Block
    names : sequence of str
        Event columns, which the keys of the new block have beside their own.

    Returns
    -------
    Block
        Its partitions stand in the order of the keys, then of first rows; rows keep their order.

    Examples
    --------
    >>> rows = pa.table({"device": ["tv", "web", "tv", None], "n": range(4)})
    >>> whole = Block(pa.table({"k0": ["a", "b"]}), np.array([0, 3, 4]), rows)
    >>> block = by_values(whole, ["device"])
    >>> block.keys.to_pydict(), block.offsets.tolist(), block.rows["n"].to_pylist()
    ({'k0': ['a', 'a', 'b'], 'device': ['tv', 'web', None]}, [0, 2, 3, 4], [0, 2, 1, 3])
    """
    partition = block.partition_of_rows()
    values = {name: block.column(name) for name in names}
    codes, different = key_codes(pa.table({name: told_apart(one) for name, one in values.items()}))
    pairs = pa.table({"": pa.array(partition * different + codes)})
    offsets, order = grouped(*key_codes(pairs))
    first = order[offsets[:-1]]
    keys = block.keys.take(pa.array(partition[first]))
    for name, one in values.items():
        mine = one.take(pa.array(first))
        coded = pa.types.is_dictionary(mine.type)
        keys = keys.append_column(name, mine.cast(mine.type.value_type) if coded else mine)
    return Block(keys, offsets, block.rows.take(pa.array(order)))


def told_apart(values: pa.Array) -> pa.Array:
    """Return what tells values apart: of text with a dictionary its codes, one more for null."""
    if not pa.types.is_dictionary(values.type):
        return values
    return values.indices.cast(pa.int64()).fill_null(len(values.dictionary))


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
    return first_of_each(rows, partition, len(last))


def taken(values: pa.Array, rows: pa.Array) -> pa.Array:
    """Return some rows of a column as values, and not as codes for them.

    Examples
    --------
    >>> taken(pa.array(["a", "b"]).dictionary_encode(), pa.array([1, None, 1])).to_pylist()
    ['b', None, 'b']
    """
    found = values.take(rows)
    coded = pa.types.is_dictionary(found.type)
    return found.cast(found.type.value_type) if coded else found


def _by_values(values: Sequence[pa.Array], rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """The places of some rows in the order of their values, null last."""
    names = [str(k) for k in range(len(values))]
    mine = pa.table([taken(one, pa.array(rows)) for one in values], names)
    order = pc.sort_indices(mine, [(name, "ascending") for name in names])
    return np.asarray(order.to_numpy())


def _where(there: NDArray[np.bool_], columns: dict[str, pa.Array]) -> pa.RecordBatch:
    """The columns' rows that are there, without a copy where all are."""
    found = pa.record_batch(columns)
    return found if there.all() else found.filter(pa.array(there))


def first_of_each(rows: NDArray[np.int64], partition: NDArray[np.int64], count: int) -> pa.Array:
    present, at = np.unique(partition[rows], return_index=True)
    first = np.full(count, -1)
    first[present] = rows[at]
    return pa.array(first, mask=first < 0)


def lists_of(taken: NDArray[np.bool_], reached: NDArray[np.int64], like: pa.DataType) -> pa.Array:
    """Return the times of each row up to the last that is taken, as a list; null where one is not.

    Parameters
    ----------
    taken : bool array of shape (rows, steps)
    reached : int64 array of shape (rows, steps)
    like : pyarrow.DataType
        Of the times.

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
    every = np.count_nonzero(taken) == ends[-1]
    within = np.flatnonzero(taken if every else np.arange(steps) < length[:, None])
    values = from_instants(reached.ravel()[within], like)
    if not every:
        values = pc.if_else(pa.array(taken.ravel()[within]), values, pa.scalar(None, values.type))
    return pa.ListArray.from_arrays(pa.array(ends), values)
