"""Regular expressions and LIKE patterns of other systems, rewritten for Spark."""

import re

from sqlglot import exp

from workbench.dialects.kinds import Kinds
from workbench.dialects.templates import anonymous, fill_template
from workbench.errors import WorkbenchError

#: The prefix of a Java pattern for each flag; "g" only affects replacements.
_FLAGS = {"i": "(?i)", "s": "(?s)", "c": "", "g": ""}


def with_flags(pattern: exp.Expr, flags: exp.Expr | None) -> exp.Expr:
    """Return a pattern with its flags in it.

    Raises
    ------
    WorkbenchError
        When a flag is unknown, or no constant.

    Examples
    --------
    >>> flags = exp.Literal.string("gi")
    >>> with_flags(exp.Literal.string("a+"), flags).sql()
    "'(?i)a+'"
    """
    letters = flags.this if isinstance(flags, exp.Literal) else "" if flags is None else "?"
    if unknown := [one for one in letters if one not in _FLAGS]:
        raise WorkbenchError(
            f"query: a regular expression has the flag {unknown[0]!r}, which is not available; "
            "there are 'c', 'g', 'i' and 's', in quotes."
        )
    return _wrap_pattern("".join(_FLAGS[one] for one in letters), pattern, "")


def first_group(pattern: exp.Literal) -> int:
    """Return the number of a pattern's first group: 0, the whole match, if it has none.

    Raises
    ------
    WorkbenchError
        When it is not a regular expression.

    Examples
    --------
    >>> [first_group(exp.Literal.string(one)) for one in ("(a)b", "ab")]
    [1, 0]
    """
    try:
        return int(re.compile(pattern.this).groups > 0)
    except re.error:
        raise WorkbenchError(f"query: {pattern.sql()} is not a regular expression.") from None


def regexp_ilike(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return whether a text matches a pattern in any case."""
    pattern = with_flags(node.expression, exp.Literal.string("i"))
    return exp.RegexpLike(this=node.this.copy(), expression=pattern)


def like(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Rewrite a LIKE pattern: Spark allows backslashes before wildcards and backslashes alone.

    Before other letters, a backslash is itself in ClickHouse and dropped in Postgres; in DuckDB
    each is itself unless ESCAPE names one.
    """
    escape, parent = "\\", node.parent
    if isinstance(parent, exp.Escape):
        if not isinstance(parent.expression, exp.Literal) or len(parent.expression.this) != 1:
            return None
        escape = parent.expression.this
    elif dialect == "duckdb":
        escape = ""
    patterns = node.expression
    is_list = isinstance(patterns, exp.Any | exp.All | exp.Tuple)
    for pattern in list(patterns.find_all(exp.Literal)) if is_list else [patterns]:
        if isinstance(pattern, exp.Literal):
            pattern.replace(exp.Literal.string(_escape_pattern(pattern.this, escape, dialect)))
        elif not isinstance(parent, exp.Escape):
            pattern.replace(_escape_pattern_column(pattern.copy(), dialect))
    return None


def _escape_pattern(pattern: str, escape: str, dialect: str) -> str:
    """Return a LIKE pattern with the escape only before letters that need it."""
    if not escape:
        return pattern.replace("\\", "\\\\")
    pieces = re.split(f"{re.escape(escape)}(.)", pattern, flags=re.DOTALL)
    if pieces[-1].endswith(escape):
        raise WorkbenchError(
            f"query: the pattern {pattern!r} of LIKE ends with its escape character; write it "
            "twice, or leave it out."
        )
    escaped_backslash = f"{escape}{escape}" if dialect == "clickhouse" else ""
    for k in range(1, len(pieces), 2):
        is_special = pieces[k] in ("%", "_", escape)
        pieces[k] = f"{escape if is_special else escaped_backslash}{pieces[k]}"
    return "".join(pieces)


def _escape_pattern_column(pattern: exp.Expr, dialect: str) -> exp.Expr:
    """Return a LIKE pattern that is a column, escaped for Spark."""
    if dialect == "duckdb":
        one, two = map(exp.Literal.string, ("\\", "\\\\"))
        return fill_template("REPLACE(:of, :one, :two)", of=pattern, one=one, two=two)
    searched = r"\G([^\\]*+(?:\\[%_\\][^\\]*+)*+)\\([^%_\\])"
    replacement = r"$1\\\\$2" if dialect == "clickhouse" else "$1$2"
    return anonymous("REGEXP_REPLACE", pattern, *map(exp.Literal.string, (searched, replacement)))


def regexp_replace(node: exp.Expr, replace_all: bool, sql_name: str) -> exp.Expr:
    r"""Return a text with the matches of a pattern replaced, all of them or the first one.

    Parameters
    ----------
    node : sqlglot.exp.RegexpReplace
    replace_all : bool
    sql_name : str
        The name of the function in the query.

    Raises
    ------
    WorkbenchError

    Examples
    --------
    >>> from sqlglot import parse_one
    >>> node = parse_one(r"regexp_replace(x, '(a)', '<\1>')", read="duckdb")
    >>> print(regexp_replace(node, True, "regexp_replace").sql("duckdb"))
    REGEXP_REPLACE(x, '(a)', '<$1>')
    """
    pattern = with_flags(node.expression, node.args.get("modifiers"))
    replacement = node.args.get("replacement") or exp.Literal.string("")
    if isinstance(replacement, exp.Literal):
        replacement = exp.Literal.string(
            _java_replacement(replacement.this, 0 if replace_all else 2)
        )
    elif not replace_all:
        raise WorkbenchError(
            f"query: {sql_name} of the first match takes a constant text as the replacement here; "
            "give 'g' for all matches, or write the text."
        )
    if not replace_all:
        # A group in front of those of the pattern keeps the text before the first match.
        pattern = _wrap_pattern(r"\A([\s\S]*?)(", pattern, ")")
        replacement = exp.Literal.string(f"$1{replacement.this}")
    return anonymous("REGEXP_REPLACE", node.this, pattern, replacement)


def _wrap_pattern(prefix: str, pattern: exp.Expr, suffix: str) -> exp.Expr:
    if isinstance(pattern, exp.Literal):
        return exp.Literal.string(f"{prefix}{pattern.this}{suffix}")
    if not prefix and not suffix:
        return pattern.copy()
    return fill_template(
        "CONCAT(:before, :pattern, :behind)",
        before=exp.Literal.string(prefix), pattern=pattern, behind=exp.Literal.string(suffix),
    )  # fmt: skip


def _java_replacement(text: str, offset: int) -> str:
    r"""Return a replacement with ``\1`` as ``$1`` of Java, with an offset added to the numbers."""
    pieces = re.split(r"\\([0-9\\&])", text)
    replacement = pieces[0].replace("\\", "\\\\").replace("$", "\\$")
    for group, rest in zip(pieces[1::2], pieces[2::2], strict=True):
        if group == "\\":
            replacement += "\\\\"
        else:
            replacement += f"${(0 if group == '&' else int(group)) + offset}"
        rest = rest.replace("\\", "\\\\").replace("$", "\\$")
        # A digit after a group's number is escaped, so that it is not part of it.
        replacement += "\\" + rest if rest[:1].isdigit() and group != "\\" else rest
    return replacement
