"""A table whose rows are in this process, or few enough to be fetched."""

from functools import cached_property
from typing import TYPE_CHECKING

import pyarrow as pa

from workbench.arrow_frame import arrow_frame

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class HeldTable:
    """A table whose rows are in this process; a DataFrame is made of it only if needed.

    Parameters
    ----------
    rows : pyarrow.Table or None
        With types that Spark has; None for a DataFrame whose rows are fetched when needed.
    spark : pyspark.sql.SparkSession
    df : pyspark.sql.DataFrame, optional
        The table as a DataFrame, if it is one already.

    Attributes
    ----------
    rows : pyarrow.Table or None
    spark : pyspark.sql.SparkSession

    Examples
    --------
    >>> import workbench as wb
    >>> held = HeldTable(pa.table({"id": [1, 2]}), wb.session())
    >>> held.without_rows.count(), held.df.count()
    (0, 2)
    """

    def __init__(
        self,
        rows: pa.Table | None,
        spark: "SparkSession",
        df: "DataFrame | None" = None,
    ) -> None:
        self.rows, self.spark, self._df = rows, spark, df

    @cached_property
    def df(self) -> "DataFrame":
        """The table as a DataFrame."""
        return self._to_dataframe(self.rows)

    @cached_property
    def without_rows(self) -> "DataFrame":
        """A DataFrame of the columns alone, for type checks: to send the rows takes longer."""
        return self._to_dataframe(None if self.rows is None else self.rows.slice(0, 0))

    def _to_dataframe(self, rows: pa.Table | None) -> "DataFrame":
        if self._df is not None:
            return self._df
        return arrow_frame(self.spark, rows)
