"""A lesson, checked: the plain data that the step player plays."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

from workbench.errors import WorkbenchError
from workbench.markup import readable

Lesson = dict[str, Any]

# Larger integers lose their last digits in a browser.
_EXACT_IN_BROWSER = 2**53

_REQUIRED: dict[str, dict[str, Any]] = {
    "lesson": {"title": str, "functions": list, "steps": list},
    "function": {"name": str, "source": list},
    "step": {"function": str, "line": int, "caption": str},
    "variable": {"name": str, "value": object},
    "timeline": {"lanes": list, "events": list, "states": list},
    "cells": {"states": list},
    "tree": {"nodes": list, "states": list},
    "event": {"at": (int, float)},
    "tick": {"at": (int, float), "label": str},
    "window": {"from": (int, float), "to": (int, float)},
    "node": {"id": str, "from": (int, float), "to": (int, float), "depth": int},
    "input": {"columns": list, "rows": list},
}
_WORDS = {str: "a string", list: "a list", int: "a whole number", (int, float): "a number"}


def checked(lesson: object) -> Lesson:
    """Return the lesson as plain JSON data, or raise an error that says what is wrong with it.

    Parameters
    ----------
    lesson : mapping
        ``title``, ``functions``, ``steps`` and, optionally, ``intro``, ``result``, ``pictures``;
        ``telling``, the step that a still shows; ``asked``, the steps that a reader is asked
        about, by default all; ``input`` (columns, rows), which can be edited; and ``beside`` with
        ``pairs``, as
        :func:`workbench.widgets.stepper.side_by_side.in_step` makes them.

    Returns
    -------
    dict
        The same lesson; NumPy values, NaN and very large integers become plain numbers or texts.

    Raises
    ------
    WorkbenchError
        If a part is missing or of another type, a step points to a line that does not exist, or
        the number of states of a picture is not that of the steps.

    Examples
    --------
    >>> checked({"title": "Nothing", "functions": [], "steps": []})
    {'title': 'Nothing', 'functions': [], 'steps': []}
    """
    plain_lesson = _plain(lesson)
    _require("lesson", plain_lesson, "lesson")
    for number, function in enumerate(plain_lesson["functions"]):
        _require("function", function, f"lesson: function {number}")
    lengths = {item["name"]: len(item["source"]) for item in plain_lesson["functions"]}
    for number, step in enumerate(plain_lesson["steps"]):
        _check_step(step, lengths, f"lesson: step {number}")
    for number, picture in enumerate(plain_lesson.get("pictures") or []):
        _check_picture(picture, len(plain_lesson["steps"]), f"lesson: picture {number}")
    if any(at not in range(len(plain_lesson["steps"])) for at in plain_lesson.get("asked") or []):
        last = len(plain_lesson["steps"]) - 1
        raise WorkbenchError(
            f"lesson: 'asked' names steps that it does not have; give 0 to {last}."
        )
    if plain_lesson.get("input") is not None:
        _require("input", plain_lesson["input"], "lesson: input")
    if "beside" in plain_lesson:
        plain_lesson["beside"] = checked(plain_lesson["beside"])
        _check_pairs(plain_lesson)
    return dict(plain_lesson)


def _check_pairs(lesson: Lesson) -> None:
    """Check that each pair names a step of either lesson."""
    ranges = [range(len(one["steps"])) for one in (lesson, lesson["beside"])]
    for number, pair in enumerate(lesson.get("pairs") or [None]):
        fits = isinstance(pair, list) and len(pair) == 2
        if not fits or any(at not in steps for at, steps in zip(pair, ranges, strict=True)):
            raise WorkbenchError(
                f"lesson: pair {number} is {pair!r}; give a step of either lesson, from 0."
            )


def _require(kind: str, part: Any, place: str) -> None:
    """Check that each required key of this kind of part exists, with its type."""
    if not isinstance(part, dict):
        raise WorkbenchError(f"{place} is {type(part).__name__}; give a dictionary.")
    for key, expected in _REQUIRED[kind].items():
        if key not in part:
            keys = ", ".join(_REQUIRED[kind])
            raise WorkbenchError(f"{place} has no {key!r}; a {kind} needs {keys}.")
        if not isinstance(part[key], expected):
            raise WorkbenchError(f"{place}: {key!r} is {part[key]!r}; give {_WORDS[expected]}.")


def _check_step(step: Any, lengths: Mapping[str, int], place: str) -> None:
    _require("step", step, place)
    name, line = step["function"], step["line"]
    if name not in lengths:
        known = ", ".join(lengths) or "none"
        raise WorkbenchError(f"{place} is in function {name!r}; the lesson's functions: {known}.")
    if not 1 <= line <= lengths[name]:
        raise WorkbenchError(
            f"{place} is on line {line} of {name!r}, whose source has {lengths[name]} lines; "
            "lines count from 1 within the function."
        )
    for variable in step.get("variables") or []:
        _require("variable", variable, f"{place}, variable {_name(variable)}")


def _name(variable: Any) -> str:
    return repr(variable.get("name", "?")) if isinstance(variable, dict) else "?"


def _check_picture(picture: Any, steps: int, place: str) -> None:
    kind = picture.get("kind") if isinstance(picture, dict) else None
    if kind not in ("timeline", "cells", "tree"):
        raise WorkbenchError(f"{place}: 'kind' is {kind!r}; give 'timeline', 'cells' or 'tree'.")
    _require(kind, picture, f"{place} ({kind})")
    place = f"{place} ({kind})"
    states = len(picture["states"])
    if states != steps:
        raise WorkbenchError(f"{place} has {states} states for {steps} steps; give one a step.")
    for key, part in (("events", "event"), ("ticks", "tick"), ("nodes", "node")):
        for number, item in enumerate(picture.get(key) or []):
            _require(part, item, f"{place}, {part} {number}")
    events = len(picture["events"]) if kind == "timeline" else 0
    for number, state in enumerate(picture["states"]):
        _check_state(kind, state, events, f"{place}, state {number}")
    if kind == "timeline":
        _check_lanes(picture, place)


def _check_state(kind: str, state: Any, events: int, place: str) -> None:
    if state is not None and not isinstance(state, dict):
        raise WorkbenchError(f"{place} is {state!r}; give a dictionary, or None.")
    for number, frame in enumerate((state or {}).get("frames") or []):
        _require("window", frame, f"{place}, frame {number}")
    if kind != "timeline" or not state:
        return
    if state.get("window") is not None:
        _require("window", state["window"], f"{place}, window")
    for key in ("current", "chain", "skipped"):
        indices = [state.get(key)] if key == "current" else state.get(key) or []
        for index in indices:
            if index not in range(events) and (key, index) != ("current", None):
                raise WorkbenchError(
                    f"{place}: {key!r} holds {index!r}; give an index below {events}."
                )


def _check_lanes(picture: Lesson, place: str) -> None:
    lanes = len(picture.get("lanes") or [])
    for number, event in enumerate(picture.get("events") or []):
        lane = event.get("lane")
        if lane is not None and lane not in range(lanes):
            raise WorkbenchError(
                f"{place}, event {number}: 'lane' is {lane!r}; "
                f"give an index below {lanes}, or None."
            )


def _plain(value: Any) -> Any:
    """Return a value that JSON and a browser represent exactly; anything else becomes text."""
    if isinstance(value, str):
        return readable(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if abs(value) <= _EXACT_IN_BROWSER else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Mapping):
        return {readable(str(key)): _plain(item) for key, item in value.items()}
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, Iterable):
        return [_plain(item) for item in value]
    return readable(str(value))
