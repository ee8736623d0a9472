"""What only Postgres lets one write, written as other systems do."""

from sqlglot import exp

#: What becomes rows of one column.
_SERIES = (exp.Unnest, exp.ExplodingGenerateSeries)


def expand_postgres(tree: exp.Query) -> None:
    """Write ``EXISTS (SELECT FROM t)`` and ``regexp_split_to_table`` as other systems do.

    The one column of a series or of an unnested list is named like its table.

    Examples
    --------
    >>> import sqlglot
    >>> text = "SELECT n FROM generate_series(1, 3) AS n WHERE EXISTS (SELECT FROM t)"
    >>> tree = sqlglot.parse_one(text, read="postgres")
    >>> expand_postgres(tree)
    >>> print(tree.sql("postgres"))
    SELECT n FROM GENERATE_SERIES(1, 3) AS n(n) WHERE EXISTS(SELECT 1 FROM t)
    """
    for table in tree.find_all(exp.Table):
        # No table here has others that inherit from it.
        table.set("only", None)
    for select in tree.find_all(exp.Select):
        if not select.expressions and isinstance(select.parent, exp.Exists):
            select.set("expressions", [exp.Literal.number(1)])
    for call in list(tree.find_all(exp.Anonymous)):
        if call.name.lower() == "regexp_split_to_table":
            parts = exp.Anonymous(this="regexp_split_to_array", expressions=call.expressions)
            if not isinstance(call.parent, exp.Table | exp.Lateral):
                call.replace(exp.Explode(this=parts))
    _name_series(tree)


def _name_series(tree: exp.Query) -> None:
    """Name the one column of a series or an unnested list like its table, as Postgres does."""
    for source in tree.find_all(exp.Table, exp.Unnest, exp.Lateral):
        rows = source if isinstance(source, exp.Unnest) else source.this
        alias = source.args.get("alias")
        if isinstance(rows, _SERIES) and alias is not None and alias.this and not alias.columns:
            alias.set("columns", [alias.this.copy()])
