"""Lists whose values become rows, where Spark's own form loses rows or counts from 0."""

from sqlglot import exp

from workbench.dialects.functions import LIKE_POSTGRES
from workbench.dialects.templates import anonymous, fill_template
from workbench.queries.reading.parsing import sources_of, walk_own
from workbench.spark.names import unused

#: Calls that make rows of a list, or of a series.
_GENERATORS = (exp.Explode, exp.Unnest, exp.ExplodingGenerateSeries)


def rewrite_unnest(tree: exp.Expr, dialect: str) -> None:
    """Keep rows with an empty list in a LEFT JOIN, and count WITH ORDINALITY from 1.

    Parameters
    ----------
    tree : sqlglot.exp.Expr
        It is changed.
    dialect : str

    Examples
    --------
    >>> import sqlglot
    >>> tree = sqlglot.parse_one("SELECT * FROM t LEFT JOIN UNNEST(l) AS u(x) ON TRUE", "duckdb")
    >>> rewrite_unnest(tree, "duckdb")
    >>> print(tree.sql("spark"))
    SELECT * FROM t LEFT JOIN LATERAL (SELECT EXPLODE(l) AS `x`) AS `u` ON TRUE
    """
    unnests = tree.find_all(exp.Unnest) if dialect in LIKE_POSTGRES else ()
    for node in list(unnests):
        lateral = node.parent if isinstance(node.parent, exp.Lateral) else None
        replaced = lateral or node
        join = replaced.parent if isinstance(replaced.parent, exp.Join) else None
        if len(node.expressions) != 1 or not (join or isinstance(replaced.parent, exp.From)):
            continue
        if node.args.get("offset") or (join is not None and join.side == "LEFT"):
            replaced.replace(_unnest_query(node, replaced.args.get("alias"), join is not None))


def _unnest_query(node: exp.Unnest, alias: exp.TableAlias | None, is_joined: bool) -> exp.Expr:
    """Return the rows as a query, LATERAL in a join so that it sees the tables before it."""
    names = [one.name for one in alias.columns] if alias is not None else []
    table_name = alias.name if alias is not None and alias.this else "unnest"
    ordinality = node.args.get("offset")
    if isinstance(ordinality, exp.Identifier):
        names.append(ordinality.name)
    names += ["unnest", "ordinality"][len(names) :]
    values = node.expressions[0]
    if ordinality:
        rows = fill_template("SELECT col, pos FROM POSEXPLODE(:l)", l=values)
        rows.set("expressions", [exp.alias_("col", names[0]), exp.alias_("pos + 1", names[1])])
    else:
        rows = exp.select(exp.alias_(anonymous("EXPLODE", values), names[0], quoted=True))
    query = exp.Subquery(this=rows)
    table_alias = exp.TableAlias(this=exp.to_identifier(table_name, quoted=True))
    if not is_joined:
        query.set("alias", table_alias)
        return query
    return exp.Lateral(this=query, alias=table_alias)


def move_generators(tree: exp.Expr, dialect: str) -> None:
    """Move UNNEST into FROM where it is within an expression, or where rows are grouped by it.

    Parameters
    ----------
    tree : sqlglot.exp.Expr
        It is changed.
    dialect : str

    Examples
    --------
    >>> import sqlglot
    >>> tree = sqlglot.parse_one("SELECT UNNEST(l) + 1 AS a FROM t", "duckdb")
    >>> move_generators(tree, "duckdb")
    >>> tree.expressions[0].sql(), tree.args["joins"][0].sql("spark")
    ('"rows_"."value" + 1 AS a', 'CROSS JOIN LATERAL (SELECT EXPLODE(l) AS `value`) AS `rows_`')
    """
    for select in list(tree.find_all(exp.Select)):
        if dialect == "clickhouse":
            _move_array_joins(select)
            continue
        grouped = _grouped_generators(select)
        if len(grouped) == 1:
            _move_to_from(select, grouped[0])
        is_grouped = select.args.get("group") or select.find(exp.AggFunc)
        if dialect not in LIKE_POSTGRES or select.is_star or is_grouped:
            continue
        for node in [one for each in select.expressions for one in walk_own(each)]:
            is_column = isinstance(node.parent, exp.Select | exp.Alias)
            if isinstance(node, _GENERATORS) and not is_column:
                _move_to_from(select, node)


def _move_array_joins(select: exp.Select) -> None:
    """Move ``arrayJoin`` into FROM, unless it is a column and nothing else depends on it.

    It makes the rows before they are filtered and grouped, and equal calls are one.
    """
    parts = [select.args.get(part) for part in ("where", "group", "having", "order")]
    roots = [*select.expressions, *(one for one in parts if one is not None)]
    nodes = [
        node for root in roots for node in walk_own(root)
        if isinstance(node, _GENERATORS) and not node.find(exp.AggFunc)
    ]  # fmt: skip
    is_column = len(nodes) == 1 and isinstance(nodes[0].parent, exp.Select | exp.Alias)
    if is_column and not select.args.get("group") and not select.find(exp.AggFunc):
        return
    for node in dict.fromkeys(nodes):
        _move_to_from(select, *(one for one in nodes if one == node))


def _grouped_generators(select: exp.Select) -> list[exp.Expr]:
    """Return the lists that become rows before a query groups these: Spark groups first."""
    group = select.args.get("group")
    keys = group.expressions if group is not None else []
    names = {one.name for one in keys if isinstance(one, exp.Column | exp.Literal)}
    return [
        node
        for place, one in enumerate(select.expressions, 1)
        if names & {one.alias, str(place)}
        for node in walk_own(one)
        if isinstance(node, _GENERATORS)
    ]


def _move_to_from(select: exp.Select, *equal: exp.Expr) -> None:
    """Move a generator into FROM; several that are equal are one."""
    has_tables = select.args.get("from_") is not None
    taken = {one.alias_or_name for one in sources_of(select)} if has_tables else set()
    table_name, value = (
        exp.to_identifier(one, quoted=True) for one in (unused(taken, "rows_"), "value")
    )
    select_value = exp.select(exp.alias_(equal[0].copy(), value.copy()))
    rows = exp.Subquery(this=select_value, alias=exp.TableAlias(this=table_name.copy()))
    if has_tables:
        lateral = exp.Lateral(this=exp.Subquery(this=select_value), alias=rows.args["alias"])
        select.append("joins", exp.Join(this=lateral, kind="CROSS"))
    else:
        select.set("from_", exp.From(this=rows))
    for one in equal:
        one.replace(exp.column(value.copy(), table=table_name.copy()))
