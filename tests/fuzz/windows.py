"""Window calls against DuckDB in process: by the workers' tasks, whole and cut; and on Spark."""

import re
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import strategies as st
from pyspark.sql import SparkSession

import workbench as wb
from kernels import AGGREGATES
from tests.fuzz.check import Check
from tests.fuzz.ends import LEAST, LONGS, MOST
from tests.workbench.windows import test_as_duckdb as by_duckdb
from tests.workbench.windows import test_pieces as in_pieces
from tests.workbench.windows.cases import (
    COLUMNS,
    DISTINCT,
    NAN,
    POSITIONAL,
    TIE_PROOF,
    Case,
    Columns,
    Varying,
    ask_duckdb,
    ask_spark,
    counted_frames,
    frame_in_sql,
    same,
    tables,
    varying,
)
from tests.workbench.windows.pieces import answer, answer_in_pieces
from workbench.errors import WorkbenchError
from workbench.frames.bounds import COUNT, Offset, PerRow
from workbench.functions.catalogue import CATALOGUE
from workbench.functions.fn import Function, avg, count, max, median, min, quantile_disc, sum

ANY_ORDER = TIE_PROOF | {f"{name}_once": one for name, one in DISTINCT.items()}
FULL_ORDER = ANY_ORDER | POSITIONAL
Calls = dict[str, Case]

keys = st.sampled_from([[], ["p"], ["p", "yes"]])
orders = st.sampled_from(
    ["k", "-word", "real", "-price", "day", "moment", "-whole", "yes", "small"]
)
exclusions = st.sampled_from(["no others", "current row", "group", "ties"])


def some_of(calls: Calls) -> st.SearchStrategy[Calls]:
    names = st.lists(st.sampled_from(sorted(calls)), min_size=1, max_size=12, unique=True)
    return names.map(lambda chosen: {name: calls[name] for name in chosen})


def any_framed(calls: Calls) -> bool:
    """Return whether a call uses the frame; `wb.over` refuses a frame that no call uses."""
    return not all(one.frameless for one in calls.values())


def compare(
    rows: pa.Table,
    partition_by: Sequence[str],
    order_by: list[str],
    frame: wb.Frame,
    calls: Calls,
    sql: str,
    for_duckdb: pa.Table | None = None,
) -> None:
    """Compare the answers of whole partitions; a sum that does not fit its type is refused."""
    expected = ask_duckdb(
        rows if for_duckdb is None else for_duckdb, list(partition_by), order_by, sql, calls
    )
    functions = {name: one.function for name, one in calls.items()}
    overflowing = [name for name, one in functions.items() if not _fits(one, expected[name], rows)]
    if overflowing:
        with pytest.raises((OverflowError, WorkbenchError), match=rf"^({'|'.join(overflowing)}): "):
            answer(rows, tuple(partition_by), order_by, frame, functions)
        return
    found = answer(rows, tuple(partition_by), order_by, frame, functions)
    same(found.sort_by("id").to_pydict(), expected, calls)


def _fits(one: Function, values: list[Any], rows: pa.Table) -> bool:
    kind = rows.schema.field(str(one.arguments[0])).type if one.arguments else None
    if one.name != "sum" or kind is None or not pa.types.is_integer(kind):
        return True
    return all(value is None or LEAST <= value <= MOST for value in values)


def frames_that_count_are_those_of_duckdb(
    rows: pa.Table, keys: list[str], order: str, frame: wb.Frame, calls: Calls
) -> None:
    compare(rows, keys, [order, "id"], frame, calls, frame_in_sql(frame))


def frames_that_count_groups_of_tied_rows_are_those_of_duckdb(
    rows: pa.Table, keys: list[str], order: str, frame: wb.Frame, calls: Calls
) -> None:
    compare(rows, keys, [order], frame, calls, frame_in_sql(frame))


