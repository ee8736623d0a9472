"""Aggregates of groups that Spark has by the same name, and means something else by."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlglot import exp

from workbench.dialects.functions import COMBINED, ONE, TWO
from workbench.dialects.numbers import condition_as_number
from workbench.dialects.writing import anonymous, fill_template, is_not_null
from workbench.errors import WorkbenchError


@dataclass(frozen=True)
class _Call:
    """An aggregate of groups, without what is said around it.

    Attributes
    ----------
    node : sqlglot.exp.Expr
    within : sqlglot.exp.Order or None
        The order of WITHIN GROUP.
    condition : sqlglot.exp.Expr or None
        Of FILTER.
    nulls : str
        The class of sqlglot's that says what becomes of nulls; empty where none does.
    """

    node: exp.Expr
    within: exp.Expr | None
    condition: exp.Expr | None
    nulls: str

    @property
    def terms(self) -> list[exp.Expr]:
        """The order among the arguments."""
        return list(self.node.this.expressions) if isinstance(self.node.this, exp.Order) else []

    @property
    def value(self) -> exp.Expr:
        """The first argument, without order and DISTINCT."""
        found: exp.Expr = self.node.this
        found = found.this if isinstance(found, exp.Order) else found
        return found.expressions[0] if isinstance(found, exp.Distinct) else found

    @property
    def distinct(self) -> bool:
        """Whether DISTINCT stands before the first argument."""
        return any(isinstance(one, exp.Distinct) for one in (self.node.this, self.node.this.this))

    def where(self, *more: exp.Expr) -> exp.Expr | None:
        """The condition, where others must hold as well."""
        every = [one.copy() for one in (self.condition, *more) if one is not None]
        return exp.and_(*every) if every else None


def rewrite_aggregates(tree: exp.Expr, dialect: str) -> None:
    """Put what means the same to Spark in the place of aggregates of groups.

    Parameters
    ----------
    tree : sqlglot.exp.Expr
        It is changed.
    dialect : str

    Raises
    ------
    WorkbenchError
        When Spark has nothing of the same meaning.

    Examples
    --------
    >>> from sqlglot import parse_one
    >>> tree = parse_one("SELECT arg_min(y, id), first(y ORDER BY id) FROM t", read="duckdb")
    >>> rewrite_aggregates(tree, "duckdb")
    >>> print(tree.expressions[0].sql("spark"))
    MIN_BY(y, id) FILTER(WHERE NOT y IS NULL)
    """
    meant_by = _MEANT_BY_CLICKHOUSE if dialect == "clickhouse" else _MEANT
    if dialect == "spark":
        return
    for node in reversed(list(tree.find_all(*meant_by))):
        if (found := meant_by.get(type(node))) is None:
            continue
        call, outer = _called(node)
        of_window = isinstance(outer.parent, exp.Window) and outer.arg_key == "this"
        if not of_window and (meant := found(call, dialect)) is not None:
            outer.replace(meant)


def _called(node: exp.Expr) -> tuple[_Call, exp.Expr]:
    """An aggregate, and the outermost of what is said around it."""
    outer, within, condition, nulls = node, None, None, ""
    around = exp.Filter | exp.IgnoreNulls | exp.RespectNulls | exp.WithinGroup
    while isinstance(outer.parent, around) and outer.arg_key == "this":
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


def _aggregate(name: str, *arguments: exp.Expr, where: exp.Expr | None = None) -> exp.Expr:
    return _filtered(anonymous(name, *arguments), where)


def _of_rows(
    value: exp.Expr, terms: Sequence[exp.Expr], condition: exp.Expr | None, distinct: bool = False
) -> exp.Expr:
    """The values of a group's rows as a list in an order, with the nulls that Spark leaves out."""
    if distinct and any(one.this != value for one in terms):
        raise WorkbenchError(
            f"query: a list of DISTINCT {value.sql()} is in an order of its own values; "
            "leave another order out."
        )
    # In a struct a null is a value.
    keys = [] if distinct else [exp.alias_(one.this.copy(), f"k{n}") for n, one in enumerate(terms)]
    row = exp.Anonymous(this="STRUCT", expressions=[exp.alias_(value.copy(), "v"), *keys])
    rows = _aggregate("COLLECT_SET" if distinct else "COLLECT_LIST", row, where=condition)
    if terms:
        names = ["v" if distinct else f"k{n}" for n in range(len(terms))]
        rows = exp.Anonymous(this="ARRAY_SORT", expressions=[rows, _comparison(terms, names)])
    return exp.Dot(this=rows, expression=exp.to_identifier("v"))


