"""DuckDB's functions of one row that are names to who reads them for us, as Spark has them."""

from sqlglot import exp

from workbench.dialects.writing import filled_in

#: Templates by the names of functions and how many arguments they have.
_TEMPLATES: dict[tuple[str, int], str] = {
    # Times
    ("epoch_us", 1): "UNIX_MICROS(TIMESTAMP(:a))",
    ("epoch_ns", 1): "UNIX_MICROS(TIMESTAMP(:a)) * 1000",
    ("isoyear", 1): "EXTRACT(YEAROFWEEK FROM :a)",
    ("yearweek", 1): "EXTRACT(YEAROFWEEK FROM :a) * 100 + WEEKOFYEAR(:a)",
    # Texts
    ("prefix", 2): "STARTSWITH(:a, :b)", ("suffix", 2): "ENDSWITH(:a, :b)",
    ("strlen", 1): "OCTET_LENGTH(:a)", ("regexp_split_to_array", 2): "SPLIT(:a, :b)",
    # Lists
    ("list_position", 2): "NULLIF(ARRAY_POSITION(:a, :b), 0)",
    ("array_position", 2): "NULLIF(ARRAY_POSITION(:a, :b), 0)",
    ("list_indexof", 2): "NULLIF(ARRAY_POSITION(:a, :b), 0)",
    ("list_reverse", 1): "REVERSE(:a)", ("array_reverse", 1): "REVERSE(:a)",
    ("list_unique", 1): "BIGINT(SIZE(ARRAY_COMPACT(ARRAY_DISTINCT(:a))))",
    ("list_count", 1): "BIGINT(SIZE(ARRAY_COMPACT(:a)))",
    ("list_has_all", 2): "SIZE(ARRAY_EXCEPT(:b, :a)) = 0",
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


def named_by_duckdb(node: exp.Anonymous) -> exp.Expr | None:
    """Return what means the same to Spark as a call; None where this is not known.

    Examples
    --------
    >>> from sqlglot import parse_one
    >>> node = parse_one("prefix(a, 'x')", read="duckdb")
    >>> print(named_by_duckdb(node).sql("spark"))
    (STARTSWITH(a, 'x'))
    """
    given = node.expressions
    if (template := _TEMPLATES.get((node.name.lower(), len(given)))) is not None:
        found = filled_in(template, **dict(zip("ab", given, strict=False)))
        return exp.paren(found, copy=False)
    if node.name.lower() == "format":
        return _formatted(given)
    return None


def _formatted(given: list[exp.Expr]) -> exp.Expr | None:
    """Texts between which values stand, of formats that say no more of them."""
    first = given[0] if given else None
    if not isinstance(first, exp.Literal) or first.this.count("{}") != len(given) - 1:
        return None
    texts = first.this.split("{}")
    if any("{" in one or "}" in one for one in texts):
        return None
    pieces: list[exp.Expr] = [exp.Literal.string(texts[0])]
    for value, text in zip(given[1:], texts[1:], strict=True):
        pieces += [exp.cast(value.copy(), "TEXT"), exp.Literal.string(text)]
    # What is put together so is null where a value is.
    found: exp.Expr = pieces[0]
    for piece in pieces[1:]:
        found = exp.DPipe(this=found, expression=piece)
    return exp.paren(found, copy=False)
