"""ClickHouse's functions of lists: sums so far, differences, and maps of several lists."""

from sqlglot import exp

from workbench.dialects.kinds import INTEGERS, Kinds, kind_of
from workbench.dialects.writing import anonymous, fill_template

#: What a sum of elements is held in, by the type of an element.
_SUMS = {
    **dict.fromkeys(INTEGERS, "BIGINT"),
    **dict.fromkeys(("double", "float"), "DOUBLE"),
}


def sums_so_far(node: exp.Expr, given: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    """``arrayCumSum``: for each element the sum of those up to it."""
    if (listed := _listed(given)) is None or (held := _held(node, listed, kinds)) is None:
        return None
    return fill_template(
        f"AGGREGATE(:of, CAST(ARRAY() AS ARRAY<{held}>), (so_far, one) -> "
        "ARRAY_APPEND(so_far, COALESCE(TRY_ELEMENT_AT(so_far, -1), 0) + one))",
        of=listed,
    )


def differences(node: exp.Expr, given: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    """``arrayDifference``: for each element how far it is from the one before it."""
    if (listed := _listed(given)) is None or (held := _held(node, listed, kinds)) is None:
        return None
    before = "SLICE(ARRAY_PREPEND(:of, TRY_ELEMENT_AT(:of, 1)), 1, SIZE(:of))"
    return fill_template(f"ZIP_WITH(:of, {before}, (a, b) -> {held}(a) - {held}(b))", of=listed)


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


#: What becomes of the elements that a function of them chooses, and of what it makes of all.
CHOOSE = {
    "arrayfilter": ":chosen",
    "arraycount": "SIZE(:chosen)",
    "arrayfirst": "TRY_ELEMENT_AT(:chosen, 1)",
    "arraylast": "TRY_ELEMENT_AT(:chosen, -1)",
    "arrayexists": "COALESCE(EXISTS(:made, each_ -> BOOLEAN(each_)), FALSE)",
    "arrayall": "FORALL(:made, each_ -> COALESCE(BOOLEAN(each_), FALSE))",
    "arrayfirstindex": "ARRAY_POSITION(TRANSFORM(:made, each_ -> BOOLEAN(each_)), TRUE)",
    "arraylastindex": "IF(COALESCE(EXISTS(:made, each_ -> BOOLEAN(each_)), FALSE), SIZE(:made) + 1 "
    "- ARRAY_POSITION(REVERSE(TRANSFORM(:made, each_ -> BOOLEAN(each_))), TRUE), 0)",
}


def chosen(node: exp.Expr, given: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    """The elements for which a function of one or two lists holds, or their number or places."""
    if len(given) < 2 or (made := mapped(node, given, kinds)) is None:
        return None
    pairs = "ZIP_WITH(:of, :made, (one_, is_) -> STRUCT(one_, is_))"
    rows = f"TRANSFORM(FILTER({pairs}, each_ -> BOOLEAN(each_.is_)), each_ -> each_.one_)"
    template = CHOOSE[node.name.lower()].replace(":chosen", rows)
    return fill_template(template, of=given[1], made=made)


def sorted_by(node: exp.Expr, given: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    """A list in the order of what a function makes of its elements, nulls last."""
    if len(given) < 2 or (made := mapped(node, given, kinds)) is None:
        return None
    down = "reverse" in node.name.lower()
    before, behind = ("1", "-1") if down else ("-1", "1")
    order = (
        "(a_, b_) -> CASE WHEN a_.by_ IS NULL AND b_.by_ IS NULL THEN a_.at_ - b_.at_ "
        "WHEN a_.by_ IS NULL THEN 1 WHEN b_.by_ IS NULL THEN -1 "
        f"WHEN a_.by_ < b_.by_ THEN {before} WHEN a_.by_ > b_.by_ THEN {behind} "
        "ELSE a_.at_ - b_.at_ END"
    )
    rows = (
        "ZIP_WITH(:made, TRANSFORM(:of, (one_, at_) -> STRUCT(one_, at_)), "
        "(by_, of_) -> STRUCT(by_, of_.at_ AS at_, of_.one_ AS one_))"
    )
    return fill_template(
        f"TRANSFORM(ARRAY_SORT({rows}, {order}), each_ -> each_.one_)", of=given[1], made=made
    )


def mean(node: exp.Expr, given: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    """``arrayAvg``: the mean of a list, or of what a function makes of one."""
    if (listed := _listed(given)) is None:
        return None
    return fill_template(
        "AGGREGATE(:of, DOUBLE(0), (sum_, each_) -> sum_ + each_) / NULLIF(DOUBLE(SIZE(:of)), 0)",
        of=listed,
    )


def total(node: exp.Expr, kinds: Kinds) -> exp.Expr | None:
    """``arraySum``: the sum of a list, or of what a function makes of one."""
    parts = (node.this, node.expression)
    listed = _listed([one for one in parts if isinstance(one, exp.Expr)])
    if listed is None or (held := _held(node, listed, kinds)) is None:
        return None
    return fill_template(
        f"AGGREGATE(:of, {held}(0), (sum_, each_) -> sum_ + {held}(each_))", of=listed
    )


def _listed(given: list[exp.Expr]) -> exp.Expr | None:
    """The list of a call, or what its function makes of one."""
    if len(given) == 1:
        return given[0]
    is_map = len(given) == 2 and isinstance(given[0], exp.Lambda)
    return anonymous("TRANSFORM", given[1], given[0]) if is_map else None


def _held(node: exp.Expr, listed: exp.Expr, kinds: Kinds) -> str | None:
    element = anonymous("TRY_ELEMENT_AT", listed, exp.Literal.number(1))
    return _SUMS.get(kind_of(node, element, kinds))
