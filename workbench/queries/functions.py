"""A function of SQL as one of ``wb.fn``: its name, columns, options and condition."""

import inspect
from dataclasses import dataclass, field
from typing import Any

from sqlglot import exp
from sqlglot.optimizer.simplify import simplify

from workbench.dialects.aggregates.clickhouse import NULL_WITHOUT_ROWS, split_suffixes
from workbench.dialects.functions import COMBINED, NAMED, ONE, RANKS, TWO
from workbench.errors import WorkbenchError
from workbench.functions import fn
from workbench.functions.catalogue import CATALOGUE

#: Functions that may be null in Spark where a row is, and those with results of another type.
_OTHERS_IN_SPARK = (
    *("arg_min", "arg_max"),
    *("bit_and", "bit_or", "bit_xor", "quantile_disc", "regr_avgx", "regr_avgy"),
)


@dataclass
class SqlFunction:
    """A parsed function of SQL.

    Attributes
    ----------
    name : str
        The name in ``wb.fn``; empty if the kernels have no such function.
    arguments : list of sqlglot.exp.Expr
        The columns, or expressions in their place.
    options : tuple
        What ``wb.fn`` takes after them.
    condition, default : sqlglot.exp.Expr or None
    per_row_n : sqlglot.exp.Expr or None
        The n of each row, if it is not a constant.
    distinct, ignore_nulls : bool
    nulls : str
        IGNORE NULLS or RESPECT NULLS, if the query has one of them.
    sql_name : str
        The name in the query.
    """

    name: str = ""
    arguments: list[exp.Expr] = field(default_factory=list)
    options: tuple[Any, ...] = ()
    condition: exp.Expr | None = None
    default: exp.Expr | None = None
    per_row_n: exp.Expr | None = None
    distinct: bool = False
    ignore_nulls: bool = False
    nulls: str = ""
    sql_name: str = ""


def read_function(node: exp.Expr, dialect: str, checked: bool = True) -> SqlFunction:
    """Return a function of SQL as one of ``wb.fn``.

    Parameters
    ----------
    node : sqlglot.exp.Expr
        The call before OVER.
    dialect : str
    checked : bool
        Whether arguments that the function does not take are refused.

    Returns
    -------
    SqlFunction

    Raises
    ------
    WorkbenchError
        When no kernel takes its arguments.

    Examples
    --------
    >>> from workbench.queries.reading.parsing import parse_query
    >>> tree = parse_query("SELECT quantile_cont(x, [0.25, 0.75]) FILTER (y > 1)", "duckdb")
    >>> function = read_function(tree.expressions[0], "duckdb")
    >>> function.name, function.options, function.condition.sql()
    ('quantile', ([0.25, 0.75],), 'y > 1')
    """
    function = SqlFunction()
    while isinstance(node, exp.Filter | exp.IgnoreNulls | exp.RespectNulls):
        if isinstance(node, exp.Filter):
            function.condition = node.expression.this
        else:
            _set_nulls(function, node)
        node = node.this
    function.sql_name = _sql_name(node)
    if any(not isinstance(one.parent, exp.Struct) for one in node.find_all(exp.PropertyEQ)):
        raise WorkbenchError(
            f"query: {function.sql_name} has named arguments, which are not available; give them "
            "by position."
        )
    _identify(function, node, dialect)
    _unwrap(function)
    if function.name not in CATALOGUE or (dialect == "spark" and _is_spark_s_own(function, node)):
        function.name = ""
    if function.name and checked:
        _check(function, node, dialect)
    return function


def _is_spark_s_own(function: SqlFunction, node: exp.Expr) -> bool:
    """Return whether Spark takes arguments that the kernels do not, or has another answer."""
    return function.name in _OTHERS_IN_SPARK or bool(_extra_arguments(node, "spark"))


def _check(function: SqlFunction, node: exp.Expr, dialect: str) -> None:
    """Refuse arguments that a function does not take, and missing ones."""
    if function.nulls and not CATALOGUE[function.name].picks:
        raise WorkbenchError(
            f"query: {function.sql_name} has no {function.nulls}, as it does not return the value "
            "of one row; leave that out."
        )
    if extra := _extra_arguments(node, dialect):
        raise WorkbenchError(
            f"query: {function.sql_name} is given {extra[0].sql(dialect)}, which it does not take "
            "here."
        )
    signature = inspect.signature(getattr(fn, function.name))
    try:
        signature.bind(*function.arguments, *function.options)
    except TypeError:
        takes = len(signature.parameters) - len(function.options)
        raise WorkbenchError(
            f"query: {function.sql_name} takes {takes} column{'s' * (takes > 1)} and is given "
            f"{len(function.arguments)}."
        ) from None


