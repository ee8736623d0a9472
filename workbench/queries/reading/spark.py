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
    for call in list(tree.find_all(exp.Anonymous)):
        if _AGGREGATES.fullmatch(call.name):
            call.replace(exp.AnonymousAggFunc(this=call.name, expressions=call.expressions))
    for any_ in list(tree.find_all(exp.Any)):
        if not (isinstance(any_.parent, exp.Binary) and any_.arg_key == "expression"):
            any_.replace(exp.LogicalOr(this=any_.this.unnest()))
    for joined in tree.find_all(exp.GroupConcat):
        if joined.args.get("separator") is None:
            joined.set("separator", exp.Literal.string(""))
