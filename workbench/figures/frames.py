"""The rows in the frame of each row, as a plotly figure: a matrix of rows by rows."""

from typing import Any

import numpy as np
import plotly.graph_objects as go

from workbench.figures.stills.still import WIDTH, NamedFigure, still
from workbench.figures.svg import cut
from workbench.figures.theme import (
    BLUE,
    GREY,
    INK,
    ORANGE,
    QUIET,
    RAISED,
    RULE,
    TEXT,
    VERMILLION,
    themed,
)
from workbench.markup import BREAK, Markup, chart_text, element
from workbench.windows.inspect.frame_table import FrameTable

CELL, PIXELS_A_LETTER = 24, 6.6
MOST_LETTERS = 34
#: By a row's relation to a frame, its name and its mark; symbols differ, not colours alone.
MARKS: dict[str, tuple[str, dict[str, Any]]] = {
    "in": ("in the frame", {"symbol": "square", "color": BLUE, "size": 17}),
    "not counted": (
        "in the frame, but null or filtered out",
        {"symbol": "square-open", "color": BLUE, "size": 15, "line": {"width": 2}},
    ),
    "left out": (
        "left out by EXCLUDE",
        {"symbol": "x-thin", "color": VERMILLION, "size": 10,
         "line": {"width": 2.5, "color": VERMILLION}},
    ),
    "out": ("not in the frame", {"symbol": "circle", "color": RULE, "size": 4}),
}  # fmt: skip


def frames_figure(table: FrameTable) -> go.Figure:
    """Draw a line for each row of a partition: the rows in its frame, and the answers.

    Parameters
    ----------
    table : FrameTable

    Returns
    -------
    plotly.graph_objects.Figure
        A trace for each relation to a frame, named by it, one for the rows themselves, and one of
        text for each answer. Groups of several peers are outlined.

    Examples
    --------
    >>> import workbench as wb
    >>> days = wb.session().range(3).withColumnRenamed("id", "day")
    >>> table = wb.Over(order_by="day", frame=wb.Frame.rows(-1, 0), n=wb.fn.count()).frames(days)
    >>> [(trace.name, len(trace.x)) for trace in frames_figure(table).data]
    [('in the frame', 5), ('not in the frame', 4), ('the row itself', 3), ('n', 3)]
    """
    rows = len(table.labels)
    marks = np.array([[table.mark(i, j) for j in range(rows)] for i in range(rows)]).reshape(
        rows, -1
    )
    traces = [_marks(table, marks, mark) for mark in MARKS if (marks == mark).any()]
    figure = go.Figure([*traces, _diagonal(table)])
    for name, at in zip(table.shown, _columns(table), strict=False):
        texts = [cut(text, MOST_LETTERS) for text in table.texts(name)]
        figure.add_trace(_answers(name, texts, at, name == table.column))
    figure.update_layout(shapes=_peers(table))
    return _with_layout(figure, table)


def row_names(table: FrameTable) -> list[str]:
    """Return the names of rows: the order value of each, and its value."""
    if not table.values or table.names[0] == table.names[1]:
        return [cut(label, MOST_LETTERS) for label in table.labels]
    pairs = zip(table.labels, table.values, strict=True)
    return [cut(f"{label} · {value}", MOST_LETTERS) for label, value in pairs]


def heading(table: FrameTable) -> str:
    """Return the heading of the rows' names: their columns."""
    order, value = table.names
    return cut(f"{order} · {value}" if value and value != order else order, MOST_LETTERS)


def _marks(table: FrameTable, marks: Any, mark: str) -> go.Scatter:
    i, j = np.nonzero(marks == mark)
    name, marker = MARKS[mark]
    return go.Scatter(
        x=j.tolist(), y=i.tolist(), mode="markers", name=name, marker=marker,
        text=[chart_text(f"row {b} ({table.labels[b]})", BREAK,
                         f"{name} of row {a} ({table.labels[a]})")
              if mark != "out" else "" for a, b in zip(i, j, strict=True)],
        hoverinfo="skip" if mark == "out" else "text",
    )  # fmt: skip


def _diagonal(table: FrameTable) -> go.Scatter:
    """Return the rows themselves, with an open mark for a row that is not in its own frame."""
    inside = table.inside.diagonal().tolist()
    each = list(range(len(inside)))
    marker = {
        "symbol": ["diamond" if is_inside else "diamond-open" for is_inside in inside],
        "size": [9 if is_inside else 18 for is_inside in inside],
        "color": [ORANGE if is_inside else INK for is_inside in inside],
        "line": {"color": INK, "width": 1.5},
        "opacity": 1,
    }
    return go.Scatter(
        x=each, y=each, mode="markers", name="the row itself", marker=marker, hoverinfo="skip"
    )


