"""The number of values that a kernel reads, as counted in the kernel, is within its bound."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from kernels.core.counted_reads import values_read
from kernels.core.kernel import Kernel
from kernels.states.states import Greatest, Moments, Sum
from kernels.windows.naive import naive_states
from kernels.windows.segment_tree import tree_states
from kernels.windows.sliding import least_rows, running_states, sliding_states

VALUES = np.random.default_rng(3).integers(0, 99, 90)
BEGIN = np.arange(60)[:, None]


def reads(kernel: Kernel, length: int, *arguments: Any) -> int:
    states = np.zeros((len(BEGIN), 2), np.int64)
    return values_read(kernel, *arguments, VALUES, VALUES, BEGIN, BEGIN + length, states)


def test_the_naive_way_reads_every_row_of_every_frame() -> None:
    assert reads(naive_states, 20, Sum(0, 0)) == 60 * 20


def test_a_running_sum_reads_a_row_when_it_enters_and_when_it_leaves() -> None:
    assert reads(running_states, 20, Sum(0, 0)) == 20 + 59 * 2


@pytest.mark.parametrize("length", [1, 5, 30])
def test_two_stacks_read_a_row_three_times_at_most(length: int) -> None:
    assert reads(sliding_states, length, Greatest()) <= 3 * (60 + length)


@pytest.mark.parametrize("length", [1, 5, 30])
def test_a_deque_compares_each_row_twice_at_most(length: int) -> None:
    rows = np.zeros(60, np.int64)
    # A comparison reads two keys.
    assert values_read(least_rows, VALUES, BEGIN, BEGIN + length, rows) <= 4 * (60 + length)


@pytest.mark.parametrize("fanout", [2, 4, 16])
def test_a_tree_reads_a_few_values_a_level(fanout: int) -> None:
    building = len(VALUES) * fanout / (fanout - 1) + 9
    levels = int(np.ceil(np.log(30) / np.log(fanout)))
    a_frame = 2 * (fanout - 1) * levels
    assert reads(tree_states, 30, Sum(0, 0), fanout) <= building + 60 * a_frame


def test_counting_does_not_change_the_results() -> None:
    column = VALUES.astype(float)
    counted, plain = (np.zeros((60, len(Moments()))) for _ in range(2))
    frames: tuple[NDArray[np.int64], ...] = BEGIN, BEGIN + 7
    values_read(tree_states, Moments(), 3, column, column, *frames, counted)
    tree_states.python(Moments(), 3, column, column, *frames, plain)
    assert (counted == plain).all()
