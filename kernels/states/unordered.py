"""More operations on two states of an aggregate: to merge interleaved rows, and to subtract rows.

Each is a plain function, and compiled kernels find it by the type of the state, like ``combine``.
"""

from typing import Any

from numba.extending import overload

from kernels.core.helper import helper

WITHOUT = "lambda state, part: kind({})"


def merged(a: Any, b: Any) -> Any:
    """Return the combination of two states whose rows are interleaved.

    Only states with a row number depend on the order: first, last, and the ties of min and max. The
    state with the earlier row comes first, so the result is that of all rows in their order.

    Examples
    --------
    >>> from kernels.states.states import First, Sum
    >>> merged(First(7), First(3)), merged(Sum(1, 1), Sum(4, 2))
    (First(row=3), Sum(total=5, rows=3))
    """
    return _by_row(a, b) if "row" in a._fields else a.combine(b)


@helper
def _by_row(a: Any, b: Any) -> Any:
    return a.combine(b) if a.row <= b.row else b.combine(a)


@overload(merged)
def _merged(a, b):  # type: ignore[no-untyped-def]
    if "row" in a.fields:
        return lambda a, b: _by_row(a, b)
    return lambda a, b: a.combine(b)


def without(state: Any, part: Any) -> Any:
    """Return a state without the rows of a part of it, for states with an inverse.

    Their fields are counts and totals, so the part is subtracted field by field.

    Examples
    --------
    >>> from kernels.states.states import Sum
    >>> without(Sum(5, 3), Sum(4, 2))
    Sum(total=1, rows=1)
    """
    return type(state)(*(total - removed for total, removed in zip(state, part, strict=True)))


@overload(without)
def _without(state, part):  # type: ignore[no-untyped-def]
    fields = ", ".join(f"state[{k}] - part[{k}]" for k in range(len(state)))
    return eval(WITHOUT.format(fields), {"kind": state.instance_class})
