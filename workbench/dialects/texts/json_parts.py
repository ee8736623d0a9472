"""Parts of JSON texts, of which Spark gives texts without their quotes, or nothing."""

from sqlglot import exp

from workbench.dialects.kinds import Kinds
from workbench.dialects.writing import anonymous, fill_template, is_not_null
from workbench.errors import WorkbenchError

#: A part of a JSON text as JSON, in which a text has its quotes.
_WHOLE = "TO_JSON(TRY_VARIANT_GET(TRY_PARSE_JSON(:of), :path, 'variant'))"


def text_of_part(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return a part of a JSON text as text, as ``->>`` gives it: an element may be null."""
    _check_path(node)
    path = node.expression
    if not isinstance(path, exp.JSONPath) or not isinstance(
        path.expressions[-1], exp.JSONPathSubscript
    ):
        return None
    raw, whole = _part(node.this, path)
    is_value = "CASE WHEN :raw <> 'null' OR STARTSWITH(:whole, '\"') THEN :raw END"
    return fill_template(is_value, raw=raw, whole=whole)


def _check_path(node: exp.Expr) -> None:
    """Refuse a path of which Spark gives nothing, whatever the text holds."""
    path = node.expression
    if isinstance(path, exp.Array):
        raise WorkbenchError(
            "query: a list of paths into JSON is not available; take each part by itself, and a "
            "list of them."
        )
    places = [one.this for one in path.find_all(exp.JSONPathSubscript)]
    if isinstance(path, exp.Neg) or any(isinstance(one, int) and one < 0 for one in places):
        what = "counts from the end of a list"
    elif isinstance(path, exp.Literal) and path.is_string and path.this[:1] in ("/", "$"):
        what = f"is {path.this!r}"
    else:
        return
    raise WorkbenchError(
        f"query: a path into JSON {what}, which Spark does not know; write names and places from "
        "0, as '$.a.b[0]'."
    )


def part_of_json(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return a part of a JSON text as JSON, as ``->`` gives it."""
    _check_path(node)
    path = node.expression
    if not isinstance(path, exp.JSONPath):
        return None
    if isinstance(node.parent, exp.JSONExtract | exp.JSONExtractScalar):
        # A part of this one needs no quotes.
        return None
    raw, whole = _part(node.this, path)
    is_text = "CASE WHEN :raw IS NULL OR STARTSWITH(:whole, '\"') THEN :whole ELSE :raw END"
    return fill_template(is_text, raw=raw, whole=whole)


def _part(of: exp.Expr, path: exp.JSONPath) -> tuple[exp.Expr, exp.Expr]:
    """A part of a JSON text without quotes around it, and as JSON."""
    text = exp.Literal.string(path.sql("spark")[1:-1].replace("\\'", "'"))
    raw = fill_template("GET_JSON_OBJECT(:of, :path)", of=of, path=text)
    return raw, fill_template(_WHOLE, of=of, path=text)


def text_of_json(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return what ClickHouse takes out of a JSON text, which is empty where there is none."""
    some = exp.Coalesce(this=node.copy(), expressions=[exp.Literal.string("")])
    return exp.Case(ifs=[exp.If(this=is_not_null(node.this), true=some)])


#: What functions of ClickHouse make of a part of a JSON text.
OF_JSON = {
    # There is a null of JSON, too.
    "jsonhas": ":of IS NOT NULL "
    "OR TRY_VARIANT_GET(TRY_PARSE_JSON(:text), :path, 'variant') IS NOT NULL",
    "jsonextractbool": "COALESCE(:whole = 'true' OR TRY_CAST(:whole AS BIGINT) <> 0, FALSE)",
    # A text has its quotes, and a whole number no point.
    "jsonextractraw": "COALESCE(CASE WHEN :of IS NULL OR STARTSWITH(:whole, '\"') THEN :whole "
    "WHEN :of RLIKE '^-?[0-9]+[.]0$' THEN SPLIT_PART(:of, '.', 1) ELSE :of END, '')",
    "jsonextractstring": "COALESCE(:of, '')",
    "jsonextractint": "COALESCE(TRY_CAST(SPLIT_PART(:of, '.', 1) AS BIGINT), 0)",
    "jsonextractuint": "COALESCE(TRY_CAST(SPLIT_PART(:of, '.', 1) AS BIGINT), 0)",
    "jsonextractfloat": "COALESCE(TRY_CAST(:of AS DOUBLE), 0)",
}


def made_of_json(written: str, given: list[exp.Expr]) -> exp.Expr:
    """Return what ClickHouse makes of a part of a JSON text; null where there is no text."""
    text, *keys = given
    if not all(_is_key(key) for key in keys):
        raise WorkbenchError(
            f"query: {written} goes by names in quotes here, without quotes, brackets or "
            "backslashes in them, and by no places of a list; take get_json_object(text, "
            "'$.a[0]') for these."
        )
    path = exp.Literal.string("$" + "".join(f"['{key.this}']" for key in keys))
    of = anonymous("GET_JSON_OBJECT", text, path)
    whole = fill_template(_WHOLE, of=text, path=path)
    found = fill_template(OF_JSON[written.lower()], of=of, text=text, path=path, whole=whole)
    return fill_template("IF(:text IS NOT NULL, :found, NULL)", text=text, found=found)


#: What a part is by the type that JSONExtract is asked for.
_BY_TYPE = {
    "Int64": "jsonextractint", "Float64": "jsonextractfloat", "Bool": "jsonextractbool",
    "String": "jsonextractstring",
}  # fmt: skip


def of_type(given: list[exp.Expr]) -> exp.Expr | None:
    """Return what ``JSONExtract`` makes of a part of a JSON text, by the type it is given last."""
    *asked, kind = given
    if len(asked) > 1 and isinstance(kind, exp.Literal) and kind.this in _BY_TYPE:
        return made_of_json(_BY_TYPE[kind.this], asked)
    raise WorkbenchError(
        f"query: JSONExtract of {kind.sql()} is not available; there are {', '.join(_BY_TYPE)}, "
        "and from_json(JSONExtractRaw(...), type) of others."
    )


def _is_key(node: exp.Expr) -> bool:
    """Whether an argument is a name that stands in a path as it is."""
    is_text = isinstance(node, exp.Literal) and node.is_string and bool(node.this)
    return is_text and set("'\"\\[]").isdisjoint(node.this)
