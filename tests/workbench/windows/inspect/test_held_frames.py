"""The frames of rows that this process holds are those of the same rows on Spark."""

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import workbench as wb
from workbench.windows.inspect.held_frames import held_frames

AT = [30, 10, None, 20, 20, 60, 50]
ANSWERS = pa.table({"n": [3, 1, 0, 2, 2, 6, 5], "at": AT})
FRAMES = [
    wb.Frame.range(-10, 10),
    wb.Frame.rows(-1, 1, exclude="current row"),
    wb.Frame.groups(-1, 0, exclude="ties"),
    wb.Frame.rows(2, 3),
]


@pytest.mark.parametrize("frame", FRAMES, ids=repr)
@pytest.mark.parametrize("descending", [False, True])
def test_held_frames_are_those_of_the_same_rows_on_spark(
    spark: SparkSession, frame: wb.Frame, descending: bool
) -> None:
    over = wb.Over(order_by="-at" if descending else "at", frame=frame, n=wb.fn.count())
    held = held_frames(over, ANSWERS, "n", spark)
    table = over.frames(ANSWERS.drop_columns(["n"]), column="n")
    # Rows that tie come in any order.
    at = table.rows["at"].to_numpy()
    assert held.rows.column("at").to_pylist() == at.tolist()
    for row, inside in enumerate(table.inside):
        assert held.of(row).column("at").to_pylist() == at[np.flatnonzero(inside)].tolist()
    # The answer of a row stays with it.
    pairs = zip(*(held.rows.column(name).to_pylist() for name in ("at", "n")), strict=True)
    assert all(n == (at or 0) // 10 for at, n in pairs)


def test_a_call_that_does_not_fit_is_refused(spark: SparkSession) -> None:
    over = wb.Over(order_by="time", n=wb.fn.count())
    with pytest.raises(wb.WorkbenchError, match="'time'"):
        held_frames(over, ANSWERS, "n", spark)