def _comparison(terms: Sequence[exp.Expr], names: Sequence[str]) -> exp.Expr:
    """Which of two rows comes first, as -1, 0 or 1."""
    found: exp.Expr = exp.Literal.number(0)
    for term, name in zip(reversed(terms), reversed(names), strict=True):
        a, b = (exp.column(name, table=row) for row in ("a", "b"))
        null, less = bool(term.args.get("nulls_first")), not term.args.get("desc")
        found = fill_template(
            "CASE WHEN :a IS NULL AND :b IS NULL THEN :same WHEN :a IS NULL THEN :null "
            "WHEN :b IS NULL THEN -:null WHEN :a < :b THEN :less WHEN :a > :b THEN -:less "
            "ELSE :same END",
            a=a, b=b, same=found,
            null=exp.paren(exp.convert(-1 if null else 1)),
            less=exp.paren(exp.convert(-1 if less else 1)),
        )  # fmt: skip
    return exp.Lambda(this=found, expressions=[exp.to_identifier("a"), exp.to_identifier("b")])


def _list(call: _Call, dialect: str) -> exp.Expr:
    """A list of all values, which is null where there is no row."""
    rows = _of_rows(call.value, call.terms, call.condition, call.distinct)
    return _of_some(call, exp.Star(), rows)


def _of_some(call: _Call, counted: exp.Expr, answer: exp.Expr) -> exp.Expr:
    """An answer where there is something to count, else null."""
    count = _filtered(exp.Count(this=counted), call.condition)
    some = exp.GT(this=count, expression=exp.Literal.number(0))
    return exp.Case(ifs=[exp.If(this=some, true=answer)])


def _end(call: _Call, dialect: str) -> exp.Expr | None:
    """The first or last value in an order among the arguments; ClickHouse leaves out nulls."""
    any_value = isinstance(call.node, exp.AnyValue)
    if not call.terms:
        if dialect != "clickhouse" and not call.nulls:
            return None
        # To Spark the condition stands before what becomes of nulls.
        around = exp.RespectNulls if call.nulls == "RespectNulls" else exp.IgnoreNulls
        return around(this=_filtered(call.node.copy(), call.condition))
    skips = any_value or call.nulls == "IgnoreNulls" or (dialect == "clickhouse" and not call.nulls)
    where = call.where(*[is_not_null(call.value)] * skips)
    at = -1 if isinstance(call.node, exp.Last | exp.LastValue) else 1
    return _nth(_of_rows(call.value, call.terms, where), at)


def _nth(rows: exp.Expr, place: int) -> exp.Expr:
    return anonymous("TRY_ELEMENT_AT", rows, exp.convert(place))


def _extreme(call: _Call, dialect: str) -> exp.Expr:
    """The value where another is least or greatest, among those that are not null."""
    other = call.node.expression
    if not isinstance(other, exp.Order):
        return _filtered(call.node.copy(), call.where(is_not_null(call.value)))
    by = exp.Ordered(this=other.this, desc=isinstance(call.node, exp.ArgMax))
    where = call.where(is_not_null(call.value), is_not_null(other.this))
    return _nth(_of_rows(call.value, [by, *other.expressions], where), 1)


