"""A segment tree over a few values: its kernels' run, recorded, and told in words."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernels import AGGREGATES, Trace, frame_ranges, order_by_key, trace
from kernels.states.aggregates import KEYS, empty_for, finalized
from kernels.structures.sort_keys import sort_keys
from kernels.windows.segment_tree import tree_states
from workbench.columnar.exact_sums import may_overflow
from workbench.errors import WorkbenchError
from workbench.frames.frame import Frame
from workbench.lessons.tree_steps import Place

MOST_VALUES = 64
#: Aggregates of one column that a tree is shown with.
SHOWN = ("sum", "avg", "count", "min", "max", "first", "last", "product", "stddev_samp")


def run_tree(
    name: str,
    values: Sequence[Any] | NDArray[Any],
    frame: Frame,
    fanout: int = 2,
    row: int | None = None,
) -> tuple[Trace, Callable[[Any], str]]:
    """Run the tree's kernels over a few values and record each step.

    Parameters
    ----------
    name : str
        One of :data:`SHOWN`.
    values : sequence of numbers
        At most :data:`MOST_VALUES`.
    frame : Frame
        Of rows.
    fanout : int
        How many children a node has, 2 or more.
    row : int, optional
        Ask for the frame of this row alone.

    Returns
    -------
    kernels.Trace
    function
        Writes a state as the answer that it stands for.

    Raises
    ------
    WorkbenchError
        When there is no such aggregate, there are too many values, or the frame counts no rows.
    """
    column = _checked(name, values, frame, fanout)
    aggregate, state_words = AGGREGATES[_exact(name, column)], answers(name, column)
    dtype = np.asarray(aggregate.empty).dtype
    value = sort_keys(column) if aggregate.takes == KEYS else column.astype(dtype)
    empty = empty_for(_exact(name, column), value, value)
    order = order_by_key(np.array([0, len(value)]), np.arange(len(value)))
    low, high = (None if b is None else b.amount for b in (frame.low, frame.high))
    begin, end = frame_ranges(order, "rows", low, high, frame.exclude)
    if row is not None:
        begin, end = begin[row : row + 1], end[row : row + 1]
    states = np.zeros((len(begin), len(empty)), dtype)
    show: dict[str, Callable[[Any], str]] = {
        "state": state_words,
        "place": _place_words(column, fanout),
        "rows": rows_words,
    }
    columns = value, value, begin, end, states
    return trace(tree_states, empty, fanout, *columns, show=show), state_words


def answers(name: str, values: NDArray[Any]) -> Callable[[Mapping[str, Any]], str]:
    """Return how a state of an aggregate is written: as its answer.

    Parameters
    ----------
    name : str
        One of :data:`SHOWN`.
    values : array of shape (rows,)
        For aggregates whose answer is a row.

    Returns
    -------
    function

    Examples
    --------
    >>> answers("avg", np.array([1.0, 2.0]))({"total": 3.0, "rows": 2.0})
    '1.5'
    """
    exact = _exact(name, values)
    aggregate = AGGREGATES[exact]
    column = values.astype(np.asarray(aggregate.empty).dtype)
    empty = empty_for(exact, column, column)

    def words(state: Mapping[str, Any]) -> str:
        if tuple(state.values()) == tuple(empty) and aggregate.needs:
            return "nothing"
        found = finalized(exact, np.array([list(state.values())]))[0]
        return number_words(values[found] if aggregate.takes == KEYS else found)

    return words


def number_words(number: Any) -> str:
    """Return a number as it is written in a node: with two decimals at most.

    Examples
    --------
    >>> number_words(39.02), number_words(564337), number_words(float("nan"))
    ('39.02', '564337', 'none')
    """
    if number != number:
        return "none"
    text = f"{float(number):.2f}".rstrip("0").rstrip(".")
    return text if abs(float(number)) < 1e9 else f"{float(number):.4g}"


def rows_words(rows: tuple[int, int]) -> str:
    """Return a half-open range of rows in words.

    Examples
    --------
    >>> rows_words((3, 3)), rows_words((3, 4)), rows_words((3, 8))
    ('no rows', 'row 3', 'rows 3 to 7')
    """
    low, high = rows
    if low >= high:
        return "no rows"
    return f"row {low}" if high == low + 1 else f"rows {low} to {high - 1}"


def _exact(name: str, values: NDArray[Any]) -> str:
    """The aggregate that adds whole numbers without rounding, where there is one."""
    whole = values.dtype.kind in "iu" and f"integer_{name}" in AGGREGATES
    whole = whole and not may_overflow(values)
    return f"integer_{name}" if whole else name


def _checked(name: str, values: Any, frame: Frame, fanout: int) -> NDArray[Any]:
    column = np.asarray(values)
    if name not in SHOWN:
        raise WorkbenchError(f"name: {name!r} is not shown as a tree; use {', '.join(SHOWN)}.")
    if column.ndim != 1 or column.dtype.kind not in "iuf":
        raise WorkbenchError("values: a tree is shown over a list of numbers; give one.")
    if not 0 < len(column) <= MOST_VALUES:
        raise WorkbenchError(
            f"values: there are {len(column)}; give 1 to {MOST_VALUES}, so that each can be seen."
        )
    if frame.unit != "rows":
        raise WorkbenchError(
            f"frame: it counts {frame.unit}; give one such as wb.Frame.rows(-3, 0)."
        )
    if fanout < 2:
        raise WorkbenchError(f"fanout: {fanout!r} is too small; give 2 or more.")
    return column


def _place_words(values: NDArray[Any], fanout: int) -> Callable[[tuple[int, int]], str]:
    def words(given: tuple[int, int]) -> str:
        place = Place(*given)
        if place.level == 0:
            return f"Row {place.at} ({number_words(values[place.at])})"
        inside = rows_words(place.rows(fanout, len(values)))
        return f"Node {place.at} of level {place.level} ({inside})"

    return words
