"""The plan of a query as a figure to click on."""

from typing import Any

import ipywidgets as widgets
import plotly.graph_objects as go
from pyspark.sql import DataFrame

from workbench.figures.markup import Markup, element
from workbench.figures.plan import plan_figure
from workbench.figures.plan_layout import subtitle, title
from workbench.figures.stills.still import still
from workbench.spark.plan_metrics import query_plan
from workbench.spark.plan_text import QueryPlan
from workbench.widgets.explorers.explorer import Stilled
from workbench.widgets.html import HTML, listing


def plan(df: DataFrame, run: bool = False) -> "PlanView":
    """Show the plan of a query: its shape or, after a run, its metrics.

    Exchanges, sorts, scans and Python steps stand out. A click on an operator, or its name in
    the list, shows its full text.

    Parameters
    ----------
    df
        The query, classic or Connect.
    run
        Run the query once, keeping nothing of its result, and show rows, bytes and times of that
        run on the operators. This costs what the query costs. Where the driver's web pages are
        not at hand, as over Spark Connect, the figure shows the shape and says why.

    Returns
    -------
    PlanView
        A widget; `plan` is the plan as data, `figure` the plotly figure, `svg` a still picture.

    Raises
    ------
    WorkbenchError
        When `df` is no DataFrame, or is a stream that should run.

    Examples
    --------
    >>> import workbench as wb
    >>> wb.plan(wb.session().range(1000).repartition(4, "id").sort("id"))
    Query plan: 4 operators, 2 exchanges, 1 sort
    """
    return PlanView(query_plan(df, run))


class PlanView(Stilled, widgets.HBox):  # type: ignore[misc]
    """A plan as a widget, with a still picture for pages that run no widget."""

    def __init__(self, plan: QueryPlan) -> None:
        self.plan = plan
        self.figure = go.FigureWidget(plan_figure(plan))
        self.svg = still(self.figure, title(plan), subtitle(plan))
        self.operator = widgets.Dropdown(
            options=[("choose, or click on one", None), *_names(plan)],
            description="Operator",
        )
        self.text = HTML()
        self.operator.observe(self._show, names="value")
        for trace in self.figure.data:
            if trace.customdata is not None:
                trace.on_click(self._click)
        beside = widgets.Layout(flex="1 1 320px", max_height=f"{self.figure.layout.height}px")
        panel = widgets.VBox([self.operator, self.text], layout=beside)
        super().__init__([self.figure, panel], layout=widgets.Layout(flex_flow="row wrap"))

    def __repr__(self) -> str:
        return title(self.plan)

    def _still(self) -> Markup:
        return self.svg

    def _click(self, trace: Any, points: Any, state: object) -> None:
        for index in points.point_inds:
            self.operator.value = trace.customdata[index]

    def _show(self, change: dict[str, Any]) -> None:
        self.text.value = "" if change["new"] is None else _page(self.plan, change["new"])


def _names(plan: QueryPlan) -> list[tuple[str, int]]:
    return [(f"({id}) {operator.title}", id) for id, operator in plan.operators.items()]


def _page(plan: QueryPlan, id: int) -> Markup:
    operator = plan.operators[id]
    rows = (
        element("td", name) + element("td", text, style="padding-left:1em")
        for name, text in operator.metrics.items()
    )
    return (
        element("b", f"({id}) {operator.title}")
        + listing(operator.detail, ";line-height:1.3")
        + element("table", *(element("tr", row) for row in rows), style="line-height:1.4")
    )
