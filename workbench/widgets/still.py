"""A still of the step player: one step of a lesson as an SVG picture, without a browser."""

import textwrap
from collections.abc import Callable, Iterable
from html import escape
from typing import Any

from workbench.widgets.lesson import Lesson

_WIDTH = 900
_MARGIN = 24
_SOURCE_LINES = 9
_CELLS = 12
_INK, _QUIET, _RULE, _RAISED = "#16181d", "#4a4f59", "#d3d6dc", "#f3f4f6"
_BLUE, _VERMILLION, _ORANGE, _SKY, _GREY = "#0072b2", "#c65200", "#e69f00", "#56b4e9", "#6b7280"

# A drawn part and its height.
_Part = tuple[str, float]


def still(lesson: Lesson, step: int) -> str:
    """Draw one step of a lesson: caption, source around the current line, and the pictures.

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
    >>> still({"title": "Nothing", "functions": [], "steps": []}, 0)[:34]
    '<svg xmlns="http://www.w3.org/2000'
    """
    parts = [_header(lesson, step)]
    if lesson["steps"]:
        pictures = lesson.get("pictures") or []
        parts += [_picture(picture, picture["states"][step] or {}) for picture in pictures]
        parts.append(_source(lesson, lesson["steps"][step]))
    body, y = "", float(_MARGIN)
    for drawn, height in parts:
        body += f'<g transform="translate({_MARGIN},{y:.0f})">{drawn}</g>'
        y += height + 20
    return _document(body, y, _title(lesson, step))


def _document(body: str, height: float, title: str) -> str:
    size = f'width="{_WIDTH}" height="{height:.0f}" viewBox="0 0 {_WIDTH} {height:.0f}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" '
        f'font-family="system-ui, DejaVu Sans, sans-serif" font-size="13" fill="{_INK}">'
        f"<title>{escape(title)}</title>"
        f'<rect width="{_WIDTH}" height="{height:.0f}" rx="10" fill="#fff" stroke="{_RULE}"/>'
        f"{body}</svg>"
    )


def _title(lesson: Lesson, step: int) -> str:
    steps = lesson["steps"]
    place = f"step {step + 1} of {len(steps)}: {steps[step]['caption']}" if steps else "no steps"
    return f"{lesson['title']}, {place}"


def _text(x: float, y: float, text: str, **style: object) -> str:
    attributes = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in style.items())
    return f'<text x="{x:.1f}" y="{y:.1f}"{attributes}>{escape(text)}</text>'


def _rect(x: float, y: float, width: float, height: float, **style: object) -> str:
    attributes = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in style.items())
    size = f'width="{max(width, 1):.1f}" height="{height:.1f}"'
    return f'<rect x="{x:.1f}" y="{y:.1f}" {size}{attributes}/>'


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"


