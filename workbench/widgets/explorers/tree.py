"""The tree explorer: move a frame over a few values, and see which nodes it is made of."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import ipywidgets as widgets

from workbench.backfill.inspect.origin import counted
from workbench.frames.frame import Frame
from workbench.lessons.tree_run import SHOWN, number_words, rows_words, run_tree
from workbench.lessons.tree_steps import TreeStep, tree_steps
from workbench.widgets.explorers.explorer import TreeChart
from workbench.widgets.html import fact
from workbench.widgets.lessons.tree import tree_shape, tree_state

FANOUTS = (2, 8)
_WIDE = {"style": {"description_width": "90px"}, "layout": {"width": "330px"}}


class TreeExplorer(TreeChart):
    """A segment tree over a partition of a few rows, asked for the frame of one of them.

    Parameters
    ----------
    values : sequence of numbers
        At most 64, in their order.
    name : str
        The aggregate at first: "sum", "avg", "count", "min", "max", "first", "last", "product" or
        "stddev_samp".
    before, after : int
        How many rows before and after the current one the frame has at first.
    fanout : int
        How many children a node has at first, 2 to 8.

    Attributes
    ----------
    step : TreeStep
        What the kernel ended with: the nodes, those that are used, and the answer.
    words : str
        The same as a sentence.

    Raises
    ------
    WorkbenchError
        When there is no such aggregate, or there are too many values.

    Examples
    --------
    >>> TreeExplorer([5, 7, 3, 10, 6, 2, 8, 4], before=5, after=1, fanout=2)
    Tree explorer: sum of rows 0 to 4 (5 values) = 31, from 2 parts
    """

    step: TreeStep

    def __init__(
        self,
        values: Sequence[Any],
        name: str = "sum",
        *,
        before: int = 6,
        after: int = 6,
        fanout: int = 4,
    ) -> None:
        run_tree(name, values, Frame.rows(0, 0), fanout, row=0)
        self._values, self._rows = values, [number_words(value) for value in values]
        last = len(values) - 1
        self.name = widgets.Dropdown(options=SHOWN, value=name, description="Aggregate", **_WIDE)
        self.fanout = _slider("Fanout", fanout, *FANOUTS)
        self.row = _slider("Row", last // 2, 0, last)
        self.before, self.after = (
            _slider("Before it", before, 0, last),
            _slider("After it", after, 0, last),
        )
        self.without = widgets.Checkbox(description="without the row itself", indent=False)
        self.play = widgets.Play(min=0, max=last, value=last // 2, interval=700, description="Move")
        widgets.jslink((self.play, "value"), (self.row, "value"))
        super().__init__(
            "A frame over a segment tree",
            [self.name, self.fanout, self.row, self.before, self.after, self.without],
            self.play,
        )

    def _facts(self) -> Sequence[object]:
        return [fact(len(self._rows), "row")]

    def _answer(self) -> dict[str, Any]:
        fanout, row = self.fanout.value, self.row.value
        exclude = "current row" if self.without.value else "no others"
        frame = Frame.rows(-self.before.value, self.after.value, exclude=exclude)
        run, said = run_tree(self.name.value, self._values, frame, fanout, row=row)
        self.step = replace(tree_steps(run)[-1], row=row)
        state = tree_state(self.step, said, self._rows)
        shape = {**tree_shape(len(self._rows), fanout), "legend": {"lit": "used by the frame"}}
        self._summary, self.words = self._told(state, said(self.step.answer))
        return {**shape, "states": [state]}

    def _told(self, state: dict[str, Any], answer: str) -> tuple[str, str]:
        pieces = [(frame["from"], frame["to"]) for frame in state["frames"]]
        size = sum(end - begin for begin, end in pieces)
        inside = " and ".join(map(rows_words, pieces)) or "no rows"
        count, name = len(self.step.used), self.name.value
        summary = f"{name} of {inside} ({counted(size, 'value')}) = {answer}"
        parts = [self._part(place, state) for place in sorted(self.step.used, key=self._first)]
        made = (
            f"It is put together from {counted(count, 'part')}: {', '.join(parts)}. "
            if parts
            else ""
        )
        spared = f"Going through the frame touches {counted(size, 'value')}, the tree {count}."
        return f"{summary}, from {counted(count, 'part')}", f"{summary}. {made}{spared}"

    def _first(self, place: Any) -> int:
        first: int = place.rows(self.fanout.value, len(self._rows))[0]
        return first

    def _part(self, place: Any, state: dict[str, Any]) -> str:
        rows = rows_words(place.rows(self.fanout.value, len(self._rows)))
        return f"{rows} ({state['values'][place.id]})"

    def __repr__(self) -> str:
        return f"Tree explorer: {self._summary}"


def _slider(description: str, value: int, least: int, most: int) -> widgets.IntSlider:
    shown = min(max(value, least), most)
    return widgets.IntSlider(value=shown, min=least, max=most, description=description, **_WIDE)
