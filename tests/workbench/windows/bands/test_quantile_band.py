"""A band of a series is the same however it is computed, and other windows do not change it."""

from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray
from pyspark.sql import SparkSession

import workbench as wb
from workbench.windows.bands import prepared_series as window_series
from workbench.windows.bands.prepared_series import PreparedSeries
from workbench.windows.bands.quantile_band import Band, compute

FRAMES = [wb.Frame.rows(-2, 2), wb.Frame.rows(-1, 5), wb.Frame.rows(1, 1), wb.Frame.rows(None, 0)]


def call(frame: wb.Frame, order: str = "t") -> wb.Over:
    return wb.Over(order_by=order, frame=frame, band=wb.fn.quantile("v", [0.25, 0.5, 0.75]))


def series(spark: SparkSession, order: str = "t") -> PreparedSeries:
    """Rows with gaps, one value that is infinite, outliers, and two rows without a time."""
    rows = spark.range(60).selectExpr(
        "if(id < 2, null, timestamp_seconds(id)) AS t",
        "CASE WHEN id = 9 THEN double('inf') WHEN id % 7 != 0 THEN double(id * id % 31) "
        "+ if(id % 20 = 5, 900, 0) END AS v",
    )
    return PreparedSeries(rows, call(FRAMES[0], order))


def arrays(band: Band) -> Iterator[NDArray[np.generic]]:
    assert band.quartiles is not None
    yield from (band.x, band.y, band.outlier, *band.quantiles.values(), *band.quartiles)


@pytest.mark.parametrize("order", ["t", "-t"])
def test_some_rows_at_a_time_make_the_same_band(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, order: str
) -> None:
    prepared = series(spark, order)
    whole = [compute(prepared, call(frame, order), ()) for frame in FRAMES]
    monkeypatch.setattr(window_series, "ROWS_AT_ONCE", 4)
    for frame, band in zip(FRAMES, whole, strict=True):
        again = compute(prepared, call(frame, order), ())
        assert (again.unplaced, again.rows) == (band.unplaced, band.rows) == (3, band.rows)
        for one, other in zip(arrays(again), arrays(band), strict=True):
            np.testing.assert_array_equal(one, other)
    assert {*whole[0].outlier.tolist()} == {0, 1}
    prepared.free()


def test_a_band_is_not_changed_by_later_ones(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(window_series, "ROWS_AT_ONCE", 4)
    prepared = series(spark)
    band = compute(prepared, call(FRAMES[0]), ())
    before = [values.copy() for values in arrays(band)]
    for frame in FRAMES[1:]:
        compute(prepared, call(frame), ())
    for now, then in zip(arrays(band), before, strict=True):
        np.testing.assert_array_equal(now, then)
    prepared.free()
