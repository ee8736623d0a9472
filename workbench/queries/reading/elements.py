"""Elements of lists and maps by the places and keys that a query says."""

from sqlglot import exp
from sqlglot.optimizer.annotate_types import annotate_types
from sqlglot.optimizer.simplify import simplify

from workbench.dialects.writing import anonymous

#: What sqlglot takes for a list, and for a place in one.
_LISTS = (exp.DType.UNKNOWN, exp.DType.ARRAY)
_INTEGERS = exp.DataType.INTEGER_TYPES


def with_places_as_said(tree: exp.Query, dialect: str) -> exp.Query:
    """Return a query whose elements are by the numbers that it says; it is changed.

    Who reads it for us counts some of them from 0, those whose type it knows, and takes what
    stands behind ``MAP {...}`` for an element of its pairs.

    Examples
    --------
    >>> import sqlglot
    >>> tree = sqlglot.parse_one("SELECT l[2], MAP {1: x}[1]", read="duckdb")
    >>> tree.expressions[0].expressions[0].sql()
    '1'
    >>> found, of_map = with_places_as_said(tree, "duckdb").expressions
    >>> found.expressions[0].sql(), of_map.sql("duckdb")
    ('2', 'MAP_EXTRACT_VALUE(MAP {1: x}, 1)')
    """
    for node in tree.find_all(exp.Bracket):
        place = node.expressions[0]
        if len(node.expressions) != 1 or node.args.get("offset") or isinstance(place, exp.Slice):
            continue
        of = node.this.type
        counted = dialect != "spark" and (of is None or of.this in _LISTS)
        if counted and annotate_types(place.copy(), dialect=dialect).is_type(*_INTEGERS):
            said = simplify(exp.Add(this=place.copy(), expression=exp.Literal.number(1)))
            node.set("expressions", [said])
            node.set("offset", 1)
    for made in list(tree.find_all(exp.ToMap)):
        _take_pairs_alone(made)
    return tree


def _take_pairs_alone(node: exp.ToMap) -> None:
    """Make a map of the pairs alone, and what is taken of them elements of the map."""
    pairs, keys = node.this, list[exp.Expr]()
    while isinstance(pairs, exp.Bracket):
        keys.insert(0, pairs.expressions[0])
        pairs = pairs.this
    found: exp.Expr = exp.ToMap(this=pairs.copy())
    for key in keys:
        found = anonymous("map_extract_value", found, key)
    if keys:
        node.replace(found)
