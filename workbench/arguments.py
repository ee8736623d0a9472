"""What a person gives to a call: one value or several, numbers, known words, and text."""

from collections.abc import Collection, Mapping, Set
from decimal import Decimal
from operator import index
from pathlib import Path
from typing import Any

import numpy as np

from workbench.errors import WorkbenchError, kind_in_words

_MOST = 2**31 - 1  # to what `DataFrame.limit` counts


def whole_number(value: Any) -> int | None:
    """Return an integer of Python's or NumPy's as an int, and None for all else.

    Examples
    --------
    >>> whole_number(3), whole_number(True), whole_number(3.0)
    (3, None, None)
    """
    try:
        return None if isinstance(value, bool) else index(value)
    except TypeError:
        return None


def listed(value: Any, argument: str) -> tuple[Any, ...]:
    """Return one value or several as a tuple.

    Parameters
    ----------
    value : value, or iterable of values
        Text is one value.
    argument : str
        What the caller calls it, for the error's sake.

    Returns
    -------
    tuple

    Raises
    ------
    WorkbenchError
        When it is a mapping or a set, which are no lists: a set has no order, and what a mapping
        says of its keys would be lost.

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


def is_iterable(value: Any) -> bool:
    """Say whether a value has others one behind the other.

    A Column of Spark has Python's method for that, but one that only says that there are none.

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
    """Refuse a word that is none of those that there are.

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
    """Return whether something is so, and refuse what is neither True nor False.

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
    """Refuse text that cannot be written down, as it has half of a character; all else passes.

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
    """Return a number of things, and refuse what is none, less than 1, or more than Spark counts.

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
    """Return the path of a file, and refuse what is none.

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
    """Return how many digits a decimal has, and how many of them behind the point.

    Returns
    -------
    tuple of int, or None
        The precision and the scale of the smallest type that holds it as it is written; None for
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
