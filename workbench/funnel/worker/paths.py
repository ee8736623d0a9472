"""Compute paths in Spark's Python workers: blocks in, counts or people out."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from kernels.funnel.paths import collapsed_path
from kernels.structures.instants import LEAST, MOST
from kernels.structures.order import sort_entries
from workbench.columnar.blocks import TIME, Block, key_columns
from workbench.columnar.bundles import BUNDLE, unbundled
from workbench.columnar.delivery import to_one_task
from workbench.columnar.instants import instants
from workbench.columnar.key_codes import as_array, key_codes
from workbench.columnar.ragged import offsets_of
from workbench.funnel.worker.event_codes import event_codes
from workbench.funnel.worker.levels import FunnelTask
from workbench.funnel.worker.reached import Reached

#: How many paths are returned at the most, the most frequent.
MOST_PATHS = 1_000


@dataclass(frozen=True)
class PathsTask:
    """The definition of paths for the workers.

    Attributes
    ----------
    funnel : FunnelTask
        Its ``next`` names the column of events.
    after, before : int or None
        The steps between which the events lie, counted from 0; at least one is given.
    dropped : bool
        Only paths of those who took no step after ``after``.
    longest : int
        How many events a path has at the most.
    wanted : tuple of tuple of str and bool, optional
        A path and whether it is cut: return the people who took it.
    with_paths : bool
        Return everybody with the path they took. Without either, the paths are counted.
    """

    funnel: FunnelTask
    after: int | None
    before: int | None
    dropped: bool
    longest: int
    wanted: tuple[tuple[str, ...], bool] | None = None
    with_paths: bool = False

    @property
    def backwards(self) -> bool:
        """Whether paths are cut at their beginning, and so read from their end."""
        return self.after is None

    @property
    def keys(self) -> tuple[str, ...]:
        """The key's columns."""
        return self.funnel.keys

    def answers(self, blocks: Iterable[Block]) -> Iterator[pa.RecordBatch]:
        """Return the counts of each block in bundles, or the people."""
        if self.wanted is not None or self.with_paths:
            yield from map(self.people, blocks)
            return
        yield from to_one_task(map(self.counts, blocks), BUNDLE, (*self.keys, "paths"))

    def counts(self, block: Block) -> pa.Table:
        """Return each distinct path, whether it is cut, and how many took it."""
        _, _, has_path, path, cut, names = self._paths(block)
        columns = {str(k): pa.array(one) for k, one in enumerate(path[has_path].T)}
        codes, different = key_codes(pa.table({**columns, "cut": pa.array(cut[has_path])}))
        first = np.zeros(different, np.int64)
        first[codes[::-1]] = np.arange(len(codes))[::-1]
        texts = pa.array([*names, None], pa.string())
        steps = {
            name: texts.take(pa.array(one.to_numpy()[first] % (len(names) + 1)))
            for name, one in columns.items()
        }
        users = pa.array(np.bincount(codes, minlength=different))
        return pa.table({**steps, "cut": pa.array(cut[has_path][first]), "users": users})

    def people(self, block: Block) -> pa.RecordBatch:
        """Return the keys that took a path, or all keys with the path that they took."""
        parts, number, has_path, paths, cut, names = self._paths(block)
        if self.wanted is not None:
            path, is_cut = self.wanted
            code = {name: k for k, name in enumerate(names)}
            codes = np.full(self.longest, -1)
            wanted = [code.get(name, len(names)) for name in path]
            codes[: len(wanted)] = wanted[::-1] if self.backwards else wanted
            has_path = has_path & (paths == codes).all(axis=1) & (cut == is_cut)
        chosen = np.flatnonzero(has_path)
        keys = zip(self.keys, key_columns(self.keys), strict=True)
        columns = {
            name: as_array(parts.keys.column(key)).take(pa.array(chosen)) for name, key in keys
        }
        if self.funnel.number is not None:
            columns[self.funnel.number] = pa.array(number[chosen])
        if self.wanted is None:
            columns["path"] = self._path_lists(paths[chosen], names)
            columns["more"] = pa.array(cut[chosen])
        return pa.record_batch(columns)

    def _path_lists(self, paths: NDArray[np.int64], names: list[str]) -> pa.Array:
        """Return paths as lists of names, from their first event on."""
        paths = paths[:, ::-1] if self.backwards else paths
        is_event = paths >= 0
        ends = pa.array(offsets_of(is_event.sum(axis=1)).astype(np.int32))
        texts = pa.array(names, pa.string()).take(pa.array(paths[is_event]))
        return pa.ListArray.from_arrays(ends, texts)

    def _paths(
        self, block: Block
    ) -> tuple[
        Block, NDArray[np.int64], NDArray[np.bool_], NDArray[np.int64], NDArray[np.bool_], list[str]
    ]:
        """Return a block's parts, their numbers, which have a path, paths, cut ones, and names."""
        block, number, result = self.funnel.reached_by_partition(block)
        code, names = event_codes(block, str(self.funnel.next))
        has_path, bounds = self._time_bounds(result)
        time = instants(block.column(TIME)).copy()
        sort_entries.over(block.offsets, time, code)
        path = np.empty((len(has_path), self.longest), np.int64)
        count = collapsed_path.over(block.offsets, time, code, bounds, self.backwards, path)
        return block, number, has_path, path, count > self.longest, names

    def _time_bounds(self, result: Reached) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        """Return which partitions have a path, and the first and last time of it, inclusive."""
        window, has_path = self.funnel.window, np.ones(len(result.level), bool)
        bounds = np.empty((len(has_path), 2), np.int64)
        if self.before is not None:
            has_path &= result.taken[:, self.before]
            until = result.reached[:, self.before]
            bounds[:, 1] = np.where(until == LEAST, LEAST, until - 1)
            bounds[:, 0] = np.maximum(until, LEAST + window) - window
        if self.after is not None:
            has_path &= result.taken[:, self.after]
            since = result.reached[:, self.after]
            bounds[:, 0] = np.where(since == MOST, MOST, since + 1)
            if self.before is None:
                bounds[:, 1] = np.minimum(since, MOST - window) + window
                # Nothing is later than the latest time.
                bounds[since == MOST] = MOST, LEAST
        if self.dropped and self.after is not None:
            has_path &= ~result.taken[:, self.after + 1 :].any(axis=1)
        # An empty range for the others.
        bounds[~has_path] = MOST, LEAST
        return has_path, bounds


