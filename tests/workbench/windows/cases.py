"""Tables, frames and functions for window calls, as Hypothesis makes them, and DuckDB to ask."""

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
def tables(draw: st.DrawFn, most_rows: int = 14, of: Columns = COLUMNS) -> pa.Table:
    """Draw a table with an ``id`` and nulls in all other columns."""
    size = draw(st.integers(1, most_rows))
    columns = {"id": pa.array(range(size), pa.int64())}
    for name, (value, kind) in of.items():
        some = st.one_of(value, value, value, st.none())
        columns[name] = pa.array(draw(st.lists(some, min_size=size, max_size=size)), kind)
    for name in ("n", "m"):
        distance = st.lists(st.integers(0, 3), min_size=size, max_size=size)
        columns[name] = pa.array(draw(distance), pa.int32())
    return pa.table(columns)


@dataclass(frozen=True)
class Asked:
    """A function, and the same for DuckDB: its call, and modifiers behind the call."""

    function: Function
    sql: str
    modifier: str = ""
    frameless: bool = False


def frame_in_sql(frame: wb.Frame, interval: bool = False) -> str:
    def side(bound: Any, given: Any, start: bool) -> str:
        if bound is None:
            return f"UNBOUNDED {'PRECEDING' if start else 'FOLLOWING'}"
        if bound.amount == 0:
            return "CURRENT ROW"
        size = str(given).lstrip("-")
        size = f"INTERVAL '{size}'" if interval else size
        return f"{size} {'PRECEDING' if bound.amount < 0 else 'FOLLOWING'}"

    low, high = side(frame.low, frame.given[0], True), side(frame.high, frame.given[1], False)
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
    functions: dict[str, Asked],
) -> dict[str, list[Any]]:
    """Return DuckDB's answers by the name of the result, in the order of ``id``."""
    partition = f"PARTITION BY {', '.join(partition_by)}" if partition_by else ""
    window = f"{partition} {order_in_sql(order_by)}"
    calls = [
        f'{one.sql} {one.modifier} OVER ({window} {"" if one.frameless else frame}) AS "{name}"'
        for name, one in functions.items()
    ]
    with duck() as connection:
        answer = connection.sql(f"SELECT id, {', '.join(calls)} FROM rows ORDER BY id")
        found: dict[str, list[Any]] = answer.to_arrow_table().to_pydict()
    return found


