"""A second watermark behind a call on window close, which neither of the two would ever pass."""

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

#: How Spark's plans call a watermark and the operator that our calls are.
_MARK, _CALL = "EventTimeWatermark", "TransformWithState"


def check_no_second_watermark(df: BoundTable) -> None:
    """Refuse a stream with a watermark in front of a call on window close and one behind it.

    Spark has one watermark for a query, the least of all: the call in front waits for the one
    behind, which waits for that call's rows.

    Raises
    ------
    WorkbenchError
    """
    if any(has_watermark(df, name) for name in df.names) and waits_for_itself(plan_of(df.df)):
        raise WorkbenchError(
            f"df: it has a watermark behind a call with {CLOSE}, which has one in front; Spark "
            "takes the lesser of both, so that no row would ever go on; write the first answer "
            "to files, and read these as a stream."
        )


def waits_for_itself(plan: str) -> bool:
    """Say whether a plan has a watermark both behind and in front of a call on window close.

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
    """Return what Spark makes of a stream, as a tree in text."""
    if not is_connect(df.sparkSession):
        # Without the plans that Spark would run, which take longer.
        return str(df._jdf.queryExecution().analyzed().toString())
    with redirect_stdout(io.StringIO()) as printed:
        df.explain(extended=True)
    return printed.getvalue().partition("== Analyzed")[2].partition("== Optimized")[0]
