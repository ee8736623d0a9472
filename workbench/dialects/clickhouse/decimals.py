"""Decimals of ClickHouse, which cut off what they have no digits for, where Spark rounds."""

from sqlglot import exp

from workbench.dialects.kinds import Kinds, kind_of
from workbench.dialects.writing import filled_in

#: How many digits there are, by the name of what makes decimals.
DIGITS = {"todecimal32": 9, "todecimal64": 18, "todecimal128": 38}
#: How a number times ten to some power becomes an integer.
_CUT = {"decimal": "(({0}) DIV 1)", "double": "BIGINT({0})", "float": "BIGINT({0})"}


def to_decimal(node: exp.Expr, given: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    """Return a number as a decimal of some digits behind its point; None of what is no number."""
    if len(given) != 2 or not isinstance(given[1], exp.Literal) or given[1].is_string:
        return None
    scale, digits = int(given[1].this), DIGITS[node.name.lower()]
    kind = kind_of(node, given[0], kinds)
    if kind in ("byte", "short", "integer", "long"):
        return filled_in(f"CAST(:a AS DECIMAL({digits}, {scale}))", a=given[0])
    if kind not in _CUT:
        return None
    cut = _CUT[kind].format(f"(:a) * {10**scale}")
    whole = f"CAST({cut} AS DECIMAL({38 - scale}, 0))"
    one = f"CAST('1E-{scale}' AS DECIMAL({scale + 1}, {scale}))"
    return filled_in(f"CAST({whole} * {one} AS DECIMAL({digits}, {scale}))", a=given[0])
