"""Scalar functions of ClickHouse that sqlglot parses as generic calls, rewritten for Spark."""

import re
from collections.abc import Callable

from sqlglot import exp

from workbench.dialects.clickhouse.calendar import rewrite_time_call
from workbench.dialects.clickhouse.decimals import DECIMAL_DIGITS, to_decimal
from workbench.dialects.clickhouse.lists import (
    FILTERS,
    array_avg,
    array_cum_sum,
    array_difference,
    array_filter,
    array_fold,
    array_intersect,
    array_map,
    array_resize,
    array_sort,
    array_sum,
)
from workbench.dialects.clickhouse.texts import binary_digits
from workbench.dialects.clickhouse.tuples import tuple_element
from workbench.dialects.clickhouse.urls import (
    PARTS_OF_URLS,
    URL_TEMPLATES,
    part_of_url,
    url_parameter,
)
from workbench.dialects.kinds import Kinds, kind_of
from workbench.dialects.numbers import gcd_or_lcm
from workbench.dialects.templates import anonymous, call_from_template, fill_template
from workbench.dialects.texts.functions import ONE_LINE_OF_BASE64, capitals
from workbench.dialects.texts.json_parts import (
    CLICKHOUSE_JSON,
    OF_WHOLE_JSON,
    clickhouse_json_extract,
    clickhouse_json_value,
)
from workbench.dialects.texts.patterns import first_group, regexp_replace
from workbench.errors import WorkbenchError

