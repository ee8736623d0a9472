"""Aggregates of groups: by ``wb.quantiles``, ``wb.Funnel`` and Spark, joined by group."""

from typing import TYPE_CHECKING

from sqlglot import exp

from workbench.dialects.aggregates.call import function_of
from workbench.errors import WorkbenchError
from workbench.groups.groups import quantiles
from workbench.queries.functions import SqlFunction, read_function
from workbench.queries.funnels import funnel_levels, is_funnel
from workbench.queries.parts import Translation
from workbench.queries.reading.parsing import TABLE_CLAUSES, select_of_same_rows, walk_own
from workbench.queries.selects import answer_windows
from workbench.queries.staged import Staged, staged_column
from workbench.queries.windows.own_orders import extract_own_orders

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_KINDS = {"quantile": "cont", "median": "cont", "quantile_disc": "disc"}
#: Aggregates that Spark lacks: windows return them, with each group as a partition.
_OF_WINDOWS = ("product", "mad", "histogram", "sem", "entropy")
#: The clauses of a SELECT that determine its rows, not its columns.
_ROW_CLAUSES = (*TABLE_CLAUSES, "where")


def has_groups(select: exp.Select, dialect: str) -> bool:
    """Return whether a SELECT has quantiles or funnels of groups that the kernels answer."""
    group = select.args.get("group")
    if group is not None and group.find(exp.Rollup, exp.Cube, exp.GroupingSets):
        return False
    if group is not None and dialect == "spark" and _has_time_window(group):
        return False
    return bool(_kernel_aggregates(select, dialect))


def _has_time_window(group: exp.Group) -> bool:
    """Return whether a key is a window of Spark: a struct, which is no key of the kernels."""
    calls = group.find_all(exp.Anonymous)
    return any(one.name.lower() in ("window", "session_window") for one in calls)


def _kernel_aggregates(select: exp.Select, dialect: str) -> list[exp.Expr]:
    nodes = []
    for node in _aggregates(select):
        # A function that Spark answers is not checked here.
        function = SqlFunction() if is_funnel(node) else read_function(node, dialect, checked=False)
        is_quantile = function.name in _KINDS and not function.distinct
        if is_funnel(node) or is_quantile or function.name in _OF_WINDOWS:
            nodes.append(node)
    return nodes


def _aggregates(select: exp.Select) -> list[exp.Expr]:
    """Return the outermost aggregates of groups in a SELECT."""
    roots = [*select.expressions]
    roots += [
        select.args[part]
        for part in ("having", "qualify", "order")
        if select.args.get(part) is not None
    ]
    aggregates: list[exp.Expr] = []
    for root in roots:
        _collect(root, aggregates)
    return aggregates


def _collect(node: exp.Expr, aggregates: list[exp.Expr]) -> None:
    if isinstance(node, exp.Query):
        return
    is_window = isinstance(node, exp.Window)
    if isinstance(function_of(node), exp.AggFunc | exp.ParameterizedAgg) and not is_window:
        aggregates.append(node)
        return
    for child in node.iter_expressions():
        if is_window and child is node.this:
            # The function before OVER belongs to the window, its arguments to the groups.
            for argument in function_of(child).iter_expressions():
                _collect(argument, aggregates)
        else:
            _collect(child, aggregates)


def answer_groups(select: exp.Select, translation: Translation) -> exp.Select:
    """Return a SELECT over the answers of groups, in which quantiles and levels are columns.

    Parameters
    ----------
    select : sqlglot.exp.Select
        With a name for each column; it is changed.
    translation : Translation

    Returns
    -------
    sqlglot.exp.Select
    """
    group = select.args.get("group")
    group_keys = [one.unnest() for one in group.expressions] if group is not None else []
    # A computed key must not get the name of a column.
    keys = Staged(taken={one.name.lower() for one in select.find_all(exp.Column)})
    names = list(dict.fromkeys(keys.name(one) for one in group_keys))
    kernel_ids = {id(one) for one in _kernel_aggregates(select, translation.dialect)}
    spark_aggregates: dict[exp.Expr, tuple[str, exp.Expr]] = {}
    kernel_aggregates: dict[exp.Expr, tuple[str, exp.Expr]] = {}
    for node in _aggregates(select):
        target = kernel_aggregates if id(node) in kernel_ids else spark_aggregates
        if node not in target:
            copied = node.copy()
            target[copied] = keys.new("of_group"), copied
        node.replace(staged_column(target[node][0]))
    _replace_keys(select, keys)
    known_names = {
        *keys.columns,
        *(name for name, _ in [*spark_aggregates.values(), *kernel_aggregates.values()]),
    }
    _check_grouped(select, known_names)
    df = _group_answers(select, translation, keys, names, spark_aggregates, kernel_aggregates)
    having = select.args.get("having")
    for part in (*_ROW_CLAUSES, "having", "group"):
        select.set(part, None)
    select.set("from_", exp.From(this=translation.tables.add_answer(df, "")))
    select.set("where", None if having is None else exp.Where(this=having.this.copy()))
    return select


