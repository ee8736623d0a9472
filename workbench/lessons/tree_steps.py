"""A segment tree in each step of its kernels: written nodes, and the nodes that a frame uses."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from kernels import Step, Trace
from kernels.windows.segment_tree import tree_levels


class Place(NamedTuple):
    """A node of the tree; level 0 has the rows."""

    level: int
    at: int

    @property
    def id(self) -> str:
        """The node's name in a picture."""
        return f"{self.level}/{self.at}"

    def rows(self, fanout: int, size: int) -> tuple[int, int]:
        """Return the node's rows as a half-open range."""
        span: int = fanout**self.level
        return self.at * span, min((self.at + 1) * span, size)


@dataclass(frozen=True)
class TreeStep:
    """The tree after one step of its kernels.

    Attributes
    ----------
    states : dict of Place to dict
        The state of each written node.
    used : tuple of Place
        The nodes that the frame uses so far; while the tree is built, the node's children.
    now : Place or None
        The node that is written, or joins the answer.
    row : int or None
        The row whose frame is answered.
    frame : tuple of (int, int)
        The half-open ranges of that frame.
    answer : dict or None
        The state of the frame, once it is complete.
    """

    states: dict[Place, Any]
    used: tuple[Place, ...] = ()
    now: Place | None = None
    row: int | None = None
    frame: tuple[tuple[int, int], ...] = ()
    answer: Any = None


def tree_places(size: int, fanout: int) -> list[Place]:
    """Return every row and every node of a tree, level by level.

    Parameters
    ----------
    size : int
        The number of rows.
    fanout : int

    Returns
    -------
    list of Place

    Examples
    --------
    >>> [place.id for place in tree_places(3, 2)]
    ['0/0', '0/1', '0/2', '1/0', '1/1', '2/0']
    """
    starts = tree_levels(size, fanout)
    widths = [size, *np.diff(starts).tolist()]
    return [Place(level, at) for level, width in enumerate(widths) for at in range(width)]


def tree_steps(run: Trace) -> list[TreeStep]:
    """Return the tree in each step of a run.

    Parameters
    ----------
    run : kernels.Trace
        A run of ``tree_states``, ``build_tree`` or ``query_tree``.

    Returns
    -------
    list of TreeStep

    Examples
    --------
    >>> from workbench.frames.frame import Frame
    >>> from workbench.lessons.tree_run import run_tree
    >>> run, _ = run_tree("sum", [3, 1, 4], Frame.rows(-2, 0))
    >>> last = tree_steps(run)[-1]
    >>> [place.id for place in last.used], last.answer["total"]
    (['0/2', '1/0'], 8)
    """
    steps: list[TreeStep] = []
    written: list[Place] = []
    used: tuple[Place, ...] = ()
    for step in run.steps:
        if step.kernel == "build_tree":
            node = Place(step.variables.get("level", 0) + 1, step.variables["node"])
            written.append(node)
            steps.append(TreeStep(_states_of(step, written), _children(node, step), node))
            continue
        caption = _caption(run, step)
        begins = "to put together" in caption and step.variables["piece"] == 0
        now = _joining_node(step) if "joins" in caption else None
        used = (() if begins else used) + (() if now is None else (now,))
        steps.append(_query_step(step, used, now, "holds" in caption))
    return steps


def _caption(run: Trace, step: Step) -> str:
    kernel = next(kernel for kernel in run.kernels if kernel.__name__ == step.kernel)
    return kernel.captions[step.line]


def _joining_node(step: Step) -> Place:
    return Place(step.variables["level"], step.variables["at"])


def _states_of(step: Step, places: Sequence[Place]) -> dict[Place, Any]:
    names, starts = step.variables["empty"], step.variables["starts"]
    tree = step.variables["tree"]
    states = (tree[starts[place.level - 1] + place.at] for place in places)
    return {
        p: dict(zip(names, state, strict=True)) for p, state in zip(places, states, strict=True)
    }


def _children(node: Place, step: Step) -> tuple[Place, ...]:
    fanout, size = step.variables["fanout"], len(step.variables["value"])
    below = Place(node.level - 1, 0)
    first, last = node.rows(fanout, size)
    span = fanout**below.level
    return tuple(Place(below.level, at) for at in range(first // span, -(-last // span)))


def _query_step(step: Step, used: tuple[Place, ...], now: Place | None, complete: bool) -> TreeStep:
    v = step.variables
    nodes = [p for p in tree_places(len(v["value"]), v["fanout"]) if p.level]
    frame = tuple(zip(v["begin"][v["i"]], v["end"][v["i"]], strict=True))
    answer = v["answer"] if complete else None
    return TreeStep(_states_of(step, nodes), used, now, v["i"], frame, answer)
