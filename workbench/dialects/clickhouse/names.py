"""Scalar functions of ClickHouse that sqlglot parses as generic calls, rewritten for Spark."""

import re
from collections.abc import Callable

from sqlglot import exp

from workbench.dialects.clickhouse.decimals import DECIMAL_DIGITS, to_decimal
from workbench.dialects.clickhouse.lists import (
    FILTERS,
    array_avg,
    array_cum_sum,
    array_difference,
    array_filter,
    array_map,
    array_sort,
    array_sum,
)
from workbench.dialects.clickhouse.times import to_date_time64
from workbench.dialects.clickhouse.tuples import tuple_element
from workbench.dialects.clickhouse.urls import part_of_url, url_parameter
from workbench.dialects.kinds import Kinds, kind_of
from workbench.dialects.numbers import gcd_or_lcm
from workbench.dialects.texts.functions import ONE_LINE_OF_BASE64, capitals
from workbench.dialects.texts.json_parts import (
    CLICKHOUSE_JSON,
    clickhouse_json_extract,
    clickhouse_json_value,
)
from workbench.dialects.texts.patterns import first_group, regexp_replace
from workbench.dialects.times.intervals import bucket_start, shift_time
from workbench.dialects.writing import anonymous, call_from_template, fill_template
from workbench.errors import WorkbenchError

