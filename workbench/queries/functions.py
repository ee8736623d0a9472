"""A function of SQL as one of ``wb.fn``: its name, its columns, and what is said beside them."""

import inspect
from dataclasses import dataclass, field
from typing import Any

from sqlglot import exp
from sqlglot.optimizer.simplify import simplify

from workbench.dialects.functions import COMBINED, NAMED, ONE, RANKS, TWO
from workbench.errors import WorkbenchError
from workbench.functions import fn
from workbench.functions.catalogue import CATALOGUE

#: What Spark's own window operator has of the same meaning, and the kernels have not.
SPARKS = ("regr_slope",)


@dataclass
class SqlFunction:
    """A function of SQL, read.

    Attributes
    ----------
    name : str
        In ``wb.fn``; empty where the kernels have none.
    arguments : list of sqlglot.exp.Expr
        The columns, or what stands in their place.
    options : tuple
        What ``wb.fn`` takes behind them.
    condition, default : sqlglot.exp.Expr or None
    each : sqlglot.exp.Expr or None
        The n of each row, where the query does not say one for all.
    distinct, ignore_nulls : bool
    nulls : str
        IGNORE NULLS or RESPECT NULLS, where the query says one of them.
    written : str
        What the query calls it.
    """

    name: str = ""
    arguments: list[exp.Expr] = field(default_factory=list)
    options: tuple[Any, ...] = ()
    condition: exp.Expr | None = None
    default: exp.Expr | None = None
    each: exp.Expr | None = None
    distinct: bool = False
    ignore_nulls: bool = False
    nulls: str = ""
    written: str = ""


def read(node: exp.Expr, dialect: str, checked: bool = True) -> SqlFunction:
    """Return a function of SQL as ``wb.fn`` has it.

    Parameters
    ----------
    node : sqlglot.exp.Expr
        What stands before OVER.
    dialect : str
    checked : bool
        Whether it is refused what the function does not take.

    Returns
    -------
    SqlFunction

    Raises
    ------
    WorkbenchError
        When its arguments are such as no kernel takes.

    Examples
    --------
    >>> from workbench.queries.reading.parsing import parse_query
    >>> tree = parse_query("SELECT quantile_cont(x, [0.25, 0.75]) FILTER (y > 1)", "duckdb")
    >>> asked = read(tree.expressions[0], "duckdb")
    >>> asked.name, asked.options, asked.condition.sql()
    ('quantile', ([0.25, 0.75],), 'y > 1')
    """
    asked = SqlFunction()
    while isinstance(node, exp.Filter | exp.IgnoreNulls | exp.RespectNulls):
        if isinstance(node, exp.Filter):
            asked.condition = node.expression.this
        else:
            _say_nulls(asked, node)
        node = node.this
    asked.written = _called(node)
    if any(not isinstance(one.parent, exp.Struct) for one in node.find_all(exp.PropertyEQ)):
        raise WorkbenchError(
            f"query: {asked.written} has named arguments, which are not available; give them in "
            "their order."
        )
    _named(asked, node, dialect)
    _unwrap(asked)
    if asked.name not in CATALOGUE or (dialect == "spark" and _more(node, dialect)):
        # What the kernels do not take, Spark may.
        asked.name = ""
    if asked.name and checked:
        _check(asked, node, dialect)
    return asked


def _check(asked: SqlFunction, node: exp.Expr, dialect: str) -> None:
    """Refuse what a function does not take, and what it lacks."""
    if asked.nulls and not CATALOGUE[asked.name].picks:
        raise WorkbenchError(
            f"query: {asked.written} has no {asked.nulls}, as it gives no value of one row; "
            "leave that out."
        )
    if more := _more(node, dialect):
        raise WorkbenchError(
            f"query: {asked.written} is given {more[0].sql(dialect)}, which it does not take here."
        )
    signature = inspect.signature(getattr(fn, asked.name))
    try:
        signature.bind(*asked.arguments, *asked.options)
    except TypeError:
        takes = len(signature.parameters) - len(asked.options)
        raise WorkbenchError(
            f"query: {asked.written} takes {takes} column{'s' * (takes > 1)} and is given "
            f"{len(asked.arguments)}."
        ) from None


