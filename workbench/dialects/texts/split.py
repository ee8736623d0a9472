"""What patterns and separators make of a text, as Postgres has it: lists of its parts."""

import re

from sqlglot import exp

from workbench.dialects.kinds import Kinds
from workbench.dialects.texts.patterns import with_flags
from workbench.dialects.writing import anonymous, fill_template
from workbench.errors import WorkbenchError

#: A group that may have no part in what is found, of which Spark gives an empty text.
_MAY_LACK = re.compile(r"\)[?*{]|\|")


def matched(name: str, given: list[exp.Expr]) -> exp.Expr:
    """Return the groups of the first place of a pattern, or all of the place; null where is none.

    Raises
    ------
    WorkbenchError
        When the pattern is no constant, or a group of it may have no part in what is found.

    Examples
    --------
    >>> given = [exp.column("s"), exp.Literal.string("b+")]
    >>> print(matched("regexp_match", given).sql("spark"))
    CASE WHEN (s) RLIKE 'b+' THEN ARRAY(REGEXP_EXTRACT(s, 'b+', 0)) END
    """
    text, pattern, *flags = given
    try:
        groups = re.compile(pattern.this).groups if isinstance(pattern, exp.Literal) else -1
    except re.error:
        groups = -1
    if groups < 0 or (groups and _MAY_LACK.search(pattern.this)):
        raise WorkbenchError(
            f"query: {name} takes a constant pattern here, and with groups none of | and of groups "
            "that may be left out; take substring(x from pattern) for each part."
        )
    flagged = with_flags(pattern, flags[0] if flags else None)
    parts = [
        anonymous("REGEXP_EXTRACT", text, flagged, exp.Literal.number(k))
        for k in (range(1, groups + 1) if groups else [0])
    ]
    found = fill_template("(:text) RLIKE :pattern", text=text, pattern=flagged)
    return exp.Case(ifs=[exp.If(this=found, true=anonymous("ARRAY", *parts))])


def split_by_pattern(given: list[exp.Expr]) -> exp.Expr:
    text, pattern, *flags = given
    return anonymous("SPLIT", text, with_flags(pattern, flags[0] if flags else None))


def split_by_text(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """The parts of a text between separators: ``string_to_array(s, ',')``."""
    text, by, none = node.this, node.expression, node.args.get("null")
    if dialect == "duckdb":
        return None
    if isinstance(by, exp.Null):
        found = fill_template("SPLIT(:text, '')", text=text)
    else:
        quoted = fill_template("CONCAT('\\\\Q', :by, '\\\\E')", by=by)
        found = fill_template(
            "IF((:by) = '', ARRAY(:text), SPLIT(:text, :quoted))", text=text, by=by, quoted=quoted
        )
    found = fill_template(
        "IF((:text) = '', SLICE(ARRAY(:text), 1, 0), :found)", text=text, found=found
    )
    if none is not None:
        found = fill_template(
            "TRANSFORM(:found, one -> NULLIF(one, :none))", found=found, none=none
        )
    return found
