"""A moving band of each key, as far as a stream has progressed, as a plotly figure."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray
from plotly.subplots import make_subplots

from workbench.figures.stills.still import page, picture
from workbench.figures.svg import pale, text
from workbench.figures.theme import BLUE, QUIET, SKY, TEXT, VERMILLION, empty, themed
from workbench.markup import Markup, chart_text

#: The most rows of a key that are drawn, the last ones.
MOST = 400
#: The width of the numbers next to a still.
NUMBERS_WIDTH = 260.0
#: The name of the rows that the last micro-batch has revised.
REVISED = "revised just now"


class Strip(NamedTuple):
    """The output of a stream for one key, in the order of time.

    Attributes
    ----------
    time : datetime64 array of shape (rows,)
    band : float64 array of shape (rows, 3)
        The lower quartile, the median and the upper quartile of each row's frame; NaN for none.
    revised : bool array of shape (rows,)
        Whether the last micro-batch changed the answer.
    """

    time: NDArray[np.datetime64]
    band: NDArray[np.float64]
    revised: NDArray[np.bool_]

    def last(self, most: int = MOST) -> "Strip":
        """Return the last rows.

        Examples
        --------
        >>> time = np.array(["2013-07-01", "2013-07-02"], "M8[us]")
        >>> Strip(time, np.zeros((2, 3)), np.zeros(2, bool)).last(1).time.tolist()
        [datetime.datetime(2013, 7, 2, 0, 0)]
        """
        return Strip(self.time[-most:], self.band[-most:], self.revised[-most:])

    def rows_drawn(self, revised: bool = False) -> list[int]:
        """Return the numbers of the rows that have a point, or only of those marked as revised.

        Examples
        --------
        >>> time = np.array(["2013-07-01", "2013-07-02"], "M8[us]")
        >>> strip = Strip(time, np.zeros((2, 3)), np.array([False, True]))
        >>> strip.rows_drawn(), strip.rows_drawn(revised=True)
        ([0, 1], [1])
        """
        drawn = range(len(self.time))[-MOST:]
        return [row for row in drawn if self.revised[row] or not revised]


def live_figure(strips: Mapping[str, Strip], across: str, up: str) -> go.Figure:
    """Draw a band for each key, one above the other, and mark the rows revised just now.

    Parameters
    ----------
    strips : mapping of str to Strip
        The strips by key, as text.
    across, up : str
        The titles of the axes.

    Returns
    -------
    plotly.graph_objects.Figure
        Four traces per key: the two edges of the band, the median, the revised rows; their ``meta``
        is the number of the key.

    Examples
    --------
    >>> time = np.array(["2013-07-01T10", "2013-07-01T11"], "M8[us]")
    >>> strip = Strip(time, np.array([[1.0, 2, 3], [2, 3, 4]]), np.array([False, True]))
    >>> figure = live_figure({"JFK": strip}, "time", "delay")
    >>> [(line.name, list(line.y)) for line in figure.data][2:]
    [('median', [2.0, 3.0]), ('revised just now', [3.0])]
    """
    if not strips:
        return empty(
            themed(go.Figure(), height=270),
            "No row has been emitted yet: rows are drawn here as they arrive.",
        )
    rows = len(strips)
    figure = make_subplots(
        rows,
        1,
        shared_xaxes=True,
        vertical_spacing=0.05,
        subplot_titles=list(map(chart_text, strips)),
    )
    drawn = [strip.last() for strip in strips.values()]
    # A legend omits traces without points: the first revised strip has the legend of the mark.
    marked = next((number for number, strip in enumerate(drawn, 1) if strip.revised.any()), 1)
    for number, strip in enumerate(drawn, 1):
        for trace in _traces(strip, legend=number == 1, marked=number == marked):
            figure.add_trace(trace.update(meta=number - 1), number, 1)
    themed(figure, height=140 + 130 * rows, margin={"t": 56, "b": 40}, legend={"y": 1.06})
    # In a redrawn figure that had fewer rows, an axis that is no longer the last has a title.
    figure.update_xaxes(title={"text": ""})
    figure.update_xaxes(title={"text": chart_text(across)}, row=rows)
    figure.update_annotations(x=0, xanchor="left", font={"size": TEXT, "weight": "bold"})
    figure.update_yaxes(title=chart_text(up))
    return figure


def live_svg(figure: go.Figure, numbers: Sequence[tuple[str, str]], title: str) -> Markup:
    """Draw a figure of :func:`live_figure`, with numbers next to it.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure
    numbers : sequence of (str, str)
        Names and values of counters.
    title : str

    Returns
    -------
    str
        A self-contained SVG document.

    Examples
    --------
    >>> "late rows" in live_svg(live_figure({}, "time", "delay"), [("late rows", "3")], "Delays")
    True
    """
    drawn, height, width = picture(figure)
    for number, (what, count) in enumerate(numbers):
        y = 16 + 22 * number
        drawn += text(width + 10, y, what, fill=QUIET)
        drawn += text(width + NUMBERS_WIDTH, y, count, text_anchor="end", font_weight="bold")
    part = drawn, max(height, 22.0 * len(numbers) + 16)
    return page(title, part, width=width + NUMBERS_WIDTH + 14)


def _traces(strip: Strip, legend: bool, marked: bool) -> list[go.Scatter]:
    time = np.datetime_as_string(strip.time, unit="s").tolist()
    low, middle, high = strip.band.T
    edge: dict[str, Any] = {"mode": "lines", "line": {"width": 0}, "hoverinfo": "skip"}
    fill = {"fill": "tonexty", "fillcolor": pale(SKY)}
    quartiles = "from the lower to the upper quartile"
    at = np.flatnonzero(strip.revised)
    return [
        go.Scatter(x=time, y=low.tolist(), name="", showlegend=False, **edge),
        go.Scatter(x=time, y=high.tolist(), name=quartiles, showlegend=legend, **edge, **fill),
        go.Scatter(
            x=time, y=middle.tolist(), name="median", showlegend=legend, mode="lines",
            line={"color": BLUE, "width": 2},
        ),
        go.Scatter(
            x=[time[i] for i in at], y=middle[at].tolist(), name=REVISED,
            showlegend=marked, mode="markers",
            marker={"symbol": "diamond-open", "size": 8, "color": VERMILLION},
        ),
    ]  # fmt: skip
