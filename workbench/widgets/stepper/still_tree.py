"""A still of a tree: its levels, the frame, and the nodes that the frame is put together from."""

from dataclasses import dataclass
from typing import Any

from workbench.figures.markup import Markup, element, joined
from workbench.figures.svg import (
    BLUE,
    GREY,
    QUIET,
    RAISED,
    SKY,
    VERMILLION,
    Part,
    moved,
    rect,
    text,
)

_ROW, _BOX = 50, 38
_MIDDLE = {"text_anchor": "middle"}


@dataclass(frozen=True)
class _Plot:
    """Where things are: the first place of the axis, how wide one is, and the box of the nodes."""

    low: float
    unit: float
    left: float
    top: float
    bottom: float
    right: float

    def x(self, place: float) -> float:
        return self.left + (place - self.low) * self.unit


def tree(picture: dict[str, Any], state: dict[str, Any], width: float) -> Part:
    """Draw a tree in one state.

    Parameters
    ----------
    picture : dict
        A checked picture of kind ``tree``.
    state : dict
        One of its states.
    width : float
        The width of the drawing.

    Returns
    -------
    tuple of str and float
        The SVG elements and their height.
    """
    plot = _plot(picture, width)
    drawn = _legend(plot, picture.get("legend") or {})
    drawn += _frames(plot, state) + _levels(plot, picture.get("levels") or [])
    for node in picture["nodes"]:
        box = _node(node, plot.x(node["to"]) - plot.x(node["from"]) - 6, state)
        drawn += moved(plot.x(node["from"]) + 3, plot.top + _ROW * node["depth"], box)
    return drawn, plot.bottom + (28 if _any(picture, "here") else 6)


def _any(picture: dict[str, Any], name: str) -> bool:
    return any((state or {}).get(name) is not None for state in picture["states"])


def _plot(picture: dict[str, Any], width: float) -> _Plot:
    nodes = picture["nodes"]
    low = min((node["from"] for node in nodes), default=0)
    high = max((node["to"] for node in nodes), default=1)
    left, top = 58 if picture.get("levels") else 4, 24 if _any(picture, "frames") else 2
    depth = max((node["depth"] for node in nodes), default=0)
    bottom = top + (depth + 1) * _ROW - (_ROW - _BOX)
    return _Plot(low, (width - left - 4) / (high - low), left, top, bottom, width)


def _legend(plot: _Plot, words: dict[str, str]) -> Markup:
    signs = {"now": "▶", "lit": "●", "empty": "dashed"}
    said = " · ".join(f"{signs[name]} {text}" for name, text in words.items())
    return text(plot.right, -10, said, text_anchor="end", fill=QUIET, font_size=12)


def _levels(plot: _Plot, names: list[str]) -> Markup:
    places = ((plot.top + _ROW * depth + 24, name) for depth, name in enumerate(names))
    return joined(
        text(plot.left - 8, y, name, text_anchor="end", fill=QUIET, font_size=12)
        for y, name in places
    )


def _frames(plot: _Plot, state: dict[str, Any]) -> Markup:
    frames, label = state.get("frames") or [], state.get("label") or ""
    top, height = plot.top - 6, plot.bottom + 10 - plot.top
    drawn = Markup()
    for frame in frames:
        x, end = plot.x(frame["from"]), plot.x(frame["to"])
        drawn += rect(x, top, end - x, height, fill=SKY, fill_opacity=0.2)
        edges = f"M{x:.1f},{top + height}V{top}H{end:.1f}V{top + height}"
        drawn += element("path", d=edges, fill="none", stroke=BLUE, stroke_dasharray="5 3")
    start = plot.x(frames[0]["from"]) + 4 if frames else plot.left
    start = max(plot.left, min(start, plot.right - 7 * len(label)))
    drawn += text(start, plot.top - 11, label, fill=BLUE, font_weight=600)
    here = state.get("here")
    if here is None:
        return drawn
    style = {"fill": VERMILLION, "font_weight": 700, **_MIDDLE}
    return drawn + text(plot.x(here + 0.5), plot.bottom + 20, f"▲ row {here}", **style)


def _node(node: dict[str, Any], width: float, state: dict[str, Any]) -> Markup:
    values = state.get("values") or {}
    lit, current = node["id"] in (state.get("lit") or []), node["id"] == state.get("current")
    label = "▶ " if current else "● " if lit else ""
    label += _shown(values.get(node["id"], ""))
    style: dict[str, Any] = {"fill": "#c6e4f6" if lit else RAISED, "rx": _BOX / 2 if lit else 3}
    style["stroke"] = VERMILLION if current else BLUE if lit else GREY
    style["stroke_width"] = 3.5 if current else 2.5 if lit else 1
    if node["id"] not in values:
        style |= {"fill": "none", "stroke_dasharray": "4 3"}
    drawn = rect(0, 0, width, _BOX, **style)
    name = node.get("label") or ""
    if len(name) * 6.2 < width:
        drawn += text(width / 2, 13, name, fill=QUIET, font_size=10.5, **_MIDDLE)
    if len(label) * 7.5 > width:
        label = label[:1] if lit or current else ""
    weight = 700 if lit or current else 400
    return drawn + text(width / 2, 30, label, font_weight=weight, **_MIDDLE)


def _shown(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
