"""Columns are found by their exact names; unusable ones are refused."""

from collections.abc import Callable

import pytest
from pyspark.sql import DataFrame, SparkSession

from workbench.errors import WorkbenchError
from workbench.spark.names import nearest, quoted
from workbench.spark.sources.given import table
from workbench.spark.table import BoundTable, check_key, check_plain, column, is_integer_time

ODD_NAMES = ["a.b", "a b", "a`b", "A", "time", "ä", "100%", "`a`.`b`"]

TIME_TYPES = [
    ("timestamp", False),
    ("timestamp_ntz", False),
    ("date", False),
    ("tinyint", True),
    ("smallint", True),
    ("int", True),
    ("bigint", True),
]

REFUSED: list[tuple[Callable[[DataFrame], object], str]] = [
    (
        lambda df: table(3),
        "events: this is an int and no table; give one of Spark, pandas, Polars or Arrow, "
        "the path of a file, or a table's name.",
    ),
    (
        lambda df: table(df.sparkSession.readStream.format("rate").load()),
        "events: this is a stream; give a table that is at rest.",
    ),
    (
        lambda df: column(BoundTable.of(df), "ids", "by"),
        "by: there is no column 'ids'; did you mean 'id'?",
    ),
    (
        lambda df: column(BoundTable.of(df), "zzz", "by"),
        "by: there is no column 'zzz'; there are 'id', 'text', 'tags', 'Level'.",
    ),
    (
        lambda df: column(BoundTable.of(df.select("id", "id")), "id", "key"),
        "key: there are several columns 'id'; rename all but one of them.",
    ),
    (
        lambda df: is_integer_time(BoundTable.of(df), "text"),
        "time: column 'text' holds strings; make it a timestamp, a date or an integer, "
        "for example with F.to_timestamp('text').",
    ),
    (
        lambda df: is_integer_time(BoundTable.of(df), "txt"),
        "time: there is no column 'txt'; did you mean 'text'?",
    ),
    (
        lambda df: check_key(BoundTable.of(df, ["tags"]), ["level"]),
        "key: column 'tags' holds arrays, which cannot be grouped by; name a plain column.",
    ),
    (
        lambda df: check_key(BoundTable.of(df, ["id", "Level"]), ["level"]),
        "key: the result has a column 'Level' of its own; rename yours first.",
    ),
    (
        lambda df: check_plain(df.schema, "id", "by", ["ID"]),
        "by: the result has a column 'id' of its own; rename yours first.",
    ),
]


@pytest.fixture(scope="module")
def df(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame([], "id long, text string, tags array<string>, Level int")


@pytest.mark.parametrize(("call", "sentence"), REFUSED, ids=[s[:40] for _, s in REFUSED])
def test_unusable_tables_and_columns_are_refused(
    call: Callable[[DataFrame], object], sentence: str, df: DataFrame
) -> None:
    with pytest.raises(WorkbenchError) as error:
        call(df)
    assert str(error.value) == sentence


def test_a_column_is_found_by_its_exact_name(spark: SparkSession) -> None:
    odd = spark.createDataFrame([tuple(range(len(ODD_NAMES)))], ODD_NAMES)
    bound = BoundTable.of(odd)
    columns = [column(bound, name, "key").alias(str(k)) for k, name in enumerate(ODD_NAMES)]
    row = odd.select(*columns)
    assert row.first() == tuple(range(len(ODD_NAMES)))


def test_a_quoted_name_is_one_name(spark: SparkSession) -> None:
    for name in ODD_NAMES:
        assert spark.range(1).selectExpr(f"1 AS {quoted(name)}").columns == [name]


@pytest.mark.parametrize(("kind", "integer"), TIME_TYPES)
def test_times_are_instants_or_integers(spark: SparkSession, kind: str, integer: bool) -> None:
    df = spark.createDataFrame([], f"`the time` {kind}")
    assert is_integer_time(BoundTable.of(df), "the time") is integer


def test_at_most_ten_names_are_listed() -> None:
    names = [f"column {k}" for k in range(12)]
    assert nearest("x", names) == "there are " + ", ".join(map(repr, names[:10])) + " and more."
    assert nearest("x", []) == "there are none."
