"""A funnel's tables as plotly figures."""

from typing import Any

import pandas as pd
import plotly.graph_objects as go

from workbench.durations import spoken
from workbench.figures.markup import BREAK, NO_NAME, chart_text, element
from workbench.figures.svg import BLUE, GREY, ORANGE, SKY, VERMILLION

MOST_SEGMENTS = 6
_COLORS = [BLUE, ORANGE, "#009e73", "#cc79a7", SKY, GREY]
_PATTERNS = ["", "/", "x", ".", "\\", "-"]


def funnel_figure(steps: pd.DataFrame) -> go.Figure:
    """Draw what each step keeps and loses.

    Parameters
    ----------
    steps : pandas.DataFrame
        As :meth:`workbench.Funnel.steps` returns it; with segments, their column comes first.

    Returns
    -------
    plotly.graph_objects.Figure
        Without segments a bar a step: those who reached it, and hatched those who were lost since
        the step before. With segments a bar a step and segment, as shares of its first step.

    Examples
    --------
    >>> table = pd.DataFrame({"step": ["a", "b"], "users": [4, 1], "from_first": [1.0, 0.25],
    ...                       "from_previous": [1.0, 0.25], "lost": [0, 3]})
    >>> [(bar.name, bar.x.tolist()) for bar in funnel_figure(table).data[:2]]
    [('reached the step', [4, 1]), ('lost since the step before', [0, 3])]
    """
    by = steps.columns[0]
    bars = _steps(steps) if by == "step" else _segments(steps, by)
    figure = go.Figure(bars)
    labels = list(dict.fromkeys(_numbered(steps)))
    several = by != "step"
    figure.update_layout(
        barmode="group" if several else "stack",
        height=90 + (70 if several else 52) * len(labels),
        margin={"l": 10, "r": 10, "t": 40, "b": 40},
        template="plotly_white",
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "traceorder": "normal"},
        xaxis={"title": "share of the first step" if several else "users", "rangemode": "tozero"},
        yaxis={"categoryarray": labels[::-1], "categoryorder": "array", "automargin": True},
    )
    if several:
        figure.update_xaxes(tickformat=".0%")
    else:
        # Room for the text behind the longest bar.
        figure.update_xaxes(range=[0, max(int(steps["users"].max()), 1) * 1.3])
    return figure


def times_figure(times: pd.DataFrame) -> go.Figure:
    """Draw how long those took who reached every step.

    Parameters
    ----------
    times : pandas.DataFrame
        As :meth:`workbench.Funnel.times` returns it.

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> hours = pd.to_timedelta([0, 1, 2], "h")
    >>> table = pd.DataFrame({"from": hours[:2], "to": hours[1:], "users": [3, 1]})
    >>> list(times_figure(table).data[0].x)
    ['0 s to 1 h', '1 h to 2 h']
    """
    names = [f"{said(a)} to {said(b)}" for a, b in zip(times["from"], times["to"], strict=True)]
    figure = go.Figure(go.Bar(x=names, y=times["users"], marker_color=BLUE, name="users"))
    figure.update_layout(
        title={"text": _title(int(times["users"].sum())), "font": {"size": 14}},
        height=260,
        margin={"l": 10, "r": 10, "t": 40, "b": 40},
        template="plotly_white",
        bargap=0.05,
        yaxis={"title": "users", "rangemode": "tozero"},
        xaxis={"nticks": 8},
    )
    return figure


def said(length: Any) -> str:
    """Return a length of time as a person says it; an integer stays as it is."""
    return spoken(length / pd.Timedelta("1us")) if isinstance(length, pd.Timedelta) else str(length)


def _title(users: int) -> str:
    return f"Time from the first step to the last, of the {users:,} who took them all"


def _numbered(steps: pd.DataFrame) -> list[str]:
    labels = list(dict.fromkeys(steps["step"]))
    numbers = {label: chart_text(f"{k + 1} {label}") for k, label in enumerate(labels)}
    return [numbers[label] for label in steps["step"]]


def _steps(steps: pd.DataFrame) -> list[Any]:
    y = _numbered(steps)
    shares = zip(steps["users"], steps["from_first"], steps["from_previous"], strict=True)
    said_beside = [
        chart_text(
            " ",
            element("b", f"{users:,}"),
            *([f" · {first:.1%} of the first", BREAK, f" {before:.1%} of the last"] if k else []),
        )
        for k, (users, first, before) in enumerate(shares)
    ]
    reached = go.Bar(
        y=y, x=steps["users"], orientation="h", name="reached the step", marker_color=BLUE,
        hovertemplate=chart_text("%{x:,} reached %{y}", NO_NAME),
    )  # fmt: skip
    lost = go.Bar(
        y=y, x=steps["lost"], orientation="h", name="lost since the step before",
        marker={"color": "white", "line": {"color": VERMILLION, "width": 1},
                "pattern": {"shape": "/", "fgcolor": VERMILLION}},
        hovertemplate=chart_text("%{x:,} lost before %{y}", NO_NAME),
    )  # fmt: skip
    beside = go.Scatter(
        y=y, x=steps["users"] + steps["lost"], mode="text", text=said_beside,
        textposition="middle right", showlegend=False, hoverinfo="skip", cliponaxis=False,
    )  # fmt: skip
    return [reached, lost, beside]


def _segments(steps: pd.DataFrame, by: str) -> list[go.Bar]:
    chosen = list(dict.fromkeys(steps[by].astype(str)))[:MOST_SEGMENTS]
    y = pd.Series(_numbered(steps), index=steps.index)
    bars = []
    for segment, color, pattern in zip(chosen, _COLORS, _PATTERNS, strict=False):
        rows = steps[steps[by].astype(str) == segment]
        text = [f"{n:,} · {f:.1%}" for n, f in zip(rows["users"], rows["from_first"], strict=True)]
        bars.append(
            go.Bar(
                y=y[rows.index], x=rows["from_first"], orientation="h",
                name=chart_text(f"{by}: {segment}"), text=text, textposition="auto",
                marker={"color": color, "pattern": {"shape": pattern, "fgcolor": "white"}},
            )
        )  # fmt: skip
    return bars
