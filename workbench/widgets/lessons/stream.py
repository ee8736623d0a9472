"""The kernels of windows over streams on a few rows, as lessons for the step player."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from kernels import registry, trace
from kernels.frames.extent import FrameExtent, extent_table
from workbench.widgets.stepper.player import Player
from workbench.widgets.stepper.trace_lesson import lesson_of

Clock = Callable[[int], str]
#: The distance by which a band extends beyond its first and its last row.
ROOM = 0.4
ARRIVED = {
    "current": "the row that arrives", "chain": None, "skipped": None,
    "seen": "a row that is there", "future": None,
}  # fmt: skip
CLOSED = {
    "current": "the row whose frames are looked at", "chain": "has left", "skipped": None,
    "seen": "waits", "future": None,
}  # fmt: skip
AFFECTED = {
    "current": "the row that has changed", "chain": "its answer can be another now",
    "skipped": None, "seen": "keeps its answer", "future": None,
}  # fmt: skip


def play_merge(
    times: Sequence[int], ids: Sequence[int], arrives: tuple[int, int], clock: Clock
) -> Player:
    """Step through how an arrival finds its place among the rows of a partition.

    Parameters
    ----------
    times, ids : sequence of int
        The existing rows, in order.
    arrives : (int, int)
        The time and the id of the arriving row.
    clock : function
        Formats a time.

    Returns
    -------
    Player
    """
    rows = np.array(times), np.array(ids), np.zeros(len(times), np.uint8)
    new = np.array(arrives[:1]), np.array(arrives[1:])
    written = np.zeros(len(times), np.int64), *np.zeros((2, 1), np.int64)
    run = trace(registry["place_rows"], *rows, *new, *written, show={"time": clock})
    lesson = lesson_of(run, f"{clock(arrives[0])} arrives", _formatters(clock))
    place = int(run.steps[-1].variables["new_position"][0])
    after = [*times[:place], arrives[0], *times[place:]]
    state = {"current": place, "seen": len(after), "chain": [], "skipped": [], "window": None}
    return Player({**lesson, "pictures": [_timeline(after, clock, [state], ARRIVED)]})


def play_close(
    times: Sequence[int],
    extents: Sequence[FrameExtent],
    watermark: int,
    clock: Clock,
    waiting: int = 0,
) -> Player:
    """Step through which rows leave at a watermark, and which are no longer needed.

    Parameters
    ----------
    times : sequence of int
        The times of the rows of a partition, in order.
    extents : sequence of FrameExtent
        The extent of each call.
    watermark : int
    clock : function
        Formats a time.
    waiting : int
        The first row that has not left.

    Returns
    -------
    Player
    """
    outcome = np.zeros(4, np.int64)
    arguments = np.array(times), np.array([waiting]), extent_table(extents), watermark, outcome
    run = trace(registry["close_windows"], *arguments, show={"time": clock})
    lesson = lesson_of(run, f"The watermark rises to {clock(watermark)}", _formatters(clock))
    released = int(np.searchsorted(times, watermark, side="right"))
    states = [_closing(step.variables, released) for step in run.steps]
    picture = _timeline(times, clock, states, CLOSED)
    return Player({**lesson, "pictures": [picture | {"asks": "Which rows have left then?"}]})


def play_affected(
    times: Sequence[int], extents: Sequence[FrameExtent], changed: int, clock: Clock
) -> Player:
    """Step through which rows a new row can affect, and which rows their answers depend on.

    Parameters
    ----------
    times : sequence of int
        The times of the rows of a partition, in order, including the new one.
    extents : sequence of FrameExtent
    changed : int
        The number of the new row.
    clock : function
        Formats a time.

    Returns
    -------
    Player
    """
    ranges = np.zeros((4, 1), np.int64)
    change = np.array([changed]), np.array([times[changed]]), np.ones(1, np.uint8)
    arguments = np.array(times), extent_table(extents), *change, *ranges
    run = trace(registry["affected_ranges"], *arguments, show={"time": clock})
    lesson = lesson_of(run, f"A row of {clock(times[changed])} is inserted", _formatters(clock))
    states = [_affecting(step.variables, changed, len(times)) for step in run.steps]
    picture = _timeline(times, clock, states, AFFECTED)
    asks = "Which rows can have another answer then?"
    return Player({**lesson, "pictures": [picture | {"asks": asks}]})


def _formatters(clock: Clock) -> dict[str, Callable[[Any], Any]]:
    """Return the formatters of variables that contain times."""
    times = ("code", "watermark", "due", "at", "now", "changed", "new_code")

    def as_text(value: Any) -> Any:
        return (
            [as_text(one) for one in value] if isinstance(value, list) else _time_text(value, clock)
        )

    return dict.fromkeys(times, as_text)


def _time_text(value: Any, clock: Clock) -> Any:
    # In some kernels, variables of these names are row numbers; the greatest integer means never.
    if isinstance(value, int) and value >= 2**62:
        return "never"
    return clock(value) if isinstance(value, int) and value > 99 else value


def _timeline(
    times: Sequence[int], clock: Clock, states: list[Any], legend: dict[str, Any]
) -> dict[str, Any]:
    names = [clock(time) for time in times]
    events = [{"at": float(row), "lane": 0, "text": name} for row, name in enumerate(names)]
    ticks = [{"at": float(row), "label": name} for row, name in enumerate(names)]
    title = "the rows of the partition in their order"
    return {
        "kind": "timeline", "title": title, "lanes": ["rows"], "events": events, "ticks": ticks,
        "states": states, "legend": legend,
    }  # fmt: skip


def _band(first: int, last: int, label: str) -> dict[str, Any] | None:
    """Return a band from a row to another, inclusive."""
    if last < first:
        return None
    return {"from": first - ROOM, "to": last + ROOM, "label": label}


def _closing(variables: dict[str, Any], released: int) -> dict[str, Any]:
    rows, row = len(variables["code"]), variables.get("row", 0)
    band = _band(0, released - 1, "released by the watermark")
    current = row if row < rows else None
    return {
        "current": current, "seen": rows, "chain": list(range(row)), "skipped": [], "window": band,
    }  # fmt: skip


def _affecting(variables: dict[str, Any], changed: int, rows: int) -> dict[str, Any]:
    first, last = variables.get("first", changed), variables.get("last", changed + 1)
    band = None
    if "start" in variables:
        band = _band(variables["start"], variables["end"] - 1, "what answers are made of")
        last = variables["last"] + 1
    chain = [row for row in range(first, last) if row != changed]
    return {"current": changed, "seen": rows, "chain": chain, "skipped": [], "window": band}
