"""Exact sums and means of integers and decimals, as Spark's own engine computes them."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from workbench.columnar.exact_sums import BITS, MASK, TOO_LARGE, TOO_MANY_DIGITS

if TYPE_CHECKING:
    from pyspark.sql import Column
    from pyspark.sql.types import DataType


def exact(
    function: str,
    column: str,
    value: "Column",
    kind: "DataType",
    over: "Callable[[Column], Column]" = lambda found: found,
) -> "Column":
    """Return the sum or the mean of whole numbers or decimals.

    Spark adds longs up in 64 bits, which wrap around or fail on the way to a sum that fits, and
    means in doubles.

    Parameters
    ----------
    function : str
        "sum" or "avg".
    column : str
        What the result is called.
    value : pyspark.sql.Column
    kind : pyspark.sql.types.DataType
        Its type.
    over : function, optional
        Makes a window function of an aggregate.

    Returns
    -------
    pyspark.sql.Column
        A sum that does not fit its type fails the job.
    """
    from pyspark.sql import functions as F

    rows = over(F.count(value))
    if kind.typeName() != "long":
        total = over(F.sum(value))
        if getattr(kind, "precision", 0) > 28:
            # Without ANSI, what does not fit is null.
            lost = total.isNull() & (rows > 0)
            total = F.when(~lost, total).otherwise(_failed(column, TOO_MANY_DIGITS))
        return total if function == "sum" else total.cast("double") / _some(rows)
    low = over(F.sum(value.bitwiseAND(F.lit(MASK))))
    high = over(F.sum(F.shiftright(value, BITS))) + F.shiftrightunsigned(low, BITS)
    low = low.bitwiseAND(F.lit(MASK))
    if function == "avg":
        return (high.cast("double") * F.lit(2.0**BITS) + low.cast("double")) / _some(rows)
    fits = high.between(-(2**31), 2**31 - 1)
    total = F.shiftleft(high, BITS).bitwiseOR(low)
    return F.when(high.isNull() | fits, total).otherwise(_failed(column, TOO_LARGE))


def _some(rows: "Column") -> "Column":
    """How many rows there are, null for none: nothing is divided by 0."""
    from pyspark.sql import functions as F

    return F.nullif(rows, F.lit(0))


def _failed(column: str, sentence: str) -> "Column":
    from pyspark.sql import functions as F

    return F.raise_error(F.lit(f"{column}: {sentence}"))
