"""A function is added by an aggregate of the kernels and a row of the catalogue, and is then
available wherever functions are: nothing else has to change."""

import math
import pickle
import subprocess
import sys
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import workbench as wb
from kernels.states.aggregates import AGGREGATES
from kernels.windows.sliding import sliding_states
from tests.workbench.added_aggregates import ADDED, Logarithms
from tests.workbench.backfill import cases as backfill_cases
from tests.workbench.backfill.spans import answer_in_spans
from tests.workbench.backfill.trees import answer_by_tree
from tests.workbench.online import cases as online_cases
from tests.workbench.windows.cases import COLUMNS
from tests.workbench.windows.pieces import answer, call_of
from tests.workbench.windows.stream.changelogs import TABLE, Query
from workbench.backfill.worker.cogroup import Span
from workbench.errors import WorkbenchError
from workbench.functions.catalogue import AGGREGATE, CATALOGUE, DOUBLE, NUMBERS, FunctionInfo
from workbench.functions.fn import Function

START = datetime(2024, 1, 29, 22)
VALUES = [3.0, 5.0, None, 2.0, 8.0, 1.0, 7.0]


def by_force(name: str, values: Sequence[float | None]) -> float | None:
    not_null = [value for value in values if value is not None]
    if not not_null:
        return None
    if name == "quadratic_mean":
        return math.sqrt(sum(value * value for value in not_null) / len(not_null))
    return math.prod(not_null) ** (1 / len(not_null))


