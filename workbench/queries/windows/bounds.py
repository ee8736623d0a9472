"""The frame of a window in SQL as a ``wb.Frame``."""

from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING

from sqlglot import exp
from sqlglot.optimizer.simplify import simplify

from workbench.errors import WorkbenchError
from workbench.frames.frame import Frame

if TYPE_CHECKING:
    from pyspark.sql import Column

#: A function from an expression to the name of its column in the table.
ColumnName = Callable[[exp.Expr], str]

_EXCLUDED = {"CURRENT ROW": "current row", "GROUP": "group", "TIES": "ties"}


def frame_of(spec: exp.WindowSpec | None, column_name: ColumnName) -> Frame | None:
    """Return the frame of a window in SQL; None if it has none.

    Parameters
    ----------
    spec : sqlglot.exp.WindowSpec or None
    column_name : function of an expression to a name
        The names of columns for bounds that differ from row to row.

    Returns
    -------
    Frame or None

    Raises
    ------
    WorkbenchError
        When a bound is not available.

    Warns
    -----
    WorkbenchWarning
        When every frame is empty, as it begins after its end.

    Examples
    --------
    >>> from workbench.queries.reading.parsing import parse_query
    >>> tree = parse_query('''SELECT sum(x) OVER (ORDER BY d RANGE BETWEEN INTERVAL 3 DAY PRECEDING
    ...     AND CURRENT ROW EXCLUDE TIES)''', "duckdb")
    >>> frame_of(tree.expressions[0].args["spec"], str)
    wb.Frame.range('-3 days', 0, exclude='ties')
    """
    if spec is None:
        return None
    unit = str(spec.args.get("kind") or "rows").lower()
    if unit == "session":
        return Frame.session(_gap(spec.args["start"]), exclude=_excluded(spec))
    if unit not in ("rows", "range", "groups"):
        raise WorkbenchError(f"query: a frame of {unit.upper()} is not available on tables.")
    low = _bound(spec, "start", unit, column_name)
    high = _bound(spec, "end", unit, column_name)
    make: Callable[..., Frame] = getattr(Frame, unit)
    return make(low, high, exclude=_excluded(spec))


#: The unit of a number in a RANGE frame, by the type of the order column.
_UNITS = {"date": "days", "timestamp": "seconds", "timestamp_ntz": "seconds"}


def in_units(frame: Frame, order_type: str) -> Frame:
    """Return a frame whose numbers are days for a date, and seconds for a time, as in ClickHouse.

    Parameters
    ----------
    frame : Frame
    order_type : str
        Spark's name for the type of the order column.

    Returns
    -------
    Frame

    Examples
    --------
    >>> in_units(Frame.range(-3, 0), "date"), in_units(Frame.range(-3, 0), "long")
    (wb.Frame.range('-3 days', 0), wb.Frame.range(-3, 0))
    """
    if frame.unit != "range" or order_type not in _UNITS:
        return frame
    low, high = (
        f"{bound} {_UNITS[order_type]}" if isinstance(bound, int) and bound else bound
        for bound in frame.given
    )
    return Frame.range(low, high, exclude=frame.exclude)


def _excluded(spec: exp.WindowSpec) -> str:
    exclude = spec.args.get("exclude")
    return _EXCLUDED.get(str(exclude.name if exclude is not None else "").upper(), "no others")


def _gap(value: exp.Expr) -> "int | Decimal | str":
    """Return the constant gap of sessions."""
    value = simplify(value.copy())
    if isinstance(value, exp.Interval) and (text := duration(value)) is not None:
        return text
    if isinstance(value, exp.Literal):
        if value.is_string:
            return str(value.this)
        return int(value.this) if value.this.isdigit() else Decimal(value.this)
    raise WorkbenchError(
        f"query: SESSION has a gap of {value.sql()}; write an interval or a number above zero."
    )


def _bound(
    spec: exp.WindowSpec, end: str, unit: str, column_name: ColumnName
) -> "int | Decimal | str | Column | None":
    value, side = spec.args.get(end), str(spec.args.get(f"{end}_side") or "").lower()
    if value is None or value == "CURRENT ROW":
        return 0
    if value == "UNBOUNDED":
        if side == ("following" if end == "start" else "preceding"):
            raise WorkbenchError(
                f"query: a frame cannot {'begin' if end == 'start' else 'end'} at "
                f"UNBOUNDED {side.upper()}."
            )
        return None
    sign = -1 if side == "preceding" else 1
    value = simplify(value.copy())
    if isinstance(value, exp.Cast) and value.is_type(exp.DType.INTERVAL):
        value = exp.Interval(this=value.this)
    if isinstance(value, exp.Interval):
        if (text := duration(value)) is not None:
            return f"-{text}" if sign < 0 else text
    elif isinstance(value, exp.Literal) and value.is_string and unit == "range":
        return f"-{value.this}" if sign < 0 else str(value.this)
    elif isinstance(value, exp.Literal) and not value.is_string:
        number = int(value.this) if value.this.isdigit() else Decimal(value.this)
        return sign * number
    elif isinstance(value, exp.Neg) and isinstance(value.this, exp.Literal):
        raise WorkbenchError(
            f"query: the frame has a bound of {value.sql()}; write PRECEDING or FOLLOWING "
            "with a number that is not negative."
        )
    return _column_bound(value, column_name, sign)


def _column_bound(value: exp.Expr, column_name: ColumnName, sign: int) -> "Column":
    from workbench.spark.names import name_of

    if value.find(exp.UDTF) is not None:
        raise WorkbenchError(
            "query: a bound of the frame turns a list into rows; write one number or interval for "
            "each row."
        )
    name = column_name(value)
    return -name_of(name) if sign < 0 else name_of(name)


def duration(node: exp.Interval) -> str | None:
    """Return an interval as the text of a duration; None if it is no constant.

    Examples
    --------
    >>> from workbench.queries.reading.parsing import parse_query
    >>> tree = parse_query("SELECT INTERVAL '1 day 2 hours', INTERVAL 90 MINUTES", "duckdb")
    >>> [duration(one) for one in tree.expressions]
    ['1 day 2 hours', '90 minutes']
    """
    value, unit = node.this, node.args.get("unit")
    while isinstance(value, exp.Paren):
        value = value.this
    if not isinstance(value, exp.Literal):
        return None
    text = str(value.this).strip()
    if unit is None:
        return text
    word = unit.name.lower().rstrip("s")
    return f"{text} {word}{'' if text == '1' else 's'}"