def _extra_arguments(node: exp.Expr, dialect: str) -> list[exp.Expr]:
    """Return the arguments of a call that are not read."""
    if (known_arguments := _KNOWN_ARGUMENTS.get(type(node))) is None:
        return []
    if dialect == "duckdb" and isinstance(node, exp.Min | exp.Max):
        known_arguments = (*known_arguments, "count")
    others = [value for name, value in node.args.items() if name not in known_arguments]
    nodes = [one for value in others for one in (value if isinstance(value, list) else [value])]
    return [one for one in nodes if isinstance(one, exp.Expr) and not isinstance(one, exp.Order)]


def _set_nulls(function: SqlFunction, node: exp.Expr) -> None:
    function.ignore_nulls |= isinstance(node, exp.IgnoreNulls)
    function.nulls = "IGNORE NULLS" if isinstance(node, exp.IgnoreNulls) else "RESPECT NULLS"


def _sql_name(node: exp.Expr) -> str:
    if isinstance(node, exp.WithinGroup):
        return _sql_name(node.this)
    is_generic = isinstance(node, exp.Anonymous | exp.AnonymousAggFunc | exp.ParameterizedAgg)
    if is_generic:
        return str(node.this).lower()
    return str(node.sql_name()).lower() if isinstance(node, exp.Func) else node.key


def _identify(function: SqlFunction, node: exp.Expr, dialect: str) -> None:
    """Set the name and the arguments of a function, by its class or its name."""
    kind = type(node)
    is_parameterized = isinstance(node, exp.ParameterizedAgg)
    if (
        not is_parameterized
        and dialect in NAMED
        and (function_name := NAMED[dialect].get(function.sql_name))
    ):
        function.name, function.arguments = function_name, _arguments(node)
        _ignore_nulls_of_clickhouse(function)
    elif kind in RANKS:
        function.name = RANKS[kind]
    elif kind in ONE:
        function.name, function.arguments = ONE[kind], _arguments(node)[:1] if node.this else []
        # In ClickHouse these ignore nulls unless RESPECT NULLS is given.
        function.ignore_nulls |= (
            dialect == "clickhouse" and not function.nulls and CATALOGUE[function.name].picks
        )
        _drop_star(function)
        _top_or_bottom(function, node, dialect)
    elif kind in TWO:
        both = node.args.get("this"), node.args.get("expression")
        function.name, function.arguments = TWO[kind], [one for one in both if one is not None]
    elif fill := _FILL.get(kind):
        fill(function, node, dialect)


def _ignore_nulls_of_clickhouse(function: SqlFunction) -> None:
    """Leave nulls out of groupArray, anyIf and anyLast, which alone have these names here."""
    function.ignore_nulls |= function.name in ("array_agg", "first", "last") and not function.nulls


def _arguments(node: exp.Expr) -> list[exp.Expr]:
    if isinstance(node, exp.Anonymous | exp.AnonymousAggFunc):
        return list(node.expressions)
    return [one for one in node.iter_expressions() if isinstance(one, exp.Expr)]


def _drop_star(function: SqlFunction) -> None:
    if function.arguments and isinstance(function.arguments[0], exp.Star):
        function.arguments = []


def _top_or_bottom(function: SqlFunction, node: exp.Expr, dialect: str) -> None:
    """Read DuckDB's ``max(x, 3)``: the three greatest."""
    if dialect == "duckdb" and (count := node.args.get("count")) is not None:
        k = whole_number(count, f"the number of values of {function.sql_name}")
        function.name, function.options = {"max": "top_k", "min": "bottom_k"}[function.name], (k,)


def _unwrap(function: SqlFunction) -> None:
    """Take IGNORE NULLS and DISTINCT out of the arguments."""
    if len(function.arguments) == 1 and isinstance(function.arguments[0], exp.Distinct):
        function.distinct, function.arguments = True, list(function.arguments[0].expressions)
    for k, one in enumerate(function.arguments):
        while isinstance(one, exp.IgnoreNulls | exp.RespectNulls | exp.Distinct):
            if isinstance(one, exp.Distinct):
                function.distinct, one = True, one.expressions[0]
            else:
                _set_nulls(function, one)
                one = one.this
        function.arguments[k] = one


