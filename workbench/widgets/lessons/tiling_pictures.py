"""Queries and events on a timeline, hops, answers and the tree, in each step of a tiling kernel."""

from collections.abc import Callable, Mapping
from typing import Any

from kernels import Step, Trace
from workbench.lessons.tiles import Tile
from workbench.lessons.tiling_steps import StepSubject, Tables, step_is, subjects_of, tables_of
from workbench.widgets.lessons.tiling_tree import tile_shape
from workbench.widgets.stepper.lesson import Lesson

Formatter = Callable[[Mapping[str, Any]], str]
Clock = Callable[[Any], str]

QUERIES, EVENTS = 0, 1
LEGEND = {
    "current": "now",
    "chain": "in the window, or affected",
    "skipped": None,
    "seen": "not",
    "future": None,
}
TREES = ("generate_tiles", "update_tiles", "push_down", "tree_tails")
TILE_LEGEND = {"now": "now", "lit": "a tile", "empty": "not yet written"}
#: By kernel, the meaning of the states that it writes, one for each query.
WRITES = {
    **dict.fromkeys(("cursor_tails", "stack_tails", "tree_tails"), "tail"),
    "head_states": "head",
    **dict.fromkeys(
        ("naive_windows", "rollup_windows", "cursor_windows", "search_windows", "join_heads"),
        "answer",
    ),
}
NOTHING = {"nothing": "-"}


def tiling_pictures(run: Trace, formatter: Formatter, clock: Clock) -> list[Lesson]:
    """Return the pictures of a run of tiling kernels.

    Parameters
    ----------
    run : kernels.Trace
    formatter : function
        Formats a state.
    clock : function
        Formats a time.

    Returns
    -------
    list of dict
    """
    tables = tables_of(run)
    brief = _briefly(formatter)
    pictures = [_timeline(run, tables, clock)] if tables.query or tables.time else []
    if any(step.kernel in TREES for step in run.steps):
        pictures.append(_tree(run, tables, brief))
    if tables.start:
        pictures.append(_hops(run, tables, brief, clock))
        if any(step.kernel == STACKS for step in run.steps):
            pictures += [_stack(run, tables, brief, clock, *one) for one in (OLDER, NEWER)]
    if any(step.kernel in WRITES for step in run.steps):
        pictures.append(_query_cells(run, tables, brief, clock))
    return pictures


def state_words(empty: Mapping[str, Any], row: list[Any], formatter: Formatter) -> str | None:
    """Return a row of a table of states as text, or None if it has not been written yet.

    Rows are initially zeros. If the state without events differs from zeros, and has a field with
    its number of rows, zeros are not a state.

    Parameters
    ----------
    empty : mapping
        The state without events, by its fields.
    row : list
    formatter : function
        Formats a state.

    Returns
    -------
    str or None

    Examples
    --------
    >>> state_words({"key": -9, "rows": 0}, [0, 0], str), state_words({"at": -1}, [0], str)
    (None, "{'at': 0}")
    """
    if len(row) > 1 and any(empty.values()) and not any(row):
        return None
    return formatter(dict(zip(empty, row, strict=True)))


def _briefly(formatter: Formatter) -> Formatter:
    def brief(state: Mapping[str, Any]) -> str:
        words = formatter(state)
        return NOTHING.get(words, words)

    return brief


def _timeline(run: Trace, tables: Tables, clock: Clock) -> Lesson:
    origin = min([*tables.query, *tables.time])
    values = tables.value or [""] * len(tables.time)
    events = [
        {
            "at": float(at - origin),
            "lane": QUERIES,
            "text": f"query {i}, at {clock(at)}",
            "noun": "query",
            "number": i,
            "row": i,
        }
        for i, at in enumerate(tables.query)
    ] + [
        {
            "at": float(at - origin),
            "lane": EVENTS,
            "text": f"event {row}, at {clock(at)}: {_short(value)}",
            "noun": "event",
            "number": row,
            "row": len(tables.query) + row,
        }
        for row, (at, value) in enumerate(zip(tables.time, values, strict=True))
    ]
    times = sorted({*tables.query, *tables.time})
    return {
        "kind": "timeline",
        "title": "Queries and events",
        "lanes": ["queries", "events"],
        "events": events,
        "ticks": [{"at": float(at - origin), "label": clock(at)} for at in times],
        "legend": LEGEND,
        "states": [
            _timeline_state(subject, len(tables.query), origin) for subject in subjects_of(run)
        ],
    }


