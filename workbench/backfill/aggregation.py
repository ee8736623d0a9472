"""Aggregations of a backfill: functions of an event column over one window or several."""

from collections.abc import Callable, Sequence
from inspect import signature
from typing import Any

from workbench.arguments import check_text, listed, whole_number
from workbench.durations import DAY, HOUR, MINUTE, SECOND, Duration, microseconds, ticks
from workbench.errors import WorkbenchError
from workbench.functions import fn
from workbench.functions.catalogue import CATALOGUE
from workbench.functions.fn import Argument, Function

#: The units in the names of windows, in microseconds.
UNITS = {"d": DAY, "h": HOUR, "m": MINUTE, "s": SECOND}

Window = Duration | None


class Aggregation:
    """A function of the events of a key, over one window or several that end at each query.

    Parameters
    ----------
    function : str or Function
        The name of a function of ``wb.fn``, such as ``"avg"``; or a call, if it takes more than a
        column: ``wb.fn.quantile("delay", 0.9)``.
    column : str or Column, optional
        The argument of the function. Omit it for ``"count"`` of all events, and for a call.
    windows : str, timedelta, int, None, or list of these
        The lengths of the windows: text with a unit such as ``"90 days"``, or integers if the time
        columns hold integers, in their unit. None is unbounded.
    by : str, optional
        A column of the events to group by: the result is a map from each of its values to the
        answer for the events with it. Events in which it is null do not count.
    where : str or Column, optional
        A condition; only events for which it is true count.
    hop : str, timedelta or int, optional
        What the begins of windows are rounded down to, instead of the hop of the backfill.
    name : str, optional
        The name of the results, before the window. By default from the column and the function.

    Raises
    ------
    WorkbenchError
        When an argument is not valid.

    Examples
    --------
    >>> average = Aggregation("avg", "rating", windows=["5 hours", "90 days"])
    >>> average
    wb.Aggregation('avg', 'rating', windows=['5 hours', '90 days'])
    >>> average.names
    ('rating_avg_5h', 'rating_avg_90d')
    """

    def __init__(
        self,
        function: str | Function,
        column: "Argument | None" = None,
        windows: Window | Sequence[Window] = None,
        by: str | None = None,
        where: "Argument | None" = None,
        hop: Duration | None = None,
        name: str | None = None,
    ) -> None:
        self.function = _function(function, column)
        if where is not None:
            self.function = self.function.where(where)
        self.windows = _windows(windows)
        self.by, self.given = _text(by, "by"), _text(name, "name")
        self.hop = None if hop is None else checked_length(hop, "hop")
        self.label = function if isinstance(function, str) else self.function.name
        self.base = self.given or _base(self.function, self.label)

    def __repr__(self) -> str:
        called = self.function
        given = [repr(self.label), *map(repr, called.arguments)]
        if called.options.shown(called.name) or called.condition is not None:
            given = [repr(called)]
        windows = list(self.windows) if len(self.windows) > 1 else self.windows[0]
        given += [f"windows={windows!r}"] if windows is not None else []
        named = {"by": self.by, "hop": self.hop, "name": self.given}
        given += [f"{name}={value!r}" for name, value in named.items() if value is not None]
        return f"wb.Aggregation({', '.join(given)})"

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the result, one for each window.

        Examples
        --------
        >>> Aggregation("sum", "price", windows=["1 hour", None]).names
        ('price_sum_1h', 'price_sum')
        """
        return tuple(map(self.name, self.windows))

    def name(self, window: Window) -> str:
        """Return the name of the result over a window; that of an unbounded window has no suffix.

        Parameters
        ----------
        window : str, timedelta, int or None

        Returns
        -------
        str

        Examples
        --------
        >>> total = Aggregation("sum", "price", by="shop")
        >>> total.name("1 hour"), total.name(None)
        ('price_sum_1h_by_shop', 'price_sum_by_shop')
        """
        parts = [self.base]
        if window is not None:
            parts.append(short(window))
        if self.by is not None:
            parts.append(f"by_{self.by}")
        return "_".join(parts)


def short(window: Duration) -> str:
    """Return a length of time in a few characters, for the names of columns.

    Parameters
    ----------
    window : str, timedelta or int

    Returns
    -------
    str

    Examples
    --------
    >>> short("5 hours"), short("90 days"), short("1 day 12 hours"), short("90 seconds"), short(7)
    ('5h', '90d', '36h', '90s', '7')
    """
    if isinstance(window, int):
        return str(window)
    length = microseconds(window)
    for unit, size in UNITS.items():
        if length >= size and length % size == 0:
            return f"{length // size}{unit}"
    return f"{length}us"


def checked_length(value: Any, argument: str) -> Duration:
    """Return a length of time as text with a unit, a timedelta, or a Python integer.

    Raises
    ------
    WorkbenchError
        When the value is no length of time.

    Examples
    --------
    >>> import numpy as np
    >>> checked_length(np.int64(7), "hop"), checked_length("7 days", "hop")
    (7, '7 days')
    """
    if (number := whole_number(value)) is not None:
        ticks(number, argument)
        return number
    microseconds(value, argument)
    length: Duration = value
    return length


def _function(function: Any, column: Any) -> Function:
    if isinstance(function, Function):
        if column is not None:
            raise WorkbenchError(
                f"column: {function!r} already has a column; leave {column!r} out, "
                "or give the function's name alone."
            )
        found = function
    else:
        found = _by_name(function, column)
    if not found.info.has_frame:
        raise WorkbenchError(
            f"function: {found.name} is about a row among others, and a query is not an event; "
            "give an aggregate, such as 'last'."
        )
    if found.frame is not None:
        raise WorkbenchError(f"function: {found!r} has a frame; give windows= instead.")
    if found.order:
        raise WorkbenchError(
            f"function: {found!r} has its own order, but a window's events are in the order of "
            "their times; leave order_by out, or take arg_min or arg_max."
        )
    if not isinstance(found.options.n, int) or (found.info.by_row and found.options.n < 0):
        raise WorkbenchError(
            f"function: {found.name} of a window takes the same place for all queries, counted "
            "from the first event; give an integer of 1 or more, or take last_k."
        )
    return found


def _by_name(name: Any, column: Any) -> Function:
    known = [one for one in dir(fn) if _is_public(one)]
    aliases = {alias: own for own, info in CATALOGUE.items() for alias in info.aliases}
    called = aliases.get(name, name) if isinstance(name, str) else None
    if called not in known:
        from workbench.spark.names import nearest

        raise WorkbenchError(f"function: {name!r} is not known; {nearest(str(name), known)}")
    make: Callable[..., Function] = getattr(fn, called)
    needed = [p for p in signature(make).parameters.values() if p.default is p.empty]
    if column is None and not needed:
        return make()
    if column is None:
        raise WorkbenchError(f"column: {name} needs a column; name one of the events'.")
    if len(needed) > 1:
        more = ", ".join(p.name for p in needed[1:])
        raise WorkbenchError(
            f"function: {name} needs {more} as well; call it: wb.fn.{called}({column!r}, ...)."
        )
    return make(column)


def _is_public(name: str) -> bool:
    one = getattr(fn, name)
    returned = getattr(one, "__annotations__", {}).get("return")
    return not name.startswith("_") and returned is Function


def _windows(windows: Any) -> tuple[Window, ...]:
    found = listed(windows, "windows")
    if not found:
        raise WorkbenchError("windows: none is given; give one, or None for an unbounded one.")
    return tuple(None if one is None else checked_length(one, "windows") for one in found)


def _text(value: Any, argument: str) -> str | None:
    if value is not None and not (isinstance(value, str) and value):
        raise WorkbenchError(f"{argument}: {value!r} is not text; give the name of a column.")
    check_text(value, argument)
    return value


def _base(function: Function, label: str) -> str:
    if any(not isinstance(one, str) for one in function.arguments):
        raise WorkbenchError(
            "name: the function takes a Column, which has no name here; give name=..."
        )
    return "_".join([*map(str, function.arguments), label])
