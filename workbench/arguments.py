"""Check the arguments of calls: one value or several, names, numbers, known words, and text."""

from collections.abc import Collection, Mapping, Sequence, Set
from decimal import Decimal
from numbers import Real
from operator import index
from pathlib import Path
from typing import Any, cast

import numpy as np

from workbench.errors import WorkbenchError, kind_in_words

_MOST = 2**31 - 1  # the largest number of `DataFrame.limit`


def whole_number(value: Any) -> int | None:
    """Return an integer of Python or NumPy as an int, and None for anything else.

    Examples
    --------
    >>> whole_number(3), whole_number(True), whole_number(3.0)
    (3, None, None)
    """
    try:
        return None if isinstance(value, bool) else index(value)
    except TypeError:
        return None


def is_number(value: Any) -> bool:
    """Return whether a value is a real number of Python or NumPy.

    NumPy's durations call themselves integers.

    Examples
    --------
    >>> is_number(np.float32(0.5)), is_number(np.timedelta64(5, "s")), is_number(True)
    (True, False, False)
    """
    return isinstance(value, Real) and not isinstance(value, bool | np.timedelta64)


def listed(value: Any, argument: str) -> tuple[Any, ...]:
    """Return one value or several as a tuple.

    Parameters
    ----------
    value : value, or iterable of values
        Text is one value.
    argument : str
        The name of the caller's argument, for error messages.

    Returns
    -------
    tuple

    Raises
    ------
    WorkbenchError
        When it is a mapping or a set: a set has no order, and the values of a mapping would be
        lost.

    Examples
    --------
    >>> listed("user", "key"), listed(["shop", "user"], "key"), listed(None, "windows")
    (('user',), ('shop', 'user'), (None,))
    """
    if isinstance(value, Mapping | Set):
        kind = "mapping" if isinstance(value, Mapping) else "set"
        raise WorkbenchError(
            f"{argument}: {value!r} is a {kind}; give one value, or several in a list."
        )
    one = isinstance(value, str | bytes) or not is_iterable(value)
    return (value,) if one else tuple(value)


def column_names(names: str | Sequence[str], argument: str = "key") -> tuple[str, ...]:
    """Return names of columns as a tuple, each once, whether one or several are given.

    Parameters
    ----------
    names : str or sequence of str
    argument : str
        The name of the caller's argument, for error messages.

    Returns
    -------
    tuple of str

    Raises
    ------
    WorkbenchError
        When no column is named, or a name is not text.

    Examples
    --------
    >>> column_names("user_id"), column_names(["shop", "user_id"])
    (('user_id',), ('shop', 'user_id'))
    """
    values = listed(names, argument)
    if not values:
        raise WorkbenchError(
            f"{argument}: no column is named; give one column, or several in a list."
        )
    if wrong := [name for name in values if not isinstance(name, str)]:
        raise WorkbenchError(
            f"{argument}: {wrong[0]!r} is not text; "
            "give the name of a column, or several in a list."
        )
    return tuple(dict.fromkeys(map(str, values)))


def optional_names(names: str | Sequence[str] | None, argument: str) -> tuple[str, ...]:
    """Return names of columns as :func:`column_names` does; None and an empty list give ().

    Examples
    --------
    >>> optional_names((), "by"), optional_names("shop", "by")
    ((), ('shop',))
    """
    none = names is None or (isinstance(names, list | tuple) and not names)
    return () if none else column_names(cast("str | Sequence[str]", names), argument)


def one_name(name: str, argument: str) -> str:
    """Return the name of one column; refuse a value that is not text.

    Raises
    ------
    WorkbenchError

    Examples
    --------
    >>> one_name("ts", "time")
    'ts'
    """
    if not isinstance(name, str):
        raise WorkbenchError(f"{argument}: {name!r} is not text; give the name of one column.")
    return name


def is_iterable(value: Any) -> bool:
    """Return whether a value can be iterated over.

    A Column of Spark has the method, but it only raises an error.

    Examples
    --------
    >>> is_iterable(["user"]), is_iterable(5)
    (True, False)
    """
    try:
        iter(value)
    except TypeError:
        return False
    return True


