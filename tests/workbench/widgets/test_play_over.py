"""The step player on window calls: the run of the kernel that answers, on the worker's columns."""

from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

import workbench as wb
from workbench.functions.catalogue import CATALOGUE, RANKING
from workbench.functions.fn import Function
from workbench.widgets.lessons.window import window_lesson
from workbench.widgets.stepper.lesson import checked
from workbench.widgets.stepper.questions import questions_of
from workbench.windows.inspect.one_partition import partition_of

# Rows that tie are equal, as they come in any order.
ROWS = [(1, 10), (2, 30), (2, 30), (4, None), (None, 10), (7, 3)]


@pytest.fixture(scope="module")
def table(spark: SparkSession) -> DataFrame:
    rows = [(k, v, float(v or 0), v == 3, str(v)) for k, v in ROWS]
    return spark.createDataFrame(rows, "k int, v int, x double, yes boolean, word string")


def call(function: Function, **options: Any) -> wb.Over:
    options = {"order_by": "k", "engine": "kernel"} | options
    return wb.Over(answer=function, **options)


FUNCTIONS = [
    *(wb.fn.count("v"), wb.fn.sum("v"), wb.fn.avg("x"), wb.fn.min("v"), wb.fn.max("word")),
    *(wb.fn.quantile("v", [0.25, 0.5]), wb.fn.quantile_disc("word", 0.5), wb.fn.mode("v")),
    *(wb.fn.mad("v"), wb.fn.count("v").distinct(), wb.fn.stddev("x"), wb.fn.covar_pop("x", "v")),
    *(wb.fn.first("v"), wb.fn.last("v").ignore_nulls(), wb.fn.nth("v", 2), wb.fn.bool_or("yes")),
    *(wb.fn.arg_max("word", "v"), wb.fn.sum("v").where("v < 20")),
    *(wb.fn.top_k("v", 2), wb.fn.first_k("v", 2), wb.fn.histogram("word")),
    wb.fn.bounded_count_distinct("v", 2),
]
FRAMELESS = [
    *(wb.fn.lag("v"), wb.fn.lead("v", 1).ignore_nulls(), wb.fn.fill("v"), wb.fn.ntile(2)),
    *(
        getattr(wb.fn, name)()
        for name, one in CATALOGUE.items()
        if one.family == RANKING and name != "ntile"
    ),
]
FRAMES = [wb.Frame.rows(-1, 1), wb.Frame.groups(-1, 0, exclude="ties"), wb.Frame.range(-2, 0)]


@pytest.mark.parametrize("frame", FRAMES, ids=str)
def test_every_function_over_a_frame_can_be_stepped_through(
    table: DataFrame, frame: wb.Frame
) -> None:
    functions: dict[str, Any] = {f"f{i}": one for i, one in enumerate(FUNCTIONS)}
    over = wb.Over(order_by="k", frame=frame, engine="kernel", **functions)
    answers = over.run(table).toPandas()
    rows = partition_of(over, table)
    for name in functions:
        lesson = checked(window_lesson(rows, name))
        assert lesson["steps"], name
        assert all(len(p["states"]) == len(lesson["steps"]) for p in lesson["pictures"])
        assert lesson["result"].count("null") == answers[name].isna().sum(), name


@pytest.mark.parametrize("function", FRAMELESS, ids=str)
def test_every_function_of_the_whole_partition_can_be_stepped_through(
    table: DataFrame, function: Function
) -> None:
    lesson = wb.play(call(function), table).lesson
    assert lesson["steps"]
    assert "Frame" not in lesson["intro"]
    # A reader is not asked for a frame either.
    assert not any("frame" in one["ask"] for one in filter(None, questions_of(lesson)))


def test_the_band_holds_the_frame_and_nulls_are_crossed_out(table: DataFrame) -> None:
    over = call(wb.fn.median("v"), frame=wb.Frame.rows(-1, 1))
    lesson = wb.play(over, table).lesson
    states = lesson["pictures"][0]["states"]
    assert states[-1] == {
        "current": 5, "seen": 6, "chain": [5], "skipped": [4],
        "window": {"from": 3.6, "to": 5.4, "label": "frame of row 5"},
    }  # fmt: skip
    assert {tuple(state["skipped"]) for state in states} == {(), (4,)}
    assert "1 of 6 rows do not count" in lesson["intro"]


def test_the_sorted_values_are_those_of_the_frame(table: DataFrame) -> None:
    lesson = wb.play(call(wb.fn.median("x"), frame=wb.Frame.rows(-1, 1)), table).lesson
    cells = lesson["pictures"][1]
    assert [value for value in cells["states"][-1]["cells"] if value] == ["0", "3"]
    assert lesson["steps"][-1]["caption"].startswith("The finger for 0.5 is at rank")


def test_a_call_that_spark_answers_says_that_the_kernel_is_shown(table: DataFrame) -> None:
    lesson = wb.play(wb.Over(order_by="k", n=wb.fn.row_number()), table).lesson
    assert "Spark's own window operator answers this call" in lesson["intro"]


def test_one_table_is_played_and_only_window_calls_take_a_column(table: DataFrame) -> None:
    with pytest.raises(wb.WorkbenchError, match="on one table, and 0 are given"):
        wb.play(call(wb.fn.rank()))
    with pytest.raises(wb.WorkbenchError, match="column: it is for window calls"):
        wb.play(wb.Funnel(["a"], 1), table, column="n")
    with pytest.raises(wb.WorkbenchError, match="'m' is not a result here; give one of 'answer'"):
        wb.play(call(wb.fn.rank()), table, column="m")


def test_too_many_steps_to_follow_are_one_sentence(spark: SparkSession) -> None:
    rows = spark.range(100).selectExpr("id AS k", "id % 7 AS v")
    shares = [k / 40 for k in range(41)]
    over = call(wb.fn.quantile("v", shares), frame=wb.Frame.rows(-9, 9))
    with pytest.raises(wb.WorkbenchError, match="100 rows, whose run has more steps than a person"):
        wb.play(over, rows)