@pytest.fixture(autouse=True)
def added(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, aggregate in ADDED.items():
        row = FunctionInfo(AGGREGATE, (NUMBERS,), DOUBLE, name, (name,), distinct=True)
        monkeypatch.setitem(AGGREGATES, name, aggregate)
        monkeypatch.setitem(CATALOGUE, name, row)


def functions_of(column: str) -> dict[str, Any]:
    """Return the added functions of a column, plain and of distinct values."""
    plain = {name: Function(name, (column,)) for name in ADDED}
    return plain | {f"{name}_once": one.distinct() for name, one in plain.items()}


def expected_of(values: Sequence[float | None]) -> dict[str, float | None]:
    once = list(dict.fromkeys(values))
    plain = {name: by_force(name, values) for name in ADDED}
    return plain | {f"{name}_once": by_force(name, once) for name in ADDED}


def row_of(number: int, value: float | None) -> dict[str, Any]:
    nulls = dict.fromkeys(TABLE.names)
    time = START + timedelta(hours=number)
    return nulls | {"id": number, "p": "a", "moment": time, "x": value, "n": 0, "m": 0}


def check(row: dict[str, Any], values: Sequence[float | None]) -> None:
    for name, wanted in expected_of(values).items():
        assert row[name] == (None if wanted is None else pytest.approx(wanted)), name


@pytest.mark.parametrize("exclude", ["no others", "current row"])
def test_a_window_call_has_the_function(exclude: str) -> None:
    values = [*VALUES, 3.0, 3.0]
    rows = pa.Table.from_pylist([row_of(i, value) for i, value in enumerate(values)], TABLE)
    rows = rows.select(["id", "n", "m", *COLUMNS])
    frame = wb.Frame.rows(-2, 1, exclude=exclude)
    answers = answer(rows, ("p",), ["id"], frame, functions_of("x")).to_pylist()
    for i, row in enumerate(answers):
        in_frame = range(max(i - 2, 0), min(i + 2, len(values)))
        check(row, [values[j] for j in in_frame if exclude == "no others" or j != i])


def test_a_stream_that_emits_on_update_has_the_function() -> None:
    query = Query(("p",), ["id"], wb.Frame.rows(-2, 0), functions_of("x"))
    rows = [row_of(i, value) for i, value in enumerate(VALUES)]
    query.run([("+I", row) for row in rows[:4]])
    query.run([("+I", row) for row in rows[4:]])
    query.run([("-U", rows[1]), ("+U", rows[1] | {"x": 9.0})])
    query.check()
    values = [VALUES[0], 9.0, *VALUES[2:]]
    for (*_, i), row in query.answers.items():
        check(row, values[max(i - 2, 0) : i + 1])


NUMBERS_OF_EVENTS = [4, 1, None, 6, 2, 9, 3, 5]
EVENTS = [
    {"k0": "a", "__time__": 3 * i, "number": value, "good": True, "bucket": "p"}
    for i, value in enumerate(NUMBERS_OF_EVENTS)
]
QUERIES: list[dict[str, Any]] = [{"k0": "a", "__time__": time} for time in (0, 5, 13, 40)]


@pytest.mark.parametrize("way", ["keys whole", "keys cut by time", "tree"])
@pytest.mark.parametrize("name", ADDED)
def test_a_backfill_has_the_function(name: str, way: str) -> None:
    span = Span(11, 4, 1)
    asked = backfill_cases.FunctionCase(
        name, "number", lambda rows, of: by_force(name, [row[of] for row in rows]), pa.float64()
    )
    one = backfill_cases.feature(asked, span)
    if way == "keys whole":
        found = backfill_cases.task(one).answer(*backfill_cases.tables(QUERIES, EVENTS))
        found = found.sort_by("id")
    elif way == "tree":
        found = answer_by_tree(QUERIES, EVENTS, [one])
    else:
        found = answer_in_spans(QUERIES, EVENTS, [one])
    wanted = [
        backfill_cases.by_force(asked, span, False, False, query, EVENTS) for query in QUERIES
    ]
    assert wanted[0] is None
    assert found.column("found").to_pylist() == pytest.approx(wanted)


def online_features(name: str) -> Any:
    return online_cases.features(calls=[(name, ("number",), pa.float64())])


def test_the_online_view_has_the_function_where_cells_have_its_state() -> None:
    layout = online_cases.layout_of(online_features("quadratic_mean"))
    view = online_cases.View(online_cases.Memory(), layout)
    nulls = dict.fromkeys(online_cases.SCHEMA.names)
    events = [nulls | event | {"flag": True} for event in EVENTS]
    view.seen += events[:4]
    view.upload(12)
    view.stream(events[4:])
    row = view.fetch(["a"], 30)["a"]
    assert row is not None
    expected = online_cases.expected(layout, view.known, ["a"], 30)[0]
    assert row == {one: pytest.approx(value) for one, value in expected.items()}
    # The longest window holds all events.
    longest = next(value for one, value in row.items() if "_30_" in one)
    assert longest == pytest.approx(by_force("quadratic_mean", NUMBERS_OF_EVENTS))


def test_the_online_view_refuses_the_function_where_cells_lack_its_state() -> None:
    layout = online_cases.layout_of(online_features("geometric_mean"))
    sentence = "a store's cells have no place for the state of geometric_mean, so the online view"
    with pytest.raises(WorkbenchError, match=sentence):
        _ = layout.parts


PRINT_AGGREGATE = """
import pickle, sys
call = pickle.load(sys.stdin.buffer)
from kernels.states.aggregates import AGGREGATES
print(call.info.aggregate, AGGREGATES[call.info.aggregate].empty._fields)
"""


def test_the_row_and_the_aggregate_are_pickled_with_a_call() -> None:
    frame = wb.Frame.rows(-2, 0)
    call = call_of("found", Function("geometric_mean", ("x",)), frame)
    assert pickle.loads(pickle.dumps(call)) == call
    run = subprocess.run(
        [sys.executable, "-c", PRINT_AGGREGATE],
        input=pickle.dumps(call), cwd=Path(wb.__file__).parents[1],
        capture_output=True, check=True,
    )  # fmt: skip
    assert run.stdout.decode().strip() == "geometric_mean ('total', 'rows')"


def test_kernels_compiled_for_an_added_state_are_not_cached_on_disk() -> None:
    """The cache checks the sources of the kernels only, and would not notice an edit elsewhere."""
    before = list(sliding_states.lifted.signatures)
    value, begin, end = np.array([2.0]), np.array([[0]]), np.array([[1]])
    for run in (sliding_states.over, lambda _, *given: sliding_states(*given)):
        states = np.zeros((1, 2))
        run(np.array([0, 1]), Logarithms(), value, value, begin, end, states)
        assert states.tolist() == [[math.log(2.0), 1.0]]
    assert list(sliding_states.lifted.signatures) == before


def test_spark_has_the_function(spark: SparkSession) -> None:
    rows = pa.table({"p": ["a"] * 7, "t": range(7), "x": VALUES})
    df = spark.createDataFrame(rows)
    answers = (
        wb.over(df, "p", "t", wb.Frame.rows(-2, 0), **functions_of("x")).toArrow().sort_by("t")
    )
    for i, row in enumerate(answers.to_pylist()):
        check(row, VALUES[max(i - 2, 0) : i + 1])
    queries = spark.createDataFrame(pa.table({"p": ["a"], "t": [7]}))
    features = [
        wb.Aggregation(one, windows=3, name=name) for name, one in functions_of("x").items()
    ]
    row = wb.Backfill("p", "t", features, "sliding").run(queries, df).toArrow().to_pylist()[0]
    check({name.removesuffix("_3"): value for name, value in row.items()}, VALUES[4:])
