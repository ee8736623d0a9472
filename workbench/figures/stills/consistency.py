"""How many served values agree with those of a backfill over time, as a still picture."""

from typing import Any

import plotly.graph_objects as go

from workbench.figures.markup import Markup, chart_words, element
from workbench.figures.svg import INK, QUIET, RULE, clock, document, line, rect, text

WIDTH, TOP, PLOT, LEFT, RIGHT = 900.0, 64.0, 220.0, 64.0, 14.0
#: The patterns of plotly that the figure has, as lines of a tile of six by six.
PATTERNS = {"/": "M0,6L6,0", "x": "M0,6L6,0M0,0L6,6", ".": "M2,3h2"}


def consistency_svg(figure: go.Figure, title: str) -> Markup:
    """Draw what :func:`workbench.figures.consistency.consistency_figure` returned.

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
    >>> bar = go.Bar(x=[0, 5], y=[100, 50], name="equal", marker={"color": "#56b4e9"})
    >>> "equal" in consistency_svg(go.Figure([bar]), "Agreement")
    True
    """
    height = TOP + PLOT + 34
    drawn = text(12, 24, title, font_size=15, font_weight="bold")
    drawn += _axis(chart_words(figure.layout.yaxis.title.text or ""))
    drawn += _bars(figure.data) + _legend(figure.data)
    return document(drawn, title, WIDTH, height)


def _axis(name: str) -> Markup:
    drawn = text(12, TOP - 12, name, fill=QUIET)
    for share in (0, 50, 100):
        y = TOP + PLOT * (1 - share / 100)
        drawn += line(LEFT, y, WIDTH - RIGHT, y, RULE)
        drawn += text(LEFT - 8, y + 4, str(share), text_anchor="end", fill=QUIET, font_size=11)
    return drawn


def _bars(states: Any) -> Markup:
    """A column of boxes for each period, the states one upon the other."""
    times = list(states[0].x) if states else []
    step = (WIDTH - LEFT - RIGHT) / max(len(times), 1)
    drawn = Markup()
    for place, time in enumerate(times):
        x, y = LEFT + place * step + 0.05 * step, TOP + PLOT
        for state in states:
            size = PLOT * float(state.y[place]) / 100
            y -= size
            drawn += _box(state, x, y, 0.9 * step, size) if size else ""
        if place % (len(times) // 8 + 1) == 0:
            drawn += text(
                x + 0.45 * step, TOP + PLOT + 18, clock(time), text_anchor="middle",
                fill=QUIET, font_size=11,
            )  # fmt: skip
    return drawn


def _box(state: Any, x: float, y: float, width: float, height: float) -> Markup:
    drawn = rect(x, y, width, height, fill=state.marker.color)
    lines = PATTERNS.get(state.marker.pattern.shape or "")
    if lines is None:
        return drawn
    name = f"wb-pattern-{state.name.replace(' ', '-')}"
    tile = element(
        "pattern", element("path", d=lines, stroke=INK, stroke_width=1, fill="none"),
        id=name, width=6, height=6, patternUnits="userSpaceOnUse",
    )  # fmt: skip
    return drawn + tile + rect(x, y, width, height, fill=f"url(#{name})")


def _legend(states: Any) -> Markup:
    drawn, x = Markup(), LEFT + 120
    for state in states:
        drawn += _box(state, x, TOP - 22, 12, 12) + text(x + 18, TOP - 12, state.name)
        x += 44 + 7 * len(state.name)
    return drawn