def ask_spark(
    spark: SparkSession,
    rows: pa.Table,
    partition_by: list[str],
    order_by: list[str],
    frame: wb.Frame | None,
    functions: dict[str, Asked],
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
    found: dict[str, list[Any]] = result.to_pydict()
    return found


def same(found: dict[str, list[Any]], expected: dict[str, list[Any]], names: Any) -> bool:
    """Whether columns are equal, floats nearly so; says which row is not."""
    for name in names:
        for row, (got, wanted) in enumerate(zip(found[name], expected[name], strict=True)):
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
    """A timestamp as the clock of the session shows it, which is how it was written."""
    return value.replace(tzinfo=None) if isinstance(value, datetime) else value


#: Functions whose answer does not depend on the order of tied rows.
TIE_PROOF = {
    "rows_": Asked(fn.count(), "count(*)"),
    "counted": Asked(fn.count("word"), "count(word)"),
    "kinds": Asked(fn.count("word").distinct(), "count(DISTINCT word)"),
    "reals": Asked(fn.count_distinct("real"), "count(DISTINCT real)"),
    "total": Asked(fn.sum("whole"), "sum(whole)"),
    "spent": Asked(fn.sum("price"), "sum(price)"),
    "sum_x": Asked(fn.sum("x"), "sum(x)"),
    "mean": Asked(fn.avg("small"), "avg(small)"),
    "mean_price": Asked(fn.avg("price"), "avg(price)"),
    "mean_x": Asked(fn.avg("x").where("whole > 0"), "avg(x)", "FILTER (whole > 0)"),
    "low": Asked(fn.min("real"), "min(real)"),
    "high": Asked(fn.max("real"), "max(real)"),
    "low_word": Asked(fn.min("word"), "min(word)"),
    "high_day": Asked(fn.max("day"), "max(day)"),
    "low_price": Asked(fn.min("price").where("yes"), "min(price)", "FILTER (yes)"),
    "spread": Asked(fn.stddev("x"), "stddev(x)"),
    "spread_pop": Asked(fn.stddev_pop("whole"), "stddev_pop(whole)"),
    "var": Asked(fn.variance("price"), "var_samp(price)"),
    "var_all": Asked(fn.var_pop("x"), "var_pop(x)"),
    "skew": Asked(fn.skewness("whole"), "skewness(whole)"),
    "kurt": Asked(fn.kurtosis("whole"), "kurtosis(whole)"),
    "kurt_pop": Asked(fn.kurtosis_pop("whole"), "kurtosis_pop(whole)"),
    "covar": Asked(fn.covar_samp("x", "whole"), "covar_samp(x, whole)"),
    "covar_all": Asked(fn.covar_pop("x", "whole"), "covar_pop(x, whole)"),
    "times": Asked(fn.product("x"), "product(x)"),
    "all_": Asked(fn.bool_and("yes"), "bool_and(yes)"),
    "any_": Asked(fn.bool_or("yes"), "bool_or(yes)"),
    "half": Asked(fn.median("whole"), "median(whole)"),
    "half_day": Asked(fn.median("day"), "median(day)"),
    "band": Asked(fn.quantile("real", [0.1, 0.75]), "quantile_cont(real, [0.1, 0.75])"),
    "q_at": Asked(fn.quantile("moment", 0.3), "quantile_cont(moment, 0.3)"),
    "q_price": Asked(fn.quantile("price", 0.3), "quantile_cont(price::DOUBLE, 0.3)"),
    "disc": Asked(fn.quantile_disc("word", [0.2, 0.9]), "quantile_disc(word, [0.2, 0.9])"),
    "disc_day": Asked(fn.quantile_disc("day", 0.5), "quantile_disc(day, 0.5)"),
    "dev": Asked(fn.mad("whole"), "mad(whole::DOUBLE)"),
    "top": Asked(fn.top_k("real", 2), "max(real, 2)"),
    "bottom": Asked(fn.bottom_k("word", 3).where("yes"), "min(word, 3)", "FILTER (yes)"),
    "counts": Asked(fn.histogram("day"), "histogram(day)"),
    "error": Asked(fn.sem("x"), "sem(x)"),
    "both": Asked(fn.bit_and("whole"), "bit_and(whole)"),
    "either": Asked(fn.bit_or("small"), "bit_or(small)"),
    "odd": Asked(fn.bit_xor("whole"), "bit_xor(whole)"),
    "bits": Asked(fn.entropy("word").where("yes"), "entropy(word)", "FILTER (yes)"),
    "pairs": Asked(fn.regr_count("x", "whole"), "regr_count(x, whole)"),
    "middle": Asked(fn.regr_avgx("x", "whole"), "regr_avgx(x, whole)"),
    "middle_y": Asked(fn.regr_avgy("x", "whole"), "regr_avgy(x, whole)"),
    "sxx": Asked(fn.regr_sxx("x", "whole"), "regr_sxx(x, whole)"),
    "syy": Asked(fn.regr_syy("x", "whole"), "regr_syy(x, whole)"),
    "sxy": Asked(fn.regr_sxy("x", "whole"), "regr_sxy(x, whole)"),
    "slope": Asked(fn.regr_slope("x", "whole"), "regr_slope(x, whole)"),
    "base": Asked(fn.regr_intercept("x", "whole"), "regr_intercept(x, whole)"),
    "fits": Asked(fn.regr_r2("x", "whole"), "regr_r2(x, whole)"),
    "rank": Asked(fn.rank(), "rank()", frameless=True),
    "dense": Asked(fn.dense_rank(), "dense_rank()", frameless=True),
    "related": Asked(fn.corr("x", "whole"), "corr(x, whole)"),
    "share": Asked(fn.percent_rank(), "percent_rank()", frameless=True),
    "up_to": Asked(fn.cume_dist(), "cume_dist()", frameless=True),
}

#: Aggregates of distinct values.
DISTINCT = {
    "kinds": Asked(fn.count("word").distinct(), "count(DISTINCT word)"),
    "total": Asked(fn.sum("whole").distinct(), "sum(DISTINCT whole)"),
    "spent": Asked(fn.sum("price").distinct(), "sum(DISTINCT price)"),
    "sum_real": Asked(fn.sum("real").distinct(), "sum(DISTINCT real)"),
    "mean": Asked(fn.avg("small").distinct(), "avg(DISTINCT small)"),
    "mean_price": Asked(
        fn.avg("price").distinct().where("yes"), "avg(DISTINCT price)", "FILTER (yes)"
    ),
    "low": Asked(fn.min("real").distinct(), "min(DISTINCT real)"),
    "high_day": Asked(fn.max("day").distinct(), "max(DISTINCT day)"),
    "spread": Asked(fn.stddev("x").distinct(), "stddev(DISTINCT x)"),
    "spread_pop": Asked(fn.stddev_pop("whole").distinct(), "stddev_pop(DISTINCT whole)"),
    "var": Asked(fn.variance("price").distinct(), "var_samp(DISTINCT price)"),
    "skew": Asked(fn.skewness("whole").distinct(), "skewness(DISTINCT whole)"),
    "kurt": Asked(fn.kurtosis("whole").distinct(), "kurtosis(DISTINCT whole)"),
    "times": Asked(fn.product("x").distinct(), "product(DISTINCT x)"),
    "covar": Asked(fn.covar_samp("x", "whole").distinct(), "covar_samp(DISTINCT x, whole)"),
    "related": Asked(fn.corr("x", "k").distinct(), "corr(DISTINCT x, k)"),
    "dev": Asked(fn.mad("whole").distinct(), "mad(DISTINCT whole::DOUBLE)"),
    "odd": Asked(fn.bit_xor("whole").distinct(), "bit_xor(DISTINCT whole)"),
    "bits": Asked(fn.entropy("word").distinct(), "entropy(DISTINCT word)"),
    "all_": Asked(fn.bool_and("yes").distinct(), "bool_and(DISTINCT yes)"),
    "half_day": Asked(fn.median("day").distinct(), "median(DISTINCT day)"),
    "q_at": Asked(fn.quantile("moment", 0.3).distinct(), "quantile_cont(DISTINCT moment, 0.3)"),
    "band": Asked(
        fn.quantile_cont("real", [0.1, 0.75]).distinct(),
        "quantile_cont(DISTINCT real, [0.1, 0.75])",
    ),
    "disc": Asked(
        fn.quantile_disc("word", [0.2, 0.9]).distinct(), "quantile_disc(DISTINCT word, [0.2, 0.9])"
    ),
}

#: Functions that look at the place of a row.
PLACED = {
    "number": Asked(fn.row_number(), "row_number()", frameless=True),
    "tile": Asked(fn.ntile(3), "ntile(3)", frameless=True),
    "before": Asked(fn.lag("word"), "lag(word)", frameless=True),
    "before_2": Asked(fn.lag("moment", 2), "lag(moment, 2)", frameless=True),
    "after": Asked(fn.lead("price", 1, 9), "lead(price, 1, 9)", frameless=True),
    "after_given": Asked(
        fn.lead("whole").ignore_nulls(), "lead(whole IGNORE NULLS)", frameless=True
    ),
    "first": Asked(fn.first("word"), "first_value(word)"),
    "first_given": Asked(fn.first("day").ignore_nulls(), "first_value(day IGNORE NULLS)"),
    "last": Asked(fn.last("yes"), "last_value(yes)"),
    "last_given": Asked(fn.last_value("x").ignore_nulls(), "last_value(x IGNORE NULLS)"),
    "second": Asked(fn.nth("word", 2), "nth_value(word, 2)"),
    "list": Asked(fn.string_agg("word"), "string_agg(word)"),
    "list_some": Asked(
        fn.string_agg("word", " → ").where("yes"), "string_agg(word, ' → ')", "FILTER (yes)"
    ),
    "list_once": Asked(fn.string_agg("word").distinct(), "string_agg(DISTINCT word, ',')"),
    "mode_once": Asked(fn.mode("word").distinct(), "mode(DISTINCT word)"),
    "mode": Asked(fn.mode("whole"), "mode(whole)"),
    "mode_word": Asked(fn.mode("word").where("whole <> 1"), "mode(word)", "FILTER (whole <> 1)"),
    "least": Asked(fn.arg_min("word", "whole"), "arg_min(word, whole)"),
    "most": Asked(fn.arg_max("id", "price"), "arg_max(id, price)"),
}

#: Lists, and functions of rows in an order of their own.
OWN_ORDER = {
    "array": Asked(fn.array_agg("whole"), "list(whole)"),
    "array_once": Asked(
        fn.array_agg("word").distinct().where("yes"), "list(DISTINCT word)", "FILTER (yes)"
    ),
    "last_but_one": Asked(
        fn.nth("word", -2).order_by("id"), "nth_value(word, 2 ORDER BY id DESC NULLS LAST)"
    ),
    "first_by": Asked(
        fn.first("word").order_by("-price", "id"),
        "first_value(word ORDER BY price DESC NULLS LAST, id)",
    ),
    "last_by": Asked(
        fn.last("x").ignore_nulls().order_by("word", "-id"),
        "last_value(x ORDER BY word NULLS FIRST, id DESC IGNORE NULLS)",
    ),
    "second_by": Asked(
        fn.nth("word", 2).order_by("real", "id"), "nth_value(word, 2 ORDER BY real NULLS FIRST, id)"
    ),
    "mode_by": Asked(fn.mode("whole").order_by("-id"), "mode(whole ORDER BY id DESC)"),
    "list_by": Asked(
        fn.string_agg("word", "-").order_by("-x", "id"),
        "string_agg(word, '-' ORDER BY x DESC NULLS LAST, id)",
    ),
    "array_by": Asked(
        fn.array_agg("day").where("yes").order_by("-day", "id"),
        "list(day ORDER BY day DESC NULLS LAST, id)",
        "FILTER (yes)",
    ),
    "array_once_by": Asked(
        fn.array_agg("word").distinct().order_by("word"),
        "list(DISTINCT word ORDER BY word NULLS FIRST)",
    ),
    "least_by": Asked(
        fn.arg_min("id", "whole").order_by("-id"), "arg_min(id, whole ORDER BY id DESC)"
    ),
    "most_by": Asked(
        fn.arg_max("id", "whole").order_by("-id"), "arg_max(id, whole ORDER BY id DESC)"
    ),
}

#: Functions that look at a frame where they have an order of their own, which DuckDB refuses where
#: the frame excludes rows.
RANKED = {
    "number_by": Asked(
        fn.row_number().order_by("x", "id"), "row_number(ORDER BY x NULLS FIRST, id)"
    ),
    "rank_by": Asked(fn.rank().order_by("-word"), "rank(ORDER BY word DESC NULLS LAST)"),
    "share_by": Asked(fn.percent_rank().order_by("k"), "percent_rank(ORDER BY k NULLS FIRST)"),
    "up_to_by": Asked(fn.cume_dist().order_by("real"), "cume_dist(ORDER BY real NULLS FIRST)"),
    "tile_by": Asked(fn.ntile(3).order_by("-id"), "ntile(3 ORDER BY id DESC)"),
    "before_by": Asked(
        fn.lag("word").order_by("-price", "id"), "lag(word, 1 ORDER BY price DESC NULLS LAST, id)"
    ),
    "after_by": Asked(
        fn.lead("whole", 2, -9).order_by("day", "id"),
        "lead(whole, 2, -9 ORDER BY day NULLS FIRST, id)",
    ),
    "filled_by": Asked(fn.fill("x").order_by("id"), "fill(x ORDER BY id)"),
}


@st.composite
def counted_frames(draw: st.DrawFn, units: tuple[str, ...]) -> wb.Frame:
    unit = draw(st.sampled_from(units))
    low, high = draw(bounds(st.integers(-3, 3)))
    exclude = draw(st.sampled_from(["no others", "current row", "group", "ties"]))
    made: wb.Frame = getattr(wb.Frame, unit)(low, high, exclude=exclude)
    return made


@st.composite
def bounds(draw: st.DrawFn, distance: st.SearchStrategy[Any]) -> tuple[Any, Any]:
    """Draw two bounds in order."""
    low: Any = draw(st.one_of(st.none(), distance))
    high: Any = draw(st.one_of(st.none(), distance))
    return (high, low) if None not in (low, high) and low > high else (low, high)


#: Along each column: how a row's own distance is given here, and to DuckDB.
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
#: Bounds in SQL, where ``n`` and ``m`` are columns, and how much of each is the distance here.
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
    """A frame whose bounds are columns, here and in SQL, and the order that it goes along."""

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
        made: wb.Frame = getattr(wb.Frame, self.unit)(low, high, exclude=self.exclude)
        return made

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
