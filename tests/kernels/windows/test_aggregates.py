"""Aggregates over moving frames, with every method, against DuckDB in process."""

from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from kernels.frames.frame_deltas import frame_size
from kernels.states.aggregates import AGGREGATES, KEYS, Aggregate
from kernels.windows.aggregate import METHODS, choose_method, moving_aggregate
from tests.drawn import draws
from tests.kernels.frames.frames import SPECIALS, Frames, Window, members, random_frames, windows

#: Integers, so that a spread of zero is exactly zero in every order of addition.
NUMBERS = st.integers(-9, 9).map(float)
SQL = {"integer_sum": "sum", "integer_avg": "avg"}


def one_partition(values: Any) -> NDArray[np.int64]:
    return np.array([0, len(values)])


def column(data: st.DataObject, of: st.SearchStrategy[Any], window: Window) -> Any:
    size = len(window.peer)
    return np.array(data.draw(st.lists(of, min_size=size, max_size=size)))


def answers(
    name: str, values: Any, frames: Frames, method: str | None = None, **more: Any
) -> list[Any]:
    """Return our results in DuckDB's form: None for too few rows, and values instead of rows."""
    got = moving_aggregate(one_partition(values), name, values, *frames, method=method, **more)
    aggregate = AGGREGATES[name]
    enough = [frame_size(*frames, i) >= aggregate.needs for i in range(len(got))]
    picked = values[got] if aggregate.takes == KEYS else got
    return [one if is_enough else None for one, is_enough in zip(picked, enough, strict=True)]


def check(got: list[Any], expected: list[Any]) -> None:
    one, other = (np.array([np.nan if x is None else x for x in a], float) for a in (got, expected))
    np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", [n for n, a in AGGREGATES.items() if a.takes != KEYS])
@given(window=windows(), data=st.data())
@draws(15)
def test_an_aggregate_of_numbers_is_that_of_duckdb(
    name: str, window: Window, data: st.DataObject
) -> None:
    large = st.integers(-(2**40), 2**40)
    of = {"bool": st.integers(0, 1), "inte": large, "bit_": large}
    values = column(data, of.get(name[:4], NUMBERS), window)
    columns = {"value": values.astype(bool) if name.startswith("bool") else values}
    call, other = f"{SQL.get(name, name)}(value)", None
    if AGGREGATES[name].takes == "pairs":
        other = columns["other"] = column(data, NUMBERS, window)
        call = f"{name}(value, other)"
    check(answers(name, values, window.frames, other=other), window.ask_duckdb(call, **columns))


@pytest.mark.parametrize("name", ["first", "last", "min", "max"])
@given(window=windows(), data=st.data())
@draws(25)
def test_a_picked_value_is_that_of_duckdb(name: str, window: Window, data: st.DataObject) -> None:
    values = column(data, SPECIALS, window)
    check(answers(name, values, window.frames), window.ask_duckdb(f"{name}(value)", value=values))


@pytest.mark.parametrize("name", ["min", "max"])
@given(window=windows(), data=st.data())
@draws(40)
def test_the_row_of_an_extreme_is_that_of_duckdb(
    name: str, window: Window, data: st.DataObject
) -> None:
    values, row = column(data, NUMBERS, window), np.arange(len(window.peer))
    got = moving_aggregate(one_partition(values), name, values, *window.frames)
    expected = window.ask_duckdb(f"arg_{name}(row, value)", row=row, value=values)
    assert got.tolist() == [-1 if answer is None else answer for answer in expected]


def possible(name: str, frames: Frames) -> list[str]:
    """The methods that are right for an aggregate over frames."""
    sliding = choose_method(np.array([0, len(frames[0])]), name, *frames) != "tree"
    allowed = {
        "running": hasattr(AGGREGATES[name].empty, "inverse"),
        "deque": name in ("min", "max") and sliding,
        "sliding": sliding,
        "tree": True,
    }
    return [method for method in METHODS if allowed[method]]


@pytest.mark.parametrize("name", AGGREGATES)
@given(size=st.integers(1, 80), fanout=st.integers(2, 5), data=st.data())
@draws(15)
def test_every_method_has_the_same_result(
    name: str, size: int, fanout: int, data: st.DataObject
) -> None:
    random = np.random.default_rng(data.draw(st.integers(0, 999)))
    values, other = random.integers(0, 2 if "bool" in name else 5, (2, size)).astype(float)
    frames = data.draw(random_frames(size, size))
    shared = {"other": other, "fanout": fanout}
    by_method = [answers(name, values, frames, m, **shared) for m in possible(name, frames)]
    for other_method in by_method[1:]:
        check(other_method, by_method[0])


def test_the_variance_of_values_with_a_large_mean_is_exact() -> None:
    values = 1e9 + np.tile([4.0, 7.0, 13.0, 16.0], 50)
    frames = np.zeros((200, 1), np.int64), np.full((200, 1), 200)
    got = [answers("var_pop", values, frames, method)[0] for method in ("sliding", "tree")]
    np.testing.assert_allclose(got, 22.5, rtol=1e-7)


def test_integers_are_added_exactly() -> None:
    values = np.array([2**60, 1, -(2**60)])
    frames = np.array([[0], [0], [2]]), np.array([[2], [3], [3]])
    for method in ("running", "sliding", "tree"):
        assert answers("integer_sum", values, frames, method) == [2**60 + 1, 1, -(2**60)]


@given(st.integers(1, 300), st.integers(2, 6), st.data())
@draws(40)
def test_a_tree_keeps_the_order_of_rows(size: int, fanout: int, data: st.DataObject) -> None:
    frames, values = data.draw(random_frames(size, size)), np.zeros(size)
    inside = [members(*frames, i) for i in range(size)]
    for name, place in (("first", 0), ("last", -1)):
        call = one_partition(values), name, values, *frames
        got = moving_aggregate(*call, method="tree", fanout=fanout)
        assert got.tolist() == [rows[place] if rows else -1 for rows in inside]


def test_an_unknown_name_is_refused() -> None:
    frames = np.zeros((1, 1), np.int64), np.zeros((1, 1), np.int64)
    with pytest.raises(ValueError, match="'averag' is no aggregate; use one of count, sum"):
        moving_aggregate(np.array([0, 1]), "averag", np.zeros(1), *frames)
    with pytest.raises(ValueError, match="'heap' is not known; use one of running"):
        moving_aggregate(np.array([0, 1]), "sum", np.zeros(1), *frames, method="heap")


class Halves(NamedTuple):
    """A state that has neither ``combine`` nor ``inverse``."""

    rows: float = 0.0

    def update(self, value: float, other: float, row: int) -> "Halves":
        return Halves(self.rows + 0.5)


UNABLE = [
    ("tree", "halves", "'tree' needs an aggregate whose state has 'combine'"),
    ("sliding", "halves", "'sliding' needs an aggregate whose state has 'combine'"),
    ("running", "halves", "'running' needs an aggregate whose state has 'inverse'"),
    ("running", "max", "'running' needs an aggregate whose state has 'inverse'"),
    ("deque", "sum", "a deque finds 'min' and 'max'; 'sum' needs another method"),
]


@pytest.mark.parametrize(("method", "name", "sentence"), UNABLE)
def test_a_method_that_an_aggregate_does_not_support_is_refused(
    method: str, name: str, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(AGGREGATES, "halves", Aggregate(Halves(), lambda s: s.rows))
    frames = np.zeros((1, 1), np.int64), np.ones((1, 1), np.int64)
    with pytest.raises(ValueError, match=sentence):
        moving_aggregate(np.array([0, 1]), name, np.zeros(1), *frames, method=method)
