"""What a bucket of a query over a stream keeps, and where: the parts by name."""

import struct
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kernels.core.arrays import Ints
from workbench.windows.stream.worker.operator import NEVER
from workbench.windows.stream.worker.packing import Seal

_CLOCKS = struct.Struct("<qqqqq")
_NONE = -NEVER - 1


class Parts(NamedTuple):
    """Ranges of the hash of the key, one behind the other.

    Attributes
    ----------
    first : int64 array of shape (parts,)
        The least hash of each part, ascending, which is its name; the first part begins with the
        least integer.
    due : int64 array of shape (parts,)
        What the watermark must reach before something is due in the part.
    size : int64 array of shape (parts,)
        The bytes of each packed part; a part of 0 bytes is not stored.
    partitions : int64 array of shape (parts,)
        How many are in each part.
    """

    first: Ints
    due: Ints
    size: Ints
    partitions: Ints

    @classmethod
    def empty(cls) -> "Parts":
        """Return one part without a partition."""
        return cls(np.array([_NONE]), np.array([NEVER]), np.array([0]), np.array([0]))

    def active(self, watermark: int | None, hashes: Ints) -> NDArray[np.bool_]:
        """Return which parts some hashes belong to, or have something that is due."""
        found = self.due <= (-NEVER if watermark is None else watermark)
        found[np.searchsorted(self.first, hashes, side="right") - 1] = True
        return np.asarray(found, np.bool_)

    def with_parts(self, stay: NDArray[np.bool_], more: list[tuple[int, int, int, int]]) -> "Parts":
        """Return some of the parts, and others: first, due, size and partitions of each."""
        columns = np.stack(self)[:, stay]
        columns = np.concatenate([columns, np.array(more, np.int64).reshape(-1, 4).T], axis=1)
        return Parts(*columns[:, np.argsort(columns[0])])


@dataclass(frozen=True)
class Directory:
    """All that a bucket keeps beside its parts.

    Attributes
    ----------
    seen : int or None
        The watermark when the bucket was last asked.
    timer : int or None
        The time, in milliseconds, for which the bucket is to be woken.
    late : int
        How many rows were late, of all that have come to the bucket.
    about : bytes
        What the columns of the parts are called, for who looks into the state.
    busy, idle : Parts
        Of the partitions to which rows have come of late, and of the others. Partitions of one
        hash are of one kind.
    """

    seen: int | None
    timer: int | None
    late: int
    about: bytes
    busy: Parts
    idle: Parts

    @classmethod
    def empty(cls) -> "Directory":
        """Return the directory of a bucket that has seen nothing."""
        return cls(None, None, 0, b"", Parts.empty(), Parts.empty())

    @property
    def wake(self) -> int:
        """What the watermark must reach before something is due."""
        return int(min(self.busy.due.min(), self.idle.due.min()))

    def packed(self, seal: Seal) -> bytes:
        """Return the directory as bytes."""
        clocks = [_NONE if clock is None else clock for clock in (self.seen, self.timer)]
        columns = np.concatenate([np.stack(self.busy), np.stack(self.idle)], axis=1)
        plain = _CLOCKS.pack(*clocks, self.late, len(self.about), len(self.busy.first))
        return seal.head + plain + self.about + columns.tobytes()

    @classmethod
    def unpacked(cls, packed: bytes | None, seal: Seal) -> "Directory":
        """Return the directory that was packed, or that of a bucket which has none."""
        if packed is None:
            return cls.empty()
        opened = seal.opened(packed)
        seen, timer, late, long, busy = _CLOCKS.unpack_from(opened)
        about, columns = np.split(np.frombuffer(opened[_CLOCKS.size :], np.uint8), [long])
        both = np.split(np.frombuffer(columns.tobytes(), np.int64).reshape(4, -1), [busy], axis=1)
        clocks = (None if seen == _NONE else seen), (None if timer == _NONE else timer)
        return cls(*clocks, late, about.tobytes(), *(Parts(*one) for one in both))
