"""The front door: what a table holds, which column is what, what is wanted, and the code of it."""

import time
from collections.abc import Callable, Sequence
from datetime import datetime
from math import prod
from typing import Any

import ipywidgets as widgets
import numpy as np
import pandas as pd
import pyarrow as pa

from workbench.described import name_shown
from workbench.figures.stills.still import page
from workbench.figures.svg import cut, text
from workbench.markup import Markup, element, in_lines, joined
from workbench.profiles.columns import INTEGER, REAL, TEXT, TIME
from workbench.profiles.profile import Profile
from workbench.profiles.proposals import ROLES, duration_text, failures
from workbench.spark.sources.times import with_times
from workbench.spark.table import name_of
from workbench.widgets.clock import SPINNER
from workbench.widgets.controls.questions import (
    QUESTIONS,
    Choice,
    TableQuestion,
    usual_window,
    windows_of,
)
from workbench.widgets.explorers.explorer import Card
from workbench.widgets.html import HTML, Status, code_line, fact
from workbench.widgets.progress import Progress
from workbench.widgets.table import Table

#: Of two clicks the second is heard when the first is answered; it asks nothing, so many seconds.
DOUBLE_CLICK = 0.5
NONE, AS_IT_IS = "(none)", "the number itself"
#: So much of a table is shown.
ROWS_SHOWN, COLUMNS_SHOWN, LETTERS_SHOWN = 6, 40, 40
#: What a role is, in a few words.
MEANINGS = {
    "key": "whose rows belong together",
    "time": "when it happened",
    "event": "what happened",
    "value": "how much",
}
#: The kinds of columns that each role takes.
FITS = {
    "key": (TEXT, INTEGER),
    "time": (TIME, INTEGER),
    "event": (TEXT, INTEGER),
    "value": (INTEGER, REAL),
}


