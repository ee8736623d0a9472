"""The funnel explorer: change a step, the window or a mode, and see who is lost where."""

import time
from collections.abc import Sequence
from functools import partial
from typing import Any

import ipywidgets as widgets
import numpy as np
import pandas as pd

from workbench.arguments import optional_names
from workbench.described import name_shown, noun
from workbench.errors import collect_warnings
from workbench.figures.funnel import (
    EXCLUDED,
    LOST,
    Segments,
    funnel_figure,
    name_of,
    pivot_steps,
    times_figure,
)
from workbench.figures.stills.still import NamedFigure, arrange, still
from workbench.figures.svg import bare, cut
from workbench.figures.theme import number, share
from workbench.funnel.bind import unit_of
from workbench.funnel.funnel import Funnel
from workbench.funnel.prepared import Prepared
from workbench.funnel.summary import Summary
from workbench.markup import Markup, element, in_lines
from workbench.widgets.chart import Chart
from workbench.widgets.controls.funnel import FunnelControls, window_text
from workbench.widgets.explorers.explorer import Card
from workbench.widgets.explorers.funnel.behaviour import drivers_view, paths_view
from workbench.widgets.explorers.funnel.people import FunnelPeople, PeopleSelection
from workbench.widgets.explorers.funnel.tabs import (
    COMPARE,
    DRIVERS,
    PATHS,
    STEPS,
    TREND,
    FunnelTabs,
    TabSettings,
    compare_view,
    trend_view,
)
from workbench.widgets.explorers.funnel.view import View
from workbench.widgets.html import HTML, Status, code_line, fact
from workbench.widgets.progress import Progress
from workbench.widgets.redraw import redraw
from workbench.widgets.sharing.files import csv_of
from workbench.widgets.sharing.grid import PageChoice
from workbench.widgets.sharing.page import PageView, Shareable
from workbench.widgets.sharing.shared import Shared
from workbench.widgets.sharing.state import Parts
from workbench.widgets.table import NO_ROWS, DisplayTable, Table

_HEADS = {
    "from_first": "of step 1", "from_previous": "of the step before", "lost": "lost before it",
    "open": "of them still in the window",
    "median_time": "median time", "p90_time": "90% within",
}  # fmt: skip
#: The hint about the marks of all tabs but the steps.
_CLICK_HINT = "Click a mark of the picture to see who is behind it."
#: Seconds in which a figure is sent and painted, before the rest is sent.
_PAINT_SECONDS = 0.05


