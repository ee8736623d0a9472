"""A timeline: events on their lanes, the window, and the chain that counts so far."""

from dataclasses import dataclass
from typing import Any

from workbench.figures.svg import cut, line, moved, rect, text
from workbench.figures.theme import BLUE, GREY, GROUND, INK, ORANGE, QUIET, RULE, SKY, VERMILLION
from workbench.markup import Markup, element, joined
from workbench.widgets.stepper.moving import Drawing, Look, Moving, State

_TOP, _MARGIN = 66.0, 14.0
#: The height of a scale of numbers, in lanes.
_SCALED = 5
#: The most events in the description for screen readers.
_MOST_TOLD = 12
_CROSS = "M-4.5,-4.5L4.5,4.5M-4.5,4.5L4.5,-4.5"


def _dot(r: float) -> str:
    return f"M{-r},0A{r},{r} 0 1 0 {r},0A{r},{r} 0 1 0 {-r},0Z"


#: The look of an event by its relation to the chain.
_LOOKS: dict[str, dict[str, Any]] = {
    "chain": {"d": _dot(7), "fill": BLUE, "stroke": None, "stroke_width": None},
    "skipped": {"d": _CROSS, "fill": "none", "stroke": INK, "stroke_width": 2.4},
    "seen": {"d": _dot(4.5), "fill": GREY, "stroke": None, "stroke_width": None},
    "future": {"d": _dot(4.5), "fill": GROUND, "stroke": GREY, "stroke_width": 1.5},
}
_LIVE_LOOKS = {kind: look | {"data_state": kind} for kind, look in _LOOKS.items()}
_LEGEND = {
    "current": "now",
    "chain": "counts so far",
    "skipped": "did not count",
    "seen": "seen",
    "future": "still to come",
}
#: Keeps a text readable where a line crosses it.
_HALO = {"paint_order": "stroke", "stroke": GROUND, "stroke_width": 4}
_RING = {"fill": "none", "stroke": VERMILLION, "stroke_width": 3}


@dataclass(frozen=True)
class _Plot:
    """The layout: the whole axis, the length of its visible part, and the box it is drawn in."""

    low: float
    high: float
    span: float
    lanes: list[str]
    has_others: bool
    left: float
    right: float
    scale: dict[str, Any] | None = None

    @property
    def lane(self) -> float:
        return 28.0 if len(self.lanes) <= 9 else 22.0

    @property
    def axis(self) -> float:
        return _TOP + self.lane * len(self.lanes) + (14 if self.has_others else 4)

    @property
    def zoomed(self) -> bool:
        return self.span < self.high - self.low

    @property
    def unit(self) -> float:
        return (self.right - self.left - 2 * _MARGIN) / self.span

    def x(self, at: float) -> float:
        """Return the position of a time while the first part of the axis is visible."""
        return self.left + _MARGIN + (at - self.low) * self.unit

    def row(self, event: dict[str, Any]) -> float:
        """Return the height of an event: that of its lane, or of its level if there is a scale."""
        lane = event.get("lane")
        if self.scale is not None and event.get("level") is not None:
            return self.level(event["level"])
        return _TOP + self.lane * ((len(self.lanes) - 1 if lane is None else lane) + 0.5)

    def level(self, value: float) -> float:
        """Return the height of a number on the scale."""
        assert self.scale is not None
        low, high = float(self.scale["low"]), float(self.scale["high"])
        share = (high - value) / (high - low)
        return _TOP + self.lane * (0.5 + share * (_SCALED - 1))

    def offset(self, state: State, events: list[dict[str, Any]]) -> float:
        """Return the distance of the visible part in a state from the first part."""
        return (self.start(state, events) - self.low) * self.unit if self.zoomed else 0.0

    def start(self, state: State, events: list[dict[str, Any]]) -> float:
        """Return where the visible part begins: around the window, and with the current event."""
        window, current = state.get("window"), state.get("current")
        at = None if current is None else events[current]["at"]
        if window is None:
            begin = self.low if at is None else at - self.span / 2
        else:
            begin = float(window["from"] + window["to"] - self.span) / 2
            if at is not None and not begin <= at <= begin + self.span:
                begin = at - (0.1 if at < begin else 0.9) * self.span
        return min(max(begin, self.low), self.high - self.span)


