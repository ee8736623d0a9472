"""The changelog: folded in order it gives the results over all rows, without repetitions."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.core.arrays import Ints
from kernels.stream.affected import cut_ranges, find_affected, peers_before
from kernels.stream.changelog import OPS, Changed, changes_of, pair_rows, same_values
from kernels.stream.sort_buffer import merge_rows
from tests.drawn import draws
from tests.kernels.stream.calls import Call, Slices, answers, calls
from tests.kernels.stream.rows import arrivals

PARTITIONS = 2
#: A row by its id: partition, code, value.
Table = dict[int, tuple[int, int, int]]
Sink = dict[int, tuple[float, ...]]


@st.composite
def histories(draw: st.DrawFn) -> list[Table]:
    """Draw a table after each batch: rows arrive, go, or change in value, key or partition."""
    row = st.tuples(st.integers(0, PARTITIONS - 1), st.integers(-5, 5), st.integers(0, 3))
    table: Table = {}
    tables = []
    for _ in range(draw(st.integers(1, 3))):
        table = dict(table)
        for key, new in draw(st.lists(st.tuples(st.integers(0, 9), st.none() | row), max_size=6)):
            table.pop(key, None)
            if new is not None:
                table[key] = new
        tables.append(table)
    return tables


class QueryState:
    """The state of a query that emits on update: sorted rows, and their results."""

    def __init__(self, window_calls: list[Call]) -> None:
        self.calls = window_calls
        self.table: Table = {}
        self.offsets, self.code, self.tie = arrivals([], PARTITIONS)
        self.value = self.code
        self.answers = np.zeros((0, len(window_calls)))

    def run(self, table: Table) -> list[tuple[str, int, tuple[float, ...]]]:
        """Apply the changes to a new table, and return the changelog."""
        changed = {key for key, row in self.table.items() if table.get(key) != row}
        arriving = {key: row for key, row in table.items() if self.table.get(key) != row}
        deleted = np.isin(self.tie, list(changed)).astype(np.uint8)
        new = arrivals([(p, code, key) for key, (p, code, _) in arriving.items()], PARTITIONS)
        merged = merge_rows(self.offsets, self.code, self.tie, deleted, *new)
        value = np.array([arriving[key][2] for key in new[2].tolist()], np.int64)
        before = self._rows_with_results()
        columns = zip((self.code, self.tie, self.value), (*new[1:], value), strict=True)
        self.code, self.tie, self.value = (np.concatenate(c)[merged.source] for c in columns)
        self.offsets, self.table = merged.offsets, table
        updated = self._answer(merged)
        pairs = pair_rows(merged, updated)
        now = self._rows_with_results()
        same = np.ones(len(pairs.before), np.uint8)
        for old, new_column in zip(before.T, now.T, strict=True):
            # Row -1 is no row: the result of its comparison is ignored.
            sides = np.append(old, 0)[pairs.before], np.append(new_column, 0)[pairs.after]
            same &= same_values(*sides)
        return as_changes(changes_of(pairs, same), before, now)

    def _answer(self, merged: Any) -> Ints:
        extents = [call.extent for call in self.calls]
        results = find_affected(merged.offsets, self.code, merged.changes, extents)
        cut = cut_ranges(merged.offsets, results)
        columns = self.code[cut.rows], self.value[cut.rows]
        peers = peers_before(merged.offsets, self.code, cut)
        part = Slices(cut.offsets, *columns, cut.before, peers)
        none = np.zeros((1, len(self.calls)))
        self.answers = np.vstack([self.answers, none])[merged.before]
        updated = cut.rows[cut.affected]
        self.answers[updated] = answers(self.calls, part)[cut.affected]
        return updated

    def _rows_with_results(self) -> Any:
        """Return each row with its results, the id first."""
        partition = np.repeat(np.arange(PARTITIONS), np.diff(self.offsets))
        return np.column_stack([self.tie, partition, self.code, self.value, self.answers])


def as_changes(changed: Changed, before: Any, now: Any) -> list[tuple[str, int, tuple[float, ...]]]:
    ops = [OPS[op] for op in changed.op]
    rows = [
        (now if op in ("+I", "+U") else before)[row]
        for op, row in zip(ops, changed.row, strict=True)
    ]
    return [(op, int(row[0]), tuple(row.tolist())) for op, row in zip(ops, rows, strict=True)]


def folded(sink: Sink, changes: list[tuple[str, int, tuple[float, ...]]]) -> None:
    """Apply changes in order; each deletion must be of a row that is present."""
    for op, key, row in changes:
        if op in ("-U", "-D"):
            np.testing.assert_array_equal(sink.pop(key), row)
        else:
            assert key not in sink
            sink[key] = row


def all_answers(table: Table, window_calls: list[Call]) -> Sink:
    offsets, code, tie = arrivals([(p, c, key) for key, (p, c, _) in table.items()], PARTITIONS)
    value = np.array([table[key][2] for key in tie.tolist()], np.int64)
    results = answers(window_calls, Slices(offsets, code, value)).tolist()
    return {key: (key, *table[key], *row) for key, row in zip(tie.tolist(), results, strict=True)}


@draws(100)
@given(histories(), st.lists(calls(), max_size=2))
def test_the_changelog_folded_in_order_gives_the_answers_over_all_rows(
    tables: list[Table], window_calls: list[Call]
) -> None:
    state = QueryState(window_calls)
    sink: dict[Any, Any] = {}
    for table in tables:
        changes = state.run(table)
        folded(sink, changes)
        expected = all_answers(table, window_calls)
        assert sink.keys() == expected.keys()
        for key, row in expected.items():
            np.testing.assert_allclose(sink[key], row, rtol=1e-12)
        assert_updates_say_something(changes)


def assert_updates_say_something(changes: list[Any]) -> None:
    for previous, (op, key, row) in pairwise(changes):
        if op == "+U":
            assert previous[:2] == ("-U", key)
            assert not np.array_equal(previous[2], row, equal_nan=True)


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        ([1.0, np.nan, np.nan, -0.0], [2.0, np.nan, 1.0, 0.0], [0, 1, 0, 1]),
        ([1, 2], [1, 3], [1, 0]),
        (["a", "b"], ["a", "c"], [1, 0]),
        ([True, False], [True, True], [1, 0]),
    ],
)
def test_values_are_compared_as_values(
    before: list[Any], after: list[Any], same: list[int]
) -> None:
    assert same_values(np.array(before), np.array(after)).tolist() == same


def test_null_equals_null_and_no_value() -> None:
    null = [np.array(bits, np.bool_) for bits in ([1, 1, 0, 0], [1, 0, 1, 0])]
    assert same_values(np.array([1, 2, 3, 4]), np.array([9, 2, 3, 4]), *null).tolist() == [
        1,
        0,
        0,
        1,
    ]