class FunnelExplorer(Shared, Card):
    """A funnel over prepared events, with controls to change it.

    Attributes
    ----------
    funnel : Funnel
        The current funnel of the controls.
    prepared : Prepared
        The events; ``free()`` releases their memory.
    tabs : FunnelTabs
        The choice of a tab and its settings.
    steps, times, whole : pandas.DataFrame
        The tables of the steps that are drawn: ``funnel.summary(prepared, by)``.
    view : View, or None
        The view of another tab that is drawn.
    """

    FILE = "funnel"
    STATE_NAMES = ("step", "within", "order", "mode", "by", "show", *FunnelTabs.STATE_NAMES)

    def __init__(self, funnel: Funnel, prepared: Prepared, by: Sequence[str] = ()) -> None:
        self.prepared = prepared
        self.controls = FunnelControls(funnel, prepared, by)
        self.tabs = FunnelTabs(self.controls.funnel, prepared)
        self.status, self.code, self.table = Status(), HTML(), Table()
        self.chart, self.breakdown, self.histogram = (Chart(toolbar=False) for _ in range(3))
        self._below, self.tab_chart = widgets.VBox([self.breakdown]), Chart(toolbar=False)
        # In boxes, as the `layout` of a chart is that of its figure, not of a widget.
        self._steps, self._times, self._tab_picture = (
            widgets.VBox([one]) for one in (self.chart, self.histogram, self.tab_chart)
        )
        self._tab_picture.layout.display = "none"
        self.view: View | None = None
        self.people = FunnelPeople(funnel, prepared)
        self.progress = Progress(lambda: prepared.blocks.sparkSession, self.status, self)
        self.steps, self.times, self.whole = (pd.DataFrame() for _ in range(3))
        super().__init__(
            self._steps, self._below, self._tab_picture, self.table,
            controls=[widgets.VBox([self.tabs, self.controls])],
            rows=[self.people, self._times],
            foot=[self.progress, self.status, self.people.player, self._share_bar(), self.code],
        )  # fmt: skip
        self._ask()
        self.controls.observe(self._ask_again, names="funnel")
        self.tabs.observe(self._ask, names="settings")
        self.controls.observe(self._show_segments, names="most")

    @property
    def funnel(self) -> Funnel:
        """The current funnel of the controls."""
        funnel: Funnel = self.controls.funnel
        return funnel

    def __repr__(self) -> str:
        return f"Explorer of {self.funnel!r}"

    def _still(self) -> Markup:
        if self.view is not None:
            return still(self.view.figure, self._title(), self.view.words)
        if not self.controls.by:
            return still(self.chart.whole, self._title())
        # The picture of segments begins with step 2, and shares are of step 1.
        first = f"Step 1 is {name_shown(self.funnel.labels[0])}."
        return still(self.breakdown.whole, self._title(), first)

    def _ask_again(self, _change: Any) -> None:
        """Offer the steps of a changed funnel in the tabs, and compute the view again."""
        before = self.tabs.settings
        self.tabs.offer(self.funnel)
        if self.tabs.settings == before:
            self._ask()

    def _ask(self, _change: Any = None) -> None:
        # No animation: it would be drawn sixty times a second during the computation.
        self.status.tell("Asking Spark …")
        self.code.value = code_line(repr(self.funnel))
        settings = self.tabs.settings
        self.controls.offer(by=settings.tab != PATHS, most=settings.tab in (STEPS, COMPARE))
        if settings.tab == STEPS:
            self.progress.ask(
                partial(self._compute_steps, self.funnel, self.controls.by), self._show_steps
            )
        else:
            ask = partial(self._compute_view, self.funnel, self.controls.by, settings)
            self.progress.ask(ask, self._show_view)

    def _compute_view(
        self, funnel: Funnel, by: Sequence[str], settings: TabSettings
    ) -> tuple[Funnel, View, list[str], float]:
        """Return the view of a tab other than the steps."""
        start = time.perf_counter()
        with collect_warnings() as notes:
            view = self._make_view(funnel, by, settings)
        return funnel, view, notes, time.perf_counter() - start

    def _make_view(self, funnel: Funnel, by: Sequence[str], settings: TabSettings) -> View:
        if settings.tab == TREND:
            return trend_view(funnel, self.prepared, by, settings.every)
        if settings.tab == DRIVERS:
            return drivers_view(funnel, self.prepared, by, settings.step, settings.watched)
        if settings.tab == PATHS:
            ends = settings.after, settings.before, settings.dropped
            return paths_view(funnel, self.prepared, *ends)
        return compare_view(funnel, self.prepared, by, self.controls.most)

    def _show_view(self, answer: tuple[Funnel, View, list[str], float]) -> None:
        _, self.view, notes, seconds = answer
        view = self.view
        self._show_pictures()
        self.people.clear()
        redraw(self.tab_chart, view.figure)
        self._entitle(seconds)
        # As with the steps: a table of all periods takes longer than the picture.
        time.sleep(_PAINT_SECONDS)
        self.table.show_table(view.listed, "funnel", nothing=NO_ROWS if view.words else "")
        self.tab_chart.on_mark(self._click_mark)
        notes = [note for note in notes if "left out" not in note]
        # An empty figure has no mark to click.
        hints = [_CLICK_HINT] if len(view.table) else []
        self.status.tell(in_lines(filter(None, [*notes, view.words, *hints])))
        self._note_view()

    def _show_pictures(self) -> None:
        """Show only the pictures of the open tab."""
        other = self.view is not None
        for part in (self._steps, self._times):
            part.layout.display = "none" if other else None
        self.people.level.layout.display = "none" if other else None
        self._below.layout.display = "none" if other or not self.controls.by else None
        self._tab_picture.layout.display = None if other else "none"
        # In other tabs, people are listed only after a click on a mark.
        self.show_rows(not other)

    def _click_mark(self, trace: Any, k: int) -> None:
        selection = self.view.selection_at(trace, k) if self.view is not None else None
        if selection is not None:
            self.show_rows(True)
            self.people.list_people(selection)

    def _compute_steps(
        self, funnel: Funnel, by: Sequence[str]
    ) -> tuple[Funnel, Summary, list[str], float]:
        start = time.perf_counter()
        with collect_warnings() as notes:
            summary = funnel.summary(self.prepared, by=by)
        return funnel, summary, notes, time.perf_counter() - start

    def _show_steps(self, answer: tuple[Funnel, Summary, list[str], float]) -> None:
        funnel, (self.steps, self.times, self.whole), notes, seconds = answer
        self.view = None
        self._show_pictures()
        redraw(self.chart, funnel_figure(self.whole))
        # The picture is painted now, before all the rest is drawn.
        time.sleep(_PAINT_SECONDS)
        self._entitle(seconds)
        redraw(self.histogram, times_figure(self.times))
        self._show_segments()
        self._show_table()
        self.chart.on_mark(self._click_bar)
        self.histogram.on_mark(self._click_bin)
        # The heading says how many rows were left out.
        notes = [note for note in notes if "left out" not in note]
        self.status.tell(in_lines([*notes, *self._segment_words()]))
        self.people.show(funnel, self.whole["users"].tolist())
        self._note_view()

    def _state_parts(self) -> dict[str, Any]:
        return self.controls.parts() | self.tabs.parts()

    def _reopen(self, parts: Parts) -> None:
        settings = self.tabs.settings_from(parts, len(parts.get("step", self.funnel.labels)))
        self.controls.reopen({k: v for k, v in parts.items() if k not in FunnelTabs.STATE_NAMES})
        self.tabs.reopen(settings, self.funnel)

    def _table(self) -> pd.DataFrame:
        return self.steps if self.view is None else self.view.table

    def _step_count_text(self) -> str:
        """Return the number of steps in words."""
        steps = len(self.funnel.labels)
        return f"{steps} {noun(steps, 'steps')}"

    def _title(self) -> str:
        steps = f"{self._step_count_text()} within {self.funnel.window}"
        words = {STEPS: "Funnel", TREND: "Trend of a funnel", COMPARE: "Segments of a funnel",
                 DRIVERS: "Drivers of a funnel", PATHS: "Paths of a funnel"}  # fmt: skip
        tab, by = self.tabs.settings.tab, self.controls.by
        segments = f", by {' and '.join(by)}" if by and tab in (STEPS, TREND, COMPARE) else ""
        return f"{words[tab]} of {steps}{segments}"

    def _shareable(self) -> Shareable:
        windows = self.controls.window
        choices = [
            PageChoice("within", windows.options, windows.index, ordered=True),
            self._by_choice(),
        ]

        def draw(at: tuple[int, ...]) -> PageView:
            window, names = (one.options[k][1] for one, k in zip(choices, at, strict=True))
            return self._view(window, optional_names(names or (), "by"))

        title = " → ".join(self.funnel.labels)
        return Shareable(cut(title, 120), self._facts(), self.FILE, choices, draw)

    def _by_choice(self) -> PageChoice:
        """Return the segments that a page offers; a comparison needs some."""
        by = self.controls.segments
        tab = self.tabs.settings.tab
        several = tab == COMPARE and self.controls.by
        options = [one for one in by.options if one[1] or not several]
        if tab == PATHS:
            # Paths have no segments.
            options = [by.options[by.index]]
        return PageChoice("by", options, options.index(by.options[by.index]))

    def _facts(self) -> list[str]:
        prepared = self.prepared
        parts = [
            f"{prepared.rows:,} {noun(prepared.rows, 'events')}",
            f"{prepared.keys:,} {noun(prepared.keys, unit_of(self.funnel, prepared))}",
        ]
        if prepared.span and not prepared.integer_time:
            first, last = (np.datetime64(time, "us").astype("M8[D]") for time in prepared.span)
            parts.append(f"{first} to {last} (UTC)")
        elif prepared.span:
            parts.append(f"{self.funnel.time} {prepared.span[0]:,} to {prepared.span[1]:,}")
        if prepared.skipped:
            parts.append(_left_out_text(prepared.skipped))
        return parts

    def _view(self, window: Any, by: tuple[str, ...]) -> PageView:
        """Return the view of a window and of segments for a page."""
        funnel, most = self.controls.within(window), self.controls.most
        if self.tabs.settings.tab != STEPS:
            return self._page_of(funnel, window, by)
        with collect_warnings() as notes:
            steps, times, whole = funnel.summary(self.prepared, by=by)
        rows, figures = (
            _steps_table(funnel, by, steps),
            [NamedFigure(funnel_figure(whole), "Who goes on")],
        )
        if by:
            figures.append(NamedFigure(funnel_figure(steps, most), f"By {' and '.join(by)}"))
        figures.append(NamedFigure(times_figure(times), "Time from the first step to the last"))
        first, last = whole["users"].iloc[0], whole["users"].iloc[funnel.required[-1]]
        unit, reached = steps.attrs["unit"], share(last / first if first else 0)
        words = f"{last:,} of {first:,} {noun(int(first), unit)} reached the last step"
        words += f" within {funnel.window}"
        # The heading says how many rows were left out.
        notes = [note for note in notes if "left out" not in note]
        words = " ".join([f"{words}: {reached}.", *notes])
        drawn, height, width = arrange(figures, 0)
        parts = self._state_parts() | {"within": window_text(window), "by": list(by)}
        picture = bare(drawn, words, width, height)
        return PageView(
            self._state_text(parts), picture, words, rows.markup, rows.code, csv_of(steps)
        )

    def _page_of(self, funnel: Funnel, window: Any, by: tuple[str, ...]) -> PageView:
        """Return the view of a tab other than the steps for a page."""
        with collect_warnings() as notes:
            view = self._make_view(funnel, by, self.tabs.settings)
        drawn, height, width = arrange([NamedFigure(view.figure, self.tabs.settings.tab)], 0)
        parts = self._state_parts() | {"within": window_text(window), "by": list(by)}
        words = " ".join([view.words, *(note for note in notes if "left out" not in note)])
        picture, rows = bare(drawn, words, width, height), view.listed
        code, csv = rows.code, csv_of(rows.frame)
        return PageView(self._state_text(parts), picture, words, rows.markup, code, csv)

    def _entitle(self, seconds: float) -> None:
        events, keys = self.prepared.rows, self.prepared.keys
        skipped = self.prepared.skipped
        left_out = [_left_out_text(skipped)] if skipped else []
        self.entitle(
            f"Funnel of {self._step_count_text()}",
            fact(events, "event"),
            element("b", number(keys)) + f" {noun(keys, unit_of(self.funnel, self.prepared))}",
            *left_out,
            "answered in " + element("b", f"{1000 * seconds:,.0f} ms"),
        )

    def _segment_words(self) -> list[str]:
        """Return a sentence about how many segments have a row of their own."""
        if not self.controls.by:
            return []
        many = len(Segments.of(self.steps).keys)
        words = f"{min(self.controls.most, many):,} of {many:,} shown"
        rest = "the others as one row" if many > self.controls.most else "which is all of them"
        return [f"By {' and '.join(self.controls.by)}: {words}, {rest}."]

    def _show_segments(self, change: Any = None) -> None:
        by = self.controls.by
        if self.view is not None:
            # Another number of segments is another comparison.
            self._ask()
            return
        self._below.layout.display = None if by else "none"
        if by:
            redraw(self.breakdown, funnel_figure(self.steps, self.controls.most))
            self.breakdown.on_mark(self._click_dot)
        if change is not None:
            self.status.tell(*self._segment_words())
            self._note_view()

    def _show_table(self) -> None:
        rows = _steps_table(self.funnel, self.controls.by, self.steps)
        self.table.show_table(rows, "funnel")

    def _click_bar(self, trace: Any, k: int) -> None:
        before = self.whole.attrs["before"][k]
        if trace.name == LOST and "excluded" not in self.whole:
            self.people.level.value = before + 1
        elif trace.name in (LOST, EXCLUDED):
            excluded = trace.name == EXCLUDED
            many = int(self.whole["excluded" if excluded else "lost"].iloc[k])
            self.people.list_people(
                PeopleSelection.stopped_by_exclusion(self.funnel, before, many, excluded)
            )
        else:
            self.people.list_people(
                PeopleSelection.reached(self.funnel, k, int(self.whole["users"].iloc[k]))
            )

    def _click_bin(self, _trace: Any, k: int) -> None:
        self.people.list_people(PeopleSelection.took(self.funnel, self.times, k))

    def _click_dot(self, trace: Any, row: int) -> None:
        if trace.meta is not None:
            segments, most = Segments.of(self.steps), self.controls.most
            self.people.list_people(
                PeopleSelection.segment(self.funnel, segments, trace.meta, row, most)
            )


def _left_out_text(rows: int) -> str:
    return f"{rows:,} {noun(rows, 'rows')} without a key or a time left out"


def _steps_table(funnel: Funnel, by: Sequence[str], steps: pd.DataFrame) -> DisplayTable:
    """Return the table of steps, with a row for each segment."""
    call = f"{funnel!r}.steps(events{f', by={list(by)}' if by else ''})"
    table = pivot_steps(steps) if by else steps
    times = {"median_time", "p90_time"}
    shares = [str(name) for name, kind in table.dtypes.items() if kind.kind == "f"]
    heads = {name: "share" for name in shares if name.endswith(", share")}
    return DisplayTable(
        table,
        call,
        {"users": steps.attrs["unit"], **_HEADS, **heads},
        dict.fromkeys([name for name in shares if name not in times], share)
        | dict.fromkeys(by, lambda value: name_of([value]))
        | {"step": name_shown},
    )
