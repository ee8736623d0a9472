"""A query's plan as a still picture, for readers of a page without a kernel or a script."""

from workbench.figures.markup import Markup, element, joined
from workbench.figures.plan_layout import (
    BEND,
    COLUMN,
    FLOWS,
    KINDS,
    ROW,
    PlanLayout,
    caption,
    counted,
    layout,
    subtitle,
    title,
)
from workbench.figures.svg import document, moved, text
from workbench.spark.plan_text import Edge, Kind, Operator, QueryPlan

_LEFT, _TOP, _BOTTOM = 30, 92, 54
_QUIET = "#374151"
_DASHES = {"solid": None, "dot": "2 4", "dash": "7 4"}
_SHAPES: dict[Kind, tuple[str, dict[str, object]]] = {
    "scan": ("circle", {"r": 9}),
    "exchange": ("path", {"d": "M0,-11L11,0L0,11L-11,0Z"}),
    "sort": ("path", {"d": "M0,-10L10,8H-10Z"}),
    "python": ("path", {"d": "M-5.5,-9.5H5.5L11,0L5.5,9.5H-5.5L-11,0Z"}),
    "other": ("rect", {"x": -6, "y": -6, "width": 12, "height": 12}),
}


def plan_svg(plan: QueryPlan) -> Markup:
    """Draw a plan like `plan_figure`, as SVG.

    Parameters
    ----------
    plan
        The plan, with or without the metrics of a run.

    Returns
    -------
    str
        An SVG document that needs nothing else.

    Examples
    --------
    >>> from workbench.spark.plan_text import Operator, QueryPlan
    >>> "<title>Query plan: 1 operator" in plan_svg(QueryPlan({1: Operator(1, "Sort")}, ()))
    True
    """
    places = layout(plan)
    width = max(700, COLUMN * places.columns + _LEFT)
    height = _TOP + ROW * places.rows + _BOTTOM
    parts = [
        text(12, 28, title(plan), font_size=17, font_weight=600),
        text(12, 50, subtitle(plan), fill=_QUIET),
        *(_line(edge, places) for edge in plan.edges),
        *(
            _operator(operator, places, operator is plan.result)
            for operator in plan.operators.values()
        ),
        _legend(plan, height - 22),
    ]
    return document(joined(parts), title(plan), width, height)


def _point(id: int, places: PlanLayout) -> tuple[int, int]:
    column, row = places.places[id]
    return _LEFT + COLUMN * column, _TOP + ROW * row


def _line(edge: Edge, places: PlanLayout) -> Markup:
    (x0, y0), (x1, y1) = _point(edge.source, places), _point(edge.target, places)
    bend = y1 - BEND * ROW if y1 > y0 else y0 + BEND * ROW
    return element(
        "path", d=f"M{x0},{y0}V{bend:.0f}H{x1}V{y1}", fill="none", stroke="#9CA3AF",
        stroke_width=2, stroke_dasharray=_DASHES[FLOWS[edge.flow]],
    )  # fmt: skip


def _operator(operator: Operator, places: PlanLayout, is_result: bool) -> Markup:
    name, summary, cost = caption(operator)
    rows = "" if is_result or operator.rows is None else f"↓ {counted(operator.rows)}"
    heading = element("tspan", name, font_weight=600) + element("tspan", cost, dx=8, fill=_QUIET)
    drawn = [
        element("title", operator.detail),
        _shape(operator.kind),
        element("text", heading, x=18, y=-1),
        text(18, 14, summary),
        text(8, 36, rows, font_size=11, fill=_QUIET),
    ]
    return moved(*_point(operator.id, places), joined(drawn))


def _shape(kind: Kind) -> Markup:
    tag, place = _SHAPES[kind]
    return element(tag, **place, fill=KINDS[kind][1], stroke="white")


def _legend(plan: QueryPlan, y: int) -> Markup:
    present = {operator.kind for operator in plan.operators.values()}
    x, parts = 24, []
    for kind, (name, _) in KINDS.items():
        if kind in present:
            parts.append(moved(x, y, _shape(kind)) + text(x + 16, y + 4, name))
            x += 40 + 7 * len(name)
    return joined(parts)
