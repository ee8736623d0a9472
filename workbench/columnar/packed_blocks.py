"""Blocks packed as one binary value each, with times in half of their width if they fit exactly.

A packed block is an Arrow record batch with a row for each key: the key, and a list of its rows.
Times are mostly whole milliseconds, seconds or days within a limited range. Such times are stored
as integers of 32 bits, counted from the earliest (docs/decisions/0052).
"""

import json
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from workbench.columnar.blocks import TIME, Block
from workbench.columnar.instants import from_instants, instants
from workbench.columnar.key_codes import as_array
from workbench.columnar.packed_rows import packed_rows, unpacked_rows
from workbench.durations import DAY, SECOND

#: The column of lists of rows.
ROWS = "__rows__"
#: The units of short times, in microseconds, or in the unit of an integer column.
UNITS = 1, 1_000, SECOND, DAY
#: The key of a column's metadata that describes its short times.
_SHORT = b"short times"
#: Lists of more rows need offsets of 64 bits.
_MOST_ROWS = 2**31 - 1
#: The number of times that are converted at once; they fit the processor's cache.
_AT_ONCE = 2**16


class ShortTimes(NamedTuple):
    """Times as integers of 32 bits.

    Attributes
    ----------
    number : uint32 array of shape (rows,)
    least, unit : int
        A time is the least time plus its number of units.
    """

    number: NDArray[np.uint32]
    least: int
    unit: int

    @classmethod
    def of(cls, time: NDArray[np.int64]) -> "ShortTimes | None":
        """Return times as numbers of the shortest unit that fits, None where no unit fits.

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
                if short._write(time):
                    return short
        return None

    def _write(self, time: NDArray[np.int64]) -> bool:
        """Write times in chunks, and return whether all are whole numbers of units."""
        for first in range(0, len(time), _AT_ONCE):
            chunk = slice(first, first + _AT_ONCE)
            self.number[chunk] = (time[chunk] - self.least) // self.unit
            if not np.array_equal(self._replace(number=self.number[chunk]).times(), time[chunk]):
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
            field, column = _shorten(field, column)
        fields.append(field)
        values.append(column)
    rows = pa.StructArray.from_arrays(values, fields=fields)
    if len(rows) > _MOST_ROWS:
        columns[ROWS] = pa.LargeListArray.from_arrays(pa.array(block.offsets), rows)
    else:
        columns[ROWS] = pa.ListArray.from_arrays(pa.array(block.offsets.astype(np.int32)), rows)
    return packed_rows(pa.table(columns))


def unpack(packed: bytes | pa.Buffer, keys: Sequence[str]) -> Block:
    """Return a packed block; only short times are copied.

    Parameters
    ----------
    packed : bytes or pyarrow.Buffer
    keys : sequence of str
        The columns of the key.

    Returns
    -------
    Block
    """
    table = unpacked_rows(packed)
    lists = as_array(table.column(ROWS))
    offsets = lists.offsets.to_numpy().astype(np.int64)
    rows = lists.values
    columns = {field.name: _restore(field, rows.field(i)) for i, field in enumerate(rows.type)}
    return Block(table.select(list(keys)), offsets, pa.table(columns))


def _shorten(field: pa.Field, time: pa.Array) -> tuple[pa.Field, pa.Array]:
    """Return a column of times as short times described in its metadata, where they fit."""
    is_timestamp = pa.types.is_timestamp(time.type)
    if time.null_count or not (is_timestamp or pa.types.is_int64(time.type)):
        return field, time
    if (short := ShortTimes.of(instants(time))) is None:
        return field, time
    timestamps = [time.type.unit, time.type.tz] if is_timestamp else None
    described = {"least": short.least, "unit": short.unit, "timestamps": timestamps}
    number = pa.array(short.number)
    return pa.field(field.name, number.type, metadata={_SHORT: json.dumps(described)}), number


def _restore(field: pa.Field, values: pa.Array) -> pa.Array:
    """Return the original column of a packed one."""
    if _SHORT not in (field.metadata or {}):
        return values
    described = json.loads(field.metadata[_SHORT])
    like = pa.timestamp(*described["timestamps"]) if described["timestamps"] else pa.int64()
    short = ShortTimes(values.to_numpy(), described["least"], described["unit"])
    return from_instants(short.times(), like)
