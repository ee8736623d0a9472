"""A plotly figure as a still: the picture in a saved notebook, for pages that run nothing.

It supports what our figures use and no more: points, lines, areas, bars and heat maps, on axes of
numbers, times and categories, with shapes, notes and a legend; and Sankey diagrams.
"""

import textwrap
from collections.abc import Sequence
from typing import Any, NamedTuple

import plotly.graph_objects as go

from workbench.figures.stills.axes import axes, room_below, ticks
from workbench.figures.stills.flows import flows_drawing
from workbench.figures.stills.labels import label, width_of
from workbench.figures.stills.legend import LEGEND_ROW, legend
from workbench.figures.stills.marks import DASHES
from workbench.figures.stills.panels import Panel, axis, panels_of
from workbench.figures.stills.traces import PanelPicture
from workbench.figures.svg import Part, cut, document, moved, rect, text
from workbench.figures.theme import INK, QUIET
from workbench.markup import Markup, element, joined

WIDTH = 900.0
#: The height of a line of text.
_LINE = 20.0
#: The default height and margins of a layout.
_HEIGHT, _TOP, _BOTTOM = 450, 60, 40
_ANCHORS = {"left": "start", "center": "middle", "right": "end", "auto": "middle"}


def still(figure: go.Figure, title: str, words: str = "", width: float = WIDTH) -> Markup:
    """Draw a figure as SVG.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure
    title : str
        The heading, which is also for screen readers.
    words : str
        The text below the title.
    width : float
        The width in pixels, unless the figure has one.

    Returns
    -------
    str
        A self-contained SVG document.

    Examples
    --------
    >>> drawn = still(go.Figure(go.Bar(x=["a", "b"], y=[3, 1], name="n")), "Counts")
    >>> drawn.count("<rect"), ">Counts</text>" in drawn
    (3, True)
    """
    drawn, height, width = picture(figure, width)
    return page(title, (drawn, height), words, width)


def page(title: str, part: Part, words: str = "", width: float = WIDTH) -> Markup:
    """Return a document with a title, a text, and a drawing below them.

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
    content, height = with_heading(title, part, words, width)
    return document(content, title, width, height + 8)


def with_heading(title: str, part: Part, words: str, width: float) -> Part:
    """Return a drawing below a title and a text."""
    # The width of letters in the widest of the fallback fonts.
    lines = textwrap.wrap(words, int((width - 24) / 8.2))
    body = joined(text(12, 46 + _LINE * k, line, font_size=14) for k, line in enumerate(lines))
    top = 34 + _LINE * len(lines) + (6 if lines else 0)
    drawn, height = part
    head = text(12, 24, cut(title, int((width - 24) / 10)), font_size=15, font_weight="bold")
    return head + body + moved(0, top, drawn), top + height


class NamedFigure(NamedTuple):
    """A figure with a heading, one of several.

    Attributes
    ----------
    figure : plotly.graph_objects.Figure
    name : str
        The heading.
    words : str
        The text below the heading.
    width : float
        The width in pixels, unless the figure has one.
    """

    figure: go.Figure
    name: str
    words: str = ""
    width: float = WIDTH


def side_by_side(figures: Sequence[NamedFigure], title: str, most: float = 1300.0) -> Markup:
    """Draw figures side by side.

    Parameters
    ----------
    figures : sequence of NamedFigure
    title : str
        The title for screen readers.
    most : float
        The largest width, unless a single figure is wider; further figures follow below.

    Returns
    -------
    str
        A self-contained SVG document.

    Examples
    --------
    >>> one = go.Figure(go.Bar(x=["a", "b"], y=[3, 1], name="n"))
    >>> drawn = side_by_side([NamedFigure(one, "before"), NamedFigure(one, "after")], "Counts")
    >>> ">before</text>" in drawn, ">after</text>" in drawn
    (True, True)
    """
    drawn, height, width = arrange(figures, most)
    return document(drawn, title, width, height)


def arrange(figures: Sequence[NamedFigure], most: float) -> tuple[Markup, float, float]:
    """Return the drawing of figures side by side, like :func:`side_by_side`, without a card.

    Parameters
    ----------
    figures : sequence of NamedFigure
    most : float
        The largest width; with 0, each figure is below the one before.

    Returns
    -------
    tuple of (Markup, float, float)
        The drawing, its height and its width.
    """
    drawn, left, top, below, widest = Markup(), 0.0, 0.0, 0.0, 0.0
    for one in figures:
        part, height, width = picture(one.figure, one.width)
        content, height = with_heading(one.name, (part, height), one.words, width)
        if left and left + width > most:
            left, top, below = 0.0, below, below
        drawn += moved(left, top, content)
        left, below = left + width, max(below, top + height)
        widest = max(widest, left)
    return drawn, below + 8, widest


def picture(figure: go.Figure, width: float = WIDTH) -> tuple[Markup, float, float]:
    """Return the drawing of a figure without its title, its height and its width.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure
    width : float
        As in :func:`still`.

    Returns
    -------
    tuple of (Markup, float, float)
    """
    width = float(figure.layout.width or width)
    if figure.data and figure.data[0].type == "sankey":
        high = float(figure.layout.height or _HEIGHT)
        return flows_drawing(figure.data[0], 0, 12, width, high - 24), high, width
    layout, panels = figure.layout, panels_of(figure)
    legend_rows, rows = legend(figure, width)
    inside = _inside(figure, panels, width, rows)
    drawings = {
        names: PanelPicture(panel, *_box(figure, names, inside)) for names, panel in panels.items()
    }
    below = [one for one in layout.shapes if one.layer == "below"]
    above = [one for one in layout.shapes if one.layer != "below"]
    drawn = moved(0, 12, legend_rows) + joined(_shape(one, drawings, inside) for one in below)
    drawn += joined(map(axes, drawings.values()))
    drawn += joined(drawing.traces() for drawing in drawings.values())
    drawn += joined(_shape(one, drawings, inside) for one in above)
    drawn += joined(_note(one, drawings, inside) for one in layout.annotations)
    bottom = (
        inside.top + inside.height + max(room_below(panel.axes[0]) for panel in panels.values())
    )
    if layout.title.text and layout.title.y is not None and layout.title.y < 0.5:
        drawn += label(12, bottom + 8, layout.title.text, fill=QUIET)
        bottom += LEGEND_ROW
    return drawn, bottom, width


class Inside(NamedTuple):
    """The area of a figure's panels, between its margins."""

    left: float
    top: float
    width: float
    height: float


