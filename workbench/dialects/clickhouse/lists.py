"""Functions of lists of ClickHouse: cumulative sums, differences, and lambdas of several lists."""

from functools import partial, reduce

from sqlglot import exp

from workbench.dialects.kinds import FLOATS, INTEGERS, Kinds, kind_of
from workbench.dialects.templates import anonymous, fill_template

#: The type of a sum, by the type of an element.
_SUMS = {
    **dict.fromkeys(INTEGERS, "BIGINT"),
    **dict.fromkeys(FLOATS, "DOUBLE"),
    "boolean": "BIGINT",
}


def array_cum_sum(node: exp.Expr, arguments: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    """Return ``arrayCumSum``: for each element the sum of those up to it."""
    if (values := _list_or_map(arguments)) is None or (
        sum_type := _sum_type(node, values, kinds)
    ) is None:
        return None
    return fill_template(
        f"AGGREGATE(:of, CAST(ARRAY() AS ARRAY<{sum_type}>), (so_far, one) -> "
        "ARRAY_APPEND(so_far, COALESCE(TRY_ELEMENT_AT(so_far, -1), 0) + one))",
        of=values,
    )


def array_difference(node: exp.Expr, arguments: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    """Return ``arrayDifference``: the difference of each element from the previous one."""
    if (values := _list_or_map(arguments)) is None or (
        sum_type := _sum_type(node, values, kinds)
    ) is None:
        return None
    previous = "SLICE(ARRAY_PREPEND(:of, TRY_ELEMENT_AT(:of, 1)), 1, SIZE(:of))"
    return fill_template(
        f"ZIP_WITH(:of, {previous}, (a, b) -> {sum_type}(a) - {sum_type}(b))", of=values
    )


def array_map(node: exp.Expr, arguments: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    """Return ``arrayMap`` of one or two lists; None for more."""
    function, *lists = arguments
    names = [one.name for one in function.expressions] if isinstance(function, exp.Lambda) else []
    if len(lists) != len(names) or not lists:
        return None
    if len(lists) == 1:
        return anonymous("TRANSFORM", lists[0], function)
    if len(lists) == 2:
        return anonymous("ZIP_WITH", *lists, function)
    return None


#: Templates over the elements that a lambda chooses, and over its results for all elements.
FILTERS = {
    "arrayfilter": ":chosen",
    "arraycount": "SIZE(:chosen)",
    **dict.fromkeys(("arrayfirst", "arrayfirstornull"), "TRY_ELEMENT_AT(:chosen, 1)"),
    **dict.fromkeys(("arraylast", "arraylastornull"), "TRY_ELEMENT_AT(:chosen, -1)"),
    "arrayexists": "COALESCE(EXISTS(:mapped, each_ -> BOOLEAN(each_)), FALSE)",
    "arrayall": "FORALL(:mapped, each_ -> COALESCE(BOOLEAN(each_), FALSE))",
    "arrayfirstindex": "ARRAY_POSITION(TRANSFORM(:mapped, each_ -> BOOLEAN(each_)), TRUE)",
    "arraylastindex": "IF(COALESCE(EXISTS(:mapped, each_ -> BOOLEAN(each_)), FALSE), "
    "SIZE(:mapped) + 1 "
    "- ARRAY_POSITION(REVERSE(TRANSFORM(:mapped, each_ -> BOOLEAN(each_))), TRUE), 0)",
}


def array_filter(node: exp.Expr, arguments: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    """Return the elements for which a lambda of one or two lists holds, their number or indexes."""
    if len(arguments) < 2 or (mapped_list := array_map(node, arguments, kinds)) is None:
        return None
    pairs = "ZIP_WITH(:of, :mapped, (one_, is_) -> STRUCT(one_, is_))"
    chosen_values = f"TRANSFORM(FILTER({pairs}, each_ -> BOOLEAN(each_.is_)), each_ -> each_.one_)"
    template = FILTERS[node.name.lower()].replace(":chosen", chosen_values)
    return fill_template(template, of=arguments[1], mapped=mapped_list)


def array_sort(node: exp.Expr, arguments: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    """Return a list sorted by the results of a lambda, nulls last."""
    if len(arguments) < 2 or (mapped_list := array_map(node, arguments, kinds)) is None:
        return None
    is_descending = "reverse" in node.name.lower()
    less, greater = ("1", "-1") if is_descending else ("-1", "1")
    order = (
        "(a_, b_) -> CASE WHEN a_.by_ IS NULL AND b_.by_ IS NULL THEN a_.at_ - b_.at_ "
        "WHEN a_.by_ IS NULL THEN 1 WHEN b_.by_ IS NULL THEN -1 "
        f"WHEN a_.by_ < b_.by_ THEN {less} WHEN a_.by_ > b_.by_ THEN {greater} "
        "ELSE a_.at_ - b_.at_ END"
    )
    rows = (
        "ZIP_WITH(:mapped, TRANSFORM(:of, (one_, at_) -> STRUCT(one_, at_)), "
        "(by_, of_) -> STRUCT(by_, of_.at_ AS at_, of_.one_ AS one_))"
    )
    return fill_template(
        f"TRANSFORM(ARRAY_SORT({rows}, {order}), each_ -> each_.one_)",
        of=arguments[1],
        mapped=mapped_list,
    )


def array_avg(node: exp.Expr, arguments: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    """Return ``arrayAvg``: the mean of a list, or of the results of a lambda."""
    if (values := _list_or_map(arguments)) is None:
        return None
    return fill_template(
        "AGGREGATE(:of, DOUBLE(0), (sum_, each_) -> sum_ + DOUBLE(each_)) "
        "/ NULLIF(DOUBLE(SIZE(:of)), 0)",
        of=values,
    )


def array_sum(node: exp.Expr, kinds: Kinds, place: exp.Expr | None = None) -> exp.Expr | None:
    """Return ``arraySum``: the sum of a list, or of the results of a lambda."""
    parts = (node.this, node.expression)
    values = _list_or_map([one for one in parts if isinstance(one, exp.Expr)])
    if values is None or (sum_type := _sum_type(place or node, values, kinds)) is None:
        return None
    return fill_template(
        f"AGGREGATE(:of, {sum_type}(0), (sum_, each_) -> sum_ + {sum_type}(each_))", of=values
    )


def array_slice(values: exp.Expr, start: exp.Expr, length: exp.Expr | None) -> exp.Expr:
    """Return a part of a list; a negative start counts from its end, as a negative length does.

    Examples
    --------
    >>> two = exp.Literal.number(2)
    >>> print(array_slice(exp.column("l"), two, two).sql("spark"))
    SLICE(l, 2, 2)
    """
    if _is_positive(start) and length is not None and _is_positive(length):
        return anonymous("SLICE", values, start, length)
    first = "IF((:start) < 0, SIZE(:of) + (:start) + 1, :start)"
    last = "SIZE(:of)"
    if length is not None and not isinstance(length, exp.Null):
        last = f"IF((:length) < 0, SIZE(:of) + (:length), {first} + (:length) - 1)"
    return fill_template(
        f"IF((:start) = 0, SLICE(:of, 1, 0), SLICE(:of, INT(GREATEST({first}, 1)), "
        f"INT(GREATEST({last} - GREATEST({first}, 1) + 1, 0))))",
        of=values, start=start, length=length or exp.null(),
    )  # fmt: skip


def _is_positive(node: exp.Expr) -> bool:
    """Return whether an expression is a whole number from 1 on."""
    return isinstance(node, exp.Literal) and not node.is_string and node.this.strip("0") != ""


def array_resize(node: exp.Expr, arguments: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    """Return a list cut or filled to a length; of a negative one, at its begin."""
    if len(arguments) != 3:
        # Without a value it is 0, '' or null, as the list is declared there.
        return None
    filled = "ARRAY_REPEAT(:value, INT(GREATEST(ABS(:n) - SIZE(:of), 0)))"
    kept = "INT(LEAST(ABS(:n), SIZE(:of)))"
    return fill_template(
        f"IF((:n) < 0, CONCAT({filled}, SLICE(:of, SIZE(:of) - {kept} + 1, {kept})), "
        f"CONCAT(SLICE(:of, 1, {kept}), {filled}))",
        of=arguments[0], n=arguments[1], value=arguments[2],
    )  # fmt: skip


def array_intersect(node: exp.Expr, arguments: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    """Return the elements that all lists have."""
    return reduce(partial(anonymous, "ARRAY_INTERSECT"), arguments) if arguments[1:] else None


def array_fold(node: exp.Expr, arguments: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    """Return ``arrayFold`` of one list: the last result of a lambda of a result and an element."""
    if len(arguments) != 3 or not isinstance(arguments[0], exp.Lambda):
        return None
    function, values, start = arguments
    return anonymous("AGGREGATE", values, start, function)


def _list_or_map(arguments: list[exp.Expr]) -> exp.Expr | None:
    """Return the list of a call, mapped by its lambda if there is one."""
    if len(arguments) == 1:
        return arguments[0]
    has_lambda = len(arguments) == 2 and isinstance(arguments[0], exp.Lambda)
    return anonymous("TRANSFORM", arguments[1], arguments[0]) if has_lambda else None


def _sum_type(node: exp.Expr, values: exp.Expr, kinds: Kinds) -> str | None:
    element = anonymous("TRY_ELEMENT_AT", values, exp.Literal.number(1))
    return _SUMS.get(kind_of(node, element, kinds))


def array_compact(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return the elements that differ from the one before; Spark's function removes nulls."""
    differs = "place_ = 0 OR NOT each_ <=> TRY_ELEMENT_AT(:of, place_)"
    return fill_template(f"FILTER(:of, (each_, place_) -> {differs})", of=node.this)


def array_except(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return the elements that are not in another list; Spark's function makes them distinct."""
    return fill_template(
        "FILTER(:a, each_ -> NOT EXISTS(:b, other_ -> other_ <=> each_))",
        a=node.this, b=node.expression,
    )  # fmt: skip
