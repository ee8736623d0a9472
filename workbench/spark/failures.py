"""What Spark could not compute of a user's rows, said in one sentence."""

from collections.abc import Iterator
from contextlib import contextmanager

from workbench.errors import WorkbenchError
from workbench.spark.table import reason


@contextmanager
def in_one_sentence() -> Iterator[None]:
    """Turn Spark's error about a value of a row, such as ``1 / 0``, into ours.

    It is for jobs that are run here: what is returned unrun fails in Spark's own words.

    Raises
    ------
    WorkbenchError

    Examples
    --------
    >>> import workbench as wb
    >>> with in_one_sentence():
    ...     wb.session().sql("SELECT 1 / id FROM range(1)").collect()
    Traceback (most recent call last):
    workbench.errors.WorkbenchError: Spark cannot compute a value of a row: Division by zero. \
Use `try_divide` to tolerate divisor being 0 and return NULL instead. If necessary set \
"spark.sql.ansi.enabled" to "false" to bypass this error.
    """
    from pyspark.errors import (
        ArithmeticException,
        ArrayIndexOutOfBoundsException,
        DateTimeException,
        NumberFormatException,
    )

    values = (
        ArithmeticException,
        ArrayIndexOutOfBoundsException,
        DateTimeException,
        NumberFormatException,
    )
    try:
        yield
    except values as error:
        raise WorkbenchError(f"Spark cannot compute a value of a row: {reason(error)}") from None
