"""A plotly figure as a still: the picture in a saved notebook, for pages that run nothing.

It knows what our figures have and no more: points, lines, areas, bars and heat maps, on axes of
numbers, times and categories, with shapes, notes and a legend.
"""

import textwrap
from typing import Any

import numpy as np
import plotly.graph_objects as go

from workbench.figures.markup import Markup, element, joined
from workbench.figures.stills.labels import label, width_of
from workbench.figures.stills.marks import DASHES, box, mark
from workbench.figures.stills.panels import Panel, axis, panels_of
from workbench.figures.stills.traces import PanelPicture
from workbench.figures.svg import INK, QUIET, RULE, Part, cut, document, line, moved, rect, text

WIDTH, MOST_WIDTH = 900.0, 1100.0
_ROW = 20.0
#: What a layout takes as its height and its margins where it says nothing.
_HEIGHT, _TOP, _BOTTOM = 450, 60, 40
_ANCHORS = {"left": "start", "center": "middle", "right": "end", "auto": "middle"}


def still(figure: go.Figure, title: str, words: str = "") -> Markup:
    """Draw a figure as SVG.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure
    title : str
        What stands above it, and is said to those who do not see it.
    words : str
        What is told below the title.

    Returns
    -------
    str
        An SVG document that needs nothing else.

    Examples
    --------
    >>> drawn = still(go.Figure(go.Bar(x=["a", "b"], y=[3, 1], name="n")), "Counts")
    >>> drawn.count("<rect"), ">Counts</text>" in drawn
    (3, True)
    """
    drawn, height, width = picture(figure)
    return page(title, (drawn, height), words, width)


def page(title: str, part: Part, words: str = "", width: float = WIDTH) -> Markup:
    """Return a document of a title, of what is told, and of a drawing below them.

    Parameters
    ----------
    title : str
    part : (Markup, float)
        The drawing, and its height.
    words : str
    width : float

    Returns
    -------
    str
    """
    lines = textwrap.wrap(words, int(width / 7.4))
    told = joined(text(12, 46 + _ROW * k, line, font_size=14) for k, line in enumerate(lines))
    top = 34 + _ROW * len(lines) + (6 if lines else 0)
    drawn, height = part
    head = text(12, 24, cut(title, int(width / 8.8)), font_size=15, font_weight="bold")
    whole = head + told + moved(0, top, drawn)
    return document(whole, title, width, top + height + 8, min(width, MOST_WIDTH))


def picture(figure: go.Figure) -> tuple[Markup, float, float]:
    """Return the drawing of a figure without its title, its height and its width.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure

    Returns
    -------
    tuple of (Markup, float, float)
    """
    layout, found = figure.layout, panels_of(figure)
    width = float(layout.width or WIDTH)
    notes = layout.annotations
    named, rows = _legend(figure, width)
    outside = [_ticks(panel.axes[1], panel.y, 250) for panel in _at_left(figure, found)]
    widest = max((width_of(one, 11) for _, names in outside for one in names), default=0.0)
    titled = any(panel.axes[1].title.text for panel in _at_left(figure, found))
    margin = layout.margin
    left = max(14 + widest + (22 if titled else 0), (margin.l or 0) if margin.l != 80 else 0)
    right = max(26.0, (margin.r or 0.0) if margin.r != 80 else 0.0)
    above = any(note.yref == "paper" and (note.y or 0) >= 1 for note in notes)
    aside = any(panel.axes[0].side == "top" for panel in found.values())
    top = 8 + _ROW * rows + (22 if above else 6) + (20 if aside else 0)
    given = _HEIGHT if layout.height is None else layout.height
    t, b = (_TOP if margin.t is None else margin.t, _BOTTOM if margin.b is None else margin.b)
    inside = (left, top, width - left - right, float(given - t - b))
    drawings = {
        names: PanelPicture(panel, *_box(figure, names, inside)) for names, panel in found.items()
    }
    drawn = moved(0, 12, named)
    drawn += joined(_shape(one, drawings, inside) for one in layout.shapes if one.layer == "below")
    drawn += joined(_axes(drawing, title_room=left) for drawing in drawings.values())
    drawn += joined(drawing.traces() for drawing in drawings.values())
    drawn += joined(_shape(one, drawings, inside) for one in layout.shapes if one.layer != "below")
    drawn += joined(_note(one, drawings, inside) for one in notes)
    bottom = top + inside[3] + max(
        (_below(panel.axes[0]) for panel in found.values()), default=0.0
    )  # fmt: skip
    if layout.title.text and layout.title.y is not None and layout.title.y < 0.5:
        drawn += label(12, bottom + 8, layout.title.text, fill=QUIET)
        bottom += _ROW
    return drawn, bottom, width


