"""How many values each way touches as a still picture, for pages that run no widget."""

from math import ceil, log10

import pandas as pd

from workbench.figures.segment_tree import WAYS
from workbench.figures.svg import GREY, INK, QUIET, RULE, element, line, rect, text

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 820.0, 400.0, 60.0, 56.0, 190.0, 44.0
_DASHES = {"dash": "8 5", "dot": "2 4", "dashdot": "8 4 2 4"}
_LEAST_GAP = 16.0


def touched_svg(table: pd.DataFrame, title: str) -> str:
    """Draw how many values each way touches as SVG, both axes logarithmic.

    Parameters
    ----------
    table : pandas.DataFrame
        As :func:`workbench.figures.segment_tree.touched_figure` takes it.
    title : str

    Returns
    -------
    str

    Examples
    --------
    >>> table = pd.DataFrame({"naive": [1.0, 9.0]}, index=[1, 9])
    >>> "naive: 9.0" in touched_svg(table, "Touched")
    True
    """
    decades = (ceil(log10(max(table.index))), ceil(log10(max(table.max()))))
    drawn = text(12, 28, title, font_size=15, font_weight="bold", fill=INK) + _grid(*decades)
    ends = table.iloc[-1].sort_values(ascending=False)
    floor = float("-inf")
    for way, last in ends.items():
        pairs = zip(table.index, table[way], strict=True)
        points = [_place(x, y, *decades) for x, y in pairs]
        floor = max(points[-1][1], floor + _LEAST_GAP)
        drawn += _way(str(way), points) + text(
            WIDTH - RIGHT + 14, floor + 4, f"{way}: {last:.1f}", fill=INK
        )
    return element(
        "svg", rect(0, 0, WIDTH, HEIGHT, fill="white") + drawn,
        xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {WIDTH:.0f} {HEIGHT:.0f}", width=WIDTH,
        font_family="system-ui, sans-serif", font_size=13, role="img", aria_label=title,
    )  # fmt: skip


def _place(x: float, y: float, across: int, up: int) -> tuple[float, float]:
    room, height = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    return LEFT + log10(x) / across * room, HEIGHT - BOTTOM - log10(y) / up * height


def _grid(across: int, up: int) -> str:
    drawn = ""
    for power in range(across + 1):
        x, _ = _place(10**power, 1, across, up)
        drawn += line(x, TOP, x, HEIGHT - BOTTOM, RULE)
        drawn += text(x, HEIGHT - BOTTOM + 17, f"{10**power:,}", text_anchor="middle", fill=QUIET)
    for power in range(up + 1):
        _, y = _place(1, 10**power, across, up)
        drawn += line(LEFT, y, WIDTH - RIGHT, y, RULE)
        drawn += text(LEFT - 8, y + 4, f"{10**power:,}", text_anchor="end", fill=QUIET)
    middle = {"text_anchor": "middle", "fill": QUIET}
    drawn += text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, "rows in the frame", **middle)
    return drawn + text(12, TOP - 10, "values touched a row", fill=QUIET)


def _way(way: str, points: list[tuple[float, float]]) -> str:
    color, dash, _ = WAYS.get(way, (GREY, "solid", ""))
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    style = {"fill": "none", "stroke": color, "stroke_width": 2.5}
    drawn = element("polyline", points=path, stroke_dasharray=_DASHES.get(dash), **style)
    return drawn + "".join(element("circle", cx=x, cy=y, r=3.5, fill=color) for x, y in points)