_MINUTES = "DATE_TRUNC('HOUR', :a) + MAKE_DT_INTERVAL(0, 0, (MINUTE(:a) DIV {0}) * {0})"
#: The days since the last Sunday.
_FROM_SUNDAY = "PMOD(WEEKDAY(:a) + 1, 7)"
#: Templates by name and number of arguments.
_TEMPLATES: dict[tuple[str, int], str] = {
    # Times
    ("toyear", 1): "YEAR(:a)", ("tomonth", 1): "MONTH(:a)", ("toquarter", 1): "QUARTER(:a)",
    ("todayofmonth", 1): "DAY(:a)", ("todayofyear", 1): "DAYOFYEAR(:a)",
    ("tohour", 1): "HOUR(:a)", ("tominute", 1): "MINUTE(:a)", ("tosecond", 1): "SECOND(:a)",
    ("toyyyymm", 1): "YEAR(:a) * 100 + MONTH(:a)",
    ("toyyyymmdd", 1): "YEAR(:a) * 10000 + MONTH(:a) * 100 + DAY(:a)",
    ("tostartofweek", 1): f"DATE_ADD(DATE(:a), -{_FROM_SUNDAY})",
    ("tostartoffiveminutes", 1): _MINUTES.format(5),
    ("tostartoffiveminute", 1): _MINUTES.format(5),
    ("tostartoftenminutes", 1): _MINUTES.format(10),
    ("tostartoffifteenminutes", 1): _MINUTES.format(15),
    ("tolastdayofmonth", 1): "LAST_DAY(:a)",
    ("timeslot", 1): _MINUTES.format(30),
    ("fromunixtimestamp", 1): "TIMESTAMP_SECONDS(:a)",
    ("fromunixtimestamp64milli", 1): "TIMESTAMP_MILLIS(:a)",
    ("fromunixtimestamp64micro", 1): "TIMESTAMP_MICROS(:a)",
    ("fromunixtimestamp64milli", 2): "TIMESTAMP_MILLIS(:a)",
    ("fromunixtimestamp64micro", 2): "TIMESTAMP_MICROS(:a)",
    ("makedate", 3): "MAKE_DATE(:a, :b, :c)", ("now", 1): "NOW()",
    ("torelativedaynum", 1): "UNIX_DATE(DATE(:a))",
    ("toyyyymmddhhmmss", 1): "(YEAR(:a) * 10000 + MONTH(:a) * 100 + DAY(:a)) * "
    "BIGINT(1000000) + HOUR(:a) * 10000 + MINUTE(:a) * 100 + SECOND(:a)",
    ("yyyymmddtodate", 1): "MAKE_DATE((:a) DIV 10000, (:a) DIV 100 % 100, (:a) % 100)",
    ("makedatetime", 6): "MAKE_TIMESTAMP(:a, :b, :c, :d, :e, :f)",
    ("tostartofisoyear", 1): "DATE(DATE_TRUNC('WEEK', "
    "MAKE_DATE(EXTRACT(YEAROFWEEK FROM :a), 1, 4)))",
    # Weeks begin on Sundays, and the first one of a year with its first Sunday.
    ("toweek", 1): f"(DAYOFYEAR(:a) + 6 - {_FROM_SUNDAY}) DIV 7",
    ("today", 0): "CURRENT_DATE()", ("yesterday", 0): "DATE_ADD(CURRENT_DATE(), -1)",
    # Texts
    ("replaceall", 3): "REPLACE(:a, :b, :c)",
    ("replaceone", 3): "CASE WHEN INSTR(:a, :b) > 0 THEN CONCAT(LEFT(:a, INSTR(:a, :b) - 1), :c, "
    "SUBSTRING(:a, INSTR(:a, :b) + CHAR_LENGTH(:b))) ELSE :a END",
    ("substringutf8", 2): "SUBSTRING(:a, :b)", ("substringutf8", 3): "SUBSTRING(:a, :b, :c)",
    ("positioncaseinsensitive", 2): "BIGINT(INSTR(LOWER(:a), LOWER(:b)))",
    ("splitbywhitespace", 1): "FILTER(SPLIT(:a, '[ \\\\t\\\\r\\\\n]+'), x -> x <> '')",
    ("countsubstrings", 2): "(CHAR_LENGTH(:a) - CHAR_LENGTH(REPLACE(:a, :b, ''))) "
    "DIV NULLIF(CHAR_LENGTH(:b), 0)",
    ("base64encode", 1): ONE_LINE_OF_BASE64,
    ("base64decode", 1): "STRING(UNBASE64(:a))",
    ("alphatokens", 1): "REGEXP_EXTRACT_ALL(:a, '[a-zA-Z]+', 0)",
    ("firstline", 1): "REGEXP_EXTRACT(:a, '^[^\\r\\n]*', 0)", ("tobool", 1): "BOOLEAN(:a)",
    ("countmatches", 2): "REGEXP_COUNT(:a, :b)",
    ("multisearchany", 2): "EXISTS(:b, each_ -> CONTAINS(:a, each_))",
    ("multimatchany", 2): "EXISTS(:b, each_ -> RLIKE(:a, each_))",
    ("substringindex", 3): "SUBSTRING_INDEX(:a, :b, :c)", ("reverseutf8", 1): "REVERSE(:a)",
    ("regexpextract", 3): "REGEXP_EXTRACT(:a, :b, :c)",
    ("tolowcardinality", 1): ":a",
    ("assumenotnull", 1): ":a", ("tonullable", 1): ":a",
    # Lists
    ("arraysort", 1): "ARRAY_SORT(:a)", ("arrayreversesort", 1): "SORT_ARRAY(:a, FALSE)",
    ("arraystringconcat", 1): "ARRAY_JOIN(:a, '')",
    ("arraystringconcat", 2): "ARRAY_JOIN(:a, :b)",
    ("indexof", 2): "ARRAY_POSITION(TRANSFORM(:a, each_ -> each_ <=> :b), TRUE)",
    ("arraycount", 1): "SIZE(FILTER(:a, each_ -> BOOLEAN(each_)))",
    ("arrayzip", 2): "ARRAYS_ZIP(:a, :b)", ("arraypushfront", 2): "ARRAY_PREPEND(:a, :b)",
    ("arraypopback", 1): "SLICE(:a, 1, GREATEST(SIZE(:a) - 1, 0))",
    ("arraypopfront", 1): "SLICE(:a, 2, GREATEST(SIZE(:a) - 1, 0))",
    ("arrayintersect", 2): "ARRAY_INTERSECT(:a, :b)",
    ("countequal", 2): "SIZE(FILTER(:a, each_ -> each_ <=> :b))",
    ("arraywithconstant", 2): "ARRAY_REPEAT(:b, INT(:a))",
    ("arrayelementornull", 2): "TRY_ELEMENT_AT(:a, INT(NULLIF(:b, 0)))",
    ("hasany", 2): "SIZE(ARRAY_INTERSECT(:a, :b)) > 0",
    ("hasall", 2): "SIZE(ARRAY_EXCEPT(:b, :a)) = 0",
    ("arrayuniq", 1): "SIZE(ARRAY_UNION(:a, :a))", ("arraypushback", 2): "ARRAY_APPEND(:a, :b)",
    ("arrayenumerate", 1): "IF(SIZE(:a) > 0, SEQUENCE(1, SIZE(:a)), ARRAY())",
    ("arrayflatten", 1): "FLATTEN(:a)",
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
    ("isfinite", 1): "ABS(:a) < DOUBLE('Infinity')",
    ("bittest", 2): "SHIFTRIGHT(:a, INT(:b)) & 1", ("roundbankers", 2): "BROUND(:a, :b)",
    ("clamp", 3): "LEAST(GREATEST(:a, :b), :c)",
    ("max2", 2): "DOUBLE(GREATEST(:a, :b))", ("min2", 2): "DOUBLE(LEAST(:a, :b))",
    ("positivemodulo", 2): "PMOD(:a, :b)", ("bitshiftleft", 2): "SHIFTLEFT(:a, INT(:b))",
    ("bitshiftright", 2): "SHIFTRIGHT(:a, INT(:b))", ("bitnot", 1): "~(:a)",
    # Maps
    ("mapfilter", 2): "MAP_FILTER(:b, :a)", ("mapfromarrays", 2): "MAP_FROM_ARRAYS(:a, :b)",
    ("mapkeys", 1): "MAP_KEYS(:a)", ("mapvalues", 1): "MAP_VALUES(:a)",
    ("mapcontains", 2): "MAP_CONTAINS_KEY(:a, :b)",
    ("roundbankers", 1): "BROUND(:a)",
}  # fmt: skip
_UNITS = ("second", "minute", "hour", "day", "week", "month", "quarter", "year")
_ADD_OR_SUBTRACT = re.compile(rf"(add|subtract)({'|'.join(_UNITS)})s$")
_CAST_OR_DEFAULT = re.compile(r"to(u?int(?:8|16|32|64)|float(?:32|64))or(zero|null)$")
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
    if (rewrite := _REWRITES.get(name)) is not None:
        return rewrite(node, arguments, kinds)
    if (shift := _ADD_OR_SUBTRACT.match(name)) and len(arguments) == 2:
        kind = kind_of(node, arguments[0], kinds)
        return shift_time(arguments[0], arguments[1], shift[2], shift[1] == "subtract", kind)
    if (or_default := _CAST_OR_DEFAULT.match(name)) and len(arguments) == 1:
        value = fill_template(f"TRY_CAST(:a AS {_SPARK_TYPES[or_default[1]]})", a=arguments[0])
        zero = "IF(:a IS NOT NULL, COALESCE(:value, 0), NULL)"
        return (
            value if or_default[2] == "null" else fill_template(zero, a=arguments[0], value=value)
        )
    if name in CLICKHOUSE_JSON and len(arguments) > 1:
        return clickhouse_json_value(node.name, arguments)
    return None


