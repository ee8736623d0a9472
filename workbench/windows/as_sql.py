"""Translation of a window call to a DuckDB query."""

from typing import TYPE_CHECKING

from sqlglot import exp

from workbench.dialects import writing
from workbench.errors import WorkbenchError
from workbench.functions.catalogue import NTH, RANKING, SHIFT

if TYPE_CHECKING:
    from workbench.frames.frame import Frame
    from workbench.functions.fn import Function
    from workbench.windows.spec import WindowCall

#: The dialects that window calls can be written in.
WRITTEN = ("duckdb",)


def as_sql(call: "WindowCall", dialect: str, table: str) -> str:
    """Return a window call as a query in another dialect.

    Parameters
    ----------
    call : WindowCall
    dialect : str
        One of :data:`WRITTEN`.
    table : str
        The name of the table there.

    Returns
    -------
    str

    Raises
    ------
    WorkbenchError
        When the call uses a Column, or a function that the dialect lacks.
    """
    writing.check_dialect_and_table(dialect, WRITTEN, table, "table")
    functions = {name: writing.call(one, name, dialect) for name, one in call.columns.items()}
    frames = {name: _frame(call, one) for name, one in call.columns.items()}
    for name, function in call.columns.items():
        _check_in_duckdb(name, function, frames[name])
    query = exp.Select(expressions=[exp.Star()]).from_(exp.Table(this=writing.name(table)))
    if len(functions) == 1:
        ((name, one),) = functions.items()
        window = _with_frame(_window(call, one), frames[name])
        return writing.to_text(_add_column(query, name, window), dialect)
    # A WINDOW clause holds what they share.
    shared = frames[next(iter(frames))] if len(set(frames.values())) == 1 else None
    for name, one in functions.items():
        own = None if shared is not None else frames[name]
        window = exp.Window(this=one, alias=exp.to_identifier("w"), over="OVER")
        _add_column(query, name, _with_frame(window, own))
    clause = _with_frame(_window(call, exp.to_identifier("w")), shared)
    query.set("windows", [clause])
    return writing.to_text(query, dialect)


def _add_column(select: exp.Select, name: str, window: exp.Window) -> exp.Select:
    return select.select(exp.alias_(window, name, quoted=True), copy=False)


def _with_frame(window: exp.Window, frame: "Frame | None") -> exp.Window:
    if frame is not None:
        window.set("spec", writing.frame_spec(frame))
    return window


def _frame(call: "WindowCall", function: "Function") -> "Frame | None":
    """Return the function's own frame, else the call's."""
    return (function.frame or call.frame) if function.info.has_frame else None


def _check_in_duckdb(name: str, function: "Function", frame: "Frame | None") -> None:
    """Refuse a condition and a frame that DuckDB does not take."""
    family = function.info.family
    if function.condition is not None and family in (NTH, SHIFT, RANKING):
        raise WorkbenchError(
            f"{name}: duckdb has no {function.name} with a condition; leave the condition out."
        )
    if frame is None:
        return
    if frame.exclude != "no others" and family in (SHIFT, RANKING):
        raise WorkbenchError(
            f"{name}: duckdb has no {function.name} over a frame that excludes rows; "
            "leave exclude out."
        )
    if frame.is_empty and not _is_on_one_side(frame):
        raise WorkbenchError(
            f"{name}: {frame!r} begins after its end, which duckdb refuses; leave {name} out."
        )


def _is_on_one_side(frame: "Frame") -> bool:
    """Return whether both bounds are before the current row, or both are after it."""
    amounts = [0 if one is None else one.amount for one in (frame.low, frame.high)]
    return max(amounts) < 0 or min(amounts) > 0


def _window(call: "WindowCall", of: exp.Expr) -> exp.Window:
    """Return a window with the call's partition and order."""
    keys = [exp.column(writing.name(key)) for key in call.partition_by]
    window = exp.Window(this=of, partition_by=keys)
    if call.order_by:
        window.set("order", writing.order_by(call.order_by))
    return window