def _quantile(function: SqlFunction, node: exp.Expr, dialect: str) -> None:
    within = node.expression if isinstance(node, exp.WithinGroup) else None
    aggregate = node.this if within is not None else node
    is_discrete = isinstance(aggregate, exp.PercentileDisc) or (
        isinstance(aggregate, exp.Quantile) and dialect == "duckdb"
    )
    if within is not None:
        if not isinstance(aggregate, exp.PercentileCont | exp.PercentileDisc):
            return
        ordering = within.expressions[0]
        column, q = ordering.this, quantile_shares(aggregate.this)
        if ordering.args.get("desc"):
            if is_discrete:
                # Its position from the end is not that of 1 - q from the start.
                function.sql_name += " in descending order"
                return
            q = [1 - one for one in q] if isinstance(q, list) else 1 - q
    else:
        column = aggregate.this
        q = quantile_shares(aggregate.args.get("quantile") or aggregate.args.get("expression"))
    function.name = "quantile_disc" if is_discrete else "quantile"
    function.arguments, function.options = [column], (q,)


def quantile_shares(node: exp.Expr | None) -> float | list[float]:
    """Return the shares of a quantile, each from 0 to 1: one number, or a list.

    Raises
    ------
    WorkbenchError
        When they are no constants of the query.
    """
    if node is None:
        return 0.5
    if isinstance(node, exp.Array | exp.Tuple):
        parsed = [quantile_shares(one) for one in node.expressions]
        if parsed and not any(isinstance(one, list) for one in parsed):
            return parsed  # type: ignore[return-value]
    try:
        return float(constant(node))
    except (TypeError, ValueError):
        raise WorkbenchError(
            f"query: {node.sql()} is not a share of a quantile; write a number from 0 to 1."
        ) from None


