"""ARRAY JOIN of ClickHouse, written as lateral views."""

from sqlglot import exp

from workbench.dialects.templates import anonymous
from workbench.errors import WorkbenchError


def rewrite_array_join(select: exp.Select, join: exp.Join) -> None:
    """Replace an ARRAY JOIN by a lateral view: a row has the elements of all lists at one index.

    Parameters
    ----------
    select : sqlglot.exp.Select
        It is changed.
    join : sqlglot.exp.Join
        One of its joins.

    Raises
    ------
    WorkbenchError
        When a list has no name.

    Examples
    --------
    >>> import sqlglot
    >>> select = sqlglot.parse_one("SELECT id, l FROM t ARRAY JOIN l", read="clickhouse")
    >>> rewrite_array_join(select, select.args["joins"][0])
    >>> print(select.sql("spark"))
    SELECT id, l_element AS l FROM t LATERAL VIEW EXPLODE(l) t_l_element AS l_element
    """
    lists = [_named(select, one) for one in (join.this, *join.expressions)]
    join.pop()
    alias = exp.TableAlias(
        this=exp.to_identifier(f"t_{lists[0].alias}"),
        columns=[exp.to_identifier(one.alias) for one in lists],
    )
    outer = str(join.args.get("side")).upper() == "LEFT"
    rows: exp.Expr = exp.Explode(this=lists[0].this.copy())
    if len(lists) > 1:
        rows = anonymous("INLINE", anonymous("ARRAYS_ZIP", *(one.this for one in lists)))
    view = exp.Lateral(this=rows, view=True, outer=outer, alias=alias)
    select.append("laterals", view)


def _named(select: exp.Select, one: exp.Expr) -> exp.Alias:
    """Return a list with a name; the name of a list without one is that of its elements."""
    if isinstance(one, exp.Alias):
        return one
    if not isinstance(one, exp.Column) or any(_is_star(each) for each in select.expressions):
        raise WorkbenchError(
            "query: a list of ARRAY JOIN that is no column, or stands beside *, needs a name for "
            "its values, as in ARRAY JOIN tags AS tag."
        )
    element = f"{one.name}_element"
    for column in _columns_of(select, one):
        value: exp.Expr = exp.column(exp.to_identifier(element))
        if column.parent is select and column.arg_key == "expressions":
            value = exp.alias_(value, one.name)
        column.replace(value)
    return exp.Alias(this=one.copy(), alias=exp.to_identifier(element))


def _is_star(node: exp.Expr) -> bool:
    return isinstance(node, exp.Star) or (
        isinstance(node, exp.Column) and isinstance(node.this, exp.Star)
    )


def _columns_of(select: exp.Select, array: exp.Column) -> list[exp.Column]:
    """Return the columns of a query's own clauses, except of its joins, that are a list."""
    clauses = ["expressions", "prewhere", "where", "group", "having", "qualify", "windows", "limit"]
    if not select.args.get("distinct"):
        # The order of distinct rows is one of their columns, which have the list's name.
        clauses.append("order")
    values = [select.args.get(one) for one in clauses]
    roots = [one for value in values for one in (value if isinstance(value, list) else [value])]
    return [
        node
        for root in roots
        if isinstance(root, exp.Expr)
        for node in root.walk(prune=lambda one: isinstance(one, exp.Query))
        if isinstance(node, exp.Column)
        and node.name == array.name
        and node.table in ("", array.table)
    ]
