"""The three kinds of window on a time line, with a query that can be moved."""

from collections.abc import Mapping, Sequence
from typing import Any

import ipywidgets as widgets
import numpy as np
import pandas as pd

from workbench.backfill.inspect.origin import counted
from workbench.errors import WorkbenchError
from workbench.figures.window_types import HOPS, SINGLE, Clock, window_types_figure
from workbench.lessons.window_types import WindowType, window_types
from workbench.markup import element
from workbench.widgets.explorers.explorer import Answer, Explorer
from workbench.widgets.html import fact
from workbench.widgets.table import Table

_WIDE = {"style": {"description_width": "70px"}, "layout": {"width": "420px"}}
_NARROW = {"style": {"description_width": "70px"}, "layout": {"width": "260px"}}


class WindowTypesExplorer(Explorer):
    """Sliding, hopping and sawtooth windows of one query, side by side.

    Parameters
    ----------
    time : sequence of int
        The times of the events, sorted, in any unit.
    window, hop : int
        The initial lengths of the windows and of their hops, in that unit.
    query : int, optional
        The initial time of the query; by default, after the last event. It can be moved a few hops
        ahead, and back to the first event.
    clock : function
        Formats a time.
    unit : str
        The unit of the times, for the sentences.

    Attributes
    ----------
    kinds : list of WindowType
        The current windows.
    words : str
        The same in words.

    Raises
    ------
    WorkbenchError
        When there is no event, a length is too small, or the times are not sorted.

    Examples
    --------
    >>> WindowTypesExplorer([6, 9, 14, 16], window=10, hop=5, query=17)
    Kinds of window at 17: sliding 3 events, hopping 3 events, sawtooth 4 events
    """

    FILE = "windows"
    PAGE_CHOICES = ("query",)

    def __init__(
        self,
        time: Sequence[int],
        window: int,
        hop: int,
        query: int | None = None,
        clock: Clock = str,
        unit: str = "",
    ) -> None:
        if not len(time):
            raise WorkbenchError("time: there are no events; give at least one.")
        self._time, self._clock, self._unit = [int(at) for at in time], clock, unit
        shown = max(self._time) + 1 if query is None else query
        window_types(shown, window, hop, self._time)
        places = range(min(*self._time, shown), max(*self._time, shown) + 3 * hop + 1)
        options = [(clock(at), at) for at in places]
        self.query = widgets.SelectionSlider(
            options=options, value=shown, description="Query", **_WIDE
        )
        self.window = _slider("Window", window, max(window, places[-1] - places[0]))
        self.hop = _slider("Hop", hop, max(hop, window))
        self._extent = min(places[0], shown - window) - hop, places[-1] + hop
        self.play = widgets.Play(
            min=0, max=len(places) - 1, value=shown - places[0], interval=600, description="Move"
        )
        widgets.jslink((self.play, "value"), (self.query, "index"))
        self.clicked = Table()
        super().__init__(
            "Windows of one query", {"query": self.query, "window": self.window, "hop": self.hop},
            self.play,
        )  # fmt: skip

    @property
    def kinds(self) -> list[WindowType]:
        """The current windows."""
        result: list[WindowType] = self.answer.result
        return result

    def _pictures(self) -> Sequence[Any]:
        return [self.chart, self.clicked]

    def _draw(self, answer: Answer) -> None:
        super()._draw(answer)
        # The listed events are those of the windows before.
        self.clicked.layout.display = "none"
        self.chart.on_mark(self._click)

    def _click(self, trace: Any, k: int) -> None:
        self.list_window(trace.y[k], trace.name if trace.name in (HOPS, SINGLE) else None)

    def list_window(self, name: str, part: str | None = None) -> None:
        """List the events in a window, as a click on a mark in its row does.

        Parameters
        ----------
        name : str
            "sliding", "hopping" or "sawtooth".
        part : str, optional
            "whole hops" or "single events": as a click on the bar of these does.
        """
        kind = next(one for one in self.kinds if one.name == name)
        frame = _events_table(kind, self._time)
        inside = frame if part is None else frame[frame["as"] == part].reset_index(drop=True)
        self.clicked.show(inside, "", shown={"event at": self._clock}, name="events")
        low, high = {HOPS: (kind.low, kind.tail), SINGLE: (kind.tail, kind.high)}.get(
            part or "", (kind.low, kind.high)
        )
        head = element("b", f"{name} window{f', {part}' if part else ''}".capitalize())
        ends = f" from {self._clock(low)} up to, but not at, {self._clock(high)}."
        self.clicked.note.value = element("p", head, f": {counted(len(inside), 'event')}{ends}")
        self.clicked.layout.display = None

    def _facts(self) -> Sequence[str]:
        return [fact(len(self._time), "event")]

    def _answer(self, settings: Mapping[str, Any]) -> Answer:
        query, hop = settings["query"], settings["hop"]
        kinds = window_types(query, settings["window"], hop, self._time)
        counts = ", ".join(f"{kind.name} {kind.count} events" for kind in kinds)
        rows = [(kind.name, *map(self._clock, (kind.low, kind.high)), kind.count) for kind in kinds]
        return Answer(
            window_types_figure(kinds, query, hop, self._time, self._extent, self._clock),
            kinds,
            f"Kinds of window at {self._clock(query)}: {counts}",
            self._words(kinds, query, hop),
            pd.DataFrame(rows, columns=["window", "from", "before", "events"]),
            self._code(settings),
        )

    def _code(self, settings: Mapping[str, Any]) -> str:
        given = "".join(f", {name}={settings[name]}" for name in ("window", "hop", "query"))
        clock = "" if self._clock is str else ", clock=clock"
        unit = f", unit={self._unit!r}" if self._unit else ""
        return f"WindowTypesExplorer({self._time}{given}{clock}{unit})"

    def _words(self, kinds: Sequence[WindowType], query: int, length: int) -> str:
        sliding, hopping, sawtooth = kinds
        at, hop = self._clock(query), f"{length} {self._unit}".strip()
        head = sawtooth.high - sawtooth.tail
        return (
            f"Sliding: {self._range(sliding)}, exact, but no two queries share it. "
            f"Hopping: {self._range(hopping)}, the same for all queries of these {hop}, "
            f"which do not see the events since {self._clock(hopping.high)}. "
            f"Sawtooth: {self._range(sawtooth)}, the hops of the hopping window as its tail, and a "
            f"head of {head} {self._unit}".strip()
            + f" up to the query at {at}."
        )

    def _range(self, kind: WindowType) -> str:
        events = f"{kind.count} event{'' if kind.count == 1 else 's'}"
        return f"{events} in [{self._clock(kind.low)}, {self._clock(kind.high)})"


def _events_table(kind: WindowType, time: Sequence[int]) -> pd.DataFrame:
    """Return the events in a window, and whether each is counted alone or as part of a hop."""
    seen = time[kind.first : kind.last]
    parts = [HOPS if at < kind.tail else SINGLE for at in seen]
    return pd.DataFrame({"event at": pd.Series(seen, dtype=np.int64), "as": parts})


def _slider(description: str, value: int, most: int) -> widgets.IntSlider:
    return widgets.IntSlider(value=value, min=1, max=most, description=description, **_NARROW)
