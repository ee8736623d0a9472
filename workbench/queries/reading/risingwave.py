"""TUMBLE and HOP of RisingWave as subqueries: rows with the ends of the window of each."""

from sqlglot import exp

from workbench.dialects.templates import anonymous
from workbench.errors import WorkbenchError

#: How many intervals each takes, without an offset.
_INTERVALS = {"tumble": 1, "hop": 2}
#: The ends of a window as RisingWave and Spark name them, and the column of the window itself.
_ENDS, _WINDOW = {"window_start": "start", "window_end": "end"}, "time_window_"
#: Parts of GROUP BY that make several lists of keys.
_GROUPING_SETS = ("grouping_sets", "cube", "rollup", "totals", "all")


def expand_time_windows(tree: exp.Expr) -> exp.Expr:
    """Return a query with TUMBLE and HOP replaced by subqueries; the tree is changed.

    ``proctime()`` is the time of now, and a table as of it is the table.

    Parameters
    ----------
    tree : sqlglot.exp.Expr

    Returns
    -------
    sqlglot.exp.Expr

    Raises
    ------
    WorkbenchError
        When one is not given a table, a column and intervals.

    Examples
    --------
    >>> import sqlglot
    >>> text = "SELECT * FROM TUMBLE(rides, at, INTERVAL '2' MINUTE)"
    >>> print(expand_time_windows(sqlglot.parse_one(text, read="risingwave")).sql("spark"))
    SELECT * FROM (SELECT *, WINDOW(at, '2 MINUTE').start AS window_start, \
WINDOW(at, '2 MINUTE').end AS window_end FROM rides) AS tumble
    """
    for table in list(tree.find_all(exp.Table)):
        call, version = table.this, table.args.get("version")
        if version is not None and version.expression.name.lower() == "proctime":
            # A table has no versions here: each micro-batch joins with what it reads.
            table.set("version", None)
        if isinstance(call, exp.Anonymous) and call.name.lower() in _INTERVALS:
            table.replace(_window_query(table, call))
    for call in list(tree.find_all(exp.Anonymous)):
        if call.name.lower() == "proctime" and not call.expressions:
            call.replace(exp.CurrentTimestamp())
    return tree


def _window_query(table: exp.Table, call: exp.Anonymous) -> exp.Expr:
    name, arguments = call.name.lower(), call.expressions
    widths, least = arguments[2:], _INTERVALS[name]
    has_time = len(arguments) > 1 and isinstance(arguments[1], exp.Column)
    source = _source(arguments[0]) if arguments else None
    intervals = all(isinstance(one, exp.Interval) for one in widths)
    if source is None or not has_time or not intervals or not least <= len(widths) <= least + 1:
        order = (
            "the width of its windows"
            if name == "tumble"
            else "the distance between its windows, their width"
        )
        raise WorkbenchError(
            f"query: {name} as a table takes a table, a column of times, {order} and an offset; "
            "write intervals as INTERVAL '1 minute'."
        )
    # Spark takes the width, then the slide, then the offset.
    sizes = [*reversed(widths[:least]), *widths[least:]]
    if name == "tumble" and len(sizes) > 1:
        sizes.insert(1, sizes[0])
    window = anonymous("window", arguments[1], *(_interval_text(one) for one in sizes))
    ends = [
        exp.alias_(exp.Dot(this=window.copy(), expression=exp.to_identifier(end)), column_name)
        for column_name, end in _ENDS.items()
    ]
    alias = table.alias or name
    if (group := _group_by_ends(table, alias)) is not None:
        ends.append(exp.alias_(window, _WINDOW))
        group.append("expressions", exp.column(_WINDOW, table=alias))
    rows = exp.select(exp.Star(), *ends).from_(source)
    return rows.subquery(alias, copy=False)


def _group_by_ends(table: exp.Table, alias: str) -> exp.Group | None:
    """Return the GROUP BY around a table if it has an end of the windows, else None.

    Spark closes a group of a stream only if the window itself, which has the watermark, is a key.
    """
    group = table.parent_select and table.parent_select.args.get("group")
    if not isinstance(group, exp.Group) or any(group.args.get(one) for one in _GROUPING_SETS):
        return None
    selected = group.parent.expressions if group.parent is not None else []
    keys = [_key(one, selected) for one in group.expressions]
    ends = [
        one for one in keys
        if isinstance(one, exp.Column) and one.name in _ENDS and one.table in ("", alias)
    ]  # fmt: skip
    return group if ends else None


def _key(key: exp.Expr, selected: list[exp.Expr]) -> exp.Expr:
    """Return a key that GROUP BY gives by its position or its alias in the query."""
    for number, one in enumerate(selected, 1):
        is_alias = isinstance(key, exp.Column) and not key.table and key.name == one.alias
        if is_alias or (isinstance(key, exp.Literal) and key.this == str(number)):
            return one.this if isinstance(one, exp.Alias) else one
    return key


def _source(node: exp.Expr) -> exp.Expr | None:
    """Return the table that a call is given, by name or as a subquery."""
    if isinstance(node, exp.Subquery):
        return node.copy()
    if isinstance(node, exp.Column) and not node.args.get("db"):
        return exp.Table(this=node.this.copy(), db=node.args.get("table"))
    return None


def _interval_text(width: exp.Expr) -> exp.Literal:
    """Return an interval as the text that Spark's ``window`` takes."""
    unit = width.args.get("unit")
    return exp.Literal.string(f"{width.this.name} {unit.name if unit is not None else ''}".strip())
