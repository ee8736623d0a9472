"""An ORDER BY among the arguments of a window function, where it can be the window's own."""

from sqlglot import exp

from workbench.dialects.functions import UNORDERED
from workbench.functions import fn
from workbench.queries.functions import read
from workbench.queries.parsing import own

#: All rows of a partition, whatever their order.
WHOLE = exp.WindowSpec(
    kind="ROWS", start="UNBOUNDED", start_side="PRECEDING", end="UNBOUNDED", end_side="FOLLOWING"
)


def with_own_orders(select: exp.Select, dialect: str) -> exp.Select:
    """Return a SELECT in which functions over whole partitions are ordered by their window.

    ``first_value(x ORDER BY y) OVER (PARTITION BY p)`` has the rows of a partition in an order of
    its own, and no other: so the window can have it. An order within a frame that moves is left,
    and refused where it is read.

    Parameters
    ----------
    select : sqlglot.exp.Select
        With its windows in full; it is changed.
    dialect : str

    Returns
    -------
    sqlglot.exp.Select

    Examples
    --------
    >>> from workbench.queries.parsing import parsed
    >>> tree = parsed("SELECT first_value(x ORDER BY y) OVER (PARTITION BY p)", "duckdb")
    >>> print(with_own_orders(tree, "duckdb").sql("duckdb"))
    SELECT FIRST_VALUE(x) OVER (PARTITION BY p ORDER BY y ROWS BETWEEN UNBOUNDED PRECEDING AND \
UNBOUNDED FOLLOWING)
    """
    for window in [one for one in own(select) if isinstance(one, exp.Window)]:
        order = next((one for one in own(window.this) if isinstance(one, exp.Order)), None)
        if order is None or isinstance(order.parent, exp.Window | exp.WithinGroup):
            continue
        if _is_whole(window) or window.args.get("order") == exp.Order(
            expressions=[one.copy() for one in order.expressions]
        ):
            _lift(window, order, dialect)
    return select


def _is_whole(window: exp.Window) -> bool:
    """Whether each row sees its whole partition."""
    spec = window.args.get("spec")
    if spec is None:
        return window.args.get("order") is None
    ends = (spec.args.get("start"), spec.args.get("end"))
    return ends == ("UNBOUNDED", "UNBOUNDED") and not spec.args.get("exclude")


def _lift(window: exp.Window, order: exp.Order, dialect: str) -> None:
    whole, before = _is_whole(window), window.this.copy()
    terms = exp.Order(expressions=[one.copy() for one in order.expressions])
    if order.this is None:
        order.pop()
    else:
        order.replace(order.this.copy())
    name = read(window.this, dialect).name
    if not name:
        window.set("this", before)
    elif whole and name not in UNORDERED:
        window.set("order", terms)
        window.set("spec", WHOLE.copy() if fn.Function(name).info.has_frame else None)
