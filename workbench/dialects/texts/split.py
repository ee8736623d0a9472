"""Functions that split a text into a list of its parts."""

import re

from sqlglot import exp

from workbench.dialects.kinds import Kinds
from workbench.dialects.templates import anonymous, fill_template
from workbench.dialects.texts.patterns import with_flags
from workbench.errors import WorkbenchError

#: A pattern with a group that may not take part in a match; Spark returns an empty text for it.
_OPTIONAL_GROUP = re.compile(r"\)[?*{]|\|")


def regexp_match(name: str, arguments: list[exp.Expr]) -> exp.Expr:
    """Return the groups of the first match of a pattern, or the whole match; null without one.

    Raises
    ------
    WorkbenchError
        When the pattern is no constant, or a group of it may not take part in a match.

    Examples
    --------
    >>> arguments = [exp.column("s"), exp.Literal.string("b+")]
    >>> print(regexp_match("regexp_match", arguments).sql("spark"))
    CASE WHEN (s) RLIKE 'b+' THEN ARRAY(REGEXP_EXTRACT(s, 'b+', 0)) END
    """
    text, pattern, *flags = arguments
    try:
        groups = re.compile(pattern.this).groups if isinstance(pattern, exp.Literal) else -1
    except re.error:
        groups = -1
    if groups < 0 or (groups and _OPTIONAL_GROUP.search(pattern.this)):
        raise WorkbenchError(
            f"query: {name} takes a constant pattern here, and one with groups can have neither | "
            "nor optional groups; use substring(x from pattern) for each part."
        )
    pattern_with_flags = with_flags(pattern, flags[0] if flags else None)
    parts = [
        anonymous("REGEXP_EXTRACT", text, pattern_with_flags, exp.Literal.number(k))
        for k in (range(1, groups + 1) if groups else [0])
    ]
    has_match = fill_template("(:text) RLIKE :pattern", text=text, pattern=pattern_with_flags)
    return exp.Case(ifs=[exp.If(this=has_match, true=anonymous("ARRAY", *parts))])


def regexp_split_to_array(arguments: list[exp.Expr]) -> exp.Expr:
    text, pattern, *flags = arguments
    return anonymous("SPLIT", text, with_flags(pattern, flags[0] if flags else None))


def split_by_text(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return the parts of a text between separators, which are its letters between empty ones."""
    text, separator = node.this, node.expression
    if isinstance(separator, exp.Literal) and separator.this:
        return None
    letters = fill_template("SPLIT(:text, '')", text=text)
    if isinstance(separator, exp.Literal):
        return letters
    return fill_template(
        "IF((:by) = '', :letters, SPLIT(:text, CONCAT('\\\\Q', :by, '\\\\E')))",
        text=text, by=separator, letters=letters,
    )  # fmt: skip


def string_to_array(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return the parts of a text between separators: ``string_to_array(s, ',')``."""
    text, separator, null_text = node.this, node.expression, node.args.get("null")
    if dialect == "duckdb":
        return None
    if isinstance(separator, exp.Null):
        parts = fill_template("SPLIT(:text, '')", text=text)
    else:
        quoted = fill_template("CONCAT('\\\\Q', :by, '\\\\E')", by=separator)
        parts = fill_template(
            "IF((:by) = '' AND (:text) IS NOT NULL, ARRAY(:text), SPLIT(:text, :quoted))",
            text=text,
            by=separator,
            quoted=quoted,
        )
    parts = fill_template(
        "IF((:text) = '', SLICE(ARRAY(:text), 1, 0), :result)", text=text, result=parts
    )
    if null_text is not None:
        parts = fill_template(
            "TRANSFORM(:result, one -> NULLIF(one, :none))", result=parts, none=null_text
        )
    return parts


def split_at_zero(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return ``split_part`` of DuckDB, whose part 0 is empty; Spark refuses it."""
    n = node.args["part_index"]
    if dialect != "duckdb" or (isinstance(n, exp.Literal) and n.this != "0"):
        return None
    part = "IF(:n = 0 AND :part IS NOT NULL, '', :part)"
    part_or_first = fill_template("SPLIT_PART(:s, :by, IF(:n = 0, 1, :n))", s=node.this,
                                  by=node.args["delimiter"], n=n)  # fmt: skip
    return fill_template(part, n=n, part=part_or_first)
