"""Who is behind a number of a funnel, each of whom opens in the step player."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from numbers import Real
from typing import TYPE_CHECKING, Any

import ipywidgets as widgets
import pandas as pd

from workbench.figures.funnel import Segments, length_text
from workbench.figures.svg import cut
from workbench.figures.theme import noun
from workbench.funnel.bind import unit_of
from workbench.funnel.funnel import Funnel
from workbench.funnel.inspect.people import MOST_PEOPLE, People, first_people, people_in
from workbench.funnel.prepared import Prepared
from workbench.markup import element
from workbench.spark.table import quoted
from workbench.widgets.html import HTML, Status
from workbench.widgets.play import play
from workbench.widgets.progress import Progress
from workbench.widgets.table import Table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

NOBODY = -1


@dataclass(frozen=True)
class Behind:
    """Which keys are asked for.

    Attributes
    ----------
    words : str
        What they did, for the heading.
    many : int
        How many they are.
    levels : tuple of int
        Where they stopped.
    of : str
        Their segment, empty for all.
    by : tuple of str
        The columns of their segment.
    which : dict
        Further fields of :class:`workbench.funnel.worker.people.PeopleTask`.
    code : str
        What returns them as a table of Spark, behind the funnel's own line.
    rows : function, optional
        Returns that table, where they are not those of some levels.
    """

    words: str
    many: int
    levels: tuple[int, ...]
    code: str
    of: str = ""
    by: tuple[str, ...] = ()
    which: dict[str, Any] = field(default_factory=dict)
    rows: Callable[[], "DataFrame"] | None = None

    @classmethod
    def stopped(cls, funnel: Funnel, level: int, users: Sequence[int]) -> "Behind":
        """Those who stopped at a level, given how many keys there are and reached each step."""
        labels, last = funnel.labels, len(funnel.labels)
        words = f"stopped after {level} {_short(labels[level - 1])}" if level else ""
        words = words or f"never took 1 {_short(labels[0])}"
        words = f"reached {last} {_short(labels[-1])}" if level == last else words
        many = users[level] - (users[level + 1] if level < last else 0)
        return cls(words, many, (level,), f".people(events, {level})")

    @classmethod
    def reached(cls, funnel: Funnel, k: int, many: int) -> "Behind":
        """Those who reached a step, wherever they stopped."""
        words = f"reached {k + 1} {_short(funnel.labels[k])}"
        return cls(words, many, levels_from(funnel, k), f".levels(events).where('level > {k}')")

    @classmethod
    def took(cls, funnel: Funnel, times: pd.DataFrame, k: int) -> "Behind":
        """Those whose time from the first step to the last is in one bin of a histogram."""
        row, last = times.iloc[k], len(funnel.labels)
        ends = [_ticks(row["from"]), _ticks(row["to"]) + (k == len(times) - 1)]
        bin_ends = f"{length_text(row['from'])} to {length_text(row['to'])}"
        words = f"took {bin_ends} from the first step to the last"
        long = "timestampdiff(MICROSECOND, reached[0], reached[{0}])"
        long = long if isinstance(row["to"], pd.Timedelta) else "reached[{0}] - reached[0]"
        within = f"{long.format(last - 1)} BETWEEN {ends[0]} AND {ends[1] - 1}"
        code = f".people(events, {last}).where({within!r})"
        return cls(words, int(row["users"]), (last,), code, which={"took": tuple(ends)})

    @classmethod
    def segment(cls, funnel: Funnel, segments: Segments, k: int, row: int, most: int) -> "Behind":
        """Those of a segment, or of all that are not drawn for themselves, who reached a step."""
        others = row >= most
        values = tuple(segments.keys[:most] if others else [segments.keys[row]])
        name = segments.names(most)[row]
        words, many = f"reached {k + 1} {_short(funnel.labels[k])}", segments.first(most)[row, k]
        among = " OR ".join(_condition(segments.by, one) for one in values)
        where = f"level > {k} AND {'NOT ' if others else ''}({among})"
        code = f".levels(events, by={list(segments.by)}).where({where!r})"
        which = {"segments": values, "others": others}
        return cls(words, int(many), levels_from(funnel, k), code, name, segments.by, which)


class FunnelPeople(widgets.VBox):  # type: ignore[misc]
    """A choice of a drop-off, the people there, and the player on one of them.

    Attributes
    ----------
    player : VBox
        Where the player opens: it wants more room than the table of people has.
    """

    def __init__(self, funnel: Funnel, prepared: Prepared) -> None:
        self._prepared, self._funnel = prepared, funnel
        self._found, self._users = People(pd.DataFrame(), [], False), [prepared.keys]
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
        drawn = widgets.VBox([self.head, self.table])
        self.progress = Progress(lambda: prepared.blocks.sparkSession, self.note, drawn)
        parts = [self.level, self.progress, drawn, self.button, self.note]
        super().__init__(parts)
        self._close()

    def show(self, funnel: Funnel, users: Sequence[int]) -> None:
        """Offer the drop-offs of a funnel, given how many reached each of its steps.

        The level that was chosen stays chosen.
        """
        self._funnel, chosen = funnel, self.level.value
        self._users = [self._prepared.keys, *users]
        labels = funnel.labels
        options: list[tuple[str, int]] = [
            ("choose a step, or click a bar", NOBODY),
            (f"before 1 {labels[0]}", 0),
        ]
        options += [(f"after {k + 1} {label}", k + 1) for k, label in enumerate(labels[:-1])]
        options += [(f"nowhere: reached {len(labels)} {labels[-1]}", len(labels))]
        self.level.unobserve(self._list, names="value")
        self.level.options = options
        self.level.value = chosen if chosen in [level for _, level in options] else NOBODY
        self.level.observe(self._list, names="value")
        self._list()

    def look(self, behind: Behind) -> None:
        """List the keys behind a mark that was clicked."""
        self.level.unobserve(self._list, names="value")
        self.level.value = NOBODY
        self.level.observe(self._list, names="value")
        self._open(behind)

    def clear(self) -> None:
        """List nobody."""
        self._close()

    def _list(self, _change: Any = None) -> None:
        self._close()
        if self.level.value not in (None, NOBODY):
            self._open(Behind.stopped(self._funnel, self.level.value, self._users))

    def _close(self) -> None:
        self.player.children = ()
        self.head.value, self.note.value = "", element("span")
        for part in (self.table, self.button):
            part.layout.display = "none"

    def _open(self, behind: Behind) -> None:
        self._close()
        fetch = partial(self._fetch, self._funnel, behind)
        self.progress.ask(fetch, partial(self._offer, behind))

    def _fetch(self, funnel: Funnel, behind: Behind) -> People:
        if behind.rows is not None:
            return people_in(behind.rows(), funnel.key)
        return first_people(funnel, self._prepared, behind.levels, behind.by, **behind.which)

    def _offer(self, behind: Behind, found: People) -> None:
        self._found = found
        unit = noun(behind.many, unit_of(self._funnel, self._prepared))
        first = f"the first {MOST_PEOPLE:,} of " if self._found.cut else ""
        words = (
            f"{_short(behind.of)}: {behind.words}"
            if behind.of
            else behind.words[:1].upper() + behind.words[1:]
        )
        small = element("small", f"{first}{behind.many:,} {unit}")
        self.head.value = element("div", words, small, class_="wb-over")
        self.table.show(
            # When it happened is the last step and the time after it.
            found.table.drop(columns="next_time", errors="ignore"),
            f"{self._funnel!r}{behind.code}.toPandas()",
            heads={"last_step": "last step", "next_event": "then"},
            name="people", nothing=f"Nobody {behind.words}.",
        )  # fmt: skip
        self.table.layout.display = None
        self.button.layout.display = None if self._found.keys else "none"

    def _choose(self, change: Any) -> None:
        if change["new"] is not None:
            self._play()

    def _play(self, _button: Any = None) -> None:
        key = self._found.keys[self.table.chosen or 0]
        self.progress.ask(partial(play, self._funnel, self._prepared, key=key), self._show_player)

    def _show_player(self, player: Any) -> None:
        self.player.children = (player,)


def _condition(names: Sequence[str], values: Sequence[Any]) -> str:
    """SQL that is true of the keys of one segment."""
    each = (
        f"{quoted(name)} IS NULL" if pd.isna(value) else f"{quoted(name)} <=> {literal(value)}"
        for name, value in zip(names, values, strict=True)
    )
    return f"({' AND '.join(each)})"


def literal(value: Any) -> str:
    r"""Return a value as SQL has it.

    Examples
    --------
    >>> print(literal(3), literal("it's"))
    3 'it\'s'
    """
    if isinstance(value, Real | Decimal):
        return str(value)
    text = str(value).replace("\\", "\\\\").replace("'", "\\'")
    return f"'{text}'"


def _short(label: str) -> str:
    return cut(label, 40)


def levels_from(funnel: Funnel, k: int) -> tuple[int, ...]:
    """Return the levels at which the k-th step was reached."""
    return tuple(range(k + 1, len(funnel.labels) + 1))


def _ticks(length: Any) -> int:
    """A length of time in the unit of the workers."""
    return int(length // pd.Timedelta("1us")) if isinstance(length, pd.Timedelta) else int(length)
