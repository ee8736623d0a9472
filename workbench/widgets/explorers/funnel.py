"""The funnel explorer: change a step, the window or a mode, and see who is lost where."""

import time
from collections.abc import Iterable
from functools import partial
from typing import Any

import ipywidgets as widgets
import pandas as pd
import plotly.graph_objects as go

from workbench.errors import noted
from workbench.figures.funnel import funnel_figure, said, times_figure
from workbench.figures.markup import Markup, element, in_lines, joined, stylesheet
from workbench.figures.stills.still import still
from workbench.figures.svg import cut
from workbench.funnel.funnel import Funnel
from workbench.funnel.prepared import Prepared
from workbench.funnel.summary import Summary
from workbench.widgets.clock import SPINNER
from workbench.widgets.controls.funnel import FunnelControls
from workbench.widgets.explorers.explorer import Stilled
from workbench.widgets.explorers.funnel_people import FunnelPeople
from workbench.widgets.html import HTML, Status, listing
from workbench.widgets.progress import Progress
from workbench.widgets.redraw import redraw

TABLE_STYLE = stylesheet(
    ".wb-table th,.wb-table td{text-align:right;padding:0 12px 0 0;line-height:1.6}"
    ".wb-table th:first-child,.wb-table td:first-child{text-align:left}"
)


#: The most letters of a cell of the table.
MOST_LETTERS = 50


class FunnelExplorer(Stilled, widgets.VBox):  # type: ignore[misc]
    """A funnel over prepared events, to be changed by hand.

    Attributes
    ----------
    funnel : Funnel
        The funnel as the controls have it now.
    prepared : Prepared
        The events; ``free()`` gives their memory back.
    steps, times : pandas.DataFrame
        What is drawn: ``funnel.summary(prepared, by)``.
    """

    def __init__(self, funnel: Funnel, prepared: Prepared, by: str | None = None) -> None:
        self.prepared = prepared
        self.controls = FunnelControls(funnel, prepared, by)
        self.status, self.code, self.table = Status(), HTML(), HTML()
        self.chart, self.histogram = go.FigureWidget(), go.FigureWidget()
        self.people = FunnelPeople(funnel, prepared)
        drawn = self.chart, self.table, self.histogram
        self.progress = Progress(prepared.blocks.sparkSession, self.status, *drawn)
        self.steps, self.times = pd.DataFrame(), pd.DataFrame()
        self._ask()
        self.controls.observe(self._ask, names=["funnel", "by"])
        right = widgets.VBox(
            [self.progress, self.status, self.chart, self.table, self.histogram],
            layout={"flex": "1 1 440px", "min_width": "0"},
        )
        left = widgets.VBox([self.controls, self.code], layout={"flex": "0 0 410px"})
        top = widgets.HBox([left, right], layout={"flex_flow": "row wrap", "width": "100%"})
        super().__init__([top, self.people])

    @property
    def funnel(self) -> Funnel:
        """The funnel as the controls have it now."""
        found: Funnel = self.controls.funnel
        return found

    def __repr__(self) -> str:
        return f"Explorer of {self.funnel!r}"

    def _still(self) -> Markup:
        window = self.funnel.window
        return still(self.chart, f"Funnel of {len(self.funnel.labels)} steps within {window}")

    def _ask(self, _change: Any = None) -> None:
        self.status.tell(SPINNER + "Asking Spark …")
        self.code.value = listing(repr(self.funnel))
        self.progress.ask(partial(self._answer, self.funnel, self.controls.by), self._show)

    def _answer(self, funnel: Funnel, by: str | None) -> tuple[Funnel, Summary, Markup]:
        start = time.perf_counter()
        with noted() as notes:
            found = funnel.summary(self.prepared, by=by)
        seconds = time.perf_counter() - start
        held = f"{self.prepared.rows:,} events of {self.prepared.keys:,} keys"
        return funnel, found, in_lines([f"✓ {held}, answered in {seconds:.2f} s", *notes])

    def _show(self, answer: tuple[Funnel, Summary, Markup]) -> None:
        funnel, (self.steps, self.times), told = answer
        redraw(self.chart, funnel_figure(self.steps))
        self.table.value = _html(self.steps)
        redraw(self.histogram, times_figure(self.times))
        self.status.tell(told)
        self.people.show(funnel)


def _html(steps: pd.DataFrame) -> Markup:
    table = steps.copy()
    for name in ("from_first", "from_previous"):
        table[name] = table[name].map(lambda share: "" if pd.isna(share) else f"{share:.1%}")
    for name in ("median_time", "p90_time"):
        table[name] = table[name].map(lambda length: "" if pd.isna(length) else said(length))
    for name in ("users", "lost"):
        table[name] = table[name].map("{:,}".format)
    names = {
        "from_first": "of the first", "from_previous": "of the step before",
        "median_time": "median time", "p90_time": "90% within",
    }  # fmt: skip
    head = _row("th", [names.get(name, name) for name in table.columns])
    body = joined(_row("td", row) for row in table.itertuples(index=False))
    parts = element("thead", head), element("tbody", body)
    return TABLE_STYLE + element("table", *parts, class_="dataframe wb-table")


def _row(tag: str, cells: Iterable[Any]) -> Markup:
    return element("tr", joined(element(tag, cut(str(cell), MOST_LETTERS)) for cell in cells))