def _inside(
    figure: go.Figure, panels: dict[tuple[str, str], Panel], width: float, rows: int
) -> Inside:
    """Return the area of panels, below the rows of the legend and right of the tick labels."""
    layout, margin = figure.layout, figure.layout.margin
    first = [panel for (x, _), panel in panels.items() if _domain(figure, x)[0] < 0.01]
    names = [name for one in first for name in ticks(one.axes[1], one.y, 250)[1]]
    widest = max((width_of(name, 11) for name in names), default=0.0)
    has_titles = any(panel.axes[1].title.text for panel in first)
    left = max(14 + widest + (22 if has_titles else 0), margin.l or 0)
    right = max(26.0, margin.r or 0.0)
    noted = any(note.yref == "paper" and (note.y or 0) >= 1 for note in layout.annotations)
    ticks_above = any(panel.axes[0].side == "top" for panel in panels.values())
    top = 8 + LEGEND_ROW * rows + (22 if noted else 6) + (20 if ticks_above else 0)
    height = _HEIGHT if layout.height is None else layout.height
    around = (_TOP if margin.t is None else margin.t) + (_BOTTOM if margin.b is None else margin.b)
    return Inside(left, top, width - left - right, float(height - around))


def _domain(figure: go.Figure, name: str) -> tuple[float, float]:
    """Return the part of the area that an axis has."""
    domain: tuple[float, float] = axis(figure, name).domain or (0.0, 1.0)
    return domain


def _box(figure: go.Figure, names: tuple[str, str], inside: Inside) -> tuple[float, ...]:
    """Return the box of a panel in the picture."""
    left, top, width, height = inside
    x, y = (_domain(figure, name) for name in names)
    return (
        left + width * x[0], top + height * (1 - y[1]), width * (x[1] - x[0]),
        height * (y[1] - y[0]),
    )  # fmt: skip


def _position(name: str, value: Any, drawings: dict[Any, PanelPicture], inside: Inside) -> float:
    """Return the position of a value of a shape or a note: on an axis, or a share of the area."""
    left, _, width, _ = inside
    if name == "paper":
        return float(left + width * value)
    for (x, y), drawing in drawings.items():
        if name == x:
            return float(drawing.x([value])[0])
        if name == y:
            return float(drawing.y([value])[0])
    return float(left)


def _vertical_position(
    name: str, value: Any, drawings: dict[Any, PanelPicture], inside: Inside
) -> float:
    _, top, _, height = inside
    if name == "paper":
        return float(top + height * (1 - value))
    return _position(name, value, drawings, inside)


def _shape(shape: Any, drawings: dict[Any, PanelPicture], inside: Inside) -> Markup:
    x0, x1 = (_position(shape.xref or "x", at, drawings, inside) for at in (shape.x0, shape.x1))
    y0, y1 = (
        _vertical_position(shape.yref or "y", at, drawings, inside) for at in (shape.y0, shape.y1)
    )
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


def _note(note: Any, drawings: dict[Any, PanelPicture], inside: Inside) -> Markup:
    x = _position(note.xref or "x", note.x, drawings, inside) + (note.xshift or 0)
    y = _vertical_position(note.yref or "y", note.y, drawings, inside) - (note.yshift or 0)
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
