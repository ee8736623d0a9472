"""Small local tables are answered in this process, with the answers of Spark's workers."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import Phase, given
from hypothesis import strategies as st
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import workbench as wb
from tests.clusters import ZONE, session_options
from tests.drawn import draws
from tests.workbench.spark.jobs import no_job
from tests.workbench.windows import cases
from workbench import fn
from workbench.errors import JobError
from workbench.spark import in_driver
from workbench.spark.held import HeldTable
from workbench.spark.sources.small_tables import (
    ANSWER_IN_DRIVER,
    GIVEN,
    LOCAL,
    NEVER,
    ROWS,
    local_rows,
    source,
)

#: The number of tables that each kind of query is tested with, in both ways.
BOTH_WAYS = draws(2, phases=[Phase.generate])
#: Functions for each kind of result and argument; some have a condition, which Spark computes.
SOME = ("counted", "spent", "mean_x", "low_word", "band", "q_at", "disc_day", "counts", "rank")
STEPS = ("", "a", "ab")
MOMENTS = st.one_of(
    st.none(), st.integers(-40, 40).map(lambda hour: datetime(1970, 1, 2) + timedelta(hours=hour))
)


@st.composite
def events(draw: st.DrawFn, most_rows: int = 40) -> pa.Table:
    """Draw events with ties, duplicates, a hot key, nulls, NaN, and times before 1970."""
    size = draw(st.integers(0, most_rows))
    columns: dict[str, tuple[st.SearchStrategy[Any], pa.DataType]] = {
        "who": (st.sampled_from(["x", "x", "x", "y", "z", None]), pa.string()),
        "number": (st.integers(0, 3), pa.int32()),
        "at": (MOMENTS, pa.timestamp("us", "UTC")),
        "event": (st.sampled_from([*STEPS, "zz", None]), pa.string()),
        "value": (st.sampled_from([0.5, -1.0, float("nan"), None, 4.0]), pa.float64()),
    }
    drawn = {
        name: pa.array(draw(st.lists(value, min_size=size, max_size=size)), kind)
        for name, (value, kind) in columns.items()
    }
    return pa.table(drawn)


def both_ways(spark: SparkSession, query: Any) -> None:
    """Compare a query in this process, on all rows and on some keys at a time, to Spark's."""
    with session_options(spark, {ANSWER_IN_DRIVER: GIVEN}):
        here: DataFrame = query()
        with as_large():
            in_parts: DataFrame = query()
    there: DataFrame = query()
    assert local_rows(there) is None
    for one in (here, in_parts):
        assert local_rows(one) is not None
        assert one.schema == there.schema
        assert in_any_order(one) == in_any_order(there)


@contextmanager
def as_large() -> Iterator[None]:
    """Answer a small table as a large one, some keys at a time on three cores."""
    with (
        patch.object(in_driver, "ROWS_AT_ONCE", 4),
        patch.object(in_driver, "cores", lambda: 3),
    ):
        yield


def in_any_order(df: DataFrame) -> list[str]:
    return sorted(map(str, df.toArrow().to_pylist()))


@pytest.fixture(autouse=True)
def on_spark(spark: SparkSession) -> None:
    """Outside of :func:`both_ways`, queries run in Spark's workers."""
    assert spark.conf.get(ANSWER_IN_DRIVER) == NEVER


@BOTH_WAYS
@given(rows=cases.tables(most_rows=30))
def test_window_functions_are_those_of_sparks_workers(spark: SparkSession, rows: pa.Table) -> None:
    columns: dict[str, Any] = {name: cases.TIE_PROOF[name].function for name in SOME}
    frame = wb.Frame.range(-2, 1)
    both_ways(spark, lambda: wb.over(rows, "p", "k", frame, "kernel", **columns))


@BOTH_WAYS
@given(rows=events())
def test_levels_are_those_of_sparks_workers(spark: SparkSession, rows: pa.Table) -> None:
    funnel = wb.Funnel(STEPS, "10 hours", key=["who", "number"], time="at")
    both_ways(spark, lambda: funnel.levels(rows, by="event"))


@BOTH_WAYS
@given(rows=events(), conditions=st.booleans())
def test_steps_are_those_of_sparks_workers(
    spark: SparkSession, rows: pa.Table, conditions: bool
) -> None:
    steps = {"first": "event = ''", "then": "value > 0 AND event <> ''"} if conditions else STEPS
    funnel = wb.Funnel(steps, "10 hours", key="who", time="at")
    with session_options(spark, {ANSWER_IN_DRIVER: GIVEN}):
        here = steps_without_warnings(funnel, rows)
        with as_large():
            in_parts = steps_without_warnings(funnel, rows)
    there = steps_without_warnings(funnel, rows)
    for one in (here, in_parts):
        pd.testing.assert_frame_equal(one, there)
        assert one.attrs == there.attrs


def steps_without_warnings(funnel: wb.Funnel, rows: Any) -> pd.DataFrame:
    """Return steps without a warning of rows left out, whose count is in the attributes."""
    from workbench.funnel.summary import summary_of

    return summary_of(funnel, rows, warn=False).steps


