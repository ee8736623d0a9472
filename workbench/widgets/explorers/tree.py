"""The tree explorer: move a frame over a few values, and see which nodes answer it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import ipywidgets as widgets
import numpy as np
import pandas as pd

from workbench.backfill.inspect.origin import counted
from workbench.frames.frame import Frame
from workbench.lessons.tree_run import TREE_AGGREGATES, number_words, rows_words, run_tree
from workbench.lessons.tree_steps import TreeStep, tree_steps
from workbench.markup import MINUS
from workbench.widgets.explorers.explorer import Answer, Leaves, TreeChart
from workbench.widgets.html import fact
from workbench.widgets.lessons.tree import tree_shape, tree_state

FANOUTS = (2, 8)
_WIDE = {"style": {"description_width": "90px"}, "layout": {"width": "330px"}}


class TreeExplorer(TreeChart):
    """A segment tree over a partition of a few rows, and the frame of one of them.

    Parameters
    ----------
    values : sequence of numbers
        At most 64, in order.
    name : str
        The initial aggregate: "sum", "avg", "count", "min", "max", "first", "last", "product" or
        "stddev_samp".
    before, after : int
        The initial number of rows before and after the current one in the frame.
    fanout : int
        The initial number of children of a node, 2 to 8.
    row : int, optional
        The initial current row; by default the middle one.
    without : bool
        Whether the frame initially excludes the current row.

    Attributes
    ----------
    step : TreeStep
        The last step of the kernel: the nodes, those that are used, and the answer.
    words : str
        The same in words.

    Raises
    ------
    WorkbenchError
        When there is no such aggregate, or there are too many values.

    Examples
    --------
    >>> TreeExplorer([5, 7, 3, 10, 6, 2, 8, 4], before=5, after=1, fanout=2)
    Tree explorer: sum of rows 0 to 4 (5 values) = 31, from 2 parts
    """

    FILE = "tree"
    LEAVES = Leaves("row", "rows", "in the frame", valued=True)
    PAGE_CHOICES = ("row", "aggregate", "fanout")

    def __init__(
        self,
        values: Sequence[Any],
        name: str = "sum",
        *,
        before: int = 6,
        after: int = 6,
        fanout: int = 4,
        row: int | None = None,
        without: bool = False,
    ) -> None:
        run_tree(name, values, Frame.rows(0, 0), fanout, row=0)
        self._given, self._rows = values, [number_words(value) for value in values]
        last = len(values) - 1
        place = last // 2 if row is None else row
        self.name = widgets.Dropdown(
            options=TREE_AGGREGATES, value=name, description="Aggregate", **_WIDE
        )
        self.fanout = _slider("Fanout", fanout, *FANOUTS)
        self.row = _slider("Row", place, 0, last)
        self.before, self.after = (
            _slider("Before it", before, 0, last),
            _slider("After it", after, 0, last),
        )
        self.without = widgets.Checkbox(
            value=without, description="without the row itself", indent=False
        )
        self.play = widgets.Play(
            min=0, max=last, value=self.row.value, interval=700, description="Move"
        )
        widgets.jslink((self.play, "value"), (self.row, "value"))
        super().__init__(
            "A frame over a segment tree",
            {
                "aggregate": self.name, "fanout": self.fanout, "row": self.row,
                "before": self.before, "after": self.after, "without": self.without,
            },
            self.play,
        )  # fmt: skip

    @property
    def step(self) -> TreeStep:
        """The last step of the kernel: the nodes, those that are used, and the answer."""
        result: TreeStep = self.answer.result
        return result

    def _facts(self) -> Sequence[str]:
        return [fact(len(self._rows), "row")]

    def _answer(self, settings: Mapping[str, Any]) -> Answer:
        name, fanout, row = settings["aggregate"], settings["fanout"], settings["row"]
        exclude = "current row" if settings["without"] else "no others"
        frame = Frame.rows(-settings["before"], settings["after"], exclude=exclude)
        run, formatter = run_tree(name, self._given, frame, fanout, row=row)
        step = replace(tree_steps(run)[-1], row=row)
        state = tree_state(step, formatter, self._rows)
        shape = {**tree_shape(len(self._rows), fanout), "legend": {"lit": "used by the frame"}}
        parts = self._parts(step, fanout, state)
        summary, words = _words(name, parts, state, formatter(step.answer))
        return Answer(
            {**shape, "states": [state]},
            step,
            f"Tree explorer: {summary}",
            words,
            _readable_numbers(pd.DataFrame(parts, columns=["rows", name]), name),
            self._code(settings),
        )

    def _parts(self, step: TreeStep, fanout: int, state: dict[str, Any]) -> list[tuple[str, str]]:
        """Return the parts that the answer combines: the rows of each, and its value."""
        rows = len(self._rows)
        used = sorted(step.used, key=lambda place: place.rows(fanout, rows)[0])
        return [(rows_words(one.rows(fanout, rows)), state["values"][one.id]) for one in used]

    def _leaf_table(self, leaves: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
        return _readable_numbers(super()._leaf_table(leaves), "value")

    def _code(self, settings: Mapping[str, Any]) -> str:
        values = np.asarray(self._given).tolist()
        names = ("before", "after", "fanout", "row")
        given = [f"{name}={settings[name]}" for name in names]
        given += ["without=True"] if settings["without"] else []
        return f"TreeExplorer({values}, {settings['aggregate']!r}, {', '.join(given)})"


def _words(
    name: str, parts: Sequence[tuple[str, str]], state: dict[str, Any], answer: str
) -> tuple[str, str]:
    """Return the answer in one line, and in sentences with its parts."""
    pieces = [(frame["from"], frame["to"]) for frame in state["frames"]]
    size, count = sum(end - begin for begin, end in pieces), len(parts)
    inside = " and ".join(map(rows_words, pieces)) or "no rows"
    summary = f"{name} of {inside} ({counted(size, 'value')}) = {answer}"
    listed = ", ".join(f"{rows} ({value})" for rows, value in parts)
    made = f"It is put together from {counted(count, 'part')}: {listed}. " if parts else ""
    spared = f"Going through the frame touches {counted(size, 'value')}, the tree {count}."
    return f"{summary}, from {counted(count, 'part')}", f"{summary}. {made}{spared}"


def _readable_numbers(table: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return a table whose column has the sign that programs read, as CSV files need it."""
    return table.assign(**{name: [text.replace(MINUS, "-") for text in table[name]]})


def _slider(description: str, value: int, least: int, most: int) -> widgets.IntSlider:
    shown = min(max(value, least), most)
    return widgets.IntSlider(value=shown, min=least, max=most, description=description, **_WIDE)
