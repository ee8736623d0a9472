"""What broke a job of Spark off, in one sentence: known by words of Java, Arrow and Python."""

import re
import sys

from workbench.errors import shown_in_a_cell, whole_traceback

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
        f"Java ran out of memory; {_SMALLER}, or start a session with more spark.driver.memory, "
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
        f"an executor was lost, most likely because it used too much memory; {_SMALLER}, or start "
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


def show_in_cells() -> None:
    """Let a cell show Spark's own errors as it shows ours, where the sentence is known.

    What is returned unrun fails when the user runs it, and with Spark's own error. Errors of which
    nothing is known are shown as before.
    """
    if "IPython" in sys.modules:
        from pyspark.errors import PySparkException

        # IPython asks an error how it is to be shown; a hook of its own there can be one alone.
        PySparkException._render_traceback_ = _shown  # type: ignore[attr-defined]


def _shown(error: Exception) -> list[str]:
    known = broken_off(str(error))
    if known is None:
        return whole_traceback(error)
    return shown_in_a_cell(error, f"{type(error).__name__}: {known}")
