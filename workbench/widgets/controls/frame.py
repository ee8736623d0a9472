"""The controls of a frame: its unit, its two bounds and what it leaves out."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import ipywidgets as widgets
import traitlets

from workbench.errors import WorkbenchError
from workbench.frames.frame import EXCLUSIONS, Frame
from workbench.markup import element
from workbench.widgets.html import HTML

UNITS = {"ROWS": "rows", "RANGE": "range", "GROUPS": "groups"}
HINTS = {
    "rows": "counts rows",
    "range": "measures along the order: a number, or a duration such as 3 days",
    "groups": "counts groups of peers, which are equal in the order",
}
BEFORE, HERE, AFTER, NONE = "preceding", "current row", "following", "unbounded"
#: A bound that the controls cannot show, such as a column with a distance for each row.
GIVEN = "as given"
KINDS = {"low": [NONE, BEFORE, HERE, AFTER], "high": [BEFORE, HERE, AFTER, NONE]}
SIGNS = {BEFORE: -1, AFTER: 1}


class BoundControl(widgets.HBox):  # type: ignore[misc]
    """One bound of a frame: how far from the current row, and on which side."""

    def __init__(self, name: str, given: Any) -> None:
        said = {"low": "from", "high": "to"}[name]
        self._given = given
        kind, size = _read(given)
        self.kind = widgets.Dropdown(
            options=[*KINDS[name], *([GIVEN] if kind == GIVEN else [])], value=kind,
            description=said, layout={"width": "auto"},
            style={"description_width": "initial"},
        )  # fmt: skip
        self.distance = widgets.Text(
            value=size, continuous_update=False, layout={"width": "90px"}, placeholder="how far",
            tooltip="How far: 3, 0.5 or 3 days",
        )  # fmt: skip
        super().__init__([self.kind, self.distance])
        self.kind.observe(self._hide, names="value")
        self._hide()

    @property
    def given(self) -> Any:
        """The bound as a frame takes it."""
        kind, size = self.kind.value, self.distance.value.strip()
        if kind not in SIGNS:
            return {NONE: None, HERE: 0, GIVEN: self._given}[kind]
        number = _number(size)
        return f"{'-' if SIGNS[kind] < 0 else ''}{size}" if number is None else SIGNS[kind] * number

    def _hide(self, _change: Any = None) -> None:
        away = self.kind.value in SIGNS
        self.distance.layout.visibility = "visible" if away else "hidden"


class FrameControls(widgets.VBox):  # type: ignore[misc]
    """What a person can change of a frame.

    Attributes
    ----------
    frame : Frame
        The frame as the controls have it; the last one that was possible.
    problem : str
        What is wrong with the controls as they are, else empty.
    """

    frame = traitlets.Any()
    problem = traitlets.Unicode()

    def __init__(self, frame: Frame, step: str = "1") -> None:
        self._sizes = {"rows": "1", "groups": "1", "range": step}
        low, high = frame.given
        self.unit = widgets.ToggleButtons(
            options=UNITS, value=frame.unit, style={"button_width": "84px"}
        )
        self.hint = HTML()
        self.low, self.high = BoundControl("low", low), BoundControl("high", high)
        self.exclude = widgets.Dropdown(
            options=[(f"EXCLUDE {name.upper()}", name) for name in EXCLUSIONS],
            value=frame.exclude, layout={"width": "auto"},
        )  # fmt: skip
        super().__init__([self.unit, self.low, self.high, self.exclude, self.hint])
        self.add_class("wb-controls-group")
        for bound in (self.low, self.high):
            bound.distance.value = bound.distance.value or self._sizes[frame.unit]
            for part in (bound.kind, bound.distance):
                part.observe(self._ask, names="value")
        self.unit.observe(self._change_unit, names="value")
        self.exclude.observe(self._ask, names="value")
        self.frame = frame
        self._say()

    def _change_unit(self, change: dict[str, Any]) -> None:
        # Each unit has distances of its own: three days are not three rows.
        for bound in (self.low, self.high):
            bound.distance.unobserve(self._ask, names="value")
            bound.distance.value = self._sizes[change["new"]]
            bound.distance.observe(self._ask, names="value")
        self._say()
        self._ask()

    def _say(self) -> None:
        self.hint.value = element("div", HINTS[self.unit.value], class_="wb-hint")

    def _ask(self, _change: Any = None) -> None:
        make = {"rows": Frame.rows, "range": Frame.range, "groups": Frame.groups}
        try:
            frame = make[self.unit.value](
                self.low.given, self.high.given, exclude=self.exclude.value
            )
        except WorkbenchError as error:
            self.problem = str(error)
            return
        self.problem = ""
        self.frame = frame


def _read(given: Any) -> tuple[str, str]:
    """The side of a bound, and how far it is, as text."""
    if given is None:
        return NONE, ""
    if isinstance(given, timedelta):
        given = f"{given.total_seconds():.15g} seconds"
    if not isinstance(given, int | float | Decimal | str):
        return GIVEN, ""
    size = str(given).strip()
    if _number(size) == 0:
        return HERE, ""
    return (BEFORE, size[1:].strip()) if size.startswith("-") else (AFTER, size)


def _number(size: str) -> int | float | None:
    for kind in (int, float):
        try:
            return kind(size)
        except ValueError:
            continue
    return None
