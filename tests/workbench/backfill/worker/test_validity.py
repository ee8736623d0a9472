"""Every function of rows with validity intervals, against itself over the rows that are valid."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.structures.instants import MOST
from tests.drawn import draws
from tests.workbench.backfill.cases import SCHEMA, Row, events_of, queries_of, spans, tables
from workbench.backfill.worker.cogroup import Span
from workbench.backfill.worker.task import BackfillTask, cogroup_of
from workbench.backfill.worker.validity import answer as validity_answer
from workbench.backfill.worker.validity import functions as validity_functions
from workbench.backfill.worker.validity.answer import answer_valid
from workbench.backfill.worker.validity.intervals import VALID_FROM, VALID_TO
from workbench.columnar.blocks import TIME
from workbench.engine.block import Call
from workbench.functions.catalogue import NO_OPTIONS, Options

ONCE = Options(distinct=True)
THREE = Options(n=3)
QUARTERS = Options(q=(0.25, 0.75))
#: Every function that can be an aggregation, by what it is of.
CALLS: list[tuple[str, tuple[str, ...], Options]] = [
    ("count", (), NO_OPTIONS),
    ("count", ("word",), NO_OPTIONS),
    ("count", ("word",), ONCE),
    ("count_distinct", ("word",), NO_OPTIONS),
    ("bounded_count_distinct", ("number",), Options(n=2)),
    *((name, ("number",), NO_OPTIONS) for name in ("sum", "avg", "product", "variance_pop")),
    *((name, ("number",), ONCE) for name in ("sum", "avg", "stddev", "mad")),
    *((name, ("number",), NO_OPTIONS) for name in ("skewness", "kurtosis", "mad", "mode")),
    *((name, ("number", "weight"), NO_OPTIONS) for name in ("covar_pop", "corr")),
    *((name, ("weight",), NO_OPTIONS) for name in ("sum", "avg", "min", "max", "count_distinct")),
    ("median", ("weight",), Options(q=(0.5,), single=True)),
    *((name, ("good",), NO_OPTIONS) for name in ("bool_and", "bool_or")),
    *((name, ("word",), NO_OPTIONS) for name in ("min", "max", "first", "last", "mode")),
    *((name, ("number",), NO_OPTIONS) for name in ("min", "max", "first", "last")),
    *((name, ("word", "number"), NO_OPTIONS) for name in ("arg_min", "arg_max")),
    ("last", ("word",), Options(ignore_nulls=True)),
    ("nth", ("number",), THREE),
    ("nth", ("number",), Options(n=-2)),
    ("median", ("number",), Options(q=(0.5,), single=True)),
    ("quantile", ("number",), QUARTERS),
    ("quantile", ("number",), replace(QUARTERS, distinct=True)),
    ("quantile_disc", ("word",), QUARTERS),
    *((name, ("word",), THREE) for name in ("first_k", "last_k", "top_k", "bottom_k")),
    ("top_k", ("number",), replace(THREE, distinct=True)),
    ("histogram", ("word",), NO_OPTIONS),
    ("string_agg", ("word",), Options(separator="-")),
    ("string_agg", ("word",), Options(separator="-", distinct=True)),
    ("approx_count_distinct", ("word",), Options(n=12)),
    ("approx_quantile", ("number",), Options(n=200, q=(0.5,), single=True)),
]
ENDS = st.one_of(st.just(MOST), st.integers(0, 25))
WITH_LIVES = SCHEMA.append(pa.field("weight", pa.float64())).append(
    pa.field(VALID_FROM, pa.int64())
)
WITH_LIVES = WITH_LIVES.append(pa.field(VALID_TO, pa.int64()))


@st.composite
def valid_rows(draw: st.DrawFn) -> list[Row]:
    """Events valid from before and from behind their own times; some intervals are empty."""
    rows: list[Row] = draw(events_of)
    for row in rows:
        row[VALID_FROM] = draw(st.integers(-25, 20))
        row[VALID_TO] = min(MOST, row[VALID_FROM] + draw(ENDS))
        row["weight"] = draw(st.sampled_from([-3.0, -1.0, 0.0, 2.5, math.nan]))
    return rows


def call_of(name: str, arguments: tuple[str, ...], options: Options, span: Span) -> Call:
    frame: Any = span
    return Call("found", name, arguments, options, frame, "good" if options == THREE else None)


def answers(call: Call, queries: list[Row], events: list[Row], tiled: bool | None) -> list[Any]:
    """What is found for each query, in their order."""
    task = BackfillTask((("id", "c0"),), ("k0",), (), WITH_LIVES)
    asked, _ = tables(queries, [])
    cogroup = cogroup_of(task.sides(asked, pa.Table.from_pylist(events, WITH_LIVES)))
    found, sizes = answer_valid(call, cogroup, tiled)
    values = found.to_pylist()
    assert len(values) == len(sizes) == len(queries)
    in_order: list[Any] = [None] * len(values)
    for row, value in zip(cogroup.queries.row.tolist(), values, strict=True):
        in_order[row] = value
    return in_order


def seen(query: Row, span: Span, row: Row) -> bool:
    """Whether the row is in the table when the query's window ends."""
    return query[TIME] is not None and row[VALID_FROM] <= ends(query, span) < row[VALID_TO]


