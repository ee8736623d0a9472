"""An impossible window call is refused with one clear sentence, before any Spark job."""

import math
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

import workbench as wb
from tests.workbench.spark.jobs import no_job
from workbench import fn
from workbench.frames.bounds import MONTHS, Offset

GIVE_ONE = "give an integer, negative before the current row, a Column, or None for no bound."
ORDER = "give a name, '-name' for descending, or ('name', 'desc', 'nulls first')."
NEEDS = "needs an order; name its columns in order_by."
SUCH_AS = "such as '1 hour', '90 days' or timedelta(minutes=5)."
OF_AGGREGATES = "it is for aggregates of a column, such as wb.fn.sum('x')."
SPARK_CANNOT = "take engine='kernel' or 'auto'."

NO_LIST = "give one value, or several in a list."
OTHERS_EACH_TIME = (
    "is another one each time it is computed, and so the answer would be; "
    "save it as a column of a table first."
)

#: A name that no column can have.
HALF: dict[str, Any] = {"\ud800": fn.sum("mwh")}

#: Calls that are impossible with any table, and their errors.
SPECIFICATIONS: list[tuple[Callable[[], object], str]] = [
    (
        lambda: wb.Over({"plant": 1}, "day", x=fn.sum("mwh")),  # type: ignore[arg-type]
        "partition_by: {'plant': 1} is a mapping; " + NO_LIST,
    ),
    (
        lambda: wb.Over(False, "day", x=fn.sum("mwh")),  # type: ignore[arg-type]
        "partition_by: False is not text; give the name of a column, or several in a list.",
    ),
    (
        lambda: wb.Frame("rows", -2, 0),  # type: ignore[arg-type]
        "low: -2 is not a parsed bound; make the frame with wb.Frame.rows(...).",
    ),
    (
        lambda: wb.Frame("session", None, "1 hour"),  # type: ignore[arg-type]
        "high: '1 hour' is not a parsed bound; make the frame with wb.Frame.session(...).",
    ),
    (
        lambda: wb.Frame("row", None, None),
        "unit: 'row' is not known; give one of 'rows', 'range', 'groups', 'session'.",
    ),
    (
        lambda: wb.Over("plant", {"day": "desc"}, x=fn.sum("mwh")),
        "order_by: {'day': 'desc'} is a mapping; " + NO_LIST,
    ),
    (
        lambda: wb.Over("plant", "day", engine=["auto"], x=fn.sum("mwh")),  # type: ignore[arg-type]
        "engine: ['auto'] is not known; give one of 'auto', 'kernel', 'spark'.",
    ),
    (
        lambda: wb.Over("plant", "day", **HALF),
        "columns: '\\ud800' has half of a character (a surrogate), which no column can hold; "
        "leave it out.",
    ),
    (
        lambda: fn.sum("x").order_by("t"),
        "order_by: sum is the same in any order of the rows; leave it out.",
    ),
    (
        lambda: fn.dense_rank().order_by("t"),
        "order_by: dense_rank has no order of its own; order the call instead.",
    ),
    (lambda: fn.first("x").order_by(), "order_by: there is no column; name one or more."),
    (
        lambda: fn.first("x").order_by(5),
        f"order_by: 5 is not an order column; {ORDER}",
    ),
    (
        lambda: wb.Over("p", "t", x=fn.fill("x").order_by("a", "b")),
        "x: fill interpolates along one column, but order_by names 2; name one.",
    ),
    (
        lambda: fn.nth("x", 0),
        "n: 0 is not a position; give 1 for the first row and so on, or -1 for the last.",
    ),
    (
        lambda: wb.Frame.rows("-3 days", 0),  # type: ignore[arg-type]
        "low: '-3 days' is not a whole number, but a frame of rows counts rows; " + GIVE_ONE,
    ),
    (
        lambda: wb.Frame.groups(None, 1.5),  # type: ignore[arg-type]
        "high: 1.5 is not a whole number, but a frame of groups counts groups; " + GIVE_ONE,
    ),
    (
        lambda: wb.Frame.rows(True, None),
        "low: True is not a whole number, but a frame of rows counts rows; " + GIVE_ONE,
    ),
    (
        lambda: wb.Frame.rows(-(10**30), 0),
        f"low: {-(10**30)} is too far; give None for no bound.",
    ),
    (
        lambda: wb.Frame.range(-1, "3 days"),
        "low, high: -1 and '3 days' are not of the same kind; give two numbers or two durations.",
    ),
    (
        lambda: wb.Frame.range(float("-inf"), 0),
        "low: -inf is not a distance; give None for no bound.",
    ),
    (
        lambda: wb.Frame.range([1], 2),  # type: ignore[arg-type]
        "low: [1] is not a distance; give a number, a duration such as '-3 days', "
        "a Column, or None for no bound.",
    ),
    (
        lambda: wb.Frame.range("-3", 0),
        "low: '3' has no unit; give a duration with a unit, " + SUCH_AS,
    ),
    (
        lambda: wb.Frame.range("-1 month 3 days", 0),
        "low: '-1 month 3 days' mixes months with days or hours; give one or the other.",
    ),
    (
        lambda: wb.Frame.range("--3 days", 0),
        "low: '--3 days' has more than one sign; give at most one.",
    ),
    (
        lambda: wb.Frame.rows(-1, 0, exclude="peers"),
        "exclude: 'peers' is not known; give one of 'no others', 'current row', 'group', 'ties'.",
    ),
    (
        lambda: wb.Over("p"),
        "columns: there are no functions; give one under the name of its result, "
        "such as mean=wb.fn.avg('mwh').",
    ),
    (
        lambda: wb.Over("p", mean="avg"),  # type: ignore[arg-type]
        "mean: 'avg' is not a window function; give one of wb.fn, such as mean=wb.fn.avg('mwh').",
    ),
    (
        lambda: wb.Over("p", **{"": fn.count()}),  # type: ignore[arg-type]
        "columns: '' is not a name for a result; give one, such as mean=wb.fn.avg('mwh').",
    ),
    (
        lambda: wb.Over("p", a=fn.count(), A=fn.count()),
        "columns: 'a' and 'A' are the same name to Spark; rename one.",
    ),
    (
        lambda: wb.Over("p", "t", "rows", a=fn.count()),  # type: ignore[arg-type]
        "frame: 'rows' is not a frame; give one such as wb.Frame.rows(-3, 3).",
    ),
    (
        lambda: wb.Over("p", "t", engine="duckdb", a=fn.count()),
        "engine: 'duckdb' is not known; give one of 'auto', 'kernel', 'spark'.",
    ),
    (
        lambda: wb.Over("p", "t", wb.Frame.rows(-1, 0), a=fn.lag("x")),
        "frame: lag has no frame, it looks at the whole partition; leave the frame out.",
    ),
    (
        lambda: fn.lag("x").over(wb.Frame.rows(-1, 0)),
        "over: lag has no frame; it looks at the whole partition.",
    ),
    (
        lambda: fn.sum("x").over("rows"),  # type: ignore[arg-type]
        "over: 'rows' is not a frame; give one such as wb.Frame.rows(-3, 3).",
    ),
    (
        lambda: wb.Over("p", ["a", "b"], wb.Frame.range(-1, 0), total=fn.sum("x")),
        "total: wb.Frame.range(-1, 0) is measured along one column, "
        "but order_by names 2; name one.",
    ),
    (
        lambda: wb.Over("p", ["a", "b"], x=fn.fill("x")),
        "x: fill interpolates along one column, but order_by names 2; name one.",
    ),
    (
        lambda: wb.Over("p", list=fn.string_agg("x")),
        f"list: string_agg {NEEDS}",
    ),
    (
        lambda: fn.string_agg("x", 5),  # type: ignore[arg-type]
        "separator: 5 is not text; give text, such as ', '.",
    ),
    (lambda: wb.Over("p", number=fn.row_number()), f"number: row_number {NEEDS}"),
    (lambda: wb.Over("p", one=fn.first("x")), f"one: first {NEEDS}"),
    (
        lambda: wb.Over("p", (), wb.Frame.groups(-1, 0), n=fn.count()),
        f"n: wb.Frame.groups(-1, 0) {NEEDS}",
    ),
    (lambda: wb.Over("p", 5, n=fn.count()), f"order_by: 5 is not a column; {ORDER}"),
    (
        lambda: wb.Over("p", [("t", "down")], n=fn.count()),
        f"order_by: ('t', 'down') is not an order column; {ORDER}",
    ),
    (
        lambda: wb.Over("p", ["t", "-t"], n=fn.count()),
        "order_by: column 't' is named twice; name it once.",
    ),
    (
        lambda: wb.Over(5, "t", n=fn.count()),  # type: ignore[arg-type]
        "partition_by: 5 is not text; give the name of a column, or several in a list.",
    ),
    (
        lambda: wb.Frame.range(Decimal("sNaN"), 0),
        "low: Decimal('sNaN') is not a distance; give None for no bound.",
    ),
    (
        lambda: wb.Frame.range(-(10**400), 0),
        f"low: {-(10**400)} is too far; give None for no bound.",
    ),
    (lambda: fn.quantile("x", 1.5), "q: 1.5 is not a quantile; give numbers from 0 to 1."),
    (
        lambda: fn.quantile("x", np.timedelta64(1, "s")),  # type: ignore[arg-type]
        "q: np.timedelta64(1,'s') is not a quantile; give numbers from 0 to 1.",
    ),
    (lambda: fn.quantile("x", [0.5, -0.1]), "q: -0.1 is not a quantile; give numbers from 0 to 1."),
    (
        lambda: fn.quantile_disc("x", "0.5"),  # type: ignore[arg-type]
        "q: '0.5' is not a quantile; give numbers from 0 to 1.",
    ),
    (
        lambda: fn.quantile("x", []),
        "q: the list is empty; give quantiles from 0 to 1, such as 0.5.",
    ),
    (
        lambda: fn.ntile(0),
        "n: 0 is not possible; give an integer of 1 or more, up to 2,147,483,647.",
    ),
    (
        lambda: fn.lag("x", 1.5),  # type: ignore[arg-type]
        "n: 1.5 is not possible; give an integer, up to 2,147,483,647.",
    ),
    *(
        (
            lambda make=make, k=k: make("x", k),
            f"k: {k!r} is not possible; give an integer of 1 or more, up to {most}.",
        )
        for make, k, most in [
            (fn.first_k, 0, "2,147,483,647"),
            (fn.last_k, -1, "2,147,483,647"),
            (fn.top_k, 1.5, "2,147,483,647"),
            (fn.bottom_k, True, "2,147,483,647"),
            (fn.bounded_count_distinct, "3", "2,147,483,647"),
            (fn.approx_top_k, 65_537, "65,536"),
        ]
    ),
    *(
        (
            lambda lg_k=lg_k: fn.approx_count_distinct("x", lg_k),
            f"lg_k: {lg_k!r} is not possible; give an integer of 4 or more, up to 21.",
        )
        for lg_k in (3, 22)
    ),
    (lambda: fn.approx_quantile("x", 2), "q: 2 is not a quantile; give numbers from 0 to 1."),
    (
        lambda: fn.approx_quantile("x", 0.5, 9),
        "k: 9 is not possible; give an integer of 10 or more, up to 1,000.",
    ),
    (
        lambda: fn.histogram("x").distinct(),
        "distinct: histogram of distinct values is not available; " + OF_AGGREGATES,
    ),
    (
        lambda: fn.last_k("x", 2).distinct(),
        "distinct: last_k of distinct values is not available; " + OF_AGGREGATES,
    ),
    (lambda: wb.Over("p", x=fn.last_k("x", 2)), f"x: last_k {NEEDS}"),
    (
        lambda: wb.Over("p", "t", engine="spark", m=fn.top_k("x", 2)),
        "m: engine='spark' cannot: Spark has no top_k; " + SPARK_CANNOT,
    ),
    (
        lambda: wb.Over("p", "t", engine="spark", m=fn.approx_count_distinct("x")),
        "m: engine='spark' cannot: Spark's approx_count_distinct uses another sketch; "
        + SPARK_CANNOT,
    ),
    (
        lambda: fn.sum(5),  # type: ignore[arg-type]
        "column: 5 is not a column; give a column's name or a Column.",
    ),
    (
        lambda: fn.sum("x").where(True),  # type: ignore[arg-type]
        "where: True is not a column; give SQL text or a Column.",
    ),
    (
        lambda: fn.sum("x").where("a").where("b"),
        "where: there is a condition already; join the two with 'and'.",
    ),
    (
        lambda: fn.rank().where("a"),
        "where: rank takes no condition; it looks at all rows.",
    ),
    (
        lambda: fn.first("x").distinct(),
        "distinct: first of distinct values is not available; " + OF_AGGREGATES,
    ),
    (
        lambda: fn.rank().distinct(),
        "distinct: rank of distinct values is not available; " + OF_AGGREGATES,
    ),
    (
        lambda: fn.count().distinct(),
        "distinct: count of distinct values is not available; " + OF_AGGREGATES,
    ),
    (
        lambda: wb.Over("p", "t", engine="spark", m=fn.sum("x").distinct()),
        "m: engine='spark' cannot: Spark refuses DISTINCT in a window; " + SPARK_CANNOT,
    ),
    (
        lambda: fn.sum("x").ignore_nulls(),
        "ignore_nulls: it is for array_agg, lag, lead, first, last, nth; "
        "sum has no nulls to ignore.",
    ),
    (
        lambda: wb.Over("p", "t", engine="spark", m=fn.mode("x")),
        "m: engine='spark' cannot: Spark's mode is any of the equally frequent values; "
        + SPARK_CANNOT,
    ),
    (
        lambda: wb.Over("p", "t", wb.Frame.groups(-1, 0), "spark", m=fn.sum("x")),
        "m: engine='spark' cannot: Spark has no GROUPS; " + SPARK_CANNOT,
    ),
    (
        lambda: wb.Over("p", "x", wb.Frame.range(-1e300, 0), "spark", m=fn.sum("x")),
        "m: engine='spark' cannot: Spark's bounds have 64 bits; " + SPARK_CANNOT,
    ),
]


