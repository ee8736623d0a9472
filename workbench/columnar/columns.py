"""Conversion of Arrow columns to arrays for the kernels, and of results to columns."""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from kernels.structures.sort_keys import sort_keys
from workbench.columnar.key_codes import value_offsets
from workbench.columnar.ragged import offsets_of, rows_of_runs
from workbench.functions.catalogue import MOST_DIGITS


def as_numpy(values: pa.Array) -> NDArray[Any]:
    """Return a column of numbers without nulls as an array, without copying it.

    Arrow's memory is read-only. Numba has a separate type for read-only arrays, for which kernels
    are not compiled, so each call would copy them. The returned array is not marked read-only.

    Examples
    --------
    >>> column = pa.array([3, 1])
    >>> array = as_numpy(column)
    >>> array.tolist(), array.ctypes.data == column.to_numpy().ctypes.data, array.flags.writeable
    ([3, 1], True, True)
    """
    return np.asarray(_Unprotected(values.to_numpy()))


class _Unprotected:
    """The memory of an array without its read-only mark; it keeps the array alive."""

    def __init__(self, array: NDArray[Any]) -> None:
        self.array = array
        interface = array.__array_interface__
        self.__array_interface__ = interface | {"data": (interface["data"][0], False)}


def present(values: pa.Array) -> NDArray[np.bool_]:
    """Return where a column is not null."""
    return np.asarray(values.is_valid().to_numpy(zero_copy_only=False), np.bool_)


def numbers(values: pa.Array) -> NDArray[Any]:
    """Return a column as int64 or float64, with 0 for null.

    Parameters
    ----------
    values : pyarrow.Array
        Numbers, booleans, or times in their unit: dates in days. Decimals of at most 18 digits
        give multiples of their last digit.

    Returns
    -------
    int64 or float64 array

    Examples
    --------
    >>> from decimal import Decimal
    >>> numbers(pa.array([Decimal("1.25"), None, Decimal("-7.00")])).tolist()
    [125, 0, -700]
    """
    kind = values.type
    if pa.types.is_decimal(kind):
        return _unscaled(values)
    if pa.types.is_floating(kind):
        return as_numpy(values.cast(pa.float64()).fill_null(0.0))
    if pa.types.is_date32(kind):
        values = values.cast(pa.int32())
    return as_numpy(values.cast(pa.int64()).fill_null(0))


def integers(values: pa.Array) -> NDArray[Any]:
    """Return :func:`numbers`, with decimals of more than 18 digits as Python integers.

    Examples
    --------
    >>> from decimal import Decimal
    >>> wide = pa.array([Decimal(-(2**70)), None], pa.decimal128(38, 0))
    >>> integers(wide).tolist() == [-(2**70), 0]
    True
    """
    if not (pa.types.is_decimal(values.type) and is_ranked(values.type)):
        return numbers(values)
    lower = _words(values, 0).view(np.uint64).astype(object)
    return np.asarray(upper_words(values).astype(object) * 2**64 + lower, object)


def floats(values: pa.Array) -> NDArray[np.float64]:
    """Return a column of numbers as float64, decimals included."""
    if pa.types.is_decimal(values.type):
        values = values.cast(pa.float64())
    return numbers(values).astype(np.float64, copy=False)


def codes_in_order(values: pa.Array) -> NDArray[np.int64]:
    """Return integers that sort like the values, and are equal where the values are equal.

    Parameters
    ----------
    values : pyarrow.Array
        Of any sortable type; text sorts by its bytes. Lists sort as in Spark: by the first elements
        that differ, null first, and a prefix before longer lists. Structs sort in the same way by
        their fields. Maps, which have no order in Spark, sort by their entries as stored. The code
        of null is arbitrary.

    Returns
    -------
    int64 array

    Examples
    --------
    >>> codes_in_order(pa.array(["b", "a", "b", "é"])).tolist()
    [1, 0, 1, 2]
    >>> codes_in_order(pa.array([[2], [1, 5], [1], [None], []])).tolist()
    [4, 3, 2, 1, 0]
    """
    if pa.types.is_nested(values.type):
        return _ranks(_sortable_bytes(values))
    if not is_ranked(values.type):
        return sort_keys(numbers(values))
    return _ranks(values)


