"""Features by every method against brute force: sliding, sawtooth and hopping windows."""

from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import strategies as st
from pyspark.sql import SparkSession

import workbench as wb
from tests.fuzz.check import Check, same
from tests.fuzz.ends import INSTANTS, LEAST, LONGS, MOST
from tests.workbench.backfill.cases import (
    FUNCTION_CASES,
    SCHEMA,
    Row,
    by_force,
    events_at,
    events_of,
    feature,
    queries_at,
    queries_of,
    spans,
)
from tests.workbench.backfill.spans import answer_in_spans, answer_whole
from tests.workbench.backfill.split.test_spans import MORE, alike, plans
from tests.workbench.backfill.tree.test_tree import by_tree
from tests.workbench.backfill.trees import answer_by_tree
from workbench.backfill.worker.cogroup import Span
from workbench.backfill.worker.feature import Feature
from workbench.columnar.blocks import TIME
from workbench.errors import WorkbenchError

#: Aggregations by a name that a case can hold.
BY_NAME = {f"{one.function} {one.argument or 'rows'}": one for one in FUNCTION_CASES}
EVERY = {
    f"{i} {one.function} {one.argument}": one for i, one in enumerate([*FUNCTION_CASES, *MORE])
}
Plan = tuple[bool, int, int]


def features_are_those_of_the_windows_by_force(
    queries: list[Row],
    events: list[Row],
    span: Span,
    function: str,
    where: bool,
    by: bool,
    method: str,
    plan: Plan,
) -> None:
    one = BY_NAME[function]
    if method == "tree" and not by_tree(one):
        method = "whole"
    expected = [by_force(one, span, where, by, query, events) for query in queries]
    arguments = method, queries, events, [feature(one, span, where, by)], plan
    if not all(map(_fits, expected)):
        with pytest.raises((OverflowError, WorkbenchError), match="does not fit"):
            _answer(*arguments)
        return
    table = _answer(*arguments)
    same(table.column("id").to_pylist(), list(range(len(queries))))
    answers = [dict(a) if by and a else a for a in table.column("found").to_pylist()]
    assert _alike(answers, expected), f"{answers} is not {expected}"


def _fits(answer: Any) -> bool:
    if isinstance(answer, dict):
        return all(map(_fits, answer.values()))
    return not isinstance(answer, int) or LEAST <= answer <= MOST


def _alike(answers: list[Any], expected: list[Any]) -> bool:
    """Return whether answers are equal, doubles except for their last digits."""
    for ours, theirs in zip(answers, expected, strict=True):
        if isinstance(ours, dict) and isinstance(theirs, dict):
            if list(ours) != list(theirs) or not _alike([*ours.values()], [*theirs.values()]):
                return False
        elif isinstance(ours, float) and isinstance(theirs, float):
            if abs(ours - theirs) > 1e-9 * max(1.0, abs(theirs)):
                return False
        elif ours != theirs or type(ours) is not type(theirs):
            return False
    return True


def _answer(
    method: str, queries: list[Row], events: list[Row], features: list[Feature], plan: Plan
) -> pa.Table:
    if method == "spans":
        return answer_in_spans(queries, events, features, *plan)
    if method == "tree":
        return answer_by_tree(queries, events, features, plan[2])
    return answer_whole(queries, events, features)


def every_method_gives_the_features_of_whole_keys(
    queries: list[Row], events: list[Row], drawn: list[Any], plan: Plan
) -> None:
    features = [
        replace(one, call=replace(one.call, column=f"found {i}"))
        for i, one in enumerate(feature(EVERY[name], *more) for name, *more in drawn)
    ]
    methods = ["spans"] + ["tree"] * all(by_tree(EVERY[name]) for name, *_ in drawn)
    expected = answer_whole(queries, events, features)
    for method in methods:
        answers = _answer(method, queries, events, features, plan)
        same(answers.column_names, expected.column_names)
        for name in expected.column_names:
            ours, theirs = answers.column(name).to_pylist(), expected.column(name).to_pylist()
            assert alike(ours, theirs), f"{method}, {name}: {ours} is not {theirs}"


