"""Instants are 64-bit integers: the first and the last of them, and sums that stay between."""

from kernels.core.helper import helper

LEAST, MOST = -(2**63), 2**63 - 1


@helper
def window_end(time: int, window: int) -> int:
    """Return the last time at which a query still sees an event, and never behind the last time.

    Examples
    --------
    >>> window_end(17, 4)
    21
    """
    return min(time, MOST - window) + window
