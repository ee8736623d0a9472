"""A funnel's trend as a figure: a line per segment, and below it the number who entered."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray
from plotly.subplots import make_subplots

from workbench.described import name_shown, noun
from workbench.figures.funnel import name_of, title_with_subtitle
from workbench.figures.intervals.words import NAME, confidence_of, share_text
from workbench.figures.svg import cut
from workbench.figures.theme import (
    BLUE,
    GREY,
    INK,
    SERIES,
    SMALL,
    Look,
    empty,
    moment,
    themed,
)
from workbench.markup import NO_NAME, chart_text, element

#: The most segments that have a line.
MOST_LINES = len(SERIES)
#: The most points of a line with marks.
_MARKED = 80
#: The names of the bars of entrants whose window is over, and of those whose window is open.
OVER, OPEN = "entered", "of them open"
#: The sign before a line's name at its end, which identifies the line without its colour.
_DASHES = {"solid": "━", "dash": "╍", "dot": "┉", "dashdot": "┅", "longdash": "╌"}


def trend_figure(trend: pd.DataFrame, step: str | None = None) -> go.Figure:
    """Draw the share that reached a step, by the time of the first step.

    Parameters
    ----------
    trend : pandas.DataFrame
        As :meth:`workbench.Funnel.trend` returns it; of its segments the first six have a line.
    step : str, optional
        By default the last one.

    Returns
    -------
    plotly.graph_objects.Figure
        A line per segment with the interval of each point, hollow if some entrants are still open;
        below it the number who entered, and hatched the number of open ones. The ``meta`` of a
        line's trace is the number of its segment.

    Examples
    --------
    >>> table = pd.DataFrame({"from": [0, 10], "to": [10, 20], "step": "buy", "entrants": [4, 3],
    ...     "open": [0, 3], "users": [1, 0], "share": [0.25, None], "low": [0.05, None],
    ...     "high": [0.7, None]})
    >>> [trace.name for trace in trend_figure(table).data]
    ['95% interval', 'share', 'entered', 'of them open']
    """
    unit = trend.attrs.get("unit", "users")
    chosen_step = trend["step"].iloc[-1] if step is None and len(trend) else step
    rows = trend[trend["step"] == chosen_step]
    if not rows["entrants"].sum():
        return empty(themed(go.Figure(), height=140), f"No {unit} took the first step.")
    by = list(trend.columns[: trend.columns.get_loc("from")])
    parts = segments_of(rows, by)
    figure = make_subplots(2, 1, shared_xaxes=True, row_heights=[0.72, 0.28], vertical_spacing=0.06)
    lines = parts[:MOST_LINES]
    # Intervals are drawn first, so that they cover no line.
    top = _top(lines)
    traces = [_interval(part, SERIES[k], trend, top) for k, (_, part) in enumerate(lines)]
    traces += [_line(part, name, SERIES[k], k, unit) for k, (name, part) in enumerate(lines)]
    figure.add_traces(traces, [1] * len(traces), [1] * len(traces))
    figure.add_traces(_entrants(rows, unit), [2, 2], [1, 1])
    themed(
        figure,
        title=title_with_subtitle(
            f"Reached {name_shown(chosen_step)}, by the time of the first step",
            _subtitle(trend, rows, len(parts), any(part["high"].max() > top for _, part in lines)),
        ),
        height=380, margin={"t": 60, "r": _names_width(lines) if by else 24},
        barmode="stack", bargap=0.15, showlegend=False, annotations=_names(lines),
    )  # fmt: skip
    # A point at zero is inside the picture rather than on its edge, so that it can be hovered.
    figure.update_yaxes(tickformat="~%", range=[-0.03 * top, top], row=1, col=1)
    # Few ticks, as the bars show the counts.
    figure.update_yaxes(
        title={"text": chart_text(unit)},
        nticks=3,
        rangemode="tozero",
        tickformat=",~r",
        row=2,
        col=1,
    )
    if trend.attrs.get("time_unit"):
        figure.update_xaxes(title={"text": chart_text(trend.attrs["time_unit"])}, row=2, col=1)
    return figure


def segments_of(rows: pd.DataFrame, by: Sequence[str]) -> list[tuple[str, pd.DataFrame]]:
    """Return the name and the rows of each segment, in order.

    Parameters
    ----------
    rows : pandas.DataFrame
        The rows of one step.
    by : sequence of str
        The columns of segments.

    Returns
    -------
    list of (str, pandas.DataFrame)
    """
    if not by:
        return [("", rows)]
    names = [name_of(values) for values in rows[list(by)].itertuples(index=False)]
    number = pd.Series(pd.factorize(pd.Series(names))[0], rows.index)
    return [(names[list(number).index(k)], part) for k, part in rows.groupby(number)]


def entrants_of(rows: pd.DataFrame) -> dict[str, "pd.Series[int]"]:
    """Return the number who entered in each period, in all segments together.

    Parameters
    ----------
    rows : pandas.DataFrame
        The rows of one step.

    Returns
    -------
    dict of str to pandas.Series
        By the name of their bars: those whose window is over, and those whose window is open. The
        index is the number of a period and its begin, as clocks may show two alike; of the open
        ones, only periods that have some.
    """
    segments = segments_of(rows, list(rows.columns[: rows.columns.get_loc("from")]))
    places = [np.arange(len(part)) for _, part in segments]
    place = np.concatenate(places) if places else np.zeros(0, np.int64)
    numbered = pd.Series(place, rows.index, name="place")
    of_all = rows.groupby([numbered, "from"])[["entrants", "open"]].sum()
    # plotly makes a pattern for each hatched bar, also for one without height.
    return {OVER: of_all["entrants"] - of_all["open"], OPEN: of_all["open"][of_all["open"] > 0]}


def _interval(part: pd.DataFrame, look: Look, trend: pd.DataFrame, top: float) -> go.Scatter:
    """Return the intervals of a segment's points, fainter if there are many."""
    # From the low end to the high one, with a gap to those of the next point.
    high = np.minimum(part["high"].to_numpy(np.float64), top)
    ends = np.column_stack([part["low"], high, np.full(len(part), np.nan)]).ravel()
    return go.Scatter(
        x=np.repeat(_axis_values(part["from"]), 3), y=ends, mode="lines", hoverinfo="skip",
        line={"color": look.color, "width": 1.5}, opacity=0.5 if len(part) <= _MARKED else 0.2,
        name=f"{confidence_of(trend)} interval", showlegend=False,
    )  # fmt: skip


