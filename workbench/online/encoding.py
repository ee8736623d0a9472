"""Keys and buckets as bytes, the same for Spark, a stream and a fetch."""

import struct
from collections.abc import Sequence
from datetime import UTC, date, datetime, time
from decimal import Decimal
from hashlib import sha512
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from workbench.arguments import check_text, whole_number
from workbench.columnar.instants import instants
from workbench.columnar.key_codes import as_array
from workbench.columnar.value_texts import time_of
from workbench.durations import since_epoch
from workbench.errors import WorkbenchError

#: Longer keys are cut and end with a digest, as stores limit the length of keys.
MOST, CUT = 400, 386
#: Windows and hops around times within this distance of 0 fit in 64 bits.
FARTHEST = 2**62


def key_bytes(columns: Sequence[pa.Array | pa.ChunkedArray]) -> list[bytes]:
    """Return the bytes of each row's key.

    Parameters
    ----------
    columns : sequence of pyarrow.Array
        The columns of the key, without nulls.

    Returns
    -------
    list of bytes

    Examples
    --------
    >>> key_bytes([pa.array(["a", "b"])])
    [b'a', b'b']
    >>> key_bytes([pa.array(["a"]), pa.array([7])]) == [
    ...     key_of(("a", 7), (pa.string(), pa.int64()))
    ... ]
    True
    """
    parts = [value_bytes(as_array(one)) for one in columns]
    if len(parts) == 1:
        return [one if len(one) <= MOST else _shorten(one) for one in parts[0]]
    return [_join_parts(row) for row in zip(*parts, strict=True)]


def key_of(key: Sequence[Any], kinds: Sequence[pa.DataType], names: Sequence[str] = ()) -> bytes:
    """Return the bytes of a key that is given as Python values.

    Parameters
    ----------
    key : sequence of values
        One for each column.
    kinds : sequence of pyarrow.DataType
    names : sequence of str
        The names of the columns, for errors.

    Returns
    -------
    bytes

    Raises
    ------
    WorkbenchError
        When a value does not fit the type of its column.
    """
    if len(kinds) == 1:
        one = one_value(key[0], kinds[0], names[0] if names else "key")
        return one if len(one) <= MOST else _shorten(one)
    labels = names or ["key"] * len(kinds)
    return _join_parts(tuple(map(one_value, key, kinds, labels)))


def _join_parts(row: tuple[bytes, ...]) -> bytes:
    whole_key = b"".join(len(one).to_bytes(4, "big") + one for one in row)
    return whole_key if len(whole_key) <= MOST else _shorten(whole_key)


def _shorten(key: bytes) -> bytes:
    return key[:CUT] + sha512(key).digest()


def value_bytes(values: pa.Array) -> list[bytes]:
    """Return the bytes of each value of a column without nulls; equal values have equal bytes."""
    kind = values.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        found: list[bytes] = values.cast(pa.large_binary()).to_pylist()
        return found
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        return list(values.to_pylist())
    if pa.types.is_decimal(kind):
        return [str(one).encode() for one in values.to_pylist()]
    if pa.types.is_floating(kind):
        return _float_bytes(np.asarray(values.cast(pa.float64())))
    if pa.types.is_boolean(kind):
        return _integer_bytes(np.asarray(values.cast(pa.int64())))
    return _integer_bytes(instants(values))


def _integer_bytes(values: NDArray[np.int64]) -> list[bytes]:
    data = (values ^ np.int64(-(2**63))).byteswap().tobytes()
    return [data[i : i + 8] for i in range(0, len(data), 8)]


def _float_bytes(values: NDArray[np.float64]) -> list[bytes]:
    # -0.0 and 0.0 are the same key, and so are all NaN.
    clean = np.where(np.isnan(values), np.nan, values + 0.0)
    data = clean.astype("<f8").tobytes()
    return [data[i : i + 8] for i in range(0, len(data), 8)]


def one_value(value: Any, kind: pa.DataType, name: str) -> bytes:
    """Return the bytes of one value.

    Raises
    ------
    WorkbenchError
        When the value does not fit the type of the column.

    Examples
    --------
    >>> one_value("7", pa.int64(), "user")
    Traceback (most recent call last):
    workbench.errors.WorkbenchError: key: '7' is not a value of 'user', which holds int64.
    """
    # A fast path for text and integers, which nearly all keys are.
    if type(value) is str and pa.types.is_string(kind):
        try:
            return value.encode()
        except UnicodeEncodeError:
            pass  # A lone surrogate: the error is raised below.
    if type(value) is int and pa.types.is_integer(kind) and -(2**63) <= value < 2**63:
        return (value + 2**63).to_bytes(8, "big")
    check_text(value, "key")
    if value is None or _is_nat(value) or not _fits(value, kind):
        raise WorkbenchError(f"key: {value!r} is not a value of {name!r}, which holds {kind}.")
    try:
        return value_bytes(pa.array([value], kind))[0]
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        raise WorkbenchError(
            f"key: {value!r} is not a value of {name!r}, which holds {kind}."
        ) from None


