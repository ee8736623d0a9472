"""Aggregates of groups that have the same name in Spark and another meaning."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlglot import exp

from workbench.dialects.functions import COMBINED, ONE, TWO
from workbench.dialects.numbers import cast_condition_to_number
from workbench.dialects.templates import anonymous, fill_template, is_not_null
from workbench.errors import WorkbenchError

#: What may be around a function.
WRAPPERS = (exp.Filter, exp.IgnoreNulls, exp.RespectNulls, exp.WithinGroup)


@dataclass(frozen=True)
class _Call:
    """An aggregate of groups, taken out of its FILTER, WITHIN GROUP and IGNORE NULLS.

    Attributes
    ----------
    node : sqlglot.exp.Expr
    within : sqlglot.exp.Order or None
        The order of WITHIN GROUP.
    condition : sqlglot.exp.Expr or None
        The condition of FILTER.
    nulls : str
        The name of sqlglot's class for IGNORE or RESPECT NULLS; empty without these.
    """

    node: exp.Expr
    within: exp.Expr | None
    condition: exp.Expr | None
    nulls: str

    @property
    def _argument(self) -> exp.Expr:
        is_generic = isinstance(self.node, exp.AnonymousAggFunc)
        argument: exp.Expr = self.node.expressions[0] if is_generic else self.node.this
        return argument

    @property
    def terms(self) -> list[exp.Expr]:
        """The order among the arguments."""
        return list(self._argument.expressions) if isinstance(self._argument, exp.Order) else []

    @property
    def value(self) -> exp.Expr:
        """The first argument, without order and DISTINCT."""
        argument = self._argument
        argument = argument.this if isinstance(argument, exp.Order) else argument
        return argument.expressions[0] if isinstance(argument, exp.Distinct) else argument

    @property
    def distinct(self) -> bool:
        """Whether the aggregate has DISTINCT."""
        return any(isinstance(one, exp.Distinct) for one in (self._argument, self._argument.this))

    def with_distinct(self, value: exp.Expr) -> exp.Expr:
        """Return a copy of a value, with DISTINCT if the aggregate has it."""
        return exp.Distinct(expressions=[value.copy()]) if self.distinct else value.copy()

    def where(self, *more: exp.Expr) -> exp.Expr | None:
        """Return the conjunction of the condition and others; None if there are none."""
        conditions = [one.copy() for one in (self.condition, *more) if one is not None]
        return exp.and_(*conditions) if conditions else None


def rewrite_aggregates(tree: exp.Expr, dialect: str) -> None:
    """Replace aggregates of groups by expressions with the same meaning in Spark.

    Parameters
    ----------
    tree : sqlglot.exp.Expr
        It is changed.
    dialect : str

    Raises
    ------
    WorkbenchError
        When Spark has nothing with the same meaning.

    Examples
    --------
    >>> from sqlglot import parse_one
    >>> tree = parse_one("SELECT arg_min(y, id), first(y ORDER BY id) FROM t", read="duckdb")
    >>> rewrite_aggregates(tree, "duckdb")
    >>> print(tree.expressions[0].sql("spark"))
    MIN_BY(y, id) FILTER(WHERE NOT y IS NULL)
    """
    rewrites = _CLICKHOUSE_REWRITES if dialect == "clickhouse" else _REWRITES
    if dialect == "spark":
        for one in list(tree.find_all(exp.PercentileCont, exp.PercentileDisc)):
            # sqlglot would write percentile_approx, without the order.
            one.replace(exp.AnonymousAggFunc(this=one.sql_name(), expressions=[one.this]))
        return
    for node in reversed(list(tree.find_all(*rewrites))):
        if (rewrite := rewrites.get(type(node))) is None:
            continue
        call, outer = _unwrapped(node)
        of_window = isinstance(outer.parent, exp.Window) and outer.arg_key == "this"
        if not of_window and (result := rewrite(call, dialect)) is not None:
            outer.replace(result)


def function_of(node: exp.Expr) -> exp.Expr:
    """Return a function without FILTER and the like around it.

    Examples
    --------
    >>> import sqlglot
    >>> print(function_of(sqlglot.parse_one("SUM(x) FILTER (WHERE y)")))
    SUM(x)
    """
    while isinstance(node, WRAPPERS):
        node = node.this
    return node


def _unwrapped(node: exp.Expr) -> tuple[_Call, exp.Expr]:
    """Return an aggregate, and the outermost node that wraps it."""
    outer, within, condition, nulls = node, None, None, ""
    while isinstance(outer.parent, WRAPPERS) and outer.arg_key == "this":
        outer = outer.parent
        if isinstance(outer, exp.Filter):
            condition = outer.expression.this
        elif isinstance(outer, exp.WithinGroup):
            within = outer.expression
        else:
            nulls = type(outer).__name__
    return _Call(node, within, condition, nulls), outer


def _filtered(node: exp.Expr, condition: exp.Expr | None) -> exp.Expr:
    where = None if condition is None else exp.Where(this=condition.copy())
    return node if where is None else exp.Filter(this=node, expression=where)


def _filtered_call(name: str, *arguments: exp.Expr, where: exp.Expr | None = None) -> exp.Expr:
    return _filtered(anonymous(name, *arguments), where)


def _collected_values(
    value: exp.Expr, terms: Sequence[exp.Expr], condition: exp.Expr | None, distinct: bool = False
) -> exp.Expr:
    """Return the values of a group as a list in an order, with the nulls that Spark drops."""
    if distinct and any(one.this != value for one in terms):
        raise WorkbenchError(
            f"query: a list of DISTINCT {value.sql()} can only be ordered by its own values; leave "
            "any other order out."
        )
    # Spark keeps a null within a struct.
    keys = [] if distinct else [exp.alias_(one.this.copy(), f"k{n}") for n, one in enumerate(terms)]
    row = exp.Anonymous(this="STRUCT", expressions=[exp.alias_(value.copy(), "v"), *keys])
    rows = _filtered_call("COLLECT_SET" if distinct else "COLLECT_LIST", row, where=condition)
    if terms:
        names = ["v" if distinct else f"k{n}" for n in range(len(terms))]
        rows = exp.Anonymous(this="ARRAY_SORT", expressions=[rows, _comparison(terms, names)])
    return exp.Dot(this=rows, expression=exp.to_identifier("v"))


def _comparison(terms: Sequence[exp.Expr], names: Sequence[str]) -> exp.Expr:
    """Return a lambda that compares two rows: -1, 0 or 1."""
    tie_breaker: exp.Expr = exp.Literal.number(0)
    for term, name in zip(reversed(terms), reversed(names), strict=True):
        a, b = (exp.column(name, table=row) for row in ("a", "b"))
        nulls_first, is_ascending = bool(term.args.get("nulls_first")), not term.args.get("desc")
        tie_breaker = fill_template(
            "CASE WHEN :a IS NULL AND :b IS NULL THEN :same WHEN :a IS NULL THEN :null "
            "WHEN :b IS NULL THEN -:null WHEN :a < :b THEN :less WHEN :a > :b THEN -:less "
            "ELSE :same END",
            a=a, b=b, same=tie_breaker,
            null=exp.paren(exp.convert(-1 if nulls_first else 1)),
            less=exp.paren(exp.convert(-1 if is_ascending else 1)),
        )  # fmt: skip
    return exp.Lambda(
        this=tie_breaker, expressions=[exp.to_identifier("a"), exp.to_identifier("b")]
    )


def _array_agg(call: _Call, dialect: str) -> exp.Expr:
    """Return a list of all values; null without rows."""
    values = _collected_values(call.value, call.terms, call.condition, call.distinct)
    return _null_without_values(call, exp.Star(), values)


def _null_without_values(call: _Call, counted: exp.Expr, result: exp.Expr) -> exp.Expr:
    """Return a result where there is something to count, else null."""
    count = _filtered(exp.Count(this=counted), call.condition)
    has_some = exp.GT(this=count, expression=exp.Literal.number(0))
    return exp.Case(ifs=[exp.If(this=has_some, true=result)])


def _first_or_last(call: _Call, dialect: str) -> exp.Expr | None:
    """Return the first or last value in the order of the arguments; ClickHouse ignores nulls."""
    any_value = isinstance(call.node, exp.AnyValue)
    if not call.terms:
        if dialect != "clickhouse" and not call.nulls:
            return None
        # In Spark, FILTER comes before IGNORE NULLS.
        wrapper = exp.RespectNulls if call.nulls == "RespectNulls" else exp.IgnoreNulls
        return wrapper(this=_filtered(call.node.copy(), call.condition))
    skips_nulls = (
        any_value or call.nulls == "IgnoreNulls" or (dialect == "clickhouse" and not call.nulls)
    )
    where = call.where(*[is_not_null(call.value)] * skips_nulls)
    index = -1 if isinstance(call.node, exp.Last | exp.LastValue) else 1
    return _element_at(_collected_values(call.value, call.terms, where), index)


def _element_at(rows: exp.Expr, index: int) -> exp.Expr:
    return anonymous("TRY_ELEMENT_AT", rows, exp.convert(index))


def _arg_min_or_max(call: _Call, dialect: str) -> exp.Expr:
    """Return the value where another one is least or greatest, ignoring nulls of both."""
    other, n = call.node.expression, call.node.args.get("count")
    if not isinstance(other, exp.Order) and n is None:
        return _filtered(call.node.copy(), call.where(is_not_null(call.value)))
    by, ties = (other.this, other.expressions) if isinstance(other, exp.Order) else (other, [])
    order = exp.Ordered(this=by, desc=isinstance(call.node, exp.ArgMax))
    where = call.where(is_not_null(call.value), is_not_null(by))
    if n is not None:
        return _first_n(call, [order, *ties], where, n)
    return _element_at(_collected_values(call.value, [order, *ties], where), 1)


def _first_n(
    call: _Call, terms: Sequence[exp.Expr], where: exp.Expr | None, n: exp.Expr
) -> exp.Expr:
    """Return the first n values in an order as a list; null without values."""
    if n.is_int and int(n.name) < 1:
        raise WorkbenchError(
            f"query: {call.node.sql('duckdb')} returns no values; give a number of 1 or more."
        )
    rows = _collected_values(call.value, terms, where)
    return fill_template("IF(SIZE(:rows) > 0, SLICE(:rows, 1, INT(:n)), NULL)", rows=rows, n=n)


def _min_or_max(call: _Call, dialect: str) -> exp.Expr | None:
    """Return the n least or greatest values as a list, where n is given."""
    n = call.node.args.get("count")
    if n is None:
        return _drop_order(call, dialect)
    order = exp.Ordered(this=call.value.copy(), desc=isinstance(call.node, exp.Max))
    return _first_n(call, [order], call.where(is_not_null(call.value)), n)


def _mode(call: _Call, dialect: str) -> exp.Expr | None:
    """Return the most frequent value; of several the least, so that the result is deterministic."""
    if call.within is not None or call.node.this is None:
        return None
    if call.terms:
        raise WorkbenchError(
            "query: mode of groups takes no ORDER BY among its arguments; leave it out to get the "
            "least of the most frequent values."
        )
    return _filtered_call("MODE", call.value, exp.true(), where=call.condition)


#: Sample statistics, computed from Spark's population statistics.
_SAMPLE_FORMULAS = {
    "SKEWNESS": "CASE WHEN :n > 2 THEN :pop * SQRT(DOUBLE(:n) * (:n - 1)) / (:n - 2) END",
    "KURTOSIS": "CASE WHEN :n > 3 THEN (DOUBLE(:n) - 1) / ((DOUBLE(:n) - 2) * (:n - 3)) "
    "* ((:n + 1) * :pop + 6) END",
}


def _sample_moment(call: _Call, dialect: str) -> exp.Expr | None:
    if dialect != "duckdb":
        return None
    name = type(call.node).__name__.upper()
    value = call.with_distinct(call.value)
    n = _filtered(exp.Count(this=value), call.condition)
    return fill_template(
        _SAMPLE_FORMULAS[name], n=n, pop=_filtered_call(name, value, where=call.condition)
    )


#: Aggregates of DuckDB that are aggregates of doubles in Spark, by name.
_OF_DOUBLES = {
    "kurtosis_pop": "KURTOSIS", "favg": "AVG",
    **dict.fromkeys(("fsum", "kahan_sum", "sumkahan"), "SUM"),
}  # fmt: skip


def _of_doubles(call: _Call, dialect: str) -> exp.Expr | None:
    name = _OF_DOUBLES.get(call.node.name.lower()) if dialect == "duckdb" else None
    if name is None:
        return None
    if len(call.node.expressions) != 1:
        raise WorkbenchError(f"query: {call.node.name} takes one argument; give a column.")
    value = call.with_distinct(fill_template("DOUBLE(:a)", a=call.value))
    return _filtered_call(name, value, where=call.condition)


def _corr_or_slope(call: _Call, dialect: str) -> exp.Expr | None:
    """Return a correlation or a slope: NaN where all values are equal, for which Spark has null."""
    if dialect not in ("duckdb", "clickhouse"):
        return None
    name = "CORR" if isinstance(call.node, exp.Corr) else "REGR_SLOPE"
    arguments = call.node.this, call.node.expression
    return fill_template(
        "IF(:rows > 0, COALESCE(:result, DOUBLE('NaN')), NULL)",
        rows=_filtered_call("REGR_COUNT", *arguments, where=call.condition),
        result=_filtered_call(name, *arguments, where=call.condition),
    )


def _quantile_disc(call: _Call, dialect: str) -> exp.Expr | None:
    """Return a discrete quantile; Spark's is of numbers in an ascending order."""
    if call.within is not None:
        term, share = call.within.expressions[0], call.node.this
        if not term.args.get("desc"):
            return None
    else:
        share = call.node.args.get("expression") or call.node.args.get("quantile")
        if dialect != "duckdb" or share is None:
            return None
        term = exp.Ordered(this=call.value.copy())
    rows = _collected_values(term.this, [term], call.where(is_not_null(term.this)))

    def quantile_of(share: exp.Expr) -> exp.Expr:
        element = "TRY_ELEMENT_AT(:rows, INT(GREATEST(1, CEIL(:share * SIZE(:rows)))))"
        return fill_template(element, rows=rows, share=share)

    if isinstance(share, exp.Array):
        return exp.Array(expressions=[quantile_of(each) for each in share.expressions])
    return quantile_of(share)


