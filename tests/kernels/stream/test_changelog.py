"""The changelog: folded in order it is the answers over all rows, and it says nothing twice."""

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
    """Draw a table after each batch: rows come, go, or change in value, key or partition."""
    row = st.tuples(st.integers(0, PARTITIONS - 1), st.integers(-5, 5), st.integers(0, 3))
    table: Table = {}
    tables = []
    for _ in range(draw(st.integers(1, 3))):
        table = dict(table)
        for who, new in draw(st.lists(st.tuples(st.integers(0, 9), st.none() | row), max_size=6)):
            table.pop(who, None)
            if new is not None:
                table[who] = new
        tables.append(table)
    return tables


class Kept:
    """The state of a query that emits on update: rows in their order, and their answers."""

    def __init__(self, given_calls: list[Call]) -> None:
        self.calls = given_calls
        self.table: Table = {}
        self.offsets, self.code, self.tie = arrivals([], PARTITIONS)
        self.value = self.code
        self.answers = np.zeros((0, len(given_calls)))

    def run(self, table: Table) -> list[tuple[str, int, tuple[float, ...]]]:
        """Take in what makes the table another one, and return the changelog."""
        changed = {who for who, row in self.table.items() if table.get(who) != row}
        come = {who: row for who, row in table.items() if self.table.get(who) != row}
        gone = np.isin(self.tie, list(changed)).astype(np.uint8)
        new = arrivals([(p, code, who) for who, (p, code, _) in come.items()], PARTITIONS)
        merged = merge_rows(self.offsets, self.code, self.tie, gone, *new)
        value = np.array([come[who][2] for who in new[2].tolist()], np.int64)
        before = self._said()
        columns = zip((self.code, self.tie, self.value), (*new[1:], value), strict=True)
        self.code, self.tie, self.value = (np.concatenate(c)[merged.source] for c in columns)
        self.offsets, self.table = merged.offsets, table
        asked = self._answer(merged)
        pairs = pair_rows(merged, asked)
        now = self._said()
        same = np.ones(len(pairs.before), np.uint8)
        for old, new_column in zip(before.T, now.T, strict=True):
            # Row -1 stands for none: what is compared with it means nothing.
            sides = np.append(old, 0)[pairs.before], np.append(new_column, 0)[pairs.after]
            same &= same_values(*sides)
        return said(changes_of(pairs, same), before, now)

    def _answer(self, merged: Any) -> Ints:
        extents = [call.extent for call in self.calls]
        found = find_affected(merged.offsets, self.code, merged.changes, extents)
        cut = cut_ranges(merged.offsets, found)
        columns = self.code[cut.rows], self.value[cut.rows]
        peers = peers_before(merged.offsets, self.code, cut)
        part = Slices(cut.offsets, *columns, cut.before, peers)
        none = np.zeros((1, len(self.calls)))
        self.answers = np.vstack([self.answers, none])[merged.before]
        asked = cut.rows[cut.affected]
        self.answers[asked] = answers(self.calls, part)[cut.affected]
        return asked

    def _said(self) -> Any:
        """All that is said of each row, its id first."""
        partition = np.repeat(np.arange(PARTITIONS), np.diff(self.offsets))
        return np.column_stack([self.tie, partition, self.code, self.value, self.answers])


def said(changed: Changed, before: Any, now: Any) -> list[tuple[str, int, tuple[float, ...]]]:
    ops = [OPS[op] for op in changed.op]
    rows = [
        (now if op in ("+I", "+U") else before)[row]
        for op, row in zip(ops, changed.row, strict=True)
    ]
    return [(op, int(row[0]), tuple(row.tolist())) for op, row in zip(ops, rows, strict=True)]


def folded(sink: Sink, changes: list[tuple[str, int, tuple[float, ...]]]) -> None:
    """Apply changes in order; each takes back what was said, and nothing else."""
    for op, who, row in changes:
        if op in ("-U", "-D"):
            np.testing.assert_array_equal(sink.pop(who), row)
        else:
            assert who not in sink
            sink[who] = row


def all_answers(table: Table, given_calls: list[Call]) -> Sink:
    offsets, code, tie = arrivals([(p, c, who) for who, (p, c, _) in table.items()], PARTITIONS)
    value = np.array([table[who][2] for who in tie.tolist()], np.int64)
    found = answers(given_calls, Slices(offsets, code, value)).tolist()
    return {who: (who, *table[who], *row) for who, row in zip(tie.tolist(), found, strict=True)}


@draws(100)
@given(histories(), st.lists(calls(), max_size=2))
def test_the_changelog_folded_in_order_gives_the_answers_over_all_rows(
    tables: list[Table], given_calls: list[Call]
) -> None:
    kept = Kept(given_calls)
    sink: dict[Any, Any] = {}
    for table in tables:
        changes = kept.run(table)
        folded(sink, changes)
        expected = all_answers(table, given_calls)
        assert sink.keys() == expected.keys()
        for key, row in expected.items():
            np.testing.assert_allclose(sink[key], row, rtol=1e-12)
        assert_updates_say_something(changes)


def assert_updates_say_something(changes: list[Any]) -> None:
    for one, (op, who, row) in pairwise(changes):
        if op == "+U":
            assert one[:2] == ("-U", who)
            assert not np.array_equal(one[2], row, equal_nan=True)


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
