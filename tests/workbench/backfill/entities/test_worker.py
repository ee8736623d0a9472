"""A worker's rows of snapshots and mutations, against the table at each instant by brute force."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.entities.validity import IN, OUT, SNAPSHOT
from tests.drawn import draws
from tests.workbench.backfill import cases
from tests.workbench.backfill.entities.cases import (
    SCHEMA,
    Record,
    as_table,
    at_instant,
    rows_of_query,
    tables,
)
from workbench.backfill.entities.worker import (
    KNOWN,
    PROBLEM,
    FollowTask,
    ValidityTask,
    entity_history,
)
from workbench.backfill.worker.cogroup import Span
from workbench.backfill.worker.validity.intervals import VALID_FROM, VALID_TO
from workbench.columnar.blocks import TIME

QUERIES = [("a", q) for q in range(-10, 15)] + [("b", 5), ("c", 5), (None, 5), ("a", None)]


@given(tables(), st.randoms(use_true_random=False))
@draws(150)
def test_validity_intervals_are_those_of_the_rows_in_the_table(history: Any, random: Any) -> None:
    records, days = history
    random.shuffle(records)
    followed = entity_history(as_table(records), ("k0", "i0"), np.array(days, np.int64))
    intervals = followed.intervals().to_pylist()
    for key, number in {(one.key, one.id) for one in records}:
        of_entity = [one for one in records if (one.key, one.id) == (key, number)]
        for now in range(-10, 15):
            valid = [
                (row[TIME], row["number"])
                for row in intervals
                if (row["k0"], row["i0"]) == (key, number)
                and row[VALID_FROM] <= now < row[VALID_TO]
            ]
            expected = at_instant(of_entity, days, now)
            assert valid == ([] if expected is None else [expected])


@pytest.mark.parametrize("name", ["count", "sum", "max", "last", "median"])
@given(tables(), cases.spans, st.randoms(use_true_random=False))
@draws(40)
def test_features_are_those_of_the_table_at_each_query(
    name: str, history: Any, span: Span, random: Any
) -> None:
    records, days = history
    random.shuffle(records)
    argument = None if name == "count" else "number"
    case = next(
        one for one in cases.FUNCTION_CASES if (one.function, one.argument) == (name, argument)
    )
    feature = cases.feature(case, span)
    task = ValidityTask((("id", "c0"),), ("k0",), (feature,), SCHEMA, ("k0", "i0"), tuple(days))
    queries: list[cases.Row] = [{"k0": key, TIME: time} for key, time in QUERIES]
    columns = task.answer(
        cases.tables(queries, [])[0], as_table(records) if records else None
    ).to_pydict()
    answers = dict(zip(columns["id"], columns["found"], strict=True))
    for number, (key, time) in enumerate(QUERIES):
        rows = [] if time is None else rows_of_query(records, days, key, time, span)
        values: list[cases.Row] = [{TIME: at, "number": value} for at, value in rows]
        assert answers[number] == case.by_force(values, case.argument or ""), (key, time)


#: A history, the times of its snapshots, and its problems: the id, the time, and the text.
PROBLEMS: list[tuple[str, list[Record], list[int], list[tuple[int, int, str]]]] = [
    ("nothing is wrong", [Record(5, IN, "a", 1, 0, 7), Record(9, SNAPSHOT, "a", 1, 0, 7)], [9], []),
    (
        "a delete of nothing",
        [Record(5, OUT, "a", 1, 0, 7)],
        [],
        [(1, 4, "removed, but it was not there")],
    ),
    (
        "a delete of something else",
        [Record(5, IN, "a", 1, 0, 7), Record(6, OUT, "a", 1, 0, 8)],
        [],
        [(1, 5, "removed, but it had other values")],
    ),
    (
        "an insert of what is there",
        [Record(5, IN, "a", 1, 0, 7), Record(6, IN, "a", 1, 0, 8)],
        [],
        [(1, 5, "added where there was already a row")],
    ),
    (
        "an insert twice",
        [Record(5, IN, "a", 1, 0, 7), Record(6, IN, "a", 1, 0, 7)],
        [],
        [(1, 5, "repeated")],
    ),
    (
        "a delete that was not logged",
        [Record(5, IN, "a", 1, 0, 7)],
        [3, 9],
        [(1, 9, "not in the next snapshot, and not removed")],
    ),
    (
        "an insert that was not logged",
        [Record(9, SNAPSHOT, "a", 1, 0, 7)],
        [3, 9],
        [(1, 9, "in the snapshot, but not added")],
    ),
    (
        "an update that was not logged",
        [Record(5, IN, "a", 1, 0, 7), Record(9, SNAPSHOT, "a", 1, 0, 8)],
        [9],
        [(1, 9, "different in the snapshot")],
    ),
    (
        "a row of the future",
        [Record(5, IN, "a", 1, 6, 7)],
        [],
        [(1, 4, "dated later than when it was added")],
    ),
    (
        "a chain of updates in one instant",
        [
            *(
                Record(5, IN, "a", 1, 0, 7),
                Record(6, OUT, "a", 1, 0, 7),
                Record(6, IN, "a", 1, 0, 8),
            ),
            *(Record(6, OUT, "a", 1, 0, 8), Record(6, IN, "a", 1, 0, 9)),
        ],
        [],
        [],
    ),
]


@pytest.mark.parametrize(
    ("records", "days", "expected"), [one[1:] for one in PROBLEMS], ids=[one[0] for one in PROBLEMS]
)
def test_problems_name_the_rows(
    records: list[Record], days: list[int], expected: list[tuple[int, int, str]]
) -> None:
    task = FollowTask(("i0", KNOWN, PROBLEM), ("k0", "i0"), tuple(days), faults=True)
    history = entity_history(as_table(records[::-1]), ("k0", "i0"), np.array(days, np.int64))
    problems = task.problems(history).select(["i0", KNOWN, PROBLEM]).to_pylist()
    assert [tuple(row.values()) for row in problems] == expected


def test_snapshots_alone_disagree_with_nothing() -> None:
    records = [Record(3, SNAPSHOT, "a", 1, 0, 7), Record(9, SNAPSHOT, "a", 1, 0, 8)]
    records += [Record(6, SNAPSHOT, "a", 2, 0, 7), Record(9, SNAPSHOT, "a", 2, 9, 7)]
    rows, days = as_table(records), np.array([3, 6, 9], np.int64)
    history = entity_history(rows, ("k0", "i0"), days)
    task = FollowTask(("i0",), ("k0", "i0"), (3, 6, 9), faults=True, trusted=True)
    assert task.problems(history).column(PROBLEM).to_pylist() == [
        "dated later than when it was added"
    ]
    intervals = [
        (row["i0"], row[VALID_FROM], row[VALID_TO]) for row in history.intervals().to_pylist()
    ]
    assert (1, 3, 6) in intervals
    assert (2, 6, 9) in intervals
    assert isinstance(rows, pa.Table)
