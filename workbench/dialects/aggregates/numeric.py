"""Aggregates of groups whose rows have no order: counts, sums, means and moments."""

from sqlglot import exp

from workbench.dialects.aggregates.call import AggregateCall, filtered, filtered_call
from workbench.dialects.aggregates.ordered import drop_order
from workbench.dialects.numbers import cast_condition_to_number
from workbench.dialects.templates import fill_template
from workbench.errors import WorkbenchError


def sum_as_number(call: AggregateCall, dialect: str) -> exp.Expr | None:
    """Make a condition within ``sum`` a number: 1 if it holds."""
    drop_order(call, dialect)
    cast_condition_to_number(call.value, "BIGINT")
    return None


def mean_as_double(call: AggregateCall, dialect: str) -> exp.Expr | None:
    """Make a mean a double; Spark rounds a mean of decimals."""
    drop_order(call, dialect)
    cast_condition_to_number(call.value, "BIGINT")
    value = call.value
    value.replace(exp.Mul(this=exp.paren(value.copy()), expression=exp.Literal.number("1e0")))
    return None


def count_if(call: AggregateCall, dialect: str) -> exp.Expr | None:
    """Return how often a condition holds; DuckDB returns null where it is never known."""
    if dialect != "duckdb":
        return None
    times = fill_template("SUM(INT(BOOLEAN(:of)))", of=call.node.this)
    return filtered(times, call.condition)


def count_distinct(call: AggregateCall, dialect: str) -> exp.Expr:
    """Return the number of distinct values, or of distinct pairs."""
    arguments = [call.node.this, *([one] if (one := call.node.args.get("accuracy")) else [])]
    distinct = exp.Distinct(expressions=[one.copy() for one in arguments])
    return filtered(exp.Count(this=distinct), call.condition)


def mode(call: AggregateCall, dialect: str) -> exp.Expr | None:
    """Return the most frequent value; of several the least, so that the result is deterministic."""
    if call.within is not None or call.node.this is None:
        return None
    if call.terms:
        raise WorkbenchError(
            "query: mode of groups takes no ORDER BY among its arguments; leave it out to get the "
            "least of the most frequent values."
        )
    return filtered_call("MODE", call.value, exp.true(), where=call.condition)


#: Sample statistics, computed from Spark's population statistics.
_SAMPLE_FORMULAS = {
    "SKEWNESS": "CASE WHEN :n > 2 THEN :pop * SQRT(DOUBLE(:n) * (:n - 1)) / (:n - 2) END",
    "KURTOSIS": "CASE WHEN :n > 3 THEN (DOUBLE(:n) - 1) / ((DOUBLE(:n) - 2) * (:n - 3)) "
    "* ((:n + 1) * :pop + 6) END",
}


def sample_moment(call: AggregateCall, dialect: str) -> exp.Expr | None:
    """Return DuckDB's skewness or kurtosis, which is of a sample."""
    if dialect != "duckdb":
        return None
    name = type(call.node).__name__.upper()
    value = call.with_distinct(call.value)
    n = filtered(exp.Count(this=value), call.condition)
    return fill_template(
        _SAMPLE_FORMULAS[name], n=n, pop=filtered_call(name, value, where=call.condition)
    )


#: Aggregates of DuckDB that are aggregates of doubles in Spark, by name.
_OF_DOUBLES = {
    "kurtosis_pop": "KURTOSIS", "favg": "AVG",
    **dict.fromkeys(("fsum", "kahan_sum", "sumkahan"), "SUM"),
}  # fmt: skip


def of_doubles(call: AggregateCall, dialect: str) -> exp.Expr | None:
    """Return an aggregate of doubles that has another name in Spark."""
    name = _OF_DOUBLES.get(call.node.name.lower()) if dialect == "duckdb" else None
    if name is None:
        return None
    if len(call.node.expressions) != 1:
        raise WorkbenchError(f"query: {call.node.name} takes one argument; give a column.")
    value = call.with_distinct(fill_template("DOUBLE(:a)", a=call.value))
    return filtered_call(name, value, where=call.condition)


def corr_or_slope(call: AggregateCall, dialect: str) -> exp.Expr | None:
    """Return a correlation or a slope: NaN where all values are equal, for which Spark has null."""
    if dialect not in ("duckdb", "clickhouse"):
        return None
    name = "CORR" if isinstance(call.node, exp.Corr) else "REGR_SLOPE"
    arguments = call.node.this, call.node.expression
    return fill_template(
        "IF(:rows > 0, COALESCE(:result, DOUBLE('NaN')), NULL)",
        rows=filtered_call("REGR_COUNT", *arguments, where=call.condition),
        result=filtered_call(name, *arguments, where=call.condition),
    )
