"""Patterns of DuckDB's GLOB as regular expressions."""

from sqlglot import exp

from workbench.dialects.kinds import Kinds
from workbench.dialects.templates import fill_template
from workbench.errors import WorkbenchError


def glob(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return whether a text matches a pattern of GLOB: ``t GLOB 'a*'``."""
    pattern = node.expression
    expression = to_regular_expression(pattern.this) if isinstance(pattern, exp.Literal) else None
    if expression is None:
        raise WorkbenchError(
            f"query: GLOB {pattern.sql()} is not available, as Spark has only regular expressions; "
            "give a constant pattern of letters, *, ? and [...]."
        )
    # DuckDB matches bytes: a letter with an accent is two of them.
    byte_letters = "DECODE(ENCODE(:text, 'UTF-8'), 'ISO-8859-1')"
    return fill_template(
        f"{byte_letters} RLIKE :pattern", text=node.this, pattern=exp.Literal.string(expression)
    )


def to_regular_expression(pattern: str) -> str | None:
    r"""Return a pattern of GLOB as a regular expression over bytes; None if it is incomplete.

    Examples
    --------
    >>> to_regular_expression("a*[!x-z]"), to_regular_expression("[a")
    ('(?s)\\Aa.*[^x-z]\\z', None)
    """
    expression, rest = "", pattern.encode("utf-8").decode("latin-1")
    while rest:
        one, rest = rest[0], rest[1:]
        if one == "[":
            # A closing bracket that comes first is one of the letters.
            start = 1 + rest.startswith("!")
            end = rest.find("]", start)
            if end < 0:
                return None
            expression += _character_class(rest[start - 1 : end], start > 1)
            rest = rest[end + 1 :]
        elif one == "\\":
            if not rest:
                return None
            expression, rest = expression + _escape_letter(rest[0]), rest[1:]
        else:
            expression += {"*": ".*", "?": "."}.get(one) or _escape_letter(one)
    return rf"(?s)\A{expression}\z"


def _character_class(letters: str, is_negated: bool) -> str:
    """Return a character class of letters and ranges of letters, or its complement."""
    ranges, index = "", 0
    while index < len(letters):
        first, rest = letters[index], letters[index + 1 : index + 3]
        is_range = len(rest) == 2 and rest[0] == "-"
        last = rest[1] if is_range else first
        if first <= last:
            ranges += _escape_letter(first) + (f"-{_escape_letter(last)}" if is_range else "")
        index += 3 if is_range else 1
    if not ranges:
        return "." if is_negated else "(?!)"
    return f"[{'^' if is_negated else ''}{ranges}]"


def _escape_letter(one: str) -> str:
    return one if one.isascii() and one.isalnum() else f"\\x{ord(one):02x}"