def _more(node: exp.Expr, dialect: str) -> list[exp.Expr]:
    """What a call has beside the arguments that are read."""
    if (read := _READ.get(type(node))) is None:
        return []
    if dialect == "duckdb" and isinstance(node, exp.Min | exp.Max):
        read = (*read, "count")
    others = [value for name, value in node.args.items() if name not in read]
    found = [one for value in others for one in (value if isinstance(value, list) else [value])]
    return [one for one in found if isinstance(one, exp.Expr) and not isinstance(one, exp.Order)]


def _say_nulls(asked: SqlFunction, node: exp.Expr) -> None:
    asked.ignore_nulls |= isinstance(node, exp.IgnoreNulls)
    asked.nulls = "IGNORE NULLS" if isinstance(node, exp.IgnoreNulls) else "RESPECT NULLS"


def _called(node: exp.Expr) -> str:
    if isinstance(node, exp.WithinGroup):
        return _called(node.this)
    named = isinstance(node, exp.Anonymous | exp.AnonymousAggFunc | exp.ParameterizedAgg)
    if named:
        return str(node.this).lower()
    return str(node.sql_name()).lower() if isinstance(node, exp.Func) else node.key


def _named(asked: SqlFunction, node: exp.Expr, dialect: str) -> None:
    """Fill in what a function is, by its class or its name."""
    kind = type(node)
    parameters = isinstance(node, exp.ParameterizedAgg)
    if not parameters and dialect in NAMED and (other := NAMED[dialect].get(asked.written)):
        asked.name, asked.arguments = other, _given(node)
        # Only ClickHouse's groupArray and anyLast are named so, and leave out nulls.
        asked.ignore_nulls |= other in ("array_agg", "last") and not asked.nulls
    elif kind in RANKS:
        asked.name = RANKS[kind]
    elif kind in ONE:
        asked.name, asked.arguments = ONE[kind], _given(node)[:1] if node.this else []
        # ClickHouse's skip nulls unless they are told not to.
        asked.ignore_nulls |= dialect == "clickhouse" and not asked.nulls and _picks(asked.name)
        _star(asked)
        _greatest(asked, node, dialect)
    elif kind in TWO:
        both = node.args.get("this"), node.args.get("expression")
        asked.name, asked.arguments = TWO[kind], [one for one in both if one is not None]
    elif found := _OTHERS.get(kind):
        found(asked, node, dialect)


def _given(node: exp.Expr) -> list[exp.Expr]:
    if isinstance(node, exp.Anonymous | exp.AnonymousAggFunc):
        return list(node.expressions)
    return [one for one in node.iter_expressions() if isinstance(one, exp.Expr)]


def _picks(name: str) -> bool:
    return CATALOGUE[name].picks


def _star(asked: SqlFunction) -> None:
    if asked.arguments and isinstance(asked.arguments[0], exp.Star):
        asked.arguments = []


def _greatest(asked: SqlFunction, node: exp.Expr, dialect: str) -> None:
    """DuckDB's ``max(x, 3)``: the three greatest."""
    if dialect == "duckdb" and (count := node.args.get("count")) is not None:
        k = whole(count, f"how many values {asked.written} gives")
        asked.name, asked.options = {"max": "top_k", "min": "bottom_k"}[asked.name], (k,)


def _unwrap(asked: SqlFunction) -> None:
    """Take IGNORE NULLS and DISTINCT out of the arguments."""
    if len(asked.arguments) == 1 and isinstance(asked.arguments[0], exp.Distinct):
        asked.distinct, asked.arguments = True, list(asked.arguments[0].expressions)
    for k, one in enumerate(asked.arguments):
        while isinstance(one, exp.IgnoreNulls | exp.RespectNulls | exp.Distinct):
            if isinstance(one, exp.Distinct):
                asked.distinct, one = True, one.expressions[0]
            else:
                _say_nulls(asked, one)
                one = one.this
        asked.arguments[k] = one


