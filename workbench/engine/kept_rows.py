"""The rows of a part of a window that can still determine the window's result."""

import numpy as np
from numpy.typing import NDArray

from kernels.core.arrays import Ints
from workbench.columnar.ragged import begins_run
from workbench.engine.block import Call, Window
from workbench.functions.catalogue import FIRST, GREATEST, LAST, LEAST


def picks(call: Call) -> bool:
    """Return whether a call's result is one row of the window, with a candidate in each part."""
    return call.info.picks_row and not call.options.distinct


def kept_rows(window: Window, call: Call, at: Ints, part: Ints) -> Ints:
    """Return the rows that can determine the result of windows that consist of whole parts.

    Parameters
    ----------
    window : Window
    call : Call
    at : int64 array of shape (rows,)
        Rows of the window that count for the call, in order.
    part : int64 array of shape (rows,)
        The number of each row's part; the rows of a part are contiguous.

    Returns
    -------
    int64 array
        Positions in ``at``, ascending.
    """
    place: Ints = np.arange(len(at))
    if not len(at):
        return place
    begins = begins_run(part)
    info, keeps = call.info, call.info.keeps
    if info.picks_row and keeps in (LEAST, GREATEST):
        return _extreme_row(begins, window.codes(call.arguments[-1])[at], keeps == GREATEST)
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
    return np.sort(place[_first_n(part[place], call.options.n)])


def _extreme_row(begins: NDArray[np.bool_], code: Ints, greatest: bool) -> Ints:
    """Return the first row of each part with its least or greatest code."""
    first, number = np.flatnonzero(begins), np.cumsum(begins) - 1
    best = (np.maximum if greatest else np.minimum).reduceat(code, first)
    candidates = np.flatnonzero(code == best[number])
    return np.asarray(candidates[begins_run(number[candidates])])


def _values(window: Window, call: Call) -> Ints:
    """Return integers that are equal where the distinct values of a call are equal."""
    if call.arguments != call.without_null:
        return window.codes_with_null(call.arguments[0])
    return window.keys(call.arguments)


def _first_n(part: Ints, most: int) -> NDArray[np.bool_]:
    """Return whether each row is among the first ``most`` rows of its part.

    Examples
    --------
    >>> _first_n(np.array([7, 7, 7, 8]), 2).tolist()
    [True, True, False, True]
    """
    begins = begins_run(part)
    first, number = np.flatnonzero(begins), np.cumsum(begins) - 1
    return np.asarray(np.arange(len(part)) - first[number] < most)


def _first_of_each(part: Ints, key: Ints) -> Ints:
    """Return the first row of each part and key."""
    order = np.lexsort((key, part))
    return np.asarray(np.sort(order[begins_run(part[order], key[order])]))
