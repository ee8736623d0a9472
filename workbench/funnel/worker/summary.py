"""A funnel's summary, computed in Spark's workers: levels and times by key, figures of all keys.

Every block yields one bundle of the step times of its keys, and one worker turns all bundles into a
row for each segment. So a summary costs no work per key outside the kernel and NumPy.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from kernels.funnel.chains import required_before
from workbench.columnar.blocks import TIME, Block
from workbench.columnar.bundles import BUNDLE, unbundled
from workbench.columnar.delivery import to_one_task
from workbench.columnar.instants import instants
from workbench.columnar.key_codes import as_array
from workbench.columnar.ragged import starts_of
from workbench.funnel.worker.blocks import block_of_rows, packed_blocks
from workbench.funnel.worker.levels import ENTERED, FunnelTask, lists_of
from workbench.funnel.worker.reached import FunnelAnswers

QUANTILES = (0.5, 0.9)
#: Whether an excluded event ended a key's furthest chain.
EXCLUDED = "excluded"
#: Whether an unfinished key may still go on, as its window is not over at the end of the data.
OPEN = "open"
#: How many segments without a row of their own a row combines; zero for the row of one segment.
OTHERS = "others"
#: The figures of a segment; ``whole`` marks the row of all keys, which alone has the histogram.
SUMMARY = pa.schema(
    [
        ("whole", pa.bool_()),
        ("users", pa.list_(pa.int64())),
        ("median", pa.list_(pa.float64())),
        ("p90", pa.list_(pa.float64())),
        (EXCLUDED, pa.list_(pa.int64())),
        (OPEN, pa.list_(pa.int64())),
        ("median_low", pa.list_(pa.float64())),
        ("median_high", pa.list_(pa.float64())),
        ("width", pa.int64()),
        ("histogram", pa.list_(pa.int64())),
        (OTHERS, pa.int64()),
    ]
)


@dataclass(frozen=True)
class ReachedTask:
    """Compute the times of a funnel's steps for blocks, and bundle them.

    Attributes
    ----------
    funnel : FunnelTask
    """

    funnel: FunnelTask

    def from_rows(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Bundle the times for a Spark partition that holds all rows of its keys."""
        by_time = self.funnel.number is not None
        yield from self._bundled(block_of_rows(batches, self.funnel.keys, by_time))

    def from_blocks(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Bundle the times for packed blocks."""
        yield from self._bundled(packed_blocks(batches, self.funnel.keys))

    def _bundled(self, blocks: Iterable[Block]) -> Iterator[pa.RecordBatch]:
        yield from to_one_task(map(self.times_since_first, blocks), BUNDLE, self.funnel.keys)

    def times_since_first(self, block: Block) -> pa.Table:
        """Return the times since the first step of every key, session or chain that took it.

        If the task returns when they entered, the last row is a sentinel without steps, which
        holds the last time of the block.
        """
        task, time_type = self.funnel, block.rows.schema.field(TIME).type
        end = instants(block.column(TIME)).max() if task.entered else None
        if task.by:
            block = task.with_segments(block)
        parts = task.parts(block, only_begun=True, rows=bool(task.segment_columns or task.entered))
        block, _, time, conditions, _ = parts
        result = task.result(parts)
        segments = task.segments(block, time, conditions, result) if task.by else {}
        entered = task.last_entry(block, time, conditions)
        answers = FunnelAnswers(block.keys, result, time_type, segments, entered)
        return self.times_from_answers(answers, end)

    def times_from_answers(self, answers: FunnelAnswers, end: int | None) -> pa.Table:
        """Return the same table for computed results, given the last time of all rows."""
        task, result = self.funnel, answers.result
        some = np.flatnonzero(result.level)
        reached = result.reached[some]
        since = lists_of(result.taken[some], reached - reached[:, :1], pa.int64())
        columns = {"since_first": since}
        if result.excluded is not None and task.excludes:
            columns[EXCLUDED] = pa.array(result.excluded[some])
        rows = pa.array(some)
        for k, name in enumerate(task.by):
            columns[segment_column(k)] = answers.segments[name].take(rows)
        if answers.entered is None:
            return pa.table(columns)
        columns[ENTERED] = pa.array(answers.entered[some])
        table = pa.table(columns)
        nobody = {field.name: pa.nulls(1, field.type) for field in table.schema}
        nobody |= {"since_first": pa.array([[]], since.type), ENTERED: pa.array([end], pa.int64())}
        return pa.concat_tables([table, pa.table(nobody)])


@dataclass(frozen=True)
class Ranks:
    """Which order statistics are the ends of the median's confidence interval.

    Attributes
    ----------
    sizes : tuple of int
        Numbers of values, ascending from 1.
    lower : tuple of int
        The rank of the lower end from 1, for each size; the upper end has the same rank from
        above. 0 if there are too few values. Between two sizes, the rank is scaled from the
        smaller one.
    """

    sizes: tuple[int, ...]
    lower: tuple[int, ...]

    def ends(
        self, ordered: NDArray[np.int64], groups: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the lower and the upper end for each group.

        Parameters
        ----------
        ordered : int64 array
            The values, group by group, ascending in each.
        groups : int64 array of shape (groups,)
            How many values each has.

        Returns
        -------
        low, high : float64 arrays of shape (groups,)
            NaN for a group with too few values.

        Examples
        --------
        >>> Ranks((1, 2, 3), (0, 0, 1)).ends(np.array([7, 1, 5, 9]), np.array([1, 3]))
        (array([nan,  1.]), array([nan,  9.]))
        """
        sizes, lower = np.array(self.sizes), np.array(self.lower)
        at = np.maximum(np.searchsorted(sizes, groups, side="right") - 1, 0)
        rank = np.where(groups > 0, lower[at] * groups // sizes[at], 0)
        some, first = np.flatnonzero(rank), starts_of(groups)
        low, high = np.full((2, len(groups)), np.nan)
        low[some] = ordered[(first + rank - 1)[some]]
        high[some] = ordered[(first + groups - rank)[some]]
        return low, high


@dataclass(frozen=True)
class SummaryTask:
    """Turn the step times of all keys into figures for each segment.

    Attributes
    ----------
    steps : int
        How many steps the funnel has.
    bins : int
        How many intervals of time to convert, at the most.
    widths : tuple of int
        Widths that an interval may have, ascending; beyond the last one, multiples of it.
    most : int
        The most segments to return: those with the most users, and one more if there are more.
    optional : tuple of int
        Steps that may be left out, counted from 0.
    largest : int, optional
        How many segments have a row of their own, those with the most users; the last row
        combines all others.
    ranks : Ranks, optional
        The ends of the medians' intervals, if needed. Then only segments have rows.
    window : int
        The time within which a key may still go on after its last first step.
    """

    steps: int
    bins: int
    widths: tuple[int, ...]
    most: int
    optional: tuple[int, ...] = ()
    largest: int | None = None
    ranks: Ranks | None = None
    window: int = 0

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Return a row of all keys, and one for each segment, those with the most users first."""
        yield from self.from_parts(list(unbundled(batches)))

    def from_parts(self, parts: list[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Return the same from tables that are out of their bundles."""
        if not parts:
            return
        begun = pa.Table.from_batches(parts).combine_chunks()
        stopped: dict[str, NDArray[np.bool_]] = {}
        if ENTERED in begun.column_names:
            begun, stopped[OPEN] = self._open(begun)
        if not len(begun):
            return
        times, one_group = begun.column("since_first").chunk(0), np.zeros(len(begun), np.int64)
        if EXCLUDED in begun.column_names:
            stopped[EXCLUDED] = begun.column(EXCLUDED).to_numpy()
            stopped |= {OPEN: stopped[OPEN] & ~stopped[EXCLUDED]} if OPEN in stopped else {}
        own_columns = "since_first", EXCLUDED, ENTERED
        names = [name for name in begun.column_names if name not in own_columns]
        null_segment = pa.table(
            [pa.nulls(1, begun.schema.field(name).type) for name in names], names
        )
        if self.ranks is None or not names:
            yield self._batch(times, stopped, one_group, null_segment, whole=True)
        if names:
            code, segments = encode_segments(begun.select(names))
            yield from self._of_segments(times, stopped, code, segments)

    def _open(self, begun: pa.Table) -> tuple[pa.Table, NDArray[np.bool_]]:
        """Return the rows that took a step, and which of them may still reach a required step."""
        last, length = begun.column(ENTERED).to_numpy(), _lengths(begun)
        # Unsigned, because the distance between two times may need 64 bits.
        until_end = np.uint64(int(last[length == 0].max()) % 2**64) - last.view(np.uint64)
        may_go_on = (until_end < np.uint64(self.window)) & (length <= self._required[-1])
        return begun.filter(pa.array(length > 0)).combine_chunks(), may_go_on[length > 0]

    @property
    def _required(self) -> NDArray[np.int64]:
        """The steps that are not optional."""
        return np.array([k for k in range(self.steps) if k not in self.optional])

    def _of_segments(
        self,
        times: pa.ListArray,
        stopped: dict[str, NDArray[np.bool_]],
        code: NDArray[np.int64],
        segments: pa.Table,
    ) -> Iterator[pa.RecordBatch]:
        unlisted = 0 if self.largest is None else len(segments) - self.largest
        if self.largest is None or unlisted <= 0:
            yield self._batch(times, stopped, code, segments, whole=False)
            return
        largest_segments = self._order(np.bincount(code), segments)[: self.largest]
        position = np.full(len(segments), self.largest)
        position[largest_segments] = np.arange(len(largest_segments))
        code = position[code]
        listed = code < self.largest
        stopped_listed, stopped_others = (
            {k: one[of] for k, one in stopped.items()} for of in (listed, ~listed)
        )
        yield self._batch(
            times.filter(pa.array(listed)),
            stopped_listed,
            code[listed],
            segments.take(pa.array(largest_segments)),
            False,
        )
        others = times.filter(pa.array(~listed))
        null_segment = pa.table(
            [pa.nulls(1, one.type) for one in segments.schema], segments.schema.names
        )
        yield self._batch(
            others,
            stopped_others,
            np.zeros(len(others), np.int64),
            null_segment,
            whole=False,
            others=unlisted,
        )

    def _batch(
        self,
        times: pa.ListArray,
        stopped: dict[str, NDArray[np.bool_]],
        code: NDArray[np.int64],
        segments: pa.Table,
        whole: bool,
        others: int = 0,
    ) -> pa.RecordBatch:
        count = 1 if whole else len(segments)
        users, quantiles, ends = self._figures(times, code, count)
        stopped_counts = [
            self._before(times, stopped.get(name), code, count) for name in (EXCLUDED, OPEN)
        ]
        order = np.zeros(1, np.int64) if whole else self._order(users[:, 0], segments)
        width, histogram = self._histogram(times) if whole else (None, None)
        columns = [
            pa.array([whole] * len(order)),
            *(pa.array(list(each[order])) for each in (users, *quantiles, *stopped_counts, *ends)),
            pa.array([width] * len(order), pa.int64()),
            pa.array([histogram] * len(order), pa.list_(pa.int64())),
            pa.array([others] * len(order)),
        ]
        batch = pa.RecordBatch.from_arrays(columns, schema=SUMMARY)
        for name in segments.column_names:
            batch = batch.append_column(name, as_array(segments.column(name)).take(pa.array(order)))
        return batch

    def _order(self, users: NDArray[np.int64], segments: pa.Table) -> NDArray[np.int64]:
        """Return the order of segments: most users first, then by value, null first."""
        table = segments.append_column("users", pa.array(users))
        keys = [(name, "ascending", "at_start") for name in segments.column_names]
        order = pc.sort_indices(table, [("users", "descending", "at_end"), *keys])
        return np.asarray(order[: self.most + 1], np.int64)

    def _figures(
        self, times: pa.ListArray, code: NDArray[np.int64], segments: int
    ) -> tuple[NDArray[np.int64], list[NDArray[np.float64]], list[NDArray[np.float64]]]:
        """Return users, quantiles of the time since the step before, and the medians' intervals."""
        level = times.value_lengths().to_numpy().astype(np.int64)
        flat = times.flatten()
        since = flat.fill_null(0).to_numpy()
        first = np.repeat(starts_of(level), level)
        step = np.arange(len(since)) - first
        group = np.repeat(code, level) * self.steps + step
        before = np.array(steps_before(self.steps, self.optional), np.int64)
        durations = since - since[first + before[step]]
        if flat.null_count:
            valid = flat.is_valid().to_numpy(zero_copy_only=False)
            durations, group = durations[valid], group[valid]
        order = np.lexsort((durations, group))
        users = np.bincount(group, minlength=segments * self.steps)
        shape = (segments, self.steps)
        quantiles = [quantile(durations[order], users, q).reshape(shape) for q in QUANTILES]
        ends = [np.full(shape, np.nan)] * 2
        if self.ranks is not None:
            ends = [each.reshape(shape) for each in self.ranks.ends(durations[order], users)]
        for each in (*quantiles, *ends):
            each[:, 0] = np.nan
        return users.reshape(shape), quantiles, ends

    def _before(
        self,
        times: pa.ListArray,
        stopped: NDArray[np.bool_] | None,
        code: NDArray[np.int64],
        segments: int,
    ) -> NDArray[np.int64]:
        """Return by segment how many of the stopped keys stopped before each required step."""
        counts = np.zeros((segments, self.steps), np.int64)
        if stopped is None or not stopped.any():
            return counts
        # The last time is that of the furthest required step, or of an optional one after it.
        last = times.value_lengths().to_numpy().astype(np.int64)[stopped] - 1
        following = self._required
        at = following[np.searchsorted(following, last, side="right")]
        np.add.at(counts, (code[stopped], at), 1)
        return counts

    def _histogram(self, times: pa.ListArray) -> tuple[int, list[int]]:
        """Return the width of an interval, and how many keys converted in each."""
        last = int(self._required[-1])
        completed = times.filter(pc.greater(times.value_lengths(), last))
        durations = pc.list_element(completed, last).to_numpy() if len(completed) else np.array([])
        longest = int(durations.max(initial=0))
        width = round_up(longest / self.bins, self.widths)
        count = max(1, -(-longest // width)) if len(durations) else 0
        at = np.minimum(durations // width, count - 1).astype(np.int64)
        return width, np.bincount(at, minlength=count).tolist()


def _lengths(begun: pa.Table) -> NDArray[np.int64]:
    """Return how many step times each row has."""
    lengths = pc.list_value_length(begun.column("since_first"))
    return np.asarray(lengths.to_numpy(), np.int64)


def steps_before(steps: int, optional: Sequence[int]) -> list[int]:
    """Return for each step the nearest required one before it, from 0; for the first, itself.

    Examples
    --------
    >>> steps_before(4, optional=[1])
    [0, 0, 0, 2]
    """
    bits = sum(1 << k for k in optional)
    return [0, *(required_before(bits, k) for k in range(1, steps))]


def segment_column(k: int) -> str:
    """Return the internal name of the k-th segment column, which clashes with no user's name."""
    return f"segment{k}"


def _unsigned_zero(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return floats with -0.0 replaced by 0.0, so that both are one segment."""
    real = pa.types.is_floating(values.type)
    return pc.add(values, pa.scalar(0.0, values.type)) if real else values


def encode_segments(values: pa.Table) -> tuple[NDArray[np.int64], pa.Table]:
    """Return the segment of each row as a number, and the segments; null is a segment too.

    Parameters
    ----------
    values : pyarrow.Table
        One column or more.

    Returns
    -------
    code : int64 array of shape (rows,)
    segments : pyarrow.Table

    Examples
    --------
    >>> rows = pa.table({"country": ["fr", "de", "fr"], "vip": [1, 1, 1]})
    >>> code, segments = encode_segments(rows)
    >>> code, segments.to_pylist()
    (array([0, 1, 0]), [{'country': 'fr', 'vip': 1}, {'country': 'de', 'vip': 1}])
    """
    values = pa.table(list(map(_unsigned_zero, values.columns)), values.column_names)
    columns = [pc.dictionary_encode(as_array(one), "encode") for one in values.columns]
    code = columns[0].indices.to_numpy().astype(np.int64)
    if len(columns) == 1:
        return code, pa.table([columns[0].dictionary], values.column_names)
    for other in columns[1:]:
        # Renumbered each time, so that the product of many columns' values does not overflow.
        code = np.unique(code, return_inverse=True)[1] * len(other.dictionary)
        code += other.indices.to_numpy()
    _, first, code = np.unique(code, return_index=True, return_inverse=True)
    return code, values.take(pa.array(first))


def quantile(ordered: NDArray[np.int64], sizes: NDArray[np.int64], q: float) -> NDArray[np.float64]:
    """Return a quantile of each group, interpolated between neighbouring values.

    Parameters
    ----------
    ordered : int64 array
        The values, group by group, ascending in each.
    sizes : int64 array of shape (groups,)
    q : float

    Returns
    -------
    float64 array of shape (groups,)
        NaN for a group without values.

    Examples
    --------
    >>> quantile(np.array([1, 2, 9, 5]), np.array([3, 0, 1]), 0.9)
    array([7.6, nan, 5. ])
    """
    result = np.full(len(sizes), np.nan)
    filled = np.flatnonzero(sizes)
    rank = (sizes[filled] - 1) * q
    low = np.floor(rank).astype(np.int64)
    first = starts_of(sizes)[filled]
    low_value, high_value = ordered[first + low], ordered[first + np.ceil(rank).astype(np.int64)]
    result[filled] = low_value + (high_value - low_value) * (rank - low)
    return result


def round_up(width: float, widths: Sequence[int]) -> int:
    """Return the smallest width that is at least this; beyond them all, a multiple of the last.

    Examples
    --------
    >>> round_up(0.2, [1, 5]), round_up(2, [1, 5]), round_up(11, [1, 5])
    (1, 5, 15)
    """
    above = [known for known in widths if known >= width]
    return above[0] if above else widths[-1] * -int(-width // widths[-1])
