"""The people behind a number of a funnel, each of whom opens in the step player."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from numbers import Real
from typing import TYPE_CHECKING, Any

import ipywidgets as widgets
import pandas as pd

from workbench.described import name_shown, noun
from workbench.figures.funnel import Segments, length_text
from workbench.figures.svg import cut
from workbench.funnel.bind import unit_of
from workbench.funnel.funnel import Funnel
from workbench.funnel.inspect.people import MOST_PEOPLE, People, first_people, people_in
from workbench.funnel.prepared import Prepared
from workbench.funnel.summary import step_names
from workbench.markup import element
from workbench.spark.names import quoted
from workbench.widgets.html import HTML, Status
from workbench.widgets.play import play
from workbench.widgets.progress import Progress
from workbench.widgets.table import Table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

NOBODY = -1


@dataclass(frozen=True)
class PeopleSelection:
    """A selection of keys of a funnel.

    Attributes
    ----------
    words : str
        What they did, for the heading.
    many : int, or None
        Their number; None if it is not known before they are searched.
    levels : tuple of int
        The levels at which they stopped.
    segment_name : str
        Their segment, empty for all.
    by : tuple of str
        The columns of their segment.
    which : dict
        Further fields of :class:`workbench.funnel.worker.people.PeopleTask`.
    code : str
        The Python code after the funnel's expression that returns them as a Spark table.
    rows : function, optional
        Returns that table, unless they are those of some levels.
    """

    words: str
    many: int | None
    levels: tuple[int, ...]
    code: str
    segment_name: str = ""
    by: tuple[str, ...] = ()
    which: dict[str, Any] = field(default_factory=dict)
    rows: Callable[[], "DataFrame"] | None = None

    @classmethod
    def stopped(
        cls, funnel: Funnel, level: int, keys: int, users: Sequence[int]
    ) -> "PeopleSelection":
        """Select those who stopped at a level, given the number of keys, in all and by step."""
        words = _stopped_words(funnel, level)
        following = [k for k in funnel.required if k >= level]
        many = (users[level - 1] if level else keys) - (users[following[0]] if following else 0)
        # Sessions and chains without a step are only counted as they are searched.
        known = level > 0 or funnel.counting.number is None
        return cls(words, many if known else None, (level,), f".people(events, {level})")

    @classmethod
    def stopped_by_exclusion(
        cls, funnel: Funnel, before: int, many: int, excluded: bool
    ) -> "PeopleSelection":
        """Select those who stopped at a step, because of an excluded event or without one."""
        level, why = before + 1, "were excluded" if excluded else "were not excluded"
        words = f"{_stopped_words(funnel, level)} and {why}"
        where = "excluded" if excluded else "NOT excluded"
        code = f".people(events, {level}).where({where!r})"
        return cls(words, many, (level,), code, which={"excluded": excluded})

    @classmethod
    def reached(cls, funnel: Funnel, k: int, many: int) -> "PeopleSelection":
        """Select those who reached a step, wherever they stopped."""
        words = f"reached {_numbered(funnel, k)}"
        levels, which = who_took(funnel, k)
        return cls(
            words,
            many,
            levels,
            f".levels(events).where({_took_condition(funnel, k)!r})",
            which=which,
        )

    @classmethod
    def took(cls, funnel: Funnel, times: pd.DataFrame, k: int) -> "PeopleSelection":
        """Select those whose time from the first step to the last is in one bin of a histogram."""
        row, last = times.iloc[k], funnel.required[-1] + 1
        ends = [_ticks(row["from"]), _ticks(row["to"]) + (k == len(times) - 1)]
        bin_ends = f"{length_text(row['from'])} to {length_text(row['to'])}"
        words = f"took {bin_ends} from the first step to the last"
        long = "timestampdiff(MICROSECOND, reached[0], reached[{0}])"
        long = long if isinstance(row["to"], pd.Timedelta) else "reached[{0}] - reached[0]"
        within = f"{long.format(last - 1)} BETWEEN {ends[0]} AND {ends[1] - 1}"
        code = f".people(events, {last}).where({within!r})"
        which = {"took": tuple(ends), "step": last - 1}
        return cls(words, int(row["users"]), (last,), code, which=which)

    @classmethod
    def segment(
        cls, funnel: Funnel, segments: Segments, k: int, row: int, most: int
    ) -> "PeopleSelection":
        """Select those of a segment, or of all segments without a row, who reached a step."""
        others = row >= most
        values = tuple(segments.keys[:most] if others else [segments.keys[row]])
        name = segments.names(most)[row]
        words, many = f"reached {_numbered(funnel, k)}", segments.first(most)[row, k]
        among = " OR ".join(_condition(segments.by, one) for one in values)
        where = f"{_took_condition(funnel, k)} AND {'NOT ' if others else ''}({among})"
        code = f".levels(events, by={list(segments.by)}).where({where!r})"
        levels, which = who_took(funnel, k)
        which |= {"segments": values, "others": others}
        return cls(words, int(many), levels, code, name, segments.by, which)


class FunnelPeople(widgets.VBox):  # type: ignore[misc]
    """A choice of a drop-off, the people there, and the player on one of them.

    Attributes
    ----------
    player : VBox
        The box in which the player opens, as it is wider than the table of people.
    """

    def __init__(self, funnel: Funnel, prepared: Prepared) -> None:
        self._prepared, self._funnel = prepared, funnel
        self._people, self._users = People(pd.DataFrame(), [], False), list[int]()
        self.level = widgets.Dropdown(
            description="who stopped", layout={"width": "auto"},
            style={"description_width": "initial"},
        )  # fmt: skip
        self.head, self.table = HTML(), Table(choose=True)
        self.button = widgets.Button(
            description="Step through", icon="play", layout={"display": "none"},
            tooltip="Step through the events of the chosen one, or of the first",
        )  # fmt: skip
        self.note, self.player = Status(), widgets.VBox()
        self.level.observe(self._list, names="value")
        self.table.observe(self._choose, names="chosen")
        self.button.on_click(self._play)
        people_box = widgets.VBox([self.head, self.table])
        self.progress = Progress(lambda: prepared.blocks.sparkSession, self.note, people_box)
        parts = [self.level, self.progress, people_box, self.button, self.note]
        super().__init__(parts)
        self._close()

    def show(self, funnel: Funnel, users: Sequence[int]) -> None:
        """Offer the drop-offs of a funnel, given the number of keys that reached each step.

        The chosen level stays chosen.
        """
        self._funnel, chosen = funnel, self.level.value
        self._users, (*before, last) = list(users), funnel.required
        options: list[tuple[str, int]] = [
            ("choose a step, or click a bar", NOBODY),
            (f"before {_numbered(funnel, 0)}", 0),
        ]
        options += [(f"after {_numbered(funnel, k)}", k + 1) for k in before]
        options += [(f"nowhere: reached {_numbered(funnel, last)}", last + 1)]
        self.level.unobserve(self._list, names="value")
        self.level.options = options
        self.level.value = chosen if chosen in [level for _, level in options] else NOBODY
        self.level.observe(self._list, names="value")
        self._list()

    def list_people(self, selection: PeopleSelection) -> None:
        """List the keys behind a mark that was clicked."""
        self.level.unobserve(self._list, names="value")
        self.level.value = NOBODY
        self.level.observe(self._list, names="value")
        self._open(selection)

    def clear(self) -> None:
        """List nobody."""
        self._close()

    def _list(self, _change: Any = None) -> None:
        self._close()
        if self.level.value not in (None, NOBODY):
            keys = self._prepared.keys
            self._open(PeopleSelection.stopped(self._funnel, self.level.value, keys, self._users))

    def _close(self) -> None:
        self.player.children = ()
        self.head.value, self.note.value = "", element("span")
        for part in (self.table, self.button):
            part.layout.display = "none"

    def _open(self, selection: PeopleSelection) -> None:
        self._close()
        fetch = partial(self._fetch, self._funnel, selection)
        self.progress.ask(fetch, partial(self._show_table, selection))

    def _fetch(self, funnel: Funnel, selection: PeopleSelection) -> People:
        if selection.rows is not None:
            return people_in(selection.rows(), funnel.key)
        return first_people(
            funnel, self._prepared, selection.levels, selection.by, **selection.which
        )

    def _show_table(self, selection: PeopleSelection, people: People) -> None:
        self._people = people
        many = len(people.keys) if selection.many is None else selection.many
        unit = noun(many, unit_of(self._funnel, self._prepared))
        count_text, first = f"{many:,} {unit}", f"the first {MOST_PEOPLE:,}"
        if people.cut:
            count_text = first if selection.many is None else f"{first} of {count_text}"
        words = (
            f"{_cut_name(selection.segment_name)}: {selection.words}"
            if selection.segment_name
            else selection.words[:1].upper() + selection.words[1:]
        )
        small = element("small", count_text)
        self.head.value = element("div", words, small, class_="wb-over")
        self.table.show(
            # The time of the next event follows from the last step and the time after it.
            people.table.drop(columns="next_time", errors="ignore"),
            f"{self._funnel!r}{selection.code}.toPandas()",
            heads={"last_step": "last step", "next_event": "then"},
            shown={"next_event": _event_shown},
            name="people", nothing=f"Nobody {selection.words}.",
        )  # fmt: skip
        self.table.layout.display = None
        self.button.layout.display = None if self._people.keys else "none"

    def _choose(self, change: Any) -> None:
        if change["new"] is not None:
            self._play()

    def _play(self, _button: Any = None) -> None:
        key = self._people.keys[self.table.chosen or 0]
        self.progress.ask(partial(play, self._funnel, self._prepared, key=key), self._show_player)

    def _show_player(self, player: Any) -> None:
        self.player.children = (player,)


def _condition(names: Sequence[str], values: Sequence[Any]) -> str:
    """Return the SQL condition of the keys of one segment."""
    each = (
        f"{quoted(name)} IS NULL" if pd.isna(value) else f"{quoted(name)} <=> {literal(value)}"
        for name, value in zip(names, values, strict=True)
    )
    return f"({' AND '.join(each)})"


def literal(value: Any) -> str:
    r"""Return a value as a literal of SQL.

    Examples
    --------
    >>> print(literal(3), literal("it's"))
    3 'it\'s'
    """
    if isinstance(value, Real | Decimal):
        return str(value)
    text = str(value).replace("\\", "\\\\").replace("'", "\\'")
    return f"'{text}'"


def _event_shown(name: Any) -> str:
    return "" if pd.isna(name) else name_shown(name)


def _cut_name(label: str) -> str:
    return cut(name_shown(label), 40)


def _numbered(funnel: Funnel, k: int) -> str:
    """Return the name of a step with its number; with order "any", the number of steps."""
    name = step_names(funnel)[k]
    return name if funnel.rules.order == "any" else f"{k + 1} {_cut_name(name)}"


def _stopped_words(funnel: Funnel, level: int) -> str:
    """Return what those did who stopped at a level, which may be the last one."""
    if not level:
        return f"never took {_numbered(funnel, 0)}"
    last = level == funnel.required[-1] + 1
    return f"{'reached' if last else 'stopped after'} {_numbered(funnel, level - 1)}"


def who_took(funnel: Funnel, k: int) -> tuple[tuple[int, ...], dict[str, Any]]:
    """Return the levels of those who took the k-th step, and a further condition if needed."""
    levels = tuple(one + 1 for one in funnel.required if one >= k)
    if k not in funnel.rules.optional:
        return levels, {}
    # Those who took an optional step may have stopped at the required one before it.
    return tuple(one + 1 for one in funnel.required), {"step": k}


def _took_condition(funnel: Funnel, k: int) -> str:
    """Return the SQL condition, on the table of levels, of those who took the k-th step."""
    return f"get(reached, {k}) IS NOT NULL" if k in funnel.rules.optional else f"level > {k}"


def _ticks(length: Any) -> int:
    """Return a duration in the unit of the workers."""
    return int(length // pd.Timedelta("1us")) if isinstance(length, pd.Timedelta) else int(length)
