"""Rows of a part that can still be the answer of what the part belongs to."""

import numpy as np
from numpy.typing import NDArray

from kernels.core.arrays import Ints
from workbench.columnar.ragged import begins_run
from workbench.engine.block import Call, Window
from workbench.functions.catalogue import FIRST, GREATEST, LAST, LEAST


def picks(call: Call) -> bool:
    """Say whether a call's answer is one event of the window, and each part of it has one."""
    return call.info.picks_row and not call.options.distinct


def kept_rows(window: Window, call: Call, at: Ints, part: Ints) -> Ints:
    """Return which rows can still be the answer, or a part of it, of windows of whole parts.

    Parameters
    ----------
    window : Window
    call : Call
    at : int64 array of shape (rows,)
        Rows of the window that count for the call, in order.
    part : int64 array of shape (rows,)
        The number of the part that each belongs to; a part's rows stand together.

    Returns
    -------
    int64 array
        Places among these rows, in order.
    """
    place: Ints = np.arange(len(at))
    if not len(at):
        return place
    begins = begins_run(part)
    info, keeps = call.info, call.info.keeps
    if info.picks_row and keeps in (LEAST, GREATEST):
        return _least(begins, window.codes(call.arguments[-1])[at], keeps == GREATEST)
    if info.picks_row:
        return np.flatnonzero(begins if keeps == FIRST else np.append(begins[1:], True))
    if call.options.distinct or info.once:
        place = _first_of_each(part, _values(window, call)[at])
    if not info.keeps_n:
        return place
    if keeps in (LEAST, GREATEST):
        code = window.codes(call.arguments[0])[at][place]
        place = place[np.lexsort((~code if keeps == GREATEST else code, part[place]))]
    elif keeps == LAST:
        place = place[::-1]
    return np.sort(place[_up_to(part[place], call.options.n)])


def _least(begins: NDArray[np.bool_], code: Ints, greatest: bool) -> Ints:
    """The first row of each part that has its least or its greatest code."""
    first, number = np.flatnonzero(begins), np.cumsum(begins) - 1
    best = (np.maximum if greatest else np.minimum).reduceat(code, first)
    found = np.flatnonzero(code == best[number])
    return np.asarray(found[begins_run(number[found])])


def _values(window: Window, call: Call) -> Ints:
    """Integers that are equal where what a call counts once is."""
    if call.arguments != call.without_null:
        return window.codes_with_null(call.arguments[0])
    return window.keys(call.arguments)


def _up_to(part: Ints, most: int) -> NDArray[np.bool_]:
    """Say of each row whether it is among the first so many of its part, whose rows are together.

    Examples
    --------
    >>> _up_to(np.array([7, 7, 7, 8]), 2).tolist()
    [True, True, False, True]
    """
    begins = begins_run(part)
    first, number = np.flatnonzero(begins), np.cumsum(begins) - 1
    return np.asarray(np.arange(len(part)) - first[number] < most)


def _first_of_each(part: Ints, key: Ints) -> Ints:
    """The first row of each part and key."""
    order = np.lexsort((key, part))
    return np.asarray(np.sort(order[begins_run(part[order], key[order])]))
