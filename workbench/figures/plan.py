"""A query's plan as an interactive figure."""

from textwrap import wrap
from typing import Any

import plotly.graph_objects as go

from workbench.backfill.inspect.origin import counted
from workbench.figures.plan_layout import (
    BEND,
    FLOWS,
    KINDS,
    RIGHT,
    ROW,
    PlanLayout,
    caption,
    heat,
    lateness,
    layout,
    subtitle,
    title,
)
from workbench.figures.theme import (
    BLUE,
    GREY,
    GROUND,
    INK,
    ORANGE,
    QUIET,
    SMALL,
    TEXT,
    themed,
)
from workbench.markup import BREAK, Markup, chart_text, element, in_lines
from workbench.spark.plans.text import Edge, Flow, Kind, Operator, QueryPlan
from workbench.spark.plans.words import costliest, operator_description, operator_name

# Symbols distinguish the kinds, not colours alone.
_SYMBOLS: dict[Kind, str] = {
    "scan": "circle",
    "exchange": "diamond",
    "sort": "triangle-up",
    "python": "hexagon",
    "other": "square",
}
_FLOW_NAMES: dict[Flow, str] = {"data": "rows", "reuse": "rows used again", "subquery": "subquery"}


def plan_figure(plan: QueryPlan) -> go.Figure:
    """Draw a plan: sources on top, the result at the bottom, rows on the edges.

    Parameters
    ----------
    plan
        The plan, with or without the metrics of a run.

    Returns
    -------
    plotly.graph_objects.Figure
        A trace of lines for each flow of rows, one of text for the numbers of rows, and one of
        markers for each kind of operator, whose `customdata` are the operators' numbers.

    Examples
    --------
    >>> from workbench.spark.plans.text import Operator, QueryPlan
    >>> plan = QueryPlan({1: Operator(1, "Sort", "Sort")}, ())
    >>> [trace.name for trace in plan_figure(plan).data]
    ['rows', 'Sort', 'chosen']
    """
    places = layout(plan)
    figure = go.Figure()
    figure.add_traces([*_lines(plan, places), _row_counts(plan, places)])
    for kind in KINDS:
        operators = [op for op in plan.operators.values() if op.kind == kind]
        if operators:
            figure.add_trace(_markers(kind, operators, plan, places))
    figure.add_trace(_ring(*ring_position(plan, costliest(plan).id)))
    return _with_layout(figure, plan, places)


def ring_position(plan: QueryPlan, id: int) -> tuple[list[int], list[int]]:
    """Return the position of the ring around an operator: lists of one column and one row."""
    x, y = layout(plan).places[id]
    return [x], [y]


def _ring(x: list[int], y: list[int]) -> go.Scatter:
    return go.Scatter(
        x=x, y=y, mode="markers", name="chosen", hoverinfo="skip", showlegend=False,
        marker={"symbol": "circle-open", "size": 28, "color": BLUE, "line": {"width": 3}},
    )  # fmt: skip


def _lines(plan: QueryPlan, places: PlanLayout) -> list[go.Scatter]:
    traces = []
    for flow, dash in FLOWS.items():
        edges = [edge for edge in plan.edges if edge.flow == flow]
        if edges:
            points = [point for edge in edges for point in _path(edge, places)]
            traces.append(
                go.Scatter(
                    x=[x for x, _ in points],
                    y=[y for _, y in points],
                    mode="lines",
                    name=_FLOW_NAMES[flow],
                    line={"color": GREY, "width": 2, "dash": dash},
                    hoverinfo="skip",
                    showlegend=flow != "data",
                )
            )
    return traces


def _path(edge: Edge, places: PlanLayout) -> list[tuple[float | None, float | None]]:
    """Return a path down the source's column, then across, so that it crosses no text."""
    (x0, y0), (x1, y1) = places.places[edge.source], places.places[edge.target]
    bend = y1 - BEND if y1 > y0 else y0 + BEND
    return [(x0, y0), (x0, bend), (x1, bend), (x1, y1), (None, None)]