@BOTH_WAYS
@given(queries=events(15), rows=events())
def test_features_are_those_of_sparks_workers(
    spark: SparkSession, queries: pa.Table, rows: pa.Table
) -> None:
    aggregations = [
        wb.Aggregation("avg", "value", windows=["5 hours", None]),
        wb.Aggregation("count", windows="9 hours", by="event"),
        wb.Aggregation("last", "event", windows="20 hours", where="number > 0"),
    ]
    backfill = wb.Backfill("who", "at", aggregations)
    both_ways(spark, lambda: backfill.run(queries, rows))


@BOTH_WAYS
@given(rows=events(), by=st.sampled_from([None, "who", ["who", "number"]]))
def test_quantiles_are_those_of_sparks_workers(
    spark: SparkSession, rows: pa.Table, by: Any
) -> None:
    both_ways(spark, lambda: wb.quantiles(rows, ["value", "at"], [0.25, 0.5], by=by))


#: Arguments with invalid values in some row, and the error message.
INVALID_ARGUMENTS: list[tuple[Callable[[], dict[str, Any]], str]] = [
    *(
        (
            lambda unit=unit: {"frame": getattr(wb.Frame, unit)(F.col("n"), 1), "a": fn.count()},
            "low: the bound is null or NaN in 1 row of a partition; give every row a distance, "
            "such as with F.coalesce(..., F.lit(0)).",
        )
        for unit in ("rows", "groups", "range")
    ),
    (
        lambda: {"a": fn.ntile(F.col("n"))},
        "a: ntile has -3 buckets for a row; give every row 1 or more.",
    ),
]


@pytest.mark.parametrize(("make", "sentence"), INVALID_ARGUMENTS)
def test_an_invalid_value_of_an_argument_in_a_row_is_an_error_of_one_sentence(
    spark: SparkSession, make: Callable[[], dict[str, Any]], sentence: str
) -> None:
    rows = pa.table({"k": [1, 2], "n": [-3, None]})
    with (
        session_options(spark, {ANSWER_IN_DRIVER: GIVEN}),
        pytest.raises(wb.WorkbenchError) as error,
    ):
        wb.over(rows, order_by="k", **make())
    assert str(error.value) == sentence


#: Ascending values of lists, structs and maps, at one time.
NESTED: list[tuple[pa.DataType, list[Any]]] = [
    (pa.list_(pa.int64()), [None, [], [None, 9], [1], [1, 0], [2]]),
    (pa.list_(pa.float64()), [[-math.inf], [-0.0, 1.0], [0.0, 2.0], [math.nan]]),
    (pa.list_(pa.list_(pa.string())), [[None], [[]], [["a", "é"]], [["b"]]]),
    (pa.struct([("a", pa.int64()), ("b", pa.string())]), [
        None, {"a": None, "b": "z"}, {"a": 1, "b": None}, {"a": 1, "b": "x"}, {"a": 2, "b": "a"}
    ]),
    (pa.map_(pa.string(), pa.int64()), [None, [], [("a", 2)], [("a", 2), ("b", 1)], [("b", 0)]]),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "values"), NESTED, ids=lambda one: str(one)[:30])
def test_nested_events_at_one_time_have_the_same_order_in_both_ways(
    spark: SparkSession, kind: pa.DataType, values: list[Any]
) -> None:
    queries, size = pa.table({"u": ["a"], "t": [5]}), len(values)
    backwards = pa.array(values[::-1], kind)
    events = pa.table({"u": ["a"] * size, "t": [1] * size, "l": backwards})
    aggregations = [wb.Aggregation(name, "l", name=name) for name in ("count", "first", "last")]
    ordered = wb.Backfill("u", "t", [*aggregations, wb.Aggregation("array_agg", "l")], "sliding")
    both_ways(spark, lambda: ordered.run(queries, events))
    (row,) = ordered.run(queries, events).toArrow().select([2, 3, 4, 5]).to_pylist()
    count = size - values.count(None)
    assert str([*row.values()]) == str([count, values[0], values[-1], values])
    # Spark orders no maps.
    if not pa.types.is_map(kind):
        naive = wb.Backfill("u", "t", aggregations, "sliding").run(queries, events, method="naive")
        assert str(naive.toArrow().select([2, 3, 4]).to_pylist()) == str(
            [{name: row[name] for name in ("count", "first", "last")}]
        )


