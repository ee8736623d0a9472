"""Cutting long partitions into parts does not change results."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from kernels.core.arrays import Ints
from kernels.frames.cache_blocks import STREAMED, parts
from kernels.windows.aggregate import moving_aggregate
from kernels.windows.distinct.count import moving_count_distinct
from kernels.windows.mad import moving_mad
from kernels.windows.mode import moving_mode
from kernels.windows.quantile import find_quantile_rows, moving_quantile

Frames = tuple[Ints, Ints]

ROWS = np.array([0, 3, 10_003, 10_003, 30_000])
OF_PARTITION = np.repeat(np.diff(ROWS), np.diff(ROWS))
PLACE = np.arange(ROWS[-1]) - np.repeat(ROWS[:-1], np.diff(ROWS))
CHECKED_ROWS = [*range(0, ROWS[-1], 487), 2, 3, 10_002, 10_003, 29_999]


def bounded(low: Any, high: Any) -> Frames:
    """Return frames from some rows before to some rows after each row, within its partition."""
    begin = np.clip(PLACE + low, 0, OF_PARTITION)
    return begin[:, None], np.maximum(np.clip(PLACE + high, 0, OF_PARTITION), begin)[:, None]


def jumping() -> Frames:
    random = np.random.default_rng(1)
    return bounded(-random.integers(0, 90, len(PLACE)), random.integers(-5, 60, len(PLACE)))


def with_a_hole() -> Frames:
    begin, end = bounded(-40, 41)
    hole, _ = bounded(0, 0)
    empty = np.zeros_like(hole)
    upto = np.minimum(hole + 1, end)
    return np.hstack([begin, upto, empty]), np.hstack([np.maximum(hole, begin), end, empty])


FRAMES = {
    "of 101 rows": bounded(-100, 1),
    "of 4,001 rows": bounded(-4_000, 1),
    "ahead, and empty at the end": bounded(5, 9),
    "running": bounded(-(10**9), 1),
    "to and fro": jumping(),
    "with a hole": with_a_hole(),
}

random = np.random.default_rng(0)
VALUES = random.integers(0, 300, ROWS[-1]).astype(np.float64)


def inside(frames: Frames, row: int) -> tuple[int, Ints]:
    """Return the begin of a row's partition, and the positions of the values in its frame."""
    ranges = zip(frames[0][row], frames[1][row], strict=True)
    return row - int(PLACE[row]), np.concatenate([np.arange(a, b) for a, b in ranges])


def quartiles(values: NDArray[np.float64], _positions: Ints) -> Any:
    return np.quantile(values, [0.25, 0.75])


def deviation(values: NDArray[np.float64], _positions: Ints) -> Any:
    return np.median(np.abs(values - np.median(values)))


def most_frequent(values: NDArray[np.float64], positions: Ints) -> Any:
    kinds, first, counts = np.unique(values, return_index=True, return_counts=True)
    best = first[counts == counts.max()].min()
    return positions[best] if len(kinds) else -1


def least(values: NDArray[np.float64], positions: Ints) -> Any:
    return positions[np.argmin(values)]


ANSWERS: dict[str, tuple[Callable[[Frames], Any], Callable[..., Any]]] = {
    "quantile": (lambda frames: moving_quantile(ROWS, VALUES, *frames, [0.25, 0.75]), quartiles),
    "mad": (lambda frames: moving_mad(ROWS, VALUES, *frames), deviation),
    "mode": (lambda frames: moving_mode(ROWS, VALUES, *frames), most_frequent),
    "count_distinct": (
        lambda frames: moving_count_distinct(ROWS, VALUES, *frames),
        lambda values, _positions: len(np.unique(values)),
    ),
    "sum": (
        lambda frames: moving_aggregate(ROWS, "sum", VALUES, *frames),
        lambda values, _positions: values.sum(),
    ),
    "min": (lambda frames: moving_aggregate(ROWS, "min", VALUES, *frames), least),
}


@pytest.mark.parametrize("name", FRAMES)
@pytest.mark.parametrize("function", ANSWERS)
def test_a_frame_across_a_cut_has_the_result_of_its_values(function: str, name: str) -> None:
    ask, expected = ANSWERS[function]
    frames = FRAMES[name]
    answers = ask(frames)
    for row in CHECKED_ROWS:
        first, positions = inside(frames, row)
        if len(positions):
            value = expected(VALUES[first + positions], positions)
            np.testing.assert_allclose(answers[row], value, err_msg=f"row {row}")


def test_rows_of_a_quantile_count_from_their_partition() -> None:
    frames = FRAMES["of 101 rows"]
    low, high, _ = find_quantile_rows(ROWS, VALUES.astype(np.int64), *frames, [0.5], discrete=True)
    assert (low == high).all()
    for row in CHECKED_ROWS:
        first, positions = inside(frames, row)
        values = np.sort(VALUES[first + positions])
        assert VALUES[first + low[row, 0]] == values[(len(values) - 1) // 2]


@pytest.mark.parametrize("name", FRAMES)
def test_every_row_is_in_one_part_with_its_values(name: str) -> None:
    begin, end = FRAMES[name]
    rows: list[int] = []
    for part in parts(ROWS, begin, end):
        rows += range(part.rows.start, part.rows.stop)
        if part.shift > 0:
            assert part.begin.min() >= 0
            assert part.end.max() <= part.values.stop - part.values.start
            assert (part.begin + part.shift == begin[part.rows]).all()
    assert rows == list(range(ROWS[-1]))


def test_frames_that_reach_far_are_not_cut() -> None:
    blocks = list(parts(ROWS, *FRAMES["running"]))
    assert [part.rows for part in blocks] == [slice(0, 30_000)]


def test_frames_of_some_rows_are_cut() -> None:
    assert len(list(parts(ROWS, *FRAMES["of 101 rows"]))) > 3


def test_a_partition_of_several_streamed_parts_has_the_same_results() -> None:
    row = np.arange(2 * STREAMED + 10)
    offsets, begin, end = np.array([0, len(row)]), np.maximum(row - 2, 0)[:, None], row[:, None] + 1
    total = moving_aggregate(offsets, "sum", row.astype(np.float64), begin, end)
    assert (total == row + np.maximum(row - 1, 0) + np.maximum(row - 2, 0)).all()
    assert (moving_aggregate(offsets, "max", row, begin, end) == row).all()
    assert (moving_aggregate(offsets, "min", row, begin, end) == begin[:, 0]).all()
