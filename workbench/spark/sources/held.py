"""Which tables are answered in the driver's process: small ones, whose rows it holds already."""

from typing import TYPE_CHECKING, Any

from workbench.arguments import check_known
from workbench.spark.held import HeldTable
from workbench.spark.sessions.session import session
from workbench.spark.sources.given import held_rows, is_spark, table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: Spark's option that says which: tables "given" as pandas, Polars or Arrow; Spark's "local"
#: relations as well; "never" any.
ANSWERED, GIVEN, LOCAL, NEVER = "spark.workbench.answerInDriver", "given", "local", "never"
#: Spark's option that says up to how many rows, and what it is if nobody says so.
ROWS, MOST_ROWS = "spark.workbench.answerInDriver.maxRows", 1_000_000
#: And up to how many bytes: the answer, and what is made on the way, take some times as many.
MOST_BYTES = 256_000_000
#: Up to so many bytes of its files a table is fetched where its answer is wanted at once.
MOST_BYTES_OF_FILES = 16_000_000
#: What may stand on a relation so that it has no more rows for it.
_ON_IT = ("Project", "Filter", "SubqueryAlias", "View")


def source(what: Any, argument: str = "events", at_once: bool = False) -> "DataFrame | HeldTable":
    """Return anything that is a table as one of Spark, or as one that is answered in this process.

    Parameters
    ----------
    what : TableLike
    argument : str
        What the caller calls it, for the error's sake.
    at_once : bool
        Whether the answer is no DataFrame, which would be asked for later: then a local relation
        of Spark, and files of a few bytes, are answered in this process, too.

    Returns
    -------
    pyspark.sql.DataFrame or HeldTable

    Raises
    ------
    WorkbenchError
        As :func:`workbench.spark.sources.given.table`; or when Spark's option is none.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from workbench.spark.sessions.session import session
    >>> spark = session()
    >>> type(source(pa.table({"user": ["ann"]}))).__name__
    'HeldTable'
    """
    if not is_spark(what):
        rows = held_rows(what, argument)
        spark = session()
        held = HeldTable(rows, spark)
        small = len(rows) <= most_rows(spark) and rows.nbytes <= MOST_BYTES
        return held if small and asked(spark) != NEVER else held.df
    df = table(what, argument)
    spark = df.sparkSession
    which = asked(spark)
    if which == NEVER or (which == GIVEN and not at_once):
        return df
    rows_here = local_rows(df)
    if rows_here is None:
        return HeldTable(None, spark, df) if at_once and is_small(df) else df
    return HeldTable(None, spark, df) if rows_here <= most_rows(spark) else df


def asked(spark: "SparkSession") -> str:
    """Return which tables a session says are answered in this process.

    Raises
    ------
    WorkbenchError
    """
    found = spark.conf.get(ANSWERED, GIVEN)
    check_known(found, (GIVEN, LOCAL, NEVER), ANSWERED)
    return str(found)


def most_rows(spark: "SparkSession") -> int:
    """Return up to how many rows a session has answered in this process."""
    return int(spark.conf.get(ROWS, str(MOST_ROWS)) or MOST_ROWS)


def local_rows(df: "DataFrame") -> int | None:
    """Return how many rows a local relation has, at the most; None of any other table.

    Over Spark Connect it is not known what a table is.
    """
    found = _scanned(df)
    return int(found.data().size()) if _kind(found) == "LocalRelation" else None


def is_small(df: "DataFrame") -> bool:
    """Say whether a table is read from files of a few bytes, however many rows are in them.

    Over Spark Connect that is not known.
    """
    found = _scanned(df)
    if _kind(found) != "LogicalRelation":
        return False
    return int(str(found.stats().sizeInBytes())) <= MOST_BYTES_OF_FILES


def _scanned(df: "DataFrame") -> Any:
    """What a table's rows are read from, where each row is one of them; else another part of it."""
    jvm = getattr(df, "_jdf", None)
    plan: Any = None if jvm is None else jvm.queryExecution().analyzed()
    while _kind(plan) in _ON_IT:
        plan = plan.children().head()
    return plan


def _kind(plan: Any) -> str:
    """What Spark calls a part of a plan."""
    return "" if plan is None else str(plan.getClass().getSimpleName())


def where_answered(*tables: "DataFrame | HeldTable") -> str:
    """Return in one sentence where a question to tables is answered, and why.

    Parameters
    ----------
    *tables : pyspark.sql.DataFrame or HeldTable
        What :func:`source` returned.
    """
    held = [one for one in tables if isinstance(one, HeldTable)]
    if len(held) < len(tables):
        return "answered by Spark's tasks"
    counts = [local_rows(one.df) if one.rows is None else len(one.rows) for one in held]
    return (
        f"answered in the driver's process, which holds all {sum(one or 0 for one in counts):,} "
        f"rows; {ANSWERED} set to {NEVER} sends them to Spark"
    )
