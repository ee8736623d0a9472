"""Sums of instants in Spark's SQL, which end with the first and the last one as the kernels' do."""

from typing import TYPE_CHECKING

from kernels.structures.instants import LEAST, MOST

if TYPE_CHECKING:
    from pyspark.sql import Column


def later(instant: "Column", by: int) -> "Column":
    """Return an instant so much later, and never one behind the last.

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
    """Return an instant so much earlier, and never one before the first.

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
    """Return the begin of the hop that an instant is in; the first hop begins with the first one.

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
