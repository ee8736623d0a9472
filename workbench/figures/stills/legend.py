"""The legend of a still: a sample and the name of each trace of a figure."""

from typing import Any

import plotly.graph_objects as go

from workbench.figures.stills.labels import label, width_of
from workbench.figures.stills.marks import DASHES, Marks, box
from workbench.figures.svg import rect
from workbench.figures.theme import INK
from workbench.markup import Markup, element

LEGEND_ROW = 20.0


def legend(figure: go.Figure, width: float) -> tuple[Markup, int]:
    """Draw the names of the traces in rows, and return the number of rows, too."""
    shown = [
        trace
        for trace in figure.data
        if trace.type != "heatmap" and trace.name and trace.showlegend is not False
    ]
    once = {trace.legendgroup or id(trace): trace for trace in reversed(shown)}
    traces = [trace for trace in shown if once[trace.legendgroup or id(trace)] is trace]
    if len(figure.data) < 2 and not any(trace.showlegend for trace in traces):
        return Markup(), 0
    drawn, x, row = Markup(), 16.0, 0
    for trace in traces:
        wide = 46 + width_of(trace.name)
        if x > 16 and x + wide > width:
            x, row = 16.0, row + 1
        y = LEGEND_ROW * row
        drawn += _sample(trace, x, y) + label(x + 26, y, trace.name)
        x += wide
    return drawn, row + 1 if traces else 0


def _sample(trace: Any, x: float, y: float) -> Markup:
    """Draw a sample of a trace, 20 pixels wide."""
    if trace.type == "bar":
        return box(trace, 0, x + 2, y - 6, 16, 12)
    drawn = Markup()
    if trace.fill not in (None, "none"):
        drawn += rect(x, y - 6, 20, 12, fill=trace.fillcolor)
    elif "lines" in (trace.mode or "lines"):
        drawn += element(
            "line", x1=x, y1=y, x2=x + 20, y2=y, stroke=trace.line.color or INK,
            stroke_width=trace.line.width or 2, stroke_dasharray=DASHES.get(trace.line.dash),
        )  # fmt: skip
    if "markers" in (trace.mode or "lines"):
        drawn += Marks.of(trace).draw(0, x + 10, y)
    return drawn
