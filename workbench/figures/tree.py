"""A segment tree and what its use saves, as plotly figures."""

from typing import Any

import pandas as pd
import plotly.graph_objects as go

from workbench.figures.growth import CurveStyle, growth_figure
from workbench.figures.markup import NO_NAME, chart_text, element
from workbench.figures.svg import BLUE, GREY, INK, ORANGE, RAISED, SKY, VERMILLION

WIDTH = 900
ACROSS, UP = "rows in the frame", "values touched a row"
#: How each way is drawn.
WAYS = {
    "naive": CurveStyle(VERMILLION, "solid", "circle"),
    "tree, fanout 16": CurveStyle(BLUE, "solid", "square"),
    "tree, fanout 2": CurveStyle(SKY, "dash", "square-open"),
    "deque (max)": CurveStyle(ORANGE, "dot", "diamond"),
    "two stacks": CurveStyle(GREY, "dashdot", "x"),
    "running (inverse)": CurveStyle(INK, "dot", "triangle-up"),
}
USED = "used by the frame"


def tree_figure(picture: dict[str, Any], state: dict[str, Any]) -> go.Figure:
    """Draw a tree, a frame, and the nodes that the frame is put together from.

    Parameters
    ----------
    picture : dict
        The tree's ``nodes`` (id, label, from, to, depth) and the names of its ``levels``; what
        its ``places`` are, if not rows, and a ``legend`` that says what "lit" nodes are.
    state : dict
        What the nodes hold (``values``), the ids of those that are used (``lit``), and the
        ``frames`` with their ``label``.

    Returns
    -------
    plotly.graph_objects.Figure
        Two traces of boxes: the nodes that are used, and the others.

    Examples
    --------
    >>> nodes = [{"id": "1/0", "label": "0-1", "from": 0, "to": 2, "depth": 0},
    ...          {"id": "0/0", "label": "0", "from": 0, "to": 1, "depth": 1}]
    >>> tree = {"nodes": nodes, "levels": ["level 1", "rows"]}
    >>> figure = tree_figure(tree, {"values": {"0/0": "7"}, "lit": ["0/0"], "frames": []})
    >>> [(boxes.name, boxes.text) for boxes in figure.data]
    [('used by the frame', ('<b>● 7</b>',)), ('not used', ('',))]
    """
    lit = set(state["lit"])
    used = [node for node in picture["nodes"] if node["id"] in lit]
    others = [node for node in picture["nodes"] if node["id"] not in lit]
    depth, size = len(picture["levels"]), max(node["to"] for node in picture["nodes"])
    unit = (WIDTH - 90) / size
    name = chart_text(picture.get("legend", {}).get("lit", USED))
    place = chart_text(picture.get("places", "row"))
    figure = go.Figure(
        [
            _boxes(used, state, unit, name).update(hovertemplate=_hover(place)),
            _boxes(others, state, unit, None).update(hovertemplate=_hover(place)),
        ]
    )
    figure.update_layout(
        barmode="overlay",
        width=WIDTH,
        height=110 + 52 * depth,
        margin={"l": 10, "r": 10, "t": 50, "b": 40},
        template="plotly_white",
        title={"text": chart_text(state.get("label") or ""), "font": {"size": 14, "color": BLUE}},
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 1, "xanchor": "right"},
        xaxis={"title": place, "range": [-0.2, size + 0.2],
               "showgrid": False, "zeroline": False},
        yaxis={"range": [depth - 0.4, -0.6], "tickvals": [*range(depth)],
               "ticktext": list(map(chart_text, picture["levels"])),
               "showgrid": False, "zeroline": False},
        shapes=[_band(frame, depth) for frame in state["frames"]],
    )  # fmt: skip
    return figure


def touched_figure(table: pd.DataFrame) -> go.Figure:
    """Draw how many values each way touches, both axes logarithmic.

    Parameters
    ----------
    table : pandas.DataFrame
        A row for each length of the frame, which is the index, and a column for each way.

    Returns
    -------
    plotly.graph_objects.Figure
        A line for each way, named with what it touches in the longest frame.

    Examples
    --------
    >>> table = pd.DataFrame({"naive": [1.0, 9.0]}, index=[1, 9])
    >>> [(line.name, list(line.y)) for line in touched_figure(table).data]
    [('naive: 9.0', [1.0, 9.0])]
    """
    names = {str(way): f"{way}: {last:.1f}" for way, last in table.iloc[-1].items()}
    return growth_figure(table, ACROSS, UP, WAYS, names)


def _hover(place: str) -> str:
    return chart_text(f"{place} %{{customdata}}: %{{hovertext}}", NO_NAME)


def _boxes(
    nodes: list[dict[str, Any]], state: dict[str, Any], unit: float, name: str | None
) -> go.Bar:
    """The boxes of nodes; without a name, of those that are not used."""
    used = name is not None
    texts = [state["values"].get(node["id"], "") for node in nodes]
    rooms = [unit * (node["to"] - node["from"]) for node in nodes]
    look: dict[str, Any] = {"color": "#c6e4f6", "line": {"color": BLUE, "width": 3}}
    other = {"color": RAISED, "line": {"color": GREY, "width": 1}}
    return go.Bar(
        orientation="h",
        base=[node["from"] + 0.04 for node in nodes],
        x=[node["to"] - node["from"] - 0.08 for node in nodes],
        y=[node["depth"] for node in nodes],
        width=0.7,
        text=[_label(text, room, used) for text, room in zip(texts, rooms, strict=True)],
        textposition="inside", insidetextanchor="middle", textangle=0,
        customdata=[chart_text(node["label"]) for node in nodes],
        hovertext=list(map(chart_text, texts)),
        textfont={"color": INK},
        marker=look | {"cornerradius": 14} if used else other,
        name=name or "not used",
    )  # fmt: skip


def _label(text: str, room: float, used: bool) -> str:
    """What fits into a box: at least the sign of a node that is used."""
    fits = 7.5 * len(text) + (20 if used else 4) < room
    if used:
        return chart_text(element("b", f"● {text}")) if fits else "●"
    return chart_text(text) if fits else ""


def _band(frame: dict[str, Any], depth: int) -> dict[str, Any]:
    return {
        "type": "rect", "x0": frame["from"], "x1": frame["to"], "y0": -0.5, "y1": depth - 0.5,
        "fillcolor": SKY, "opacity": 0.25, "layer": "below",
        "line": {"color": BLUE, "dash": "dash", "width": 2},
    }  # fmt: skip
