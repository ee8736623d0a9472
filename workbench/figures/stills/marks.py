"""The symbols, dashes and patterns of plotly that our figures use, as SVG."""

from dataclasses import dataclass
from math import cos, pi, sin
from typing import Any

from workbench.figures.svg import rect
from workbench.figures.theme import INK
from workbench.markup import Markup, element

DASHES = {
    "dash": "8 5", "dot": "2 4", "dashdot": "8 4 2 4", "longdash": "12 5",
    "longdashdot": "12 4 2 4",
}  # fmt: skip
#: The patterns' names, and the lines of a tile of six by six pixels.
PATTERNS = {
    "/": ("slash", "M0,6L6,0"),
    "\\": ("backslash", "M0,0L6,6"),
    "x": ("cross", "M0,6L6,0M0,0L6,6"),
    ".": ("dot", "M2,3h2"),
    "-": ("dash", "M0,3h6"),
}


def _corners(count: int, turn: float = 0.0, inner: float | None = None) -> str:
    """Return a path around corners at distance one, or alternating between two distances."""
    points = []
    for k in range(count):
        far = inner if inner is not None and k % 2 else 1.0
        angle = turn + 2 * pi * k / count - pi / 2
        points.append(f"{far * cos(angle):.2f},{far * sin(angle):.2f}")
    return f"M{'L'.join(points)}Z"


#: Paths in a box from -1 to 1.
SHAPES = {
    "square": "M-.9,-.9H.9V.9H-.9Z",
    "diamond": "M0,-1.2L1.2,0L0,1.2L-1.2,0Z",
    "triangle-up": "M0,-1.1L1.1,.9H-1.1Z",
    "triangle-down": "M0,1.1L1.1,-.9H-1.1Z",
    "hexagon": _corners(6, pi / 6),
    "star": _corners(10, 0.0, 0.45),
    "cross": "M-.35,-1H.35V-.35H1V.35H.35V1H-.35V.35H-1V-.35H-.35Z",
    "x": "M-.95,-.5L-.5,-.95L0,-.45L.5,-.95L.95,-.5L.45,0L.95,.5L.5,.95L0,.45L-.5,.95L-.95,.5"
    "L-.45,0Z",
    "x-thin": "M-1,-1L1,1M-1,1L1,-1",
    "line-ns": "M0,-1V1",
}  # fmt: skip
#: Symbols made of lines only, whose colour is that of their line.
THIN = ("x-thin", "line-ns")


def at(values: Any, place: int) -> Any:
    """Return a mark's value of a property, which may be one for all marks."""
    return values[place] if isinstance(values, list | tuple) or hasattr(values, "dtype") else values


@dataclass(frozen=True)
class Marks:
    """The properties of a trace's marks, read once, as plotly takes long for each.

    Each may be one value for all marks, or a value for each.
    """

    symbols: Any
    colors: Any
    sizes: Any
    line_colors: Any
    line_widths: Any
    opacity: Any

    @classmethod
    def of(cls, trace: Any) -> "Marks":
        """Return the properties of a trace's marks, with plotly's defaults."""
        marker = trace.marker
        colors = trace.line.color if marker.color is None else marker.color
        line = marker.line
        return cls(marker.symbol, colors, marker.size, line.color, line.width, marker.opacity)

    def draw(self, place: int, x: float, y: float) -> Markup:
        """Draw the mark of the point with this index."""
        symbol = str(at(self.symbols, place) or "circle")
        color = at(self.colors, place) or INK
        line, width = at(self.line_colors, place), at(self.line_widths, place)
        kind, open_ = symbol.removesuffix("-open"), symbol.endswith("-open")
        if kind in THIN or open_:
            stroke = line if kind in THIN and line else color
            style = {"fill": "none", "stroke": stroke, "stroke_width": width or 1.5}
        else:
            style = {"fill": color, "stroke": line if width else None}
            style["stroke_width"] = width if width and width != 1 else None
        style["opacity"] = self.opacity
        radius = float(at(self.sizes, place) or 6) / 2
        if kind == "circle":
            return element("circle", cx=x, cy=y, r=radius, **style)
        place_at = f"translate({x:.1f},{y:.1f}) scale({radius:g})"
        # The width of a line does not scale with the mark.
        if style["stroke"] is not None:
            style["vector_effect"] = "non-scaling-stroke"
        return element("path", d=SHAPES[kind], transform=place_at, **style)


def box(trace: Any, place: int, x: float, y: float, width: float, height: float) -> Markup:
    """Draw a bar of a trace: its colour, its outline, and its pattern over it."""
    marker = trace.marker
    style = {
        "fill": at(marker.color, place),
        "fill_opacity": marker.opacity,
        "stroke": at(marker.line.color, place) if marker.line.width != 0 else None,
    }
    drawn = rect(x, y, width, height, **style)
    shape = marker.pattern.shape
    if not shape:
        return drawn
    color = marker.pattern.fgcolor or INK
    named, path = PATTERNS[shape]
    name = f"wb-{named}-{color.lstrip('#')}"
    tile = element(
        "pattern", element("path", d=path, stroke=color, stroke_width=1, fill="none"),
        id=name, width=6, height=6, patternUnits="userSpaceOnUse",
    )  # fmt: skip
    return drawn + tile + rect(x, y, width, height, fill=f"url(#{name})")
