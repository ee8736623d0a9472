"""The plan of a shuffle that cuts large keys by an order: rows go to pieces of their key.

What may be cut, and how far a piece looks, the rooms above say; where the cuts are, samples say.
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
from workbench.spark.partitions import Shuffle
from workbench.spark.shuffle import (
    numbered,
    shuffled,
    with_partition,
    with_value,
    without_null,
)
from workbench.spark.steps import named_task
from workbench.spark.table import BoundTable, type_of, unused

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, Observation
    from pyspark.sql.types import StructType

#: Whether a row travels, among the columns that are looked at.
TRAVELS = "__travels__"


def checked_cut(cut: Any) -> str | int | None:
    """Refuse a way to cut that is none.

    Parameters
    ----------
    cut : str, int or None
        "auto", about how many rows a piece has, or None.

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
        About how many rows a piece has; without it, large keys are spread over the partitions.
    present : tuple of str
        Rows in which one of these is null stay behind.
    """

    keys: tuple[str, ...]
    order: OrderColumn
    extent: CallExtent
    shuffle: Shuffle
    rows: int | None = None
    present: tuple[str, ...] = ()

    @property
    def partitions(self) -> int:
        """How many partitions the shuffle has."""
        return self.shuffle.partitions

    @property
    def share(self) -> int:
        """Of how many rows one is looked at: of each, where it is said how many a piece has."""
        return SHARE if self.rows is None else 1

    def summaries(
        self, df: "DataFrame", wanted: "Mapping[str, Column]", only: "Column | None" = None
    ) -> "DataFrame":
        """Return what is known about large keys, from a pass over a few columns.

        Parameters
        ----------
        df : pyspark.sql.DataFrame
        wanted : dict of str to Column
            The key and the order among them.
        only : Column, optional
            Which rows travel; without it, all.
        """
        needed = tuple(dict.fromkeys((*self.keys, self.order.name)))
        # Computed of all rows, before some are taken: which travel may say a window function.
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
        """What makes cuts of all summaries."""
        before, behind = (safe_sample_rows(rows, self.share) for rows in self.extent.rows)
        extent = replace(self.extent, rows=(before, behind))
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
    """Return columns of a table in bundles, the rows of a key or of a piece in one partition.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
    wanted : dict of str to Column
        What goes along, by the names that the workers know.
    cutting : RangePlan
    summaries : pyspark.sql.DataFrame
        From :meth:`RangePlan.summaries`.
    kind : type
        What bundles the rows.
    skipped : pyspark.sql.Observation, optional
        Counts the rows that stay behind.
    **more
        Its further fields.

    Returns
    -------
    pyspark.sql.DataFrame
        What :func:`workbench.columnar.bundles.unbundled` takes.

    Notes
    -----
    The cuts are a subquery of the plan, so nothing runs before the answer is asked for. Its one
    value goes along with the first row of each task.
    """
    choose = named_task("choose cuts", cutting.cut_task.run)
    cuts = summaries.mapInArrow(choose, f"{CUTS} binary").scalar()
    rows, number = numbered(df, wanted)
    goes = with_partition(rows, [number[name] for name in cutting.keys], cutting.partitions)
    columns = (*wanted, PARTITION)
    more |= {"order": cutting.order, "hashed": cutting.shuffle.hashed}
    more["present"] = cutting.present
    task = kind(columns, cutting.keys, cutting.partitions, **more)
    return shuffled(with_value(goes, CUTS, cuts), task, "bundle by piece", skipped)


def keys_in_pieces(table: BoundTable, cutting: RangePlan, summaries: "DataFrame") -> "DataFrame":
    """Return the keys that are cut, about how many rows each has, and in how many pieces.

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
    found = summaries.mapInArrow(cutting.cut_task.shown, schema)
    return found.toDF(*names, *(unused(names, own) for own in ("rows", "pieces")))


def shown_schema(df: BoundTable, keys: Sequence[str]) -> "StructType":
    """Return the types of what :meth:`workbench.engine.ranges.cuts.CutTask.shown` returns."""
    from pyspark.sql.types import IntegerType, LongType, StructField, StructType

    fields = [StructField(k, type_of(df, n)) for k, n in zip(keys, df.key, strict=True)]
    return StructType(
        [*fields, StructField(ROWS, LongType()), StructField("pieces", IntegerType())]
    )
