"""Large partitions in pieces: the same answers as whole, wherever they are cut."""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import HealthCheck, Phase, given
from hypothesis import strategies as st

import workbench as wb
from tests.drawn import draws
from tests.workbench.windows.cases import (
    COLUMNS,
    POSITIONAL,
    TIE_PROOF,
    counted_frames,
    same,
    tables,
)
from tests.workbench.windows.pieces import Functions, answer, answer_in_pieces, cuttable
from workbench import fn
from workbench.engine.ranges.sample import SHARE, safe_sample_rows

#: Each example has many functions, so a failing one is reported as drawn, without shrinking.
many = draws(
    50,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
NEAR, SO_FAR = wb.Frame.rows(-1, 1), wb.Frame.rows(None, 0)
#: Every function that can be cut over bounded frames; some of them need an order without ties.
ANY_ORDER = cuttable(TIE_PROOF, NEAR)
FULL_ORDER = ANY_ORDER | cuttable(POSITIONAL, NEAR)
#: Those that can be cut over any frame.
CARRIED = cuttable(TIE_PROOF, SO_FAR)
CARRIED_IN_FULL_ORDER = (
    CARRIED
    | cuttable(POSITIONAL, SO_FAR)
    | {
        "last_two": fn.last_k("word", 2),
        "first_three": fn.first_k("day", 3),
        "last_but_one": fn.nth("word", -2),
        "second_given": fn.nth("x", 2).ignore_nulls(),
        "before_given": fn.lag("whole", 2).ignore_nulls(),
        "few": fn.bounded_count_distinct("word", 3),
        "line": fn.regr_intercept("x", "whole").where("yes"),
    }
)


def some_of(functions: Functions) -> st.SearchStrategy[Functions]:
    names = st.lists(st.sampled_from(sorted(functions)), min_size=1, max_size=6, unique=True)
    return names.map(lambda chosen: {name: functions[name] for name in chosen})


keys = st.sampled_from([(), ("p",), ("p", "yes")])
#: About how many rows a piece has, how many rows a task reads at once, and how many partitions.
plans = st.tuples(st.sampled_from([1, 1, 2, 3, 5]), st.integers(1, 30), st.integers(1, 4))


def bounded(frames: st.SearchStrategy[wb.Frame]) -> st.SearchStrategy[wb.Frame]:
    return frames.filter(lambda frame: frame.low is not None and frame.high is not None)


@st.composite
def orders(draw: st.DrawFn, names: list[str]) -> Any:
    """Draw a column with its direction, and an end for its nulls."""
    direction = draw(st.sampled_from(["asc", "desc"]))
    return (
        draw(st.sampled_from(names)),
        direction,
        draw(st.sampled_from(["nulls first", "nulls last"])),
    )


def check(
    rows: pa.Table,
    partition_by: Any,
    order_by: Any,
    frame: wb.Frame,
    functions: Functions,
    plan: Any,
) -> None:
    expected = answer(rows, partition_by, order_by, frame, functions)
    answers = answer_in_pieces(rows, partition_by, order_by, frame, functions, *plan)
    assert answers.num_rows == rows.num_rows
    assert same(answers.to_pydict(), expected.to_pydict(), expected.column_names)


ORDERED = [
    "k",
    "real",
    "price",
    "day",
    "moment",
    "whole",
    "word",
    "yes",
    "long",
    "name",
    "bytes",
    "zoned",
]


@many
@given(
    rows=tables(30),
    partition_by=keys,
    first=orders(ORDERED),
    frame=bounded(counted_frames(("rows", "groups"))),
    functions=some_of(FULL_ORDER),
    plan=plans,
)
def test_frames_that_count(
    rows: pa.Table, partition_by: Any, first: Any, frame: wb.Frame, functions: Functions, plan: Any
) -> None:
    check(rows, partition_by, [first, "id"], frame, functions, plan)


@many
@given(
    rows=tables(30),
    partition_by=keys,
    first=orders(ORDERED),
    frame=bounded(counted_frames(("groups",))),
    functions=some_of(ANY_ORDER),
    plan=plans,
)
def test_frames_that_count_groups_of_tied_rows(
    rows: pa.Table, partition_by: Any, first: Any, frame: wb.Frame, functions: Functions, plan: Any
) -> None:
    check(rows, partition_by, [first], frame, functions, plan)


@many
@given(
    rows=tables(30),
    partition_by=keys,
    first=orders(ORDERED),
    frame=bounded(counted_frames(("rows", "groups"))),
    functions=some_of(FULL_ORDER),
    plan=plans,
    in_sample=st.lists(st.booleans(), min_size=30, max_size=30),
)
def test_cuts_by_any_sample_of_the_rows(
    rows: pa.Table,
    partition_by: Any,
    first: Any,
    frame: wb.Frame,
    functions: Functions,
    plan: tuple[int, int, int],
    in_sample: list[bool],
) -> None:
    order, sampled = [first, "id"], rows.filter(pa.array(in_sample[: len(rows)], pa.bool_()))
    expected = answer(rows, partition_by, order, frame, functions)
    answers = answer_in_pieces(rows, partition_by, order, frame, functions, *plan, sampled=sampled)
    assert same(answers.to_pydict(), expected.to_pydict(), expected.column_names)


@pytest.mark.parametrize("rows", [40, 1_001, 10_001])
def test_safe_sample_rows_stand_for_enough_rows(rows: int) -> None:
    sampled = np.flatnonzero(np.random.default_rng(rows).random(10_000_000) < 1 / SHARE)
    enough = safe_sample_rows(rows, SHARE)
    assert (sampled[enough:] - sampled[:-enough]).min() >= rows


def open_sided(frames: st.SearchStrategy[wb.Frame]) -> st.SearchStrategy[wb.Frame]:
    return frames.filter(lambda frame: frame.low is None or frame.high is None)


@draws(100, many)
@given(
    rows=tables(30),
    partition_by=keys,
    first=orders(ORDERED),
    frame=open_sided(counted_frames(("rows", "groups"))),
    functions=some_of(CARRIED_IN_FULL_ORDER),
    near=some_of(FULL_ORDER),
    plan=plans,
)
def test_frames_without_a_bound_next_to_bounded_frames(
    rows: pa.Table,
    partition_by: Any,
    first: Any,
    frame: wb.Frame,
    functions: Functions,
    near: Functions,
    plan: Any,
) -> None:
    bounded_functions = {
        f"near {name}": one.over(wb.Frame.rows(-1, 2)) if one.info.has_frame else one
        for name, one in near.items()
    }
    check(rows, partition_by, [first, "id"], frame, functions | bounded_functions, plan)


@draws(60, many)
@given(
    rows=tables(30),
    partition_by=keys,
    first=orders(ORDERED),
    frame=open_sided(counted_frames(("groups",))),
    functions=some_of(CARRIED),
    plan=plans,
)
def test_frames_without_a_bound_of_tied_rows(
    rows: pa.Table, partition_by: Any, first: Any, frame: wb.Frame, functions: Functions, plan: Any
) -> None:
    check(rows, partition_by, [first], frame, functions, plan)


DISTANCES: dict[str, list[Any]] = {
    "k": [-9, -3, -1, 0, 1, 2, 9],
    "whole": [-(2**62), -3, -1, 0, 1, 2, 2**62],
    "real": [-2.5, -0.5, -0.1, 0, 0.5, 2.5],
    "price": [-4.5, -0.3, 0, 0.3, 4.5],
    "day": ["-2 months", "-3 days", "-12 hours", 0, "12 hours", "40 days", "1 year"],
    "zoned": ["-2 months", "-3 days", "-1 hour", 0, "1 hour", "2 months"],
    "moment": ["-1 month", "-3 days", "-12 hours", 0, "90 minutes", "3 days", "2 months"],
}


@st.composite
def measured(draw: st.DrawFn) -> tuple[Any, wb.Frame]:
    first = draw(orders(list(DISTANCES)))
    distances = DISTANCES[first[0]]
    low, high = sorted(draw(st.lists(st.integers(0, len(distances) - 1), min_size=2, max_size=2)))
    exclude = draw(st.sampled_from(["no others", "current row", "group", "ties"]))
    return first, wb.Frame.range(distances[low], distances[high], exclude=exclude)


@draws(90, many)
@given(
    rows=tables(30), partition_by=keys, along=measured(), functions=some_of(ANY_ORDER), plan=plans
)
def test_frames_that_measure(
    rows: pa.Table, partition_by: Any, along: tuple[Any, wb.Frame], functions: Functions, plan: Any
) -> None:
    check(rows, partition_by, [along[0]], along[1], functions, plan)


@st.composite
def open_distances(draw: st.DrawFn) -> tuple[Any, wb.Frame]:
    """Draw an order and a frame along it that lacks a bound on one side or on both."""
    first, frame = draw(measured())
    sides = draw(st.sampled_from([(None, frame.given[1]), (frame.given[0], None), (None, None)]))
    return first, wb.Frame.range(*sides, exclude=frame.exclude)


@draws(80, many)
@given(
    rows=tables(30),
    partition_by=keys,
    along=open_distances(),
    functions=some_of(CARRIED),
    plan=plans,
)
def test_frames_that_measure_on_one_side(
    rows: pa.Table, partition_by: Any, along: tuple[Any, wb.Frame], functions: Functions, plan: Any
) -> None:
    check(rows, partition_by, [along[0]], along[1], functions, plan)


SOME = {name: ANY_ORDER[name] for name in ("rows_", "total", "half", "low")}


def pairs() -> pa.Table:
    """Return a table of one partition, with two rows of each value of ``k``."""
    ids = list(range(24))
    nulls = {name: pa.nulls(24, kind) for name, (_, kind) in COLUMNS.items()}
    numbers = {"id": ids, "whole": ids, "k": pa.array([i // 2 for i in ids], pa.int32())}
    return pa.table(nulls | numbers)


@pytest.mark.parametrize("at", range(1, 12))
def test_a_cut_anywhere(at: int) -> None:
    for frame in (wb.Frame.rows(-3, 2), wb.Frame.range(-1, 2), wb.Frame.groups(-2, -1)):
        order = ["k"] if frame.unit == "range" else ["k", "id"]
        check(pairs(), (), order, frame, SOME, (at, 24, 3))


#: Calls over the table of pairs that look at all rows before or after each row: by states, by rows.
UNBOUNDED = {
    "so_far": fn.sum("whole").over(wb.Frame.rows(None, 0)),
    "to_come": fn.avg("whole").over(wb.Frame.rows(2, None)),
    "best": fn.max("whole").over(wb.Frame.range(None, -1)),
    "last": fn.last("whole").over(wb.Frame.groups(-1, None)),
    "all": fn.count().over(wb.Frame.range(None, None, exclude="group")),
    "place": fn.rank(),
    "share": fn.cume_dist(),
}


@pytest.mark.parametrize("at", [1, 2, 5, 11, 23])
def test_frames_that_reach_beyond_a_cut_anywhere(at: int) -> None:
    check(pairs(), (), ["k"], SO_FAR, UNBOUNDED, (at, 24, 3))
    check(pairs(), (), ["k"], SO_FAR, UNBOUNDED, (at, 2, 4))


@pytest.mark.parametrize("order", [("real", "desc", "nulls last"), ("real", "asc", "nulls last")])
def test_a_cut_between_numbers_and_nulls_loses_no_row(order: Any) -> None:
    rows = pairs()
    values = pa.array([None if i % 3 == 0 else i / 2 for i in range(24)], pa.float64())
    rows = rows.set_column(rows.column_names.index("real"), "real", values)
    for frame in (wb.Frame.range(0, 2.5), wb.Frame.range(None, 2.5), wb.Frame.range(-2.5, None)):
        check(rows, (), [order], frame, {"n": fn.count(), "most": fn.max("whole")}, (8, 24, 2))


@pytest.mark.parametrize("far", [1e300, 1e-300, float("inf"), float("nan"), -0.0])
def test_numbers_of_any_size_before_a_piece(far: float) -> None:
    rows = pairs()
    values = pa.array([far, far / 2, *([1.0, 2.0] * 11)])
    rows = rows.set_column(rows.column_names.index("x"), "x", values)
    functions = {
        "dev": fn.stddev("x"),
        "total": fn.sum("x"),
        "most": fn.max("x"),
        "n": fn.count("x"),
    }
    check(rows, (), ["k"], wb.Frame.range(None, 0), functions, (3, 5, 2))


@pytest.mark.parametrize("at", [1, 4])
def test_sums_of_any_size_before_a_piece(at: int) -> None:
    rows = pairs()
    values = pa.array([2**62, 2**62, -(2**62), -(2**62)] * 6)
    rows = rows.set_column(rows.column_names.index("whole"), "whole", values)
    functions = {"mean": fn.avg("whole"), "spread": fn.stddev("whole")}
    check(rows, (), ["k", "id"], wb.Frame.rows(None, 0), functions, (at, 5, 2))


def test_distances_and_states_are_right_for_a_table_that_changes_while_it_is_read() -> None:
    rows, frame = pairs(), wb.Frame.range(None, 0)
    fewer = rows.filter(pc.equal(pc.bit_wise_and(rows.column("id"), 2), 0))
    functions = {name: UNBOUNDED[name] for name in ("best", "all", "place", "share")}
    functions["total"] = fn.sum("whole")
    answers = answer_in_pieces(fewer, (), ["k"], frame, functions, 4, 24, 3, sampled=rows)
    assert answers.equals(answer(fewer, (), ["k"], frame, functions))


@pytest.mark.parametrize("frame", [wb.Frame.rows(-2, 0), wb.Frame.groups(0, 2)])
def test_a_table_that_changes_while_it_is_read_is_refused(frame: wb.Frame) -> None:
    rows = pairs()
    fewer = rows.filter(pc.equal(pc.bit_wise_and(rows.column("id"), 2), 0))
    with pytest.raises(wb.WorkbenchError, match="persist it first"):
        answer_in_pieces(fewer, (), ["k"], frame, SOME, 4, 24, 3, sampled=rows)


def test_distances_are_right_for_a_table_that_changes_while_it_is_read() -> None:
    rows, frame = pairs(), wb.Frame.range(-2, 1)
    fewer = rows.filter(pc.equal(pc.bit_wise_and(rows.column("id"), 2), 0))
    answers = answer_in_pieces(fewer, (), ["k"], frame, SOME, 4, 24, 3, sampled=rows)
    assert answers.equals(answer(fewer, (), ["k"], frame, SOME))
