"""The three kinds of window on a timeline, as a plotly figure."""

from collections.abc import Callable, Sequence

import plotly.graph_objects as go

from workbench.figures.theme import (
    BLUE,
    GREY,
    GROUND,
    INK,
    ORANGE,
    QUIET,
    RULE,
    SKY,
    TEXT,
    VERMILLION,
    themed,
)
from workbench.lessons.window_types import WindowType
from workbench.markup import chart_text, element

HEIGHT, MOST_TICKS = 330, 15
HOPS, SINGLE, INSIDE, OUTSIDE = "whole hops", "single events", "in the window", "not in it"
Clock = Callable[[int], str]


def window_types_figure(
    kinds: Sequence[WindowType],
    query: int,
    hop: int,
    time: Sequence[int],
    extent: tuple[int, int],
    clock: Clock = str,
) -> go.Figure:
    """Draw the windows of each kind that end at a query.

    Parameters
    ----------
    kinds : sequence of WindowType
        As :func:`workbench.lessons.window_types.window_types` returns them.
    query, hop : int
        As in that function.
    time : sequence of int
        The times of the events.
    extent : tuple of (int, int)
        The range of the timeline that is drawn.
    clock : function
        Formats a time.

    Returns
    -------
    plotly.graph_objects.Figure
        The windows as bars, one trace for whole hops and one for single events, and the events on
        each row as marks, one trace for those in its window and one for the others. The rows are
        labelled with the kinds' names.

    Examples
    --------
    >>> from workbench.lessons.window_types import window_types
    >>> events = [6, 9, 14, 16]
    >>> figure = window_types_figure(window_types(17, 10, 5, events), 17, 5, events, (0, 20))
    >>> [(trace.name, len(trace.x)) for trace in figure.data]
    [('whole hops', 2), ('single events', 2), ('in the window', 10), ('not in it', 2)]
    """
    hops = [(kind.name, kind.low, kind.tail) for kind in kinds if kind.low < kind.tail]
    single = [(kind.name, kind.tail, kind.high) for kind in kinds if kind.tail < kind.high]
    bars = _bars(HOPS, hops, clock), _bars(SINGLE, single, clock)
    figure = go.Figure([*bars, *_events(kinds, time, clock)])
    marks = hop_marks(hop, extent)
    ticks = marks[:: -(-len(marks) // MOST_TICKS)]
    return themed(
        figure,
        barmode="overlay",
        height=HEIGHT,
        margin={"r": 90, "t": 60, "b": 32},
        legend={"y": 1.1},
        dragmode=False,
        xaxis={"range": extent, "showgrid": False, "zeroline": False, "fixedrange": True,
               "tickvals": ticks, "ticktext": [chart_text(clock(tick)) for tick in ticks]},
        yaxis={"categoryorder": "array", "categoryarray": [kind.name for kind in kinds],
               "autorange": "reversed", "fixedrange": True, "showgrid": False},
        shapes=[
            *(_line(at, RULE, 1, "dot") for at in marks),
            _line(query, VERMILLION, 2.5, "solid"),
        ],
        annotations=[
            {"x": query, "y": 1.0, "yref": "paper", "yanchor": "bottom", "showarrow": False,
             "text": chart_text(element("b", f"query at {clock(query)}")),
             "font": {"color": VERMILLION}},
            *(_count(kind) for kind in kinds),
        ],
    )  # fmt: skip


def hop_marks(hop: int, extent: tuple[int, int]) -> list[int]:
    """Return the begins of hops within a range of the timeline.

    Examples
    --------
    >>> hop_marks(5, (3, 17))
    [5, 10, 15]
    """
    return list(range(-(-extent[0] // hop) * hop, extent[1] + 1, hop))


def _bars(name: str, pieces: list[tuple[str, int, int]], clock: Clock) -> go.Bar:
    whole = name == HOPS
    look = {"color": SKY if whole else ORANGE, "opacity": 0.55, "line": {"color": INK, "width": 1}}
    shape = {"shape": "" if whole else "/", "fgcolor": INK, "size": 5, "solidity": 0.15}
    return go.Bar(
        orientation="h", name=name, width=0.5,
        y=[row for row, _, _ in pieces],
        base=[low for _, low, _ in pieces],
        x=[high - low for _, low, high in pieces],
        marker=look | {"pattern": shape}, hoverinfo="text",
        hovertext=[chart_text(f"{name} from {clock(low)} to {clock(high)}")
                   for _, low, high in pieces],
    )  # fmt: skip


def _events(kinds: Sequence[WindowType], time: Sequence[int], clock: Clock) -> list[go.Scatter]:
    rows = [(k.name, at, k.first <= i < k.last) for k in kinds for i, at in enumerate(time)]
    inside = {"color": BLUE, "size": 9, "line": {"color": GROUND, "width": 1}}
    outside = {"color": GREY, "size": 8, "symbol": "circle-open"}
    return [
        go.Scatter(
            x=[at for _, at, is_in in rows if is_in is shows_inside],
            y=[row for row, _, is_in in rows if is_in is shows_inside],
            mode="markers", marker=marker, name=name, hoverinfo="text",
            hovertext=[chart_text(clock(at)) for _, at, is_in in rows if is_in is shows_inside],
        )
        for name, shows_inside, marker in ((INSIDE, True, inside), (OUTSIDE, False, outside))
    ]  # fmt: skip


def _line(at: int, color: str, width: float, dash: str) -> dict[str, object]:
    return {
        "type": "line", "x0": at, "x1": at, "y0": 0, "y1": 1, "yref": "paper", "layer": "below",
        "line": {"color": color, "width": width, "dash": dash},
    }  # fmt: skip


def _count(kind: WindowType) -> dict[str, object]:
    return {
        "x": 1.01, "xref": "paper", "xanchor": "left", "y": kind.name, "showarrow": False,
        "text": chart_text(element("b", kind.count), " events"),
        "font": {"color": QUIET, "size": TEXT},
    }  # fmt: skip