def frames_that_measure_are_those_of_duckdb(
    rows: pa.Table, keys: list[str], along: tuple[str, Any, bool], exclude: str, calls: Calls
) -> None:
    order, (low, high), interval = along
    frame = wb.Frame.range(low, high, exclude=exclude)
    compare(rows, keys, [order], frame, calls, frame_in_sql(frame, interval))


def frames_with_an_end_of_each_row_are_those_of_duckdb(
    rows: pa.Table, keys: list[str], unit: str, running: bool, exclude: str, calls: Calls
) -> None:
    low = Offset(0, COUNT) if running else None
    frame = wb.Frame(unit, low, Offset(PerRow("m"), COUNT), exclude)
    begin = "CURRENT ROW" if running else "UNBOUNDED PRECEDING"
    sql = f"{unit} BETWEEN {begin} AND m FOLLOWING EXCLUDE {exclude}"
    compare(rows, keys, ["k", "id"], frame, calls, sql)


#: As :data:`COLUMNS`, with values at the ends of the types.
FLOATS = [NAN, float("inf"), -float("inf"), 0.0, -0.0, 5e-324, 1.7976931348623157e308, -1e308, 1.5]
DAYS = [date(1, 1, 1), date(1582, 10, 10), date(1969, 12, 31), date(1970, 1, 1), date(9999, 12, 31)]
MOMENTS = [
    datetime(1, 1, 1),
    datetime(1969, 12, 31, 23, 59, 59, 999_999),
    datetime(1970, 1, 1),
    datetime(9999, 12, 31, 23, 59, 59, 999_999),
]
AT_ENDS: Columns = COLUMNS | {
    "k": (st.sampled_from([-(2**31), -1, 0, 1, 2**31 - 1]), pa.int32()),
    "real": (st.sampled_from(FLOATS), pa.float64()),
    "price": (
        st.sampled_from(["-99999999.9", "-0.1", "0", "0.1", "99999999.9"]).map(Decimal),
        pa.decimal128(9, 1),
    ),
    "day": (st.sampled_from(DAYS), pa.date32()),
    "moment": (st.sampled_from(MOMENTS), pa.timestamp("us")),
    "whole": (LONGS, pa.int64()),
    "small": (st.sampled_from([-128, -1, 0, 127]), pa.int8()),
    "x": (st.sampled_from([-0.0, 0.0, 5e-324, 1e-100, 0.5, 3.0]), pa.float64()),
    "word": (st.sampled_from(["", "\0", "a", "a\0", "é", "e\u0301", "😀", "z" * 40]), pa.string()),
}
#: All values of a column missing, or all the same, or one row alone.
ALIKE: Columns = {
    name: (st.none() if name in ("whole", "word", "x") else st.just(None), kind)
    for name, (_, kind) in COLUMNS.items()
}
#: Calls that return a value unchanged, counts, and sums that are exact.
EXACT: Calls = {
    name: FULL_ORDER[name]
    for name in (
        *("rows_", "counted", "kinds", "reals", "low", "high", "low_word", "high_day", "low_price"),
        *("all_", "any_", "disc", "disc_day", "top", "bottom", "counts", "rank", "dense", "share"),
        *("up_to", "number", "tile", "before", "before_2", "after", "after_given", "first"),
        *("first_given", "last", "last_given", "second", "list", "list_some", "mode", "mode_word"),
        *("least", "most", "total", "spent", "mean", "mean_price", "sum_x", "total_once"),
        *("spent_once", "low_once", "high_day_once", "mode_once", "all__once", "half"),
    )
} | {"mean_whole": Case(avg("whole"), "avg(whole)")}


def values_at_the_ends_are_answered_as_duckdb_does(
    rows: pa.Table, keys: list[str], order: str, frame: wb.Frame, calls: Calls
) -> None:
    compare(rows, keys, [order, "id"], frame, calls, frame_in_sql(frame))


