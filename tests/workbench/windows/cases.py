"""Tables, frames and functions for window calls, drawn by Hypothesis, and DuckDB as the oracle."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import strategies as st
from pyspark.sql import Column, SparkSession
from pyspark.sql import functions as F

import workbench as wb
from tests.oracle import duck
from workbench import fn
from workbench.functions.fn import Function

START = datetime(2024, 1, 29, 22)
NAN = float("nan")

Columns = dict[str, tuple[st.SearchStrategy[Any], pa.DataType]]
#: The columns of every table: how each is drawn, and its type.
COLUMNS: Columns = {
    "p": (st.sampled_from(["a", "b", None]), pa.string()),
    "k": (st.integers(-4, 4), pa.int32()),
    "real": (st.one_of(st.integers(-4, 4).map(lambda x: x / 2), st.just(NAN)), pa.float64()),
    "price": (st.integers(-40, 40).map(lambda x: Decimal(x) / 10), pa.decimal128(9, 1)),
    "day": (st.integers(0, 70).map(lambda d: date(2024, 1, 1) + timedelta(d)), pa.date32()),
    "moment": (st.integers(0, 90).map(lambda h: START + timedelta(hours=h)), pa.timestamp("us")),
    "whole": (st.integers(-5, 5), pa.int64()),
    "small": (st.integers(-120, 120), pa.int8()),
    "x": (st.integers(-8, 8).map(lambda x: x / 4), pa.float64()),
    "word": (st.sampled_from(["", "a", "A", "ab", "é", "zz"]), pa.string()),
    "yes": (st.booleans(), pa.bool_()),
}


@st.composite
def tables(draw: st.DrawFn, most_rows: int = 14, columns: Columns = COLUMNS) -> pa.Table:
    """Draw a table with an ``id`` and nulls in all other columns."""
    size = draw(st.integers(1, most_rows))
    arrays = {"id": pa.array(range(size), pa.int64())}
    for name, (value, kind) in columns.items():
        nullable = st.one_of(value, value, value, st.none())
        arrays[name] = pa.array(draw(st.lists(nullable, min_size=size, max_size=size)), kind)
    for name in ("n", "m"):
        distance = st.lists(st.integers(0, 3), min_size=size, max_size=size)
        arrays[name] = pa.array(draw(distance), pa.int32())
    return pa.table(arrays)


@dataclass(frozen=True)
class Case:
    """A function, and the same for DuckDB: its call, and modifiers after the call."""

    function: Function
    sql: str
    modifier: str = ""
    frameless: bool = False


def frame_in_sql(frame: wb.Frame, interval: bool = False) -> str:
    def bound_in_sql(bound: Any, given: Any, start: bool) -> str:
        if bound is None:
            return f"UNBOUNDED {'PRECEDING' if start else 'FOLLOWING'}"
        if bound.amount == 0:
            return "CURRENT ROW"
        size = str(given).lstrip("-")
        size = f"INTERVAL '{size}'" if interval else size
        return f"{size} {'PRECEDING' if bound.amount < 0 else 'FOLLOWING'}"

    low = bound_in_sql(frame.low, frame.given[0], True)
    high = bound_in_sql(frame.high, frame.given[1], False)
    return f"{frame.unit} BETWEEN {low} AND {high} EXCLUDE {frame.exclude}"


def order_in_sql(order_by: list[str]) -> str:
    terms = [
        f'"{name[1:]}" DESC NULLS LAST' if name.startswith("-") else f'"{name}" ASC NULLS FIRST'
        for name in order_by
    ]
    return f"ORDER BY {', '.join(terms)}" if terms else ""


def ask_duckdb(
    rows: pa.Table,
    partition_by: list[str],
    order_by: list[str],
    frame: str,
    functions: dict[str, Case],
) -> dict[str, list[Any]]:
    """Return DuckDB's answers by result name, in the order of ``id``."""
    partition = f"PARTITION BY {', '.join(partition_by)}" if partition_by else ""
    window = f"{partition} {order_in_sql(order_by)}"
    calls = [
        f'{one.sql} {one.modifier} OVER ({window} {"" if one.frameless else frame}) AS "{name}"'
        for name, one in functions.items()
    ]
    with duck() as connection:
        result = connection.sql(f"SELECT id, {', '.join(calls)} FROM rows ORDER BY id")
        answers: dict[str, list[Any]] = result.to_arrow_table().to_pydict()
    return answers


