"""Quantiles as Spark's percentile has them, but where it makes NaN of minus infinity."""

from collections.abc import Callable, Sequence
from math import inf
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import Column


def percentile(
    value: "Column",
    shares: Sequence[float],
    single: bool,
    over: "Callable[[Column], Column]" = lambda found: found,
) -> "Column":
    """Return interpolated quantiles of a column of doubles.

    Between minus infinity and a number Spark computes ``-inf + share * inf``, which is NaN; here
    it is minus infinity, as the kernels and DuckDB have it.

    Parameters
    ----------
    value : pyspark.sql.Column
        Of doubles.
    shares : sequence of float
        From 0 to 1.
    single : bool
        Whether the first share's quantile is wanted alone, and not an array.
    over : function, optional
        Puts an aggregate over a window.

    Returns
    -------
    pyspark.sql.Column

    Examples
    --------
    >>> import workbench as wb
    >>> from pyspark.sql import functions as F
    >>> rows = wb.session().sql("SELECT explode(array(double('-inf'), 3, 4)) AS x")
    >>> rows.select(percentile(F.col("x"), [0.25, 0.75], False).alias("q")).show()
    +----------------+
    |               q|
    +----------------+
    |[-Infinity, 3.5]|
    +----------------+
    <BLANKLINE>
    """
    from pyspark.sql import functions as F

    wanted = F.lit(shares[0]) if single else F.array(*map(F.lit, shares))
    # What is at the same places of -1 for minus infinity, 0 for numbers, and what is above them.
    side = F.when(value == -inf, -1.0).when(value < inf, 0.0).otherwise(value)
    found, sides = (over(F.percentile(one, wanted)) for one in (value, side))
    return _below(found, sides) if single else F.zip_with(found, sides, _below)


def _below(found: "Column", side: "Column") -> "Column":
    from pyspark.sql import functions as F

    return F.when(F.isnan(found) & (side < 0), F.lit(-inf)).otherwise(found)
