"""A bucket of a query over a stream: many partitions in parts, of which a micro-batch touches few.

A part is a range of the hash of the key. When parts are written, large ones are split and small
neighbours are merged, so that a part stays quick to read and write, however many partitions there
are.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

import numpy as np
import pyarrow as pa

from kernels.core.arrays import Ints, Mask
from workbench.columnar.blocks import Block
from workbench.columnar.key_codes import as_array
from workbench.windows.stream.worker.directory import Directory, Parts
from workbench.windows.stream.worker.operator import HASH, NEVER, Clock, Emitted, StreamOperator
from workbench.windows.stream.worker.packing import (
    Seal,
    joined,
    packed_part,
    take_partitions,
    unpacked_part,
)

#: Partitions, their hashes, and the watermark at which each is due.
HashedPartitions = tuple[Block, Ints, Ints]
#: The kind of a part, and its least hash.
Name = tuple[int, int]

#: The target size of a part: smaller parts mean less to read for a few rows, but more reads.
PART_BYTES = 256 * 1024
#: The approximate size of a partition without its rows.
PARTITION_BYTES = 64
#: The kinds of parts: of partitions that received rows recently, and of the others.
BUSY, IDLE = 0, 1
#: Idle partitions are separated when the busy ones fill more than MANY parts, are more than MANY
#: times the partitions that receive rows, and more than one SHARE-th of the idle ones, because all
#: of them are rewritten.
MANY, SHARE = 4, 8
#: The one count that the bucket itself accumulates.
LATE = "late_rows"


class StateStore(Protocol):
    """The storage of a bucket's packed values."""

    def directory(self) -> bytes | None:
        """Return the packed directory, None when there is none."""
        ...

    def put_directory(self, packed: bytes) -> None:
        """Store the packed directory."""
        ...

    def part(self, name: Name) -> bytes:
        """Return a stored packed part."""
        ...

    def put_part(self, name: Name, packed: bytes) -> None:
        """Store a packed part."""
        ...

    def drop_part(self, name: Name) -> None:
        """Delete a stored part."""
        ...


class BucketStep(NamedTuple):
    """The result of one step of a bucket.

    Attributes
    ----------
    output : pyarrow.Table
        The emitted rows.
    counts : dict of str to int
    wake : int or None
        The watermark, in milliseconds, at which the bucket needs a step even without arrivals,
        None when that is not needed.
    slept : int or None
        The value of ``wake`` after the previous step.
    """

    output: pa.Table
    counts: Mapping[str, int]
    wake: int | None
    slept: int | None


class ReadParts(NamedTuple):
    """The active parts of one kind, read from the store.

    Attributes
    ----------
    parts : Parts
        All parts of the kind.
    active : bool array of shape (parts,)
        The parts that were read and will be rewritten.
    blocks : list of Block
        The partitions of the active parts that are stored.
    """

    parts: Parts
    active: Mask
    blocks: list[Block]

    @property
    def hashes(self) -> Ints:
        """The hashes of the partitions that were read."""
        return np.concatenate([np.zeros(0, np.int64), *map(hashes_of, self.blocks)])


