"""The table of all explorers shows readable text, and is sorted and saved by its values."""

import json
import re
from typing import Any, cast

import pandas as pd
import pytest

from workbench.widgets.table import PAGE, Table

FRAME = pd.DataFrame(
    {
        "aircraft": ["N1<b>", None],
        "last_step": pd.to_datetime(cast(Any, ["2013-03-24 12:59", None])),
        "after": pd.to_timedelta([33_600, None], "s"),
        "users": [1200, 7],
        "part": [0.25, float("nan")],
    }
)


@pytest.fixture
def table() -> Table:
    table = Table(choose=True)
    table.show(FRAME, "f.people(events, 2).toPandas()", heads={"last_step": "last step"})
    return table


def options(table: Table) -> dict[str, Any]:
    found: dict[str, Any] = table.grid._dt_args
    return found


def test_values_are_shown_readably_and_kept_in_hidden_columns(table: Table) -> None:
    first, second = json.loads(options(table)["data_json"])
    assert first[:5] == ["N1&lt;b&gt;", "24 Mar 12:59", "9 h 20 min", "1,200", "0.25"]
    assert first[5:] == ["N1&lt;b&gt;", "2013-03-24 12:59:00", "33600.0", "1200", "0.25"]
    assert second == ["—", "—", "—", "7", "—", "", "", "", "7", ""]


def test_times_of_several_years_are_shown_with_their_year() -> None:
    table = Table()
    table.show(pd.DataFrame({"from": pd.to_datetime(["2012-12-31", "2013-01-07"])}), "")
    rows = json.loads(options(table)["data_json"])
    assert [row[0] for row in rows] == ["31 Dec 2012 00:00", "07 Jan 2013 00:00"]


def test_a_column_is_sorted_and_saved_by_its_hidden_values(table: Table) -> None:
    hidden, *seen = options(table)["columnDefs"]
    assert hidden == {"targets": [5, 6, 7, 8, 9], "visible": False, "searchable": False}
    assert [one["orderData"] for one in seen] == [[5], [6], [7], [8], [9]]
    button = options(table)["layout"]["topEnd"]["buttons"][0]
    assert button["exportOptions"]["columns"] == [5, 6, 7, 8, 9]


def test_text_is_on_the_left_and_numbers_on_the_right(table: Table) -> None:
    sides = [one["className"] for one in options(table)["columnDefs"][1:]]
    assert sides == ["dt-left", *["dt-right"] * 4]


def test_csv_has_the_names_of_the_columns_and_the_table_their_heads(table: Table) -> None:
    head = options(table)["table_html"]
    assert [head.count(f"<th>{name}</th>") for name in ("last step", "last_step", "users")] == [
        *(1, 1, 2)
    ]


def test_a_long_table_has_pages_and_a_search_and_a_short_one_has_neither(table: Table) -> None:
    assert (options(table)["layout"]["topStart"], options(table)["paging"]) == (None, False)
    table.show(pd.DataFrame({"n": range(PAGE + 1)}), "x")
    assert (options(table)["layout"]["topStart"], options(table)["paging"]) == ("search", True)
    assert len(json.loads(options(table)["data_json"])) == PAGE + 1


def test_a_large_table_loses_no_row(table: Table) -> None:
    table.show(pd.DataFrame({"text": ["x" * 400] * 500, "n": range(500)}), "x")
    assert len(json.loads(options(table)["data_json"])) == 500
    assert "downsampling_warning" not in options(table)


def test_a_clicked_row_is_chosen_until_another_table_is_shown(table: Table) -> None:
    seen: list[int | None] = []
    table.observe(lambda change: seen.append(change["new"]), names="chosen")
    table.grid.selected_rows = [1]
    table.show(FRAME, "x")
    assert (seen, table.grid.selected_rows) == ([1, None], [])


def test_a_table_without_rows_is_a_sentence(table: Table) -> None:
    table.show(FRAME.iloc[:0], "x", nothing="Nobody stopped here.")
    assert "Nobody stopped here." in table.note.value
    assert table.grid.layout.display == "none"
    table.show(FRAME, "x")
    assert (table.note.value, table.grid.layout.display) == ("", None)


def test_a_table_shows_the_code_that_returns_it_as_a_dataframe(table: Table) -> None:
    assert "f.people(events, 2).toPandas()" in table.code.value


def test_a_long_head_is_cut_above_a_column_and_whole_in_its_csv(table: Table) -> None:
    name = "a word" + " and another word" * 9
    table.show(pd.DataFrame({name: [1]}), "x")
    shown, of_csv = re.findall("<th>(.*?)</th>", options(table)["table_html"])
    assert (len(shown), of_csv) == (40, name)


def test_names_are_shown_as_they_are(table: Table) -> None:
    frame = pd.DataFrame([["\x00<i>\u202e", "b"]], columns=["<script>", "<script>"])
    table.show(frame, "x")
    assert json.loads(options(table)["data_json"])[0][0] == "␀&lt;i&gt;�"
    assert "<script>" not in options(table)["table_html"]


def test_a_table_without_content_is_hidden() -> None:
    table = Table()
    assert table.grid.layout.display == "none"
    table.show(FRAME, "")
    seen = table.grid.layout.display
    assert seen is None
    table.show(FRAME.head(0), "", nothing="")
    assert [table.grid.layout.display, table.note.value] == ["none", ""]
