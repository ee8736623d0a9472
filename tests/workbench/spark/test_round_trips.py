"""The schema of a table is read once and passed on: over Spark Connect each read is a round
trip."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.classic.dataframe import DataFrame as Classic

import workbench as wb

EVENTS = """
SELECT id % 7 AS user_id, timestamp_seconds(id * 60) AS timestamp,
       CASE id % 3 WHEN 0 THEN 'a' WHEN 1 THEN 'b' ELSE 'c' END AS event, id * 1.5D AS x
FROM range(100)
"""
FUNNEL = wb.Funnel(["a", "b"], window="1 hour")
CONDITIONS = wb.Funnel({"a": "x > 1", "b": "x > 2", "c": "x > 3"}, window="1 hour")
THREE = wb.Frame.rows(-3, 0)
SUMS = wb.Over("user_id", "timestamp", THREE, s=wb.fn.sum("x"), m=wb.fn.quantile("x", 0.5))
BACKFILL = wb.Backfill(
    key="user_id",
    time="timestamp",
    aggregations=[
        wb.Aggregation("sum", "x", windows=["1 hour", "1 day"]),
        wb.Aggregation("count", windows="1 day"),
    ],
)
CALLS: dict[str, tuple[Callable[[DataFrame, Path], object], int]] = {
    "levels": (lambda df, _: FUNNEL.levels(df, by="event"), 1),
    "people": (lambda df, _: FUNNEL.people(df, 1), 1),
    # One read for all conditions, and one for whether they can be computed again.
    "levels of conditions": (lambda df, _: CONDITIONS.levels(df), 3),
    "over": (lambda df, _: SUMS.run(df), 1),
    "over, by Spark": (lambda df, _: wb.over(df, "user_id", "timestamp", s=wb.fn.sum("x")), 1),
    # For a backfill, both tables and what its workers get.
    "scan": (lambda df, _: BACKFILL.run(df.select("user_id", "timestamp"), df, "scan"), 3),
    "sawtooth": (lambda df, _: BACKFILL.run(df.select("user_id", "timestamp"), df, "sawtooth"), 3),
    "tree": (lambda df, _: BACKFILL.run(df.select("user_id", "timestamp"), df, "tree"), 3),
    "naive": (lambda df, _: BACKFILL.run(df.select("user_id", "timestamp"), df, "naive"), 3),
    "upload": (lambda df, f: wb.OnlineView(BACKFILL, f).upload(df, "1970-01-02 00:00:00+00:00"), 3),
    "quantiles": (lambda df, _: wb.quantiles(df, "x", by="user_id"), 1),
    "last": (lambda df, _: wb.last_in_group(df, "user_id", "timestamp"), 1),
}


@contextmanager
def schema_reads(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Yield the list of places in the workbench that read the schema of any table."""
    places: list[str] = []
    read_schema = Classic.__dict__["schema"].func

    def schema(df: Classic) -> object:
        frame = sys._getframe(1)
        while frame.f_code.co_name == "columns" and frame.f_back is not None:
            frame = frame.f_back
        if "/workbench/" in frame.f_code.co_filename:
            places.append(f"{frame.f_code.co_filename}:{frame.f_lineno}")
        return read_schema(df)

    with monkeypatch.context() as patched:
        patched.setattr(Classic, "schema", property(schema))
        yield places


@pytest.mark.parametrize(("call", "most"), CALLS.values(), ids=CALLS)
def test_a_call_reads_the_schema_of_a_table_once(
    call: Callable[[DataFrame, Path], object],
    most: int,
    spark: SparkSession,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    events = spark.sql(EVENTS)
    with schema_reads(monkeypatch) as places:
        call(events, tmp_path / "store")
    assert len(places) == most, places
