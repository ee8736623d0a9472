"""Tasks that get no row with a key do not fail, whatever the type of the key."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import Any
from unittest.mock import patch

import pyarrow as pa
import pytest

from tests.workbench.backfill import cases as backfill_cases
from tests.workbench.backfill.entities import cases as entity_cases
from tests.workbench.backfill.spans import answer_in_spans, answer_whole
from tests.workbench.backfill.trees import answer_by_tree
from tests.workbench.online import cases as online_cases
from tests.workbench.windows.stream import cases as stream_cases
from workbench import Frame, fn
from workbench.backfill.entities.worker import ValidityTask
from workbench.backfill.worker.cogroup import Span
from workbench.columnar.blocks import TIME
from workbench.windows.stream.worker.close import CloseOperator
from workbench.windows.stream.worker.update import UpdateOperator

DAY = date(2024, 2, 29)
COUNT = backfill_cases.feature(backfill_cases.FUNCTION_CASES[0], Span(5, 1, 1), False, by=False)


def with_dates(schema: pa.Schema, name: str) -> pa.Schema:
    return schema.set(schema.get_field_index(name), pa.field(name, pa.date32()))


@pytest.mark.parametrize(
    ("by", "calls"),
    [
        (None, online_cases.CALLS),
        ("day", online_cases.CALLS),
        (None, online_cases.OF_EVENTS),
        (None, online_cases.OF_BYTES),
    ],
    ids=["states", "buckets", "events", "bytes"],
)
def test_an_upload_and_a_batch_with_events_of_other_times_only_count_their_events(
    by: Any, calls: Any
) -> None:
    features = [
        replace(one, by=by and one.by and by)
        for one in online_cases.features(by is not None, calls=calls)
    ]
    schema = with_dates(online_cases.SCHEMA, "k0")
    row = {
        "k0": DAY,
        "number": 1,
        "real": 1.0,
        "other": 1.0,
        "flag": True,
        "good": True,
        "word": "w",
    }
    with (
        patch.object(online_cases, "SCHEMA", schema),
        patch(
            "tests.workbench.online.cases.table_of", lambda rows: pa.Table.from_pylist(rows, schema)
        ),
    ):
        view = online_cases.View(online_cases.Memory(), online_cases.layout_of(features))
        view.seen = [row | {TIME: 200}, row | {TIME: 300}]
        view.upload(120)
        assert view.uploaded == []
        late = view.stream([row | {TIME: 3}])
        assert (late.late, late.streamed) == (1, 0)
        assert view.stream([row | {TIME: 122}]).streamed == 1
        assert not view.fetch([DAY], 125).errors


@pytest.mark.parametrize("answer", [answer_whole, answer_in_spans, answer_by_tree])
def test_events_whose_bucket_is_a_null_date_are_in_no_bucket(
    answer: Callable[..., pa.Table],
) -> None:
    feature = backfill_cases.feature(backfill_cases.FUNCTION_CASES[0], Span(5, 1, 1), False, True)
    feature = replace(feature, kind=pa.map_(pa.date32(), pa.int64()))
    with patch.object(backfill_cases, "SCHEMA", with_dates(backfill_cases.SCHEMA, "bucket")):
        events = [{"k0": "a", TIME: time, "good": True, "bucket": None} for time in range(9)]
        answers = answer([{"k0": "a", TIME: 3}], events, [feature])
    assert answers.to_pydict() == {"id": [0], "found": [None]}


def test_entities_whose_ids_are_dates_may_have_no_row() -> None:
    schema = with_dates(entity_cases.SCHEMA, "i0")
    task = ValidityTask((("id", "c0"),), ("k0",), (COUNT,), schema, ("k0", "i0"), ())
    queries = backfill_cases.tables([{"k0": "a", TIME: 3}], [])[0]
    assert task.answer(queries, None).to_pydict() == {"id": [0], "found": [0]}


@pytest.mark.parametrize(("mode", "totals"), [(CloseOperator, [1, 3]), (UpdateOperator, [2, 3])])
def test_a_stream_by_date_may_begin_with_rows_without_a_time(mode: Any, totals: list[int]) -> None:
    with patch.object(stream_cases, "SCHEMA", with_dates(stream_cases.SCHEMA, "key")):
        functions = {"total": fn.sum("value").over(Frame.rows(-1, 0))}
        query = stream_cases.query_of(mode, functions)
        rows: tuple[Any, ...] = (
            [(DAY, None, 1, 9)],
            [(DAY, 1_000_000, 1, 1), (DAY, 2_000_000, 2, 2)],
        )
        emitted = [row for batch in rows for row in query.batch(batch, None)]
        emitted += query.batch([], 10**9)
    assert [row["total"] for row in emitted if row["id"] != 9] == totals
