"""A specification as SQL has our answer in its system, and is read back as the same one."""

import re
import warnings
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, Phase, given
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import workbench as wb
from tests.drawn import draws
from tests.kernels.funnel.events import COMBINATIONS, Streams, streams
from tests.kernels.funnel.test_funnel import clickhouse, levels
from tests.oracle import duck
from tests.workbench.backfill.test_backfill import BOUNDS, backfill, in_duckdb
from tests.workbench.windows.cases import (
    DISTINCT,
    POSITIONAL,
    TIE_PROOF,
    Case,
    bounds,
    counted_frames,
    same,
    tables,
)
from tests.workbench.windows.pieces import answer
from workbench import fn
from workbench.durations import microseconds
from workbench.errors import WorkbenchError
from workbench.frames.frame import Frame
from workbench.funnel.funnel import Funnel
from workbench.queries.names import QueryTables
from workbench.queries.parts import Translation
from workbench.queries.questions import answer as answer_query
from workbench.queries.reading.parsing import parse_query
from workbench.windows.over import Over

#: DuckDB rounds these to the type of their column, which a specification does not know.
ROUNDED = {"q_price", "dev", "dev_once"}
CALLS: dict[str, Case] = {
    name: one
    for name, one in (
        TIE_PROOF | POSITIONAL | {f"{k}_once": one for k, one in DISTINCT.items()}
    ).items()
    if name not in ROUNDED
}
SOME: dict[str, Any] = {"phases": [Phase.explicit, Phase.reuse, Phase.generate],
        "suppress_health_check": list(HealthCheck)}  # fmt: skip


@st.composite
def along(draw: st.DrawFn) -> tuple[list[str], wb.Frame]:
    """An order, and a frame that it can have."""
    if draw(st.booleans()):
        order = draw(st.sampled_from([["k", "id"], ["-word", "id"], ["real", "-id"]]))
        return order, draw(counted_frames(("rows", "groups")))
    column, size = draw(st.sampled_from([("day", "days"), ("moment", "hours"), ("whole", "")]))
    low, high = draw(bounds(st.integers(-3, 3)))
    ends = [None if n is None else f"{n} {size}" if size and n else n for n in (low, high)]
    exclude = draw(st.sampled_from(["no others", "current row", "group", "ties"]))
    frame = Frame.range(*ends, exclude=exclude)
    return [draw(st.sampled_from(["", "-"])) + column], frame


@st.composite
def overs(draw: st.DrawFn) -> Over:
    order, frame = draw(along())
    one_order = len(order) == 1
    known = [name for name in CALLS if not one_order or name.removesuffix("_once") in TIE_PROOF]
    names = draw(st.lists(st.sampled_from(known), min_size=1, max_size=4, unique=True))
    functions: dict[str, Any] = {name: CALLS[name].function for name in names}
    if all(not one.info.has_frame for one in functions.values()):
        functions["rows_"] = fn.count()
    if draw(st.booleans()):
        functions = {
            name: one.over(frame) if one.info.has_frame else one for name, one in functions.items()
        }
        return Over(draw(st.sampled_from([[], ["p"], ["p", "yes"]])), order, **functions)
    return Over(draw(st.sampled_from([[], ["p"], ["p", "yes"]])), order, frame, **functions)


@draws(60, **SOME)
@given(rows=tables(), over=overs())
def test_a_window_call_has_our_answer_in_duckdb(rows: pa.Table, over: Over) -> None:
    with duck() as con:
        con.register("it's", rows)
        found = con.sql(over.to_sql(table="it's")).to_arrow_table().sort_by("id").to_pydict()
    functions = over.columns
    expected = answer(rows, over.partition_by, over.order_terms, over.frame or RUNNING, functions)
    assert same(found, expected.to_pydict(), functions)


RUNNING = Frame.range(None, 0)


def asked_of(query: str, dialect: str, **tables: Any) -> list[Any]:
    """Return the window calls and funnels that a query is translated to."""
    work = Translation(QueryTables(tables, dialect))
    with work.tables.temporary_views():
        answer_query(parse_query(query, dialect), work)
    return [part.operation for part in work.parts if part.engine in ("over", "funnel")]


def plain(over: Over) -> dict[str, Any]:
    """Return what a call computes, whichever columns hold its conditions and defaults."""
    return {
        name: (one.name, one.arguments, one.options.shown(one.name), one.options.distinct,
               one.options.ignore_nulls, one.condition is None,
               (one.frame or over.frame) if one.info.has_frame else None)
        for name, one in over.columns.items()
    }  # fmt: skip