def ask_spark(
    spark: SparkSession,
    rows: pa.Table,
    partition_by: list[str],
    order_by: list[str],
    frame: wb.Frame | None,
    functions: dict[str, Case],
    engine: str = "kernel",
) -> dict[str, list[Any]]:
    """Return the answers of ``wb.over`` in the order of ``id``, and check all other columns."""
    columns: dict[str, Any] = {name: one.function for name, one in functions.items()}
    df = spark.createDataFrame(rows)
    result = wb.over(df, partition_by, order_by, frame, engine, **columns).toArrow()
    result = result.sort_by("id")
    assert same(
        result.select(rows.column_names).to_pydict(), rows.to_pydict(), tuple(rows.column_names)
    )
    answers: dict[str, list[Any]] = result.to_pydict()
    return answers


def same(answers: dict[str, list[Any]], expected: dict[str, list[Any]], names: Any) -> bool:
    """Return whether columns are equal, floats nearly so; fail with the first row that differs."""
    for name in names:
        for row, (got, wanted) in enumerate(zip(answers[name], expected[name], strict=True)):
            assert alike(got, wanted), f"{name}, row {row}: {got!r} is not {wanted!r}"
    return True


def alike(got: Any, wanted: Any) -> bool:
    if isinstance(got, list) and isinstance(wanted, list):
        return len(got) == len(wanted) and all(map(alike, got, wanted))
    got = local(got)
    if isinstance(got, float) and wanted is not None:
        return bool(got == pytest.approx(float(wanted), rel=1e-9, abs=1e-9, nan_ok=True))
    return bool(got == wanted)


def local(value: Any) -> Any:
    """Return a timestamp without its zone, as it was written in the time zone of the session."""
    return value.replace(tzinfo=None) if isinstance(value, datetime) else value


#: Functions whose answer does not depend on the order of tied rows.
TIE_PROOF = {
    "rows_": Case(fn.count(), "count(*)"),
    "counted": Case(fn.count("word"), "count(word)"),
    "kinds": Case(fn.count("word").distinct(), "count(DISTINCT word)"),
    "reals": Case(fn.count_distinct("real"), "count(DISTINCT real)"),
    "total": Case(fn.sum("whole"), "sum(whole)"),
    "spent": Case(fn.sum("price"), "sum(price)"),
    "sum_x": Case(fn.sum("x"), "sum(x)"),
    "mean": Case(fn.avg("small"), "avg(small)"),
    "mean_price": Case(fn.avg("price"), "avg(price)"),
    "mean_x": Case(fn.avg("x").where("whole > 0"), "avg(x)", "FILTER (whole > 0)"),
    "low": Case(fn.min("real"), "min(real)"),
    "high": Case(fn.max("real"), "max(real)"),
    "low_word": Case(fn.min("word"), "min(word)"),
    "high_day": Case(fn.max("day"), "max(day)"),
    "low_price": Case(fn.min("price").where("yes"), "min(price)", "FILTER (yes)"),
    "spread": Case(fn.stddev("x"), "stddev(x)"),
    "spread_pop": Case(fn.stddev_pop("whole"), "stddev_pop(whole)"),
    "var": Case(fn.variance("price"), "var_samp(price)"),
    "var_all": Case(fn.var_pop("x"), "var_pop(x)"),
    "skew": Case(fn.skewness("whole"), "skewness(whole)"),
    "kurt": Case(fn.kurtosis("whole"), "kurtosis(whole)"),
    "kurt_pop": Case(fn.kurtosis_pop("whole"), "kurtosis_pop(whole)"),
    "covar": Case(fn.covar_samp("x", "whole"), "covar_samp(x, whole)"),
    "covar_all": Case(fn.covar_pop("x", "whole"), "covar_pop(x, whole)"),
    "times": Case(fn.product("x"), "product(x)"),
    "all_": Case(fn.bool_and("yes"), "bool_and(yes)"),
    "any_": Case(fn.bool_or("yes"), "bool_or(yes)"),
    "half": Case(fn.median("whole"), "median(whole)"),
    "half_day": Case(fn.median("day"), "median(day)"),
    "band": Case(fn.quantile("real", [0.1, 0.75]), "quantile_cont(real, [0.1, 0.75])"),
    "q_at": Case(fn.quantile("moment", 0.3), "quantile_cont(moment, 0.3)"),
    "q_price": Case(fn.quantile("price", 0.3), "quantile_cont(price::DOUBLE, 0.3)"),
    "disc": Case(fn.quantile_disc("word", [0.2, 0.9]), "quantile_disc(word, [0.2, 0.9])"),
    "disc_day": Case(fn.quantile_disc("day", 0.5), "quantile_disc(day, 0.5)"),
    "dev": Case(fn.mad("whole"), "mad(whole::DOUBLE)"),
    "top": Case(fn.top_k("real", 2), "max(real, 2)"),
    "bottom": Case(fn.bottom_k("word", 3).where("yes"), "min(word, 3)", "FILTER (yes)"),
    "counts": Case(fn.histogram("day"), "histogram(day)"),
    "error": Case(fn.sem("x"), "sem(x)"),
    "both": Case(fn.bit_and("whole"), "bit_and(whole)"),
    "either": Case(fn.bit_or("small"), "bit_or(small)"),
    "odd": Case(fn.bit_xor("whole"), "bit_xor(whole)"),
    "bits": Case(fn.entropy("word").where("yes"), "entropy(word)", "FILTER (yes)"),
    "pairs": Case(fn.regr_count("x", "whole"), "regr_count(x, whole)"),
    "middle": Case(fn.regr_avgx("x", "whole"), "regr_avgx(x, whole)"),
    "middle_y": Case(fn.regr_avgy("x", "whole"), "regr_avgy(x, whole)"),
    "sxx": Case(fn.regr_sxx("x", "whole"), "regr_sxx(x, whole)"),
    "syy": Case(fn.regr_syy("x", "whole"), "regr_syy(x, whole)"),
    "sxy": Case(fn.regr_sxy("x", "whole"), "regr_sxy(x, whole)"),
    "slope": Case(fn.regr_slope("x", "whole"), "regr_slope(x, whole)"),
    "base": Case(fn.regr_intercept("x", "whole"), "regr_intercept(x, whole)"),
    "fits": Case(fn.regr_r2("x", "whole"), "regr_r2(x, whole)"),
    "rank": Case(fn.rank(), "rank()", frameless=True),
    "dense": Case(fn.dense_rank(), "dense_rank()", frameless=True),
    "related": Case(fn.corr("x", "whole"), "corr(x, whole)"),
    "share": Case(fn.percent_rank(), "percent_rank()", frameless=True),
    "up_to": Case(fn.cume_dist(), "cume_dist()", frameless=True),
}