def _ranks(values: pa.Array) -> NDArray[np.int64]:
    coded = pc.dictionary_encode(values)
    rank = np.empty(len(coded.dictionary), np.int64)
    rank[pc.sort_indices(coded.dictionary).to_numpy()] = np.arange(len(rank))
    codes = coded.indices.fill_null(0).to_numpy()
    return rank[codes] if len(rank) else np.zeros(len(codes), np.int64)


def _sortable_bytes(values: pa.Array) -> pa.Array:
    """Return nested values as bytes that sort like them: fixed-width ranks of their elements."""
    if pa.types.is_struct(values.type):
        fields = values.flatten()
        length = np.full(len(values), len(fields))
        by_field = np.array([_dense_ranks(field) for field in fields], np.int64)
        ranks = by_field.reshape(len(fields), len(values)).T.ravel()
    else:
        ends = np.asarray(values.offsets.to_numpy(), np.int64)
        length = np.where(present(values), np.diff(ends), 0)
        rows = rows_of_runs(ends[:-1], length)
        ranks = _dense_ranks(values.values.take(pa.array(rows)))
    # Bytes sort like integers only if the most significant byte is first.
    text = ranks.astype(">i8")
    buffers = [pa.py_buffer(offsets_of(length * text.itemsize)), pa.py_buffer(text)]
    return pa.Array.from_buffers(pa.large_binary(), len(values), [None, *buffers])


def _dense_ranks(values: pa.Array) -> NDArray[np.int64]:
    """Return the dense rank of each value, from 1 on, and 0 for null."""
    ranks = np.unique(codes_in_order(values), return_inverse=True)[1] + 1
    return np.where(present(values), ranks, 0)


def is_ranked(kind: pa.DataType) -> bool:
    """Return whether values of a type are compared by rank, because they exceed 64 bits."""
    if pa.types.is_decimal(kind):
        return bool(kind.precision > MOST_DIGITS)
    types = pa.types
    text = types.is_string, types.is_large_string, types.is_binary, types.is_large_binary
    return any(is_text(kind) for is_text in text)


def rows_of(values: pa.Array, rows: NDArray[np.int64]) -> pa.Array:
    """Return the values of rows, with null for negative row numbers."""
    return values.take(pa.array(rows, mask=rows < 0))


def answers(values: NDArray[Any], null: NDArray[np.bool_]) -> pa.Array:
    """Return numbers as a column with the given nulls; NaN stays NaN."""
    return pa.array(values, mask=null, from_pandas=False)


