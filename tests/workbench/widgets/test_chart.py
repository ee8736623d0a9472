"""What a browser is sent for a chart."""

import json

import ipywidgets as widgets
import plotly.graph_objects as go

from workbench.widgets.chart import Chart, PlotlyScript


def test_charts_share_one_script_of_plotly() -> None:
    first, second = Chart(go.Figure(go.Bar(y=[3, 1]))), Chart()
    assert first._plotly is second._plotly
    assert b"newPlot" in first._plotly.code
    assert len(json.dumps(first.get_state(), default=str)) < 100_000


def test_the_script_is_sent_anew_after_all_widgets_were_closed() -> None:
    closed = PlotlyScript.get()
    widgets.Widget.close_all()
    assert Chart()._plotly is not closed
    assert PlotlyScript.get() is PlotlyScript.get()
