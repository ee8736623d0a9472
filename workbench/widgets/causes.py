"""What went wrong, as one sentence for the person in front of a widget."""

from workbench.errors import WorkbenchError
from workbench.spark.broken_off import PYTHON_ERROR, failure_reason


def cause(error: BaseException) -> str:
    """Return the cause of a failure in one sentence.

    Parameters
    ----------
    error : exception
        An error of the workbench, of Python, or of Spark with its long stack trace.

    Returns
    -------
    str

    Examples
    --------
    >>> cause(WorkbenchError("window: '1' has no unit; give one."))
    "window: '1' has no unit; give one."
    >>> cause(RuntimeError("[JOB_FAILED] Job aborted.\\n  at org\\nZeroDivisionError: by zero"))
    'Spark could not finish: ZeroDivisionError: by zero'
    >>> cause(RuntimeError("Lost task: No space left on device\\n  at org"))[:40]
    'Spark could not finish: the disk is full'
    """
    if isinstance(error, WorkbenchError):
        return str(error)
    text = str(error)
    if known := failure_reason(text):
        return known
    if errors := PYTHON_ERROR.findall(text):
        kind, message = errors[-1]
        return f"Spark could not finish: {kind}: {message.strip()[:300]}"
    first = text.strip().splitlines()[0] if text.strip() else type(error).__name__
    return f"Spark could not finish: {first[:300]}"