def timeline(picture: dict[str, Any], moving: Moving, width: float) -> Drawing:
    """Draw a timeline.

    Parameters
    ----------
    picture : dict
        A checked picture of kind ``timeline``.
    moving : Moving
        Its states.
    width : float
        The width of the drawing.

    Returns
    -------
    Drawing
    """
    plot, events = _plot(picture, width), picture["events"]
    band = _window(plot, moving)
    # An end of the window outside the picture stays open.
    inside = band if plot.zoomed else _clipped(plot, band, plot.axis + 26)
    inside += _ticks(plot, picture, moving) + _spans(plot, events) + _chain(plot, events, moving)
    inside += (
        _needle(plot, events, moving) + _names(plot, events, moving) + _events(plot, events, moving)
    )
    if plot.zoomed:
        shifted = moving.element("g", inside, look=_shift(plot, events))
        inside = _clipped(plot, shifted, plot.axis + 26)
    drawn = _legend(picture.get("legend") or {}, width) + _lanes(plot) + inside
    drawn += _labels(plot, events, moving)
    unit = f"{plot.unit:.9g}"
    if not plot.zoomed:
        return Drawing(drawn, width, plot.axis + 26, unit)
    return Drawing(drawn + _overview(plot, events, moving), width, plot.axis + 60, unit)


def state_text(picture: dict[str, Any], state: State) -> str:
    """Return a description of a timeline in a state."""
    events, window = picture["events"], state.get("window")
    names = [event.get("text") or event.get("label") or "" for event in events]
    current, chain = state.get("current"), state.get("chain") or []
    counts = (picture.get("legend") or {}).get("chain") or _LEGEND["chain"]
    listed = ", ".join(names[index] for index in chain[:_MOST_TOLD])
    more = f" and {len(chain) - _MOST_TOLD} more" if len(chain) > _MOST_TOLD else ""
    parts = [
        picture.get("title") or "Timeline",
        f"now {names[current]}" if current is not None else "",
        (window.get("label") or "a window is open") if window else "",
        f"{counts}: {listed}{more}" if chain else "",
    ]
    return "; ".join(filter(None, parts))


def _plot(picture: dict[str, Any], width: float) -> _Plot:
    scale = picture.get("scale")
    without_lane = [one for one in picture["events"] if one.get("lane") is None]
    has_others = any(scale is None or event.get("level") is None for event in without_lane)
    lanes = [str(lane) for lane in picture["lanes"]] if scale is None else [""] * _SCALED
    lanes += [picture.get("others") or "other events"] * has_others
    names = lanes if scale is None else [*lanes, *(tick["label"] for tick in scale["ticks"])]
    left = min(max(map(_label_width, names), default=22), 0.34 * width)
    windows = [item["window"] for item in picture["states"] if item and item.get("window")]
    ends = [event[name] for event in picture["events"] for name in ("at", "to") if name in event]
    low, high = _extent(ends, windows)
    # If windows are narrow compared to the axis, only their neighbourhood is visible.
    span = 2.5 * max((window["to"] - window["from"] for window in windows), default=0)
    seen = span if 0 < span < 0.4 * (high - low) else high - low
    return _Plot(low, high, seen, lanes, has_others, left, width, scale)


def _label_width(name: str) -> float:
    """Return the width of a lane's name to the left of its line."""
    return len(name) * 7.4 + 22


def _extent(places: list[float], windows: list[dict[str, Any]]) -> tuple[float, float]:
    """Return the axis from the first event to the last, extended a little and by the windows."""
    low, high = min(places, default=0), max(places, default=1)
    beyond = 0.12 * (high - low) or 1
    first = min([low, *(window["from"] for window in windows)])
    last = max([high, low + beyond, *(window["to"] for window in windows)])
    return max(low - beyond, first), min(high + beyond, last)


def _shift(plot: _Plot, events: list[dict[str, Any]]) -> Look:
    return lambda state: {"transform": f"translate({0 - plot.offset(state, events):.1f},0)"}


def _clipped(plot: _Plot, inside: Markup, height: float) -> Markup:
    box = {"x": plot.left, "y": 0, "width": plot.right - plot.left, "height": height}
    seen = " ".join(f"{value:.1f}" for value in box.values())
    return element("svg", inside, viewBox=seen, **box)


def _legend(words: dict[str, str | None], width: float) -> Markup:
    """Draw the meaning of the marks, from the picture's words, if any; None omits a mark."""
    drawn, x = Markup(), width
    for kind, usual in reversed(_LEGEND.items()):
        name = words.get(kind, usual)
        if name is None:
            continue
        x -= 6.4 * len(name) + 34
        look = _RING | {"d": _dot(7)} if kind == "current" else _LOOKS[kind]
        drawn += text(x + 22, 15, name, fill=QUIET, font_size=12)
        drawn += element("path", **look, transform=f"translate({x + 10:.1f},11)")
    return drawn