def _quantile(asked: SqlFunction, node: exp.Expr, dialect: str) -> None:
    within = node.expression if isinstance(node, exp.WithinGroup) else None
    call = node.this if within is not None else node
    disc = isinstance(call, exp.PercentileDisc) or (
        isinstance(call, exp.Quantile) and dialect == "duckdb"
    )
    if within is not None:
        if not isinstance(call, exp.PercentileCont | exp.PercentileDisc):
            return
        ordered = within.expressions[0]
        column, q = ordered.this, shares(call.this)
        if ordered.args.get("desc"):
            if disc:
                # Its place from the end is another one than that of 1 - q from the beginning.
                asked.written += " of an order that goes down"
                return
            q = [1 - one for one in q] if isinstance(q, list) else 1 - q
    else:
        column = call.this
        q = shares(call.args.get("quantile") or call.args.get("expression"))
    asked.name = "quantile_disc" if disc else "quantile"
    asked.arguments, asked.options = [column], (q,)


def shares(node: exp.Expr | None) -> float | list[float]:
    """Return the shares of a quantile: one number, or a list of them.

    Raises
    ------
    WorkbenchError
        When they are none that the query says itself.
    """
    if node is None:
        return 0.5
    if isinstance(node, exp.Array | exp.Tuple):
        found = [shares(one) for one in node.expressions]
        if found and not any(isinstance(one, list) for one in found):
            return found  # type: ignore[return-value]
    try:
        return float(constant(node))
    except (TypeError, ValueError):
        raise WorkbenchError(
            f"query: {node.sql()} is no share of a quantile; write a number from 0 to 1."
        ) from None


def constant(node: exp.Expr) -> Any:
    """Return what a literal is in Python; None for NULL.

    Raises
    ------
    ValueError
        When it is no literal.

    Examples
    --------
    >>> from workbench.queries.reading.parsing import parse_query
    >>> select = parse_query("SELECT -1, 2.5, 'x', NULL, true", "duckdb")
    >>> [constant(one) for one in select.expressions]
    [-1, 2.5, 'x', None, True]
    """
    if isinstance(node, exp.Paren | exp.Cast):
        return constant(node.this)
    if isinstance(node, exp.Neg):
        return -constant(node.this)
    if isinstance(node, exp.Null):
        return None
    if isinstance(node, exp.Boolean):
        return bool(node.this)
    if not isinstance(node, exp.Literal):
        raise ValueError(node.sql())
    if node.is_string:
        return node.this
    return int(node.this) if node.this.isdigit() else float(node.this)


def whole(node: exp.Expr | None, what: str, usual: int = 1) -> int:
    """Return a whole number that the query says itself.

    Raises
    ------
    WorkbenchError
    """
    if node is None:
        return usual
    try:
        # What is put together of numbers is one.
        found = constant(simplify(node.copy()))
    except ValueError:
        found = None
    if not isinstance(found, int) or isinstance(found, bool):
        raise WorkbenchError(
            f"query: {what} is {node.sql()}; write a whole number, the same for all rows."
        )
    return found


def _shift(asked: SqlFunction, node: exp.Expr, dialect: str) -> None:
    n = _n(asked, node.args.get("offset"), f"the distance of {asked.written}")
    name = "lag" if isinstance(node, exp.Lag) else "lead"
    if n < 0:
        name, n = ("lead" if name == "lag" else "lag"), -n
    asked.name, asked.arguments, asked.options = name, [node.this], (n,)
    asked.default = node.args.get("default")
    if isinstance(asked.default, exp.Null):
        asked.default = None


def _nth(asked: SqlFunction, node: exp.Expr, dialect: str) -> None:
    n = _n(asked, node.args.get("offset"), "the place of nth_value")
    last = node.args.get("from_first") is False
    if n < 1 and dialect == "duckdb":
        asked.each, n = exp.cast(exp.null(), "BIGINT"), 1
    if asked.each is not None:
        # There is no row before the first one.
        some = exp.GT(this=asked.each.copy(), expression=exp.Literal.number(0))
        away = exp.Neg(this=exp.paren(asked.each)) if last else asked.each
        asked.each = exp.Case(ifs=[exp.If(this=some, true=away)])
    elif n < 1:
        raise WorkbenchError(f"query: nth_value has no row number {n}; write 1 or more.")
    n = -n if last else n
    asked.name, asked.arguments, asked.options = "nth", [node.this], (n,)


def _ntile(asked: SqlFunction, node: exp.Expr, dialect: str) -> None:
    if node.this is None:
        raise WorkbenchError("query: ntile has no number; write how many buckets, as in ntile(4).")
    asked.name, asked.options = "ntile", (_n(asked, node.this, "the number of ntile's buckets"),)


