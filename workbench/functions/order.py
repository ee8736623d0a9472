"""Order columns: parsing of ``order_by``."""

from dataclasses import dataclass
from typing import Any

from workbench.arguments import is_iterable, listed
from workbench.errors import WorkbenchError


@dataclass(frozen=True)
class OrderColumn:
    """A column that rows are ordered by.

    Attributes
    ----------
    name : str
    descending : bool
    nulls_first : bool
    """

    name: str
    descending: bool
    nulls_first: bool


def order_terms(order_by: Any) -> tuple[OrderColumn, ...]:
    """Return ``order_by`` as order columns.

    Parameters
    ----------
    order_by : str, tuple or list of these
        ``"day"`` sorts ascending and ``"-day"`` descending. ``("day", "desc")`` also works for
        names that begin with a minus. Nulls come first in ascending order and last in descending
        order, unless ``("day", "asc", "nulls last")`` places them.

    Returns
    -------
    tuple of OrderColumn

    Raises
    ------
    WorkbenchError

    Examples
    --------
    >>> order_terms(["plant", "-day"])[1]
    OrderColumn(name='day', descending=True, nulls_first=False)
    """
    if isinstance(order_by, str) or _is_term(order_by):
        order_by = [order_by]
    if not is_iterable(order_by):
        raise WorkbenchError(f"order_by: {order_by!r} is not a column; {_ORDER}")
    terms = tuple(map(_term, listed(order_by, "order_by")))
    names = [term.name for term in terms]
    if twice := [name for name in names if names.count(name) > 1]:
        raise WorkbenchError(f"order_by: column {twice[0]!r} is named twice; name it once.")
    return terms


_ORDER = "give a name, '-name' for descending, or ('name', 'desc', 'nulls first')."
_DIRECTIONS, _NULLS = ("asc", "desc"), ("nulls first", "nulls last")


def _is_term(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) > 1 and value[1] in _DIRECTIONS


def _term(value: Any) -> OrderColumn:
    if isinstance(value, str) and value not in ("", "-"):
        descending = value.startswith("-")
        return OrderColumn(value[descending:], descending, not descending)
    known = _is_term(value) and isinstance(value[0], str) and len(value) <= 3
    if not known or (len(value) == 3 and value[2] not in _NULLS):
        raise WorkbenchError(f"order_by: {value!r} is not an order column; {_ORDER}")
    descending = value[1] == "desc"
    nulls_first = value[2] == "nulls first" if len(value) == 3 else not descending
    return OrderColumn(value[0], descending, nulls_first)


def term_as_given(term: OrderColumn) -> Any:
    """Return an order column as users write it.

    Examples
    --------
    >>> term_as_given(OrderColumn("day", True, False))
    '-day'
    """
    direction = "desc" if term.descending else "asc"
    if term.nulls_first == term.descending:
        return term.name, direction, f"nulls {'first' if term.nulls_first else 'last'}"
    if term.name.startswith("-"):
        return term.name, direction
    return f"{'-' if term.descending else ''}{term.name}"
