"""When the names of a SELECT must be made plain before Spark reads it."""

from sqlglot import exp

from workbench.queries.reading.parsing import computed_aliases, walk_own


def needs_plain_columns(select: exp.Select, dialect: str) -> bool:
    """Say whether Spark would read the stars and names of a SELECT otherwise than its dialect.

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
    >>> asked = "SELECT date_trunc('hour', ts) AS ts, count(*) FROM t GROUP BY ts"
    >>> [needs_plain_columns(parse_query(asked, one), one) for one in ("clickhouse", "duckdb")]
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
    return _names_answers(select, dialect)


def _names_answers(select: exp.Select, dialect: str) -> bool:
    """Whether an answer's name stands where Spark takes it for a column, or knows none."""
    names = computed_aliases(select).keys()
    if not names or dialect not in ("clickhouse", "duckdb"):
        return False
    places = [where] if (where := select.args.get("where")) is not None else []
    if dialect == "clickhouse":
        places += select.expressions
    return any(
        isinstance(node, exp.Column) and not node.table and node.name.lower() in names
        for place in places for node in walk_own(place)
    )  # fmt: skip