def _fits(value: Any, kind: pa.DataType) -> bool:
    types = pa.types
    if types.is_timestamp(kind):
        zoned = isinstance(value, datetime) and (value.tzinfo is not None) == (kind.tz is not None)
        return zoned and not _nanoseconds(value)
    if types.is_date32(kind) and isinstance(value, datetime) and _is_within_a_day(value):
        return False
    classes_by_kind: list[tuple[bool, Any]] = [
        (types.is_boolean(kind), (bool, np.bool_)),
        (types.is_integer(kind), (int, np.integer)),
        (types.is_floating(kind), (int, float, np.floating)),
        (types.is_decimal(kind), (Decimal, int)),
        (types.is_date32(kind), date),
        (types.is_string(kind) or types.is_large_string(kind), str),
        (types.is_binary(kind) or types.is_large_binary(kind), bytes),
    ]
    fits = next((classes for is_kind, classes in classes_by_kind if is_kind), object)
    return isinstance(value, fits) and (types.is_boolean(kind) or not isinstance(value, bool))


def _is_nat(value: Any) -> bool:
    """Return whether a value is pandas' NaT: an instance of datetime, and equal to nothing."""
    return isinstance(value, datetime) and value != value


def _nanoseconds(value: datetime) -> int:
    """Return the nanoseconds of a pandas Timestamp, which no column can hold."""
    return getattr(value, "nanosecond", 0)


def _is_within_a_day(value: datetime) -> bool:
    return value.time() != time.min or _nanoseconds(value) != 0


def value_of(packed: bytes, kind: pa.DataType) -> Any:
    """Return the Python value of bytes; the inverse of :func:`one_value`.

    Examples
    --------
    >>> value_of(one_value(-5, pa.int32(), "x"), pa.int32()), value_of(b"ann", pa.string())
    (-5, 'ann')
    """
    types = pa.types
    if types.is_string(kind) or types.is_large_string(kind):
        return packed.decode()
    if types.is_binary(kind) or types.is_large_binary(kind):
        return packed
    if types.is_decimal(kind):
        return Decimal(packed.decode())
    if types.is_floating(kind):
        return struct.unpack("<d", packed)[0]
    number = int.from_bytes(packed, "big") - 2**63
    if types.is_boolean(kind):
        return bool(number)
    if types.is_integer(kind):
        return number
    return time_of(number, kind)


def instant_of(value: Any, kind: pa.DataType, argument: str) -> int:
    """Return a time that a user gives as an instant: microseconds, or an integer as it is.

    Parameters
    ----------
    value : datetime, date, int or str
        Text is in ISO 8601. A date is its midnight, in UTC if the events' times have a zone.
    kind : pyarrow.DataType
        The type of the events' times.
    argument : str
        The name of the argument, for errors.

    Returns
    -------
    int

    Raises
    ------
    WorkbenchError
        When it is no such time, or just one of it and the events' times has a zone.

    Examples
    --------
    >>> utc = pa.timestamp("us", "UTC")
    >>> instant_of("1970-01-02", utc, "until"), instant_of(7, pa.int64(), "until")
    (86400000000, 7)
    """
    if pa.types.is_integer(kind):
        number = whole_number(value)
        if number is not None and abs(number) > FARTHEST:
            raise WorkbenchError(
                f"{argument}: {number} is too far from 0; give an integer up to {FARTHEST} either "
                "way."
            )
        if number is not None:
            return number
        raise WorkbenchError(
            f"{argument}: {value!r} is not an integer, but the events' times are; give one."
        )
    if isinstance(value, str):
        value = _parse_time(value, argument)
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day)
        value = value.replace(tzinfo=UTC) if _has_zone(kind) else value
    if not isinstance(value, datetime) or _is_nat(value):
        raise WorkbenchError(
            f"{argument}: {value!r} is not a time; give a datetime, or text such as "
            "'2013-01-05 00:00+00:00'."
        )
    if (value.tzinfo is not None) != _has_zone(kind):
        has, have = ("a", "none") if value.tzinfo is not None else ("no", "one")
        raise WorkbenchError(
            f"{argument}: {value} has {has} zone, but the events' times have {have}; "
            f"give a time {'with' if _has_zone(kind) else 'without'} one."
        )
    return since_epoch(value)


def first_instant(kind: pa.DataType) -> int:
    """Return the first instant that a user can give for the events' times.

    Examples
    --------
    >>> first_instant(pa.int64()) == -(2**62), first_instant(pa.timestamp("us"))
    (True, -62135596800000000)
    """
    return -FARTHEST if pa.types.is_integer(kind) else since_epoch(datetime.min)


def _has_zone(kind: pa.DataType) -> bool:
    return pa.types.is_timestamp(kind) and kind.tz is not None


def _parse_time(text: str, argument: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        pass  # It is no day, but may be a moment of one.
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise WorkbenchError(
            f"{argument}: {text!r} is not a time; write it as '2013-01-05 00:00+00:00'."
        ) from None
