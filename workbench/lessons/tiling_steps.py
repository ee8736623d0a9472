"""What a step of the tiling kernels is about: a query or an event, its window, what is in it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from kernels import Step, Trace
from kernels.tiling.hops import floor_to

Variables = Mapping[str, Any]


@dataclass(frozen=True)
class Tables:
    """The times that a run of tiling kernels is about, as far as its steps know them.

    Attributes
    ----------
    query, time, value : list
        Empty where no kernel of the run takes them.
    start : list of int
        When hops begin.
    window, hop : int or None
    """

    query: list[int] = field(default_factory=list)
    time: list[int] = field(default_factory=list)
    value: list[Any] = field(default_factory=list)
    start: list[int] = field(default_factory=list)
    window: int | None = None
    hop: int | None = None


@dataclass(frozen=True)
class Seen:
    """What a step looks at.

    Attributes
    ----------
    query, event : int or None
        Which query or which event is looked at, by its number.
    low, high : int or None
        The window that is meant, or the times that an event affects.
    events, queries : tuple of int
        The events that are in that window so far, the queries that an event affects.
    what : str
        What the window is called.
    """

    query: int | None = None
    event: int | None = None
    low: int | None = None
    high: int | None = None
    events: tuple[int, ...] = ()
    queries: tuple[int, ...] = ()
    what: str = "window"


def tables_of(run: Trace) -> Tables:
    """Return the times that a run is about.

    Parameters
    ----------
    run : kernels.Trace
        Of one or several tiling kernels.

    Returns
    -------
    Tables
    """
    found: dict[str, Any] = {}
    for step in run.steps:
        for name in ("query", "time", "value", "window", "hop", "start"):
            # Hops are known when they are all there; nothing else changes while a run goes on.
            if name in step.variables and (name == "start" or name not in found):
                found[name] = step.variables[name]
    return Tables(**found)


def seen_in(run: Trace) -> list[Seen]:
    """Return what each step of a run looks at.

    Parameters
    ----------
    run : kernels.Trace
        Of one or several tiling kernels.

    Returns
    -------
    list of Seen

    Examples
    --------
    >>> import numpy as np
    >>> from kernels import trace
    >>> from kernels.tiling.scan import cursor_windows
    >>> from kernels.states.states import Count
    >>> query, time, states = np.array([4, 9]), np.array([1, 4, 8]), np.zeros((2, 1), np.int64)
    >>> last = seen_in(trace(cursor_windows, Count(), query, 5, time, time, time, states))[-1]
    >>> last.query, (last.low, last.high), last.events
    (1, (4, 9), (1, 2))
    """
    tables = tables_of(run)
    found: list[Seen] = []
    captions = {kernel.__name__: kernel.captions for kernel in run.kernels}
    for step, event in zip(run.steps, _events_of_tiles(run), strict=True):
        look = LOOKS.get(step.kernel)
        variables = step.variables if event is None else {**step.variables, "row": event}
        caption = captions[step.kernel][step.line]
        found.append(look(variables, caption, tables) if look else Seen())
    return found


def _events_of_tiles(run: Trace) -> Iterator[int | None]:
    """The event whose range is being cut into tiles: its own kernel says so a few steps later."""
    event: int | None = None
    found: list[int | None] = []
    for step in reversed(run.steps):
        event = step.variables["row"] if step.kernel == "update_tiles" else event
        found.append(event if step.kernel == "generate_tiles" else None)
    return reversed(found)


def _inside(tables: Tables, low: int, high: int, upto: int | None = None) -> tuple[int, ...]:
    """The events in [low, high), of the first ones where there is a limit."""
    return tuple(row for row, at in enumerate(tables.time[:upto]) if low <= at < high)


def _naive(v: Variables, caption: str, tables: Tables) -> Seen:
    low, high = v["low"], v["query"][v["i"]]
    if caption.startswith("Event"):
        inside = _inside(tables, low, high, v["row"] + 1)
        return Seen(event=v["row"], low=low, high=high, events=inside)
    inside = () if "sees" in caption else _inside(tables, low, high)
    return Seen(query=v["i"], low=low, high=high, events=inside)


def _rollup(v: Variables, caption: str, tables: Tables) -> Seen:
    low, high = v["low"], v["query"][v["i"]]
    if "cuts" in caption:
        inside = _inside(tables, low, high, v["row"])
        return Seen(event=v["row"], low=low, high=high, events=inside)
    upto = v["stop"][v["day"]] if "whole" in caption else None
    return Seen(query=v["i"], low=low, high=high, events=_inside(tables, low, high, upto))


def _cursors(v: Variables, caption: str, _tables: Tables) -> Seen:
    window = {"low": v["low"], "high": v["query"][v["i"]]}
    inside = tuple(range(v["first"], v["last"]))
    if caption.startswith("Event"):
        event = v["last"] if "enters" in caption else v["first"]
        return Seen(event=event - 1, events=inside, **window)
    return Seen(query=v["i"], events=inside, **window)


def _search(v: Variables, caption: str, tables: Tables) -> Seen:
    begin, row = v["time"][v["row"]], v["row"]
    high = v["query"][v["i"]] if caption.startswith("Query") else begin
    queries = tuple(i for i, at in enumerate(tables.query) if begin < at <= high)
    here = {"query": v["i"]} if caption.startswith("Query") else {"event": row}
    return Seen(low=begin, high=v["end"], queries=queries, what=f"affected by event {row}", **here)


def _tiles(v: Variables, _caption: str, tables: Tables) -> Seen:
    row, window = v.get("row"), tables.window
    if row is None or window is None:
        return Seen()
    low = tables.time[row]
    queries = tuple(i for i, at in enumerate(tables.query) if low < at <= low + window)
    what = f"affected by event {row}"
    return Seen(event=row, low=low, high=low + window, queries=queries, what=what)


def _pushed(v: Variables, _caption: str, tables: Tables) -> Seen:
    leaf = v["child"] - v["leaves"]
    return Seen(query=leaf if 0 <= leaf < len(v["states"]) else None)


def _hops(v: Variables, _caption: str, _tables: Tables) -> Seen:
    row, begin = v["row"], v["begin"]
    inside = tuple(k for k in range(row + 1) if floor_to(v["time"][k], v["hop"]) == begin)
    return Seen(event=row, low=begin, high=begin + v["hop"], events=inside, what="a hop")


def _tails(v: Variables, caption: str, tables: Tables) -> Seen:
    if "i" not in v or caption.startswith("Node {node}, of"):
        return Seen()
    first, last = v["first"], v["last"]
    inside: tuple[int, ...] = ()
    if first < last:
        inside = _inside(tables, v["start"][first], v["start"][last - 1] + v["hop"])
    what = f"tail of query {v['i']}"
    return Seen(query=v["i"], low=v["low"], high=v["high"], events=inside, what=what)


def _heads(v: Variables, caption: str, tables: Tables) -> Seen:
    low, high = v["head"], v["query"][v["i"]]
    inside = _inside(tables, low, high, v["row"])
    here = {"event": v["row"] - 1} if caption.startswith("Event") else {"query": v["i"]}
    return Seen(low=low, high=high, events=inside, what=f"head of query {v['i']}", **here)


def _joined(v: Variables, _caption: str, tables: Tables) -> Seen:
    if tables.window is None or tables.hop is None or not tables.query:
        return Seen(query=v["i"])
    high = tables.query[v["i"]]
    low = floor_to(high - tables.window, tables.hop)
    inside = _inside(tables, low, high)
    return Seen(query=v["i"], low=low, high=high, events=inside, what="tail and head")


#: How the steps of each kernel are read.
LOOKS: dict[str, Callable[[Variables, str, Tables], Seen]] = {
    "naive_windows": _naive,
    "rollup_windows": _rollup,
    "cursor_windows": _cursors,
    "search_windows": _search,
    "generate_tiles": _tiles,
    "update_tiles": _tiles,
    "push_down": _pushed,
    "hop_states": _hops,
    **dict.fromkeys(("cursor_tails", "stack_tails", "tree_tails"), _tails),
    "head_states": _heads,
    "join_heads": _joined,
}


def step_is(run: Trace, step: Step, words: str) -> bool:
    """Say whether a step's line of source has these words in it."""
    kernel = next(kernel for kernel in run.kernels if kernel.__name__ == step.kernel)
    return words in kernel.source.splitlines()[step.line - 1]
