"""Patterns of DuckDB's GLOB as regular expressions."""

from sqlglot import exp

from workbench.dialects.kinds import Kinds
from workbench.dialects.writing import fill_template
from workbench.errors import WorkbenchError


def glob(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Whether a text is what a pattern says, letter by letter: ``t GLOB 'a*'``."""
    pattern = node.expression
    found = regular(pattern.this) if isinstance(pattern, exp.Literal) else None
    if found is None:
        raise WorkbenchError(
            f"query: GLOB {pattern.sql()} is not available, as Spark has regular expressions "
            "alone; give a constant pattern of letters, *, ? and [...]."
        )
    # DuckDB goes by bytes: a letter with an accent is two of them.
    one_letter_a_byte = "DECODE(ENCODE(:text, 'UTF-8'), 'ISO-8859-1')"
    return fill_template(
        f"{one_letter_a_byte} RLIKE :pattern", text=node.this, pattern=exp.Literal.string(found)
    )


def regular(pattern: str) -> str | None:
    r"""Return a pattern as a regular expression of bytes; None where it does not come to its end.

    Examples
    --------
    >>> regular("a*[!x-z]"), regular("[a")
    ('(?s)\\Aa.*[^x-z]\\z', None)
    """
    found, rest = "", pattern.encode("utf-8").decode("latin-1")
    while rest:
        one, rest = rest[0], rest[1:]
        if one == "[":
            # A bracket that comes first is one of the letters.
            begin = 1 + rest.startswith("!")
            end = rest.find("]", begin)
            if end < 0:
                return None
            found += _any_of(rest[begin - 1 : end], begin > 1)
            rest = rest[end + 1 :]
        elif one == "\\":
            if not rest:
                return None
            found, rest = found + _letter(rest[0]), rest[1:]
        else:
            found += {"*": ".*", "?": "."}.get(one) or _letter(one)
    return rf"(?s)\A{found}\z"


def _any_of(letters: str, but: bool) -> str:
    """One of some letters and ranges of them, or any other."""
    found, place = "", 0
    while place < len(letters):
        first, to = letters[place], letters[place + 1 : place + 3]
        is_range = len(to) == 2 and to[0] == "-"
        last = to[1] if is_range else first
        if first <= last:
            found += _letter(first) + (f"-{_letter(last)}" if is_range else "")
        place += 3 if is_range else 1
    if not found:
        return "." if but else "(?!)"
    return f"[{'^' if but else ''}{found}]"


def _letter(one: str) -> str:
    return one if one.isascii() and one.isalnum() else f"\\x{ord(one):02x}"