#: Aggregates of distinct values.
DISTINCT = {
    "kinds": Case(fn.count("word").distinct(), "count(DISTINCT word)"),
    "total": Case(fn.sum("whole").distinct(), "sum(DISTINCT whole)"),
    "spent": Case(fn.sum("price").distinct(), "sum(DISTINCT price)"),
    "sum_real": Case(fn.sum("real").distinct(), "sum(DISTINCT real)"),
    "mean": Case(fn.avg("small").distinct(), "avg(DISTINCT small)"),
    "mean_price": Case(
        fn.avg("price").distinct().where("yes"), "avg(DISTINCT price)", "FILTER (yes)"
    ),
    "low": Case(fn.min("real").distinct(), "min(DISTINCT real)"),
    "high_day": Case(fn.max("day").distinct(), "max(DISTINCT day)"),
    "spread": Case(fn.stddev("x").distinct(), "stddev(DISTINCT x)"),
    "spread_pop": Case(fn.stddev_pop("whole").distinct(), "stddev_pop(DISTINCT whole)"),
    "var": Case(fn.variance("price").distinct(), "var_samp(DISTINCT price)"),
    "skew": Case(fn.skewness("whole").distinct(), "skewness(DISTINCT whole)"),
    "kurt": Case(fn.kurtosis("whole").distinct(), "kurtosis(DISTINCT whole)"),
    "times": Case(fn.product("x").distinct(), "product(DISTINCT x)"),
    "covar": Case(fn.covar_samp("x", "whole").distinct(), "covar_samp(DISTINCT x, whole)"),
    "related": Case(fn.corr("x", "k").distinct(), "corr(DISTINCT x, k)"),
    "dev": Case(fn.mad("whole").distinct(), "mad(DISTINCT whole::DOUBLE)"),
    "odd": Case(fn.bit_xor("whole").distinct(), "bit_xor(DISTINCT whole)"),
    "bits": Case(fn.entropy("word").distinct(), "entropy(DISTINCT word)"),
    "all_": Case(fn.bool_and("yes").distinct(), "bool_and(DISTINCT yes)"),
    "half_day": Case(fn.median("day").distinct(), "median(DISTINCT day)"),
    "q_at": Case(fn.quantile("moment", 0.3).distinct(), "quantile_cont(DISTINCT moment, 0.3)"),
    "band": Case(
        fn.quantile_cont("real", [0.1, 0.75]).distinct(),
        "quantile_cont(DISTINCT real, [0.1, 0.75])",
    ),
    "disc": Case(
        fn.quantile_disc("word", [0.2, 0.9]).distinct(), "quantile_disc(DISTINCT word, [0.2, 0.9])"
    ),
}

