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
from workbench.profiles.proposals import ROLES, failures, span_text
from workbench.spark.names import name_of
from workbench.spark.sources.times import with_times
from workbench.widgets.clock import SPINNER
from workbench.widgets.controls.questions import (
    QUESTIONS,
    Choice,
    TableQuestion,
    default_window,
    windows_for,
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
    """A table's profile, the roles of its columns, and the questions that it can answer.

    Parameters
    ----------
    profile : Profile
    title, source : str
        The table's name, and the Python expression that makes it; empty if it has no name.
    explore : function
        Opens the explorer of a specification and its tables.

    Attributes
    ----------
    roles : dict of str to ipywidgets.Dropdown
        The columns for "key", "time", "event" and "value".
    also, format, question, steps, window : widgets
        Further columns of the key, the format of times, the question, its steps and its window.
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
        self._opened_at, self._opening_code = -DOUBLE_CLICK, ""
        self.roles = {role: _choice(profile, role) for role in ROLES}
        self.also = widgets.TagsInput(allow_duplicates=False, placeholder="and another column")
        self.reasons = {role: HTML() for role in ROLES}
        self.format = widgets.Dropdown(description="read as", layout={"width": "auto"})
        self.question = widgets.ToggleButtons(
            options=[*QUESTIONS],
            value=_first_answerable(self._roles()),
            style={"button_width": "auto"},
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
        panel = [
            *(_titled("What do you want to see?"), self.question, self.words),
            *(self.steps, self.window, self.button, self.progress, self.status),
        ]
        super().__init__(
            *(_titled("First rows"), _first_rows(profile)),
            *(_titled("Columns"), _columns(profile), HTML(_hint(profile.notes))),
            controls=[*(self._role(role) for role in ROLES)],
            rows=panel,
            foot=[self.lines, self.place],
        )
        self.entitle(title, *_facts(profile))
        self._offer_other_keys()
        self._offer_formats()
        self._offer_steps()
        self.roles["key"].observe(self._offer_other_keys, names="value")
        self.also.observe(self._offer_windows, names="value")
        self.roles["time"].observe(self._offer_formats, names="value")
        self.roles["event"].observe(self._offer_steps, names="value")
        for one in (
            *(*self.roles.values(), self.also, self.format),
            *(self.question, self.steps, self.window),
        ):
            one.observe(self._update, names="value")
        self.button.on_click(self._open)
        self._update()

    @property
    def code(self) -> str:
        """The lines of Python that make the same explorer; empty while the choice is incomplete."""
        if self._question.missing(self.choice) is not None:
            return ""
        return "\n".join(self._question.code_lines(self.choice, self._table()))

    @property
    def choice(self) -> Choice:
        """The current choice."""
        key, time, event, value = (self._roles()[role] for role in ROLES)
        steps, also = tuple(self.steps.value), tuple(self.also.value)
        return Choice(key, time, event, value, steps, self.window.value, also)

    @property
    def times(self) -> dict[str, str]:
        """The format by which a column of text or numbers is parsed as times, if any."""
        read = self.format.value
        return {self.roles["time"].value: read} if read and read != AS_IT_IS else {}

    def __repr__(self) -> str:
        roles = (f"{role} {name}" for role, name in self._roles().items() if name is not None)
        return f"Front door of {self.title}: {', '.join([self.profile.summary, *roles])}"

    def show(self) -> Any:
        """Open the explorer of the question, and return it.

        Raises
        ------
        WorkbenchError
            When the choice is incomplete, or the table does not fit.
        """
        self._show_explorer(self._make())
        return self.explorer

    @property
    def _question(self) -> TableQuestion:
        return QUESTIONS[self.question.value]

    def _roles(self) -> dict[str, str | None]:
        return {role: None if one.value == NONE else one.value for role, one in self.roles.items()}

    def _table(self) -> str:
        times = f", times={self.times!r}" if self.times else ""
        table = f"wb.table({self.source or 'events'}{times})"
        return table if self.source else f"{table}  # events: the table that was given"

    def _role(self, role: str) -> Any:
        parts = [self.roles[role], self.reasons[role]]
        beside = {"key": [self.also], "time": [self.format]}
        parts += beside.get(role, [])
        return widgets.VBox(
            parts, layout={"flex": "1 1 170px", "max_width": "360px", "align_self": "flex-start"}
        )

    def _make(self) -> Any:
        from workbench.errors import WorkbenchError

        if (missing := self._question.missing(self.choice)) is not None:
            raise WorkbenchError(missing)
        events = with_times(self.profile.df, self.times) if self.times else self.profile.df
        spec = self._question.make(self.choice)
        if self._question.name != "backfill":
            return self._explore(spec, events)
        columns = [*self.choice.keys, str(self.choice.time)]
        return self._explore(spec, events.select(*map(name_of, columns)), events)

    def _open(self, _button: Any) -> None:
        asking = self.progress.asking and self.code == self._opening_code
        if asking or time.monotonic() - self._opened_at < DOUBLE_CLICK:
            return
        self._opening_code = self.code
        self.status.tell(SPINNER + "Asking Spark …")
        self.progress.ask(self._make, self._show_explorer)

    def _show_explorer(self, explorer: Any) -> None:
        self.explorer = explorer
        self.place.children = (explorer,)
        self.status.tell("✓ The explorer is below, and so is the code that makes it.")
        self._opened_at = time.monotonic()

    def _offer_formats(self, _change: Any = None) -> None:
        """Offer the formats and the windows of the time column."""
        name = self._roles()["time"]
        formats = [one.format for one in self.profile.columns[name].readings] if name else []
        if name and self.profile.columns[name].kind == INTEGER:
            formats.append(AS_IT_IS)
        self.format.options = formats
        self.format.layout.display = None if formats else "none"
        self.format.value = formats[0] if formats else None
        self._offer_windows()

    def _offer_other_keys(self, _change: Any = None) -> None:
        """Offer further columns of the key."""
        key = self._roles()["key"]
        names = [name for name in self.roles["key"].options if name not in (NONE, key)]
        self.also.allowed_tags = []
        self.also.value = [name for name in self.also.value if key and name != key]
        self.also.allowed_tags = names
        self.also.layout.display = None if key and names else "none"

    def _offer_windows(self, _change: Any = None) -> None:
        windows, default = self._windows(self._roles()["time"])
        self.window.options = windows
        self.window.value = default

    def _windows(self, name: str | None) -> tuple[list[Any], Any]:
        if name is None:
            return ["1 day"], "1 day"
        column = self.profile.columns[name]
        integers = column.kind == INTEGER and self.format.value in (None, AS_IT_IS)
        span = (column.high or 0) - (column.low or 0) if integers else self.profile.span(name)[2]
        windows = windows_for(span, integers, column.type == "date")
        # Several columns together have at most as many keys as rows.
        counts = [self.profile.columns[key].distinct or 1 for key in self.choice.keys]
        keys = min(prod(counts), max(self.profile.rows, 1))
        return windows, default_window(windows, span, self.profile.rows / keys)

    def _offer_steps(self, _change: Any = None) -> None:
        """Offer the names of events as steps, initially the most frequent ones."""
        name = self._roles()["event"]
        # A tag must have visible text to be removed.
        names = [one for one in self.profile.columns[name].names if one] if name else []
        self.steps.allowed_tags = []
        self.steps.value = names[:3]
        self.steps.allowed_tags = names

    def _update(self, change: Any = None) -> None:
        if change is not None and change["owner"] is self.format:
            self._offer_windows()
        for role in ROLES:
            self.reasons[role].value = _hint(self._reason(role))
        question, choice = self._question, self.choice
        funnel = question.name == "funnel"
        self.words.value = element("p", question.words, style="margin:4px 0")
        self.steps.layout.display = None if funnel else "none"
        missing = question.missing(choice) if self.profile.rows else "The table has no rows."
        self.button.disabled = missing is not None
        self.status.tell(missing or "")
        self.lines.value = code_line(self.code) if missing is None else Markup()

    def _reason(self, role: str) -> Markup:
        name = self._roles()[role]
        if name is None:
            proposals = self.profile.proposals[role]
            return joined([MEANINGS[role] if proposals else f"{MEANINGS[role]}: no column fits"])
        reasons = {one.column: one.reason for one in self.profile.proposals[role]}
        words = [reasons.get(name, f"chosen by hand: {self.profile.columns[name].type}")]
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
            f"{role}: {self._roles()[role] or 'none'}, {self._role_reason(role)}" for role in ROLES
        ] + self.code.splitlines()
        drawn = joined(
            text(12, 20 * k + 14, cut(line, 120), font_size=13) for k, line in enumerate(lines)
        )
        return page(self.title, (drawn, 20.0 * len(lines) + 8), self.profile.summary)

    def _role_reason(self, role: str) -> str:
        best = self.profile.best(role)
        return best.reason if best and best.column == self._roles()[role] else MEANINGS[role]


def _first_answerable(roles: dict[str, str | None]) -> str:
    """Return the first question for which the proposals suffice."""
    key, time, event, value = (roles[role] for role in ROLES)
    choice = Choice(key, time, event, value, steps=("?",))
    fits = [name for name, one in QUESTIONS.items() if one.missing(choice) is None]
    return fits[0] if fits else next(iter(QUESTIONS))


def _choice(profile: Profile, role: str) -> widgets.Dropdown:
    """Return the list of columns for a role, the proposed ones first."""
    first = [one.column for one in profile.proposals[role]]
    others = [
        one.name
        for one in profile.columns.values()
        if one.kind in FITS[role]
        and one.name not in first
        # Of integer columns, only codes are names of events.
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
        facts.append(f"{low} to {high}, {span_text(span)}")
    return facts


def _first_rows(profile: Profile) -> Table:
    rows = profile.first.slice(0, ROWS_SHOWN)
    names = rows.column_names[:COLUMNS_SHOWN]
    cells = {name: _cells(rows.column(k)) for k, name in enumerate(names)}
    table = Table()
    code = f"events.limit({ROWS_SHOWN}).toPandas()"
    # Numbers are not formatted: one may be that of a flight rather than an amount.
    table.show(pd.DataFrame(cells), code, shown=dict.fromkeys(names, _as_it_is))
    return table


def _cells(column: pa.ChunkedArray) -> "pd.Series[Any]":
    """Return numbers as numbers, which are aligned right, and other values as text."""
    values = column.to_pylist()
    if pa.types.is_integer(column.type):
        return pd.Series(values, dtype="Int64")
    if pa.types.is_floating(column.type):
        # A NaN is not a null.
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
        # In the session's time zone, as Spark shows it.
        value = f"{value:%Y-%m-%d %H:%M:%S}" + f"{value:.%f}".rstrip("0").rstrip(".")
    return cut(str(value), LETTERS_SHOWN)


def _columns(profile: Profile) -> Table:
    table = Table()
    table.show(profile.table, "wb.profile(events).table", name="columns")
    return table