def _row_counts(plan: QueryPlan, places: PlanLayout) -> go.Scatter:
    edges = [edge for edge in plan.edges if edge.flow == "data"]
    known = [edge for edge in edges if plan.operators[edge.source].rows is not None]
    points = [places.places[edge.source] for edge in known]
    return go.Scatter(
        x=[x for x, _ in points],
        y=[y + 0.5 for _, y in points],
        text=[f"  ↓ {counted(plan.operators[edge.source].rows or 0, 'row')}" for edge in known],
        mode="text",
        name="rows",
        textposition="middle right",
        textfont={"size": SMALL, "color": QUIET},
        hoverinfo="skip",
        showlegend=False,
    )


def _shades(plan: QueryPlan, places: PlanLayout) -> list[dict[str, Any]]:
    """Return the shade behind each operator, warmer for a greater share of the time."""
    return [
        {
            "type": "rect", "layer": "below", "line": {"width": 0},
            "x0": x - 0.06, "x1": x + RIGHT, "y0": y - 0.34, "y1": y + 0.34,
            "fillcolor": _warm(plan.share(plan.operators[id])),
        }
        for id, (x, y) in places.places.items() if heat(plan, plan.operators[id])
    ]  # fmt: skip


def _warm(share: float) -> str:
    red, green, blue = (int(ORANGE[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red},{green},{blue},{0.08 + 0.42 * share:.2f})"


def _markers(
    kind: Kind, operators: list[Operator], plan: QueryPlan, places: PlanLayout
) -> go.Scatter:
    name, colour = KINDS[kind]
    points = [places.places[operator.id] for operator in operators]
    return go.Scatter(
        x=[x for x, _ in points],
        y=[y for _, y in points],
        customdata=[operator.id for operator in operators],
        text=[_label(plan, operator, places.columns) for operator in operators],
        hovertext=[_hover(operator) for operator in operators],
        hoverinfo="text",
        mode="markers+text",
        name=name,
        textposition="middle right",
        textfont={"size": TEXT, "color": INK},
        marker={
            "symbol": _SYMBOLS[kind],
            "color": colour,
            "size": 12 if kind == "other" else 20,
            "line": {"color": GROUND, "width": 1.5},
        },
    )


def _label(plan: QueryPlan, operator: Operator, columns: int) -> str:
    first, second = caption(operator, columns)
    named_and_shared = element("b", first, "  ", heat(plan, operator))
    lines = [
        named_and_shared,
        *map(Markup.escape, filter(None, [second, lateness(plan, operator)])),
    ]
    return chart_text(in_lines("  " + line for line in lines))


def _hover(operator: Operator) -> str:
    lines: list[str] = [
        element("b", operator_name(operator)),
        *wrap(operator_description(operator), 90),
    ]
    lines.append(f"Spark calls it {operator.title}.")
    for line in operator.detail.splitlines():
        lines += wrap(line, 90)[:4]
    lines += [f"{name}: {text}" for name, text in operator.metrics.items()]
    return chart_text(in_lines(lines))


def _with_layout(figure: go.Figure, plan: QueryPlan, places: PlanLayout) -> go.Figure:
    beneath = element("span", subtitle(plan), style="font-size:12px")
    hidden = {"visible": False, "fixedrange": True}
    return themed(
        figure,
        title={"text": chart_text(title(plan), BREAK, beneath), "y": 0.98, "yanchor": "top"},
        height=ROW * places.rows + 110,
        margin={"t": 64, "b": 44},
        xaxis={**hidden, "range": [-0.08, places.columns - 1 + RIGHT + 0.02]},
        yaxis={**hidden, "range": [places.rows - 0.4, -0.5]},
        legend={"y": 0, "yanchor": "top", "itemclick": False},
        shapes=_shades(plan, places),
        dragmode=False,
    )
