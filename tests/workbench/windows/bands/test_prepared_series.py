"""Prepared series give the answers of the call, on every kind of session, without another job."""

import os
from functools import partial
from typing import Any

import pytest
from pyspark.sql import SparkSession

import workbench as wb
from tests.conftest import RunOn
from tests.workbench.spark.jobs import no_job
from workbench.windows.bands import prepared_series as window_series
from workbench.windows.bands.prepared_series import PackSeries, PreparedSeries

SHORT, LONG = wb.Frame.rows(-1, 1), wb.Frame.rows(-30, 5)


def call(frame: wb.Frame) -> wb.Over:
    some = wb.fn.sum("v").where("id > 3")
    return wb.Over(["p", "q.r"], "-t", frame, some=some, iqr=wb.fn.quantile("v", [0.25, 0.75]))


def rows(spark: SparkSession) -> Any:
    return spark.range(60).selectExpr(
        "id",
        "id % 2 AS p",
        "if(id % 3 = 0, null, concat('x', id % 3)) AS `q.r`",
        "timestamp_seconds(id * 3600 - 90000) AS t",
        "if(id % 7 = 0, null, id * id % 31) AS v",
    )


def prepared(spark: SparkSession) -> dict[Any, list[Any]]:
    series = PreparedSeries(rows(spark), call(SHORT))
    answers = {key: series.answer(call(LONG), key).to_pydict()["iqr"] for key in series.sizes}
    series.free()
    return answers


def direct(spark: SparkSession) -> dict[Any, list[Any]]:
    answers: dict[Any, list[Any]] = {}
    for row in call(LONG).run(rows(spark)).orderBy("p", "`q.r`", "id").collect():
        answers.setdefault((row.p, row["q.r"]), []).insert(0, row.iqr)
    return answers


def test_prepared_series_give_the_answers_of_the_call(spark: SparkSession) -> None:
    assert prepared(spark) == direct(spark)


@pytest.mark.parametrize("kind", ["connect", pytest.param("cluster", marks=pytest.mark.cluster)])
def test_every_kind_of_session_gives_the_same_answers(run_on: RunOn, kind: str) -> None:
    assert run_on(kind, prepared) == run_on("classic", prepared)


def test_a_long_series_is_held_in_pieces(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(window_series, "PackSeries", partial(PackSeries, most=4))
    assert prepared(spark) == direct(spark)


@pytest.mark.parametrize(
    "frame",
    [
        LONG,
        wb.Frame.range("-5 hours", "1 hour", exclude="group"),
        wb.Frame.groups(-2, 0, exclude="ties"),
        wb.Frame.rows(None, 0),
        wb.Frame.rows(2, 3),
    ],
)
def test_answers_of_some_rows_at_a_time_are_those_of_all_at_once(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, frame: wb.Frame
) -> None:
    series = PreparedSeries(rows(spark), call(SHORT))
    expected = {key: series.answer(call(frame), key) for key in series.sizes}
    monkeypatch.setattr(window_series, "ROWS_AT_ONCE", 2)
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    assert all(series.answer(call(frame), key).equals(one) for key, one in expected.items())
    series.free()


def test_the_frame_of_a_row_can_be_read_as_a_partition(spark: SparkSession) -> None:
    series = PreparedSeries(rows(spark), call(SHORT))
    key = (0, None)
    assert series.frame(call(SHORT), key, 0) == (0, 2)
    part = series.partition(call(SHORT), key, 3)
    assert part.rows == 3
    whole = series.answer(call(SHORT), key).slice(2, 3)
    assert part.answers().column("v").to_pylist() == whole.column("v").to_pylist()
    assert part.answers().column("iqr")[1] == whole.column("iqr")[1]
    series.free()


def test_another_window_of_the_same_series_starts_no_job(spark: SparkSession) -> None:
    series = PreparedSeries(rows(spark), call(SHORT))
    first = series.answer(call(SHORT), (0, None))
    with no_job(spark):
        again = series.answer(call(LONG), (0, None))
    assert first.column("v") == again.column("v")
    assert first.column("iqr") != again.column("iqr")
    series.free()


def test_the_series_are_counted_and_in_order(spark: SparkSession) -> None:
    series = PreparedSeries(rows(spark), call(SHORT))
    assert list(series.sizes)[:3] == [(0, None), (0, "x1"), (0, "x2")]
    assert sum(series.sizes.values()) == 60
    series.free()


def test_keys_that_cannot_be_distinguished_are_refused(spark: SparkSession) -> None:
    df = spark.sql("SELECT array(1) AS tags, 1 AS t, 2.0D AS v")
    with pytest.raises(wb.WorkbenchError, match="column 'tags' holds arrays"):
        PreparedSeries(df, wb.Over("tags", "t", SHORT, q=wb.fn.quantile("v", [0, 1])))