def as_column(values: NDArray[Any], null: NDArray[np.bool_], like: pa.DataType) -> pa.Array:
    """Return numbers as a column of a type, the inverse of :func:`integers`.

    Parameters
    ----------
    values : int64, float64 or object array
        Object arrays hold integers of any size, for decimals.
    null : bool array
    like : pyarrow.DataType
        Values that do not fit this type become null.

    Returns
    -------
    pyarrow.Array

    Examples
    --------
    >>> as_column(np.array([125, 200]), np.array([False, True]), pa.decimal128(5, 2)).to_pylist()
    [Decimal('1.25'), None]
    >>> as_column(np.array([127, 128]), np.zeros(2, bool), pa.int8()).to_pylist()
    [127, None]
    >>> as_column(np.array([2**70], object), np.zeros(1, bool), pa.decimal128(38, 2)).to_pylist()
    [Decimal('11805916207174113034.24')]
    """
    if values.dtype == object:
        null = null | np.asarray(np.abs(values) >= 10**like.precision, np.bool_)
        unscaled = np.where(null, 0, values)
        words = (unscaled >> 64).astype(np.int64), (unscaled & (2**64 - 1)).astype(np.uint64)
        return of_words(*words, null, like)
    if pa.types.is_decimal(like):
        digits = min(like.precision, MOST_DIGITS)
        too_large = np.abs(values) >= 10**digits if like.precision <= MOST_DIGITS else False
        return _scaled(values, null | too_large, like)
    if pa.types.is_integer(like):
        ends = np.iinfo(like.to_pandas_dtype())
        fits = (values >= ends.min) & (values <= ends.max)
        return answers(np.where(fits, values, 0), null | ~fits).cast(like)
    if pa.types.is_date32(like):
        return answers(values.astype(np.int32), null).cast(like)
    if pa.types.is_time64(like):
        day = 86_400 * 10 ** (9 if like.unit == "ns" else 6)
        within = (values >= 0) & (values < day)
        return answers(np.where(within, values, 0), null | ~within).cast(like)
    return answers(values, null).cast(like)


def text_parts(
    values: pa.Array,
) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]:
    """Return the bytes of a column of text, and the begin and the end of each row's text.

    Examples
    --------
    >>> text, start, stop = text_parts(pa.array(["a", None, "bc"]))
    >>> text.tobytes(), start.tolist(), stop.tolist()
    (b'abc', [0, 1, 1], [1, 1, 3])
    """
    ends: NDArray[np.int64] = value_offsets(values).astype(np.int64)
    return np.frombuffer(values.buffers()[2] or b"", np.uint8), ends[:-1], ends[1:]


def text_of_ends(
    ends: NDArray[np.int64], text: NDArray[np.uint8], null: NDArray[np.bool_], like: pa.DataType
) -> pa.Array:
    """Return concatenated text as a column.

    Examples
    --------
    >>> text = np.frombuffer(b"abc", np.uint8)
    >>> null = np.array([False, True, False])
    >>> text_of_ends(np.array([0, 1, 1, 3]), text, null, pa.string()).to_pylist()
    ['a', None, 'bc']
    """
    valid = pa.py_buffer(np.packbits(~null, bitorder="little"))
    large = pa.types.is_large_string(like) or pa.types.is_large_binary(like)
    count = pa.py_buffer(ends.astype(np.int64 if large else np.int32))
    return pa.Array.from_buffers(like, len(null), [valid, count, pa.py_buffer(text)])


def lists(values: pa.Array, size: int, null: NDArray[np.bool_]) -> pa.Array:
    """Return a column of lists of one size from their concatenated values."""
    ends = np.arange(0, len(values) + 1, size, dtype=np.int32)
    return pa.ListArray.from_arrays(pa.array(ends), values, mask=pa.array(null))


def lists_of_ends(ends: NDArray[np.int64], values: pa.Array, null: NDArray[np.bool_]) -> pa.Array:
    """Return a column of lists from their concatenated values.

    Examples
    --------
    >>> ends, null = np.array([0, 2, 2, 3]), np.array([False, True, False])
    >>> lists_of_ends(ends, pa.array(["a", "b", "c"]), null).to_pylist()
    [['a', 'b'], None, ['c']]
    """
    return pa.ListArray.from_arrays(_ends(ends, null), values)


def maps_of_ends(
    ends: NDArray[np.int64],
    keys: pa.Array,
    counts: NDArray[np.int64],
    null: NDArray[np.bool_],
) -> pa.Array:
    """Return a column of maps from values to counts, given their concatenated entries.

    Examples
    --------
    >>> keys, counts, null = pa.array(["a", "b"]), np.array([3, 1]), np.array([False, True])
    >>> maps_of_ends(np.array([0, 2, 2]), keys, counts, null).to_pylist()
    [[('a', 3), ('b', 1)], None]
    """
    return pa.MapArray.from_arrays(_ends(ends, null), as_map_keys(keys), pa.array(counts))