def _mode(call: _Call, dialect: str) -> exp.Expr | None:
    """The most frequent value: of several the least, so that it is the same with each question."""
    if call.within is not None or call.node.this is None:
        return None
    if call.terms:
        raise WorkbenchError(
            "query: mode of groups has an ORDER BY among its arguments, which it cannot have; "
            "leave it out, and it is the least of the most frequent values."
        )
    return _aggregate("MODE", call.value, exp.true(), where=call.condition)


#: Of samples, by what Spark has of populations.
_OF_SAMPLES = {
    "SKEWNESS": "CASE WHEN :n > 2 THEN :pop * SQRT(DOUBLE(:n) * (:n - 1)) / (:n - 2) END",
    "KURTOSIS": "CASE WHEN :n > 3 THEN (DOUBLE(:n) - 1) / ((DOUBLE(:n) - 2) * (:n - 3)) "
    "* ((:n + 1) * :pop + 6) END",
}


def _of_sample(call: _Call, dialect: str) -> exp.Expr | None:
    if dialect != "duckdb":
        return None
    name = type(call.node).__name__.upper()
    n = _filtered(exp.Count(this=call.value.copy()), call.condition)
    return fill_template(
        _OF_SAMPLES[name], n=n, pop=_aggregate(name, call.value, where=call.condition)
    )


def _anonymous(call: _Call, dialect: str) -> exp.Expr | None:
    if dialect == "duckdb" and call.node.name.lower() == "kurtosis_pop":
        return _aggregate("KURTOSIS", *call.node.expressions, where=call.condition)
    return None


def _place(call: _Call, dialect: str) -> exp.Expr | None:
    """A quantile that is a value, of what goes down: Spark's goes up."""
    term = call.within.expressions[0] if call.within is not None else None
    if term is None or not term.args.get("desc"):
        return None
    rows = _of_rows(term.this, [term], call.where(is_not_null(term.this)))

    def one(share: exp.Expr) -> exp.Expr:
        place = "TRY_ELEMENT_AT(:rows, INT(GREATEST(1, CEIL(:share * SIZE(:rows)))))"
        return fill_template(place, rows=rows, share=share)

    share = call.node.this
    if isinstance(share, exp.Array):
        return exp.Array(expressions=[one(each) for each in share.expressions])
    return one(share)


def _texts(call: _Call, dialect: str) -> exp.Expr | None:
    """Texts that Spark cannot join in an order beside another DISTINCT: different or some ones."""
    terms, separator = call.terms, call.node.args.get("separator")
    of_own_order = call.distinct and [one.this for one in terms] == [call.value]
    some_in_order = terms and call.condition is not None and not call.distinct
    if not of_own_order and not some_in_order:
        return None
    rows = _of_rows(call.value, terms, call.where(is_not_null(call.value)), distinct=call.distinct)
    given = [rows, separator or exp.Literal.string(",")]
    joined = exp.Anonymous(this="ARRAY_JOIN", expressions=given)
    return _of_some(call, call.value.copy(), joined)


def _sum(call: _Call, dialect: str) -> exp.Expr | None:
    """A sum, in which a condition that holds counts 1."""
    _unordered(call, dialect)
    condition_as_number(call.value, "BIGINT")
    return None


def _count_if(call: _Call, dialect: str) -> exp.Expr | None:
    """How often a condition holds, which of no row is null to DuckDB."""
    if dialect != "duckdb":
        return None
    times = fill_template("SUM(CASE WHEN :of THEN 1 ELSE 0 END)", of=call.node.this)
    return _filtered(times, call.condition)


def _uniq(call: _Call, dialect: str) -> exp.Expr:
    """How many different values there are, or pairs of them."""
    given = [call.node.this, *([one] if (one := call.node.args.get("accuracy")) else [])]
    different = exp.Distinct(expressions=[one.copy() for one in given])
    return _filtered(exp.Count(this=different), call.condition)


