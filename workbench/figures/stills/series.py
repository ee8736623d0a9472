"""A moving band as a still picture, for pages that run no widget."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.figures.decimate import in_view, line_points, mark_points, within
from workbench.figures.markup import Markup, element, joined
from workbench.figures.series import View, outline, spoken_share
from workbench.figures.svg import (
    BLUE,
    GREY,
    QUIET,
    RULE,
    SKY,
    VERMILLION,
    document,
    line,
    moved,
    rect,
    text,
)
from workbench.windows.bands.quantile_band import Band, Floats

WIDTH, HEIGHT = 900.0, 330.0
LEFT, RIGHT, TOP, BOTTOM = 64.0, 888.0, 62.0, 300.0
COLUMNS, CELLS, MANY = 300, (150, 50), 200
#: Triangles that point at where an outlier went.
MARKS = {1: "M-4,3.5L4,3.5L0,-3.5Z", -1: "M-4,-3.5L4,-3.5L0,3.5Z"}


@dataclass(frozen=True)
class _Plot:
    """The part of the axes that is drawn."""

    x: NDArray[Any]
    y: tuple[float, float]

    def across(self, places: NDArray[Any]) -> Floats:
        return np.asarray(LEFT + (RIGHT - LEFT) * _share(places, *self.x))

    def up(self, values: Floats) -> Floats:
        return np.asarray(BOTTOM - (BOTTOM - TOP) * _share(values, *self.y))


def series_svg(band: Band, name: str, title: str, view: View | None = None) -> Markup:
    """Draw a series, its band and its outliers, as SVG.

    Parameters
    ----------
    band : Band
    name : str
        Of the axis that goes across.
    title : str
    view : (value, value), optional
        What part of the axis is seen; without it, all.

    Returns
    -------
    str

    Examples
    --------
    >>> y = np.array([1.0, 9, 1])
    >>> band = Band(np.arange(3), y, {0.25: y, 0.75: y}, np.array([0, 1, 0], np.int8))
    >>> "1 outlier" in series_svg(band, "day", "Boston")
    True
    """
    ends = view or ((band.x[0], band.x[-1]) if len(band.x) else (0, 1))
    seen, inside = in_view(band.x, *ends), within(band.x, *ends)
    plot = _Plot(np.array(ends), _extent(band, inside))
    drawn = _axes(plot, name) + _lines(plot, band, seen)
    drawn += joined(_marks(plot, band, inside, sign) for sign in MARKS)
    clip = element("clipPath", rect(LEFT, TOP - 6, RIGHT - LEFT, BOTTOM - TOP + 12), id="wb-plot")
    outliers = int(np.count_nonzero(band.outlier[inside]))
    heading = text(12, 24, title, font_size=15, font_weight="bold")
    return document(heading + _legend(band, outliers) + clip + drawn, title, WIDTH, HEIGHT)


def _share(values: NDArray[Any], low: Any, high: Any) -> Floats:
    return np.asarray((values - low) / (high - low) if high > low else values * 0.0 + 0.5)


def _extent(band: Band, inside: slice) -> tuple[float, float]:
    values = [band.y[inside], *(values[inside] for values in band.quantiles.values())]
    known = [part[~np.isnan(part)] for part in values]
    ends = [end for part in known if len(part) for end in (part.min(), part.max())]
    return (float(min(ends)), float(max(ends))) if ends else (0.0, 1.0)


def _path(across: Floats, up: Floats) -> str:
    """Lines from point to point, with a new start behind each gap."""
    drawn, pen = [], "M"
    for x, y in zip(across.tolist(), up.tolist(), strict=True):
        if y == y:
            drawn.append(f"{pen}{x:.1f},{y:.1f}")
        pen = "L" if y == y else "M"
    return "".join(drawn)


def _lines(plot: _Plot, band: Band, seen: slice) -> Markup:
    x, shares = band.x[seen], list(band.quantiles)
    found = Markup()
    if shares:
        low, high = (band.quantiles[q][seen] for q in (shares[0], shares[-1]))
        across, up = outline(x, low, high, COLUMNS)
        found += element("path", d=_path(plot.across(across), plot.up(up)), fill=SKY, opacity=0.4)
    lines = [(band.y[seen], GREY, 0.7)]
    lines += [(band.quantiles[q][seen], BLUE, 1.6) for q in shares[1:-1]]
    for y, color, width in lines:
        at = line_points(x, y, COLUMNS)
        path = _path(plot.across(x[at]), plot.up(y[at]))
        found += element("path", d=path, fill="none", stroke=color, stroke_width=width)
    return element("g", found, clip_path="url(#wb-plot)")


def _marks(plot: _Plot, band: Band, inside: slice, sign: int) -> Markup:
    at = np.flatnonzero(band.outlier[inside] == sign) + inside.start
    at = at[mark_points(band.x[at], band.y[at], CELLS)]
    places = zip(plot.across(band.x[at]), plot.up(band.y[at]), strict=True)
    # Where there are many, small marks let the rest be seen.
    size = None if len(at) <= MANY else "scale(0.6)"
    mark = element("path", d=MARKS[sign], fill=VERMILLION, transform=size)
    return joined(moved(x, y, mark) for x, y in places)


def _legend(band: Band, outliers: int) -> Markup:
    low, *inner, high = list(band.quantiles) or [0.0, 1.0]
    parts = [(f"▇ {spoken_share(low)} to {spoken_share(high)} of its window", "#2b7fb5")]
    parts += [("━ " + ", ".join(map(spoken_share, inner)), BLUE)] if inner else []
    parts += [("─ value", QUIET)]
    parts += [(f"▲▼ {outliers:,} outlier{'' if outliers == 1 else 's'}", VERMILLION)]
    drawn, x = Markup(), 12.0
    for words, color in parts:
        drawn += text(x, 46, words, fill=color)
        x += 7.0 * len(words) + 18
    return drawn


def _axes(plot: _Plot, name: str) -> Markup:
    drawn = text(RIGHT, BOTTOM + 30, name, text_anchor="end", fill=QUIET)
    for y in _round_places(*plot.y):
        at = float(plot.up(np.array(y)))
        label = text(LEFT - 8, at + 4, f"{y + 0.0:.6g}", text_anchor="end", fill=QUIET)
        drawn += line(LEFT, at, RIGHT, at, RULE) + label
    low, high = plot.x
    for k, anchor in enumerate(["start", "middle", "middle", "middle", "end"]):
        place = (
            low + (high - low) // 4 * k if plot.x.dtype.kind == "M" else low + (high - low) * k / 4
        )
        at = float(plot.across(np.array(place)))
        drawn += text(at, BOTTOM + 15, _place(place, high - low), text_anchor=anchor, fill=QUIET)
    return drawn


def _round_places(low: float, high: float) -> Floats:
    """Four to nine round numbers from one to another."""
    rough = (high - low) / 5 or 1.0
    power = 10.0 ** np.floor(np.log10(rough))
    step = power * max(k for k in (1, 2, 5) if k * power <= rough)
    return np.asarray(np.arange(np.ceil(low / step), np.floor(high / step) + 1) * step)


def _place(place: Any, span: Any) -> str:
    if isinstance(place, np.datetime64):
        days = span / np.timedelta64(1, "D")
        unit = "D" if days > 10 else "m" if days > 0.01 else "ms"
        return str(place.astype(f"M8[{unit}]")).replace("T", " ")
    return f"{place:.6g}"
