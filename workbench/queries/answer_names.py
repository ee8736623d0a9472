"""Whether the columns of a SELECT must be resolved before Spark reads it."""

from sqlglot import exp

from workbench.queries.reading.parsing import computed_aliases, walk_own


def needs_column_resolution(select: exp.Select, dialect: str) -> bool:
    """Return whether Spark resolves the stars and names of a SELECT differently than its dialect.

    Parameters
    ----------
    select : sqlglot.exp.Select
    dialect : str

    Returns
    -------
    bool

    Examples
    --------
    >>> from workbench.queries.reading.parsing import parse_query
    >>> query = "SELECT date_trunc('hour', ts) AS ts, count(*) FROM t GROUP BY ts"
    >>> [needs_column_resolution(parse_query(query, one), one) for one in ("clickhouse", "duckdb")]
    [True, False]
    """
    if dialect == "spark" or isinstance(select.parent, exp.Exists):
        return False
    joined = any(one.args.get("using") for one in select.args.get("joins") or ())
    for one in select.expressions:
        star = one if isinstance(one, exp.Star) else one.args.get("this")
        if isinstance(star, exp.Star) and one.is_star:
            others = star.args.get("replace") or star.args.get("rename")
            if others or (joined and star is one):
                return True
        elif one.find(exp.Columns):
            return True
    return _refers_to_alias(select, dialect)


def _refers_to_alias(select: exp.Select, dialect: str) -> bool:
    """Return whether an alias is used where Spark takes it for a column or does not know it."""
    names = computed_aliases(select).keys()
    if not names or dialect not in ("clickhouse", "duckdb"):
        return False
    expressions = [where] if (where := select.args.get("where")) is not None else []
    if dialect == "clickhouse":
        expressions += select.expressions
        expressions += [group] if (group := select.args.get("group")) is not None else []
    return any(
        isinstance(node, exp.Column) and not node.table and node.name.lower() in names
        for expression in expressions for node in walk_own(expression)
    )  # fmt: skip
