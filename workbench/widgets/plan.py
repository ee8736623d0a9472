"""The plan of a query as a figure to click on."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, overload

import ipywidgets as widgets
from pyspark.sql import DataFrame

from workbench.errors import WorkbenchError
from workbench.figures.plan import plan_figure, ring_position
from workbench.figures.plan_layout import heat, lateness, layout, shape, subtitle, title, width_of
from workbench.figures.stills.still import WIDTH, NamedFigure, side_by_side, still
from workbench.markup import Markup, element
from workbench.queries.query import Query
from workbench.spark.plans.metrics import query_plan
from workbench.spark.plans.text import QueryPlan
from workbench.spark.plans.words import costliest, operator_description, operator_name
from workbench.spark.sources.given import is_table, table
from workbench.widgets.chart import Chart
from workbench.widgets.explorers.explorer import Card, WithStill
from workbench.widgets.html import HTML, listing

if TYPE_CHECKING:
    from workbench.spark.sources.given import TableLike

#: Between a card's edge and its picture, on both sides.
_EDGES = 36


@overload
def plan(df: "TableLike | Query", run: bool = False) -> "PlanView": ...
@overload
def plan(df: Mapping[str, "TableLike | Query"], run: bool = False) -> "PlanViews": ...
def plan(df: Any, run: bool = False) -> "PlanView | PlanViews":
    """Show the plan of a query, or of several: its shape or, after a run, its metrics.

    Exchanges, sorts, scans and Python steps stand out, and each says what it does. After a run, an
    operator has a warmer colour the more of the time it takes, and is marked if one task outlasts
    the others. A click on an operator, or its name in the list, shows its full text.

    Parameters
    ----------
    df
        The query, classic or Connect, a `wb.query`, or what `wb.table` takes. Or several queries by
        name, to compare them.
    run
        Run the query once, discard its result, and show rows, bytes and times of that run on the
        operators. This costs what the query costs. If the driver's web pages are not available, as
        over Spark Connect, the figure shows the shape and says why.

    Returns
    -------
    PlanView or PlanViews
        A widget; `plan` is the plan as data, `figure` the plotly figure, `svg` a still picture.
        For several plans, `views` has one for each name.

    Raises
    ------
    WorkbenchError
        When `df` is no DataFrame, or is a stream that should run, or when none is given.

    Examples
    --------
    >>> import workbench as wb
    >>> numbers = wb.session().range(1000)
    >>> wb.plan(numbers.repartition(4, "id").sort("id"))
    Query plan: 4 operators, 2 exchanges, 1 sort
    >>> wb.plan({"sorted": numbers.sort("id", ascending=False), "as it is": numbers})
    Query plans: sorted: 3 operators, 1 exchange, 1 sort; as it is: 1 operator
    """
    if not isinstance(df, Mapping):
        return PlanView(query_plan(_query(df), run))
    if not df:
        raise WorkbenchError("df: no query is given; give one, or several by their names.")
    return PlanViews({str(name): query_plan(_query(one), run) for name, one in df.items()})


def _query(df: Any) -> Any:
    """Return the DataFrame whose plan is shown; it may be a stream."""
    if isinstance(df, Query):
        return df.answer
    return table(df, "df") if is_table(df) and not isinstance(df, DataFrame) else df


class PlanView(Card):
    """A plan as a widget, with a still picture for pages that run no widget."""

    def __init__(self, plan: QueryPlan, name: str = "Query plan") -> None:
        self.plan = plan
        self.figure = Chart(plan_figure(plan), toolbar=False)
        self.svg = still(self.figure, title(plan), subtitle(plan), _width(plan, WIDTH))
        # The card's heading has the title already.
        self.figure.update_layout(title={"text": ""}, margin={"t": 8})
        self.operator = widgets.Dropdown(
            options=_names(plan), value=costliest(plan).id, description="Operator"
        )
        self.text = HTML()
        self.operator.observe(self._show, names="value")
        self.figure.on_mark(self._click)
        places = layout(plan)
        # Columns that do not fit are scrolled.
        place = widgets.VBox([self.figure], layout={"min_width": f"{width_of(places)}px"})
        picture = widgets.VBox([place], layout={"overflow": "auto"})
        self.note = HTML(element("div", subtitle(plan), class_="wb-hint"))
        wide, panel = places.columns > 1, [self.operator, self.text]
        super().__init__(picture, self.note, *(panel if wide else ()), rows=() if wide else panel)
        self.entitle(name, shape(plan), *([f"{plan.seconds:.1f} s"] if plan.seconds else []))
        self._show()

    def __repr__(self) -> str:
        return title(self.plan)

    def _still(self) -> Markup:
        return self.svg

    def _click(self, trace: Any, k: int) -> None:
        if trace.customdata is not None:
            self.operator.value = trace.customdata[k]

    def _show(self, _change: Any = None) -> None:
        self.text.value = _page(self.plan, self.operator.value)
        with self.figure.batch_update():
            (ring,) = (trace for trace in self.figure.data if trace.name == "chosen")
            ring.x, ring.y = ring_position(self.plan, self.operator.value)


class PlanViews(WithStill, widgets.HBox):  # type: ignore[misc]
    """Several plans side by side.

    Attributes
    ----------
    views : dict of str to PlanView
    svg : str
        A still picture of all.
    """

    def __init__(self, plans: Mapping[str, QueryPlan]) -> None:
        self.views = {name: PlanView(one, name) for name, one in plans.items()}
        pictures = [
            NamedFigure(view.figure, name, f"{shape(view.plan)}. {view.plan.note}", width)
            for name, view in self.views.items()
            for width in [_width(view.plan, WIDTH / 2)]
        ]
        self.svg = side_by_side(pictures, repr(self))
        # Side by side if both fit as a whole, else one below the other.
        for view in self.views.values():
            least = max(420, width_of(layout(view.plan)) + _EDGES)
            view.layout.flex, view.layout.min_width = f"1 1 {least:.0f}px", "0"
        cards = list(self.views.values())
        super().__init__(cards, layout=widgets.Layout(flex_flow="row wrap", grid_gap="8px"))

    def __repr__(self) -> str:
        shapes = [f"{name}: {shape(view.plan)}" for name, view in self.views.items()]
        return f"Query plans: {'; '.join(shapes)}"

    def _still(self) -> Markup:
        return self.svg


def _width(plan: QueryPlan, least: float) -> float:
    """Return the width of a still of a plan."""
    return max(least, float(width_of(layout(plan))))


def _names(plan: QueryPlan) -> list[tuple[str, int]]:
    return [(f"({id}) {operator_name(operator)}", id) for id, operator in plan.operators.items()]


def _page(plan: QueryPlan, id: int) -> Markup:
    """Return what an operator does and costs, in our words and below in Spark's."""
    operator = plan.operators[id]
    share = heat(plan, operator)
    cost = [f"{share} of the time" if share else "", operator.time, operator.size]
    # Spark's metrics of all tasks are long, and the column next to the picture is narrow.
    wraps = "white-space:normal"
    rows = (
        element("td", name, style=wraps) + element("td", text, style=wraps)
        for name, text in operator.metrics.items()
    )
    late = lateness(plan, operator)
    return (
        element("b", f"({id}) {operator_name(operator)}")
        + element("p", operator_description(operator), style="margin:4px 0")
        + element("p", element("b", " · ".join(filter(None, cost))), style="margin:4px 0")
        + (element("p", late, class_="wb-failed", style="margin:4px 0") if late else "")
        + element("p", "Spark calls it ", element("b", operator.title), ".", style="margin:8px 0 0")
        + listing(operator.detail, ";line-height:1.3;overflow-wrap:anywhere")
        + element("table", *(element("tr", row) for row in rows), class_="wb-table")
    )
