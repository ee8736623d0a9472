"""Durations as people write them, and the errors for everything else."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.durations import (
    DAY,
    HOUR,
    MOST_TICKS,
    SECOND,
    duration_text,
    from_epoch,
    microseconds,
    since_epoch,
    ticks,
)
from workbench.errors import WorkbenchError

SUCH_AS = "such as '1 hour', '90 days' or timedelta(minutes=5)."

WRITTEN = [
    ("1 hour", HOUR),
    ("1 HOUR", HOUR),
    ("1hour", HOUR),
    ("1.5 hours", 90 * 60 * SECOND),
    ("90 days", 90 * DAY),
    ("2 weeks", 14 * DAY),
    ("1 week 1 day", 8 * DAY),
    ("1 day 12 hours", 36 * HOUR),
    ("5 min", 300 * SECOND),
    ("1:30:00", 90 * 60 * SECOND),
    ("1 day 1:30:00", 25 * HOUR + 1800 * SECOND),
    ("P1DT2H", 26 * HOUR),
    ("P1WT1M1.5S", 7 * DAY + 61 * SECOND + 500_000),
    ("3 us", 3),
    ("0 seconds", 0),
    (timedelta(0), 0),
    (timedelta(days=2, microseconds=1), 2 * DAY + 1),
    (pd.Timedelta("1 min"), 60 * SECOND),
    (np.timedelta64(1, "h"), HOUR),
]

REFUSED = [
    (90, "window: 90 has no unit; give a duration with a unit, " + SUCH_AS),
    (True, "window: True is not a length of time; give one " + SUCH_AS),
    (float("nan"), "window: nan has no unit; give a duration with a unit, " + SUCH_AS),
    (" 90 ", "window: ' 90 ' has no unit; give a duration with a unit, " + SUCH_AS),
    ("-5", "window: '-5' has no unit; give a duration with a unit, " + SUCH_AS),
    ("soon", "window: 'soon' is not a duration; give one " + SUCH_AS),
    ("hour", "window: 'hour' is not a duration; give one " + SUCH_AS),
    ("", "window: '' is not a duration; give one " + SUCH_AS),
    ("nat", "window: 'nat' is not a duration; give one " + SUCH_AS),
    (
        "1 month",
        "window: '1 month' has no fixed length, as months differ in length; "
        "give days, such as '30 days'.",
    ),
    (
        "2 Years 1 day",
        "window: '2 Years 1 day' has no fixed length, as years differ in length; "
        "give days, such as '730 days'.",
    ),
    (
        "quarter",
        "window: 'quarter' has no fixed length, as quarters differ in length; "
        "give days, such as '91 days'.",
    ),
    ("1 monthly", "window: '1 monthly' is not a duration; give one " + SUCH_AS),
    ("1 hour 30", "window: '1 hour 30' is not a duration; give one " + SUCH_AS),
    ("1,5 hours", "window: '1,5 hours' is not a duration; give one " + SUCH_AS),
    *(
        (text, f"window: {text!r} is not a duration; give one " + SUCH_AS)
        # pandas would read a minute, 5 hours and 1 second, 35 days, 11 hours, 93 minutes, ...
        for text in ["P1M", "PT1.5H", "P0.5W", "1+1 hours", "1.5.5 hours", "1:30:00 1 day"]
    ),
    (None, "window: None is not a duration; give one " + SUCH_AS),
    (["1 hour"], "window: ['1 hour'] is not a duration; give one " + SUCH_AS),
    ("-1 hour", "window: '-1 hour' is negative; give a duration of zero or more, " + SUCH_AS),
    (
        timedelta(hours=-1),
        "window: -1 day, 23:00:00 is negative; give a duration of zero or more, " + SUCH_AS,
    ),
    ("1 ns", "window: '1 ns' is finer than a microsecond, which is the finest unit."),
    ("200000 days", "window: '200000 days' is too long; give a duration of at most 292 years."),
    (
        timedelta(days=200_000),
        "window: 200000 days, 0:00:00 is too long; give a duration of at most 292 years.",
    ),
]

REFUSED_TICKS = [
    (-1, "window: -1 is negative; give zero or more."),
    (2**63, f"window: {2**63} is too long; give at most {MOST_TICKS}."),
    *(
        (
            value,
            f"window: {value!r} has a unit, but the time column holds integers; "
            "give an integer in the unit of that column.",
        )
        for value in ["1 hour", timedelta(hours=1)]
    ),
    *(
        (
            value,
            f"window: {value!r} is not an integer, but the time column holds integers; "
            "give an integer in the unit of that column.",
        )
        for value in [True, 1.5, None]
    ),
]

FORMATTED = [
    (0, "0 s"),
    (250, "250 µs"),
    (1_500, "0.0015 s"),
    (1.5 * SECOND, "1.5 s"),
    (59 * SECOND, "59 s"),
    (60 * SECOND, "1 min"),
    (90 * 60 * SECOND, "1 h 30 min"),
    (DAY, "1 day"),
    (2 * DAY + HOUR + SECOND, "2 days 1 h"),
    (DAY + 60 * SECOND, "1 day 1 min"),
]


@pytest.mark.parametrize(("value", "micros"), WRITTEN, ids=repr)
def test_a_duration_is_parsed_into_microseconds(value: Any, micros: int) -> None:
    assert microseconds(value) == micros


@pytest.mark.parametrize(("value", "sentence"), REFUSED, ids=repr)
def test_an_invalid_duration_is_refused(value: Any, sentence: str) -> None:
    with pytest.raises(WorkbenchError) as error:
        microseconds(value)
    assert str(error.value) == sentence


@pytest.mark.parametrize(("value", "sentence"), REFUSED_TICKS, ids=repr)
def test_an_integer_time_column_takes_an_integer_only(value: Any, sentence: str) -> None:
    with pytest.raises(WorkbenchError) as error:
        ticks(value)
    assert str(error.value) == sentence


@pytest.mark.parametrize("read", [microseconds, ticks])
def test_the_error_names_the_caller_s_argument(read: Any) -> None:
    with pytest.raises(WorkbenchError, match=r"^hop: "):
        read(-1, "hop")


@pytest.mark.parametrize(("micros", "text"), FORMATTED, ids=repr)
def test_a_duration_is_formatted_in_its_two_largest_units(micros: float, text: str) -> None:
    assert duration_text(micros) == text


@given(st.timedeltas(timedelta(0), timedelta(days=100_000)))
def test_every_timedelta_keeps_its_microseconds(value: timedelta) -> None:
    assert microseconds(value) == value // timedelta(microseconds=1)


@given(st.integers(0, MOST_TICKS))
def test_ticks_are_returned_unchanged(value: int) -> None:
    assert ticks(value) == value


@pytest.mark.parametrize("kind", [np.int64, np.uint8, np.int8])
def test_integers_of_numpy_are_valid_ticks(kind: Any) -> None:
    assert (ticks(kind(10)), type(ticks(kind(10)))) == (10, int)


def test_a_negative_integer_of_numpy_is_refused() -> None:
    negative: Any = np.int64(-3)
    with pytest.raises(WorkbenchError, match=r"^window: -3 is negative; give zero or more\.$"):
        ticks(negative)


@given(st.datetimes(timezones=st.just(UTC)))
def test_a_time_and_its_microseconds_convert_both_ways(moment: datetime) -> None:
    assert from_epoch(since_epoch(moment)) == moment
    assert since_epoch(moment.replace(tzinfo=None)) == since_epoch(moment)
    assert since_epoch(moment.replace(tzinfo=timezone(timedelta(hours=2)))) == (
        since_epoch(moment) - 2 * HOUR
    )
