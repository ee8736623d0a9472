"""What sqlglot reads differently from Spark, restored: aggregates that it does not know as such."""

import re

from sqlglot import exp

#: Aggregates of Spark without a class in sqlglot.
_AGGREGATES = re.compile(
    r"every|some|mean|std|try_sum|try_avg|measure|histogram_numeric|count_min_sketch|collect_union|"
    r"\w+_agg(_(double|float|bigint|integer))?",
    re.IGNORECASE,
)


def restore_aggregates(tree: exp.Query) -> None:
    """Read ``any(x > 1)`` and the like as aggregates, and ``listagg(x)`` without a separator.

    Examples
    --------
    >>> import sqlglot
    >>> tree = sqlglot.parse_one("SELECT any(x > 1), std(x), listagg(x) FROM t", read="spark")
    >>> restore_aggregates(tree)
    >>> print(tree.sql("spark"))
    SELECT BOOL_OR(x > 1), STD(x), LISTAGG(x, '') FROM t
    """
    for node in list(tree.find_all(exp.Anonymous)):
        if _AGGREGATES.fullmatch(node.name):
            node.replace(exp.AnonymousAggFunc(this=node.name, expressions=node.expressions))
    for node in list(tree.find_all(exp.Any)):
        if not (isinstance(node.parent, exp.Binary) and node.arg_key == "expression"):
            node.replace(exp.LogicalOr(this=node.this.unnest()))
    for node in tree.find_all(exp.GroupConcat):
        if node.args.get("separator") is None:
            node.set("separator", exp.Literal.string(""))
