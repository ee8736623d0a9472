"""Drawing the pictures of a lesson, for the browser and for a still."""

from typing import Any
from xml.etree import ElementTree

from workbench.markup import element
from workbench.widgets.stepper import cells, timeline, tree
from workbench.widgets.stepper.lesson import Lesson
from workbench.widgets.stepper.moving import Drawing, Moving

WIDTH, HALF = 852.0, 560.0
#: By kind, the function that draws a picture, and the one that describes a state in words.
KINDS = {
    "timeline": (timeline.timeline, timeline.state_text),
    "cells": (cells.cells, cells.state_text),
    "tree": (tree.tree, tree.state_text),
}


def draw_at(
    picture: dict[str, Any], step: int = 0, live: bool = False, width: float = WIDTH
) -> Drawing:
    """Draw a picture as it is in a step.

    Parameters
    ----------
    picture : dict
        A checked picture of a lesson.
    step : int
    live : bool
        Whether it is interactive, and has tooltips.
    width : float
        :data:`HALF` if two lessons are side by side.

    Returns
    -------
    Drawing
    """
    draw, _ = KINDS[picture["kind"]]
    return draw(picture, Moving(picture["states"], step, live), width)


def for_browser(lesson: Lesson, step: int = 0, width: float = WIDTH) -> list[dict[str, Any]]:
    """Return the pictures of a lesson with all that a browser needs to show any step.

    Parameters
    ----------
    lesson : dict
        A checked lesson.
    step : int
        The step that is drawn.
    width : float

    Returns
    -------
    list of dict
        ``kind``, ``title``, ``drawn`` (an element as its tag, its attributes, and its children or
        its text), and ``parts`` and ``looks`` of
        :class:`workbench.widgets.stepper.moving.Moving`. None of it is markup.

    Examples
    --------
    >>> cells = {"kind": "cells", "states": [{"cells": [1]}, {"cells": [2]}]}
    >>> picture = for_browser({"pictures": [cells]})[0]
    >>> [picture["looks"][look]["text"] for _, look in picture["parts"][0]]
    ['1', '2']
    """
    return [_for_browser(picture, step, width) for picture in lesson.get("pictures") or []]


def _for_browser(picture: dict[str, Any], step: int, width: float) -> dict[str, Any]:
    draw, state_text = KINDS[picture["kind"]]
    moving = Moving(picture["states"], step, live=True)
    drawing = draw(picture, moving, width) if moving.states else Drawing(element("g", ""), 0, 0)
    markup = moving.element(
        "svg",
        drawing.markup,
        look=lambda state: {"aria_label": state_text(picture, state)},
        role="img",
        data_unit=drawing.unit,
        viewBox=f"0 0 {drawing.width:.0f} {drawing.height:.0f}",
        width=f"{drawing.width:.0f}",
    )
    named = {"kind": picture["kind"], "title": picture.get("title") or ""}
    drawn = _plain(ElementTree.fromstring(markup))
    return {**named, "drawn": drawn, "parts": moving.parts, "looks": moving.looks}


def _plain(node: ElementTree.Element) -> list[Any]:
    """Return an element as lists and texts, which no browser parses as markup."""
    return [node.tag, node.attrib, *([node.text] if node.text else []), *map(_plain, node)]
