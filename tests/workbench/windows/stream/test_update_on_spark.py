"""Emit on update on Spark: after every micro-batch the changelog is the batch answer."""

import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.errors import AnalysisException, StreamingQueryException
from pyspark.sql import DataFrame, SparkSession

import workbench as wb
from tests.workbench.windows.cases import same
from workbench import fn

KINDS = "key string, time timestamp, value bigint, id bigint"
SCHEMA = pa.schema(
    {
        "key": pa.string(),
        "time": pa.timestamp("us", "UTC"),
        "value": pa.int64(),
        "id": pa.int64(),
    }
)
CALL = wb.Over(
    "key",
    "time",
    wb.Frame.range("-2 hours", "30 minutes"),
    total=fn.sum("value"),
    band=fn.quantile("value", [0.25, 0.75]),
    before=fn.lag("value"),
    number=fn.row_number(),
)
Row = dict[str, Any]


def row(key: str | None, hour: float | None, value: int | None, who: int) -> Row:
    start = datetime(1969, 12, 31, 20, tzinfo=UTC)
    time = None if hour is None else start + timedelta(hours=hour)
    return {"key": key, "time": time, "value": value, "id": who}


class Source:
    """A folder that is read as a stream, a file a micro-batch."""

    def __init__(self, folder: Path, changelog: bool) -> None:
        self.folder, self.files = folder, 0
        self.schema = SCHEMA.append(pa.field("op", pa.string())) if changelog else SCHEMA
        self.kinds = f"{KINDS}, op string" if changelog else KINDS
        folder.mkdir(parents=True)

    def write(self, rows: list[Row]) -> None:
        path = self.folder / f"{self.files}.parquet"
        pq.write_table(pa.Table.from_pylist(rows, self.schema), path)
        # Files are read in the order of their times.
        os.utime(path, (1_700_000_000 + self.files, 1_700_000_000 + self.files))
        self.files += 1

    def stream(self, spark: SparkSession) -> DataFrame:
        reader = spark.readStream.schema(self.kinds).option("maxFilesPerTrigger", 1)
        return reader.parquet(str(self.folder))


class Sink:
    """Folds each micro-batch once, and stores the resulting table after each."""

    def __init__(self, row_id: str | None) -> None:
        self.row_id, self.fails = row_id, set[int]()
        self.tables: dict[int, pa.Table] = {}
        self.table: pa.Table | None = None

    def take(self, changes: DataFrame, number: int) -> None:
        batch = changes.toArrow()
        if number in self.fails:
            self.fails.remove(number)
            raise RuntimeError("the sink fails inside a micro-batch")
        if number not in self.tables:
            self.table = self.tables[number] = wb.folded(self.table, batch, self.row_id)


def follow(stream: DataFrame, sink: Sink, checkpoint: Path) -> Any:
    writer = stream.writeStream.foreachBatch(sink.take)
    query = writer.option("checkpointLocation", str(checkpoint)).trigger(availableNow=True).start()
    query.awaitTermination()
    return query


def check(spark: SparkSession, folded: pa.Table, rows: list[Row], over: wb.Over) -> None:
    """Compare the folded changelog with the batch answer over the current rows."""
    expected = over.run(spark.createDataFrame(pa.Table.from_pylist(rows, SCHEMA))).toArrow()
    assert same(plain(folded), plain(expected), expected.column_names)


def plain(answers: pa.Table) -> dict[str, list[Any]]:
    at = answers.column_names.index("time")
    answers = answers.set_column(at, "time", answers.column("time").cast(pa.int64()))
    columns: dict[str, list[Any]] = answers.sort_by("id").to_pydict()
    return columns


FIRST = [row("a", 0, 1, 1), row("a", 1, 5, 2), row("b", 1, 7, 3), row(None, 3, None, 4)]
MOVED = row("b", 0.5, 1, 1)
#: A changelog, batch by batch, and the rows of the table after each.
BATCHES: list[tuple[list[Row], list[Row]]] = [
    ([one | {"op": "+I"} for one in FIRST], FIRST),
    (
        [row("a", 0.5, 9, 5) | {"op": "+I"}, FIRST[1] | {"op": "-D"}],
        [FIRST[0], *FIRST[2:], row("a", 0.5, 9, 5)],
    ),
    (
        [FIRST[0] | {"op": "-U"}, MOVED | {"op": "+U"}, row("c", None, 2, 6) | {"op": "+I"}],
        [*FIRST[2:], row("a", 0.5, 9, 5), MOVED, row("c", None, 2, 6)],
    ),
    (
        [MOVED | {"op": "-U"}, MOVED | {"value": None, "op": "+U"}],
        [*FIRST[2:], row("a", 0.5, 9, 5), MOVED | {"value": None}, row("c", None, 2, 6)],
    ),
]


