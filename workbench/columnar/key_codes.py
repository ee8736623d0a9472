"""Integer codes for the keys of rows, equal where the keys are equal, for any types."""

from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from kernels.structures.key_numbers import number_keys
from workbench.columnar.ragged import offsets_of
from workbench.errors import WorkbenchError

Rows = TypeVar("Rows", pa.RecordBatch, pa.Table)
#: The rows of one task are numbered by 32 bits.
MOST_ROWS = 2**32 - 1


def as_array(values: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Return a column as one array; unlike in Arrow, a single chunk is not copied.

    Raises
    ------
    WorkbenchError
        When text or binary values are too large for one array.
    """
    if isinstance(values, pa.Array):
        return values
    if values.num_chunks == 1:
        return values.chunk(0)
    try:
        return values.combine_chunks()
    except pa.ArrowInvalid as error:
        if "overflow" not in str(error):
            raise
        raise WorkbenchError(
            f"events: {len(values):,} values of one column of type {values.type} meet in one task "
            f"and come to {values.nbytes / 1e9:.1f} GB, and 2 GiB is the most; shorten them before "
            "the call (F.substring), or raise spark.sql.shuffle.partitions if they belong to many "
            "keys."
        ) from None


def value_offsets(values: pa.Array) -> NDArray[Any]:
    """Return the offsets of the values of a column of text or bytes.

    Parameters
    ----------
    values : pyarrow.Array
        With offsets of 32 or 64 bits.

    Returns
    -------
    int32 or int64 array of shape (rows + 1,)

    Examples
    --------
    >>> value_offsets(pa.array(["a", "bc"])[1:])
    array([1, 3], dtype=int32)
    >>> value_offsets(pa.array([b"a", b"bc"], pa.large_binary()))
    array([0, 1, 3])
    """
    width = np.int64 if _wide(values.type) else np.int32
    if not len(values):
        return np.zeros(1, width)
    starts = np.frombuffer(values.buffers()[1], width)
    return starts[values.offset : values.offset + len(values) + 1]


def narrow(rows: Rows) -> Rows:
    """Return rows whose text and bytes have offsets of 32 bits, as Spark sends them by default.

    Offsets of 64 bits come from a setting of the session
    (``spark.sql.execution.arrow.useLargeVarTypes``). Stored data must not depend on it, so offsets
    are narrowed where rows arrive.

    Parameters
    ----------
    rows : pyarrow.RecordBatch or pyarrow.Table

    Raises
    ------
    WorkbenchError
        When a column has more than 2 GiB in a batch.

    Examples
    --------
    >>> narrow(pa.table({"name": pa.array(["a"], pa.large_string())})).schema
    name: string
    """
    kinds = [_narrow(kind) for kind in rows.schema.types]
    if kinds == rows.schema.types:
        return rows
    fields = zip(rows.schema, kinds, strict=True)
    try:
        return rows.cast(pa.schema([field.with_type(kind) for field, kind in fields]))
    except pa.ArrowInvalid as error:
        raise WorkbenchError(
            "spark.sql.execution.arrow.maxRecordsPerBatch: the rows of a batch have more than "
            f"2 GiB of text in a column ({error}); set it to fewer rows."
        ) from None


def _narrow(kind: pa.DataType) -> pa.DataType:
    if _wide(kind):
        return pa.string() if pa.types.is_large_string(kind) else pa.binary()
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(_narrow(field.type)) for field in kind])
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(_narrow(kind.value_type)))
    if pa.types.is_map(kind):
        return pa.map_(
            kind.key_field.with_type(_narrow(kind.key_type)),
            kind.item_field.with_type(_narrow(kind.item_type)),
        )
    return kind


def _wide(kind: pa.DataType) -> bool:
    return bool(pa.types.is_large_string(kind) or pa.types.is_large_binary(kind))


def key_codes(keys: pa.Table) -> tuple[NDArray[np.uint32], int]:
    """Return a code for each row's key, from 0 in the order of first rows, and the number of keys.

    Parameters
    ----------
    keys : pyarrow.Table
        The columns of the key; without any, all rows have the same key. Nulls are equal to each
        other, as are NaNs, and 0.0 and -0.0. Structs, lists and maps are equal when their elements
        are, in order.

    Returns
    -------
    codes : uint32 array of shape (rows,)
    count : int

    Raises
    ------
    WorkbenchError
        When there are too many rows.

    Examples
    --------
    >>> key_codes(pa.table({"shop": [1, 1, 2, 1], "user": ["a", "b", "a", "a"]}))
    (array([0, 1, 2, 0], dtype=uint32), 3)
    >>> key_codes(pa.table({"tags": [["a"], None, ["a"], []]}))
    (array([0, 1, 0, 2], dtype=uint32), 3)
    >>> counts = pa.array([[("a", 1)], [("a", 2)], [("a", 1)]], pa.map_(pa.string(), pa.int64()))
    >>> key_codes(pa.table({"counts": counts}))
    (array([0, 1, 0], dtype=uint32), 2)
    """
    if keys.num_rows > MOST_ROWS:
        raise WorkbenchError(
            f"events: {keys.num_rows:,} rows meet in one task, and {MOST_ROWS:,} is the most; "
            "raise spark.sql.shuffle.partitions, or add a column to the key."
        )
    if keys.num_columns == 0:
        return np.zeros(keys.num_rows, np.uint32), 1
    codes, count = _codes(keys.column(0))
    for more in keys.columns[1:]:
        others, other_count = _codes(more)
        pairs = codes.astype(np.int64) * other_count + others
        codes, count = _codes(pa.array(pairs))
    return codes, count


def _codes(values: pa.Array | pa.ChunkedArray) -> tuple[NDArray[np.uint32], int]:
    if not len(values):
        # For most types, Arrow cannot encode an empty column.
        return np.zeros(0, np.uint32), 0
    if pa.types.is_int64(values.type) and not values.null_count:
        # Faster than Arrow's dictionary, and in a quarter of its memory.
        codes = np.empty(len(values), np.uint32)
        return codes, number_keys(_int64(values), codes)
    encoded_values = as_array(pc.dictionary_encode(_encodable(values), null_encoding="encode"))
    codes = encoded_values.indices.to_numpy().astype(np.uint32)
    return codes, len(encoded_values.dictionary)


def _int64(values: pa.Array | pa.ChunkedArray) -> NDArray[np.int64]:
    """Return integers as one array; where that is a copy, NumPy owns it and frees it at once."""
    if isinstance(values, pa.Array):
        return np.asarray(values.to_numpy())
    chunks = [chunk.to_numpy() for chunk in values.chunks]
    return np.concatenate(chunks) if chunks else np.zeros(0, np.int64)


def _encodable(values: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Return values that Arrow can encode: no negative zeros, and no nested types."""
    if pa.types.is_floating(values.type):
        return pc.add(values, pa.scalar(0.0, values.type))
    if not pa.types.is_nested(values.type):
        return values
    nested = as_array(values)
    if pa.types.is_map(nested.type):
        entry = pa.struct([nested.type.key_field, nested.type.item_field])
        return _of_lists(nested.cast(pa.list_(entry)))
    return _of_structs(nested) if pa.types.is_struct(nested.type) else _of_lists(nested)


def _of_structs(values: pa.StructArray) -> pa.Array:
    """Return one code for each struct."""
    fields = [values.is_valid(), *values.flatten()]
    return pa.array(key_codes(pa.table(fields, [str(i) for i in range(len(fields))]))[0])


def _of_lists(values: pa.ListArray) -> pa.Array:
    """Return the codes of each list's elements, as bytes."""
    elements, _ = _codes(values.flatten())
    lengths = pc.fill_null(pc.list_value_length(values), 0).to_numpy().astype(np.int64)
    ends = offsets_of(lengths * elements.itemsize)
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(np.ascontiguousarray(elements))]
    packed = pa.Array.from_buffers(pa.large_binary(), len(values), buffers)
    return pc.if_else(values.is_valid(), packed, pa.scalar(None, pa.large_binary()))


def encoded(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return text as codes of minimal width for one dictionary; other columns are unchanged.

    Examples
    --------
    >>> encoded(pa.chunked_array([["a", "b"], ["a"]])).type
    DictionaryType(dictionary<values=string, indices=uint8, ordered=0>)
    """
    if not pa.types.is_string(values.type) and not pa.types.is_dictionary(values.type):
        return values
    coded = pc.dictionary_encode(values) if pa.types.is_string(values.type) else values
    if not coded.num_chunks:
        return coded
    texts = pc.unique(pa.chunked_array([chunk.dictionary for chunk in coded.chunks]))
    short = pa.from_numpy_dtype(np.min_scalar_type(len(texts)))
    # Chunk by chunk, so that memory never holds the wide codes of all rows twice.
    codes = [
        pc.index_in(chunk.dictionary, texts).cast(short).take(chunk.indices)
        for chunk in coded.chunks
    ]
    return pa.chunked_array([pa.DictionaryArray.from_arrays(code, texts) for code in codes])