#: Functions that depend on the position of a row.
POSITIONAL = {
    "number": Case(fn.row_number(), "row_number()", frameless=True),
    "tile": Case(fn.ntile(3), "ntile(3)", frameless=True),
    "before": Case(fn.lag("word"), "lag(word)", frameless=True),
    "before_2": Case(fn.lag("moment", 2), "lag(moment, 2)", frameless=True),
    "after": Case(fn.lead("price", 1, 9), "lead(price, 1, 9)", frameless=True),
    "after_given": Case(
        fn.lead("whole").ignore_nulls(), "lead(whole IGNORE NULLS)", frameless=True
    ),
    "first": Case(fn.first("word"), "first_value(word)"),
    "first_given": Case(fn.first("day").ignore_nulls(), "first_value(day IGNORE NULLS)"),
    "last": Case(fn.last("yes"), "last_value(yes)"),
    "last_given": Case(fn.last_value("x").ignore_nulls(), "last_value(x IGNORE NULLS)"),
    "second": Case(fn.nth("word", 2), "nth_value(word, 2)"),
    "list": Case(fn.string_agg("word"), "string_agg(word)"),
    "list_some": Case(
        fn.string_agg("word", " → ").where("yes"), "string_agg(word, ' → ')", "FILTER (yes)"
    ),
    "list_once": Case(fn.string_agg("word").distinct(), "string_agg(DISTINCT word, ',')"),
    "mode_once": Case(fn.mode("word").distinct(), "mode(DISTINCT word)"),
    "mode": Case(fn.mode("whole"), "mode(whole)"),
    "mode_word": Case(fn.mode("word").where("whole <> 1"), "mode(word)", "FILTER (whole <> 1)"),
    "least": Case(fn.arg_min("word", "whole"), "arg_min(word, whole)"),
    "most": Case(fn.arg_max("id", "price"), "arg_max(id, price)"),
}

#: Lists, and functions of rows in an order of their own.
OWN_ORDER = {
    "array": Case(fn.array_agg("whole"), "list(whole)"),
    "array_once": Case(
        fn.array_agg("word").distinct().where("yes"), "list(DISTINCT word)", "FILTER (yes)"
    ),
    "last_but_one": Case(
        fn.nth("word", -2).order_by("id"), "nth_value(word, 2 ORDER BY id DESC NULLS LAST)"
    ),
    "first_by": Case(
        fn.first("word").order_by("-price", "id"),
        "first_value(word ORDER BY price DESC NULLS LAST, id)",
    ),
    "last_by": Case(
        fn.last("x").ignore_nulls().order_by("word", "-id"),
        "last_value(x ORDER BY word NULLS FIRST, id DESC IGNORE NULLS)",
    ),
    "second_by": Case(
        fn.nth("word", 2).order_by("real", "id"), "nth_value(word, 2 ORDER BY real NULLS FIRST, id)"
    ),
    "mode_by": Case(fn.mode("whole").order_by("-id"), "mode(whole ORDER BY id DESC)"),
    "list_by": Case(
        fn.string_agg("word", "-").order_by("-x", "id"),
        "string_agg(word, '-' ORDER BY x DESC NULLS LAST, id)",
    ),
    "array_by": Case(
        fn.array_agg("day").where("yes").order_by("-day", "id"),
        "list(day ORDER BY day DESC NULLS LAST, id)",
        "FILTER (yes)",
    ),
    "array_once_by": Case(
        fn.array_agg("word").distinct().order_by("word"),
        "list(DISTINCT word ORDER BY word NULLS FIRST)",
    ),
    "least_by": Case(
        fn.arg_min("id", "whole").order_by("-id"), "arg_min(id, whole ORDER BY id DESC)"
    ),
    "most_by": Case(
        fn.arg_max("id", "whole").order_by("-id"), "arg_max(id, whole ORDER BY id DESC)"
    ),
}

