"""Convert Arrow and pandas tables to Arrow types that Spark supports."""

import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types as is_type

from workbench.errors import WorkbenchError, WorkbenchWarning

if TYPE_CHECKING:
    import pandas as pd

MICROSECONDS = "us"
NANOSECONDS_A_MICROSECOND = 1_000
#: The types of Spark that replace types without a parameter that it does not have.
SPARK_TYPES = {
    pa.null(): pa.string(),
    pa.uint8(): pa.int16(),
    pa.uint16(): pa.int32(),
    pa.uint32(): pa.int64(),
    pa.uint64(): pa.int64(),
    pa.float16(): pa.float32(),
    pa.string_view(): pa.large_string(),
    pa.binary_view(): pa.large_binary(),
    pa.date64(): pa.date32(),
}
#: Extension types whose storage type has the same meaning.
SAME_AS_STORAGE = ("arrow.bool8", "arrow.json", "arrow.uuid")


def spark_type(kind: pa.DataType) -> pa.DataType:
    """Return the nearest Arrow type that Spark supports.

    Examples
    --------
    >>> spark_type(pa.dictionary(pa.int32(), pa.string_view()))
    DataType(large_string)
    >>> spark_type(pa.list_(pa.timestamp("ns")))
    ListType(list<item: timestamp[us]>)
    """
    if kind in SPARK_TYPES:
        return SPARK_TYPES[kind]
    if is_type.is_dictionary(kind) or is_type.is_run_end_encoded(kind):
        return spark_type(kind.value_type)
    if isinstance(kind, pa.BaseExtensionType) and kind.extension_name in SAME_AS_STORAGE:
        return pa.bool_() if kind.extension_name == "arrow.bool8" else spark_type(kind.storage_type)
    if is_type.is_timestamp(kind):
        return pa.timestamp(MICROSECONDS, kind.tz)
    if is_type.is_duration(kind):
        return pa.duration(MICROSECONDS)
    if is_type.is_time(kind):
        return pa.time64(MICROSECONDS)
    if is_type.is_decimal(kind):
        # Spark has no negative scale; its zeros become digits before the decimal point.
        return pa.decimal128(kind.precision - min(kind.scale, 0), max(kind.scale, 0))
    return _nested(kind)


def _nested(kind: pa.DataType) -> pa.DataType:
    if is_type.is_struct(kind):
        return pa.struct([(one.name, spark_type(one.type)) for one in kind])
    if is_type.is_map(kind):
        return pa.map_(spark_type(kind.key_type), spark_type(kind.item_type))
    if is_type.is_large_list(kind) or is_type.is_large_list_view(kind):
        return pa.large_list(spark_type(kind.value_type))
    if is_type.is_list(kind) or is_type.is_list_view(kind) or is_type.is_fixed_size_list(kind):
        return pa.list_(spark_type(kind.value_type))
    return kind


def spark_rows(rows: pa.Table, argument: str) -> pa.Table:
    """Return an Arrow table with types that Spark supports.

    Parameters
    ----------
    rows : pyarrow.Table
    argument : str
        The name of the caller's argument, for error messages.

    Returns
    -------
    pyarrow.Table
        Categories become their values; unsigned and half-precision numbers become wider types;
        unsigned 64-bit integers become signed or, if a value is too large, decimals; columns with
        only nulls become text. Times become microseconds.

    Raises
    ------
    WorkbenchError
        When Spark has no such type for a column.

    Warns
    -----
    WorkbenchWarning
        With the number of times that have parts of a microsecond, which are dropped.

    Examples
    --------
    >>> spark_rows(pa.table({"n": pa.array([1, 2], pa.uint8())}), "df").schema
    n: int16
    """
    if not rows.column_names:
        raise WorkbenchError(f"{argument}: the table has no columns; give one that has some.")
    columns = [
        _column(values, name, argument)
        for name, values in zip(rows.column_names, rows.columns, strict=True)
    ]
    return pa.Table.from_arrays(columns, rows.column_names)


def _column(values: pa.ChunkedArray, name: str, argument: str) -> pa.ChunkedArray:
    from pyspark.errors import PySparkTypeError, UnsupportedOperationException
    from pyspark.sql.pandas.types import from_arrow_type, to_arrow_type

    try:
        wanted = spark_type(values.type)
        if is_type.is_run_end_encoded(values.type) or is_type.is_dictionary(values.type):
            values = pa.chunked_array([_decoded(one, wanted) for one in values.chunks], wanted)
        if values.type == pa.uint64() and (pc.max(values).as_py() or 0) >= 2**63:
            wanted = pa.decimal128(20)
        if is_type.is_timestamp(values.type) and values.type.unit == "ns":
            values = _to_microseconds(values, name, argument)
        kind = from_arrow_type(wanted)
        to_arrow_type(kind, error_on_duplicated_field_names_in_struct=True, timezone="UTC")
        if _has_views(values.type):
            values = pa.chunked_array([pa.array(values.to_pylist(), wanted)])
        return values if values.type == wanted else values.cast(wanted)
    # Arrow raises a ValueError for a decimal with more digits than fit in 128 bits and in Spark.
    except (
        pa.ArrowNotImplementedError,
        PySparkTypeError,
        UnsupportedOperationException,
        ValueError,
    ):
        raise WorkbenchError(
            f"{argument}: column {name!r} holds {values.type}, which Spark cannot hold as it is; "
            "cast it to a type that Spark has, or drop it."
        ) from None