class FrontDoor(Card):
    """A table's profile, the roles of its columns, and what to ask of it.

    Parameters
    ----------
    profile : Profile
    title, source : str
        What the table is called, and what makes it, as Python writes it; empty where it has no
        name.
    explore : function
        Opens the explorer of a specification and its tables.

    Attributes
    ----------
    roles : dict of str to ipywidgets.Dropdown
        The columns for "key", "time", "event" and "value".
    also, format, question, steps, window : widgets
        Further columns of the key, how times are read, what is asked, and with which steps and
        window.
    code : str
        The lines of Python that make the same explorer.
    explorer : widget or None
        The explorer, once it is open.
    """

    def __init__(
        self, profile: Profile, title: str, source: str, explore: Callable[..., Any]
    ) -> None:
        self.profile, self.title, self.source, self._explore = profile, title, source, explore
        self.explorer: Any = None
        self._opened, self._opening = -DOUBLE_CLICK, ""
        self.roles = {role: _choice(profile, role) for role in ROLES}
        self.also = widgets.TagsInput(allow_duplicates=False, placeholder="and another column")
        self.reasons = {role: HTML() for role in ROLES}
        self.format = widgets.Dropdown(description="read as", layout={"width": "auto"})
        self.question = widgets.ToggleButtons(
            options=[*QUESTIONS], value=_first(self._roles()), style={"button_width": "auto"}
        )
        self.words, self.lines, self.status = HTML(), HTML(), Status()
        self.steps = widgets.TagsInput(allow_duplicates=False, placeholder="a step")
        self.window = widgets.Dropdown(
            description="within", layout={"width": "auto", "align_self": "flex-start"},
            style={"description_width": "initial"},
        )  # fmt: skip
        self.button = widgets.Button(description="Open the explorer", button_style="primary")
        self.place = widgets.VBox()
        self.progress = Progress(lambda: self.profile.df.sparkSession, self.status)
        wanted = [
            *(_titled("What do you want to see?"), self.question, self.words),
            *(self.steps, self.window, self.button, self.progress, self.status),
        ]
        super().__init__(
            *(_titled("First rows"), _first_rows(profile)),
            *(_titled("Columns"), _columns(profile), HTML(_hint(profile.notes))),
            controls=[*(self._role(role) for role in ROLES)],
            rows=wanted,
            foot=[self.lines, self.place],
        )
        self.entitle(title, *_facts(profile))
        self._take_key()
        self._take_time()
        self._take_event()
        self.roles["key"].observe(self._take_key, names="value")
        self.also.observe(self._take_windows, names="value")
        self.roles["time"].observe(self._take_time, names="value")
        self.roles["event"].observe(self._take_event, names="value")
        for one in (
            *(*self.roles.values(), self.also, self.format),
            *(self.question, self.steps, self.window),
        ):
            one.observe(self._say, names="value")
        self.button.on_click(self._open)
        self._say()

    @property
    def code(self) -> str:
        """The lines of Python that make the same explorer; nothing while something is missing."""
        if self._asked.missing(self.choice) is not None:
            return ""
        return "\n".join(self._asked.lines(self.choice, self._table()))

    @property
    def choice(self) -> Choice:
        """What is chosen."""
        key, time, event, value = (self._roles()[role] for role in ROLES)
        steps, also = tuple(self.steps.value), tuple(self.also.value)
        return Choice(key, time, event, value, steps, self.window.value, also)

    @property
    def times(self) -> dict[str, str]:
        """How a column of text or numbers is read as times, if one is."""
        read = self.format.value
        return {self.roles["time"].value: read} if read and read != AS_IT_IS else {}

    def __repr__(self) -> str:
        roles = (f"{role} {name}" for role, name in self._roles().items() if name is not None)
        return f"Front door of {self.title}: {', '.join([self.profile.summary, *roles])}"

    def show(self) -> Any:
        """Open the explorer of what is asked, and return it.

        Raises
        ------
        WorkbenchError
            When something is missing, or the table does not fit.
        """
        self._place(self._make())
        return self.explorer

    @property
    def _asked(self) -> TableQuestion:
        return QUESTIONS[self.question.value]

    def _roles(self) -> dict[str, str | None]:
        return {role: None if one.value == NONE else one.value for role, one in self.roles.items()}

    def _table(self) -> str:
        times = f", times={self.times!r}" if self.times else ""
        given = f"wb.table({self.source or 'events'}{times})"
        return given if self.source else f"{given}  # events: the table that was given"

    def _role(self, role: str) -> Any:
        parts = [self.roles[role], self.reasons[role]]
        beside = {"key": [self.also], "time": [self.format]}
        parts += beside.get(role, [])
        return widgets.VBox(
            parts, layout={"flex": "1 1 170px", "max_width": "360px", "align_self": "flex-start"}
        )

    def _make(self) -> Any:
        from workbench.errors import WorkbenchError

        if (missing := self._asked.missing(self.choice)) is not None:
            raise WorkbenchError(missing)
        events = with_times(self.profile.df, self.times) if self.times else self.profile.df
        spec = self._asked.make(self.choice)
        if self._asked.name != "backfill":
            return self._explore(spec, events)
        asking = [*self.choice.keys, str(self.choice.time)]
        return self._explore(spec, events.select(*map(name_of, asking)), events)

    def _open(self, _button: Any) -> None:
        asking = self.progress.asking and self.code == self._opening
        if asking or time.monotonic() - self._opened < DOUBLE_CLICK:
            return
        self._opening = self.code
        self.status.tell(SPINNER + "Asking Spark …")
        self.progress.ask(self._make, self._place)

    def _place(self, explorer: Any) -> None:
        self.explorer = explorer
        self.place.children = (explorer,)
        self.status.tell("✓ The explorer is below, and so are the lines that make it.")
        self._opened = time.monotonic()

    def _take_time(self, _change: Any = None) -> None:
        """Offer the formats and the windows of the column that holds the times."""
        name = self._roles()["time"]
        formats = [one.format for one in self.profile.columns[name].readings] if name else []
        if name and self.profile.columns[name].kind == INTEGER:
            formats.append(AS_IT_IS)
        self.format.options = formats
        self.format.layout.display = None if formats else "none"
        self.format.value = formats[0] if formats else None
        self._take_windows()

    def _take_key(self, _change: Any = None) -> None:
        """Offer the other columns that a key may have, too."""
        key = self._roles()["key"]
        names = [name for name in self.roles["key"].options if name not in (NONE, key)]
        self.also.allowed_tags = []
        self.also.value = [name for name in self.also.value if key and name != key]
        self.also.allowed_tags = names
        self.also.layout.display = None if key and names else "none"

    def _take_windows(self, _change: Any = None) -> None:
        windows, usual = self._windows(self._roles()["time"])
        self.window.options = windows
        self.window.value = usual

    def _windows(self, name: str | None) -> tuple[list[Any], Any]:
        if name is None:
            return ["1 day"], "1 day"
        held = self.profile.columns[name]
        integers = held.kind == INTEGER and self.format.value in (None, AS_IT_IS)
        span = (held.high or 0) - (held.low or 0) if integers else self.profile.span(name)[2]
        windows = windows_of(span, integers, held.type == "date")
        # Of several columns together there are at most as many keys as rows.
        counts = [self.profile.columns[key].distinct or 1 for key in self.choice.keys]
        keys = min(prod(counts), max(self.profile.rows, 1))
        return windows, usual_window(windows, span, self.profile.rows / keys)

    def _take_event(self, _change: Any = None) -> None:
        """Offer the names of events as steps: at first the most frequent ones."""
        name = self._roles()["event"]
        # A tag is a text that can be seen and removed.
        names = [one for one in self.profile.columns[name].names if one] if name else []
        self.steps.allowed_tags = []
        self.steps.value = names[:3]
        self.steps.allowed_tags = names

    def _say(self, change: Any = None) -> None:
        if change is not None and change["owner"] is self.format:
            self._take_windows()
        for role in ROLES:
            self.reasons[role].value = _hint(self._reason(role))
        asked, choice = self._asked, self.choice
        funnel = asked.name == "funnel"
        self.words.value = element("p", asked.words, style="margin:4px 0")
        self.steps.layout.display = None if funnel else "none"
        missing = asked.missing(choice) if self.profile.rows else "The table has no rows."
        self.button.disabled = missing is not None
        self.status.tell(missing or "")
        self.lines.value = code_line(self.code) if missing is None else Markup()

    def _reason(self, role: str) -> Markup:
        name = self._roles()[role]
        if name is None:
            there = self.profile.proposals[role]
            return joined([MEANINGS[role] if there else f"{MEANINGS[role]}: no column fits"])
        known = {one.column: one.reason for one in self.profile.proposals[role]}
        words = [known.get(name, f"chosen by hand: {self.profile.columns[name].type}")]
        reading = self.profile.reading(name, self.format.value) if role == "time" else None
        if reading is not None and reading.failed and failures(reading) not in words[0]:
            words = [failures(reading)]
        if reading is not None and reading.failed:
            words.append("These rows are left out.")
        if role == "key" and self.also.value:
            words.append(f"Together with {' and '.join(self.also.value)}.")
        return in_lines(words)

    def _still(self) -> Markup:
        lines = [
            f"{role}: {self._roles()[role] or 'none'}, {self._plain(role)}" for role in ROLES
        ] + self.code.splitlines()
        drawn = joined(
            text(12, 20 * k + 14, cut(line, 120), font_size=13) for k, line in enumerate(lines)
        )
        return page(self.title, (drawn, 20.0 * len(lines) + 8), self.profile.summary)

    def _plain(self, role: str) -> str:
        best = self.profile.best(role)
        return best.reason if best and best.column == self._roles()[role] else MEANINGS[role]


