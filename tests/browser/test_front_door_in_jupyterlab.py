"""The front door as a newcomer uses it, in a real JupyterLab."""

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
    "mwh": [float(n % 37) for n in range(400)],
})
wb.explore(plants)
""",
]


def test_a_newcomer_opens_a_table_and_leaves_with_its_code(open_notebook: OpenNotebook) -> None:
    page = open_notebook(CELLS)
    card = page.locator(".wb-card").first
    expect(card).to_contain_text("2 different values, 200 rows each; ends in _id")
    expect(card).to_contain_text("16 of 400 cannot be read so, such as 'unknown'")
    assert looks_wrong(page) == []
    code = card.locator(".wb-code", has_text="import workbench as wb")
    card.get_by_role("button", name="Features as of queries").click()
    expect(code).to_contain_text("wb.explore(backfill, queries, events)")
    card.get_by_role("button", name="Moving band").click()
    expect(code).to_contain_text("times={'when': 'd/M/yyyy H:mm")
    card.get_by_role("button", name="Open the explorer").click()
    expect(card.get_by_text("The explorer is below")).to_be_visible()
    expect(card.locator(".js-plotly-plot").first).to_be_visible()
