"""A window call as a query of DuckDB."""

from typing import TYPE_CHECKING

from sqlglot import exp

from workbench.dialects import writing

if TYPE_CHECKING:
    from workbench.frames.frame import Frame
    from workbench.functions.fn import Function
    from workbench.windows.spec import WindowCall

#: What window calls are written for.
WRITTEN = ("duckdb",)


def as_sql(call: "WindowCall", dialect: str, table: str) -> str:
    """Return a window call as a query, which gives its answers there.

    Parameters
    ----------
    call : WindowCall
    dialect : str
        One of :data:`WRITTEN`.
    table : str
        What the table is called there.

    Returns
    -------
    str

    Raises
    ------
    WorkbenchError
        When it is of a Column, or of a function that the dialect has not.
    """
    writing.check_written(dialect, WRITTEN, table, "table")
    asked = {name: writing.call(one, name, dialect) for name, one in call.columns.items()}
    frames = {name: _frame(call, one) for name, one in call.columns.items()}
    found = exp.Select(expressions=[exp.Star()]).from_(exp.Table(this=writing.name(table)))
    if len(asked) == 1:
        ((name, one),) = asked.items()
        window = _framed(_window(call, one), frames[name])
        return writing.written(_and(found, name, window), dialect)
    # What they share stands once, below.
    shared = frames[next(iter(frames))] if len(set(frames.values())) == 1 else None
    for name, one in asked.items():
        own = None if shared is not None else frames[name]
        window = exp.Window(this=one, alias=exp.to_identifier("w"), over="OVER")
        _and(found, name, _framed(window, own))
    below = _framed(_window(call, exp.to_identifier("w")), shared)
    found.set("windows", [below])
    return writing.written(found, dialect)


def _and(select: exp.Select, name: str, window: exp.Window) -> exp.Select:
    return select.select(exp.alias_(window, name, quoted=True), copy=False)


def _framed(window: exp.Window, frame: "Frame | None") -> exp.Window:
    if frame is not None:
        window.set("spec", writing.frame_spec(frame))
    return window


def _frame(call: "WindowCall", function: "Function") -> "Frame | None":
    """The frame that a function has of its own, or of the call."""
    return (function.frame or call.frame) if function.info.has_frame else None


def _window(call: "WindowCall", of: exp.Expr) -> exp.Window:
    """A window's partition and order."""
    keys = [exp.column(writing.name(key)) for key in call.partition_by]
    window = exp.Window(this=of, partition_by=keys)
    terms = [
        exp.Ordered(
            this=exp.column(writing.name(term.name)),
            desc=term.descending,
            nulls_first=term.nulls_first,
        )
        for term in call.order_by
    ]
    if terms:
        window.set("order", exp.Order(expressions=terms))
    return window
