"""Large partitions in pieces: the same answers as in one, wherever they are cut."""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import HealthCheck, Phase, given
from hypothesis import strategies as st

import workbench as wb
from tests.drawn import draws
from tests.workbench.windows.cases import COLUMNS, PLACED, TIE_PROOF, counted_frames, same, tables
from tests.workbench.windows.pieces import Asked, answer, answer_in_pieces, asked_of
from workbench.engine.ranges.sample import SHARE, surely

#: Each example has many functions, so a failing one is shown as it is found, and not made small.
many = draws(
    50,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
#: Every function that looks a bounded way; some of them need an order without ties.
ANY_ORDER = asked_of(TIE_PROOF)
FULL_ORDER = ANY_ORDER | asked_of(PLACED)


def some_of(functions: Asked) -> st.SearchStrategy[Asked]:
    names = st.lists(st.sampled_from(sorted(functions)), min_size=1, max_size=6, unique=True)
    return names.map(lambda chosen: {name: functions[name] for name in chosen})


keys = st.sampled_from([(), ("p",), ("p", "yes")])
#: About how many rows a piece has, of how many rows a task reads at once, into how many partitions.
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
    rows: pa.Table, partition_by: Any, order_by: Any, frame: wb.Frame, functions: Asked, plan: Any
) -> None:
    wanted = answer(rows, partition_by, order_by, frame, functions)
    found = answer_in_pieces(rows, partition_by, order_by, frame, functions, *plan)
    assert found.num_rows == rows.num_rows
    assert same(found.to_pydict(), wanted.to_pydict(), wanted.column_names)


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
    rows: pa.Table, partition_by: Any, first: Any, frame: wb.Frame, functions: Asked, plan: Any
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
    rows: pa.Table, partition_by: Any, first: Any, frame: wb.Frame, functions: Asked, plan: Any
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
    seen=st.lists(st.booleans(), min_size=30, max_size=30),
)
def test_cuts_by_any_sample_of_the_rows(
    rows: pa.Table,
    partition_by: Any,
    first: Any,
    frame: wb.Frame,
    functions: Asked,
    plan: Any,
    seen: list[bool],
) -> None:
    order, sampled = [first, "id"], rows.filter(pa.array(seen[: len(rows)], pa.bool_()))
    wanted = answer(rows, partition_by, order, frame, functions)
    found = answer_in_pieces(rows, partition_by, order, frame, functions, *plan, sampled=sampled)
    assert same(found.to_pydict(), wanted.to_pydict(), wanted.column_names)


@pytest.mark.parametrize("rows", [40, 1_001, 10_001])
def test_sampled_rows_that_surely_stand_for_enough(rows: int) -> None:
    sampled = np.flatnonzero(np.random.default_rng(rows).random(10_000_000) < 1 / SHARE)
    enough = surely(rows, SHARE)
    assert (sampled[enough:] - sampled[:-enough]).min() >= rows


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
    of_column = DISTANCES[first[0]]
    low, high = sorted(draw(st.lists(st.integers(0, len(of_column) - 1), min_size=2, max_size=2)))
    exclude = draw(st.sampled_from(["no others", "current row", "group", "ties"]))
    return first, wb.Frame.range(of_column[low], of_column[high], exclude=exclude)


@draws(90, many)
@given(
    rows=tables(30), partition_by=keys, along=measured(), functions=some_of(ANY_ORDER), plan=plans
)
def test_frames_that_measure(
    rows: pa.Table, partition_by: Any, along: tuple[Any, wb.Frame], functions: Asked, plan: Any
) -> None:
    check(rows, partition_by, [along[0]], along[1], functions, plan)


SOME = {name: ANY_ORDER[name] for name in ("rows_", "total", "half", "low")}


def pairs() -> pa.Table:
    """Return one key with everything, and two rows of each value."""
    ids = list(range(24))
    nothing = {name: pa.nulls(24, kind) for name, (_, kind) in COLUMNS.items()}
    numbers = {"id": ids, "whole": ids, "k": pa.array([i // 2 for i in ids], pa.int32())}
    return pa.table(nothing | numbers)


@pytest.mark.parametrize("at", range(1, 12))
def test_a_cut_anywhere(at: int) -> None:
    for frame in (wb.Frame.rows(-3, 2), wb.Frame.range(-1, 2), wb.Frame.groups(-2, -1)):
        order = ["k"] if frame.unit == "range" else ["k", "id"]
        check(pairs(), (), order, frame, SOME, (at, 24, 3))


@pytest.mark.parametrize("frame", [wb.Frame.rows(-2, 0), wb.Frame.groups(0, 2)])
def test_a_table_that_changes_while_it_is_read_is_refused(frame: wb.Frame) -> None:
    rows = pairs()
    fewer = rows.filter(pc.equal(pc.bit_wise_and(rows.column("id"), 2), 0))
    with pytest.raises(wb.WorkbenchError, match="persist it first"):
        answer_in_pieces(fewer, (), ["k"], frame, SOME, 4, 24, 3, sampled=rows)


def test_distances_hold_in_a_table_that_changes_while_it_is_read() -> None:
    rows, frame = pairs(), wb.Frame.range(-2, 1)
    fewer = rows.filter(pc.equal(pc.bit_wise_and(rows.column("id"), 2), 0))
    found = answer_in_pieces(fewer, (), ["k"], frame, SOME, 4, 24, 3, sampled=rows)
    assert found.equals(answer(fewer, (), ["k"], frame, SOME))