#: Functions that have a frame only with an order of their own, which DuckDB refuses where the
#: frame excludes rows.
RANKED = {
    "number_by": Case(
        fn.row_number().order_by("x", "id"), "row_number(ORDER BY x NULLS FIRST, id)"
    ),
    "rank_by": Case(fn.rank().order_by("-word"), "rank(ORDER BY word DESC NULLS LAST)"),
    "share_by": Case(fn.percent_rank().order_by("k"), "percent_rank(ORDER BY k NULLS FIRST)"),
    "up_to_by": Case(fn.cume_dist().order_by("real"), "cume_dist(ORDER BY real NULLS FIRST)"),
    "tile_by": Case(fn.ntile(3).order_by("-id"), "ntile(3 ORDER BY id DESC)"),
    "before_by": Case(
        fn.lag("word").order_by("-price", "id"), "lag(word, 1 ORDER BY price DESC NULLS LAST, id)"
    ),
    "after_by": Case(
        fn.lead("whole", 2, -9).order_by("day", "id"),
        "lead(whole, 2, -9 ORDER BY day NULLS FIRST, id)",
    ),
    "filled_by": Case(fn.fill("x").order_by("id"), "fill(x ORDER BY id)"),
}


@st.composite
def counted_frames(draw: st.DrawFn, units: tuple[str, ...]) -> wb.Frame:
    unit = draw(st.sampled_from(units))
    low, high = draw(bounds(st.integers(-3, 3)))
    exclude = draw(st.sampled_from(["no others", "current row", "group", "ties"]))
    frame: wb.Frame = getattr(wb.Frame, unit)(low, high, exclude=exclude)
    return frame


@st.composite
def bounds(draw: st.DrawFn, distance: st.SearchStrategy[Any]) -> tuple[Any, Any]:
    """Draw two bounds in order."""
    low: Any = draw(st.one_of(st.none(), distance))
    high: Any = draw(st.one_of(st.none(), distance))
    return (high, low) if None not in (low, high) and low > high else (low, high)


#: For each order column: how the distance in a column is written here, and in DuckDB's SQL.
DISTANCES: dict[str, tuple[Callable[[str], Column], str]] = {
    "k": (F.col, "{}"),
    "real": (lambda name: F.col(name) / 2, "({} / 2)"),
    "price": (F.col, "{}"),
    "day": (lambda name: F.make_dt_interval(F.col(name)), "INTERVAL ({}) DAY"),
    "moment": (
        lambda name: F.make_dt_interval(F.lit(0), F.col(name)),
        "INTERVAL ({}) HOUR",
    ),
    "month": (lambda name: F.make_ym_interval(F.lit(0), F.col(name)), "INTERVAL ({}) MONTH"),
}
#: Pairs of bounds: a column (``n`` or ``m``) with the sign of its distance, 0, or no bound.
BOUNDS = [
    (("n", -1), ("m", 1)),
    (("n", -1), ("m", -1)),
    (("n", 1), ("m", 1)),
    (("n", -1), None),
    (None, ("m", -1)),
    (("n", -1), 0),
    (0, ("m", 1)),
    (("n", 1), None),
]


@dataclass(frozen=True)
class Varying:
    """A frame whose bounds are columns, here and in SQL, and its order column."""

    unit: str
    order: str
    sides: tuple[Any, Any]
    exclude: str
    months: bool

    @property
    def frame(self) -> wb.Frame:
        distance, _ = self._distance
        low, high = (
            one[1] * distance(one[0]) if isinstance(one, tuple) else one for one in self.sides
        )
        frame: wb.Frame = getattr(wb.Frame, self.unit)(low, high, exclude=self.exclude)
        return frame

    @property
    def sql(self) -> str:
        low, high = (self._side(one, start) for start, one in enumerate(self.sides))
        return f"{self.unit} BETWEEN {low} AND {high} EXCLUDE {self.exclude}"

    @property
    def _distance(self) -> tuple[Callable[[str], Column], str]:
        if self.unit != "range":
            return DISTANCES["k"]
        return DISTANCES["month" if self.months else self.order.lstrip("-")]

    def _side(self, one: Any, end: int) -> str:
        if one is None:
            return f"UNBOUNDED {'FOLLOWING' if end else 'PRECEDING'}"
        if one == 0:
            return "CURRENT ROW"
        return f"{self._distance[1].format(one[0])} {'PRECEDING' if one[1] < 0 else 'FOLLOWING'}"


@st.composite
def varying(draw: st.DrawFn) -> Varying:
    unit = draw(st.sampled_from(["rows", "groups", "range", "range"]))
    column = draw(st.sampled_from(["k", "real", "price", "day", "moment"]))
    order = draw(st.sampled_from(["", "-"])) + column
    exclude = draw(st.sampled_from(["no others", "current row", "group", "ties"]))
    months = column in ("day", "moment") and draw(st.booleans())
    return Varying(unit, order, draw(st.sampled_from(BOUNDS)), exclude, months)
