"""The plan of a shuffle that cuts large keys by an order: rows go to pieces of their key.

The caller decides what may be cut and how far a piece looks; samples decide where to cut.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from workbench.arguments import whole_number
from workbench.columnar.bundles import PARTITION
from workbench.engine.extent import CallExtent
from workbench.engine.ranges.cuts import CUTS, CutTask
from workbench.engine.ranges.route import PieceTask
from workbench.engine.ranges.sample import ROWS, SHARE, SUMMARY, SampleTask, safe_sample_rows
from workbench.errors import WorkbenchError
from workbench.functions.order import OrderColumn
from workbench.spark.names import unused
from workbench.spark.partitions import Shuffle
from workbench.spark.shuffle import (
    numbered,
    shuffled,
    with_partition,
    with_value,
    without_null,
)
from workbench.spark.steps import named_task
from workbench.spark.table import BoundTable, type_of

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, Observation
    from pyspark.sql.types import StructType

#: The column of a sample that says whether a row takes part in the shuffle.
TRAVELS = "__travels__"


def checked_cut(cut: Any) -> str | int | None:
    """Check the argument ``cut`` and return it.

    Parameters
    ----------
    cut : str, int or None
        "auto", the approximate number of rows of a piece, or None.

    Returns
    -------
    str, int or None
        The same.

    Raises
    ------
    WorkbenchError

    Examples
    --------
    >>> checked_cut("auto"), checked_cut(1_000), checked_cut(None)
    ('auto', 1000, None)
    """
    if cut is None or (isinstance(cut, str) and cut == "auto"):
        return cut
    rows = whole_number(cut)
    if rows is None or rows < 1:
        raise WorkbenchError(
            f"cut: {cut!r} is not possible; give 'auto', about how many rows a piece has, or None."
        )
    return rows


@dataclass(frozen=True)
class RangePlan:
    """How the large keys of a table are cut.

    Attributes
    ----------
    keys : tuple of str
    order : OrderColumn
        The first column of the order.
    extent : CallExtent
    shuffle : Shuffle
    rows : int, optional
        The approximate number of rows of a piece; without it, large keys are spread over the
        partitions.
    present : tuple of str
        Columns that must not be null: rows with a null in one of them are dropped.
    """

    keys: tuple[str, ...]
    order: OrderColumn
    extent: CallExtent
    shuffle: Shuffle
    rows: int | None = None
    present: tuple[str, ...] = ()

    @property
    def partitions(self) -> int:
        """The number of partitions of the shuffle."""
        return self.shuffle.partitions

    @property
    def share(self) -> int:
        """The sample takes one of this many rows: every row if the size of a piece is given."""
        return SHARE if self.rows is None else 1

    def summaries(
        self, df: "DataFrame", wanted: "Mapping[str, Column]", only: "Column | None" = None
    ) -> "DataFrame":
        """Return summaries of large keys, from a scan of a few columns.

        Parameters
        ----------
        df : pyspark.sql.DataFrame
        wanted : dict of str to Column
            Columns by name, with the key and the order among them.
        only : Column, optional
            A condition of the rows that take part; without it, all do.
        """
        needed = tuple(dict.fromkeys((*self.keys, self.order.name)))
        # Computed on all rows, before sampling, as the condition may be a window function.
        travels = {} if only is None else {TRAVELS: only}
        rows, number = numbered(df, {name: wanted[name] for name in needed} | travels)
        rows = rows if self.share == 1 else rows.sample(fraction=1 / self.share, seed=0)
        rows = rows if only is None else rows.where(number[TRAVELS])
        rows = without_null(rows, [number[name] for name in self.present])
        rows = rows.select(*(number[name] for name in needed))
        task = SampleTask(needed, self.keys, self.order, self.partitions, self.share)
        return rows.mapInArrow(named_task("sample", task.run), f"{SUMMARY} binary").repartition(1)

    @property
    def cut_task(self) -> CutTask:
        """The task that turns all summaries into cuts."""
        before, after = (safe_sample_rows(rows, self.share) for rows in self.extent.rows)
        extent = replace(self.extent, rows=(before, after))
        return CutTask(self.keys, extent, self.order.descending, self.partitions, self.rows)


def piece_rows(
    df: "DataFrame",
    wanted: "Mapping[str, Column]",
    cutting: RangePlan,
    summaries: "DataFrame",
    kind: type[PieceTask] = PieceTask,
    skipped: "Observation | None" = None,
    **more: Any,
) -> "DataFrame":
    """Return columns of a table as bundles, each key or each piece of a key in one partition.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
    wanted : dict of str to Column
        The columns to send, by the names that the workers use.
    cutting : RangePlan
    summaries : pyspark.sql.DataFrame
        From :meth:`RangePlan.summaries`.
    kind : type
        The class of the task that bundles the rows.
    skipped : pyspark.sql.Observation, optional
        Counts the rows that are dropped.
    **more
        Further fields of that class.

    Returns
    -------
    pyspark.sql.DataFrame
        What :func:`workbench.columnar.bundles.unbundled` takes.

    Notes
    -----
    The cuts are a subquery of the plan, so nothing runs before an action on the result. The
    subquery's one value is in the first row of each task.
    """
    choose = named_task("choose cuts", cutting.cut_task.run)
    cuts = summaries.mapInArrow(choose, f"{CUTS} binary").scalar()
    rows, number = numbered(df, wanted)
    routed = with_partition(rows, [number[name] for name in cutting.keys], cutting.partitions)
    columns = (*wanted, PARTITION)
    more |= {"order": cutting.order, "hashed": cutting.shuffle.hashed}
    more["present"] = cutting.present
    task = kind(columns, cutting.keys, cutting.partitions, **more)
    return shuffled(with_value(routed, CUTS, cuts), task, "bundle by piece", skipped)


def keys_in_pieces(table: BoundTable, cutting: RangePlan, summaries: "DataFrame") -> "DataFrame":
    """Return the keys that are cut, with their approximate numbers of rows and of pieces.

    Parameters
    ----------
    table : BoundTable
    cutting : RangePlan
    summaries : pyspark.sql.DataFrame
        From :meth:`RangePlan.summaries`.

    Returns
    -------
    pyspark.sql.DataFrame
    """
    names = table.key
    schema = shown_schema(table, cutting.keys)
    pieces = summaries.mapInArrow(cutting.cut_task.shown, schema)
    return pieces.toDF(*names, *(unused(names, added) for added in ("rows", "pieces")))


def shown_schema(df: BoundTable, keys: Sequence[str]) -> "StructType":
    """Return the schema of the rows of :meth:`workbench.engine.ranges.cuts.CutTask.shown`."""
    from pyspark.sql.types import IntegerType, LongType, StructField, StructType

    fields = [StructField(k, type_of(df, n)) for k, n in zip(keys, df.key, strict=True)]
    return StructType(
        [*fields, StructField(ROWS, LongType()), StructField("pieces", IntegerType())]
    )
