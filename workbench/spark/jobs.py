"""Run Spark jobs, and raise their failures as one sentence."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from workbench.errors import JobError, WorkbenchError
from workbench.spark.broken_off import failure_reason
from workbench.spark.cell_line import cell_line
from workbench.spark.values import reason

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, Row


@contextmanager
def in_one_sentence() -> Iterator[None]:
    """Raise one sentence for a failed job, in place of Spark's pages of stack.

    The sentence says why the job failed, or which value of a row Spark cannot compute, such as
    ``1 / 0``. Spark's own error is the ``__context__`` of the new one. Errors of the user's own
    functions stay unchanged. This is for jobs that run inside the context: a lazy result that is
    returned fails with Spark's own error. If the jobs take long, a line in the cell shows their
    progress.

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
        if sentence := failure_reason(str(error)) or _value_error(error):
            raise JobError(sentence) from None
        raise


def _value_error(error: Exception) -> str | None:
    """Return Spark's message about a value of a row that it cannot compute, else None."""
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
    """Return the rows of a DataFrame as an Arrow table, text with offsets of 32 bits.

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