def test_a_changelog_is_the_batch_answer_after_every_micro_batch_and_restart(
    spark: SparkSession, tmp_path: Path
) -> None:
    source, sink = Source(tmp_path / "in", changelog=True), Sink("id")
    for changes, _ in BATCHES[:3]:
        source.write(changes)
    stream = CALL.run(source.stream(spark), emit="on update", row_id="id")
    assert stream.columns == ["op", *SCHEMA.names, "total", "band", "before", "number"]
    sink.fails = {0, 2}
    for _ in range(2):
        with pytest.raises(StreamingQueryException, match="inside a micro-batch"):
            follow(stream, sink, tmp_path / "checkpoint")
    source.write(BATCHES[3][0])
    follow(stream, sink, tmp_path / "checkpoint")
    assert sorted(sink.tables) == [0, 1, 2, 3]
    for number, (_, rows) in enumerate(BATCHES):
        check(spark, sink.tables[number], rows, CALL)


def test_appended_rows_with_a_watermark(spark: SparkSession, tmp_path: Path) -> None:
    source, sink = Source(tmp_path / "in", changelog=False), Sink(None)
    hours = [(24, 25, 27), (24.5, 30, 27.5), (36, 35.5), (25.5, 54, None), (55,)]
    rows, who = [], iter(range(100))
    for several in hours:
        batch = [row(key, hour, next(who), next(who)) for hour in several for key in ("a", "b")]
        source.write(batch)
        rows.append(batch)
    late = source.stream(spark).withWatermark("time", "4 hours")
    query = follow(CALL.run(late, emit="on update"), sink, tmp_path / "checkpoint")
    admitted: list[Row] = []
    passed = row("a", 25.5, 0, 0)["time"]
    for number, batch in enumerate(rows):
        admitted += [one for one in batch if one["time"] not in (None, passed)]
        check(spark, sink.tables[number], admitted, CALL)
    counts = [next(iter(p.observedMetrics.values())).asDict() for p in query.recentProgress]
    assert sum(one["late_rows"] for one in counts) == 2
    assert sum(one["rows_without_time"] for one in counts) == 2


def test_a_row_id_that_is_not_unique_ends_the_query_with_a_sentence(
    spark: SparkSession, tmp_path: Path
) -> None:
    source = Source(tmp_path / "in", changelog=False)
    source.write([row("a", 0, 1, 1), row("a", 1, 1, 1)])
    stream = CALL.run(source.stream(spark), emit="on update", row_id="id")
    with pytest.raises(StreamingQueryException, match="row_id: a change adds a row whose id 1"):
        follow(stream, Sink("id"), tmp_path / "checkpoint")


def changelog_of(spark: SparkSession, folder: Path) -> DataFrame:
    return Source(folder, changelog=True).stream(spark)


BAD: list[tuple[Callable[[DataFrame], DataFrame], dict[str, Any], str]] = [
    (lambda df: df, {}, "row_id: the stream has a column 'op', so it is a changelog"),
    (lambda df: df, {"row_id": "who"}, "row_id: .*'who'"),
    (lambda df: df, {"row_id": []}, "row_id: no column is named"),
    (lambda df: df.selectExpr("* except(op)", "1 AS op"), {"row_id": "id"}, "op: the column holds"),
    (lambda df: df.selectExpr("* except(id)", "array(id) AS id"), {"row_id": "id"}, "row_id: 'id'"),
    (lambda df: df, {"row_id": "id", "emit": "on window close"}, "row_id: it is for emit='on upd"),
    (lambda df: df.drop("op"), {"op": fn.count()}, "op: this is the column that says"),
    (lambda df: df.drop("op"), {"Op": fn.count()}, "Op: this is the column that says"),
    (lambda df: df.withColumnRenamed("op", "OP"), {"row_id": "id"}, "df: .* 'OP' is the same name"),
    (lambda df: df, {"row_id": "id", "engine": "spark"}, "engine: Spark has no window functions"),
]


@pytest.mark.parametrize(("change", "arguments", "message"), BAD)
def test_bad_input_is_refused_before_a_query_starts(
    spark: SparkSession, tmp_path: Path, change: Any, arguments: dict[str, Any], message: str
) -> None:
    df = change(changelog_of(spark, tmp_path / "in").withWatermark("time", "1 hour"))
    call: dict[str, Any] = {"emit": "on update", "total": fn.sum("value")} | arguments
    with pytest.raises(wb.WorkbenchError, match=message):
        wb.over(df, "key", "time", **call)


def test_one_call_over_two_streams_of_a_query(spark: SparkSession, tmp_path: Path) -> None:
    rows = Source(tmp_path / "in", changelog=False).stream(spark)
    one, other = (CALL.run(rows, emit="on update") for _ in range(2))
    assert one.unionByName(other).columns == one.columns


def test_a_table_at_rest_takes_no_row_id(spark: SparkSession) -> None:
    with pytest.raises(wb.WorkbenchError, match="row_id: it is for emit='on update'"):
        wb.over(spark.range(3), (), "id", row_id="id", total=fn.sum("id"))


@pytest.mark.parametrize("emit", ["on update", "on window close"])
def test_output_mode_complete_is_refused_by_spark(
    spark: SparkSession, tmp_path: Path, emit: str
) -> None:
    df = Source(tmp_path / "in", changelog=False).stream(spark).withWatermark("time", "1 hour")
    changes = wb.over(df, "key", "time", emit=emit, total=fn.sum("value"))
    with pytest.raises(AnalysisException, match=r"(?i)output mode: complete.* is not supported"):
        changes.writeStream.format("noop").outputMode("complete").start()