def _timeline_state(subject: StepSubject, queries: int, origin: int) -> dict[str, Any]:
    current = None if subject.event is None else queries + subject.event
    state: dict[str, Any] = {
        "current": current if subject.query is None else subject.query,
        "chain": [*subject.queries, *(queries + row for row in subject.events)],
        "skipped": [],
    }
    if subject.low is not None and subject.high is not None:
        state["asks"] = _question(subject.what)
        low, high = float(subject.low - origin), float(subject.high - origin)
        state["window"] = {"from": low, "to": high, "label": subject.what}
    return state


def _question(what: str) -> str:
    if what.startswith("affected"):
        return f"Which queries are {what}?"
    return f"Which events are in {what if what.startswith('a ') else f'the {what}'} then?"


def _hops(run: Trace, tables: Tables, formatter: Formatter, clock: Clock) -> Lesson:
    states: list[dict[str, Any] | None] = []
    before: list[Any] = [None] * len(tables.start)
    for step in run.steps:
        cells = _hop_cells(step, formatter, before)
        states.append(_cells(before, cells, _hop_now(step)))
        before = cells
    labels = _without_midnight([clock(at) for at in tables.start])
    return {"kind": "cells", "title": "Hops, by their begin", "labels": labels, "states": states}


def _without_midnight(labels: list[str]) -> list[str]:
    """Return labels without times, if every time is midnight."""
    midnight = " 00:00"
    if all(label.endswith(midnight) for label in labels):
        return [label.removesuffix(midnight) for label in labels]
    return labels


def _hop_cells(step: Step, formatter: Formatter, before: list[Any]) -> list[Any]:
    rows = step.variables.get("hops")
    if rows is None or "empty" not in step.variables:
        return before
    empty = step.variables["empty"]
    cells = [state_words(empty, row, formatter) for row in rows[: len(before)]]
    return cells + [None] * (len(before) - len(cells))


def _hop_now(step: Step) -> int | None:
    if step.kernel == "hop_states":
        return int(step.variables["count"]) - 1
    moves = {"enters": "last", "joins the newer": "last", "leaves": "first"}
    moved = next((name for word, name in moves.items() if word in step.caption), None)
    has_hops = step.kernel.endswith("_tails") and moved is not None
    return step.variables[moved] - 1 if has_hops and moved else None


def _older_hops(step: Step, formatter: Formatter) -> dict[int, str]:
    """Return the state of each older hop merged with those after it, up to the pivot."""
    v = step.variables
    first, pivot = (v["k"], v["last"]) if _is_flip(step) else (v["first"], v["pivot"])
    names = list(v["empty"])
    return {k: formatter(dict(zip(names, v["older"][k], strict=True))) for k in range(first, pivot)}


def _newer_hops(step: Step, formatter: Formatter) -> dict[int, str]:
    """Return the hops from the pivot on; while they are turned over, those that are left."""
    v = step.variables
    first, last = (
        (v["first"], v["k"]) if _is_flip(step) else (max(v["first"], v["pivot"]), v["last"])
    )
    names = list(v["empty"])
    return {k: formatter(dict(zip(names, v["hops"][k], strict=True))) for k in range(first, last)}


def _is_flip(step: Step) -> bool:
    return "turned over" in step.caption


#: The kernel of the two stacks, and the title and the cells of each stack.
STACKS = "stack_tails"
StackCells = Callable[[Step, Formatter], dict[int, str]]
OLDER: tuple[str, StackCells] = (
    "The older stack, from each hop to the pivot", _older_hops
)  # fmt: skip
NEWER: tuple[str, StackCells] = ("The newer stack, after the pivot", _newer_hops)


def _stack(
    run: Trace,
    tables: Tables,
    formatter: Formatter,
    clock: Clock,
    title: str,
    stack_cells: StackCells,
) -> Lesson:
    states: list[dict[str, Any] | None] = []
    before: list[Any] = [None] * len(tables.start)
    for step in run.steps:
        now = stack_cells(step, formatter) if step.kernel == STACKS else dict(enumerate(before))
        cells = [now.get(k) for k in range(len(before))]
        states.append(_cells(before, cells, step.variables["k"] if _is_flip(step) else None))
        before = cells
    labels = _without_midnight([clock(at) for at in tables.start])
    return {"kind": "cells", "title": title, "labels": labels, "states": states}