def of_parameters(node: exp.Expr) -> exp.Expr | None:
    """Return an aggregate of ClickHouse with parameters; None where Spark has none.

    Examples
    --------
    >>> from sqlglot import parse_one
    >>> print(of_parameters(parse_one("groupArray(2)(x)", read="clickhouse")).sql("spark"))
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
    rows = _aggregate("COLLECT_LIST", columns[0], where=condition)
    if name == "groupuniqarray" and len(node.expressions) == 1:
        rows = _aggregate("COLLECT_SET", columns[0], where=condition)
    if name in ("grouparray", "groupuniqarray") and len(node.expressions) == 1:
        return fill_template("SLICE(:rows, 1, :n)", rows=rows, n=node.expressions[0])
    places = _EXACT_PLACES.get(name.replace("quantiles", "quantile"))
    if places is None:
        return None
    found = [
        fill_template(
            f"TRY_ELEMENT_AT(ARRAY_SORT(:rows), INT({places}))",
            rows=rows, q=exp.cast(share.copy(), "DOUBLE"),
        )
        for share in node.expressions
    ]  # fmt: skip
    return exp.Array(expressions=found) if name.startswith("quantiles") else found[0]


#: Which value in order is a quantile that is one of them.
_EXACT_PLACES = {
    "quantileexact": "LEAST(SIZE(:rows), FLOOR(:q * SIZE(:rows)) + 1)",
    "quantileexacthigh": "LEAST(SIZE(:rows), FLOOR(:q * SIZE(:rows)) + 1)",
}


def _unordered(call: _Call, dialect: str) -> exp.Expr | None:
    """An aggregate to which an order among its arguments means nothing."""
    if call.terms:
        call.node.set("this", call.node.this.this.copy())
    return None


def _mean(call: _Call, dialect: str) -> exp.Expr | None:
    """A mean, which is a double: of decimals Spark rounds it to some digits."""
    _unordered(call, dialect)
    condition_as_number(call.value, "BIGINT")
    value = call.value
    value.replace(exp.Mul(this=exp.paren(value.copy()), expression=exp.Literal.number("1e0")))
    return None


_KINDS = {own: kind for kind, own in (ONE | TWO).items()}
#: Aggregates by ClickHouse's names, as Spark has them.
_NAMED_BY_CLICKHOUSE: dict[str, type[exp.Expr]] = {
    **{name: _KINDS[own] for name, own in COMBINED.items() if own in _KINDS},
    "any": exp.AnyValue, "anylast": exp.LastValue,
    "uniq": exp.Count, "uniqexact": exp.Count,
    "grouparray": exp.ArrayAgg, "groupuniqarray": exp.ArrayUniqueAgg,
}  # fmt: skip


#: Of no row these are null here, whatever they are to ClickHouse, which ``-OrNull`` asks for.
_NULL_OF_NONE = ("sum", "avg", "min", "max", "any", "anylast", "argmin", "argmax", "median")
_ENDINGS = ("if", "ornull", "distinct")
#: Aggregates of different values that have names of their own, and others of which a value that
#: is there once more is no matter.
_OF_DIFFERENT = {"count": "uniqExact", "grouparray": "groupUniqArray"}
_ONCE_ANYWAY = ("uniq", "uniqexact", "groupuniqarray", "any", "anylast", "argmin", "argmax")


def _without_endings(name: str) -> tuple[str, set[str]]:
    """The name of an aggregate, and what its endings say, as those of ``sumOrNullIf``."""
    found: set[str] = set()
    while ending := next((one for one in _ENDINGS if name.lower().endswith(one)), ""):
        found.add(ending)
        name = name[: -len(ending)]
    return name, found


def _combined(call: _Call, dialect: str) -> exp.Expr | None:
    """An aggregate by its name, and where a condition holds if it ends so."""
    name, given, condition = call.node.name, list(call.node.expressions), call.condition
    distinct = False
    if isinstance(call.node, exp.CombinedAggFunc):
        name, endings = _without_endings(name)
        if "if" in endings and len(given) > 1:
            condition = call.where(given.pop())
        elif not endings or "if" in endings:
            return None
        if "ornull" in endings and name.lower() not in _NULL_OF_NONE:
            return None
        distinct = "distinct" in endings
        name = _OF_DIFFERENT.get(name.lower(), name) if distinct else name
    kind = _NAMED_BY_CLICKHOUSE.get(name.lower())
    if distinct and kind not in ONE and name.lower() not in _ONCE_ANYWAY:
        return None
    if name.lower() in _BY_COLUMNS and len(given) > 1:
        return _BY_COLUMNS[name.lower()](given, condition)
    if kind is None or not given:
        return None
    value = given[0].copy()
    if name.lower() in ("uniq", "uniqexact"):
        value = exp.Distinct(expressions=[one.copy() for one in given])
    elif distinct and kind in ONE:
        value = exp.Distinct(expressions=[value])
    more = {"expression": given[1].copy()} if kind in TWO and len(given) > 1 else {}
    made = kind(this=value, **more)
    meant = _MEANT_BY_CLICKHOUSE.get(kind)
    found = meant(_Call(made, None, condition, call.nulls), dialect) if meant else None
    return found or _filtered(made, condition)


def _weighted(given: list[exp.Expr], condition: exp.Expr | None) -> exp.Expr:
    """``avgWeighted``: a mean of values, each as often as its weight says."""
    value, weight = given
    product, known_weight = (
        _filtered(fill_template(text, x=value, w=weight), condition)
        for text in ("SUM(DOUBLE(:x) * (:w))", "SUM(IF(:x IS NOT NULL, DOUBLE(:w), NULL))")
    )
    return fill_template(
        "IF(:w = 0, (:p) * DOUBLE('Infinity'), (:p) / NULLIF(:w, 0))", p=product, w=known_weight
    )


def _retained(given: list[exp.Expr], condition: exp.Expr | None) -> exp.Expr:
    """``retention``: which conditions a row meets, of those that meet the first one somewhere."""
    met = [
        _filtered(fill_template("COUNT(CASE WHEN :of THEN 1 END)", of=one), condition)
        for one in given
    ]
    both = [fill_template("INT(:a > 0 AND :b > 0)", a=met[0], b=one) for one in met]
    return exp.Array(expressions=both)


#: Of several columns, by ClickHouse's names.
_BY_COLUMNS: dict[str, Callable[[list[exp.Expr], exp.Expr | None], exp.Expr]] = {
    "avgweighted": _weighted, "retention": _retained,
}  # fmt: skip

_MEANT: dict[type[exp.Expr], Callable[[_Call, str], exp.Expr | None]] = {
    exp.ArrayAgg: _list,
    **dict.fromkeys((exp.First, exp.FirstValue, exp.Last, exp.LastValue, exp.AnyValue), _end),
    **dict.fromkeys((exp.ArgMin, exp.ArgMax), _extreme),
    **dict.fromkeys((exp.Skewness, exp.Kurtosis), _of_sample),
    **dict.fromkeys((exp.Min, exp.Max, exp.Count), _unordered),
    exp.Sum: _sum,
    exp.CountIf: _count_if,
    exp.Avg: _mean,
    exp.GroupConcat: _texts,
    exp.Mode: _mode,
    exp.Anonymous: _anonymous,
    exp.PercentileDisc: _place,
}  # fmt: skip
_MEANT_BY_CLICKHOUSE: dict[type[exp.Expr], Callable[[_Call, str], exp.Expr | None]] = {
    kind: _MEANT[kind]
    for kind in (
        *(exp.FirstValue, exp.LastValue, exp.AnyValue, exp.ArgMin, exp.ArgMax),
        *(exp.Avg, exp.Sum),
    )
} | {exp.AnonymousAggFunc: _combined, exp.CombinedAggFunc: _combined, exp.ApproxDistinct: _uniq}
