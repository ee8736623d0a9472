"""Detection of a second watermark after a call on window close, which would block forever."""

import io
from contextlib import redirect_stdout
from typing import TYPE_CHECKING

from workbench.errors import WorkbenchError
from workbench.spark.shipping import is_connect
from workbench.spark.table import BoundTable
from workbench.windows.stream.checks import CLOSE, has_watermark
from workbench.windows.stream.worker.close import CLOSED

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

#: The names of a watermark and of our calls' operator in Spark's plans.
_MARK, _CALL = "EventTimeWatermark", "TransformWithState"


def check_no_second_watermark(df: BoundTable) -> None:
    """Refuse a stream with one watermark before a call on window close and one after it.

    Spark has one watermark per query, the minimum of all. So the call would wait for the second
    watermark, which waits for the call's rows.

    Raises
    ------
    WorkbenchError
    """
    if any(has_watermark(df, name) for name in df.names) and waits_for_itself(plan_of(df.df)):
        raise WorkbenchError(
            f"df: it has a watermark after a call with {CLOSE}, which has one before it; Spark "
            "takes the lesser of the two, so no row would ever be emitted; write the first result "
            "to files, and read these as a stream."
        )


def waits_for_itself(plan: str) -> bool:
    """Return whether a plan has a watermark both after and before a call on window close.

    Examples
    --------
    >>> call = "TransformWithStateInPySpark [closed_rows#1L]\\n+- EventTimeWatermark at#2"
    >>> waits_for_itself(call)
    False
    >>> waits_for_itself("EventTimeWatermark at#3\\n+- " + call.replace("+-", "   +-"))
    True
    """
    above: list[tuple[int, str]] = []
    for line in plan.splitlines():
        depth = len(line) - len(line.lstrip(" :+-"))
        above = [one for one in above if one[0] < depth]
        if _MARK in line:
            if [kind for _, kind in above][-2:] == [_MARK, _CALL]:
                return True
            above.append((depth, _MARK))
        elif _CALL in line and CLOSED in line:
            above.append((depth, _CALL))
    return False


def plan_of(df: "DataFrame") -> str:
    """Return Spark's analyzed plan of a stream as text."""
    if not is_connect(df.sparkSession):
        # The analyzed plan alone: optimized and physical plans take longer.
        return str(df._jdf.queryExecution().analyzed().toString())
    with redirect_stdout(io.StringIO()) as printed:
        df.explain(extended=True)
    return printed.getvalue().partition("== Analyzed")[2].partition("== Optimized")[0]
