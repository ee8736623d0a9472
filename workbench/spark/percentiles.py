"""Quantiles as of Spark's percentile, with minus infinity where Spark returns NaN."""

from collections.abc import Callable, Sequence
from math import inf
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import Column


def percentile(
    value: "Column",
    shares: Sequence[float],
    single: bool,
    over: "Callable[[Column], Column]" = lambda aggregate: aggregate,
) -> "Column":
    """Return interpolated quantiles of a column of doubles.

    Between minus infinity and a number, Spark computes ``-inf + share * inf``, which is NaN. This
    function returns minus infinity, as the kernels and DuckDB do.

    Parameters
    ----------
    value : pyspark.sql.Column
        Of doubles.
    shares : sequence of float
        From 0 to 1.
    single : bool
        Whether to return only the quantile of the first share, instead of an array.
    over : function, optional
        Turns an aggregate into a window function.

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
    # The quantiles of -1 for minus infinity, 0 for numbers, and larger values as they are: one is
    # negative exactly if the same quantile of the values is next to minus infinity.
    side = F.when(value == -inf, -1.0).when(value < inf, 0.0).otherwise(value)
    quantiles, sides = (over(F.percentile(one, wanted)) for one in (value, side))
    return _minus_inf(quantiles, sides) if single else F.zip_with(quantiles, sides, _minus_inf)


def _minus_inf(quantile: "Column", side: "Column") -> "Column":
    from pyspark.sql import functions as F

    return F.when(F.isnan(quantile) & (side < 0), F.lit(-inf)).otherwise(quantile)
