"""The directory of a bucket of a query over a stream: its parts by name."""

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
    """Adjacent ranges of the hash of the key.

    Attributes
    ----------
    first : int64 array of shape (parts,)
        The least hash of each part, ascending; it is the part's name. The first part begins with
        the least integer.
    due : int64 array of shape (parts,)
        The watermark at which the part is due.
    size : int64 array of shape (parts,)
        The bytes of each packed part; a part of 0 bytes is not stored.
    partitions : int64 array of shape (parts,)
        The number of partitions in each part.
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
        """Return which parts contain one of the hashes, or are due."""
        active = self.due <= (-NEVER if watermark is None else watermark)
        active[np.searchsorted(self.first, hashes, side="right") - 1] = True
        return np.asarray(active, np.bool_)

    def with_parts(self, stay: NDArray[np.bool_], new: list[tuple[int, int, int, int]]) -> "Parts":
        """Return the parts that stay and new ones, given by first, due, size and partitions."""
        columns = np.stack(self)[:, stay]
        columns = np.concatenate([columns, np.array(new, np.int64).reshape(-1, 4).T], axis=1)
        return Parts(*columns[:, np.argsort(columns[0])])


@dataclass(frozen=True)
class Directory:
    """The state of a bucket except its parts.

    Attributes
    ----------
    seen : int or None
        The watermark at the bucket's last step.
    timer : int or None
        The time, in milliseconds, of the bucket's timer.
    late : int
        The number of late rows since the bucket was begun.
    about : bytes
        The names of the parts' columns, for :func:`workbench.stream_state`.
    busy, idle : Parts
        The parts of partitions that received rows recently, and of the others. Partitions with
        the same hash are of the same kind.
    """

    seen: int | None
    timer: int | None
    late: int
    about: bytes
    busy: Parts
    idle: Parts

    @classmethod
    def empty(cls) -> "Directory":
        """Return the directory of a new bucket."""
        return cls(None, None, 0, b"", Parts.empty(), Parts.empty())

    @property
    def wake(self) -> int:
        """The watermark at which the first part is due."""
        return int(min(self.busy.due.min(), self.idle.due.min()))

    def packed(self, seal: Seal) -> bytes:
        """Return the directory as bytes."""
        clocks = [_NONE if clock is None else clock for clock in (self.seen, self.timer)]
        columns = np.concatenate([np.stack(self.busy), np.stack(self.idle)], axis=1)
        numbers = _CLOCKS.pack(*clocks, self.late, len(self.about), len(self.busy.first))
        return seal.head + numbers + self.about + columns.tobytes()

    @classmethod
    def unpacked(cls, packed: bytes | None, seal: Seal) -> "Directory":
        """Return an unpacked directory; without one, that of a new bucket."""
        if packed is None:
            return cls.empty()
        opened = seal.opened(packed)
        seen, timer, late, about_size, busy = _CLOCKS.unpack_from(opened)
        about, columns = np.split(np.frombuffer(opened[_CLOCKS.size :], np.uint8), [about_size])
        both = np.split(np.frombuffer(columns.tobytes(), np.int64).reshape(4, -1), [busy], axis=1)
        clocks = (None if seen == _NONE else seen), (None if timer == _NONE else timer)
        return cls(*clocks, late, about.tobytes(), *(Parts(*one) for one in both))
