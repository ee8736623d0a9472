"""Jobs of Spark that a call of ours runs, and what broke them off, in one sentence."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from workbench.errors import JobError, WorkbenchError
from workbench.spark.broken_off import broken_off
from workbench.spark.cell_line import cell_line
from workbench.spark.table import reason

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, Row


@contextmanager
def in_one_sentence() -> Iterator[None]:
    """Raise one sentence for a job that failed, in place of Spark's pages of stack.

    It says what broke the job off, or which value of a row Spark cannot compute, such as ``1 / 0``.
    Spark's own error is the new one's ``__context__``. What a function of the user's raises stays
    as it is. It is for jobs that are run here: what is returned unrun fails in Spark's own words.
    Where they take long, a line in the cell says how far they are.

    Raises
    ------
    JobError

    Examples
    --------
    >>> with in_one_sentence():
    ...     raise RuntimeError("Lost task: Job aborted because SparkContext was shut down")
    Traceback (most recent call last):
    workbench.errors.JobError: Spark could not finish: the session was stopped; start one with \
wb.session().
    """
    try:
        with cell_line():
            yield
    except WorkbenchError:
        raise
    except Exception as error:
        if known := broken_off(str(error)) or _not_computed(error):
            raise JobError(known) from None
        raise


def _not_computed(error: Exception) -> str | None:
    """What Spark says of a value of a row that it cannot compute."""
    from pyspark.errors import (
        ArithmeticException,
        ArrayIndexOutOfBoundsException,
        DateTimeException,
        NumberFormatException,
    )

    values = ArithmeticException, ArrayIndexOutOfBoundsException
    if isinstance(error, (*values, DateTimeException, NumberFormatException)):
        return f"Spark cannot compute a value of a row: {reason(error)}"
    return None


def collected(df: "DataFrame") -> "list[Row]":
    """Return the rows of a DataFrame.

    Parameters
    ----------
    df : pyspark.sql.DataFrame

    Returns
    -------
    list of pyspark.sql.Row

    Raises
    ------
    JobError
    """
    with in_one_sentence():
        return df.collect()


def in_arrow(df: "DataFrame") -> "pa.Table":
    """Return the rows of a DataFrame as a table of Arrow, text with places of 32 bits.

    Parameters
    ----------
    df : pyspark.sql.DataFrame

    Returns
    -------
    pyarrow.Table

    Raises
    ------
    JobError
    """
    from workbench.columnar.key_codes import narrow

    with in_one_sentence():
        return narrow(df.toArrow())
