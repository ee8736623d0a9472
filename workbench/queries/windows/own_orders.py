"""An ORDER BY among the arguments of a window function: the function's own order."""

from sqlglot import exp

from workbench.queries.reading.parsing import walk_own

#: The argument of a window node that holds the order from the arguments of its function.
OWN_ORDER = "own_order"


def extract_own_orders(select: exp.Select) -> exp.Select:
    """Return a SELECT whose windows hold the order from the arguments of their function.

    Parameters
    ----------
    select : sqlglot.exp.Select
        It is changed.

    Returns
    -------
    sqlglot.exp.Select

    Examples
    --------
    >>> from workbench.queries.reading.parsing import parse_query
    >>> query = "SELECT lag(x, 2 ORDER BY y) OVER (ORDER BY d)"
    >>> tree = extract_own_orders(parse_query(query, "duckdb"))
    >>> print(tree.sql("duckdb"), "|", tree.expressions[0].args[OWN_ORDER].sql("duckdb"))
    SELECT LAG(x, 2) OVER (ORDER BY d) | ORDER BY y
    """
    for window in [one for one in walk_own(select) if isinstance(one, exp.Window)]:
        order = next((one for one in walk_own(window.this) if isinstance(one, exp.Order)), None)
        if order is None or isinstance(order.parent, exp.Window | exp.WithinGroup):
            continue
        window.set(OWN_ORDER, exp.Order(expressions=[one.copy() for one in order.expressions]))
        if order.this is None:
            order.pop()
        else:
            order.replace(order.this.copy())
    return select