def _string_agg(call: _Call, dialect: str) -> exp.Expr | None:
    """Return ``string_agg`` with an order and DISTINCT or FILTER, which Spark cannot combine."""
    terms, separator = call.terms, call.node.args.get("separator")
    distinct_in_own_order = call.distinct and [one.this for one in terms] == [call.value]
    filtered_in_order = terms and call.condition is not None and not call.distinct
    if not distinct_in_own_order and not filtered_in_order:
        return None
    rows = _collected_values(
        call.value, terms, call.where(is_not_null(call.value)), distinct=call.distinct
    )
    arguments = [rows, separator or exp.Literal.string(",")]
    joined = exp.Anonymous(this="ARRAY_JOIN", expressions=arguments)
    return _null_without_values(call, call.value.copy(), joined)


def _sum(call: _Call, dialect: str) -> exp.Expr | None:
    """Make a condition within ``sum`` a number: 1 if it holds."""
    _drop_order(call, dialect)
    cast_condition_to_number(call.value, "BIGINT")
    return None


def _count_if(call: _Call, dialect: str) -> exp.Expr | None:
    """Return how often a condition holds; DuckDB returns null where it is never known."""
    if dialect != "duckdb":
        return None
    times = fill_template("SUM(INT(BOOLEAN(:of)))", of=call.node.this)
    return _filtered(times, call.condition)


