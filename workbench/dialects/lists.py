"""Lists: their elements, parts and values, as other systems count and compare them."""

from sqlglot import exp

from workbench.dialects.kinds import Kinds, kind_of
from workbench.dialects.writing import anonymous, filled_in, known
from workbench.errors import WorkbenchError

#: Of these, what is negative counts no places from the end.
_FROM_ONE = ("postgres", "risingwave")


def element(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """An element of a list, counted from 1, or of a map; null where there is none."""
    if len(node.expressions) != 1:
        return None
    index = node.expressions[0]
    if isinstance(index, exp.Slice):
        return _slice(node, index, kinds)
    if isinstance(index, exp.Literal) and index.is_string:
        return None
    number = index.this if isinstance(index, exp.Neg) else index
    is_number = isinstance(number, exp.Literal)
    if is_number and number.this != "0" and (number is index or dialect not in _FROM_ONE):
        return anonymous("TRY_ELEMENT_AT", node.this, index)
    if kind_of(node, node.this, kinds) == "map":
        return anonymous("TRY_ELEMENT_AT", node.this, index)
    if dialect in _FROM_ONE:
        index = anonymous("GREATEST", index, exp.Literal.number(0))
    place = filled_in("INT(NULLIF(:index, 0))", index=index)
    return anonymous("TRY_ELEMENT_AT", node.this, place)


def _slice(node: exp.Expr, index: exp.Slice, kinds: Kinds) -> exp.Expr | None:
    """A part of a list or a text with both its ends; what is negative is from the end."""
    kind = kind_of(node, node.this, kinds)
    if kind not in ("array", "string"):
        return None
    is_list = kind == "array"
    size = "SIZE(:of)" if is_list else "CHAR_LENGTH(:of)"
    first, last = (index.args.get(one) for one in ("this", "expression"))
    place = f"IF((:n) < 0, {size} + (:n) + 1, :n)"
    begin = filled_in("GREATEST(1, :n)", n=filled_in(place, of=node.this, n=first)
                      if first is not None else exp.Literal.number(1))  # fmt: skip
    end = filled_in(place if last is not None else size, of=node.this, n=last or exp.null())
    count = filled_in("INT(GREATEST(0, (:end) - (:begin) + 1))", end=end, begin=begin)
    called = "SLICE" if is_list else "SUBSTRING"
    return filled_in(f"{called}(:of, INT(:begin), :count)", of=node.this, begin=begin, count=count)


def contains(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Whether a value is in a list, in which nulls are no values."""
    within = anonymous("ARRAY_CONTAINS", node.this, node.expression)
    found = exp.Coalesce(this=within, expressions=[exp.false()])
    return exp.Case(ifs=[exp.If(this=known(node.this), true=found)])


def different_values(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """The different values of a list, in which nulls are no values."""
    return anonymous("ARRAY_COMPACT", anonymous("ARRAY_DISTINCT", node.this))


def in_list(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Whether a value is in a list that a column holds."""
    values = node.args.get("field")
    if values is None:
        return None
    asked = exp.ArrayContains(this=values.copy(), expression=node.this.copy())
    return contains(asked, dialect, kinds)


def overlap(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    found = filled_in("COALESCE(ARRAYS_OVERLAP(:a, :b), FALSE)", a=node.this, b=node.expression)
    return exp.Case(ifs=[exp.If(this=known(node.this), true=found)])


def counted_from_one(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """A function of elements and their places, which Spark counts from 0."""
    function = node.expression
    if not isinstance(function, exp.Lambda) or len(function.expressions) != 2:
        return None
    place = function.expressions[1].name
    made = exp.Lambda(this=exp.paren(function.this.copy()), expressions=function.expressions)
    for one in list(made.this.find_all(exp.Identifier)):
        if one.name == place and not isinstance(one.parent, exp.Lambda | exp.Column):
            one.replace(filled_in("(:place + 1)", place=one.copy()))
    node.set("expression", made.copy())
    return None


def reversed_list(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    return anonymous("REVERSE", node.this)


def spread_out(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Refuse a second list whose values become rows: there they stand beside the first one's."""
    select = node.find_ancestor(exp.Select)
    lists = [] if select is None else [
        found for one in select.expressions for found in one.find_all(exp.Explode, exp.Unnest)
        if found.find_ancestor(exp.Select) is select
    ]  # fmt: skip
    if len(lists) > 1:
        raise WorkbenchError(
            f"query: {len(lists)} lists become rows in one SELECT, which Spark combines each with "
            "each; make them one list of structs, or number and join them."
        )
    return None
