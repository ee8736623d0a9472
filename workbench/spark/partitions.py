"""Choose the number of partitions of a shuffle, and whether Spark coalesces small ones.

The number is that of Spark's setting, or more for a large table.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from workbench.spark.shipping import is_connect

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SHUFFLE_PARTITIONS = "spark.sql.shuffle.partitions"
#: Spark's options that must both be on to coalesce small partitions into one task.
COALESCE = "spark.sql.adaptive.enabled", "spark.sql.adaptive.coalescePartitions.enabled"
#: The number of bytes read per partition of a shuffle: in Parquet, about three million rows of a
#: key, a time and a value (docs/decisions/0050).
BYTES_A_PARTITION = 32 * 2**20
#: Up to so many partitions per core are not coalesced: if one is large, other cores take the rest.
A_CORE = 2
#: Each partition costs a task of 10 to 20 ms, and a bundle for each task before the shuffle.
MOST_PARTITIONS = 2_000
#: Each leaf of a plan costs some calls to the JVM; sizes of more leaves are extrapolated.
MOST_LEAVES = 100
#: Spark's default number of shuffle partitions.
DEFAULT_PARTITIONS = 200
#: Spark reports an unknown size as 2^63 - 1, so sizes from here on are unknown.
UNKNOWN = 2**62


def set_partitions(spark: "SparkSession") -> int:
    """Return the session's number of shuffle partitions."""
    return number_of_partitions(spark.conf.get(SHUFFLE_PARTITIONS)) or DEFAULT_PARTITIONS


def number_of_partitions(setting: str | None) -> int | None:
    """Return a setting as a number, or None if it is none: Databricks also allows "auto".

    Examples
    --------
    >>> number_of_partitions("64"), number_of_partitions("auto"), number_of_partitions(None)
    (64, None, None)
    """
    return int(setting) if setting and setting.isdigit() else None


class Shuffle(NamedTuple):
    """The layout of a shuffle.

    Attributes
    ----------
    partitions : int
        The number of partitions.
    coalesced : bool
        Whether Spark coalesces small partitions into one task, as it does in its own shuffles.
    read : int
        The size in bytes of all tables that take part; 0 if that of any is unknown.
    """

    partitions: int
    coalesced: bool = False
    read: int = 0

    @property
    def hashed(self) -> int | None:
        """The number of partitions if Spark hashes partition numbers; None if it uses them."""
        return self.partitions if self.coalesced else None


def shuffle_of(*tables: "DataFrame") -> Shuffle:
    """Return the layout of a shuffle in which some tables are joined.

    Parameters
    ----------
    *tables : pyspark.sql.DataFrame
        With only the columns that are sent.

    Returns
    -------
    Shuffle
        It has the session's number of partitions, or one for each :data:`BYTES_A_PARTITION` if
        these are more. Partitions are coalesced if there are more than :data:`A_CORE` per core,
        and either the user has not set their number or the tables fit one partition.

    Notes
    -----
    Both sides of a shuffle need the same layout: call this once for both.

    Examples
    --------
    >>> import workbench as wb
    >>> spark = wb.session()
    >>> shuffle_of(spark.range(10)).partitions == set_partitions(spark)
    True
    >>> shuffle_of(spark.range(10**9))
    Shuffle(partitions=238, coalesced=False, read=8000000000)
    """
    spark = tables[0].sparkSession
    partitions = set_partitions(spark)
    sizes = [bytes_of_sources(one) for one in tables]
    read = sum(sizes) if all(sizes) else 0
    # For small tables this bound is enough; to plan a query takes longer.
    if sum(sizes) <= partitions * BYTES_A_PARTITION:
        return Shuffle(partitions, _coalesces(spark, partitions, read), read)
    by_size = sum(map(bytes_read, tables)) // BYTES_A_PARTITION
    return Shuffle(max(partitions, min(by_size, MOST_PARTITIONS)), read=read)


def _coalesces(spark: "SparkSession", partitions: int, read: int) -> bool:
    # Over Spark Connect the number of cores is unknown.
    if partitions <= (1 if is_connect(spark) else A_CORE * spark.sparkContext.defaultParallelism):
        return False
    # A user who sets the number may need small tasks.
    is_set = number_of_partitions(spark.conf.get(SHUFFLE_PARTITIONS, None)) is not None
    if is_set and not 0 < read <= BYTES_A_PARTITION:
        return False
    return all(spark.conf.get(option, "true") == "true" for option in COALESCE)


def bytes_of_sources(table: "DataFrame") -> int:
    """Return the size in bytes of the sources of a table, or 0 if it is unknown.

    Files, ranges, cached and local tables have a size; RDDs, streams and all tables of Spark
    Connect have none.

    Examples
    --------
    >>> import workbench as wb
    >>> numbers = wb.session().range(1_000)
    >>> bytes_of_sources(numbers), bytes_of_sources(numbers.crossJoin(numbers))
    (8000, 16000)
    """
    return _from_plan(table, lambda execution: _sum_of_leaves(execution.withCachedData(), _size))


def bytes_read(table: "DataFrame") -> int:
    """Estimate how many bytes of its sources a table reads, after pruning of columns and folders.

    Examples
    --------
    >>> import workbench as wb
    >>> numbers = wb.session().range(1_000)
    >>> bytes_read(numbers), bytes_read(numbers.selectExpr("CAST(id AS INT)"))
    (8000, 6000)
    """
    return _from_plan(table, _bytes_read)


def _bytes_read(execution: Any) -> int:
    plan = execution.optimizedPlan()
    sources, result = _sum_of_leaves(plan, _size), int(plan.stats().sizeInBytes())
    read = sources - _sum_of_leaves(execution.sparkPlan(), _pruned)
    # Scaled by its columns. Spark estimates a join as the product of both sides, so the result may
    # also be larger than the sources.
    return read * result // sources if result < sources else read


def _from_plan(table: "DataFrame", size: Callable[[Any], int]) -> int:
    """Return a size from Spark's plan of a table, or 0 if the plan has none."""
    jvm: Any = getattr(table, "_jdf", None)
    if jvm is None or table.isStreaming:
        return 0
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    # A table that cannot be planned raises its error when it is read.
    with suppress(Py4JError, PySparkException):
        return max(0, size(jvm.queryExecution()))
    return 0


def _sum_of_leaves(plan: Any, size: Callable[[Any], int]) -> int:
    """Return the sum of a size over the leaves of a plan."""
    leaves = plan.collectLeaves()
    count = int(leaves.size())
    seen = min(count, MOST_LEAVES)
    return sum(size(leaves.apply(i)) for i in range(seen)) * count // seen


def _size(leaf: Any) -> int:
    """Return Spark's size estimate of a leaf of a logical plan, or 0 if it has none."""
    size = int(leaf.stats().sizeInBytes())
    return size if size < UNKNOWN else 0


def _pruned(leaf: Any) -> int:
    """Return the bytes of files in folders that a leaf of a physical plan prunes."""
    if leaf.getClass().getSimpleName() != "FileSourceScanExec":
        return 0
    all_files = leaf.relation().location().sizeInBytes()
    return int(all_files) - int(leaf.selectedPartitions().totalFileSize())
