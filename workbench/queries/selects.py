"""One SELECT in stages: what windows look at, the windows, and what is made of their answers."""

from typing import TYPE_CHECKING

from sqlglot import exp

from workbench.errors import WorkbenchError
from workbench.queries.functions import SPARKS, SqlFunction, read
from workbench.queries.meaning import check_no_window_within
from workbench.queries.parts import Translation
from workbench.queries.reading.parsing import computed_aliases, walk_own
from workbench.queries.staged import Staged, staged_column
from workbench.queries.windows.calls import SqlCall, call_of, overs
from workbench.queries.windows.streams import windowed_stream

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


class WindowStages:
    """The windows of a SELECT, taken out of it one by one.

    Parameters
    ----------
    select : sqlglot.exp.Select
    work : Translation

    Attributes
    ----------
    staged : Staged
        What the windows and the rest look at.
    calls : list of SqlCall
    native : dict of str to sqlglot.exp.Window
        Windows that Spark's own operator answers, by the names of their answers.
    """

    def __init__(self, select: exp.Select, work: Translation) -> None:
        self.work = work
        taken = {one.alias_or_name.lower() for one in select.expressions}
        self.staged = Staged(taken=taken, hidden={*computed_aliases(select)})
        self.calls: list[SqlCall] = []
        self.native: dict[str, exp.Window] = {}
        self._found: dict[exp.Expr, exp.Expr] = {}

    def split(self, node: exp.Expr, hint: str = "") -> exp.Expr:
        """Return an expression over the staged columns and the answers of windows."""
        if isinstance(node, exp.Window):
            return self._window(node, hint)
        if not any(isinstance(one, exp.Window) for one in walk_own(node)):
            return self._lifted(node)
        node = node.copy()
        for child in list(node.iter_expressions()):
            child.replace(self._within(child))
        return node

    def _within(self, child: exp.Expr) -> exp.Expr:
        """A part of an expression, which is a value or only holds some."""
        if isinstance(child, exp.If) or not isinstance(child, exp.Condition | exp.Subquery):
            kept = child.copy()
            for one in list(kept.iter_expressions()):
                one.replace(self._within(one))
            return kept
        return self.split(child)

    def _lifted(self, node: exp.Expr) -> exp.Expr:
        looks = any(isinstance(one, exp.Column | exp.AggFunc | exp.Query) for one in node.walk())
        return staged_column(self.staged.name(node)) if looks else node.copy()

    def _window(self, node: exp.Window, hint: str) -> exp.Expr:
        if node not in self._found:
            self._found[node.copy()] = self._answer(node, hint)
        return self._found[node].copy()

    def _answer(self, node: exp.Window, hint: str) -> exp.Expr:
        inner = [one for one in walk_own(node) if isinstance(one, exp.Window) and one is not node]
        if inner:
            raise WorkbenchError(
                f"query: the window {inner[0].sql()} stands within another window; "
                "name its answer in a query within this one."
            )
        call = call_of(node, self.work.dialect, self.staged, hint)
        if call is None:
            return staged_column(self._native(node, hint))
        self.calls.append(call)
        column = staged_column(call.result)
        if call.is_int and self.work.dialect != "spark":
            return exp.cast(column, "BIGINT")
        return column

    def _native(self, node: exp.Window, hint: str) -> str:
        asked = read(node.this, self.work.dialect)
        self._check_native(node, asked)
        name = self.staged.new(hint or asked.written, bool(hint))
        window = node.copy()
        for part in ("this", "order", "spec"):
            if isinstance(value := window.args.get(part), exp.Expr):
                for one in list(value.iter_expressions()):
                    one.replace(self._within(one))
        window.set("partition_by", [self.split(one) for one in window.args["partition_by"] or ()])
        self.native[name] = window
        return name

    def _check_native(self, node: exp.Window, asked: SqlFunction) -> None:
        spec = node.args.get("spec")
        if self.work.dialect != "spark" and asked.written not in SPARKS:
            raise WorkbenchError(
                f"query: there is no window function {asked.written!r}, neither here nor in Spark "
                "with the same meaning."
            )
        if spec is not None and (
            str(spec.args.get("kind")).lower() in ("groups", "session") or spec.args.get("exclude")
        ):
            raise WorkbenchError(
                f"query: {asked.written} is answered by Spark's own window operator, "
                "which has neither GROUPS, SESSION nor EXCLUDE."
            )


