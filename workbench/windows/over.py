"""Window functions on Spark, as DuckDB has them: every frame, every aggregate."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from workbench.engine.block import Call
from workbench.engine.order import OrderColumn
from workbench.engine.task import WindowTask
from workbench.errors import WorkbenchError
from workbench.frames.frame import Frame
from workbench.functions.catalogue import FRAMELESS
from workbench.functions.fn import Function
from workbench.spark.shipping import ship
from workbench.spark.shuffle import bundle_rows, several
from workbench.spark.table import is_stream, table
from workbench.windows.bind import Carried, Resolved, frame_for, resolve
from workbench.windows.checks import check_arrow, check_order, check_table, order_terms
from workbench.windows.extent import reach_of
from workbench.windows.ranges_plan import Cutting, check_cut, cut_keys, cut_rows, why_uncut
from workbench.windows.spark_engine import ENGINES, Choice, choose, with_spark
from workbench.windows.stream.checks import check_at_rest

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

    from workbench.windows.inspect.frame_table import FrameTable


class Over:
    """Window functions that share their partitions and their order.

    Parameters
    ----------
    partition_by : str or list of str
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
        their order, where every function looks a bounded way back and ahead, so that several
        tasks share them. It costs a pass over the columns of key and order. A number is about how
        many rows a piece has, instead. None leaves each partition to one task.
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

    def __init__(
        self,
        partition_by: str | Sequence[str] = (),
        order_by: Any = (),
        frame: Frame | None = None,
        engine: str = "auto",
        cut: str | int | None = "auto",
        **columns: Function,
    ) -> None:
        given_none = not isinstance(partition_by, str) and not partition_by
        self.partition_by = () if given_none else several(partition_by, "partition_by")
        self.order_by = order_terms(order_by)
        self.frame, self.engine = _checked_frame(frame, columns), engine
        self.columns = _checked_columns(columns)
        if engine not in ENGINES:
            known = ", ".join(map(repr, ENGINES))
            raise WorkbenchError(f"engine: {engine!r} is not known; give one of {known}.")
        frames = {name: frame_for(f, frame, bool(self.order_by)) for name, f in columns.items()}
        for name, function in columns.items():
            check_order(name, function, frames[name], len(self.order_by))
        self.cut = check_cut(cut, engine, self.columns, frames)
        asked = "kernel" if isinstance(cut, int) and engine == "auto" else engine
        self.choice: Choice = choose(asked, self.columns, frames)
        self.uncut = why_uncut(self.cut, self.choice.engine, self.columns, frames)

    def __repr__(self) -> str:
        given = {"partition_by": list(self.partition_by), "order_by": self.order_terms}
        shown = [f"{name}={value!r}" for name, value in given.items() if value]
        shown += [f"frame={self.frame!r}"] if self.frame else []
        shown += [f"engine={self.engine!r}"] if self.engine != "auto" else []
        shown += [f"cut={self.cut!r}"] if self.cut != "auto" else []
        shown += [f"{name}={function!r}" for name, function in self.columns.items()]
        return f"wb.Over({', '.join(shown)})"

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
        """
        order, engine, cut = self.order_terms, self.engine, self.cut
        return Over(self.partition_by, order, frame, engine, cut, **self.columns)

    @property
    def order_terms(self) -> list[Any]:
        """The order as it is given: names, or tuples."""
        return [_written(term) for term in self.order_by]

    def explain(self) -> str:
        """Return which engine answers and why, what may be cut, and the frame of each function.

        Returns
        -------
        str
        """
        lines = [f"engine: {self.choice.engine}, because {self.choice.why}"]
        if self.uncut is None:
            why = "cut by order into pieces, as all functions look a bounded way"
        else:
            why = f"one task each, because {self.uncut}"
        lines.append(f"large partitions: {why}")
        for name, function in self.columns.items():
            frame = frame_for(function, self.frame, bool(self.order_by))
            seen = "" if function.name in FRAMELESS else f" over {frame!r}"
            lines.append(f"{name}: {function!r}{'' if function.frame else seen}")
        return "\n".join(lines)

    def run(
        self,
        df: "DataFrame",
        emit: str | None = None,
        row_id: str | Sequence[str] | None = None,
    ) -> "DataFrame":
        """Return the table with the answers: every row once, in any order.

        Parameters
        ----------
        df : pyspark.sql.DataFrame
            Rows whose partition or order is null are rows as any others.
        emit : str, optional
            Of a stream, when rows go on. "on window close": once, when the watermark of the order
            column has passed them and the ends of their frames, for a sink in append mode; rows
            that come behind the watermark are dropped and counted (:func:`workbench.late_rows`),
            as are those without a time. "on update": at once, and again whenever their answers are
            others, as changes in a column ``op``: +I and -D for rows that come and go, -U and +U
            for what was said and is to be said instead. A stream with a column ``op`` is such a
            changelog itself. A watermark on the order column lets state be dropped.
        row_id : str or list of str, optional
            Of a stream that emits on update, what tells the rows of a partition apart: needed for
            a changelog, and checked where it is given.

        Returns
        -------
        pyspark.sql.DataFrame
            All columns of the table, and one for each function. Nothing runs until it is used.

        Raises
        ------
        WorkbenchError
            When a column is missing or has a type that cannot be used so, or when a stream cannot
            be asked so.
        """
        streams = is_stream(df)
        ids = () if row_id is None else several(row_id, "row_id")
        if not streams:
            table(df, "df")
            check_at_rest(emit, ids)
        check_table(df, self.partition_by, self.order_by, list(self.columns))
        found = resolve(df, self.columns, self.frame, self.order_by)
        if streams:
            from workbench.windows.stream.emit import StreamCall, emitted

            bound = found, *self._task(df, found), _result_schema(df, found)
            return emitted(StreamCall(self, df, *bound, ids), emit)
        if self.choice.engine == "spark":
            return with_spark(df, self.partition_by, self.order_by, found)
        return self._with_kernels(df, found)

    def _with_kernels(self, df: "DataFrame", found: list[Resolved]) -> "DataFrame":
        ship(df.sparkSession)
        task, carried = self._task(df, found)
        if cutting := self._cutting(df, found, carried):
            task = replace(task, reach=cutting.reach)
            rows = cut_rows(df, carried.wanted, cutting)
        else:
            rows = bundle_rows(df, carried.wanted, task.keys)
        return rows.mapInArrow(task.from_rows, _result_schema(df, found))

    def frames(self, df: "DataFrame", key: Any = None, column: str | None = None) -> "FrameTable":
        """Return which rows are in the frame of each row of one partition.

        Parameters
        ----------
        df : pyspark.sql.DataFrame
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
        from workbench.windows.inspect.frame_table import frame_table
        from workbench.windows.inspect.one_partition import partition_of

        return frame_table(partition_of(self, df, key), column)

    def bound(self, df: "DataFrame") -> "tuple[WindowTask, Carried]":
        """Return what the workers do for a table, and the columns that they get of it.

        Parameters
        ----------
        df : pyspark.sql.DataFrame

        Returns
        -------
        task : WindowTask
        carried : Carried

        Raises
        ------
        WorkbenchError
            When a column is missing or has a type that cannot be used so.
        """
        table(df, "df")
        check_table(df, self.partition_by, self.order_by, list(self.columns))
        return self._task(df, resolve(df, self.columns, self.frame, self.order_by))

    def _task(self, df: "DataFrame", found: list[Resolved]) -> "tuple[WindowTask, Carried]":
        check_arrow(df)
        carried = Carried(df)
        calls = tuple(_call(one, carried) for one in found)
        keys = tuple(map(carried.of, self.partition_by))
        order = tuple(
            OrderColumn(carried.of(term.name), term.descending, term.nulls_first)
            for term in self.order_by
        )
        back = tuple((name, carried.of(name)) for name in df.columns)
        return WindowTask(back, keys, order, calls), carried

    def _cutting(self, df: "DataFrame", found: list[Resolved], carried: Carried) -> Cutting | None:
        if self.uncut is not None:
            return None
        first = self.order_by[0]
        order = replace(first, name=carried.of(first.name))
        reach = reach_of(found, df.schema[first.name].dataType)
        keys = tuple(map(carried.of, self.partition_by))
        return Cutting(keys, order, reach, self.cut if isinstance(self.cut, int) else None)

    def pieces(self, df: "DataFrame") -> "DataFrame":
        """Return the partitions of a table that are cut: their keys, rows and pieces.

        Parameters
        ----------
        df : pyspark.sql.DataFrame

        Returns
        -------
        pyspark.sql.DataFrame
            The columns of the key, ``rows`` (about how many: of partitions that few workers saw,
            it may be fewer than there are) and ``pieces``. Nothing runs until it is used.

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
        if self.uncut is not None:
            raise WorkbenchError(f"cut: each partition is one task, because {self.uncut}.")
        table(df, "df")
        check_table(df, self.partition_by, self.order_by, list(self.columns))
        found = resolve(df, self.columns, self.frame, self.order_by)
        ship(df.sparkSession)
        carried = Carried(df)
        cutting = self._cutting(df, found, carried)
        assert cutting is not None
        return cut_keys(df, carried.wanted, cutting, self.partition_by)


def over(
    df: "DataFrame",
    partition_by: str | Sequence[str] = (),
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
    df : pyspark.sql.DataFrame
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


def _call(one: Resolved, carried: Carried) -> Call:
    given = one.function.arguments
    pairs = zip(given, one.arguments, strict=True)
    arguments = tuple(str(carried.add(name, value)) for name, value in pairs)
    options = replace(one.function.options, default=None)
    where, default = carried.add(None, one.where), carried.add(None, one.default)
    return Call(
        one.column, one.function.name, arguments, options, carried.frame(one.frame), where, default
    )


def _result_schema(df: "DataFrame", found: list[Resolved]) -> "StructType":
    from pyspark.sql.types import StructField, StructType

    added = [StructField(one.column, one.answer) for one in found]
    return StructType([*df.schema.fields, *added])


def _checked_frame(frame: Any, columns: dict[str, Any]) -> Frame | None:
    if frame is None:
        return None
    if not isinstance(frame, Frame):
        raise WorkbenchError(
            f"frame: {frame!r} is no frame; give one such as wb.Frame.rows(-3, 3)."
        )
    functions = [one for one in columns.values() if isinstance(one, Function)]
    if functions and all(one.name in FRAMELESS for one in functions):
        raise WorkbenchError(
            f"frame: {functions[0].name} has no frame, it looks at the whole partition; "
            "leave the frame out."
        )
    return frame


def _checked_columns(columns: dict[str, Any]) -> dict[str, Function]:
    if not columns:
        raise WorkbenchError(
            "columns: there is no function; give one by the name of its result, "
            "such as mean=wb.fn.avg('mwh')."
        )
    for name, function in columns.items():
        if not isinstance(function, Function):
            raise WorkbenchError(
                f"{name}: {function!r} is no window function; "
                f"give one of wb.fn, such as {name}=wb.fn.avg('mwh')."
            )
    names = [name.lower() for name in columns]
    if twice := [name for name in columns if names.count(name.lower()) > 1]:
        raise WorkbenchError(
            f"columns: {' and '.join(map(repr, twice))} are one name to Spark; rename one."
        )
    return dict(columns)


def _written(term: OrderColumn) -> Any:
    """A term of an order as it is given."""
    direction = "desc" if term.descending else "asc"
    if term.nulls_first == term.descending:
        return term.name, direction, f"nulls {'first' if term.nulls_first else 'last'}"
    if term.name.startswith("-"):
        return term.name, direction
    return f"{'-' if term.descending else ''}{term.name}"
