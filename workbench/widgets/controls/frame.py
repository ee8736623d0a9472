"""The controls of a frame: its unit, its two bounds and what it leaves out."""

import warnings
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any

import ipywidgets as widgets
import traitlets

from workbench.durations import microseconds
from workbench.errors import WorkbenchError, WorkbenchWarning
from workbench.frames.frame import EXCLUSIONS, Frame
from workbench.markup import element
from workbench.widgets.html import HTML
from workbench.widgets.sharing.state import Parts, option_for, single_text

UNITS = {"ROWS": "rows", "RANGE": "range", "GROUPS": "groups", "SESSION": "session"}
MAKE: dict[str, Callable[..., Frame]] = {
    "rows": Frame.rows,
    "range": Frame.range,
    "groups": Frame.groups,
    "session": lambda _, gap, exclude: Frame.session(gap, exclude=exclude),
}
HINTS = {
    "rows": "counts rows",
    "range": "measures along the order: a number, or a duration such as 3 days",
    "groups": "counts groups of peers, which are equal in the order",
    "session": "rows that each come less than a gap behind the one before: a number, or 30 minutes",
}
BEFORE, HERE, AFTER, NONE = "preceding", "current row", "following", "unbounded"
#: A bound that the controls cannot show, such as a column with a distance for each row.
GIVEN = "as given"
KINDS = {"low": [NONE, BEFORE, HERE, AFTER], "high": [BEFORE, HERE, AFTER, NONE]}
SIGNS = {BEFORE: -1, AFTER: 1}
#: What the controls call the bounds.
SAID = {"low": "from", "high": "to"}
#: What a distance may be, by unit.
DISTANCES = {
    "rows": "a number of rows, such as 3",
    "groups": "a number of groups, such as 3",
    "range": "a number, or a duration such as 3 days",
    "session": "a number, or a duration such as 30 minutes",
}


