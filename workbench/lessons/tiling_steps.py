"""The subject of a step of the tiling kernels: a query or an event, its window and its events."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from kernels import Step, Trace
from kernels.tiling.hops import floor_to

Variables = Mapping[str, Any]


@dataclass(frozen=True)
class Tables:
    """The inputs of a run of tiling kernels, as far as its steps have them.

    Attributes
    ----------
    query, time, value : list
        Empty if no kernel of the run takes them.
    start : list of int
        The begins of hops.
    window, hop : int or None
    """

    query: list[int] = field(default_factory=list)
    time: list[int] = field(default_factory=list)
    value: list[Any] = field(default_factory=list)
    start: list[int] = field(default_factory=list)
    window: int | None = None
    hop: int | None = None


@dataclass(frozen=True)
class StepSubject:
    """The subject of a step.

    Attributes
    ----------
    query, event : int or None
        The number of the current query or event.
    low, high : int or None
        The current window, or the range of times that an event affects.
    events, queries : tuple of int
        The events in that window so far, the queries that an event affects.
    what : str
        The name of the window.
    """

    query: int | None = None
    event: int | None = None
    low: int | None = None
    high: int | None = None
    events: tuple[int, ...] = ()
    queries: tuple[int, ...] = ()
    what: str = "window"


def tables_of(run: Trace) -> Tables:
    """Return the inputs of a run.

    Parameters
    ----------
    run : kernels.Trace
        A run of one or several tiling kernels.

    Returns
    -------
    Tables
    """
    inputs: dict[str, Any] = {}
    for step in run.steps:
        for name in ("query", "time", "value", "window", "hop", "start"):
            # Hops are complete in a late step; the other inputs do not change during a run.
            if name in step.variables and (name == "start" or name not in inputs):
                inputs[name] = step.variables[name]
    return Tables(**inputs)


def subjects_of(run: Trace) -> list[StepSubject]:
    """Return the subject of each step of a run.

    Parameters
    ----------
    run : kernels.Trace
        A run of one or several tiling kernels.

    Returns
    -------
    list of StepSubject

    Examples
    --------
    >>> import numpy as np
    >>> from kernels import trace
    >>> from kernels.tiling.scan import cursor_windows
    >>> from kernels.states.states import Count
    >>> query, time, states = np.array([4, 9]), np.array([1, 4, 8]), np.zeros((2, 1), np.int64)
    >>> last = subjects_of(trace(cursor_windows, Count(), query, 5, time, time, time, states))[-1]
    >>> last.query, (last.low, last.high), last.events
    (1, (4, 9), (1, 2))
    """
    tables = tables_of(run)
    subjects: list[StepSubject] = []
    captions = {kernel.__name__: kernel.captions for kernel in run.kernels}
    for step, event in zip(run.steps, _events_of_tiles(run), strict=True):
        reader = READERS.get(step.kernel)
        variables = step.variables if event is None else {**step.variables, "row": event}
        caption = captions[step.kernel][step.line]
        subjects.append(reader(variables, caption, tables) if reader else StepSubject())
    return subjects


def _events_of_tiles(run: Trace) -> Iterator[int | None]:
    """Return the event whose range is cut into tiles, which a later step of its kernel has."""
    event: int | None = None
    events: list[int | None] = []
    for step in reversed(run.steps):
        event = step.variables["row"] if step.kernel == "update_tiles" else event
        events.append(event if step.kernel == "generate_tiles" else None)
    return reversed(events)


def _inside(tables: Tables, low: int, high: int, upto: int | None = None) -> tuple[int, ...]:
    """Return the events in [low, high), among the first ``upto`` ones if given."""
    return tuple(row for row, at in enumerate(tables.time[:upto]) if low <= at < high)


def _naive(v: Variables, caption: str, tables: Tables) -> StepSubject:
    low, high = v["low"], v["query"][v["i"]]
    if caption.startswith("Event"):
        inside = _inside(tables, low, high, v["row"] + 1)
        return StepSubject(event=v["row"], low=low, high=high, events=inside)
    inside = () if "sees" in caption else _inside(tables, low, high)
    return StepSubject(query=v["i"], low=low, high=high, events=inside)


def _rollup(v: Variables, caption: str, tables: Tables) -> StepSubject:
    low, high = v["low"], v["query"][v["i"]]
    if "cuts" in caption:
        inside = _inside(tables, low, high, v["row"])
        return StepSubject(event=v["row"], low=low, high=high, events=inside)
    upto = v["stop"][v["day"]] if "whole" in caption else None
    return StepSubject(query=v["i"], low=low, high=high, events=_inside(tables, low, high, upto))


def _cursors(v: Variables, caption: str, _tables: Tables) -> StepSubject:
    window = {"low": v["low"], "high": v["query"][v["i"]]}
    inside = tuple(range(v["first"], v["last"]))
    if caption.startswith("Event"):
        event = v["last"] if "enters" in caption else v["first"]
        return StepSubject(event=event - 1, events=inside, **window)
    return StepSubject(query=v["i"], events=inside, **window)


def _search(v: Variables, caption: str, tables: Tables) -> StepSubject:
    begin, row = v["time"][v["row"]], v["row"]
    high = v["query"][v["i"]] if caption.startswith("Query") else begin
    queries = tuple(i for i, at in enumerate(tables.query) if begin < at <= high)
    subject = {"query": v["i"]} if caption.startswith("Query") else {"event": row}
    return StepSubject(
        low=begin, high=v["end"], queries=queries, what=f"affected by event {row}", **subject
    )


def _tiles(v: Variables, _caption: str, tables: Tables) -> StepSubject:
    row, window = v.get("row"), tables.window
    if row is None or window is None:
        return StepSubject()
    low = tables.time[row]
    queries = tuple(i for i, at in enumerate(tables.query) if low < at <= low + window)
    what = f"affected by event {row}"
    return StepSubject(event=row, low=low, high=low + window, queries=queries, what=what)


def _push_down(v: Variables, _caption: str, _tables: Tables) -> StepSubject:
    leaf = v["child"] - v["leaves"]
    return StepSubject(query=leaf if 0 <= leaf < len(v["states"]) else None)


def _hops(v: Variables, _caption: str, _tables: Tables) -> StepSubject:
    row, begin = v["row"], v["begin"]
    inside = tuple(k for k in range(row + 1) if floor_to(v["time"][k], v["hop"]) == begin)
    return StepSubject(event=row, low=begin, high=begin + v["hop"], events=inside, what="a hop")


def _tails(v: Variables, caption: str, tables: Tables) -> StepSubject:
    if "i" not in v or caption.startswith("Node {node}, of"):
        return StepSubject()
    first, last = v["first"], v["last"]
    inside: tuple[int, ...] = ()
    if first < last:
        inside = _inside(tables, v["start"][first], v["start"][last - 1] + v["hop"])
    what = f"tail of query {v['i']}"
    return StepSubject(query=v["i"], low=v["low"], high=v["high"], events=inside, what=what)


def _heads(v: Variables, caption: str, tables: Tables) -> StepSubject:
    low, high = v["head"], v["query"][v["i"]]
    inside = _inside(tables, low, high, v["row"])
    subject = {"event": v["row"] - 1} if caption.startswith("Event") else {"query": v["i"]}
    return StepSubject(low=low, high=high, events=inside, what=f"head of query {v['i']}", **subject)


def _join_heads(v: Variables, _caption: str, tables: Tables) -> StepSubject:
    if tables.window is None or tables.hop is None or not tables.query:
        return StepSubject(query=v["i"])
    high = tables.query[v["i"]]
    low = floor_to(high - tables.window, tables.hop)
    inside = _inside(tables, low, high)
    return StepSubject(query=v["i"], low=low, high=high, events=inside, what="tail and head")


#: By kernel, the function that returns the subject of a step.
READERS: dict[str, Callable[[Variables, str, Tables], StepSubject]] = {
    "naive_windows": _naive,
    "rollup_windows": _rollup,
    "cursor_windows": _cursors,
    "search_windows": _search,
    "generate_tiles": _tiles,
    "update_tiles": _tiles,
    "push_down": _push_down,
    "hop_states": _hops,
    **dict.fromkeys(("cursor_tails", "stack_tails", "tree_tails"), _tails),
    "head_states": _heads,
    "join_heads": _join_heads,
}


def step_is(run: Trace, step: Step, words: str) -> bool:
    """Return whether a step's line of source contains these words."""
    kernel = next(kernel for kernel in run.kernels if kernel.__name__ == step.kernel)
    return words in kernel.source.splitlines()[step.line - 1]
