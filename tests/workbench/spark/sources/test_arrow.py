"""Tables of Arrow and of pandas get types that Spark has, and lose nothing silently."""

from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from workbench.errors import WorkbenchError, WorkbenchWarning
from workbench.spark.sources.arrow import pandas_rows, spark_rows

TIMES = pd.date_range("2024-01-01", periods=2, freq="h")

VIEWS = pa.list_(pa.large_list_view(pa.int64()))
LISTS = pa.list_(pa.large_list(pa.int64()))
KINDS: list[tuple[pa.Array, pa.DataType]] = [
    (pa.array([255, None], pa.uint8()), pa.int16()),
    (pa.array([2**32 - 1], pa.uint32()), pa.int64()),
    (pa.array([2**63 - 1], pa.uint64()), pa.int64()),
    (pa.array([2**63], pa.uint64()), pa.decimal128(20)),
    (pa.array([1.5], pa.float16()), pa.float32()),
    (pa.array(["a", None, "a"]).dictionary_encode(), pa.string()),
    (pa.array(["a"], pa.string_view()), pa.large_string()),
    (pa.nulls(2), pa.string()),
    (pa.array([["a"]], pa.list_(pa.string_view())), pa.list_(pa.large_string())),
    (pa.array([{"n": 1}], pa.struct([("n", pa.uint8())])), pa.struct([("n", pa.int16())])),
    (pa.array([1], pa.timestamp("s", "Asia/Tokyo")), pa.timestamp("us", "Asia/Tokyo")),
    (pa.array([1_000], pa.timestamp("ns")), pa.timestamp("us")),
    (pa.array([1_000], pa.time64("ns")), pa.time64("us")),
    (pa.array([86_400_000], pa.date64()), pa.date32()),
    (pa.array([1], pa.duration("s")), pa.duration("us")),
    (pa.RunEndEncodedArray.from_arrays([2], ["q"]), pa.string()),
    (pa.array([Decimal(100), None, Decimal(-99_900)], pa.decimal128(5, -2)), pa.decimal128(7)),
    (pa.array([Decimal(10) ** 37], pa.decimal256(38, 0)), pa.decimal128(38)),
    (pa.array([[1], None, [2, 3], []], pa.list_view(pa.uint8())), pa.list_(pa.int16())),
    (pa.array([{"n": [[1], [2]]}], pa.struct([("n", VIEWS)])), pa.struct([("n", LISTS)])),
]


@pytest.mark.parametrize(("values", "kind"), KINDS, ids=lambda one: str(getattr(one, "type", one)))
def test_a_type_that_spark_lacks_becomes_one_that_holds_the_same_values(
    values: pa.Array, kind: pa.DataType
) -> None:
    column = spark_rows(pa.table({"v": values}), "df").column("v")
    assert column.type == kind
    expected = [values[k].as_py() for k in range(len(values))]
    assert [None if one is None else one for one in column.to_pylist()] == expected


REFUSED: list[tuple[Any, str]] = [
    (
        pa.table({"v": pa.array([(1, 2, 3)], pa.month_day_nano_interval())}),
        "df: column 'v' holds month_day_nano_interval, which Spark cannot hold as it is; "
        "cast it to a type that Spark has, or drop it.",
    ),
    (
        pa.table({"v": pa.array([Decimal(10) ** 40])}),
        "df: column 'v' holds decimal256(41, 0), which Spark cannot hold as it is; "
        "cast it to a type that Spark has, or drop it.",
    ),
    (
        pa.table({"v": pa.array([[Decimal(100)]], pa.list_(pa.decimal128(38, -2)))}),
        "df: column 'v' holds list<item: decimal128(38, -2)>, which Spark cannot hold as it is; "
        "cast it to a type that Spark has, or drop it.",
    ),
    (
        pa.table({"v": pa.StructArray.from_arrays([pa.array([1]), pa.array([2])], ["a", "a"])}),
        "df: column 'v' holds struct<a: int64, a: int64>, which Spark cannot hold as it is; "
        "cast it to a type that Spark has, or drop it.",
    ),
    (pa.table({}), "df: the table has no columns; give one that has some."),
]


@pytest.mark.parametrize(("rows", "sentence"), REFUSED)
def test_a_table_that_spark_cannot_hold_is_refused(rows: pa.Table, sentence: str) -> None:
    with pytest.raises(WorkbenchError) as raised:
        spark_rows(rows, "df")
    assert str(raised.value) == sentence


def test_parts_of_a_microsecond_are_dropped_with_a_warning() -> None:
    rows = pa.table({"at": pa.array([-1, 1_000, None], pa.timestamp("ns"))})
    with pytest.warns(WorkbenchWarning, match="1 of 3 times in column 'at' have parts of a micro"):
        table = spark_rows(rows, "df")
    assert table.column("at").cast(pa.int64()).to_pylist() == [-1, 1, None]