def test_a_list_leaves_out_nulls_and_rows_that_do_not_fulfil_its_condition_in_duckdb() -> None:
    rows = pa.table({"d": [1, 2, 3], "x": [4, None, 6], "y": [True, True, False]})
    over = Over(order_by="d", a=fn.array_agg("x").ignore_nulls().where("y"))
    with duck() as con:
        con.register("rows", rows)
        assert con.sql(over.to_sql(table="rows")).to_arrow_table()["a"].to_pylist() == [[4]] * 3


@draws(10, **SOME)
@given(over=overs())
def test_a_window_call_is_read_as_the_same_call(spark: SparkSession, over: Over) -> None:
    (found,) = asked_of(over.to_sql(), "duckdb", df=empty(spark))
    assert (found.partition_by, found.order_by) == (over.partition_by, over.order_by)
    assert plain(found) == plain(over)


def empty(spark: SparkSession) -> Any:
    return spark.createDataFrame(
        [], "id long, p string, k int, real double, price decimal(9, 1), day date, "
        "moment timestamp_ntz, whole long, small byte, x double, word string, yes boolean"
    )  # fmt: skip


@draws(30, **SOME)
@given(case=streams(one_each=True, most_steps=4), modes=st.sampled_from(COMBINATIONS))
def test_a_funnel_has_our_answer_in_clickhouse(case: Streams, modes: dict[str, bool]) -> None:
    rows = [
        (user, time, f"it's {bits.bit_length() - 1}" if bits else None)
        for user, events in enumerate(case.users)
        for time, bits in sorted(events)
    ]
    found = dict.fromkeys(range(len(case.users)), 0)
    if rows:
        columns = zip(*rows, strict=True)
        events = {
            "user": pa.array(next(columns), pa.int64()),
            "at": pa.array(next(columns), pa.uint64()),
            "what": pa.array(next(columns), pa.string()),
        }
        table = pa.table(events)  # noqa: F841 (the query reads it by its name)
        query = funnel_of(case, modes).to_sql(table="EVENTS").replace('"EVENTS"', "Python(table)")
        for row in (
            clickhouse().query(f"{query} SETTINGS max_threads = 1", "ArrowTable").to_pylist()
        ):
            found[row["user"]] = row["level"]
    assert list(found.values()) == levels(case, **modes)


def funnel_of(case: Streams, modes: dict[str, bool]) -> Funnel:
    steps = [f"it's {k}" for k in range(case.steps)]
    names = [mode for mode, on in modes.items() if on]
    return Funnel(steps, case.window, "user", "at", "what", modes=names)


@pytest.mark.parametrize(
    "funnel",
    [
        Funnel(["a", ["b", "c's"]], "90 minutes", modes=["strict_order", "strict_once"]),
        Funnel(
            {"dear": "price > 10 AND lower(event) = 'a'", "b": "event LIKE 'b%'"},
            "1 day",
            "user_id",
        ),
        Funnel(["a"], 7, ["user_id", "device"], "step"),
    ],
    ids=["names", "conditions", "numbers"],
)
def test_a_funnel_is_read_as_the_same_funnel(spark: SparkSession, funnel: Funnel) -> None:
    events = spark.sql(
        "SELECT * FROM VALUES (1, 'x', timestamp'2024-01-01', 1, 'a', 20), "
        "(1, 'x', timestamp'2024-01-01 01:00:00', 2, 'b', 20), (2, 'y', null, 3, 'a', 1), "
        "(3, 'x', timestamp'2024-01-03', 4, null, 11) "
        "AS (user_id, device, timestamp, step, event, price)"
    )
    query = funnel.to_sql()
    (operation,) = asked_of(query, "clickhouse", events=events)
    assert (operation.key, operation.modes) == (funnel.key, funnel.modes)
    if isinstance(funnel.window, int):
        assert operation.window == funnel.window
    else:
        assert microseconds(operation.window) == microseconds(funnel.window)
    answers = wb.sql(query, dialect="clickhouse", events=events)
    expected = funnel.levels(events).select(*funnel.key, "level")
    assert sorted(map(tuple, answers.collect())) == sorted(map(tuple, expected.collect()))


