"""Drawing a figure anew where another is shown."""

from typing import Any

import plotly.graph_objects as go
from plotly.io.json import to_json_plotly

#: What a figure keeps that is drawn anew: all of ours have one template.
SAME = ("uid", "type", "template")


def redraw(shown: go.FigureWidget, figure: go.Figure) -> None:
    """Draw a figure where another is shown, and send only what differs.

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
        was, is_now = before.get(name), after.get(name)
        if name not in SAME and to_json_plotly(was) != to_json_plotly(is_now):
            old[name] = is_now
