"""Backfills by the tree: the same answers as with whole keys, wherever the events are read."""

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
    tables,
    task,
)
from tests.workbench.backfill.spans import answer_whole
from tests.workbench.backfill.split.test_spans import MORE, alike
from tests.workbench.backfill.trees import answer_by_tree, packed_query_times
from workbench.backfill.tree.map_side import MARK, NODE
from workbench.backfill.tree.query_times import QUERY_TIMES, JoinTask, QueryTimes, QueryTimesTask
from workbench.backfill.tree.reduce_side import ArrivedNodes, NodeCoGroups
from workbench.backfill.worker.cogroup import Span
from workbench.columnar.blocks import TIME
from workbench.engine.kept_rows import picks
from workbench.engine.partials import partial_states
from workbench.errors import WorkbenchError


def by_tree(case: FunctionCase) -> bool:
    call = feature(case, Span(None)).call
    return picks(call) or bool(partial_states(call, SCHEMA))


TREE_CASES = [one for one in FUNCTION_CASES if by_tree(one)]


def test_most_functions_have_a_state_or_pick_an_event() -> None:
    assert {one.function for one in FUNCTION_CASES} - {one.function for one in TREE_CASES} == {
        "count_distinct",
        "median",
    }


@pytest.mark.parametrize("case", TREE_CASES, ids=lambda one: f"{one.function} {one.argument or ''}")
@given(queries_of, events_of, spans, st.booleans(), st.booleans(), st.integers(1, 30))
@draws(40)
def test_every_query_gets_what_its_window_holds(
    case: FunctionCase,
    queries: list[Row],
    events: list[Row],
    span: Span,
    where: bool,
    by: bool,
    rows_a_task: int,
) -> None:
    if not queries:
        return
    expected = [by_force(case, span, where, by, query, events) for query in queries]
    table = answer_by_tree(queries, events, [feature(case, span, where, by)], rows_a_task)
    answers = table.column("found").to_pylist()
    assert table.column("id").to_pylist() == list(range(len(queries)))
    assert alike([dict(one) if by and one else one for one in answers], expected)


@given(
    queries_of.filter(len),
    events_of,
    st.lists(
        st.tuples(
            st.sampled_from([one for one in (*TREE_CASES, *MORE) if by_tree(one)]),
            spans,
            st.booleans(),
            st.booleans(),
        ),
        min_size=1,
        max_size=6,
    ),
    st.integers(1, 30),
)
@draws(60)
def test_features_shuffled_together_equal_those_of_whole_keys(
    queries: list[Row], events: list[Row], feature_arguments: list[Any], rows_a_task: int
) -> None:
    features = [
        replace(one, call=replace(one.call, column=f"found {i}"))
        for i, one in enumerate(feature(*arguments) for arguments in feature_arguments)
    ]
    expected = answer_whole(queries, events, features)
    actual = answer_by_tree(queries, events, features, rows_a_task)
    assert actual.column_names == expected.column_names
    for name in expected.column_names:
        assert alike(actual.column(name).to_pylist(), expected.column(name).to_pylist()), name


def test_each_query_time_is_sent_once() -> None:
    times = [5, 5, -3, 5, 7, None]
    rows: list[Row] = [{"k0": key, TIME: time} for key in ("a", "b", None) for time in times]
    query_times = QueryTimes.read(packed_query_times(tables(rows, [])[0], ("k0",), 4))
    assert query_times.keys.column("k0").to_pylist() == ["a", "b"]
    assert (query_times.offsets.tolist(), query_times.time.tolist()) == ([0, 3, 6], [-3, 5, 7] * 2)
    assert query_times.numbers(pa.table({"k0": ["b", "c", "a"]})).tolist() == [1, -1, 0]


@pytest.mark.parametrize(("most", "fits"), [(1_000, False), (100_000, True)])
def test_too_many_queries_are_refused_in_the_task_that_joins_them(most: int, fits: bool) -> None:
    rows = pa.table({"k0": np.arange(4_000) % 7, TIME: np.arange(4_000) // 2})
    pack, batches = QueryTimesTask(("k0", TIME), ("k0",)), rows.to_batches(max_chunksize=100)
    join = JoinTask(("k0",), most).run([*pack.run(batches), *pack.run(batches)])
    if fits:
        assert len(QueryTimes.read(next(iter(join))[QUERY_TIMES][0].as_buffer()).time) == 4_000
        return
    with pytest.raises(WorkbenchError, match="more than 0 MB; give method='auto'"):
        list(join)


@pytest.mark.parametrize("changed", [{"k0": ["b"]}, {MARK: [1]}])
def test_nodes_of_other_queries_are_refused(changed: dict[str, list[Any]]) -> None:
    query_rows = tables([{"k0": "a", TIME: 5}], [])[0]
    mark = QueryTimes.of(query_rows, ["k0"]).marks.tolist()
    arrived = ArrivedNodes()
    for batch in query_rows.to_batches():
        arrived.add(batch)
    nodes = {"k0": ["a"], NODE: [1], MARK: mark, TIME: [3]}
    cogroups = NodeCoGroups(task(feature(FUNCTION_CASES[0], Span(None))), arrived)
    assert cogroups.with_nodes(pa.table(nodes).to_batches()).events.time.tolist() == [1]
    with pytest.raises(WorkbenchError, match="different rows each time it is read"):
        cogroups.with_nodes(pa.table(nodes | changed).to_batches())


def test_queries_without_a_key_are_accepted_if_all_nodes_have_one() -> None:
    query_rows = tables([{"k0": "a", TIME: 5}, {"k0": None, TIME: 5}], [])[0]
    arrived = ArrivedNodes()
    for batch in query_rows.to_batches():
        arrived.add(batch)
    mark = QueryTimes.of(query_rows.slice(0, 1), ["k0"]).marks.tolist()
    nodes = pa.table({"k0": ["a"], NODE: [1], MARK: mark, TIME: [3]})
    # As Spark passes them: it knows that events without a key are left out.
    never_null = nodes.cast(pa.schema([field.with_nullable(False) for field in nodes.schema]))
    cogroups = NodeCoGroups(task(feature(FUNCTION_CASES[0], Span(None))), arrived)
    assert cogroups.with_nodes(never_null.to_batches()).events.time.tolist() == [1]
