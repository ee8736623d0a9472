"""The choice of the engine for a window call, and the call for Spark's own window operator."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple

from workbench.durations import MOST_TICKS
from workbench.errors import WorkbenchError
from workbench.frames.bounds import MICROSECONDS, MONTHS
from workbench.frames.frame import Frame
from workbench.functions.catalogue import (
    COUNT,
    EXACT_SUM,
    LIKE_SUM,
    NO_DISTINCT,
    NTH,
    NUMBERS,
    QUANTILE,
    RANKING,
    SHIFT,
    kind_of,
)
from workbench.functions.fn import Function
from workbench.functions.order import OrderColumn
from workbench.spark.exact_sums import exact_aggregate
from workbench.spark.micros import micros_of
from workbench.spark.percentiles import percentile
from workbench.spark.table import BoundTable, column, type_of
from workbench.spark.values import as_answer

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, WindowSpec

    from workbench.windows.bind import Resolved

ENGINES = ("auto", "kernel", "spark")


class Limit(NamedTuple):
    """The largest frame of a kind that "auto" leaves to Spark, and why not a larger one.

    Attributes
    ----------
    rows : float
        Rows per frame: 0 for never, infinity for always.
    why : str
    """

    rows: float
    why: str = ""


#: Each limit is chosen by measuring (docs/decisions/0007).
LIMITS = {
    "no frame": Limit(inf),
    "whole partition": Limit(inf),
    "up to the current row": Limit(inf),
    "rows": Limit(10, "Spark goes through all {rows:,} rows of each frame"),
    "without a limit": Limit(0, "Spark goes through all rows of each frame"),
    "from scratch": Limit(0, "Spark computes {name} of every frame from scratch"),
}


class EngineChoice(NamedTuple):
    """The chosen engine, and why.

    Attributes
    ----------
    engine : str
        "kernel" or "spark".
    why : str
    """

    engine: str
    why: str


def choose(
    engine: str, functions: Mapping[str, Function], frames: Mapping[str, Frame]
) -> EngineChoice:
    """Return the engine for a call; all its functions use one, to share a shuffle.

    Parameters
    ----------
    engine : str
        "auto", "kernel" or "spark".
    functions : dict of str to Function
    frames : dict of str to Frame
        By the same names.

    Returns
    -------
    EngineChoice

    Raises
    ------
    WorkbenchError
        When Spark is requested, but does not support the call.
    """
    if engine == "kernel":
        return EngineChoice(engine, "it was asked for")
    reasons = {name: not_in_spark(one, frames[name]) for name, one in functions.items()}
    if engine == "spark":
        for name, reason in reasons.items():
            if reason:
                raise _only_in_kernels(name, reason)
        return EngineChoice(engine, "it was asked for")
    for name, one in functions.items():
        if reason := reasons[name] or slow_in_spark(one, frames[name]):
            return EngineChoice("kernel", f"{reason} ({name})")
    return EngineChoice(
        "spark", "its own window operator has these functions, and is quick at them"
    )


def _only_in_kernels(name: str, reason: str) -> WorkbenchError:
    return WorkbenchError(
        f"{name}: engine='spark' cannot: {reason}; take engine='kernel' or 'auto'."
    )


def not_in_spark(function: Function, frame: Frame) -> str | None:
    """Return why Spark does not support a function or frame, None where it does."""
    name, info = function.name, function.info
    if not info.spark:
        return info.not_in_spark or f"Spark has no {name}"
    if function.options.distinct and info.repeats:
        return NO_DISTINCT
    return _unsupported_frame(frame) or _unsupported_options(function)


def _unsupported_frame(frame: Frame) -> str | None:
    if frame.varies:
        return "Spark's bounds are the same for all rows"
    if frame.is_empty:
        return "Spark has no frame that begins after its end"
    if frame.unit == "groups":
        return "Spark has no GROUPS"
    if frame.unit == "session":
        return "Spark's windows have no SESSION"
    if frame.exclude != "no others":
        return "Spark has no EXCLUDE"
    if frame.measured == MONTHS:
        return "Spark's bounds of months depend on the order's type"
    if any(one is not None and abs(one.amount) > MOST_TICKS for one in (frame.low, frame.high)):
        return "Spark's bounds have 64 bits"
    return None


def _unsupported_options(function: Function) -> str | None:
    """Return why Spark's function does not support these options, None where it does."""
    name, info = function.name, function.info
    if function.order:
        return f"Spark's {name} has no order of its own within a frame"
    if not isinstance(function.options.n, int):
        return f"Spark's {name} has one n for all rows"
    if info.family == NTH and function.options.n < 0:
        return f"Spark's {info.spark} counts from the first row"
    if info.family == SHIFT and function.options.ignore_nulls:
        return f"PySpark's {name} cannot ignore nulls"
    if info.family == SHIFT and not _is_literal(function.options.default):
        return f"Spark's {name} takes a literal for its default"
    if info.family == SHIFT and _is_before_gregorian(function.options.default):
        return f"PySpark's {name} reads times before 1582 by the calendar of those days"
    if info.picks and function.condition is not None and not function.options.ignore_nulls:
        return f"Spark's {name} has no FILTER that keeps nulls"
    return None


def slow_in_spark(function: Function, frame: Frame) -> str | None:
    """Return why Spark would be slow, None where it would not be."""
    kind, rows = _frame_kind(function, frame)
    limit = LIMITS[kind]
    return None if rows <= limit.rows else limit.why.format(rows=rows, name=function.name)


