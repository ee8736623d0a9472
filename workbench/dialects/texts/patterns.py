"""Regular expressions of other systems as Spark has them: their flags, and what is put instead."""

import re

from sqlglot import exp

from workbench.dialects.kinds import Kinds
from workbench.dialects.writing import anonymous, fill_template
from workbench.errors import WorkbenchError

#: What a flag says, by what stands in front of Java's patterns; "g" is of what replaces.
_FLAGS = {"i": "(?i)", "s": "(?s)", "c": "", "g": ""}


def with_flags(pattern: exp.Expr, flags: exp.Expr | None) -> exp.Expr:
    """Return a pattern that holds what its flags say.

    Raises
    ------
    WorkbenchError
        When a flag is not known, or none that the query says itself.

    Examples
    --------
    >>> flags = exp.Literal.string("gi")
    >>> with_flags(exp.Literal.string("a+"), flags).sql()
    "'(?i)a+'"
    """
    given = flags.this if isinstance(flags, exp.Literal) else "" if flags is None else "?"
    if unknown := [one for one in given if one not in _FLAGS]:
        raise WorkbenchError(
            f"query: a regular expression has the flag {unknown[0]!r}, which is not available; "
            "there are 'c', 'g', 'i' and 's', in quotes."
        )
    return _joined("".join(_FLAGS[one] for one in given), pattern, "")


def first_group(pattern: exp.Literal) -> int:
    """Return the number of a pattern's first group: 0, which is all of it, where it has none.

    Raises
    ------
    WorkbenchError
        When it is no pattern.

    Examples
    --------
    >>> [first_group(exp.Literal.string(one)) for one in ("(a)b", "ab")]
    [1, 0]
    """
    try:
        return int(re.compile(pattern.this).groups > 0)
    except re.error:
        raise WorkbenchError(f"query: {pattern.sql()} is no regular expression.") from None


def without_case(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Whether a text has a pattern, whatever the case of letters."""
    pattern = with_flags(node.expression, exp.Literal.string("i"))
    return exp.RegexpLike(this=node.this.copy(), expression=pattern)


def like(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """A pattern of LIKE, whose backslashes stand before wildcards and backslashes alone to Spark.

    Elsewhere one is a backslash to ClickHouse, and nothing to Postgres; to DuckDB each is one
    unless ESCAPE says otherwise.
    """
    escape, of = "\\", node.parent
    if isinstance(of, exp.Escape):
        if not isinstance(of.expression, exp.Literal) or len(of.expression.this) != 1:
            return None
        escape = of.expression.this
    elif dialect == "duckdb":
        escape = ""
    patterns = node.expression
    several = isinstance(patterns, exp.Any | exp.All | exp.Tuple)
    for pattern in list(patterns.find_all(exp.Literal)) if several else [patterns]:
        if isinstance(pattern, exp.Literal):
            pattern.replace(exp.Literal.string(_escaped(pattern.this, escape, dialect)))
        elif not isinstance(of, exp.Escape):
            pattern.replace(_escaped_by_row(pattern.copy(), dialect))
    return None


def _escaped(pattern: str, escape: str, dialect: str) -> str:
    """A pattern of LIKE in which what escapes stands before what needs it, and nowhere else."""
    if not escape:
        return pattern.replace("\\", "\\\\")
    pieces = re.split(f"{re.escape(escape)}(.)", pattern, flags=re.DOTALL)
    if pieces[-1].endswith(escape):
        raise WorkbenchError(
            f"query: the pattern {pattern!r} of LIKE ends with what escapes a letter; write it "
            "twice, or leave it out."
        )
    plain = f"{escape}{escape}" if dialect == "clickhouse" else ""
    for k in range(1, len(pieces), 2):
        special = pieces[k] in ("%", "_", escape)
        pieces[k] = f"{escape if special else plain}{pieces[k]}"
    return "".join(pieces)


def _escaped_by_row(pattern: exp.Expr, dialect: str) -> exp.Expr:
    """The same of a pattern that each row has for itself."""
    if dialect == "duckdb":
        one, two = map(exp.Literal.string, ("\\", "\\\\"))
        return fill_template("REPLACE(:of, :one, :two)", of=pattern, one=one, two=two)
    before = r"\G([^\\]*+(?:\\[%_\\][^\\]*+)*+)\\([^%_\\])"
    instead = r"$1\\\\$2" if dialect == "clickhouse" else "$1$2"
    return anonymous("REGEXP_REPLACE", pattern, *map(exp.Literal.string, (before, instead)))


def replaced(node: exp.Expr, every: bool, written: str) -> exp.Expr:
    r"""Return what replaces the places of a pattern in a text, all of them or the first one.

    Parameters
    ----------
    node : sqlglot.exp.RegexpReplace
    every : bool
    written : str
        What the query calls it.

    Raises
    ------
    WorkbenchError

    Examples
    --------
    >>> from sqlglot import parse_one
    >>> node = parse_one(r"regexp_replace(x, '(a)', '<\1>')", read="duckdb")
    >>> print(replaced(node, True, "regexp_replace").sql("duckdb"))
    REGEXP_REPLACE(x, '(a)', '<$1>')
    """
    pattern = with_flags(node.expression, node.args.get("modifiers"))
    instead = node.args.get("replacement") or exp.Literal.string("")
    if isinstance(instead, exp.Literal):
        instead = exp.Literal.string(_java(instead.this, 0 if every else 2))
    elif not every:
        raise WorkbenchError(
            f"query: {written} of the first place puts a constant text instead here; give 'g' "
            "for all places, or write the text."
        )
    if not every:
        # What stands before the first place is kept, by a group in front of those of the pattern.
        pattern = _joined(r"\A([\s\S]*?)(", pattern, ")")
        instead = exp.Literal.string(f"$1{instead.this}")
    return anonymous("REGEXP_REPLACE", node.this, pattern, instead)


def _joined(before: str, pattern: exp.Expr, behind: str) -> exp.Expr:
    if isinstance(pattern, exp.Literal):
        return exp.Literal.string(f"{before}{pattern.this}{behind}")
    if not before and not behind:
        return pattern.copy()
    return fill_template(
        "CONCAT(:before, :pattern, :behind)",
        before=exp.Literal.string(before), pattern=pattern, behind=exp.Literal.string(behind),
    )  # fmt: skip


def _java(text: str, more: int) -> str:
    r"""Text with groups as ``\1`` as Java has them, whose numbers are some more."""
    pieces = re.split(r"\\([0-9\\&])", text)
    found = pieces[0].replace("\\", "\\\\").replace("$", "\\$")
    for said, rest in zip(pieces[1::2], pieces[2::2], strict=True):
        if said == "\\":
            found += "\\\\"
        else:
            found += f"${(0 if said == '&' else int(said)) + more}"
        rest = rest.replace("\\", "\\\\").replace("$", "\\$")
        # A digit behind a group's number is none of it.
        found += "\\" + rest if rest[:1].isdigit() and said != "\\" else rest
    return found
