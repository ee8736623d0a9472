"""Cases of the registry's tests for the kernels of ranking and value functions."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.kernels.frames.cases import (
    Args,
    bits,
    blank,
    distances,
    frames,
    grouped,
    int64,
    row_distances,
    rows_of,
)


@st.composite
def ranked(draw: st.DrawFn, shares: bool = False) -> Args:
    group, start = draw(grouped())
    return [group, start, np.zeros(len(group)) if shares else blank(len(group))]


@st.composite
def dealt(draw: st.DrawFn) -> Args:
    buckets = draw(st.lists(st.one_of(st.integers(1, 6), st.just(2**63 - 1)), max_size=12))
    return [int64(buckets), blank(len(buckets))]


@st.composite
def shifts(draw: st.DrawFn) -> Args:
    qualifies = draw(bits())
    size = len(qualifies)
    each = draw(st.lists(distances, min_size=size, max_size=size))
    row = blank(size)
    row[: qualifies.sum()] = np.flatnonzero(qualifies)
    before = np.cumsum(qualifies, dtype=np.int64) - qualifies
    return [int64(each), qualifies, before, row, blank(size)]


@st.composite
def nths(draw: st.DrawFn) -> Args:
    begin, end = draw(frames(pieces=draw(st.sampled_from([1, 3]))))
    size = len(begin)
    nth = draw(st.lists(distances, min_size=size, max_size=size))
    return [begin, end, int64(nth), blank(size)]


@st.composite
def placed(draw: st.DrawFn, nth: bool = False) -> Args:
    begin, end = draw(frames(pieces=draw(st.sampled_from([1, 3]))))
    size = len(begin)
    place = draw(st.permutations(range(size)))
    choices = distances if nth else st.integers(0, size)
    numbers = draw(st.lists(choices, min_size=size, max_size=size))
    return [int64(place), begin, end, int64(numbers), blank(size)]


@st.composite
def gaps(draw: st.DrawFn) -> Args:
    numbers = st.one_of(st.integers(-4, 4).map(float), st.sampled_from([np.inf, -np.inf]))
    key = np.sort(draw(st.lists(numbers, max_size=9).map(np.array)).astype(np.float64))
    size = len(key)
    missing = np.array(draw(st.lists(st.integers(0, 1), min_size=size, max_size=size)), np.uint8)
    usable = (1 - missing) * np.array([draw(st.sampled_from([1, 1, 0])) for _ in key], np.uint8)
    valid = int64(sorted([draw(st.integers(0, size)), draw(st.integers(0, size))]))
    columns = [np.zeros(size, np.int64) for _ in range(3)]
    return [key, missing, usable.astype(np.uint8), valid, *columns, np.zeros(size)]


def counts_from_one(before: Args, after: Args, result: Any) -> bool:
    return after[2].tolist() == [i + 1 for i in range(len(after[2]))]


def counts_rows_before(before: Args, after: Args, result: Any) -> bool:
    group = before[0]
    return after[2].tolist() == [sum(group < own) + 1 for own in group]


def counts_groups_before(before: Args, after: Args, result: Any) -> bool:
    group = before[0].tolist()
    return after[2].tolist() == [len({g for g in group if g < own}) + 1 for own in group]


def shares_before(before: Args, after: Args, result: Any) -> bool:
    group = before[0]
    others = max(len(group) - 1, 1)
    return after[2].tolist() == [sum(group < own) / others for own in group]


def shares_up_to(before: Args, after: Args, result: Any) -> bool:
    group = before[0]
    return after[2].tolist() == [sum(group <= own) / len(group) for own in group]


def dealt_evenly(before: Args, after: Args, result: Any) -> bool:
    rows = range(len(before[0]))
    for i, buckets in enumerate(before[0].tolist()):
        parts = np.array_split(rows, min(buckets, len(rows)))
        if after[1][i] != 1 + next(k for k, part in enumerate(parts) if i in part):
            return False
    return True


def rows_within(before: Args, after: Args, result: Any) -> bool:
    targets = [i + away for i, away in enumerate(before[0].tolist())]
    return after[1].tolist() == [row if 0 <= row < len(targets) else -1 for row in targets]


def nth_of_qualifying_rows(before: Args, after: Args, result: Any) -> bool:
    distance, qualifies = before[:2]
    for i, away in enumerate(distance.tolist()):
        qualifying = [
            j for j in range(len(qualifies)) if qualifies[j] and (j > i if away > 0 else j < i)
        ]
        place = away - 1 if away > 0 else len(qualifying) + away
        expected = qualifying[place] if 0 <= place < len(qualifying) else -1
        if after[4][i] != (expected if away else i):
            return False
    return True


def nth_of_the_frame(before: Args, after: Args, result: Any) -> bool:
    for i, frame in enumerate(rows_of(*before[:2])):
        nth = int(before[2][i])
        place = nth - 1 if nth > 0 else len(frame) + nth
        expected = frame[place] if nth != 0 and 0 <= place < len(frame) else -1
        if after[3][i] != expected:
            return False
    return True


def counts_places_before(before: Args, after: Args, result: Any) -> bool:
    place, own = before[0], before[3]
    found = [sum(place[row] < own[i] for row in f) for i, f in enumerate(rows_of(*before[1:3]))]
    return after[4].tolist() == found


def nth_of_the_places(before: Args, after: Args, result: Any) -> bool:
    for i, frame in enumerate(rows_of(*before[1:3])):
        nth, places = int(before[3][i]), sorted(before[0][list(frame)].tolist())
        at = nth - 1 if nth > 0 else len(places) + nth
        expected = places[at] if nth != 0 and 0 <= at < len(places) else -1
        if after[4][i] != expected:
            return False
    return True


def nearest_points(before: Args, after: Args, result: Any) -> bool:
    key, missing, usable, (first, last) = before[:4]
    low, high, part = after[5:]
    placed = [j for j in range(first, last) if np.isfinite(key[j])]
    points = [j for j in placed if usable[j]]
    for i in range(len(key)):
        if not missing[i]:
            expected = (i, i)
        elif i not in placed or not points:
            expected = (-1, -1)
        else:
            left, right = [j for j in points if j < i], [j for j in points if j > i]
            ends = (left[-1:] + right[:1]) if left and right else (left[-2:] or right[:2])
            expected = (ends[0], ends[-1])
        start, end = key[low[i]], key[high[i]]
        at = 0 if start == end or low[i] == high[i] else (key[i] - start) / (end - start)
        if (low[i], high[i]) != expected or part[i] != at:
            return False
    return True


CASES: dict[str, Any] = {
    "count_before": (placed(), counts_places_before),
    "cume_dist": (ranked(shares=True), shares_up_to),
    "dense_rank": (ranked(), counts_groups_before),
    "fill_between": (gaps(), nearest_points),
    "lead": (row_distances(), rows_within),
    "lead_qualifying": (shifts(), nth_of_qualifying_rows),
    "nth_in_order": (placed(nth=True), nth_of_the_places),
    "nth_value": (nths(), nth_of_the_frame),
    "ntile": (dealt(), dealt_evenly),
    "percent_rank": (ranked(shares=True), shares_before),
    "rank": (ranked(), counts_rows_before),
    "row_number": (ranked(), counts_from_one),
}
