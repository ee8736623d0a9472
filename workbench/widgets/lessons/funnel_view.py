"""The pictures of the lessons of all funnels: events on a timeline, and the kernel's slots."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernels import Step, Trace
from workbench.described import name_shown
from workbench.durations import DAY, MINUTE, SECOND, duration_text, from_epoch
from workbench.funnel.funnel import Funnel
from workbench.funnel.inspect.one_key import KeyRows
from workbench.funnel.spec import MODES

#: The value of slots that no chain has reached; it is no time, and shown as nothing.
UNWRITTEN = np.iinfo(np.int64).min

Clock = Callable[[Any], str]


def clock_for(time: NDArray[np.int64], integer_time: bool) -> Clock:
    """Return a formatter of times, as short as it can be to distinguish these times.

    Parameters
    ----------
    time : int64 array
        Microseconds, or integers in the user's unit.
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
    one_day = int(time.min()) // DAY == int(time.max()) // DAY
    day = "" if one_day else "%d %b %Y " if _spans_years(time) else "%d %b "
    seconds = ":%S" if (time % MINUTE).any() else ""
    finer = ".%f" if (time % SECOND).any() else ""

    # A lesson formats the few times of its rows again at each step.
    @cache
    def clock(value: int) -> str:
        return from_epoch(int(value)).strftime(f"{day}%H:%M{seconds}{finer}")

    return clock


def _spans_years(time: NDArray[np.int64]) -> bool:
    first, last = (from_epoch(int(t)) for t in (time.min(), time.max()))
    return first.year != last.year


class FunnelView:
    """The base class of the pictures of a run."""

    def __init__(self, funnel: Funnel, rows: KeyRows) -> None:
        self.funnel, self.rows = funnel, rows
        self.steps = len(funnel.labels)
        self.window = funnel.span(rows.integer_time)
        # strict_once chooses between two kernels, which both take the other modes.
        self.modes = [mode in funnel.modes for mode in MODES if mode != "strict_once"]

    time: NDArray[np.int64]
    step: NDArray[Any]
    names: list[str]
    row: list[int]
    #: The title of the picture of the slots.
    slots_title = "When the chain that each level holds began"

    def run(self, show: Any) -> Trace:
        """Trace the kernel on the key's rows."""
        raise NotImplementedError

    def slots_of(self, state: dict[str, Any]) -> list[int | None]:
        """Return the start of the chain of each level."""
        raise NotImplementedError

    def position_of(self, state: dict[str, Any]) -> tuple[int | None, int]:
        """Return the current row of the scan, and the number of rows scanned so far."""
        current = state.get("i")
        return current, 0 if current is None else current + 1

    def chain_of(self, state: dict[str, Any]) -> list[int]:
        """Return the events of the best chain so far."""
        raise NotImplementedError

    def after(self, run: Trace) -> str | None:
        """Return why the funnel's level is 0 after all, whatever the scan found; else None."""
        return None

    def timeline(self, run: Trace, clock: Clock) -> dict[str, Any]:
        """Return the timeline of events, with the window and the best chain in each step."""
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
            current, seen = self.position_of(step.variables)
            if current is not None and _skips(run, step):
                skipped.add(current)
            states.append(
                {
                    "current": current,
                    "seen": seen,
                    "skipped": sorted(skipped),
                    "chain": self.chain_of(step.variables),
                    "window": self.window_at(step.variables, origin),
                }
            )
        if states and states[-1]["chain"]:
            # The last step shows the answer: its chain, in the window that it opened.
            first = int(self.time[states[-1]["chain"][0]])
            states[-1] |= {"current": None, "window": self._from(first, origin)}
        return {
            "kind": "timeline",
            "title": "Events on their steps",
            "asks": "Which events count after it?",
            "lanes": [f"{k + 1} {name_shown(label)}" for k, label in enumerate(self.funnel.labels)],
            "events": events,
            "ticks": [{"at": self._at(t - origin), "label": clock(t)} for t in ticks],
            "states": states,
        }

    def slots(self, run: Trace, clock: Clock) -> dict[str, Any]:
        """Return the cells with the begin of the chain of each level, in each step."""
        slots = [self.slots_of(step.variables) for step in run.steps]
        states = []
        for before, now in zip([slots[0], *slots], slots, strict=False):
            changed = [
                k for k, pair in enumerate(zip(before, now, strict=True)) if pair[0] != pair[1]
            ]
            cells = [None if start is None else clock(start) for start in now]
            states.append({"cells": cells, "changed": changed, "current": None})
        # A slot has the begin of a chain; the event's own time is a plausible wrong answer.
        for state, step in zip(states, run.steps, strict=True):
            at, _ = self.position_of(step.variables)
            state["instead"] = [] if at is None else [clock(self.time[at])]
        return {
            "kind": "cells",
            "title": self.slots_title,
            "labels": [
                f"{k + 1} {name_shown(label)}" for k, label in enumerate(self.funnel.labels)
            ],
            "states": states,
        }

    def _at(self, distance: int) -> float:
        return float(distance) if self.rows.integer_time else distance / 1e6

    def window_at(self, state: dict[str, Any], origin: int) -> dict[str, Any] | None:
        starts = [start for start in self.slots_of(state) if start is not None]
        k = state.get("k")
        if not starts:
            return None
        return self._from(starts[min(max((k or 0) - 1, 0), len(starts) - 1)], origin)

    def _from(self, chosen: int, origin: int) -> dict[str, Any]:
        """Return the window of a chain that began at this time."""
        length = str(self.window) if self.rows.integer_time else duration_text(self.window)
        return {
            "from": self._at(chosen - origin),
            "to": self._at(chosen - origin + self.window),
            "label": f"window of {length}",
        }


def _skips(run: Trace, step: Step) -> bool:
    kernel = next(kernel for kernel in run.kernels if kernel.__name__ == step.kernel)
    return kernel.source.splitlines()[step.line - 1].strip().startswith(("continue", "break"))
