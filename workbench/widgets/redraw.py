"""Replacing the figure that a widget shows."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.io.json import to_json_plotly

from workbench.widgets.chart import Chart

#: The properties that a redrawn figure keeps; all our figures have the same template.
SAME = ("uid", "type", "template")
NOTES = "annotations"


def redraw(shown: Chart, figure: go.Figure) -> None:
    """Draw a figure in place of the one that is shown, and send only the differences.

    Parameters
    ----------
    shown : Chart
    figure : plotly.graph_objects.Figure

    Examples
    --------
    >>> shown = Chart()
    >>> redraw(shown, go.Figure(go.Bar(y=[3, 1])))
    >>> shown.data[0].y
    (3, 1)
    """
    is_another = [one.type for one in shown.data] != [one.type for one in figure.data]
    with shown.batch_update():
        if is_another:
            shown.data = []
            shown.add_traces(figure.data)
            shown.layout.annotations = None
        for old, new in zip(shown.data, figure.data, strict=True):
            change_to(old, new)
        change_to(shown.layout, figure.layout, but=(NOTES,) if is_another else ())
    if is_another:
        # plotly draws new notes before new axes: a time on an axis of numbers is an error there.
        change_to(shown.layout, figure.layout)
    shown.whole = figure


def change_to(old: Any, new: Any, but: Iterable[str] = ()) -> None:
    """Give a trace or a layout the properties of another one; those that are equal are not sent.

    Parameters
    ----------
    old, new : plotly object
    but : iterable of str
        The properties that stay as they are.
    """
    before, after = old.to_plotly_json(), new.to_plotly_json()
    for name in (before.keys() | after.keys()) - {*but}:
        old_value, new_value = before.get(name), after.get(name)
        if name not in SAME and not _equal(old_value, new_value):
            old[name] = new_value


def _equal(one: Any, other: Any) -> bool:
    """Return whether two properties are equal; columns are compared without writing them as JSON.

    A column with NaN may count as changed.
    """
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return np.array_equal(one, other)
    return bool(to_json_plotly(one) == to_json_plotly(other))