def _count_distinct(call: _Call, dialect: str) -> exp.Expr:
    """Return the number of distinct values, or of distinct pairs."""
    arguments = [call.node.this, *([one] if (one := call.node.args.get("accuracy")) else [])]
    distinct = exp.Distinct(expressions=[one.copy() for one in arguments])
    return _filtered(exp.Count(this=distinct), call.condition)


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
    rows = _filtered_call("COLLECT_LIST", columns[0], where=condition)
    if name == "groupuniqarray" and len(node.expressions) == 1:
        rows = _filtered_call("COLLECT_SET", columns[0], where=condition)
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


#: The index, from 1, of a quantile among the sorted values.
_EXACT_INDEXES = {
    "quantileexact": "LEAST(SIZE(:rows), FLOOR(:q * SIZE(:rows)) + 1)",
    "quantileexacthigh": "LEAST(SIZE(:rows), FLOOR(:q * SIZE(:rows)) + 1)",
}


def not_in_sets(name: str) -> str:
    """Return the error message for an aggregate that groups by several sets of keys lack.

    Examples
    --------
    >>> print(not_in_sets("product"))
    product is not available with ROLLUP, CUBE or GROUPING SETS; group by one set of keys at a \
time, and combine the queries by UNION ALL.
    """
    return (
        f"{name} is not available with ROLLUP, CUBE or GROUPING SETS; group by one set of keys at "
        "a time, and combine the queries by UNION ALL."
    )


