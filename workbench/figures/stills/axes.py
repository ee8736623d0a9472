"""The axes of a still's panels: their ticks, labels, grid and titles."""

from typing import Any

import numpy as np

from workbench.figures.stills.labels import label, width_of
from workbench.figures.stills.scales import Scale
from workbench.figures.stills.traces import PanelPicture
from workbench.figures.svg import line
from workbench.figures.theme import GRID, QUIET, RULE
from workbench.markup import Markup


def _has_labels(layout: Any) -> bool:
    return layout.visible is not False and layout.showticklabels is not False


def ticks(layout: Any, scale: Scale, room: float) -> tuple[list[Any], list[str]]:
    """Return the values and the labels of an axis's ticks."""
    return _all_ticks(layout, scale, room) if _has_labels(layout) else ([], [])


def _all_ticks(layout: Any, scale: Scale, room: float) -> tuple[list[Any], list[str]]:
    if layout.tickvals is not None:
        names = layout.ticktext if layout.ticktext is not None else map(str, layout.tickvals)
        return list(layout.tickvals), list(names)
    values, names = scale.ticks(room)
    if layout.dtick == 1 and scale.kind == "linear":
        step = max(1, round(abs(scale.high - scale.low) * 22 / max(room, 1)))
        low, high = sorted((scale.low, scale.high))
        values = [float(k) for k in range(int(np.ceil(low)), int(high) + 1, step)]
        names = [f"{value:.0f}" for value in values]
    if layout.tickformat == "~%":
        names = [f"{100 * value:.6g}%" for value in values]
    return list(values), list(names)


def room_below(layout: Any) -> float:
    """Return the height that a horizontal axis needs below its panel."""
    ticks = 22 if _has_labels(layout) and layout.side != "top" else 6
    return ticks + (18.0 if layout.title.text else 0.0)


def axes(drawing: PanelPicture) -> Markup:
    """Draw both axes of a panel: their ticks, the grid behind its traces, and their titles."""
    across, up = drawing.panel.axes
    left, top, bottom = drawing.left, drawing.top, drawing.top + drawing.height
    drawn = _grid(drawing)
    if across.visible is not False and up.visible is not False:
        drawn += line(left, bottom, left + drawing.width, bottom, RULE)
    values, names = ticks(up, drawing.panel.y, drawing.height)
    heights = drawing.y(values).tolist()
    for y, words in zip(heights, names, strict=True):
        if top - 1 <= y <= bottom + 1:
            drawn += label(left - 7, y, words, anchor="end", size=11, fill=QUIET)
    values, names = ticks(across, drawing.panel.x, drawing.width)
    height = top - 12 if across.side == "top" else bottom + 13
    drawn += _tick_names(drawing, drawing.x(values).tolist(), names, height)
    if across.title.text:
        middle = left + drawing.width / 2
        drawn += label(middle, bottom + (31 if names else 14), across.title.text,
                       anchor="middle", fill=QUIET)  # fmt: skip
    if up.title.text:
        x = left - max([0.0, *(width_of(one, 11) for one in ticks(up, drawing.panel.y, 1)[1])])
        middle = top + drawing.height / 2
        turned = f"rotate(-90 {x - 18:.0f} {middle:.0f})"
        drawn += label(x - 18, middle, up.title.text, anchor="middle", fill=QUIET, transform=turned)
    return drawn


def _grid(drawing: PanelPicture) -> Markup:
    """Draw the grid of a panel, also of axes whose labels are at another panel."""
    (across, up), drawn = drawing.panel.axes, Markup()
    left, right, top = drawing.left, drawing.left + drawing.width, drawing.top
    bottom = top + drawing.height
    if _has_grid(up, drawing.panel.y):
        values, _ = _all_ticks(up, drawing.panel.y, drawing.height)
        for y in drawing.y(values).tolist():
            drawn += line(left, y, right, y, GRID) if top - 1 <= y <= bottom + 1 else ""
    if _has_grid(across, drawing.panel.x):
        values, _ = _all_ticks(across, drawing.panel.x, drawing.width)
        for x in drawing.x(values).tolist():
            drawn += line(x, top, x, bottom, GRID) if left - 1 <= x <= right + 1 else ""
    return drawn


def _has_grid(layout: Any, scale: Scale) -> bool:
    shown = layout.visible is not False and layout.showgrid is not False
    return shown and scale.kind != "category"


def _tick_names(drawing: PanelPicture, places: list[float], names: list[str], y: float) -> Markup:
    """Draw labels from left to right, each unless it would overlap the one before."""
    drawn, end = Markup(), float("-inf")
    ends = drawing.left, drawing.left + drawing.width
    for x, words in zip(places, names, strict=True):
        half = width_of(words, 11) / 2
        if x - half < end + 6 or not ends[0] - 1 <= x <= ends[1] + 1:
            continue
        # The first and the last label stay within the picture.
        at = max(half + 2, min(x, ends[1] + 22 - half))
        end = at + half
        drawn += label(at, y, words, anchor="middle", size=11, fill=QUIET)
    return drawn
