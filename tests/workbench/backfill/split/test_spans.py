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
    ASKED,
    SCHEMA,
    Asked,
    Row,
    by_force,
    events_of,
    feature,
    queries_of,
    spans,
)
from tests.workbench.backfill.spans import answer_in_spans, answer_whole
from workbench.backfill.worker.cogroup import Span
from workbench.columnar.blocks import TIME
from workbench.functions.catalogue import Options

DISTINCT = Options(distinct=True)
#: What the cases of whole keys have not: every other state, and other ways to pick rows.
MORE = [
    Asked(name, "number", lambda rows, _: None, pa.float64())
    for name in ("product", "stddev", "variance_pop", "skewness", "kurtosis", "mad")
]
MORE += [
    Asked("sum", "number", lambda rows, _: None, pa.int64(), DISTINCT),
    Asked("mode", "number", lambda rows, _: None, pa.int64()),
    Asked("bool_and", "good", lambda rows, _: None, pa.bool_()),
    Asked("bool_or", "good", lambda rows, _: None, pa.bool_()),
    Asked("string_agg", "word", lambda rows, _: None, pa.string()),
    Asked("string_agg", "word", lambda rows, _: None, pa.string(), DISTINCT),
    Asked("array_agg", "word", lambda rows, _: None, pa.list_(pa.string()), DISTINCT),
    Asked("array_agg", "number", lambda rows, _: None, pa.list_(pa.int64()), DISTINCT),
    Asked("approx_count_distinct", "word", lambda rows, _: None, pa.int64(), Options(n=8)),
    Asked("bounded_count_distinct", "number", lambda rows, _: None, pa.int64(), Options(n=2)),
    Asked("histogram", "number", lambda rows, _: None, pa.map_(pa.int64(), pa.int64())),
]
MORE += [
    Asked(name, "number", lambda rows, _: None, pa.list_(pa.int64()), Options(n=k))
    for name in ("first_k", "last_k", "top_k", "bottom_k")
    for k in (1, 3)
]
#: Whether all keys are cut alike, about how many rows a span has, and how many a task reads.
plans = st.tuples(st.booleans(), st.integers(1, 9), st.integers(1, 30))


def alike(a: Any, b: Any) -> bool:
    """Whether two answers are the same; floats but for the last digits."""
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(alike, a, b))
    if isinstance(a, tuple) and isinstance(b, tuple):
        return all(map(alike, a, b))
    if isinstance(a, float) and isinstance(b, float):
        return bool(np.isclose(a, b, rtol=1e-9, atol=1e-9, equal_nan=True))
    return bool(a == b)


@pytest.mark.parametrize("asked", ASKED, ids=lambda one: f"{one.function} {one.argument or ''}")
@given(queries_of, events_of, spans, st.booleans(), st.booleans(), plans)
@draws(40)
def test_every_query_gets_what_its_window_holds(
    asked: Asked,
    queries: list[Row],
    events: list[Row],
    span: Span,
    where: bool,
    by: bool,
    plan: Any,
) -> None:
    if not queries:
        return
    expected = [by_force(asked, span, where, by, query, events) for query in queries]
    found = answer_in_spans(queries, events, [feature(asked, span, where, by)], *plan)
    answers = found.column("found").to_pylist()
    assert found.column("id").to_pylist() == list(range(len(queries)))
    assert alike([dict(one) if by and one else one for one in answers], expected)


@given(
    queries_of.filter(len),
    events_of,
    st.lists(
        st.tuples(st.sampled_from([*ASKED, *MORE]), spans, st.booleans(), st.booleans()),
        min_size=1,
        max_size=6,
    ),
    plans,
)
@draws(60)
def test_features_that_travel_together_are_those_of_whole_keys(
    queries: list[Row], events: list[Row], asked: list[Any], plan: Any
) -> None:
    features = [
        replace(one, call=replace(one.call, column=f"found {i}"))
        for i, one in enumerate(feature(*given) for given in asked)
    ]
    expected = answer_whole(queries, events, features)
    found = answer_in_spans(queries, events, features, *plan)
    assert found.column_names == expected.column_names
    for name in expected.column_names:
        assert alike(found.column(name).to_pylist(), expected.column(name).to_pylist()), name


@pytest.mark.parametrize("rows_a_span", [1, 2, 9])
def test_null_is_a_value_among_those_that_are_listed_once(rows_a_span: int) -> None:
    once = [None, 0, -(2**63)]
    events = [
        dict.fromkeys(SCHEMA.names) | {"k0": "a", TIME: at, "number": one}
        for at, one in enumerate([*once, 0])
    ]
    asked = Asked("array_agg", "number", lambda rows, _: once, pa.list_(pa.int64()), DISTINCT)
    found = answer_in_spans(
        [{"k0": "a", TIME: 9}], events, [feature(asked, Span(None))], True, rows_a_span
    )
    assert found.column("found").to_pylist() == [once]
