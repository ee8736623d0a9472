"""The player of a retention: periods by their begin, rows by their number, events by their role."""

from typing import Any

import pandas as pd
import pytest
from pyspark.sql import SparkSession

import workbench as wb

EVENTS = pd.DataFrame({
    "who": ["ann"] * 5,
    "at": pd.to_datetime(["2023-12-31 10:00", "2024-01-03 12:00", "2024-01-03 13:00",
                          "2024-01-05 01:00", "2024-02-05 00:00"]),
    "what": ["x", "visit", "buy", "buy", "buy"],
})  # fmt: skip
#: By the length of periods: the period of the first event, and those of the first three rows.
CASES: dict[str, tuple[str, list[str]]] = {
    "1 day": ("03 Jan 2024", ["31 Dec 2023", "03 Jan 2024", "03 Jan 2024"]),
    "1 hour": ("03 Jan 2024 12:00",
               ["31 Dec 2023 10:00", "03 Jan 2024 12:00", "03 Jan 2024 13:00"]),
    "1 year": ("01 Jan 2024", ["01 Jan 2023", "01 Jan 2024", "01 Jan 2024"]),
}  # fmt: skip


def lesson(table: pd.DataFrame, every: Any) -> dict[str, Any]:
    retention = wb.retention(table, "visit", "buy", every=every, key="who", time="at", event="what")
    shown: dict[str, Any] = wb.play(retention, key="ann").lesson
    return shown


def cells(lesson: dict[str, Any], name: str) -> list[Any]:
    (picture,) = (one for one in lesson["pictures"] if one["title"] == name)
    found: list[Any] = picture["states"][-1]["cells"]
    return found


@pytest.mark.parametrize("every", CASES)
def test_a_period_is_shown_by_its_begin(spark: SparkSession, every: str) -> None:
    begin, first_rows = CASES[every]
    shown = lesson(EVENTS, every)
    assert shown["steps"][1]["caption"] == (
        f"03 Jan 2024 12:00: the first event; period 0 is {begin}."
    )
    assert cells(shown, "period")[:3] == first_rows


def test_rows_and_events_are_shown_in_words(spark: SparkSession) -> None:
    shown = lesson(EVENTS, "1 day")
    assert cells(shown, "fulfils") == ["·", "first", "again", "again", "again"]
    assert cells(shown, "returned")[:4] == ["row 2", "·", "row 3", "·"]
    assert shown["steps"][-1]["caption"] == "The first event is row 1."


def test_integer_times_keep_the_numbers_of_their_periods(spark: SparkSession) -> None:
    shown = lesson(EVENTS.assign(at=[0, 10, 11, 25, 99]), 10)
    assert cells(shown, "period") == ["0", "1", "1", "2", "9"]
    assert shown["steps"][1]["caption"].endswith("; period 0 is 1.")
