"""Texts read as times: ``strptime`` and ``try_strptime``, ``to_date`` and ``to_timestamp``."""

import re

from sqlglot import exp

from workbench.dialects.kinds import Kinds
from workbench.dialects.times.formats import by_directives
from workbench.dialects.writing import anonymous, fill_template
from workbench.errors import WorkbenchError

#: What Spark reads a part of a time by: of any width, and beside another number.
_PARTS = {
    "Y": ("yyyy", "yyyy"), "m": ("M", "MM"), "d": ("d", "dd"), "j": ("D", "DDD"),
    "H": ("H", "HH"), "I": ("h", "hh"), "M": ("m", "mm"), "S": ("s", "ss"),
    "f": ("SSSSSS", "SSSSSS"), "g": ("SSS", "SSS"), "p": ("a", "a"),
    "b": ("MMM", "MMM"), "B": ("MMMM", "MMMM"),
}  # fmt: skip
_DIRECTIVE = re.compile("%-?(.)")


def read_time(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    given, text = node.args["format"], node.this
    if dialect == "duckdb":
        return time_of_text(text, given, "strptime") if isinstance(node, exp.StrToTime) else None
    written = "to_timestamp" if isinstance(node, exp.StrToTime) else "to_date"
    if isinstance(given, exp.Literal):
        given = exp.Literal.string(by_directives(given.this))
        if letters := re.findall("[A-Za-z]+", _DIRECTIVE.sub("", given.this)):
            raise WorkbenchError(
                f"query: {letters[0]} in a format of {written} has no counterpart in Spark; read "
                "years of four digits, months, days, hours, minutes and seconds."
            )
    found = time_of_text(text, given, written)
    return exp.cast(found, "DATE") if written == "to_date" else found


def time_of_text(text: exp.Expr, given: exp.Expr, written: str) -> exp.Expr:
    """Return the time that a text is by one of some formats.

    Parameters
    ----------
    text : sqlglot.exp.Expr
    given : sqlglot.exp.Expr
        A format, or a list of them of which the first one counts that reads the text.
    written : str
        "strptime" and the like, which fail where none reads it, or "try_strptime", which is null
        then.

    Raises
    ------
    WorkbenchError
        When a format is no constant, or has a part that Spark reads otherwise.

    Examples
    --------
    >>> found = time_of_text(exp.column("s"), exp.Literal.string("%d.%m.%Y"), "strptime")
    >>> print(found.sql("spark"))
    TO_TIMESTAMP(TRIM(s), 'd.M.yyyy')
    """
    formats = given.expressions if isinstance(given, exp.Array) else [given]
    if not formats or not all(isinstance(one, exp.Literal) and one.is_string for one in formats):
        raise WorkbenchError(f"query: {written} takes a constant format, or a list of them, here.")
    tried = [_read(text, one.this, written, "TRY_TO_TIMESTAMP") for one in formats]
    if written != "try_strptime":
        tried[-1] = _read(text, formats[-1].this, written, "TO_TIMESTAMP")
    return exp.Coalesce(this=tried[0], expressions=tried[1:]) if len(tried) > 1 else tried[0]


def _read(text: exp.Expr, given: str, written: str, word: str) -> exp.Expr:
    pieces = _DIRECTIVE.split(given)
    parts = pieces[1::2]
    if unknown := [one for one in parts if one not in (*_PARTS, "%")]:
        raise WorkbenchError(
            f"query: %{unknown[0]} in a format of {written} has no counterpart in Spark; read "
            "years of four digits, months, days, hours, minutes and seconds, and compute the rest."
        )
    found = "".join(_part(pieces, k) if k % 2 else _quoted(one) for k, one in enumerate(pieces))
    value = fill_template("TRIM(:text)", text=text)
    if "Y" not in parts:
        # Where no year is said it is 1900, and 1970 to Spark.
        value, found = fill_template("CONCAT('1900 ', :value)", value=value), f"yyyy {found}"
    return anonymous(word, value, exp.Literal.string(found))


def _part(pieces: list[str], place: int) -> str:
    one = pieces[place]
    if one == "%":
        return "%"
    before, behind = pieces[place - 1], pieces[place + 1]
    beside = (not before and place > 1) or (not behind and place + 2 < len(pieces))
    return _PARTS[one][beside]


def _quoted(text: str) -> str:
    doubled = text.replace("'", "''")
    return f"'{doubled}'" if re.search("[A-Za-z\\[\\]{}#']", text) else doubled
