"""A still of a timeline: events on their lanes, the window, and the chain that counts so far."""

from dataclasses import dataclass
from typing import Any

from workbench.figures.markup import Markup, element, joined
from workbench.figures.svg import (
    BLUE,
    GREY,
    INK,
    QUIET,
    RULE,
    SKY,
    VERMILLION,
    Part,
    cut,
    line,
    moved,
    rect,
    text,
)

_TOP = 40
_ROW = 28
_CROSS = "M-4.5,-4.5L4.5,4.5M-4.5,4.5L4.5,-4.5"
_MARKS = {
    "chain": element("circle", r=7, fill=BLUE),
    "seen": element("circle", r=4.5, fill=GREY),
    "future": element("circle", r=4.5, fill="#fff", stroke=GREY, stroke_width=1.5),
    "skipped": element("path", d=_CROSS, stroke=INK, stroke_width=2.4),
}
_RING = element("circle", r=10, fill="none", stroke=VERMILLION, stroke_width=3)


@dataclass(frozen=True)
class _Plot:
    """Where things are: the drawn part of the axis, and the box it is drawn in."""

    low: float
    high: float
    lanes: list[str]
    left: float
    right: float

    @property
    def axis(self) -> float:
        return _TOP + _ROW * len(self.lanes) + 4

    def x(self, at: float) -> float:
        room = self.right - self.left - 28
        return self.left + 14 + (at - self.low) / (self.high - self.low) * room

    def row(self, lane: int | None) -> float:
        return _TOP + _ROW * (len(self.lanes) - 1 if lane is None else lane) + _ROW / 2

    def place(self, event: dict[str, Any]) -> tuple[float, float]:
        return self.x(event["at"]), self.row(event.get("lane"))

    def holds(self, at: float) -> bool:
        return self.low <= at <= self.high


def timeline(picture: dict[str, Any], state: dict[str, Any], width: float) -> Part:
    """Draw a timeline in one state.

    Parameters
    ----------
    picture : dict
        A checked picture of kind ``timeline``.
    state : dict
        One of its states.
    width : float
        The width of the drawing.

    Returns
    -------
    tuple of str and float
        The SVG elements and their height.
    """
    plot = _plot(picture, state, width)
    drawn = _window(plot, state.get("window")) + _lanes(plot) + _ticks(plot, picture)
    drawn += _chain(plot, picture["events"], state) + _now(plot, picture["events"], state)
    return drawn + _events(plot, picture["events"], state), plot.axis + 26


def _plot(picture: dict[str, Any], state: dict[str, Any], width: float) -> _Plot:
    has_others = any(event.get("lane") is None for event in picture["events"])
    lanes = [str(lane) for lane in picture["lanes"]] + ["other events"] * has_others
    left = min(max(map(len, lanes), default=0) * 7.4 + 22, 0.34 * width)
    return _Plot(*_domain(picture, state), lanes=lanes, left=left, right=width)


def _extent(places: list[float], windows: list[dict[str, Any]]) -> tuple[float, float]:
    """From the first event to the last, and a little further where a window goes on."""
    low, high = min(places, default=0), max(places, default=1)
    beyond = 0.12 * (high - low) or 1
    first = min([low, *(window["from"] for window in windows)])
    last = max([high, low + beyond, *(window["to"] for window in windows)])
    return max(low - beyond, first), min(high + beyond, last)


def _domain(picture: dict[str, Any], state: dict[str, Any]) -> tuple[float, float]:
    """All of the axis or, when the window is narrow beside it, the window's neighbourhood."""
    windows = [item["window"] for item in picture["states"] if item and item.get("window")]
    low, high = _extent([event["at"] for event in picture["events"]], windows)
    span = 2.5 * max((window["to"] - window["from"] for window in windows), default=0)
    if not 0 < span < 0.4 * (high - low):
        return low, high
    current, window = state.get("current"), state.get("window")
    at = None if current is None else picture["events"][current]["at"]
    start = min(max(_start(at, window, span, low), low), high - span)
    return start, start + span


