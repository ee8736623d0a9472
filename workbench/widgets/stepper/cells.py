"""Cells: a list of a kernel, with its changed cells and its current one."""

from math import inf
from typing import Any

from workbench.figures.svg import cut, moved
from workbench.figures.theme import BLUE, GREY, GROUND, ORANGE_SOFT, QUIET, VERMILLION
from workbench.markup import Markup
from workbench.widgets.stepper.moving import Drawing, Moving, State, picture_text

#: The most cells that are drawn, and the height of their rows; of a longer list, the cells around
#: a change are drawn.
SHOWN, _ROW, _GAP = 40, 66.0, 8.0
_MOST_LETTERS, _LEAST = 24, 44.0
_CHANGED = {"fill": ORANGE_SOFT, "stroke": VERMILLION}
_OTHER = {"fill": GROUND, "stroke": GREY}
_MIDDLE = {"text_anchor": "middle"}


def cells(picture: dict[str, Any], moving: Moving, width: float) -> Drawing:
    """Draw a list as cells.

    Parameters
    ----------
    picture : dict
        A checked picture of kind ``cells``.
    moving : Moving
        Its states.
    width : float
        The width of the drawing.

    Returns
    -------
    Drawing
    """
    labels = [str(label) for label in picture.get("labels") or []]
    sizes = _sizes(moving.states, labels)
    drawn, x, y, used = Markup(), 0.0, 0.0, 120.0
    for place, size in enumerate(sizes):
        if x and x + size > width:
            x, y = 0.0, y + _ROW
        drawn += moved(x + 1, y, _cell(place, labels, size, moving))
        x += size + _GAP
        used = max(used, x)
    height = y + _ROW if sizes else 20.0
    if not any(len(state.get("cells") or []) > SHOWN for state in moving.states):
        return Drawing(drawn, used, height)
    rest = moving.element("text", look=_overflow_text, x=0, y=height + 12, fill=QUIET)
    return Drawing(drawn + rest, used, height + 18)


def _sizes(states: list[State], labels: list[str]) -> list[float]:
    """Return the width of each cell: that of its widest content, label or mark in any state."""
    sizes: list[float] = []
    for state in states:
        first, last = _visible_range(state)
        for place, value in enumerate((state.get("cells") or [])[first:last]):
            index = first + place
            label = labels[index] if index < len(labels) else str(index)
            letters = min(max(len(label) - 1, len(_cell_text(value))), _MOST_LETTERS)
            if place == len(sizes):
                sizes.append(_LEAST)
            sizes[place] = max(sizes[place], 8.0 * letters + 18, 7.0 * len(_mark(index, state)))
    return sizes


def state_text(picture: dict[str, Any], state: State) -> str:
    """Return a description of cells in a state."""
    first, last = _visible_range(state)
    values = ", ".join(
        _cell_text(one) or "nothing" for one in (state.get("cells") or [])[first:last]
    )
    return f"{picture.get('title') or 'Cells'}: {values or 'none'}"


def _cell_text(value: Any) -> str:
    return "" if value is None else picture_text(value)


def _visible_range(state: State) -> tuple[int, int]:
    """Return the range of visible cells: the first ones, or those around the current or changed."""
    length, current = len(state.get("cells") or []), state.get("current")
    focus = min(state.get("changed") or [inf]) if current is None else current
    if length <= SHOWN or focus < SHOWN or focus == inf:
        return 0, min(length, SHOWN)
    first = min(max(int(focus) - SHOWN // 2, 0), length - SHOWN)
    return first, first + SHOWN


def _mark(index: int | None, state: State) -> str:
    """Return the mark below a cell."""
    if index is None:
        return ""
    changed = index in (state.get("changed") or [])
    if index == state.get("current"):
        return "▲ changed" if changed else "▲ now"
    return "● changed" if changed else ""


def _overflow_text(state: State) -> dict[str, Any]:
    (first, last), length = _visible_range(state), len(state.get("cells") or [])
    if last - first == length:
        return {"text": ""}
    before = f"{first} before, " if first else ""
    return {"text": f"… {before}{length - last} more, {length} in all"}


def _cell(place: int, labels: list[str], size: float, moving: Moving) -> Markup:
    room = int(size / 7.2)

    def at(state: State) -> int | None:
        """Return the cell's index in the list, or None."""
        first, last = _visible_range(state)
        return first + place if first + place < last else None

    def marks(state: State) -> tuple[bool, bool]:
        index = at(state)
        changed = index is not None and index in (state.get("changed") or [])
        return changed, index is not None and index == state.get("current")

    def group(state: State) -> dict[str, Any]:
        changed = "true" if marks(state)[0] else None
        return {"display": "none" if at(state) is None else None, "data_changed": changed}

    def label(state: State) -> dict[str, Any]:
        index = at(state)
        words = "" if index is None else labels[index] if index < len(labels) else str(index)
        return {"text": cut(words, room)}

    def box(state: State) -> dict[str, Any]:
        changed, current = marks(state)
        return (_CHANGED if changed else _OTHER) | ({"stroke": BLUE} if current else {})

    def value(state: State) -> dict[str, Any]:
        index = at(state)
        words = "" if index is None else _cell_text(state["cells"][index])
        # The letters of values are wider than those of labels.
        text = cut(words, int((size - 6) / 8.5))
        return {"text": text, "font_weight": 700 if marks(state)[0] else None}

    def mark(state: State) -> dict[str, Any]:
        return {"text": _mark(at(state), state)}

    middle = {"x": size / 2, **_MIDDLE}
    return moving.element(
        "g",
        moving.element("text", look=label, y=12, fill=QUIET, font_size=12, **middle)
        + moving.element("rect", look=box, x=0, y=18, width=size, height=30, rx=3, stroke_width=2)
        + moving.element("text", look=value, class_="wbp-cell-value", y=38, font_size=14, **middle)
        + moving.element("text", look=mark, class_="wbp-cell-mark", y=60, font_size=11, fill=QUIET,
                         **middle),
        look=group,
    )  # fmt: skip
