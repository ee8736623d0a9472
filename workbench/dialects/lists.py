"""Lists: their elements, parts and values, as other systems count and compare them."""

from sqlglot import exp

from workbench.dialects.functions import POSTGRES
from workbench.dialects.kinds import Kinds, kind_of
from workbench.dialects.writing import anonymous, fill_template, is_not_null
from workbench.errors import WorkbenchError

#: Of these, what is negative counts no places from the end.
_FROM_ONE = POSTGRES


def element(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """An element of a list, counted from 1, of a map or a text; null where there is none."""
    if len(node.expressions) != 1:
        return None
    index = node.expressions[0]
    if isinstance(index, exp.Slice):
        return _slice(node, index, kinds)
    if isinstance(index, exp.Literal) and index.is_string:
        return None
    if dialect == "duckdb" and kind_of(node, node.this, kinds) == "string":
        return _part(node, node.this, index, index, kinds)
    number = index.this if isinstance(index, exp.Neg) else index
    is_number = isinstance(number, exp.Literal)
    if is_number and number.this != "0" and (number is index or dialect not in _FROM_ONE):
        return anonymous("TRY_ELEMENT_AT", node.this, index)
    if kind_of(node, node.this, kinds) == "map":
        return anonymous("TRY_ELEMENT_AT", node.this, index)
    if dialect in _FROM_ONE:
        index = anonymous("GREATEST", index, exp.Literal.number(0))
    place = fill_template("INT(NULLIF(:index, 0))", index=index)
    return anonymous("TRY_ELEMENT_AT", node.this, place)


def _slice(node: exp.Expr, index: exp.Slice, kinds: Kinds) -> exp.Expr | None:
    """A part of a list or a text: ``l[2:3]``."""
    if index.args.get("step") is not None:
        raise WorkbenchError(
            "query: a part of a list by a step is not available; take list_filter by the places "
            "of the elements."
        )
    return _part(node, node.this, index.args.get("this"), index.args.get("expression"), kinds)


def _part(
    node: exp.Expr, of: exp.Expr, first: exp.Expr | None, last: exp.Expr | None, kinds: Kinds
) -> exp.Expr | None:
    """A part of a list or a text with both its ends; what is negative is from the end."""
    kind = kind_of(node, of, kinds)
    if kind not in ("array", "string"):
        return None
    is_list = kind == "array"
    size = "SIZE(:of)" if is_list else "CHAR_LENGTH(:of)"
    place = f"IF((:n) < 0, {size} + (:n) + 1, :n)"
    begin: exp.Expr = exp.Literal.number(1)
    end = fill_template(size, of=of)
    if first is not None:
        begin = fill_template(f"IF({place} < 1, 1, {place})", of=of, n=first)
    if last is not None:
        end = fill_template(place, of=of, n=last)
    # What is null is no place, and of no place there is no part.
    more = "((:end) - (:begin) + 1)"
    count = fill_template(f"INT(IF({more} < 0, 0, {more}))", end=end, begin=begin)
    called = "SLICE" if is_list else "SUBSTRING"
    return fill_template(f"{called}(:of, INT(:begin), :count)", of=of, begin=begin, count=count)


def sliced(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """``list_slice(l, 2, 3)``, which is a part of a list or a text."""
    if isinstance(node, exp.ArraySlice):
        given = [node.args.get(one) for one in ("this", "start", "end")]
        given += [node.args["step"]] if node.args.get("step") else []
    else:
        given = list(node.expressions)
    if len(given) != 3:
        raise WorkbenchError(
            "query: list_slice takes a list and the places of its first and last element here; "
            "take list_filter by the places of the elements for a step."
        )
    of, first, last = given
    return None if of is None else _part(node, of, first, last, kinds)


def place_in_list(of: exp.Expr, value: exp.Expr) -> exp.Expr:
    """Return the first place of a value, which may be null, in a list; null where it has none."""
    of_null = fill_template("ARRAY_POSITION(TRANSFORM(:of, one -> one IS NULL), TRUE)", of=of)
    if isinstance(value, exp.Null):
        return fill_template("INT(NULLIF(:place, 0))", place=of_null)
    return fill_template(
        "INT(NULLIF(IF((:value) IS NULL, :of_null, ARRAY_POSITION(:of, :value)), 0))",
        of=of, value=value, of_null=of_null,
    )  # fmt: skip


def position(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    return place_in_list(node.this, node.expression)


def common_values(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """The different values that are in both lists, in which nulls are no values."""
    if len(node.expressions) != 2:
        return None
    both = fill_template(
        "ARRAY_COMPACT(ARRAY_INTERSECT(:a, :b))", a=node.expressions[0], b=node.expressions[1]
    )
    none = fill_template("SLICE(:a, 1, 0)", a=node.expressions[0])
    return exp.Coalesce(this=both, expressions=[none])


def contains_all(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Whether one list has all values of another: ``a @> b``."""
    whole, part = node.this, node.expression
    if isinstance(node, exp.ArrayContainedBy):
        whole, part = part, whole
    if {kind_of(node, one, kinds) for one in (whole, part)} != {"array"}:
        raise WorkbenchError(
            "query: @> and <@ compare lists here; take a part of JSON by ->> and compare that."
        )
    found = fill_template(
        "SIZE(ARRAY_COMPACT(ARRAY_EXCEPT(:part, :whole))) = 0", part=part, whole=whole
    )
    if dialect != "duckdb":
        # To Postgres a null is in no list.
        found = fill_template(
            ":found AND NOT EXISTS(:part, one -> one IS NULL)", found=found, part=part
        )
    return exp.paren(found, copy=False)


def reduced(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """What a function of two makes of the elements of a list, one after the other."""
    if isinstance(node, exp.Reduce):
        given = [node.args.get(one) for one in ("this", "initial", "merge", "finish")]
    else:
        given = list(node.expressions)
    values, function, *rest = [one for one in given if one is not None]
    if not isinstance(function, exp.Lambda) or len(function.expressions) != 2 or len(rest) > 1:
        raise WorkbenchError(
            "query: list_reduce takes a list, a lambda of two names, and a value to begin with "
            "here; count places by list_transform first."
        )
    kind = _kind_of_reduced(node, values, function, rest, kinds)
    made = exp.Lambda(
        this=exp.cast(exp.paren(function.this.copy()), kind.copy()),
        expressions=[one.copy() for one in function.expressions],
    )
    if rest:
        return anonymous("AGGREGATE", values, exp.cast(rest[0].copy(), kind), made)
    first = exp.cast(anonymous("ELEMENT_AT", values, exp.Literal.number(1)), kind)
    others = fill_template("SLICE(:l, 2, GREATEST(SIZE(:l) - 1, 0))", l=values)
    return anonymous("AGGREGATE", others, first, made)


def _kind_of_reduced(
    node: exp.Expr, values: exp.Expr, function: exp.Lambda, rest: list[exp.Expr], kinds: Kinds
) -> exp.DataType:
    """The type of what a function makes of two elements, and of what it begins with."""
    one, two = (name.name for name in function.expressions)
    body = function.this.copy()
    for name in list(body.find_all(exp.Identifier)):
        if name.name == two and not isinstance(name.parent, exp.Column):
            name.replace(exp.to_identifier(one))
    of_two = exp.Lambda(this=exp.paren(body), expressions=[exp.to_identifier(one)])
    made = anonymous("ELEMENT_AT", anonymous("TRANSFORM", values, of_two), exp.Literal.number(1))
    of_one = anonymous("ELEMENT_AT", values, exp.Literal.number(1))
    found = kinds(node, [exp.Coalesce(this=made, expressions=[of_one, *rest])])
    if not found:
        raise WorkbenchError(
            "query: list_reduce makes of two elements what Spark has no type for; cast it."
        )
    return exp.DataType.build(found[0].simpleString(), dialect="spark")


def contains(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Whether a value is in a list, in which nulls are no values."""
    if isinstance(node.expression, exp.Null):
        return exp.cast(exp.null(), "BOOLEAN")
    within = anonymous("ARRAY_CONTAINS", node.this, node.expression)
    found = exp.Coalesce(this=within, expressions=[exp.false()])
    is_known = is_not_null(node.this)
    if dialect != "clickhouse":
        # Of null it is not known whether it is there.
        is_known = exp.and_(is_known, is_not_null(node.expression))
    return exp.Case(ifs=[exp.If(this=is_known, true=found)])


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
    found = fill_template("COALESCE(ARRAYS_OVERLAP(:a, :b), FALSE)", a=node.this, b=node.expression)
    return exp.Case(ifs=[exp.If(this=is_not_null(node.this), true=found)])


def counted_from_one(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """A function of elements and their places, which Spark counts from 0."""
    function = node.expression
    if not isinstance(function, exp.Lambda) or len(function.expressions) != 2:
        return None
    place = function.expressions[1].name
    made = exp.Lambda(this=exp.paren(function.this.copy()), expressions=function.expressions)
    for one in list(made.this.find_all(exp.Identifier)):
        if one.name == place and not isinstance(one.parent, exp.Lambda | exp.Column):
            one.replace(fill_template("(:place + 1)", place=one.copy()))
    node.set("expression", made.copy())
    return None


def size(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """How many elements a list has: to Postgres none has no length, and there are dimensions."""
    dimension = node.args.get("expression")
    if dialect not in _FROM_ONE or dimension is None:
        return None
    if not isinstance(dimension, exp.Literal) or dimension.this != "1":
        raise WorkbenchError(
            "query: array_length counts the first dimension alone here; write array_length(l, 1)."
        )
    return fill_template("NULLIF(SIZE(:l), 0)", l=node.this)


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
    of = node.this if isinstance(node, exp.Explode) else None
    if of is not None and kind_of(node, of, kinds) == "struct":
        raise WorkbenchError(
            "query: unnest of a struct is not available; name its fields, as s.a and s.b."
        )
    return None