def _drop_order(call: _Call, dialect: str) -> exp.Expr | None:
    """Drop the order among the arguments of an aggregate that does not depend on it."""
    if call.terms:
        call.node.set("this", call.node.this.this.copy())
    return None


def _avg(call: _Call, dialect: str) -> exp.Expr | None:
    """Make a mean a double; Spark rounds a mean of decimals."""
    _drop_order(call, dialect)
    cast_condition_to_number(call.value, "BIGINT")
    value = call.value
    value.replace(exp.Mul(this=exp.paren(value.copy()), expression=exp.Literal.number("1e0")))
    return None


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
_DISTINCT_NAMES = {"count": "uniqExact", "grouparray": "groupUniqArray"}
_UNAFFECTED_BY_DISTINCT = (
    "uniq",
    "uniqexact",
    "groupuniqarray",
    "any",
    "anylast",
    "argmin",
    "argmax",
)


def split_suffixes(name: str) -> tuple[str, set[str]]:
    """Split the suffixes off a name: return the name and the suffixes.

    Examples
    --------
    >>> name, endings = split_suffixes("sumOrNullIf")
    >>> name, sorted(endings)
    ('sum', ['if', 'ornull'])
    """
    endings: set[str] = set()
    while ending := next((one for one in _SUFFIXES if name.lower().endswith(one)), ""):
        endings.add(ending)
        name = name[: -len(ending)]
    return name, endings


