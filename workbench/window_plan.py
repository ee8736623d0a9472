"""A window call bound to a table: its columns found, its types checked, before a job starts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from workbench.columns import column
from workbench.errors import WorkbenchError
from workbench.fn import Argument, Function
from workbench.frame import MICROSECONDS, MONTHS, NUMBER, RUNNING, WHOLE, Frame
from workbench.window_catalogue import (
    FRAMELESS,
    MOST_DIGITS,
    NUMBERS,
    ORDERED,
    SORTED,
    TIMES,
    answer_type,
    check_arguments,
    kind_of,
)
from workbench.window_order import OrderColumn

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import DataType

#: Types that are no part of a key, or that Spark cannot hand to Python.
NO_KEY = ("map<", "variant", " collate ")
NO_ARROW = "interval year", "interval month"


@dataclass(frozen=True)
class Resolved:
    """A function bound to a table.

    Attributes
    ----------
    column : str
        The result's name.
    function : Function
    frame : Frame
    arguments, kinds : tuple of Column, tuple of DataType
    answer : DataType
    where, default : Column or None
    """

    column: str
    function: Function
    frame: Frame
    arguments: "tuple[Column, ...]"
    kinds: "tuple[DataType, ...]"
    answer: "DataType"
    where: "Column | None"
    default: "Column | None"


@dataclass
class Carried:
    """The columns that go to the workers: each once, by the name that they have there.

    Attributes
    ----------
    wanted : dict of str to Column
    """

    df: "DataFrame"
    wanted: "dict[str, Column]" = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.wanted = {self.of(name): column(self.df, name, "df") for name in self.df.columns}

    def of(self, name: str) -> str:
        """Return the name that a column of the table has on the way."""
        return f"c{self.df.columns.index(name)}"

    def add(self, given: Argument | None, value: "Column | None") -> str | None:
        """Return the name of an argument, which is taken along unless it is there."""
        if value is None:
            return None
        if isinstance(given, str) and given in self.df.columns:
            return self.of(given)
        # Columns have no equality of their own: the same one twice is the same object.
        known = next((name for name, other in self.wanted.items() if other is value), None)
        name = known or f"x{len(self.wanted)}"
        self.wanted[name] = value
        return name


def frame_for(function: Function, frame: Frame | None, ordered: bool) -> Frame:
    """Return the frame of a function: its own, that of the call, or the one that SQL takes."""
    if function.name in FRAMELESS:
        return WHOLE
    return function.frame or frame or (RUNNING if ordered else WHOLE)


def check_order(column_name: str, function: Function, frame: Frame, terms: int) -> None:
    """Refuse a function or a frame that the order of the rows cannot give a meaning.

    Parameters
    ----------
    column_name : str
        The result's name.
    function : Function
    frame : Frame
    terms : int
        How many columns the order has.

    Raises
    ------
    WorkbenchError
    """
    if terms == 0 and function.name in ORDERED:
        raise WorkbenchError(
            f"{column_name}: {function.name} needs an order; name its columns in order_by."
        )
    if terms == 0 and not (frame.low is None and frame.high is None):
        raise WorkbenchError(
            f"{column_name}: {frame!r} needs an order; name its columns in order_by."
        )
    if terms != 1 and (frame.measured or function.name == "fill"):
        what = f"{frame!r} is measured" if frame.measured else "fill goes"
        raise WorkbenchError(
            f"{column_name}: {what} along one column, but order_by names {terms}; name one."
        )


def check_distance(df: "DataFrame", frame: Frame, name: str) -> None:
    """Refuse a distance that has another unit than the order column.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
    frame : Frame
    name : str
        The order column.

    Raises
    ------
    WorkbenchError
    """
    data_type = df.schema[name].dataType
    kind = kind_of(data_type)
    for bound, given in zip((frame.low, frame.high), frame.given, strict=True):
        if bound is None or bound.amount == 0:
            continue
        holds = f"but the order column {name!r} holds {data_type.simpleString()}"
        if kind not in (*NUMBERS, *TIMES):
            raise WorkbenchError(
                f"frame: a distance such as {given!r} needs numbers or times, {holds}."
            )
        if bound.unit in (MICROSECONDS, MONTHS) and kind not in TIMES:
            raise WorkbenchError(f"frame: {given!r} has a unit, {holds}; give a number.")
        if bound.unit == NUMBER and kind in TIMES:
            raise WorkbenchError(
                f"frame: {given!r} has no unit, {holds}; give a duration such as '-3 days'."
            )
        _check_number(data_type, bound.amount, given, holds)


def _check_number(data_type: "DataType", amount: Any, given: Any, holds: str) -> None:
    from pyspark.sql.types import DecimalType

    if kind_of(data_type) == "integer" and amount != int(amount):
        raise WorkbenchError(f"frame: {given!r} is no whole number, {holds}; give an integer.")
    if isinstance(data_type, DecimalType):
        if data_type.precision > MOST_DIGITS:
            raise WorkbenchError(
                f"frame: a distance along decimals of more than {MOST_DIGITS} digits is not "
                "available; cast the order column to fewer digits or to double."
            )
        scaled = Decimal(str(amount)) * 10**data_type.scale
        if scaled != int(scaled):
            raise WorkbenchError(
                f"frame: {given!r} has more digits than the order column, {holds}."
            )


def order_terms(order_by: Any) -> tuple[OrderColumn, ...]:
    """Return the columns of an order, as they were given.

    Parameters
    ----------
    order_by : str, tuple or list of these
        ``"day"`` ascends and ``"-day"`` descends; ``("day", "desc")`` is the same, and for names
        that begin with a minus. Nulls come first in an ascending order and last in a descending
        one; ``("day", "asc", "nulls last")`` says otherwise.

    Returns
    -------
    tuple of OrderColumn

    Raises
    ------
    WorkbenchError

    Examples
    --------
    >>> order_terms(["plant", "-day"])[1]
    OrderColumn(name='day', descending=True, nulls_first=False)
    """
    if isinstance(order_by, str) or _is_term(order_by):
        order_by = [order_by]
    if not isinstance(order_by, Iterable):
        raise WorkbenchError(f"order_by: {order_by!r} is no column; {_ORDER}")
    terms = tuple(map(_term, order_by))
    names = [term.name for term in terms]
    if twice := [name for name in names if names.count(name) > 1]:
        raise WorkbenchError(f"order_by: column {twice[0]!r} is named twice; name it once.")
    return terms


_ORDER = "give a name, '-name' for descending, or ('name', 'desc', 'nulls first')."
_DIRECTIONS, _NULLS = ("asc", "desc"), ("nulls first", "nulls last")


def _is_term(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) > 1 and value[1] in _DIRECTIONS


def _term(value: Any) -> OrderColumn:
    if isinstance(value, str) and value not in ("", "-"):
        descending = value.startswith("-")
        return OrderColumn(value[descending:], descending, not descending)
    known = _is_term(value) and isinstance(value[0], str) and len(value) <= 3
    if not known or (len(value) == 3 and value[2] not in _NULLS):
        raise WorkbenchError(f"order_by: {value!r} is no column of an order; {_ORDER}")
    descending = value[1] == "desc"
    nulls_first = value[2] == "nulls first" if len(value) == 3 else not descending
    return OrderColumn(value[0], descending, nulls_first)


def check_table(
    df: "DataFrame", keys: Sequence[str], order: Sequence[OrderColumn], results: Sequence[str]
) -> None:
    """Refuse a table that lacks columns of the call, or has some that cannot be used so.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
    keys : sequence of str
    order : sequence of OrderColumn
    results : sequence of str
        The names of the columns that are added.

    Raises
    ------
    WorkbenchError
    """
    for name in df.columns:
        column(df, name, "df")
    for key in keys:
        column(df, key, "partition_by")
        held = df.schema[key].dataType.simpleString()
        if any(part in held for part in NO_KEY):
            raise WorkbenchError(
                f"partition_by: column {key!r} holds {held}, which cannot be grouped by; "
                "name another column."
            )
    for term in order:
        column(df, term.name, "order_by")
        if kind_of(df.schema[term.name].dataType) not in SORTED:
            held = df.schema[term.name].dataType.simpleString()
            raise WorkbenchError(
                f"order_by: column {term.name!r} holds {held}, which has no order here; "
                "name a column of numbers, times or text."
            )
    taken = {name.lower() for name in df.columns}
    if clash := [name for name in results if name.lower() in taken]:
        raise WorkbenchError(
            f"{clash[0]}: the table has a column of this name; give the result another one."
        )


def check_arrow(df: "DataFrame") -> None:
    """Refuse columns that Spark cannot hand to a Python worker."""
    for name, kind in ((f.name, f.dataType.simpleString()) for f in df.schema.fields):
        if any(part in kind for part in NO_ARROW):
            raise WorkbenchError(
                f"df: column {name!r} holds {kind}, which does not go through Arrow; "
                "drop it, or cast it to text."
            )


def resolve(
    df: "DataFrame", functions: Mapping[str, Function], frame: Frame | None, order: Sequence[Any]
) -> list[Resolved]:
    """Bind functions to a table.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
    functions : dict of str to Function
        By the name of the result.
    frame : Frame or None
    order : sequence of OrderColumn

    Returns
    -------
    list of Resolved

    Raises
    ------
    WorkbenchError
        When an argument is missing or has a type that the function cannot take.
    """
    found: list[Resolved] = []
    conditions: dict[Any, Column | None] = {}
    for name, function in functions.items():
        own = frame_for(function, frame, bool(order))
        if own.measured:
            check_distance(df, own, order[0].name)
        values = [_argument(df, name, argument) for argument in function.arguments]
        kinds = tuple(kind for _, kind in values)
        check_arguments(name, function.name, kinds)
        if function.name == "fill" and kind_of(df.schema[order[0].name].dataType) not in (
            *NUMBERS,
            *TIMES,
        ):
            raise WorkbenchError(f"{name}: fill goes along numbers or times; order by such.")
        answer = answer_type(function.name, function.options, kinds[0] if kinds else None)
        given = function.condition if isinstance(function.condition, str) else id(function)
        if given not in conditions:
            conditions[given] = _condition(df, name, function.condition)
        default = _default(df, name, function.options.default, answer)
        arguments = tuple(value for value, _ in values)
        where = conditions[given]
        found.append(Resolved(name, function, own, arguments, kinds, answer, where, default))
    return found


def _argument(df: "DataFrame", name: str, given: Argument) -> "tuple[Column, DataType]":
    if isinstance(given, str):
        return column(df, given, name), df.schema[given].dataType
    return given, _type_of(df, name, given)


def _condition(df: "DataFrame", name: str, given: Argument | None) -> "Column | None":
    from pyspark.sql import functions as F

    if given is None:
        return None
    condition = F.expr(given) if isinstance(given, str) else given
    kind = _type_of(df, name, condition).typeName()
    if kind != "boolean":
        raise WorkbenchError(
            f"{name}: the condition gives {kind}s; write one that is true or false."
        )
    return condition


def _default(df: "DataFrame", name: str, given: Any, answer: "DataType") -> "Column | None":
    from pyspark.sql import functions as F

    if given is None:
        return None
    value = F.lit(given)
    kind = _type_of(df, name, value)
    numbers = kind_of(kind) in NUMBERS and kind_of(answer) in NUMBERS
    if kind.typeName() != answer.typeName() and not numbers:
        raise WorkbenchError(
            f"{name}: the default {given!r} is {kind.simpleString()}, but the column holds "
            f"{answer.simpleString()}; give a default of that type."
        )
    return value.cast(answer)


def _type_of(df: "DataFrame", name: str, value: "Column") -> "DataType":
    from pyspark.errors import AnalysisException, ParseException
    from pyspark.sql import functions as F

    try:
        # As a value of each row, among others: an aggregate or a generator is none.
        usable = F.when(value.isNotNull(), 1)
        return df.select("*", value, usable).schema.fields[-2].dataType
    except (AnalysisException, ParseException) as error:
        text = str(error).strip().splitlines()[0]
        why = (text.partition("] ")[2] or text).partition(" SQLSTATE")[0]
        raise WorkbenchError(f"{name}: this does not fit the table: {why}") from None
