"""What went wrong, as one sentence for the person in front of a widget."""

import re

from workbench.errors import WorkbenchError

_PYTHON_ERROR = re.compile(r"^(?:[\w.]+\.)?(\w*(?:Error|Exception|Interrupt)): (.+)$", re.MULTILINE)


def cause(error: BaseException) -> str:
    """Return the cause of a failure in one sentence.

    Parameters
    ----------
    error : exception
        Ours, Python's, or Spark's with its pages of stack.

    Returns
    -------
    str

    Examples
    --------
    >>> cause(WorkbenchError("window: '1' has no unit; give one."))
    "window: '1' has no unit; give one."
    >>> cause(RuntimeError("[JOB_FAILED] Job aborted.\\n  at org\\nZeroDivisionError: by zero"))
    'Spark could not finish: ZeroDivisionError: by zero'
    """
    if isinstance(error, WorkbenchError):
        return str(error)
    text = str(error)
    if found := _PYTHON_ERROR.findall(text):
        kind, message = found[-1]
        return f"Spark could not finish: {kind}: {message.strip()[:300]}"
    first = text.strip().splitlines()[0] if text.strip() else type(error).__name__
    return f"Spark could not finish: {first[:300]}"
