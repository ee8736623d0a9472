"""Subscripts of lists and maps as the query states them."""

from sqlglot import exp
from sqlglot.optimizer.annotate_types import annotate_types
from sqlglot.optimizer.simplify import simplify

from workbench.dialects.functions import LIKE_POSTGRES
from workbench.dialects.templates import anonymous

#: Types that sqlglot takes for a list, and for an index into one.
_LISTS = (exp.DType.UNKNOWN, exp.DType.ARRAY)
_INTEGERS = exp.DataType.INTEGER_TYPES


def restore_subscripts(tree: exp.Query, dialect: str) -> exp.Query:
    """Return a query with its subscripts as they are written; the tree is changed.

    sqlglot counts indexes whose type it knows from 0, takes a subscript of ``MAP {...}`` for one of
    the pairs of the map, and takes the column in ``l[:y]`` for a parameter.

    Examples
    --------
    >>> import sqlglot
    >>> tree = sqlglot.parse_one("SELECT l[2], MAP {1: x}[1]", read="duckdb")
    >>> tree.expressions[0].expressions[0].sql()
    '1'
    >>> of_list, of_map = restore_subscripts(tree, "duckdb").expressions
    >>> of_list.expressions[0].sql(), of_map.sql("duckdb")
    ('2', 'MAP_EXTRACT_VALUE(MAP {1: x}, 1)')
    """
    for node in tree.find_all(exp.Bracket):
        index = node.expressions[0]
        if isinstance(index, exp.Placeholder) and dialect in LIKE_POSTGRES:
            index = exp.Slice(expression=exp.column(index.name))
            node.set("expressions", [index])
        if len(node.expressions) != 1 or node.args.get("offset") or isinstance(index, exp.Slice):
            continue
        container_type = node.this.type
        is_list = dialect != "spark" and (container_type is None or container_type.this in _LISTS)
        if is_list and annotate_types(index.copy(), dialect=dialect).is_type(*_INTEGERS):
            original = simplify(exp.Add(this=index.copy(), expression=exp.Literal.number(1)))
            node.set("expressions", [original])
            node.set("offset", 1)
    for to_map in list(tree.find_all(exp.ToMap)):
        _separate_map_keys(to_map)
    return tree


def _separate_map_keys(node: exp.ToMap) -> None:
    """Make a map of the pairs alone, and subscripts of the pairs subscripts of the map."""
    pairs, keys = node.this, list[exp.Expr]()
    while isinstance(pairs, exp.Bracket):
        keys.insert(0, pairs.expressions[0])
        pairs = pairs.this
    value: exp.Expr = exp.ToMap(this=pairs.copy())
    for key in keys:
        value = anonymous("map_extract_value", value, key)
    if keys:
        node.replace(value)
