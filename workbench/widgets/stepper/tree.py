"""A tree: its levels, the frame, and the nodes that the frame is composed of."""

from dataclasses import dataclass
from typing import Any

from workbench.figures.svg import moved, rect, text
from workbench.figures.theme import BLUE, BLUE_SOFT, GREY, QUIET, RAISED, SKY, VERMILLION
from workbench.markup import Markup, joined
from workbench.widgets.stepper.moving import Drawing, Moving, State, picture_text

_ROW, _BOX = 50, 38
_LIT = BLUE_SOFT
_MIDDLE = {"text_anchor": "middle"}
_MOST_TOLD = 12


@dataclass(frozen=True)
class _Plot:
    """The layout: the first position of the axis, the width of one, and the box of the nodes."""

    low: float
    unit: float
    left: float
    top: float
    bottom: float
    right: float

    def x(self, place: float) -> float:
        return self.left + (place - self.low) * self.unit


def tree(picture: dict[str, Any], moving: Moving, width: float) -> Drawing:
    """Draw a tree.

    Parameters
    ----------
    picture : dict
        A checked picture of kind ``tree``.
    moving : Moving
        Its states.
    width : float
        The width of the drawing.

    Returns
    -------
    Drawing
    """
    plot = _plot(picture, moving, width)
    drawn = _legend(picture.get("legend") or {}, width) + _frames(plot, moving)
    drawn += _levels(plot, picture.get("levels") or [])
    for node in picture["nodes"]:
        box = _node(node, max(plot.x(node["to"]) - plot.x(node["from"]) - 6, 2), moving)
        drawn += moved(plot.x(node["from"]) + 3, plot.top + _ROW * node["depth"], box)
    return Drawing(drawn, width, plot.bottom + (28 if _any(moving, "here") else 6))


def state_text(picture: dict[str, Any], state: State) -> str:
    """Return a description of a tree in a state."""
    labels = {node["id"]: node.get("label") or node["id"] for node in picture["nodes"]}
    values, lit = state.get("values") or {}, state.get("lit") or []

    def name(node: str) -> str:
        return f"{labels.get(node)}{f' = {picture_text(values[node])}' if node in values else ''}"

    current = state.get("current")
    more = f" and {len(lit) - _MOST_TOLD} more" if len(lit) > _MOST_TOLD else ""
    parts = [
        picture.get("title") or "Tree",
        state.get("label") or "",
        "" if current is None else f"now {name(current)}",
        f"marked: {', '.join(map(name, lit[:_MOST_TOLD]))}{more}" if lit else "",
    ]
    return "; ".join(filter(None, parts))


def _any(moving: Moving, name: str) -> bool:
    return any(state.get(name) is not None for state in moving.states)


def _plot(picture: dict[str, Any], moving: Moving, width: float) -> _Plot:
    nodes = picture["nodes"]
    low = min((node["from"] for node in nodes), default=0)
    high = max((node["to"] for node in nodes), default=1)
    left, top = 58 if picture.get("levels") else 4, 24 if _any(moving, "frames") else 2
    top += 24 if picture.get("legend") else 0
    depth = max((node["depth"] for node in nodes), default=0)
    bottom = top + (depth + 1) * _ROW - (_ROW - _BOX)
    return _Plot(low, (width - left - 4) / (high - low), left, top, bottom, width)


def _legend(words: dict[str, str], width: float) -> Markup:
    """Draw the name of each outline and sign that a node can have."""
    drawn, x = Markup(), width
    for kind, name in reversed(words.items()):
        x -= 6.4 * len(name) + 58
        look = _look(lit=kind == "lit", current=kind == "now", empty=kind == "empty", height=16)
        sign = {"now": "▶ ", "lit": "● "}.get(kind, "")
        drawn += moved(x, 3, rect(0, 0, 28, 16, **look))
        drawn += text(x + 34, 15, sign + name, fill=QUIET, font_size=12)
    return drawn


def _levels(plot: _Plot, names: list[str]) -> Markup:
    places = ((plot.top + _ROW * depth + 24, name) for depth, name in enumerate(names))
    return joined(
        text(plot.left - 8, y, name, text_anchor="end", fill=QUIET, font_size=12)
        for y, name in places
    )


