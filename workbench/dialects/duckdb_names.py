"""DuckDB's functions of one row that are names to who reads them for us, as Spark has them."""

from collections.abc import Callable

from sqlglot import exp

from workbench.dialects.kinds import Kinds
from workbench.dialects.list_aggregates import list_aggregate
from workbench.dialects.lists import common_values, place_in_list, reduced, sliced
from workbench.dialects.numbers import rounded_to_even
from workbench.dialects.times.distances import date_sub
from workbench.dialects.times.parts import PARTS_OF_DUCKDB, part_of_time
from workbench.dialects.times.texts import time_of_text
from workbench.dialects.writing import call_from_template

#: Templates by the names of functions and how many arguments they have.
_TEMPLATES: dict[tuple[str, int], str] = {
    # Times
    ("epoch_us", 1): "UNIX_MICROS(TIMESTAMP(:a))",
    ("epoch_ns", 1): "UNIX_MICROS(TIMESTAMP(:a)) * 1000",
    ("weekday", 1): "DAYOFWEEK(:a) - 1",
    ("isoyear", 1): "EXTRACT(YEAROFWEEK FROM :a)",
    ("yearweek", 1): "EXTRACT(YEAROFWEEK FROM :a) * 100 + WEEKOFYEAR(:a)",
    # Texts
    ("prefix", 2): "STARTSWITH(:a, :b)", ("suffix", 2): "ENDSWITH(:a, :b)",
    ("strlen", 1): "OCTET_LENGTH(:a)", ("regexp_split_to_array", 2): "SPLIT(:a, :b)",
    # Lists
    **dict.fromkeys(
        (("list_extract", 2), ("list_element", 2)), "TRY_ELEMENT_AT(:a, INT(NULLIF(:b, 0)))"
    ),
    ("list_reverse", 1): "REVERSE(:a)", ("array_reverse", 1): "REVERSE(:a)",
    ("list_unique", 1): "BIGINT(SIZE(ARRAY_COMPACT(ARRAY_DISTINCT(:a))))",
    **dict.fromkeys(
        (("list_has_all", 2), ("array_has_all", 2)),
        "SIZE(ARRAY_COMPACT(ARRAY_EXCEPT(:b, :a))) = 0",
    ),
    ("array_value", 1): "ARRAY(:a)", ("array_value", 2): "ARRAY(:a, :b)",
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
    ("isfinite", 1): "ABS(:a) < DOUBLE('Infinity')",
}  # fmt: skip


#: Calls that go by the types of their arguments.
_BY_KINDS: dict[str, Callable[[exp.Anonymous, str, Kinds], exp.Expr | None]] = {
    **dict.fromkeys(("list_slice", "array_slice"), sliced),
    **dict.fromkeys(("list_reduce", "array_reduce"), reduced),
    "list_intersect": common_values,
}
_PLACES = ("list_position", "array_position", "list_indexof", "array_indexof")


def named_by_duckdb(node: exp.Anonymous, kinds: Kinds) -> exp.Expr | None:
    """Return what means the same to Spark as a call; None where this is not known.

    Examples
    --------
    >>> from sqlglot import parse_one
    >>> node = parse_one("prefix(a, 'x')", read="duckdb")
    >>> print(named_by_duckdb(node, lambda node, operands: None).sql("spark"))
    (STARTSWITH(a, 'x'))
    """
    name, given = node.name.lower(), node.expressions
    if name in ("date_sub", "datesub") and len(given) == 3:
        return date_sub(given)
    if name in _PLACES and len(given) == 2:
        return place_in_list(*given)
    if name in _BY_KINDS:
        return _BY_KINDS[name](node, "duckdb", kinds)
    if name == "try_strptime" and len(given) == 2:
        return time_of_text(given[0], given[1], name)
    if name in ("round_even", "roundbankers") and len(given) == 2:
        return rounded_to_even(node, kinds)
    if name in PARTS_OF_DUCKDB and len(given) == 1:
        return part_of_time(name.upper(), given[0], "duckdb")
    if (found := list_aggregate(node, kinds)) is not None:
        return found
    return call_from_template(_TEMPLATES, name, given)
