"""Refuse invalid arguments for groups with one sentence, before a job starts."""

from collections.abc import Sequence

from workbench.arguments import check_known
from workbench.errors import WorkbenchError
from workbench.functions.catalogue import SORTED, check_arguments, kind_of
from workbench.spark.table import BoundTable, check_column, check_plain, type_of
from workbench.spark.types import has_order

#: The window function with the same quantile, by kind.
KINDS = {"cont": "quantile", "disc": "quantile_disc"}
#: How many of tied last rows are returned.
TIES = ("all", "one")
#: Whether Spark computes with times of day everywhere, or only passes them on.
TIMES_OF_DAY = "spark.sql.timeType.enabled"


def check_values(df: BoundTable, names: Sequence[str], kind: str) -> None:
    """Refuse columns that are missing, or have no quantiles of this kind.

    Raises
    ------
    WorkbenchError
    """
    for name in names:
        check_column(df, name, "columns")
        check_arguments(name, KINDS[kind], (type_of(df, name),))


def check_order(df: BoundTable, order: Sequence[str]) -> None:
    """Refuse a table whose group or order columns are missing or unsuitable.

    Parameters
    ----------
    df : BoundTable
        Its key is the columns that define groups.
    order : sequence of str

    Raises
    ------
    WorkbenchError
    """
    for name in df.names:
        check_column(df, name, "df")
    for key in df.key:
        check_column(df, key, "by")
        check_plain(df.schema, key, "by")
    for name in order:
        check_column(df, name, "order_by")
        kind = type_of(df, name)
        if name in df.key:
            raise WorkbenchError(
                f"order_by: column {name!r} is in by too, so all rows of a group tie; "
                "name another column."
            )
        if kind_of(kind) not in SORTED:
            raise WorkbenchError(
                f"order_by: column {name!r} holds {kind.simpleString()}, which has no order here; "
                "name a column of numbers, times or text."
            )


def check_times_of_day(df: BoundTable, names: Sequence[str], argument: str, instead: str) -> None:
    """Refuse times of day if the session only passes them on, and the plan has to do more.

    Raises
    ------
    WorkbenchError
    """
    times = [name for name in names if type_of(df, name).typeName() == "time"]
    if times and df.without_rows.sparkSession.conf.get(TIMES_OF_DAY) == "false":
        raise WorkbenchError(
            f"{argument}: column {times[0]!r} holds times of day, which this session only passes "
            f"on; set {TIMES_OF_DAY} to true, or {instead}."
        )


def check_ties(df: BoundTable, method: str, ties: str) -> None:
    """Refuse ``ties`` that the method or the columns' types cannot resolve.

    Raises
    ------
    WorkbenchError
    """
    check_known(ties, TIES, "ties")
    if method == "aggregate" and ties == "all":
        raise WorkbenchError(
            "method: 'aggregate' keeps one row per group; give ties='one', or take 'join'."
        )
    for field in df.schema.fields if ties == "one" else ():
        if not has_order(field.dataType):
            kind = field.dataType.simpleString()
            raise WorkbenchError(
                f"ties: column {field.name!r} holds {kind}, which has no order to choose one row "
                "by; give ties='all', or drop the column."
            )
