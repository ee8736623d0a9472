"""What ClickHouse says in short, in full: aggregates, elements of tuples, ARRAY JOIN."""

from sqlglot import exp

from workbench.dialects.writing import anonymous
from workbench.errors import WorkbenchError
from workbench.queries.reading.sets import with_sets

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
        When an ARRAY JOIN gives its values no name.

    Examples
    --------
    >>> import sqlglot
    >>> text = "WITH 2 AS k SELECT medianExact(x) + k FROM t ARRAY JOIN xs AS x"
    >>> print(in_full(sqlglot.parse_one(text, read="clickhouse")).sql("spark"))
    SELECT QUANTILEEXACT(0.5)(x) + (2) FROM t LATERAL VIEW EXPLODE(xs) t_x AS x
    """
    for node in reversed(list(tree.find_all(exp.Dot, exp.Column))):
        _call_of_place(node)
    for node in reversed(list(tree.find_all(exp.JSONExtract))):
        _call_of_path(node)
    for node in list(tree.find_all(exp.CastToStrType, exp.Column)):
        _put_type_or_number(node)
    for call in list(tree.find_all(*_CALLS)):
        _name_in_full(call)
    for kind in list(tree.find_all(exp.DataType)):
        if kind.this is exp.DType.LOWCARDINALITY and kind.expressions:
            kind.replace(kind.expressions[0].copy())
    with_sets(tree)
    for select in list(tree.find_all(exp.Select)):
        _put_scalars(select)
        _put_prewhere(select)
        for join in list(select.args.get("joins") or ()):
            # Where it is answered is no matter of the answer.
            join.set("global_", None)
            if str(join.args.get("kind")).upper() == "ARRAY":
                _spread_out(select, join, [join.this, *join.expressions])
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


def _call_of_path(node: exp.Expr) -> None:
    """Write a part of JSON as the call that it was: JSONExtractRaw by the names on its path."""
    path = node.expression
    if type(node) is exp.JSONExtract and isinstance(path, exp.JSONPath):
        keys = [exp.convert(one.this) for one in path.expressions[1:]]
        node.replace(anonymous("JSONExtractRaw", node.this, *keys))


#: Names that are numbers to ClickHouse, whatever their case.
_NUMBERS = {"nan": "NaN", "inf": "Infinity", "infinity": "Infinity"}


def _put_type_or_number(node: exp.Expr) -> None:
    """Write ``CAST(x, 'Int64')`` as ``CAST(x AS Int64)``, and ``inf`` as a number."""
    if isinstance(node, exp.CastToStrType):
        to = node.args["to"]
        if isinstance(to, exp.Literal):
            node.replace(exp.cast(node.this.copy(), to.this, dialect="clickhouse"))
        return
    name = node.this
    is_word = isinstance(name, exp.Identifier) and not name.args.get("quoted")
    if is_word and not node.args.get("table") and name.this.lower() in _NUMBERS:
        node.replace(exp.cast(exp.Literal.string(_NUMBERS[name.this.lower()]), "DOUBLE"))


#: What may be called in short.
_CALLS = (exp.Anonymous, exp.AnonymousAggFunc, exp.CombinedAggFunc, exp.CountIf)


def _name_in_full(call: exp.Expr) -> None:
    _name_distinct(call)
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
    elif name in ("isnull", "isnotnull") and len(given) == 1:
        is_null = exp.paren(exp.Is(this=exp.paren(given[0].copy()), expression=exp.Null()))
        call.replace(is_null if name == "isnull" else exp.paren(exp.Not(this=is_null)))


def _name_distinct(call: exp.Expr) -> None:
    """Write ``sumIf(DISTINCT x, c)`` as ``sumDistinctIf(x, c)``."""
    name = "countIf" if isinstance(call, exp.CountIf) else call.name
    given = [call.this] if isinstance(call, exp.CountIf) else call.expressions
    if len(given) == 1 and isinstance(given[0], exp.Distinct) and name.lower().endswith("if"):
        columns = [one.copy() for one in given[0].expressions]
        call.replace(exp.CombinedAggFunc(this=f"{name[:-2]}DistinctIf", expressions=columns))


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


def _put_prewhere(select: exp.Select) -> None:
    """Put what PREWHERE says into WHERE: it only says what is read first."""
    if (first := select.args.get("prewhere")) is not None:
        select.set("prewhere", None)
        then = select.args.get("where")
        every = [first.this, *([then.this] if then is not None else [])]
        select.set("where", exp.Where(this=exp.and_(*(one.copy() for one in every))))


def _spread_out(select: exp.Select, join: exp.Join, lists: list[exp.Expr]) -> None:
    """Make a lateral view of an ARRAY JOIN: of several lists, a row has what is at one place."""
    if not all(isinstance(one, exp.Alias) for one in lists):
        raise WorkbenchError(
            "query: ARRAY JOIN is of lists here, whose values have names of their own, as in "
            "ARRAY JOIN tags AS tag."
        )
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
