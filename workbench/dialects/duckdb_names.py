"""Scalar functions of DuckDB that sqlglot parses as generic calls, rewritten for Spark."""

from collections.abc import Callable

from sqlglot import exp

from workbench.dialects.kinds import Kinds
from workbench.dialects.lists.aggregates import list_aggregate
from workbench.dialects.lists.functions import (
    list_grade_up,
    list_intersect,
    list_position,
    list_reduce,
    list_slice,
    list_zip,
)
from workbench.dialects.lists.vectors import product_of_vectors
from workbench.dialects.numbers import round_half_even
from workbench.dialects.structs import struct_insert
from workbench.dialects.templates import call_from_template
from workbench.dialects.texts.bars import bar
from workbench.dialects.texts.paths import part_of_path
from workbench.dialects.times.distances import date_sub
from workbench.dialects.times.intervals import interval_of
from workbench.dialects.times.parts import DUCKDB_PART_FUNCTIONS, part_of_time
from workbench.dialects.times.texts import parse_time

_FLOOR_DIV = (
    "CASE WHEN ABS(DOUBLE(:a) / DOUBLE(:b)) < 9e18D THEN DOUBLE(FLOOR(DOUBLE(:a) / DOUBLE(:b))) "
    "ELSE DOUBLE(:a) / DOUBLE(:b) END"
)
_TO_BASE = (
    "IF((:a) < 0 OR NOT (:b) BETWEEN 2 AND 36, RAISE_ERROR('to_base takes a number that is not "
    "negative, and a radix from 2 to 36.'), CONV(:a, 10, INT(:b)))"
)
#: The bytes of two texts, each as two digits.
_BYTES_A, _BYTES_B = (f"REGEXP_EXTRACT_ALL(HEX(:{one}), '..', 0)" for one in "ab")
_HAMMING = (
    "CASE WHEN (:a) IS NULL OR (:b) IS NULL THEN NULL "
    "WHEN OCTET_LENGTH(:a) <> OCTET_LENGTH(:b) OR (:a) = '' THEN BIGINT(RAISE_ERROR('hamming takes "
    "two texts of the same number of bytes, which are not empty.')) "
    f"ELSE BIGINT(SIZE(FILTER(ZIP_WITH({_BYTES_A}, {_BYTES_B}, (one, other) -> one <> other), "
    "differs -> differs))) END"
)
_JACCARD = (
    "CASE WHEN (:a) IS NULL OR (:b) IS NULL THEN NULL WHEN (:a) = '' OR (:b) = '' "
    "THEN DOUBLE(RAISE_ERROR('jaccard takes two texts that are not empty.')) "
    f"ELSE SIZE(ARRAY_INTERSECT({_BYTES_A}, {_BYTES_B})) / "
    f"SIZE(ARRAY_UNION({_BYTES_A}, {_BYTES_B})) END"
)
#: Templates by name and number of arguments.
_TEMPLATES: dict[tuple[str, int], str] = {
    # Times
    ("epoch_us", 1): "UNIX_MICROS(TIMESTAMP(:a))",
    ("epoch_ns", 1): "UNIX_MICROS(TIMESTAMP(:a)) * 1000",
    ("weekday", 1): "DAYOFWEEK(:a) - 1",
    ("isoyear", 1): "EXTRACT(YEAROFWEEK FROM :a)",
    ("yearweek", 1): "EXTRACT(YEAROFWEEK FROM :a) * 100 + WEEKOFYEAR(:a)",
    # Texts
    ("prefix", 2): "STARTSWITH(:a, :b)", ("suffix", 2): "ENDSWITH(:a, :b)",
    ("strlen", 1): "OCTET_LENGTH(:a)",
    ("regexp_split_to_array", 2): "SPLIT(:a, :b)",
    ("url_encode", 1): "REPLACE(REPLACE(REPLACE(URL_ENCODE(:a), '+', '%20'), '*', '%2A'), "
    "'%7E', '~')",
    ("url_decode", 1): "URL_DECODE(REPLACE(:a, '+', '%2B'))",
    ("hamming", 2): _HAMMING, ("mismatches", 2): _HAMMING,
    ("jaccard", 2): _JACCARD,
    # Lists
    **dict.fromkeys(
        (("list_extract", 2), ("list_element", 2)), "TRY_ELEMENT_AT(:a, INT(NULLIF(:b, 0)))"
    ),
    ("list_reverse", 1): "REVERSE(:a)",
    ("array_pop_back", 1): "SLICE(:a, 1, GREATEST(SIZE(:a) - 1, 0))",
    ("array_pop_front", 1): "SLICE(:a, 2, SIZE(:a))",
    ("array_push_back", 2): "CONCAT(COALESCE(:a, ARRAY()), ARRAY(:b))",
    ("array_push_front", 2): "CONCAT(ARRAY(:b), COALESCE(:a, ARRAY()))",
    ("list_unique", 1): "BIGINT(SIZE(ARRAY_COMPACT(ARRAY_DISTINCT(:a))))",
    ("list_has_all", 2): "SIZE(ARRAY_COMPACT(ARRAY_EXCEPT(:b, :a))) = 0",
    ("list_select", 2): "TRANSFORM(:b, place -> TRY_ELEMENT_AT(:a, INT(NULLIF(place, 0))))",
    ("list_where", 2): "FILTER(:a, (one, place) -> GET(:b, place))",
    ("list_resize", 3): "SLICE(CONCAT(:a, ARRAY_REPEAT(:c, GREATEST(INT(:b) - SIZE(:a), 0))), 1, "
    "INT(:b))",
    ("list_resize", 2): "SLICE(CONCAT(:a, ARRAY_REPEAT(NULL, GREATEST(INT(:b) - SIZE(:a), 0))), 1, "
    "INT(:b))",
    # Maps
    **dict.fromkeys(
        (("element_at", 2), ("map_extract", 2)),
        "CASE WHEN MAP_CONTAINS_KEY(:a, :b) THEN ARRAY(TRY_ELEMENT_AT(:a, :b)) "
        "WHEN :a IS NOT NULL THEN ARRAY() END",
    ),
    ("map_extract_value", 2): "TRY_ELEMENT_AT(:a, :b)",
    ("map_contains", 2): "MAP_CONTAINS_KEY(:a, :b)",
    # JSON
    ("json_array_length", 2): "JSON_ARRAY_LENGTH(GET_JSON_OBJECT(:a, :b))",
    ("json_valid", 1): "IF((:a) IS NOT NULL, TRY_PARSE_JSON(:a) IS NOT NULL, NULL)",
    # Numbers
    ("fdiv", 2): _FLOOR_DIV,
    ("fmod", 2): f"DOUBLE(:a) - {_FLOOR_DIV} * DOUBLE(:b)",
    ("even", 1): "CASE WHEN ABS(DOUBLE(:a)) < 9.1e15D THEN IF((:a) < 0, "
    "DOUBLE(FLOOR(DOUBLE(:a) * 0.5D) * 2), DOUBLE(CEIL(DOUBLE(:a) * 0.5D) * 2)) "
    "ELSE DOUBLE(:a) END",
    ("signbit", 1): "DOUBLE(:a) < 0 OR STRING(DOUBLE(:a)) = '-0.0'",
    ("to_base", 2): _TO_BASE,
    ("to_base", 3): f"IF((:c) <= LENGTH({_TO_BASE}), {_TO_BASE}, LPAD({_TO_BASE}, INT(:c), '0'))",
    ("isfinite", 1): "ABS(:a) < DOUBLE('Infinity')",
}  # fmt: skip


