"""Values of each row, given as columns: their types, and whether Spark can compute them twice."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.errors import WorkbenchError

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import DataType

#: Spark's error condition for a nondeterministic value inside an aggregate.
UNREPEATABLE = "AGGREGATE_FUNCTION_WITH_NONDETERMINISTIC_EXPRESSION"


def as_answer(value: "Column", answer: "DataType") -> "Column":
    """Return a value as the type of a result."""
    # Spark refuses casts to a time of day; such a value is of a column, or a literal, of that type.
    return value if "time(" in answer.simpleString() else value.cast(answer)


def reason(error: Exception) -> str:
    """Return Spark's message without its error class, its code and its position.

    Examples
    --------
    >>> reason(ValueError("[NO_SUCH] No column `x`. SQLSTATE: 42703; line 1 pos 0\\n'Project"))
    'No column `x`.'
    """
    text = str(error).strip().splitlines()[0]
    return (text.partition("] ")[2] or text).partition(" SQLSTATE")[0]


def value_type(df: "DataFrame", value: "Column", what: str, side: str = "") -> "DataType":
    """Return the type of one value of each row; see :func:`value_types`."""
    return value_types(df, [(what, value)], side)[0]


def value_types(
    df: "DataFrame", values: "Sequence[tuple[str, Column]]", side: str = ""
) -> "list[DataType]":
    """Return the types of values of each row, in one request if all of them are valid.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
    values : sequence of (str, Column)
        Each with its description for error messages.
    side : str
        The role of the table, as in :class:`BoundTable`.

    Returns
    -------
    list of pyspark.sql.types.DataType

    Raises
    ------
    WorkbenchError
        When a value does not fit the table, or is not a value of a single row.
    """
    from pyspark.errors import AnalysisException
    from pyspark.sql import functions as F

    columns = [value for _, value in values]
    try:
        # Selected along with "*" and inside `when`, so that aggregates and generators fail.
        usable = [F.when(value.isNotNull(), 1) for value in columns]
        fields = df.select("*", *columns, *usable).schema.fields[-2 * len(columns) :]
    except AnalysisException as error:
        if len(columns) > 1:
            return [value_type(df, value, what, side) for what, value in values]
        what = f"{values[0][0]} does not fit the {side or 'table'}"
        raise WorkbenchError(f"{what}: {reason(error)}") from None
    return [field.dataType for field in fields[: len(columns)]]


def check_repeatable(df: "DataFrame", values: "Sequence[tuple[str, Column]]") -> None:
    """Refuse nondeterministic values, such as ``rand()``.

    Spark recomputes them when a task is repeated or a table is read twice, so a row could be
    selected by one value and counted by another.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
    values : sequence of (str, Column)
        Each with its description for error messages.

    Raises
    ------
    WorkbenchError
    """
    # All at once; one by one if Spark refuses any of them for any reason.
    if not values or not _refusal(df, [value for _, value in values]):
        return
    for what, value in values:
        if _refusal(df, [value]) == UNREPEATABLE:
            raise WorkbenchError(
                f"{what} is another one each time it is computed, and so the answer would be; "
                "save it as a column of a table first."
            )


def _refusal(df: "DataFrame", values: "Sequence[Column]") -> str | None:
    """Return the error condition with which Spark refuses an aggregate of values, else None."""
    from pyspark.errors import AnalysisException
    from pyspark.sql import functions as F

    try:
        # Spark itself checks determinism only inside aggregates.
        _ = df.agg(*map(F.count, values)).schema
    except AnalysisException as error:
        return str(error.getCondition())
    return None
