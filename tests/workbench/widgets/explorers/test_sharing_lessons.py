"""Views of the explorers of lessons are shared, opened again, undone and redone."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pytest

import workbench as wb
from workbench.widgets import TileExplorer, TreeExplorer, WindowTypesExplorer
from workbench.widgets.explorers.explorer import Explorer


class Case(NamedTuple):
    """An explorer, its state, a change, the state after it, and states that it refuses."""

    make: Callable[[], Explorer]
    state: str
    change: Callable[[Any], None]
    other: str
    refused: tuple[str, ...]


def _set(name: str, value: Any) -> Callable[[Any], None]:
    return lambda explorer: setattr(explorer.inputs[name], "value", value)


CASES = {
    "tiles": Case(
        lambda: TileExplorer(16, 4, 14),
        "queries=16&range=4&range=14",
        _set("range", (3, 9)),
        "queries=16&range=3&range=9",
        ("range=4", "range=9&range=3", "range=0&range=17", "queries=8&range=4&range=9",
         "queries=99&range=1&range=2", "queries=two", "row=1"),
    ),
    "tree": Case(
        lambda: TreeExplorer([5, 7, 3, 10, 6, 2, 8, 4], before=5, after=1, fanout=2),
        "aggregate=sum&fanout=2&row=3&before=5&after=1&without=no",
        _set("without", True),
        "aggregate=sum&fanout=2&row=3&before=5&after=1&without=yes",
        ("aggregate=mode", "fanout=9", "row=8", "row=-1", "before=x", "without=so", "row=1&row=2"),
    ),
    "windows": Case(
        lambda: WindowTypesExplorer([6, 9, 14, 16], window=10, hop=5, query=17),
        "query=17&window=10&hop=5",
        _set("query", 12),
        "query=12&window=10&hop=5",
        ("query=99", "window=0", "hop=", "query=1.5"),
    ),
}  # fmt: skip
each = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


def page_data(page: str) -> Any:
    """Return the data for the script of a page."""
    return json.loads(page.partition('id="known">')[2].partition("</script>")[0])


@each
def test_a_state_opens_a_view_as_it_was(case: Case) -> None:
    explorer, again = case.make(), case.make()
    assert explorer.state == case.state
    case.change(explorer)
    assert explorer.state == case.other
    again.state = f"page.html#{explorer.state}"
    assert repr(again) == repr(explorer)
    assert again.words == explorer.words
    assert again._still() == explorer._still()


@each
def test_choices_are_undone_and_redone(case: Case) -> None:
    explorer = case.make()
    drawn = explorer._still()
    assert (explorer.share.undo.disabled, explorer.share.redo.disabled) == (True, True)
    case.change(explorer)
    explorer.share.undo.click()
    assert (explorer.state, explorer._still()) == (case.state, drawn)
    explorer.share.redo.click()
    assert explorer.state == case.other
    assert explorer._still() != drawn


@each
def test_a_state_that_does_not_fit_is_refused_and_changes_nothing(case: Case) -> None:
    explorer = case.make()
    case.change(explorer)
    drawn = explorer._still()
    for bad in case.refused:
        with pytest.raises(wb.WorkbenchError, match=r"^state: .*\.$"):
            explorer.state = bad
        assert (explorer.state, explorer._still()) == (case.other, drawn)


@each
def test_a_page_a_picture_and_a_table_are_written(case: Case, tmp_path: Path) -> None:
    explorer = case.make()
    page = explorer.to_html(tmp_path / "page.html")
    text = page.read_text("utf-8")
    assert page.stat().st_size <= 2_000_000
    assert text.count("<template>") > 20
    known = page_data(text)
    assert known["states"][known["first"]] == case.state
    assert len(known["states"]) == text.count("<template>")
    # Writing the page changes nothing.
    assert (explorer.state, explorer.share.undo.disabled) == (case.state, True)
    assert explorer.answer.code in text.replace("&#39;", "'")
    assert explorer.to_svg(tmp_path / "a.svg").read_text("utf-8").startswith("<svg")
    assert explorer.to_png(tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    table = pd.read_csv(explorer.to_csv(tmp_path / "a.csv"))
    assert table.columns.tolist() == explorer.answer.table.columns.tolist()
    assert len(table) == len(explorer.answer.table) > 0


@each
def test_the_line_of_code_opens_the_view(case: Case) -> None:
    explorer = case.make()
    case.change(explorer)
    names = {one.__name__: one for one in (TileExplorer, TreeExplorer, WindowTypesExplorer)}
    again = eval(explorer.answer.code, dict(names))
    assert (repr(again), again.state) == (repr(explorer), explorer.state)


def test_every_range_of_few_queries_is_in_the_page_of_tiles(tmp_path: Path) -> None:
    page = TileExplorer(4, 1, 1).to_html(tmp_path / "tiles.html").read_text("utf-8")
    assert page.count("<template>") == 5 * 5
    assert "Left out" not in page
    ranges = [(left, right) for left in range(5) for right in range(left, 5)]
    states = {f"queries=4&range={left}&range={right}" for left, right in ranges}
    assert set(page_data(page)["states"]) == states


def test_a_table_lists_the_parts_of_the_answer() -> None:
    explorer = TreeExplorer([5, 7, 3, 10, 6, 2, 8, 4], before=5, after=1, fanout=2)
    assert explorer.answer.table.to_numpy().tolist() == [["rows 0 to 3", "25"], ["row 4", "6"]]
    tiles = TileExplorer(16, 4, 14).answer.table
    assert tiles.to_numpy().tolist() == [[4, 8, 4], [8, 12, 4], [12, 14, 2]]
    kinds = WindowTypesExplorer([6, 9, 14, 16], window=10, hop=5, query=17).answer.table
    assert kinds["events"].tolist() == [3, 3, 4]
