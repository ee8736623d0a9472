"""Building and querying a segment tree, as a lesson for the step player."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kernels import Trace
from workbench.frames.frame import Frame
from workbench.lessons.tree_run import number_words, rows_words, run_tree
from workbench.lessons.tree_steps import Place, TreeStep, tree_places, tree_steps
from workbench.widgets.stepper.lesson import Lesson
from workbench.widgets.stepper.player import Player
from workbench.widgets.stepper.trace_lesson import lesson_of

#: The kernels whose runs have a tree to show.
TREES = ("build_tree", "query_tree", "tree_states")
STATES = ("empty", "state", "left", "right", "tail", "answer")
USED, NOW, EMPTY = "put together for it", "now", "not yet written"

Formatter = Callable[[Mapping[str, Any]], str]


def play_tree(name: str, values: Sequence[Any], frame: Frame, *, fanout: int = 2) -> Player:
    """Open the step player on a tree: how it is built, and queried for the frame of each row.

    Parameters
    ----------
    name : str
        "sum", "avg", "count", "min", "max", "first", "last", "product" or "stddev_samp".
    values : sequence of numbers
        A partition of at most 64 rows, in order.
    frame : Frame
        A frame of rows.
    fanout : int
        The number of children of a node, 2 or more.

    Returns
    -------
    Player

    Raises
    ------
    WorkbenchError
        When there is no such aggregate, there are too many values, or the frame counts no rows.

    Examples
    --------
    >>> play_tree("sum", [3, 1, 4, 1], Frame.rows(-2, 0))
    Player('sum over 4 values, fanout 2', step 1 of 17: Node 0 of level 1 (rows 0 to 1): 4.)
    """
    return Player(tree_lesson(name, values, frame, fanout))


def tree_lesson(name: str, values: Sequence[Any], frame: Frame, fanout: int = 2) -> Lesson:
    """Return the lesson of :func:`play_tree`.

    Parameters
    ----------
    name, values, frame, fanout
        As in :func:`play_tree`.

    Returns
    -------
    dict
        As :class:`workbench.widgets.stepper.player.Player` takes it.
    """
    run, formatter = run_tree(name, values, frame, fanout)
    title = f"{name} over {len(values)} values, fanout {fanout}"
    lesson = lesson_of(run, title, _formatters(run, formatter))
    answers = [formatter(step.answer) for step in tree_steps(run) if step.answer is not None]
    picture = tree_picture(run, formatter, [number_words(value) for value in values])
    return {**lesson, "result": ", ".join(answers), "pictures": [picture]}


def tree_picture(
    run: Trace, formatter: Formatter | None = None, values: Sequence[str] | None = None
) -> dict[str, Any]:
    """Return the picture of a tree in each step of a run.

    Parameters
    ----------
    run : kernels.Trace
        A run of ``tree_states``, ``build_tree`` or ``query_tree``.
    formatter : function, optional
        Formats a state; by default its first field.
    values : sequence of str, optional
        The texts of the rows.

    Returns
    -------
    dict
        A picture of kind "tree".
    """
    variables = run.steps[0].variables
    rows = [str(value) for value in variables["value"]] if values is None else list(values)
    write = formatter or (lambda state: number_words(next(iter(state.values()))))
    states = [tree_state(step, write, rows) for step in tree_steps(run)]
    return {**tree_shape(len(rows), variables["fanout"]), "states": states}


def tree_shape(size: int, fanout: int) -> dict[str, Any]:
    """Return the nodes of a tree as a picture without states.

    Parameters
    ----------
    size : int
        The number of rows.
    fanout : int

    Returns
    -------
    dict
    """
    places = tree_places(size, fanout)
    top = places[-1].level
    levels = [f"level {level}" for level in range(top, 0, -1)]
    return {
        "kind": "tree",
        "title": f"The tree: up to {fanout} nodes share a parent",
        "levels": [*levels, "rows"],
        "legend": {"now": NOW, "lit": USED, "empty": EMPTY},
        "nodes": [_node(place, fanout, size, top) for place in places],
    }


def tree_state(step: TreeStep, formatter: Formatter, rows: Sequence[str]) -> dict[str, Any]:
    """Return the state of a tree's picture in one step.

    Parameters
    ----------
    step : TreeStep
    formatter : function
        Formats a state.
    rows : sequence of str
        The texts of the rows.

    Returns
    -------
    dict
    """
    values = {Place(0, at).id: text for at, text in enumerate(rows)}
    values |= {place.id: formatter(state) for place, state in step.states.items()}
    pieces = [piece for piece in step.frame if piece[0] < piece[1]]
    words = " and ".join(map(rows_words, pieces)) or "no rows"
    label = "" if step.row is None else f"frame of row {step.row}: {words}"
    if step.answer is not None:
        label += f" = {formatter(step.answer)}"
    return {
        "values": values,
        "lit": [place.id for place in step.used],
        "current": None if step.now is None else step.now.id,
        "frames": [{"from": low, "to": high} for low, high in pieces],
        "label": label,
        "here": step.row,
    }


def _formatters(run: Trace, formatter: Formatter) -> dict[str, Callable[[Any], Any]]:
    """Return the formatters of variables, which write a state as the answer it stands for."""
    names = run.steps[0].variables["empty"]

    def matrix(rows: list[list[Any]]) -> list[str]:
        return [formatter(dict(zip(names, row, strict=True))) for row in rows]

    return {**dict.fromkeys(STATES, formatter), "tree": matrix, "states": matrix}


def _node(place: Place, fanout: int, size: int, top: int) -> dict[str, Any]:
    first, end = place.rows(fanout, size)
    label = str(first) if end == first + 1 else f"{first}-{end - 1}"
    return {
        "id": place.id, "label": label, "from": first, "to": end, "depth": top - place.level,
    }  # fmt: skip
