"""The part of paths that runs in Spark's Python workers: blocks in, counts or people out."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from kernels.funnel.paths import collapsed_path
from kernels.structures.instants import LEAST, MOST
from kernels.structures.order import sort_entries
from workbench.columnar.blocks import TIME, Block, instants, key_columns
from workbench.columnar.bundles import BUNDLE, unbundled
from workbench.columnar.delivery import to_one_task
from workbench.columnar.key_codes import as_array, key_codes
from workbench.columnar.ragged import offsets_of
from workbench.funnel.worker.event_codes import event_codes
from workbench.funnel.worker.levels import FunnelTask
from workbench.funnel.worker.reached import Reached

#: Paths that are returned, the most frequent.
MOST_PATHS = 1_000


@dataclass(frozen=True)
class PathsTask:
    """What a worker has to know of paths.

    Attributes
    ----------
    funnel : FunnelTask
        Whose ``next`` names the column of events.
    after, before : int or None
        The steps between which the events lie, counted from 0; one of them is given.
    dropped : bool
        Only of those who took no step behind ``after``.
    longest : int
        How many events a path has at the most.
    wanted : tuple of tuple of str and bool, optional
        A path, and whether it is cut: whose people are returned.
    listed : bool
        Return everybody, and which path they took. Without either paths are counted.
    """

    funnel: FunnelTask
    after: int | None
    before: int | None
    dropped: bool
    longest: int
    wanted: tuple[tuple[str, ...], bool] | None = None
    listed: bool = False

    @property
    def backwards(self) -> bool:
        """Whether paths are read from their end."""
        return self.after is None

    @property
    def keys(self) -> tuple[str, ...]:
        """The key's columns."""
        return self.funnel.keys

    def answers(self, blocks: Iterable[Block]) -> Iterator[pa.RecordBatch]:
        """Return what is counted of each block in bundles, or the people who are wanted."""
        if self.wanted is not None or self.listed:
            yield from map(self.people, blocks)
            return
        yield from to_one_task(map(self.counts, blocks), BUNDLE, (*self.keys, "paths"))

    def counts(self, block: Block) -> pa.Table:
        """Return each different path, whether it is cut, and how many took it."""
        _, _, there, path, cut, names = self._paths(block)
        columns = {str(k): pa.array(one) for k, one in enumerate(path[there].T)}
        codes, many = key_codes(pa.table({**columns, "cut": pa.array(cut[there])}))
        first = np.zeros(many, np.int64)
        first[codes[::-1]] = np.arange(len(codes))[::-1]
        texts = pa.array([*names, None], pa.string())
        found = {
            name: texts.take(pa.array(one.to_numpy()[first] % (len(names) + 1)))
            for name, one in columns.items()
        }
        users = pa.array(np.bincount(codes, minlength=many))
        return pa.table({**found, "cut": pa.array(cut[there][first]), "users": users})

    def people(self, block: Block) -> pa.RecordBatch:
        """Return the keys of a path, or everybody's with the path that they took."""
        parts, number, there, paths, cut, names = self._paths(block)
        if self.wanted is not None:
            path, is_cut = self.wanted
            code = {name: k for k, name in enumerate(names)}
            mine = np.full(self.longest, -1)
            asked = [code.get(name, len(names)) for name in path]
            mine[: len(asked)] = asked[::-1] if self.backwards else asked
            there = there & (paths == mine).all(axis=1) & (cut == is_cut)
        chosen = np.flatnonzero(there)
        keys = zip(self.keys, key_columns(self.keys), strict=True)
        columns = {
            name: as_array(parts.keys.column(key)).take(pa.array(chosen)) for name, key in keys
        }
        if self.funnel.number is not None:
            columns[self.funnel.number] = pa.array(number[chosen])
        if self.wanted is None:
            columns["path"] = self._listed(paths[chosen], names)
            columns["more"] = pa.array(cut[chosen])
        return pa.record_batch(columns)

    def _listed(self, paths: NDArray[np.int64], names: list[str]) -> pa.Array:
        """Paths as lists of names, from their first event on."""
        paths = paths[:, ::-1] if self.backwards else paths
        there = paths >= 0
        ends = pa.array(offsets_of(there.sum(axis=1)).astype(np.int32))
        texts = pa.array(names, pa.string()).take(pa.array(paths[there]))
        return pa.ListArray.from_arrays(ends, texts)

    def _paths(
        self, block: Block
    ) -> tuple[
        Block, NDArray[np.int64], NDArray[np.bool_], NDArray[np.int64], NDArray[np.bool_], list[str]
    ]:
        """The parts of a block, their numbers, which have a path, it, if it is cut, and names."""
        block, number, found = self.funnel.reached_by_partition(block)
        code, names = event_codes(block, str(self.funnel.next))
        there, between = self._between(found)
        time = instants(block.column(TIME)).copy()
        sort_entries.over(block.offsets, time, code)
        path = np.empty((len(there), self.longest), np.int64)
        count = collapsed_path.over(block.offsets, time, code, between, self.backwards, path)
        return block, number, there, path, count > self.longest, names

    def _between(self, found: Reached) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        """Which partitions have a path, and the first and the last time of it."""
        window, there = self.funnel.window, np.ones(len(found.level), bool)
        between = np.empty((len(there), 2), np.int64)
        if self.before is not None:
            there &= found.taken[:, self.before]
            until = found.reached[:, self.before]
            between[:, 1] = np.where(until == LEAST, LEAST, until - 1)
            between[:, 0] = np.maximum(until, LEAST + window) - window
        if self.after is not None:
            there &= found.taken[:, self.after]
            since = found.reached[:, self.after]
            between[:, 0] = np.where(since == MOST, MOST, since + 1)
            if self.before is None:
                between[:, 1] = np.minimum(since, MOST - window) + window
                # Nothing is later than the last time there is.
                between[since == MOST] = MOST, LEAST
        if self.dropped and self.after is not None:
            there &= ~found.taken[:, self.after + 1 :].any(axis=1)
        # Of others nothing is looked for.
        between[~there] = MOST, LEAST
        return there, between


def summed_paths(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Sum up what all blocks counted: the most frequent paths, and what is true of all."""
    parts = list(unbundled(batches))
    if not parts:
        return
    # Of text the codes differ from block to block, and nothing else of them.
    counted = pa.Table.from_batches(parts)
    steps = [name for name in counted.column_names if name not in ("cut", "users")]
    found = counted.group_by([*steps, "cut"]).aggregate([("users", "sum")])
    # A path that ends stands before those that go on from it.
    rest = [(name, "ascending", "at_start") for name in [*steps, "cut"]]
    order = [("users_sum", "descending", "at_end"), *rest]
    kept = found.take(pc.sort_indices(found, order)[:MOST_PATHS])
    rows = zip(*(kept.column(name).to_pylist() for name in steps), strict=True)
    paths = [[name for name in row if name is not None] for row in rows]
    totals = len(found), pc.sum(found.column("users_sum")).as_py() or 0
    yield pa.record_batch(
        {
            "path": pa.array(paths, pa.list_(pa.string())),
            "cut": as_array(kept.column("cut")),
            "users": as_array(kept.column("users_sum")),
            "different": pa.array([totals[0]] * len(kept), pa.int64()),
            "everybody": pa.array([totals[1]] * len(kept), pa.int64()),
        }
    )
