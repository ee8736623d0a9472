"""Features as they were served over time, compared to those of a backfill, as a figure."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from workbench.backfill.inspect.origin import counted
from workbench.columnar.equality import RELATIVE
from workbench.errors import WorkbenchError
from workbench.figures.pictured import Pictured
from workbench.figures.svg import cut
from workbench.figures.theme import GREY, RAISED, RULE, SERIES, TEXT, VERMILLION, moment, themed
from workbench.markup import chart_text

HEIGHT = 430


def served_figure(
    served: pd.DataFrame,
    key: str,
    time: str,
    features: Sequence[str],
    offline: pd.DataFrame | None = None,
) -> Pictured:
    """Draw the served features of some keys, with a slider that moves the time.

    Parameters
    ----------
    served : pandas.DataFrame
        A row for each key and time that was fetched.
    key, time : str
        Its columns.
    features : sequence of str
        Columns of numbers; each has a panel.
    offline : pandas.DataFrame, optional
        The same rows from a backfill, drawn as circles, with crosses on values that differ.

    Returns
    -------
    Pictured

    Raises
    ------
    WorkbenchError
        When nothing was served, or a column is missing.

    Examples
    --------
    >>> served = pd.DataFrame({"user": ["ann", "ann"], "at": [5, 10], "count": [2, 3]})
    >>> offline = served.assign(count=[2, 4])
    >>> shown = served_figure(served, "user", "at", ["count"], offline)
    >>> shown
    ann as served at 2 times; 1 of 2 values differs offline
    >>> figure = shown.figure
    >>> [(one.name, list(one.y)) for one in figure.data]
    [('ann', [2, 3]), ('offline', [2, 4]), ('differs', [3])]
    >>> [[list(one.y) for one in frame.data] for frame in figure.frames]
    [[[2], [2], []], [[2, 3], [2, 4], [3]]]
    """
    columns = [key, time, *features]
    _check(served, columns, "served")
    rows = served[columns].sort_values([key, time])
    both = None
    if offline is not None:
        _check(offline, columns, "offline")
        both = rows.merge(offline[columns], on=[key, time], suffixes=("", " offline"))
    figure = _figure(rows, both, (key, time), features)
    return Pictured(figure, _words(rows, both, (key, time), features))


def _check(table: pd.DataFrame, columns: Sequence[str], argument: str) -> None:
    for name in columns:
        if name not in table:
            known = ", ".join(map(repr, table.columns))
            raise WorkbenchError(f"{argument}: it has no column {name!r}; it has {known}.")
    if table.empty:
        raise WorkbenchError(f"{argument}: it has no rows; fetch some keys first.")


def _figure(
    rows: pd.DataFrame,
    both: pd.DataFrame | None,
    columns: tuple[str, str],
    features: Sequence[str],
) -> go.Figure:
    key, time = columns
    keys = rows[key].drop_duplicates().tolist()
    figure = make_subplots(1, len(features), subplot_titles=list(map(chart_text, features)))
    for place, name in enumerate(features):
        for trace in _panel(rows, both, keys, (key, time, name)):
            figure.add_trace(trace, 1, place + 1)
    _name_once(figure)
    times = sorted(rows[time].unique())
    figure.frames = [_frame(figure, one) for one in times]
    figure.update_annotations(font_size=TEXT)
    themed(
        figure,
        height=HEIGHT,
        margin={"r": 50, "t": 70},
        legend={"y": 1.12},
        sliders=[_slider(times)],
    )
    _hold_ranges(figure, rows, both, time, features)
    return figure


def _words(
    rows: pd.DataFrame,
    both: pd.DataFrame | None,
    columns: tuple[str, str],
    features: Sequence[str],
) -> str:
    """Return the figure in words: its keys and times, and the number of different values."""
    key, time = columns
    keys, times = (rows[name].drop_duplicates() for name in (key, time))
    summary = f"{cut(', '.join(map(str, keys)), 50)} as served at {counted(len(times), 'time')}"
    if both is None:
        return summary
    wrong = sum(int(_differs(both[one], both[f"{one} offline"]).sum()) for one in features)
    values = len(both) * len(features)
    if wrong == 0:
        return f"{summary}; none of {values} values differs offline"
    return f"{summary}; {wrong} of {values} values {'differs' if wrong == 1 else 'differ'} offline"


def _panel(
    rows: pd.DataFrame,
    both: pd.DataFrame | None,
    keys: list[Any],
    columns: tuple[str, str, str],
) -> list[go.Scatter]:
    """Return the traces of one feature: a line for each key, and the offline values."""
    key, time, name = columns
    traces = []
    for i, one in enumerate(keys):
        own = rows[rows[key] == one]
        drawn = SERIES[i % len(SERIES)]
        marker = {"color": drawn.color, "symbol": drawn.symbol, "size": 7}
        look = {"marker": marker, "line": {"color": drawn.color, "dash": drawn.dash}}
        traces.append(_scatter(own, time, name, str(one), mode="lines+markers", **look))
    if both is not None:
        theirs = f"{name} offline"
        ring = {"symbol": "circle-open", "size": 14, "color": GREY}
        traces.append(_scatter(both, time, theirs, "offline", mode="markers", marker=ring))
        cross = {"symbol": "x-thin", "size": 14, "line": {"width": 3, "color": VERMILLION}}
        wrong = both[_differs(both[name], both[theirs])]
        traces.append(_scatter(wrong, time, name, "differs", mode="markers", marker=cross))
    return traces


def _scatter(rows: pd.DataFrame, time: str, name: str, label: str, **look: Any) -> go.Scatter:
    return go.Scatter(
        x=rows[time].tolist(), y=rows[name].tolist(), name=chart_text(label), legendgroup=label,
        connectgaps=True, **look,
    )  # fmt: skip


def _name_once(figure: go.Figure) -> None:
    """Keep each name in the legend once, for the first trace that has points."""
    known: set[str] = set()
    for trace in figure.data:
        trace.showlegend = len(trace.x) > 0 and trace.name not in known
        known |= {trace.name} if trace.showlegend else set()


def _differs(ours: "pd.Series[Any]", theirs: "pd.Series[Any]") -> "pd.Series[bool]":
    a, b = ours.astype(float), theirs.astype(float)
    size = pd.concat([a.abs(), b.abs()], axis=1).max(axis=1)
    near = (a - b).abs() <= RELATIVE * size
    return ~(near | (a.isna() & b.isna()))


def _frame(figure: go.Figure, until: Any) -> go.Frame:
    """Return the figure as of some time."""
    data = []
    for trace in figure.data:
        pairs = [(x, y) for x, y in zip(trace.x, trace.y, strict=True) if x <= until]
        data.append(go.Scatter(x=[x for x, _ in pairs], y=[y for _, y in pairs]))
    return go.Frame(data=data, name=str(until), traces=list(range(len(data))))


def _slider(times: list[Any]) -> dict[str, Any]:
    """Return a slider over all times, at the last one."""
    at_once = {"mode": "immediate", "frame": {"duration": 0, "redraw": False}}
    steps = [
        {"label": chart_text(moment(one)), "method": "animate", "args": [[str(one)], at_once]}
        for one in times
    ]
    shown = {"prefix": "as of ", "xanchor": "left"}
    look = {"bgcolor": RAISED, "bordercolor": RULE, "tickcolor": RULE, "activebgcolor": RULE}
    return look | {
        "active": len(times) - 1, "steps": steps, "currentvalue": shown, "pad": {"t": 45},
        "x": 0.03, "len": 0.94,
    }  # fmt: skip


def _hold_ranges(
    figure: go.Figure,
    rows: pd.DataFrame,
    both: pd.DataFrame | None,
    time: str,
    features: Sequence[str],
) -> None:
    """Fix the ranges of the axes while the slider moves."""
    first, last = rows[time].min(), rows[time].max()
    margin = (last - first) / 20
    figure.update_xaxes(range=[first - margin, last + margin])
    for place, name in enumerate(features):
        values = rows[name] if both is None else pd.concat([both[name], both[f"{name} offline"]])
        low, high = values.min(), values.max()
        rest = (high - low) / 10 or 1
        if pd.notna(low):
            figure.update_yaxes(range=[low - rest, high + rest], row=1, col=place + 1)
