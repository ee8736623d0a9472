"""Decide which tables are answered in the driver's process: small ones with rows already there."""

from typing import TYPE_CHECKING, Any

from workbench.arguments import check_known
from workbench.errors import WorkbenchError
from workbench.spark.held import HeldTable
from workbench.spark.sessions.session import session
from workbench.spark.sources.given import held_rows, is_spark, table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: The session's option for this, and its values: "given" for tables of pandas, Polars or Arrow;
#: "local" for Spark's local relations as well; "never" for none.
ANSWER_IN_DRIVER, GIVEN, LOCAL, NEVER = "spark.workbench.answerInDriver", "given", "local", "never"
#: The session's option for the largest number of rows, and its default.
ROWS, MOST_ROWS = "spark.workbench.answerInDriver.maxRows", 1_000_000
#: The largest size in bytes: the result and intermediate values take several times as much.
MOST_BYTES = 256_000_000
#: The largest size in bytes of files that are fetched for an immediate result.
MOST_BYTES_OF_FILES = 16_000_000
#: Spark's plan nodes that add no rows to those of the relation below them.
_TRANSPARENT = ("Project", "Filter", "SubqueryAlias", "View")


def source(what: Any, argument: str = "events", at_once: bool = False) -> "DataFrame | HeldTable":
    """Return a table of any kind as a DataFrame, or as one that is answered in this process.

    Parameters
    ----------
    what : TableLike
    argument : str
        The name of the caller's argument, for error messages.
    at_once : bool
        Whether the result is computed immediately, and is not a lazy DataFrame: then a local
        relation of Spark and small files are also answered in this process.

    Returns
    -------
    pyspark.sql.DataFrame or HeldTable

    Raises
    ------
    WorkbenchError
        As :func:`workbench.spark.sources.given.table`; or when the option has an unknown value.

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
        return held if small and in_driver_setting(spark) != NEVER else held.df
    df = table(what, argument)
    spark = df.sparkSession
    setting = in_driver_setting(spark)
    if setting == NEVER or (setting == GIVEN and not at_once):
        return df
    rows_here = local_rows(df)
    if rows_here is None:
        return HeldTable(None, spark, df) if at_once and is_small(df) else df
    return HeldTable(None, spark, df) if rows_here <= most_rows(spark) else df


def in_driver_setting(spark: "SparkSession") -> str:
    """Return the session's option for which tables are answered in this process.

    Raises
    ------
    WorkbenchError
    """
    setting = spark.conf.get(ANSWER_IN_DRIVER, GIVEN)
    check_known(setting, (GIVEN, LOCAL, NEVER), ANSWER_IN_DRIVER)
    return str(setting)


def most_rows(spark: "SparkSession") -> int:
    """Return the session's largest number of rows that is answered in this process.

    Raises
    ------
    WorkbenchError
        When the option is no number.
    """
    setting = str(spark.conf.get(ROWS, str(MOST_ROWS)) or MOST_ROWS)
    if not setting.isdecimal():
        raise WorkbenchError(f"{ROWS}: {setting!r} is not possible; give a number of rows.")
    return int(setting)


def local_rows(df: "DataFrame") -> int | None:
    """Return the number of rows of a local relation, or None for any other table.

    A filter on the relation may leave fewer rows. Over Spark Connect the result is always None.
    """
    source = _source_of(df)
    return int(source.data().size()) if _class_name(source) == "LocalRelation" else None


def is_small(df: "DataFrame") -> bool:
    """Return whether a table is read from small files, however many rows are in them.

    Over Spark Connect the result is always False.
    """
    source = _source_of(df)
    if _class_name(source) != "LogicalRelation":
        return False
    return int(str(source.stats().sizeInBytes())) <= MOST_BYTES_OF_FILES


def _source_of(df: "DataFrame") -> Any:
    """Return the plan node below all projections and filters; None over Spark Connect."""
    jvm = getattr(df, "_jdf", None)
    plan: Any = None if jvm is None else jvm.queryExecution().analyzed()
    while _class_name(plan) in _TRANSPARENT:
        plan = plan.children().head()
    return plan


def _class_name(plan: Any) -> str:
    """Return the class name of a plan node, or "" for None."""
    return "" if plan is None else str(plan.getClass().getSimpleName())


def where_answered(*tables: "DataFrame | HeldTable") -> str:
    """Return in one sentence where a query on tables is answered, and why.

    Parameters
    ----------
    *tables : pyspark.sql.DataFrame or HeldTable
        From :func:`source`.
    """
    held = [one for one in tables if isinstance(one, HeldTable)]
    if len(held) < len(tables):
        return "answered by Spark's tasks"
    counts = [local_rows(one.df) if one.rows is None else len(one.rows) for one in held]
    return (
        f"answered in the driver's process, which holds all {sum(one or 0 for one in counts):,} "
        f"rows; {ANSWER_IN_DRIVER} set to {NEVER} sends them to Spark"
    )
