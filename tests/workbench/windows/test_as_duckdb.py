"""Window calls on Spark, against DuckDB in process."""

from dataclasses import replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pyarrow as pa
from hypothesis import HealthCheck, Phase, given
from hypothesis import strategies as st
from pyspark.sql import SparkSession

import workbench as wb
from tests.drawn import draws
from tests.workbench.windows.cases import (
    DISTINCT,
    OWN_ORDER,
    POSITIONAL,
    RANKED,
    TIE_PROOF,
    Case,
    Varying,
    alike,
    ask_duckdb,
    ask_spark,
    bounds,
    counted_frames,
    frame_in_sql,
    local,
    same,
    tables,
    varying,
)
from workbench import fn

#: Each example is a Spark job, so a failing one is reported as drawn, without shrinking.
some = draws(
    12,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
partitions = st.sampled_from([[], ["p"], ["p", "yes"]])


def check(
    spark: SparkSession,
    rows: pa.Table,
    partition_by: list[str],
    order_by: list[str],
    frame: wb.Frame,
    functions: dict[str, Case],
    interval: bool = False,
) -> None:
    expected = ask_duckdb(rows, partition_by, order_by, frame_in_sql(frame, interval), functions)
    answers = ask_spark(spark, rows, partition_by, order_by, frame, functions)
    assert same(answers, expected, functions)


@some
@given(
    rows=tables(),
    partition_by=partitions,
    order_by=st.sampled_from([["k", "id"], ["-word", "id"], ["real", "-id"], ["-price", "id"]]),
    frame=counted_frames(("rows", "groups", "rows")),
)
def test_frames_that_count_rows(
    spark: SparkSession,
    rows: pa.Table,
    partition_by: list[str],
    order_by: list[str],
    frame: wb.Frame,
) -> None:
    check(spark, rows, partition_by, order_by, frame, TIE_PROOF | POSITIONAL)


@some
@given(
    rows=tables(),
    partition_by=partitions,
    order_by=st.sampled_from([["k", "id"], ["-word", "id"]]),
    frame=counted_frames(("rows", "groups")),
)
def test_functions_look_at_their_frame_in_an_order_of_their_own(
    spark: SparkSession,
    rows: pa.Table,
    partition_by: list[str],
    order_by: list[str],
    frame: wb.Frame,
) -> None:
    framed = replace(frame, exclude="no others")
    check(spark, rows, partition_by, order_by, framed, OWN_ORDER | RANKED)


@draws(16, some)
@given(
    rows=tables(),
    partition_by=partitions,
    order_by=st.sampled_from([["k", "id"], ["-word", "id"], ["real"], ["-price"]]),
    frame=counted_frames(("rows", "groups")),
)
def test_distinct_values_count_once(
    spark: SparkSession,
    rows: pa.Table,
    partition_by: list[str],
    order_by: list[str],
    frame: wb.Frame,
) -> None:
    if len(order_by) == 1:
        frame = wb.Frame.groups(*frame.given, exclude=frame.exclude)
    check(spark, rows, partition_by, order_by, frame, DISTINCT)


#: Functions of each kind: aggregates that can remove rows, those that cannot, and holistic ones.
EACH_KIND = ("rows_", "total", "mean_x", "low", "spread", "half", "band", "disc", "dev", "kinds")


@draws(40, some)
@given(rows=tables(), partition_by=partitions, around=varying())
def test_frames_with_bounds_from_columns(
    spark: SparkSession, rows: pa.Table, partition_by: list[str], around: Varying
) -> None:
    functions = {name: TIE_PROOF[name] for name in EACH_KIND}
    functions |= {f"{name}_once": DISTINCT[name] for name in ("total", "sum_real", "q_at", "disc")}
    order_by = [around.order]
    if around.unit == "rows":
        order_by.append("id")
        functions |= {
            name: POSITIONAL[name] for name in ("first", "last_given", "list", "mode", "most")
        }
    expected = ask_duckdb(rows, partition_by, order_by, around.sql, functions)
    answers = ask_spark(spark, rows, partition_by, order_by, around.frame, functions)
    assert same(answers, expected, functions)


@some
@given(
    rows=tables(),
    partition_by=partitions,
    order_by=st.sampled_from([["k"], ["-word"], ["real"], ["day", "-k"], ["yes"]]),
    frame=counted_frames(("groups",)),
)
def test_frames_that_count_groups_of_tied_rows(
    spark: SparkSession,
    rows: pa.Table,
    partition_by: list[str],
    order_by: list[str],
    frame: wb.Frame,
) -> None:
    check(spark, rows, partition_by, order_by, frame, TIE_PROOF)


NUMBERS = bounds(st.integers(-3, 3))
HALVES = bounds(st.integers(-4, 4).map(lambda x: x / 2))
DAYS = ["-40 days", "-3 days", "-12 hours", "0 days", "12 hours", "3 days", "40 days"]
MONTHS = ["-2 months", "-1 month", "0 months", "1 month", "1 year"]


def in_order(distances: list[str]) -> st.SearchStrategy[tuple[Any, Any]]:
    positions = bounds(st.integers(0, len(distances) - 1))
    return positions.map(lambda pair: (_at(distances, pair[0]), _at(distances, pair[1])))


def _at(distances: list[str], position: int | None) -> str | None:
    return None if position is None else distances[position]


@st.composite
def measured(draw: st.DrawFn) -> tuple[str, tuple[Any, Any], bool]:
    """Draw an order column, two bounds along it, and whether these are intervals."""
    column, distances, interval = draw(
        st.sampled_from(
            [
                ("k", NUMBERS, False),
                ("real", HALVES, False),
                ("price", HALVES, False),
                ("day", in_order(DAYS), True),
                ("moment", in_order(DAYS), True),
                ("day", in_order(MONTHS), True),
                ("moment", in_order(MONTHS), True),
            ]
        )
    )
    return draw(st.sampled_from(["", "-"])) + column, draw(distances), interval


@draws(40, some)
@given(
    rows=tables(),
    partition_by=partitions,
    along=measured(),
    exclude=st.sampled_from(["no others", "current row", "group", "ties"]),
)
def test_frames_that_measure_along_the_order(
    spark: SparkSession,
    rows: pa.Table,
    partition_by: list[str],
    along: tuple[str, tuple[Any, Any], bool],
    exclude: str,
) -> None:
    order, (low, high), interval = along
    frame = wb.Frame.range(low, high, exclude=exclude)
    check(spark, rows, partition_by, [order], frame, TIE_PROOF, interval)


@some
@given(rows=tables(), order=st.sampled_from(["moment", "-k", "real"]))
def test_missing_values_are_filled(spark: SparkSession, rows: pa.Table, order: str) -> None:
    filled = {
        name: Case(fn.fill(name), f"fill({name})", frameless=True)
        for name in ("whole", "small", "x", "price", "day", "moment")
    }
    untied = rows.filter(pa.compute.is_valid(rows.column(order.lstrip("-"))))
    untied = untied.append_column("at", pa.array(range(len(untied)), pa.int64()))
    # Of tied rows, DuckDB and Spark may take either as neighbour.
    firsts = untied.group_by(["p", order.lstrip("-")]).aggregate([("at", "min")])
    untied = untied.take(pa.compute.sort_indices(untied.column("at"))).filter(
        pa.compute.is_in(untied.column("at"), firsts.column("at_min").combine_chunks())
    )
    functions = {f"{name}_filled": one for name, one in filled.items()}
    expected = ask_duckdb(untied, ["p"], [order], "", functions)
    answers = ask_spark(spark, untied, ["p"], [order], None, functions)
    for name in functions:
        columns = answers[name], expected[name]
        assert all(map(nearly, *columns)), (name, *columns)


def nearly(got: Any, wanted: Any) -> bool:
    """Return whether values are equal, or one unit apart where DuckDB truncates a number."""
    units = {int: 1, Decimal: Decimal("0.1"), date: timedelta(1)}
    units[datetime] = timedelta(microseconds=1)
    if type(got) is not type(wanted) or type(got) not in units:
        return alike(got, wanted)
    return bool(abs(local(got) - wanted) <= units[type(got)])


def test_functions_without_an_order_see_the_whole_partition(spark: SparkSession) -> None:
    rows = pa.table({"id": [0, 1, 2], "p": ["a", None, None], "whole": [4, 7, None]})
    functions = {
        "total": Case(fn.sum("whole"), "sum(whole)"),
        "half": Case(fn.median("whole"), "median(whole)"),
    }
    expected = ask_duckdb(rows, ["p"], [], "", functions)
    assert same(ask_spark(spark, rows, ["p"], [], None, functions), expected, functions)
