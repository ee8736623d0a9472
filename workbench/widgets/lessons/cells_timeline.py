"""The cells that a query's windows are joined from, on a timeline."""

from typing import Any

from kernels import Trace
from kernels.tiling.cells import BEGIN, CORE, HEAD, HOP, LATEST, LENGTH, SERIES
from kernels.tiling.hops import window_start
from workbench.widgets.stepper.lesson import Lesson

LEGEND = {
    "current": "the cell that is taken", "chain": "in the window", "skipped": None,
    "seen": "not in it", "future": None,
}  # fmt: skip


def joined_cells(run: Trace) -> list[Lesson]:
    """Return the pictures of a run of ``join_windows``: the cells, and the state of each window.

    Parameters
    ----------
    run : kernels.Trace

    Returns
    -------
    list of dict
        A timeline, on which a cell extends from its begin to its end, and the windows as cells.
    """
    if not run.steps:
        return []
    variables = run.steps[0].variables
    size = variables["size"]
    cells = [variables["words"][at : at + size] for at in range(0, len(variables["words"]), size)]
    lanes = _lanes(variables["series"], variables["windows"])
    events = [_event(number, cell, variables) for number, cell in enumerate(cells)]
    taken_cells: dict[int, list[int]] = {}
    states, window_texts = [], []
    for step in run.steps:
        v = step.variables
        w, number = v["w"], v["first"] // size
        taken_cells.setdefault(w, []).append(number)
        states.append(_state(w, number, list(taken_cells[w]), v))
        window_texts.append(_window_texts(v))
    places = sorted({event["at"] for event in events} | {float(variables["at"])})
    ticks = [{"at": place, "label": f"{place:.0f}"} for place in places]
    asks = "Which cells does the window have then?"
    line = {
        "kind": "timeline", "title": "The key's cells, each from where it begins to where it ends",
        "lanes": lanes, "events": events, "ticks": ticks, "states": states, "legend": LEGEND,
        "asks": asks,
    }  # fmt: skip
    return [line, _window_cells(window_texts, len(variables["windows"]))]


def _lanes(series: int, windows: list[list[int]]) -> list[str]:
    """Return a lane for each series of hops, and one for the core of each window."""
    hops = {window[SERIES]: window[HOP] for window in windows}
    names = [f"hops of {hops[s]}" if s in hops else f"series {s}" for s in range(series)]
    return [*names, *(f"core of window {w}" for w in range(len(windows)))]


def _event(number: int, cell: list[int], variables: dict[str, Any]) -> dict[str, Any]:
    series, begin, windows = cell[SERIES], cell[BEGIN], variables["windows"]
    hops = [window[HOP] for window in windows if window[SERIES] == series]
    end = begin + hops[0] if hops else variables["upload"]
    fields = ", ".join(map(str, cell[HEAD:]))
    return {
        "at": float(begin), "to": float(max(end, cell[LATEST])), "lane": series,
        "noun": "cell", "number": number,
        "text": f"cell {number}, [{begin}, {end}), latest {cell[LATEST]}: {fields}",
    }  # fmt: skip


def _state(w: int, number: int, taken_cells: list[int], v: dict[str, Any]) -> dict[str, Any]:
    window = v["windows"][w]
    begin = window[CORE]
    if window[LENGTH] >= 0:
        begin = window_start(v["at"], window[LENGTH], window[HOP])
    label = f"window {w}, asked at {v['at']}"
    band = {"from": float(begin), "to": float(v["at"]), "label": label}
    return {"current": number, "chain": taken_cells, "skipped": [], "window": band}


def _window_texts(v: dict[str, Any]) -> list[str | None]:
    """Return the state of each window as text, None before its first cell."""
    whole, real, texts = v["whole"], v["real"], []
    for w in range(len(v["windows"])):
        fields = v["states"][w * whole + HEAD : (w + 1) * whole]
        fields += [f"{one:.6g}" for one in v["numbers"][w * real : (w + 1) * real]]
        is_empty = not v["states"][w * whole + LATEST] and not any(map(float, fields))
        texts.append(None if is_empty else ", ".join(map(str, fields)))
    return texts


def _window_cells(window_texts: list[list[str | None]], windows: int) -> Lesson:
    nothing: list[str | None] = [None] * windows
    states = []
    for before, now in zip([nothing, *window_texts], window_texts, strict=False):
        changed = [w for w in range(windows) if before[w] != now[w]]
        states.append({"cells": now, "changed": changed, "current": None})
    labels = [f"window {w}" for w in range(windows)]
    return {"kind": "cells", "title": "What each window has", "labels": labels, "states": states}
