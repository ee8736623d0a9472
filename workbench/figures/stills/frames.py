"""Which rows are in the frame of each row, as a still picture, for pages that run no widget."""

import numpy as np

from workbench.figures.frames import MOST_LETTERS, heading, row_names
from workbench.figures.markup import Markup, element, joined
from workbench.figures.svg import (
    BLUE,
    INK,
    ORANGE,
    QUIET,
    RAISED,
    VERMILLION,
    Part,
    cut,
    document,
    line,
    rect,
    text,
)
from workbench.windows.inspect.frame_table import FrameTable

CELL, TOP, LETTER = 22.0, 88.0, 6.8
MOST_WIDTH = 1100.0


def frames_svg(table: FrameTable, title: str) -> Markup:
    """Draw the frames of a partition's rows and the answers, as SVG.

    Parameters
    ----------
    table : FrameTable
    title : str

    Returns
    -------
    str

    Examples
    --------
    >>> import workbench as wb
    >>> days = wb.session().range(3).withColumnRenamed("id", "day")
    >>> table = wb.Over(order_by="day", frame=wb.Frame.rows(-1, 0), n=wb.fn.count()).frames(days)
    >>> "in the frame" in frames_svg(table, "Frames")
    True
    """
    names, rows = row_names(table), len(table.labels)
    left = max(map(len, [heading(table), *names])) * LETTER + 24
    drawn = text(12, 22, title, font_size=15, font_weight="bold", fill=INK) + _legend()
    head = {"text_anchor": "end", "fill": QUIET, "font_weight": "bold"}
    drawn += text(left - 10, TOP - 8, heading(table), **head) + _peers(table, left)
    drawn += joined(_row(table, i, name, left) for i, name in enumerate(names))
    answers, width = _answers(table, left + CELL * rows + 14)
    width, height = max(width, 640.0), TOP + CELL * rows + 14
    return document(drawn + answers, title, width, height, min(width, MOST_WIDTH))


def _row(table: FrameTable, i: int, name: str, left: float) -> Markup:
    y = TOP + CELL * i + CELL / 2
    drawn = text(left - 10, y + 4, name, text_anchor="end", fill=INK)
    cells = range(len(table.labels))
    drawn += joined(_cell(table.mark(i, j), left + CELL * (j + 0.5), y) for j in cells)
    return drawn + _diamond(left + CELL * (i + 0.5), y, bool(table.inside[i, i]))


def _legend() -> Markup:
    items = [("in", "in the frame"), ("not counted", "in it, but null or filtered out")]
    items += [("left out", "left out by EXCLUDE")]
    drawn = _diamond(20, 40) + text(30, 44, "the row itself", fill=QUIET)
    x = 130.0
    for mark, words in items:
        drawn += _cell(mark, x, 40) + text(x + 14, 44, words, fill=QUIET)
        x += len(words) * 5.9 + 46
    return drawn


def _cell(mark: str, x: float, y: float) -> Markup:
    if mark == "in":
        return rect(x - 8, y - 8, 16, 16, fill=BLUE)
    if mark == "not counted":
        return rect(x - 7, y - 7, 14, 14, fill="none", stroke=BLUE, stroke_width=2)
    if mark == "left out":
        ends = (x - 5, y - 5, x + 5, y + 5), (x - 5, y + 5, x + 5, y - 5)
        return joined(line(*end, VERMILLION, 2) for end in ends)
    return element("circle", cx=x, cy=y, r=1.5, fill="#c9ccd2")


def _diamond(x: float, y: float, inside: bool = True) -> Markup:
    """A row itself: open where it is not in its own frame."""
    r, fill = (6, ORANGE) if inside else (10, "none")
    corners = f"{x:.1f},{y - r:.1f} {x + r:.1f},{y:.1f} {x:.1f},{y + r:.1f} {x - r:.1f},{y:.1f}"
    return element("polygon", points=corners, fill=fill, stroke=INK, stroke_width=1.5)


def _peers(table: FrameTable, left: float) -> Markup:
    drawn = Markup()
    for group in np.unique(table.group):
        members = np.flatnonzero(table.group == group)
        if len(members) > 1:
            first, size = int(members[0]) * CELL, len(members) * CELL
            width = CELL * len(table.labels)
            drawn += rect(left, TOP + first, width, size, fill=RAISED)
            box = {"fill": "none", "stroke": INK, "stroke_dasharray": "2 3"}
            drawn += rect(left + first, TOP + first, size, size, **box)
    return drawn


def _answers(table: FrameTable, x: float) -> Part:
    drawn = Markup()
    for name in table.shown:
        texts = [cut(value, MOST_LETTERS) for value in table.texts(name)]
        drawn += text(x, TOP - 8, cut(name, MOST_LETTERS), fill=QUIET, font_weight="bold")
        for i, value in enumerate(texts):
            drawn += text(x, TOP + CELL * i + CELL / 2 + 4, value, fill=INK)
        x += max(map(len, [name, *texts])) * LETTER + 18
    return drawn, x
