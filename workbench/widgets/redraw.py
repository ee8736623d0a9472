"""Replacing the figure that a widget shows."""

from typing import Any

import plotly.graph_objects as go
from plotly.io.json import to_json_plotly

#: The properties that a redrawn figure keeps; all our figures have the same template.
SAME = ("uid", "type", "template")


def redraw(shown: go.FigureWidget, figure: go.Figure) -> None:
    """Draw a figure in place of the one that is shown, and send only the differences.

    Parameters
    ----------
    shown : plotly.graph_objects.FigureWidget
    figure : plotly.graph_objects.Figure

    Examples
    --------
    >>> shown = go.FigureWidget()
    >>> redraw(shown, go.Figure(go.Bar(y=[3, 1])))
    >>> shown.data[0].y
    (3, 1)
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
        old_value, new_value = before.get(name), after.get(name)
        if name not in SAME and to_json_plotly(old_value) != to_json_plotly(new_value):
            old[name] = new_value