def _query_cells(run: Trace, tables: Tables, formatter: Formatter, clock: Clock) -> Lesson:
    """Return the cells of the queries: each has its tail, then tail and head, then its answer."""
    parts = list(dict.fromkeys(WRITES[s.kernel] for s in run.steps if s.kernel in WRITES))
    size = next(len(s.variables["states"]) for s in run.steps if s.kernel in WRITES)
    states: list[dict[str, Any] | None] = []
    before: list[Any] = [None] * size
    for step in run.steps:
        cells, now = list(before), None
        part = WRITES.get(step.kernel)
        if part is not None and step_is(run, step, "store(states, i, state)"):
            now = step.variables["i"]
            row = step.variables["states"][now]
            words = formatter(dict(zip(step.variables["empty"], row, strict=True)))
            has_tail = part == "head" and before[now] is not None
            cells[now] = f"{before[now]} + {words}" if has_tail else words
        states.append(_cells(before, cells, now))
        before = cells
    labels = [clock(at) for at in tables.query] or [f"query {i}" for i in range(size)]
    title = f"What each query has: its {', then its '.join(parts)}"
    title = title.replace("its head", "tail + head")
    return {"kind": "cells", "title": title, "labels": labels, "states": states}


def _cells(before: list[Any], cells: list[Any], now: int | None) -> dict[str, Any]:
    changed = [k for k, (was, one) in enumerate(zip(before, cells, strict=True)) if was != one]
    return {"cells": cells, "changed": changed, "current": now}


def _tree(run: Trace, tables: Tables, formatter: Formatter) -> Lesson:
    over_hops = any(step.kernel == "tree_tails" for step in run.steps)
    alone = {step.kernel for step in run.steps} == {"generate_tiles"}
    places = len(tables.start if over_hops else tables.query)
    if alone:
        places = run.steps[0].variables["right"]
    elif not places:
        places = next(len(s.variables["states"]) for s in run.steps if "states" in s.variables)
    legend = {"lit": TILE_LEGEND["lit"]} if alone else TILE_LEGEND
    shape = tile_shape(places, "hops" if over_hops else "queries", legend)
    leaves = 2 ** (len(shape["levels"]) - 1)
    names = [node["id"] for node in shape["nodes"]]
    values = dict.fromkeys(names, "") if alone else {}
    states = []
    for step in run.steps:
        values = _node_values(step, names, formatter) or values
        states.append({"values": values, **_marks(step, leaves)})
    return {**shape, "states": states}


def _node_values(step: Step, names: list[str], formatter: Formatter) -> dict[str, str]:
    tree, empty = step.variables.get("tree"), step.variables.get("empty")
    if tree is None or empty is None or step.kernel not in TREES:
        return {}
    rows = {name: tree[int(name)] for name in names if int(name) < len(tree)}
    words = {name: state_words(empty, row, formatter) for name, row in rows.items()}
    return {name: text for name, text in words.items() if text is not None}


def _marks(step: Step, leaves: int) -> dict[str, Any]:
    v = step.variables
    state: dict[str, Any] = {"lit": [], "current": None, "frames": [], "label": ""}
    if step.kernel == "push_down":
        return {**state, "lit": [str(v["child"] // 2)], "current": str(v["child"])}
    if step.kernel == "tree_tails" and step.caption.startswith("Node") and "i" not in v:
        node = v["node"]
        return {**state, "lit": [str(2 * node), str(2 * node + 1)], "current": str(node)}
    if step.kernel not in TREES or "tiles" not in v:
        return state
    low, high = (v[name] for name in _bounds(step))
    tiles = [Tile(*pair) for pair in v["tiles"][: v.get("count", 0)] if pair[0] < pair[1]]
    into = step.kernel != "generate_tiles" and "k" in v and step.caption.count("ode")
    return {
        "lit": [str(tile.node(leaves)) for tile in tiles],
        "current": str(v["node"]) if into and "node" in v else None,
        "frames": [{"from": low, "to": high}] if low < high else [],
        "label": f"[{low}, {high})",
    }


def _bounds(step: Step) -> tuple[str, str]:
    return ("first", "last") if step.kernel == "tree_tails" else ("left", "right")


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
