"""The explorer of a backfill: where did this number come from?"""

from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any

import ipywidgets as widgets
import numpy as np

from workbench.backfill.backfill import Backfill
from workbench.backfill.inspect.difference import SAME, OriginDifference, change, difference
from workbench.backfill.inspect.fetched_key import FetchedKey, fetched_key
from workbench.backfill.inspect.one_query import (
    MOST_EVENTS,
    MOST_KEYS,
    MOST_QUERIES,
    keys_with_queries,
)
from workbench.backfill.inspect.origin import OneQuery, Origin, counted, in_words
from workbench.columnar.blocks import TIME
from workbench.errors import WorkbenchError
from workbench.figures.origin import origin_figure, piece_words
from workbench.figures.stills.still import page, picture
from workbench.figures.svg import cut, text
from workbench.markup import BREAK, Markup, element
from workbench.online.view import OnlineView
from workbench.widgets.chart import Chart
from workbench.widgets.explorers.explorer import Card
from workbench.widgets.html import HTML, Status, code_line, failure
from workbench.widgets.lessons.funnel_view import clock_for
from workbench.widgets.progress import Progress
from workbench.widgets.redraw import redraw
from workbench.windows.inspect.one_partition import said

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

MOST_ROWS = 12
#: What a query is compared with.
ALONE, ANOTHER, ONLINE = "nothing", "another query", "the online view"
_STYLE: dict[str, Any] = {"style": {"description_width": "60px"}}


class OriginExplorer(Card):
    """One feature of one query: its window, the pieces of it, and how they add up.

    The queries and events of the key are on the driver: another query, or another feature, needs
    no job of Spark. A second query of the key, or what an online view says at the same time, is
    compared by the difference.

    Parameters
    ----------
    backfill : Backfill
    queries, events : pyspark.sql.DataFrame
    key : value, or tuple of values, optional
        The key that is looked at first; without it, that of the most queries.
    view : OnlineView, optional
        Of this backfill: what it says at a query's time can be compared.

    Attributes
    ----------
    asked : OneQuery
        The query with the events before it.
    origin : Origin
        What is drawn: ``backfill.origin(queries, events, key, time, feature)``.
    difference : OriginDifference or None
        To the query that it is compared with.
    """

    asked: OneQuery
    origin: Origin
    _others: list[OneQuery]
    difference: OriginDifference | None = None

    def __init__(
        self,
        backfill: Backfill,
        queries: "DataFrame",
        events: "DataFrame",
        key: Any = None,
        view: OnlineView | None = None,
    ) -> None:
        self.backfill, self._plan = backfill, backfill.bound(queries, events)
        self.view = view
        keys = dict(keys_with_queries(self._plan, key))
        self._cut_keys = len(keys) >= MOST_KEYS
        self.who = widgets.Dropdown(
            options=[(f"{_named(one)} · {counted(n, 'query', 'queries')}", one)
                     for one, n in keys.items()],
            description="Key", layout={"width": "280px"}, **_STYLE,
        )  # fmt: skip
        self.when, self.other = _queries("Query"), _queries("The other")
        self.feature = widgets.Dropdown(
            options=backfill.names, description="Feature", layout={"width": "320px"}, **_STYLE
        )
        ways = [ALONE, ANOTHER] if view is None else [ALONE, ANOTHER, ONLINE]
        self.compare = widgets.ToggleButtons(
            options=ways, description="Compare", style={"button_width": "auto"}
        )
        self.chart = Chart()
        self.sentence, self.table, self.code = Status(), HTML(), HTML()
        asked = self._plan.queries
        self.progress = Progress(lambda: asked.df.sparkSession, self.sentence, self)
        super().__init__(
            self.chart, self.table,
            controls=[self.who, self.feature, self.when, self.compare, self.other],
            foot=[self.progress, self.sentence, self.code],
        )  # fmt: skip
        self._take_key(fetched_key(self._plan, self.who.value))
        self.who.observe(self._change_key, names="value")
        for control in (self.when, self.other, self.compare):
            control.observe(self._change_query, names="value")
        self.feature.observe(self._draw, names="value")

    def __repr__(self) -> str:
        key, at = _named(self.who.value), self._clock(self.origin.query)
        return f"Where {self.origin!r} comes from, for {key} at {at}"

    def _change_key(self, _change: Any = None) -> None:
        self.progress.ask(partial(fetched_key, self._plan, self.who.value), self._take_key)

    def _take_key(self, key: FetchedKey) -> None:
        self._key, times = key, key.times
        self._clock = clock_for(np.array(times, np.int64), self._plan.integer_time)
        options = [(self._clock(one), one) for one in times]
        self._filling = True
        for control, place in ((self.when, -1), (self.other, -2)):
            control.options = options
            control.value = times[max(place, -len(times))]
        self._filling = False
        self._take_queries(self._ask_queries(*self._chosen()))

    def _change_query(self, _change: Any = None) -> None:
        # While the sliders get the times of another key, nothing of it is drawn.
        if not self._filling:
            self.progress.ask(partial(self._ask_queries, *self._chosen()), self._take_queries)

    def _chosen(self) -> list[int]:
        """When the queries are that are looked at: one, or two to be compared."""
        both = self.compare.value == ANOTHER
        return [self.when.value, self.other.value] if both else [self.when.value]

    def _ask_queries(self, *times: int) -> list[OneQuery]:
        return [self._key.ask(time) for time in times]

    def _take_queries(self, found: list[OneQuery]) -> None:
        self.asked, self._others = found[0], found[1:]
        self._show()

    def _draw(self, _change: Any = None) -> None:
        self.sentence.guard(self._show)

    def _show(self) -> None:
        start = perf_counter()
        self.origin = self.asked.origin(self.feature.value)
        other = self._others[0].origin(self.feature.value) if self._others else None
        self._entitle()
        self.other.layout.display = None if self.compare.value == ANOTHER else "none"
        self.difference = None if other is None else difference(self.origin, other)
        compared = self._compared()
        redraw(self.chart, origin_figure(self.origin, self._plan.integer_time, other))
        self.table.value = compared + self._rows()
        self._say(perf_counter() - start)

    def _say(self, seconds: float) -> None:
        notes = [f"Answered on the driver in {1000 * seconds:.0f} ms."]
        if self.asked.since is not None:
            notes.append(f"Only the newest {MOST_EVENTS:,} events before the query are here.")
        if len(self._key.times) >= MOST_QUERIES:
            notes.append(f"The last {MOST_QUERIES:,} queries of the key are offered.")
        if self._cut_keys:
            notes.append(f"The {MOST_KEYS} keys with the most queries are offered.")
        more = element("span", " ".join(notes), style="opacity:.75")
        self.sentence.tell(element("b", self.words), BREAK, more)

    def _entitle(self) -> None:
        one = self.origin
        asked = f"{self._alone()!r}, {self._moment()!r}, {one.feature!r}"
        who, at = _named(self.who.value), self._clock(one.query)
        self.entitle(f"Where {one.feature} comes from", who, at)
        self.code.value = code_line(f"backfill.origin(queries, events, {asked})")

    def _compared(self) -> Markup:
        """What differs, as a table, above that of the pieces; nothing where nothing is compared."""
        if self.difference is not None:
            return differing_events(self.difference, self._clock)
        if self.compare.value != ONLINE or self.view is None:
            return Markup()
        try:
            served = self.view.fetch([self._alone()], at=self._moment())[self._alone()]
        except WorkbenchError as error:
            # A store says what is known now, and nothing of times that it has passed.
            return element("p", failure(str(error)), style="margin:8px 0 4px")
        answers = {name: self.asked.origin(name).answer for name in self.asked.exact}
        return differing_answers(served, answers)

    def _alone(self) -> Any:
        """The key as a fetch takes it: a value where it has one column."""
        key = self.who.value
        return key[0] if len(key) == 1 else key

    def _moment(self) -> Any:
        """The query's time as its column holds it."""
        return self.asked.queries.column(TIME)[0].as_py()

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
        older = len(one.pieces) - shown
        before = f"{counted(older, 'older piece')} come before these." if older else ""
        return _table(("from", "piece", "its state", "merged"), cells, before)

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


