"""Lists of numbers as vectors: their distances and products, as in DuckDB."""

from sqlglot import exp

from workbench.dialects.kinds import NUMBERS, Kinds
from workbench.dialects.templates import fill_template
from workbench.errors import WorkbenchError

_SUM = "AGGREGATE(ZIP_WITH(vectors_.a, vectors_.b, (one_, other_) -> {}), DOUBLE(0), "
_SUM += "(so_, each_) -> so_ + each_)"
_PRODUCT = _SUM.format("one_ * other_")
_LENGTHS = f"SQRT({_SUM.format('one_ * one_')} * {_SUM.format('other_ * other_')})"
# NaN, greater than all others, would become 1.
_COSINE = (
    f"IF(SIZE(vectors_.a) = 0, NULL, ELEMENT_AT(TRANSFORM(ARRAY({_PRODUCT} / {_LENGTHS}), "
    "each_ -> IF(ISNAN(each_), each_, GREATEST(-1D, LEAST(1D, each_)))), 1))"
)
_TEMPLATES = {
    "distance": f"SQRT({_SUM.format('POWER(one_ - other_, 2)')})",
    "inner_product": _PRODUCT,
    "negative_inner_product": f"-{_PRODUCT}",
    "cosine_similarity": _COSINE,
    "cosine_distance": f"1 - {_COSINE}",
}
_CLASSES: dict[type[exp.Expr], str] = {
    exp.Distance: "distance",
    exp.EuclideanDistance: "distance",
    exp.CosineDistance: "cosine_distance",
}
_VECTORS = (
    "NAMED_STRUCT('a', TRANSFORM(:a, each_ -> DOUBLE(each_)), "
    "'b', TRANSFORM(:b, each_ -> DOUBLE(each_)))"
)
_IS_WRONG = (
    "SIZE(vectors_.a) <> SIZE(vectors_.b) OR EXISTS(vectors_.a, each_ -> each_ IS NULL) "
    "OR EXISTS(vectors_.b, each_ -> each_ IS NULL)"
)


def product_of_vectors(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return a distance or product of two lists of numbers; None if a call is something else.

    Raises
    ------
    WorkbenchError
        When the arguments are no lists of numbers.
    """
    if isinstance(node, exp.Anonymous):
        prefix, _, name = node.name.lower().partition("_")
        name = name.replace("dot_product", "inner_product")
        arguments = list(node.expressions) if prefix in ("list", "array") else []
    else:
        name, arguments = _CLASSES[type(node)], [node.this, node.expression]
    if dialect != "duckdb" or name not in _TEMPLATES or len(arguments) != 2:
        return None
    elements = [getattr(one, "elementType", None) for one in kinds(node, arguments) or ()]
    if not elements or not all(one and one.typeName() in (*NUMBERS, "void") for one in elements):
        sql_name = node.name.lower() if isinstance(node, exp.Anonymous) else f"list_{name}"
        raise WorkbenchError(f"query: {sql_name} takes two lists of numbers; cast their elements.")
    sentence = "two lists of the same length, without nulls, are needed for their list_" + name
    result = (
        f"ELEMENT_AT(TRANSFORM(ARRAY({_VECTORS}), vectors_ -> CASE "
        "WHEN vectors_.a IS NULL OR vectors_.b IS NULL THEN NULL "
        f"WHEN {_IS_WRONG} THEN DOUBLE(RAISE_ERROR('{sentence}')) ELSE {_TEMPLATES[name]} END), 1)"
    )
    vectors = fill_template(result, a=arguments[0], b=arguments[1])
    is_float = all(one.typeName() == "float" for one in elements if one)
    return exp.cast(vectors, "FLOAT") if is_float else vectors
