"""The plan of a window call's shuffle: rows to the partition of their key, or to pieces of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from workbench.arguments import whole_number
from workbench.columnar.bundles import PARTITION
from workbench.engine.extent import CallExtent
from workbench.engine.ranges.cuts import CUTS, CutTask
from workbench.engine.ranges.route import PieceTask
from workbench.engine.ranges.sample import ROWS, SHARE, SUMMARY, SampleTask, surely
from workbench.errors import WorkbenchError
from workbench.frames.frame import Frame
from workbench.functions.fn import Function
from workbench.functions.order import OrderColumn
from workbench.spark.shuffle import (
    Carried,
    numbered,
    shuffle_partitions,
    shuffled,
    with_partition,
    with_value,
)
from workbench.spark.steps import named_task
from workbench.spark.table import BoundTable, type_of, unused
from workbench.windows.extent import why_not

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import StructType


@dataclass(frozen=True)
class RangePlan:
    """How the large partitions of a table are cut.

    Attributes
    ----------
    keys : tuple of str
    order : OrderColumn
        The first column of the order.
    reach : CallExtent
    rows : int, optional
        About how many rows a piece has; without it, large partitions are spread over Spark's.
    """

    keys: tuple[str, ...]
    order: OrderColumn
    reach: CallExtent
    rows: int | None = None

    @property
    def share(self) -> int:
        """Of how many rows one is looked at: of each, where it is said how many a piece has."""
        return SHARE if self.rows is None else 1

    def summaries(self, df: "DataFrame", wanted: "Mapping[str, Column]") -> "DataFrame":
        """Return what is known about large partitions, from a pass over key and order alone."""
        needed = tuple(dict.fromkeys((*self.keys, self.order.name)))
        seen = df if self.share == 1 else df.sample(fraction=1 / self.share, seed=0)
        rows, _ = numbered(seen, {name: wanted[name] for name in needed})
        task = SampleTask(needed, self.keys, self.order, shuffle_partitions(df), self.share)
        return rows.mapInArrow(named_task("sample", task.run), f"{SUMMARY} binary").repartition(1)

    def task(self, df: "DataFrame") -> CutTask:
        """Return what makes cuts of all summaries."""
        before, behind = (surely(rows, self.share) for rows in self.reach.rows)
        reach = replace(self.reach, rows=(before, behind))
        return CutTask(self.keys, reach, self.order.descending, shuffle_partitions(df), self.rows)


def check_cut(
    cut: Any, engine: str, functions: Mapping[str, Function], frames: Mapping[str, Frame]
) -> str | int | None:
    """Refuse a way to cut that is none, or that cannot be followed.

    Parameters
    ----------
    cut : str, int or None
        "auto", about how many rows a piece has, or None.
    engine : str
    functions : dict of str to Function
    frames : dict of str to Frame
        By the same names.

    Returns
    -------
    str, int or None
        The same.

    Raises
    ------
    WorkbenchError
    """
    if cut is None or cut == "auto":
        return "auto" if cut else None
    rows = whole_number(cut)
    if rows is None or rows < 1:
        raise WorkbenchError(
            f"cut: {cut!r} is not possible; give 'auto', about how many rows a piece has, or None."
        )
    if reason := why_uncut(cut, "spark" if engine == "spark" else "kernel", functions, frames):
        raise WorkbenchError(f"cut: partitions cannot be cut, because {reason}; leave it out.")
    return rows


def why_uncut(
    cut: Any, engine: str, functions: Mapping[str, Function], frames: Mapping[str, Frame]
) -> str | None:
    """Return why large partitions are not cut, None when they are."""
    if cut is None:
        return "it was asked for"
    if engine == "spark":
        return "Spark's own window operator goes through each as a whole"
    return why_not(functions, frames)


def cut_rows(carried: Carried, cutting: RangePlan) -> "DataFrame":
    """Return columns of a table in bundles, the rows of a key or of a piece in one partition.

    Parameters
    ----------
    carried : Carried
        What goes along.
    cutting : RangePlan

    Returns
    -------
    pyspark.sql.DataFrame
        What :func:`workbench.columnar.bundles.unbundled` takes.

    Notes
    -----
    The cuts are a subquery of the plan, so nothing runs before the answer is asked for. Its one
    value goes along with the first row of each task.
    """
    df, wanted = carried.table.df, carried.wanted
    summaries = cutting.summaries(df, wanted)
    choose = named_task("choose cuts", cutting.task(df).run)
    cuts = summaries.mapInArrow(choose, f"{CUTS} binary").scalar()
    rows, number = numbered(df, wanted)
    partitions = shuffle_partitions(df)
    goes = with_partition(rows, [number[name] for name in cutting.keys], partitions)
    task = PieceTask((*wanted, PARTITION), cutting.keys, partitions, order=cutting.order)
    return shuffled(with_value(goes, CUTS, cuts), task, "bundle by piece")


def cut_keys(carried: Carried, cutting: RangePlan) -> "DataFrame":
    """Return the keys that are cut, how many rows each has, and in how many pieces.

    Parameters
    ----------
    carried : Carried
    cutting : RangePlan

    Returns
    -------
    pyspark.sql.DataFrame
    """
    df, names = carried.table.df, carried.table.key
    schema = shown_schema(carried.table, cutting.keys)
    found = cutting.summaries(df, carried.wanted).mapInArrow(cutting.task(df).shown, schema)
    return found.toDF(*names, *(unused(names, own) for own in ("rows", "pieces")))


def shown_schema(df: BoundTable, keys: Sequence[str]) -> "StructType":
    """Return the types of what :meth:`workbench.engine.ranges.cuts.CutTask.shown` returns."""
    from pyspark.sql.types import IntegerType, LongType, StructField, StructType

    fields = [StructField(k, type_of(df, n)) for k, n in zip(keys, df.key, strict=True)]
    return StructType(
        [*fields, StructField(ROWS, LongType()), StructField("pieces", IntegerType())]
    )
