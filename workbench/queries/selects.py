"""One SELECT in stages: the input of its windows, the windows, and the SELECT over these."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from workbench.dialects.aggregates.call import WRAPPERS
from workbench.dialects.functions import POSTGRES
from workbench.errors import WorkbenchError
from workbench.queries.functions import SqlFunction, read_function
from workbench.queries.meaning import SUM_OF_BIGINTS, check_no_window
from workbench.queries.parts import Translation
from workbench.queries.reading.parsing import computed_aliases, walk_own
from workbench.queries.staged import Staged, staged_column
from workbench.queries.windows.calls import SqlCall, call_of, group_calls
from workbench.queries.windows.squares import by_squares, has_other_limits
from workbench.queries.windows.streams import answer_stream

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType


class WindowStages:
    """The windows of a SELECT, taken out of it one by one.

    Parameters
    ----------
    select : sqlglot.exp.Select
    translation : Translation

    Attributes
    ----------
    staged : Staged
        The columns that the windows and the final SELECT read.
    calls : list of SqlCall
    native : dict of str to sqlglot.exp.Window
        Windows for Spark's own operator, by the names of their answers.
    """

    def __init__(self, select: exp.Select, translation: Translation) -> None:
        self.translation = translation
        taken = {one.alias_or_name.lower() for one in select.expressions}
        self.staged = Staged(taken=taken, hidden={*computed_aliases(select)})
        self.calls: list[SqlCall] = []
        self.native: dict[str, exp.Window] = {}
        self._answers: dict[exp.Expr, exp.Expr] = {}

    def split(self, node: exp.Expr, hint: str = "") -> exp.Expr:
        """Return an expression over the staged columns and the answers of windows."""
        if isinstance(node, exp.Window):
            return self._window(node, hint)
        if not any(isinstance(one, exp.Window) for one in walk_own(node)):
            return self._staged_value(node)
        node = node.copy()
        for child in list(node.iter_expressions()):
            child.replace(self._split_child(child))
        return node

    def _split_child(self, child: exp.Expr) -> exp.Expr:
        """Return a part of an expression with its windows replaced; it may be no value itself."""
        if isinstance(child, exp.If) or not isinstance(child, exp.Condition | exp.Subquery):
            copied = child.copy()
            for one in list(copied.iter_expressions()):
                one.replace(self._split_child(one))
            return copied
        return self.split(child)

    def _staged_value(self, node: exp.Expr) -> exp.Expr:
        reads_rows = any(
            isinstance(one, exp.Column | exp.AggFunc | exp.Query) for one in node.walk()
        )
        return staged_column(self.staged.name(node)) if reads_rows else node.copy()

    def _window(self, node: exp.Window, hint: str) -> exp.Expr:
        if node not in self._answers:
            self._answers[node.copy()] = self._answer(node, hint)
        return self._answers[node].copy()

    def _answer(self, node: exp.Window, hint: str) -> exp.Expr:
        inner_windows = [
            one for one in walk_own(node) if isinstance(one, exp.Window) and one is not node
        ]
        if inner_windows:
            raise WorkbenchError(
                f"query: the window {inner_windows[0].sql()} is within another window; name its "
                "answer in a subquery."
            )
        call = call_of(node, self.translation.dialect, self.staged, hint)
        if call is None:
            return staged_column(self._native(node, hint))
        self.calls.append(call)
        column = staged_column(call.result)
        if call.is_int and self.translation.dialect != "spark":
            return exp.cast(column, "BIGINT")
        if has_other_limits(call.function.name, self.translation.dialect):
            return by_squares(
                call.function.name, column, node, lambda squares: self._window(squares, "")
            )
        return column

    def _native(self, node: exp.Window, hint: str) -> str:
        function = read_function(node.this, self.translation.dialect)
        self._check_native(node, function)
        name = self.staged.new(hint or function.sql_name, bool(hint))
        window = node.copy()
        for part in ("this", "order", "spec"):
            if isinstance(value := window.args.get(part), exp.Expr):
                self._split_parts(value)
        window.set("partition_by", [self.split(one) for one in window.args["partition_by"] or ()])
        self.native[name] = window
        return name

    def _split_parts(self, node: exp.Expr) -> None:
        """Replace the values in a part of a window; around a function there may be FILTER."""
        for one in list(node.iter_expressions()):
            if isinstance(node, WRAPPERS) and one is node.this:
                self._split_parts(one)
            else:
                one.replace(self._split_child(one))

    def _check_native(self, node: exp.Window, function: SqlFunction) -> None:
        spec = node.args.get("spec")
        if self.translation.dialect != "spark":
            raise WorkbenchError(
                f"query: there is no window function {function.sql_name!r}, neither here nor in "
                "Spark with the same meaning."
            )
        if spec is not None and (
            str(spec.args.get("kind")).lower() in ("groups", "session") or spec.args.get("exclude")
        ):
            raise WorkbenchError(
                f"query: {function.sql_name} is answered by Spark's own window operator, "
                "which has neither GROUPS, SESSION nor EXCLUDE."
            )


def answer_windows(select: exp.Select, translation: Translation) -> "DataFrame":
    """Return the answer to a SELECT that has windows.

    Parameters
    ----------
    select : sqlglot.exp.Select
        With its stars expanded, its windows in full, and a name for each column; it is changed.
    translation : Translation

    Returns
    -------
    pyspark.sql.DataFrame

    Raises
    ------
    WorkbenchError
    """
    for part, word in (("where", "WHERE"), ("group", "GROUP BY"), ("having", "HAVING")):
        if (node := select.args.get(part)) is not None:
            check_no_window(node, word)
    stages = WindowStages(select, translation)
    final_select = _final_select(select, stages)
    input_select = _input_select(select, stages)
    df = translation.run_spark(input_select, "the input of the windows")
    window_calls = group_calls(stages.calls, df.schema, translation.tables.dialect)
    if translation.dialect in POSTGRES:
        _rewrite_sums_of_bigints(final_select, stages.calls, df.schema)
    if df.isStreaming:
        if stages.native:
            raise WorkbenchError(
                f"query: {', '.join(stages.native)} is not available over a stream, as only "
                "Spark's own window operator has it; leave it out."
            )
        return answer_stream(df, window_calls, stages.staged.columns, final_select, translation)
    for over in window_calls:
        input_df, df = df, over.run(df)
        why = f"{over.choice.engine} answers, because {over.choice.why}"
        translation.add_part("over", over, why, input_df, df, f"{over!r}.run({{df}})")
    if stages.native:
        df = _with_native(df, stages, translation)
    final_select.set("from_", exp.From(this=translation.tables.add_answer(df, "")))
    return translation.run_spark(final_select, "the rest of the query, after its windows")


def _rewrite_sums_of_bigints(
    final_select: exp.Select, calls: Sequence[SqlCall], schema: "StructType"
) -> None:
    """Make sums of bigints numeric, as they are in Postgres."""
    sums = {
        call.result
        for call in calls
        if call.function.name == "sum" and schema[call.arguments[0]].dataType.typeName() == "long"
    }
    for one in list(final_select.find_all(exp.Column)):
        if one.name in sums:
            one.replace(exp.cast(one.copy(), SUM_OF_BIGINTS))


def _final_select(select: exp.Select, stages: WindowStages) -> exp.Select:
    """Return the SELECT over the windows: columns, QUALIFY, DISTINCT, ORDER BY, LIMIT."""
    projections: dict[exp.Expr, str] = {}
    expressions: list[exp.Expr] = []
    for one in select.expressions:
        value, name = one.unalias(), one.alias_or_name
        hint = name if isinstance(value, exp.Window) and name else ""
        projections[value] = name
        expressions.append(exp.alias_(stages.split(value, hint), name, quoted=True, copy=False))
    final_select = exp.Select(expressions=expressions)
    if (qualify := select.args.get("qualify")) is not None:
        final_select.set("where", exp.Where(this=stages.split(qualify.this)))
    names = {name.lower(): name for name in projections.values()}
    if (order := select.args.get("order")) is not None:
        final_select.set("order", _order_of(order, projections, names, stages))
    for part in ("limit", "offset"):
        if (value := select.args.get(part)) is not None:
            final_select.set(part, value.copy())
    if (distinct := select.args.get("distinct")) is not None:
        if distinct.args.get("on"):
            raise WorkbenchError(
                "query: DISTINCT ON together with windows is not available; use QUALIFY "
                "row_number() OVER (...) = 1."
            )
        final_select.set("distinct", distinct.copy())
    return final_select


def _order_of(
    order: exp.Order, projections: dict[exp.Expr, str], names: dict[str, str], stages: WindowStages
) -> exp.Order:
    order = order.copy()
    for term in order.expressions:
        node = term.this
        is_name = isinstance(node, exp.Column) and not node.table
        if isinstance(node, exp.Literal) or (isinstance(node, exp.Var) and node.name == "ALL"):
            continue
        if is_name and node.name.lower() in names:
            node.replace(staged_column(names[node.name.lower()]))
        elif node in projections:
            node.replace(staged_column(projections[node]))
        else:
            node.replace(stages.split(node))
    return order


def _input_select(select: exp.Select, stages: WindowStages) -> exp.Select:
    """Return the input of the windows: the same rows, with the staged columns."""
    for part in ("qualify", "order", "limit", "offset", "distinct"):
        select.set(part, None)
    columns = stages.staged.columns or {"one_row": exp.Literal.number(1)}
    select.set("expressions", [exp.alias_(one, name, quoted=True) for name, one in columns.items()])
    return select


def _with_native(df: "DataFrame", stages: WindowStages, translation: Translation) -> "DataFrame":
    """Return a table with the windows that only Spark's operator answers."""
    columns: list[exp.Expr] = [exp.Star()]
    columns += [exp.alias_(one, name, quoted=True) for name, one in stages.native.items()]
    select = translation.select_from(df, columns)
    return translation.run_spark(select, "only Spark's window operator has these functions")