def sum_paths(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Sum the counts of all blocks: the most frequent paths, and the totals of all paths."""
    parts = list(unbundled(batches))
    if not parts:
        return
    # Dictionary codes differ between blocks, but nothing else in their schemas does.
    counted = pa.Table.from_batches(parts)
    steps = [name for name in counted.column_names if name not in ("cut", "users")]
    paths_table = counted.group_by([*steps, "cut"]).aggregate([("users", "sum")])
    # A path comes before those that continue it.
    rest = [(name, "ascending", "at_start") for name in [*steps, "cut"]]
    order = [("users_sum", "descending", "at_end"), *rest]
    top = paths_table.take(pc.sort_indices(paths_table, order)[:MOST_PATHS])
    rows = zip(*(top.column(name).to_pylist() for name in steps), strict=True)
    paths = [[name for name in row if name is not None] for row in rows]
    totals = len(paths_table), pc.sum(paths_table.column("users_sum")).as_py() or 0
    yield pa.record_batch(
        {
            "path": pa.array(paths, pa.list_(pa.string())),
            "cut": as_array(top.column("cut")),
            "users": as_array(top.column("users_sum")),
            "different": pa.array([totals[0]] * len(top), pa.int64()),
            "everybody": pa.array([totals[1]] * len(top), pa.int64()),
        }
    )