def features_on_spark_are_those_of_the_windows_by_force(
    spark: SparkSession,
    queries: list[Row],
    events: list[Row],
    length: int | None,
    hop: int,
    kind: str,
    names: list[str],
    where: bool,
    by: bool,
    method: str,
) -> None:
    span = Span(length, 1 if kind == "sliding" else hop, hop if kind == "hopping" else 1)
    functions = {f"f{i}": BY_NAME[name] for i, name in enumerate(names)}
    backfill = wb.Backfill(
        "k0",
        "t",
        [
            wb.Aggregation(
                one.function,
                one.argument,
                windows=length,
                where="good" if where else None,
                by="bucket" if by else None,
                name=name,
            )
            for name, one in functions.items()
        ],
        kind,
        None if kind == "sliding" else hop,
    )
    event_schema = pa.schema([("t" if f.name == TIME else f.name, f.type) for f in SCHEMA])
    event_table = _frame(spark, events, event_schema)
    numbered = [row | {"id": i} for i, row in enumerate(queries)]
    schema = pa.schema([("k0", pa.string()), ("t", pa.int64()), ("id", pa.int64())])
    if method == "tree" and not all(map(by_tree, functions.values())):
        method = "scan"
    rows = (
        backfill.run(_frame(spark, numbered, schema), event_table, method).orderBy("id").collect()
    )
    for name, column in zip(functions, backfill.names, strict=True):
        one = functions[name]
        expected = [by_force(one, span, where, by, query, events) for query in queries]
        answers = [row[column] for row in rows]
        assert _alike(answers, expected), f"{column}: {answers} is not {expected}"


def _frame(spark: SparkSession, rows: list[Row], schema: pa.Schema) -> Any:
    renamed = [{"t" if name == TIME else name: v for name, v in row.items()} for row in rows]
    return spark.createDataFrame(pa.Table.from_pylist(renamed, schema))


lengths = st.sampled_from([0, 3, 11, 10**6, MOST, None])
wide = st.builds(
    lambda length, hop, rounded: Span(length, hop, hop if rounded else 1),
    lengths,
    st.sampled_from([1, 1, 4, 7]),
    st.booleans(),
)
options = {
    "function": st.sampled_from(sorted(BY_NAME)),
    "where": st.booleans(),
    "by": st.booleans(),
    "method": st.sampled_from(["whole", "spans", "tree"]),
    "plan": plans,
}
CHECKS = [
    Check(
        features_are_those_of_the_windows_by_force,
        {"queries": queries_of.filter(len), "events": events_of, "span": spans, **options},
    ),
    Check(
        features_are_those_of_the_windows_by_force,
        {
            "queries": queries_at(INSTANTS).filter(len),
            "events": events_at(INSTANTS, LONGS),
            "span": wide,
            **options,
        },
    ),
    Check(
        every_method_gives_the_features_of_whole_keys,
        {
            "queries": queries_of.filter(len),
            "events": events_of,
            "drawn": st.lists(
                st.tuples(st.sampled_from(sorted(EVERY)), spans, st.booleans(), st.booleans()),
                min_size=1,
                max_size=6,
            ),
            "plan": plans,
        },
        examples=50,
    ),
    Check(
        features_on_spark_are_those_of_the_windows_by_force,
        {
            "queries": queries_of.filter(len),
            "events": events_of,
            "length": st.sampled_from([7, 11, 10**6, None]),
            "hop": st.sampled_from([1, 4, 7]),
            "kind": st.sampled_from(["sliding", "sawtooth", "hopping"]),
            "names": st.lists(st.sampled_from(sorted(BY_NAME)), min_size=1, max_size=4),
            "where": st.booleans(),
            "by": st.booleans(),
            "method": st.sampled_from(["auto", "naive", "scan", "tree", "sawtooth"]),
        },
        examples=2,
        on_spark=True,
    ),
]
