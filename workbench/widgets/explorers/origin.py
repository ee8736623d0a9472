"""The explorer of a backfill: where did this number come from?"""

from functools import partial
from typing import TYPE_CHECKING, Any

import ipywidgets as widgets
import numpy as np
import plotly.graph_objects as go

from workbench.backfill.backfill import Backfill
from workbench.backfill.inspect.one_query import (
    MOST_EVENTS,
    MOST_KEYS,
    MOST_QUERIES,
    ask,
    keys_with_queries,
    times_of_key,
)
from workbench.backfill.inspect.origin import OneQuery, Origin, counted, in_words
from workbench.figures.markup import BREAK, Markup, element, stylesheet
from workbench.figures.origin import origin_figure, piece_words
from workbench.figures.stills.still import page, picture
from workbench.figures.svg import cut, text
from workbench.widgets.explorers.explorer import ROW, Stilled
from workbench.widgets.html import HTML, Status
from workbench.widgets.lessons.funnel import clock_for
from workbench.widgets.progress import Progress
from workbench.widgets.redraw import redraw
from workbench.windows.inspect.one_partition import said

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

MOST_ROWS = 12
_TABLE_STYLE = stylesheet(".wb-pieces td,.wb-pieces th{padding:2px 12px;text-align:left}")
_STYLE: dict[str, Any] = {"style": {"description_width": "60px"}}


class OriginExplorer(Stilled, widgets.VBox):  # type: ignore[misc]
    """One feature of one query: its window, the pieces of it, and how they add up.

    Attributes
    ----------
    backfill : Backfill
    asked : OneQuery
        The query with the events before it.
    origin : Origin
        What is drawn: ``backfill.origin(queries, events, key, time, feature)``.
    """

    asked: OneQuery
    origin: Origin

    def __init__(
        self, backfill: Backfill, queries: "DataFrame", events: "DataFrame", key: Any = None
    ) -> None:
        self.backfill, self._plan = backfill, backfill.bound(queries, events)
        keys = dict(keys_with_queries(self._plan, key))
        self._cut_keys = len(keys) >= MOST_KEYS
        self.who = widgets.Dropdown(
            options=[(f"{_named(one)} · {counted(n, 'query', 'queries')}", one)
                     for one, n in keys.items()],
            description="Key", layout={"width": "280px"}, **_STYLE,
        )  # fmt: skip
        self.when = widgets.SelectionSlider(
            options=[("", 0)], description="Query", continuous_update=False,
            layout={"width": "520px"}, **_STYLE,
        )  # fmt: skip
        self.feature = widgets.Dropdown(
            options=backfill.names, description="Feature", layout={"width": "320px"}, **_STYLE
        )
        self.chart = go.FigureWidget()
        self.sentence, self.table = Status(), HTML()
        session = self._plan.queries.df.sparkSession
        self.progress = Progress(session, self.sentence, self.chart, self.table)
        self.when.observe(self._change_query, names="value")
        self._take_key(self._fetch_key(self.who.value))
        self.who.observe(self._change_key, names="value")
        self.feature.observe(self._draw, names="value")
        controls = widgets.HBox([self.who, self.feature, self.when], layout=ROW)
        super().__init__([controls, self.progress, self.sentence, self.chart, self.table])

    def __repr__(self) -> str:
        key, at = _named(self.who.value), self._clock(self.origin.query)
        return f"Where {self.origin!r} comes from, for {key} at {at}"

    def _change_key(self, _change: Any = None) -> None:
        self.progress.ask(partial(self._fetch_key, self.who.value), self._take_key)

    def _fetch_key(self, key: Any) -> tuple[list[int], OneQuery]:
        times = times_of_key(self._plan, key)
        return times, ask(self._plan, key, micro=times[-1])

    def _take_key(self, found: tuple[list[int], OneQuery]) -> None:
        times, asked = found
        self._cut_times = len(times) >= MOST_QUERIES
        self._clock = clock_for(np.array(times, np.int64), self._plan.integer_time)
        self.when.unobserve(self._change_query, names="value")
        self.when.options = [(self._clock(one), one) for one in times]
        self.when.value = times[-1]
        self.when.observe(self._change_query, names="value")
        self._take_query(asked)

    def _change_query(self, _change: Any = None) -> None:
        one = partial(ask, self._plan, self.who.value, micro=self.when.value)
        self.progress.ask(one, self._take_query)

    def _take_query(self, asked: OneQuery) -> None:
        self.asked = asked
        self._show()

    def _draw(self, _change: Any = None) -> None:
        self.sentence.guard(self._show)

    def _show(self) -> None:
        self.origin = self.asked.origin(self.feature.value)
        redraw(self.chart, origin_figure(self.origin, self._plan.integer_time))
        self._say()
        self.table.value = self._rows()

    def _say(self) -> None:
        notes = []
        if self.asked.since is not None:
            notes.append(f"Only the newest {MOST_EVENTS:,} events before the query are here.")
        if self._cut_times:
            notes.append(f"The last {MOST_QUERIES:,} queries of the key are offered.")
        if self._cut_keys:
            notes.append(f"The {MOST_KEYS} keys with the most queries are offered.")
        more = [BREAK, element("span", " ".join(notes), style="opacity:.75")] if notes else []
        self.sentence.tell(element("b", self.words), *more)

    @property
    def words(self) -> str:
        """What is drawn, as a sentence."""
        one, clock = self.origin, self._clock
        outside = int((~one.counts).sum())
        made = (
            f"{one!r}. The query at {clock(one.query)} sees events from {clock(one.low)} up to, "
            f"but not at, {clock(one.high)}."
        )
        if not one.merges and one.pieces:
            made += " Its parts have no state that merges: each answer looks at all events so far."
        return made + (f" {counted(outside, 'fetched event')} do not count." if outside else "")

    def _rows(self) -> Markup:
        """The newest pieces as a table: what each adds, and what they come to."""
        one, shown = self.origin, min(len(self.origin.pieces), MOST_ROWS)
        parts = list(zip(one.pieces, one.states, one.merged, strict=True))
        cells = [
            (self._clock(piece.begin), piece_words(piece), cut(state, 70),
             element("b", cut(in_words(merged), 70)))
            for piece, state, merged in parts[len(parts) - shown :]
        ]  # fmt: skip
        rows = [element("tr", *(element("td", cell) for cell in row)) for row in cells]
        older = len(one.pieces) - shown
        if older:
            before = element("td", f"{counted(older, 'older piece')} …", colspan=4)
            rows.insert(0, element("tr", before))
        head = (element("th", name) for name in ("from", "piece", "its state", "merged"))
        return _TABLE_STYLE + element("table", element("tr", *head), *rows, class_="wb-pieces")

    def _still(self) -> Markup:
        body, height, width = picture(self.chart)
        pieces = list(zip(self.origin.pieces, self.origin.states, self.origin.merged, strict=True))
        for k, (piece, state, merged) in enumerate(pieces[-5:]):
            cells = (self._clock(piece.begin), piece_words(piece), state, in_words(merged))
            y = height + 24 + 20 * k
            for x, cell, most in zip((24, 160, 320, 640), cells, (20, 24, 42, 28), strict=True):
                body += text(x, y, cut(cell, most), font_weight=700 if x == 640 else 400)
        part = body, height + 16 + 20 * min(len(pieces), 5)
        return page(repr(self), part, f"{_named(self.who.value)}: {self.words}", width)


def _named(key: tuple[Any, ...]) -> str:
    return ", ".join(map(said, key))
