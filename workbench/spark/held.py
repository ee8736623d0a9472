"""A table whose rows this process holds, or fetches as they are few."""

from functools import cached_property
from typing import TYPE_CHECKING

import pyarrow as pa

from workbench.arrow_frame import arrow_frame

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class HeldTable:
    """A table whose rows this process holds, and that becomes one of Spark only where it must.

    Parameters
    ----------
    rows : pyarrow.Table or None
        With types that Spark has; None where Spark has them, and they are fetched as they are
        wanted.
    spark : pyspark.sql.SparkSession
    df : pyspark.sql.DataFrame, optional
        The table as Spark has it, where it is one already.

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
        """The table as Spark has it."""
        return self._as_spark(self.rows)

    @cached_property
    def without_rows(self) -> "DataFrame":
        """Its columns, to ask Spark for types: to send it the rows would take longer."""
        return self._as_spark(None if self.rows is None else self.rows.slice(0, 0))

    def _as_spark(self, rows: pa.Table | None) -> "DataFrame":
        if self._df is not None:
            return self._df
        return arrow_frame(self.spark, rows)
