"""A bucket of a query over a stream: many partitions in parts, of which a micro-batch touches some.

A part is a range of the hash of the key. Parts that grow are cut and neighbours that shrink are put
together when they are written, so that a part stays of a size that is quick to read and write,
however many partitions there are.
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
from workbench.windows.stream.worker.packing import Seal, joined, packed_part, taken, unpacked_part

#: Partitions, their hashes, and when something is due in each.
Kept = tuple[Block, Ints, Ints]
#: A part's kind, and its least hash.
Name = tuple[int, int]

#: The bytes that a part is to have: to read and write less for a few rows, or to do so less often.
PART_BYTES = 256 * 1024
#: What a partition takes beside its rows, about.
PARTITION_BYTES = 64
#: The kinds of parts: those of partitions to which rows have come of late, and of the others.
BUSY, IDLE = 0, 1
#: Idle partitions are put apart when the busy ones are more than so many parts, and more than so
#: many times those that rows come to; and more than this share of the others, as it takes a
#: rewrite of them all.
MANY, SHARE = 4, 8
#: The one count that the bucket itself remembers.
LATE = "late_rows"


class StateStore(Protocol):
    """Where a bucket's packed values are kept."""

    def directory(self) -> bytes | None:
        """Return the packed directory, None when there is none."""
        ...

    def put_directory(self, packed: bytes) -> None:
        """Keep the packed directory."""
        ...

    def part(self, name: Name) -> bytes:
        """Return a packed part that was kept."""
        ...

    def put_part(self, name: Name, packed: bytes) -> None:
        """Keep a packed part."""
        ...

    def drop_part(self, name: Name) -> None:
        """Forget a part that was kept."""
        ...


class BucketStep(NamedTuple):
    """What a bucket has done.

    Attributes
    ----------
    output : pyarrow.Table
        The rows that go on.
    counts : dict of str to int
    wake : int or None
        The watermark, in milliseconds, at which the bucket is to be asked again though no row
        comes, None when that is not needed.
    slept : int or None
        For what watermark that was asked for before.
    """

    output: pa.Table
    counts: Mapping[str, int]
    wake: int | None
    slept: int | None