def _clickhouse_aggregate(call: _Call, dialect: str) -> exp.Expr | None:
    """Return an aggregate of ClickHouse by its name, which may have suffixes such as ``If``."""
    name, arguments, condition = call.node.name, list(call.node.expressions), call.condition
    distinct = or_zero = False
    if isinstance(call.node, exp.CombinedAggFunc):
        name, endings = split_suffixes(name)
        if "if" in endings and len(arguments) > 1:
            condition = call.where(arguments.pop())
        elif not endings or "if" in endings:
            return None
        or_zero = "ordefault" in endings
        if ("ornull" in endings and name.lower() not in NULL_WITHOUT_ROWS) or (
            or_zero and name.lower() not in ("sum", "count", "avg")
        ):
            return None
        distinct = "distinct" in endings
        name = _DISTINCT_NAMES.get(name.lower(), name) if distinct else name
    kind = _NAMED_BY_CLICKHOUSE.get(name.lower())
    if distinct and kind not in ONE and name.lower() not in _UNAFFECTED_BY_DISTINCT:
        return None
    if name.lower() in _MULTI_COLUMN and len(arguments) > 1:
        return _MULTI_COLUMN[name.lower()](arguments, condition)
    if kind is None or not arguments:
        return None
    value = arguments[0].copy()
    if name.lower() in ("uniq", "uniqexact"):
        value = exp.Distinct(expressions=[one.copy() for one in arguments])
    elif distinct and kind in ONE:
        value = exp.Distinct(expressions=[value])
    second_argument = (
        {"expression": arguments[1].copy()} if kind in TWO and len(arguments) > 1 else {}
    )
    aggregate = kind(this=value, **second_argument)
    rewrite = _CLICKHOUSE_REWRITES.get(kind)
    result = rewrite(_Call(aggregate, None, condition, call.nulls), dialect) if rewrite else None
    result = result or _filtered(aggregate, condition)
    return fill_template("COALESCE(:of, 0)", of=result) if or_zero else result


