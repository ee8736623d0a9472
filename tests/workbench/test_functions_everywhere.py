"""A backfill and the online view compute a function, or refuse it with one sentence."""

import math
import re
from collections import Counter
from collections.abc import Callable
from functools import reduce
from operator import and_, or_, xor
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import functions as F

import workbench as wb
from tests.workbench.backfill import cases
from tests.workbench.backfill.spans import answer_in_spans
from tests.workbench.backfill.trees import answer_by_tree
from tests.workbench.online import cases as online_cases
from workbench import fn
from workbench.backfill.worker.cogroup import Span
from workbench.functions.catalogue import CATALOGUE

NUMBERS = [12, 9, None, 14, 9, 13, 11, 5]
EVENTS = [
    {"k0": "a", "__time__": 3 * i, "number": value, "good": True, "bucket": "p"}
    for i, value in enumerate(NUMBERS)
]
QUERIES: list[dict[str, Any]] = [{"k0": "a", "__time__": time} for time in (0, 5, 13, 40)]
SPAN = Span(11, 4, 1)

Oracle = Callable[[list[Any]], Any]


def entropy(values: list[Any]) -> float:
    shares = [count / len(values) for count in Counter(values).values()]
    return -sum(share * math.log2(share) for share in shares)


def error(values: list[Any]) -> float:
    mean = sum(values) / len(values)
    return math.sqrt(sum((one - mean) ** 2 for one in values)) / len(values)


LONG, DOUBLE = pa.int64(), pa.float64()
#: Functions by brute force: of values that are not null, the type, and the result of no value.
BY_FORCE: dict[str, tuple[Oracle, pa.DataType, Any]] = {
    "bit_and": (lambda values: reduce(and_, values), LONG, None),
    "bit_or": (lambda values: reduce(or_, values), LONG, None),
    "bit_xor": (lambda values: reduce(xor, values), LONG, None),
    "sem": (error, DOUBLE, None),
    "entropy": (entropy, DOUBLE, 0.0),
}


def asked(name: str) -> cases.FunctionCase:
    if name == "array_agg":
        return cases.FunctionCase(name, "number", _listed, pa.list_(LONG))
    force, kind, of_none = BY_FORCE[name]

    def found(rows: list[Any], column: str) -> Any:
        values = [row[column] for row in rows if row[column] is not None]
        return force(values) if values else of_none

    return cases.FunctionCase(name, "number", found, kind)


def _listed(rows: list[Any], column: str) -> Any:
    return [row[column] for row in cases.sorted_by_time(rows, column)] if rows else None


#: A tree needs states that merge.
WAYS = [
    (name, way)
    for name in (*BY_FORCE, "array_agg")
    for way in ("keys whole", "keys cut by time", "tree")
    if way != "tree" or CATALOGUE[name].states
]


@pytest.mark.parametrize(("name", "way"), WAYS)
def test_a_backfill_computes_a_function_in_every_way(name: str, way: str) -> None:
    wanted_of = asked(name)
    one = cases.feature(wanted_of, SPAN)
    if way == "keys whole":
        answer = cases.task(one).answer(*cases.tables(QUERIES, EVENTS)).sort_by("id")
    elif way == "tree":
        answer = answer_by_tree(QUERIES, EVENTS, [one])
    else:
        answer = answer_in_spans(QUERIES, EVENTS, [one])
    expected = [cases.by_force(wanted_of, SPAN, False, False, query, EVENTS) for query in QUERIES]
    got = answer.column("found").to_pylist()
    assert len({str(value) for value in expected}) > 1
    assert got == (expected if name == "array_agg" else pytest.approx(expected))


@pytest.mark.parametrize("name", ["sem", "regr_slope", "regr_count"])
def test_the_online_view_computes_functions_whose_state_its_cells_have(name: str) -> None:
    columns = ("number", "number") if name.startswith("regr") else ("number",)
    kind = LONG if name == "regr_count" else DOUBLE
    layout = online_cases.layout_of(online_cases.features(calls=[(name, columns, kind)]))
    view = online_cases.View(online_cases.Memory(), layout)
    nulls = dict.fromkeys(online_cases.SCHEMA.names)
    events = [nulls | event | {"flag": True} for event in EVENTS]
    view.seen += events[:4]
    view.upload(12)
    view.stream(events[4:])
    row = view.fetch(["a"], 30)["a"]
    expected = online_cases.expected(layout, view.known, ["a"], 30)[0]
    assert row == {one: pytest.approx(value, nan_ok=True) for one, value in expected.items()}


CELLS = "a store's cells have no place for the state of {}, so the online view cannot hold it; use "
MERGES = "{} has no small state that merges, so the online view cannot hold it; use wb.fn.{}, or "
NOT_HELD = {
    "bit_xor": (LONG, CELLS.format("bit_xor")),
    "entropy": (DOUBLE, MERGES.format("entropy", "approx_top_k")),
    "array_agg": (pa.list_(LONG), MERGES.format("array_agg", "last_k")),
}


@pytest.mark.parametrize("name", NOT_HELD)
def test_the_online_view_refuses_functions_that_it_cannot_hold(name: str) -> None:
    kind, sentence = NOT_HELD[name]
    layout = online_cases.layout_of(online_cases.features(calls=[(name, ("number",), kind)]))
    with pytest.raises(wb.WorkbenchError, match=re.escape(f"{sentence}wb.Backfill.run.")):
        _ = layout.parts


def test_a_backfill_refuses_what_only_a_window_call_has(spark: Any) -> None:
    with pytest.raises(wb.WorkbenchError, match="has its own order, but a window's events"):
        wb.Aggregation(fn.first("x").order_by("y"), windows=None)
    for function in (fn.nth("x", F.col("n")), fn.nth("x", -1)):
        with pytest.raises(wb.WorkbenchError, match="nth of a window takes the same place for all"):
            wb.Aggregation(function, windows=None)
    rows = spark.sql("SELECT 'a' AS k, 1L AS t, array(1) AS l")
    backfill = wb.Backfill("k", "t", [wb.Aggregation(fn.count_distinct("l"), windows=None)])
    sentence = "function: count_distinct of array<int> is only for window calls; "
    with pytest.raises(wb.WorkbenchError, match=re.escape(sentence)):
        backfill.run(rows.select("k", "t"), rows)
