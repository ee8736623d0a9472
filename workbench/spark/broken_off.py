"""Say in one sentence why a Spark job failed, by phrases in its error text."""

import re
import sys

from workbench.errors import cell_traceback, full_traceback

#: The last line of a traceback: the exception's name and message.
PYTHON_ERROR = re.compile(r"^(?:[\w.]+\.)?(\w*(?:Error|Exception|Interrupt)): (.+)$", re.MULTILINE)
#: Errors that our own tasks raise on purpose, with a message for the user.
_OWN_ERRORS = ("WorkbenchError", "StoreError", "OverflowError")
_ADVICE = "raise spark.sql.shuffle.partitions, so that a task holds fewer keys"

#: Failures of any job: a pattern in the text of Java, Arrow or Python, and a sentence; the first
#: match counts.
FAILURES = [
    (
        r"[Oo]ffset overflow|overflowed binary array capacity|OversizedAllocationException"
        r"|NegativeArraySizeException|exceeds VM limit|Cannot grow BufferHolder|contiguous bytes"
        r"|array cannot contain more than 2147483646 bytes|exceeds maximum size of vector",
        "the rows of one task, or the values of one column of them, pass 2 GiB, more than Java and "
        f"Arrow hold in one piece; {_ADVICE}, or shorten the values (F.substring) of a key that "
        "is so large alone.",
    ),
    (
        r"Fatal Python error: (?P<what>[^\n]*)",
        "a Python worker crashed ({what}); what it was doing is in the executor's log.",
    ),
    (
        r"Python worker exited unexpectedly|Python worker process terminated",
        "a Python worker was killed, most likely because the machine ran out of memory; "
        f"{_ADVICE}, or give the machine more memory.",
    ),
    (
        r"^(?:[\w.]+\.)?(?:MemoryError|ArrowMemoryError)\b|realloc of size|malloc of size",
        f"a Python worker ran out of memory; {_ADVICE}, or give the machine more memory.",
    ),
    (
        r"OutOfMemoryError|OutOfMemoryException|SparkOutOfMemory|direct buffer memory",
        f"Java ran out of memory; {_ADVICE}, or start a session with more spark.driver.memory, "
        "and on a cluster with more spark.executor.memory.",
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
        f"an executor was lost, most likely because it used too much memory; {_ADVICE}, or start "
        "a session with more spark.executor.memory.",
    ),
    (
        r"SparkContext was shut down|stopped SparkContext",
        "the session was stopped; start one with wb.session().",
    ),
    (
        # As a whole: a store, a database or a broker that a task asks may refuse, too.
        r"\A(?:\[Errno \d+\] Connection refused|Answer from Java side is empty"
        r"|Error while sending or receiving)\Z",
        "Spark's own process (Java) has ended, most likely because the machine ran out of memory "
        "or somebody ended it; restart Python, in a notebook its kernel, and run the cells again.",
    ),
    (
        r"\[FAILED_READ_FILE\.FILE_NOT_EXIST\] [^\n]* file (?P<file>\S+)\. File does not exist",
        "the file {file} is gone since the table was opened; open the table again, or run "
        "spark.catalog.refreshTable for a table of the catalog.",
    ),
    (
        r"\[FAILED_READ_FILE\.\w+\] [^\n]* file (?P<file>\S+)\.\s",
        "the file {file} cannot be read: it is damaged, out of reach, or has columns of other "
        "types than the table; mend it, or open the table without it.",
    ),
]


def failure_reason(text: str) -> str | None:
    """Return why a job failed, if our own task raised the error or the failure is known; else None.

    Examples
    --------
    >>> text = "Traceback\\nworkbench.errors.WorkbenchError: mwh: too large; cast it."
    >>> print(failure_reason(text))
    mwh: too large; cast it.
    >>> print(failure_reason("Traceback\\nZeroDivisionError: by zero"))
    None
    """
    errors = PYTHON_ERROR.findall(text)
    if errors and errors[-1][0] in _OWN_ERRORS:
        return str(errors[-1][1])
    for pattern, sentence in FAILURES:
        if match := re.search(pattern, text, re.MULTILINE):
            return f"Spark could not finish: {sentence.format(**match.groupdict())}"
    return None


def shorten_spark_errors() -> None:
    """Let cells show Spark's errors in one sentence, as ours, if the reason is known.

    A lazy result that is returned fails when the user runs it, with Spark's own error. Other
    errors are shown as before.
    """
    if "IPython" in sys.modules:
        from pyspark.errors import PySparkException

        # IPython calls this method of an error; IPython's own hook for errors can be set only once.
        PySparkException._render_traceback_ = _render_traceback  # type: ignore[attr-defined]


def _render_traceback(error: Exception) -> list[str]:
    reason = failure_reason(str(error))
    if reason is None:
        return full_traceback(error)
    return cell_traceback(error, f"{type(error).__name__}: {reason}")
