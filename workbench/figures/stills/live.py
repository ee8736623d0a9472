"""A moving band of each key and the numbers beside it, as a still picture."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.figures.live import Strip
from workbench.figures.markup import Markup, element
from workbench.figures.svg import (
    BLUE,
    QUIET,
    RULE,
    SKY,
    VERMILLION,
    document,
    line,
    text,
)

WIDTH, PANEL, TOP, LEFT, RIGHT = 900.0, 120.0, 56.0, 56.0, 600.0
SIDE = 630.0


def live_svg(strips: Mapping[str, Strip], numbers: Sequence[tuple[str, str]], title: str) -> Markup:
    """Draw the band of each key, and numbers beside them.

    Parameters
    ----------
    strips : mapping of str to Strip
    numbers : sequence of (str, str)
        What is counted, and the count.
    title : str

    Returns
    -------
    str

    Examples
    --------
    >>> "late rows" in live_svg({}, [("late rows", "3")], "Delays")
    True
    """
    height = TOP + max(PANEL * len(strips), 22.0 * len(numbers)) + 40
    drawn = text(12, 24, title, font_size=15, font_weight="bold")
    for number, (name, strip) in enumerate(strips.items()):
        drawn += _panel(strip.last(), name, TOP + PANEL * number)
    for number, (what, count) in enumerate(numbers):
        y = TOP + 16 + 22 * number
        drawn += text(SIDE, y, what, fill=QUIET)
        drawn += text(WIDTH - 14, y, count, text_anchor="end", font_weight="bold")
    return document(drawn, title, WIDTH, height)


def _panel(strip: Strip, name: str, top: float) -> Markup:
    low, middle, high = strip.band.T
    known = ~np.isnan(middle)
    drawn = text(LEFT, top + 10, name, font_weight="bold")
    if known.sum() < 2:
        return drawn + text(LEFT, top + 40, "nothing has been said yet", fill=QUIET)
    bottom, ends = top + PANEL - 22, (float(np.nanmin(low)), float(np.nanmax(high)))
    at = strip.time.astype(np.int64).astype(np.float64)
    x = LEFT + (RIGHT - LEFT) * _share(at, at[0], at[-1])
    edges = [bottom - (bottom - top - 16) * _share(side, *ends) for side in (low, middle, high)]
    around = [*_pairs(x[known], edges[0][known]), *_pairs(x[known][::-1], edges[2][known][::-1])]
    drawn += line(LEFT, bottom, RIGHT, bottom, RULE)
    drawn += element("polygon", points=" ".join(around), fill=SKY, fill_opacity=0.4)
    points = " ".join(_pairs(x[known], edges[1][known]))
    drawn += element("polyline", points=points, fill="none", stroke=BLUE, stroke_width=2)
    for i in np.flatnonzero(strip.revised & known):
        drawn += element(
            "path", d=f"M{x[i]:.1f},{edges[1][i] - 5:.1f}l5,5l-5,5l-5,-5Z", fill="none",
            stroke=VERMILLION, stroke_width=1.5,
        )  # fmt: skip
    for value, y in ((ends[1], top + 22), (ends[0], bottom)):
        drawn += text(LEFT - 6, y, f"{value:.4g}", text_anchor="end", fill=QUIET)
    for value, where, anchor in ((strip.time[0], LEFT, "start"), (strip.time[-1], RIGHT, "end")):
        said = np.datetime_as_string(value, unit="m").replace("T", " ")
        drawn += text(where, bottom + 15, said, text_anchor=anchor, fill=QUIET)
    return drawn


def _share(values: NDArray[Any], low: float, high: float) -> NDArray[np.float64]:
    return np.asarray((values - low) / ((high - low) or 1.0))


def _pairs(x: Iterable[float], y: Iterable[float]) -> list[str]:
    return [f"{left:.1f},{up:.1f}" for left, up in zip(x, y, strict=True)]