def call(df: DataFrame, function: fn.Function, order: Any = "t", frame: Any = None) -> object:
    return wb.over(df, "p", order, frame, answer=function)


def bounded_by(df: DataFrame, name: str, bound: Column, order: str = "mwh") -> object:
    return call(df.withColumn(name, bound), fn.count(), order, wb.Frame.range(F.col(name), 0))


def shifted(column: str, default: Any) -> Callable[[DataFrame], object]:
    """Return a call with a default for a column of this type, which may not hold it."""
    return lambda df: call(df, fn.lag(F.col("mwh").cast(column), 1, default))


NO_NAME = "is not text; give the name of a column, or several in a list."
#: Defaults that a column of a type cannot hold as they are.
DEFAULTS: list[tuple[str, Any, str]] = [
    ("int", 1.9, "1.9 is double"),
    ("int", math.inf, "inf is double"),
    ("int", 2**31, "2147483648 is bigint"),
    ("int", np.int64(2**40), f"{np.int64(2**40)!r} is bigint"),
    ("int", Decimal("1.5"), "Decimal('1.5') is decimal(2,1)"),
    ("int", Decimal("NaN"), "Decimal('NaN') is no number"),
    ("int", True, "True is boolean"),
    ("bigint", -(2**63) - 1, "-9223372036854775809 is decimal(19,0)"),
    ("tinyint", 300, "300 is int"),
    ("decimal(6,2)", Decimal("9.999"), "Decimal('9.999') is decimal(4,3)"),
    ("decimal(6,2)", 0.125, "0.125 is double"),
    ("decimal(6,2)", 10_000, "10000 is int"),
    ("decimal(6,2)", Decimal("1E+9"), "Decimal('1E+9') is decimal(10,0)"),
    ("float", 1e300, "1e+300 is double"),
    ("double", Decimal("1E+400"), "Decimal('1E+400') is decimal(401,0)"),
    ("string", 2**70, f"{2**70} is decimal(22,0)"),
]
#: Defaults that it can hold, and the value that it then holds.
FITTING: list[tuple[str, Any, Any]] = [
    ("int", 1.0, 1),
    ("int", Decimal("7.00"), 7),
    ("int", np.int64(5), 5),
    ("bigint", -(2**63), -(2**63)),
    ("decimal(6,2)", Decimal("9.9900"), Decimal("9.99")),
    ("decimal(6,2)", 0.1, Decimal("0.10")),
    ("decimal(6,2)", 9_999, Decimal("9999.00")),
    ("decimal(6,2)", 0, Decimal("0.00")),
    ("float", 0.5, 0.5),
    ("double", 3, 3.0),
    ("double", math.inf, math.inf),
    ("double", Decimal("0.1"), 0.1),
]

