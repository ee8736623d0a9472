"""Queries of RisingWave over streams emit what ``wb.over`` and a batch query return."""

import os
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession

import workbench as wb
from tests.workbench.spark.jobs import no_job
from workbench.lessons import Follower
from workbench.windows.stream import plan
from workbench.windows.stream.worker.packing import Seal

NOON = datetime(2024, 1, 1, 12, tzinfo=UTC)
ROWS = pa.table(
    {
        "id": range(40),
        "p": ["a", "b"] * 20,
        "x": [k * 7 % 11 for k in range(40)],
        "ts": [NOON + timedelta(seconds=10 * (k + 3 * (k % 3))) for k in range(40)],
    }
)
LAST = (35, 38)
VIEW = """
    CREATE MATERIALIZED VIEW mv AS
    SELECT id, p, x - lag(x) OVER (PARTITION BY p ORDER BY ts) AS more,
        sum(x) OVER (PARTITION BY p ORDER BY ts ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING) AS s,
        count(*) OVER (PARTITION BY p ORDER BY ts SESSION WITH GAP INTERVAL '25 seconds') AS n
    FROM t WHERE id <> 5"""
CLOSE = f"{VIEW}\n    EMIT ON WINDOW CLOSE;"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two micro-batches, and a row that lets the watermark pass all others."""
    folder = tmp_path_factory.mktemp("files")
    end = ROWS.slice(0, 1).set_column(3, "ts", pa.array([NOON + timedelta(days=1)]))
    for k, part in enumerate((ROWS.slice(0, 25), ROWS.slice(25), end)):
        write(part, folder / f"{k}.parquet", k)
    return folder


def write(rows: pa.Table, path: Path, number: int) -> None:
    """Write a file; Spark reads files in the order of their times, here seconds apart."""
    pq.write_table(rows, path, coerce_timestamps="us")
    os.utime(path, (NOON.timestamp() + number,) * 2)


@pytest.fixture(scope="module")
def stream(spark: SparkSession, files: Path) -> Iterator[DataFrame]:
    before = str(spark.conf.get("spark.sql.shuffle.partitions"))
    spark.conf.set("spark.sql.shuffle.partitions", 1)
    reader = spark.readStream.schema("id long, p string, x long, ts timestamp")
    rows = reader.option("maxFilesPerTrigger", 1).parquet(str(files))
    yield rows.withWatermark("ts", "2 minutes")
    spark.conf.set("spark.sql.shuffle.partitions", before)


def final_rows(output: DataFrame, folder: Path) -> list[str]:
    """Return the rows of a stream after it has processed all of its input, as sorted texts."""
    table = Follower(output, folder).drain().table
    assert table is not None
    return sorted(map(repr, table.to_pylist()))


def test_on_window_close_each_row_is_emitted_once_with_the_batch_answer(
    stream: DataFrame, tmp_path: Path
) -> None:
    output = wb.sql(CLOSE, dialect="risingwave", t=stream)
    assert output.isStreaming
    assert output.columns == ["id", "p", "more", "s", "n"]
    expected = wb.sql(VIEW, dialect="risingwave", t=ROWS).toArrow().to_pylist()
    # The frame of a partition's last row waits for one more.
    closed = [row for row in expected if row["id"] not in LAST]
    assert final_rows(output, tmp_path) == sorted(map(repr, closed))


def test_columns_after_the_watermark_column_order_rows_of_the_same_time(
    spark: SparkSession, stream: DataFrame, tmp_path: Path
) -> None:
    minutes = [NOON + timedelta(minutes=k // 8) for k in range(40)]
    words = [None if k % 7 == 0 else f"w{k * 5 % 3}" for k in range(40)]
    rows = ROWS.set_column(3, "ts", pa.array(minutes)).append_column("w", pa.array(words))
    end = rows.slice(0, 1).set_column(3, "ts", pa.array([NOON + timedelta(days=1)]))
    for k, part in enumerate((rows.slice(20), rows.slice(0, 20), end)):
        write(part, tmp_path / f"{k}.parquet", k)
    reader = spark.readStream.schema("id long, p string, x long, ts timestamp, w string")
    source = reader.option("maxFilesPerTrigger", 1).parquet(str(tmp_path))
    query = """CREATE MATERIALIZED VIEW mv AS
        SELECT id, row_number() OVER w AS n, lag(x, 2) OVER w AS before,
            sum(x) OVER (w ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING) AS s
        FROM t WINDOW w AS (PARTITION BY p ORDER BY ts, w DESC NULLS LAST, id DESC)"""
    expected = wb.sql(query, dialect="risingwave", t=rows).toArrow().to_pylist()
    output = wb.sql(
        f"{query} EMIT ON WINDOW CLOSE",
        dialect="risingwave",
        t=source.withWatermark("ts", "1 hour"),
    )
    # The frame of a partition's last row, its twentieth, waits for one more.
    closed = [row for row in expected if row["n"] < 20]
    assert final_rows(output, tmp_path / "output") == sorted(map(repr, closed))


def test_on_update_the_changes_add_up_to_the_batch_answer(
    stream: DataFrame, tmp_path: Path
) -> None:
    output = wb.sql(VIEW, dialect="risingwave", t=stream)
    assert output.columns == ["op", "id", "p", "more", "s", "n"]
    last = ROWS.slice(0, 1).set_column(3, "ts", pa.array([NOON + timedelta(days=1)]))
    rows = pa.concat_tables([ROWS, last.cast(ROWS.schema)])
    expected = wb.sql(VIEW, dialect="risingwave", t=rows).toArrow().to_pylist()
    assert final_rows(output, tmp_path) == sorted(map(repr, expected))


@pytest.mark.parametrize(
    "query",
    [
        "SELECT window_start AS w, count(*) AS n FROM TUMBLE(t, ts, INTERVAL '1' MINUTE) "
        "GROUP BY 1 HAVING count(*) > 2",
        "SELECT p, h.window_end, sum(x) AS s FROM HOP(t, ts, INTERVAL '1' MINUTE, INTERVAL '2' "
        "MINUTE) AS h GROUP BY h.window_end, p EMIT ON WINDOW CLOSE",
    ],
)
def test_groups_of_time_windows_are_emitted_once_when_their_windows_close(
    stream: DataFrame, tmp_path: Path, query: str
) -> None:
    expected = wb.sql(query, dialect="risingwave", t=ROWS).toArrow().to_pylist()
    assert final_rows(wb.sql(query, dialect="risingwave", t=stream), tmp_path) == sorted(
        map(repr, expected)
    )


WINDOWS = "SELECT id, p, sum(x) OVER (PARTITION BY p ORDER BY ts ROWS 1 PRECEDING) AS s FROM t"
QUERIES_AROUND_WINDOWS = [
    f"SELECT id, s + 1 AS more FROM ({WINDOWS}) AS w WHERE s > 9",
    f"WITH w AS ({WINDOWS}), v AS (SELECT s, id FROM w WHERE id > 7) SELECT v.s FROM v",
    f"WITH w(a, b, c) AS ({WINDOWS}) SELECT c, a FROM w",
    f"SELECT * FROM ({WINDOWS}) AS w(a, b, c) WHERE c > 9",
]


@pytest.mark.parametrize("query", QUERIES_AROUND_WINDOWS)
def test_a_query_around_windows_of_a_stream_applies_to_each_change(
    stream: DataFrame, tmp_path: Path, query: str
) -> None:
    output = wb.sql(query, dialect="risingwave", t=stream)
    assert output.columns[0] == "op"
    last = ROWS.slice(0, 1).set_column(3, "ts", pa.array([NOON + timedelta(days=1)]))
    rows = pa.concat_tables([ROWS, last.cast(ROWS.schema)])
    expected = wb.sql(query, dialect="risingwave", t=rows).toArrow().to_pylist()
    assert final_rows(output, tmp_path) == sorted(map(repr, expected))


BEYOND_ROWS = {
    "GROUP BY": f"SELECT p, count(*) AS n FROM ({WINDOWS}) AS w GROUP BY p",
    "DISTINCT": f"WITH w AS ({WINDOWS}) SELECT DISTINCT p FROM w",
    "JOIN": f"SELECT w.s FROM ({WINDOWS}) AS w JOIN t ON w.id = t.id",
    "ORDER BY": f"({WINDOWS}) ORDER BY s",
    "UNION": f"SELECT s FROM ({WINDOWS}) AS w UNION ALL SELECT x FROM t",
    "a window": f"SELECT lag(s) OVER (PARTITION BY p ORDER BY id) AS k FROM ({WINDOWS}) AS w",
    "an aggregate": f"SELECT sum(s) AS k FROM ({WINDOWS}) AS w",
    "a subquery": f"SELECT x FROM t WHERE x IN (SELECT s FROM ({WINDOWS}) AS w)",
    "'op' says": f"SELECT s AS op FROM ({WINDOWS}) AS w",
    "'op' says what": WINDOWS.replace("id, p,", "id AS op, p,"),
}


@pytest.mark.parametrize("what", BEYOND_ROWS)
def test_a_query_that_would_count_changes_as_rows_is_refused(
    spark: SparkSession, stream: DataFrame, what: str
) -> None:
    with no_job(spark), pytest.raises(wb.WorkbenchError, match=f"^query: {what}"):
        wb.sql(BEYOND_ROWS[what], dialect="risingwave", t=stream)


@pytest.mark.parametrize(
    ("before", "now"),
    [("sum(x)", "sum(x) FILTER (WHERE x > 1)"), ("BY p", "BY x + 1")],
)
def test_a_checkpoint_knows_the_values_that_a_query_computes(
    stream: DataFrame, monkeypatch: pytest.MonkeyPatch, before: str, now: str
) -> None:
    """The seal of the state differs although x + 1 and x - 1 get columns of the same name."""
    seals: list[Seal] = []

    def recorded_seal(*arguments: Any) -> Seal:
        seals.append(Seal(*arguments))
        return seals[-1]

    monkeypatch.setattr(plan, "Seal", recorded_seal)
    other = now.replace("+", "-").replace(">", "<")
    for value in (now, now, other):
        wb.sql(WINDOWS.replace(before, value), dialect="risingwave", t=stream)
    assert seals[0] == seals[1] != seals[2]


def test_the_lines_of_python_say_when_rows_are_emitted(stream: DataFrame) -> None:
    assert ".run(step_1, emit='on window close')" in wb.explain_sql(
        CLOSE, dialect="risingwave", t=stream
    )


REFUSED = [
    ("duckdb", "SELECT lag(x) OVER (PARTITION BY p ORDER BY ts) FROM t",
     "t: this is a stream; give a table that is at rest."),
    ("risingwave", VIEW.replace("PARTITION BY p ORDER BY ts) AS", "ORDER BY ts) AS"),
     "query: its windows have 2 different partitions and orders, but windows over a stream must "
     "share one; make a view for each."),
    ("risingwave", f"{VIEW} ORDER BY id",
     "query: ORDER BY around windows over a stream that emits on update is not available; leave it "
     "out, and apply it to the written rows."),
    ("risingwave", "SELECT sum(x) OVER (PARTITION BY p ORDER BY id ROWS 1 PRECEDING) AS s FROM t "
     "EMIT ON WINDOW CLOSE",
     "df: emit='on window close' needs a watermark, which Spark has along timestamps alone, and "
     "column 'id' holds longs; make it one, for example with F.col('id').cast('timestamp'), and "
     "call df.withWatermark first."),
    ("risingwave", "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY x) AS h FROM t GROUP BY p",
     "query: percentile_cont of the groups of a stream is not available, as it needs all their "
     "rows; compute it from the written rows, or in windows: OVER (PARTITION BY ...)."),
    ("risingwave", "SELECT window_end, count(DISTINCT x) FROM TUMBLE(t, ts, INTERVAL '1 hour') "
     "GROUP BY window_end",
     "query: DISTINCT in an aggregate of the groups of a stream is not available, as Spark does "
     "not keep their values; use approx_count_distinct(x), or compute it from the written rows."),
    ("postgres", "CREATE MATERIALIZED VIEW mv AS SELECT id FROM t EMIT ON WINDOW CLOSE",
     "query: a query begins with SELECT, WITH, FROM or VALUES, not with CREATE."),
]  # fmt: skip


@pytest.mark.parametrize(("dialect", "query", "sentence"), REFUSED)
def test_an_unsupported_query_of_a_stream_is_a_sentence_before_any_job(
    spark: SparkSession, stream: DataFrame, dialect: str, query: str, sentence: str
) -> None:
    with no_job(spark), pytest.raises(wb.WorkbenchError, match=f"^{re.escape(sentence)}"):
        wb.sql(query, dialect=dialect, t=stream)


@pytest.mark.parametrize("groups", ["TUMBLE(t, ts, INTERVAL '1' MINUTE) GROUP BY window_start",
                                    "t GROUP BY p"])  # fmt: skip
def test_groups_of_a_stream_without_a_watermark_never_close(
    spark: SparkSession, files: Path, groups: str
) -> None:
    rows = spark.readStream.schema("id long, p string, x long, ts timestamp").parquet(str(files))
    query = f"SELECT count(*) AS n FROM {groups}"
    assert wb.sql(query, dialect="risingwave", t=rows).isStreaming
    with pytest.raises(wb.WorkbenchError, match=r"^query: EMIT ON WINDOW CLOSE needs a watermark"):
        wb.sql(f"{query} EMIT ON WINDOW CLOSE", dialect="risingwave", t=rows)


NEVER_COMPLETE = {
    "t GROUP BY p": "needs groups by the column of the watermark",
    "t": "needs groups by the column of the watermark",
    "t GROUP BY date_trunc('hour', ts)": "needs groups by the column of the watermark",
    f"({WINDOWS}) AS w GROUP BY p": "is not available",
}


@pytest.mark.parametrize("groups", NEVER_COMPLETE)
def test_groups_without_the_watermark_column_never_close(stream: DataFrame, groups: str) -> None:
    query = f"SELECT count(*) AS n FROM {groups} EMIT ON WINDOW CLOSE"
    with pytest.raises(wb.WorkbenchError, match=f"^query: .*{NEVER_COMPLETE[groups]}"):
        wb.sql(query, dialect="risingwave", t=stream)


def test_groups_of_a_static_table_need_no_watermark(stream: DataFrame) -> None:
    query = """SELECT id, n FROM t JOIN (SELECT p, count(*) AS n FROM rest GROUP BY p) AS r
        ON r.p = t.p EMIT ON WINDOW CLOSE"""
    assert wb.sql(query, dialect="risingwave", t=stream, rest=ROWS).isStreaming


def test_a_changelog_is_refused(stream: DataFrame) -> None:
    changes = stream.selectExpr("'+I' AS op", "*")
    with pytest.raises(
        wb.WorkbenchError, match=r"^t: the stream is a changelog, as it has .* 'op'"
    ):
        wb.sql(VIEW, dialect="risingwave", t=changes)