_ROTATION = "INT(COALESCE(PMOD(:n, NULLIF(SIZE(:a), 0)), 0))"
_ROTATED = f"CONCAT(SLICE(:a, {_ROTATION} + 1, SIZE(:a)), SLICE(:a, 1, {_ROTATION}))"
#: Templates by name and number of arguments.
_TEMPLATES: dict[tuple[str, int], str] = {
    # Texts
    ("replaceall", 3): "REPLACE(:a, :b, :c)",
    ("replaceone", 3): "CASE WHEN INSTR(:a, :b) > 0 THEN CONCAT(LEFT(:a, INSTR(:a, :b) - 1), :c, "
    "SUBSTRING(:a, INSTR(:a, :b) + CHAR_LENGTH(:b))) ELSE :a END",
    ("substringutf8", 2): "SUBSTRING(:a, :b)", ("substringutf8", 3): "SUBSTRING(:a, :b, :c)",
    ("positioncaseinsensitive", 2): "BIGINT(INSTR(LOWER(:a), LOWER(:b)))",
    ("positionutf8", 2): "BIGINT(INSTR(:a, :b))",
    **{
        (f"{side}padutf8", number): f"{side[0]}PAD(:a, :b, {filling})"
        for side in ("left", "right")
        for number, filling in ((2, "' '"), (3, "COALESCE(NULLIF(:c, ''), ' ')"))
    },
    ("hastoken", 2): "ARRAY_CONTAINS(SPLIT(:a, '[\\\\x00-/:-@\\\\[-`{-\\\\x7f]+'), :b) "
    "AND :b <> ''",
    ("splitbywhitespace", 1): "FILTER(SPLIT(:a, '[ \\\\t\\\\r\\\\n]+'), x -> x <> '')",
    ("countsubstrings", 2): "(CHAR_LENGTH(:a) - CHAR_LENGTH(REPLACE(:a, :b, ''))) "
    "DIV GREATEST(CHAR_LENGTH(:b), 1)",
    ("base64encode", 1): ONE_LINE_OF_BASE64,
    ("base64decode", 1): "STRING(UNBASE64(:a))",
    ("alphatokens", 1): "REGEXP_EXTRACT_ALL(:a, '[a-zA-Z]+', 0)",
    ("firstline", 1): "REGEXP_EXTRACT(:a, '^[^\\r\\n]*', 0)", ("tobool", 1): "BOOLEAN(:a)",
    ("multisearchany", 2): "EXISTS(:b, each_ -> CONTAINS(:a, each_))",
    ("multimatchany", 2): "EXISTS(:b, each_ -> RLIKE(:a, each_))",
    ("reverseutf8", 1): "REVERSE(:a)",
    ("tolowcardinality", 1): ":a",
    ("assumenotnull", 1): ":a", ("tonullable", 1): ":a",
    ("identity", 1): ":a", ("materialize", 1): ":a",
    # Lists
    ("arraysort", 1): "ARRAY_SORT(:a)", ("arrayreversesort", 1): "SORT_ARRAY(:a, FALSE)",
    ("arraystringconcat", 1): "ARRAY_JOIN(:a, '')",
    ("arraystringconcat", 2): "ARRAY_JOIN(:a, :b)",
    ("indexof", 2): "ARRAY_POSITION(TRANSFORM(:a, each_ -> each_ <=> :b), TRUE)",
    ("arraycount", 1): "SIZE(FILTER(:a, each_ -> BOOLEAN(each_)))",
    ("arrayzip", 2): "ARRAYS_ZIP(:a, :b)", ("arraypushfront", 2): "ARRAY_PREPEND(:a, :b)",
    ("arraypopback", 1): "SLICE(:a, 1, GREATEST(SIZE(:a) - 1, 0))",
    ("arraypopfront", 1): "SLICE(:a, 2, GREATEST(SIZE(:a) - 1, 0))",
    ("arrayproduct", 1): "IF(SIZE(:a) = 0, DOUBLE(0), "
    "AGGREGATE(:a, DOUBLE(1), (product_, each_) -> product_ * each_))",
    ("arrayenumerateuniq", 1): "TRANSFORM(:a, (each_, at_) -> "
    "SIZE(FILTER(SLICE(:a, 1, at_ + 1), other_ -> other_ <=> each_)))",
    ("arrayenumeratedense", 1): "TRANSFORM(:a, each_ -> "
    "ARRAY_POSITION(TRANSFORM(ARRAY_UNION(:a, :a), other_ -> other_ <=> each_), TRUE))",
    ("arrayrotateleft", 2): _ROTATED.replace(":n", "(:b)"),
    ("arrayrotateright", 2): _ROTATED.replace(":n", "-(:b)"),
    ("hassubstr", 2): "EXISTS(SEQUENCE(1, GREATEST(SIZE(:a) - SIZE(:b) + 1, 1)), "
    "at_ -> SLICE(:a, at_, SIZE(:b)) <=> :b)",
    ("countequal", 2): "SIZE(FILTER(:a, each_ -> each_ <=> :b))",
    ("arraywithconstant", 2): "ARRAY_REPEAT(:b, INT(:a))",
    **dict.fromkeys(
        (("arrayelement", 2), ("arrayelementornull", 2)), "TRY_ELEMENT_AT(:a, INT(NULLIF(:b, 0)))"
    ),
    ("hasany", 2): "SIZE(ARRAY_INTERSECT(:a, :b)) > 0",
    ("hasall", 2): "SIZE(ARRAY_EXCEPT(:b, :a)) = 0",
    ("arrayuniq", 1): "SIZE(ARRAY_UNION(:a, :a))", ("arraypushback", 2): "ARRAY_APPEND(:a, :b)",
    ("arrayenumerate", 1): "IF(SIZE(:a) > 0, SEQUENCE(1, SIZE(:a)), ARRAY())",
    ("range", 3): "IF(((:b) - (:a)) * (:c) > 0, SEQUENCE(:a, (:b) - INT(SIGN(:c)), :c), ARRAY())",
    ("range", 2): "IF((:b) > (:a), SEQUENCE(:a, (:b) - 1), ARRAY())",
    ("range", 1): "IF((:a) > 0, SEQUENCE(0, (:a) - 1), ARRAY())",
    # Numbers
    ("modulo", 2): "(:a) % (:b)", ("plus", 2): "(:a) + (:b)", ("minus", 2): "(:a) - (:b)",
    ("multiply", 2): "(:a) * (:b)", ("divide", 2): "(:a) / (:b)", ("negate", 1): "-(:a)",
    ("equals", 2): "(:a) = (:b)", ("notequals", 2): "(:a) <> (:b)", ("less", 2): "(:a) < (:b)",
    ("greater", 2): "(:a) > (:b)", ("lessorequals", 2): "(:a) <= (:b)",
    ("greaterorequals", 2): "(:a) >= (:b)",
    ("bitand", 2): "(:a) & (:b)", ("bitor", 2): "(:a) | (:b)", ("bitxor", 2): "(:a) ^ (:b)",
    ("intdivorzero", 2): "IF((:b) = 0, (:a) * 0, (:a) DIV NULLIF(:b, 0))",
    ("moduloorzero", 2): "IF((:b) = 0, (:a) * 0, (:a) % NULLIF(:b, 0))",
    ("rand32", 0): "BIGINT(RAND() * 4294967296)",
    ("log1p", 1): "CASE WHEN (:a) > -1 THEN LOG1P(:a) WHEN (:a) = -1 THEN DOUBLE('-Infinity') "
    "WHEN (:a) < -1 THEN DOUBLE('NaN') END",
    ("exp2", 1): "POWER(2, :a)", ("exp10", 1): "POWER(10, :a)",
    ("ifnotfinite", 2): "IF(ABS(:a) < DOUBLE('Infinity'), :a, :b)",
    ("isfinite", 1): "ABS(:a) < DOUBLE('Infinity')",
    ("bittest", 2): "SHIFTRIGHT(:a, INT(:b)) & 1", ("roundbankers", 1): "BROUND(:a)",
    ("roundbankers", 2): "BROUND(:a, :b)",
    ("clamp", 3): "LEAST(GREATEST(:a, :b), :c)",
    ("max2", 2): "DOUBLE(GREATEST(:a, :b))", ("min2", 2): "DOUBLE(LEAST(:a, :b))",
    ("positivemodulo", 2): "PMOD(:a, :b)", ("bitshiftleft", 2): "SHIFTLEFT(:a, INT(:b))",
    ("bitshiftright", 2): "SHIFTRIGHT(:a, INT(:b))", ("bitnot", 1): "~(:a)",
    # Maps
    ("mapfilter", 2): "MAP_FILTER(:b, :a)", ("mapfromarrays", 2): "MAP_FROM_ARRAYS(:a, :b)",
    ("mapkeys", 1): "MAP_KEYS(:a)", ("mapvalues", 1): "MAP_VALUES(:a)",
    ("mapcontains", 2): "MAP_CONTAINS_KEY(:a, :b)",
    **URL_TEMPLATES,
}  # fmt: skip
_CAST_OR_DEFAULT = re.compile(r"to(u?int(?:8|16|32|64)|float(?:32|64))or(zero|null|default)$")
_SPARK_TYPES = {
    "int8": "TINYINT", "int16": "SMALLINT", "int32": "INT", "int64": "BIGINT",
    "uint8": "SMALLINT", "uint16": "INT", "uint32": "BIGINT", "uint64": "BIGINT",
    "float32": "DOUBLE", "float64": "DOUBLE",
}  # fmt: skip