def _multi_if(node: exp.Expr, arguments: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    if len(arguments) < 3 or len(arguments) % 2 == 0:
        return None
    pairs = zip(arguments[:-1:2], arguments[1::2], strict=True)
    ifs = [exp.If(this=when.copy(), true=then.copy()) for when, then in pairs]
    return exp.Case(ifs=ifs, default=arguments[-1].copy())


#: The number of a day of the week, by ``toDayOfWeek``'s mode.
_DAYS_OF_WEEK = {
    "0": "WEEKDAY(:a) + 1", "1": "WEEKDAY(:a)", "2": _FROM_SUNDAY, "3": f"{_FROM_SUNDAY} + 1",
}  # fmt: skip
#: The week of ISO 8601, in the mode that is one.
_ISO_WEEKS = {
    "toweek": "WEEKOFYEAR(:a)",
    "toyearweek": "EXTRACT(YEAROFWEEK FROM :a) * 100 + WEEKOFYEAR(:a)",
}
#: The letters of Spark for a named part of a time.
_NAMED_PARTS = {
    "year": "yyyy", "quarter": "q", "month": "MMMM", "dayofyear": "D", "day": "d",
    "weekday": "EEEE", "hour": "H", "minute": "m", "second": "s",
}  # fmt: skip


def _day_of_week(node: exp.Expr, arguments: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    mode = arguments[1].sql() if len(arguments) == 2 else ""
    template = _DAYS_OF_WEEK.get(mode)
    return exp.paren(fill_template(template, a=arguments[0]), copy=False) if template else None


def _week(node: exp.Expr, arguments: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    name, mode = node.name.lower(), arguments[1].sql() if len(arguments) == 2 else ""
    template = _ISO_WEEKS[name] if mode == "3" else None
    if len(arguments) == 1 and name == "toyearweek":
        # Its days before the first Sunday belong to the last week of the year before.
        sunday = fill_template(f"DATE_ADD(DATE(:a), -{_FROM_SUNDAY})", a=arguments[0])
        template = "YEAR(:a) * 100 + (DAYOFYEAR(:a) + 6) DIV 7"
        arguments = [sunday]
    if template is None:
        return call_from_template(_TEMPLATES, name, arguments)
    return exp.paren(fill_template(template, a=arguments[0]), copy=False)


def _named_part(node: exp.Expr, arguments: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    """Return ``dateName``: a part of a time as text, months and days of the week by name."""
    letters = _NAMED_PARTS.get(arguments[0].name.lower()) if len(arguments) == 2 else None
    if letters is None:
        return None
    return anonymous("DATE_FORMAT", arguments[1], exp.Literal.string(letters))


def _age(node: exp.Expr, arguments: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    """Return the whole units between two times."""
    if len(arguments) != 3 or arguments[0].name.lower() not in _UNITS:
        return None
    return anonymous("TIMESTAMPDIFF", exp.var(arguments[0].name.upper()), *arguments[1:])


def _interval(node: exp.Expr, arguments: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    """Return ``toIntervalDay(n)`` and the like."""
    unit = exp.var(node.name[len("tointerval") :].upper())
    return exp.Interval(this=arguments[0].copy(), unit=unit) if len(arguments) == 1 else None


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


def _array_element(node: exp.Expr, arguments: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    if len(arguments) != 2:
        return None
    index = fill_template("INT(NULLIF(:n, 0))", n=arguments[1])
    return anonymous("TRY_ELEMENT_AT", arguments[0], index)


def _start_of_interval(node: exp.Expr, arguments: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    if len(arguments) != 2:
        return None
    time, width = arguments
    if isinstance(width, exp.Anonymous) and width.name.lower().startswith("tointerval"):
        unit_node = exp.var(width.name[len("tointerval") :])
        width = exp.Interval(this=width.expressions[0].copy(), unit=unit_node)
    kind = kind_of(node, time, kinds)
    unit = str(width.args["unit"].name).upper().rstrip("S") if width.args.get("unit") else ""
    if unit in ("WEEK", "MONTH", "QUARTER", "YEAR"):
        time, kind = exp.cast(time.copy(), "DATE"), "date"
    # Weeks begin on Mondays.
    origin = "1970-01-05" if unit == "WEEK" else "1970-01-01"
    return bucket_start(time, width, kind, ("1900-01-01", origin), "toStartOfInterval")


def _start_of_week(node: exp.Expr, arguments: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    if len(arguments) != 2 or arguments[1].sql() not in ("0", "1"):
        return None
    if arguments[1].sql() == "1":
        return fill_template("DATE_ADD(DATE(:a), -WEEKDAY(:a))", a=arguments[0])
    return call_from_template(_TEMPLATES, "tostartofweek", arguments[:1])


def _to_date_time(node: exp.Expr, arguments: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    """Return ``toDateTime`` with a zone: an instant, or a text that is a local time in the zone."""
    if len(arguments) != 2:
        return None
    if kind_of(node, arguments[0], kinds) == "string":
        return fill_template("TIMESTAMP(CONCAT(:a, ' ', :b))", a=arguments[0], b=arguments[1])
    return exp.cast(arguments[0].copy(), "TIMESTAMP", dialect="spark")


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
    "age": _age,
    "todayofweek": _day_of_week,
    **dict.fromkeys(_ISO_WEEKS, _week),
    "datename": _named_part,
    "concatwithseparator": _concat_with_separator,
    **{f"tointerval{unit}": _interval for unit in _UNITS},
    "initcaputf8": _initcap_utf8,
    "tupleelement": tuple_element,
    "transform": _transform,
    **{f"{name}{end}": to_decimal for name in DECIMAL_DIGITS for end in ("", "ornull", "orzero")},
    "arrayreduce": _array_reduce,
    **dict.fromkeys(("gcd", "lcm"), _divisor),
    "arrayelement": _array_element,
    "tostartofinterval": _start_of_interval,
    "tostartofweek": _start_of_week,
    "todatetime": _to_date_time,
    "todatetime64": to_date_time64,
    "arraycumsum": array_cum_sum,
    "arraydifference": array_difference,
    "arraymap": array_map,
    "arrayavg": array_avg,
    **dict.fromkeys(("arraysort", "arrayreversesort"), array_sort),
    **dict.fromkeys(FILTERS, array_filter),
    "jsonextract": lambda node, arguments, kinds: clickhouse_json_extract(arguments),
    **dict.fromkeys(("domain", "domainwithoutwww", "protocol", "path"), part_of_url),
    "extracturlparameter": url_parameter,
    **dict.fromkeys(("empty", "notempty"), _empty),
    **dict.fromkeys(("replaceregexpall", "replaceregexpone"), _replace_regexp),
    **dict.fromkeys(("extract", "extractall"), _extract),
}