def _replace_keys(select: exp.Select, keys: Staged) -> None:
    """Replace the keys of the groups by the staged columns."""
    names_by_key = {one: name for name, one in keys.columns.items()}
    names_by_column = {
        one.name.lower(): name for name, one in keys.columns.items() if isinstance(one, exp.Column)
    }
    for part in ("expressions", "having", "qualify", "order"):
        value = select.args.get(part)
        for root in value if isinstance(value, list) else [value] if value is not None else []:
            for node in list(walk_own(root)):
                is_key_column = (
                    isinstance(node, exp.Column) and node.name.lower() in names_by_column
                )
                if node in names_by_key or is_key_column:
                    name = names_by_key.get(node) or names_by_column[node.name.lower()]
                    node.replace(staged_column(name))


def _check_grouped(select: exp.Select, known_names: set[str]) -> None:
    """Refuse a column that is neither a key nor within an aggregate."""
    for root in select.expressions:
        for node in walk_own(root):
            if isinstance(node, exp.Column) and node.name not in known_names:
                raise WorkbenchError(
                    f"query: {node.sql()} is neither in GROUP BY nor within an aggregate, and a "
                    "group has many values of it; add it to GROUP BY."
                )


def _group_answers(
    select: exp.Select,
    translation: Translation,
    keys: Staged,
    names: list[str],
    spark_aggregates: dict[exp.Expr, tuple[str, exp.Expr]],
    kernel_aggregates: dict[exp.Expr, tuple[str, exp.Expr]],
) -> "DataFrame":
    """Return the groups with the answers of all engines."""
    answers: list[DataFrame] = []
    if spark_aggregates or not names:
        answers.append(_spark_aggregates(select, translation, keys, names, spark_aggregates))
    funnels = {name: node for name, node in kernel_aggregates.values() if is_funnel(node)}
    functions = {
        name: read_function(node, translation.dialect)
        for name, node in kernel_aggregates.values()
        if not is_funnel(node)
    }
    of_windows = {
        name: node
        for name, node in kernel_aggregates.values()
        if name in functions and functions[name].name in _OF_WINDOWS
    }
    for name, node in funnels.items():
        answers.append(
            funnel_levels(
                name, node, select_of_same_rows(select, _ROW_CLAUSES), keys, names, translation
            )
        )
    for kind in ("cont", "disc"):
        same_kind = {name: one for name, one in functions.items() if _KINDS.get(one.name) == kind}
        if same_kind:
            answers.append(
                _quantiles(
                    same_kind,
                    kind,
                    select_of_same_rows(select, _ROW_CLAUSES),
                    keys,
                    names,
                    translation,
                )
            )
    if of_windows:
        rows = select_of_same_rows(select, _ROW_CLAUSES)
        answers.append(_aggregates_of_windows(of_windows, rows, keys, names, translation))
    df = answers[0]
    for other in answers[1:]:
        df = _join_answers(df, other, names, translation)
    return df


def _spark_aggregates(
    select: exp.Select,
    translation: Translation,
    keys: Staged,
    names: list[str],
    spark_aggregates: dict[exp.Expr, tuple[str, exp.Expr]],
) -> "DataFrame":
    rows = select_of_same_rows(select, _ROW_CLAUSES)
    columns: list[exp.Expr] = [exp.alias_(keys.columns[name], name, quoted=True) for name in names]
    columns += [exp.alias_(node, name, quoted=True) for name, node in spark_aggregates.values()]
    if not columns:
        columns = [exp.alias_(exp.Count(this=exp.Star()), "of_all", quoted=True)]
    rows.set("expressions", columns)
    if names:
        rows.set("group", exp.Group(expressions=[keys.columns[one].copy() for one in names]))
    return translation.run_spark(rows, "Spark computes the aggregates of groups")