def as_map_keys(values: pa.Array) -> pa.Array:
    """Return values as keys of maps: -0.0 is the same key as 0.0, and is returned as 0.0.

    Examples
    --------
    >>> as_map_keys(pa.array([-0.0, 1.5])).to_pylist()
    [0.0, 1.5]
    """
    if not pa.types.is_floating(values.type):
        return values
    return pc.add(values, pa.scalar(0.0, values.type))


def _ends(ends: NDArray[np.int64], null: NDArray[np.bool_]) -> pa.Array:
    """Return the offsets of lists; a list whose offset is null is null."""
    return pa.array(ends.astype(np.int32), mask=np.append(null, False))


def instants_between(
    low: NDArray[np.int64], high: NDArray[np.int64], fraction: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Return instants interpolated between others, rounded to the nearest microsecond.

    Parameters
    ----------
    low, high : int64 arrays of one shape
        Microseconds.
    fraction : float64 array of the same shape

    Returns
    -------
    int64 array
        Ties round to the even microsecond.

    Examples
    --------
    >>> instants_between(np.array([0, 1]), np.array([5, 4]), np.array([0.5, 0.5])).tolist()
    [2, 2]
    """
    distance = (high - low) * fraction
    whole = np.floor(distance)
    below = low + whole.astype(np.int64)
    up = (distance - whole > 0.5) | ((distance - whole == 0.5) & (below % 2 == 1))
    return np.asarray(below + up)


def type_between(kind: pa.DataType) -> pa.DataType:
    """Return the type of a time interpolated between two others: between dates, a timestamp."""
    same_type = pa.types.is_timestamp(kind) or pa.types.is_time64(kind)
    return kind if same_type else pa.timestamp("us")


def times_between(micros: pa.Array, kind: pa.DataType) -> pa.Array:
    """Return times between others of a type, from microseconds.

    Examples
    --------
    >>> times_between(pa.array([1, None]), pa.time64("ns")).type
    Time64Type(time64[ns])
    """
    between = type_between(kind)
    # Spark's times of day come with a finer unit.
    return (micros.cast(pa.time64("us")) if pa.types.is_time64(kind) else micros).cast(between)


def upper_words(values: pa.Decimal128Array) -> NDArray[np.int64]:
    """Return the upper 64 of a decimal's 128 bits, with 0 for null."""
    return _words(values, 1)


def _unscaled(values: pa.Decimal128Array) -> NDArray[np.int64]:
    """Return the lower 64 of 128 bits, which hold up to 18 digits."""
    return _words(values, 0)


def _words(values: pa.Decimal128Array, number: int) -> NDArray[np.int64]:
    words = np.frombuffer(values.buffers()[1], np.int64)
    first = 2 * values.offset
    return np.where(present(values), words[first + number : first + 2 * len(values) : 2], 0)


def _scaled(values: NDArray[np.int64], null: NDArray[np.bool_], like: pa.DataType) -> pa.Array:
    # The upper 64 bits repeat the sign.
    return of_words(values >> 63, values, null, like)


def of_words(
    upper: NDArray[np.int64], lower: NDArray[Any], null: NDArray[np.bool_], like: pa.DataType
) -> pa.Array:
    """Return a column of decimals from their 128 bits.

    Examples
    --------
    >>> words = np.array([0, 1]), np.array([125, 0], np.uint64)
    >>> of_words(*words, np.zeros(2, bool), pa.decimal128(38, 2)).to_pylist()
    [Decimal('1.25'), Decimal('184467440737095516.16')]
    """
    words = np.stack([lower.view(np.int64), upper], axis=1)
    valid = np.packbits(~null, bitorder="little")
    buffers = [pa.py_buffer(valid), pa.py_buffer(np.ascontiguousarray(words))]
    return pa.Array.from_buffers(like, len(null), buffers)
