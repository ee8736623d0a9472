"""The frame explorer as a person uses it, in a real JupyterLab."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenNotebook
from tests.browser.geometry import looks_wrong
from tests.browser.pointing import click_point

pytestmark = pytest.mark.browser

CELLS = [
    """
import workbench as wb
spark = wb.session({"spark.master": "local[2]"})
plants = wb.datasets.power_plants(spark)
week = wb.Frame.range("-3 days", "3 days")
wb.explore(wb.Over("plant", "date", week, middle=wb.fn.median("mwh")), plants)
""",
]


def test_an_analyst_changes_the_frame_and_steps_through_it(open_notebook: OpenNotebook) -> None:
    page = open_notebook(CELLS)
    expect(page.get_by_text("4 to 7 rows in a frame")).to_be_visible()
    chart = page.locator(".js-plotly-plot").first
    expect(chart).to_contain_text("the row itself")
    click_point(page, chart, "in the frame", 1)
    expect(page.get_by_text("of the 4 rows in its frame")).to_be_visible()
    page.get_by_role("button", name="ROWS", exact=True).click()
    expect(page.get_by_text("2 to 3 rows in a frame")).to_be_visible()
    page.get_by_label("from", exact=True).select_option("unbounded")
    expect(page.get_by_text("2 to 12 rows in a frame")).to_be_visible()
    page.locator(".widget-dropdown select").last.select_option(label="EXCLUDE CURRENT ROW")
    line = re.compile(r"wb\.Frame\.rows\(None, 1, exclude='current row'\)")
    expect(page.get_by_text(line)).to_be_visible()
    expect(chart).to_contain_text("left out by EXCLUDE")
    page.get_by_label("Partition", exact=True).select_option(label="Worcester · 12 rows")
    expect(chart).to_contain_text("118860")
    page.get_by_role("button", name="Step through").click()
    expect(page.get_by_text("Step 1 of")).to_be_visible()
    assert "\n".join(looks_wrong(page)) == ""
