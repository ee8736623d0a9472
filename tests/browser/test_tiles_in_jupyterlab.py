"""The tile explorer and the kinds of window as a person uses them, in a real JupyterLab."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenNotebook
from tests.browser.geometry import looks_wrong
from tests.browser.pointing import click_mark, click_point

pytestmark = pytest.mark.browser

CELLS = [
    """
from workbench.widgets.explorers.tile import TileExplorer
TileExplorer(16, 4, 14)
""",
    """
from workbench.widgets.explorers.window_types import WindowTypesExplorer
WindowTypesExplorer([6, 9, 14, 16], window=10, hop=5, query=17)
""",
]
HANDLES = ".widget-hslider .noUi-handle"


def test_a_reader_drags_the_range_and_moves_the_query(open_notebook: OpenNotebook) -> None:
    page = open_notebook(CELLS)
    expect(page.get_by_text("3 tiles cover them: [4, 8), [8, 12), [12, 14).")).to_be_visible()
    tree = page.locator(".widget-html svg").first
    expect(tree).to_contain_text("● [12, 14)")
    left, right = page.locator(HANDLES).nth(0), page.locator(HANDLES).nth(1)
    right.focus()
    page.keyboard.press("ArrowRight")
    expect(
        page.get_by_text("4 tiles cover them: [4, 8), [8, 12), [12, 14), [14, 15).")
    ).to_be_visible()
    expect(tree).to_contain_text("● 14")
    track = page.locator(".widget-hslider .noUi-base").first
    left.drag_to(track, target_position={"x": 0, "y": 1}, force=True)
    expect(
        page.get_by_text("4 tiles cover them: [0, 8), [8, 12), [12, 14), [14, 15).")
    ).to_be_visible()
    expect(tree).to_contain_text("● [0, 8)")
    tree.locator("[data-node]", has_text="[8, 12)").click()
    expect(page.get_by_text("Queries 8 to 11: a tile: one update.")).to_be_visible()

    page.get_by_role("button", name="Copy", exact=True).first.click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    for name in ("Play or pause", "Back to the first", "Again and again"):
        expect(page.get_by_role("button", name=name)).to_be_visible()
    kinds = page.locator(".js-plotly-plot").nth(1)
    expect(kinds).to_contain_text("query at 17")
    page.locator(HANDLES).nth(2).focus()
    page.keyboard.press("ArrowRight")
    expect(kinds).to_contain_text("query at 18")
    expect(page.get_by_text("Sawtooth: 4 events in [5, 18)")).to_be_visible()
    click_mark(page, kinds.locator(".scatterlayer .point").first)
    expect(
        page.get_by_text(re.compile("^Sliding window: [0-9]+ events? from 8 up to"))
    ).to_be_visible()
    assert "\n".join(looks_wrong(page)) == ""
    counts = page.locator(".js-plotly-plot").first
    click_point(page, counts, "tiles, at most", 13)
    expect(page.get_by_text("6 tiles cover them: [1, 2), [2, 4), [4, 8),")).to_be_visible()