def _window(plot: _Plot, moving: Moving) -> Markup:
    def ends(state: State) -> tuple[float, float] | None:
        window = state.get("window")
        return (plot.x(window["from"]), plot.x(window["to"])) if window else None

    def band(state: State) -> dict[str, Any]:
        x = ends(state)
        if x is None:
            return {"x": 0, "width": 0, "display": "none"}
        return {"x": x[0], "width": max(x[1] - x[0], 1.0), "display": None}

    def edges(state: State) -> dict[str, Any]:
        x = ends(state)
        return {"d": f"M{x[0]:.1f},{plot.axis}V{_TOP - 10}H{x[1]:.1f}V{plot.axis}" if x else "M0,0"}

    height = plot.axis - _TOP + 10
    return moving.element(
        "rect", look=band, class_="wbp-band", y=_TOP - 10, height=height, fill=SKY, fill_opacity=0.2
    ) + moving.element("path", look=edges, fill="none", stroke=BLUE, stroke_dasharray="5 3")


def _lanes(plot: _Plot) -> Markup:
    drawn = line(plot.left, plot.axis, plot.right, plot.axis, GREY)
    rows = [(_TOP + plot.lane * (lane + 0.5), name) for lane, name in enumerate(plot.lanes)]
    if plot.scale is not None:
        rows = [(plot.level(tick["at"]), tick["label"]) for tick in plot.scale["ticks"]]
        rows += [(_TOP + plot.lane * (_SCALED + 0.5), plot.lanes[-1])] * plot.has_others
    for y, name in rows:
        # A name wider than the room left for it is cut, as if all its letters were wide.
        label = name if _label_width(name) <= plot.left else cut(name, int((plot.left - 12) / 8.6))
        drawn += line(plot.left, y, plot.right, y, RULE)
        drawn += text(plot.left - 12, y + 4.5, label, text_anchor="end", fill=QUIET)
    return drawn


def _ticks(plot: _Plot, picture: dict[str, Any], moving: Moving) -> Markup:
    events, drawn, end = picture["events"], Markup(), float("-inf")
    for tick in picture.get("ticks") or []:
        x, half = plot.x(tick["at"]), 3.6 * len(tick["label"])
        # The first and the last stay inside the picture if the whole axis is visible.
        middle = x if plot.zoomed else max(min(x, plot.right - half), half)
        if not plot.low <= tick["at"] <= plot.high or middle - half < end + 8:
            continue
        end = middle + half
        seen = _visible_if_inside(plot, events, middle - half, end)
        if not moving.live and seen(moving.state)["display"]:
            continue
        name = line(x, plot.axis, x, plot.axis + 5, GREY)
        name += text(middle, plot.axis + 19, tick["label"], text_anchor="middle", fill=QUIET)
        drawn += moving.element("g", name, look=seen)
    return drawn


def _visible_if_inside(plot: _Plot, events: list[dict[str, Any]], start: float, end: float) -> Look:
    """Return a look that displays an element only if all of it is inside the visible part."""

    def look(state: State) -> dict[str, Any]:
        offset = plot.offset(state, events)
        inside = plot.left <= start - offset and end - offset <= plot.right
        return {"display": None if inside or not plot.zoomed else "none"}

    return look


def _names(plot: _Plot, events: list[dict[str, Any]], moving: Moving) -> Markup:
    """Draw the names of events without a lane, if all of them fit."""
    named = [event for event in events if event.get("lane") is None]
    end = float("-inf")
    for event in named:
        start = plot.x(event["at"]) - _half_width(event)
        if start < end + 8:
            return Markup()
        end = start + 2 * _half_width(event)
    drawn = Markup()
    for event in named:
        x, style = plot.x(event["at"]), {"text_anchor": "middle", "fill": QUIET, "font_size": 11}
        seen = _visible_if_inside(plot, events, x - _half_width(event), x + _half_width(event))
        if moving.live or not seen(moving.state)["display"]:
            name = text(x, plot.row(event) + 19, event.get("label") or "", **style, **_HALO)
            drawn += moving.element("g", name, look=seen)
    return drawn


def _half_width(event: dict[str, Any]) -> float:
    """Return half the width of an event's name."""
    return 3.1 * len(event.get("label") or "")


def _spans(plot: _Plot, events: list[dict[str, Any]]) -> Markup:
    """Draw the durations of events that have an end."""
    return joined(
        rect(plot.x(one["at"]), plot.row(one) - 5, plot.x(one["to"]) - plot.x(one["at"]), 10, rx=3,
             fill=BLUE, fill_opacity=0.22)
        for one in events
        if one.get("to") is not None
    )  # fmt: skip


def _chain(plot: _Plot, events: list[dict[str, Any]], moving: Moving) -> Markup:
    def look(state: State) -> dict[str, Any]:
        chain = [events[index] for index in state.get("chain") or []]
        return {"points": " ".join(f"{plot.x(one['at']):.1f},{plot.row(one):.1f}" for one in chain)}

    return moving.element("polyline", look=look, fill="none", stroke=BLUE, stroke_width=3)


