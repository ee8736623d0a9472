"""Exact sums and means of integers and decimals with Spark's own engine."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from workbench.columnar.exact_sums import BITS, MASK, TOO_LARGE, TOO_MANY_DIGITS

if TYPE_CHECKING:
    from pyspark.sql import Column
    from pyspark.sql.types import DataType


def exact_aggregate(
    function: str,
    column: str,
    value: "Column",
    kind: "DataType",
    over: "Callable[[Column], Column]" = lambda aggregate: aggregate,
) -> "Column":
    """Return the exact sum or mean of integers or decimals.

    Spark sums longs in 64 bits, which wrap around or fail even if the final sum fits, and computes
    means in doubles.

    Parameters
    ----------
    function : str
        "sum" or "avg".
    column : str
        The name of the result, for error messages.
    value : pyspark.sql.Column
    kind : pyspark.sql.types.DataType
        The type of the value.
    over : function, optional
        Turns an aggregate into a window function.

    Returns
    -------
    pyspark.sql.Column
        A sum that does not fit its type fails the job.
    """
    from pyspark.sql import functions as F

    rows = over(F.count(value))
    if kind.typeName() != "long":
        may_overflow = getattr(kind, "precision", 0) > 28
        total = over(F.try_sum(value) if may_overflow else F.sum(value))
        if may_overflow:
            # In ANSI mode as well, where sum would fail with Spark's advice to turn the mode off.
            overflow = total.isNull() & (rows > 0)
            total = F.when(~overflow, total).otherwise(_raise_error(column, TOO_MANY_DIGITS))
        return total if function == "sum" else total.cast("double") / _count_or_null(rows)
    low = over(F.sum(value.bitwiseAND(F.lit(MASK))))
    high = over(F.sum(F.shiftright(value, BITS))) + F.shiftrightunsigned(low, BITS)
    low = low.bitwiseAND(F.lit(MASK))
    if function == "avg":
        return (high.cast("double") * F.lit(2.0**BITS) + low.cast("double")) / _count_or_null(rows)
    fits = high.between(-(2**31), 2**31 - 1)
    total = F.shiftleft(high, BITS).bitwiseOR(low)
    return F.when(high.isNull() | fits, total).otherwise(_raise_error(column, TOO_LARGE))


def _count_or_null(rows: "Column") -> "Column":
    """Return a count with null in place of 0, so that nothing is divided by 0."""
    from pyspark.sql import functions as F

    return F.nullif(rows, F.lit(0))


def _raise_error(column: str, sentence: str) -> "Column":
    from pyspark.sql import functions as F

    return F.raise_error(F.lit(f"{column}: {sentence}"))