def _quantiles(
    functions: dict[str, SqlFunction],
    kind: str,
    rows: exp.Select,
    keys: Staged,
    names: list[str],
    translation: Translation,
) -> "DataFrame":
    """Return the quantiles of one kind, for all columns at once."""
    values = Staged(taken={one.lower() for one in names})
    for one in names:
        values.reserve(one)
    columns = {name: values.name(_value(one)) for name, one in functions.items()}
    shares = {name: one.options[0] if one.options else 0.5 for name, one in functions.items()}
    all_shares = sorted(
        {q for one in shares.values() for q in (one if isinstance(one, list) else [one])}
    )
    rows.set(
        "expressions",
        [exp.alias_(keys.columns[name], name, quoted=True) for name in names]
        + [exp.alias_(one, name, quoted=True) for name, one in values.columns.items()],
    )
    df = translation.run_spark(rows, "the input of the quantiles")
    _check_not_streaming(df, next(iter(functions.values())).sql_name)
    columns_read = list(dict.fromkeys(columns.values()))
    q = all_shares[0] if len(all_shares) == 1 else all_shares
    answer = quantiles(df, columns_read, q, by=names or None, kind=kind)
    by = f", by={names!r}" if names else ""
    line = f"wb.quantiles({{df}}, {columns_read!r}, {q!r}{by}, kind={kind!r})"
    why = "quantiles are selected without a sort"
    translation.add_part("quantiles", f"{kind} {q!r}", why, df, answer, line)
    selected = [
        exp.alias_(_selected_quantiles(columns[name], share, all_shares), name, quoted=True)
        for name, share in shares.items()
    ]
    return translation.run_spark(
        translation.select_from(answer, [*map(staged_column, names), *selected]),
        "the quantiles that the query asks for",
    )


def _aggregates_of_windows(
    aggregates: dict[str, exp.Expr],
    rows: exp.Select,
    keys: Staged,
    names: list[str],
    translation: Translation,
) -> "DataFrame":
    """Return aggregates as windows over the groups, which have one result for a group."""
    partition = [keys.columns[name] for name in names]
    columns = {name: keys.columns[name] for name in names} | {
        name: exp.Window(this=node.copy(), partition_by=[one.copy() for one in partition])
        for name, node in aggregates.items()
    }
    rows.set("expressions", [exp.alias_(one, name, quoted=True) for name, one in columns.items()])
    df = answer_windows(extract_own_orders(rows), translation)
    _check_not_streaming(df, function_of(next(iter(aggregates.values()))).name)
    one_row = [
        exp.alias_(exp.AnyValue(this=staged_column(name)), name, quoted=True) for name in aggregates
    ]
    select = translation.select_from(df, [*map(staged_column, names), *one_row])
    if names:
        select.set("group", exp.Group(expressions=[*map(staged_column, names)]))
    return translation.run_spark(select, "one row for each group")


def _check_not_streaming(df: "DataFrame", function: str) -> None:
    if df.isStreaming:
        raise WorkbenchError(
            f"query: {function} of the groups of a stream is not available, as it needs all their "
            "rows; compute it from the written rows, or in windows: OVER (PARTITION BY ...)."
        )


def _selected_quantiles(
    column: str, share: "float | list[float]", all_shares: list[float]
) -> exp.Expr:
    """Return the requested quantiles out of all computed ones."""

    def one(q: float) -> exp.Expr:
        column_node = staged_column(column)
        if len(all_shares) == 1:
            return column_node
        return exp.Anonymous(
            this="get", expressions=[column_node, exp.Literal.number(all_shares.index(q))]
        )

    if not isinstance(share, list):
        return one(share)
    # For a group without values the list is null, too.
    has_values = exp.Not(this=exp.Is(this=staged_column(column), expression=exp.Null()))
    values = exp.Array(expressions=[one(q) for q in share])
    return exp.Case(ifs=[exp.If(this=has_values, true=values)])


def _value(function: SqlFunction) -> exp.Expr:
    """Return the values of a quantile: its column, null where its condition fails."""
    column = function.arguments[0].copy()
    if function.condition is None:
        return column
    return exp.Case(ifs=[exp.If(this=function.condition.copy(), true=column)])


def _join_answers(
    df: "DataFrame", other: "DataFrame", names: list[str], translation: Translation
) -> "DataFrame":
    """Join two answers for the same groups; a null key equals a null key."""
    other_columns = [name for name in other.columns if name not in names]
    columns = [exp.column(exp.to_identifier(name, quoted=True), "a") for name in df.columns]
    columns += [exp.column(exp.to_identifier(name, quoted=True), "b") for name in other_columns]
    conditions = [
        exp.NullSafeEQ(
            this=exp.column(exp.to_identifier(name, quoted=True), "a"),
            expression=exp.column(exp.to_identifier(name, quoted=True), "b"),
        )
        for name in names
    ]
    select = exp.Select(expressions=columns)
    select.set("from_", exp.From(this=translation.tables.add_answer(df, "a")))
    right = translation.tables.add_answer(other, "b")
    on = exp.and_(*conditions) if conditions else None
    select.set("joins", [exp.Join(this=right, on=on, kind=None if conditions else "CROSS")])
    return translation.run_spark(select, "the answers for each group in one row")
