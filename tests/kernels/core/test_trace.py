"""A trace has every captioned step as a full state, of the function that also runs compiled."""

import sys
from typing import Any

import numpy as np
import pytest

from kernels import Kernel, kernel, trace
from kernels.core.kernel import Int64Column
from kernels.core.trace import Trace, fill


@kernel
def doubled(value: int) -> int:
    """Return twice the value."""
    return 2 * value  #: {value} becomes {2 * value}.


@kernel
def running_sum(values: Int64Column, total: Int64Column) -> int:
    """Write the sums of the values so far, and return the number of large ones."""
    large = 0
    for i in range(len(values)):
        total[i] = values[i] + (total[i - 1] if i > 0 else 0)  #: {values[i]:amount} is added.
        if doubled(values[i]) > 10:
            large += 1  #: That makes {large}.
    return large


def run(*values: int, **options: Any) -> tuple[Kernel, Trace]:
    columns = np.array(values, np.int64), np.zeros(len(values), np.int64)
    return running_sum, trace(running_sum, *columns, **options)


def test_each_caption_describes_the_state_after_its_line() -> None:
    _, traced = run(1, 8)
    assert [step.caption for step in traced.steps] == [
        "1 is added.",
        "1 becomes 2.",
        "8 is added.",
        "8 becomes 16.",
        "That makes 1.",
    ]


def test_each_step_is_complete_without_its_neighbours() -> None:
    _, traced = run(1, 8)
    assert traced.steps[2].variables == {
        "values": [1, 8],
        "total": [1, 9],
        "large": 0,
        "i": 1,
    }


def test_a_step_marks_changes_since_the_previous_step_of_its_kernel() -> None:
    _, traced = run(1, 8)
    assert traced.steps[2].changed == {"values": [], "total": [1], "large": False, "i": True}


def test_a_called_kernel_is_stepped_into_and_listed() -> None:
    _, traced = run(1)
    assert [step.kernel for step in traced.steps] == ["running_sum", "doubled"]
    assert [k.__name__ for k in traced.kernels] == ["running_sum", "doubled"]


def test_the_line_of_a_step_is_the_source_line_of_its_caption() -> None:
    traced_kernel, traced = run(1, 8)
    sources = {k.__name__: k.source.splitlines() for k in traced.kernels}
    assert all("#: " in sources[step.kernel][step.line - 1] for step in traced.steps)
    assert traced_kernel.source.startswith("def running_sum(")


def test_values_are_formatted_by_their_kind() -> None:
    _, traced = run(3, show={"amount": "{} apples".format})
    assert traced.steps[0].caption == "3 apples is added."


def test_too_many_steps_raise_an_error() -> None:
    with pytest.raises(ValueError, match=r"more than 3 steps; give it fewer rows"):
        run(1, 2, 3, limit=3)


def test_a_debugger_is_restored_after_a_trace_and_after_an_error() -> None:
    def debugger(*_: object) -> None:
        return None

    before = sys.gettrace()
    sys.settrace(debugger)
    try:
        run(1)
        assert sys.gettrace() is debugger
        with pytest.raises(ValueError, match="more than"):
            run(1, 2, limit=1)
        assert sys.gettrace() is debugger
    finally:
        sys.settrace(before)


def test_a_caption_with_an_unknown_name_is_refused_when_the_kernel_is_created() -> None:
    def wrong(value: int) -> int:
        return value  #: {valeu} is returned.

    with pytest.raises(ValueError, match=r"wrong, line 2: the caption names 'valeu'"):
        kernel(wrong)


def test_a_caption_without_values_is_its_text() -> None:
    assert fill("Nothing to add.", {}, {}) == "Nothing to add."


def test_results_of_the_compiled_kernel_are_those_of_the_trace() -> None:
    columns = np.array([1, 8, 7], np.int64), np.zeros(3, np.int64)
    assert running_sum(*columns) == 2
    assert columns[1].tolist() == [1, 9, 16]
