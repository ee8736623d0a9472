"""The affected range of a change, drawn over the rows of a partition."""

from collections.abc import Sequence

from workbench.figures.svg import document, line, rect, text
from workbench.figures.theme import BLUE, ORANGE, QUIET, RAISED, RULE, SKY, VERMILLION
from workbench.markup import Markup, element

WIDTH, ROW, TOP, LEFT, ROOM = 820.0, 30.0, 56.0, 24.0, 330.0
#: The marks, by their names in the article.
MARKS = ("first_frame_start", "first_curr_row", "last_curr_row", "last_frame_end")


def affected_svg(
    rows: Sequence[str], changed: int, marks: tuple[int, int, int, int], title: str
) -> Markup:
    """Draw which rows a change affects, and which rows their answers depend on.

    Parameters
    ----------
    rows : sequence of str
        The rows as text.
    changed : int
        The new row.
    marks : (int, int, int, int)
        The rows of :data:`MARKS`.
    title : str

    Returns
    -------
    str

    Examples
    --------
    >>> picture = affected_svg(["10:00", "10:02", "10:06"], 2, (0, 1, 2, 2), "An insert")
    >>> all(mark in picture for mark in MARKS)
    True
    """
    height = TOP + ROW * len(rows) + 20
    start, first, last, end = marks
    drawn = text(LEFT, 26, title, font_size=15, font_weight="bold")
    drawn += _bracket(LEFT + ROOM + 26, start, end, ORANGE, "7 4")
    drawn += _bracket(LEFT + ROOM + 12, first, last, BLUE, None)
    for number, row_text in enumerate(rows):
        y = TOP + ROW * number
        inside = first <= number <= last
        fill = SKY if inside else RAISED
        drawn += rect(LEFT, y + 3, ROOM, ROW - 6, fill=fill, fill_opacity=0.5, stroke=RULE)
        if number == changed:
            drawn += rect(
                LEFT, y + 3, ROOM, ROW - 6, fill="none", stroke=VERMILLION, stroke_width=2
            )
        arrives = "   ← comes" if number == changed else ""
        drawn += text(LEFT + 10, y + 20, row_text + arrives, font_family="ui-monospace, monospace")
        named = [name for name, row in zip(MARKS, marks, strict=True) if row == number]
        drawn += text(LEFT + ROOM + 44, y + 20, ", ".join(named), fill=QUIET)
    return document(drawn, title, WIDTH, height)


def _bracket(x: float, first: int, last: int, color: str, dash: str | None) -> Markup:
    top, bottom = TOP + ROW * first + 5, TOP + ROW * (last + 1) - 5
    ends = line(x - 6, top, x, top, color, 2) + line(x - 6, bottom, x, bottom, color, 2)
    side = element(
        "line", x1=x, y1=top, x2=x, y2=bottom, stroke=color, stroke_width=2, stroke_dasharray=dash
    )
    return ends + side