def _needle(plot: _Plot, events: list[dict[str, Any]], moving: Moving) -> Markup:
    """Draw a line at the current event, and a ring around it."""

    def at(state: State) -> dict[str, Any] | None:
        current = state.get("current")
        return None if current is None else events[current]

    def needle(state: State) -> dict[str, Any]:
        event = at(state)
        x = plot.x(event["at"]) if event else 0.0
        return {"x1": x, "x2": x, "display": None if event else "none"}

    def ring(state: State) -> dict[str, Any]:
        event = at(state)
        x, y = (plot.x(event["at"]), plot.row(event)) if event else (0.0, 0.0)
        return {"cx": x, "cy": y, "display": None if event else "none"}

    drawn = moving.element(
        "line", look=needle, y1=35, y2=plot.axis, stroke=VERMILLION, stroke_width=1.5
    )
    return drawn + moving.element("circle", look=ring, class_="wbp-ring", r=10, **_RING)


def _events(plot: _Plot, events: list[dict[str, Any]], moving: Moving) -> Markup:
    # The chain is drawn last, so that no neighbour covers it.
    top = moving.state.get("chain") or []
    start = plot.start(moving.state, events) if plot.zoomed else plot.low
    order = sorted(enumerate(events), key=lambda event: not moving.live and event[0] in top)
    return joined(
        moved(plot.x(event["at"]), plot.row(event), _event(index, event, moving))
        for index, event in order
        if moving.live or start <= event["at"] <= start + plot.span
    )


def _event(index: int, event: dict[str, Any], moving: Moving) -> Markup:
    looks = _LIVE_LOOKS if moving.live else _LOOKS

    def look(state: State) -> dict[str, Any]:
        return looks[_kind(index, state)]

    if not moving.live:
        return moving.element("path", look=look)
    tip = element("title", event.get("text") or event.get("label") or "")
    named = {"data_event": index, "data_row": event.get("row")}
    return moving.element("path", tip, look=look, class_="wbp-event", **named)


def _kind(index: int, state: State) -> str:
    if index in (state.get("chain") or []):
        return "chain"
    if index in (state.get("skipped") or []):
        return "skipped"
    seen = state.get("seen")
    return "seen" if seen is None or index < seen or index == state.get("current") else "future"


def _labels(plot: _Plot, events: list[dict[str, Any]], moving: Moving) -> Markup:
    """Draw the labels of the window and of the current event, always within the picture."""

    def band(state: State) -> dict[str, Any]:
        window = state.get("window")
        if not window:
            return {"x": 0, "text": ""}
        label = window.get("label") or "window"
        start = max(plot.x(window["from"]) - plot.offset(state, events), plot.left) + 4
        return {"x": max(plot.left, min(start, plot.right - 7.8 * len(label))), "text": label}

    def now(state: State) -> dict[str, Any]:
        current = state.get("current")
        if current is None:
            return {"x": 0, "text": ""}
        words = events[current].get("text") or events[current].get("label") or ""
        half = 3.9 * len(words)
        x = plot.x(events[current]["at"]) - plot.offset(state, events)
        return {"x": max(min(x, plot.right - half), half), "text": words}

    style = {"text_anchor": "middle", "fill": VERMILLION, "font_weight": 700}
    return moving.element(
        "text", look=band, class_="wbp-band-label", y=_TOP - 15, fill=BLUE, font_weight=600, **_HALO
    ) + moving.element("text", look=now, y=31, **style)


def _overview(plot: _Plot, events: list[dict[str, Any]], moving: Moving) -> Markup:
    """Draw an overview of all events, and the visible part of the axis."""
    y, unit = plot.axis + 44, (plot.right - plot.left) / (plot.high - plot.low)
    places = [plot.left + (event["at"] - plot.low) * unit for event in events]
    marks = "".join(f"M{x:.1f},{y - 5}v10" for x in places)

    def lens(state: State) -> dict[str, Any]:
        return {"x": plot.left + (plot.start(state, events) - plot.low) * unit}

    wide = max(plot.span * unit, 4)
    return (
        line(plot.left, y, plot.right, y, RULE)
        + text(plot.left - 12, y + 4.5, "all events", text_anchor="end", fill=QUIET)
        + element("path", d=marks, stroke=GREY)
        + moving.element(
            "rect", look=lens, y=y - 9, width=wide, height=18, rx=3, fill=ORANGE,
            fill_opacity=0.25, stroke=VERMILLION,
        )
    )  # fmt: skip