#: Calls that do not fit the table, and their errors.
CALLS: list[tuple[Callable[[DataFrame], object], str]] = [
    (lambda df: wb.over(df, F.col("p"), "t", a=fn.count()), f"partition_by: Column<'p'> {NO_NAME}"),  # type: ignore[arg-type]
    (
        lambda df: call(df, fn.count(), F.col("t")),
        f"order_by: Column<'t'> is not a column; {ORDER}",
    ),
    (
        lambda df: call(df, fn.bit_and(F.col("mwh") / 2)),
        "answer: bit_and cannot take double; give it a column of integers.",
    ),
    *(
        (
            shifted(column, default),
            f"answer: the default {description}, but the column holds {column}; "
            "give a default of that type.",
        )
        for column, default, description in DEFAULTS
    ),
    (
        lambda df: call(df, fn.lead(F.array("mwh"), 1, [1])),
        "answer: the default [1] is a list, but the column holds array<int>; "
        "give a default of that type, as a Column if it is nested.",
    ),
    (
        lambda df: call(df, fn.lag("t", 1, pd.NaT)),
        "answer: the default NaT is pandas's NaTType, but the column holds timestamp; "
        "give a default of that type, as a Column if it is nested.",
    ),
    (
        lambda df: call(df, fn.lag("mwh", 1, np.timedelta64(1, "s"))),
        "answer: the default np.timedelta64(1,'s') is numpy's timedelta64, but the column holds "
        "int; give a default of that type, as a Column if it is nested.",
    ),
    (
        lambda df: call(df, fn.lead(F.struct("mwh"), 1, {"mwh": 1})),
        "answer: the default {'mwh': 1} is a dict, but the column holds struct<mwh:int>; "
        "give a default of that type, as a Column if it is nested.",
    ),
    (
        lambda df: call(df, fn.sum("mw")),
        "answer: there is no column 'mw'; did you mean 'mwh' or 'm'?",
    ),
    (
        lambda df: wb.over(df, "plan", a=fn.count()),
        "partition_by: there is no column 'plan'; "
        "there are 'p', 't', 'mwh', 's', 'm', 'wide', 'narrow'.",
    ),
    (
        lambda df: call(df, fn.count(), "-q"),
        "order_by: there is no column 'q'; there are 'p', 't', 'mwh', 's', 'm', 'wide', 'narrow'.",
    ),
    (
        lambda df: wb.over(df, MWH=fn.count()),
        "MWH: the table has a column of this name; give the result another one.",
    ),
    (
        lambda df: wb.over(df.withColumn("age", F.make_interval(F.lit(1))), "age", a=fn.count()),
        "partition_by: column 'age' holds interval, which cannot be grouped by; "
        "name another column.",
    ),
    (
        lambda df: wb.over(df, "m", a=fn.count()),
        "partition_by: column 'm' holds map<string,int>, which cannot be grouped by; "
        "name another column.",
    ),
    (
        lambda df: call(df, fn.count(), "m"),
        "order_by: column 'm' holds map<string,int>, which has no order here; "
        "name a column of numbers, times or text.",
    ),
    (
        lambda df: call(df, fn.sum("s")),
        "answer: sum cannot take string; give it a column of numbers or booleans.",
    ),
    (
        lambda df: call(df, fn.quantile("s", 0.5)),
        "answer: quantile cannot take string; give it a column of numbers or times.",
    ),
    (
        lambda df: call(df, fn.top_k("m", 2)),
        "answer: top_k cannot take map<string,int>; "
        "give it a column of plain values, such as numbers, times or text.",
    ),
    (
        lambda df: call(df, fn.approx_quantile("s", 0.5)),
        "answer: approx_quantile cannot take string; give it a column of numbers or times.",
    ),
    (
        lambda df: call(df, fn.bool_and("mwh")),
        "answer: bool_and cannot take int; give it a column of booleans.",
    ),
    (
        lambda df: call(df, fn.min("m")),
        "answer: min cannot take map<string,int>; "
        "give it a column of plain values, such as numbers, times or text.",
    ),
    (
        lambda df: call(df, fn.fill("mwh"), "s"),
        "answer: fill interpolates along numbers or times; order by a column of these.",
    ),
    (
        lambda df: call(df, fn.count(), "t", wb.Frame.range(-3, 3)),
        "frame: -3 has no unit, but the order column 't' holds timestamp; "
        "give a duration such as '-3 days'.",
    ),
    (
        lambda df: call(df, fn.count(), "mwh", wb.Frame.range(None, "3 days")),
        "frame: '3 days' has a unit, but the order column 'mwh' holds int; give a number.",
    ),
    (
        lambda df: call(df, fn.count(), "mwh", wb.Frame.range(-0.5, 0)),
        "frame: -0.5 is not a whole number, but the order column 'mwh' holds int; give an integer.",
    ),
    (
        lambda df: call(df, fn.count(), "s", wb.Frame.range(-1, 0)),
        "frame: a distance such as -1 needs numbers or times, but the order column 's' holds "
        "string; make it a timestamp, a date or an integer, for example with "
        "F.to_timestamp('s').",
    ),
    (
        lambda df: call(df, fn.count(), "wide", wb.Frame.range(-1, 0)),
        "frame: a distance along decimals of more than 18 digits is not available; "
        "cast the order column to fewer digits or to double.",
    ),
    (
        lambda df: call(df, fn.count(), "t", wb.Frame.rows(F.col("s"), 0)),
        "low: the bound Column<'s'> holds string, but a frame of rows counts rows; "
        "give a Column of integers.",
    ),
    (
        lambda df: call(df, fn.count(), "t", wb.Frame.groups(None, F.lit(1.5))),
        "high: the bound Column<'1.5'> holds double, but a frame of groups counts groups; "
        "give a Column of integers.",
    ),
    (
        lambda df: call(df, fn.count(), "t", wb.Frame.range(F.col("mwh"), 0)),
        "low: the bound Column<'mwh'> holds int, but the order column 't' holds timestamp; "
        "give a Column of intervals, such as F.make_dt_interval(F.col('days')).",
    ),
    (
        lambda df: bounded_by(df, "gap", F.col("t") - F.col("t")),
        "low: the bound Column<'gap'> holds interval day to second, "
        "but the order column 'mwh' holds int; give a Column of numbers.",
    ),
    (
        lambda df: bounded_by(df, "half", F.col("mwh") / 2),
        "low: the bound Column<'half'> holds double, "
        "but the order column 'mwh' holds int; give a Column of integers.",
    ),
    (
        lambda df: call(df, fn.count(), "s", wb.Frame.range(F.col("mwh"), 0)),
        "low: the bound Column<'mwh'> holds int, but the order column 's' holds string, "
        "which has no distances; order by numbers or times.",
    ),
    (
        lambda df: bounded_by(df, "fine", F.col("wide").cast("decimal(9,2)"), "narrow"),
        "low: the bound Column<'fine'> holds decimal(9,2), but the order column 'narrow' "
        "holds decimal(9,1); cast the bound to the order column's type.",
    ),
    (
        lambda df: call(df, fn.count(), "wide", wb.Frame.range(F.col("mwh"), 0)),
        "frame: a distance along decimals of more than 18 digits is not available; "
        "cast the order column to fewer digits or to double.",
    ),
    (
        lambda df: call(df, fn.count(), ["t", "s"], wb.Frame.range(F.col("mwh"), 0)),
        "answer: wb.Frame.range(Column<'mwh'>, 0) is measured along one column, "
        "but order_by names 2; name one.",
    ),
    (
        lambda df: wb.over(df, "p", "t", wb.Frame.rows(F.col("mwh"), None), "spark", a=fn.count()),
        "a: engine='spark' cannot: Spark's bounds are the same for all rows; " + SPARK_CANNOT,
    ),
    (
        lambda df: call(df, fn.string_agg("m")),
        "answer: string_agg cannot take map<string,int>; "
        "give it a column of plain values, such as numbers, times or text.",
    ),
    (
        lambda df: call(df, fn.lag("mwh", F.col("s"))),
        "answer: n holds string, but lag counts rows; give a Column of integers.",
    ),
    (
        lambda df: call(df, fn.first("mwh").order_by("m")),
        "answer: column 'm' holds map<string,int>, which has no order here; "
        "name a column of numbers, times or text.",
    ),
    (
        lambda df: call(df, fn.count().where("mwh + 1")),
        "answer: the condition gives integers; write one that is true or false.",
    ),
    (
        lambda df: call(df, fn.lag("mwh", 1, "none")),
        "answer: the default 'none' is string, but the column holds int; "
        "give a default of that type.",
    ),
    (
        lambda df: wb.over(df, "p", "t", engine="spark", a=fn.median("t")),
        "a: engine='spark' cannot: its percentile takes numbers alone; " + SPARK_CANNOT,
    ),
    (
        lambda df: wb.over(
            df.selectExpr("TIME'10:00:00' AS of_day"), engine="spark", a=fn.median("of_day")
        ),
        "a: engine='spark' cannot: its percentile takes numbers alone; " + SPARK_CANNOT,
    ),
    (
        lambda df: wb.over(df, "p", "t", engine="spark", a=fn.median("s")),
        "a: engine='spark' cannot: Spark refuses percentile_disc with a frame; " + SPARK_CANNOT,
    ),
    (
        lambda df: wb.over("nowhere/plants.csv", a=fn.count()),
        "df: there is no file 'nowhere/plants.csv'; nor is there a folder 'nowhere'.",
    ),
    (
        lambda df: wb.over(df.select("p", "p"), a=fn.count()),
        "df: there are several columns 'p'; rename all but one of them.",
    ),
    (
        lambda df: wb.over(
            df.selectExpr("p", "INTERVAL '1' MONTH AS i"), engine="kernel", a=fn.count()
        ),
        "df: column 'i' holds interval month, which does not go through Arrow; "
        "drop it, or cast it to text.",
    ),
    (
        lambda df: wb.over(
            df.selectExpr("p", "struct(p, p) AS twice"), engine="kernel", a=fn.count()
        ),
        "df: column 'twice' holds struct<p:int,p:int>, which does not go through Arrow; "
        "drop it, or cast it to text.",
    ),
    (
        lambda df: wb.over(df.selectExpr("p", "map() AS empty"), engine="kernel", a=fn.count()),
        "df: column 'empty' holds map<void,void>, which does not go through Arrow; "
        "drop it, or cast it to text.",
    ),
    (
        lambda df: wb.over(df, "p", "t", x=fn.sum(F.rand())),
        "x: this " + OTHERS_EACH_TIME,
    ),
    (
        lambda df: wb.over(df, "p", "t", engine="spark", x=fn.sum("mwh").where("rand() < 1")),
        "x: the condition " + OTHERS_EACH_TIME,
    ),
    (
        lambda df: wb.over(df, "p", "t", wb.Frame.rows(F.rand().cast("int"), 1), x=fn.sum("mwh")),
        "low: the bound " + OTHERS_EACH_TIME,
    ),
    (
        lambda df: wb.Over("p", "t", x=fn.sum("mwh")).frames(df, "x"),
        "key: 'x' is no value of 'p', which holds int; give one of that type.",
    ),
    (
        lambda df: wb.play(wb.Over("t", "mwh", x=fn.sum("mwh")), df, key="yesterday"),
        "key: 'yesterday' is no value of 't', which holds timestamp; give one of that type.",
    ),
]


