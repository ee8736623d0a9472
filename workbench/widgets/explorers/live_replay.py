"""The output of a stream at each moment, which can be viewed again when it has ended."""

from collections.abc import Callable
from typing import Any, NamedTuple

import ipywidgets as widgets
import pyarrow as pa


class Moment(NamedTuple):
    """The output of a stream at one time, which can be shown again.

    Attributes
    ----------
    at : str
        The arrival clock, or the number of the micro-batch.
    table, last : pyarrow.Table or None
        The rows emitted by then, and the changes of the last micro-batch.
    """

    at: str
    table: pa.Table | None
    last: pa.Table | None


class MomentSlider(widgets.HBox):  # type: ignore[misc]
    """A slider over moments, and a button that moves it; hidden until :meth:`offer`.

    Parameters
    ----------
    draw_moment : function
        Draws a moment by its number.
    """

    def __init__(self, draw_moment: Callable[[int], None]) -> None:
        self.player = widgets.Play(interval=700, min=0, max=0, show_repeat=True)
        self.at = widgets.SelectionSlider(
            options=[("", 0)], description="Again",
            layout={"width": "370px", "margin": "2px 2px 2px 12px"},
            style={"description_width": "50px"},
        )  # fmt: skip
        super().__init__([self.player, self.at], layout={"display": "none"})
        self._draw_moment = draw_moment
        widgets.jslink((self.player, "value"), (self.at, "index"))
        self.at.observe(self._show_chosen, names="value")

    def offer(self, names: list[str]) -> None:
        """Show the slider with these names of moments, at the last one."""
        self.at.unobserve(self._show_chosen, names="value")
        self.at.options = [(name, number) for number, name in enumerate(names)]
        self.player.max = len(names) - 1
        self.at.index = self.player.value = len(names) - 1
        self.at.observe(self._show_chosen, names="value")
        self.layout.display = None

    def withdraw(self) -> None:
        """Hide the slider, as the stream goes on."""
        self.layout.display = "none"

    def _show_chosen(self, change: dict[str, Any]) -> None:
        self._draw_moment(change["new"])
