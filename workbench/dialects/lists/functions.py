"""Lists: elements, slices and comparisons with the semantics of other systems."""

from sqlglot import exp

from workbench.dialects.functions import POSTGRES
from workbench.dialects.kinds import Kinds, kind_of
from workbench.dialects.templates import anonymous, fill_template, is_not_null
from workbench.dialects.texts.written import is_written_alike, letter_of_boolean, text_of_float
from workbench.errors import WorkbenchError


def element(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return an element of a list (from 1), a map or a text; null if there is none."""
    if len(node.expressions) != 1:
        return None
    index = node.expressions[0]
    if isinstance(index, exp.Slice):
        return _subscript_slice(node, index, dialect, kinds)
    if isinstance(index, exp.Literal) and index.is_string:
        return None
    kind = kind_of(node, node.this, kinds) if dialect == "duckdb" else ""
    if kind == "string":
        return _slice_of(node, node.this, index, index, kinds)
    if kind == "struct":
        # Of a row without names, the fields have their places as names.
        return exp.Dot(this=exp.paren(node.this.copy()), expression=_place_name(index))
    number = index.this if isinstance(index, exp.Neg) else index
    is_number = isinstance(number, exp.Literal)
    # In Postgres a negative index does not count from the end.
    if is_number and number.this != "0" and (number is index or dialect not in POSTGRES):
        return anonymous("TRY_ELEMENT_AT", node.this, index)
    if kind_of(node, node.this, kinds) == "map":
        return anonymous("TRY_ELEMENT_AT", node.this, index)
    if dialect in POSTGRES:
        index = anonymous("GREATEST", index, exp.Literal.number(0))
    index_or_null = fill_template("INT(NULLIF(:index, 0))", index=index)
    return anonymous("TRY_ELEMENT_AT", node.this, index_or_null)


def _place_name(index: exp.Expr) -> exp.Identifier:
    return exp.to_identifier(f"col{index.sql()}", quoted=True)


def _subscript_slice(
    node: exp.Expr, index: exp.Slice, dialect: str, kinds: Kinds
) -> exp.Expr | None:
    """Return a slice of a list or a text: ``l[2:3]``."""
    if index.args.get("step") is not None:
        raise WorkbenchError(
            "query: a part of a list with a step is not available; use list_filter by the "
            "positions of the elements."
        )
    first, last = index.args.get("this"), index.args.get("expression")
    if dialect in POSTGRES:
        first, last = (one and fill_template("IF((:n) < 0, 0, :n)", n=one) for one in (first, last))
    return _slice_of(node, node.this, first, last, kinds)


def _slice_of(
    node: exp.Expr, container: exp.Expr, first: exp.Expr | None, last: exp.Expr | None, kinds: Kinds
) -> exp.Expr | None:
    """Return a slice of a list or a text, both ends included; negative ones count from the end."""
    kind = kind_of(node, container, kinds)
    if kind not in ("array", "string"):
        return None
    is_list = kind == "array"
    length_text = "SIZE(:of)" if is_list else "CHAR_LENGTH(:of)"
    position_text = f"IF((:n) < 0, {length_text} + (:n) + 1, :n)"
    start: exp.Expr = exp.Literal.number(1)
    end = fill_template(length_text, of=container)
    if first is not None:
        start = fill_template(f"IF({position_text} < 1, 1, {position_text})", of=container, n=first)
    if last is not None:
        end = fill_template(position_text, of=container, n=last)
    # A null end makes the slice null.
    slice_length = "((:end) - (:start) + 1)"
    count = fill_template(f"INT(IF({slice_length} < 0, 0, {slice_length}))", end=end, start=start)
    function = "SLICE" if is_list else "SUBSTRING"
    return fill_template(
        f"{function}(:of, INT(:start), :count)", of=container, start=start, count=count
    )


def list_slice(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return ``list_slice(l, 2, 3)`` of a list or a text."""
    if isinstance(node, exp.ArraySlice):
        arguments = [node.args.get(one) for one in ("this", "start", "end")]
        arguments += [node.args["step"]] if node.args.get("step") else []
    else:
        arguments = list(node.expressions)
    if len(arguments) != 3:
        raise WorkbenchError(
            "query: list_slice takes a list and the positions of its first and last element here; "
            "for a step, use list_filter by the positions of the elements."
        )
    container, first, last = arguments
    return None if container is None else _slice_of(node, container, first, last, kinds)


def list_position(values: exp.Expr, value: exp.Expr) -> exp.Expr:
    """Return the first position of a value, which may be null, in a list; null if there is none."""
    of_null = fill_template("ARRAY_POSITION(TRANSFORM(:of, one -> one IS NULL), TRUE)", of=values)
    if isinstance(value, exp.Null):
        return fill_template("INT(NULLIF(:place, 0))", place=of_null)
    return fill_template(
        "INT(NULLIF(IF((:value) IS NULL, :of_null, ARRAY_POSITION(:of, :value)), 0))",
        of=values, value=value, of_null=of_null,
    )  # fmt: skip


def array_position(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    if node.args.get("zero_based") is not None:
        raise WorkbenchError(
            "query: array_position takes a list and a value here, no position to begin at; take "
            "the position within a slice, as in array_position(x[2:], y) + 1."
        )
    return list_position(node.this, node.expression)


def array_remove(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return a list without a value, which may be null in Postgres."""
    if dialect not in POSTGRES:
        return None
    if isinstance(node.expression, exp.Null):
        return anonymous("ARRAY_COMPACT", node.this)
    removed = "IF((:value) IS NULL, ARRAY_COMPACT(:of), ARRAY_REMOVE(:of, :value))"
    return fill_template(removed, of=node.this, value=node.expression)


def is_null(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return whether all values of a row are null, or not null, in Postgres: ``(a, b) IS NULL``."""
    row = node.this.unnest()
    is_row = isinstance(row, exp.Tuple) and isinstance(node.expression, exp.Null)
    if dialect not in POSTGRES or not is_row:
        return None
    is_each = "(:a) IS NOT NULL" if node.args.get("negate") else "(:a) IS NULL"
    return exp.paren(exp.and_(*(fill_template(is_each, a=one) for one in row.expressions)))


def list_intersect(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return the distinct values in both lists, without nulls."""
    if len(node.expressions) != 2:
        return None
    both = fill_template(
        "ARRAY_COMPACT(ARRAY_INTERSECT(:a, :b))", a=node.expressions[0], b=node.expressions[1]
    )
    none = fill_template("SLICE(:a, 1, 0)", a=node.expressions[0])
    return exp.Coalesce(this=both, expressions=[none])


def list_zip(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return the rows of several lists, as long as the longest one, or the shortest if so asked."""
    arguments = list(node.expressions)
    flag = arguments.pop() if arguments and isinstance(arguments[-1], exp.Boolean) else None
    if not arguments:
        return None
    lists = [fill_template("COALESCE(:l, ARRAY())", l=one) for one in arguments]
    rows = fill_template("TRANSFORM(:l, each_ -> NAMED_STRUCT('col1', each_))", l=lists[0])
    for count, one in enumerate(lists[1:], 1):
        before = ", ".join(f"'col{k}', row_.col{k}" for k in range(1, count + 1))
        row = f"NAMED_STRUCT({before}, 'col{count + 1}', each_)"
        rows = fill_template(f"ZIP_WITH(:rows, :l, (row_, each_) -> {row})", rows=rows, l=one)
    if flag is None or not flag.this:
        return rows
    sizes = [fill_template("SIZE(:l)", l=one) for one in lists]
    shortest = anonymous("LEAST", *sizes) if len(sizes) > 1 else sizes[0]
    return anonymous("SLICE", rows, exp.Literal.number(1), shortest)


def list_grade_up(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return the positions of the elements in the order of the elements.

    Raises
    ------
    WorkbenchError
        When the order is no constant.
    """
    values, *options = node.expressions or [exp.null()]
    texts = [one.name.upper() for one in options if isinstance(one, exp.Literal)]
    of_order, of_nulls = [*texts, *("ASC", "NULLS LAST")[len(texts) :]][:2]
    is_known = of_order in ("ASC", "DESC") and of_nulls in ("NULLS FIRST", "NULLS LAST")
    if len(texts) != len(options) or len(options) > 2 or not is_known:
        raise WorkbenchError(
            f"query: {node.name.lower()} takes a list, 'ASC' or 'DESC', and 'NULLS FIRST' or "
            "'NULLS LAST' here."
        )
    sign = -1 if of_order == "DESC" else 1
    nulls = "each_ IS NOT NULL" if of_nulls == "NULLS FIRST" else "each_ IS NULL"
    compared = (
        "(one_, other_) -> CASE WHEN one_.nulls <> other_.nulls THEN IF(one_.nulls, 1, -1) "
        f"WHEN one_.each < other_.each THEN {-sign} WHEN one_.each > other_.each THEN {sign} "
        "ELSE one_.place - other_.place END"
    )
    places = (
        f"TRANSFORM(:l, (each_, place_) -> NAMED_STRUCT('nulls', {nulls}, 'each', each_, "
        "'place', place_))"
    )
    return fill_template(
        f"TRANSFORM(ARRAY_SORT({places}, {compared}), each_ -> BIGINT(each_.place + 1))", l=values
    )


def contains_all(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return whether one list has all values of another: ``a @> b``."""
    whole, part = node.this, node.expression
    if isinstance(node, exp.ArrayContainedBy):
        whole, part = part, whole
    if {kind_of(node, one, kinds) for one in (whole, part)} != {"array"}:
        raise WorkbenchError(
            "query: @> and <@ compare lists here; extract a part of JSON by ->> and compare that."
        )
    result = fill_template(
        "SIZE(ARRAY_COMPACT(ARRAY_EXCEPT(:part, :whole))) = 0", part=part, whole=whole
    )
    if dialect != "duckdb":
        # In Postgres no list contains a null.
        result = fill_template(
            ":result AND NOT EXISTS(:part, one -> one IS NULL)", result=result, part=part
        )
    return exp.paren(result, copy=False)


def list_reduce(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return ``list_reduce``: a lambda of two applied to the elements one after the other."""
    if isinstance(node, exp.Reduce):
        arguments = [node.args.get(one) for one in ("this", "initial", "merge", "finish")]
    else:
        arguments = list(node.expressions)
    values, function, *rest = [one for one in arguments if one is not None]
    if not isinstance(function, exp.Lambda) or len(function.expressions) != 2 or len(rest) > 1:
        raise WorkbenchError(
            "query: list_reduce takes a list, a lambda of two names, and an initial value here; "
            "count positions by list_transform first."
        )
    result_type = _reduced_type(node, values, function, rest, kinds)
    reducer = exp.Lambda(
        this=exp.cast(exp.paren(function.this.copy()), result_type.copy()),
        expressions=[one.copy() for one in function.expressions],
    )
    if rest:
        return anonymous("AGGREGATE", values, exp.cast(rest[0].copy(), result_type), reducer)
    first_element = exp.cast(anonymous("ELEMENT_AT", values, exp.Literal.number(1)), result_type)
    others = fill_template("SLICE(:l, 2, GREATEST(SIZE(:l) - 1, 0))", l=values)
    return anonymous("AGGREGATE", others, first_element, reducer)


def _reduced_type(
    node: exp.Expr, values: exp.Expr, function: exp.Lambda, rest: list[exp.Expr], kinds: Kinds
) -> exp.DataType:
    """Return the common type of the reduced value, the first element and the initial value."""
    first_name, second_name = (name.name for name in function.expressions)
    body = function.this.copy()
    for name in list(body.find_all(exp.Identifier)):
        if name.name == second_name and not isinstance(name.parent, exp.Column):
            name.replace(exp.to_identifier(first_name))
    lambda_of_one = exp.Lambda(this=exp.paren(body), expressions=[exp.to_identifier(first_name)])
    reduced_twice = anonymous(
        "ELEMENT_AT", anonymous("TRANSFORM", values, lambda_of_one), exp.Literal.number(1)
    )
    first_element = anonymous("ELEMENT_AT", values, exp.Literal.number(1))
    types = kinds(node, [exp.Coalesce(this=reduced_twice, expressions=[first_element, *rest])])
    if not types:
        raise WorkbenchError(
            "query: the lambda of list_reduce returns a value that has no type in Spark; cast it."
        )
    return exp.DataType.build(types[0].simpleString(), dialect="spark")


def list_contains(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return whether a value is in a list, ignoring nulls in it; ClickHouse finds a null, too."""
    if dialect == "clickhouse" and not isinstance(node.expression, exp.Literal):
        is_alike = "EXISTS(:a, each_ -> each_ <=> :b)"
        return fill_template(is_alike, a=node.this, b=node.expression)
    if isinstance(node.expression, exp.Null):
        return exp.cast(exp.null(), "BOOLEAN")
    is_contained = anonymous("ARRAY_CONTAINS", node.this, node.expression)
    result = exp.Coalesce(this=is_contained, expressions=[exp.false()])
    is_defined = is_not_null(node.this)
    if dialect != "clickhouse":
        # For a null value the result is null.
        is_defined = exp.and_(is_defined, is_not_null(node.expression))
    return exp.Case(ifs=[exp.If(this=is_defined, true=result)])


def list_distinct(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return the distinct values of a list, with null in RisingWave alone."""
    distinct = anonymous("ARRAY_DISTINCT", node.this)
    return distinct if dialect in POSTGRES else anonymous("ARRAY_COMPACT", distinct)


def in_list(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return whether a value is in the list of a column."""
    values = node.args.get("field")
    if values is None:
        return None
    call = exp.ArrayContains(this=values.copy(), expression=node.this.copy())
    return list_contains(call, dialect, kinds)


def arrays_overlap(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    result = fill_template(
        "COALESCE(ARRAYS_OVERLAP(:a, :b), FALSE)", a=node.this, b=node.expression
    )
    are_lists = exp.and_(is_not_null(node.this), is_not_null(node.expression))
    return exp.Case(ifs=[exp.If(this=are_lists, true=result)])


def index_from_one(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Shift the index parameter of a lambda by 1: Spark counts from 0."""
    function = node.expression
    if not isinstance(function, exp.Lambda) or len(function.expressions) != 2:
        return None
    index_name = function.expressions[1].name
    shifted = exp.Lambda(this=exp.paren(function.this.copy()), expressions=function.expressions)
    for one in list(shifted.this.find_all(exp.Identifier)):
        if one.name == index_name and not isinstance(one.parent, exp.Lambda | exp.Column):
            one.replace(fill_template("(:place + 1)", place=one.copy()))
    node.set("expression", shifted.copy())
    return None


def array_length(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return the length of a list; Postgres takes a dimension, and is null for an empty list."""
    dimension = node.args.get("expression")
    if dialect not in POSTGRES or dimension is None:
        return None
    if not isinstance(dimension, exp.Literal) or dimension.this != "1":
        raise WorkbenchError(
            "query: array_length counts only the first dimension here; write array_length(l, 1)."
        )
    return fill_template("NULLIF(SIZE(:l), 0)", l=node.this)


def array_reverse(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    return anonymous("REVERSE", node.this)


def check_unnest(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Refuse a second UNNEST in a SELECT: elsewhere both advance together, in Spark they cross."""
    select = node.find_ancestor(exp.Select)
    lists = [] if select is None else [
        generator for one in select.expressions
        for generator in one.find_all(exp.Explode, exp.Unnest)
        if generator.find_ancestor(exp.Select) is select
    ]  # fmt: skip
    if len(lists) > 1:
        raise WorkbenchError(
            f"query: {len(lists)} lists become rows in one SELECT, of which Spark returns all "
            "combinations; make them one list of structs, or number and join them."
        )
    value = node.this if isinstance(node, exp.Explode) else None
    if value is not None and kind_of(node, value, kinds) == "struct":
        raise WorkbenchError(
            "query: unnest of a struct is not available; name its fields, as s.a and s.b."
        )
    return None


def concat_all_lists(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return several lists as one, where a null adds nothing; in Postgres one list is not null."""
    lists = [one for one in (node.this, *node.expressions) if not isinstance(one, exp.Null)]
    if dialect in POSTGRES:
        values = [one.copy() for one in lists]
        return exp.Coalesce(this=anonymous("CONCAT", *lists), expressions=values)
    return anonymous("CONCAT", *(fill_template("COALESCE(:l, ARRAY())", l=one) for one in lists))


def list_as_text(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return the joined elements of a list; in DuckDB null if it has nulls alone."""
    types = kinds(node, [node.this])
    if types and types[0].typeName() == "array":
        each, kind = exp.column("each_"), types[0].elementType.typeName()
        text = letter_of_boolean(each, kind, dialect) or text_of_float(each, kind, dialect)
        if text is not None:
            node.set("this", fill_template("TRANSFORM(:l, each_ -> :text)", l=node.this, text=text))
    if dialect != "duckdb":
        return None
    has_nulls_alone = "SIZE(:l) > 0 AND SIZE(ARRAY_COMPACT(:l)) = 0"
    return fill_template(
        f"IF({has_nulls_alone}, NULL, ARRAY_JOIN(:l, :by))", l=node.this, by=node.expression
    )


def flatten(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return the elements of the lists in a list, without its nulls."""
    return fill_template("FLATTEN(ARRAY_COMPACT(:l))", l=node.this) if dialect == "duckdb" else None


def concat_lists(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return ``list || value`` of Postgres, and ``list || list``, where a null adds nothing.

    Make a float beside a text the text that the dialect writes.
    """
    sides = node.this, node.expression
    has_text = any(isinstance(one, exp.Literal) and one.is_string for one in sides)
    are_lists = (
        [one.typeName() == "array" for one in kinds(node, sides) or ()]
        if dialect in POSTGRES and not has_text
        else []
    )
    if not any(are_lists):
        for one in sides:
            is_text = is_written_alike(one) or isinstance(one, exp.DPipe)
            kind = "" if is_text else kind_of(node, one, kinds)
            if (text := text_of_float(one.copy(), kind, dialect)) is not None:
                one.replace(text)
        return None
    lists = [
        one.copy() if is_list else anonymous("ARRAY", one)
        for one, is_list in zip(sides, are_lists, strict=True)
        if not isinstance(one, exp.Null)
    ]
    return exp.Coalesce(this=anonymous("CONCAT", *lists), expressions=[one.copy() for one in lists])
