"""Every call takes tables of pandas, Polars and Arrow, paths and names, with the same answer."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession

import workbench as wb
from tests.clusters import ZONE, session_options
from tests.conftest import RunOn
from tests.oracle import duck
from workbench.spark.sources.given import is_table

EVENTS = pd.DataFrame(
    {
        "user": ["ann", "ann", "ann", "bob", "bob", None],
        "at": pd.to_datetime([f"2024-01-0{day}" for day in (1, 2, 3, 1, 5, 1)]),
        "event": ["visit", "cart", "pay", "visit", "cart", "visit"],
        "price": [1.0, 2.0, 4.0, 8.0, 16.0, 32.0],
    }
)
FUNNEL = wb.Funnel(["visit", "cart", "pay"], "2 days", key="user", time="at")


def rows_of(df: Any) -> list[tuple[Any, ...]]:
    return sorted(map(tuple, df.collect()), key=str)


@pytest.fixture(scope="module")
def tables(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Any]]:
    path = tmp_path_factory.mktemp("given") / "events.parquet"
    EVENTS.to_parquet(path, coerce_timestamps="us")
    spark.read.parquet(str(path)).createOrReplaceTempView("given_events")
    arrow = pa.Table.from_pandas(EVENTS)
    lazy = pl.from_pandas(EVENTS).lazy()
    yield [EVENTS, EVENTS.set_index("at"), lazy.collect(), lazy, arrow, arrow.to_batches()[0],
           duck().from_arrow(arrow), path, str(path), "given_events"]  # fmt: skip
    spark.catalog.dropTempView("given_events")


def test_every_kind_of_table_has_the_same_rows(tables: list[Any]) -> None:
    expected = rows_of(wb.table(EVENTS))
    assert len(expected) == 6
    for given in tables:
        assert is_table(given)
        assert rows_of(wb.table(given).select(*EVENTS.columns)) == expected, type(given)


def test_a_reader_hands_over_its_rows_once_but_may_be_given_again(spark: SparkSession) -> None:
    with duck() as connection:
        rows = connection.sql("SELECT 'ann' AS user").arrow()
        assert isinstance(rows, pa.RecordBatchReader)
        assert [rows_of(wb.table(rows)) for _ in range(2)] == [[("ann",)]] * 2


@pytest.mark.parametrize(("count", "in_plan"), [(100_000, True), (1_000_000, False)])
def test_rows_of_some_megabytes_are_not_part_of_the_plan(
    spark: SparkSession, capsys: pytest.CaptureFixture[str], count: int, in_plan: bool
) -> None:
    df = wb.table(pa.table({"id": range(count)}))
    df.explain()
    assert ("LocalTableScan" in capsys.readouterr().out) == in_plan
    assert df.selectExpr("sum(id)").collect()[0][0] == count * (count - 1) // 2


def test_every_call_takes_tables_that_are_not_spark_s(tables: list[Any], tmp_path: Path) -> None:
    path, arrow = tables[7], tables[4]
    with pytest.warns(wb.WorkbenchWarning, match="1 row"):
        assert FUNNEL.steps(EVENTS)["users"].tolist() == [2, 1, 1]
    assert FUNNEL.people(arrow, stopped_at=1).collect()[0].user == "bob"
    assert FUNNEL.skipped(path) == 1
    assert not FUNNEL.integer_time(path)
    with wb.prepare(EVENTS, "user", "at") as prepared:
        assert prepared.keys == 2
    over = wb.Over("user", "at", wb.Frame.rows(-1, 0), total=wb.fn.sum("price"))
    assert isinstance(over.run(arrow), DataFrame)
    assert len(over.frames(EVENTS, "ann").rows) == 3
    backfill = wb.Backfill("user", "at", wb.Aggregation("sum", "price", windows="30 days"))
    queries = EVENTS[["user", "at"]].dropna()
    features = backfill.run(queries, path)
    assert features.count() == 5
    assert len(backfill.check(features.toPandas(), arrow)) == 0
    assert rows_of(wb.quantiles(EVENTS, "price", by="user")) == rows_of(
        wb.quantiles(path, "price", by="user")
    )
    assert wb.last_in_group(arrow, "user", "at").count() == 3
    view = wb.OnlineView(backfill, tmp_path / "store")
    assert view.upload(EVENTS, until=datetime(2024, 1, 6, tzinfo=UTC)).events == 5
    consistency = wb.consistency(features.toPandas(), features, backfill, EVENTS)
    assert repr(consistency).startswith("5 of 5 values agree")
    assert wb.play(FUNNEL, EVENTS, key="ann").lesson
    assert "1 operator" in repr(wb.plan(EVENTS))


def test_the_error_of_an_unknown_table_suggests_the_nearest_names(
    spark: SparkSession, tables: list[Any]
) -> None:
    with pytest.raises(wb.WorkbenchError, match="no file and no table 'given_event'; did you mean"):
        wb.table("given_event")
    with pytest.raises(wb.WorkbenchError, match="df: this is polars's Series and no table"):
        wb.over(pl.Series("a", [1]), n=wb.fn.count())


def test_a_view_with_a_space_in_its_name_is_found(spark: SparkSession) -> None:
    spark.range(3).createOrReplaceTempView("`The Rows`")
    assert wb.table("The Rows").count() == 3
    spark.catalog.dropTempView("`The Rows`")


def test_python_s_objects_in_polars_are_refused(spark: SparkSession) -> None:
    rows = pl.DataFrame({"o": pl.Series([object()], dtype=pl.Object)})
    with pytest.raises(wb.WorkbenchError, match="df: column 'o' holds Python's objects"):
        wb.over(rows, n=wb.fn.count())


@pytest.mark.parametrize("kind", [pl.Int128, pl.List(pl.Int128)])
def test_types_of_polars_that_arrow_lacks_are_named(spark: SparkSession, kind: Any) -> None:
    whole = 2**100
    rows = pl.DataFrame(
        {"a": [1], "n": pl.Series([whole if kind == pl.Int128 else [whole]], dtype=kind)}
    )
    with pytest.raises(
        wb.WorkbenchError, match=r"df: column 'n' holds .*Int128.*, which Spark has"
    ):
        wb.over(rows, n2=wb.fn.count())
    cast = rows.cast({"n": pl.Decimal(38, 0)}) if kind == pl.Int128 else rows.drop("n")
    assert wb.table(cast).count() == 1


def test_text_and_numbers_are_read_as_times(spark: SparkSession) -> None:
    rows = pd.DataFrame(
        {
            "text": ["31/1/2024 9:30", "1/2/2024 10:00:05.25", "soon"],
            "iso": ["2024-01-31T09:30:00Z", "2024-02-30", "09:30"],
            "s": [1_706_693_400.5, float("inf"), None],
            "ns": [1_706_693_400_123_456_789, -1, 2**62],
        }
    )
    times = {
        "text": "d/M/yyyy H:mm[:ss[.SSSSSS]]",
        "iso": "ISO 8601",
        "s": "epoch seconds",
        "ns": "epoch nanoseconds",
    }
    table = wb.table(rows, times=times).selectExpr(*(f"string({name})" for name in times))
    assert list(zip(*map(tuple, table.collect()), strict=True)) == [
        ("2024-01-31 09:30:00", "2024-02-01 10:00:05.25", None),
        ("2024-01-31 09:30:00", None, None),
        ("2024-01-31 09:30:00.5", None, None),
        ("2024-01-31 09:30:00.123456", "1969-12-31 23:59:59.999999", "2116-02-20 23:53:38.427387"),
    ]
    for bad, sentence in (
        ({"at": "ISO 8601"}, "times: there is no column 'at'"),
        ({"text": "##"}, "times: '##' is no format; give one of"),
        ({"text": "%Y-%m-%d"}, "times: '%Y-%m-%d' is no format; give one of"),
        ({"text": "epoch weeks"}, "times: 'epoch weeks' is no format; give one of"),
        ("ISO 8601", "times: 'ISO 8601' is no mapping"),
        ((), r"times: \(\) is no mapping"),
    ):
        with pytest.raises(wb.WorkbenchError, match=sentence):
            wb.table(rows, times=bad)  # type: ignore[arg-type]


def nested(rows: pd.DataFrame) -> pa.Table:
    """Return a map of lists of structs, sliced from a longer column that has nulls."""
    times = pa.array(rows["at"], pa.timestamp("us"))
    structs = pa.StructArray.from_arrays([pa.array(range(len(times))), times], ["n", "time"])
    lists = pa.LargeListArray.from_arrays(range(len(times) + 1), structs).to_pylist()
    kind = pa.map_(pa.string(), pa.large_list(structs.type))
    maps = [None, [], *([("k", one)] for one in lists)]
    return pa.table({"at": pa.array(maps, kind).slice(2)})


#: Tables that hold times, by kind.
TABLES_OF_TIMES: dict[str, Callable[[pd.DataFrame], Any]] = {
    "pandas": lambda rows: rows,
    "arrow": pa.Table.from_pandas,
    "nested": nested,
}
AT = {"nested": "at['k'][0].time"}


def changes_of_clocks(spark: SparkSession, kind: str) -> tuple[list[Any], list[Any]]:
    """Return times that clocks of New York show never, twice and once: those of a table, and as
    Spark reads them from text."""
    texts = ["2024-03-10 02:30:00", "2024-11-03 01:30:00", "2024-07-01 12:00:00", None]
    given = TABLES_OF_TIMES[kind](pd.DataFrame({"at": pd.to_datetime(pd.Series(texts))}))
    with session_options(spark, {ZONE: "America/New_York"}):
        read = spark.createDataFrame([(text,) for text in texts], "text string")
        answers = [wb.table(given).selectExpr(f"unix_micros({AT.get(kind, 'at')}) AS at"),
                   read.selectExpr("unix_micros(timestamp(text)) AS at")]  # fmt: skip
        times, expected = ([row["at"] for row in answer.collect()] for answer in answers)
    return times, expected


@pytest.mark.parametrize("kind", TABLES_OF_TIMES)
@pytest.mark.parametrize("on", ["classic", "connect"])
def test_times_are_those_that_spark_reads_where_clocks_change(
    run_on: RunOn, on: str, kind: str
) -> None:
    times, expected = run_on(on, changes_of_clocks, kind)
    assert times == expected
    assert len(set(times)) == 4
