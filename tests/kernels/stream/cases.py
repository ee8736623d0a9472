"""Cases of the registry's tests for the kernels of windows over streams."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

from kernels.frames.extent import FrameExtent, extent_table
from tests.kernels.frames.cases import Args, blank, int64
from tests.kernels.stream.rows import (
    MOST,
    UNITS,
    codes,
    extents,
    in_session,
    reaches,
    steps,
    within,
)


@st.composite
def sorted_codes(draw: st.DrawFn, most: int = 9) -> list[int]:
    extreme = st.sampled_from([-MOST - 1, MOST])
    return sorted(draw(st.lists(st.one_of(codes, codes, codes, extreme), max_size=most)))


tables = st.lists(extents(), max_size=3).map(extent_table)


@st.composite
def merges(draw: st.DrawFn) -> Args:
    pairs = st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 9)), max_size=9, unique=True)
    present, arriving = sorted(draw(pairs)), sorted(draw(pairs))
    flags = [draw(st.integers(0, 1)) if row not in arriving else 1 for row in present]
    sides = [int64([row[i] for row in side]) for side in (present, arriving) for i in range(2)]
    written = blank(len(present)), blank(len(arriving)), blank(len(arriving))
    return [*sides[:2], np.array(flags, np.uint8), *sides[2:], *written]


@st.composite
def runs(draw: st.DrawFn) -> Args:
    code = draw(sorted_codes().filter(bool))
    row = st.integers(0, len(code) - 1)
    ends = [sorted(draw(st.tuples(row, row))) for _ in range(draw(st.integers(0, 3)))]
    edges = [int64([end[i] for end in ends]) for i in range(2)]
    return [int64(code), draw(tables), *edges, blank(len(ends)), blank(len(ends))]


@st.composite
def changes(draw: st.DrawFn) -> Args:
    """Draw sorted codes, and some of them, or gaps between them, as changes."""
    all_codes = draw(sorted_codes(12))
    fates = [draw(st.sampled_from("kkkig")) for _ in all_codes]
    code = [c for c, fate in zip(all_codes, fates, strict=True) if fate != "g"]
    at, changed, inserted = [], [], []
    row = 0
    for one, fate in zip(all_codes, fates, strict=True):
        if fate != "k":
            at.append(row)
            changed.append(one)
            inserted.append(int(fate == "i"))
        row += fate != "g"
    edges = [blank(len(at)) for _ in range(4)]
    columns = int64(at), int64(changed), np.array(inserted, np.uint8)
    return [int64(code), draw(tables), *columns, *edges]


@st.composite
def closings(draw: st.DrawFn) -> Args:
    code = sorted(draw(st.lists(codes, max_size=9)))
    watermark = draw(st.one_of(codes, st.just(MOST)))
    left = draw(st.integers(0, sum(c <= watermark for c in code)))
    return [int64(code), int64([left]), draw(tables), watermark, blank(4)]


@st.composite
def settlings(draw: st.DrawFn) -> Args:
    code = sorted(draw(st.lists(codes, max_size=9)))
    return [int64(code), draw(tables), draw(codes), blank(3)]


@st.composite
def fates(draw: st.DrawFn) -> Args:
    kinds = draw(st.lists(st.sampled_from([(0, -1), (-1, 0), (0, 0)]), max_size=8))
    before, after = int64([b for b, _ in kinds]), int64([a for _, a in kinds])
    same = draw(st.lists(st.integers(0, 1), min_size=len(kinds), max_size=len(kinds)))
    return [before, after, np.array(same, np.uint8), np.full((len(kinds), 2), 9, np.int8)]


def extent_of(row: Any) -> FrameExtent:
    """Return the extent of a row of a table; a distance that no code reaches means no bound."""
    unit, back, _, start, _ = (int(cell) for cell in row)
    low, high = (None if far == MOST else sign * far for far, sign in ((start, -1), (back, 1)))
    return FrameExtent(UNITS[unit], low, high)


def merged_by_sorting(before: Args, after: Args, result: Any) -> bool:
    code, tie, deleted, new_code, new_tie = (one.tolist() for one in before[:5])
    present, arriving = list(zip(code, tie, strict=True)), list(zip(new_code, new_tie, strict=True))
    retained = [row for row, out in zip(present, deleted, strict=True) if not out]
    now = sorted(retained + arriving)
    positions, new_positions, replaced = (one.tolist() for one in after[5:])
    right = all(now[to] == row for to, row in zip(new_positions, arriving, strict=True))
    for to, row, out in zip(positions, present, deleted, strict=True):
        right &= to == sum(other < row for other in now) if out else now[to] == row
    return (
        right
        and result == len(now)
        and replaced == [present.index(row) if row in present else -1 for row in arriving]
    )


def away(extent: FrameExtent, code: list[int], i: int, edge: int, at: int) -> int:
    """Return the distance from row i to a place before the row ``edge``, with the code ``at``."""
    if extent.unit == "range":
        return at - code[i]
    groups = steps(code, code[i], at)
    return groups if at >= code[i] else -groups


def sees(
    extent: FrameExtent, code: list[int], i: int, at: int, changed: int, inserted: int
) -> bool:
    """Return whether a change can change the result of a row, by definition."""
    if extent.unit == "session":
        return in_session(extent, code, code[i], changed)
    if extent.unit == "rows":
        return reaches(extent, at - i if i < at else at + inserted - 1 - i)
    far = away(extent, code, i, at, changed)
    return within(extent, far) if extent.unit == "range" else reaches(extent, far)


def runs_of(rows: set[int]) -> list[tuple[int, int]]:
    ends = [row for row in sorted(rows) if row + 1 not in rows]
    return list(zip([row for row in sorted(rows) if row - 1 not in rows], ends, strict=True))


def rows_that_see_a_change(before: Args, after: Args, result: Any) -> bool:
    code, table = before[0].tolist(), [extent_of(row) for row in before[1]]
    expected: set[int] = set()
    for at, changed, inserted in zip(*(one.tolist() for one in before[2:5]), strict=True):
        rows = [
            i
            for i in range(len(code))
            for extent in table
            if sees(extent, code, i, at, changed, inserted)
        ]
        edges = [*rows, *(row + 1 for row in rows), at, at + inserted]
        expected |= set(range(min(edges), max(edges)))
    found = list(zip(after[6][:result].tolist(), after[7][:result].tolist(), strict=True))
    spans = [first[:result].tolist() for first in (after[5], after[8])]
    return found == runs_of(expected) and spans == [
        [edge[i] for edge in (span(code, table, *run) for run in found)] for i in range(2)
    ]


def span(code: list[int], table: list[FrameExtent], first: int, last: int) -> tuple[int, int]:
    """Return the first and the last row of the frames of a run."""
    rows = {first, last}
    for extent in table:
        for i in (first, last):
            for j in range(len(code)):
                if extent.unit == "session":
                    rows |= {j} if in_session(extent, code, code[i], code[j]) else set()
                    continue
                far = j - i if extent.unit == "rows" else away(extent, code, i, j, code[j])
                if within(extent, far) if extent.unit == "range" else reaches(extent, far):
                    rows.add(j)
    return min(rows), max(rows)


def frames_of_the_run(before: Args, after: Args, result: Any) -> bool:
    code, table = before[0].tolist(), [extent_of(row) for row in before[1]]
    pairs = zip(before[2].tolist(), before[3].tolist(), strict=True)
    found = list(zip(after[4].tolist(), after[5].tolist(), strict=True))
    return found == [span(code, table, *pair) for pair in pairs]


def closes_at(extent: FrameExtent, code: list[int], i: int) -> int:
    """Return the watermark at which a row and its frame are complete, by definition."""
    if extent.high is None:
        return MOST
    if extent.unit == "session":
        last = max(c for c in code if in_session(extent, code, code[i], c))
        return min(last + extent.high - 1, MOST)
    if extent.unit == "range":
        return min(code[i] + max(extent.high, 0), MOST)
    later = [
        code[j]
        for j in range(i, len(code))
        if (j - i if extent.unit == "rows" else steps(code, code[i], code[j])) >= extent.high
    ]
    return min(later, default=MOST)


def complete_rows_leave(before: Args, after: Args, result: Any) -> bool:
    code, (row,), table, watermark = before[0].tolist(), before[1], before[2], before[3]
    looks = [extent_of(one) for one in table]
    due = [
        max([code[i], *(closes_at(extent, code, i) for extent in looks)]) for i in range(len(code))
    ]
    left = [i for i in range(row, len(code)) if due[i] > watermark]
    first = left[0] if left else len(code)
    released, waiting, needed, peers = after[4].tolist()
    return (
        result == (due[first] if left else MOST)
        and waiting == first
        and released == sum(c <= watermark for c in code)
        and needed == needed_from(code, looks, first, watermark)
        and peers == len(set(code[:needed]))
    )


def needed_from(code: list[int], looks: list[FrameExtent], row: int, watermark: int) -> int:
    """Return the first row in a frame of the row or of later ones, or the first of its peers."""
    released = row < len(code) and code[row] <= watermark
    at = code[row] if released else min(watermark + 1, MOST)
    rows = {row}
    for extent in looks:
        for j in range(row):
            if extent.unit == "session":
                rows |= {j} if in_session(extent, code[:row], code[j], at) else set()
                continue
            far = {"rows": j - row, "range": code[j] - at, "groups": -steps(code, at, code[j])}
            if extent.low is None or far[extent.unit] >= extent.low:
                rows.add(j)
    first = min(rows)
    return code.index(code[first]) if first < len(code) else first


def rows_within_reach(before: Args, after: Args, result: Any) -> bool:
    code, table, watermark = before[0].tolist(), before[1], before[2]
    looks = [extent_of(one) for one in table]
    edge = sum(c <= watermark for c in code)
    first = edge
    for extent in looks:
        for i in range(edge):
            groups = steps(code, code[i], watermark + 1)
            far = {"rows": edge - i, "range": watermark + 1 - code[i], "groups": groups}
            if extent.unit == "session":
                first = min(first, i) if in_session(extent, code, code[i], watermark + 1) else first
            elif extent.high is None or far[extent.unit] <= extent.high:
                first = min(first, i)
    needed = needed_from(code, looks, first, watermark)
    return after[3].tolist() == [first, needed, len(set(code[:needed]))]


def ops_by_fate(before: Args, after: Args, result: Any) -> bool:
    kinds = {(0, -1): [3, -1], (-1, 0): [0, -1]}
    expected = [
        kinds.get((b, a), [-1, -1] if same else [1, 2])
        for b, a, same in zip(*(one.tolist() for one in before[:3]), strict=True)
    ]
    return after[3].tolist() == expected and result == sum(
        op >= 0 for row in expected for op in row
    )


CASES: dict[str, Any] = {
    "affected_ranges": (changes(), rows_that_see_a_change),
    "changelog": (fates(), ops_by_fate),
    "close_windows": (closings(), complete_rows_leave),
    "frame_spans": (runs(), frames_of_the_run),
    "place_rows": (merges(), merged_by_sorting),
    "settle_rows": (settlings(), rows_within_reach),
}
