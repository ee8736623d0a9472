"""A query's plan as a still picture, for readers of a page without a kernel or a script."""

from html import escape

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
from workbench.spark.plan_text import Edge, Kind, Operator, QueryPlan

_LEFT, _TOP, _BOTTOM = 30, 92, 54
_DASHES = {"solid": "", "dot": ' stroke-dasharray="2 4"', "dash": ' stroke-dasharray="7 4"'}
_SHAPES: dict[Kind, str] = {
    "scan": '<circle r="9"{paint}/>',
    "exchange": '<path d="M0,-11L11,0L0,11L-11,0Z"{paint}/>',
    "sort": '<path d="M0,-10L10,8H-10Z"{paint}/>',
    "python": '<path d="M-5.5,-9.5H5.5L11,0L5.5,9.5H-5.5L-11,0Z"{paint}/>',
    "other": '<rect x="-6" y="-6" width="12" height="12"{paint}/>',
}


def plan_svg(plan: QueryPlan) -> str:
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
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="system-ui, sans-serif" font-size="12" '
        f'fill="#16181D" role="img"><title>{escape(title(plan))}</title>',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        _text(12, 28, title(plan), 'font-size="17" font-weight="600"'),
        _text(12, 50, subtitle(plan), 'fill="#374151"'),
        *(_line(edge, places) for edge in plan.edges),
        *(
            _operator(operator, places, operator is plan.result)
            for operator in plan.operators.values()
        ),
        _legend(plan, height - 22),
    ]
    return "".join([*parts, "</svg>"])


def _point(id: int, places: PlanLayout) -> tuple[int, int]:
    column, row = places.places[id]
    return _LEFT + COLUMN * column, _TOP + ROW * row


def _line(edge: Edge, places: PlanLayout) -> str:
    (x0, y0), (x1, y1) = _point(edge.source, places), _point(edge.target, places)
    bend = y1 - BEND * ROW if y1 > y0 else y0 + BEND * ROW
    return (
        f'<path d="M{x0},{y0}V{bend:.0f}H{x1}V{y1}" fill="none" stroke="#9CA3AF" stroke-width="2"'
        f"{_DASHES[FLOWS[edge.flow]]}/>"
    )


def _operator(operator: Operator, places: PlanLayout, is_result: bool) -> str:
    x, y = _point(operator.id, places)
    name, summary, cost = caption(operator)
    rows = "" if is_result or operator.rows is None else f"↓ {counted(operator.rows)}"
    count = _text(8, 36, rows, 'font-size="11" fill="#374151"')
    return (
        f'<g transform="translate({x},{y})"><title>{escape(operator.detail)}</title>'
        f"{_shape(operator.kind)}"
        f'<text x="18" y="-1"><tspan font-weight="600">{escape(name)}</tspan>'
        f'<tspan dx="8" fill="#374151">{escape(cost)}</tspan></text>'
        f"{_text(18, 14, summary)}{count}</g>"
    )


def _shape(kind: Kind) -> str:
    return _SHAPES[kind].format(paint=f' fill="{KINDS[kind][1]}" stroke="white"')


def _legend(plan: QueryPlan, y: int) -> str:
    present = {operator.kind for operator in plan.operators.values()}
    x, parts = 24, []
    for kind, (name, _) in KINDS.items():
        if kind in present:
            parts.append(f'<g transform="translate({x},{y})">{_shape(kind)}</g>')
            parts.append(_text(x + 16, y + 4, name))
            x += 40 + 7 * len(name)
    return "".join(parts)


def _text(x: int, y: int, text: str, style: str = "") -> str:
    return f'<text x="{x}" y="{y}" {style}>{escape(text)}</text>' if text else ""