def distances_at_the_ends_are_those_of_duckdb(
    rows: pa.Table, keys: list[str], descending: bool, bounds: list[int], exclude: str
) -> None:
    """Along integers of 64 bits, which DuckDB gets as longer ones, so that no bound overflows."""
    frame = wb.Frame.range(*sorted(bounds), exclude=exclude)
    longer = rows.column("whole").cast(pa.decimal128(38, 0))
    place = rows.column_names.index("whole")
    calls = {name: TIE_PROOF[name] for name in ("rows_", "low_word", "high_day", "band", "counts")}
    order = ["-whole" if descending else "whole"]
    for_duckdb = rows.set_column(place, "whole", longer)
    compare(rows, keys, order, frame, calls, frame_in_sql(frame), for_duckdb)


@st.composite
def decimals(draw: st.DrawFn) -> tuple[int, int, list[int | None]]:
    """Draw a precision of 1 to 38 digits, a scale, and digits."""
    precision = draw(st.one_of(st.integers(1, 38), st.sampled_from([9, 10, 18, 19, 28, 38])))
    most = 10**precision - 1
    digits = st.one_of(
        st.none(), st.sampled_from([most, -most, 0, 1, -1]), st.integers(-most, most)
    )
    scale = draw(st.integers(0, precision))
    return precision, scale, draw(st.lists(digits, min_size=1, max_size=9))


#: Calls over decimals with their SQL, and the most digits that they take.
OF_DECIMALS: dict[str, tuple[Case, int]] = {
    "low": (Case(min("d"), "min(d)"), 38),
    "high": (Case(max("d"), "max(d)"), 38),
    "counted": (Case(count("d"), "count(d)"), 38),
    "kinds": (Case(count("d").distinct(), "count(DISTINCT d)"), 38),
    "disc": (Case(quantile_disc("d", 0.5), "quantile_disc(d, 0.5)"), 38),
    "total": (Case(sum("d"), "sum(d)"), 18),
    "mean": (Case(avg("d"), "avg(d)"), 18),
    "half": (Case(median("d"), "median(d::DOUBLE)"), 18),
}


def decimals_of_all_widths_are_answered_as_duckdb_does(
    values: tuple[int, int, list[int | None]], frame: wb.Frame
) -> None:
    precision, scale, digits = values
    kind = pa.decimal128(precision, scale)
    # The context of Decimal would round those of many digits.
    numbers = [None if one is None else Decimal(f"{one}e-{scale}") for one in digits]
    nothing = {name: pa.nulls(len(numbers), kind) for name, (_, kind) in COLUMNS.items()}
    columns = {"id": pa.array(range(len(numbers)), pa.int64()), "d": pa.array(numbers, kind)}
    calls = {name: one for name, (one, most) in OF_DECIMALS.items() if precision <= most}
    compare(pa.table(nothing | columns), [], ["id"], frame, calls, frame_in_sql(frame))


def pieces_are_answered_as_whole_partitions_are(
    rows: pa.Table,
    keys: list[str],
    first: tuple[str, str, str],
    frame: wb.Frame,
    calls: dict[str, Any],
    plan: tuple[int, int, int],
) -> None:
    order = [first, "id"]
    try:
        answer(rows, tuple(keys), order, frame, calls)
    except (OverflowError, WorkbenchError) as error:
        # A sum that does not fit is refused either way.
        with pytest.raises(type(error), match=re.escape(str(error))):
            answer_in_pieces(rows, tuple(keys), order, frame, calls, *plan)
        return
    in_pieces.check(rows, tuple(keys), order, frame, calls, plan)


def frames_on_spark_are_those_of_duckdb(
    spark: SparkSession, rows: pa.Table, keys: list[str], around: Varying, calls: Calls
) -> None:
    order_by = [around.order]
    if around.unit == "rows":
        order_by.append("id")
    expected = ask_duckdb(rows, keys, order_by, around.sql, calls)
    found = ask_spark(spark, rows, keys, order_by, around.frame, calls)
    same(found, expected, calls)


def plain_frames_on_spark_are_those_of_duckdb(
    spark: SparkSession, rows: pa.Table, keys: list[str], order: str, frame: wb.Frame, calls: Calls
) -> None:
    by_duckdb.check(spark, rows, keys, [order, "id"], frame, calls)


