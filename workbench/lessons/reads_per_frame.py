"""The number of values that each way of aggregating frames reads, counted in its kernel."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from kernels.core.counted_reads import values_read
from kernels.states.aggregates import INTEGER_SUM
from kernels.structures.sort_keys import sort_keys
from kernels.windows.naive import naive_states
from kernels.windows.segment_tree import tree_states
from kernels.windows.sliding import least_rows, running_states, sliding_states
from workbench.errors import WorkbenchError

NAIVE, RUNNING, STACKS, DEQUE = "naive", "running (inverse)", "two stacks", "deque (max)"
FANOUTS = (2, 16)


def reads_per_frame_table(
    values: Sequence[float] | NDArray[np.number], lengths: Sequence[int]
) -> pd.DataFrame:
    """Count the values that each way reads per row, for frames of growing lengths.

    Parameters
    ----------
    values : sequence of numbers
        A partition, longer than the longest frame; a thousand rows take a few seconds.
    lengths : sequence of int
        The rows of a frame: the current row and those that follow it. Only rows whose frame is
        complete are answered.

    Returns
    -------
    pandas.DataFrame
        A row for each length, a column for each way: the mean number of values and stored states
        that the kernel read for one row, including those to build its tree or its stacks.

    Raises
    ------
    WorkbenchError
        When a length is less than 1, or as long as the partition.

    Examples
    --------
    >>> reads_per_frame_table([3, 1, 4, 1, 5, 9], [1, 3]).round(1)[["naive", "two stacks"]]
       naive  two stacks
    1    1.0         2.0
    3    3.0         3.0
    """
    keys = sort_keys(np.asarray(values))
    for length in lengths:
        if not 1 <= length < len(keys):
            raise WorkbenchError(
                f"lengths: {length} is not possible; give 1 to {len(keys) - 1}, "
                "fewer than there are values."
            )
    rows = [_counted(keys, length) for length in lengths]
    return pd.DataFrame(rows, index=pd.Index(lengths))


def _counted(keys: NDArray[np.int64], length: int) -> dict[str, float]:
    begin = np.arange(len(keys) - length + 1)[:, None]
    frames, rows = (begin, begin + length), len(begin)
    # Only the number of additions matters: sums of ranks cannot overflow.
    value = np.argsort(np.argsort(keys, kind="stable"))
    states = np.zeros((rows, len(INTEGER_SUM)), np.int64)
    one = INTEGER_SUM, value, value, *frames, states
    counted = {
        NAIVE: values_read(naive_states, *one),
        RUNNING: values_read(running_states, *one),
        STACKS: values_read(sliding_states, *one),
        DEQUE: values_read(least_rows, ~keys, *frames, np.zeros(rows, np.int64)),
    }
    for fanout in FANOUTS:
        tree = INTEGER_SUM, fanout, *one[1:]
        counted[f"tree, fanout {fanout}"] = values_read(tree_states, *tree)
    return {way: count / rows for way, count in counted.items()}
