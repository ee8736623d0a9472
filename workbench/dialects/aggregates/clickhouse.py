"""Aggregates of groups by ClickHouse's names, with their suffixes and parameters."""

from collections.abc import Callable

from sqlglot import exp

from workbench.dialects.aggregates.call import AggregateCall, Rewrite, filtered, filtered_call
from workbench.dialects.aggregates.numeric import (
    corr_or_slope,
    count_distinct,
    mean_as_double,
    sum_as_number,
)
from workbench.dialects.aggregates.ordered import arg_min_or_max, first_or_last
from workbench.dialects.functions import COMBINED, ONE, TWO
from workbench.dialects.templates import fill_template

_KINDS = {own: kind for kind, own in (ONE | TWO).items()}

#: Classes of aggregates that Spark has, by ClickHouse's names.
_NAMED_BY_CLICKHOUSE: dict[str, type[exp.Expr]] = {
    **{name: _KINDS[own] for name, own in COMBINED.items() if own in _KINDS},
    "any": exp.AnyValue, "anylast": exp.LastValue, "corr": exp.Corr,
    "uniq": exp.Count, "uniqexact": exp.Count,
    "skewpop": exp.Skewness,
    "grouparray": exp.ArrayAgg, "groupuniqarray": exp.ArrayUniqueAgg,
}  # fmt: skip

#: These are null here without rows, as ``-OrNull`` requests; plain ClickHouse differs.
NULL_WITHOUT_ROWS = ("sum", "avg", "min", "max", "any", "anylast", "argmin", "argmax", "median")

_SUFFIXES = ("if", "ornull", "ordefault", "distinct")

#: Aggregates whose DISTINCT form has another name, and those that ignore duplicates anyway.
_DISTINCT_NAMES = {"count": "uniqexact", "grouparray": "groupuniqarray"}

_UNAFFECTED_BY_DISTINCT = (
    "uniq",
    "uniqexact",
    "groupuniqarray",
    "any",
    "anylast",
    "argmin",
    "argmax",
)

#: The index, from 1, of a quantile among the sorted values.
_EXACT_INDEXES = {
    "quantileexact": "LEAST(SIZE(:rows), FLOOR(:q * SIZE(:rows)) + 1)",
    "quantileexacthigh": "LEAST(SIZE(:rows), FLOOR(:q * SIZE(:rows)) + 1)",
}


def split_suffixes(name: str) -> tuple[str, set[str]]:
    """Split the suffixes off a name: return the name and the suffixes.

    Examples
    --------
    >>> name, suffixes = split_suffixes("sumOrNullIf")
    >>> name, sorted(suffixes)
    ('sum', ['if', 'ornull'])
    """
    suffixes: set[str] = set()
    while suffix := next((one for one in _SUFFIXES if name.lower().endswith(one)), ""):
        suffixes.add(suffix)
        name = name[: -len(suffix)]
    return name, suffixes


def parameterized_aggregate(node: exp.Expr) -> exp.Expr | None:
    """Return an aggregate of ClickHouse with parameters in Spark's SQL; None if it has none.

    Examples
    --------
    >>> from sqlglot import parse_one
    >>> node = parse_one("groupArray(2)(x)", read="clickhouse")
    >>> print(parameterized_aggregate(node).sql("spark"))
    SLICE(COLLECT_LIST(x), 1, 2)
    """
    name, columns = node.name.lower(), list(node.args.get("params") or ())
    condition = None
    if isinstance(node, exp.CombinedParameterizedAgg):
        if not name.endswith("if") or len(columns) != 2:
            return None
        name, condition = name[:-2], columns[1]
    if not columns:
        return None
    rows = filtered_call("COLLECT_LIST", columns[0], where=condition)
    if name == "groupuniqarray" and len(node.expressions) == 1:
        rows = filtered_call("COLLECT_SET", columns[0], where=condition)
    if name in ("grouparray", "groupuniqarray") and len(node.expressions) == 1:
        return fill_template("SLICE(:rows, 1, :n)", rows=rows, n=node.expressions[0])
    index_template = _EXACT_INDEXES.get(name.replace("quantiles", "quantile"))
    if index_template is None:
        return None
    values = [
        fill_template(
            f"TRY_ELEMENT_AT(ARRAY_SORT(:rows), INT({index_template}))",
            rows=rows, q=exp.cast(share.copy(), "DOUBLE"),
        )
        for share in node.expressions
    ]  # fmt: skip
    return exp.Array(expressions=values) if name.startswith("quantiles") else values[0]


