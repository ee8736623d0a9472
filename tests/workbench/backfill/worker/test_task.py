"""A worker's answers for whole keys, against brute force."""

from dataclasses import replace
from unittest.mock import patch

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.drawn import draws
from tests.workbench.backfill.cases import (
    FUNCTION_CASES,
    FunctionCase,
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


@pytest.mark.parametrize(
    "case", FUNCTION_CASES, ids=lambda one: f"{one.function} {one.argument or ''}"
)
@given(queries_of, events_of, spans, st.booleans(), st.booleans(), st.randoms())
@draws(40)
def test_every_query_gets_what_its_window_holds(
    case: FunctionCase,
    queries: list[Row],
    events: list[Row],
    span: Span,
    where: bool,
    by: bool,
    random: st.DataObject,
) -> None:
    expected = [by_force(case, span, where, by, query, events) for query in queries]
    random.shuffle(events)  # type: ignore[attr-defined]
    columns = task(feature(case, span, where, by)).answer(*tables(queries, events)).to_pydict()
    answers = [dict(one) if by and one else one for one in columns["found"]]
    assert sorted(columns["id"]) == list(range(len(queries)))
    assert dict(zip(columns["id"], answers, strict=True)) == dict(enumerate(expected))


def test_a_key_of_queries_only_does_not_match_one_of_events_only() -> None:
    queries: list[Row] = [{"k0": "a", "__time__": 5}]
    rest = {"word": None, "good": True, "bucket": None}
    events = [{"k0": "b", "__time__": 1, "number": 3, **rest}]
    count, total = FUNCTION_CASES[0], FUNCTION_CASES[3]
    for event_rows in (events, []):
        both_tables = tables(queries, event_rows)
        answers = [task(feature(one, Span(None))).answer(*both_tables) for one in (count, total)]
        assert [one.column("found").to_pylist() for one in answers] == [[0], [None]]


def test_a_bucket_of_zeros_is_that_of_0_whichever_comes_first() -> None:
    query_rows, events = tables([{"k0": "a", TIME: 5}], [{"k0": "a", TIME: t} for t in (1, 2)])
    events = events.drop_columns(["bucket"]).append_column("bucket", pa.array([-0.0, 0.0]))
    kind = pa.map_(pa.float64(), pa.int64())
    count = replace(feature(FUNCTION_CASES[0], Span(None), by=True), kind=kind)
    worker = replace(task(count), schema=events.schema)
    assert str(worker.answer(query_rows, events).column("found").to_pylist()) == "[[(0.0, 2)]]"


@pytest.mark.parametrize("returned", [0, 1, 3])
def test_a_task_that_would_lose_or_repeat_a_query_fails(returned: int) -> None:
    query_rows = tables([{"k0": "a", TIME: 5}, {"k0": None, TIME: 5}], [])[0]
    rows = query_rows.append_column(PARTITION, pa.array([0, 0], pa.int32())).to_batches()
    bundles = list(SubpartitionTask((*query_rows.column_names, PARTITION), ("k0",), 1).run(rows))
    whole = task(feature(FUNCTION_CASES[0], Span(None)))
    assert QUERY in query_rows.column_names
    assert sum(map(len, whole.run(bundles))) == 2
    wrong = pa.table({"id": [0] * returned, "found": [0] * returned}).to_batches()
    with (
        patch.object(BackfillTask, "answer_subpartition", lambda self, parts: iter(wrong)),
        pytest.raises(WorkbenchError, match=f"^queries: a task got 2 but would return {returned}"),
    ):
        list(whole.run(bundles))
