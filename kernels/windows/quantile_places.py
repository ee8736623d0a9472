"""The position of a quantile among the sorted values of a frame."""

from kernels.core.helper import helper

NONE = -1
BILLION = 1_000_000_000
#: Values of ``billionths`` for a quantile that interpolates, and for one of more than nine digits.
INTERPOLATE, LONG = -1, -2


@helper
def target(size: int, q: float, billionths: int) -> tuple[int, int, float]:
    """Return the indices around a quantile of a sorted frame, and the fraction towards the second.

    Examples
    --------
    >>> target(4, 0.5, INTERPOLATE)
    (1, 2, 0.5)
    >>> target(4, 0.5, 500_000_000)
    (1, 1, 0.0)
    """
    if billionths == INTERPOLATE:
        position = (size - 1) * q
        low = int(position)
        return low, low + int(position > low), position - low
    if billionths == LONG:
        index = max(size - int(size - size * q), 1) - 1
    else:
        # In integers, so that 0.54 of 450 is exactly 243.
        index = max((size * billionths + BILLION - 1) // BILLION, 1) - 1
    return index, index, 0.0


def in_billionths(q: float) -> int:
    """Return a quantile as an integer of billionths, or -2 if it has more digits.

    Examples
    --------
    >>> in_billionths(0.54), in_billionths(1 / 3)
    (540000000, -2)
    """
    nearest = round(q * BILLION)
    return nearest if nearest / BILLION == q else LONG
