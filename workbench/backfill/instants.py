"""Arithmetic on instants in Spark SQL, clamped to the first and the last one as in the kernels."""

from typing import TYPE_CHECKING

from kernels.structures.instants import LEAST, MOST

if TYPE_CHECKING:
    from pyspark.sql import Column


def later(instant: "Column", by: int) -> "Column":
    """Return the instant ``by`` later, at most the last instant.

    Parameters
    ----------
    instant : Column
        A 64-bit integer.
    by : int
        Zero or more.
    """
    from pyspark.sql import functions as F

    return F.least(instant, F.lit(MOST - by)) + F.lit(by) if by else instant


def earlier(instant: "Column", by: int) -> "Column":
    """Return the instant ``by`` earlier, at least the first instant.

    Parameters
    ----------
    instant : Column
        A 64-bit integer.
    by : int
        Zero or more, at most the last instant.
    """
    from pyspark.sql import functions as F

    return F.greatest(instant, F.lit(LEAST + by)) - F.lit(by) if by else instant


def begin_of_hop(instant: "Column", hop: int) -> "Column":
    """Return the begin of the hop of an instant; the first hop begins at the first instant.

    Parameters
    ----------
    instant : Column
        A 64-bit integer.
    hop : int
        1 or more.
    """
    from pyspark.sql import functions as F

    if hop == 1:
        return instant
    since = F.pmod(instant, F.lit(hop))
    return F.greatest(instant, F.lit(LEAST) + since) - since