def test_a_call_explains_where_it_is_answered_and_settings_choose_it(spark: SparkSession) -> None:
    rows = pd.DataFrame({"k": [1, 1, 2], "t": [1, 2, 3], "v": [5, 7, 6]})
    over = wb.Over("k", "t", wb.Frame.rows(-1, 0), usual=wb.fn.median("v"))
    backfill = wb.Backfill("k", "t", wb.Aggregation("sum", "v", windows=5), "sliding")
    here = "answered in the driver's process, which holds all"
    with session_options(spark, {ANSWER_IN_DRIVER: GIVEN}):
        with no_job(spark):
            assert local_rows(over.run(rows)) == 3
        assert over.explain(rows).startswith(f"{here} 3 rows")
        assert backfill.explain(rows, rows).startswith(f"{here} 6 rows")
        assert local_rows(backfill.run(rows, rows, method="scan")) is None
        assert over.explain(wb.table(rows)).startswith("answered by Spark's tasks")
        with session_options(spark, {ROWS: 2}):
            assert over.explain(rows).startswith("answered by Spark's tasks")
    assert over.explain(rows).startswith("answered by Spark's tasks")
    for option, value in ((ANSWER_IN_DRIVER, "always"), (ROWS, "many")):
        with (
            session_options(spark, {option: value}),
            pytest.raises(wb.WorkbenchError) as error,
        ):
            over.run(rows)
        assert str(error.value).startswith(f"{option}: {value!r}")


def test_a_local_relation_is_answered_here_for_immediate_results_or_if_set(
    spark: SparkSession,
) -> None:
    table = wb.table(pd.DataFrame({"k": [1, 1, 2], "t": [1, 2, 3], "e": ["a", "b", "a"]}))
    funnel = wb.Funnel(["a", "b"], 5, key="k", time="t", event="e")
    with session_options(spark, {ANSWER_IN_DRIVER: GIVEN}):
        assert local_rows(funnel.levels(table.where("t > 0"))) is None
        assert funnel.steps(table)["users"].tolist() == [2, 1]
    with session_options(spark, {ANSWER_IN_DRIVER: LOCAL}):
        levels = funnel.levels(table.where("t > 0"))
        assert local_rows(levels) == 2
        assert sorted(row.level for row in levels.collect()) == [1, 2]
        assert local_rows(funnel.levels(spark.range(3).selectExpr("id k", "id t", "'a' e"))) is None


def test_small_files_are_fetched_for_immediate_results(spark: SparkSession, tmp_path: Path) -> None:
    rows = pa.table({"k": [1, 1, 2, None], "t": [1, 2, 3, 4], "e": ["a", "b", "a", "a"]})
    pq.write_table(rows, tmp_path / "events.parquet")
    files = spark.read.parquet(str(tmp_path / "events.parquet"))
    funnel = wb.Funnel({"first": "e = 'a'", "then": "e = 'b'"}, 5, key="k", time="t")
    there = steps_without_warnings(funnel, files)
    with session_options(spark, {ANSWER_IN_DRIVER: GIVEN}):
        assert isinstance(source(files, at_once=True), HeldTable)
        assert not isinstance(source(files), HeldTable)
        assert not isinstance(source(spark.range(10**9), at_once=True), HeldTable)
        here = steps_without_warnings(funnel, files)
        pd.testing.assert_frame_equal(here, there)
        assert here.attrs["skipped"] == there.attrs["skipped"] == 1
        with patch.object(in_driver, "in_arrow", side_effect=JobError(in_driver.MOST_RESULTS)):
            pd.testing.assert_frame_equal(steps_without_warnings(funnel, files), there)


@pytest.mark.parametrize("engine", ["kernel", "spark"])
def test_times_without_a_zone_go_by_the_clock_of_the_session(
    spark: SparkSession, engine: str
) -> None:
    # 1:00 and 4:00 are two hours apart; 2:30 does not exist that day, and comes twice in October.
    clocks = ["2024-03-31 01:00", "2024-03-31 02:30", "2024-03-31 04:00", "2024-10-27 02:30"]
    rows = pd.DataFrame({"k": 1, "t": pd.to_datetime(clocks)})
    over = wb.Over("k", "t", wb.Frame.range("-2 hours", 0), engine, n=wb.fn.count())
    with session_options(spark, {ZONE: "Europe/Berlin"}):
        assert [row.n for row in sorted(over.run(rows).collect())] == [1, 2, 3, 1]
        there = in_any_order(over.run(rows))
        with session_options(spark, {ANSWER_IN_DRIVER: GIVEN}):
            assert in_any_order(over.run(rows)) == there


def test_a_sum_beyond_its_type_is_the_same_error_as_in_a_job(
    spark: SparkSession,
) -> None:
    most = 2**63 - 1
    rows = pd.DataFrame({"k": 1, "t": [1, 2], "v": [most, most]})
    queries = pd.DataFrame({"k": [1], "t": [3]})
    backfill = wb.Backfill("k", "t", wb.Aggregation("sum", "v", windows=5), "sliding")
    sentence = "a sum does not fit a 64-bit integer; cast the column to double."
    with session_options(spark, {ANSWER_IN_DRIVER: GIVEN}):
        with pytest.raises(JobError, match=f"^total: {sentence}$"):
            wb.over(rows, "k", "t", engine="kernel", total=fn.sum("v"))
        with pytest.raises(JobError, match=f"^v_sum_5: {sentence}$"):
            backfill.run(queries, rows)
