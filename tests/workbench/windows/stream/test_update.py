"""Emit on update: the changelog folded in order is the batch answer, after every batch."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, assume, given
from hypothesis import strategies as st

import workbench as wb
from tests.drawn import draws
from tests.workbench.windows.cases import POSITIONAL, TIE_PROOF, counted_frames
from tests.workbench.windows.pieces import Functions
from tests.workbench.windows.stream.changelogs import TABLE, Change, Query, Row, histories, micros
from tests.workbench.windows.test_pieces import DISTANCES, ORDERED, orders
from workbench import fn
from workbench.frames.bounds import COUNT, Offset, PerRow
from workbench.windows.stream.worker.operator import NEVER

#: Each example has many functions, so a failing one is reported as drawn, without shrinking.
many = draws(
    60,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
EVERY: Functions = {name: one.function for name, one in (TIE_PROOF | POSITIONAL).items()}
RANKS: Functions = {"number": fn.row_number(), "place": fn.rank(), "dense": fn.dense_rank()}
NUMBERED: Functions = EVERY | {"filled": fn.fill("x")}

keys = st.sampled_from([(), ("p",), ("p", "yes")])
#: Frames whose bounds differ from row to row.
VARYING = [
    wb.Frame(unit, low, Offset(PerRow("m"), COUNT))
    for unit in ("rows", "groups")
    for low in (None, Offset(0, COUNT))
]
counted = st.one_of(*3 * [counted_frames(("rows", "groups"))], st.sampled_from(VARYING))


def some_of(functions: Functions) -> st.SearchStrategy[Functions]:
    names = st.lists(st.sampled_from(sorted(functions)), min_size=1, max_size=5, unique=True)
    return names.map(lambda chosen: {name: functions[name] for name in chosen})


@st.composite
def measured(draw: st.DrawFn) -> tuple[Any, wb.Frame]:
    """Draw an order and a frame along it, with both bounds, one or none."""
    first = draw(orders(list(DISTANCES)))
    amounts = DISTANCES[first[0]]
    low, high = sorted(draw(st.lists(st.integers(-1, len(amounts)), min_size=2, max_size=2)))
    exclude = draw(st.sampled_from(["no others", "current row", "group", "ties"]))
    begin = None if low == -1 else amounts[min(low, len(amounts) - 1)]
    end = None if high == len(amounts) else amounts[max(high, 0)]
    return first, wb.Frame.range(begin, end, exclude=exclude)


def follow(query: Query, history: list[list[Change]]) -> None:
    for batch in history:
        query.run(batch)
        query.check()


@many
@given(histories(), keys, orders(ORDERED), counted, some_of(EVERY), st.booleans(), st.booleans())
def test_frames_that_count(
    history: Any,
    partition_by: Any,
    first: Any,
    frame: wb.Frame,
    functions: Functions,
    full: bool,
    in_parts: bool,
) -> None:
    query = Query(partition_by, [first, "id"] if full else [first], frame, functions)
    if in_parts:
        query.part_bytes = 300
    follow(query, history)


@many
@given(histories(), keys, measured(), some_of(NUMBERED))
def test_frames_that_measure(
    history: Any, partition_by: Any, along: tuple[Any, wb.Frame], functions: Functions
) -> None:
    follow(Query(partition_by, [along[0]], along[1], functions), history)


@st.composite
def sessions(draw: st.DrawFn) -> tuple[Any, wb.Frame]:
    """Draw an order and sessions along it, in exact time and by the calendar."""
    first = draw(orders(list(DISTANCES)))
    gaps = [one for one in DISTANCES[first[0]] if one != 0 and not str(one).startswith("-")]
    exclude = draw(st.sampled_from(["no others", "current row", "group", "ties"]))
    return first, wb.Frame.session(draw(st.sampled_from(gaps)), exclude=exclude)


@many
@given(histories(), keys, sessions(), some_of(NUMBERED), st.booleans())
def test_sessions_that_grow_merge_and_split(
    history: Any,
    partition_by: Any,
    along: tuple[Any, wb.Frame],
    functions: Functions,
    in_parts: bool,
) -> None:
    query = Query(partition_by, [along[0]], along[1], functions)
    if in_parts:
        query.part_bytes = 300
    follow(query, history)


@many
@given(histories(), keys, orders(ORDERED), counted, some_of(EVERY), st.randoms())
def test_changes_of_a_batch_may_arrive_in_any_order(
    history: Any, partition_by: Any, first: Any, frame: wb.Frame, functions: Functions, random: Any
) -> None:
    query = Query(partition_by, [first, "id"], frame, functions)
    for batch in history:
        shuffled = random.sample(batch, len(batch))
        query.run(batch, arrives=shuffled)
        query.check()


@pytest.mark.parametrize(
    "frame", [wb.Frame.range(-9, -2), wb.Frame.range(None, -1), wb.Frame.range(2, 9)]
)
@pytest.mark.parametrize("nulls_at", ["nulls first", "nulls last"])
def test_rows_with_a_null_order_are_in_one_anothers_frames(frame: wb.Frame, nulls_at: str) -> None:
    nulls = dict.fromkeys(TABLE.names)
    rows = [nulls | {"id": who, "k": None, "whole": 1} for who in range(3)]
    query = Query((), [("k", "asc", nulls_at)], frame, {"total": fn.sum("whole")})
    follow(query, [[("+I", row)] for row in rows] + [[("-D", rows[1])]])


def following(history: list[list[Change]], steps: list[int]) -> list[tuple[list[Change], int]]:
    """Return batches, each with the watermark after it, which rises."""
    start, marks = micros(datetime(2024, 1, 29, 20)), []
    for step in steps[: len(history)]:
        start += step * 3_600_000_000
        marks.append(start)
    return list(zip(history, marks, strict=True))


hours = st.lists(st.integers(0, 40), min_size=5, max_size=5)
ascending = st.sampled_from([("moment", "asc", "nulls last"), ("moment", "asc", "nulls first")])
IN_TIME = [None, "-1 month", "-3 days", "-12 hours", 0, "12 hours", "2 days", None]


@st.composite
def frames_in_time(draw: st.DrawFn) -> wb.Frame:
    low, high = sorted(draw(st.lists(st.integers(0, 7), min_size=2, max_size=2)))
    if IN_TIME[low] is None and low == 7:
        low = 0
    return wb.Frame.range(IN_TIME[low], None if high == 0 else IN_TIME[high])


@draws(90, many)
@given(
    histories(most_batches=5),
    hours,
    keys,
    ascending,
    st.one_of(counted, frames_in_time()),
    some_of(EVERY),
    st.booleans(),
)
def test_batches_with_a_watermark(
    history: Any,
    steps: list[int],
    partition_by: Any,
    first: Any,
    frame: wb.Frame,
    functions: Functions,
    full: bool,
) -> None:
    order = [first, "id"] if full and frame.unit != "range" else [first]
    query, left_out = Query(partition_by, order, frame, RANKS | functions, timed=True), 0
    for batch, watermark in following(history, steps):
        assume(not query.reuses_passed_id(batch))
        query.run(batch, watermark)
        query.check()
        if batch and query.emitted is not None:
            counts = query.emitted.counts
            left_out += counts["late_rows"] + counts["rows_without_time"]
        assert left_out == query.left_out


def rows_at(*hours_of_rows: float, start: int = 0) -> list[Change]:
    begin = datetime(2024, 1, 1)
    return [
        ("+I", {"id": start + i, "p": "a", "moment": begin + timedelta(hours=hour), "whole": i + 1})
        for i, hour in enumerate(hours_of_rows)
    ]


def hour(at: float) -> int:
    return micros(datetime(2024, 1, 1) + timedelta(hours=at))


def query_of(frame: wb.Frame, changelog: bool = True, **functions: Any) -> Query:
    functions = functions or {"total": fn.sum("whole")}
    return Query(("p",), ["moment"], frame, functions, changelog, timed=True)


@pytest.mark.parametrize(
    ("frame", "most"),
    [
        (wb.Frame.rows(-2, 1), 13),
        (wb.Frame.groups(-1, 0), 11),
        (wb.Frame.range("-3 hours", "1 hour"), 15),
        (wb.Frame.range("-1 hour", "1 hour"), 13),
    ],
)
def test_rows_out_of_reach_are_dropped(frame: wb.Frame, most: int) -> None:
    query = query_of(frame, number=fn.row_number(), total=fn.sum("whole"))
    for start in range(0, 200, 10):
        query.run(rows_at(*range(start, start + 10), start=start), hour(start - 0.5))
        query.check()
        assert query.retained is not None
        assert len(query.retained.rows) <= most


def test_frames_without_a_start_retain_all_rows() -> None:
    query = query_of(wb.Frame.rows(None, 0))
    for start in range(0, 40, 10):
        query.run(rows_at(*range(start, start + 10), start=start), hour(start + 9))
    assert query.retained is not None
    assert len(query.retained.rows) == 40


def test_a_quiet_partition_is_due_when_its_rows_are_passed_and_again_when_out_of_reach() -> None:
    query = query_of(wb.Frame.range("-3 hours", "1 hour"))
    query.run(rows_at(1, 2, 5), hour(0))
    due = []
    while query.emitted is not None and len(query.emitted.due) and query.emitted.due[0] != NEVER:
        due.append(int(query.emitted.due[0]))
        query.run([], due[-1])
    assert due == [hour(5), hour(8)]
    assert query.retained is None


def test_a_late_row_costs_its_range_and_not_the_partition() -> None:
    query = query_of(wb.Frame.rows(-3, 0))
    query.run(rows_at(*range(1000)))
    query.run(rows_at(500.5, start=2000))
    assert query.emitted is not None
    assert query.emitted.counts == {
        "late_rows": 0,
        "rows_without_time": 0,
        "changes": 7,
        "rows_recomputed": 4,
        "rows_read": 7,
        "rows_held": 1,
    }


def test_changes_far_apart_are_answered_separately() -> None:
    query = query_of(wb.Frame.range("-2 hours", "2 hours"))
    query.run(rows_at(*range(1000)))
    query.run([("-D", row) for row in (query.table["a", 100], query.table["a", 900])])
    query.check()
    assert query.emitted is not None
    assert query.emitted.counts["rows_recomputed"] == 8


@pytest.mark.parametrize("descending", [False, True])
def test_nulls_are_not_peers_of_the_last_number_of_their_type(descending: bool) -> None:
    last = 2**63 - 1 if descending else -(2**63)
    nulls = dict.fromkeys(TABLE.names)
    rows = [nulls | {"id": who, "whole": one, "k": who} for who, one in enumerate([last, None])]
    order = ("whole", "desc" if descending else "asc", "nulls first")
    query = Query((), [order], wb.Frame.rows(None, 0), {"after": fn.lead("k"), "n": fn.rank()})
    follow(query, [[("+I", row)] for row in rows])
    assert [query.answers[who,]["n"] for who in (0, 1)] == [2, 1]


@pytest.mark.parametrize("frame", [wb.Frame.range("-1 hour", 0), wb.Frame.range(None, None)])
@pytest.mark.parametrize(
    ("changes", "left_out"),
    [
        ([[("-U", 1), ("+U", 4)], [("-D", 4)]], 3),
        ([[("-U", 1), ("+U", 4)], [("-U", 4), ("+U", 5)], [("-D", 5)]], 5),
    ],
    ids=["deleted", "changed again"],
)
def test_changes_that_follow_a_late_change_are_left_out_with_it_and_counted(
    frame: wb.Frame, changes: list[list[tuple[str, int]]], left_out: int
) -> None:
    query, late_rows = query_of(frame), 0
    query.run(rows_at(1, 3.5), hour(3))
    before = dict(query.answers)
    for batch in changes:
        query.run([(op, rows_at(at)[0][1]) for op, at in batch], hour(3))
        assert query.emitted is not None
        late_rows += query.emitted.counts["late_rows"]
    query.check()
    assert query.answers == before
    assert late_rows == left_out


def test_rows_with_an_unchanged_answer_are_not_emitted() -> None:
    query = query_of(wb.Frame.rows(-1, 1), most=fn.max("whole"))
    query.run([(op, one | {"whole": 9}) for op, one in rows_at(1, 2, 3)])
    (_, row) = rows_at(1.5, start=7)[0]
    query.run([("+I", row | {"whole": -5})])
    assert query.emitted is not None
    assert query.emitted.output["id"].to_pylist() == [7]
    query.run([("-U", row | {"whole": -5}), ("+U", row | {"whole": -5})])
    assert not len(query.emitted.output)


def test_unchanged_lists_and_maps_are_not_emitted() -> None:
    functions: dict[str, Any] = {"band": fn.quantile("whole", [0.0]), "counts": fn.histogram("yes")}
    query = query_of(wb.Frame.rows(-1, 0), **functions)
    yes: list[Change] = [(op, row | {"yes": True}) for op, row in rows_at(1, 2, 3)]
    query.run(yes)
    query.run([("+I", yes[1][1] | {"id": 9, "whole": 3})])
    assert query.emitted is not None
    assert query.emitted.output["id"].to_pylist() == [9, 2, 2]


def test_maps_are_folded_without_an_id_as_other_values_are() -> None:
    query = query_of(wb.Frame.rows(-1, 0), counts=fn.histogram("yes"))
    yes: list[Change] = [(op, row | {"yes": True}) for op, row in rows_at(1, 2, 3)]
    table = None
    for batch in (yes, [("+I", yes[1][1] | {"id": 9})], [("-D", yes[0][1])]):
        query.run(batch)
        assert query.emitted is not None
        table = wb.folded(table, query.emitted.output)
    assert table is not None
    counts = zip(table["id"].to_pylist(), table["counts"].to_pylist(), strict=True)
    assert sorted(counts) == [(1, [(True, 1)]), (2, [(True, 2)]), (9, [(True, 2)])]


def test_a_new_order_key_is_one_change_of_the_row() -> None:
    query = query_of(wb.Frame.rows(-1, 0))
    query.run(rows_at(1, 2, 3))
    row: Row = query.table["a", 0]
    query.run([("-U", row), ("+U", row | {"moment": datetime(2024, 1, 1, 9)})])
    assert query.emitted is not None
    output = query.emitted.output.select(["op", "id"]).to_pydict()
    assert output == {"op": ["-U", "+U", "-U", "+U"], "id": [1, 1, 0, 0]}
    query.check()


def test_a_new_partition_is_a_deleted_row_and_an_added_one() -> None:
    query = query_of(wb.Frame.rows(-1, 0))
    query.run(rows_at(1, 2))
    row: Row = query.table["a", 0]
    query.run([("-U", row), ("+U", row | {"p": "b"})])
    assert query.emitted is not None
    output = query.emitted.output.select(["op", "p", "id"]).to_pydict()
    assert output == {"op": ["-D", "-U", "+U", "+I"], "p": [*"aaab"], "id": [0, 1, 1, 0]}


def test_appended_rows_need_no_id() -> None:
    query = query_of(wb.Frame.rows(-1, 1), changelog=False)
    for batch in (rows_at(5, 1, 5), [], rows_at(3, 5, start=3)):
        query.run(batch)
        query.check()


def test_a_batch_of_late_rows_alone_emits_nothing() -> None:
    query = query_of(wb.Frame.rows(-1, 1))
    query.previous_watermark = hour(9)
    query.run(rows_at(1, 2), hour(9))
    assert query.emitted is not None
    assert (query.emitted.counts["late_rows"], len(query.emitted.output)) == (2, 0)
    query.run(rows_at(10, start=5), hour(10))
    query.check()


BAD = [
    ([("+I", 0), ("+I", 0)], "row_id: a change adds a row whose id 0 is there already"),
    ([("+U", 5)], "row_id: a change adds a row whose id 5 is there already"),
    ([("-D", 7)], "op: a change removes a row whose id 7 is not there"),
    ([("-U", 5), ("+U", 5), ("-D", 5), ("-D", 5)], "op: a change removes a row whose id 5"),
    ([("+I", None)], "row_id: a row's id is null; give every row one"),
    ([("u", 5)], "op: 'u' is not a change; give '\\+I', '-U', '\\+U' or '-D'"),
    ([(None, 5)], "op: None is not a change"),
]


@pytest.mark.parametrize(("changes", "message"), BAD)
def test_impossible_changes_are_refused(changes: Any, message: str) -> None:
    query = query_of(wb.Frame.rows(-1, 1))
    query.run(rows_at(1, start=5))
    row = query.table["a", 5]
    with pytest.raises(wb.WorkbenchError, match=message):
        query.run([(op, row | {"id": who}) for op, who in changes])


@pytest.mark.parametrize("who", [5, None])
def test_ids_of_appended_rows_are_checked_if_row_id_names_them(who: Any) -> None:
    query = query_of(wb.Frame.rows(-1, 1), changelog=False)
    query.mode = replace(query.mode, row_id=("id",))
    query.run(rows_at(1, start=5))
    with pytest.raises(wb.WorkbenchError, match="row_id: "):
        query.run([("+I", query.table["a", 5] | {"id": who})])