@pytest.fixture(scope="module")
def plants(spark: SparkSession) -> DataFrame:
    return spark.sql(
        "SELECT 1 AS p, timestamp'2024-01-01' AS t, 5 AS mwh, 'x' AS s, map('k', 1) AS m, "
        "cast(1 AS decimal(30, 2)) AS wide, cast(1 AS decimal(9, 1)) AS narrow"
    )


@pytest.mark.parametrize(
    ("make", "sentence"), SPECIFICATIONS, ids=[sentence[:40] for _, sentence in SPECIFICATIONS]
)
def test_a_call_that_is_impossible_with_any_table_is_one_sentence(
    make: Callable[[], object], sentence: str
) -> None:
    with pytest.raises(wb.WorkbenchError) as raised:
        make()
    assert str(raised.value) == sentence


def test_a_call_that_does_not_fit_the_table_is_one_sentence_before_any_job(
    spark: SparkSession, plants: DataFrame
) -> None:
    with no_job(spark):
        for call, sentence in CALLS:
            with pytest.raises(wb.WorkbenchError) as raised:
                call(plants)
            assert str(raised.value) == sentence


def test_a_default_that_the_column_can_hold_is_accepted(plants: DataFrame) -> None:
    functions: dict[str, Any] = {
        f"c{i}": fn.lag(F.col("mwh").cast(column), 1, default)
        for i, (column, default, _) in enumerate(FITTING)
    }
    nested = fn.lag(F.array("mwh"), 1, F.array(F.lit(1)))
    result = wb.over(plants, "p", "t", **functions, nested=nested).select(*functions, "nested")
    assert [*result.collect()[0]] == [*(value for _, _, value in FITTING), [1]]


