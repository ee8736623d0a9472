"""Windows without an order that go by one: that of the rows of a table that is held here."""

from sqlglot import exp

from workbench.functions.catalogue import info_of
from workbench.queries.functions import read
from workbench.queries.meaning import name_values
from workbench.queries.parts import Translation
from workbench.queries.reading.parsing import walk_own
from workbench.queries.staged import staged_column
from workbench.queries.windows.calls import goes_by_order
from workbench.spark.table import unused

#: All rows of a partition, whatever their order.
WHOLE = exp.WindowSpec(
    kind="ROWS", start="UNBOUNDED", start_side="PRECEDING", end="UNBOUNDED", end_side="FOLLOWING"
)
#: What is added to a table, if it has no such column.
NUMBER = "arrived"


def ordered_by_arrival(select: exp.Select, work: Translation) -> exp.Select:
    """Return a SELECT whose windows that go by an order have one, where the rows have any.

    Rows of pandas, Polars and Arrow stand one behind the other, and so do VALUES and the numbers
    of ``range``: a system that holds the table answers in that order. Spark's own tables have
    none, nor have joins and groups.

    Parameters
    ----------
    select : sqlglot.exp.Select
        With its stars expanded and its windows in full; it is changed.
    work : Translation

    Returns
    -------
    sqlglot.exp.Select
    """
    wanting = [one for one in walk_own(select) if isinstance(one, exp.Window) and _wants(one, work)]
    source = select.args.get("from_")
    others = any(select.args.get(part) for part in ("joins", "laterals", "group", "having"))
    if wanting and source is None:
        # There is one row, whatever its order.
        for window in wanting:
            window.set("order", exp.Order(expressions=[exp.Ordered(this=exp.Literal.number(0))]))
    if not wanting or others or source is None:
        return select
    if (number := _numbered(source.this, work)) is None:
        return select
    for window in wanting:
        window.set("order", exp.Order(expressions=[exp.Ordered(this=staged_column(number))]))
        if window.args.get("spec") is None:
            # Without an order all rows are in the frame.
            window.set("spec", WHOLE.copy())
    return select


def _numbered(source: exp.Expr, work: Translation) -> str | None:
    """Number the rows of a table, and say what the number is called; None if they have no order."""
    if isinstance(source, exp.Values):
        return _values_numbered(source, work.dialect)
    found = work.tables.in_order(source, NUMBER) if isinstance(source, exp.Table) else None
    if found is None:
        return None
    df, number = found
    alias = source.args.get("alias")
    put = work.tables.answer(df, source.alias_or_name)
    if alias is not None and (columns := alias.columns):
        named = [*columns, exp.to_identifier(number, quoted=True)]
        put.args["alias"].set("columns", [one.copy() for one in named])
    source.replace(put)
    return number


def _values_numbered(values: exp.Values, dialect: str) -> str | None:
    """Number the rows of VALUES by a column of its own."""
    name_values(values, dialect)
    alias = values.args.get("alias")
    rows = values.expressions
    if alias is None or not all(isinstance(row, exp.Tuple) for row in rows):
        return None
    number = unused([one.name for one in alias.columns], NUMBER)
    for k, row in enumerate(rows):
        row.append("expressions", exp.Literal.number(k))
    alias.append("columns", exp.to_identifier(number, quoted=True))
    return number


def _wants(window: exp.Window, work: Translation) -> bool:
    if window.args.get("order") is not None:
        return False
    asked = read(window.this, work.dialect)
    spec = window.args.get("spec")
    if not asked.name or (spec is not None and str(spec.args.get("kind")).upper() != "ROWS"):
        return False
    return goes_by_order(window, asked, spec) or info_of(asked.name).picks
