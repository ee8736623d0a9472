"""Roles of columns are proposed from their values and their names, with the reason."""

from typing import Any

import pytest

from workbench.profiles.columns import ColumnProfile, TimeReading
from workbench.profiles.proposals import propose

ROWS = 10_000


def column(name: str, kind: str, distinct: int, **more: Any) -> ColumnProfile:
    """Return the profile of a column of 10,000 rows."""
    ends = ("a", "z") if kind == "text" else (0, 9)
    fields: dict[str, Any] = {
        "type": kind,
        "nulls": 0,
        "low": ends[0],
        "high": ends[1],
        "span": 0.0,
        "names": {},
        "readings": (),
    }
    return ColumnProfile(name=name, kind=kind, distinct=distinct, **(fields | more))


TIME = column(
    "at", "time", 9_000, type="timestamp", low="2024-01-01 00:00:00", high="2024-02-01 00:00:00"
)
USER = column("user_id", "integer", 240)
EVENT = column("event", "text", 3, names={"visit": 6_000, "cart": 3_000, "pay": 1_000})
PRICE = column("price", "number", 800, low=0.5, high=1_250.0)
ROW = column("row_id", "integer", 10_000)
COUNTRY = column("country", "text", 6, names={"US": 5_000, "DE": 5_000})
YEAR = column("year", "integer", 2)


def test_each_role_has_its_column_and_a_reason() -> None:
    proposals = propose([ROW, YEAR, COUNTRY, PRICE, EVENT, USER, TIME], ROWS)
    assert {role: (some[0].column, some[0].reason) for role, some in proposals.items()} == {
        "key": ("user_id", "about 240 different values, 42 rows each; ends in _id"),
        "time": (
            "at",
            "timestamps from 2024-01-01 00:00:00 to 2024-02-01 00:00:00; is called at",
        ),
        "event": ("event", "3 different texts, most often 'visit' (60%); is called event"),
        "value": ("price", "numbers from 0.5 to 1,250.00; is called price"),
    }


def test_the_reason_of_one_value_is_singular() -> None:
    proposals = propose([column("user_id", "text", 1), TIME], ROWS)
    assert proposals["key"][0].reason == "1 different value, 10,000 rows each; ends in _id"


@pytest.mark.parametrize(
    ("columns", "role", "best"),
    [
        ([ROW, USER], "key", "user_id"),
        ([column("tailnum", "text", 40), column("flight", "integer", 300)], "key", "tailnum"),
        ([YEAR, column("station", "text", 3)], "key", "station"),
        ([EVENT, USER], "key", "user_id"),
        ([COUNTRY, EVENT], "event", "event"),
        ([column("text", "text", 9_000)], "event", None),
        ([USER, YEAR, PRICE], "value", "price"),
        ([column("ok", "flag", 2)], "value", None),
        ([COUNTRY, USER, PRICE], "time", None),
        ([column("at", "time", 0, nulls=ROWS)], "time", None),
    ],
)
def test_the_best_column_of_several_is_proposed(
    columns: list[ColumnProfile], role: str, best: str | None
) -> None:
    proposals = propose(columns, ROWS)[role]
    assert (proposals[0].column if proposals else None) == best


def codes(name: str, distinct: int = 4, **more: Any) -> ColumnProfile:
    """Return the profile of a column of few integers, the first of which is in half of the rows."""
    return column(name, "integer", distinct, names={"1": 5_000, "2": 2_500, "3": 1_500}, **more)


def test_integer_codes_are_proposed_as_events_by_their_name() -> None:
    (best,) = propose([TIME, USER, codes("evt")], ROWS)["event"]
    assert (best.column, best.reason) == (
        "evt",
        "4 different codes, most often 1 (50%); is called evt",
    )


@pytest.mark.parametrize("name", ["event_type", "eventId", "Step No", "status"])
def test_columns_of_codes_with_such_names_are_proposed_as_events(name: str) -> None:
    assert [one.column for one in propose([TIME, USER, codes(name)], ROWS)["event"]] == [name]


@pytest.mark.parametrize(
    "other",
    [
        codes("quantity"),
        codes("x7"),
        codes("event_count"),
        codes("step_value"),
        codes("user_type"),
        codes("shop_id"),
        codes("event_day"),
        codes("event", distinct=2),
        codes("event", distinct=100),
        codes("event", nulls=ROWS - 6),
        column("event", "integer", 4),
    ],
    ids=lambda one: f"{one.name}-{one.distinct}-{one.nulls}",
)
def test_amounts_identifiers_flags_and_parts_of_dates_are_not_proposed_as_events(
    other: ColumnProfile,
) -> None:
    assert propose([TIME, USER, other], ROWS)["event"] == ()


def test_text_called_an_event_comes_before_codes() -> None:
    proposals = propose([TIME, USER, codes("event_type"), EVENT], ROWS)["event"]
    assert [one.column for one in proposals] == ["event", "event_type"]


def test_the_reason_of_text_read_as_times_counts_values_that_cannot_be() -> None:
    readings = tuple(
        TimeReading(format, read, ROWS - read, ("n/a", "soon"), "2024-01-01", "2024-06-01", 9.0)
        for format, read in (("d/M/yyyy", 9_990), ("M/d/yyyy", 9_990))
    )
    text = column("when", "text", 150, readings=readings)
    (best,) = propose([text], ROWS)["time"]
    assert best.format == "d/M/yyyy"
    assert best.reason == (
        "text read as d/M/yyyy, from 2024-01-01 to 2024-06-01; 10 of 10,000 cannot be read this "
        "way, such as 'n/a' and 'soon'; M/d/yyyy fits as many; is called when"
    )


def test_a_table_without_rows_has_no_proposal() -> None:
    empty = column("user_id", "integer", 0, low=None, high=None)
    assert propose([empty], 0) == {"key": (), "time": (), "event": (), "value": ()}
