"""ClickHouse's functions of one row that are names to who reads them for us, as Spark has them."""

import re
from collections.abc import Callable

from sqlglot import exp

from workbench.dialects.clickhouse.decimals import DIGITS, to_decimal
from workbench.dialects.clickhouse.lists import (
    CHOOSE,
    chosen,
    differences,
    mapped,
    mean,
    sorted_by,
    sums_so_far,
)
from workbench.dialects.clickhouse.times import to_time
from workbench.dialects.clickhouse.tuples import tuple_element
from workbench.dialects.clickhouse.urls import parameter, part_of_url
from workbench.dialects.kinds import Kinds, kind_of
from workbench.dialects.texts.functions import capitals
from workbench.dialects.texts.json_parts import OF_JSON, made_of_json, of_type
from workbench.dialects.texts.patterns import first_group, replaced
from workbench.dialects.times.intervals import bucket, moved
from workbench.dialects.writing import anonymous, call_from_template, fill_template

_MINUTES = "DATE_TRUNC('HOUR', :a) + MAKE_DT_INTERVAL(0, 0, (MINUTE(:a) DIV {0}) * {0})"
#: Templates by the names of functions and how many arguments they have.
_TEMPLATES: dict[tuple[str, int], str] = {
    # Times
    ("toyear", 1): "YEAR(:a)", ("tomonth", 1): "MONTH(:a)", ("toquarter", 1): "QUARTER(:a)",
    ("todayofmonth", 1): "DAY(:a)", ("todayofyear", 1): "DAYOFYEAR(:a)",
    ("tohour", 1): "HOUR(:a)", ("tominute", 1): "MINUTE(:a)", ("tosecond", 1): "SECOND(:a)",
    ("toyyyymm", 1): "YEAR(:a) * 100 + MONTH(:a)",
    ("toyyyymmdd", 1): "YEAR(:a) * 10000 + MONTH(:a) * 100 + DAY(:a)",
    ("tostartofweek", 1): "DATE_ADD(DATE(:a), -PMOD(WEEKDAY(:a) + 1, 7))",
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
    ("indexof", 2): "ARRAY_POSITION(:a, :b)",
    ("arraycount", 1): "SIZE(FILTER(:a, each_ -> BOOLEAN(each_)))",
    ("arrayzip", 2): "ARRAYS_ZIP(:a, :b)", ("arraypushfront", 2): "ARRAY_PREPEND(:a, :b)",
    ("arraypopback", 1): "SLICE(:a, 1, GREATEST(SIZE(:a) - 1, 0))",
    ("arraypopfront", 1): "SLICE(:a, 2, GREATEST(SIZE(:a) - 1, 0))",
    ("arrayintersect", 2): "ARRAY_INTERSECT(:a, :b)",
    ("countequal", 2): "SIZE(FILTER(:a, each_ -> each_ <=> :b))",
    ("arraywithconstant", 2): "ARRAY_REPEAT(:b, INT(:a))",
    ("arrayelementornull", 2): "TRY_ELEMENT_AT(:a, INT(NULLIF(:b, 0)))",
    ("hasany", 2): "COALESCE(ARRAYS_OVERLAP(:a, :b), FALSE)",
    ("hasall", 2): "SIZE(ARRAY_EXCEPT(:b, :a)) = 0",
    ("arrayuniq", 1): "SIZE(ARRAY_UNION(:a, :a))", ("arraypushback", 2): "ARRAY_APPEND(:a, :b)",
    ("arrayenumerate", 1): "IF(SIZE(:a) > 0, SEQUENCE(1, SIZE(:a)), ARRAY())",
    ("arrayflatten", 1): "FLATTEN(:a)",
    ("range", 2): "IF((:b) > (:a), SEQUENCE(:a, (:b) - 1), ARRAY())",
    ("range", 1): "IF((:a) > 0, SEQUENCE(0, (:a) - 1), ARRAY())",
    # Numbers
    ("modulo", 2): "(:a) % (:b)", ("plus", 2): "(:a) + (:b)", ("minus", 2): "(:a) - (:b)",
    ("multiply", 2): "(:a) * (:b)", ("divide", 2): "(:a) / (:b)", ("negate", 1): "-(:a)",
    ("equals", 2): "(:a) = (:b)", ("notequals", 2): "(:a) <> (:b)", ("less", 2): "(:a) < (:b)",
    ("greater", 2): "(:a) > (:b)", ("lessorequals", 2): "(:a) <= (:b)",
    ("greaterorequals", 2): "(:a) >= (:b)",
    ("bitand", 2): "(:a) & (:b)", ("bitor", 2): "(:a) | (:b)", ("bitxor", 2): "(:a) ^ (:b)",
    ("intdivorzero", 2): "IF((:b) = 0, 0, (:a) DIV NULLIF(:b, 0))",
    ("moduloorzero", 2): "IF((:b) = 0, 0, (:a) % NULLIF(:b, 0))",
    ("rand32", 0): "BIGINT(RAND() * 4294967296)",
    ("log1p", 1): "CASE WHEN (:a) > -1 THEN LOG1P(:a) WHEN (:a) = -1 THEN DOUBLE('-Infinity') "
    "WHEN (:a) < -1 THEN DOUBLE('NaN') END",
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
_SHIFTED = re.compile(r"(add|subtract)(second|minute|hour|day|week|month|quarter|year)s$")
_ELSE = re.compile(r"to(u?int(?:8|16|32|64)|float(?:32|64))or(zero|null)$")
_HELD = {
    "int8": "TINYINT", "int16": "SMALLINT", "int32": "INT", "int64": "BIGINT",
    "uint8": "SMALLINT", "uint16": "INT", "uint32": "BIGINT", "uint64": "BIGINT",
    "float32": "DOUBLE", "float64": "DOUBLE",
}  # fmt: skip


def named_by_clickhouse(node: exp.Anonymous, kinds: Kinds) -> exp.Expr | None:
    """Return what means the same to Spark as a call; None where this is not known.

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
    >>> print(named_by_clickhouse(node, lambda node, of: None).sql("spark"))
    CASE WHEN x > 2 THEN 'a' WHEN x > 1 THEN 'b' ELSE 'c' END
    """
    name, given = node.name.lower(), list(node.expressions)
    if (found := call_from_template(_TEMPLATES, name, given)) is not None:
        return found
    if (made := _OTHERS.get(name)) is not None:
        return made(node, given, kinds)
    if (shift := _SHIFTED.match(name)) and len(given) == 2:
        kind = kind_of(node, given[0], kinds)
        return moved(given[0], given[1], shift[2], shift[1] == "subtract", kind)
    if (other := _ELSE.match(name)) and len(given) == 1:
        value = fill_template(f"TRY_CAST(:a AS {_HELD[other[1]]})", a=given[0])
        zero = "IF(:a IS NOT NULL, COALESCE(:value, 0), NULL)"
        return value if other[2] == "null" else fill_template(zero, a=given[0], value=value)
    if name in OF_JSON and len(given) > 1:
        return made_of_json(node.name, given)
    return None


def _many_ifs(node: exp.Expr, given: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    if len(given) < 3 or len(given) % 2 == 0:
        return None
    pairs = zip(given[:-1:2], given[1::2], strict=True)
    ifs = [exp.If(this=when.copy(), true=then.copy()) for when, then in pairs]
    return exp.Case(ifs=ifs, default=given[-1].copy())


def _chosen(node: exp.Expr, given: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    """What stands at the place of a value in a list, of lists that the query says itself."""
    if len(given) not in (3, 4) or not all(isinstance(one, exp.Array) for one in given[1:3]):
        return None
    value, keys, values = given[:3]
    pairs = zip(keys.expressions, values.expressions, strict=False)
    ifs = [exp.If(this=key.copy(), true=one.copy()) for key, one in pairs]
    return exp.Case(this=value.copy(), ifs=ifs, default=given[-1 if len(given) > 3 else 0].copy())


def _element(node: exp.Expr, given: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    if len(given) != 2:
        return None
    place = fill_template("INT(NULLIF(:n, 0))", n=given[1])
    return anonymous("TRY_ELEMENT_AT", given[0], place)


def _interval_begun(node: exp.Expr, given: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    if len(given) != 2:
        return None
    time, width = given
    if isinstance(width, exp.Anonymous) and width.name.lower().startswith("tointerval"):
        named = exp.var(width.name[len("tointerval") :])
        width = exp.Interval(this=width.expressions[0].copy(), unit=named)
    kind = kind_of(node, time, kinds)
    unit = str(width.args["unit"].name).upper().rstrip("S") if width.args.get("unit") else ""
    if unit in ("WEEK", "MONTH", "QUARTER", "YEAR"):
        time, kind = exp.cast(time.copy(), "DATE"), "date"
    # Weeks begin on Mondays.
    begin = "1970-01-05" if unit == "WEEK" else "1970-01-01"
    return bucket(time, width, kind, ("1900-01-01", begin), "toStartOfInterval")


def _week_begun(node: exp.Expr, given: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    if len(given) != 2 or given[1].sql() not in ("0", "1"):
        return None
    if given[1].sql() == "1":
        return fill_template("DATE_ADD(DATE(:a), -WEEKDAY(:a))", a=given[0])
    return call_from_template(_TEMPLATES, "tostartofweek", given[:1])


def _in_zone(node: exp.Expr, given: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    """An instant, which is text as a zone's clocks show it."""
    if len(given) != 2:
        return None
    if kind_of(node, given[0], kinds) == "string":
        return fill_template("TIMESTAMP(CONCAT(:a, ' ', :b))", a=given[0], b=given[1])
    return exp.cast(given[0].copy(), "TIMESTAMP", dialect="spark")


def _empty(node: exp.Expr, given: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    if len(given) != 1:
        return None
    kind = kind_of(node, given[0], kinds)
    sign = "=" if node.name.lower() == "empty" else "<>"
    of = "SIZE(:a) {} 0" if kind in ("array", "map") else "(:a) {} ''"
    return exp.paren(fill_template(of.format(sign), a=given[0]), copy=False)


def _replaced(node: exp.Expr, given: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    if len(given) != 3:
        return None
    call = exp.RegexpReplace(this=given[0], expression=given[1], replacement=given[2])
    return replaced(call, node.name.lower().endswith("all"), node.name)


def _capitals(node: exp.Expr, given: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    return capitals(given[0], "any") if len(given) == 1 else None


def _extracted(node: exp.Expr, given: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    """The first group of a pattern, or all of it where it has none."""
    if len(given) != 2 or not isinstance(given[1], exp.Literal):
        return None
    name = "REGEXP_EXTRACT_ALL" if node.name.lower() == "extractall" else "REGEXP_EXTRACT"
    return fill_template(f"{name}(:a, :b, {first_group(given[1])})", a=given[0], b=given[1])


_OTHERS: dict[str, Callable[[exp.Expr, list[exp.Expr], Kinds], exp.Expr | None]] = {
    "multiif": _many_ifs,
    "initcaputf8": _capitals,
    "tupleelement": tuple_element,
    "transform": _chosen,
    **dict.fromkeys(DIGITS, to_decimal),
    "arrayelement": _element,
    "tostartofinterval": _interval_begun,
    "tostartofweek": _week_begun,
    "todatetime": _in_zone,
    "todatetime64": to_time,
    "arraycumsum": sums_so_far,
    "arraydifference": differences,
    "arraymap": mapped,
    "arrayavg": mean,
    **dict.fromkeys(("arraysort", "arrayreversesort"), sorted_by),
    **dict.fromkeys(CHOOSE, chosen),
    "jsonextract": lambda node, given, kinds: of_type(given),
    **dict.fromkeys(("domain", "domainwithoutwww", "protocol", "path"), part_of_url),
    "extracturlparameter": parameter,
    **dict.fromkeys(("empty", "notempty"), _empty),
    **dict.fromkeys(("replaceregexpall", "replaceregexpone"), _replaced),
    **dict.fromkeys(("extract", "extractall"), _extracted),
}
