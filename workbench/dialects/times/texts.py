"""Texts parsed as times: ``strptime`` and ``try_strptime``, ``to_date`` and ``to_timestamp``."""

import re

from sqlglot import exp

from workbench.dialects.kinds import Kinds
from workbench.dialects.templates import anonymous, fill_template
from workbench.dialects.times.formats import LETTERS, postgres_directives, quoted_letters
from workbench.errors import WorkbenchError

#: The directives that Spark can parse.
_PARSED = "YmdjHIMSfgpbB"
_DIRECTIVE = re.compile("%-?(.)")


def parse_time_call(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    format_node, text = node.args["format"], node.this
    if dialect == "duckdb":
        return (
            parse_time(text, format_node, "strptime") if isinstance(node, exp.StrToTime) else None
        )
    sql_name = "to_timestamp" if isinstance(node, exp.StrToTime) else "to_date"
    if isinstance(format_node, exp.Literal):
        format_node = exp.Literal.string(postgres_directives(format_node.this))
        if letters := re.findall("[A-Za-z]+", _DIRECTIVE.sub("", format_node.this)):
            raise WorkbenchError(
                f"query: {letters[0]} in a format of {sql_name} has no counterpart in Spark; read "
                "years of four digits, months, days, hours, minutes and seconds."
            )
    time = parse_time(text, format_node, sql_name)
    return exp.cast(time, "DATE") if sql_name == "to_date" else time


def parse_time(text: exp.Expr, format_node: exp.Expr, sql_name: str) -> exp.Expr:
    """Return the time that a text is in one of some formats.

    Parameters
    ----------
    text : sqlglot.exp.Expr
    format_node : sqlglot.exp.Expr
        A format, or a list of formats, of which the first one that parses the text is used.
    sql_name : str
        "strptime" and the like, which fail if no format parses the text, or "try_strptime", which
        is null then.

    Raises
    ------
    WorkbenchError
        When a format is no constant, or has a part that Spark cannot parse.

    Examples
    --------
    >>> time = parse_time(exp.column("s"), exp.Literal.string("%d.%m.%Y"), "strptime")
    >>> print(time.sql("spark"))
    TO_TIMESTAMP(TRIM(s), 'd.M.yyyy')
    """
    formats = format_node.expressions if isinstance(format_node, exp.Array) else [format_node]
    if not formats or not all(isinstance(one, exp.Literal) and one.is_string for one in formats):
        raise WorkbenchError(f"query: {sql_name} takes a constant format, or a list of them, here.")
    attempts = [_parse_call(text, one.this, sql_name, "TRY_TO_TIMESTAMP") for one in formats]
    if sql_name != "try_strptime":
        attempts[-1] = _parse_call(text, formats[-1].this, sql_name, "TO_TIMESTAMP")
    return (
        exp.Coalesce(this=attempts[0], expressions=attempts[1:])
        if len(attempts) > 1
        else attempts[0]
    )


def _parse_call(text: exp.Expr, time_format: str, sql_name: str, function: str) -> exp.Expr:
    pieces = _DIRECTIVE.split(time_format)
    parts = pieces[1::2]
    if unknown := [one for one in parts if one not in (*_PARSED, "%")]:
        raise WorkbenchError(
            f"query: %{unknown[0]} in a format of {sql_name} has no counterpart in Spark; read "
            "years of four digits, months, days, hours, minutes and seconds, and compute the rest."
        )
    spark_format = "".join(
        _spark_letters(pieces, k) if k % 2 else quoted_letters(one) for k, one in enumerate(pieces)
    )
    value = fill_template("TRIM(:text)", text=text)
    if "Y" not in parts:
        # Without a year it is 1900, and 1970 in Spark.
        value, spark_format = (
            fill_template("CONCAT('1900 ', :value)", value=value),
            f"yyyy {spark_format}",
        )
    return anonymous(function, value, exp.Literal.string(spark_format))


def _spark_letters(pieces: list[str], index: int) -> str:
    directive = pieces[index]
    if directive == "%":
        return "%"
    text_before, text_after = pieces[index - 1], pieces[index + 1]
    is_adjacent = (not text_before and index > 1) or (not text_after and index + 2 < len(pieces))
    # A number has any width, unless it is next to another directive.
    return LETTERS[directive] if is_adjacent else LETTERS.get(f"-{directive}", LETTERS[directive])