def _frames(plot: _Plot, moving: Moving) -> Markup:
    """Draw the bands of frames behind the nodes, their label, and their row."""
    most = max((len(state.get("frames") or []) for state in moving.states), default=0)
    top, height = plot.top - 6, plot.bottom + 10 - plot.top

    def label(state: State) -> dict[str, Any]:
        frames, words = state.get("frames") or [], state.get("label") or ""
        start = plot.x(frames[0]["from"]) + 4 if frames else plot.left
        return {"x": max(plot.left, min(start, plot.right - 7 * len(words))), "text": words}

    def here(state: State) -> dict[str, Any]:
        row = state.get("here")
        if row is None:
            return {"x": 0, "text": ""}
        return {"x": plot.x(row + 0.5), "text": f"▲ row {row}"}

    drawn = joined(_band(plot, moving, place, top, height) for place in range(most))
    drawn += moving.element(
        "text", look=label, class_="wbp-band-label", y=plot.top - 11, fill=BLUE, font_weight=600
    )
    if not _any(moving, "here"):
        return drawn
    style = {"fill": VERMILLION, "font_weight": 700, **_MIDDLE}
    return drawn + moving.element("text", look=here, class_="wbp-here", y=plot.bottom + 20, **style)


def _band(plot: _Plot, moving: Moving, place: int, top: float, height: float) -> Markup:
    def ends(state: State) -> tuple[float, float] | None:
        frames = state.get("frames") or []
        if place >= len(frames):
            return None
        return plot.x(frames[place]["from"]), plot.x(frames[place]["to"])

    def band(state: State) -> dict[str, Any]:
        x = ends(state) or (0.0, 0.0)
        return {"x": x[0], "width": x[1] - x[0]}

    def edges(state: State) -> dict[str, Any]:
        x, end = ends(state), top + height
        return {"d": f"M{x[0]:.1f},{end}V{top}H{x[1]:.1f}V{end}" if x else "M0,0"}

    style = {"class_": "wbp-band", "fill": SKY, "fill_opacity": 0.2}
    return moving.element("rect", look=band, y=top, height=height, **style) + moving.element(
        "path", look=edges, fill="none", stroke=BLUE, stroke_dasharray="5 3"
    )


def _look(lit: bool, current: bool, empty: bool, height: float = _BOX) -> dict[str, Any]:
    """Return the look of a node's box: shape and outline differ, not the colour alone."""
    return {
        "fill": "none" if empty else _LIT if lit else RAISED,
        "rx": height / 2 if lit else 3,
        "stroke": VERMILLION if current else BLUE if lit else GREY,
        "stroke_width": 3.5 if current else 2.5 if lit else 1,
        "stroke_dasharray": "4 3" if empty else None,
    }


def _node(node: dict[str, Any], width: float, moving: Moving) -> Markup:
    name = node.get("label", f"[{node['from']}, {node['to']})")

    def value(state: State) -> str:
        return picture_text((state.get("values") or {}).get(node["id"], ""))

    def marks(state: State) -> dict[str, bool]:
        return {
            "lit": node["id"] in (state.get("lit") or []),
            "current": node["id"] == state.get("current"),
            "empty": node["id"] not in (state.get("values") or {}),
        }

    def group(state: State) -> dict[str, Any]:
        items = marks(state).items() if moving.live else ()
        return {f"data_{mark}": "true" if is_set else None for mark, is_set in items}

    def words(state: State) -> dict[str, Any]:
        marked, shown = marks(state), value(state)
        sign = "▶ " if marked["current"] else "● " if marked["lit"] else ""
        # The outline means the same as the sign: if both do not fit, the value is kept.
        label = next((one for one in (sign + shown, shown) if len(one) * 7.5 <= width), sign[:1])
        weight = 700 if marked["lit"] or marked["current"] else None
        return {"text": label, "font_weight": weight}

    def tip(state: State) -> dict[str, Any]:
        shown = value(state) or "not yet written"
        return {"text": f"{name}: {shown}" if name else shown}

    middle = {"x": width / 2, **_MIDDLE}
    drawn = moving.element(
        "rect", look=lambda state: _look(**marks(state)), x=0, y=0, width=width, height=_BOX
    )
    if name and len(name) * 6.2 < width:
        drawn += text(width / 2, 13, name, fill=QUIET, font_size=10.5, **_MIDDLE)
    # A value without a name above it is centred.
    drawn += moving.element(
        "text", look=words, class_="wbp-node-value", y=30 if name else _BOX / 2 + 5, **middle
    )
    if moving.live:
        drawn += moving.element("title", look=tip)
    data = {"data_node": node["id"]} if moving.live else {}
    return moving.element("g", drawn, look=group, class_="wbp-node", **data)
