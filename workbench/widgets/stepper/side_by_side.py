"""Two lessons side by side, aligned by what they look at, not by their numbers of steps."""

from difflib import SequenceMatcher
from typing import Any

from workbench.errors import WorkbenchError
from workbench.widgets.stepper.lesson import Lesson


def in_step(left: Lesson, right: Lesson) -> Lesson:
    """Return two lessons as one, which shows a step of each at a time.

    Both look at the same event, row or query at the same time; while one takes more steps for it,
    the other waits.

    Parameters
    ----------
    left, right : dict
        Lessons about the same input.

    Returns
    -------
    dict
        The left one with the right one as ``beside``, and ``pairs``, the step of each.

    Raises
    ------
    WorkbenchError
        When one of them has no steps.

    Examples
    --------
    >>> def lesson(*seen):
    ...     states = [{"current": k} for k in seen]
    ...     timeline = {"kind": "timeline", "events": [{"at": 0}, {"at": 1}], "states": states}
    ...     return {"steps": [{}] * len(seen), "pictures": [timeline]}
    >>> in_step(lesson(0, 1, 1), lesson(0, 0, 1))["pairs"]
    [[0, 0], [0, 1], [1, 2], [2, 2]]
    """
    if not (left["steps"] and right["steps"]):
        raise WorkbenchError("beside: one of the two has no steps; there is nothing to compare.")
    subjects = [[_subject(one, step) for step in range(len(one["steps"]))] for one in (left, right)]
    runs = SequenceMatcher(None, subjects[0], subjects[1], autojunk=False).get_opcodes()
    pairs = [
        [max(min(a + k, b - 1), 0), max(min(c + k, d - 1), 0)]
        for _, a, b, c, d in runs
        for k in range(max(b - a, d - c))
    ]
    return {**left, "beside": right, "pairs": pairs}


def _subject(lesson: Lesson, step: int) -> Any:
    """Return the row or event that a step looks at, from the first picture that has one."""
    for picture in lesson.get("pictures") or []:
        state = picture["states"][step] or {}
        if picture["kind"] == "tree" and state.get("here") is not None:
            return state["here"]
        if picture["kind"] == "timeline" and state.get("current") is not None:
            event = picture["events"][state["current"]]
            return event.get("text") or event["at"]
    return None


def sides_of(lesson: Lesson, step: int) -> list[tuple[Lesson, int]]:
    """Return the lessons that a step shows, with the step of each.

    Examples
    --------
    >>> [at for _, at in sides_of({"pairs": [[0, 0], [0, 1]], "beside": {}}, 1)]
    [0, 1]
    """
    if "pairs" not in lesson:
        return [(lesson, step)]
    return list(zip([lesson, lesson["beside"]], lesson["pairs"][step], strict=True))


def length(lesson: Lesson) -> int:
    """Return the number of steps of a lesson, or of its pairs.

    Examples
    --------
    >>> length({"pairs": [[0, 0], [0, 1]], "steps": [{}]}), length({"steps": [{}]})
    (2, 1)
    """
    return len(lesson.get("pairs") or lesson.get("steps") or [])
