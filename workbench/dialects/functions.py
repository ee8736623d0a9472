"""The names of functions of ``wb.fn`` in SQL, for reading and writing it."""

from sqlglot import exp

from workbench.functions.catalogue import CATALOGUE

#: The systems whose SQL is read.
DIALECTS = ("clickhouse", "duckdb", "postgres", "risingwave", "spark")
#: Postgres, and systems with its SQL.
POSTGRES = ("postgres", "risingwave")
#: Systems whose functions mean the same as those of Postgres.
LIKE_POSTGRES = ("duckdb", *POSTGRES)

#: Functions of one column, by sqlglot's class.
ONE: dict[type[exp.Expr], str] = {
    exp.Sum: "sum", exp.Avg: "avg", exp.Min: "min", exp.Max: "max", exp.Count: "count",
    exp.Stddev: "stddev", exp.StddevSamp: "stddev", exp.StddevPop: "stddev_pop",
    exp.Variance: "variance", exp.VariancePop: "variance_pop",
    exp.LogicalAnd: "bool_and", exp.LogicalOr: "bool_or",
    exp.BitwiseAndAgg: "bit_and", exp.BitwiseOrAgg: "bit_or", exp.BitwiseXorAgg: "bit_xor",
    exp.Mode: "mode", exp.Median: "median",
    exp.FirstValue: "first", exp.First: "first", exp.LastValue: "last", exp.Last: "last",
}  # fmt: skip
#: Functions of two columns.
TWO: dict[type[exp.Expr], str] = {
    exp.Corr: "corr", exp.CovarSamp: "covar_samp", exp.CovarPop: "covar_pop",
    exp.ArgMin: "arg_min", exp.ArgMax: "arg_max",
    exp.RegrCount: "regr_count", exp.RegrAvgx: "regr_avgx", exp.RegrAvgy: "regr_avgy",
    exp.RegrSxx: "regr_sxx", exp.RegrSyy: "regr_syy", exp.RegrSxy: "regr_sxy",
    exp.RegrSlope: "regr_slope", exp.RegrIntercept: "regr_intercept", exp.RegrR2: "regr_r2",
}  # fmt: skip
#: Functions of no column.
RANKS: dict[type[exp.Expr], str] = {
    exp.RowNumber: "row_number", exp.Rank: "rank", exp.DenseRank: "dense_rank",
    exp.PercentRank: "percent_rank", exp.CumeDist: "cume_dist",
}  # fmt: skip
#: Functions without a class in sqlglot, or whose class has another meaning in Spark, by name.
NAMED: dict[str, dict[str, str]] = {
    "duckdb": {
        "product": "product", "mad": "mad", "fill": "fill", "histogram": "histogram",
        "skewness": "skewness", "kurtosis": "kurtosis", "kurtosis_pop": "kurtosis_pop",
        "mean": "avg", "sem": "sem", "entropy": "entropy",
        "bool_and": "bool_and", "bool_or": "bool_or", "count_star": "count", "arbitrary": "first",
        "fsum": "sum", "kahan_sum": "sum", "sumkahan": "sum", "favg": "avg",
        "approx_distinct": "count_distinct",
    },
    "clickhouse": {
        "stddevsamp": "stddev", "stddevpop": "stddev_pop",
        "varsamp": "variance", "varpop": "variance_pop",
        "covarpop": "covar_pop", "covarsamp": "covar_samp",
        "grouparray": "array_agg", "anylast": "last", "denserank": "dense_rank",
        "uniqexact": "count_distinct", "uniq": "count_distinct",
        # sqlglot parses uniq as this.
        "approx_distinct": "count_distinct",
    },
    "postgres": {"every": "bool_and"}, "risingwave": {}, "spark": {},
}  # fmt: skip

#: Aggregates of ClickHouse, in lower case, that may have a suffix such as If.
COMBINED: dict[str, str] = {
    **{name: name for name in ("count", "sum", "avg", "min", "max", "median")},
    "argmin": "arg_min", "argmax": "arg_max", "any": "first",
    **NAMED["clickhouse"],
}  # fmt: skip

#: Functions that do not depend on the order of rows.
UNORDERED = frozenset(name for name, info in CATALOGUE.items() if info.any_order)


def is_named_aggregate(name: str, dialect: str) -> bool:
    """Return whether a dialect's function of :data:`NAMED` is an aggregate.

    Examples
    --------
    >>> [is_named_aggregate(one, "duckdb") for one in ("product", "fill", "lower")]
    [True, False, False]
    """
    return NAMED[dialect].get(name.lower(), "fill") != "fill"


def plain_call(name: str, arguments: list[exp.Expr], dialect: str) -> exp.Expr | None:
    """Return a call of a function that takes columns alone; None if the dialect has none.

    Parameters
    ----------
    name : str
        The name in ``wb.fn``.
    arguments : list of sqlglot.exp.Expr
    dialect : str

    Returns
    -------
    sqlglot.exp.Expr or None

    Examples
    --------
    >>> call = plain_call("variance", [exp.column("x")], "duckdb")
    >>> call.sql(dialect="duckdb"), plain_call("approx_top_k", [exp.column("x")], "duckdb")
    ('VARIANCE(x)', None)
    """
    for sql_name, function_name in NAMED[dialect].items():
        if function_name == name and sql_name == name:
            return exp.Anonymous(this=sql_name, expressions=arguments)
    if name == "count" and not arguments:
        return exp.Count(this=exp.Star())
    for table in (ONE, TWO, RANKS):
        for kind, function_name in table.items():
            if function_name == name:
                return kind(**dict(zip(("this", "expression"), arguments, strict=False)))
    return None
