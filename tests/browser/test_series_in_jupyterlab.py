"""The series explorer as a person uses it, in a real JupyterLab."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenNotebook
from tests.browser.geometry import looks_wrong

pytestmark = pytest.mark.browser

CELLS = [
    """
import workbench as wb
from workbench.widgets.explorers.series import SeriesExplorer
spark = wb.session({"spark.master": "local[2]"})
over = wb.Over("origin", "time", wb.Frame.range("-3 days", "3 days"),
               iqr=wb.fn.quantile("temp", [0.25, 0.5, 0.75]))
SeriesExplorer(over, wb.datasets.weather(spark))
""",
]
ALL, WEEKLY = "8,703 rows in", "47 outliers in all"


def zoom(page: Page) -> None:
    """Drag over a tenth of the chart, as one does to zoom in."""
    box = page.locator(".js-plotly-plot .nsewdrag").first.bounding_box()
    assert box is not None
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 0.45 * box["width"], y)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.50 * box["width"], y, steps=4)
    page.mouse.move(box["x"] + 0.55 * box["width"], y, steps=4)
    page.mouse.up()


def test_an_analyst_moves_the_window_zooms_in_and_comes_back(open_notebook: OpenNotebook) -> None:
    page = open_notebook(CELLS)
    status = page.locator(".widget-html-content", has_text="rows in")
    expect(status).to_contain_text(ALL)
    expect(status).to_contain_text(WEEKLY)
    expect(page.locator(".js-plotly-plot").first).to_contain_text("median of its window")
    page.locator(".widget-hslider .noUi-handle").first.focus()
    page.keyboard.press("ArrowRight")
    expect(status).not_to_contain_text(WEEKLY)
    expect(page.get_by_text("wb.Frame.range('-7 days', '7 days')")).to_be_visible()
    points = re.compile(r"with ([\d,]+) points")
    whole = points.search(status.inner_text())
    zoom(page)
    expect(status).to_have_text(re.compile(r"with \d?,?\d{3} points"))
    page.wait_for_function("p => !document.body.innerText.includes(p)", arg=whole and whole[0])
    page.locator(".js-plotly-plot .nsewdrag").first.dblclick()
    expect(page.get_by_text(whole[0] if whole else "?")).to_be_visible()
    assert "\n".join(looks_wrong(page)) == ""