@dataclass(frozen=True)
class BucketTask:
    """Process a window call for the partitions of a bucket.

    Attributes
    ----------
    mode : StreamOperator
    seal : Seal
    about : bytes
        The names of the columns, stored with the state.
    part_bytes : int
    """

    mode: StreamOperator
    seal: Seal
    about: bytes = b""
    part_bytes: int = PART_BYTES

    def step(
        self, store: StateStore, arrivals: pa.Table | None, watermark: int | None
    ) -> BucketStep | None:
        """Process arrivals of a bucket, and the partitions that are due.

        Parameters
        ----------
        store : StateStore
        arrivals : pyarrow.Table or None
        watermark : int or None
            In microseconds.

        Returns
        -------
        BucketStep or None
            None when there is nothing to do.

        Notes
        -----
        Only parts that receive rows or are due are read and written. Occasionally all parts are,
        to separate the idle partitions.
        """
        directory = Directory.unpacked(store.directory(), self.seal)
        arriving = (
            np.zeros(0, np.int64) if arrivals is None else _sorted_unique(hashes_of(arrivals))
        )
        separate = self._separates_idle(directory, len(arriving))
        active = directory.busy.active(watermark, arriving) | separate
        busy = self._read(store, BUSY, directory.busy, active)
        known = busy.hashes
        stay_busy = arriving if separate else np.union1d(arriving, known)
        new = np.setdiff1d(arriving, known)
        idle = self._read_idle(store, directory.idle, watermark, new, separate)
        if arrivals is None and not (busy.active.any() or idle.active.any()):
            return None
        retained = joined(busy.blocks + idle.blocks)
        emitted = self.mode.process(retained, arrivals, Clock(watermark, directory.seen))
        now_busy, now_idle = _by_kind(emitted, stay_busy, bool(idle.active.any()))
        late = directory.late + emitted.counts.get(LATE, 0)
        parts = (
            self._write(store, BUSY, busy, now_busy),
            self._write(store, IDLE, idle, now_idle),
        )
        updated = Directory(watermark, None, late, self.about, *parts)
        wake = _milliseconds(updated.wake)
        store.put_directory(replace(updated, timer=wake).packed(self.seal))
        return BucketStep(emitted.output, emitted.counts, wake, directory.timer)

    def _separates_idle(self, directory: Directory, arriving: int) -> bool:
        """Return whether to look for idle partitions among the busy ones: if most must be idle."""
        busy, idle = directory.busy.partitions.sum(), directory.idle.partitions.sum()
        is_large = directory.busy.size.sum() > MANY * self.part_bytes
        return bool(arriving and is_large and busy > MANY * arriving and busy > idle / SHARE)

    def _read(self, store: StateStore, kind: int, parts: Parts, active: Mask) -> ReadParts:
        names = parts.first[active & (parts.size > 0)].tolist()
        blocks = [unpacked_part(store.part((kind, name)), self.seal) for name in names]
        return ReadParts(parts, active, blocks)

    def _read_idle(
        self, store: StateStore, parts: Parts, watermark: int | None, new: Ints, separate: bool
    ) -> ReadParts:
        """Return the parts with idle partitions that receive rows or are due."""
        active = parts.active(watermark, new) & (parts.size > 0)
        read = self._read(store, IDLE, parts, active | separate)
        if separate:
            return read
        # Most hashes that are not among the busy ones are those of new partitions.
        at = np.flatnonzero(active)
        needed = parts.active(watermark, new[:0])[at]
        needed |= np.array([np.isin(hashes_of(b), new).any() for b in read.blocks], np.bool_)
        active[at] = needed
        return ReadParts(parts, active, [read.blocks[k] for k in np.flatnonzero(needed)])

    def _write(
        self, store: StateStore, kind: int, read: ReadParts, retained: HashedPartitions
    ) -> Parts:
        """Rewrite the active parts, and return all parts of the kind."""
        block, hashes, due = retained
        written: list[tuple[int, int, int, int]] = []
        for begin, low, high in _runs(read.parts.first, read.active, hashes):
            cuts = self._cuts(block, hashes, low, high)
            names = [begin, *hashes[cuts[1:-1]].tolist()]
            for name, first, end in zip(names, cuts[:-1], cuts[1:], strict=True):
                part = _slice(block, first, end)
                size = self._put(store, (kind, name), part) if end > first else 0
                written.append((name, int(due[first:end].min(initial=NEVER)), size, end - first))
        remaining = {name for name, _, size, _ in written if size}
        for name in read.parts.first[read.active & (read.parts.size > 0)].tolist():
            if name not in remaining:
                store.drop_part((kind, name))
        return read.parts.with_parts(~read.active, written)

    def _put(self, store: StateStore, name: Name, part: Block) -> int:
        packed = packed_part(part, self.seal)
        store.put_part(name, packed)
        return len(packed)

    def _cuts(self, retained: Block, hashes: Ints, low: int, high: int) -> list[int]:
        """Return where to cut a run of partitions into parts of about the target size."""
        if low == high:
            return [low, high]
        width = retained.rows.nbytes / max(len(retained.rows), 1)
        weight = (retained.offsets[low : high + 1] - retained.offsets[low]) * width
        weight = weight + np.arange(high - low + 1) * PARTITION_BYTES
        parts = max(round(weight[-1] / self.part_bytes), 1)
        at = low + np.searchsorted(weight, weight[-1] * np.arange(1, parts) / parts)
        # Partitions of one hash stay together.
        at = np.searchsorted(hashes, hashes[np.minimum(at, high - 1)])
        return [low, *sorted(set(at[(at > low) & (at < high)].tolist())), high]


def hashes_of(rows: "pa.Table | Block") -> Ints:
    """Return the hashes of rows, or of partitions."""
    table = rows.keys if isinstance(rows, Block) else rows
    return np.asarray(as_array(table.column(HASH)).to_numpy(), np.int64)


def _sorted_unique(hashes: Ints) -> Ints:
    """Return the distinct hashes, sorted; Arrow's unique is faster than NumPy's."""
    unique: Ints = np.sort(pa.array(hashes).unique().to_numpy())
    return unique


def _by_kind(
    emitted: Emitted, stay_busy: Ints, both: bool
) -> tuple[HashedPartitions, HashedPartitions]:
    """Return the busy and the idle partitions, each sorted by hash."""
    retained, hashes, due = _by_hash(emitted.retained, emitted.due)
    is_busy = np.isin(hashes, stay_busy) if both else np.ones(len(hashes), np.bool_)
    if is_busy.all():
        return (retained, hashes, due), (_slice(retained, 0, 0), hashes[:0], due[:0])
    rows = np.flatnonzero(is_busy), np.flatnonzero(~is_busy)
    busy, idle = ((take_partitions(retained, at), hashes[at], due[at]) for at in rows)
    return busy, idle


def _by_hash(retained: Block, due: Ints) -> HashedPartitions:
    """Return partitions sorted by hash, as they mostly are already."""
    hashes = hashes_of(retained)
    if (hashes[1:] >= hashes[:-1]).all():
        return retained, hashes, due
    order = np.argsort(hashes, kind="stable")
    return take_partitions(retained, order), hashes[order], due[order]


def _runs(first: Ints, active: Mask, hashes: Ints) -> Iterator[tuple[int, int, int]]:
    """Yield of each run of active parts its least hash, its first partition, and its end."""
    edges = np.flatnonzero(np.diff(active.astype(np.int8), prepend=0, append=0))
    ends = np.append(np.searchsorted(hashes, first), len(hashes))
    for low, high in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        yield int(first[low]), int(ends[low]), int(ends[high])


def _slice(retained: Block, low: int, high: int) -> Block:
    first, last = retained.offsets[low], retained.offsets[high]
    offsets = retained.offsets[low : high + 1] - first
    return Block(
        retained.keys.slice(low, high - low), offsets, retained.rows.slice(first, last - first)
    )


def _milliseconds(due: int) -> int | None:
    """Return a time in microseconds rounded up to milliseconds, None for never."""
    return None if due == NEVER else -(-due // 1000)
