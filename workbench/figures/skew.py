"""The distribution of a backfill's rows over keys, hops and tasks, as a plotly figure."""

from typing import Any

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from workbench.backfill.inspect.instrumented import KINDS
from workbench.backfill.inspect.skew import Skew
from workbench.figures.theme import BLUE, DENSITY, ORANGE, SKY, TEXT, VERMILLION, themed
from workbench.markup import BREAK, NO_NAME, chart_text

#: Colours and patterns by kind of row; patterns distinguish them without colours.
LOOKS = {
    "queries": (SKY, ""),
    "events": (BLUE, "/"),
    "earlier": (ORANGE, "x"),
    "states": (VERMILLION, "."),
}
LABELS = {"earlier": "earlier events", "states": "earlier states"}
#: How the methods of a skew's runs treat large keys.
METHODS = {"scan": "every key whole", "auto": "large keys cut by time"}


def skew_figure(skew: Skew) -> go.Figure:
    """Draw rows by key and hop, and below them the rows of each task of each run.

    Parameters
    ----------
    skew : Skew

    Returns
    -------
    plotly.graph_objects.Figure
        A heat map with a mark at the begin of each span, and stacked bars for each run, on one
        scale.

    Examples
    --------
    >>> hops = pd.DataFrame({"key": ["a", "a", "b"], "hop": [0, 5, 5], "rows": [9, 1, 2]})
    >>> tasks = pd.DataFrame({"method": ["scan"], "task": [0], "rows": [12]})
    >>> tasks = tasks.assign(queries=[2], events=[10], earlier=[0], states=[0])
    >>> figure = skew_figure(Skew(hops, pd.DataFrame({"key": [], "begin": []}), tasks))
    >>> [trace.name for trace in figure.data]
    ['rows', 'spans', 'queries', 'events']
    """
    methods = list(dict.fromkeys(skew.tasks["method"]))
    titles = [_hops_title(skew.hops), *(_tasks_title(skew.tasks, method) for method in methods)]
    wide = [{"type": "xy", "colspan": len(methods)}, *([None] * (len(methods) - 1))]
    figure = make_subplots(
        2, len(methods), specs=[wide, [{"type": "xy"}] * len(methods)],
        subplot_titles=titles, shared_yaxes="rows", vertical_spacing=0.16, row_heights=[0.5, 0.5],
    )  # fmt: skip
    cells = table_of(skew.hops)
    # As a list: a widget would send an array of times as numbers.
    figure.add_trace(
        go.Heatmap(
            x=cells.columns.tolist(), y=[*map(chart_text, cells.index)], z=cells.to_numpy(),
            name="rows", colorscale=DENSITY, zmin=0,
            hovertemplate=chart_text("%{y} at %{x}: %{z:,} rows", NO_NAME),
            colorbar={"title": "rows", "len": 0.45, "y": 0.8},
        ),
        1, 1,
    )  # fmt: skip
    spans = skew.spans.dropna()
    marks = go.Scatter(
        x=spans["begin"].tolist(), y=[*map(chart_text, spans["key"])], name="spans",
        mode="markers", showlegend=False,
        marker={"symbol": "line-ns", "size": 18, "line": {"width": 3, "color": VERMILLION}},
        hovertemplate=chart_text("a span of %{y} begins at %{x}", NO_NAME),
    )  # fmt: skip
    figure.add_trace(marks, 1, 1)
    for place, method in enumerate(methods, start=1):
        for bar in _bars(skew.tasks[skew.tasks["method"] == method], place == 1):
            figure.add_trace(bar, 2, place)
    figure.update_yaxes(autorange="reversed", type="category", showgrid=False, row=1, col=1)
    figure.update_xaxes(showgrid=False, row=1)
    figure.update_xaxes(title="task", dtick=1, row=2)
    figure.update_annotations(font_size=TEXT)
    return themed(
        figure,
        barmode="stack",
        height=560,
        margin={"t": 40},
        legend={"y": -0.16},
    )


def _hops_title(hops: pd.DataFrame) -> str:
    most = f"{int(hops['rows'].max()):,}" if len(hops) else "0"
    length = hops.attrs.get("hop")
    of = "" if length is None else f" of {_length(length)}"
    return f"Rows by key and hop{of}: the darkest has {most}; a bar is where a span begins"


def _length(length: Any) -> str:
    if not isinstance(length, pd.Timedelta):
        return str(length)
    days, hours = length.days, length.seconds // 3600
    if days and not length.seconds:
        return "a day" if days == 1 else f"{days} days"
    if hours and not length.seconds % 3600 and not days:
        return "an hour" if hours == 1 else f"{hours} hours"
    return f"{int(length.total_seconds() // 60)} minutes"


def _tasks_title(tasks: pd.DataFrame, method: str) -> str:
    rows = tasks.loc[tasks["method"] == method, "rows"]
    times = int(rows.max()) / max(float(rows.mean()), 1.0)
    summary = f"largest task {int(rows.max()):,} rows, {times:.1f} times the mean"
    return chart_text(f"Rows by task, {METHODS.get(method, method)}", BREAK, summary)


def table_of(hops: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of hops as a table, with a row per key, in order, and a column per hop."""
    keys = list(dict.fromkeys(hops["key"]))
    table = hops.pivot_table(index="key", columns="hop", values="rows", aggfunc="sum")
    return table.reindex(keys).fillna(0)


def kinds_of(tasks: pd.DataFrame) -> list[str]:
    """Return the kinds of rows that any task has."""
    return [kind for kind in KINDS if tasks[kind].sum()]


def _bars(tasks: pd.DataFrame, legend: bool) -> list[go.Bar]:
    return [
        go.Bar(
            x=tasks["task"], y=tasks[kind], name=LABELS.get(kind, kind), legendgroup=kind,
            showlegend=legend or kind not in ("queries", "events"),
            marker={"color": LOOKS[kind][0], "pattern": {"shape": LOOKS[kind][1], "size": 5}},
            hovertemplate=chart_text(f"task %{{x}}: %{{y:,}} {LABELS.get(kind, kind)}", NO_NAME),
        )
        for kind in kinds_of(tasks)
    ]  # fmt: skip