def _frame_kind(function: Function, frame: Frame) -> tuple[str, float]:
    """Return the kind of a frame, a key of :data:`LIMITS`, and its number of rows."""
    if not function.info.has_frame:
        return "no frame", 1
    if function.info.family == QUANTILE:
        return "from scratch", inf
    if frame.is_whole or frame.is_running:
        return ("whole partition" if frame.is_whole else "up to the current row"), inf
    if frame.unit == "rows" and frame.low is not None and frame.high is not None:
        return "rows", frame.high.amount - frame.low.amount + 1
    return "without a limit", inf


def with_spark(
    df: BoundTable, order: Sequence[OrderColumn], functions: "Sequence[Resolved]"
) -> "DataFrame":
    """Return a table with the results of Spark's own window operator.

    Parameters
    ----------
    df : BoundTable
        With the columns that make its partitions as its key.
    order : sequence of OrderColumn
    functions : sequence of Resolved

    Returns
    -------
    pyspark.sql.DataFrame

    Raises
    ------
    WorkbenchError
        When Spark has no such function for the columns' types.
    """
    added = []
    for one in functions:
        # Which function it is may depend on the type of its argument.
        if reason := not_in_spark(one.function, one.frame):
            raise _only_in_kernels(one.column, reason)
        spec = _window(df, order, one)
        added.append(as_answer(_result(one, spec), one.answer).alias(one.column))
    return df.df.select("*", *added)


def _result(one: "Resolved", spec: "WindowSpec") -> "Column":
    from pyspark.sql import functions as F

    if one.function.info.family == EXACT_SUM and kind_of(one.kinds[0]) != "float":
        value = one.arguments[0]
        value = value if one.where is None else F.when(one.where, value)
        return exact_aggregate(
            one.function.name, one.column, value, one.kinds[0], lambda c: c.over(spec)
        )
    if one.function.info.family == QUANTILE:
        return _percentile(one, _argument(one, one.arguments[0]), spec)
    return _function(one).over(spec)


def _window(df: BoundTable, order: Sequence[OrderColumn], one: "Resolved") -> "WindowSpec":
    from pyspark.sql import Window

    frame = one.frame
    spec = Window.partitionBy(*(column(df, key, "partition_by") for key in df.key))
    terms = [(term, column(df, term.name, "order_by")) for term in order]
    if frame.measured:
        terms = [(term, _as_integers(df, term.name, value, one)) for term, value in terms]
    if terms:
        spec = spec.orderBy(*(sort_column(term, value) for term, value in terms))
    if not one.function.info.has_frame or not terms:
        return spec
    low = Window.unboundedPreceding if frame.low is None else int(frame.low.amount)
    high = Window.unboundedFollowing if frame.high is None else int(frame.high.amount)
    return spec.rowsBetween(low, high) if frame.unit == "rows" else spec.rangeBetween(low, high)


def _as_integers(df: BoundTable, name: str, value: "Column", one: "Resolved") -> "Column":
    """Return the order column as integers, as Spark's bounds need it."""
    kind = kind_of(type_of(df, name))
    timed = kind in ("timestamp", "date") and one.frame.measured == MICROSECONDS
    if kind == "integer" or timed:
        return micros_of(value, type_of(df, name).typeName())
    held = type_of(df, name).simpleString()
    raise _only_in_kernels(
        one.column,
        f"its RANGE bounds work along integers, timestamps and dates, but {name!r} holds {held}",
    )


def sort_column(term: OrderColumn, value: "Column") -> "Column":
    """Return the sort expression of an order column."""
    if term.descending:
        return value.desc_nulls_first() if term.nulls_first else value.desc_nulls_last()
    return value.asc_nulls_first() if term.nulls_first else value.asc_nulls_last()


def _function(one: "Resolved") -> "Column":
    from pyspark.sql import functions as F

    info, options = one.function.info, one.function.options
    function: Callable[..., Any] = getattr(F, info.spark)
    if info.family == RANKING:
        ranked: Column = function(options.n) if info.options else function()
        return ranked
    arguments = [_argument(one, value) for value in one.arguments]
    if info.family == COUNT:
        return F.count(arguments[0] if arguments else _argument(one, F.lit(1)))
    if info.family == SHIFT:
        call: Column = function(arguments[0], options.n, options.default)
    elif info.family == NTH and info.keeps_n:
        call = function(arguments[0], options.n, options.ignore_nulls)
    elif info.family == NTH:
        call = function(arguments[0], options.ignore_nulls)
    else:
        call = function(*arguments)
    return call


def _argument(one: "Resolved", value: "Column") -> "Column":
    from pyspark.sql import functions as F

    as_double = one.answer.typeName() == "double" and one.function.info.gives != LIKE_SUM
    plain = value.cast("double") if as_double else value
    return plain if one.where is None else F.when(one.where, plain)


def _percentile(one: "Resolved", value: "Column", spec: "WindowSpec") -> "Column":
    if kind_of(one.kinds[0]) not in NUMBERS:
        raise _only_in_kernels(one.column, "its percentile takes numbers alone")
    options = one.function.options
    return percentile(value.cast("double"), options.q, options.single, lambda c: c.over(spec))


def _is_before_gregorian(value: Any) -> bool:
    return isinstance(value, date) and value.year <= 1582


def _is_literal(value: Any) -> bool:
    from pyspark.sql import Column

    return not isinstance(value, Column)