def _line(part: pd.DataFrame, name: str, look: Look, k: int, unit: str) -> go.Scatter:
    """Return a segment's line, with marks if it has few points."""
    texts = [
        chart_text(_point_text(name, begin, row, unit))
        for begin, row in zip(part["from"], part.itertuples(), strict=True)
    ]
    marked = len(part) <= _MARKED
    marker: dict[str, Any] = {"color": look.color, "size": 8}
    if marked:
        marker["symbol"] = np.where(part["open"] > 0, "circle-open", "circle")
    return go.Scatter(
        x=_axis_values(part["from"]), y=part["share"].to_numpy(np.float64), connectgaps=False,
        mode="lines+markers" if marked else "lines", marker=marker,
        line={"color": look.color, "width": 2, "dash": look.dash},
        customdata=np.array(texts, object), hovertemplate=chart_text("%{customdata}", NO_NAME),
        meta=k, name=chart_text(name or "share"), showlegend=False,
    )  # fmt: skip


def _axis_values(begins: "pd.Series[Any]") -> NDArray[Any]:
    """Return the periods as values of an axis; plotly copies texts twice as fast as times."""
    is_time = begins.dtype.kind == "M"
    return np.array([str(one) for one in begins], object) if is_time else begins.to_numpy()


def _point_text(name: str, begin: Any, row: Any, unit: str) -> str:
    """Return the hover text of a point: segment, period, share, and the number still open."""
    over = row.entrants - row.open
    of = f"{name}, {moment(begin)}" if name else moment(begin)
    counts = f"{row.users:,} of {over:,} {noun(over, unit)}"
    text = f"{of}: {share_text(row.share, row.low, row.high)}, {counts}"
    return text + (f"; {row.open:,} more are still open" if row.open else "")


