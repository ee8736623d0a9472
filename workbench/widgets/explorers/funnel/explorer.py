"""The funnel explorer: change a step, the window or a mode, and see who is lost where."""

import time
from collections.abc import Sequence
from functools import partial
from typing import Any

import ipywidgets as widgets
import numpy as np
import pandas as pd

from workbench.described import name_shown, noun
from workbench.errors import collect_warnings
from workbench.figures.funnel import (
    EXCLUDED,
    LOST,
    Segments,
    funnel_figure,
    name_of,
    pivoted,
    times_figure,
)
from workbench.figures.stills.still import Named, arranged, still
from workbench.figures.svg import bare, cut
from workbench.figures.theme import number, share
from workbench.funnel.bind import unit_of
from workbench.funnel.funnel import Funnel
from workbench.funnel.prepared import Prepared
from workbench.funnel.summary import Summary
from workbench.markup import Markup, element, in_lines
from workbench.spark.shuffle import optional_names
from workbench.widgets.chart import Chart
from workbench.widgets.controls.funnel import FunnelControls, window_text
from workbench.widgets.explorers.explorer import Card
from workbench.widgets.explorers.funnel.behaviour import drivers_view, paths_view
from workbench.widgets.explorers.funnel.people import Behind, FunnelPeople
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
from workbench.widgets.table import NO_ROWS, Listed, Table

_HEADS = {
    "from_first": "of step 1", "from_previous": "of the step before", "lost": "lost before it",
    "open": "of them still in the window",
    "median_time": "median time", "p90_time": "90% within",
}  # fmt: skip
#: What a tab that is not the steps says of its marks.
_CLICKED = "Click a mark of the picture to see who is behind it."
#: Seconds in which a figure is sent and painted, before the browser hears of the rest.
_A_TURN = 0.05