def clickhouse_aggregate(call: AggregateCall, dialect: str) -> exp.Expr | None:
    """Return an aggregate of ClickHouse by its name, which may have suffixes such as ``If``."""
    arguments, condition = list(call.node.expressions), call.condition
    name, suffixes = call.node.name.lower(), set[str]()
    if isinstance(call.node, exp.CombinedAggFunc):
        name, suffixes = split_suffixes(name)
        if not suffixes or ("if" in suffixes and len(arguments) < 2):
            return None
    if "if" in suffixes:
        condition = call.where(arguments.pop())
    if "distinct" in suffixes:
        name = _DISTINCT_NAMES.get(name, name)
    if not arguments or not _may_have(name, suffixes):
        return None
    if name in _MULTI_COLUMN and len(arguments) > 1:
        return _MULTI_COLUMN[name](arguments, condition)
    kind = _NAMED_BY_CLICKHOUSE.get(name)
    if kind is None:
        return None
    aggregate = _aggregate(name, kind, arguments, "distinct" in suffixes)
    rewrite = CLICKHOUSE_REWRITES.get(kind)
    whole = AggregateCall(aggregate, None, condition, call.nulls)
    result = (rewrite(whole, dialect) if rewrite else None) or filtered(aggregate, condition)
    return fill_template("COALESCE(:of, 0)", of=result) if "ordefault" in suffixes else result


def _may_have(name: str, suffixes: set[str]) -> bool:
    """Return whether an aggregate has these suffixes here."""
    return (
        ("ornull" not in suffixes or name in NULL_WITHOUT_ROWS)
        and ("ordefault" not in suffixes or name in ("sum", "count", "avg"))
        and (
            "distinct" not in suffixes
            or name in _UNAFFECTED_BY_DISTINCT
            or _NAMED_BY_CLICKHOUSE.get(name) in ONE
        )
    )


def _aggregate(
    name: str, kind: type[exp.Expr], arguments: list[exp.Expr], distinct: bool
) -> exp.Expr:
    """Return an aggregate of Spark's class of one or two arguments, or of distinct values."""
    first, *others = [one.copy() for one in arguments]
    if name in ("uniq", "uniqexact"):
        return kind(this=exp.Distinct(expressions=[first, *others]))
    value = exp.Distinct(expressions=[first]) if distinct and kind in ONE else first
    return kind(this=value, expression=others[0]) if kind in TWO and others else kind(this=value)


def _avg_weighted(arguments: list[exp.Expr], condition: exp.Expr | None) -> exp.Expr:
    """Return ``avgWeighted``: the weighted mean of values."""
    value, weight = arguments
    product, known_weight = (
        filtered(fill_template(text, x=value, w=weight), condition)
        for text in ("SUM(DOUBLE(:x) * (:w))", "SUM(IF(:x IS NOT NULL, DOUBLE(:w), NULL))")
    )
    return fill_template(
        "IF(:w = 0, (:p) * DOUBLE('Infinity'), (:p) / NULLIF(:w, 0))", p=product, w=known_weight
    )


def _retention(arguments: list[exp.Expr], condition: exp.Expr | None) -> exp.Expr:
    """Return ``retention``: for each condition, whether rows meet it and the first one."""
    counts = [
        filtered(fill_template("COUNT(CASE WHEN :of THEN 1 END)", of=one), condition)
        for one in arguments
    ]
    flags = [fill_template("INT(:a > 0 AND :b > 0)", a=counts[0], b=one) for one in counts]
    return exp.Array(expressions=flags)


#: Aggregates of several columns, by ClickHouse's names.
_MULTI_COLUMN: dict[str, Callable[[list[exp.Expr], exp.Expr | None], exp.Expr]] = {
    "avgweighted": _avg_weighted, "retention": _retention,
}  # fmt: skip

#: The rewriters of aggregates of ClickHouse by their class in sqlglot.
CLICKHOUSE_REWRITES: dict[type[exp.Expr], Rewrite] = {
    **dict.fromkeys((exp.FirstValue, exp.LastValue, exp.AnyValue), first_or_last),
    **dict.fromkeys((exp.ArgMin, exp.ArgMax), arg_min_or_max),
    exp.Avg: mean_as_double,
    exp.Sum: sum_as_number,
    exp.Corr: corr_or_slope,
    exp.ApproxDistinct: count_distinct,
    **dict.fromkeys((exp.AnonymousAggFunc, exp.CombinedAggFunc), clickhouse_aggregate),
}