def rewrite_clickhouse_call(node: exp.Anonymous, kinds: Kinds) -> exp.Expr | None:
    """Return a call with the same meaning in Spark; None if the function is unknown.

    Parameters
    ----------
    node : sqlglot.exp.Anonymous
    kinds : Kinds

    Raises
    ------
    WorkbenchError

    Examples
    --------
    >>> from sqlglot import parse_one
    >>> node = parse_one("multiIf(x > 2, 'a', x > 1, 'b', 'c')", read="clickhouse")
    >>> print(rewrite_clickhouse_call(node, lambda node, operands: None).sql("spark"))
    CASE WHEN x > 2 THEN 'a' WHEN x > 1 THEN 'b' ELSE 'c' END
    """
    name, arguments = node.name.lower(), list(node.expressions)
    if (call := call_from_template(_TEMPLATES, name, arguments)) is not None:
        return call
    if (time := rewrite_time_call(node, kinds)) is not None:
        return time
    if (rewrite := _REWRITES.get(name)) is not None:
        return rewrite(node, arguments, kinds)
    if (or_default := _CAST_OR_DEFAULT.match(name)) and 1 <= len(arguments) <= 2:
        return _cast_or_default(or_default[1], or_default[2], arguments)
    if name in CLICKHOUSE_JSON and len(arguments) > (name not in OF_WHOLE_JSON):
        return clickhouse_json_value(node.name, arguments)
    return None


