"""The funnel explorer: change a step, the window or a mode, and see who is lost where."""

import time
from collections.abc import Sequence
from functools import partial
from typing import Any

import ipywidgets as widgets
import pandas as pd

from workbench.errors import noted
from workbench.figures.funnel import (
    Segments,
    funnel_figure,
    name_of,
    pivoted,
    times_figure,
    together,
)
from workbench.figures.stills.still import still
from workbench.figures.theme import number, share
from workbench.funnel.funnel import Funnel
from workbench.funnel.prepared import Prepared
from workbench.funnel.summary import Summary
from workbench.markup import Markup, element, in_lines
from workbench.widgets.chart import Chart
from workbench.widgets.clock import SPINNER
from workbench.widgets.controls.funnel import FunnelControls
from workbench.widgets.explorers.explorer import Card
from workbench.widgets.explorers.funnel_people import Behind, FunnelPeople
from workbench.widgets.html import HTML, Status, code_line
from workbench.widgets.progress import Progress
from workbench.widgets.redraw import redraw
from workbench.widgets.table import Table

_HEADS = {
    "from_first": "of step 1", "from_previous": "of the step before", "lost": "lost before it",
    "median_time": "median time", "p90_time": "90% within",
}  # fmt: skip


class FunnelExplorer(Card):
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

    def __init__(self, funnel: Funnel, prepared: Prepared, by: Sequence[str] = ()) -> None:
        self.prepared = prepared
        self.controls = FunnelControls(funnel, prepared, by)
        self.status, self.code, self.table = Status(), HTML(), Table()
        self.chart, self.breakdown, self.histogram = (Chart(toolbar=False) for _ in range(3))
        self._below = widgets.VBox([self.breakdown])
        self.people = FunnelPeople(funnel, prepared)
        self.progress = Progress(lambda: prepared.blocks.sparkSession, self.status, self)
        self.steps, self.times = pd.DataFrame(), pd.DataFrame()
        super().__init__(
            self.chart, self._below, self.table,
            controls=[self.controls],
            rows=[self.people, self.histogram],
            foot=[self.progress, self.status, self.people.player, self.code],
        )  # fmt: skip
        self._ask()
        self.controls.observe(self._ask, names="funnel")
        self.controls.observe(self._show_segments, names="most")

    @property
    def funnel(self) -> Funnel:
        """The funnel as the controls have it now."""
        found: Funnel = self.controls.funnel
        return found

    def __repr__(self) -> str:
        return f"Explorer of {self.funnel!r}"

    def _still(self) -> Markup:
        window = self.funnel.window
        shown = self.breakdown if self.controls.by else self.chart
        return still(shown, f"Funnel of {len(self.funnel.labels)} steps within {window}")

    def _ask(self, _change: Any = None) -> None:
        self.status.tell(SPINNER + "Asking Spark …")
        self.code.value = code_line(repr(self.funnel))
        self.progress.ask(partial(self._answer, self.funnel, self.controls.by), self._show)

    def _answer(
        self, funnel: Funnel, by: Sequence[str]
    ) -> tuple[Funnel, Summary, list[str], float]:
        start = time.perf_counter()
        with noted() as notes:
            found = funnel.summary(self.prepared, by=by)
        return funnel, found, notes, time.perf_counter() - start

    def _show(self, answer: tuple[Funnel, Summary, list[str], float]) -> None:
        funnel, (self.steps, self.times), notes, seconds = answer
        redraw(self.chart, funnel_figure(together(self.steps)))
        self._entitle(seconds)
        redraw(self.histogram, times_figure(self.times))
        self._show_segments()
        self._show_table()
        self._clicked(self.chart, self._bar)
        self._clicked(self.histogram, self._bin)
        # The heading says how many rows were left out.
        notes = [note for note in notes if "left out" not in note]
        self.status.tell(in_lines([*notes, *self._shown()]))
        self.people.show(funnel, self.steps.attrs["all"])

    def _entitle(self, seconds: float) -> None:
        events, keys = self.prepared.rows, self.prepared.keys
        skipped = self.prepared.skipped
        left_out = [f"{skipped:,} rows without a key or a time left out"] if skipped else []
        self.entitle(
            f"Funnel of {len(self.funnel.labels)} steps",
            element("b", number(events)) + " events",
            element("b", number(keys)) + f" {self.steps.attrs['unit']}",
            *left_out,
            "answered in " + element("b", f"{1000 * seconds:,.0f} ms"),
        )

    def _shown(self) -> list[str]:
        """How many of the segments are drawn each for itself."""
        if not self.controls.by:
            return []
        many = len(Segments.of(self.steps).keys)
        words = f"{min(self.controls.most, many):,} of {many:,} shown"
        rest = "the others as one row" if many > self.controls.most else "which are all"
        return [f"By {' and '.join(self.controls.by)}: {words}, {rest}."]

    def _show_segments(self, change: Any = None) -> None:
        by = self.controls.by
        self._below.layout.display = None if by else "none"
        if by:
            redraw(self.breakdown, funnel_figure(self.steps, self.controls.most))
            self._clicked(self.breakdown, self._dot)
        if change is not None:
            self.status.tell(*self._shown())

    def _show_table(self) -> None:
        unit, by = self.steps.attrs["unit"], self.controls.by
        call = f"{self.funnel!r}.steps(events{f', by={list(by)}' if by else ''})"
        table = pivoted(self.steps) if by else self.steps
        times = {"median_time", "p90_time"}
        shares = [str(name) for name, kind in table.dtypes.items() if kind.kind == "f"]
        heads = {name: "share" for name in shares if name.endswith(", share")}
        self.table.show(
            table, call, name="funnel", heads={"users": unit, **_HEADS, **heads},
            shown=dict.fromkeys([name for name in shares if name not in times], share)
            | dict.fromkeys(by, lambda value: name_of([value])),
        )  # fmt: skip

    def _clicked(self, chart: Chart, act: Any) -> None:
        """Have a click on a mark open what is behind it; a redrawn figure has new marks."""
        for trace in chart.data:
            trace.on_click(
                lambda trace, points, _state: points.point_inds and act(trace, points.point_inds[0])
            )

    def _bar(self, trace: Any, k: int) -> None:
        if trace.name.startswith("lost"):
            self.people.level.value = k
        else:
            self.people.look(Behind.reached(self.funnel, k, self.steps.attrs["all"][k]))

    def _bin(self, _trace: Any, k: int) -> None:
        self.people.look(Behind.took(self.funnel, self.times, k))

    def _dot(self, trace: Any, row: int) -> None:
        if trace.meta is not None:
            found, most = Segments.of(self.steps), self.controls.most
            self.people.look(Behind.segment(self.funnel, found, trace.meta, row, most))
