"""What a reader can be asked before a step: the choices are states of the trace itself."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from workbench.widgets.stepper.lesson import Lesson
from workbench.widgets.stepper.moving import State, written

#: So many choices stand beside each other, taken from so many steps on both sides.
MOST_CHOICES, _NEARBY = 4, 24
_MOST_NAMED = 4
#: What is asked where nothing of a picture can be foreseen: the choices are captions.
WHAT_NEXT = "What happens next?"


class Offer(NamedTuple):
    """A question that a step allows.

    Attributes
    ----------
    about : str
        What kind of thing it asks for.
    ask : str
    right : str
    others : iterator of str
        What could be thought instead, the most plausible first.
    """

    about: str
    ask: str
    right: str
    others: Iterator[str]


def questions_of(lesson: Lesson) -> list[dict[str, Any] | None]:
    """Return the question about each step: which events count, what a cell holds, what is next.

    Parameters
    ----------
    lesson : dict
        A checked lesson; where two go side by side, the question is about the one that moves.

    Returns
    -------
    list of dict or None
        For each step ``ask``, ``choices`` and ``right``, the place of the right one; None for the
        first step, for one that those around it do not differ from, and where a lesson has steps to
        ask about (``asked``), and this is none of them.

    Examples
    --------
    >>> states = [{"cells": [None, 7]}, {"cells": [4, 7], "changed": [0]}]
    >>> step = {"function": "f", "line": 1, "caption": ""}
    >>> picture = {"kind": "cells", "title": "Answers", "labels": ["a", "b"], "states": states}
    >>> questions_of({"steps": [step, step], "pictures": [picture]})[1]
    {'ask': 'Answers: what will a hold?', 'choices': ['4', '7', 'nothing'], 'right': 0}
    """
    found = _of_pairs(lesson) if "pairs" in lesson else _of_one(lesson)
    asked = lesson.get("asked", range(len(found)))
    return [one if at in asked else None for at, one in enumerate(found)]


def _of_pairs(lesson: Lesson) -> list[dict[str, Any] | None]:
    sides = [lesson, lesson["beside"]]
    asked = [_of_one(side) for side in sides]
    found: list[dict[str, Any] | None] = [None]
    for before, now in zip(lesson["pairs"], lesson["pairs"][1:], strict=False):
        moves = [side for side in (0, 1) if before[side] != now[side] and asked[side][now[side]]]
        one = asked[moves[0]][now[moves[0]]] if moves else None
        title = sides[moves[0]]["title"] if moves else ""
        found.append(one and {**one, "ask": f"{title}: {one['ask']}"})
    return found


def _of_one(lesson: Lesson) -> list[dict[str, Any] | None]:
    found: list[dict[str, Any] | None] = []
    asked: Counter[str] = Counter()
    for step in range(len(lesson["steps"])):
        offers = [one for one in _offers(lesson, step) if one] if step else []
        # What was asked for the least often comes next, so that no picture is forgotten.
        offers.sort(key=lambda offer: asked[offer.about])
        offers += [_of_captions(lesson["steps"], step)] if step else []
        choices = next(filter(None, map(_chosen, offers)), None)
        if choices is not None:
            asked[choices[0].about] += 1
        found.append(choices and choices[1])
    return found


def _offers(lesson: Lesson, step: int) -> Iterator[Offer | None]:
    pictures = lesson.get("pictures") or []
    for picture in pictures:
        yield _ASKS[picture["kind"]](picture, step)
    if not pictures:
        yield from _of_variables(lesson["steps"], step)


def _chosen(offer: Offer) -> tuple[Offer, dict[str, Any]] | None:
    """The offer with its choices in order, None where there is nothing to choose."""
    found = [offer.right]
    for other in offer.others:
        if other not in found:
            found.append(other)
        if len(found) == MOST_CHOICES:
            break
    if len(found) < 2:
        return None
    choices = sorted(found, key=_in_order)
    return offer, {"ask": offer.ask, "choices": choices, "right": choices.index(offer.right)}


def _in_order(choice: str) -> tuple[bool, float, str]:
    try:
        return False, float(choice), choice
    except ValueError:
        return True, 0.0, choice


def _near(states: Sequence[State | None], step: int) -> Iterator[State]:
    """The states around a step, the nearest first."""
    for away in range(1, _NEARBY):
        for place in (step - away, step + away):
            if 0 <= place < len(states):
                yield states[place] or {}


def _two(picture: dict[str, Any], step: int) -> tuple[State, State]:
    return picture["states"][step - 1] or {}, picture["states"][step] or {}


def _of_timeline(picture: dict[str, Any], step: int) -> Offer | None:
    before, now = _two(picture, step)
    chain, current = now.get("chain") or [], now.get("current")
    moved = current is not None and current != before.get("current")
    if not moved and chain == (before.get("chain") or []):
        return None

    def others() -> Iterator[str]:
        if current is not None:
            other = [one for one in chain if one != current]
            yield _events(picture, sorted({*chain, current}) if current not in chain else other)
        yield from (
            _events(picture, one.get("chain") or []) for one in _near(picture["states"], step)
        )

    where = "" if current is None else f"{_event(picture['events'][current])}. "
    asks = now.get("asks") or picture.get("asks") or "Which ones are marked then?"
    return Offer("events", where + asks, _events(picture, chain), others())


def _event(event: dict[str, Any]) -> str:
    return str(event.get("text") or event.get("label") or event["at"])


def _events(picture: dict[str, Any], chain: list[int]) -> str:
    """Events in words; numbered ones that follow each other as a range."""
    events = [picture["events"][index] for index in chain]
    if not events:
        return "none"
    if any("number" not in event for event in events):
        return _listed([_event(event) for event in events])
    ordered = sorted(events, key=lambda event: (event["noun"], event["number"]))
    runs = groupby(enumerate(ordered), lambda pair: (pair[1]["noun"], pair[1]["number"] - pair[0]))
    return _listed([_run([event for _, event in run]) for _, run in runs])


def _run(events: list[dict[str, Any]]) -> str:
    noun, first, last = events[0]["noun"], events[0]["number"], events[-1]["number"]
    several = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{noun} {first}" if first == last else f"{several} {first} to {last}"


def _listed(names: list[str]) -> str:
    before = "… " if len(names) > _MOST_NAMED else ""
    return before + ", ".join(names[-_MOST_NAMED:])


def _of_cells(picture: dict[str, Any], step: int) -> Offer | None:
    _, now = _two(picture, step)
    cells, changed = now.get("cells") or [], now.get("changed") or []
    if not changed:
        return None
    at, labels = changed[0], picture.get("labels") or []
    name = labels[at] if at < len(labels) else f"cell {at}"

    def others() -> Iterator[str]:
        yield from now.get("instead") or []
        near = [one.get("cells") or [] for one in _near(picture["states"], step)]
        yield from (_held(one[at]) for one in near if at < len(one))
        yield from map(_held, cells)
        yield from (_held(value) for one in near for value in one)

    ask = f"{picture.get('title') or 'Cells'}: what will {name} hold?"
    return Offer(picture.get("title") or "cells", ask, _held(cells[at]), others())


def _held(value: Any) -> str:
    return "nothing" if value in (None, "") else written(value)


def _of_tree(picture: dict[str, Any], step: int) -> Offer | None:
    before, now = _two(picture, step)
    # A kernel has room for nodes that are in no picture.
    names = _nodes(picture)
    current, near = now.get("current"), list(_near(picture["states"], step))
    if current in names and current != before.get("current"):
        depth = {node["id"]: node["depth"] for node in picture["nodes"]}
        level = [node for node in names if abs(depth[node] - depth[current]) <= 1]
        around = [one.get("current") for one in near] + level
        others = (names[node] for node in around if node in names)
        return Offer("node", "Which node is next?", names[current], others)
    if now.get("lit") and now["lit"] != (before.get("lit") or []):
        listed = (_named(names, one.get("lit") or []) for one in near)
        ask = f"{now.get('label') or ''} Which nodes are used?".strip()
        return Offer("nodes", ask, _named(names, now["lit"]), listed)
    return None


def _named(names: dict[str, str], nodes: list[str]) -> str:
    return _listed([names[node] for node in nodes if node in names]) or "none"


def _nodes(picture: dict[str, Any]) -> dict[str, str]:
    """What the nodes are called, with their level where there are several."""
    levels = picture.get("levels") or []

    def name(node: dict[str, Any]) -> str:
        label = str(node.get("label") or node["id"])
        depth: int = node["depth"]
        return f"{levels[depth]}: {label}" if depth < len(levels) else label

    return {node["id"]: name(node) for node in picture["nodes"]}


def _of_captions(steps: Sequence[dict[str, Any]], step: int) -> Offer:
    """What is said of the step, among what is said of those around it."""
    near = (one.get("caption") for one in _near(steps, step))
    return Offer("caption", WHAT_NEXT, steps[step].get("caption") or "", filter(None, near))


def _of_variables(steps: list[dict[str, Any]], step: int) -> Iterator[Offer]:
    """Questions about plain variables, where no picture shows more."""
    values = [{one["name"]: one["value"] for one in at.get("variables") or []} for at in steps]
    for variable in steps[step].get("variables") or []:
        name, value = variable["name"], variable["value"]
        known = name in values[step - 1] and not isinstance(value, list | dict | bool)
        if known and variable.get("changed"):
            near = (one[name] for one in _near(values, step) if name in one)
            yield Offer(name, f"What will {name} be?", _held(value), map(_held, near))


_ASKS: dict[str, Callable[[dict[str, Any], int], Offer | None]] = {
    "timeline": _of_timeline,
    "cells": _of_cells,
    "tree": _of_tree,
}
