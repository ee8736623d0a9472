"""Windows that need an order and have none: they use the order of the rows of a local table."""

from sqlglot import exp

from workbench.functions.catalogue import info_of
from workbench.queries.functions import read_function
from workbench.queries.parts import Translation
from workbench.queries.reading.parsing import walk_own
from workbench.queries.reading.values import name_values
from workbench.queries.staged import staged_column
from workbench.queries.windows.calls import depends_on_order
from workbench.spark.names import unused

#: All rows of a partition, whatever their order.
WHOLE = exp.WindowSpec(
    kind="ROWS", start="UNBOUNDED", start_side="PRECEDING", end="UNBOUNDED", end_side="FOLLOWING"
)
#: The column that numbers the rows, unless the table has one of that name.
NUMBER = "arrived"


def order_by_arrival(select: exp.Select, translation: Translation) -> exp.Select:
    """Return a SELECT whose windows use the order of the rows if they need one and have none.

    Rows of pandas, Polars and Arrow have an order, and so do VALUES and the numbers of ``range``:
    a system that holds the table answers in that order. Spark's own tables have none, nor have
    joins and groups.

    Parameters
    ----------
    select : sqlglot.exp.Select
        With its stars expanded and its windows in full; it is changed.
    translation : Translation

    Returns
    -------
    sqlglot.exp.Select
    """
    without_order = [
        one
        for one in walk_own(select)
        if isinstance(one, exp.Window) and _needs_order(one, translation)
    ]
    source = select.args.get("from_")
    has_other_clauses = any(
        select.args.get(part) for part in ("joins", "laterals", "group", "having")
    )
    if without_order and source is None:
        # There is one row, so any order will do.
        for window in without_order:
            window.set("order", exp.Order(expressions=[exp.Ordered(this=exp.Literal.number(0))]))
    if not without_order or has_other_clauses or source is None:
        return select
    if (number_column := _number_rows(source.this, translation)) is None:
        return select
    for window in without_order:
        window.set("order", exp.Order(expressions=[exp.Ordered(this=staged_column(number_column))]))
        if window.args.get("spec") is None:
            # Without an order all rows are in the frame.
            window.set("spec", WHOLE.copy())
    return select


def _number_rows(source: exp.Expr, translation: Translation) -> str | None:
    """Number the rows of a table, and return the column's name; None if they have no order."""
    if isinstance(source, exp.Values):
        return _number_values(source, translation.dialect)
    numbered = (
        translation.tables.with_row_numbers(source, NUMBER)
        if isinstance(source, exp.Table)
        else None
    )
    if numbered is None:
        return None
    df, number_column = numbered
    alias = source.args.get("alias")
    answer_table = translation.tables.add_answer(df, source.alias_or_name)
    if alias is not None and (columns := alias.columns):
        column_names = [*columns, exp.to_identifier(number_column, quoted=True)]
        answer_table.args["alias"].set("columns", [one.copy() for one in column_names])
    source.replace(answer_table)
    return number_column


def _number_values(values: exp.Values, dialect: str) -> str | None:
    """Number the rows of VALUES by a new column, and return its name."""
    name_values(values, dialect)
    alias = values.args.get("alias")
    rows = values.expressions
    if alias is None or not all(isinstance(row, exp.Tuple) for row in rows):
        return None
    number_column = unused([one.name for one in alias.columns], NUMBER)
    for k, row in enumerate(rows):
        row.append("expressions", exp.Literal.number(k))
    alias.append("columns", exp.to_identifier(number_column, quoted=True))
    return number_column


def _needs_order(window: exp.Window, translation: Translation) -> bool:
    if window.args.get("order") is not None:
        return False
    function = read_function(window.this, translation.dialect)
    spec = window.args.get("spec")
    if not function.name or (spec is not None and str(spec.args.get("kind")).upper() != "ROWS"):
        return False
    return depends_on_order(window, function, spec) or info_of(function.name).picks