def _avg_weighted(arguments: list[exp.Expr], condition: exp.Expr | None) -> exp.Expr:
    """Return ``avgWeighted``: the weighted mean of values."""
    value, weight = arguments
    product, known_weight = (
        _filtered(fill_template(text, x=value, w=weight), condition)
        for text in ("SUM(DOUBLE(:x) * (:w))", "SUM(IF(:x IS NOT NULL, DOUBLE(:w), NULL))")
    )
    return fill_template(
        "IF(:w = 0, (:p) * DOUBLE('Infinity'), (:p) / NULLIF(:w, 0))", p=product, w=known_weight
    )


def _retention(arguments: list[exp.Expr], condition: exp.Expr | None) -> exp.Expr:
    """Return ``retention``: for each condition, whether rows meet it and the first one."""
    counts = [
        _filtered(fill_template("COUNT(CASE WHEN :of THEN 1 END)", of=one), condition)
        for one in arguments
    ]
    flags = [fill_template("INT(:a > 0 AND :b > 0)", a=counts[0], b=one) for one in counts]
    return exp.Array(expressions=flags)


#: Aggregates of several columns, by ClickHouse's names.
_MULTI_COLUMN: dict[str, Callable[[list[exp.Expr], exp.Expr | None], exp.Expr]] = {
    "avgweighted": _avg_weighted, "retention": _retention,
}  # fmt: skip

_REWRITES: dict[type[exp.Expr], Callable[[_Call, str], exp.Expr | None]] = {
    exp.ArrayAgg: _array_agg,
    **dict.fromkeys(
        (exp.First, exp.FirstValue, exp.Last, exp.LastValue, exp.AnyValue), _first_or_last
    ),
    **dict.fromkeys((exp.ArgMin, exp.ArgMax), _arg_min_or_max),
    **dict.fromkeys((exp.Skewness, exp.Kurtosis), _sample_moment),
    **dict.fromkeys((exp.Min, exp.Max), _min_or_max),
    exp.Count: _drop_order,
    exp.Sum: _sum,
    exp.CountIf: _count_if,
    exp.Avg: _avg,
    exp.GroupConcat: _string_agg,
    exp.Mode: _mode,
    exp.AnonymousAggFunc: _of_doubles,
    **dict.fromkeys((exp.Corr, exp.RegrSlope), _corr_or_slope),
    **dict.fromkeys((exp.PercentileDisc, exp.Quantile), _quantile_disc),
}  # fmt: skip
_CLICKHOUSE_REWRITES: dict[type[exp.Expr], Callable[[_Call, str], exp.Expr | None]] = {
    kind: _REWRITES[kind]
    for kind in (
        *(exp.FirstValue, exp.LastValue, exp.AnyValue, exp.ArgMin, exp.ArgMax),
        *(exp.Avg, exp.Sum, exp.Corr),
    )
} | {
    exp.AnonymousAggFunc: _clickhouse_aggregate,
    exp.CombinedAggFunc: _clickhouse_aggregate,
    exp.ApproxDistinct: _count_distinct,
}