def _shown(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _header(lesson: Lesson, step: int) -> _Part:
    title = _text(0, 16, lesson["title"], font_size=19, font_weight=650)
    if not lesson["steps"]:
        return title + _text(0, 44, "This lesson has no steps.", fill=_QUIET), 50
    place = f"Step {step + 1} of {len(lesson['steps'])}"
    title += _text(_inner(), 16, place, text_anchor="end", font_weight=600)
    lines = textwrap.wrap(lesson["steps"][step]["caption"], 96) or [""]
    height = 22.0 * len(lines) + 16
    box = _rect(0, 32, _inner(), height, fill=_RAISED) + _rect(0, 32, 5, height, fill=_VERMILLION)
    rows = enumerate(lines)
    caption = "".join(_text(18, 55 + 22 * row, line, font_size=16) for row, line in rows)
    result = lesson.get("result")
    if result and step == len(lesson["steps"]) - 1:
        caption += _text(
            _inner(), 52 + height, f"Result: {result}", text_anchor="end", font_weight=700
        )
        height += 22
    return title + box + caption, 32 + height


def _inner() -> int:
    return _WIDTH - 2 * _MARGIN


def _source(lesson: Lesson, step: dict[str, Any]) -> _Part:
    function = next(item for item in lesson["functions"] if item["name"] == step["function"])
    source, current = function["source"], step["line"] - 1
    first = max(0, min(current - _SOURCE_LINES // 2, len(source) - _SOURCE_LINES))
    number = function.get("first_line") or 1
    drawn = _text(0, 12, f"Source of {function['name']}", fill=_QUIET, font_weight=600)
    for row, index in enumerate(range(first, min(first + _SOURCE_LINES, len(source)))):
        drawn += _source_line(26 + 20 * row, source[index], number + index, index == current)
    height = 20 * min(_SOURCE_LINES, len(source))
    return drawn + _rect(0, 22, _inner(), height + 8, fill="none", stroke=_RULE, rx=6), height + 30


def _source_line(y: float, line: str, number: int, is_current: bool) -> str:
    mono = "ui-monospace, DejaVu Sans Mono, Menlo, Consolas, monospace"
    style = {"font_family": mono, "xml:space": "preserve"}
    code = _text(62, y + 14, _cut(line, 98), **style)
    place = _text(48, y + 14, str(number), text_anchor="end", fill=_QUIET, font_family=mono)
    if not is_current:
        return place + code
    band = _rect(1, y, _inner() - 2, 20, fill=_ORANGE, fill_opacity=0.22)
    return band + _text(8, y + 14, "▶", fill=_VERMILLION, font_size=11) + place + code


def _picture(picture: dict[str, Any], state: dict[str, Any]) -> _Part:
    drawn, height = _PICTURES[picture["kind"]](picture, state)
    title = _text(0, 12, picture.get("title") or "", fill=_QUIET, font_weight=600)
    return f'{title}<g transform="translate(0,22)">{drawn}</g>', height + 22


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
    window, current = state.get("window"), state.get("current")
    middle = (window["from"] + window["to"]) / 2 if window else low
    if not window and current is not None:
        middle = picture["events"][current]["at"]
    start = min(max(middle - span / 2, low), high - span)
    return start, start + span


def _timeline(picture: dict[str, Any], state: dict[str, Any]) -> _Part:
    low, high = _domain(picture, state)
    has_others = any(event.get("lane") is None for event in picture["events"])
    lanes = [*picture["lanes"], *(["other events"] if has_others else [])]
    left = min(max(map(len, lanes), default=0) * 7.4 + 22, 280)
    axis = 40 + 28 * len(lanes)

    def x(at: float) -> float:
        return left + 14 + (at - low) / (high - low) * (_inner() - left - 28)

    def y(event: dict[str, Any]) -> float:
        lane = event.get("lane")
        return 54 + 28 * (len(lanes) - 1 if lane is None else lane)

    drawn = _window(state.get("window"), x, axis, left)
    for row, lane in enumerate(lanes):
        drawn += _line(left, 54 + 28 * row, _inner(), 54 + 28 * row, _RULE)
        drawn += _text(left - 12, 58.5 + 28 * row, _cut(lane, 36), text_anchor="end", fill=_QUIET)
    drawn += _line(left, axis + 4, _inner(), axis + 4, _GREY)
    drawn += _ticks(
        [tick for tick in picture.get("ticks") or [] if low <= tick["at"] <= high], x, axis
    )
    drawn += _chain(picture["events"], state.get("chain") or [], x, y)
    drawn += _events(picture["events"], state, (low, high), x, y)
    return drawn + _now(picture["events"], state.get("current"), x, axis), axis + 30


def _line(x1: float, y1: float, x2: float, y2: float, stroke: str, width: float = 1) -> str:
    ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
    return f'<line {ends} stroke="{stroke}" stroke-width="{width}"/>'


def _ticks(ticks: Iterable[dict[str, Any]], x: Callable[[float], float], axis: float) -> str:
    drawn, end = "", -1e9
    for tick in ticks:
        place, half = x(tick["at"]), 3.6 * len(tick["label"])
        if place - half < end + 8:
            continue
        end = place + half
        drawn += _line(place, axis + 4, place, axis + 9, _GREY)
        drawn += _text(place, axis + 23, tick["label"], text_anchor="middle", fill=_QUIET)
    return drawn


def _window(
    window: dict[str, Any] | None, x: Callable[[float], float], axis: float, left: float
) -> str:
    if not window:
        return ""
    start, end = (min(max(x(window[name]), left), _inner()) for name in ("from", "to"))
    label = window.get("label") or "window"
    place = max(left, min(start + 4, _inner() - 7 * len(label)))
    band = _rect(start, 28, end - start, axis - 24, fill=_SKY, fill_opacity=0.2)
    edges = f"M{start:.1f},{axis + 4}V28H{end:.1f}V{axis + 4}"
    dashes = f'<path d="{edges}" fill="none" stroke="{_BLUE}" stroke-dasharray="5 3"/>'
    return band + dashes + _text(place, 23, label, fill=_BLUE, font_weight=600)


def _chain(
    events: list[dict[str, Any]],
    chain: list[int],
    x: Callable[[float], float],
    y: Callable[[dict[str, Any]], float],
) -> str:
    points = " ".join(f"{x(events[i]['at']):.1f},{y(events[i]):.1f}" for i in chain)
    return f'<polyline points="{points}" fill="none" stroke="{_BLUE}" stroke-width="3"/>'


def _events(
    events: list[dict[str, Any]],
    state: dict[str, Any],
    domain: tuple[float, float],
    x: Callable[[float], float],
    y: Callable[[dict[str, Any]], float],
) -> str:
    seen = state.get("seen")
    chain, skipped = set(state.get("chain") or []), set(state.get("skipped") or [])
    drawn = ""
    for index, event in enumerate(events):
        if not domain[0] <= event["at"] <= domain[1]:
            continue
        past = seen is None or index < seen or index == state.get("current")
        mark = (
            _CHAIN
            if index in chain
            else _SKIPPED
            if index in skipped
            else _SEEN
            if past
            else _FUTURE
        )
        drawn += f'<g transform="translate({x(event["at"]):.1f},{y(event):.1f})">{mark}</g>'
    return drawn


_CHAIN = f'<circle r="7" fill="{_BLUE}"/>'
_SEEN = f'<circle r="4.5" fill="{_GREY}"/>'
_FUTURE = f'<circle r="4.5" fill="#fff" stroke="{_GREY}" stroke-width="1.5"/>'
_SKIPPED = f'<path d="M-4.5,-4.5L4.5,4.5M-4.5,4.5L4.5,-4.5" stroke="{_INK}" stroke-width="2.4"/>'


def _now(
    events: list[dict[str, Any]], current: int | None, x: Callable[[float], float], axis: float
) -> str:
    if current is None:
        return ""
    event, place = events[current], x(events[current]["at"])
    text = event.get("text") or event.get("label") or ""
    middle = min(max(place, 3.8 * len(text)), _inner() - 3.8 * len(text))
    label = _text(middle, 6, text, text_anchor="middle", fill=_VERMILLION, font_weight=700)
    return _line(place, 12, place, axis + 4, _VERMILLION, 1.5) + label


def _cells(picture: dict[str, Any], state: dict[str, Any]) -> _Part:
    values = [_shown(value) for value in state.get("cells") or []]
    labels = [str(label) for label in picture.get("labels") or range(len(values))]
    changed, current = set(state.get("changed") or []), state.get("current")
    longest = max((len(text) for text in [*labels[:_CELLS], *values[:_CELLS]]), default=1)
    width = min(max(longest * 8 + 20, 44), _inner() / max(min(len(values), _CELLS), 1) - 8)
    drawn = ""
    for index, value in enumerate(values[:_CELLS]):
        label = labels[index] if index < len(labels) else str(index)
        drawn += _cell(index * (width + 8), width, label, value, index in changed, index == current)
    if len(values) > _CELLS:
        drawn += _text(0, 80, f"… {len(values) - _CELLS} more, {len(values)} in all", fill=_QUIET)
    return drawn, 68 + 18 * (len(values) > _CELLS)


def _cell(x: float, width: float, label: str, value: str, changed: bool, current: bool) -> str:
    room = int(width / 7.2)
    fill, stroke = ("#f8e4b8", _VERMILLION) if changed else ("#fff", _GREY)
    mark = " ".join(["● changed"] * changed + ["▲ now"] * current)
    weight = 700 if changed else 400
    middle = {"text_anchor": "middle"}
    return (
        _text(x + width / 2, 12, _cut(label, room), fill=_QUIET, font_size=12, **middle)
        + _rect(x, 18, width, 30, rx=3, fill=fill, stroke=stroke, stroke_width=2)
        + _text(x + width / 2, 38, _cut(value, room), font_size=14, font_weight=weight, **middle)
        + _text(x + width / 2, 63, mark, fill=_QUIET, font_size=11, **middle)
    )


def _tree(picture: dict[str, Any], state: dict[str, Any]) -> _Part:
    nodes = picture["nodes"]
    low = min((node["from"] for node in nodes), default=0)
    high = max((node["to"] for node in nodes), default=1)
    unit = (_inner() - 4) / (high - low)
    drawn = "".join(_node(node, (node["from"] - low) * unit, unit, state) for node in nodes)
    return drawn, 40 * (1 + max((node["depth"] for node in nodes), default=0))


def _node(node: dict[str, Any], x: float, unit: float, state: dict[str, Any]) -> str:
    width, y = (node["to"] - node["from"]) * unit - 4, 40 * node["depth"]
    lit, current = node["id"] in (state.get("lit") or []), node["id"] == state.get("current")
    value = _shown((state.get("values") or {}).get(node["id"], ""))
    label = ("▶ " if current else "● " if lit else "") + value
    stroke = _VERMILLION if current else _BLUE if lit else _GREY
    fill, weight = ("#c6e4f6", 700) if lit else (_RAISED, 700 if current else 400)
    box = _rect(
        x + 2, y + 2, width, 32, rx=4, fill=fill, stroke=stroke, stroke_width=1 + lit + 2 * current
    )
    if len(label) * 7.5 > width:
        return box
    return box + _text(x + 2 + width / 2, y + 23, label, text_anchor="middle", font_weight=weight)


_PICTURES = {"timeline": _timeline, "cells": _cells, "tree": _tree}
