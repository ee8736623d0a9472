"""List comprehensions of DuckDB as calls with lambdas."""

from sqlglot import exp

from workbench.errors import WorkbenchError


def replace_comprehensions(tree: exp.Query) -> exp.Query:
    """Return a query with ``[x + 1 for x in l if x > 0]`` as calls; the tree is changed.

    Raises
    ------
    WorkbenchError
        When one has a position.

    Examples
    --------
    >>> import sqlglot
    >>> tree = sqlglot.parse_one("SELECT [x + 1 for x in l if x > 0]", read="duckdb")
    >>> print(replace_comprehensions(tree).sql("duckdb"))
    SELECT LIST_TRANSFORM(LIST_FILTER(l, x -> x > 0), x -> x + 1)
    """
    for node in reversed(list(tree.find_all(exp.Comprehension))):
        values, condition = node.args["iterator"], node.args.get("condition")
        if node.args.get("position") is not None:
            raise WorkbenchError(
                "query: a list comprehension has no position here; use list_transform, whose "
                "lambda may have one."
            )
        if condition is not None:
            values = exp.ArrayFilter(this=values.copy(), expression=_of_element(node, condition))
        calls = exp.Transform(this=values.copy(), expression=_of_element(node, node.this))
        # The comprehension is the only element of a list.
        (node.parent if isinstance(node.parent, exp.Array) else node).replace(calls)
    return tree


def _of_element(node: exp.Comprehension, body: exp.Expr) -> exp.Lambda:
    """Return a lambda with the comprehension's variable as its parameter."""
    variable = node.expression
    result = exp.Lambda(this=body.copy(), expressions=[variable.copy()])
    for column in list(result.find_all(exp.Column)):
        if not column.table and column.name.lower() == variable.name.lower():
            column.replace(variable.copy())
    return result