def _at_left(figure: go.Figure, found: dict[tuple[str, str], Panel]) -> list[Panel]:
    return [
        panel for (x, _), panel in found.items() if (axis(figure, x).domain or (0, 1))[0] < 0.01
    ]


def _box(figure: go.Figure, names: tuple[str, str], inside: Any) -> tuple[float, ...]:
    """Where a panel is in the picture."""
    left, top, width, height = inside
    x, y = (axis(figure, name).domain or (0, 1) for name in names)
    return (
        left + width * x[0], top + height * (1 - y[1]), width * (x[1] - x[0]),
        height * (y[1] - y[0]),
    )  # fmt: skip


def _shows(shown: Any) -> bool:
    return shown.visible is not False and shown.showticklabels is not False


def _ticks(shown: Any, scale: Any, room: float) -> tuple[list[Any], list[str]]:
    """The values and the names of an axis's ticks, as a chart's texts."""
    if not _shows(shown):
        return [], []
    if shown.tickvals is not None:
        names = shown.ticktext if shown.ticktext is not None else map(str, shown.tickvals)
        return list(shown.tickvals), list(names)
    values, names = scale.ticks(room)
    if shown.dtick == 1 and scale.kind == "linear":
        step = max(1, round(abs(scale.high - scale.low) * 22 / max(room, 1)))
        low, high = sorted((scale.low, scale.high))
        values = [float(k) for k in range(int(np.ceil(low)), int(high) + 1, step)]
        names = [f"{value:.0f}" for value in values]
    if shown.tickformat == ".0%":
        names = [f"{value:.0%}" for value in values]
    return list(values), list(names)


def _below(shown: Any) -> float:
    """The room that an axis across needs below its panel."""
    ticks = 22 if _shows(shown) and shown.side != "top" else 6
    return ticks + (18.0 if shown.title.text else 0.0)


def _axes(drawing: PanelPicture, title_room: float) -> Markup:
    across, up = drawing.panel.axes
    left, top, bottom = drawing.left, drawing.top, drawing.top + drawing.height
    drawn = Markup()
    if across.visible is not False and up.visible is not False:
        drawn += line(left, bottom, left + drawing.width, bottom, RULE)
    values, names = _ticks(up, drawing.panel.y, drawing.height)
    heights = drawing.y(values).tolist()
    for y, words in zip(heights, names, strict=True):
        if not top - 1 <= y <= bottom + 1:
            continue
        if up.showgrid is not False and drawing.panel.y.kind != "category":
            drawn += line(left, y, left + drawing.width, y, RULE)
        drawn += label(left - 7, y, words, anchor="end", size=11, fill=QUIET)
    values, names = _ticks(across, drawing.panel.x, drawing.width)
    height = top - 12 if across.side == "top" else bottom + 13
    drawn += _tick_names(drawing, drawing.x(values).tolist(), names, height, across)
    if across.title.text:
        middle = left + drawing.width / 2
        drawn += label(middle, bottom + (31 if names else 14), across.title.text,
                       anchor="middle", fill=QUIET)  # fmt: skip
    if up.title.text:
        x = left - max([0.0, *(width_of(one, 11) for one in _ticks(up, drawing.panel.y, 1)[1])])
        middle = top + drawing.height / 2
        turned = f"rotate(-90 {x - 18:.0f} {middle:.0f})"
        drawn += label(x - 18, middle, up.title.text, anchor="middle", fill=QUIET, transform=turned)
    return drawn