def test_categories_text_and_times_of_polars_keep_their_values() -> None:
    rows = pl.DataFrame({"c": ["a", "b"], "at": list(TIMES.to_pydatetime())})
    rows = rows.with_columns(pl.col("c").cast(pl.Categorical))
    table = spark_rows(pa.table(rows), "df")
    assert table.to_pydict() == {"c": ["a", "b"], "at": list(TIMES.to_pydatetime())}


MAPS: list[tuple[list[Any], list[Any]]] = [
    ([{1: 2.5}, None, {}], [[(1, 2.5)], None, []]),
    ([{True: 1}, float("nan")], [[(True, 1)], None]),
    ([{b"a": [1]}], [[(b"a", [1])]]),
]


@pytest.mark.parametrize(("given", "maps"), MAPS)
def test_dictionaries_whose_keys_are_not_text_become_maps(
    given: list[Any], maps: list[Any]
) -> None:
    column = pandas_rows(pd.DataFrame({"m": pd.Series(given, dtype=object)}), "df").column("m")
    assert pa.types.is_map(column.type)
    assert column.to_pylist() == maps


INDEXES: list[tuple[pd.DataFrame, dict[str, list[Any]]]] = [
    (pd.DataFrame({"v": [1, 2]}), {"v": [1, 2]}),
    (pd.DataFrame({"v": [1, 2, 3]}).query("v > 1"), {"v": [2, 3]}),
    (pd.DataFrame({"v": [1, 2]}, index=TIMES), {"index": [*TIMES], "v": [1, 2]}),
    (
        pd.DataFrame({"at": TIMES, "v": [1, 2]}).set_index("at"),
        {"at": [*TIMES], "v": [1, 2]},
    ),
    (
        pd.DataFrame({"at": TIMES, "v": [1, 2]}).set_index("at", drop=False),
        {"at": [*TIMES], "v": [1, 2]},
    ),
    (
        pd.DataFrame({"a": [1, 1], "b": ["x", "y"], "v": [1, 2]}).set_index(["a", "b"]),
        {"a": [1, 1], "b": ["x", "y"], "v": [1, 2]},
    ),
    (pd.DataFrame({0: [1.5, np.nan]}), {"0": [1.5, None]}),
]


@pytest.mark.parametrize(("df", "columns"), INDEXES)
def test_an_index_with_information_becomes_columns(
    df: pd.DataFrame, columns: dict[str, list[Any]]
) -> None:
    assert pandas_rows(df, "df").to_pydict() == columns


def test_missing_values_of_pandas_become_null_and_zones_stay() -> None:
    df = pd.DataFrame(
        {
            "c": pd.Categorical(["u", None]),
            "z": [TIMES[0].tz_localize("Europe/Berlin"), pd.NaT],
            "n": pd.array([1, None], "Int64"),
        }
    )
    table = spark_rows(pandas_rows(df, "df"), "df")
    assert table.schema.field("z").type == pa.timestamp("us", "Europe/Berlin")
    assert [column.null_count for column in table.columns] == [1, 1, 1]


PANDAS_REFUSED: list[tuple[pd.DataFrame, str]] = [
    (
        pd.DataFrame({"v": [Decimal("Infinity"), None]}),
        "df: column 'v' holds object values (Decimal), which Spark has no type for; "
        "change them with astype, or drop the column.",
    ),
    (
        pd.DataFrame({"v": [1, "a", None]}),
        "df: column 'v' holds values of several types (int, str); make them one, "
        "for example with df['v'].astype(str).",
    ),
    (
        pd.DataFrame({"v": [1j]}, dtype=object),
        "df: column 'v' holds object values (complex), which Spark has no type for; "
        "change them with astype, or drop the column.",
    ),
    (
        pd.DataFrame([[1, 2]], columns=["a", "a"]),
        "df: there are several columns 'a'; rename all but one of them.",
    ),
    (
        pd.DataFrame([[1]], columns=pd.MultiIndex.from_tuples([("a", "b")])),
        "df: the names of its columns have 2 levels; give each column one name, for example by "
        "df.columns = df.columns.map('_'.join).",
    ),
    (
        pd.DataFrame({"at": [1, 2]}, index=TIMES.rename("at")),
        "df: the index and a column are both called 'at'; rename one, or leave the index out with "
        "df.reset_index(drop=True).",
    ),
]


@pytest.mark.parametrize(("df", "sentence"), PANDAS_REFUSED)
def test_an_ambiguous_pandas_table_is_refused(df: pd.DataFrame, sentence: str) -> None:
    with pytest.raises(WorkbenchError) as raised:
        pandas_rows(df, "df")
    assert str(raised.value) == sentence
