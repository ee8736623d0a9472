"""A chart that is drawn anew: in the cell that stays of two, and with ranges of its own."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenNotebook
from tests.browser.pointing import IS_DRAWN, zoom

pytestmark = pytest.mark.browser

CELLS = [
    """
import ipywidgets as widgets
import plotly.graph_objects as go
from workbench.widgets.chart import Chart
from workbench.widgets.redraw import redraw
chart = Chart(go.Figure(go.Bar(y=[1, 2]), {"xaxis": {"range": [0, 1]}}))
button = widgets.Button(description="draw anew")
axes = {"xaxis": {"range": [-1, 4]}, "yaxis": {"fixedrange": True}}
anew = go.Figure([go.Scatter(y=[1, 3]), go.Scatter(y=[2, 2])], axes)
button.on_click(lambda _: redraw(chart, anew))
chart
""",
    "chart",
    "button",
]
CLEAR_FIRST = """() =>
  window.jupyterapp.shell.currentWidget.content.model.cells.get(0).outputs.clear()"""
RANGE = "(plot) => plot._fullLayout.xaxis.range"


def test_a_chart_is_drawn_anew_where_it_is_still_shown(open_notebook: OpenNotebook) -> None:
    page = open_notebook(CELLS)
    charts = page.locator(".js-plotly-plot .main-svg .barlayer .trace")
    expect(charts).to_have_count(2)
    page.evaluate(CLEAR_FIRST)
    expect(charts).to_have_count(1)
    page.get_by_role("button", name="draw anew").click()
    expect(page.locator(".js-plotly-plot .scatterlayer .trace")).to_have_count(2)
    # A double click returns from a zoom to the ranges of the figure that is there now.
    plot = page.locator(".js-plotly-plot")
    for _ in range(2):
        plot.evaluate(IS_DRAWN)
        zoom(page)
        plot.evaluate(IS_DRAWN)
        low, high = plot.evaluate(RANGE)
        assert -1 < low < high < 4
        plot.locator(".nsewdrag").dblclick()
        plot.evaluate(IS_DRAWN)
        assert plot.evaluate(RANGE) == [-1, 4]