def _first(roles: dict[str, str | None]) -> str:
    """The first question that the proposals answer."""
    key, time, event, value = (roles[role] for role in ROLES)
    choice = Choice(key, time, event, value, steps=("?",))
    fits = [name for name, one in QUESTIONS.items() if one.missing(choice) is None]
    return fits[0] if fits else next(iter(QUESTIONS))


def _choice(profile: Profile, role: str) -> widgets.Dropdown:
    """A column for a role: those that are proposed first."""
    first = [one.column for one in profile.proposals[role]]
    others = [
        one.name
        for one in profile.columns.values()
        if one.kind in FITS[role]
        and one.name not in first
        # Of integers only codes are names of events.
        and (role != "event" or one.kind == TEXT or one.names)
    ]
    return widgets.Dropdown(
        options=[*first, *others, NONE], value=first[0] if first else NONE,
        description=role, layout={"width": "auto"},
    )  # fmt: skip


def _hint(words: object) -> Markup:
    return element("div", words, class_="wb-hint")


def _titled(words: str) -> HTML:
    return HTML(element("div", words, class_="wb-title", style="font-size:13px;margin-top:4px"))


def _facts(profile: Profile) -> Sequence[object]:
    facts: list[object] = [fact(profile.rows, "row"), fact(len(profile.columns), "column")]
    if (time := profile.best("time")) is not None:
        low, high, span = profile.span(time.column)
        facts.append(f"{low} to {high}, {duration_text(span)}")
    return facts


def _first_rows(profile: Profile) -> Table:
    rows = profile.first.slice(0, ROWS_SHOWN)
    names = rows.column_names[:COLUMNS_SHOWN]
    cells = {name: _cells(rows.column(k)) for k, name in enumerate(names)}
    table = Table()
    code = f"events.limit({ROWS_SHOWN}).toPandas()"
    # A number as it is: it may be one of a flight, and no amount.
    table.show(pd.DataFrame(cells), code, shown=dict.fromkeys(names, _as_it_is))
    return table


def _cells(column: pa.ChunkedArray) -> "pd.Series[Any]":
    """Numbers as numbers, which stand on the right, and all else as it is read."""
    values = column.to_pylist()
    if pa.types.is_integer(column.type):
        return pd.Series(values, dtype="Int64")
    if pa.types.is_floating(column.type):
        # A NaN is none of the nulls.
        numbers = np.array([0.0 if one is None else one for one in values], np.float64)
        nulls = np.array([one is None for one in values], np.bool_)
        return pd.Series(pd.arrays.FloatingArray(numbers, nulls))
    return pd.Series([*map(_cell, values)], dtype=object)


def _as_it_is(value: Any) -> str:
    return "" if value is None or value is pd.NA else name_shown(value)


def _cell(value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, datetime):
        # In the zone of the session, as Spark shows it.
        value = f"{value:%Y-%m-%d %H:%M:%S}" + f"{value:.%f}".rstrip("0").rstrip(".")
    return cut(str(value), LETTERS_SHOWN)


def _columns(profile: Profile) -> Table:
    table = Table()
    table.show(profile.table, "wb.profile(events).table", name="columns")
    return table