@pytest.mark.parametrize("kind", BOUNDS)
def test_a_backfill_has_our_answer_in_duckdb(kind: str) -> None:
    random = np.random.default_rng(3)
    queries = pa.table(
        {"k": _some(random, 0, 7, 80), "t": _some(random, -60, 130, 80), "id": range(80)}
    )
    events = pa.table(
        {
            "k": _some(random, 0, 5, 300),
            "t": _some(random, -50, 100, 300),
            "v": _some(random, -5, 9, 300),
            "b": ["x", None, "y"] * 100,
            "s": [*"pq", None] * 100,
        }
    )
    with duck() as con:
        con.register("queries", queries)
        con.register("events", events)
        answer = con.sql(backfill(kind).to_sql()).to_arrow_table().sort_by("id").to_pydict()
        # Other tests compare the workers' answers with this query.
        oracle = con.sql(in_duckdb(kind)).to_arrow_table().to_pydict()
    expected = {name.removeprefix(f"{kind}_"): values for name, values in oracle.items()}
    assert same(answer, expected, backfill(kind).names)


def _some(random: np.random.Generator, low: int, high: int, n: int) -> pa.Array:
    """Integers with ties, and some nulls."""
    values = random.integers(low, high, n).tolist()
    return pa.array([None if k % 11 == 0 else one for k, one in enumerate(values)], pa.int64())


@pytest.mark.parametrize("window", ["sliding", "sawtooth", "hopping"])
def test_a_backfill_of_times_has_our_answer_in_duckdb(spark: SparkSession, window: str) -> None:
    begin = datetime(1969, 12, 31, 20)
    events = pa.table(
        {"who": [k % 2 for k in range(60)], "x": [float(k * 7 % 11) for k in range(60)],
         "at": pa.array([begin + timedelta(minutes=k * k % 700) for k in range(60)])}
    )  # fmt: skip
    queries = events.slice(0, 20).select(["who", "at"])
    specification = wb.Backfill(
        "who",
        "at",
        [wb.Aggregation("avg", "x", ["90 minutes", "3 hours"]), wb.Aggregation("last", "x")],
        window,
        None if window == "sliding" else "7 minutes",
    )
    with duck() as con:
        con.register("queries", queries)
        con.register("events", events)
        answer = con.sql(specification.to_sql()).to_arrow_table()
    order = [(name, "ascending") for name in ("who", "at")]
    expected = specification.run(queries, events).toArrow()
    assert same(
        answer.sort_by(order).to_pydict(), expected.sort_by(order).to_pydict(), specification.names
    )


with warnings.catch_warnings(action="ignore"):
    EMPTY = Frame.rows(0, -1)

