"""Values of a segment are converted to their column's type, or refused before a job."""

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import workbench as wb
from tests.clusters import ZONE, session_options
from tests.workbench.spark.jobs import no_job
from workbench.funnel.segment_values import value_of

NAN = float("nan")
FUNNEL = wb.Funnel(["visit", "buy"], "1 day")
TOKYO = timezone(timedelta(hours=9))
MIDNIGHT = datetime(2024, 1, 1)

#: Types, values that a user may give for them, and the values as converted.
READ: list[tuple[str, Any, Any]] = [
    ("long", np.int8(3), 3),
    ("integer", 3.0, 3),
    ("integer", NAN, None),
    ("double", 3, 3.0),
    ("float", np.float32(0.5), 0.5),
    ("double", Decimal("0.5"), 0.5),
    ("double", pd.NA, None),
    ("decimal", 7, Decimal(7)),
    ("decimal", 0.5, 0.5),
    ("decimal", NAN, None),
    ("string", "tv", "tv"),
    ("string", NAN, None),
    ("boolean", np.True_, True),
    ("binary", bytearray(b"a"), b"a"),
    ("date", "2024-01-01", date(2024, 1, 1)),
    ("date", pd.Timestamp("2024-01-01"), date(2024, 1, 1)),
    ("date", pd.NaT, None),
    ("timestamp_ntz", np.datetime64("2024-01-01"), MIDNIGHT),
    ("timestamp", "2024-01-01", MIDNIGHT.replace(tzinfo=TOKYO)),
    ("timestamp", date(2024, 1, 1), MIDNIGHT.replace(tzinfo=TOKYO)),
    ("timestamp", pd.Timestamp("2024-01-01"), MIDNIGHT.astimezone(UTC)),
    ("daytimeinterval", np.timedelta64(2, "h"), timedelta(hours=2)),
    ("void", None, None),
]

REFUSED: list[tuple[str, Any]] = [
    ("long", "abc"),
    ("long", b"a"),
    ("long", date(2024, 1, 1)),
    ("long", True),
    ("long", 1.5),
    ("long", 2**70),
    ("long", {}),
    ("long", np.array([1, 2])),
    ("double", "1"),
    ("double", 10**400),
    ("decimal", 10**38),
    ("decimal", Decimal("Infinity")),
    ("string", 1),
    ("boolean", 1),
    ("date", "soon"),
    ("date", datetime(2024, 1, 1, 3)),
    ("timestamp", 5),
    ("timestamp_ntz", datetime(2024, 1, 1, tzinfo=UTC)),
    ("void", 1),
]


@pytest.mark.parametrize(("kind", "given", "expected"), READ, ids=repr)
def test_a_value_is_converted_to_the_type_of_its_column(
    kind: str, given: Any, expected: Any
) -> None:
    value = value_of(given, kind, "s", "segment", "Asia/Tokyo")
    assert (value, type(value)) == (expected, type(expected))


def test_nan_is_a_value_of_floats() -> None:
    for given in (NAN, np.float32("nan")):
        assert np.isnan(value_of(given, "double", "s", "segment"))


@pytest.mark.parametrize(("kind", "given"), REFUSED, ids=repr)
def test_a_value_of_another_type_is_refused(kind: str, given: Any) -> None:
    with pytest.raises(wb.WorkbenchError) as error:
        value_of(given, kind, "s", "segment")
    assert str(error.value) == (
        f"segment: {given!r} is not a value of 's', whose type is {kind}; give one of that type."
    )


def of_segments(first: Any, second: Any, kind: pa.DataType) -> pa.Table:
    """Return events of users 1 and 2, each in a segment."""
    days = [datetime(2024, 1, day) for day in (1, 1, 5, 5)]
    return pa.table({
        "user_id": [1, 1, 2, 2], "timestamp": days, "event": ["visit", "buy"] * 2,
        "s": pa.array([first, first, second, second], kind),
    })  # fmt: skip


def people(events: Any, value: Any, **options: Any) -> list[int]:
    rows = FUNNEL.people(events, **{"reached": 1, "by": "s", "segment": value} | options)
    return [row["user_id"] for row in rows.collect()]


def users_of(events: Any, value: Any) -> Any:
    return FUNNEL.compare(events, by="s", baseline=value).attrs["baseline"]


@pytest.mark.usefixtures("spark")
def test_nan_and_null_are_two_segments() -> None:
    events = of_segments(NAN, None, pa.float64())
    assert [people(events, value) for value in (NAN, (None,), pd.NA)] == [[1], [2], [2]]
    events = events.append_column("device", pa.array(["tv", "tv", "web", "web"]))
    for value, users in ((NAN, "tv"), [1]), ((NAN, "web"), [2]), ((None, "tv"), []):
        assert people(events, value, by=["s", "device"]) == users


@pytest.mark.usefixtures("spark")
def test_nan_means_null_where_no_segment_is_nan() -> None:
    events = of_segments(0.5, None, pa.float64())
    assert people(events, NAN) == [2]
    assert people(of_segments(NAN, None, pa.float64()), NAN, stopped_at=1, reached=None) == []


@pytest.mark.usefixtures("spark")
def test_a_baseline_of_nan_is_found_and_zero_has_no_sign() -> None:
    events = of_segments(NAN, -0.0, pa.float64())
    (nan,) = users_of(events, NAN)
    assert np.isnan(nan)
    assert str(users_of(events, 0)[0]) == "0.0"


def test_a_value_that_the_column_cannot_hold_is_refused_before_a_job(spark: SparkSession) -> None:
    events = of_segments(1, None, pa.int32())
    with no_job(spark):
        for query in (people, users_of):
            with pytest.raises(
                wb.WorkbenchError, match="'abc' is not a value of 's', whose type is"
            ):
                query(events, "abc")


def test_a_segment_is_found_by_its_time_as_a_table_shows_it(spark: SparkSession) -> None:
    with session_options(spark, {ZONE: "Asia/Tokyo"}):
        for kind in ("timestamp", "timestamp_ntz", "date"):
            events = spark.sql(
                "SELECT 1 AS user_id, timestamp'2024-01-01' AS timestamp, 'visit' AS event, "
                f"{kind}'2024-01-01' AS s UNION ALL "
                f"SELECT 2, timestamp'2024-01-01', 'buy', {kind}'2024-01-02'"
            )
            shown = FUNNEL.steps(events, by="s")["s"][0]
            for value in (shown, "2024-01-01", date(2024, 1, 1)):
                assert people(events, value) == [1]
