"""Window functions on Spark with DuckDB's semantics: every frame, every aggregate."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from workbench.arguments import column_names
from workbench.engine.task import WindowTask
from workbench.frames.frame import Frame
from workbench.functions.fn import Function
from workbench.spark.shuffle import Carried
from workbench.spark.sources.given import is_stream
from workbench.spark.sources.small_tables import source, where_answered
from workbench.spark.table import BoundTable
from workbench.windows.inspect.frame_table import FrameTable, frame_table
from workbench.windows.inspect.one_partition import check_result, partition_of
from workbench.windows.plan import bound, pieces_of, run_at_rest
from workbench.windows.spec import WindowCall
from workbench.windows.stream.checks import check_at_rest
from workbench.windows.stream.emit import emitted, stream_call

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from workbench.spark.sources.given import TableLike


class Over(WindowCall):
    """Window functions that share a partitioning and an order.

    Parameters
    ----------
    partition_by : str or list of str, optional
        The columns whose values define a partition; without any, all rows are one partition.
    order_by : str, tuple, or list of these
        ``"day"`` sorts ascending and ``"-day"`` or ``("day", "desc")`` descending.
        ``("day", "asc", "nulls last")`` also places nulls: by default they come first in ascending
        order, and last in descending order.
    frame : Frame, optional
        The default frame of the functions that have none of their own. Without it, a frame ends
        with the current row and its peers, or is the whole partition where there is no order.
    engine : str
        "kernel" for the project's kernels, "spark" for Spark's own window operator, "auto" for the
        latter where it gives the right result and is not slow.
    cut : str, int or None
        "auto" splits partitions that hold more than their share of a large table into pieces by
        their order, so that several tasks share them. This needs the kernels, and functions that
        look a bounded distance back and ahead, or need only a state or a few rows of everything
        beyond, such as running sums, extremes, first and last values and ranks. It costs a pass
        over the columns of key and order. An integer sets about how many rows a piece has. None
        leaves each partition to one task.
    **columns : Function
        The columns to add: functions of ``wb.fn`` by the name of the result.

    Attributes
    ----------
    choice : Choice
        The engine that computes the result, and why.
    uncut : str or None
        Why large partitions are not cut; None where they are.

    Raises
    ------
    WorkbenchError
        When the functions, the frame or the order are invalid.

    Examples
    --------
    >>> import workbench as wb
    >>> days = wb.session().sql("SELECT id AS day, id * id % 7 AS mwh FROM range(5)")
    >>> over = wb.Over(
    ...     order_by="day", frame=wb.Frame.rows(-1, 1), iqr=wb.fn.quantile("mwh", [0.25, 0.75])
    ... )
    >>> over.run(days).orderBy("day").show()
    +---+---+------------+
    |day|mwh|         iqr|
    +---+---+------------+
    |  0|  0|[0.25, 0.75]|
    |  1|  1|  [0.5, 2.5]|
    |  2|  4|  [1.5, 3.0]|
    |  3|  2|  [2.0, 3.0]|
    |  4|  2|  [2.0, 2.0]|
    +---+---+------------+
    <BLANKLINE>
    >>> print(over.explain())
    engine: kernel, because Spark computes quantile of every frame from scratch (iqr)
    large partitions: cut by order into pieces, as all functions look a bounded distance
    iqr: wb.fn.quantile('mwh', [0.25, 0.75]) over wb.Frame.rows(-1, 1)
    """

    def with_frame(self, frame: Frame | None) -> "Over":
        """Return the same call with another frame.

        Parameters
        ----------
        frame : Frame or None
            The default frame of the functions that have none of their own.

        Returns
        -------
        Over

        Raises
        ------
        WorkbenchError
            When the functions or the order do not allow this frame.

        Examples
        --------
        >>> import workbench as wb
        >>> over = wb.Over(order_by="day", frame=wb.Frame.rows(-1, 1), usual=wb.fn.median("mwh"))
        >>> over.with_frame(wb.Frame.rows(-2, 2))
        wb.Over(order_by=['day'], frame=wb.Frame.rows(-2, 2), usual=wb.fn.median('mwh'))
        """
        order, engine, cut = self.order_terms, self.engine, self.cut
        return Over(self.partition_by, order, frame, engine, cut, **self.columns)

    def run(
        self,
        df: "TableLike",
        emit: str | None = None,
        row_id: str | Sequence[str] | None = None,
    ) -> "DataFrame":
        """Return the table with the result columns: every row once, in any order.

        Parameters
        ----------
        df : TableLike
            Rows with a null in the key or the order are kept like any others.
        emit : str, optional
            For a stream: when rows are emitted. "on window close" emits a row once, when the
            watermark of the order column has passed it and the end of its frame, for a sink in
            append mode; further order columns break ties between rows of the same time. Rows that
            arrive after the watermark are dropped and counted (:func:`workbench.late_rows`), as
            are rows without a time. "on update" emits a row at once, and again whenever its result
            changes, as a changelog with a column ``op``: +I and -D insert and delete a row, -U and
            +U retract its old result and give the new one. A stream with a column ``op`` is read as
            such a changelog. A watermark on the order column lets state be dropped.
        row_id : str or list of str, optional
            For a stream that emits on update: the columns that identify the rows of a partition.
            A changelog needs them; where given, they are checked.

        Returns
        -------
        pyspark.sql.DataFrame
            All columns of the table, and one for each function. It is lazy, except for a small
            table that is not Spark's: its result is computed at once, in this process
            (:meth:`explain`).

        Raises
        ------
        WorkbenchError
            When a column is missing or has an unsupported type, or when a stream does not support
            the call.

        Examples
        --------
        >>> import pandas as pd
        >>> import workbench as wb
        >>> spark = wb.session()
        >>> days = pd.DataFrame({"day": [1, 2, 3], "mwh": [5, 7, 6]})
        >>> wb.Over(order_by="day", best=wb.fn.top_k("mwh", 2)).run(days).show()
        +---+---+------+
        |day|mwh|  best|
        +---+---+------+
        |  1|  5|   [5]|
        |  2|  7|[7, 5]|
        |  3|  6|[7, 6]|
        +---+---+------+
        <BLANKLINE>
        """
        ids = () if row_id is None else column_names(row_id, "row_id")
        if is_stream(df):
            return emitted(stream_call(self, BoundTable.of(df, self.partition_by), ids), emit)
        rows = source(df, "df")
        check_at_rest(emit, ids)
        return run_at_rest(self, BoundTable.of(rows, self.partition_by))

    def explain(self, df: "TableLike | None" = None) -> str:
        """Return which engine runs and why, what may be cut, and the frame of each function.

        Parameters
        ----------
        df : TableLike, optional
            A table to run on. The text then also says where: in Spark's tasks or, if the table is
            small and in local memory, in the driver's process.

        Returns
        -------
        str

        Examples
        --------
        >>> import pandas as pd
        >>> import workbench as wb
        >>> spark = wb.session()
        >>> days = pd.DataFrame({"day": [1, 2, 3], "mwh": [5, 7, 6]})
        >>> over = wb.Over(
        ...     order_by="day", frame=wb.Frame.rows(-1, 1), usual=wb.fn.median("mwh")
        ... )
        >>> print(over.explain(days).splitlines()[0])
        answered in the driver's process, which holds all 3 rows; spark.workbench.answerInDriver \
set to never sends them to Spark
        """
        explanation = super().explain()
        if df is None:
            return explanation
        rows = source(df, "df")
        if self.choice.engine == "spark":
            return f"answered by Spark, as a step of its plan\n{explanation}"
        return f"{where_answered(rows)}\n{explanation}"

    def frames(self, df: "TableLike", key: Any = None, column: str | None = None) -> "FrameTable":
        """Return which rows are in the frame of each row of one partition.

        Parameters
        ----------
        df : TableLike
        key : value, or tuple of values when several columns make the partition
            Without it, the first partition in order.
        column : str, optional
            The result column whose frames to return; without it, the first.

        Returns
        -------
        FrameTable
            For the partition's first rows, 40 at most.

        Raises
        ------
        WorkbenchError
            When no row has this key, or there is no such result.

        Examples
        --------
        >>> import workbench as wb
        >>> days = wb.session().range(5).withColumnRenamed("id", "day")
        >>> frame = wb.Frame.rows(-2, 1, exclude="current row")
        >>> print(wb.Over(order_by="day", frame=frame, total=wb.fn.sum("day")).frames(days))
        total over wb.Frame.rows(-2, 1, exclude='current row'), all rows
        0 (✕) ■  ·  ·  ·  1
        1  ■ (✕) ■  ·  ·  2
        2  ■  ■ (✕) ■  ·  4
        3  ·  ■  ■ (✕) ■  7
        4  ·  ·  ■  ■ (✕) 5
        """
        check_result(self, column)
        return frame_table(partition_of(self, df, key), column)

    def to_sql(self, dialect: str = "duckdb", table: str = "df") -> str:
        """Return the call as SQL of another system, to run there and compare.

        Parameters
        ----------
        dialect : str
            "duckdb".
        table : str
            The name of the table there.

        Returns
        -------
        str
            :func:`workbench.sql` parses it back into this call. DuckDB rounds quantiles of
            decimals to their scale, and deviations of integers to integers. Times of pandas and
            Arrow without a time zone are in the session's zone here and in none there: across a
            clock change, distances differ by an hour unless the times have a zone.

        Raises
        ------
        WorkbenchError
            When the call uses a Column, whose SQL text is unknown, or a function that DuckDB lacks.

        Examples
        --------
        >>> import workbench as wb
        >>> frame = wb.Frame.range("-3 days", "3 days", exclude="current row")
        >>> print(wb.Over("plant", "date", frame, usual=wb.fn.median("mwh")).to_sql(table="plants"))
        SELECT
          *,
          median("mwh") OVER (
            PARTITION BY "plant"
            ORDER BY "date" ASC NULLS FIRST
            RANGE BETWEEN INTERVAL '3 days' PRECEDING AND INTERVAL '3 days' FOLLOWING EXCLUDE \
CURRENT ROW
          ) AS "usual"
        FROM "plants"
        """
        from workbench.windows.as_sql import as_sql

        return as_sql(self, dialect, table)

    def bound(self, df: "TableLike") -> "tuple[WindowTask, Carried]":
        """Return the task that the workers run for a table, and the columns sent to them.

        Parameters
        ----------
        df : TableLike

        Returns
        -------
        task : WindowTask
        carried : Carried

        Raises
        ------
        WorkbenchError
            When a column is missing or has an unsupported type.
        """
        return bound(self, df)

    def pieces(self, df: "TableLike") -> "DataFrame":
        """Return the partitions of a table that are cut into pieces: their keys, rows and pieces.

        Parameters
        ----------
        df : TableLike

        Returns
        -------
        pyspark.sql.DataFrame
            The columns of the key, ``rows`` (an estimate, which may be too low for partitions
            that few workers saw) and ``pieces``; a trailing underscore is added to these names
            where the key has such a column. The result is lazy.

        Raises
        ------
        WorkbenchError
            When the call's partitions cannot be cut, or when it does not fit the table.

        Examples
        --------
        >>> import workbench as wb
        >>> days = wb.session().range(50)
        >>> over = wb.Over(
        ...     order_by="id", frame=wb.Frame.rows(-2, 0), cut=10, mean=wb.fn.avg("id")
        ... )
        >>> over.pieces(days).show()
        +----+------+
        |rows|pieces|
        +----+------+
        |  50|     5|
        +----+------+
        <BLANKLINE>
        """
        return pieces_of(self, df)


def over(
    df: "TableLike",
    partition_by: str | Sequence[str] | None = (),
    order_by: Any = (),
    frame: Frame | None = None,
    engine: str = "auto",
    cut: str | int | None = "auto",
    emit: str | None = None,
    row_id: str | Sequence[str] | None = None,
    **columns: Function,
) -> "DataFrame":
    """Return a table with window functions added: ``wb.Over(...).run(df)``.

    Parameters
    ----------
    df : TableLike
    partition_by, order_by, frame, engine, cut, **columns
        As for :class:`Over`.
    emit : str, optional
        As for :meth:`Over.run`: when a stream emits rows.
    row_id : str or list of str, optional
        As for :meth:`Over.run`: the columns that identify rows of a changelog.

    Returns
    -------
    pyspark.sql.DataFrame
        All columns of the table, and one for each function; every row once, in any order.

    Raises
    ------
    WorkbenchError
        When an argument is invalid, or does not fit the table.

    Examples
    --------
    >>> import workbench as wb
    >>> days = wb.session().sql("SELECT 'a' AS plant, id AS day, id % 2 AS mwh FROM range(3)")
    >>> wb.over(days, "plant", "day", total=wb.fn.sum("mwh"), mode=wb.fn.mode("mwh")).show()
    +-----+---+---+-----+----+
    |plant|day|mwh|total|mode|
    +-----+---+---+-----+----+
    |    a|  0|  0|    0|   0|
    |    a|  1|  1|    1|   0|
    |    a|  2|  0|    1|   0|
    +-----+---+---+-----+----+
    <BLANKLINE>
    """
    return Over(partition_by, order_by, frame, engine, cut, **columns).run(df, emit, row_id)
