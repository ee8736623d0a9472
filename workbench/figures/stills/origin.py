"""Where a feature's number came from as a still picture, for pages that run no widget."""

from collections.abc import Callable
from typing import Any

from workbench.backfill.inspect.origin import Origin, in_words
from workbench.backfill.inspect.origin_pieces import EVENT
from workbench.figures.markup import Markup, element, joined
from workbench.figures.origin import KINDS, extent, lines
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
    cut,
    line,
    rect,
    text,
)

LEFT, RIGHT, EVENTS, PIECES, TOP, BOTTOM = 90.0, 130.0, 26.0, 64.0, 112.0, 262.0
Clock = Callable[[int], str]
Across = Callable[[int], float]


def origin_svg(origin: Origin, clock: Clock, width: float) -> Part:
    """Draw the window of a query: its events, its pieces, and the running merge to the answer.

    Parameters
    ----------
    origin : Origin
    clock : function
        How a time is written.
    width : float
        The width of the drawing.

    Returns
    -------
    tuple of str and float
        The SVG elements and their height.

    Examples
    --------
    >>> import workbench as wb
    >>> views = wb.session().sql("SELECT 'ann' AS user, id AS ts FROM range(20)")
    >>> count = wb.Backfill("user", "ts", wb.Aggregation("count", windows=8), hop=5)
    >>> drawn, _ = origin_svg(count.origin(views, views, "ann"), str, 800)
    >>> drawn.count("<circle"), "query at 19" in drawn
    (10, True)
    """
    low, high = extent(origin)

    def across(time: int) -> float:
        return LEFT + (min(max(time, low), high) - low) / (high - low) * (width - LEFT - RIGHT)

    drawn = joined(
        text(LEFT - 10, y + 4, words, text_anchor="end")
        for y, words in ((EVENTS, "events"), (PIECES, "pieces"))
    )
    drawn += joined(
        element("circle", cx=across(at), cy=EVENTS, r=4.0, **_look(held))
        for at, held in zip(origin.time.tolist(), origin.counts.tolist(), strict=True)
        if low <= at <= high
    )
    drawn += _pieces(origin, across) + _merge(origin, across)
    drawn += line(across(origin.query), 10, across(origin.query), BOTTOM, VERMILLION, 2)
    drawn += joined(
        text(across(at), BOTTOM + 18, clock(at), text_anchor="middle", fill=QUIET, font_size=11)
        for at in dict.fromkeys((origin.low, origin.low + (origin.query - origin.low) // 2))
    )
    at_query = {"text_anchor": "middle", "fill": VERMILLION, "font_size": 11}
    return (
        drawn
        + text(across(origin.query), BOTTOM + 18, f"query at {clock(origin.query)}", **at_query),
        BOTTOM + 28,
    )


def _look(counts: bool) -> dict[str, str]:
    return {"fill": BLUE} if counts else {"fill": "#fff", "stroke": GREY}


def _pieces(origin: Origin, across: Across) -> Markup:
    drawn = []
    for piece in origin.pieces:
        x, color = across(piece.begin), KINDS[piece.kind][1]
        if piece.kind == EVENT:
            drawn.append(rect(x - 4, PIECES - 4, 8, 8, fill=color, stroke=INK))
        else:
            size = across(min(piece.end, origin.high)) - x
            box = {"fill": color, "fill_opacity": 0.55, "stroke": INK}
            drawn.append(rect(x, PIECES - 14, size, 28, **box))
    return joined(drawn)


def _merge(origin: Origin, across: Across) -> Markup:
    """The running merge as steps, with its last value beside it."""
    drawn = line(LEFT, BOTTOM, across(origin.query), BOTTOM, RULE)
    drawn += text(LEFT - 10, (TOP + BOTTOM) / 2, "merge", text_anchor="end")
    if not origin.pieces:
        return drawn
    series = lines(origin)
    height = _heights(series)
    ends = [across(min(piece.end, origin.high)) for piece in origin.pieces]
    colors = (BLUE, VERMILLION, INK, ORANGE, SKY, GREY)
    named: list[float] = []
    for (name, values), color in zip(series.items(), colors, strict=False):
        ys = [height(value) for value in values]
        points = f"M{ends[0]:.1f},{ys[0]:.1f}"
        points += "".join(f"H{x:.1f}V{y:.1f}" for x, y in zip(ends[1:], ys[1:], strict=True))
        points += f"H{across(origin.query):.1f}"
        drawn += element("path", d=points, fill="none", stroke=color, stroke_width=2)
        y = ys[-1]
        while any(abs(y - other) < 13 for other in named):
            y += 13
        named.append(y)
        label = cut(
            in_words(values[-1]) if name == "merge" else f"{name} {in_words(values[-1])}", 15
        )
        at = across(origin.query) + 8
        drawn += text(at, y + 4, label, fill=color, font_weight=700)
    return drawn


def _heights(series: dict[str, list[Any]]) -> Callable[[Any], float]:
    """Where a value is drawn: numbers by their size, other answers by their order."""
    found = [value for values in series.values() for value in values if value is not None]
    if all(isinstance(value, int | float) for value in found):
        numbers = [float(value) for value in found if value == value]
        least, most = min(numbers, default=0.0), max(numbers, default=0.0)
        room = (most - least) or 1.0

        def height(value: Any) -> float:
            known = value is not None and value == value
            return BOTTOM - 6 - ((value if known else least) - least) / room * (BOTTOM - TOP - 12)

        return height
    order = {value: rank for rank, value in enumerate(sorted(set(map(str, found))))}
    step = (BOTTOM - TOP - 12) / max(len(order) - 1, 1)
    return lambda value: BOTTOM - 6 - step * order.get(str(value), 0)