def differing_events(found: OriginDifference, clock: Any) -> Markup:
    """Return the events that only one of two queries sees, as a table.

    Parameters
    ----------
    found : OriginDifference
    clock : function
        Of a time, as it is read.
    """
    first, second = found.first, found.second
    told = element("b", f"{cut(in_words(first.answer), 40)} → {cut(in_words(second.answer), 40)}: "
                   f"{cut(found.change, 80)}. ")  # fmt: skip
    head = told + (
        f"{found.both:,} of the events count for both, {len(found.left):,} for this query alone, "
        f"{len(found.entered):,} for the other alone."
    )
    rows = [(clock(time), cut(value, 60), "only this query") for time, value in found.left]
    rows += [(clock(time), cut(value, 60), "only the other") for time, value in found.entered]
    return _table(("event", "its value", "seen by"), rows[:MOST_ROWS], head, len(rows) - MOST_ROWS)


def differing_answers(online: dict[str, Any], offline: dict[str, Any]) -> Markup:
    """Return the features of a query as an online view says them and as a backfill does.

    Parameters
    ----------
    online, offline : dict of str to value
        By the feature's name.

    Examples
    --------
    >>> differing_answers({"n": 3}, {"n": 4}).striptags().partition(".")[0]
    '1 of 1 feature differs'
    """
    rows = [
        (name, cut(in_words(online[name]), 40), cut(in_words(value), 40),
         cut(change(online[name], value), 60))
        for name, value in offline.items()
    ]  # fmt: skip
    other = [row for row in rows if row[3] != SAME]
    same = [row for row in rows if row[3] == SAME]
    verb = "differs" if len(other) == 1 else "differ"
    head = element("b", f"{len(other)} of {counted(len(rows), 'feature')} {verb}.")
    return _table(("feature", "online", "offline", "difference"), [*other, *same], head)


def _table(head: tuple[str, ...], rows: Any, words: object, left_out: int = 0) -> Markup:
    """A table of texts below some words."""
    lines = [_line("td", row) for row in rows]
    if left_out > 0:
        lines.append(_line("td", [f"… and {left_out:,} more", *[""] * (len(head) - 1)]))
    table = element("table", _line("th", head), *lines, class_="wb-table")
    place = element("div", table, class_="wb-table-place")
    return element("p", words, style="margin:8px 0 4px") + place


def _line(tag: str, cells: Any) -> Markup:
    return element("tr", *(element(tag, cell, class_="wb-text") for cell in cells))


def _queries(name: str) -> widgets.SelectionSlider:
    return widgets.SelectionSlider(
        options=[("", 0)], description=name, continuous_update=False,
        layout={"width": "520px"}, **_STYLE,
    )  # fmt: skip


def _named(key: tuple[Any, ...]) -> str:
    return ", ".join(map(said, key))
