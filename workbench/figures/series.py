"""A series with its moving quartile band and its outliers as a plotly figure."""

from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from workbench.figures.decimate import in_view, line_points, mark_points, within
from workbench.figures.markup import BREAK, NO_NAME, chart_text, element, in_lines
from workbench.figures.svg import BLUE, GREY, SKY, VERMILLION, pale
from workbench.windows.bands.quantile_band import Band, Floats

#: How many columns and rows of pixels the figure is taken to have, and marks of them.
COLUMNS, CELLS = 800, (200, 80)
#: More marks than these are drawn smaller, so that the rest can be seen.
MANY = 300
#: Up to so many points are seen one by one.
FEW = 150

View = tuple[Any, Any]


def series_figure(
    band: Band,
    view: View | None = None,
    *,
    outliers: bool = True,
    names: tuple[str, str] = ("", ""),
    columns: int = COLUMNS,
) -> go.Figure:
    """Draw a series, the quantiles of the window around each of its points, and its outliers.

    Parameters
    ----------
    band : Band
    view : (value, value), optional
        What part of the axis is seen; without it, all.
    outliers : bool
        Whether to mark points beyond the fences of their own window.
    names : (str, str)
        Of the two axes.
    columns : int
        How many pixels wide the picture is. Of more points than it can show, those are drawn that
        make the same picture: no peak is left out.

    Returns
    -------
    plotly.graph_objects.Figure
        The band, the series, a line for each quantile between the outer ones, and the outliers
        above and below.

    Examples
    --------
    >>> low, high = np.array([1.0, 1, 1]), np.array([2.0, 2, 2])
    >>> outlier = np.array([0, 1, 0], np.int8)
    >>> band = Band(np.arange(3), np.array([1.0, 9, 1]), {0.25: low, 0.75: high}, outlier)
    >>> [(trace.name, len(trace.x)) for trace in series_figure(band).data]
    [('25% to 75% of its window', 7), ('value', 3), ('1 outlier above', 1), ('0 outliers below', 0)]
    """
    ends = (band.x[0], band.x[-1]) if view is None and len(band.x) else view
    seen = in_view(band.x, *ends) if ends else slice(0, 0)
    x = band.x[seen]
    lines = {share: values[seen] for share, values in band.quantiles.items()}
    inner = list(lines)[1:-1]
    traces = [_area(x, lines, columns), _line(x, band.y[seen], lines, names[1], columns)]
    traces += [_quantile(x, lines[share], share, columns) for share in inner]
    if outliers:
        inside = within(band.x, *ends) if ends else slice(0, 0)
        traces += [_marks(band, inside, sign) for sign in (1, -1)]
    figure = go.Figure(traces)
    figure.update_layout(
        height=470,
        margin={"l": 10, "r": 10, "t": 40, "b": 40},
        template="plotly_white",
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        xaxis={"title": chart_text(names[0]), "range": _axis(np.array(ends)) if ends else None},
        yaxis={"title": chart_text(names[1]), "fixedrange": True},
        dragmode="zoom",
    )
    return figure


def spoken_share(share: float) -> str:
    """Return a quantile as a person says it.

    Examples
    --------
    >>> spoken_share(0.5), spoken_share(0.999)
    ('median', '99.9%')
    """
    return "median" if share == 0.5 else f"{round(100 * share, 6):g}%"


def _area(x: NDArray[Any], lines: dict[float, Floats], columns: int) -> go.Scatter:
    low, *_, high = lines
    across, up = outline(x, lines[low], lines[high], columns)
    return go.Scatter(
        x=_axis(across), y=up, mode="lines", fill="toself", fillcolor=pale(SKY),
        line={"width": 0}, name=f"{spoken_share(low)} to {spoken_share(high)} of its window",
        hoverinfo="skip",
    )  # fmt: skip


def outline(
    x: NDArray[Any], low: Floats, high: Floats, columns: int
) -> tuple[NDArray[Any], Floats]:
    """Return the outline of the area between two lines: there and back, a part for each gap.

    Examples
    --------
    >>> low, high = np.array([0.0, np.nan, 4]), np.array([1.0, np.nan, 5])
    >>> x, up = outline(np.array([1, 2, 3]), low, high, columns=9)
    >>> x.tolist(), up.tolist()
    ([1, 1, 1, 3, 3, 3], [0.0, 1.0, nan, 4.0, 5.0, nan])
    """
    xs, ys = [x[:0]], [low[:0]]
    if (gap := np.isnan(low) | np.isnan(high)).any():
        # Both edges break in the same places: an area needs the two of them.
        low, high = np.where(gap, np.nan, low), np.where(gap, np.nan, high)
    edges = [_runs(values, line_points(x, values, columns)) for values in (low, high)]
    for there, back in zip(*edges, strict=True):
        # The last x once more, under a y of NaN, lifts the pen.
        xs += [x[there], x[back[::-1]], x[there[:1]]]
        ys += [low[there], high[back[::-1]], np.array([np.nan])]
    return np.concatenate(xs), np.concatenate(ys)


def _runs(values: Floats, points: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """The points between gaps."""
    gap = np.isnan(values[points])
    parts = np.split(points, np.flatnonzero(np.diff(gap)) + 1)
    return [part for part in parts if len(part) and not np.isnan(values[part[0]])]


def _line(
    x: NDArray[Any], y: Floats, lines: dict[float, Floats], name: str, columns: int
) -> go.Scatter:
    points = line_points(x, y, columns)
    window = " · ".join(f"{spoken_share(q)} %{{customdata[{i}]:.5~g}}" for i, q in enumerate(lines))
    return go.Scatter(
        x=_axis(x[points]), y=y[points], name=chart_text(name or "value"),
        mode="lines+markers" if len(points) <= FEW else "lines",
        line={"color": GREY, "width": 1}, marker={"size": 5, "color": GREY}, opacity=0.6,
        customdata=np.stack([values[points] for values in lines.values()], axis=1),
        hovertemplate=chart_text(
            in_lines(["%{x}", element("b", "%{y:.5~g}"), f"its window: {window}"]), NO_NAME
        ),
    )  # fmt: skip


def _quantile(x: NDArray[Any], y: Floats, share: float, columns: int) -> go.Scatter:
    points = line_points(x, y, columns)
    line = {"color": BLUE, "width": 2, "dash": "solid" if share == 0.5 else "dot"}
    return go.Scatter(
        x=_axis(x[points]), y=y[points], mode="lines", line=line, hoverinfo="skip",
        name=f"{spoken_share(share)} of its window",
    )  # fmt: skip


def _marks(band: Band, inside: slice, sign: int) -> go.Scatter:
    at = np.flatnonzero(band.outlier[inside] == sign) + inside.start
    points = at[mark_points(band.x[at], band.y[at], CELLS)] if len(at) else at
    where = "above" if sign > 0 else "below"
    return go.Scatter(
        x=_axis(band.x[points]), y=band.y[points], mode="markers",
        name=f"{len(at):,} outlier{'' if len(at) == 1 else 's'} {where}",
        marker={"symbol": f"triangle-{'up' if sign > 0 else 'down'}", "color": VERMILLION,
                "size": 8 if len(points) <= MANY else 5,
                "line": {"color": "white", "width": 0.5}},
        hovertemplate=chart_text("%{x}", BREAK, element("b", "%{y:.5~g}"), " outlier", NO_NAME),
    )  # fmt: skip


def _axis(values: NDArray[Any]) -> Any:
    """Places as plotly takes them: times as text, which no time zone of the browser changes."""
    return np.datetime_as_string(values, unit="us").tolist() if values.dtype.kind == "M" else values
