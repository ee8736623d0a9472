"""A segment tree over a few values: the recorded run of its kernels, and values as text."""

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
from workbench.markup import MINUS

MOST_VALUES = 64
#: The aggregates of one column for which a tree can be shown.
TREE_AGGREGATES = ("sum", "avg", "count", "min", "max", "first", "last", "product", "stddev_samp")


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
        One of :data:`TREE_AGGREGATES`.
    values : sequence of numbers
        At most :data:`MOST_VALUES`.
    frame : Frame
        A frame of rows.
    fanout : int
        The number of children of a node, 2 or more.
    row : int, optional
        Answer only the frame of this row.

    Returns
    -------
    kernels.Trace
    function
        Formats a state as the answer that it stands for.

    Raises
    ------
    WorkbenchError
        When there is no such aggregate, there are too many values, or the frame counts no rows.
    """
    column = _checked(name, values, frame, fanout)
    aggregate, state_words = AGGREGATES[_exact(name, column)], answer_formatter(name, column)
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


def answer_formatter(name: str, values: NDArray[Any]) -> Callable[[Mapping[str, Any]], str]:
    """Return a formatter that writes a state of an aggregate as its answer.

    Parameters
    ----------
    name : str
        One of :data:`TREE_AGGREGATES`.
    values : array of shape (rows,)
        The values, for aggregates whose answer is a row.

    Returns
    -------
    function

    Examples
    --------
    >>> answer_formatter("avg", np.array([1.0, 2.0]))({"total": 3.0, "rows": 2.0})
    '1.5'
    """
    exact = _exact(name, values)
    aggregate = AGGREGATES[exact]
    column = values.astype(np.asarray(aggregate.empty).dtype)
    empty = empty_for(exact, column, column)

    def words(state: Mapping[str, Any]) -> str:
        if tuple(state.values()) == tuple(empty) and aggregate.needs:
            return "nothing"
        answer = finalized(exact, np.array([list(state.values())]))[0]
        return number_words(values[answer] if aggregate.takes == KEYS else answer)

    return words


def number_words(number: Any) -> str:
    """Return a number as text for a node, with at most two decimals.

    Examples
    --------
    >>> number_words(39.02), number_words(564337), number_words(float("nan"))
    ('39.02', '564337', 'none')
    >>> number_words(-3) == f"{MINUS}3"
    True
    """
    if number != number:
        return "none"
    text = f"{float(number):.2f}".rstrip("0").rstrip(".")
    text = text if abs(float(number)) < 1e9 else f"{float(number):.4g}"
    return text.replace("-", MINUS)


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
    """Return the aggregate's variant for integers, without rounding, if there is one."""
    whole = values.dtype.kind in "iu" and f"integer_{name}" in AGGREGATES
    whole = whole and not may_overflow(values)
    return f"integer_{name}" if whole else name


def _checked(name: str, values: Any, frame: Frame, fanout: int) -> NDArray[Any]:
    column = np.asarray(values)
    if name not in TREE_AGGREGATES:
        raise WorkbenchError(
            f"name: {name!r} is not shown as a tree; use {', '.join(TREE_AGGREGATES)}."
        )
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
    def words(node: tuple[int, int]) -> str:
        place = Place(*node)
        if place.level == 0:
            return f"Row {place.at} ({number_words(values[place.at])})"
        inside = rows_words(place.rows(fanout, len(values)))
        return f"Node {place.at} of level {place.level} ({inside})"

    return words
