"""Parts of JSON texts, of which Spark gives texts without their quotes, or nothing."""

from sqlglot import exp

from workbench.dialects.kinds import Kinds
from workbench.dialects.writing import filled_in, known


def part_of_json(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return a part of a JSON text as JSON, as ``->`` gives it."""
    path = node.expression
    if not isinstance(path, exp.JSONPath) or path.find(exp.JSONPathWildcard, exp.JSONPathSlice):
        return None
    if isinstance(node.parent, exp.JSONExtract | exp.JSONExtractScalar):
        # A part of this one needs no quotes.
        return None
    text = exp.Literal.string(path.sql("spark")[1:-1].replace("\\'", "'"))
    given = {"of": node.this, "path": text}
    raw = filled_in("GET_JSON_OBJECT(:of, :path)", **given)
    typed = "TO_JSON(TRY_VARIANT_GET(TRY_PARSE_JSON(:of), :path, 'variant'))"
    whole = filled_in(typed, **given)
    is_text = "CASE WHEN :raw IS NULL OR STARTSWITH(:whole, '\"') THEN :whole ELSE :raw END"
    return filled_in(is_text, raw=raw, whole=whole)


def text_of_json(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return what ClickHouse takes out of a JSON text, which is empty where there is none."""
    some = exp.Coalesce(this=node.copy(), expressions=[exp.Literal.string("")])
    return exp.Case(ifs=[exp.If(this=known(node.this), true=some)])