def windowed(select: exp.Select, work: Translation) -> "DataFrame":
    """Return the answer to a SELECT that has windows.

    Parameters
    ----------
    select : sqlglot.exp.Select
        With its stars expanded, its windows in full, and a name for each column; it is changed.
    work : Translation

    Returns
    -------
    pyspark.sql.DataFrame

    Raises
    ------
    WorkbenchError
    """
    for part, word in (("where", "WHERE"), ("group", "GROUP BY"), ("having", "HAVING")):
        if (node := select.args.get(part)) is not None:
            check_no_window_within(node, word)
    stages = WindowStages(select, work)
    last = _last(select, stages)
    below = _below(select, stages)
    df = work.spark(below, "it is what the windows look at")
    found = overs(stages.calls, df.schema, work.tables.dialect)
    if df.isStreaming:
        if stages.native:
            raise WorkbenchError(
                f"query: no stream has {', '.join(stages.native)}, which Spark's own window "
                "operator alone has; leave it out."
            )
        return windowed_stream(df, found, stages.staged.columns, last, work)
    for over in found:
        before, df = df, over.run(df)
        why = f"{over.choice.engine} answers, because {over.choice.why}"
        work.ours("over", over, why, before, df, f"{over!r}.run({{df}})")
    if stages.native:
        df = _with_native(df, stages, work)
    last.set("from_", exp.From(this=work.tables.answer(df, "")))
    return work.spark(last, "it is what is made of the answers")


def _last(select: exp.Select, stages: WindowStages) -> exp.Select:
    """What is made of the windows' answers: columns, QUALIFY, DISTINCT, ORDER BY, LIMIT."""
    projections: dict[exp.Expr, str] = {}
    expressions: list[exp.Expr] = []
    for one in select.expressions:
        value, name = one.unalias(), one.alias_or_name
        hint = name if isinstance(value, exp.Window) and name else ""
        projections[value] = name
        expressions.append(exp.alias_(stages.split(value, hint), name, quoted=True, copy=False))
    last = exp.Select(expressions=expressions)
    if (qualify := select.args.get("qualify")) is not None:
        last.set("where", exp.Where(this=stages.split(qualify.this)))
    names = {name.lower(): name for name in projections.values()}
    if (order := select.args.get("order")) is not None:
        last.set("order", _ordered(order, projections, names, stages))
    for part in ("limit", "offset"):
        if (value := select.args.get(part)) is not None:
            last.set(part, value.copy())
    if (distinct := select.args.get("distinct")) is not None:
        if distinct.args.get("on"):
            raise WorkbenchError(
                "query: DISTINCT ON beside windows is not available; "
                "take QUALIFY row_number() OVER (...) = 1."
            )
        last.set("distinct", distinct.copy())
    return last


def _ordered(
    order: exp.Order, projections: dict[exp.Expr, str], names: dict[str, str], stages: WindowStages
) -> exp.Order:
    order = order.copy()
    for term in order.expressions:
        node = term.this
        plain = isinstance(node, exp.Column) and not node.table
        if isinstance(node, exp.Literal) or (isinstance(node, exp.Var) and node.name == "ALL"):
            continue
        if plain and node.name.lower() in names:
            node.replace(staged_column(names[node.name.lower()]))
        elif node in projections:
            node.replace(staged_column(projections[node]))
        else:
            node.replace(stages.split(node))
    return order


def _below(select: exp.Select, stages: WindowStages) -> exp.Select:
    """What the windows look at: the same rows, with the staged columns."""
    for part in ("qualify", "order", "limit", "offset", "distinct"):
        select.set(part, None)
    columns = stages.staged.columns or {"one_row": exp.Literal.number(1)}
    select.set("expressions", [exp.alias_(one, name, quoted=True) for name, one in columns.items()])
    return select


def _with_native(df: "DataFrame", stages: WindowStages, work: Translation) -> "DataFrame":
    """A table with the answers of windows that Spark alone has."""
    columns: list[exp.Expr] = [exp.Star()]
    columns += [exp.alias_(one, name, quoted=True) for name, one in stages.native.items()]
    asked = exp.Select(expressions=columns)
    asked.set("from_", exp.From(this=work.tables.answer(df, "")))
    return work.spark(asked, "its own window operator alone has these functions")
