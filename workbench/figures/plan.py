"""A query's plan as an interactive figure."""

from textwrap import wrap

import plotly.graph_objects as go

from workbench.backfill.inspect.origin import counted
from workbench.figures.markup import BREAK, Markup, chart_text, element, in_lines
from workbench.figures.plan_layout import (
    BEND,
    COLUMN,
    FLOWS,
    KINDS,
    ROW,
    PlanLayout,
    caption,
    layout,
    subtitle,
    title,
)
from workbench.spark.plan_text import Edge, Flow, Kind, Operator, QueryPlan

# Shapes tell the kinds apart where colours do not.
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
    >>> from workbench.spark.plan_text import Operator, QueryPlan
    >>> plan = QueryPlan({1: Operator(1, "Sort", "Sort")}, ())
    >>> plan_figure(plan).data[-1].name
    'Sort'
    """
    places = layout(plan)
    figure = go.Figure()
    figure.add_traces([*_lines(plan, places), _row_counts(plan, places)])
    for kind in KINDS:
        operators = [op for op in plan.operators.values() if op.kind == kind]
        if operators:
            figure.add_trace(_markers(kind, operators, places))
    return _arranged(figure, plan, places)


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
                    line={"color": "#9CA3AF", "width": 2, "dash": dash},
                    hoverinfo="skip",
                    showlegend=flow != "data",
                )
            )
    return traces


def _path(edge: Edge, places: PlanLayout) -> list[tuple[float | None, float | None]]:
    """Down the source's own column, then across: so no line crosses another's writing."""
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
        textfont={"size": 11, "color": "#374151"},
        hoverinfo="skip",
        showlegend=False,
    )


def _markers(kind: Kind, operators: list[Operator], places: PlanLayout) -> go.Scatter:
    name, colour = KINDS[kind]
    points = [places.places[operator.id] for operator in operators]
    return go.Scatter(
        x=[x for x, _ in points],
        y=[y for _, y in points],
        customdata=[operator.id for operator in operators],
        text=[_label(operator) for operator in operators],
        hovertext=[_hover(operator) for operator in operators],
        hoverinfo="text",
        mode="markers+text",
        name=name,
        textposition="middle right",
        textfont={"size": 12, "color": "#16181D"},
        marker={
            "symbol": _SYMBOLS[kind],
            "color": colour,
            "size": 12 if kind == "other" else 20,
            "line": {"color": "white", "width": 1.5},
        },
    )


def _label(operator: Operator) -> str:
    first, second, cost = caption(operator)
    lines = [element("b", first) + (f"  {cost}" if cost else "")]
    return chart_text(in_lines("  " + line for line in [*lines, Markup.escape(second)] if line))


def _hover(operator: Operator) -> str:
    lines: list[str] = [element("b", operator.title)]
    for line in operator.detail.splitlines():
        lines += wrap(line, 90)[:4]
    lines += [f"{name}: {text}" for name, text in operator.metrics.items()]
    return chart_text(in_lines(lines))


def _arranged(figure: go.Figure, plan: QueryPlan, places: PlanLayout) -> go.Figure:
    beneath = element("span", subtitle(plan), style="font-size:12px")
    width = max(640, COLUMN * places.columns + 60)
    hidden = {"visible": False, "fixedrange": True}
    return figure.update_layout(
        title={
            "text": chart_text(title(plan), BREAK, beneath),
            "font": {"size": 16},
            "x": 0.01,
            "y": 0.98,
            "yanchor": "top",
        },
        width=width,
        height=ROW * places.rows + 110,
        margin={"l": 10, "r": 10, "t": 64, "b": 44},
        xaxis={**hidden, "range": [-0.08, width / COLUMN - 0.14]},
        yaxis={**hidden, "range": [places.rows - 0.4, -0.5]},
        legend={"orientation": "h", "y": 0, "yanchor": "top", "itemclick": False},
        template="plotly_white",
        hoverlabel={"align": "left", "bgcolor": "white", "font": {"color": "#16181D"}},
        dragmode=False,
        modebar={"remove": ["select2d", "lasso2d"]},
        hovermode="closest",
    )
