"""Draw a figure where another is shown, and send only what differs."""

from typing import Any

import plotly.graph_objects as go
from plotly.io.json import to_json_plotly


def redraw(shown: go.FigureWidget, figure: go.Figure) -> None:
    """Make a shown figure like another one.

    Parameters
    ----------
    shown : plotly.graph_objects.FigureWidget
    figure : plotly.graph_objects.Figure
    """
    with shown.batch_update():
        if [trace.type for trace in shown.data] != [trace.type for trace in figure.data]:
            shown.data = []
            shown.add_traces(figure.data)
        for old, new in zip(shown.data, figure.data, strict=True):
            _change(old, new)
        _change(shown.layout, figure.layout)


def _change(old: Any, new: Any) -> None:
    before, after = old.to_plotly_json(), new.to_plotly_json()
    for name in before.keys() | after.keys():
        was, is_now = before.get(name), after.get(name)
        if name not in ("uid", "type") and to_json_plotly(was) != to_json_plotly(is_now):
            old[name] = is_now
