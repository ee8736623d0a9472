"""How far functions look over a stream: never too short, and unbounded where no end is known."""

from types import SimpleNamespace
from typing import Any

import pytest
from pyspark.sql.types import DataType, DecimalType, DoubleType, Row, TimestampType

from kernels.frames.extent import FrameExtent, frame_extent
from tests.workbench.windows.stream.cases import resolved
from workbench import Frame, fn
from workbench.functions.fn import Function
from workbench.windows.extent import frame_extents
from workbench.windows.stream.report import stream_counts

DAY = 86_400_000_000
TOTAL = fn.sum("value")


@pytest.mark.parametrize(
    ("function", "along", "expected"),
    [
        (TOTAL.over(Frame.rows(-3, 1)), TimestampType(), FrameExtent("rows", -3, 1)),
        (TOTAL.over(Frame.groups(None, 0)), TimestampType(), FrameExtent("groups", None, 0)),
        (TOTAL.over(Frame.range("-1 day", 0)), TimestampType(), FrameExtent("range", -DAY, 0)),
        # Outward the longest months and a change of the clock, inward the shortest ones.
        (
            TOTAL.over(Frame.range("-2 months", "1 month")),
            TimestampType(),
            FrameExtent("range", -64 * DAY, 33 * DAY),
        ),
        (
            TOTAL.over(Frame.range("-2 months", "-1 month")),
            TimestampType(),
            FrameExtent("range", -64 * DAY, -26 * DAY),
        ),
        (TOTAL.over(Frame.range(-1.5, 2)), DoubleType(), FrameExtent("range", None, None)),
        (TOTAL.over(Frame.range(-1.5, 0)), DecimalType(9, 2), FrameExtent("range", -150, 0)),
        (fn.lag("value", 3), TimestampType(), FrameExtent("rows", -3, -3)),
        (fn.lag("value", 3).ignore_nulls(), TimestampType(), FrameExtent("rows", None, 0)),
        (fn.lead("value").ignore_nulls(), TimestampType(), FrameExtent("rows", 0, None)),
        (fn.dense_rank(), TimestampType(), frame_extent("dense_rank")),
        (fn.ntile(3), TimestampType(), FrameExtent("rows", None, None)),
        (fn.approx_top_k("value", 3), TimestampType(), FrameExtent("rows", None, None)),
    ],
)
def test_how_far_a_function_looks(
    function: Function, along: DataType, expected: FrameExtent
) -> None:
    assert frame_extents(resolved({"one": function}), along) == (expected,)


def test_equal_extents_are_returned_once() -> None:
    functions = {"a": fn.rank(), "b": fn.dense_rank(), "c": fn.lag("value")}
    assert len(frame_extents(resolved(functions), TimestampType())) == 2


def test_counts_are_read_in_the_forms_of_classic_spark_and_of_spark_connect() -> None:
    schema = {"fields": [{"name": "late_rows"}, {"name": "closed_rows"}]}
    observed: list[dict[str, Any]] = [
        {"wb.over 1": Row(late_rows=1, closed_rows=2), "mine": Row(late_rows=9)},
        {"wb.over 1": Row(values=[3, 4], schema=schema), "wb.over 2": Row(late_rows=5)},
        {},
    ]
    query: Any = SimpleNamespace(
        recentProgress=[SimpleNamespace(observedMetrics=one) for one in observed]
    )
    assert stream_counts(query) == [
        {"late_rows": 1, "closed_rows": 2},
        {"late_rows": 8, "closed_rows": 4},
        {},
    ]
