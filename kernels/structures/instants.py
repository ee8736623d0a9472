"""Instants as 64-bit integers: the first, the last, and sums that do not overflow."""

from kernels.core.helper import helper

LEAST, MOST = -(2**63), 2**63 - 1


@helper
def window_end(time: int, window: int) -> int:
    """Return the last instant of a window from a time on, at most the last instant there is.

    Examples
    --------
    >>> window_end(17, 4)
    21
    """
    return min(time, MOST - window) + window
