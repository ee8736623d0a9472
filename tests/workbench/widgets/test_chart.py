"""What a browser is sent for a chart and for a table."""

import json

import pandas as pd
import plotly.graph_objects as go
import pytest
from ipywidgets import Widget

from workbench.widgets.chart import Chart
from workbench.widgets.redraw import redraw
from workbench.widgets.table import Grid


@pytest.mark.parametrize(
    ("one", "other", "within"),
    [
        (Chart(go.Figure(go.Bar(y=[3, 1]))), Chart(), b"newPlot"),
        (Grid(pd.DataFrame({"n": [1]})), Grid(), b"DataTable"),
    ],
    ids=["charts", "tables"],
)
def test_widgets_of_a_kind_share_one_script(one: Widget, other: Widget, within: bytes) -> None:
    assert one._script is other._script
    assert within in one._script.code
    assert len(json.dumps(one.get_state(), default=str)) < 150_000


def test_a_script_is_sent_anew_after_all_widgets_were_closed() -> None:
    closed = Chart()._script
    Widget.close_all()
    again = Chart()._script
    assert again is not closed
    assert again is Chart()._script


def test_a_page_that_is_loaded_again_gets_the_current_figure() -> None:
    chart = Chart()
    redraw(chart, go.Figure(go.Bar(y=[3, 1]), {"title": {"text": "by now"}}))
    # JupyterLab asks for the states of all widgets at once, and for none of them by itself.
    state = Widget.get_manager_state()["state"][chart.model_id]["state"]
    assert [trace["y"] for trace in state["_widget_data"]] == [[3, 1]]
    assert state["_widget_layout"]["title"]["text"] == "by now"