def _cast_or_default(kind: str, default: str, arguments: list[exp.Expr]) -> exp.Expr | None:
    """Return a text as a number; what ``default`` names where it is none."""
    text, *given = arguments
    value = _cast_or_null(kind, text)
    if default == "default":
        return exp.Coalesce(this=value, expressions=given or [exp.Literal.number(0)])
    if given:
        return None
    zero = "IF(:a IS NOT NULL, COALESCE(:value, 0), NULL)"
    return value if default == "null" else fill_template(zero, a=text, value=value)


def _left_or_right(node: exp.Expr, arguments: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    """Return ``leftUTF8`` and ``rightUTF8``, which count letters, as ``left`` does here."""
    if len(arguments) != 2:
        return None
    kind = exp.Left if node.name.lower().startswith("left") else exp.Right
    return kind(this=arguments[0].copy(), expression=arguments[1].copy())


def _cast_or_null(kind: str, text: exp.Expr) -> exp.Expr:
    """Return a text as a number; null if it is none, or is too large for the type."""
    # Unlike there, a cast of Spark takes blanks around a number, and a letter for its type.
    trimmed = "IF(:a RLIKE '[\\\\x00-\\\\x20]|[0-9.][dDfF]$', NULL, :a)"
    value = fill_template(f"TRY_CAST({trimmed} AS {_SPARK_TYPES[kind]})", a=text)
    if not kind.startswith("uint"):
        return value
    # Spark's type has room for more.
    most = exp.Literal.number(2 ** min(int(kind[4:]), 63) - 1)
    return fill_template("IF(:value BETWEEN 0 AND :most, :value, NULL)", value=value, most=most)


def _flatten(node: exp.Expr, arguments: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    """Return the values of lists of lists, at any depth."""
    types = kinds(node, arguments) if len(arguments) == 1 else None
    if not types:
        return None
    result, element = arguments[0], getattr(types[0], "elementType", None)
    while element is not None and element.typeName() == "array":
        result, element = anonymous("FLATTEN", result), element.elementType
    return result.copy()


def _multi_if(node: exp.Expr, arguments: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    if len(arguments) < 3 or len(arguments) % 2 == 0:
        return None
    pairs = zip(arguments[:-1:2], arguments[1::2], strict=True)
    ifs = [exp.If(this=when.copy(), true=then.copy()) for when, then in pairs]
    return exp.Case(ifs=ifs, default=arguments[-1].copy())


def _concat_with_separator(
    node: exp.Expr, arguments: list[exp.Expr], kinds: Kinds
) -> exp.Expr | None:
    return exp.ConcatWs(expressions=[one.copy() for one in arguments], safe=True, coalesce=False)


def _transform(node: exp.Expr, arguments: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    """Return ``transform``: the value at the index of a key, in constant lists."""
    if len(arguments) not in (3, 4) or not all(
        isinstance(one, exp.Array) for one in arguments[1:3]
    ):
        return None
    value, keys, values = arguments[:3]
    pairs = zip(keys.expressions, values.expressions, strict=False)
    ifs = [exp.If(this=key.copy(), true=one.copy()) for key, one in pairs]
    return exp.Case(
        this=value.copy(), ifs=ifs, default=arguments[-1 if len(arguments) > 3 else 0].copy()
    )


def _empty(node: exp.Expr, arguments: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    if len(arguments) != 1:
        return None
    kind = kind_of(node, arguments[0], kinds)
    sign = "=" if node.name.lower() == "empty" else "<>"
    template = "SIZE(:a) {} 0" if kind in ("array", "map") else "(:a) {} ''"
    return exp.paren(fill_template(template.format(sign), a=arguments[0]), copy=False)


def _replace_regexp(node: exp.Expr, arguments: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    if len(arguments) != 3:
        return None
    call = exp.RegexpReplace(this=arguments[0], expression=arguments[1], replacement=arguments[2])
    return regexp_replace(call, node.name.lower().endswith("all"), node.name)


def _initcap_utf8(node: exp.Expr, arguments: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    return capitals(arguments[0], "any") if len(arguments) == 1 else None


def _extract(node: exp.Expr, arguments: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    """Return the first group of the matches of a pattern, or the whole match without groups."""
    if len(arguments) != 2 or not isinstance(arguments[1], exp.Literal):
        return None
    name = "REGEXP_EXTRACT_ALL" if node.name.lower() == "extractall" else "REGEXP_EXTRACT"
    return fill_template(
        f"{name}(:a, :b, {first_group(arguments[1])})", a=arguments[0], b=arguments[1]
    )


def _divisor(node: exp.Expr, arguments: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    if len(arguments) != 2:
        return None
    return gcd_or_lcm(node.name.lower(), node, "clickhouse", kinds)


#: The function of a list for each aggregate of its elements.
_REDUCED = {
    "min": "ARRAY_MIN(:l)", "max": "ARRAY_MAX(:l)", "count": "SIZE(:l)",
    "uniq": "SIZE(ARRAY_UNION(:l, :l))", "uniqexact": "SIZE(ARRAY_UNION(:l, :l))",
}  # fmt: skip


def _array_reduce(node: exp.Expr, arguments: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    """Return ``arrayReduce('sum', l)``: an aggregate of the elements that are not null."""
    name = arguments[0].name.lower() if len(arguments) == 2 else ""
    non_null = fill_template("FILTER(:l, each_ -> each_ IS NOT NULL)", l=arguments[-1])
    if name in _REDUCED:
        return fill_template(_REDUCED[name], l=non_null)
    result = None
    if name == "sum":
        result = array_sum(exp.ArraySum(this=non_null), kinds, node)
    elif name == "avg":
        result = array_avg(node, [non_null], kinds)
    if result is None:
        raise WorkbenchError(
            "query: arrayReduce takes 'sum', 'avg', 'min', 'max', 'count' or 'uniq' and one list "
            "here; use arrayJoin and the aggregate for others."
        )
    return result


_REWRITES: dict[str, Callable[[exp.Expr, list[exp.Expr], Kinds], exp.Expr | None]] = {
    "multiif": _multi_if,
    **dict.fromkeys(("leftutf8", "rightutf8"), _left_or_right),
    "concatwithseparator": _concat_with_separator,
    "initcaputf8": _initcap_utf8,
    "tupleelement": tuple_element,
    "transform": _transform,
    **{f"{name}{end}": to_decimal for name in DECIMAL_DIGITS for end in ("", "ornull", "orzero")},
    "arrayreduce": _array_reduce,
    **dict.fromkeys(("gcd", "lcm"), _divisor),
    "bin": binary_digits,
    "arrayflatten": _flatten,
    "arraycumsum": array_cum_sum,
    "arraydifference": array_difference,
    "arraymap": array_map,
    "arrayavg": array_avg,
    "arrayfold": array_fold,
    "arrayintersect": array_intersect,
    "arrayresize": array_resize,
    **dict.fromkeys(("arraysort", "arrayreversesort"), array_sort),
    **dict.fromkeys(FILTERS, array_filter),
    "jsonextract": lambda node, arguments, kinds: clickhouse_json_extract(arguments),
    **dict.fromkeys(PARTS_OF_URLS, part_of_url),
    "extracturlparameter": url_parameter,
    **dict.fromkeys(("empty", "notempty"), _empty),
    **dict.fromkeys(("replaceregexpall", "replaceregexpone"), _replace_regexp),
    **dict.fromkeys(("extract", "extractall"), _extract),
}