class BoundControl(widgets.HBox):  # type: ignore[misc]
    """One bound of a frame: how far from the current row, and on which side."""

    def __init__(self, name: str, given: Any) -> None:
        said, self._given = SAID[name], given
        kind, size = _side(given)
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
        return self.given_of(self.kind.value, self.distance.value.strip())

    def given_of(self, kind: str, size: str) -> Any:
        """Return the bound on a side, so far from the current row, as a frame takes it."""
        if kind not in SIGNS:
            return {NONE: None, HERE: 0, GIVEN: self._given}[kind]
        number = _number(size)
        return f"{'-' if SIGNS[kind] < 0 else ''}{size}" if number is None else SIGNS[kind] * number

    def check(self, unit: str, said: str) -> None:
        """Refuse what is no distance, before a frame speaks of a sign that nobody typed."""
        kind, size = self.kind.value, self.distance.value.strip()
        if kind not in SIGNS:
            return
        if size[:1] in ("-", "+"):
            words = f"{size!r} has a sign, but the side is chosen; leave the sign out"
        elif not size:
            words = f"how far is missing; give {DISTANCES[unit]}"
        elif not _is_distance(size, unit):
            words = f"{size!r} is no distance; give {DISTANCES[unit]}"
        else:
            return
        raise WorkbenchError(f"{said}: {words}.")

    def read(self, name: str, text: str) -> tuple[str, str]:
        """Return the side and the distance that a state's text means."""
        size, _, kind = text.rpartition(" ")
        if kind in SIGNS and size:
            return kind, size
        sides = [one for one in self.kind.options if one not in SIGNS]
        return option_for(name, text, {one: one for one in sides}), self.distance.value

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
    _opening = False

    def __init__(self, frame: Frame, step: str = "1") -> None:
        self._sizes = {"rows": "1", "groups": "1", "range": step, "session": step}
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
        self.frame, self._usual = frame, frame_parts(frame)
        self._say()

    def meant(self, parts: Parts) -> Frame:
        """Return the frame that a state says.

        Raises
        ------
        WorkbenchError
            When it says none.
        """
        unit, exclude, ends = self._read(parts)
        bounds = zip((self.low, self.high), ends, strict=True)
        low, high = (bound.given_of(*end) for bound, end in bounds)
        try:
            return _made(unit, low, high, exclude)
        except WorkbenchError as error:
            raise WorkbenchError(f"state: {error}") from None

    def reopen(self, parts: Parts) -> None:
        """Set the controls to what a state says, of which :meth:`meant` has a frame."""
        unit, exclude, ends = self._read(parts)
        self._opening = True
        self.unit.value, self.exclude.value = unit, exclude
        for bound, (kind, size) in zip((self.low, self.high), ends, strict=True):
            bound.kind.value, bound.distance.value = kind, size
        self._opening = False
        self._say()
        self._ask()

    def _read(self, parts: Parts) -> tuple[str, str, list[tuple[str, str]]]:
        """The unit, what is left out, and the two bounds of a state."""
        said = {name: single_text(parts, name, usual) for name, usual in self._usual.items()}
        unit = option_for("unit", said["unit"], {one: one for one in UNITS.values()})
        exclude = option_for("exclude", said["exclude"], {one: one for one in EXCLUSIONS})
        ends = [self.low.read("from", said["from"]), self.high.read("to", said["to"])]
        return unit, exclude, ends

    def _change_unit(self, change: dict[str, Any]) -> None:
        if self._opening:
            return
        # Each unit has distances of its own: three days are not three rows.
        for bound in (self.low, self.high):
            for part in (bound.kind, bound.distance):
                part.unobserve(self._ask, names="value")
            bound.distance.value = self._sizes[change["new"]]
            if "session" in (change["new"], change["old"]):
                # A gap is a distance to either side.
                bound.kind.value = BEFORE if bound is self.low else AFTER
            for part in (bound.kind, bound.distance):
                part.observe(self._ask, names="value")
        self._say()
        self._ask()

    def _say(self) -> None:
        self.hint.value = element("div", HINTS[self.unit.value], class_="wb-hint")
        is_session = self.unit.value == "session"
        self.low.layout.display = self.high.kind.layout.display = "none" if is_session else None

    def _ask(self, _change: Any = None) -> None:
        if self._opening:
            return
        unit = self.unit.value
        try:
            if unit != "session":
                self.low.check(unit, SAID["low"])
            self.high.check(unit, "gap" if unit == "session" else SAID["high"])
            frame = _made(unit, self.low.given, self.high.given, self.exclude.value)
        except WorkbenchError as error:
            self.problem = _as_the_controls_say(str(error))
            return
        self.problem = ""
        self.frame = frame


def _made(unit: str, low: Any, high: Any, exclude: str) -> Frame:
    """A frame that has something to show: what a call only warns of is refused here."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", WorkbenchWarning)
        try:
            return MAKE[unit](low, high, exclude=exclude)
        except WorkbenchWarning as warning:
            raise WorkbenchError(str(warning)) from None


def _as_the_controls_say(sentence: str) -> str:
    """A sentence about a frame, by what the controls call its bounds."""
    names, colon, rest = sentence.partition(":")
    return ", ".join(SAID.get(name, name) for name in names.split(", ")) + colon + rest


def _is_distance(size: str, unit: str) -> bool:
    number = _number(size)
    if number is not None:
        return isinstance(number, int) or unit not in ("rows", "groups")
    if unit in ("rows", "groups"):
        return False
    try:
        microseconds(size)
    except WorkbenchError:
        return False
    return True


def frame_parts(frame: Frame) -> dict[str, str]:
    """Return a frame as a state has it.

    Examples
    --------
    >>> frame_parts(Frame.range("-3 days", 0))
    {'unit': 'range', 'from': '3 days preceding', 'to': 'current row', 'exclude': 'no others'}
    """
    low, high = (
        f"{size} {kind}" if kind in SIGNS else kind for kind, size in map(_side, frame.given)
    )
    return {"unit": frame.unit, "from": low, "to": high, "exclude": frame.exclude}


def _side(given: Any) -> tuple[str, str]:
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