counted = counted_frames(("rows", "groups", "rows"))
#: How these are rounded depends on the rows that a task begins with; at the ends of types, by any
#: amount.
ROUNDED = {
    name
    for name, one in CATALOGUE.items()
    if any(isinstance(AGGREGATES[state].empty[0], float) for state in one.states)
}
NOT_ROUNDED = {name: one for name, one in in_pieces.FULL_ORDER.items() if one.name not in ROUNDED}
WIDE = [-MOST, 1 - MOST, -(2**62), -3, -1, 0, 1, 3, 2**62, MOST - 1, MOST]
tied = ANY_ORDER
CHECKS = [
    Check(
        frames_that_count_are_those_of_duckdb,
        {
            "rows": st.one_of(tables(), tables(40), tables(3, ALIKE)),
            "keys": keys,
            "order": orders,
            "frame": counted,
            "calls": some_of(FULL_ORDER),
        },
    ),
    Check(
        frames_that_count_groups_of_tied_rows_are_those_of_duckdb,
        {
            "rows": tables(),
            "keys": keys,
            "order": orders,
            "frame": counted_frames(("groups",)),
            "calls": some_of(ANY_ORDER),
        },
    ),
    Check(
        frames_that_measure_are_those_of_duckdb,
        {
            "rows": tables(),
            "keys": keys,
            "along": by_duckdb.measured(),
            "exclude": exclusions,
            "calls": some_of(ANY_ORDER),
        },
    ),
    Check(
        frames_with_an_end_of_each_row_are_those_of_duckdb,
        {
            "rows": tables(),
            "keys": keys,
            "unit": st.sampled_from(["rows", "groups"]),
            "running": st.booleans(),
            "exclude": exclusions,
            "calls": some_of(FULL_ORDER),
        },
        examples=50,
    ),
    Check(
        values_at_the_ends_are_answered_as_duckdb_does,
        {
            "rows": st.one_of(tables(columns=AT_ENDS), tables(2, AT_ENDS)),
            "keys": keys,
            "order": orders,
            "frame": counted,
            "calls": some_of(EXACT),
        },
    ),
    Check(
        distances_at_the_ends_are_those_of_duckdb,
        {
            "rows": tables(columns=COLUMNS | {"whole": AT_ENDS["whole"]}),
            "keys": keys,
            "descending": st.booleans(),
            "bounds": st.lists(st.sampled_from(WIDE), min_size=2, max_size=2),
            "exclude": exclusions,
        },
    ),
    Check(
        decimals_of_all_widths_are_answered_as_duckdb_does,
        {"values": decimals(), "frame": counted_frames(("rows",))},
        examples=50,
    ),
    *(
        Check(
            pieces_are_answered_as_whole_partitions_are,
            {
                "rows": rows,
                "keys": keys,
                "first": in_pieces.orders(in_pieces.ORDERED),
                "frame": in_pieces.bounded(counted),
                "calls": in_pieces.some_of(dict(sorted(functions.items()))),
                "plan": in_pieces.plans,
            },
            examples=25,
        )
        for rows, functions in (
            (tables(30), in_pieces.FULL_ORDER),
            (tables(30, AT_ENDS), NOT_ROUNDED),
        )
    ),
    Check(
        frames_on_spark_are_those_of_duckdb,
        {
            "rows": tables(),
            "keys": keys,
            "around": varying(),
            "calls": some_of({name: TIE_PROOF[name] for name in by_duckdb.EACH_KIND}),
        },
        examples=2,
        on_spark=True,
    ),
    Check(
        plain_frames_on_spark_are_those_of_duckdb,
        {
            "rows": tables(),
            "keys": keys,
            "order": orders,
            "frame": counted,
            "calls": some_of(FULL_ORDER).filter(any_framed),
        },
        examples=2,
        on_spark=True,
    ),
]
