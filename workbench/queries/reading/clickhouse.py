"""What ClickHouse says in short, in full: aggregates, elements of tuples, ARRAY JOIN."""

from sqlglot import exp

from workbench.dialects.writing import anonymous
from workbench.errors import WorkbenchError

#: Counts of different values, which are exact here whatever they are to ClickHouse.
_UNIQ = ("uniqcombined", "uniqcombined64", "uniqhll12", "uniqtheta")
#: Quantiles that are called without their share.
_EXACT = ("quantileexact", "medianexact")


def in_full(tree: exp.Query) -> exp.Query:
    """Return a query of ClickHouse in which what has a short form is in full.

    Parameters
    ----------
    tree : sqlglot.exp.Query
        It is changed.

    Returns
    -------
    sqlglot.exp.Query

    Raises
    ------
    WorkbenchError
        When an ARRAY JOIN is of several lists, or gives its values no name.

    Examples
    --------
    >>> import sqlglot
    >>> text = "WITH 2 AS k SELECT medianExact(x) + k FROM t ARRAY JOIN xs AS x"
    >>> print(in_full(sqlglot.parse_one(text, read="clickhouse")).sql("spark"))
    SELECT QUANTILEEXACT(0.5)(x) + (2) FROM t LATERAL VIEW EXPLODE(xs) t_x AS x
    """
    for node in reversed(list(tree.find_all(exp.Dot, exp.Column))):
        _call_of_place(node)
    for call in list(tree.find_all(exp.Anonymous, exp.AnonymousAggFunc, exp.CombinedAggFunc)):
        _name_in_full(call)
    for select in list(tree.find_all(exp.Select)):
        _put_scalars(select)
        for join in list(select.args.get("joins") or ()):
            if str(join.args.get("kind")).upper() == "ARRAY":
                _spread_out(select, join)
    return tree


def _call_of_place(node: exp.Expr) -> None:
    """Write ``t.1`` as ``tupleElement(t, 1)``, and ``t.1.2`` as one of these within another."""
    place = node.expression if isinstance(node, exp.Dot) else node.this
    if not isinstance(place, exp.Literal) or place.is_string:
        return
    of = node.this
    if isinstance(node, exp.Column):
        # The tuple is where the column's table would be.
        of = exp.Column(
            this=node.args["table"], table=node.args.get("db"), db=node.args.get("catalog")
        )
    for one in place.this.strip(".").split("."):
        of = anonymous("tupleElement", of, exp.Literal.number(one))
    node.replace(of)


def _name_in_full(call: exp.Expr) -> None:
    name, given = call.name.lower(), call.expressions
    plain = name.removesuffix("if")
    if plain in _EXACT and given:
        combined = plain != name
        kind = exp.CombinedParameterizedAgg if combined else exp.ParameterizedAgg
        share = [exp.Literal.number("0.5")]
        params = [one.copy() for one in given]
        called = "quantileExactIf" if combined else "quantileExact"
        call.replace(kind(this=called, expressions=share, params=params))
    elif name in _UNIQ and given:
        call.set("this", "uniqExact")


def _put_scalars(select: exp.Select) -> None:
    """Put ``WITH 3 AS k`` in the places of its name."""
    ctes = select.args.get("with_")
    for cte in list(ctes.expressions) if ctes is not None else ():
        if not cte.args.get("scalar"):
            continue
        for column in list(select.find_all(exp.Column)):
            if column.name == cte.alias and not column.table:
                value = cte.this.copy()
                column.replace(value if isinstance(value, exp.Subquery) else exp.paren(value))
        cte.pop()
    if ctes is not None and not ctes.expressions:
        select.set("with_", None)


def _spread_out(select: exp.Select, join: exp.Join) -> None:
    """Make a lateral view of an ARRAY JOIN of one list."""
    named = join.this
    if join.expressions or not isinstance(named, exp.Alias):
        raise WorkbenchError(
            "query: ARRAY JOIN is of one list here, whose values have a name of their own, as in "
            "ARRAY JOIN tags AS tag."
        )
    join.pop()
    alias = exp.TableAlias(
        this=exp.to_identifier(f"t_{named.alias}"), columns=[exp.to_identifier(named.alias)]
    )
    outer = str(join.args.get("side")).upper() == "LEFT"
    view = exp.Lateral(
        this=exp.Explode(this=named.this.copy()), view=True, outer=outer, alias=alias
    )
    select.append("laterals", view)
