"""Short forms of ClickHouse written in full: aggregates, elements of tuples, ARRAY JOIN."""

from sqlglot import exp

from workbench.dialects.aggregates.call import function_of
from workbench.dialects.templates import anonymous
from workbench.queries.reading.array_joins import rewrite_array_join
from workbench.queries.reading.sets import rewrite_in
from workbench.queries.reading.values import rewrite_table_of_values

#: Counts of distinct values: exact here, although ClickHouse approximates some.
_UNIQ = ("uniqcombined", "uniqcombined64", "uniqhll12", "uniqtheta")
#: Quantiles that may be called without their parameter, by their full names.
_WITHOUT_SHARE = {
    **dict.fromkeys(("quantileexact", "medianexact"), "quantileExact"),
    **dict.fromkeys(("quantileexactif", "medianexactif"), "quantileExactIf"),
    "quantileif": "quantileIf",
}


def expand_short_forms(tree: exp.Query) -> exp.Query:
    """Return a query of ClickHouse with each short form written in full.

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
    >>> print(expand_short_forms(sqlglot.parse_one(text, read="clickhouse")).sql("spark"))
    SELECT QUANTILEEXACT(0.5)(x) + (2) FROM t LATERAL VIEW EXPLODE(xs) t_x AS x
    """
    for node in reversed(list(tree.find_all(exp.Dot, exp.Column))):
        _tuple_element_call(node)
    for node in reversed(list(tree.find_all(exp.JSONExtract))):
        _json_extract_call(node)
    for node in list(tree.find_all(exp.CastToStrType, exp.Column)):
        _replace_cast_or_number(node)
    for call in list(tree.find_all(*_CALLS)):
        _expand_call(call)
    for kind in list(tree.find_all(exp.DataType)):
        if kind.this is exp.DType.LOWCARDINALITY and kind.expressions:
            kind.replace(kind.expressions[0].copy())
    _empty_lists_without_values(tree)
    rewrite_in(tree)
    for values in list(tree.find_all(exp.Values)):
        rewrite_table_of_values(values)
    for select in list(tree.find_all(exp.Select)):
        _inline_named_parts(select)
        _inline_scalars(select)
        _merge_prewhere(select)
        for join in list(select.args.get("joins") or ()):
            _plain_join(select, join)
    return tree


def _plain_join(select: exp.Select, join: exp.Join) -> None:
    """Leave out what does not change a join, and write an ARRAY JOIN as a lateral view."""
    # GLOBAL says where the join runs.
    join.set("global_", None)
    kind = str(join.args.get("kind")).upper()
    if kind == "ARRAY":
        rewrite_array_join(select, join)
    elif kind == "ALL":
        # This is what a join is without the word.
        join.set("kind", None)


def _empty_lists_without_values(tree: exp.Query) -> None:
    """Make a list of a frame empty, not null, where no row has a value for it."""
    for window in list(tree.find_all(exp.Window)):
        if function_of(window.this).name.lower() in ("grouparray", "grouparrayif"):
            window.replace(exp.Coalesce(this=window.copy(), expressions=[exp.Array()]))


def _tuple_element_call(node: exp.Expr) -> None:
    """Write ``t.1`` as ``tupleElement(t, 1)``, and ``t.1.2`` as two nested calls."""
    index = node.expression if isinstance(node, exp.Dot) else node.this
    if not isinstance(index, exp.Literal) or index.is_string:
        return
    value = node.this
    if isinstance(node, exp.Column):
        # sqlglot puts the tuple where the table of a column is.
        value = exp.Column(
            this=node.args["table"], table=node.args.get("db"), db=node.args.get("catalog")
        )
    for one in index.this.strip(".").split("."):
        value = anonymous("tupleElement", value, exp.Literal.number(one))
    node.replace(value)


def _json_extract_call(node: exp.Expr) -> None:
    """Write a JSON path expression as the original JSONExtractRaw call, with the path's names."""
    path = node.expression
    if type(node) is exp.JSONExtract and isinstance(path, exp.JSONPath):
        keys = [exp.convert(one.this) for one in path.expressions[1:]]
        node.replace(anonymous("JSONExtractRaw", node.this, *keys))


#: Names that ClickHouse reads as numbers, in any case.
_NUMBERS = {"nan": "NaN", "inf": "Infinity", "infinity": "Infinity"}


def _replace_cast_or_number(node: exp.Expr) -> None:
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


#: Calls that may have a short form.
_CALLS = (exp.Anonymous, exp.AnonymousAggFunc, exp.CombinedAggFunc, exp.CountIf)


def _expand_call(call: exp.Expr) -> None:
    _rename_distinct_if(call)
    name, arguments = call.name.lower(), call.expressions
    if name in _WITHOUT_SHARE and arguments:
        kind = exp.CombinedParameterizedAgg if name.endswith("if") else exp.ParameterizedAgg
        share = [exp.Literal.number("0.5")]
        params = [one.copy() for one in arguments]
        call.replace(kind(this=_WITHOUT_SHARE[name], expressions=share, params=params))
    elif name in _UNIQ and arguments:
        call.set("this", "uniqExact")
    elif name in ("isnull", "isnotnull") and len(arguments) == 1:
        is_null = exp.paren(exp.Is(this=exp.paren(arguments[0].copy()), expression=exp.Null()))
        call.replace(is_null if name == "isnull" else exp.paren(exp.Not(this=is_null)))


def _rename_distinct_if(call: exp.Expr) -> None:
    """Write ``sumIf(DISTINCT x, c)`` as ``sumDistinctIf(x, c)``."""
    name = "countIf" if isinstance(call, exp.CountIf) else call.name
    arguments = [call.this] if isinstance(call, exp.CountIf) else call.expressions
    if (
        len(arguments) == 1
        and isinstance(arguments[0], exp.Distinct)
        and name.lower().endswith("if")
    ):
        columns = [one.copy() for one in arguments[0].expressions]
        call.replace(exp.CombinedAggFunc(this=f"{name[:-2]}DistinctIf", expressions=columns))


def _inline_named_parts(select: exp.Select) -> None:
    """Replace the names of parts of expressions, as in ``(x * 2 AS y) + y``, by these parts."""
    for alias in reversed(list(select.find_all(exp.Alias))):
        place = alias.parent
        if not isinstance(place, exp.Paren) or place.parent_select is not select:
            continue
        inside = list(alias.find_all(exp.Column))
        for column in list(select.find_all(exp.Column)):
            is_name = column.name == alias.alias and not column.table
            if is_name and column.parent_select is select and column not in inside:
                column.replace(exp.paren(alias.this.copy()))
        if place.parent is select and place.arg_key == "expressions":
            place.replace(alias)
        else:
            place.set("this", alias.this)


def _inline_scalars(select: exp.Select) -> None:
    """Replace the names of ``WITH 3 AS k`` by their values."""
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


def _merge_prewhere(select: exp.Select) -> None:
    """Merge PREWHERE into WHERE: it only states which columns are read first."""
    if (prewhere := select.args.get("prewhere")) is not None:
        select.set("prewhere", None)
        where = select.args.get("where")
        conditions = [prewhere.this, *([where.this] if where is not None else [])]
        select.set("where", exp.Where(this=exp.and_(*(one.copy() for one in conditions))))
