"""The front door as a newcomer uses it, in a real JupyterLab."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenNotebook
from tests.browser.geometry import looks_wrong

pytestmark = pytest.mark.browser

CELLS = [
    """
import pandas as pd
import workbench as wb
spark = wb.session({"spark.master": "local[2]"})
hours = pd.date_range("2024-01-01", periods=400, freq="3h")
plants = pd.DataFrame({
    "plant_id": ["Boston", "Worcester"] * 200,
    "when": hours.strftime("%d/%m/%Y %H:%M").where(hours.day != 9, "unknown"),
    "event": ["a name of an event that is longer than there is room for in a card", "off"] * 200,
    "mwh": [float(n % 37) for n in range(400)],
})
wb.explore(plants)
""",
]

#: Whether the cross of a step is visible, however long the step's name is.
WITHIN_ITS_TAG = """(cross) => cross.getBoundingClientRect().right
  <= cross.parentElement.getBoundingClientRect().right"""


def test_a_newcomer_opens_a_table_and_leaves_with_its_code(open_notebook: OpenNotebook) -> None:
    page = open_notebook(CELLS)
    card = page.locator(".wb-card").first
    expect(card).to_contain_text("2 different values, 200 rows each; ends in _id")
    expect(card).to_contain_text("16 of 400 cannot be read this way, such as 'unknown'")
    assert looks_wrong(page) == []
    # The focus of the keyboard is visible.
    card.locator("select").first.focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(card.locator("select").nth(1)).to_have_css("outline-width", "2px")
    expect(card.locator("select").nth(1)).to_have_css("outline-style", "solid")
    cross = card.locator(".jupyter-widget-tag-close").first
    assert cross.evaluate(WITHIN_ITS_TAG)
    cross.click()
    code = card.locator(".wb-code", has_text="import workbench as wb")
    card.get_by_role("button", name="Features as of queries").click()
    expect(code).to_contain_text("wb.explore(backfill, queries, events)")
    card.get_by_role("button", name="Moving band").click()
    expect(code).to_contain_text("times={'when': 'd/M/yyyy H:mm")
    card.get_by_role("button", name="Open the explorer").click()
    expect(card.get_by_text("The explorer is below")).to_be_visible()
    expect(card.locator(".js-plotly-plot").first).to_be_visible()
    # Screen readers get the name and the value of a slider.
    window = card.get_by_role("slider", name="Window", exact=True)
    expect(window).to_have_attribute("aria-valuetext", re.compile("before"))
    for end in ("from", "to"):
        expect(card.get_by_role("slider", name=f"Quantiles, {end}")).to_be_visible()
    expect(card.locator('.widget-label[title="null"]').filter(visible=True)).to_have_count(0)
