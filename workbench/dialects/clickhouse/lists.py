"""ClickHouse's functions of lists: sums so far, differences, and maps of several lists."""

from sqlglot import exp

from workbench.dialects.kinds import INTEGERS, Kinds, kind_of
from workbench.dialects.writing import anonymous, filled_in

#: What a sum of elements is held in, by the type of an element.
_SUMS = {
    **dict.fromkeys(INTEGERS, "BIGINT"),
    **dict.fromkeys(("double", "float"), "DOUBLE"),
}


def sums_so_far(node: exp.Expr, given: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    """``arrayCumSum``: for each element the sum of those up to it."""
    if (listed := _listed(given)) is None or (held := _held(node, listed, kinds)) is None:
        return None
    return filled_in(
        f"AGGREGATE(:of, CAST(ARRAY() AS ARRAY<{held}>), (so_far, one) -> "
        "ARRAY_APPEND(so_far, COALESCE(TRY_ELEMENT_AT(so_far, -1), 0) + one))",
        of=listed,
    )


def differences(node: exp.Expr, given: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    """``arrayDifference``: for each element how far it is from the one before it."""
    if (listed := _listed(given)) is None or (held := _held(node, listed, kinds)) is None:
        return None
    before = "SLICE(ARRAY_PREPEND(:of, TRY_ELEMENT_AT(:of, 1)), 1, SIZE(:of))"
    return filled_in(f"ZIP_WITH(:of, {before}, (a, b) -> {held}(a) - {held}(b))", of=listed)


def mapped(node: exp.Expr, given: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    """``arrayMap`` of several lists, whose elements at the same place are taken together."""
    function, *lists = given
    names = [one.name for one in function.expressions] if isinstance(function, exp.Lambda) else []
    if len(lists) != len(names) or not lists:
        return None
    if len(lists) == 1:
        return anonymous("TRANSFORM", lists[0], function)
    if len(lists) == 2:
        return anonymous("ZIP_WITH", *lists, function)
    return None


def _listed(given: list[exp.Expr]) -> exp.Expr | None:
    """The list of a call, or what its function makes of one."""
    if len(given) == 1:
        return given[0]
    is_map = len(given) == 2 and isinstance(given[0], exp.Lambda)
    return anonymous("TRANSFORM", given[1], given[0]) if is_map else None


def _held(node: exp.Expr, listed: exp.Expr, kinds: Kinds) -> str | None:
    element = anonymous("TRY_ELEMENT_AT", listed, exp.Literal.number(1))
    return _SUMS.get(kind_of(node, element, kinds))
