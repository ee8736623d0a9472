"""The explorer of a backfill: where did this number come from?"""

from collections.abc import Callable
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any

import ipywidgets as widgets
import numpy as np
import pandas as pd

from workbench.backfill.backfill import Backfill
from workbench.backfill.inspect.difference import OriginDifference, difference
from workbench.backfill.inspect.fetched_key import FetchedKey, fetched_key
from workbench.backfill.inspect.one_query import (
    MOST_EVENTS,
    MOST_KEYS,
    MOST_QUERIES,
    keys_with_queries,
)
from workbench.backfill.inspect.origin import OneQuery, Origin, counted, in_words
from workbench.backfill.inspect.origin_pieces import Piece
from workbench.columnar.blocks import TIME
from workbench.durations import DAY
from workbench.errors import WorkbenchError
from workbench.figures.origin import (
    MERGED,
    NO_PIECE,
    OTHER_MERGED,
    OTHER_PIECE,
    origin_figure,
    piece_words,
)
from workbench.figures.stills.still import Named, arranged, page, picture
from workbench.figures.svg import bare, cut, text
from workbench.markup import BREAK, Markup, element
from workbench.online.view import OnlineView
from workbench.widgets.chart import Chart
from workbench.widgets.explorers.explorer import Card
from workbench.widgets.explorers.origin_tables import (
    Compared,
    differing_answers,
    differing_events,
    merged_events,
    not_counted,
    piece_events,
    pieces_table,
)
from workbench.widgets.html import HTML, Status, code_line, failure
from workbench.widgets.lessons.funnel_view import clock_for
from workbench.widgets.progress import Progress
from workbench.widgets.redraw import redraw
from workbench.widgets.sharing.files import csv_of
from workbench.widgets.sharing.grid import PageChoice
from workbench.widgets.sharing.page import PageView, Shareable
from workbench.widgets.sharing.shared import Shared
from workbench.widgets.sharing.state import Parts, key_text, option_for, single_text
from workbench.widgets.table import Table
from workbench.windows.inspect.one_partition import value_text

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

NO_EVENT = "No event is in the window."
#: What a query is compared with.
ALONE, ANOTHER, ONLINE = "nothing", "another query", "the online view"
#: So many queries are asked for one with an answer, before one without is shown.
_ASKED_AT_FIRST = 20
#: In microseconds, as times are counted.
_STYLE: dict[str, Any] = {"style": {"description_width": "60px"}}


