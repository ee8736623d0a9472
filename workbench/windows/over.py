"""Window functions on Spark, as DuckDB has them: every frame, every aggregate."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from workbench.engine.task import WindowTask
from workbench.frames.frame import Frame
from workbench.functions.fn import Function
from workbench.spark.shuffle import Carried, column_names
from workbench.spark.sources.given import is_stream
from workbench.spark.sources.held import source, where_answered
from workbench.spark.table import BoundTable
from workbench.windows.inspect.frame_table import FrameTable, frame_table
from workbench.windows.inspect.one_partition import check_result, partition_of
from workbench.windows.plan import answered, bound, pieces_of
from workbench.windows.spec import WindowCall
from workbench.windows.stream.checks import check_at_rest
from workbench.windows.stream.emit import emitted, stream_call

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from workbench.spark.sources.given import TableLike


class Over(WindowCall):
    """Window functions that share their partitions and their order.

    Parameters
    ----------
    partition_by : str or list of str, optional
        The columns whose values are one partition; without any, all rows are.
    order_by : str, tuple, or list of these
        ``"day"`` ascends and ``"-day"`` descends; ``("day", "desc")`` says the same, and
        ``("day", "asc", "nulls last")`` where nulls go: else first in an ascending order, and last
        in a descending one.
    frame : Frame, optional
        The frame of every function that has none of its own. Without it, a frame ends with the
        current row and its peers, or holds the whole partition where there is no order.
    engine : str
        "kernel" for the project's kernels, "spark" for Spark's own window operator, "auto" for the
        latter where it is right and not slow.
    cut : str, int or None
        "auto" cuts partitions that hold more than their share of a large table into pieces by
        their order, so that several tasks share them: where the kernels answer, and every function
        looks a bounded way back and ahead, or needs no more than a state or a few rows of all that
        is further away, such as running sums, extremes, first and last values and ranks. It costs
        a pass over the columns of key and order. A number is about how many rows a piece has,
        instead. None leaves each partition to one task.
    **columns : Function
        What to add: functions of ``wb.fn`` by the name of the result.

    Attributes
    ----------
    choice : Choice
        Which engine answers, and why.
    uncut : str or None
        Why large partitions are not cut; None where they are.

    Raises
    ------
    WorkbenchError
        When the functions, the frame or the order cannot be meant.

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
    large partitions: cut by order into pieces, as all functions look a bounded way
    iqr: wb.fn.quantile('mwh', [0.25, 0.75]) over wb.Frame.rows(-1, 1)
    """

    def with_frame(self, frame: Frame | None) -> "Over":
        """Return the same call over another frame.

        Parameters
        ----------
        frame : Frame or None
            Of every function that has none of its own.

        Returns
        -------
        Over

        Raises
        ------
        WorkbenchError
            When the functions or the order cannot be meant with it.

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
        """Return the table with the answers: every row once, in any order.

        Parameters
        ----------
        df : TableLike
            Rows whose partition or order is null are rows as any others.
        emit : str, optional
            Of a stream, when rows go on. "on window close": once, when the watermark of the order
            column has passed them and the ends of their frames, for a sink in append mode; columns
            behind it decide among rows of one time. Rows that come behind the watermark are dropped
            and counted (:func:`workbench.late_rows`), as are those without a time. "on update": at
            once, and again whenever their answers are others, as changes in a column ``op``: +I
            and -D for rows that come and go, -U and +U for what was said and is to be said instead.
            A stream with a column ``op`` is such a changelog itself. A watermark on the order
            column lets state be dropped.
        row_id : str or list of str, optional
            Of a stream that emits on update, what tells the rows of a partition apart: needed for
            a changelog, and checked where it is given.

        Returns
        -------
        pyspark.sql.DataFrame
            All columns of the table, and one for each function. Nothing runs until it is used, but
            for a small table that is not Spark's: it is answered here, at once (:meth:`explain`).

        Raises
        ------
        WorkbenchError
            When a column is missing or has a type that cannot be used so, or when a stream cannot
            be asked so.

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
        return answered(self, BoundTable.of(rows, self.partition_by))

    def explain(self, df: "TableLike | None" = None) -> str:
        """Return which engine answers and why, what may be cut, and the frame of each function.

        Parameters
        ----------
        df : TableLike, optional
            A table that is to be asked: then also where it is answered, in Spark's tasks or, as it
            is small and held here, in the driver's process.

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
        said = super().explain()
        if df is None:
            return said
        rows = source(df, "df")
        if self.choice.engine == "spark":
            return f"answered by Spark, as a step of its plan\n{said}"
        return f"{where_answered(rows)}\n{said}"

    def frames(self, df: "TableLike", key: Any = None, column: str | None = None) -> "FrameTable":
        """Return which rows are in the frame of each row of one partition.

        Parameters
        ----------
        df : TableLike
        key : value, or tuple of values when several columns make the partition
            Without it, the first partition in order.
        column : str, optional
            The result whose frames are wanted; without it, the first.

        Returns
        -------
        FrameTable
            Of the partition's first rows, 40 at most.

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
        """Return the call as a query of another system, to be run there and compared.

        Parameters
        ----------
        dialect : str
            "duckdb".
        table : str
            What the table is called there.

        Returns
        -------
        str
            :func:`workbench.sql` reads it as this call. DuckDB rounds quantiles of decimals to
            their scale, and deviations of integers to integers. Times of pandas and Arrow without
            a zone are of the session's clock here and of none there: where clocks change,
            distances differ by an hour unless they are given a zone.

        Raises
        ------
        WorkbenchError
            When it is of a Column, whose text is not known, or of a function that DuckDB has not.

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
        """Return what the workers do for a table, and the columns that they get of it.

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
            When a column is missing or has a type that cannot be used so.
        """
        return bound(self, df)

    def pieces(self, df: "TableLike") -> "DataFrame":
        """Return the partitions of a table that are cut: their keys, rows and pieces.

        Parameters
        ----------
        df : TableLike

        Returns
        -------
        pyspark.sql.DataFrame
            The columns of the key, ``rows`` (about how many: of partitions that few workers saw,
            it may be fewer than there are) and ``pieces``, with an underscore behind them where
            the key has such a column. Nothing runs until it is used.

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
    """Return a table with window functions of its rows: ``wb.Over(...).run(df)``.

    Parameters
    ----------
    df : TableLike
    partition_by, order_by, frame, engine, cut, **columns
        As :class:`Over` takes them.
    emit : str, optional
        As :meth:`Over.run` takes it: of a stream, when rows go on.
    row_id : str or list of str, optional
        As :meth:`Over.run` takes it: of a changelog, what tells rows apart.

    Returns
    -------
    pyspark.sql.DataFrame
        All columns of the table, and one for each function; every row once, in any order.

    Raises
    ------
    WorkbenchError
        When something cannot be meant, or does not fit the table.

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
