"""Series with their moving quartile bands and their outliers as a plotly figure."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from kernels.core.arrays import Floats
from workbench.figures.decimate import (
    Columns,
    column_summary,
    in_view,
    line_points,
    mark_points,
    within,
)
from workbench.figures.svg import cut, pale
from workbench.figures.theme import BLUE, GREY, GROUND, SKY, TEXT, VERMILLION, number, themed
from workbench.markup import BREAK, NO_NAME, chart_text, element, in_lines
from workbench.windows.bands.quantile_band import Band

#: The assumed columns of pixels of the figure, and its columns and rows of marks.
COLUMNS, CELLS = 800, (140, 50)
#: With more marks than this, they are drawn smaller, so that they do not cover the rest.
MANY = 300
#: The most points that are drawn with markers.
FEW = 150
#: The most letters of a name along an axis, and in the legend of a narrow page.
LETTERS = 40
#: The height of a picture of one series, and of each of several; the share of it for the name.
HEIGHT, PANEL, NAME = 510, 190, 0.16

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
        The visible range of the axis; by default all of it.
    outliers : bool
        Whether to mark points beyond the fences of their own window.
    names : (str, str)
        The names of the two axes.
    columns : int
        The width of the picture in pixels. If there are more points than it can show, those are
        drawn that make the same picture, with all peaks.

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
    return bands_figure({"": band}, view, outliers=outliers, names=names, columns=columns)


def bands_figure(
    bands: Mapping[str, Band],
    view: View | None = None,
    *,
    outliers: bool = True,
    names: tuple[str, str] = ("", ""),
    columns: int = COLUMNS,
    same_scale: bool = True,
) -> go.Figure:
    """Draw several series on one axis, one above the other, each as :func:`series_figure` does.

    Parameters
    ----------
    bands : dict of str to Band
        The bands by name.
    view, outliers, names, columns
        As in :func:`series_figure`.
    same_scale : bool
        Whether all have the scale of the first.

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> low, high = np.array([1.0, 1, 1]), np.array([2.0, 2, 2])
    >>> band = Band(np.arange(3), low, {0.25: low, 0.75: high}, np.zeros(3, np.int8))
    >>> figure = bands_figure({"Boston": band, "Worcester": band})
    >>> [note.text for note in figure.layout.annotations], figure.layout.yaxis2.matches
    (['<b>Boston</b>', '<b>Worcester</b>'], 'y')
    """
    several = len(bands) > 1
    across, up = (cut(name, LETTERS) for name in names)
    ends = view or whole_view(bands)
    figure = go.Figure()
    for k, band in enumerate(bands.values()):
        panel = _traces(band, ends, outliers, up, columns, counts=not several)
        place = f"y{k + 1 if k else ''}"
        for trace in panel:
            trace.update(yaxis=place, legendgroup=trace.name, showlegend=False)
        figure.add_traces(panel)
    _name_in_legend(figure)
    x = {"title": chart_text(across), "range": axis_range(ends)}
    x["anchor"] = f"y{len(bands)}" if several else "y"
    return themed(
        figure,
        height=PANEL * len(bands) + 140 if several else HEIGHT,
        # Space for a legend of two lines below the toolbar.
        margin={"t": 100 if several else 84, "b": 40},
        xaxis=x,
        **_scales(len(bands), up, same_scale),
        annotations=[_name(name, k, len(bands)) for k, name in enumerate(bands)] if several else [],
        # Above the name of the first series.
        legend={"y": 1.05 if several else 1.02},
        dragmode="zoom",
    )


def whole_view(bands: Mapping[str, Band]) -> View | None:
    """Return the range of all series together; None if none has a row."""
    some = [band.x for band in bands.values() if len(band.x)]
    return (min(x[0] for x in some), max(x[-1] for x in some)) if some else None


def axis_range(view: View | None) -> Any:
    """Return a range for an axis of plotly; None if there is none.

    Examples
    --------
    >>> axis_range((np.datetime64("2019-01-02"), np.datetime64("2019-01-03"))).tolist()
    ['2019-01-02T00:00:00.000000', '2019-01-03T00:00:00.000000']
    """
    return None if view is None else _axis(np.array(view))


def _name_in_legend(figure: go.Figure) -> None:
    """Let the legend name each kind of trace once, by a trace that has points if there is one."""
    by_name: dict[str, go.Scatter] = {}
    for trace in figure.data:
        if not len(by_name.setdefault(trace.name, trace).x):
            by_name[trace.name] = trace
    for trace in by_name.values():
        trace.showlegend = True


def _scales(count: int, name: str, same: bool) -> dict[str, Any]:
    axis = {"title": chart_text(name), "fixedrange": True}
    if count == 1:
        return {"yaxis": axis | {"domain": [0, 1]}}
    high = 1 / count
    scales = {}
    for k in range(count):
        top = 1 - k * high
        own = {"domain": [top - high * (1 - NAME), top - high * NAME / 4], "title": None}
        like = {"matches": "y"} if same and k else {}
        scales[f"yaxis{k + 1 if k else ''}"] = axis | own | like
    return scales


def _name(name: str, k: int, count: int) -> dict[str, Any]:
    """Return the name of a series, above its panel."""
    return {
        "text": chart_text(element("b", cut(name, 60))), "showarrow": False, "xref": "paper",
        "yref": "paper", "x": 0, "xanchor": "left", "y": 1 - k / count, "yanchor": "middle",
        "font": {"size": TEXT}, "bgcolor": GROUND,
    }  # fmt: skip


def _traces(
    band: Band, ends: View | None, outliers: bool, name: str, columns: int, counts: bool
) -> list[go.Scatter]:
    """Return the traces of one series."""
    visible = in_view(band.x, *ends) if ends else slice(0, 0)
    x = band.x[visible]
    lines = {share: values[visible] for share, values in band.quantiles.items()}
    traces = [_area(x, lines, columns), _line(x, band.y[visible], lines, name, columns)]
    inner = {share: column_summary(x, lines[share], columns) for share in list(lines)[1:-1]}
    traces += [_quantile(x, lines[share], share, summary) for share, summary in inner.items()]
    if outliers:
        inside = within(band.x, *ends) if ends else slice(0, 0)
        traces += [_marks(band, inside, sign, counts) for sign in (1, -1)]
    return traces + [_spread(x, share, summary) for share, summary in inner.items() if summary]


def spoken_share(share: float) -> str:
    """Return a quantile in words.

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
    """Return the outline of the area between two lines, with a part between any two gaps.

    Examples
    --------
    >>> low, high = np.array([0.0, np.nan, 4]), np.array([1.0, np.nan, 5])
    >>> x, up = outline(np.array([1, 2, 3]), low, high, columns=9)
    >>> x.tolist(), up.tolist()
    ([1, 1, 1, 3, 3, 3], [0.0, 1.0, nan, 4.0, 5.0, nan])
    """
    xs, ys = [x[:0]], [low[:0]]
    if (gap := np.isnan(low) | np.isnan(high)).any():
        # Both edges get gaps in the same places, as an area needs both.
        low, high = np.where(gap, np.nan, low), np.where(gap, np.nan, high)
    edges = [_runs(values, line_points(x, values, columns)) for values in (low, high)]
    for there, back in zip(*edges, strict=True):
        # A NaN for y ends this part of the outline.
        xs += [x[there], x[back[::-1]], x[there[:1]]]
        ys += [low[there], high[back[::-1]], np.array([np.nan])]
    return np.concatenate(xs), np.concatenate(ys)