class OriginExplorer(Shared, Card):
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
    beside : Origin or None
        What is drawn of the query that it is compared with.
    difference : OriginDifference or None
        To that query.
    """

    FILE = "origin"
    STATE_NAMES = ("key", "feature", "query", "compare", "other")
    asked: OneQuery
    origin: Origin
    _filling = False
    _others: list[OneQuery]
    beside: Origin | None = None
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
        self.sentence, self.code = Status(), HTML()
        self.compared, self.table, self.compared_table = Status(), Table(), Table()
        self.clicked = Table()
        asked = self._plan.queries
        self.progress = Progress(lambda: asked.df.sparkSession, self.sentence, self)
        super().__init__(
            self.chart, self.clicked, self.compared, self.compared_table, self.table,
            controls=[self.who, self.feature, self.when, self.compare, self.other],
            foot=[self.progress, self.sentence, self._share_bar(), self.code],
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
        if not self._filling:
            self.progress.ask(partial(fetched_key, self._plan, self.who.value), self._take_key)

    def _take_key(
        self, key: FetchedKey, asked: tuple[int | None, int | None] = (None, None)
    ) -> None:
        self._key, times = key, key.times
        # Pieces and events reach back to other days than those of the queries.
        days = key.time[:1] // DAY * DAY
        told = np.concatenate([np.array(times, np.int64), days])
        self._clock = clock_for(told, self._plan.integer_time)
        options = [(self._clock(one), one) for one in times]
        self._filling = True
        place = self._answered() if asked[0] is None else times.index(asked[0])
        for control, usual, time in zip(
            (self.when, self.other), (times[place], times[max(place - 1, 0)]), asked, strict=True
        ):
            control.options = options
            control.value = usual if time is None else time
        self._filling = False
        self._take_queries(self._ask_queries(*self._chosen()))

    def _answered(self) -> int:
        """The place of the last query that has an answer, or of the last one."""
        times, feature = self._key.times, self.feature.value
        last = len(times) - 1
        for place in range(last, max(last - _ASKED_AT_FIRST, -1), -1):
            asked = self._key.ask(times[place])
            if feature not in asked.exact or asked.origin(feature).answer is not None:
                return place
        return last

    def _text(self, time: int) -> str:
        """A query's time as a state has it."""
        if self._plan.integer_time:
            return str(time)
        return str(np.datetime64(time, "us")).removesuffix(".000000")

    def _state_parts(self) -> dict[str, Any]:
        both = self.compare.value == ANOTHER
        return {
            "key": key_text(self.who.value),
            "feature": self.feature.value,
            "query": self._text(self.when.value),
            "compare": [] if self.compare.value == ALONE else self.compare.value,
            "other": self._text(self.other.value) if both else [],
        }

    def _reopen(self, parts: Parts) -> None:
        keys = {key_text(key): key for _, key in self.who.options}
        key = option_for("key", single_text(parts, "key", key_text(self.who.options[0][1])), keys)
        features = {name: name for name in self.feature.options}
        first = next(iter(features))
        feature = option_for("feature", single_text(parts, "feature", first), features)
        ways = {name: name for name in self.compare.options}
        way = option_for("compare", single_text(parts, "compare", ALONE), ways)
        # Which queries a key has is known when it is here.
        held = self._key if key == self.who.value else fetched_key(self._plan, key)
        times = {self._text(time): time for time in held.times}
        query, other = (
            option_for(
                name, single_text(parts, name, self._text(held.times[max(k, -len(times))])), times
            )
            for name, k in (("query", -1), ("other", -2))
        )
        self._filling = True
        self.who.value, self.feature.value, self.compare.value = key, feature, way
        self._filling = False
        self.progress.ask(lambda: held, partial(self._take_key, asked=(query, other)))

    def _table(self) -> pd.DataFrame:
        return _pieces(self.origin, self._text)

    def _shareable(self) -> Shareable:
        # The last queries, as the slider has them.
        ways = list(dict.fromkeys([ALONE, self.compare.value]))
        choices = [
            PageChoice("feature", [(one, one) for one in self.feature.options], self.feature.index),
            PageChoice("query", self.when.options, self.when.index, ordered=True),
            PageChoice("compare with", [(one, one) for one in ways], len(ways) - 1),
        ]

        def draw(at: tuple[int, ...]) -> PageView:
            feature, time, way = (one.options[k][1] for one, k in zip(choices, at, strict=True))
            return self._view(feature, time, way)

        who, many = _named(self.who.value), counted(len(self._key.times), "query", "queries")
        rows = counted(len(self._key.time), "event")
        ends = (self._text(self._key.times[k]).replace("T", " ") for k in (0, -1))
        span = f"queries from {' to '.join(ends)}"
        return Shareable(f"Where numbers of {who} come from", [many, rows, span], self.FILE,
                         choices, draw)  # fmt: skip

    def _view(self, feature: str, time: int, way: str) -> PageView:
        """What a page shows of a feature of a query, and of what it is compared with."""
        query, beside = self._key.ask(time), self.other.value
        one = query.origin(feature)
        other = self._key.ask(beside).origin(feature) if way == ANOTHER else None
        found = None if other is None else difference(one, other)
        figure = origin_figure(one, self._plan.integer_time, other)
        drawn, height, width = arranged([Named(figure, f"{feature}, {self._clock(time)}")], 0)
        asked = f"{self._alone()!r}, {_time_of(query)!r}, {feature!r}"
        parts = self._state_parts() | {"feature": feature, "query": self._text(time)}
        parts["compare"] = [] if way == ALONE else way
        parts["other"] = [] if other is None else self._text(beside)
        compared = self._compared(way, query, found)
        tables = compared if isinstance(compared, Markup) else compared.markup
        code = f"backfill.origin(queries, events, {asked})"
        words, rows = self._words_of(one), tables + self._pieces(one, code).markup
        return PageView(
            self._state_text(parts), bare(drawn, words, width, height), words, rows,
            code, csv_of(_pieces(one, self._text)),
        )  # fmt: skip

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
        if not self._filling:
            self.sentence.guard(self._show)

    def _show(self) -> None:
        start = perf_counter()
        self.origin = self.asked.origin(self.feature.value)
        other = self._others[0].origin(self.feature.value) if self._others else None
        self.beside = other
        self._entitle()
        self.other.layout.display = None if self.compare.value == ANOTHER else "none"
        self.difference = None if other is None else difference(self.origin, other)
        compared = self._compared(self.compare.value, self.asked, self.difference)
        redraw(self.chart, origin_figure(self.origin, self._plan.integer_time, other))
        self._listen()
        self._show_tables(compared)
        self._say(perf_counter() - start)
        self._note_view()

    def _listen(self) -> None:
        """Let a click on a mark list the events behind it; what was listed is gone."""
        self.clicked.layout.display = "none"
        self.chart.on_mark(self._click)

    def _click(self, trace: Any, k: int) -> None:
        others = trace.meta in (OTHER_PIECE, OTHER_MERGED)
        one = self.beside if others and self.beside is not None else self.origin
        if trace.meta == NO_PIECE:
            self._list_nothing(not_counted(one, trace.customdata[k], self._clock))
        elif not one.pieces:
            self._list_nothing(NO_EVENT)
        else:
            whole = trace.meta in (MERGED, OTHER_MERGED)
            self.list_piece(one.pieces[trace.customdata[k]], merged=whole, other=others)

    def _list_nothing(self, why: str) -> None:
        self.clicked.show(pd.DataFrame(), "", nothing=why)
        self.clicked.layout.display = None

    def list_piece(self, piece: Piece, *, merged: bool = False, other: bool = False) -> None:
        """List the events of a piece of the window, as a click on it does.

        Parameters
        ----------
        piece : Piece
            One of ``origin.pieces``.
        merged : bool
            Whether those of all pieces before it are listed, too, as by a click on the line of
            what they come to.
        other : bool
            Whether it is one of ``beside.pieces``.
        """
        one, asked = self.origin, self.asked
        if other and self.beside is not None:
            one, asked = self.beside, self._others[0]
        listing = merged_events if merged else piece_events
        found = listing(one, piece, self._clock, self._plan.integer_time, self._line_of(asked))
        self.clicked.show_table(found.listed, "events")
        self.clicked.note.value = element("p", found.words)
        self.clicked.layout.display = None

    def _show_tables(self, compared: Compared | Markup) -> None:
        pieces = self._pieces(self.origin, self._line)
        # What cannot be compared is said in its place.
        self.compared.value = compared if isinstance(compared, Markup) else compared.words
        self.compared_table.layout.display = None if isinstance(compared, Compared) else "none"
        if isinstance(compared, Compared):
            self.compared_table.show_table(
                compared.listed, "differences", nothing="Both see the same events."
            )
        self.table.show_table(pieces.listed, "pieces", nothing=NO_EVENT)
        if pieces.words:
            self.table.note.value = element("p", pieces.words)

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
        who, at = _named(self.who.value), self._clock(one.query)
        self.entitle(f"Where {one.feature} comes from", who, at)
        self.code.value = code_line(self._line)

    @property
    def _line(self) -> str:
        """The line of Python that returns what is drawn."""
        return self._line_of(self.asked)

    def _line_of(self, asked: OneQuery) -> str:
        """The same of what is drawn of a query."""
        given = f"{self._alone()!r}, {_time_of(asked)!r}, {self.origin.feature!r}"
        return f"backfill.origin(queries, events, {given})"

    def _compared(
        self, way: str, asked: OneQuery, found: OriginDifference | None
    ) -> Compared | Markup:
        """What differs, above the pieces; a sentence or nothing where nothing is compared."""
        if found is not None:
            return differing_events(found, self._clock, self._plan.integer_time)
        if way != ONLINE or self.view is None:
            return Markup()
        try:
            served = self.view.fetch([self._alone()], at=_time_of(asked))[self._alone()]
        except WorkbenchError as error:
            # A store says what is known now, and nothing of times that it has passed.
            return element("p", failure(str(error)), style="margin:8px 0 4px")
        answers = {name: asked.origin(name).answer for name in asked.exact}
        return differing_answers(served, answers)

    def _alone(self) -> Any:
        """The key as a fetch takes it: a value where it has one column."""
        key = self.who.value
        return key[0] if len(key) == 1 else key

    @property
    def words(self) -> str:
        """What is drawn, as a sentence."""
        return self._words_of(self.origin)

    def _words_of(self, one: Origin) -> str:
        clock = self._clock
        outside = int((~one.counts).sum())
        made = (
            f"{one!r}. The query at {clock(one.query)} sees events from {clock(one.low)} up to, "
            f"but not at, {clock(one.high)}."
        )
        if not one.merges and one.pieces:
            made += " Its parts have no state that merges: each answer looks at all events so far."
        return made + (f" {counted(outside, 'fetched event')} do not count." if outside else "")

    def _pieces(self, one: Origin, asked: str) -> Compared:
        return pieces_table(one, self._clock, self._plan.integer_time, asked)

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


def _time_of(asked: OneQuery) -> Any:
    return asked.queries.column(TIME)[0].as_py()


def _pieces(one: Origin, clock: Callable[[int], str]) -> pd.DataFrame:
    """The pieces of a window: what each adds, and what they come to."""
    parts = zip(one.pieces, one.states, one.merged, strict=True)
    rows = [
        (clock(piece.begin), piece_words(piece), str(state), in_words(merged))
        for piece, state, merged in parts
    ]
    return pd.DataFrame(rows, columns=["from", "piece", "state", "merged"])


def _queries(name: str) -> widgets.SelectionSlider:
    return widgets.SelectionSlider(
        options=[("", 0)], description=name, continuous_update=False,
        layout={"width": "520px"}, **_STYLE,
    )  # fmt: skip


def _named(key: tuple[Any, ...]) -> str:
    return ", ".join(map(value_text, key))