class FunnelExplorer(Shared, Card):
    """A funnel over prepared events, to be changed by hand.

    Attributes
    ----------
    funnel : Funnel
        The funnel as the controls have it now.
    prepared : Prepared
        The events; ``free()`` gives their memory back.
    tabs : FunnelTabs
        What is asked: the steps, or something else about them.
    steps, times, whole : pandas.DataFrame
        What is drawn of the steps: ``funnel.summary(prepared, by)``.
    view : View, or None
        What is drawn in another tab.
    """

    FILE = "funnel"
    STATED = ("step", "within", "order", "mode", "by", "show", *FunnelTabs.STATED)

    def __init__(self, funnel: Funnel, prepared: Prepared, by: Sequence[str] = ()) -> None:
        self.prepared = prepared
        self.controls = FunnelControls(funnel, prepared, by)
        self.tabs = FunnelTabs(self.controls.funnel, prepared)
        self.status, self.code, self.table = Status(), HTML(), Table()
        self.chart, self.breakdown, self.histogram = (Chart(toolbar=False) for _ in range(3))
        self._below, self.asked = widgets.VBox([self.breakdown]), Chart(toolbar=False)
        # What a figure calls its layout is not that of a widget.
        self._steps, self._times, self._asked = (
            widgets.VBox([one]) for one in (self.chart, self.histogram, self.asked)
        )
        self._asked.layout.display = "none"
        self.view: View | None = None
        self.people = FunnelPeople(funnel, prepared)
        self.progress = Progress(lambda: prepared.blocks.sparkSession, self.status, self)
        self.steps, self.times, self.whole = (pd.DataFrame() for _ in range(3))
        super().__init__(
            self._steps, self._below, self._asked, self.table,
            controls=[widgets.VBox([self.tabs, self.controls])],
            rows=[self.people, self._times],
            foot=[self.progress, self.status, self.people.player, self._share_bar(), self.code],
        )  # fmt: skip
        self._ask()
        self.controls.observe(self._ask_again, names="funnel")
        self.tabs.observe(self._ask, names="asked")
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
        if self.view is not None:
            return still(self.view.figure, self._title(), self.view.words)
        shown = self.breakdown if self.controls.by else self.chart
        return still(shown, f"Funnel of {self._count()} within {window}")

    def _ask_again(self, _change: Any) -> None:
        """Ask of a changed funnel, whose steps are those that tabs offer."""
        before = self.tabs.asked
        self.tabs.offer(self.funnel)
        if self.tabs.asked == before:
            self._ask()

    def _ask(self, _change: Any = None) -> None:
        # Nothing that turns: it would be drawn sixty times a second while the answer is awaited.
        self.status.tell("Asking Spark …")
        self.code.value = code_line(repr(self.funnel))
        asked = self.tabs.asked
        self.controls.offer(by=asked.tab != PATHS, most=asked.tab in (STEPS, COMPARE))
        if asked.tab == STEPS:
            self.progress.ask(partial(self._answer, self.funnel, self.controls.by), self._show)
        else:
            ask = partial(self._looked, self.funnel, self.controls.by, asked)
            self.progress.ask(ask, self._show_view)

    def _looked(
        self, funnel: Funnel, by: Sequence[str], asked: TabSettings
    ) -> tuple[Funnel, View, list[str], float]:
        """What a tab shows that is not the steps."""
        start = time.perf_counter()
        with collect_warnings() as notes:
            found = self._seen(funnel, by, asked)
        return funnel, found, notes, time.perf_counter() - start

    def _seen(self, funnel: Funnel, by: Sequence[str], asked: TabSettings) -> View:
        if asked.tab == TREND:
            return trend_view(funnel, self.prepared, by, asked.every)
        if asked.tab == DRIVERS:
            return drivers_view(funnel, self.prepared, by, asked.step)
        if asked.tab == PATHS:
            ends = asked.after, asked.before, asked.dropped
            return paths_view(funnel, self.prepared, *ends)
        return compare_view(funnel, self.prepared, by, self.controls.most)

    def _show_view(self, answer: tuple[Funnel, View, list[str], float]) -> None:
        _, self.view, notes, seconds = answer
        view = self.view
        self._place()
        self.people.clear()
        redraw(self.asked, view.figure)
        self._entitle(seconds)
        # As with the steps: a table of every period takes longer than the picture.
        time.sleep(_A_TURN)
        self.table.show_listed(view.listed, "funnel", nothing=NO_ROWS if view.words else "")
        self.asked.on_mark(self._point)
        notes = [note for note in notes if "left out" not in note]
        # Of nothing there is no mark to be clicked.
        clicked = [_CLICKED] if len(view.table) else []
        self.status.tell(in_lines(filter(None, [*notes, view.words, *clicked])))
        self._noted()

    def _place(self) -> None:
        """Show the pictures of the open tab alone."""
        other = self.view is not None
        for part in (self._steps, self._times):
            part.layout.display = "none" if other else None
        self.people.level.layout.display = "none" if other else None
        self._below.layout.display = "none" if other or not self.controls.by else None
        self._asked.layout.display = None if other else "none"
        # Nobody is listed before a mark is clicked.
        self.show_rows(not other)

    def _point(self, trace: Any, k: int) -> None:
        found = self.view.behind(trace, k) if self.view is not None else None
        if found is not None:
            self.show_rows(True)
            self.people.look(found)

    def _answer(
        self, funnel: Funnel, by: Sequence[str]
    ) -> tuple[Funnel, Summary, list[str], float]:
        start = time.perf_counter()
        with collect_warnings() as notes:
            found = funnel.summary(self.prepared, by=by)
        return funnel, found, notes, time.perf_counter() - start

    def _show(self, answer: tuple[Funnel, Summary, list[str], float]) -> None:
        funnel, (self.steps, self.times, self.whole), notes, seconds = answer
        self.view = None
        self._place()
        redraw(self.chart, funnel_figure(self.whole))
        # The picture is seen now, and not when all the rest is drawn, too.
        time.sleep(_A_TURN)
        self._entitle(seconds)
        redraw(self.histogram, times_figure(self.times))
        self._show_segments()
        self._show_table()
        self.chart.on_mark(self._bar)
        self.histogram.on_mark(self._bin)
        # The heading says how many rows were left out.
        notes = [note for note in notes if "left out" not in note]
        self.status.tell(in_lines([*notes, *self._shown()]))
        self.people.show(funnel, self.whole["users"].tolist())
        self._noted()

    def _parts(self) -> dict[str, Any]:
        return self.controls.parts() | self.tabs.parts()

    def _reopen(self, parts: Parts) -> None:
        asked = self.tabs.meant(parts, len(parts.get("step", self.funnel.labels)))
        self.controls.reopen({k: v for k, v in parts.items() if k not in FunnelTabs.STATED})
        self.tabs.reopen(asked, self.funnel)

    def _table(self) -> pd.DataFrame:
        return self.steps if self.view is None else self.view.table

    def _count(self) -> str:
        """How many steps there are, in words."""
        steps = len(self.funnel.labels)
        return f"{steps} {noun(steps, 'steps')}"

    def _title(self) -> str:
        steps = f"{self._count()} within {self.funnel.window}"
        words = {STEPS: "Funnel", TREND: "Trend of a funnel", COMPARE: "Segments of a funnel",
                 DRIVERS: "Drivers of a funnel", PATHS: "Paths of a funnel"}  # fmt: skip
        return f"{words[self.tabs.asked.tab]} of {steps}"

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
        return Shareable(cut(title, 120), self._described(), self.FILE, choices, draw)

    def _by_choice(self) -> PageChoice:
        """Which segments a page offers: to be compared, there must be some."""
        by = self.controls.segments
        tab = self.tabs.asked.tab
        several = tab == COMPARE and self.controls.by
        options = [one for one in by.options if one[1] or not several]
        if tab == PATHS:
            # Of which segments are no question.
            options = [by.options[by.index]]
        return PageChoice("by", options, options.index(by.options[by.index]))

    def _described(self) -> list[str]:
        held = self.prepared
        parts = [
            f"{held.rows:,} {noun(held.rows, 'events')}",
            f"{held.keys:,} {noun(held.keys, unit_of(self.funnel, held))}",
        ]
        if held.span and not held.integer_time:
            first, last = (np.datetime64(time, "us").astype("M8[D]") for time in held.span)
            parts.append(f"{first} to {last} (UTC)")
        elif held.span:
            parts.append(f"{self.funnel.time} {held.span[0]:,} to {held.span[1]:,}")
        if held.skipped:
            parts.append(_left_out(held.skipped))
        return parts

    def _view(self, window: Any, by: tuple[str, ...]) -> PageView:
        """What a page shows of a window and of segments."""
        funnel, most = self.controls.within(window), self.controls.most
        if self.tabs.asked.tab != STEPS:
            return self._page_of(funnel, window, by)
        with collect_warnings() as notes:
            steps, times, whole = funnel.summary(self.prepared, by=by)
        rows, figures = _columns(funnel, by, steps), [Named(funnel_figure(whole), "Who goes on")]
        if by:
            figures.append(Named(funnel_figure(steps, most), f"By {' and '.join(by)}"))
        figures.append(Named(times_figure(times), "Time from the first step to the last"))
        first, last = whole["users"].iloc[0], whole["users"].iloc[funnel.required[-1]]
        unit, reached = steps.attrs["unit"], share(last / first if first else 0)
        words = f"{last:,} of {first:,} {noun(int(first), unit)} reached the last step"
        words += f" within {funnel.window}"
        # The heading says how many rows were left out.
        notes = [note for note in notes if "left out" not in note]
        words = " ".join([f"{words}: {reached}.", *notes])
        drawn, height, width = arranged(figures, 0)
        parts = self._parts() | {"within": window_text(window), "by": list(by)}
        picture = bare(drawn, words, width, height)
        return PageView(self._stated(parts), picture, words, rows.markup, rows.code, csv_of(steps))

    def _page_of(self, funnel: Funnel, window: Any, by: tuple[str, ...]) -> PageView:
        """What a page shows of a tab that is not the steps."""
        with collect_warnings() as notes:
            found = self._seen(funnel, by, self.tabs.asked)
        drawn, height, width = arranged([Named(found.figure, self.tabs.asked.tab)], 0)
        parts = self._parts() | {"within": window_text(window), "by": list(by)}
        words = " ".join([found.words, *(note for note in notes if "left out" not in note)])
        picture, rows = bare(drawn, words, width, height), found.listed
        code, csv = rows.code, csv_of(rows.frame)
        return PageView(self._stated(parts), picture, words, rows.markup, code, csv)

    def _entitle(self, seconds: float) -> None:
        events, keys = self.prepared.rows, self.prepared.keys
        skipped = self.prepared.skipped
        left_out = [_left_out(skipped)] if skipped else []
        self.entitle(
            f"Funnel of {self._count()}",
            fact(events, "event"),
            element("b", number(keys)) + f" {noun(keys, unit_of(self.funnel, self.prepared))}",
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
        if self.view is not None:
            # How many segments are compared is a question of its own.
            self._ask()
            return
        self._below.layout.display = None if by else "none"
        if by:
            redraw(self.breakdown, funnel_figure(self.steps, self.controls.most))
            self.breakdown.on_mark(self._dot)
        if change is not None:
            self.status.tell(*self._shown())
            self._noted()

    def _show_table(self) -> None:
        rows = _columns(self.funnel, self.controls.by, self.steps)
        self.table.show_listed(rows, "funnel")

    def _bar(self, trace: Any, k: int) -> None:
        before = self.whole.attrs["before"][k]
        if trace.name == LOST and "excluded" not in self.whole:
            self.people.level.value = before + 1
        elif trace.name in (LOST, EXCLUDED):
            excluded = trace.name == EXCLUDED
            many = int(self.whole["excluded" if excluded else "lost"].iloc[k])
            self.people.look(Behind.kept_from(self.funnel, before, many, excluded))
        else:
            self.people.look(Behind.reached(self.funnel, k, int(self.whole["users"].iloc[k])))

    def _bin(self, _trace: Any, k: int) -> None:
        self.people.look(Behind.took(self.funnel, self.times, k))

    def _dot(self, trace: Any, row: int) -> None:
        if trace.meta is not None:
            found, most = Segments.of(self.steps), self.controls.most
            self.people.look(Behind.segment(self.funnel, found, trace.meta, row, most))


def _left_out(rows: int) -> str:
    return f"{rows:,} {noun(rows, 'rows')} without a key or a time left out"


def _columns(funnel: Funnel, by: Sequence[str], steps: pd.DataFrame) -> Listed:
    """The table of steps, with segments a row each."""
    call = f"{funnel!r}.steps(events{f', by={list(by)}' if by else ''})"
    table = pivoted(steps) if by else steps
    times = {"median_time", "p90_time"}
    shares = [str(name) for name, kind in table.dtypes.items() if kind.kind == "f"]
    heads = {name: "share" for name in shares if name.endswith(", share")}
    return Listed(
        table,
        call,
        {"users": steps.attrs["unit"], **_HEADS, **heads},
        dict.fromkeys([name for name in shares if name not in times], share)
        | dict.fromkeys(by, lambda value: name_of([value]))
        | {"step": name_shown},
    )
