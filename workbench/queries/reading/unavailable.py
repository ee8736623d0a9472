"""Parts of a query that Spark has no words for, each by what to write in its place."""

from sqlglot import exp

from workbench.errors import WorkbenchError

_NEAREST = (
    "join the last row before each by LEFT JOIN LATERAL (SELECT ... ORDER BY ... DESC LIMIT 1) ON "
    "true, or take wb.Backfill"
)
#: By the word that stands before JOIN.
_JOINS = {
    "ASOF": _NEAREST,
    "ANY": "keep one row of each key first, as by QUALIFY row_number() OVER (...) = 1",
    "POSITIONAL": "number the rows of both tables, and join by the numbers",
    "PASTE": "number the rows of both tables, and join by the numbers",
}


def check_available(tree: exp.Expr) -> None:
    """Refuse what Spark has no words for.

    Raises
    ------
    WorkbenchError

    Examples
    --------
    >>> import sqlglot
    >>> check_available(sqlglot.parse_one("SELECT 1 FROM a PASTE JOIN b", read="clickhouse"))
    Traceback (most recent call last):
    workbench.errors.WorkbenchError: query: PASTE JOIN is not available; number the rows of both \
tables, and join by the numbers.
    """
    for join in tree.find_all(exp.Join):
        words = {str(join.args.get(one) or "").upper() for one in ("method", "kind", "side")}
        for word in sorted(words & _JOINS.keys()):
            raise WorkbenchError(f"query: {word} JOIN is not available; {_JOINS[word]}.")
    for term in tree.find_all(exp.Ordered):
        if term.args.get("with_fill"):
            raise WorkbenchError(
                "query: WITH FILL is not available; join the answer to the values that there shall "
                "be, as numbers(...) gives them."
            )
    for group in tree.find_all(exp.Group):
        if group.args.get("totals"):
            raise WorkbenchError(
                "query: WITH TOTALS is not available; take GROUP BY ROLLUP, whose row without keys "
                "is the total."
            )
    if tree.find(exp.Comprehension):
        raise WorkbenchError(
            "query: a list by FOR is not available; take list_transform and list_filter."
        )
