"""Numbers as bars of blocks, as DuckDB's ``bar``."""

from sqlglot import exp

from workbench.dialects.kinds import Kinds
from workbench.dialects.templates import fill_template
from workbench.errors import WorkbenchError

_BLOCKS = "\u258f\u258e\u258d\u258c\u258b\u258a\u2589\u2588"
#: The length of a bar in eighths of a block.
_EIGHTHS = (
    "CASE WHEN (:x) IS NULL OR (:low) IS NULL OR (:high) IS NULL THEN NULL "
    "WHEN ISNAN(DOUBLE(:x)) OR ISNAN(DOUBLE(:low)) OR ISNAN(DOUBLE(:high)) OR (:x) <= (:low) "
    "THEN 0 WHEN (:x) >= (:high) THEN 8 * {width} "
    "ELSE INT(FLOOR({width} * (DOUBLE(:x) - (:low)) / (DOUBLE(:high) - (:low)) * 8)) END"
)
_BAR = (
    "ELEMENT_AT(TRANSFORM(ARRAY({eighths}), eighths_ -> RPAD(CONCAT(REPEAT(:block, eighths_ DIV 8)"
    ", IF(eighths_ % 8 = 0, '', SUBSTRING(:blocks, eighths_ % 8, 1))), {width}, ' ')), 1)"
)


def bar(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return a bar whose length is the place of a number between two others.

    Raises
    ------
    WorkbenchError
        When the width is no constant.
    """
    arguments = list(node.expressions)
    if len(arguments) not in (3, 4):
        return None
    width = arguments[3].sql() if len(arguments) == 4 else "80"
    if not width.isdigit() or not 1 <= int(width) <= 1000:
        raise WorkbenchError(
            "query: the width of bar is a constant whole number from 1 to 1000 here."
        )
    x, low, high = arguments[:3]
    text = _BAR.format(eighths=_EIGHTHS.format(width=width), width=width)
    blocks, block = (exp.Literal.string(one) for one in (_BLOCKS, _BLOCKS[-1]))
    return fill_template(text, x=x, low=low, high=high, blocks=blocks, block=block)