def ends(query: Row, span: Span) -> int:
    return int((query[TIME] + span.ahead) // span.last_hop * span.last_hop)


def alone(call: Call, query: Row, events: list[Row], span: Span) -> Any:
    """The same function of the rows that are alive, by the engine of events."""
    alive = [{name: row[name] for name in row} for row in events if seen(query, span, row)]
    for row in alive:
        row[VALID_FROM], row[VALID_TO] = -MOST, MOST
    schema = WITH_LIVES.remove(len(WITH_LIVES) - 1).remove(len(WITH_LIVES) - 2)
    from workbench.backfill.worker.buckets import answer_plainly

    task = BackfillTask((("id", "c0"),), ("k0",), (), schema)
    plain = [{name: row.get(name) for name in schema.names} for row in alive]
    cogroup = cogroup_of(task.sides(tables([query], [])[0], pa.Table.from_pylist(plain, schema)))
    return answer_plainly(call, cogroup)[0].to_pylist()[0]


def alike(a: Any, b: Any) -> bool:
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-6) or (math.isnan(a) and math.isnan(b))
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(alike, a, b))
    return bool(a == b)


@pytest.mark.parametrize("tiled", [True, False], ids=["tiled", "listed"])
@pytest.mark.parametrize(
    ("name", "arguments", "options"), CALLS, ids=lambda one: one if isinstance(one, str) else ""
)
@given(queries_of, valid_rows(), spans)
@draws(8)
def test_every_function_sees_the_rows_that_are_there(
    name: str,
    arguments: tuple[str, ...],
    options: Options,
    tiled: bool,
    queries: list[Row],
    events: list[Row],
    span: Span,
) -> None:
    call = call_of(name, arguments, options, span)
    found = answers(call, queries, events, tiled)
    expected = [alone(call, query, events, span) for query in queries]
    for ours, theirs in zip(found, expected, strict=True):
        assert alike(ours, theirs), (found, expected)


def test_a_row_counts_from_behind_its_begin_to_its_end_and_on_the_tail() -> None:
    """At the begin of its validity interval and of the window, at the end of neither."""
    row = {"k0": "a", TIME: 0, VALID_FROM: 2, VALID_TO: 6, "number": 1, "weight": 0.0}
    queries: list[Row] = [{"k0": "a", TIME: q} for q in range(9)]
    for window, expected in ((None, [2, 3, 4, 5]), (4, [2, 3, 4]), (3, [2, 3])):
        found = answers(call_of("count", (), NO_OPTIONS, Span(window)), queries, [row], True)
        assert [q for q, count in enumerate(found) if count] == expected


def test_many_rows_are_tiled_and_answers_do_not_depend_on_other_queries(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By some queries at once or by all, and whether others are asked or not."""
    random = np.random.default_rng(5)
    events: list[Row] = [
        {
            "k0": "a",
            TIME: int(random.integers(-500, 500)),
            VALID_FROM: int(random.integers(-500, 400)),
            VALID_TO: int(random.integers(0, 600)),
            "number": int(random.integers(0, 50)),
            "weight": float(random.integers(-5, 5)),
            "word": f"w{random.integers(0, 9)}",
        }
        for _ in range(300)
    ]
    queries: list[Row] = [{"k0": "a", TIME: int(q)} for q in random.integers(-100, 600, 200)]
    for name, arguments, options in CALLS:
        call = call_of(name, arguments, replace(options), Span(400))
        if call.where is not None or "good" in arguments:
            continue
        every = answers(call, queries, events, None)
        some = answers(call, queries[::7], events, None)
        with monkeypatch.context() as patch:
            patch.setattr(validity_functions, "AT_ONCE", 9)
            patch.setattr(validity_answer, "AT_ONCE", 999)
            in_parts = answers(call, queries, events, None)
        for ours, theirs in zip(every[::7], some, strict=True):
            assert alike(ours, theirs), name
        assert all(map(alike, every, in_parts)), name
