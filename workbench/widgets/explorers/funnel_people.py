"""Who stopped at a step of a funnel, each of whom opens in the step player."""

from functools import partial
from typing import Any

import ipywidgets as widgets
import pandas as pd

from workbench.figures.markup import Markup
from workbench.funnel.funnel import Funnel
from workbench.funnel.prepared import Prepared
from workbench.spark.jobs import in_arrow
from workbench.spark.table import name_of
from workbench.widgets.html import Status
from workbench.widgets.play import play
from workbench.widgets.progress import Progress

MOST_PEOPLE = 50
NOBODY = -1


class FunnelPeople(widgets.VBox):  # type: ignore[misc]
    """A choice of a drop-off, the people there, and the player on one of them."""

    def __init__(self, funnel: Funnel, prepared: Prepared) -> None:
        self._prepared, self._funnel = prepared, funnel
        self.level = widgets.Dropdown(
            description="Who stopped",
            layout={"width": "420px"},
            style={"description_width": "90px"},
        )
        self.people = widgets.Select(rows=8, layout={"width": "780px", "display": "none"})
        self.button = widgets.Button(
            description="Step through", icon="play", layout={"display": "none"},
            tooltip="Step through the events of the chosen one",
        )  # fmt: skip
        self.note, self.player = Status(), widgets.VBox()
        drawn = self.people, self.player
        self.progress = Progress(prepared.blocks.sparkSession, self.note, *drawn)
        self.level.observe(self._list, names="value")
        self.button.on_click(self._play)
        super().__init__(
            [self.level, self.progress, self.people, self.note, self.button, self.player]
        )

    def show(self, funnel: Funnel) -> None:
        """Offer the drop-offs of a funnel; the level that was chosen stays chosen."""
        self._funnel, chosen = funnel, self.level.value
        labels = funnel.labels
        options: list[tuple[str, int]] = [
            ("choose a step", NOBODY),
            (f"before 1 {labels[0]}", 0),
        ]
        options += [(f"after {k + 1} {label}", k + 1) for k, label in enumerate(labels[:-1])]
        options += [(f"nowhere: reached {len(labels)} {labels[-1]}", len(labels))]
        self.level.unobserve(self._list, names="value")
        self.level.options = options
        self.level.value = chosen if chosen in [level for _, level in options] else NOBODY
        self.level.observe(self._list, names="value")
        self._list()

    def _list(self, _change: Any = None) -> None:
        self.player.children = ()
        chosen = self.level.value not in (None, NOBODY)
        for part in (self.people, self.button):
            part.layout.display = None if chosen else "none"
        self.note.value = Markup()
        if chosen:
            self.progress.ask(partial(self._fetch, self._funnel, self.level.value), self._offer)

    def _offer(self, found: list[dict[str, Any]]) -> None:
        keys = self._funnel.key
        self.people.options = [(_line(row, keys), _key(row, keys)) for row in found[:MOST_PEOPLE]]
        self.people.index = 0 if found else None
        self.button.disabled = not found
        if not found:
            self.note.tell("Nobody stopped here.")
        elif len(found) > MOST_PEOPLE:
            whole = f"funnel.people(events, {self.level.value})"
            self.note.tell(f"The first {MOST_PEOPLE} are shown; {whole} has all.")

    def _fetch(self, funnel: Funnel, level: int) -> list[dict[str, Any]]:
        people = funnel.people(self._prepared, level)
        rows = people.orderBy(*map(name_of, funnel.key)).limit(MOST_PEOPLE + 1)
        found: list[dict[str, Any]] = in_arrow(rows).to_pylist()
        return found

    def _play(self, _button: Any) -> None:
        one = partial(play, self._funnel, self._prepared, key=self.people.value)
        self.progress.ask(one, self._show_player)

    def _show_player(self, player: Any) -> None:
        self.player.children = (player,)


def _key(row: dict[str, Any], names: tuple[str, ...]) -> Any:
    values = tuple(row[name] for name in names)
    return values[0] if len(values) == 1 else values


def _line(row: dict[str, Any], names: tuple[str, ...]) -> str:
    who = ", ".join(str(row[name]) for name in names)
    parts = [who]
    if row["reached"]:
        parts.append(f"last step {_moment(row['reached'][-1])}")
    if row.get("next_time") is None:
        parts.append("then nothing")
    else:
        parts.append(f"then {row.get('next_event') or 'an event'} at {_moment(row['next_time'])}")
    return " · ".join(parts)


def _moment(value: Any) -> str:
    return f"{pd.Timestamp(value):%Y-%m-%d %H:%M:%S}" if not isinstance(value, int) else str(value)
