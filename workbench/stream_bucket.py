"""A bucket of a query over a stream: many partitions in parts, of which a micro-batch touches some.

A part is a range of the hash of the key. Parts that grow are cut and neighbours that shrink are put
together when they are written, so that a part stays of a size that is quick to read and write,
however many partitions there are.

Executors load this module, so it needs pyarrow, numpy and the kernels and nothing else.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from workbench.blocks import Block
from workbench.codes import whole
from workbench.stream_packing import (
    Directory,
    Seal,
    joined,
    packed_part,
    taken,
    unpacked_part,
)
from workbench.stream_parts import HASH, NEVER, Clock, Ints, Mode

Flags = NDArray[np.bool_]

#: The bytes that a part is to have: to read and write less for a few rows, or to do so less often.
PART_BYTES = 256 * 1024
#: What a partition takes beside its rows, about.
PARTITION_BYTES = 64
#: The one count that the bucket itself remembers.
LATE = "late_rows"


class Store(Protocol):
    """Where a bucket's packed values are kept."""

    def directory(self) -> bytes | None:
        """Return the packed directory, None when there is none."""
        ...

    def put_directory(self, packed: bytes) -> None:
        """Keep the packed directory."""
        ...

    def part(self, first: int) -> bytes:
        """Return a packed part that was kept."""
        ...

    def put_part(self, first: int, packed: bytes) -> None:
        """Keep a packed part."""
        ...

    def drop_part(self, first: int) -> None:
        """Forget a part that was kept."""
        ...


class Step(NamedTuple):
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


@dataclass(frozen=True)
class BucketTask:
    """Answer a window call for the partitions of a bucket.

    Attributes
    ----------
    mode : Mode
    seal : Seal
    about : bytes
        What the columns are called, to be kept beside them.
    part_bytes : int
    """

    mode: Mode
    seal: Seal
    about: bytes = b""
    part_bytes: int = PART_BYTES

    def step(self, store: Store, arrivals: pa.Table | None, watermark: int | None) -> Step | None:
        """Take in rows that have come to a bucket, and do what is due.

        Parameters
        ----------
        store : Store
        arrivals : pyarrow.Table or None
        watermark : int or None
            In microseconds.

        Returns
        -------
        Step or None
            None when there is nothing to do.

        Notes
        -----
        Only parts that rows come to or in which something is due are read and written.
        """
        there = Directory.unpacked(store.directory(), self.seal)
        touched = there.due <= (-NEVER if watermark is None else watermark)
        if arrivals is not None:
            touched[there.parts_of(whole(arrivals.column(HASH)).to_numpy())] = True
        elif not touched.any():
            return None
        stored = there.first[touched & (there.size > 0)].tolist()
        parts = [unpacked_part(store.part(name), self.seal) for name in stored]
        found = self.mode.take(joined(parts), arrivals, Clock(watermark, there.seen))
        now = self._written(store, there, touched, found.held, found.due)
        late = there.late + found.counts.get(LATE, 0)
        wake = _milliseconds(int(now.due.min()))
        now = replace(now, seen=watermark, timer=wake, late=late, about=self.about)
        store.put_directory(now.packed(self.seal))
        return Step(found.output, found.counts, wake, there.timer)

    def _written(
        self, store: Store, there: Directory, touched: Flags, held: Block, due: Ints
    ) -> Directory:
        """Write the touched parts anew, and return the directory with them."""
        held, hashes, due = _by_hash(held, due)
        now: list[tuple[int, int, int]] = []
        for begin, low, high in _runs(there.first, touched, hashes):
            cuts = self._cuts(held, hashes, low, high)
            names = [begin, *hashes[cuts[1:-1]].tolist()]
            for name, first, end in zip(names, cuts[:-1], cuts[1:], strict=True):
                size = self._put(store, name, _slice(held, first, end)) if end > first else 0
                now.append((name, int(due[first:end].min(initial=NEVER)), size))
        kept = {name for name, _, size in now if size}
        for name in there.first[touched & (there.size > 0)].tolist():
            if name not in kept:
                store.drop_part(name)
        return there.with_parts(~touched, now)

    def _put(self, store: Store, name: int, part: Block) -> int:
        packed = packed_part(part, self.seal)
        store.put_part(name, packed)
        return len(packed)

    def _cuts(self, held: Block, hashes: Ints, low: int, high: int) -> list[int]:
        """Where to cut a run of partitions, so that each part has about the bytes it is to have."""
        if low == high:
            return [low, high]
        width = held.rows.nbytes / max(len(held.rows), 1)
        weight = (held.offsets[low : high + 1] - held.offsets[low]) * width
        weight = weight + np.arange(high - low + 1) * PARTITION_BYTES
        parts = max(round(weight[-1] / self.part_bytes), 1)
        at = low + np.searchsorted(weight, weight[-1] * np.arange(1, parts) / parts)
        # Partitions of one hash stay together.
        at = np.searchsorted(hashes, hashes[np.minimum(at, high - 1)])
        return [low, *sorted(set(at[(at > low) & (at < high)].tolist())), high]


def _by_hash(held: Block, due: Ints) -> tuple[Block, Ints, Ints]:
    """Partitions in the order of their hashes, which they mostly have."""
    hashes = np.asarray(whole(held.keys.column(HASH)).to_numpy(), np.int64)
    if (hashes[1:] >= hashes[:-1]).all():
        return held, hashes, due
    order = np.argsort(hashes, kind="stable")
    return taken(held, order), hashes[order], due[order]


def _runs(first: Ints, touched: Flags, hashes: Ints) -> Iterator[tuple[int, int, int]]:
    """Of each run of touched parts: its least hash, its first partition, and the one behind it."""
    edges = np.flatnonzero(np.diff(touched.astype(np.int8), prepend=0, append=0))
    ends = np.append(np.searchsorted(hashes, first), len(hashes))
    for low, high in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        yield int(first[low]), int(ends[low]), int(ends[high])


def _slice(held: Block, low: int, high: int) -> Block:
    first, last = held.offsets[low], held.offsets[high]
    offsets = held.offsets[low : high + 1] - first
    return Block(held.keys.slice(low, high - low), offsets, held.rows.slice(first, last - first))


def _milliseconds(due: int) -> int | None:
    """The first whole millisecond that is not before a time in microseconds."""
    return None if due == NEVER else -(-due // 1000)
