"""Lists whose values become rows, where Spark's own way to write it loses some or counts from 0."""

from sqlglot import exp

from workbench.dialects.functions import LIKE_POSTGRES
from workbench.dialects.writing import anonymous, fill_template
from workbench.queries.reading.parsing import walk_own

#: What makes rows of a list, or of a series.
_GENERATORS = (exp.Explode, exp.Unnest, exp.ExplodingGenerateSeries)


def with_all_rows(tree: exp.Expr, dialect: str) -> None:
    """Keep rows whose list has no values beside a LEFT JOIN, and count WITH ORDINALITY from 1.

    Parameters
    ----------
    tree : sqlglot.exp.Expr
        It is changed.
    dialect : str

    Examples
    --------
    >>> import sqlglot
    >>> tree = sqlglot.parse_one("SELECT * FROM t LEFT JOIN UNNEST(l) AS u(x) ON TRUE", "duckdb")
    >>> with_all_rows(tree, "duckdb")
    >>> print(tree.sql("spark"))
    SELECT * FROM t LEFT JOIN LATERAL (SELECT EXPLODE(l) AS `x`) AS `u` ON TRUE
    """
    unnested = tree.find_all(exp.Unnest) if dialect in LIKE_POSTGRES else ()
    for node in list(unnested):
        lateral = node.parent if isinstance(node.parent, exp.Lateral) else None
        stands = lateral or node
        join = stands.parent if isinstance(stands.parent, exp.Join) else None
        if len(node.expressions) != 1 or not (join or isinstance(stands.parent, exp.From)):
            continue
        if node.args.get("offset") or (join is not None and join.side == "LEFT"):
            stands.replace(_rows(node, stands.args.get("alias"), join is not None))


def _rows(node: exp.Unnest, alias: exp.TableAlias | None, beside: bool) -> exp.Expr:
    """The rows as a query of its own, that may look at the tables before it."""
    names = [one.name for one in alias.columns] if alias is not None else []
    called = alias.name if alias is not None and alias.this else "unnest"
    offset = node.args.get("offset")
    if isinstance(offset, exp.Identifier):
        names.append(offset.name)
    names += ["unnest", "ordinality"][len(names) :]
    values = node.expressions[0]
    if offset:
        rows = fill_template("SELECT col, pos FROM POSEXPLODE(:l)", l=values)
        rows.set("expressions", [exp.alias_("col", names[0]), exp.alias_("pos + 1", names[1])])
    else:
        rows = exp.select(exp.alias_(anonymous("EXPLODE", values), names[0], quoted=True))
    query = exp.Subquery(this=rows)
    named = exp.TableAlias(this=exp.to_identifier(called, quoted=True))
    if not beside:
        query.set("alias", named)
        return query
    return exp.Lateral(this=query, alias=named)


def with_rows_apart(tree: exp.Expr, dialect: str) -> None:
    """Take lists that become rows out of what is computed of their values.

    Parameters
    ----------
    tree : sqlglot.exp.Expr
        It is changed.
    dialect : str

    Examples
    --------
    >>> import sqlglot
    >>> tree = sqlglot.parse_one("SELECT UNNEST(l) + 1 AS a FROM t", "duckdb")
    >>> with_rows_apart(tree, "duckdb")
    >>> tree.expressions[0].sql(), tree.args["joins"][0].sql("spark")
    ('"rows_"."value" + 1 AS a', 'CROSS JOIN LATERAL (SELECT EXPLODE(l) AS `value`) AS `rows_`')
    """
    for select in list(tree.find_all(exp.Select)) if dialect in LIKE_POSTGRES else ():
        if select.is_star or select.args.get("group") or select.find(exp.AggFunc):
            continue
        for node in [one for each in select.expressions for one in walk_own(each)]:
            alone = isinstance(node.parent, exp.Select | exp.Alias)
            if isinstance(node, _GENERATORS) and not alone:
                _set_apart(select, node)


def _set_apart(select: exp.Select, node: exp.Expr) -> None:
    called, value = (exp.to_identifier(one, quoted=True) for one in ("rows_", "value"))
    alone = exp.select(exp.alias_(node.copy(), value.copy()))
    rows = exp.Subquery(this=alone, alias=exp.TableAlias(this=called.copy()))
    if select.args.get("from_") is None:
        select.set("from_", exp.From(this=rows))
    else:
        beside = exp.Lateral(this=exp.Subquery(this=alone), alias=rows.args["alias"])
        select.append("joins", exp.Join(this=beside, kind="CROSS"))
    node.replace(exp.column(value, table=called))
