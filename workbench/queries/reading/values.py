"""VALUES as queries that Spark can answer, and the names of their columns."""

import re
from functools import reduce

import sqlglot
from sqlglot import exp


def select_of_values(values: exp.Values) -> exp.Select:
    """Return the query of all rows of VALUES, which may be ordered and limited.

    Examples
    --------
    >>> import sqlglot
    >>> values = sqlglot.parse_one("VALUES (2), (1) ORDER BY 1", read="duckdb")
    >>> print(select_of_values(values).sql("duckdb"))
    SELECT * FROM (VALUES (2), (1)) ORDER BY 1
    """
    clauses = {part: values.args.get(part) for part in ("order", "limit", "offset")}
    for part in clauses:
        values.set(part, None)
    select = exp.select("*").from_(values)
    for part, clause in clauses.items():
        select.set(part, clause)
    return select


def select_lateral_values(tree: exp.Query, dialect: str) -> None:
    """Write ``LATERAL (VALUES (x), (y))`` as a union of queries: Spark's VALUES see no column.

    Examples
    --------
    >>> import sqlglot
    >>> text = "SELECT v FROM t CROSS JOIN LATERAL (VALUES (x), (y)) AS u(v)"
    >>> tree = sqlglot.parse_one(text, read="postgres")
    >>> select_lateral_values(tree, "postgres")
    >>> print(tree.sql("postgres"))
    SELECT v FROM t CROSS JOIN LATERAL (SELECT x AS column1 UNION ALL SELECT y) AS u(v)
    """
    for values in list(tree.find_all(exp.Values)):
        holder = values.parent
        if not isinstance(holder, exp.Subquery) or not isinstance(holder.parent, exp.Lateral):
            continue
        rows = [list(one.expressions) if isinstance(one, exp.Tuple) else [one]
                for one in values.expressions]  # fmt: skip
        names = _names(len(rows[0]), dialect)
        rows[0] = [exp.alias_(*one) for one in zip(rows[0], names, strict=True)]
        selects: list[exp.Query] = [exp.select(*one) for one in rows]
        values.replace(reduce(_union_all, selects))


def name_values(node: exp.Values, dialect: str) -> None:
    """Name the columns of a table of values as the dialect does, where the query does not.

    Parameters
    ----------
    node : sqlglot.exp.Values
        It is changed.
    dialect : str
    """
    alias, first = node.args.get("alias"), node.expressions[0] if node.expressions else None
    if dialect == "spark" or first is None or (alias is not None and alias.args.get("columns")):
        return
    width = len(first.expressions) if isinstance(first, exp.Tuple) else 1
    alias = alias or exp.TableAlias(this=exp.to_identifier("values_"))
    alias.set("columns", [exp.to_identifier(name) for name in _names(width, dialect)])
    node.set("alias", alias)


#: A text that names columns and their types.
_COLUMNS_AND_TYPES = re.compile(r"\s*[`\"\w]+\s+\w")


def rewrite_table_of_values(values: exp.Values) -> None:
    """Write ClickHouse's ``values('a Int64, b String', (1, 'x'), (2, 'y'))`` as VALUES.

    Examples
    --------
    >>> import sqlglot
    >>> text = "SELECT a FROM values('a Int64, b String', (1, 'x'), (2, 'y'))"
    >>> tree = sqlglot.parse_one(text, read="clickhouse")
    >>> rewrite_table_of_values(tree.find(exp.Values))
    >>> print(tree.sql("duckdb"))
    SELECT a FROM (VALUES (CAST(1 AS BIGINT), CAST('x' AS TEXT)), (CAST(2 AS BIGINT), CAST('y' AS \
TEXT))) AS values_(a, b)
    """
    is_function = isinstance(values.parent, exp.From | exp.Join) and len(values.expressions) == 1
    arguments = values.expressions[0].expressions if is_function else []
    first = arguments[0] if arguments else None
    if isinstance(first, exp.Tuple) and len(first.expressions) == 1:
        # sqlglot puts each value of a single column into a row.
        first = first.expressions[0]
    columns: list[exp.Expr] = []
    if isinstance(first, exp.Literal) and first.is_string and _COLUMNS_AND_TYPES.match(first.this):
        parsed = sqlglot.parse_one(f"CAST(x AS Tuple({first.this}))", read="clickhouse")
        columns, arguments = parsed.args["to"].expressions, arguments[1:]
    rows = [
        [item.copy() for item in (one.expressions if isinstance(one, exp.Tuple) else [one])]
        for one in arguments
    ]
    if not rows or any(len(row) != len(columns or rows[0]) for row in rows):
        return
    if columns:
        alias = values.args.get("alias") or exp.TableAlias(this=exp.to_identifier("values_"))
        alias.set("columns", [one.this.copy() for one in columns])
        values.set("alias", alias)
        rows = [
            [
                exp.cast(item, column.args["kind"].copy())
                for item, column in zip(row, columns, strict=True)
            ]
            for row in rows
        ]
    values.set("expressions", [exp.Tuple(expressions=row) for row in rows])


def _names(width: int, dialect: str) -> list[str]:
    """Return the names that a dialect gives to columns of values."""
    first, prefix = {"duckdb": (0, "col"), "clickhouse": (1, "c")}.get(dialect, (1, "column"))
    return [f"{prefix}{first + k}" for k in range(width)]


def _union_all(one: exp.Query, other: exp.Query) -> exp.Query:
    return exp.Union(this=one, expression=other, distinct=False)
