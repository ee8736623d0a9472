"""A funnel's kernel on one key's rows, traced and made into a lesson for the step player."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernels import Step, Trace, trace, window_funnel, window_funnel_once
from kernels.funnel.levels import entries
from workbench.durations import spoken
from workbench.funnel.funnel import Funnel
from workbench.funnel.inspect.one_key import KeyRows
from workbench.funnel.spec import MODES
from workbench.widgets.lessons.edited import FunnelInput, Make, Rows
from workbench.widgets.stepper.lesson import Lesson
from workbench.widgets.stepper.trace_lesson import lesson_of

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
TIMES = ("time", "start", "now", "reached", "chain")

Clock = Callable[[Any], str]


#: What is no time: slots that no chain has reached hold it, and show nothing.
UNWRITTEN = np.iinfo(np.int64).min


def funnel_maker(funnel: Funnel, rows: KeyRows, who: str) -> Make:
    """Return what makes the lesson of a funnel on one key's rows, and on edited ones.

    Parameters
    ----------
    funnel, rows, who
        As :func:`funnel_lesson` takes them.

    Returns
    -------
    function
    """
    given = FunnelInput(funnel, rows)

    def make(edited: Rows | None) -> Lesson:
        now = rows if edited is None else given.read(edited)
        return {**funnel_lesson(funnel, now, who), "input": given.table(now)}

    return make


def funnel_lesson(funnel: Funnel, rows: KeyRows, who: str) -> Lesson:
    """Return the lesson that steps through a funnel on one key's rows.

    Parameters
    ----------
    funnel : Funnel
    rows : KeyRows
    who : str
        The key, for the title.

    Returns
    -------
    dict
        As :class:`workbench.widgets.stepper.player.Player` takes it.
    """
    clock = clock_for(rows.time, rows.integer_time)
    show = {"time": clock, "step": lambda k: f"step {k + 1} ({funnel.labels[k]})"}
    once = "strict_once" in funnel.modes
    view = _Once(funnel, rows) if once else _Scan(funnel, rows)
    run = view.run(show)
    lesson = lesson_of(run, f"{funnel_title(funnel, rows)} · {who}", _shown(funnel, rows, clock))
    if rows.cut:
        lesson["intro"] = f"Only the first {len(rows.time)} rows of {who} are shown."
    lesson["pictures"] = [view.timeline(run, clock), view.slots(run, clock)]
    lesson["telling"] = len(run.steps) - 1
    return lesson


def funnel_title(funnel: Funnel, rows: KeyRows) -> str:
    """Return what a lesson is about, in a few words."""
    window = funnel.window if rows.integer_time else spoken(funnel.span(integer_time=False))
    modes = f", {', '.join(funnel.modes)}" if funnel.modes else ""
    return f"Funnel of {len(funnel.labels)} steps within {window}{modes}"


def clock_for(time: NDArray[np.int64], integer_time: bool) -> Clock:
    """Return how a time is written: no longer than it takes to tell these times apart.

    Parameters
    ----------
    time : int64 array
        Microseconds, or integers of the user's own.
    integer_time : bool

    Returns
    -------
    function

    Examples
    --------
    >>> clock_for(np.array([0, 60_000_000]), False)(60_000_000)
    '00:01'
    """
    if integer_time or not len(time):
        return str
    one_day = int(time.min()) // 86_400_000_000 == int(time.max()) // 86_400_000_000
    day = "" if one_day else "%d %b %Y " if _spans_years(time) else "%d %b "
    seconds = ":%S" if (time % 60_000_000).any() else ""
    finer = ".%f" if (time % 1_000_000).any() else ""

    def clock(value: int) -> str:
        return (EPOCH + timedelta(microseconds=int(value))).strftime(f"{day}%H:%M{seconds}{finer}")

    return clock


def _spans_years(time: NDArray[np.int64]) -> bool:
    first, last = (EPOCH + timedelta(microseconds=int(t)) for t in (time.min(), time.max()))
    return first.year != last.year


def _shown(funnel: Funnel, rows: KeyRows, clock: Clock) -> dict[str, Callable[[Any], Any]]:
    """How the variables are written, by name."""

    def times(value: Any) -> Any:
        if isinstance(value, list):
            return [times(v) for v in value]
        return "" if value == UNWRITTEN else clock(value)

    def window(value: int) -> Any:
        return value if rows.integer_time else spoken(value)

    return {**dict.fromkeys(TIMES, times), "window": window}


class _View:
    """What the pictures of a run have in common."""

    def __init__(self, funnel: Funnel, rows: KeyRows) -> None:
        self.funnel, self.rows = funnel, rows
        self.steps = len(funnel.labels)
        self.window = funnel.span(rows.integer_time)
        # Which of the two kernels runs is what strict_once chooses; both take the other modes.
        self.modes = [mode in funnel.modes for mode in MODES if mode != "strict_once"]

    time: NDArray[np.int64]
    step: NDArray[Any]
    names: list[str]
    row: list[int]

    def slots_of(self, state: dict[str, Any]) -> list[int | None]:
        """The start of the chain that each level holds."""
        raise NotImplementedError

    def place_of(self, state: dict[str, Any]) -> tuple[int | None, int]:
        """The current event, and how many are looked at."""
        raise NotImplementedError

    def chain_of(self, state: dict[str, Any]) -> list[int]:
        """The events of the best chain so far."""
        raise NotImplementedError

    def timeline(self, run: Trace, clock: Clock) -> dict[str, Any]:
        """The events on a line, with the window and the best chain in each step."""
        origin = int(self.time.min())
        events = [
            {
                "at": self._at(int(time) - origin),
                "lane": int(step) - 1 if step else None,
                "label": name,
                "text": f"{clock(time)} {name}",
                "row": row,
            }
            for time, step, name, row in zip(
                self.time, self.step, self.names, self.row, strict=True
            )
        ]
        ticks = sorted({int(t) for t in self.time})
        ticks = ticks[:: max(1, len(ticks) // 6)]
        states: list[dict[str, Any]] = []
        skipped: set[int] = set()
        for step in run.steps:
            current, seen = self.place_of(step.variables)
            if current is not None and _passes_over(run, step):
                skipped.add(current)
            states.append(
                {
                    "current": current,
                    "seen": seen,
                    "skipped": sorted(skipped),
                    "chain": self.chain_of(step.variables),
                    "window": self._window(step.variables, origin),
                }
            )
        if states and states[-1]["chain"]:
            # The answer is looked at as a whole: its chain, in the window that it opened.
            first = int(self.time[states[-1]["chain"][0]])
            states[-1] |= {"current": None, "window": self._from(first, origin)}
        return {
            "kind": "timeline",
            "title": "Events on their steps",
            "asks": "Which events count after it?",
            "lanes": [f"{k + 1} {label}" for k, label in enumerate(self.funnel.labels)],
            "events": events,
            "ticks": [{"at": self._at(t - origin), "label": clock(t)} for t in ticks],
            "states": states,
        }

    def slots(self, run: Trace, clock: Clock) -> dict[str, Any]:
        """When the chain that each level holds began, in each step."""
        held = [self.slots_of(step.variables) for step in run.steps]
        states = []
        for before, now in zip([held[0], *held], held, strict=False):
            changed = [
                k for k, pair in enumerate(zip(before, now, strict=True)) if pair[0] != pair[1]
            ]
            cells = [None if start is None else clock(start) for start in now]
            states.append({"cells": cells, "changed": changed, "current": None})
        # A slot has the begin of a chain: the event's own time is what it is mistaken for.
        for state, step in zip(states, run.steps, strict=True):
            at, _ = self.place_of(step.variables)
            state["instead"] = [] if at is None else [clock(self.time[at])]
        return {
            "kind": "cells",
            "title": "When the chain that each level holds began",
            "labels": [f"{k + 1} {label}" for k, label in enumerate(self.funnel.labels)],
            "states": states,
        }

    def _at(self, distance: int) -> float:
        return float(distance) if self.rows.integer_time else distance / 1e6

    def _window(self, state: dict[str, Any], origin: int) -> dict[str, Any] | None:
        starts = [start for start in self.slots_of(state) if start is not None]
        k = state.get("k")
        if not starts:
            return None
        return self._from(starts[min(max((k or 0) - 1, 0), len(starts) - 1)], origin)

    def _from(self, chosen: int, origin: int) -> dict[str, Any]:
        """The window of a chain that began then."""
        length = str(self.window) if self.rows.integer_time else spoken(self.window)
        return {
            "from": self._at(chosen - origin),
            "to": self._at(chosen - origin + self.window),
            "label": f"window of {length}",
        }


class _Scan(_View):
    """A run of ``window_funnel``: entries of time and step, one slot a level."""

    def __init__(self, funnel: Funnel, rows: KeyRows) -> None:
        super().__init__(funnel, rows)
        whole = np.array([0, len(rows.time)])
        _, self.time, self.step = entries(whole, rows.time, rows.conditions)
        self.row = _rows_of_entries(rows, self.time, self.step)
        self.names = [rows.names[row] for row in self.row]

    def run(self, show: Any) -> Trace:
        slots = np.full((2, self.steps), UNWRITTEN, np.int64)
        parent = np.zeros(len(self.time), np.int32)
        reached = np.full(self.steps, UNWRITTEN, np.int64)
        columns = self.time.copy(), self.step.copy()
        return trace(
            window_funnel, *columns, self.window, *self.modes, *slots, parent, reached, show=show
        )

    def slots_of(self, state: dict[str, Any]) -> list[int | None]:
        pairs = zip(state["start"], state["holder"], strict=True)
        return [start if holder >= 0 else None for start, holder in pairs]

    def place_of(self, state: dict[str, Any]) -> tuple[int | None, int]:
        current = state.get("i")
        return current, 0 if current is None else current + 1

    def chain_of(self, state: dict[str, Any]) -> list[int]:
        level, chain = state.get("level", 0), []
        at = state["holder"][level - 1] if level else -1
        while at >= 0:
            chain.append(at)
            at = state["parent"][at]
        return chain[::-1]


class _Once(_View):
    """A run of ``window_funnel_once``: rows of time and conditions, a chain of times a level."""

    def __init__(self, funnel: Funnel, rows: KeyRows) -> None:
        super().__init__(funnel, rows)
        order = np.lexsort((rows.conditions, rows.time))
        self.time, self.conditions = rows.time[order], rows.conditions[order]
        self.row = order.tolist()
        self.names = [rows.names[i] or str(bin(rows.conditions[i])) for i in order]
        # A row that fulfils several steps is drawn on the first of them.
        self.step = np.array([(int(c) & -int(c)).bit_length() for c in self.conditions])

    def run(self, show: Any) -> Trace:
        size = len(self.time)
        slots, reached = np.zeros((4, self.steps), np.int64), np.full(self.steps, UNWRITTEN)
        slots[0] = UNWRITTEN
        chain = np.full((self.steps, self.steps), UNWRITTEN, np.int64)
        of_rows = np.zeros((2, size), np.int64)
        columns = self.time.copy(), self.conditions.copy()
        return trace(
            window_funnel_once, *columns, self.window, *self.modes, *slots, chain, *of_rows,
            np.zeros(size, np.uint32), reached, show=show,
        )  # fmt: skip

    def slots_of(self, state: dict[str, Any]) -> list[int | None]:
        level = state.get("level", 0)
        starts = (state["chain"][k][0] if k < level else UNWRITTEN for k in range(self.steps))
        return [None if start == UNWRITTEN else start for start in starts]

    def place_of(self, state: dict[str, Any]) -> tuple[int | None, int]:
        first = state.get("first", 0)
        return (first if first < len(self.time) else None), min(first + 1, len(self.time))

    def chain_of(self, state: dict[str, Any]) -> list[int]:
        level = state.get("level", 0)
        found: list[int] = []
        for k, time in enumerate(state["chain"][level - 1][:level] if level else []):
            fits = (self.time == time) & ((self.conditions >> np.uint32(k)) & 1 == 1)
            found += [int(i) for i in np.flatnonzero(fits) if i not in found][:1]
        return found


def _rows_of_entries(rows: KeyRows, time: NDArray[np.int64], step: NDArray[Any]) -> list[int]:
    """The row behind each entry; rows of one time and step are taken in their order."""
    waiting: dict[tuple[int, int], list[int]] = {}
    for row, (at, conditions) in enumerate(zip(rows.time, rows.conditions, strict=True)):
        fulfilled = [k + 1 for k in range(32) if int(conditions) >> k & 1] or [0]
        for k in fulfilled:
            waiting.setdefault((int(at), k), []).append(row)
    return [waiting[int(at), int(k)].pop(0) for at, k in zip(time, step, strict=True)]


def _passes_over(run: Trace, step: Step) -> bool:
    kernel = next(kernel for kernel in run.kernels if kernel.__name__ == step.kernel)
    return kernel.source.splitlines()[step.line - 1].strip().startswith(("continue", "break"))
