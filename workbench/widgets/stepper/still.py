"""A still of the step player: one step of a lesson as an SVG picture, without a browser."""

import textwrap
from typing import Any

from workbench.figures.markup import Markup, joined
from workbench.figures.svg import (
    ORANGE,
    QUIET,
    RAISED,
    RULE,
    VERMILLION,
    Part,
    cut,
    document,
    moved,
    rect,
    text,
)
from workbench.widgets.stepper.lesson import Lesson
from workbench.widgets.stepper.pictures import WIDTH, drawn_at

_MARGIN, _INNER = 24, WIDTH
_WIDTH = _INNER + 2 * _MARGIN
_SOURCE_LINES = 9
_CODE_FONT = "ui-monospace, DejaVu Sans Mono, Menlo, Consolas, monospace"


def still(lesson: Lesson, step: int) -> Markup:
    """Draw one step of a lesson: caption, pictures, and source around the current line.

    Parameters
    ----------
    lesson : dict
        A checked lesson.
    step : int
        The step to draw, from 0.

    Returns
    -------
    str
        An SVG document, 900 wide.

    Examples
    --------
    >>> print(still({"title": "Nothing", "functions": [], "steps": []}, 0)[-42:])
    This lesson has no steps.</text></g></svg>
    """
    parts = [_header(lesson, step)]
    if lesson["steps"]:
        parts += [_picture(picture, step) for picture in lesson.get("pictures") or []]
        parts.append(_source(lesson, lesson["steps"][step]))
    body, y = Markup(), float(_MARGIN)
    for drawn, height in parts:
        body += moved(_MARGIN, y, drawn)
        y += height + 20
    return document(body, title(lesson, step), _WIDTH, y)


def title(lesson: Lesson, step: int) -> str:
    """The lesson's title, and where in it this step is."""
    steps = lesson["steps"]
    place = f"step {step + 1} of {len(steps)}: {steps[step]['caption']}" if steps else "no steps"
    return f"{lesson['title']}, {place}"


def _header(lesson: Lesson, step: int) -> Part:
    drawn = text(0, 16, lesson["title"], font_size=19, font_weight=650)
    steps = lesson["steps"]
    if not steps:
        return drawn + text(0, 44, "This lesson has no steps.", fill=QUIET), 50
    place = f"Step {step + 1} of {len(steps)}"
    drawn += text(_INNER, 16, place, text_anchor="end", font_weight=600)
    caption, height = _caption(steps[step]["caption"])
    drawn += moved(0, 32, caption)
    result = lesson.get("result") if step == len(steps) - 1 else None
    if not result:
        return drawn, 32 + height
    return drawn + text(0, 54 + height, f"Result: {result}", font_weight=700), 58 + height


def _caption(caption: str) -> Part:
    lines = textwrap.wrap(caption, 96) or [""]
    height = 22 * len(lines) + 16
    drawn = rect(0, 0, _INNER, height, fill=RAISED) + rect(0, 0, 5, height, fill=VERMILLION)
    rows = (text(18, 23 + 22 * row, line, font_size=16) for row, line in enumerate(lines))
    return drawn + joined(rows), height


def _source(lesson: Lesson, step: dict[str, Any]) -> Part:
    function = next(item for item in lesson["functions"] if item["name"] == step["function"])
    source, current = function["source"], step["line"] - 1
    first = max(0, min(current - _SOURCE_LINES // 2, len(source) - _SOURCE_LINES))
    number = function.get("first_line") or 1
    drawn = text(0, 12, f"Source of {function['name']}", fill=QUIET, font_weight=600)
    shown = range(first, min(first + _SOURCE_LINES, len(source)))
    for row, index in enumerate(shown):
        line = _source_line(source[index], number + index, index == current)
        drawn += moved(0, 26 + 20 * row, line)
    height = 20 * len(shown)
    return drawn + rect(0, 22, _INNER, height + 8, fill="none", stroke=RULE, rx=6), height + 30


def _source_line(line: str, number: int, is_current: bool) -> Markup:
    style = {"font_family": _CODE_FONT, "xml:space": "preserve"}
    code = text(62, 14, cut(line, 98), **style)
    place = text(48, 14, str(number), text_anchor="end", fill=QUIET, font_family=_CODE_FONT)
    if not is_current:
        return place + code
    band = rect(1, 0, _INNER - 2, 20, fill=ORANGE, fill_opacity=0.22)
    return band + text(8, 14, "▶", fill=VERMILLION, font_size=11) + place + code


def _picture(picture: dict[str, Any], step: int) -> Part:
    drawing = drawn_at(picture, step)
    name = text(0, 12, picture.get("title") or "", fill=QUIET, font_weight=600)
    return name + moved(0, 18, drawing.markup), drawing.height + 18
