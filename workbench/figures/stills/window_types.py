"""The three kinds of window on a time line as a still picture, for pages that run no widget."""

from collections.abc import Sequence

from workbench.figures.markup import Markup, element, joined
from workbench.figures.svg import (
    BLUE,
    GREY,
    INK,
    ORANGE,
    QUIET,
    RULE,
    SKY,
    VERMILLION,
    Part,
    line,
    rect,
    text,
)
from workbench.figures.window_types import MOST_TICKS, Clock, hop_marks
from workbench.lessons.window_types import WindowType

LEFT, RIGHT, TOP, ROW, BAR = 80.0, 80.0, 26.0, 56.0, 30.0


def kinds_svg(
    kinds: Sequence[WindowType],
    query: int,
    hop: int,
    time: Sequence[int],
    extent: tuple[int, int],
    clock: Clock,
    width: float,
) -> Part:
    """Draw the windows of each kind that end at a query.

    Parameters
    ----------
    kinds, query, hop, time, extent, clock
        As :func:`workbench.figures.window_types.kinds_figure` takes them.
    width : float
        The width of the drawing.

    Returns
    -------
    tuple of str and float
        The SVG elements and their height.

    Examples
    --------
    >>> from workbench.lessons.window_types import window_kinds
    >>> drawn, _ = kinds_svg(window_kinds(9, 4, 5, [6]), 9, 5, [6], (0, 10), str, 800)
    >>> "query at 9" in drawn, drawn.count("<circle")
    (True, 3)
    """
    low, high = extent
    bottom = TOP + ROW * len(kinds)

    def x(at: int) -> float:
        return LEFT + (at - low) / (high - low) * (width - LEFT - RIGHT)

    drawn, marks = Markup(), hop_marks(hop, extent)
    for at in marks:
        drawn += line(x(at), TOP, x(at), bottom, RULE)
    for at in marks[:: -(-len(marks) // MOST_TICKS)]:
        drawn += text(x(at), bottom + 16, clock(at), text_anchor="middle", fill=QUIET, font_size=11)
    for row, kind in enumerate(kinds):
        y = TOP + ROW * row + ROW / 2
        edges = [x(min(max(at, low), high)) for at in (kind.low, kind.tail, kind.high)]
        drawn += _bar(y, *edges) + text(LEFT - 8, y + 4, kind.name, text_anchor="end")
        drawn += text(width - RIGHT + 10, y + 4, f"{kind.count} events", font_weight=700)
        inside = [kind.first <= number < kind.last for number in range(len(time))]
        dots = [_event(x(at), y, held) for at, held in zip(time, inside, strict=True)]
        drawn += joined(dots)
    drawn += line(x(query), TOP, x(query), bottom, VERMILLION, 2.5)
    middle = {"text_anchor": "middle", "fill": VERMILLION, "font_weight": 700}
    return drawn + text(x(query), TOP - 8, f"query at {clock(query)}", **middle), bottom + 24


def _bar(y: float, low: float, tail: float, high: float) -> Markup:
    style = {"stroke": INK, "fill_opacity": 0.5}
    drawn = Markup()
    if low < tail:
        drawn += rect(low, y - BAR / 2, tail - low, BAR, fill=SKY, **style)
    if tail < high:
        dashes = {"stroke_dasharray": "4 3"}
        drawn += rect(tail, y - BAR / 2, high - tail, BAR, fill=ORANGE, **style, **dashes)
    return drawn


def _event(x: float, y: float, inside: bool) -> Markup:
    look = {"fill": BLUE} if inside else {"fill": "#fff", "stroke": GREY, "stroke_width": 1.5}
    return element("circle", cx=x, cy=y, r=4.5, **look)
