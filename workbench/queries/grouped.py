"""What ``wb.quantiles`` and ``wb.Funnel`` answer of whole groups, beside what Spark does."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from workbench.dialects.functions import NAMED
from workbench.errors import WorkbenchError
from workbench.groups.groups import quantiles
from workbench.queries.functions import SqlFunction, read
from workbench.queries.funnels import funnel_levels, is_funnel
from workbench.queries.parts import Translation
from workbench.queries.reading.parsing import walk_own
from workbench.queries.spark_text import of_windows_alone
from workbench.queries.staged import Staged, staged_column

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_KINDS = {"quantile": "cont", "median": "cont", "quantile_disc": "disc"}
#: What belongs to the rows of a SELECT, and not to its columns.
_ROWS = ("from_", "joins", "laterals", "where")


def has_groups(select: exp.Select, dialect: str) -> bool:
    """Say whether a SELECT asks groups for quantiles, or how far they got through a funnel."""
    group = select.args.get("group")
    if group is not None and group.find(exp.Rollup, exp.Cube, exp.GroupingSets):
        return False
    return bool(_ours(select, dialect))


def _ours(select: exp.Select, dialect: str) -> list[exp.Expr]:
    found = []
    for node in _aggregates(select):
        # What Spark answers is not ours to refuse.
        asked = SqlFunction() if is_funnel(node) else read(node, dialect, checked=False)
        if is_funnel(node) or (asked.name in _KINDS and not asked.distinct):
            found.append(node)
    return found


def _aggregates(select: exp.Select) -> list[exp.Expr]:
    """The outermost aggregates of groups in what a SELECT gives."""
    places = [*select.expressions]
    places += [
        select.args[part]
        for part in ("having", "qualify", "order")
        if select.args.get(part) is not None
    ]
    found: list[exp.Expr] = []
    for place in places:
        _collect(place, found)
    return found


def _collect(node: exp.Expr, found: list[exp.Expr]) -> None:
    if isinstance(node, exp.Query):
        return
    wrapped = node
    while isinstance(wrapped, exp.Filter | exp.IgnoreNulls | exp.WithinGroup):
        wrapped = wrapped.this
    over = isinstance(node, exp.Window)
    if isinstance(wrapped, exp.AggFunc | exp.ParameterizedAgg) and not over:
        found.append(node)
        return
    for child in node.iter_expressions():
        if over and child is node.this:
            # What stands before OVER is of the window, and its arguments are of the groups.
            while isinstance(child, exp.Filter | exp.IgnoreNulls | exp.WithinGroup):
                child = child.this
            for argument in child.iter_expressions():
                _collect(argument, found)
        else:
            _collect(child, found)


def with_groups(select: exp.Select, work: Translation) -> exp.Select:
    """Return a SELECT over the groups' answers, where quantiles and levels are columns.

    Parameters
    ----------
    select : sqlglot.exp.Select
        With a name for each column; it is changed.
    work : Translation

    Returns
    -------
    sqlglot.exp.Select
    """
    group = select.args.get("group")
    given = [one.unnest() for one in group.expressions] if group is not None else []
    # What is computed of a column has another name, which that column does not stand for.
    keys = Staged(taken={one.name.lower() for one in select.find_all(exp.Column)})
    names = list(dict.fromkeys(keys.name(one) for one in given))
    ours = {id(one) for one in _ours(select, work.dialect)}
    sparks: dict[exp.Expr, tuple[str, exp.Expr]] = {}
    values: dict[exp.Expr, tuple[str, exp.Expr]] = {}
    for node in _aggregates(select):
        into = values if id(node) in ours else sparks
        if node not in into:
            kept = node.copy()
            into[kept] = keys.new("of_group"), kept
        node.replace(staged_column(into[node][0]))
    _put_keys(select, keys)
    known = {*keys.columns, *(name for name, _ in [*sparks.values(), *values.values()])}
    _check_grouped(select, known, work.dialect)
    df = _joined(select, work, keys, names, sparks, values)
    having = select.args.get("having")
    for part in (*_ROWS, "having", "group"):
        select.set(part, None)
    select.set("from_", exp.From(this=work.tables.answer(df, "")))
    select.set("where", None if having is None else exp.Where(this=having.this.copy()))
    return select


def _put_keys(select: exp.Select, keys: Staged) -> None:
    """Put the staged columns in the place of the keys of the groups."""
    staged = {one: name for name, one in keys.columns.items()}
    bare = {
        one.name.lower(): name for name, one in keys.columns.items() if isinstance(one, exp.Column)
    }
    for part in ("expressions", "having", "qualify", "order"):
        value = select.args.get(part)
        for place in value if isinstance(value, list) else [value] if value is not None else []:
            for node in list(walk_own(place)):
                column = isinstance(node, exp.Column) and node.name.lower() in bare
                if node in staged or column:
                    name = staged.get(node) or bare[node.name.lower()]
                    node.replace(staged_column(name))


def _check_grouped(select: exp.Select, known: set[str], dialect: str) -> None:
    """Refuse a column of single rows among the answers of groups."""
    for place in select.expressions:
        for node in walk_own(place):
            if isinstance(node, exp.Column) and node.name not in known:
                call = node.find_ancestor(exp.Anonymous)
                if call is not None and (called := call.name.lower()) in NAMED[dialect]:
                    raise WorkbenchError(f"query: {of_windows_alone(called)}")
                raise WorkbenchError(
                    f"query: {node.sql()} stands neither in GROUP BY nor within an aggregate, and "
                    "a group has many; add it to GROUP BY."
                )


def _joined(
    select: exp.Select,
    work: Translation,
    keys: Staged,
    names: list[str],
    sparks: dict[exp.Expr, tuple[str, exp.Expr]],
    values: dict[exp.Expr, tuple[str, exp.Expr]],
) -> "DataFrame":
    """The groups with the answers of all who were asked."""
    found: list[DataFrame] = []
    if sparks or not names:
        found.append(_of_spark(select, work, keys, names, sparks))
    funnels = {name: node for name, node in values.values() if is_funnel(node)}
    asked = {
        name: read(node, work.dialect) for name, node in values.values() if not is_funnel(node)
    }
    for name, node in funnels.items():
        found.append(funnel_levels(name, node, _rows(select), keys, names, work))
    for kind in ("cont", "disc"):
        one_kind = {name: one for name, one in asked.items() if _KINDS[one.name] == kind}
        if one_kind:
            found.append(_quantiles(one_kind, kind, _rows(select), keys, names, work))
    df = found[0]
    for other in found[1:]:
        df = _beside(df, other, names, work)
    return df


def _rows(select: exp.Select) -> exp.Select:
    """The rows of a SELECT, whose columns are yet to be said."""
    rows = exp.Select()
    for part in _ROWS:
        value = select.args.get(part)
        if isinstance(value, list):
            rows.set(part, [one.copy() for one in value])
        elif value is not None:
            rows.set(part, value.copy())
    return rows


def _of_spark(
    select: exp.Select,
    work: Translation,
    keys: Staged,
    names: list[str],
    sparks: dict[exp.Expr, tuple[str, exp.Expr]],
) -> "DataFrame":
    asked = _rows(select)
    columns: list[exp.Expr] = [exp.alias_(keys.columns[name], name, quoted=True) for name in names]
    columns += [exp.alias_(node, name, quoted=True) for name, node in sparks.values()]
    if not columns:
        columns = [exp.alias_(exp.Count(this=exp.Star()), "of_all", quoted=True)]
    asked.set("expressions", columns)
    if names:
        asked.set("group", exp.Group(expressions=[keys.columns[one].copy() for one in names]))
    return work.spark(asked, "aggregates of groups are its own")


def _quantiles(
    asked: dict[str, SqlFunction],
    kind: str,
    rows: exp.Select,
    keys: Staged,
    names: list[str],
    work: Translation,
) -> "DataFrame":
    """Quantiles of one kind, of all columns at once."""
    values = Staged(taken={one.lower() for one in names})
    for one in names:
        values.keep(one)
    columns = {name: values.name(_value(one)) for name, one in asked.items()}
    shares = {name: one.options[0] if one.options else 0.5 for name, one in asked.items()}
    every = sorted(
        {q for one in shares.values() for q in (one if isinstance(one, list) else [one])}
    )
    rows.set(
        "expressions",
        [exp.alias_(keys.columns[name], name, quoted=True) for name in names]
        + [exp.alias_(one, name, quoted=True) for name, one in values.columns.items()],
    )
    df = work.spark(rows, "it is what the quantiles are of")
    if df.isStreaming:
        written = next(iter(asked.values())).written
        raise WorkbenchError(
            f"query: {written} of the groups of a stream is not available, as it needs all their "
            "rows; ask it of what has been written, or of windows: OVER (PARTITION BY ...)."
        )
    wanted = list(dict.fromkeys(columns.values()))
    q = every[0] if len(every) == 1 else every
    answer = quantiles(df, wanted, q, by=names or None, kind=kind)
    by = f", by={names!r}" if names else ""
    line = f"wb.quantiles({{df}}, {wanted!r}, {q!r}{by}, kind={kind!r})"
    why = "wb.quantiles selects them without a sort"
    work.ours("quantiles", f"{kind} {q!r}", why, df, answer, line)
    picked = [
        exp.alias_(_picked(columns[name], share, every), name, quoted=True)
        for name, share in shares.items()
    ]
    return work.spark(
        _all_of(work, answer, [*map(staged_column, names), *picked]), "it is its list"
    )


def _all_of(work: Translation, df: "DataFrame", columns: Sequence[exp.Expr]) -> exp.Select:
    asked = exp.Select(expressions=list(columns))
    asked.set("from_", exp.From(this=work.tables.answer(df, "")))
    return asked


def _picked(column: str, share: "float | list[float]", every: list[float]) -> exp.Expr:
    """The quantiles that were asked for, of all that were found."""

    def one(q: float) -> exp.Expr:
        found = staged_column(column)
        if len(every) == 1:
            return found
        return exp.Anonymous(this="get", expressions=[found, exp.Literal.number(every.index(q))])

    if not isinstance(share, list):
        return one(share)
    # A group without values has no list either.
    known = exp.Not(this=exp.Is(this=staged_column(column), expression=exp.Null()))
    listed = exp.Array(expressions=[one(q) for q in share])
    return exp.Case(ifs=[exp.If(this=known, true=listed)])


def _value(asked: SqlFunction) -> exp.Expr:
    """What a quantile is of: its column, where its condition holds."""
    column = asked.arguments[0].copy()
    if asked.condition is None:
        return column
    return exp.Case(ifs=[exp.If(this=asked.condition.copy(), true=column)])


def _beside(
    df: "DataFrame", other: "DataFrame", names: list[str], work: Translation
) -> "DataFrame":
    """Two answers for the same groups in one table; null is a group as any other."""
    more = [name for name in other.columns if name not in names]
    columns = [exp.column(exp.to_identifier(name, quoted=True), "a") for name in df.columns]
    columns += [exp.column(exp.to_identifier(name, quoted=True), "b") for name in more]
    same = [
        exp.NullSafeEQ(
            this=exp.column(exp.to_identifier(name, quoted=True), "a"),
            expression=exp.column(exp.to_identifier(name, quoted=True), "b"),
        )
        for name in names
    ]
    asked = exp.Select(expressions=columns)
    asked.set("from_", exp.From(this=work.tables.answer(df, "a")))
    beside = work.tables.answer(other, "b")
    on = exp.and_(*same) if same else None
    asked.set("joins", [exp.Join(this=beside, on=on, kind=None if same else "CROSS")])
    return work.spark(asked, "the answers for a group stand side by side")