REFUSED = [
    (lambda: Over(order_by="d", a=fn.sum("x")).to_sql("oracle"),
     "dialect: 'oracle' is not known; give 'duckdb'."),
    (lambda: Over(order_by="d", a=fn.sum("x")).to_sql(table=""),
     "table: '' is not a name; give the name of the table."),
    (lambda: Over(order_by="d", a=fn.sum("x"), b=fn.approx_top_k("x", 3)).to_sql(),
     "b: duckdb has no function with the same answers as approx_top_k; leave it out."),
    (lambda: Over(order_by="d", a=fn.sum(F.lit(1))).to_sql(),
     "a: Column<'1'> is a Column, whose SQL is not known; add it to the table as a column, and "
     "give its name."),
    (lambda: Over(order_by="d", a=fn.sum("x").where(F.lit(True))).to_sql(),
     "a: Column<'true'> is a Column, whose SQL is not known; give the condition as text."),
    (lambda: Over(order_by="d", frame=Frame.rows(-F.lit(1), 0), a=fn.sum("x")).to_sql(),
     "frame: the bound Column<'negative(1)'> is a Column, whose SQL is not known; give a number."),
    (lambda: Over(order_by="d", a=fn.lag("x", 1, F.lit(1))).to_sql(),
     "a: the default Column<'1'> cannot be written as SQL; give a number, text or a boolean."),
    (lambda: Over(order_by="d", a=fn.first("x").where("y")).to_sql(),
     "a: duckdb has no first with a condition; leave the condition out."),
    (lambda: Over([], "d", Frame.rows(-1, 0, exclude="ties"), a=fn.rank().order_by("x")).to_sql(),
     "a: duckdb has no rank over a frame that excludes rows; leave exclude out."),
    (lambda: Over(order_by="d", frame=EMPTY, a=fn.sum("x")).to_sql(),
     "a: wb.Frame.rows(0, -1) begins after its end, which duckdb refuses; leave a out."),
    (lambda: Funnel(["a", "c"], "1 hour", exclude=["b"]).to_sql(),
     "exclude: ClickHouse's windowFunnel has no counterpart of exclude={'b': ('a', 'c')}; leave "
     "it out to write the funnel as SQL."),
    (lambda: Funnel(["a"], "1.5 seconds").to_sql(),
     "window: '1.5 seconds' is not a whole number of seconds, and ClickHouse counts a "
     "window in seconds."),
    (lambda: wb.Backfill("k", "t", wb.Aggregation("sum", "v", 3, by="b")).to_sql(),
     "v_sum_3_by_b: a map of the values of 'b' cannot be written as SQL; leave it out."),
    (lambda: wb.Backfill("k", "t", wb.Aggregation("mode", "v", 3)).to_sql(events="e"),
     "v_mode_3: mode depends on the order of events, and several may have the same time; leave it "
     "out to write the backfill as SQL."),
    (lambda: wb.Backfill("k", "t", wb.Aggregation(fn.approx_top_k("v", 3), windows=3)).to_sql(),
     "v_approx_top_k_3: duckdb has no function with the same answers as approx_top_k; leave it "
     "out."),
    (lambda: wb.Backfill("k", "t", wb.Aggregation("sum", "v", 3)).to_sql(
        queries=3,  # type: ignore[arg-type]
     ), "queries: 3 is not a name; give the name of the table."),
    (lambda: Funnel({"a": F.lit(True)}, "1 hour").to_sql(),
     "steps: 'a': Column<'true'> is a Column, whose SQL is not known; give the condition as "
     "text."),
    *(
        (lambda text=text: Funnel({"a": text}, "1 hour").to_sql(),
         f"steps: 'a': {named} may have a different answer in clickhouse; add it to the table as a "
         "column, and give its name.")
        for text, named in [
            ("round(x) = 2", "ROUND(x)"), ("substring(s, 2, 1) = 'b'", "SUBSTRING(s, 2, 1)"),
            ("not (x > 1 and position('b' in s) = 2)", "LOCATE('b', s)"),
            ("x not in (1, null)", "x IN (1, NULL)"), ("ln(x) < 1", "LN(x)"),
            ("concat_ws('-', s, 'a') = 'a'", "CONCAT_WS('-', s, 'a')"),
            ("m['x'] = 0", "m['x']"), ("cast(x as string) = '1.0'", "CAST(x AS STRING)"),
            ("extract(dow from d) = 2", "EXTRACT(DOW FROM d)"),
            ("not array_contains(l, 'x')", "ARRAY_CONTAINS(l, 'x')"),
            ("date_format(d, 'HH:mm') > '09:30'", "DATE_FORMAT(d, 'HH:mm')"),
            ("date_format(d, 'EEEE') = 'Sunday'", "DATE_FORMAT(d, 'EEEE')"),
            ("dayofweek(d) = 1", "DAYOFWEEK(d)"), ("weekday(d) = 1", "WEEKDAY(d)"),
            ("case x when null then true end", "CASE x WHEN NULL THEN TRUE END"),
            ("lpad(s, 3, '0') = '00a'", "LPAD(s, 3, '0')"), ("ascii(s) = 201", "ASCII(s)"),
            ("levenshtein(s, 'a') < 2", "LEVENSHTEIN(s, 'a')"), ("soundex(s) = ''", "SOUNDEX(s)"),
            ("hex(x) = '5'", "HEX(x)"), ("bin(x) = '101'", "BIN(x)"),
            ("sha1(s) like 'a%'", "SHA(s)"), ("monthname(d) = 'Feb'", "MONTHNAME(d)"),
            ("datediff(day, d, e) = 0", "DATEDIFF(DAY, d, e)"),
        ]
    ),
    *(
        (lambda text=text: Over(order_by="d", a=fn.sum("x").where(text)).to_sql(),
         f"a: {named} may have a different answer in duckdb; add it to the table as a column, and "
         "give its name.")
        for text, named in [
            ("dayofweek(d) = 1", "DAYOFWEEK(d)"), ("weekday(d) = 1", "WEEKDAY(d)"),
            ("cast(x as int) = 2", "CAST(x AS INT)"), ("s like 'a\\_'", "s LIKE 'a\\\\_'"),
            ("x div 2 = 2", "x DIV 2"), ("log(2, x) < 1", "LOG(2, x)"),
            ("substring(s, 0, 2) = 'ab'", "SUBSTRING(s, 0, 2)"),
            ("left(s, -1) = ''", "LEFT(s, -1)"), ("dayname(d) = 'Thu'", "DAYNAME(d)"),
            ("timestampdiff(hour, d, e) = 0", "TIMESTAMPDIFF(HOUR, d, e)"),
        ]
    ),
]  # fmt: skip


@pytest.mark.parametrize(("ask", "sentence"), REFUSED)
def test_a_specification_without_a_counterpart_in_sql_is_a_sentence(
    spark: SparkSession, ask: Any, sentence: str
) -> None:
    with pytest.raises(WorkbenchError, match=f"^{re.escape(sentence)}$"):
        ask()
