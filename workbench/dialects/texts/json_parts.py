"""Parts of JSON texts, which Spark returns without quotes, or as null."""

from sqlglot import exp

from workbench.dialects.kinds import Kinds, kind_of
from workbench.dialects.templates import anonymous, fill_template, is_not_null
from workbench.errors import WorkbenchError

#: A part of a JSON text as JSON, in which a string keeps its quotes.
_JSON_VALUE = "TO_JSON(TRY_VARIANT_GET(TRY_PARSE_JSON(:of), :path, 'variant'))"


#: Spark leaves out keys without a value otherwise.
_WITH_NULLS = "MAP('ignoreNullFields', 'false')"


def value_as_json(node: exp.Expr, value: exp.Expr, kinds: Kinds) -> exp.Expr:
    """Return a value as JSON; Spark only writes lists, maps and structs."""
    if kind_of(node, value, kinds) in ("array", "map", "struct"):
        return fill_template(f"TO_JSON(:of, {_WITH_NULLS})", of=value)
    within_list = "REGEXP_REPLACE(TO_JSON(ARRAY(:of)), '^.|.$', '')"
    return fill_template(f"IF((:of) IS NOT NULL, {within_list}, NULL)", of=value)


def json_object(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr:
    """Return ``json_object('a', x)``, whose names are constants."""
    pairs = [(one.this, one.expression) for one in node.expressions]
    if dialect != "duckdb" or not all(isinstance(name, exp.Literal) for name, _ in pairs):
        raise WorkbenchError(
            "query: json_object takes names in quotes here, and only in DuckDB; use to_json of a "
            "struct or a map."
        )
    struct = anonymous("NAMED_STRUCT", *(part for pair in pairs for part in pair))
    return fill_template(f"TO_JSON(:of, {_WITH_NULLS})", of=struct)


def json_extract_text(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return a part of a JSON text as text, as ``->>`` does; an element may be null."""
    _check_path(node)
    path = node.expression
    if not isinstance(path, exp.JSONPath) or not isinstance(
        path.expressions[-1], exp.JSONPathSubscript
    ):
        return None
    raw, whole = _raw_and_json(node.this, path)
    template = "CASE WHEN :raw <> 'null' OR STARTSWITH(:whole, '\"') THEN :raw END"
    return fill_template(template, raw=raw, whole=whole)


def _check_path(node: exp.Expr) -> None:
    """Refuse a path for which Spark always returns null."""
    path = node.expression
    if isinstance(path, exp.Array):
        raise WorkbenchError(
            "query: a list of paths into JSON is not available; extract each part by itself, and "
            "make a list of them."
        )
    indexes = [one.this for one in path.find_all(exp.JSONPathSubscript)]
    if isinstance(path, exp.Neg) or any(isinstance(one, int) and one < 0 for one in indexes):
        description = "counts from the end of a list"
    elif isinstance(path, exp.Literal) and path.is_string and path.this[:1] in ("/", "$"):
        description = f"is {path.this!r}"
    else:
        return
    raise WorkbenchError(
        f"query: a path into JSON {description}, which Spark does not support; write names and "
        "positions from 0, such as '$.a.b[0]'."
    )


def json_extract(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return a part of a JSON text as JSON, as ``->`` does."""
    _check_path(node)
    path = node.expression
    if not isinstance(path, exp.JSONPath):
        return None
    if isinstance(node.parent, exp.JSONExtract | exp.JSONExtractScalar):
        # The part is extracted from again, and needs no quotes.
        return None
    raw, whole = _raw_and_json(node.this, path)
    template = "CASE WHEN :raw IS NULL OR STARTSWITH(:whole, '\"') THEN :whole ELSE :raw END"
    return fill_template(template, raw=raw, whole=whole)


def _raw_and_json(json: exp.Expr, path: exp.JSONPath) -> tuple[exp.Expr, exp.Expr]:
    """Return a part of a JSON text without quotes around it, and as JSON."""
    text = exp.Literal.string(path.sql("spark")[1:-1].replace("\\'", "'"))
    raw = fill_template("GET_JSON_OBJECT(:of, :path)", of=json, path=text)
    return raw, fill_template(_JSON_VALUE, of=json, path=text)


def clickhouse_json_text(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return a part of a JSON text as ClickHouse does: an empty text if there is none."""
    or_empty = exp.Coalesce(this=node.copy(), expressions=[exp.Literal.string("")])
    return exp.Case(ifs=[exp.If(this=is_not_null(node.this), true=or_empty)])


#: Templates of ClickHouse's functions of a part of a JSON text.
CLICKHOUSE_JSON = {
    # A null of JSON counts as a value.
    "jsonhas": ":of IS NOT NULL "
    "OR TRY_VARIANT_GET(TRY_PARSE_JSON(:text), :path, 'variant') IS NOT NULL",
    "jsonextractbool": "COALESCE(:whole = 'true' OR TRY_CAST(:whole AS BIGINT) <> 0, FALSE)",
    # A string has its quotes, and a whole number no point.
    "jsonextractraw": "COALESCE(CASE WHEN :of IS NULL OR STARTSWITH(:whole, '\"') THEN :whole "
    "WHEN :of RLIKE '^-?[0-9]+[.]0$' THEN SPLIT_PART(:of, '.', 1) ELSE :of END, '')",
    "jsonextractstring": "COALESCE(:of, '')",
    "jsonextractint": "COALESCE(TRY_CAST(SPLIT_PART(:of, '.', 1) AS BIGINT), 0)",
    "jsonextractuint": "COALESCE(TRY_CAST(SPLIT_PART(:of, '.', 1) AS BIGINT), 0)",
    "jsonextractfloat": "COALESCE(TRY_CAST(:of AS DOUBLE), 0)",
    "jsonextractkeys": "COALESCE(JSON_OBJECT_KEYS(:of), ARRAY())",
    "jsonlength": "COALESCE(JSON_ARRAY_LENGTH(:of), SIZE(JSON_OBJECT_KEYS(:of)), 0)",
}
#: Those that may also be of the whole text.
OF_WHOLE_JSON = ("jsonlength", "jsonextractkeys")


def clickhouse_json_value(sql_name: str, arguments: list[exp.Expr]) -> exp.Expr:
    """Return a ClickHouse function of a part of a JSON text; null for a null text."""
    text, *keys = arguments
    if not all(_is_key(key) for key in keys):
        raise WorkbenchError(
            f"query: {sql_name} takes names in quotes here, without quotes, brackets or "
            "backslashes in them, and no positions in a list; use get_json_object(text, '$.a[0]') "
            "for these."
        )
    path = exp.Literal.string("$" + "".join(f"['{key.this}']" for key in keys))
    value = anonymous("GET_JSON_OBJECT", text, path)
    whole = fill_template(_JSON_VALUE, of=text, path=path)
    result = fill_template(
        CLICKHOUSE_JSON[sql_name.lower()], of=value, text=text, path=path, whole=whole
    )
    return fill_template("IF(:text IS NOT NULL, :result, NULL)", text=text, result=result)


#: The function for each type that JSONExtract may be given.
_BY_TYPE = {
    "Int64": "jsonextractint", "Float64": "jsonextractfloat", "Bool": "jsonextractbool",
    "String": "jsonextractstring",
}  # fmt: skip


def clickhouse_json_extract(arguments: list[exp.Expr]) -> exp.Expr | None:
    """Return ``JSONExtract``, which takes the type as its last argument."""
    *path_arguments, json_type = arguments
    if (
        len(path_arguments) > 1
        and isinstance(json_type, exp.Literal)
        and json_type.this in _BY_TYPE
    ):
        return clickhouse_json_value(_BY_TYPE[json_type.this], path_arguments)
    raise WorkbenchError(
        f"query: JSONExtract of {json_type.sql()} is not available; there are "
        f"{', '.join(_BY_TYPE)}, and from_json(JSONExtractRaw(...), type) for others."
    )


def _is_key(node: exp.Expr) -> bool:
    """Return whether an argument is a name that needs no escapes in a path."""
    is_text = isinstance(node, exp.Literal) and node.is_string and bool(node.this)
    return is_text and set("'\"\\[]").isdisjoint(node.this)
