"""RisingWave's windows of time as tables: rows with the ends of the window that each lies in."""

from sqlglot import exp

from workbench.dialects.writing import anonymous
from workbench.errors import WorkbenchError

#: How many intervals they take, without an offset.
_INTERVALS = {"tumble": 1, "hop": 2}
#: What they call the ends of a window, and what Spark does; and the window itself among groups.
_ENDS, _WINDOW = {"window_start": "start", "window_end": "end"}, "time_window_"
#: What groups by several lists of keys.
_SEVERAL = ("grouping_sets", "cube", "rollup", "totals", "all")


def with_time_windows(tree: exp.Expr) -> exp.Expr:
    """Return a query in which TUMBLE and HOP as tables are queries; it is changed.

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
    >>> print(with_time_windows(sqlglot.parse_one(text, read="risingwave")).sql("spark"))
    SELECT * FROM (SELECT *, WINDOW(at, '2 MINUTE').start AS window_start, \
WINDOW(at, '2 MINUTE').end AS window_end FROM rides) AS tumble
    """
    for table in list(tree.find_all(exp.Table)):
        call = table.this
        if isinstance(call, exp.Anonymous) and call.name.lower() in _INTERVALS:
            table.replace(_with_window(table, call))
    return tree


def _with_window(table: exp.Table, call: exp.Anonymous) -> exp.Expr:
    name, given = call.name.lower(), call.expressions
    widths, least = given[2:], _INTERVALS[name]
    has_time = len(given) > 1 and isinstance(given[1], exp.Column)
    source = _source(given[0]) if given else None
    intervals = all(isinstance(one, exp.Interval) for one in widths)
    if source is None or not has_time or not intervals or not least <= len(widths) <= least + 1:
        order = "its width" if name == "tumble" else "how far windows are apart, their width"
        raise WorkbenchError(
            f"query: {name} as a table takes a table, a column of times, {order} and an offset, "
            "these as intervals: INTERVAL '1 minute'."
        )
    # Spark's width stands before how far its windows are apart, and both before an offset.
    sizes = [*reversed(widths[:least]), *widths[least:]]
    if name == "tumble" and len(sizes) > 1:
        sizes.insert(1, sizes[0])
    window = anonymous("window", given[1], *(_text(one) for one in sizes))
    ends = [
        exp.alias_(exp.Dot(this=window.copy(), expression=exp.to_identifier(end)), named)
        for named, end in _ENDS.items()
    ]
    called = table.alias or name
    if (group := _groups_of_windows(table, called)) is not None:
        ends.append(exp.alias_(window, _WINDOW))
        group.append("expressions", exp.column(_WINDOW, table=called))
    rows = exp.select(exp.Star(), *ends).from_(source)
    return rows.subquery(called, copy=False)


def _groups_of_windows(table: exp.Table, called: str) -> exp.Group | None:
    """The GROUP BY of the windows' ends around a table.

    A stream's watermark is of the window itself, without which Spark closes none.
    """
    group = table.parent_select and table.parent_select.args.get("group")
    if not isinstance(group, exp.Group) or any(group.args.get(one) for one in _SEVERAL):
        return None
    keys = [one for one in group.expressions if isinstance(one, exp.Column)]
    ends = [one for one in keys if one.name in _ENDS and one.table in ("", called)]
    return group if ends else None


def _source(node: exp.Expr) -> exp.Expr | None:
    """The table of a call, by its name or as a query."""
    if isinstance(node, exp.Subquery):
        return node.copy()
    if isinstance(node, exp.Column) and not node.args.get("db"):
        return exp.Table(this=node.this.copy(), db=node.args.get("table"))
    return None


def _text(width: exp.Expr) -> exp.Literal:
    """An interval as Spark's window takes one."""
    unit = width.args.get("unit")
    return exp.Literal.string(f"{width.this.name} {unit.name if unit is not None else ''}".strip())