def _start(at: float | None, window: dict[str, Any] | None, span: float, low: float) -> float:
    """Where the neighbourhood begins: around the window, but never without the current event."""
    if window is None:
        return low if at is None else at - span / 2
    start = float(window["from"] + window["to"] - span) / 2
    if at is None or start <= at <= start + span:
        return start
    return at - (0.1 if at < start else 0.9) * span


def _window(plot: _Plot, window: dict[str, Any] | None) -> Markup:
    if not window:
        return Markup()
    start, end = (min(max(plot.x(window[name]), plot.left), plot.right) for name in ("from", "to"))
    label = window.get("label") or "window"
    x = max(plot.left, min(start + 4, plot.right - 7 * len(label)))
    band = rect(start, _TOP - 10, end - start, plot.axis - _TOP + 10, fill=SKY, fill_opacity=0.2)
    edges = f"M{start:.1f},{plot.axis}V{_TOP - 10}H{end:.1f}V{plot.axis}"
    dashes = element("path", d=edges, fill="none", stroke=BLUE, stroke_dasharray="5 3")
    return band + dashes + text(x, _TOP - 15, label, fill=BLUE, font_weight=600)


def _lanes(plot: _Plot) -> Markup:
    drawn = line(plot.left, plot.axis, plot.right, plot.axis, GREY)
    for lane, name in enumerate(plot.lanes):
        y = plot.row(lane)
        label = cut(name, int((plot.left - 12) / 7))
        drawn += line(plot.left, y, plot.right, y, RULE)
        drawn += text(plot.left - 12, y + 4.5, label, text_anchor="end", fill=QUIET)
    return drawn


def _ticks(plot: _Plot, picture: dict[str, Any]) -> Markup:
    drawn, end = Markup(), float("-inf")
    for tick in picture.get("ticks") or []:
        x, half = plot.x(tick["at"]), 3.6 * len(tick["label"])
        if not plot.holds(tick["at"]) or x - half < end + 8:
            continue
        end = x + half
        drawn += line(x, plot.axis, x, plot.axis + 5, GREY)
        drawn += text(x, plot.axis + 19, tick["label"], text_anchor="middle", fill=QUIET)
    return drawn


def _chain(plot: _Plot, events: list[dict[str, Any]], state: dict[str, Any]) -> Markup:
    places = [plot.place(events[index]) for index in state.get("chain") or []]
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    return element("polyline", points=points, fill="none", stroke=BLUE, stroke_width=3)


def _events(plot: _Plot, events: list[dict[str, Any]], state: dict[str, Any]) -> Markup:
    # The chain and the current event come last, and so never under a neighbour.
    top = [*(state.get("chain") or []), state.get("current")]
    return joined(
        moved(*plot.place(event), _mark(index, state))
        for index, event in sorted(enumerate(events), key=lambda item: item[0] in top)
        if plot.holds(event["at"])
    )


def _mark(index: int, state: dict[str, Any]) -> Markup:
    mark = _MARKS[_kind(index, state)]
    return mark + _RING if index == state.get("current") else mark


def _kind(index: int, state: dict[str, Any]) -> str:
    if index in (state.get("chain") or []):
        return "chain"
    if index in (state.get("skipped") or []):
        return "skipped"
    seen = state.get("seen")
    return "seen" if seen is None or index < seen or index == state.get("current") else "future"


def _now(plot: _Plot, events: list[dict[str, Any]], state: dict[str, Any]) -> Markup:
    current = state.get("current")
    if current is None:
        return Markup()
    x = plot.x(events[current]["at"])
    words = events[current].get("text") or events[current].get("label") or ""
    half = 3.9 * len(words)
    middle = min(max(x, half), plot.right - half)
    label = text(middle, 4, words, text_anchor="middle", fill=VERMILLION, font_weight=700)
    return line(x, 9, x, plot.axis, VERMILLION, 1.5) + label
