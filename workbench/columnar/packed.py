"""Blocks packed as one binary value each, and times in half of their width where nothing is lost.

A packed block is an Arrow record batch with a row for each key: the key, and a list of its rows.
Times are mostly whole milliseconds, seconds or days, and not all too far from each other: then they
are kept as numbers of 32 bits, counted from the earliest (docs/decisions/0052).
"""

import json
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from workbench.columnar.blocks import (
    TIME,
    Block,
    from_instants,
    instants,
    packed_rows,
    unpacked_rows,
)
from workbench.columnar.key_codes import as_array
from workbench.durations import DAY, SECOND

#: The column of lists of rows.
ROWS = "__rows__"
#: What times may be whole numbers of: microseconds mostly, else the unit of an integer column.
UNITS = 1, 1_000, SECOND, DAY
#: Under which name a column's metadata say how its times are kept.
_SHORT = b"short times"
#: Lists of more rows need places of 64 bits.
_MOST_ROWS = 2**31 - 1
#: So many times are written at a time, which a processor's cache holds.
_AT_ONCE = 2**16


class ShortTimes(NamedTuple):
    """Times as numbers of 32 bits.

    Attributes
    ----------
    number : uint32 array of shape (rows,)
    least, unit : int
        A time is its number of units behind the least time.
    """

    number: NDArray[np.uint32]
    least: int
    unit: int

    @classmethod
    def of(cls, time: NDArray[np.int64]) -> "ShortTimes | None":
        """Return times as numbers of the shortest unit that does, or None where none does.

        Examples
        --------
        >>> ShortTimes.of(np.array([7_000_000_000, 5_000_000_000_000]))
        ShortTimes(number=array([      0, 4993000], dtype=uint32), least=7000000000, unit=1000000)
        >>> ShortTimes.of(np.array([0, 2**40 + 1])) is None
        True
        """
        if not len(time):
            return None
        least, most = int(time.min()), int(time.max())
        if most - least > np.iinfo(np.int64).max:
            return None
        number = np.empty(len(time), np.uint32)
        for unit in UNITS:
            if (most - least) // unit < 2**32:
                short = cls(number, least, unit)
                if short._hold(time):
                    return short
        return None

    def _hold(self, time: NDArray[np.int64]) -> bool:
        """Write times down, some at a time, until one is no whole number of units."""
        for first in range(0, len(time), _AT_ONCE):
            some = slice(first, first + _AT_ONCE)
            self.number[some] = (time[some] - self.least) // self.unit
            if not np.array_equal(self._replace(number=self.number[some]).times(), time[some]):
                return False
        return True

    def times(self) -> NDArray[np.int64]:
        """Return the times.

        Examples
        --------
        >>> ShortTimes(np.array([0, 2], np.uint32), least=-5, unit=1_000).times().tolist()
        [-5, 1995]
        """
        time = np.multiply(self.number, self.unit, dtype=np.int64)
        time += self.least
        return time


def pack(block: Block) -> pa.Buffer:
    """Return a block as one binary value.

    Parameters
    ----------
    block : Block

    Returns
    -------
    pyarrow.Buffer

    Examples
    --------
    >>> from workbench.columnar.blocks import gather
    >>> block = gather([pa.record_batch({"user": [7, 8, 7], TIME: [5, 1, 2]})], ["user"])
    >>> unpack(pack(block), ["user"]).rows.to_pydict()
    {'__time__': [5, 2, 1]}
    """
    columns = {name: as_array(block.keys.column(name)) for name in block.keys.column_names}
    fields, values = [], []
    for field in block.rows.schema:
        column = block.column(field.name)
        if field.name == TIME:
            field, column = _shortened(field, column)
        fields.append(field)
        values.append(column)
    rows = pa.StructArray.from_arrays(values, fields=fields)
    if len(rows) > _MOST_ROWS:
        columns[ROWS] = pa.LargeListArray.from_arrays(pa.array(block.offsets), rows)
    else:
        columns[ROWS] = pa.ListArray.from_arrays(pa.array(block.offsets.astype(np.int32)), rows)
    return packed_rows(pa.table(columns))


def unpack(packed: bytes | pa.Buffer, keys: Sequence[str]) -> Block:
    """Return the block that was packed, without a copy of its columns but for times.

    Parameters
    ----------
    packed : bytes or pyarrow.Buffer
    keys : sequence of str
        The columns that make the key.

    Returns
    -------
    Block
    """
    table = unpacked_rows(packed)
    lists = as_array(table.column(ROWS))
    offsets = lists.offsets.to_numpy().astype(np.int64)
    rows = lists.values
    columns = {field.name: _whole(field, rows.field(i)) for i, field in enumerate(rows.type)}
    return Block(table.select(list(keys)), offsets, pa.table(columns))


def _shortened(field: pa.Field, time: pa.Array) -> tuple[pa.Field, pa.Array]:
    """A column of times as numbers, and in its metadata what they mean, where that is possible."""
    timestamps = pa.types.is_timestamp(time.type)
    if time.null_count or not (timestamps or pa.types.is_int64(time.type)):
        return field, time
    if (short := ShortTimes.of(instants(time))) is None:
        return field, time
    like = [time.type.unit, time.type.tz] if timestamps else None
    kept = {"least": short.least, "unit": short.unit, "timestamps": like}
    number = pa.array(short.number)
    return pa.field(field.name, number.type, metadata={_SHORT: json.dumps(kept)}), number


def _whole(field: pa.Field, values: pa.Array) -> pa.Array:
    """The column that was packed."""
    if _SHORT not in (field.metadata or {}):
        return values
    kept = json.loads(field.metadata[_SHORT])
    like = pa.timestamp(*kept["timestamps"]) if kept["timestamps"] else pa.int64()
    return from_instants(ShortTimes(values.to_numpy(), kept["least"], kept["unit"]).times(), like)
