"""What a worker answers for whole keys, against brute force."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.workbench.backfill.cases import (
    ASKED,
    Asked,
    Row,
    by_force,
    events_of,
    feature,
    queries_of,
    spans,
    tables,
    task,
)
from workbench.backfill.worker.cogroup import Span


@pytest.mark.parametrize("asked", ASKED, ids=lambda one: f"{one.function} {one.argument or ''}")
@given(queries_of, events_of, spans, st.booleans(), st.booleans(), st.randoms())
@settings(max_examples=40)
def test_every_query_gets_what_its_window_holds(
    asked: Asked,
    queries: list[Row],
    events: list[Row],
    span: Span,
    where: bool,
    by: bool,
    random: st.DataObject,
) -> None:
    expected = [by_force(asked, span, where, by, query, events) for query in queries]
    random.shuffle(events)  # type: ignore[attr-defined]
    found = task(feature(asked, span, where, by)).answer(*tables(queries, events)).to_pydict()
    answers = [dict(one) if by and one else one for one in found["found"]]
    assert sorted(found["id"]) == list(range(len(queries)))
    assert dict(zip(found["id"], answers, strict=True)) == dict(enumerate(expected))


def test_keys_of_queries_alone_and_of_events_alone_do_not_meet() -> None:
    queries: list[Row] = [{"k0": "a", "__time__": 5}]
    rest = {"word": None, "good": True, "bucket": None}
    events = [{"k0": "b", "__time__": 1, "number": 3, **rest}]
    count, total = ASKED[0], ASKED[3]
    for seen in (events, []):
        tables_of = tables(queries, seen)
        found = [task(feature(one, Span(None))).answer(*tables_of) for one in (count, total)]
        assert [one.column("found").to_pylist() for one in found] == [[0], [None]]
