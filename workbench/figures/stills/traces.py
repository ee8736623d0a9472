"""The traces of a plotly figure in a panel of a still."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernels.core.arrays import Floats
from workbench.figures.stills.labels import label, lines_of, width_of
from workbench.figures.stills.marks import DASHES, Marks, at, box
from workbench.figures.stills.panels import Bar, Panel
from workbench.figures.svg import rect
from workbench.figures.theme import BLUE, GROUND, INK, QUIET
from workbench.markup import Markup, element, joined

#: The position of a text next to its point: its anchor, and its offset.
_BESIDE = {"left": ("end", -6.0), "center": ("middle", 0.0), "right": ("start", 6.0)}
_ABOVE = {"top": -12, "middle": 0, "bottom": 12}


class PanelPicture:
    """A panel in a box of the picture.

    Parameters
    ----------
    panel : Panel
    left, top, width, height : float
    """

    def __init__(self, panel: Panel, left: float, top: float, width: float, height: float) -> None:
        self.panel, self.left, self.top = panel, left, top
        self.width, self.height = width, height

    def x(self, values: Any) -> Floats:
        """Return the horizontal positions of values in the picture."""
        return np.asarray(self.left + self.width * self.panel.x.share(values))

    def y(self, values: Any) -> Floats:
        """Return the vertical positions of values, from the top."""
        return np.asarray(self.top + self.height * (1 - self.panel.y.share(values)))

    def traces(self) -> Markup:
        """Draw all traces in order, and their texts on top."""
        drawn, texts, before = self._no_values_note(), Markup(), None
        for trace in self.panel.traces:
            if trace.type == "bar":
                own = [bar for bar in self.panel.bars if bar.trace is trace]
                drawn += joined(self._bar(bar) for bar in own)
            elif trace.type == "heatmap":
                drawn += self._cells(trace)
            else:
                points = _Points(self, trace)
                drawn += points.area(before) + points.line() + points.marks()
                texts += points.texts()
                before = points
        return drawn + texts

    def _no_values_note(self) -> Markup:
        """Draw a note if a panel has points, but none with a value."""
        points = [one for one in self.panel.traces if one.type == "scatter" and one.mode != "text"]
        if any(_Points(self, one).known.any() for one in points) or self.panel.bars or not points:
            return Markup()
        return label(self.left + 10, self.top + 20, "no values", fill=QUIET)

    def _bar(self, bar: Bar) -> Markup:
        lies = bar.trace.orientation == "h"
        along = (self.panel.x if lies else self.panel.y).between(np.array(bar.along))
        across = (self.panel.y if lies else self.panel.x).between(np.array(bar.across))
        if not np.isfinite(along).all() or along[0] == along[1]:
            return Markup()
        (x, y) = (along, across) if lies else (across, along)
        x, y = self.left + self.width * np.clip(x, 0, 1), self.top + self.height * (1 - y)
        left, top = float(x.min()), float(y.min())
        wide, high = float(np.ptp(x)), float(np.ptp(y))
        drawn = box(bar.trace, bar.place, left, top, wide, high)
        words = str(at(bar.trace.text, bar.place) or "") if bar.trace.text is not None else ""
        if not words:
            return drawn
        if not lies and bar.trace.textposition == "outside":
            fill = bar.trace.textfont.color or INK
            return drawn + label(left + wide / 2, top - 7, words, anchor="middle", fill=fill)
        if width_of(words) + 8 < wide:
            fill = GROUND if bar.trace.marker.color == BLUE else INK
            middle = left + wide / 2
            return drawn + label(middle, top + high / 2, words, anchor="middle", fill=fill)
        return drawn + label(left + wide + 5, top + high / 2, words)

    def _cells(self, trace: Any) -> Markup:
        """Draw the cells of a heat map with a value, darker for greater ones."""
        if not len(trace.y):
            return label(self.left + 10, self.top + 20, "no rows")
        edges = [_cell_edges(scale.numbers(values)) for scale, values in
                 ((self.panel.x, trace.x), (self.panel.y, trace.y))]  # fmt: skip
        x = self.left + self.width * self.panel.x.between(edges[0])
        y = self.top + self.height * (1 - self.panel.y.between(edges[1]))
        shares = np.asarray(trace.z, float)
        most = float(np.nanmax(shares, initial=0)) or 1.0
        cells: list[Markup] = []
        for (i, j), value in np.ndenumerate(shares):
            if np.isnan(value) or not (value or trace.texttemplate):
                continue
            left, top = float(min(x[j], x[j + 1])), float(min(y[i], y[i + 1])) + 1
            wide, high = abs(float(x[j + 1] - x[j])), abs(float(y[i + 1] - y[i])) - 2
            opacity = 0.08 + 0.92 * value / most
            cells.append(rect(left, top, wide, high, fill=BLUE, fill_opacity=f"{opacity:.2f}"))
            if trace.texttemplate:
                words, fill = str(trace.text[i][j]), GROUND if opacity > 0.65 else INK
                middle = left + wide / 2
                cells.append(label(middle, top + high / 2, words, anchor="middle", fill=fill))
        return joined(cells)


class _Points:
    """The points of a scatter trace in the picture."""

    def __init__(self, drawing: PanelPicture, trace: Any) -> None:
        self.drawing, self.trace = drawing, trace
        self.mode = trace.mode or "lines"
        x, y = ([] if values is None else list(values) for values in (trace.x, trace.y))
        self.x, self.y = drawing.x(x), drawing.y(y)
        self.known = np.isfinite(self.x) & np.isfinite(self.y)

    def runs(self) -> Iterator[NDArray[np.int64]]:
        """Yield the runs of points between gaps."""
        at_ = np.flatnonzero(self.known)
        yield from (run for run in np.split(at_, np.flatnonzero(np.diff(at_) > 1) + 1) if len(run))

    def area(self, before: "_Points | None") -> Markup:
        """Draw the fill of the trace: within it, or between it and the one before."""
        fill = self.trace.fill
        if fill in (None, "none"):
            return Markup()
        style = {"fill": self.trace.fillcolor}
        if fill == "toself":
            path = "".join(f"M{'L'.join(_pairs(self.x[run], self.y[run]))}Z" for run in self.runs())
            return element("path", d=path, **style) if path else Markup()
        if before is None or not (self.known & before.known).any():
            return Markup()
        both = self.known & before.known
        around = [*_pairs(before.x[both], before.y[both]),
                  *_pairs(self.x[both][::-1], self.y[both][::-1])]  # fmt: skip
        return element("polygon", points=" ".join(around), **style)

    def line(self) -> Markup:
        """Draw the line through the points, with gaps at missing ones."""
        line = self.trace.line
        if "lines" not in self.mode or line.width == 0 or self.trace.fill == "toself":
            return Markup()
        style = {
            "fill": "none",
            "stroke": line.color or INK,
            "stroke_width": line.width or 2,
            "stroke_dasharray": DASHES.get(line.dash),
            "opacity": None if self.trace.opacity is None else f"{self.trace.opacity:g}",
        }
        if line.shape == "hv":
            steps = (_steps(self.x[run], self.y[run]) for run in self.runs())
            return element("path", d="".join(steps), **style)
        runs = [np.flatnonzero(self.known)] if self.trace.connectgaps else self.runs()
        return joined(
            element("polyline", points=" ".join(_pairs(self.x[run], self.y[run])), **style)
            for run in runs
        )

    def marks(self) -> Markup:
        """Draw the marks of the points."""
        if "markers" not in self.mode:
            return Markup()
        # Of marks at the same pixel, one is enough.
        pixels = np.round(np.stack([self.x, self.y], axis=1)[self.known])
        _, first = np.unique(pixels, axis=0, return_index=True)
        marks, tooltips = Marks.of(self.trace), self.trace.hovertext
        return joined(
            _with_tooltip(marks.draw(place, self.x[place], self.y[place]), at(tooltips, place))
            for place in np.flatnonzero(self.known)[np.sort(first)].tolist()
        )

    def texts(self) -> Markup:
        """Draw the texts next to the points."""
        if "text" not in self.mode or self.trace.text is None:
            return Markup()
        height, _, side = (self.trace.textposition or "middle center").partition(" ")
        anchor, aside = _BESIDE[side]
        if "markers" in self.mode:
            aside += float(self.trace.marker.size or 6) / 2 * (aside > 0)
        font = self.trace.textfont
        style: dict[str, Any] = {"size": font.size or 12, "fill": font.color or INK}
        return joined(
            label(self.x[place] + aside, self.y[place] + _ABOVE[height],
                  str(at(self.trace.text, place)), anchor=anchor, **style)
            for place in np.flatnonzero(self.known).tolist()
        )  # fmt: skip


def _with_tooltip(drawn: Markup, hover_text: Any) -> Markup:
    """Return a mark with its hover text, if it has one, as a tooltip."""
    if hover_text is None:
        return drawn
    return element("g", element("title", "\n".join(lines_of(str(hover_text)))), drawn)


def _pairs(x: Floats, y: Floats) -> list[str]:
    return [f"{a:.1f},{b:.1f}" for a, b in zip(x.tolist(), y.tolist(), strict=True)]


def _steps(x: Floats, y: Floats) -> str:
    """Return a path that goes across to the next point, and then up to it."""
    rest = zip(x[1:].tolist(), y[1:].tolist(), strict=True)
    return f"M{x[0]:.1f},{y[0]:.1f}" + "".join(f"H{a:.1f}V{b:.1f}" for a, b in rest)


def _cell_edges(middle: Floats) -> Floats:
    """Return the edges of cells from their middles."""
    if len(middle) == 1:
        return np.array([middle[0] - 0.5, middle[0] + 0.5])
    inner = (middle[1:] + middle[:-1]) / 2
    return np.array([2 * middle[0] - inner[0], *inner, 2 * middle[-1] - inner[-1]])
