"""What a stream had said at each moment, to be looked at once more when it has ended."""

from collections.abc import Callable
from typing import Any, NamedTuple

import ipywidgets as widgets
import pyarrow as pa


class Moment(NamedTuple):
    """What a stream had said at one time, to be shown again.

    Attributes
    ----------
    at : str
        The arrival clock, or the number of the micro-batch.
    table, last : pyarrow.Table or None
        What had been said, and the changes of the last micro-batch.
    """

    at: str
    table: pa.Table | None
    last: pa.Table | None


class Again(widgets.HBox):  # type: ignore[misc]
    """A slider over moments, and a button that moves it; nothing is seen until it is offered.

    Parameters
    ----------
    look : function
        Draws a moment by its number.
    """

    def __init__(self, look: Callable[[int], None]) -> None:
        self.player = widgets.Play(interval=700, min=0, max=0, show_repeat=True)
        self.at = widgets.SelectionSlider(
            options=[("", 0)], description="Again", layout={"width": "360px"},
            style={"description_width": "50px"},
        )  # fmt: skip
        super().__init__([self.player, self.at], layout={"display": "none"})
        self._look = look
        widgets.jslink((self.player, "value"), (self.at, "index"))
        self.at.observe(self._moved, names="value")

    def offer(self, names: list[str]) -> None:
        """Offer moments by their names, and stand at the last one."""
        self.at.unobserve(self._moved, names="value")
        self.at.options = [(name, number) for number, name in enumerate(names)]
        self.player.max = len(names) - 1
        self.at.index = self.player.value = len(names) - 1
        self.at.observe(self._moved, names="value")
        self.layout.display = None

    def withdraw(self) -> None:
        """Hide it again, as the stream goes on."""
        self.layout.display = "none"

    def _moved(self, change: dict[str, Any]) -> None:
        self._look(change["new"])
