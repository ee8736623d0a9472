"""Two lessons side by side, in step: by what they look at, not by how many steps they take."""

from difflib import SequenceMatcher
from typing import Any

from workbench.errors import WorkbenchError
from workbench.widgets.stepper.lesson import Lesson


def in_step(left: Lesson, right: Lesson) -> Lesson:
    """Return two lessons as one, which shows a step of each at a time.

    Where both look at the same event, row or query, they do so together; while one has more to do
    with it, the other waits.

    Parameters
    ----------
    left, right : dict
        Lessons, of the same input.

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
    places = [[_place(one, step) for step in range(len(one["steps"]))] for one in (left, right)]
    runs = SequenceMatcher(None, places[0], places[1], autojunk=False).get_opcodes()
    pairs = [
        [max(min(a + k, b - 1), 0), max(min(c + k, d - 1), 0)]
        for _, a, b, c, d in runs
        for k in range(max(b - a, d - c))
    ]
    return {**left, "beside": right, "pairs": pairs}


def _place(lesson: Lesson, step: int) -> Any:
    """What a step looks at, as the first picture that knows says."""
    for picture in lesson.get("pictures") or []:
        state = picture["states"][step] or {}
        if picture["kind"] == "tree" and state.get("here") is not None:
            return state["here"]
        if picture["kind"] == "timeline" and state.get("current") is not None:
            event = picture["events"][state["current"]]
            return event.get("text") or event["at"]
    return None


def sides_of(lesson: Lesson, step: int) -> list[tuple[Lesson, int]]:
    """Return the lessons that a step shows, and which step of each.

    Examples
    --------
    >>> [at for _, at in sides_of({"pairs": [[0, 0], [0, 1]], "beside": {}}, 1)]
    [0, 1]
    """
    if "pairs" not in lesson:
        return [(lesson, step)]
    return list(zip([lesson, lesson["beside"]], lesson["pairs"][step], strict=True))


def length(lesson: Lesson) -> int:
    """Return how many steps a lesson is stepped through in.

    Examples
    --------
    >>> length({"pairs": [[0, 0], [0, 1]], "steps": [{}]}), length({"steps": [{}]})
    (2, 1)
    """
    return len(lesson.get("pairs") or lesson.get("steps") or [])