def _has_views(kind: pa.DataType) -> bool:
    """Return whether a type contains list views, which Arrow's own cast corrupts."""
    views = is_type.is_list_view(kind) or is_type.is_large_list_view(kind)
    return views or any(_has_views(kind.field(k).type) for k in range(kind.num_fields))


def _decoded(values: pa.Array, kind: pa.DataType) -> pa.Array:
    """Expand an array that stores equal values only once."""
    if is_type.is_dictionary(values.type):
        return values.dictionary.cast(kind).take(values.indices)
    return pc.run_end_decode(values).cast(kind)


def _to_microseconds(values: pa.ChunkedArray, name: str, argument: str) -> pa.ChunkedArray:
    """Round times down to microseconds, and warn of those that change."""
    rounded = pc.floor_temporal(values, unit="microsecond")
    if changed := pc.sum(pc.not_equal(rounded, values)).as_py():
        warn_of_dropped(changed, len(values), name, argument)
    return rounded


def warn_of_dropped(changed: int, total: int, name: str, argument: str) -> None:
    """Warn of the number of times whose parts of a microsecond are dropped."""
    warnings.warn(
        f"{argument}: {changed:,} of {total:,} times in column {name!r} have parts of a "
        "microsecond, which Spark does not keep; they are dropped.",
        WorkbenchWarning,
        stacklevel=2,
    )


def pandas_rows(df: "pd.DataFrame", argument: str) -> pa.Table:
    """Return a pandas table as an Arrow table.

    Parameters
    ----------
    df : pandas.DataFrame
        An index becomes columns if it has a name or is more than row numbers.
    argument : str
        The name of the caller's argument, for error messages.

    Returns
    -------
    pyarrow.Table
        Values that pandas treats as missing (None, NaN, NaT, NA) are null.

    Raises
    ------
    WorkbenchError
        When a column holds values of several types, or two columns have one name.

    Examples
    --------
    >>> import pandas as pd
    >>> days = pd.date_range("2024-01-01", periods=2, name="day")
    >>> pandas_rows(pd.DataFrame({"mwh": [1.5, None]}, index=days), "df").column_names
    ['day', 'mwh']
    """
    if df.columns.nlevels > 1:
        raise WorkbenchError(
            f"{argument}: the names of its columns have {df.columns.nlevels} levels; give each "
            "column one name, for example by df.columns = df.columns.map('_'.join)."
        )
    names = _unique_names(df, argument)
    columns = [*_index_columns(df, argument), *((str(name), df[name]) for name in names)]
    arrays = [_array(values, name, argument) for name, values in columns]
    return pa.Table.from_arrays(arrays, [name for name, _ in columns])


def _unique_names(df: "pd.DataFrame", argument: str) -> list[Any]:
    """Return the names of the columns, and refuse a name that several columns have."""
    names = list(df.columns)
    texts = [str(name) for name in names]
    if repeated := [text for text in texts if texts.count(text) > 1]:
        raise WorkbenchError(
            f"{argument}: there are several columns {repeated[0]!r}; rename all but one of them."
        )
    return names


def _index_columns(df: "pd.DataFrame", argument: str) -> "Iterator[tuple[str, pd.Series[Any]]]":
    """Yield the levels of an index of times, text, or named numbers."""
    import pandas as pd

    levels = df.index.nlevels
    numbers = levels == 1 and pd.api.types.is_integer_dtype(df.index.dtype)
    if df.index.names == [None] and (numbers or not len(df)):
        return
    for level, label in enumerate(df.index.names):
        name = str(label) if label is not None else "index" if levels == 1 else f"level_{level}"
        values = df.index.get_level_values(level).to_series(index=df.index)
        if name not in map(str, df.columns):
            yield name, values
        elif not values.equals(df[label if label in df.columns else name]):
            raise WorkbenchError(
                f"{argument}: the index and a column are both called {name!r}; "
                "rename one, or leave the index out with df.reset_index(drop=True)."
            )


def _are_maps(values: "pd.Series[Any]") -> bool:
    """Return whether values are dictionaries with keys other than text, so not structs."""
    present = values.dropna() if values.dtype == object else values[:0]
    dicts = len(present) > 0 and all(isinstance(value, dict) for value in present)
    return dicts and any(not isinstance(key, str) for value in present for key in value)


def _map_array(values: "pd.Series[Any]") -> pa.Array:
    import pandas as pd

    maps = [None if pd.api.types.is_scalar(value) else [*value.items()] for value in values]
    pairs = [pair for one in maps for pair in one or ()]
    keys, items = (pa.array([pair[k] for pair in pairs]).type for k in (0, 1))
    return pa.array(maps, pa.map_(keys, items))


def _array(values: "pd.Series[Any]", name: str, argument: str) -> pa.Array | pa.ChunkedArray:
    try:
        return _map_array(values) if _are_maps(values) else pa.Array.from_pandas(values)
    # Arrow raises a TypeError for an infinite decimal.
    except (pa.ArrowInvalid, TypeError, pa.ArrowNotImplementedError, OverflowError):
        kinds = sorted({type(value).__name__ for value in values.dropna()})
    if len(kinds) > 1:
        raise WorkbenchError(
            f"{argument}: column {name!r} holds values of several types "
            f"({', '.join(kinds[:4])}); make them one, for example with df[{name!r}].astype(str)."
        )
    raise WorkbenchError(
        f"{argument}: column {name!r} holds {values.dtype} values ({', '.join(kinds)}), which "
        "Spark has no type for; change them with astype, or drop the column."
    )
