"""Jobs of Spark that a call of ours runs, and what broke them off, in one sentence."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from workbench.errors import JobError, WorkbenchError
from workbench.spark.cell_line import cell_line
from workbench.spark.table import reason

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, Row

#: How the last line of a traceback says what was raised.
PYTHON_ERROR = re.compile(r"^(?:[\w.]+\.)?(\w*(?:Error|Exception|Interrupt)): (.+)$", re.MULTILINE)
#: What our own tasks raise for the person who asked, and not because they are wrong themselves.
_OURS = ("WorkbenchError", "StoreError", "OverflowError")
_SMALLER = "raise spark.sql.shuffle.partitions, so that a task holds fewer keys"

#: What breaks a job off whatever it computes, by words of Java, Arrow and Python; the first counts.
BROKEN_OFF = [
    (
        r"[Oo]ffset overflow|overflowed binary array capacity|OversizedAllocationException"
        r"|NegativeArraySizeException|exceeds VM limit|Cannot grow BufferHolder|contiguous bytes"
        r"|array cannot contain more than 2147483646 bytes|exceeds maximum size of vector",
        "the rows of one task, or the values of one column of them, pass 2 GiB, more than Java and "
        f"Arrow hold in one piece; {_SMALLER}, or shorten the values (F.substring) of a key that "
        "is so large alone.",
    ),
    (
        r"Fatal Python error: (?P<what>[^\n]*)",
        "a Python worker crashed ({what}); what it was doing is in the executor's log.",
    ),
    (
        r"Python worker exited unexpectedly|Python worker process terminated",
        "a Python worker was killed, most likely because the machine ran out of memory; "
        f"{_SMALLER}, or give the machine more memory.",
    ),
    (
        r"^(?:[\w.]+\.)?(?:MemoryError|ArrowMemoryError)\b|realloc of size|malloc of size",
        f"a Python worker ran out of memory; {_SMALLER}, or give the machine more memory.",
    ),
    (
        r"OutOfMemoryError|OutOfMemoryException|SparkOutOfMemory|direct buffer memory",
        "Java ran out of memory; start a session with more spark.driver.memory, and on a cluster "
        "with more spark.executor.memory.",
    ),
    (
        r"spark\.driver\.maxResultSize",
        "the answer is larger than spark.driver.maxResultSize; start a session with more of it.",
    ),
    (
        r"No space left on device",
        "the disk is full to which Spark writes what it shuffles; free some, or set "
        "spark.local.dir to a larger one.",
    ),
    (
        r"ExecutorLostFailure|Remote RPC client disassociated|[Ee]xecutor heartbeat timed out"
        r"|FetchFailed|MetadataFetchFailed",
        f"an executor was lost, most likely because it used too much memory; {_SMALLER}, or start "
        "a session with more spark.executor.memory.",
    ),
    (
        r"SparkContext was shut down|stopped SparkContext",
        "the session was stopped; start one with wb.session().",
    ),
]


def broken_off(text: str) -> str | None:
    """Return why a job was broken off if it is our tasks' word, or known; else None.

    Examples
    --------
    >>> print(broken_off("Traceback\\nworkbench.errors.WorkbenchError: mwh: too large; cast it."))
    mwh: too large; cast it.
    >>> print(broken_off("Traceback\\nZeroDivisionError: by zero"))
    None
    """
    found = PYTHON_ERROR.findall(text)
    if found and found[-1][0] in _OURS:
        return str(found[-1][1])
    for words, sentence in BROKEN_OFF:
        if match := re.search(words, text, re.MULTILINE):
            return f"Spark could not finish: {sentence.format(**match.groupdict())}"
    return None


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
