"""A chart that two cells show is drawn anew in the one that stays, whichever of them goes."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenNotebook

pytestmark = pytest.mark.browser

CELLS = [
    """
import ipywidgets as widgets
import plotly.graph_objects as go
from workbench.widgets.chart import Chart
from workbench.widgets.redraw import redraw
chart = Chart(go.Figure(go.Bar(y=[1, 2])))
button = widgets.Button(description="draw anew")
button.on_click(lambda _: redraw(chart, go.Figure([go.Scatter(y=[1, 3]), go.Scatter(y=[2, 2])])))
chart
""",
    "chart",
    "button",
]
CLEAR_FIRST = """() =>
  window.jupyterapp.shell.currentWidget.content.model.cells.get(0).outputs.clear()"""


def test_a_chart_is_drawn_anew_where_it_is_still_shown(open_notebook: OpenNotebook) -> None:
    page = open_notebook(CELLS)
    charts = page.locator(".js-plotly-plot .main-svg .barlayer .trace")
    expect(charts).to_have_count(2)
    page.evaluate(CLEAR_FIRST)
    expect(charts).to_have_count(1)
    page.get_by_role("button", name="draw anew").click()
    expect(page.locator(".js-plotly-plot .scatterlayer .trace")).to_have_count(2)
