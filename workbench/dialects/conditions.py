"""Conditions of Spark's SQL in another dialect, where they have the same result."""

import re
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from workbench.errors import WorkbenchError


def condition(text: Any, argument: str, dialect: str) -> exp.Expr:
    """Return a condition, written in Spark's SQL, for a dialect where it has the same result.

    Raises
    ------
    WorkbenchError
        When it is a Column or no SQL, or might silently have another result in the dialect.
    """
    if not isinstance(text, str):
        raise WorkbenchError(
            f"{argument}: {text} is a Column, whose SQL is not known; give the condition as text."
        )
    try:
        tree = sqlglot.parse_one(text, read="spark")
    except SqlglotError:
        raise WorkbenchError(f"{argument}: {text!r} cannot be read as SQL.") from None
    for node in tree.walk():
        if _differs(node, dialect):
            raise WorkbenchError(
                f"{argument}: {node.sql('spark')} may have a different answer in {dialect}; add it "
                "to the table as a column, and give its name."
            )
    if dialect == "clickhouse":
        _use_unicode_case(tree)
    return tree


def _differs(node: exp.Expr, dialect: str) -> bool:
    """Return whether a dialect silently has another result than Spark."""
    # A logarithm of 0 is null in Spark alone, which abbreviates names of months and days; numbers
    # as text and numbers of weekdays differ.
    if isinstance(node, exp.Ln | exp.Log | exp.Monthname | exp.Dayname):
        return True
    if isinstance(node, exp.TimestampDiff) or (isinstance(node, exp.DateDiff) and node.unit):
        return True  # Spark counts units that are over, the others how many begin in between
    if isinstance(node, exp.Cast) and node.to.is_type(*exp.DataType.TEXT_TYPES):
        return True
    if isinstance(node, exp.Extract):
        return node.name.upper() in ("DOW", "DAYOFWEEK", "DAYOFWEEK_ISO", "DOW_ISO")
    is_weekday = isinstance(node, exp.Anonymous) and node.name.lower() == "weekday"
    if is_weekday or isinstance(node, exp.DayOfWeek):
        return True  # 0 or 1 on Sunday or Monday
    if isinstance(node, exp.ArrayContains) and node.find_ancestor(exp.Not):
        return True  # null in Spark where the list holds a null
    return _DIFFERS[dialect](node)


def _clickhouse_differs(node: exp.Expr) -> bool:
    if isinstance(node, exp.In):  # false where Spark has null, which is the same unless negated
        has_null = any(isinstance(one, exp.Null) for one in node.expressions)
        return has_null and node.find_ancestor(exp.Not) is not None
    if isinstance(node, exp.TimeToStr):  # minutes of Spark would be the name of the month
        time_format = node.args["format"]
        # ClickHouse has no %A and %B, which are names of days and months in full.
        return not isinstance(time_format, exp.Literal) or bool(
            re.search("%[MAB]", time_format.name)
        )
    if isinstance(node, exp.Case) and node.this:  # a null equals null there
        return any(isinstance(one.this, exp.Null) for one in node.args["ifs"])
    # ClickHouse rounds ties to even, takes the bytes of a text for its letters, joins a null as an
    # empty text, returns 0 or an empty text for a missing element of a map or a list, pads digits
    # in base 2 and 16 with zeros, and returns a digest as bytes.
    letters = exp.Substring | exp.Left | exp.Right | exp.StrPosition | exp.Reverse | exp.Pad
    letters |= exp.Ascii | exp.Levenshtein | exp.Soundex
    is_bin = isinstance(node, exp.Anonymous) and node.name.lower() == "bin"
    digits = exp.Hex | exp.SHA
    return is_bin or isinstance(node, exp.Round | exp.ConcatWs | exp.Bracket | letters | digits)


def _duckdb_differs(node: exp.Expr) -> bool:
    if isinstance(node, exp.Cast):  # DuckDB rounds, Spark truncates
        return bool(node.to.is_type(*exp.DataType.INTEGER_TYPES))
    if isinstance(node, exp.Like | exp.ILike):  # DuckDB has no escape unless one is named
        return "\\" in node.expression.name
    if isinstance(node, exp.Substring):  # positions before the first letter, and negative lengths
        start, length = node.args.get("start"), node.args.get("length")
        has_constant_start = isinstance(start, exp.Literal) and start.name != "0"
        return not (has_constant_start and isinstance(length, exp.Literal | None))
    if isinstance(node, exp.Left | exp.Right):  # a negative number leaves so many letters out
        return not isinstance(node.expression, exp.Literal)
    return isinstance(node, exp.IntDiv)  # DuckDB's // takes integers alone


_DIFFERS = {"clickhouse": _clickhouse_differs, "duckdb": _duckdb_differs}


def _use_unicode_case(tree: exp.Expr) -> None:
    """Call lowerUTF8 and upperUTF8: lower and upper of ClickHouse change ASCII letters alone."""
    for node in [*tree.find_all(exp.Lower, exp.Upper)]:
        function_name = "lowerUTF8" if isinstance(node, exp.Lower) else "upperUTF8"
        node.replace(exp.Anonymous(this=function_name, expressions=[node.this]))
