"""How many partitions a shuffle has: as many as Spark is set to, and more for a large table; and
whether Spark gives small ones to one task together, as it does those of its own shuffles."""

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from workbench.spark.shipping import is_connect

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SHUFFLE_PARTITIONS = "spark.sql.shuffle.partitions"
#: What makes Spark give small partitions to one task together.
COALESCE = "spark.sql.adaptive.enabled", "spark.sql.adaptive.coalescePartitions.enabled"
#: A shuffle has a partition for so many bytes of what is read, which of Parquet are three million
#: rows of a key, a time and a value (docs/decisions/0050).
BYTES_A_PARTITION = 32 * 2**20
#: Partitions a core that are not too many: while one has a large partition, others take the rest.
A_CORE = 2
#: Each is a task, of 10 to 20 ms, and a bundle for each of the tasks in front of the shuffle.
MOST_PARTITIONS = 2_000
#: Each is some questions to the JVM: of more leaves, the first ones stand for all.
MOST_LEAVES = 100
#: As many as Spark makes where nobody has set a number.
DEFAULT_PARTITIONS = 200
#: Where Spark does not know a size, it takes 2^63 - 1.
UNKNOWN = 2**62


def set_partitions(spark: "SparkSession") -> int:
    """Return how many partitions Spark is set to make in a shuffle."""
    return number_of_partitions(spark.conf.get(SHUFFLE_PARTITIONS)) or DEFAULT_PARTITIONS


def number_of_partitions(setting: str | None) -> int | None:
    """Return the number that a setting gives, if it gives one: Databricks takes "auto", too.

    Examples
    --------
    >>> number_of_partitions("64"), number_of_partitions("auto"), number_of_partitions(None)
    (64, None, None)
    """
    return int(setting) if setting and setting.isdigit() else None


class Shuffle(NamedTuple):
    """How a shuffle of ours is made.

    Attributes
    ----------
    partitions : int
        How many it has.
    coalesced : bool
        Whether Spark gives small ones to one task together, as it does those of its own shuffles.
    read : int
        Of how many bytes the tables are that meet in it; 0 where that is not known of all.
    """

    partitions: int
    coalesced: bool = False
    read: int = 0

    @property
    def hashed(self) -> int | None:
        """Of how many partitions Spark chooses one by a hash; None where the number is given."""
        return self.partitions if self.coalesced else None


def shuffle_of(*tables: "DataFrame") -> Shuffle:
    """Return how a shuffle of some tables is made, which meet in it.

    Parameters
    ----------
    *tables : pyspark.sql.DataFrame
        Of the columns that travel.

    Returns
    -------
    Shuffle
        Of as many partitions as Spark is set to, or one for each :data:`BYTES_A_PARTITION` where
        these are more. They are coalesced where there are more than :data:`A_CORE` a core, as long
        as nobody has set how many there are, or the tables fit one of them.

    Notes
    -----
    Both sides of a shuffle need one answer: ask once, and hand it on.

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
    # Of small tables it is enough to know that they are: to plan a query takes longer.
    if sum(sizes) <= partitions * BYTES_A_PARTITION:
        return Shuffle(partitions, _coalesces(spark, partitions, read), read)
    by_size = sum(map(bytes_read, tables)) // BYTES_A_PARTITION
    return Shuffle(max(partitions, min(by_size, MOST_PARTITIONS)), read=read)


def _coalesces(spark: "SparkSession", partitions: int, read: int) -> bool:
    # Over Spark Connect nobody says how many cores there are.
    if partitions <= (1 if is_connect(spark) else A_CORE * spark.sparkContext.defaultParallelism):
        return False
    # Who sets how many there are may have to keep tasks small.
    is_set = number_of_partitions(spark.conf.get(SHUFFLE_PARTITIONS, None)) is not None
    if is_set and not 0 < read <= BYTES_A_PARTITION:
        return False
    return all(spark.conf.get(one, "true") == "true" for one in COALESCE)


def bytes_of_sources(table: "DataFrame") -> int:
    """Return how many bytes there are of what a table is made of, as far as Spark knows.

    Files, ranges, cached and local tables have a size; RDDs and streams have none, and over Spark
    Connect nothing has.

    Examples
    --------
    >>> import workbench as wb
    >>> numbers = wb.session().range(1_000)
    >>> bytes_of_sources(numbers), bytes_of_sources(numbers.crossJoin(numbers))
    (8000, 16000)
    """
    return _known(table, lambda execution: _total(execution.withCachedData(), _size))


def bytes_read(table: "DataFrame") -> int:
    """Return about how many of these bytes are read: of some columns, and of some folders of files.

    Examples
    --------
    >>> import workbench as wb
    >>> numbers = wb.session().range(1_000)
    >>> bytes_read(numbers), bytes_read(numbers.selectExpr("CAST(id AS INT)"))
    (8000, 6000)
    """
    return _known(table, _bytes_read)


def _bytes_read(execution: Any) -> int:
    plan = execution.optimizedPlan()
    sources, answer = _total(plan, _size), int(plan.stats().sizeInBytes())
    read = sources - _total(execution.sparkPlan(), _left_out)
    # By its columns. Spark takes a join for the product of both sides, so it may be more, too.
    return read * answer // sources if answer < sources else read


def _known(table: "DataFrame", size: Callable[[Any], int]) -> int:
    """A size that Spark's plan of a table tells; 0 where it tells none."""
    jvm: Any = getattr(table, "_jdf", None)
    if jvm is None or table.isStreaming:
        return 0
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    # A table that cannot be planned says so when it is read.
    with suppress(Py4JError, PySparkException):
        return max(0, size(jvm.queryExecution()))
    return 0


def _total(plan: Any, size: Callable[[Any], int]) -> int:
    """The sum of sizes of a plan's leaves."""
    leaves = plan.collectLeaves()
    count = int(leaves.size())
    seen = min(count, MOST_LEAVES)
    return sum(size(leaves.apply(i)) for i in range(seen)) * count // seen


def _size(leaf: Any) -> int:
    """What Spark takes a part of a logical plan for."""
    size = int(leaf.stats().sizeInBytes())
    return size if size < UNKNOWN else 0


def _left_out(leaf: Any) -> int:
    """How much of a part of a physical plan are files in folders that a condition leaves out."""
    if leaf.getClass().getSimpleName() != "FileSourceScanExec":
        return 0
    every = leaf.relation().location().sizeInBytes()
    return int(every) - int(leaf.selectedPartitions().totalFileSize())