def check_known(value: Any, known: Collection[str], argument: str) -> None:
    """Refuse a value that is none of the known words.

    Raises
    ------
    WorkbenchError

    Examples
    --------
    >>> check_known("two", ("all", "one"), "ties")
    Traceback (most recent call last):
    workbench.errors.WorkbenchError: ties: 'two' is not known; give 'all' or 'one'.
    """
    if not isinstance(value, str) or value not in known:
        words = [*map(repr, known)]
        choice = " or ".join(words) if len(words) < 3 else f"one of {', '.join(words)}"
        raise WorkbenchError(f"{argument}: {value!r} is not known; give {choice}.")


def check_truth(value: Any, argument: str) -> bool:
    """Return a bool, and refuse a value that is neither True nor False.

    Raises
    ------
    WorkbenchError

    Examples
    --------
    >>> check_truth("no", "open")
    Traceback (most recent call last):
    workbench.errors.WorkbenchError: open: 'no' is not known; give True or False.
    """
    if not isinstance(value, bool | np.bool_):
        raise WorkbenchError(f"{argument}: {value!r} is not known; give True or False.")
    return bool(value)


def check_text(value: Any, argument: str) -> None:
    """Refuse text that cannot be encoded, as it has half of a character; other values pass.

    Raises
    ------
    WorkbenchError

    Examples
    --------
    >>> check_text("caf\\u00e9", "steps")
    >>> check_text("\\ud83d", "steps")
    Traceback (most recent call last):
    workbench.errors.WorkbenchError: steps: '\\ud83d' has half of a character (a surrogate), \
which no column can hold; leave it out.
    """
    try:
        if isinstance(value, str):
            value.encode()
    except UnicodeEncodeError:
        raise WorkbenchError(
            f"{argument}: {value!a} has half of a character (a surrogate), which no column "
            "can hold; leave it out."
        ) from None


def check_count(value: Any, argument: str, what: str) -> int:
    """Return a count, and refuse a value that is no integer, less than 1, or too large for Spark.

    Raises
    ------
    WorkbenchError

    Examples
    --------
    >>> check_count(0, "rows", "rows")
    Traceback (most recent call last):
    workbench.errors.WorkbenchError: rows: 0 is not possible; give 1 or more rows.
    """
    number = whole_number(value)
    if number is None or number < 1:
        raise WorkbenchError(f"{argument}: {value!r} is not possible; give 1 or more {what}.")
    if number > _MOST:
        raise WorkbenchError(f"{argument}: {value!r} {what} are too many; give up to {_MOST:,}.")
    return number


def as_path(value: Any, argument: str) -> Path:
    """Return a value as the path of a file, and refuse a value that is no path.

    Raises
    ------
    WorkbenchError

    Examples
    --------
    >>> as_path("funnel.html", "path").suffix
    '.html'
    >>> as_path(5, "path")
    Traceback (most recent call last):
    workbench.errors.WorkbenchError: path: this is an int, not a path; give the name of a file.
    """
    try:
        return Path(value)
    except TypeError:
        raise WorkbenchError(
            f"{argument}: this is {kind_in_words(value)}, not a path; give the name of a file."
        ) from None


def digits_of(number: Decimal) -> tuple[int, int] | None:
    """Return how many digits a decimal has, and how many of them after the decimal point.

    Returns
    -------
    tuple of int, or None
        The precision and the scale of the smallest type that holds it as written; None for
        infinity and NaN.

    Examples
    --------
    >>> digits_of(Decimal("1.50")), digits_of(Decimal("2E+3")), digits_of(Decimal("0.001"))
    ((3, 2), (4, 0), (3, 3))
    """
    _, digits, exponent = number.as_tuple()
    if isinstance(exponent, str):
        return None
    scale = max(-exponent, 0)
    return max(len(digits) + max(exponent, 0), scale), scale