def _answers(name: str, texts: list[str], at: float, is_chosen: bool) -> go.Scatter:
    return go.Scatter(
        x=[at] * len(texts), y=list(range(len(texts))), mode="text", name=chart_text(name),
        text=list(map(chart_text, texts)),
        textposition="middle right", hoverinfo="skip", showlegend=False, cliponaxis=False,
        textfont={"size": 12, "color": INK if is_chosen else QUIET},
    )  # fmt: skip


def _peers(table: FrameTable) -> list[dict[str, Any]]:
    """Return an outline around each group of several peers, and a band behind their rows."""
    shapes: list[dict[str, Any]] = []
    rows = len(table.labels)
    for group in np.unique(table.group):
        members = np.flatnonzero(table.group == group)
        if len(members) < 2:
            continue
        low, high = int(members[0]) - 0.5, int(members[-1]) + 0.5
        band = {"type": "rect", "y0": low, "y1": high, "layer": "below"}
        shapes.append(
            band | {"x0": -0.5, "x1": rows - 0.5, "fillcolor": RAISED, "line": {"width": 0}}
        )
        line = {"color": INK, "width": 1.5, "dash": "dot"}
        shapes.append(band | {"x0": low, "x1": high, "line": line})
    return shapes


def frames_width(table: FrameTable) -> int:
    """Return the least width of the figure in pixels at which its cells are full-size squares.

    In a wider figure, the cells keep their size, with free space to the right.
    """
    left, across = _across(table)
    return int(left + across * CELL + 30)


def frames_still(table: FrameTable, title: str) -> Markup:
    """Return the figure as a still, with cells of the same size."""
    named = named_frames_figure(table, title)
    return still(named.figure, title, width=named.width)


def named_frames_figure(table: FrameTable, title: str) -> NamedFigure:
    """Return the figure with its title for a picture, with cells of the same size."""
    figure, width = frames_figure(table), max(float(frames_width(table)), WIDTH)
    figure.update_xaxes(range=[-0.6, (width - _across(table)[0] - 10) / CELL - 0.6])
    return NamedFigure(figure, title, width=width)


def _across(table: FrameTable) -> tuple[int, float]:
    """Return the pixels left of the cells, and the width of cells and answers, in cells."""
    left = max(map(len, [heading(table), *row_names(table)])) * PIXELS_A_LETTER + 26
    return int(left), _columns(table)[-1]


def _columns(table: FrameTable) -> list[float]:
    """Return the begin of each column of answers, in cells, and the end of the last one."""
    ends = [len(table.labels) + 0.4]
    for name in table.shown:
        longest = max(map(len, [name, *table.texts(name)]), default=1)
        ends.append(ends[-1] + (min(longest, MOST_LETTERS) * PIXELS_A_LETTER + 22) / CELL)
    return ends


def _with_layout(figure: go.Figure, table: FrameTable) -> go.Figure:
    rows, names = len(table.labels), row_names(table)
    left, across = _across(table)
    ties = len(np.unique(table.group)) < rows
    font = {"size": TEXT, "color": QUIET}
    notes = [
        {"x": x, "y": -1, "showarrow": False, "xanchor": "left", "font": font,
         "text": chart_text(element("b", cut(name, MOST_LETTERS)))}
        for name, x in zip(table.shown, _columns(table), strict=False)
    ]  # fmt: skip
    axis = {"showgrid": False, "zeroline": False, "fixedrange": True, "tickvals": list(range(rows))}
    notes.append(
        {"x": -0.75, "y": -1, "text": chart_text(element("b", heading(table))), "showarrow": False,
         "xanchor": "right", "font": font}
    )  # fmt: skip
    below = "dotted: peers, equal in the order" if ties else ""
    return themed(
        figure,
        annotations=notes,
        height=(rows + 1) * CELL + (100 if ties else 80),
        margin={"l": left, "r": 10, "t": 60, "b": 40 if ties else 20},
        xaxis=axis | {"range": [-0.6, across + 0.8], "side": "top", "automargin": False,
                      "scaleanchor": "y", "constrain": "domain", "constraintoward": "left",
                      "ticktext": [str(row) for row in range(rows)],
                      "tickfont": {"size": 10, "color": GREY}},
        yaxis=axis | {"range": [rows - 0.4, -1.4], "ticktext": list(map(chart_text, names)),
                      "automargin": False, "tickfont": {"size": TEXT},
                      "constrain": "domain", "constraintoward": "top"},
        title={"text": below, "font": font, "y": 0.01, "yanchor": "bottom"},
        legend={"y": 1, "yref": "container", "yanchor": "top", "xref": "container",
                "itemclick": False, "itemdoubleclick": False},
        dragmode=False,
    )  # fmt: skip
