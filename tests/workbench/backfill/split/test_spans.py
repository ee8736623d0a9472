"""Keys that are cut by time: the same answers as whole ones, wherever they are cut."""

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.drawn import draws
from tests.workbench.backfill.cases import (
    FUNCTION_CASES,
    SCHEMA,
    FunctionCase,
    Row,
    by_force,
    events_of,
    feature,
    queries_of,
    spans,
)
from tests.workbench.backfill.spans import answer_in_spans, answer_whole
from workbench.backfill.worker.cogroup import CoGroup, Span
from workbench.backfill.worker.task import Sides, cogroup_of
from workbench.columnar.blocks import TIME
from workbench.functions.catalogue import Options

DISTINCT = Options(distinct=True)
#: Functions that the cases of whole keys lack: every other state, and other ways to pick rows.
MORE = [
    FunctionCase(name, "number", lambda rows, _: None, pa.float64())
    for name in ("product", "stddev", "variance_pop", "skewness", "kurtosis", "mad")
]
MORE += [
    FunctionCase("sum", "number", lambda rows, _: None, pa.int64(), DISTINCT),
    FunctionCase("mode", "number", lambda rows, _: None, pa.int64()),
    FunctionCase("bool_and", "good", lambda rows, _: None, pa.bool_()),
    FunctionCase("bool_or", "good", lambda rows, _: None, pa.bool_()),
    FunctionCase("string_agg", "word", lambda rows, _: None, pa.string()),
    FunctionCase("string_agg", "word", lambda rows, _: None, pa.string(), DISTINCT),
    FunctionCase("array_agg", "word", lambda rows, _: None, pa.list_(pa.string()), DISTINCT),
    FunctionCase("array_agg", "number", lambda rows, _: None, pa.list_(pa.int64()), DISTINCT),
    FunctionCase("approx_count_distinct", "word", lambda rows, _: None, pa.int64(), Options(n=8)),
    FunctionCase(
        "bounded_count_distinct", "number", lambda rows, _: None, pa.int64(), Options(n=2)
    ),
    FunctionCase("histogram", "number", lambda rows, _: None, pa.map_(pa.int64(), pa.int64())),
]
MORE += [
    FunctionCase(name, "number", lambda rows, _: None, pa.list_(pa.int64()), Options(n=k))
    for name in ("first_k", "last_k", "top_k", "bottom_k")
    for k in (1, 3)
]
#: Whether all keys have the same cuts, about how many rows a span has, and how many a task reads.
plans = st.tuples(st.booleans(), st.integers(1, 9), st.integers(1, 30))


def alike(a: Any, b: Any) -> bool:
    """Return whether two answers are equal, floats except for their last digits."""
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(alike, a, b))
    if isinstance(a, tuple) and isinstance(b, tuple):
        return all(map(alike, a, b))
    if isinstance(a, float) and isinstance(b, float):
        return bool(np.isclose(a, b, rtol=1e-9, atol=1e-9, equal_nan=True))
    return bool(a == b)


@pytest.mark.parametrize(
    "case", FUNCTION_CASES, ids=lambda one: f"{one.function} {one.argument or ''}"
)
@given(queries_of, events_of, spans, st.booleans(), st.booleans(), plans)
@draws(40)
def test_every_query_gets_what_its_window_holds(
    case: FunctionCase,
    queries: list[Row],
    events: list[Row],
    span: Span,
    where: bool,
    by: bool,
    plan: Any,
) -> None:
    if not queries:
        return
    expected = [by_force(case, span, where, by, query, events) for query in queries]
    table = answer_in_spans(queries, events, [feature(case, span, where, by)], *plan)
    answers = table.column("found").to_pylist()
    assert table.column("id").to_pylist() == list(range(len(queries)))
    assert alike([dict(one) if by and one else one for one in answers], expected)


@given(
    queries_of.filter(len),
    events_of,
    st.lists(
        st.tuples(st.sampled_from([*FUNCTION_CASES, *MORE]), spans, st.booleans(), st.booleans()),
        min_size=1,
        max_size=6,
    ),
    plans,
)
@draws(60)
def test_features_shuffled_together_equal_those_of_whole_keys(
    queries: list[Row], events: list[Row], feature_arguments: list[Any], plan: Any
) -> None:
    features = [
        replace(one, call=replace(one.call, column=f"found {i}"))
        for i, one in enumerate(feature(*arguments) for arguments in feature_arguments)
    ]
    expected = answer_whole(queries, events, features)
    actual = answer_in_spans(queries, events, features, *plan)
    assert actual.column_names == expected.column_names
    for name in expected.column_names:
        assert alike(actual.column(name).to_pylist(), expected.column(name).to_pylist()), name


@pytest.mark.parametrize("rows_a_span", [1, 2, 9])
def test_a_list_of_distinct_values_contains_null_once(rows_a_span: int) -> None:
    distinct = [None, 0, -(2**63)]
    events = [
        dict.fromkeys(SCHEMA.names) | {"k0": "a", TIME: at, "number": one}
        for at, one in enumerate([*distinct, 0])
    ]
    case = FunctionCase(
        "array_agg", "number", lambda rows, _: distinct, pa.list_(pa.int64()), DISTINCT
    )
    found = answer_in_spans(
        [{"k0": "a", TIME: 9}], events, [feature(case, Span(None))], True, rows_a_span
    )
    assert found.column("found").to_pylist() == [distinct]


def test_a_group_of_features_gets_only_the_columns_that_it_reads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Else the time would grow with the number of groups times the number of columns."""
    seen: list[set[str]] = []

    def recorded(sides: Sides) -> CoGroup:
        seen.append({"number", "word", "bucket"} & set(sides.events.column_names))
        return cogroup_of(sides)

    monkeypatch.setattr("workbench.backfill.split.reduce_side.cogroup_of", recorded)
    calls = [("number", Span(3), False), ("word", Span(7), False), ("number", Span(9), True)]
    features = [
        replace(one, call=replace(one.call, column=f"found {i}"))
        for i, one in enumerate(feature(_last(name), span, by=by) for name, span, by in calls)
    ]
    every = {"number": 1, "word": "x", "good": True, "bucket": "p"}
    events = [dict.fromkeys(SCHEMA.names) | {"k0": "a", TIME: t} | every for t in range(9)]
    answer_in_spans([{"k0": "a", TIME: 8}], events, features, True, 3)
    # The queries are ordered once with all columns, for groups without earlier events.
    seen.remove({"number", "word", "bucket"})
    assert seen == [{"number"}, {"word"}, {"number", "bucket"}]


def _last(name: str) -> FunctionCase:
    return FunctionCase("last", name, lambda rows, _: None, SCHEMA.field(name).type)
