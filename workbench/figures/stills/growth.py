"""What grows with a size, and how fast, as a still picture, for pages that run no widget."""

from collections.abc import Mapping
from math import ceil, floor, log10
from typing import NamedTuple

import pandas as pd

from workbench.figures.growth import PLAIN, CurveStyle, Looks
from workbench.figures.markup import Markup, element, joined
from workbench.figures.svg import INK, QUIET, RULE, document, line, text

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 820.0, 400.0, 60.0, 56.0, 190.0, 44.0
_DASHES = {"dash": "8 5", "dot": "2 4", "dashdot": "8 4 2 4"}
_LEAST_GAP = 16.0


class _Range(NamedTuple):
    """The powers of ten that an axis goes from and to."""

    low: int
    high: int

    def share(self, value: float) -> float:
        return (log10(value) - self.low) / (self.high - self.low)


class _Plot(NamedTuple):
    """The two axes."""

    across: _Range
    up: _Range

    def place(self, x: float, y: float) -> tuple[float, float]:
        room, height = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
        left = LEFT + self.across.share(x) * room
        return left, HEIGHT - BOTTOM - self.up.share(y) * height


def growth_svg(
    table: pd.DataFrame, title: str, across: str, up: str, looks: Looks, names: Mapping[str, str]
) -> Markup:
    """Draw each column of a table against its index as SVG, both axes logarithmic.

    Parameters
    ----------
    table, across, up, looks, names
        As :func:`workbench.figures.growth.growth_figure` takes them.
    title : str

    Returns
    -------
    str

    Examples
    --------
    >>> table = pd.DataFrame({"naive": [1.0, 9.0]}, index=[1, 3])
    >>> "the square" in growth_svg(table, "T", "rows", "values", {}, {"naive": "the square"})
    True
    """
    plot = _Plot(_powers(table.index), _powers(table.min(), table.max()))
    drawn = text(12, 28, title, font_size=15, font_weight="bold", fill=INK)
    drawn += _grid(plot, across, up)
    floor_ = float("-inf")
    for column in table.iloc[-1].sort_values(ascending=False).index:
        points = [plot.place(x, y) for x, y in zip(table.index, table[column], strict=True)]
        floor_ = max(points[-1][1], floor_ + _LEAST_GAP)
        drawn += _way(looks.get(column, PLAIN), points)
        drawn += text(WIDTH - RIGHT + 14, floor_ + 4, names[column], fill=INK)
    return document(drawn, title, WIDTH, HEIGHT)


def _powers(*values: "pd.Series[float] | pd.Index[int]") -> _Range:
    low = floor(log10(min(map(min, values))))
    return _Range(low, max(ceil(log10(max(map(max, values)))), low + 1))


def _grid(plot: _Plot, across: str, up: str) -> Markup:
    drawn, corner = Markup(), (10.0**plot.across.low, 10.0**plot.up.low)
    for power in range(plot.across.low, plot.across.high + 1):
        x, _ = plot.place(10.0**power, corner[1])
        drawn += line(x, TOP, x, HEIGHT - BOTTOM, RULE)
        drawn += text(x, HEIGHT - BOTTOM + 17, _count(power), text_anchor="middle", fill=QUIET)
    for power in range(plot.up.low, plot.up.high + 1):
        _, y = plot.place(corner[0], 10.0**power)
        drawn += line(LEFT, y, WIDTH - RIGHT, y, RULE)
        drawn += text(LEFT - 8, y + 4, _count(power), text_anchor="end", fill=QUIET)
    middle = {"text_anchor": "middle", "fill": QUIET}
    drawn += text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, across, **middle)
    return drawn + text(12, TOP - 10, up, fill=QUIET)


def _count(power: int) -> str:
    """A power of ten, short enough for the margin."""
    if power < 5:
        return f"{10**power:,}"
    return f"{10 ** (power - 3)} k" if power < 6 else f"{10 ** (power - 6):,} M"


def _way(look: CurveStyle, points: list[tuple[float, float]]) -> Markup:
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    style = {"fill": "none", "stroke": look.color, "stroke_width": 2.5}
    drawn = element("polyline", points=path, stroke_dasharray=_DASHES.get(look.dash), **style)
    return drawn + joined(element("circle", cx=x, cy=y, r=3.5, fill=look.color) for x, y in points)
