"""The explorer of a backfill, which shows where a number comes from."""

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
    answer_text,
    origin_figure,
    piece_words,
)
from workbench.figures.stills.still import NamedFigure, arrange, page, picture
from workbench.figures.svg import bare, cut, text
from workbench.markup import BREAK, Markup, element, with_minus_signs
from workbench.online.view import OnlineView
from workbench.widgets.chart import Chart
from workbench.widgets.explorers.explorer import Card
from workbench.widgets.explorers.origin_tables import (
    DescribedTable,
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
NO_OTHER = "This key has no other query to compare with."
#: The choices of what a query is compared with.
ALONE, ANOTHER, ONLINE = "nothing", "another query", "the online view"
#: The number of last queries that are searched for one with an answer.
_QUERIES_TRIED = 20
_STYLE: dict[str, Any] = {"style": {"description_width": "60px"}}


class OriginExplorer(Shared, Card):
    """One feature of one query: its window, the pieces of the window, and how they combine.

    The queries and events of the key are on the driver: another query or feature needs no Spark
    job. A second query of the key, or the answer of an online view at the same time, is compared
    by their difference.

    Parameters
    ----------
    backfill : Backfill
    queries, events : pyspark.sql.DataFrame
    key : value, or tuple of values, optional
        The initial key; by default the one with the most queries.
    view : OnlineView, optional
        A view of this backfill, whose answers at a query's time can be compared.

    Attributes
    ----------
    asked : OneQuery
        The query with the events before it.
    origin : Origin
        The origin that is drawn: ``backfill.origin(queries, events, key, time, feature)``.
    beside : Origin or None
        The origin of the query that it is compared with.
    difference : OriginDifference or None
        The difference to that query.
    """

    FILE = "origin"
    STATE_NAMES = ("key", "feature", "query", "compare", "other")
    asked: OneQuery
    origin: Origin
    _filling = False
    _other_queries: list[OneQuery]
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
            options=[(f"{_key_name(one)} · {counted(n, 'query', 'queries')}", one)
                     for one, n in keys.items()],
            description="Key", layout={"width": "280px"}, **_STYLE,
        )  # fmt: skip
        self.when, self.other = _query_slider("Query"), _query_slider("The other")
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
        bound_queries = self._plan.queries
        self.progress = Progress(lambda: bound_queries.df.sparkSession, self.sentence, self)
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
        key, at = _key_name(self.who.value), self._clock(self.origin.query)
        return f"Where {self.origin!r} comes from, for {key} at {at}"

    def _change_key(self, _change: Any = None) -> None:
        if not self._filling:
            self.progress.ask(partial(fetched_key, self._plan, self.who.value), self._take_key)

    def _take_key(
        self, key: FetchedKey, chosen: tuple[int | None, int | None] = (None, None)
    ) -> None:
        self._key, times = key, key.times
        # Pieces and events begin on earlier days than the queries.
        days = key.time[:1] // DAY * DAY
        sample_times = np.concatenate([np.array(times, np.int64), days])
        self._clock = clock_for(sample_times, self._plan.integer_time)
        options = [(self._clock(one), one) for one in times]
        self._filling = True
        index = self._last_answered() if chosen[0] is None else times.index(chosen[0])
        for control, default, time in zip(
            (self.when, self.other), (times[index], times[max(index - 1, 0)]), chosen, strict=True
        ):
            control.options = options
            control.value = default if time is None else time
        self._filling = False
        self._take_queries(self._compute_queries(*self._chosen_times()))

    def _last_answered(self) -> int:
        """Return the index of the last query that has an answer, or of the last one."""
        times, feature = self._key.times, self.feature.value
        last = len(times) - 1
        for index in range(last, max(last - _QUERIES_TRIED, -1), -1):
            query = self._key.ask(times[index])
            if feature not in query.exact or query.origin(feature).answer is not None:
                return index
        return last

    def _time_text(self, time: int) -> str:
        """Return a query's time as text of a state."""
        if self._plan.integer_time:
            return str(time)
        return str(np.datetime64(time, "us")).removesuffix(".000000")

    def _state_parts(self) -> dict[str, Any]:
        both = self.compare.value == ANOTHER
        return {
            "key": key_text(self.who.value),
            "feature": self.feature.value,
            "query": self._time_text(self.when.value),
            "compare": [] if self.compare.value == ALONE else self.compare.value,
            "other": self._time_text(self.other.value) if both else [],
        }

    def _reopen(self, parts: Parts) -> None:
        keys = {key_text(key): key for _, key in self.who.options}
        key = option_for("key", single_text(parts, "key", key_text(self.who.options[0][1])), keys)
        features = {name: name for name in self.feature.options}
        first = next(iter(features))
        feature = option_for("feature", single_text(parts, "feature", first), features)
        ways = {name: name for name in self.compare.options}
        way = option_for("compare", single_text(parts, "compare", ALONE), ways)
        # The queries of a key are known once it is fetched.
        fetched = self._key if key == self.who.value else fetched_key(self._plan, key)
        times = {self._time_text(time): time for time in fetched.times}
        query, other = (
            option_for(
                name,
                single_text(parts, name, self._time_text(fetched.times[max(k, -len(times))])),
                times,
            )
            for name, k in (("query", -1), ("other", -2))
        )
        self._filling = True
        self.who.value, self.feature.value, self.compare.value = key, feature, way
        self._filling = False
        self.progress.ask(lambda: fetched, partial(self._take_key, chosen=(query, other)))

    def _table(self) -> pd.DataFrame:
        return _pieces(self.origin, self._time_text)

    def _shareable(self) -> Shareable:
        # The last queries, as on the slider.
        ways = list(dict.fromkeys([ALONE, self.compare.value]))
        choices = [
            PageChoice("feature", [(one, one) for one in self.feature.options], self.feature.index),
            PageChoice("query", self.when.options, self.when.index, ordered=True),
            PageChoice("compare with", [(one, one) for one in ways], len(ways) - 1),
        ]

        def draw(at: tuple[int, ...]) -> PageView:
            feature, time, way = (one.options[k][1] for one, k in zip(choices, at, strict=True))
            return self._view(feature, time, way)

        who, many = _key_name(self.who.value), counted(len(self._key.times), "query", "queries")
        rows = counted(len(self._key.time), "event")
        ends = (self._time_text(self._key.times[k]).replace("T", " ") for k in (0, -1))
        span = f"queries from {' to '.join(ends)}"
        return Shareable(f"Where numbers of {who} come from", [many, rows, span], self.FILE,
                         choices, draw)  # fmt: skip

    def _view(self, feature: str, time: int, way: str) -> PageView:
        """Return the view of a feature of a query, and of its comparison, for a page."""
        query, beside = self._key.ask(time), self.other.value
        one = query.origin(feature)
        two = way == ANOTHER and self._has_others
        other = self._key.ask(beside).origin(feature) if two else None
        differs = None if other is None else difference(one, other)
        figure = origin_figure(one, self._plan.integer_time, other)
        drawn, height, width = arrange([NamedFigure(figure, f"{feature}, {self._clock(time)}")], 0)
        arguments = f"{self._fetch_key()!r}, {_time_of(query)!r}, {feature!r}"
        parts = self._state_parts() | {"feature": feature, "query": self._time_text(time)}
        parts["compare"] = [] if way == ALONE else way
        parts["other"] = [] if other is None else self._time_text(beside)
        compared = self._comparison(way, query, differs)
        tables = compared if isinstance(compared, Markup) else compared.markup
        code = f"backfill.origin(queries, events, {arguments})"
        words, rows = self._words_of(one), tables + self._pieces(one, code).markup
        return PageView(
            self._state_text(parts), bare(drawn, words, width, height), words, rows,
            code, csv_of(_pieces(one, self._time_text)),
        )  # fmt: skip

    def _change_query(self, _change: Any = None) -> None:
        # While the sliders get the times of another key, nothing is drawn.
        if not self._filling:
            self.progress.ask(
                partial(self._compute_queries, *self._chosen_times()), self._take_queries
            )

    def _chosen_times(self) -> list[int]:
        """Return the times of the chosen queries: one, or two to be compared."""
        two = self.compare.value == ANOTHER and self._has_others
        return [self.when.value, self.other.value] if two else [self.when.value]

    @property
    def _has_others(self) -> bool:
        """Whether the key has several queries, which can be compared."""
        return len(self._key.times) > 1

    def _compute_queries(self, *times: int) -> list[OneQuery]:
        return [self._key.ask(time) for time in times]

    def _take_queries(self, queries: list[OneQuery]) -> None:
        self.asked, self._other_queries = queries[0], queries[1:]
        self._show()

    def _draw(self, _change: Any = None) -> None:
        if not self._filling:
            self.sentence.guard(self._show)

    def _show(self) -> None:
        start = perf_counter()
        self.origin = self.asked.origin(self.feature.value)
        other = self._other_queries[0].origin(self.feature.value) if self._other_queries else None
        self.beside = other
        self._entitle()
        self.other.layout.display = None if other is not None else "none"
        self.difference = None if other is None else difference(self.origin, other)
        compared = self._comparison(self.compare.value, self.asked, self.difference)
        redraw(self.chart, origin_figure(self.origin, self._plan.integer_time, other))
        self._watch_chart()
        self._show_tables(compared)
        self._update_status(perf_counter() - start)
        self._note_view()

    def _watch_chart(self) -> None:
        """Hide the listed events, and let a click on a mark list its events."""
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
            Whether to list the events of all pieces before it, too, as a click on the line of
            merged states does.
        other : bool
            Whether it is one of ``beside.pieces``.
        """
        one, query = self.origin, self.asked
        if other and self.beside is not None:
            one, query = self.beside, self._other_queries[0]
        listing = merged_events if merged else piece_events
        events = listing(
            one, piece, self._clock, self._plan.integer_time, self._code_line_of(query)
        )
        self.clicked.show_table(events.listed, "events")
        self.clicked.note.value = element("p", events.words)
        self.clicked.layout.display = None

    def _show_tables(self, compared: DescribedTable | Markup) -> None:
        pieces = self._pieces(self.origin, self._code_line)
        # A sentence takes the place of a comparison that is not possible.
        self.compared.value = compared if isinstance(compared, Markup) else compared.words
        self.compared_table.layout.display = (
            None if isinstance(compared, DescribedTable) else "none"
        )
        if isinstance(compared, DescribedTable):
            self.compared_table.show_table(
                compared.listed, "differences", nothing="Both queries see the same events."
            )
        self.table.show_table(pieces.listed, "pieces", nothing=NO_EVENT)
        if pieces.words:
            self.table.note.value = element("p", pieces.words)

    def _update_status(self, seconds: float) -> None:
        notes = [f"Answered on the driver in {1000 * seconds:.0f} ms."]
        if self.asked.since is not None:
            notes.append(f"Only the newest {MOST_EVENTS:,} events before the query are shown.")
        if len(self._key.times) >= MOST_QUERIES:
            notes.append(f"The last {MOST_QUERIES:,} queries of the key are offered.")
        if self._cut_keys:
            notes.append(f"The {MOST_KEYS} keys with the most queries are offered.")
        more = element("span", " ".join(notes), style="opacity:.75")
        self.sentence.tell(element("b", self.words), BREAK, more)

    def _entitle(self) -> None:
        one = self.origin
        who, at = _key_name(self.who.value), self._clock(one.query)
        self.entitle(f"Where {one.feature} comes from", who, at)
        self.code.value = code_line(self._code_line)

    @property
    def _code_line(self) -> str:
        """The line of Python that returns the origin that is drawn."""
        return self._code_line_of(self.asked)

    def _code_line_of(self, query: OneQuery) -> str:
        """Return the line of Python that returns the origin of a query."""
        arguments = f"{self._fetch_key()!r}, {_time_of(query)!r}, {self.origin.feature!r}"
        return f"backfill.origin(queries, events, {arguments})"

    def _comparison(
        self, way: str, query: OneQuery, found: OriginDifference | None
    ) -> DescribedTable | Markup:
        """Return the table of differences; a sentence or nothing if there is no comparison."""
        if found is not None:
            return differing_events(found, self._clock, self._plan.integer_time)
        if way == ANOTHER:
            return element("p", NO_OTHER, style="margin:8px 0 4px")
        if way != ONLINE or self.view is None:
            return Markup()
        try:
            served = self.view.fetch([self._fetch_key()], at=_time_of(query))[self._fetch_key()]
        except WorkbenchError as error:
            # A store answers for now, not for times that it has passed.
            return element("p", failure(str(error)), style="margin:8px 0 4px")
        answers = {name: query.origin(name).answer for name in query.exact}
        return differing_answers(served, answers)

    def _fetch_key(self) -> Any:
        """Return the key as an argument of a fetch: a value if it has one column."""
        key = self.who.value
        return key[0] if len(key) == 1 else key

    @property
    def words(self) -> str:
        """The origin in words."""
        return self._words_of(self.origin)

    def _words_of(self, one: Origin) -> str:
        clock = self._clock
        outside = int((~one.counts).sum())
        words = (
            f"{with_minus_signs(repr(one))}. The query at {clock(one.query)} sees events from "
            f"{clock(one.low)} up to, but not at, {clock(one.high)}."
        )
        if not one.merges and one.pieces:
            words += " Its parts have no state that merges: each answer looks at all events so far."
        return words + (f" {counted(outside, 'fetched event')} do not count." if outside else "")

    def _pieces(self, one: Origin, code: str) -> DescribedTable:
        return pieces_table(one, self._clock, self._plan.integer_time, code)

    def _still(self) -> Markup:
        body, height, width = picture(self.chart.whole)
        pieces = list(zip(self.origin.pieces, self.origin.states, self.origin.merged, strict=True))
        for k, (piece, state, merged) in enumerate(pieces[-5:]):
            states = with_minus_signs(state), answer_text(merged)
            cells = (self._clock(piece.begin), piece_words(piece), *states)
            y = height + 24 + 20 * k
            for x, cell, most in zip((24, 160, 320, 640), cells, (20, 24, 42, 28), strict=True):
                body += text(x, y, cut(cell, most), font_weight=700 if x == 640 else 400)
        part = body, height + 16 + 20 * min(len(pieces), 5)
        return page(repr(self), part, f"{_key_name(self.who.value)}: {self.words}", width)


def _time_of(query: OneQuery) -> Any:
    return query.queries.column(TIME)[0].as_py()


def _pieces(one: Origin, clock: Callable[[int], str]) -> pd.DataFrame:
    """Return the pieces of a window, with the state of each and the merged state so far."""
    parts = zip(one.pieces, one.states, one.merged, strict=True)
    rows = [
        (clock(piece.begin), piece_words(piece), str(state), in_words(merged))
        for piece, state, merged in parts
    ]
    return pd.DataFrame(rows, columns=["from", "piece", "state", "merged"])


def _query_slider(name: str) -> widgets.SelectionSlider:
    return widgets.SelectionSlider(
        options=[("", 0)], description=name, continuous_update=False,
        layout={"width": "520px"}, **_STYLE,
    )  # fmt: skip


def _key_name(key: tuple[Any, ...]) -> str:
    return ", ".join(map(value_text, key))