def test_an_argument_that_is_not_a_value_of_each_row_is_refused(plants: DataFrame) -> None:
    for value in (F.sum("mwh"), F.explode(F.array("mwh")), F.col("nothing")):
        with pytest.raises(wb.WorkbenchError, match="answer: this does not fit the table"):
            call(plants, fn.avg(value))
        with pytest.raises(wb.WorkbenchError, match="high: this does not fit the table"):
            call(plants, fn.count(), "t", wb.Frame.rows(None, value))


def test_an_unknown_function_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="averag"):
        _ = fn.averag  # type: ignore[attr-defined]


def test_bounds_are_parsed_into_offsets() -> None:
    assert wb.Frame.range("-1 year 6 months", None).low == Offset(-18, MONTHS)
    assert wb.Frame.range(timedelta(days=-3), None).low == wb.Frame.range("-3 days", None).low
    assert wb.Frame.range(Decimal("-0.5"), 0).low == Offset(Decimal("-0.5"), "number")
    assert wb.Frame.range("-1 quarter", "2 days").high == Offset(2 * 86_400_000_000, "microseconds")
    assert wb.Frame.rows(-3, 3) == wb.Frame.rows(-3, 3)


def test_a_frame_ordered_by_times_as_text_warns(spark: SparkSession) -> None:
    rows = spark.sql("SELECT * FROM VALUES ('10/1/2024', 1), ('9/1/2024', 2) AS (day, n)")
    call = wb.Over((), "day", wb.Frame.rows(-1, 0), total=fn.sum("n"))
    with pytest.warns(wb.WorkbenchWarning, match="order_by: column 'day' holds text") as warned:
        call.run(rows)
    assert warned[0].filename == __file__
    whole = wb.Over((), "day", wb.Frame.rows(None, None), total=fn.sum("n"))
    for quiet, df in ((whole, rows), (call, rows.selectExpr("to_date(day, 'd/M/y') AS day", "n"))):
        quiet.run(df)
