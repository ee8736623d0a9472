"""What a worker answers for whole keys, against brute force."""

from unittest.mock import patch

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.drawn import draws
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
from workbench.backfill.worker.task import QUERY, BackfillTask
from workbench.columnar.blocks import TIME
from workbench.columnar.bundles import PARTITION
from workbench.columnar.subpartitions import SubpartitionTask
from workbench.errors import WorkbenchError


@pytest.mark.parametrize("asked", ASKED, ids=lambda one: f"{one.function} {one.argument or ''}")
@given(queries_of, events_of, spans, st.booleans(), st.booleans(), st.randoms())
@draws(40)
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


@pytest.mark.parametrize("given_back", [0, 1, 3])
def test_a_task_that_would_lose_or_repeat_a_query_says_so(given_back: int) -> None:
    asked = tables([{"k0": "a", TIME: 5}, {"k0": None, TIME: 5}], [])[0]
    rows = asked.append_column(PARTITION, pa.array([0, 0], pa.int32())).to_batches()
    sent = list(SubpartitionTask((*asked.column_names, PARTITION), ("k0",), 1).run(rows))
    whole = task(feature(ASKED[0], Span(None)))
    assert QUERY in asked.column_names
    assert sum(map(len, whole.run(sent))) == 2
    wrong = pa.table({"id": [0] * given_back, "found": [0] * given_back}).to_batches()
    with (
        patch.object(BackfillTask, "answer_subpartition", lambda self, parts: iter(wrong)),
        pytest.raises(
            WorkbenchError, match=f"^queries: a task got 2 but would return {given_back}"
        ),
    ):
        list(whole.run(sent))
