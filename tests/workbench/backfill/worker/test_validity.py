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

DISTINCT = Options(distinct=True)
THREE = Options(n=3)
QUARTERS = Options(q=(0.25, 0.75))
#: Every function that can be an aggregation, with its columns and options.
CALLS: list[tuple[str, tuple[str, ...], Options]] = [
    ("count", (), NO_OPTIONS),
    ("count", ("word",), NO_OPTIONS),
    ("count", ("word",), DISTINCT),
    ("count_distinct", ("word",), NO_OPTIONS),
    ("bounded_count_distinct", ("number",), Options(n=2)),
    *((name, ("number",), NO_OPTIONS) for name in ("sum", "avg", "product", "variance_pop")),
    *((name, ("number",), DISTINCT) for name in ("sum", "avg", "stddev", "mad")),
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
WITH_VALIDITY = SCHEMA.append(pa.field("weight", pa.float64())).append(
    pa.field(VALID_FROM, pa.int64())
)
WITH_VALIDITY = WITH_VALIDITY.append(pa.field(VALID_TO, pa.int64()))


@st.composite
def valid_rows(draw: st.DrawFn) -> list[Row]:
    """Draw events valid from before or after their own times; some intervals are empty."""
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
    """Return the answers to the queries, in their order."""
    task = BackfillTask((("id", "c0"),), ("k0",), (), WITH_VALIDITY)
    query_rows, _ = tables(queries, [])
    cogroup = cogroup_of(task.sides(query_rows, pa.Table.from_pylist(events, WITH_VALIDITY)))
    column, sizes = answer_valid(call, cogroup, tiled)
    values = column.to_pylist()
    assert len(values) == len(sizes) == len(queries)
    in_order: list[Any] = [None] * len(values)
    for row, value in zip(cogroup.queries.row.tolist(), values, strict=True):
        in_order[row] = value
    return in_order


def is_valid(query: Row, span: Span, row: Row) -> bool:
    """Return whether the row is in the table when the query's window ends."""
    return query[TIME] is not None and row[VALID_FROM] <= window_end(query, span) < row[VALID_TO]


def window_end(query: Row, span: Span) -> int:
    return int((query[TIME] + span.ahead) // span.last_hop * span.last_hop)


def expected_answer(call: Call, query: Row, events: list[Row], span: Span) -> Any:
    """Return the same function of the valid rows, by the engine of events."""
    valid = [{name: row[name] for name in row} for row in events if is_valid(query, span, row)]
    for row in valid:
        row[VALID_FROM], row[VALID_TO] = -MOST, MOST
    schema = WITH_VALIDITY.remove(len(WITH_VALIDITY) - 1).remove(len(WITH_VALIDITY) - 2)
    from workbench.backfill.worker.buckets import answer_plainly

    task = BackfillTask((("id", "c0"),), ("k0",), (), schema)
    plain = [{name: row.get(name) for name in schema.names} for row in valid]
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
def test_every_function_sees_the_rows_that_are_valid(
    name: str,
    arguments: tuple[str, ...],
    options: Options,
    tiled: bool,
    queries: list[Row],
    events: list[Row],
    span: Span,
) -> None:
    call = call_of(name, arguments, options, span)
    actual = answers(call, queries, events, tiled)
    expected = [expected_answer(call, query, events, span) for query in queries]
    for ours, theirs in zip(actual, expected, strict=True):
        assert alike(ours, theirs), (actual, expected)


def test_validity_intervals_and_windows_include_their_begin_but_not_their_end() -> None:
    """A row counts at the begin of its validity interval and of the window, not at their ends."""
    row = {"k0": "a", TIME: 0, VALID_FROM: 2, VALID_TO: 6, "number": 1, "weight": 0.0}
    queries: list[Row] = [{"k0": "a", TIME: q} for q in range(9)]
    for window, expected in ((None, [2, 3, 4, 5]), (4, [2, 3, 4]), (3, [2, 3])):
        counts = answers(call_of("count", (), NO_OPTIONS, Span(window)), queries, [row], True)
        assert [q for q, count in enumerate(counts) if count] == expected


def test_many_rows_are_tiled_and_answers_do_not_depend_on_other_queries(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All queries, every seventh one, and a few at a time have the same answers."""
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
