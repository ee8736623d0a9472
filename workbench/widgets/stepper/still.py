"""A still of the step player: one step of a lesson as an SVG picture, without a browser."""

import textwrap
from typing import Any

from workbench.figures.svg import Part, cut, document, moved, rect, text
from workbench.figures.theme import ORANGE, QUIET, RAISED, RULE, VERMILLION
from workbench.markup import Markup, joined
from workbench.widgets.stepper.lesson import Lesson
from workbench.widgets.stepper.pictures import WIDTH, draw_at
from workbench.widgets.stepper.side_by_side import length, sides_of

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
    sides = sides_of(lesson, step) if lesson["steps"] else []
    parts = [_header(lesson, step)]
    for one, at in sides:
        parts += [] if one is lesson else [_heading(one)]
        parts.append(_caption_box(one, at))
        parts += [_picture(picture, at) for picture in one.get("pictures") or []]
    # Two sources would fill a page, and runs are compared by their pictures.
    parts += [_source(lesson, lesson["steps"][step])] if len(sides) == 1 else []
    body, y = Markup(), float(_MARGIN)
    for drawn, height in parts:
        body += moved(_MARGIN, y, drawn)
        y += height + 20
    return document(body, title(lesson, step), _WIDTH, y)


def title(lesson: Lesson, step: int) -> str:
    """Return the lesson's title, with the number and the caption of a step."""
    if not lesson["steps"]:
        return f"{lesson['title']}, no steps"
    captions = " | ".join(one["steps"][at]["caption"] for one, at in sides_of(lesson, step))
    return f"{lesson['title']}, step {step + 1} of {length(lesson)}: {captions}"


def _header(lesson: Lesson, step: int) -> Part:
    drawn, _ = _heading(lesson)
    if not lesson["steps"]:
        return drawn + text(0, 44, "This lesson has no steps.", fill=QUIET), 50
    place = f"Step {step + 1} of {length(lesson)}"
    return drawn + text(_INNER, 16, place, text_anchor="end", font_weight=600), 12


def _heading(lesson: Lesson) -> Part:
    return text(0, 16, lesson["title"], font_size=19, font_weight=650), 12


def _caption_box(lesson: Lesson, step: int) -> Part:
    """Draw the current function, the caption and, after the last step, the result."""
    steps = lesson["steps"]
    lines = textwrap.wrap(steps[step]["caption"], 96) or [""]
    height = 22 * len(lines) + 34
    drawn = rect(0, 0, _INNER, height, fill=RAISED) + rect(0, 0, 5, height, fill=VERMILLION)
    drawn += text(18, 19, steps[step]["function"], fill=QUIET, font_family=_CODE_FONT)
    drawn += joined(text(18, 42 + 22 * row, line, font_size=16) for row, line in enumerate(lines))
    result = lesson.get("result") if step == len(steps) - 1 else None
    if not result:
        return drawn, height
    return drawn + text(0, height + 22, f"Result: {result}", font_weight=700), height + 26


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
    drawing = draw_at(picture, step)
    name = text(0, 12, picture.get("title") or "", fill=QUIET, font_weight=600)
    return name + moved(0, 18, drawing.markup), drawing.height + 18
