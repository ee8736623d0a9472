"""Features as they were served while time moved, as a still picture."""

from math import ceil, floor, log10
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray

from workbench.figures.markup import Markup, chart_words, element, joined
from workbench.figures.svg import (
    QUIET,
    RULE,
    clock,
    cut,
    document,
    line,
    moved,
    rect,
    text,
)

WIDTH, TOP, PLOT, LEFT, RIGHT, GAP = 900.0, 64.0, 250.0, 56.0, 14.0, 56.0
#: The symbols of plotly that the figure has, as paths around (0, 0).
SYMBOLS = {
    "square": "M-3.5,-3.5h7v7h-7Z",
    "diamond": "M0,-5L5,0L0,5L-5,0Z",
    "triangle-up": "M0,-4.5L4.5,3.5L-4.5,3.5Z",
    "x-thin": "M-6,-6L6,6M-6,6L6,-6",
}
DASHES = {"dash": "7,4", "dot": "2,3", "dashdot": "7,3,2,3"}


def served_svg(figure: go.Figure, title: str) -> Markup:
    """Draw what :func:`workbench.figures.served.served_figure` returned, as of its last moment.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure
    title : str

    Returns
    -------
    str
        An SVG document that needs nothing else.

    Examples
    --------
    >>> from workbench.figures.served import served_figure
    >>> served = pd.DataFrame({"user": ["ann", "ann"], "at": [5, 10], "count": [2, 3]})
    >>> drawn = served_svg(served_figure(served, "user", "at", ["count"]).figure, "Served")
    >>> "ann" in drawn and "count" in drawn
    True
    """
    names = [chart_words(one.text) for one in figure.layout.annotations]
    room = (WIDTH - LEFT - RIGHT - GAP * (len(names) - 1)) / len(names)
    drawn = text(12, 24, title, font_size=15, font_weight="bold") + _legend(figure)
    for place, name in enumerate(names):
        at = "" if place == 0 else str(place + 1)
        traces = [one for one in figure.data if (one.xaxis or "x") == f"x{at}"]
        ends = figure.layout[f"xaxis{at}"].range, figure.layout[f"yaxis{at}"].range
        drawn += moved(LEFT + place * (room + GAP), TOP, _panel(name, traces, ends, room))
    height = TOP + PLOT + 34
    return document(drawn, title, WIDTH, height)


def _legend(figure: go.Figure) -> Markup:
    drawn, x = Markup(), 16.0
    for trace in figure.data:
        if trace.showlegend:
            name = cut(chart_words(trace.name), 20)
            drawn += moved(x, 42, _mark(trace, 0, 0)) + text(x + 12, 46, name)
            x += 36 + 7 * len(name)
    return drawn


def _panel(name: str, traces: list[Any], ends: tuple[Any, Any], room: float) -> Markup:
    """The lines and the marks of one feature, with the ends of its axes."""
    drawn = text(0, -2, cut(name, 30), font_weight=600)
    drawn += rect(0, 8, room, PLOT - 8, fill="none", stroke=RULE)
    for trace in traces:
        x = room * _share(trace.x, ends[0])
        y = PLOT - (PLOT - 8) * _share(trace.y, ends[1])
        known = ~np.isnan(y)
        if trace.mode != "markers":
            points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x[known], y[known], strict=True))
            look = {"stroke": trace.line.color, "stroke_dasharray": DASHES.get(trace.line.dash)}
            drawn += element("polyline", points=points, fill="none", stroke_width=2, **look)
        drawn += joined(_mark(trace, a, b) for a, b in zip(x[known], y[known], strict=True))
    seen = [one for trace in traces for one in trace.x]
    for end, anchor, at in ((min, "start", 0.0), (max, "end", room)) if seen else ():
        drawn += text(at, PLOT + 16, clock(end(seen)), text_anchor=anchor, fill=QUIET, font_size=11)
    return drawn + _heights(ends[1])


def _heights(ends: Any) -> Markup:
    if ends is None:
        return text(10, 30, "no values", fill=QUIET)
    values = round_numbers(*map(float, ends))
    rows = zip(values, PLOT - (PLOT - 8) * _share(values, ends), strict=True)
    return joined(
        text(-6, y + 4, f"{value:,.10g}", text_anchor="end", fill=QUIET, font_size=11)
        + line(-3, y, 0, y, QUIET)
        for value, y in rows
    )


def round_numbers(low: float, high: float) -> list[float]:
    """Return two to five numbers between two others that are short to write.

    Examples
    --------
    >>> round_numbers(-11.9, 196.6)
    [0.0, 50.0, 100.0, 150.0]
    """
    power = 10.0 ** floor(log10(high - low))
    step = next(part for part in (0.2, 0.5, 1.0, 2.0) if (high - low) / (part * power) < 5) * power
    return [round(k * step, 12) for k in range(ceil(low / step), floor(high / step) + 1)]


def _share(values: Any, ends: Any) -> NDArray[np.float64]:
    """Where values lie between two ends, from 0 to 1; what is missing is NaN."""
    if ends is None:
        return np.full(len(values), np.nan)
    found = pd.Series([*ends, *values])
    instants = pd.api.types.is_datetime64_any_dtype(found.dtype)
    at = found.astype("int64" if instants else float).to_numpy(np.float64)
    return np.asarray((at[2:] - at[0]) / ((at[1] - at[0]) or 1.0))


def _mark(trace: Any, x: float, y: float) -> Markup:
    marker = trace.marker
    if marker.symbol == "x-thin":
        look = {"fill": "none", "stroke": marker.line.color, "stroke_width": 3}
        return moved(x, y, element("path", d=SYMBOLS["x-thin"], **look))
    if marker.symbol == "circle-open":
        return element("circle", cx=x, cy=y, r=7, fill="none", stroke=marker.color)
    if marker.symbol == "circle":
        return element("circle", cx=x, cy=y, r=3.5, fill=marker.color)
    return moved(x, y, element("path", d=SYMBOLS[marker.symbol], fill=marker.color))