def _n(asked: SqlFunction, node: exp.Expr | None, what: str) -> int:
    """A whole number that the query says; 1 where each row has its own, or none has any."""
    if isinstance(node, exp.Null):
        asked.each = exp.cast(exp.null(), "BIGINT")
        return 1
    if node is not None and node.find(exp.Column) is not None:
        asked.each = node.copy()
        return 1
    return whole(node, what)


def _array(asked: SqlFunction, node: exp.Expr, dialect: str) -> None:
    if dialect != "spark":
        asked.name, asked.arguments = "array_agg", [node.this]


def _text(asked: SqlFunction, node: exp.Expr, dialect: str) -> None:
    separator = node.args.get("separator")
    try:
        text = "," if separator is None else constant(separator)
    except ValueError:
        text = None
    if not isinstance(text, str):
        raise WorkbenchError("query: the separator of string_agg must be a text in the query.")
    asked.name, asked.arguments, asked.options = "string_agg", [node.this], (text,)


def _any_value(asked: SqlFunction, node: exp.Expr, dialect: str) -> None:
    asked.name, asked.arguments, asked.ignore_nulls = "first", [node.this], True


def _spread(asked: SqlFunction, node: exp.Expr, dialect: str) -> None:
    """Those that are of a population in Spark, and of a sample in DuckDB."""
    if dialect == "duckdb":
        asked.name, asked.arguments = type(node).__name__.lower(), [node.this]


def _count_if(asked: SqlFunction, node: exp.Expr, dialect: str) -> None:
    both = [one for one in (node.this, asked.condition) if one is not None]
    asked.name, asked.condition = "count", exp.and_(*(one.copy() for one in both))


def _parameters(asked: SqlFunction, node: exp.Expr, dialect: str) -> None:
    """Functions of ClickHouse with parameters: ``quantiles(0.25, 0.5)(x)``."""
    name, columns = asked.written, list(node.args.get("params") or ())
    if name.endswith("if") and len(columns) == 2:
        name, asked.condition = name[:-2], columns.pop()
    if name not in _QUANTILES or len(columns) != 1:
        return
    q = [shares(one) for one in node.expressions]
    asked.name, asked.arguments = "quantile", columns
    asked.options = (q if name.startswith("quantiles") else q[0] if q else 0.5,)


_QUANTILES = ("quantile", "quantiles", "quantileexactinclusive", "quantilesexactinclusive")


def _combined(asked: SqlFunction, node: exp.Expr, dialect: str) -> None:
    """``sumIf(x, y > 1)``: a function that has its condition as its last argument."""
    name, given = asked.written, list(node.expressions)
    if not name.endswith("if") or not given:
        return
    asked.condition = given.pop()
    asked.name, asked.arguments = COMBINED.get(name[:-2], ""), given


#: The arguments of a class of sqlglot that are read, where it may have others.
_READ: dict[type[exp.Expr], tuple[str, ...]] = {
    **dict.fromkeys(RANKS, ()),
    **dict.fromkeys(ONE, ("this",)),
    **dict.fromkeys(TWO, ("this", "expression")),
    **dict.fromkeys((exp.Lag, exp.Lead), ("this", "offset", "default")),
    **dict.fromkeys((exp.Ntile, exp.ArrayAgg, exp.AnyValue, exp.CountIf), ("this",)),
    exp.NthValue: ("this", "offset"),
    exp.GroupConcat: ("this", "separator"),
}
_OTHERS: dict[type[exp.Expr], Any] = {
    **dict.fromkeys((exp.PercentileCont, exp.PercentileDisc, exp.Quantile), _quantile),
    exp.WithinGroup: _quantile,
    exp.Lag: _shift, exp.Lead: _shift, exp.NthValue: _nth, exp.Ntile: _ntile,
    exp.ArrayAgg: _array,
    exp.GroupConcat: _text, exp.AnyValue: _any_value, exp.CountIf: _count_if,
    exp.Skewness: _spread, exp.Kurtosis: _spread,
    exp.ParameterizedAgg: _parameters, exp.CombinedParameterizedAgg: _parameters,
    exp.CombinedAggFunc: _combined,
}  # fmt: skip