class Read(NamedTuple):
    """Parts of one kind that are touched, and what is kept in them.

    Attributes
    ----------
    parts : Parts
        All of the kind.
    active : bool array of shape (parts,)
    blocks : list of Block
        Those of the touched parts that are stored.
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
    """Answer a window call for the partitions of a bucket.

    Attributes
    ----------
    mode : StreamOperator
    seal : Seal
    about : bytes
        What the columns are called, to be kept beside them.
    part_bytes : int
    """

    mode: StreamOperator
    seal: Seal
    about: bytes = b""
    part_bytes: int = PART_BYTES

    def step(
        self, store: StateStore, arrivals: pa.Table | None, watermark: int | None
    ) -> BucketStep | None:
        """Take in rows that have come to a bucket, and do what is due.

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
        Only parts that rows come to or in which something is due are read and written; but now and
        then all are, to put the idle partitions apart.
        """
        there = Directory.unpacked(store.directory(), self.seal)
        come = np.zeros(0, np.int64) if arrivals is None else _each_once(hashes_of(arrivals))
        apart = self._puts_apart(there, len(come))
        busy = self._read(store, BUSY, there.busy, there.busy.active(watermark, come) | apart)
        known = busy.hashes
        stay = come if apart else np.union1d(come, known)
        idle = self._idle(store, there.idle, watermark, np.setdiff1d(come, known), apart)
        if arrivals is None and not (busy.active.any() or idle.active.any()):
            return None
        retained = joined(busy.blocks + idle.blocks)
        found = self.mode.take(retained, arrivals, Clock(watermark, there.seen))
        now_busy, now_idle = _by_kind(found, stay, bool(idle.active.any()))
        late = there.late + found.counts.get(LATE, 0)
        parts = (
            self._written(store, BUSY, busy, now_busy),
            self._written(store, IDLE, idle, now_idle),
        )
        now = Directory(watermark, None, late, self.about, *parts)
        wake = _milliseconds(now.wake)
        store.put_directory(replace(now, timer=wake).packed(self.seal))
        return BucketStep(found.output, found.counts, wake, there.timer)

    def _puts_apart(self, there: Directory, come: int) -> bool:
        """Whether to look for idle partitions among the busy ones: where most of many must be."""
        busy, idle = there.busy.partitions.sum(), there.idle.partitions.sum()
        much = there.busy.size.sum() > MANY * self.part_bytes
        return bool(come and much and busy > MANY * come and busy > idle / SHARE)

    def _read(self, store: StateStore, kind: int, parts: Parts, active: Mask) -> Read:
        names = parts.first[active & (parts.size > 0)].tolist()
        blocks = [unpacked_part(store.part((kind, name)), self.seal) for name in names]
        return Read(parts, active, blocks)

    def _idle(
        self, store: StateStore, parts: Parts, watermark: int | None, new: Ints, apart: bool
    ) -> Read:
        """The idle partitions that are idle no more, and those beside them."""
        active = parts.active(watermark, new) & (parts.size > 0)
        found = self._read(store, IDLE, parts, active | apart)
        if apart:
            return found
        # Most hashes that are not among the busy ones are those of new partitions.
        at = np.flatnonzero(active)
        needed = parts.active(watermark, new[:0])[at]
        needed |= np.array([np.isin(hashes_of(b), new).any() for b in found.blocks], np.bool_)
        active[at] = needed
        return Read(parts, active, [found.blocks[k] for k in np.flatnonzero(needed)])

    def _written(self, store: StateStore, kind: int, read: Read, retained: Kept) -> Parts:
        """Write the touched parts anew, and return all of the kind."""
        block, hashes, due = retained
        now: list[tuple[int, int, int, int]] = []
        for begin, low, high in _runs(read.parts.first, read.active, hashes):
            cuts = self._cuts(block, hashes, low, high)
            names = [begin, *hashes[cuts[1:-1]].tolist()]
            for name, first, end in zip(names, cuts[:-1], cuts[1:], strict=True):
                one = _slice(block, first, end)
                size = self._put(store, (kind, name), one) if end > first else 0
                now.append((name, int(due[first:end].min(initial=NEVER)), size, end - first))
        remaining = {name for name, _, size, _ in now if size}
        for name in read.parts.first[read.active & (read.parts.size > 0)].tolist():
            if name not in remaining:
                store.drop_part((kind, name))
        return read.parts.with_parts(~read.active, now)

    def _put(self, store: StateStore, name: Name, part: Block) -> int:
        packed = packed_part(part, self.seal)
        store.put_part(name, packed)
        return len(packed)

    def _cuts(self, retained: Block, hashes: Ints, low: int, high: int) -> list[int]:
        """Where to cut a run of partitions, so that each part has about the bytes it is to have."""
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


def _each_once(hashes: Ints) -> Ints:
    """Sorted hashes without those that are there again: Arrow finds them sooner than NumPy."""
    found: Ints = np.sort(pa.array(hashes).unique().to_numpy())
    return found


def _by_kind(found: Emitted, stay: Ints, both: bool) -> tuple[Kept, Kept]:
    """The busy and the idle partitions, each in the order of their hashes."""
    retained, hashes, due = _by_hash(found.retained, found.due)
    busy = np.isin(hashes, stay) if both else np.ones(len(hashes), np.bool_)
    if busy.all():
        return (retained, hashes, due), (_slice(retained, 0, 0), hashes[:0], due[:0])
    places = np.flatnonzero(busy), np.flatnonzero(~busy)
    one, other = ((taken(retained, at), hashes[at], due[at]) for at in places)
    return one, other


def _by_hash(retained: Block, due: Ints) -> Kept:
    """Partitions in the order of their hashes, which they mostly have."""
    hashes = hashes_of(retained)
    if (hashes[1:] >= hashes[:-1]).all():
        return retained, hashes, due
    order = np.argsort(hashes, kind="stable")
    return taken(retained, order), hashes[order], due[order]


def _runs(first: Ints, active: Mask, hashes: Ints) -> Iterator[tuple[int, int, int]]:
    """Of each run of touched parts: its least hash, its first partition, and the one behind it."""
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
    """The first whole millisecond that is not before a time in microseconds."""
    return None if due == NEVER else -(-due // 1000)