def _runs(values: Floats, points: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Return the runs of points between gaps."""
    gap = np.isnan(values[points])
    parts = np.split(points, np.flatnonzero(np.diff(gap)) + 1)
    return [part for part in parts if len(part) and not np.isnan(values[part[0]])]


def _line(
    x: NDArray[Any], y: Floats, lines: dict[float, Floats], name: str, columns: int
) -> go.Scatter:
    points = line_points(x, y, columns)
    window = " · ".join(f"{spoken_share(q)} %{{customdata[{i}]}}" for i, q in enumerate(lines, 1))
    # If columns of pixels have many points, the line is drawn behind the band.
    dense = len(points) < len(x)
    return go.Scatter(
        x=_axis(x[points]), y=y[points], name=chart_text(name or "value"),
        mode="lines+markers" if len(points) <= FEW else "lines",
        line={"color": GREY, "width": 1}, marker={"size": 5, "color": GREY},
        opacity=0.3 if dense else 0.6, zorder=-1 if dense else 0, cliponaxis=False,
        customdata=_texts([y[points], *(values[points] for values in lines.values())]),
        hovertemplate=chart_text(
            in_lines(["%{x}", element("b", "%{customdata[0]}"), f"its window: {window}"]), NO_NAME
        ),
    )  # fmt: skip


def _quantile(x: NDArray[Any], y: Floats, share: float, summary: Columns | None) -> go.Scatter:
    """Return a line; for many points, through the median of each column of pixels.

    A line through the extremes of columns would be a zigzag that hides its course.
    """
    across, up = (x, y) if summary is None else (x[summary.point], summary.middle)
    return go.Scatter(
        x=_axis(across), y=up, mode="lines", hoverinfo="skip", zorder=2,
        line={"color": BLUE, "width": 2, "dash": "solid" if share == 0.5 else "dot"},
        name=f"{spoken_share(share)} of its window",
    )  # fmt: skip


def _spread(x: NDArray[Any], share: float, summary: Columns) -> go.Scatter:
    """Return the area from the least to the greatest value of a line in each column of pixels."""
    across, up = outline(x[summary.point], summary.least, summary.most, len(summary.point))
    return go.Scatter(
        x=_axis(across), y=up, mode="lines", fill="toself", fillcolor=pale(BLUE),
        line={"width": 0}, hoverinfo="skip", zorder=1,
        name=f"{spoken_share(share)}: least to most of a pixel",
    )  # fmt: skip


def _marks(band: Band, inside: slice, sign: int, counts: bool) -> go.Scatter:
    at = np.flatnonzero(band.outlier[inside] == sign) + inside.start
    points = at[mark_points(band.x[at], band.y[at], CELLS)] if len(at) else at
    where = "above" if sign > 0 else "below"
    return go.Scatter(
        # plotly cuts marks at the edge if they have a `zorder`.
        x=_axis(band.x[points]), y=band.y[points], mode="markers", cliponaxis=False,
        name=f"{len(at):,} outlier{'' if len(at) == 1 else 's'} {where}" if counts
        else f"outliers {where}",
        marker={"symbol": f"triangle-{'up' if sign > 0 else 'down'}", "color": VERMILLION,
                "size": 8 if len(points) <= MANY else 5,
                "line": {"color": GROUND, "width": 0.5}},
        customdata=_texts([band.y[points]]),
        hovertemplate=chart_text(
            "%{x}", BREAK, element("b", "%{customdata[0]}"), " outlier", NO_NAME
        ),
    )  # fmt: skip


def _texts(columns: list[Floats]) -> NDArray[Any]:
    """Return the numbers of each point as texts: plotly would show 613040 as 6.1304e+5.

    A browser also cannot be sent a NaN in a table of numbers.
    """
    rows = [[number(one) or "null" for one in column.tolist()] for column in columns]
    return np.array(rows, object).T


def _axis(values: NDArray[Any]) -> Any:
    """Return values for plotly: times as text, which the browser's time zone does not change."""
    if values.dtype.kind != "M":
        return values
    # As an array: plotly checks each item of a list.
    return np.datetime_as_string(values, unit="us").astype(object)
