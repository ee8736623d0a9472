"""Questions to a reader before a step, whose choices are states of the trace itself."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from workbench.widgets.stepper.lesson import Lesson
from workbench.widgets.stepper.moving import State, picture_text

#: The most choices of a question, and the number of steps on either side they are taken from.
MOST_CHOICES, _NEARBY = 4, 24
_MOST_NAMED = 4
#: The question if nothing in a picture can be predicted: the choices are captions.
WHAT_NEXT = "What happens next?"


class Candidate(NamedTuple):
    """A question that may be asked about a step.

    Attributes
    ----------
    about : str
        The kind of thing it asks for.
    ask : str
    right : str
    others : iterator of str
        Wrong answers, the most plausible first.
    """

    about: str
    ask: str
    right: str
    others: Iterator[str]


def questions_of(lesson: Lesson) -> list[dict[str, Any] | None]:
    """Return the question about each step: which events count, what a cell holds, what comes next.

    Parameters
    ----------
    lesson : dict
        A checked lesson; of two side by side, the question is about the one that moves.

    Returns
    -------
    list of dict or None
        For each step ``ask``, ``choices`` and ``right``, the index of the right one; None for the
        first step, for a step without a different one nearby, and for a step that is not among the
        lesson's steps to ask about (``asked``), if it has any.

    Examples
    --------
    >>> states = [{"cells": [None, 7]}, {"cells": [4, 7], "changed": [0]}]
    >>> step = {"function": "f", "line": 1, "caption": ""}
    >>> picture = {"kind": "cells", "title": "Answers", "labels": ["a", "b"], "states": states}
    >>> questions_of({"steps": [step, step], "pictures": [picture]})[1]
    {'ask': 'Answers: what will a hold?', 'choices': ['4', '7', 'nothing'], 'right': 0}
    """
    questions = _questions_of_pairs(lesson) if "pairs" in lesson else _questions_of_steps(lesson)
    asked = lesson.get("asked", range(len(questions)))
    return [one if at in asked else None for at, one in enumerate(questions)]


def _questions_of_pairs(lesson: Lesson) -> list[dict[str, Any] | None]:
    sides = [lesson, lesson["beside"]]
    by_side = [_questions_of_steps(side) for side in sides]
    questions: list[dict[str, Any] | None] = [None]
    for before, now in zip(lesson["pairs"], lesson["pairs"][1:], strict=False):
        moves = [side for side in (0, 1) if before[side] != now[side] and by_side[side][now[side]]]
        one = by_side[moves[0]][now[moves[0]]] if moves else None
        title = sides[moves[0]]["title"] if moves else ""
        questions.append(one and {**one, "ask": f"{title}: {one['ask']}"})
    return questions


def _questions_of_steps(lesson: Lesson) -> list[dict[str, Any] | None]:
    questions: list[dict[str, Any] | None] = []
    counts: Counter[str] = Counter()
    for step in range(len(lesson["steps"])):
        candidates = [one for one in _candidates(lesson, step) if one] if step else []
        # The kind counts about least often comes first, so that every picture is counts about.
        candidates.sort(key=lambda candidate: counts[candidate.about])
        candidates += [_about_captions(lesson["steps"], step)] if step else []
        choices = next(filter(None, map(_with_choices, candidates)), None)
        if choices is not None:
            counts[choices[0].about] += 1
        questions.append(choices and choices[1])
    return questions


def _candidates(lesson: Lesson, step: int) -> Iterator[Candidate | None]:
    pictures = lesson.get("pictures") or []
    for picture in pictures:
        yield _ABOUT[picture["kind"]](picture, step)
    if not pictures:
        yield from _about_variables(lesson["steps"], step)


def _with_choices(candidate: Candidate) -> tuple[Candidate, dict[str, Any]] | None:
    """Return the candidate with its sorted choices, or None if there is nothing to choose."""
    answers = [candidate.right]
    for other in candidate.others:
        if other not in answers:
            answers.append(other)
        if len(answers) == MOST_CHOICES:
            break
    if len(answers) < 2:
        return None
    choices = sorted(answers, key=_choice_order)
    return candidate, {
        "ask": candidate.ask,
        "choices": choices,
        "right": choices.index(candidate.right),
    }


def _choice_order(choice: str) -> tuple[bool, float, str]:
    try:
        return False, float(choice), choice
    except ValueError:
        return True, 0.0, choice


def _nearby_states(states: Sequence[State | None], step: int) -> Iterator[State]:
    """Yield the states around a step, the nearest first."""
    for away in range(1, _NEARBY):
        for place in (step - away, step + away):
            if 0 <= place < len(states):
                yield states[place] or {}


def _before_and_now(picture: dict[str, Any], step: int) -> tuple[State, State]:
    return picture["states"][step - 1] or {}, picture["states"][step] or {}


def _about_timeline(picture: dict[str, Any], step: int) -> Candidate | None:
    if (picture.get("legend") or {}).get("chain", "") is None:
        return None  # It marks no events, such as the rows of a function without a frame.
    before, now = _before_and_now(picture, step)
    chain, current = now.get("chain") or [], now.get("current")
    moved = current is not None and current != before.get("current")
    if not moved and chain == (before.get("chain") or []):
        return None

    def others() -> Iterator[str]:
        if current is not None:
            other = [one for one in chain if one != current]
            yield _events_text(
                picture, sorted({*chain, current}) if current not in chain else other
            )
        yield from (
            _events_text(picture, one.get("chain") or [])
            for one in _nearby_states(picture["states"], step)
        )

    where = "" if current is None else f"{_event_text(picture['events'][current])}. "
    asks = now.get("asks") or picture.get("asks") or "Which ones are marked then?"
    return Candidate("events", where + asks, _events_text(picture, chain), others())


def _event_text(event: dict[str, Any]) -> str:
    return str(event.get("text") or event.get("label") or event["at"])


def _events_text(picture: dict[str, Any], chain: list[int]) -> str:
    """Return events in words, with consecutive numbers as ranges."""
    events = [picture["events"][index] for index in chain]
    if not events:
        return "none"
    if any("number" not in event for event in events):
        return _list_text([_event_text(event) for event in events])
    ordered = sorted(events, key=lambda event: (event["noun"], event["number"]))
    runs = groupby(enumerate(ordered), lambda pair: (pair[1]["noun"], pair[1]["number"] - pair[0]))
    return _list_text([_range_text([event for _, event in run]) for _, run in runs])


def _range_text(events: list[dict[str, Any]]) -> str:
    noun, first, last = events[0]["noun"], events[0]["number"], events[-1]["number"]
    several = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{noun} {first}" if first == last else f"{several} {first} to {last}"


def _list_text(names: list[str]) -> str:
    before = "… " if len(names) > _MOST_NAMED else ""
    return before + ", ".join(names[-_MOST_NAMED:])


def _about_cells(picture: dict[str, Any], step: int) -> Candidate | None:
    _, now = _before_and_now(picture, step)
    cells, changed = now.get("cells") or [], now.get("changed") or []
    if not changed:
        return None
    at, labels = changed[0], picture.get("labels") or []
    name = labels[at] if at < len(labels) else f"cell {at}"

    def others() -> Iterator[str]:
        yield from now.get("instead") or []
        nearby = [one.get("cells") or [] for one in _nearby_states(picture["states"], step)]
        yield from (_cell_text(one[at]) for one in nearby if at < len(one))
        yield from map(_cell_text, cells)
        yield from (_cell_text(value) for one in nearby for value in one)

    ask = f"{picture.get('title') or 'Cells'}: what will {name} hold?"
    return Candidate(picture.get("title") or "cells", ask, _cell_text(cells[at]), others())


def _cell_text(value: Any) -> str:
    return "nothing" if value in (None, "") else picture_text(value)


def _about_tree(picture: dict[str, Any], step: int) -> Candidate | None:
    before, now = _before_and_now(picture, step)
    # A kernel allocates nodes that are in no picture.
    names = _node_names(picture)
    current, nearby = now.get("current"), list(_nearby_states(picture["states"], step))
    if current in names and current != before.get("current"):
        depth = {node["id"]: node["depth"] for node in picture["nodes"]}
        level = [node for node in names if abs(depth[node] - depth[current]) <= 1]
        around = [one.get("current") for one in nearby] + level
        others = (names[node] for node in around if node in names)
        return Candidate("node", "Which node is next?", names[current], others)
    if now.get("lit") and now["lit"] != (before.get("lit") or []):
        listed = (_node_list_text(names, one.get("lit") or []) for one in nearby)
        ask = f"{now.get('label') or ''} Which nodes are used?".strip()
        return Candidate("nodes", ask, _node_list_text(names, now["lit"]), listed)
    return None


def _node_list_text(names: dict[str, str], nodes: list[str]) -> str:
    return _list_text([names[node] for node in nodes if node in names]) or "none"


def _node_names(picture: dict[str, Any]) -> dict[str, str]:
    """Return the names of the nodes by id, with their level if the levels have names."""
    levels = picture.get("levels") or []

    def name(node: dict[str, Any]) -> str:
        label = str(node.get("label") or node["id"])
        depth: int = node["depth"]
        return f"{levels[depth]}: {label}" if depth < len(levels) else label

    return {node["id"]: name(node) for node in picture["nodes"]}


def _about_captions(steps: Sequence[dict[str, Any]], step: int) -> Candidate:
    """Return a question whose choices are the captions of the step and of those around it."""
    nearby = (one.get("caption") for one in _nearby_states(steps, step))
    return Candidate("caption", WHAT_NEXT, steps[step].get("caption") or "", filter(None, nearby))


def _about_variables(steps: list[dict[str, Any]], step: int) -> Iterator[Candidate]:
    """Yield questions about plain variables, for a lesson without pictures."""
    values = [{one["name"]: one["value"] for one in at.get("variables") or []} for at in steps]
    for variable in steps[step].get("variables") or []:
        name, value = variable["name"], variable["value"]
        known = name in values[step - 1] and not isinstance(value, list | dict | bool)
        if known and variable.get("changed"):
            nearby = (one[name] for one in _nearby_states(values, step) if name in one)
            yield Candidate(
                name, f"What will {name} be?", _cell_text(value), map(_cell_text, nearby)
            )


_ABOUT: dict[str, Callable[[dict[str, Any], int], Candidate | None]] = {
    "timeline": _about_timeline,
    "cells": _about_cells,
    "tree": _about_tree,
}
