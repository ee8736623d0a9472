"""The figure of served features, moved back in time as a person does, in a real JupyterLab."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenNotebook
from tests.browser.geometry import looks_wrong

pytestmark = pytest.mark.browser

CELL = """
import pandas as pd
from workbench.figures.served import served_figure
served = pd.DataFrame({"user": ["ann"] * 5, "at": range(5), "count": [2, 3, 5, 8, 9]})
served_figure(served, "user", "at", ["count"])
"""


def test_a_reader_drags_the_time_back(open_notebook: OpenNotebook) -> None:
    page = open_notebook([CELL])
    figure = page.locator(".js-plotly-plot").first
    expect(figure).to_contain_text("as of 4")
    points = figure.locator(".scatterlayer .point")
    expect(points).to_have_count(5)
    grip, rail = figure.locator(".slider-grip-rect"), figure.locator(".slider-rail-touch-rect")
    grip.drag_to(rail, target_position={"x": 6, "y": 5}, force=True)
    expect(figure).to_contain_text("as of 0")
    expect(points).to_have_count(1)
    assert "\n".join(looks_wrong(page)) == ""