def constant(node: exp.Expr) -> Any:
    """Return a literal as a value of Python; None for NULL.

    Raises
    ------
    ValueError
        When the node is no literal.

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


def whole_number(node: exp.Expr | None, description: str, default: int = 1) -> int:
    """Return a constant whole number of the query.

    Raises
    ------
    WorkbenchError
    """
    if node is None:
        return default
    try:
        # An expression of constants is one, too.
        value = constant(simplify(node.copy()))
    except ValueError:
        value = None
    if not isinstance(value, int) or isinstance(value, bool):
        raise WorkbenchError(
            f"query: {description} is {node.sql()}; write a whole number, the same for all rows."
        )
    return value


def _shift(function: SqlFunction, node: exp.Expr, dialect: str) -> None:
    n = _constant_or_column(
        function, node.args.get("offset"), f"the distance of {function.sql_name}"
    )
    name = "lag" if isinstance(node, exp.Lag) else "lead"
    if n < 0:
        name, n = ("lead" if name == "lag" else "lag"), -n
    function.name, function.arguments, function.options = name, [node.this], (n,)
    function.default = node.args.get("default")
    if isinstance(function.default, exp.Null):
        function.default = None


def _nth(function: SqlFunction, node: exp.Expr, dialect: str) -> None:
    n = _constant_or_column(function, node.args.get("offset"), "the position of nth_value")
    from_last = node.args.get("from_first") is False
    if n < 1 and dialect == "duckdb":
        function.per_row_n, n = exp.cast(exp.null(), "BIGINT"), 1
    if function.per_row_n is not None:
        # No row has a number below 1.
        is_positive = exp.GT(this=function.per_row_n.copy(), expression=exp.Literal.number(0))
        signed = exp.Neg(this=exp.paren(function.per_row_n)) if from_last else function.per_row_n
        function.per_row_n = exp.Case(ifs=[exp.If(this=is_positive, true=signed)])
    elif n < 1:
        raise WorkbenchError(f"query: nth_value has no row number {n}; write 1 or more.")
    n = -n if from_last else n
    function.name, function.arguments, function.options = "nth", [node.this], (n,)


def _ntile(function: SqlFunction, node: exp.Expr, dialect: str) -> None:
    if node.this is None:
        raise WorkbenchError("query: ntile has no number; write how many buckets, as in ntile(4).")
    buckets = _constant_or_column(function, node.this, "the number of ntile's buckets")
    function.name, function.options = "ntile", (buckets,)


def _constant_or_column(function: SqlFunction, node: exp.Expr | None, description: str) -> int:
    """Return a constant whole number; 1 for NULL or a column, which becomes ``per_row_n``."""
    if isinstance(node, exp.Null):
        function.per_row_n = exp.cast(exp.null(), "BIGINT")
        return 1
    if node is not None and node.find(exp.Column) is not None:
        function.per_row_n = node.copy()
        return 1
    return whole_number(node, description)


def _array_agg(function: SqlFunction, node: exp.Expr, dialect: str) -> None:
    if dialect != "spark":
        function.name, function.arguments = "array_agg", [node.this]


def _string_agg(function: SqlFunction, node: exp.Expr, dialect: str) -> None:
    separator = node.args.get("separator")
    try:
        text = "," if separator is None else constant(separator)
    except ValueError:
        text = None
    if not isinstance(text, str):
        raise WorkbenchError("query: the separator of string_agg must be a constant text.")
    function.name, function.arguments, function.options = "string_agg", [node.this], (text,)


def _any_value(function: SqlFunction, node: exp.Expr, dialect: str) -> None:
    # In Spark it may be null.
    function.ignore_nulls |= dialect != "spark"
    function.name, function.arguments = "first", [node.this]


def _skewness_or_kurtosis(function: SqlFunction, node: exp.Expr, dialect: str) -> None:
    """Read skewness and kurtosis, which are of a population in Spark and of a sample in DuckDB."""
    if dialect == "duckdb":
        function.name, function.arguments = type(node).__name__.lower(), [node.this]


def _count_if(function: SqlFunction, node: exp.Expr, dialect: str) -> None:
    if dialect == "duckdb":
        # Null where the condition is never known, as a sum is.
        condition = exp.cast(node.this.copy(), "BOOLEAN")
        function.name, function.arguments = "sum", [exp.cast(condition, "INT")]
        return
    conditions = [one for one in (node.this, function.condition) if one is not None]
    function.name, function.condition = "count", exp.and_(*(one.copy() for one in conditions))


def _parameterized(function: SqlFunction, node: exp.Expr, dialect: str) -> None:
    """Read a function of ClickHouse with parameters: ``quantiles(0.25, 0.5)(x)``."""
    name, columns = function.sql_name, list(node.args.get("params") or ())
    if name.endswith("if") and len(columns) == 2:
        name, function.condition = name[:-2], columns.pop()
    if name not in _QUANTILES or len(columns) != 1:
        return
    q = [quantile_shares(one) for one in node.expressions]
    function.name, function.arguments = "quantile", columns
    function.options = (q if name.startswith("quantiles") else q[0] if q else 0.5,)


_QUANTILES = ("quantile", "quantiles", "quantileexactinclusive", "quantilesexactinclusive")


def _combined(function: SqlFunction, node: exp.Expr, dialect: str) -> None:
    """Read ``sumIf(x, y > 1)`` and the like: the last argument of If is a condition."""
    name, suffixes = split_suffixes(function.sql_name)
    arguments = list(node.expressions)
    if not arguments or "ordefault" in suffixes:
        return
    if "if" in suffixes:
        function.condition = arguments.pop()
    if "ornull" in suffixes and name not in NULL_WITHOUT_ROWS:
        return
    function.distinct = "distinct" in suffixes
    function.name, function.arguments = COMBINED.get(name, ""), arguments
    _ignore_nulls_of_clickhouse(function)


#: The arguments that are read of classes of sqlglot that may have others.
_KNOWN_ARGUMENTS: dict[type[exp.Expr], tuple[str, ...]] = {
    **dict.fromkeys(RANKS, ()),
    **dict.fromkeys(ONE, ("this",)),
    **dict.fromkeys(TWO, ("this", "expression")),
    **dict.fromkeys((exp.Lag, exp.Lead), ("this", "offset", "default")),
    **dict.fromkeys((exp.Ntile, exp.ArrayAgg, exp.AnyValue, exp.CountIf), ("this",)),
    exp.NthValue: ("this", "offset"),
    exp.GroupConcat: ("this", "separator"),
}
_FILL: dict[type[exp.Expr], Any] = {
    **dict.fromkeys((exp.PercentileCont, exp.PercentileDisc, exp.Quantile), _quantile),
    exp.WithinGroup: _quantile,
    exp.Lag: _shift, exp.Lead: _shift, exp.NthValue: _nth, exp.Ntile: _ntile,
    exp.ArrayAgg: _array_agg,
    exp.GroupConcat: _string_agg, exp.AnyValue: _any_value, exp.CountIf: _count_if,
    exp.Skewness: _skewness_or_kurtosis, exp.Kurtosis: _skewness_or_kurtosis,
    exp.ParameterizedAgg: _parameterized, exp.CombinedParameterizedAgg: _parameterized,
    exp.CombinedAggFunc: _combined,
}  # fmt: skip