#: Rewrites that depend on the types of the arguments.
_REWRITES: dict[str, Callable[[exp.Anonymous, str, Kinds], exp.Expr | None]] = {
    "list_slice": list_slice,
    **dict.fromkeys(("list_reduce", "array_reduce"), list_reduce),
    "list_intersect": list_intersect,
    **dict.fromkeys(("list_zip", "array_zip"), list_zip),
    **dict.fromkeys(
        ("list_grade_up", "array_grade_up", "grade_up", "list_grade", "array_grade"), list_grade_up
    ),
    "struct_insert": struct_insert,
    "bar": bar,
}
#: Functions that make an interval of so many units.
_TO_UNITS = {
    f"to_{unit}": unit
    for unit in ("seconds", "minutes", "hours", "weeks", "months", "quarters", "years")
}
_POSITION_NAMES = ("list_position", "list_indexof", "array_indexof")


def rewrite_duckdb_call(node: exp.Anonymous, kinds: Kinds) -> exp.Expr | None:
    """Return a call with the same meaning in Spark; None if the function is unknown.

    Examples
    --------
    >>> from sqlglot import parse_one
    >>> node = parse_one("prefix(a, 'x')", read="duckdb")
    >>> print(rewrite_duckdb_call(node, lambda node, operands: None).sql("spark"))
    (STARTSWITH(a, 'x'))
    """
    name, arguments = node.name.lower(), node.expressions
    if name in ("date_sub", "datesub") and len(arguments) == 3:
        return date_sub(arguments)
    if name in _TO_UNITS and len(arguments) == 1:
        return interval_of(arguments[0], _TO_UNITS[name])
    if name in _POSITION_NAMES and len(arguments) == 2:
        return list_position(*arguments)
    if name in _REWRITES:
        return _REWRITES[name](node, "duckdb", kinds)
    if name == "try_strptime" and len(arguments) == 2:
        return parse_time(arguments[0], arguments[1], name)
    if name in ("round_even", "roundbankers") and len(arguments) == 2:
        return round_half_even(node, kinds)
    if name in DUCKDB_PART_FUNCTIONS and len(arguments) == 1:
        return part_of_time(name.upper(), arguments[0], "duckdb")
    for result in (
        list_aggregate(node, kinds),
        product_of_vectors(node, "duckdb", kinds),
        part_of_path(name, arguments),
    ):
        if result is not None:
            return result
    return call_from_template(_TEMPLATES, name, arguments)