def _tick_names(
    drawing: PanelPicture, places: list[float], names: list[str], y: float, axis_: Any
) -> Markup:
    """Names from left to right, each only where it does not run into the one before."""
    drawn, end = Markup(), float("-inf")
    ends = drawing.left, drawing.left + drawing.width
    for x, words in zip(places, names, strict=True):
        half = width_of(words, 11) / 2
        if x - half < end + 6 or not ends[0] - 1 <= x <= ends[1] + 1:
            continue
        end = x + half
        if axis_.showgrid is not False and drawing.panel.x.kind != "category":
            drawn += line(x, drawing.top, x, drawing.top + drawing.height, RULE)
        drawn += label(x, y, words, anchor="middle", size=11, fill=QUIET)
    return drawn


def _place(name: str, value: Any, drawings: dict[Any, PanelPicture], inside: Any) -> float:
    """Where a value of a shape or a note is: on an axis, or as a share of what is inside."""
    left, _, width, _ = inside
    if name == "paper":
        return float(left + width * value)
    for (x, y), drawing in drawings.items():
        if name == x:
            return float(drawing.x([value])[0])
        if name == y:
            return float(drawing.y([value])[0])
    return float(left)


def _height(name: str, value: Any, drawings: dict[Any, PanelPicture], inside: Any) -> float:
    _, top, _, height = inside
    if name == "paper":
        return float(top + height * (1 - value))
    return _place(name, value, drawings, inside)


def _shape(shape: Any, drawings: dict[Any, PanelPicture], inside: Any) -> Markup:
    x0, x1 = (_place(shape.xref or "x", at, drawings, inside) for at in (shape.x0, shape.x1))
    y0, y1 = (_height(shape.yref or "y", at, drawings, inside) for at in (shape.y0, shape.y1))
    width = 2 if shape.line.width is None else shape.line.width
    style = {
        "stroke": (shape.line.color or INK) if width else None,
        "stroke_width": width or None,
        "stroke_dasharray": DASHES.get(shape.line.dash),
        "opacity": shape.opacity,
    }
    if shape.type == "line":
        return element("line", x1=x0, y1=y0, x2=x1, y2=y1, **style)
    low, high = min(x0, x1), min(y0, y1)
    return rect(low, high, abs(x1 - x0), abs(y1 - y0), fill=shape.fillcolor or "none", **style)


def _note(note: Any, drawings: dict[Any, PanelPicture], inside: Any) -> Markup:
    x = _place(note.xref or "x", note.x, drawings, inside) + (note.xshift or 0)
    y = _height(note.yref or "y", note.y, drawings, inside) - (note.yshift or 0)
    size = min(note.font.size or 12, 13)
    y += {"bottom": -10, "top": 10}.get(note.yanchor or "middle", 0)
    if note.xanchor in (None, "auto") and note.xref == "paper":
        anchor = "middle"
    else:
        anchor = _ANCHORS[note.xanchor or "center"]
    drawn = label(x, y, note.text, anchor=anchor, size=size, fill=note.font.color or INK)
    if not note.bgcolor:
        return drawn
    wide = width_of(note.text, size) + 6
    left = x - {"start": 3, "middle": wide / 2, "end": wide - 3}[anchor]
    return rect(left, y - 9, wide, 18, fill=note.bgcolor) + drawn


def _legend(figure: go.Figure, width: float) -> tuple[Markup, int]:
    """The names of the traces in rows, and how many rows there are."""
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
        y = _ROW * row
        drawn += _sample(trace, x, y) + label(x + 26, y, trace.name)
        x += wide
    return drawn, row + 1 if traces else 0


def _sample(trace: Any, x: float, y: float) -> Markup:
    """What a trace looks like, 20 wide."""
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
        drawn += mark(trace, 0, x + 10, y)
    return drawn