def _entrants(rows: pd.DataFrame, unit: str) -> list[Any]:
    """Return the bars of all segments together: those whose window is over, and the open ones."""
    over, still_open = entrants_of(rows).values()
    return [
        go.Bar(
            x=_axis_values(_begins(over)), y=over.tolist(), name=OVER, marker_color=BLUE,
            showlegend=False,
            hovertemplate=chart_text("%{y:,} ", unit, " entered, their window is over", NO_NAME),
        ),
        go.Bar(
            x=_axis_values(_begins(still_open)), y=still_open.tolist(), name=OPEN,
            showlegend=False,
            marker={"color": "rgba(0,0,0,0)", "line": {"color": GREY, "width": 1},
                    "pattern": {"shape": "/", "fgcolor": GREY, "size": 6}},
            hovertemplate=chart_text("%{y:,} ", unit, " entered and may still go on", NO_NAME),
        ),
    ]  # fmt: skip


def _begins(bars: "pd.Series[int]") -> "pd.Series[Any]":
    return bars.index.get_level_values("from").to_series()


def _names(lines: list[tuple[str, pd.DataFrame]]) -> list[dict[str, Any]]:
    """Return the names of lines at their ends, moved apart if they would overlap."""
    ends = []
    for (name, part), look in zip(lines, SERIES, strict=False):
        known = part.dropna(subset="share")
        if name and len(known):
            last = known.iloc[-1]
            line = element("span", _DASHES.get(look.dash, "━"), style=f"color:{look.color}")
            words = chart_text(line, " ", cut(name, NAME))
            ends.append((float(last["share"]), words, part["from"].iloc[-1]))
    gap, notes, before = _top(lines) / 14, [], -1.0
    for y, name, x in sorted(ends):
        before = max(y, before + gap)
        notes.append(
            {"x": x, "y": before, "xref": "x", "yref": "y", "text": name,
             "showarrow": False, "xanchor": "left", "xshift": 10,
             "font": {"size": SMALL, "color": INK}}
        )  # fmt: skip
    return notes


def _top(lines: list[tuple[str, pd.DataFrame]]) -> float:
    """Return the top of the axis of shares: above all points, and half of many intervals.

    The intervals of days with few entrants are so long that the lines would be flat below them.
    """
    ends = pd.concat([part[["share", "high"]].dropna() for _, part in lines] or [pd.DataFrame()])
    if ends.empty:
        return 1.0
    usual = ends["high"].max() if len(ends) <= _MARKED else ends["high"].median()
    return float(1.05 * max(ends["share"].max(), usual))


def _names_width(lines: list[tuple[str, pd.DataFrame]]) -> int:
    """Return the width in pixels that the names of lines need at their ends."""
    return 40 + 7 * max((len(cut(name, NAME)) for name, _ in lines), default=0)


def _subtitle(trend: pd.DataFrame, rows: pd.DataFrame, segments: int, cut_off: bool) -> str:
    """Return the subtitle: what a point is, and what is still open."""
    unit, still_open = trend.attrs.get("unit", "users"), int(rows["open"].sum())
    entered = int(rows["entrants"].sum())
    words = [f"{entered:,} {noun(entered, 'entries')} of {unit}"]
    words += [f"{confidence_of(trend)} intervals{', the longest cut off' if cut_off else ''}"]
    if still_open:
        words += [f"hollow and hatched: {still_open:,} still open"]
    if segments > MOST_LINES:
        words += [f"the first {MOST_LINES} of {segments:,} segments"]
    return "; ".join(words)
