"""The controls of a frame: its unit, its two bounds and what it leaves out."""

import warnings
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any

import ipywidgets as widgets
import traitlets

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
    "session": "rows that each come less than a gap after the one before: a number, or 30 minutes",
}
BEFORE, HERE, AFTER, NONE = "preceding", "current row", "following", "unbounded"
#: The kind of a bound that the controls cannot show, such as a column with distances.
GIVEN = "as given"
KINDS = {"low": [NONE, BEFORE, HERE, AFTER], "high": [BEFORE, HERE, AFTER, NONE]}
SIGNS = {BEFORE: -1, AFTER: 1}
#: The labels of the bounds.
LABELS = {"low": "from", "high": "to"}
#: Valid distances by unit, in words.
DISTANCES = {
    "rows": "a number of rows, such as 3",
    "groups": "a number of groups, such as 3",
    "range": "a number, or a duration such as 3 days",
    "session": "a number, or a duration such as 30 minutes",
}


class BoundControl(widgets.HBox):  # type: ignore[misc]
    """One bound of a frame: the side of the current row, and the distance from it."""

    def __init__(self, name: str, initial: Any) -> None:
        label, self._initial = LABELS[name], initial
        # What was chosen in the units that were left: distances by unit, and the side.
        self._sizes: dict[str, str] = {}
        self._usual = self._side = BEFORE if name == "low" else AFTER
        kind, size = _side(initial)
        self.kind = widgets.Dropdown(
            options=[*KINDS[name], *([GIVEN] if kind == GIVEN else [])], value=kind,
            description=label, layout={"width": "auto"},
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
    def bound(self) -> Any:
        """The bound as an argument of a frame."""
        return self.bound_of(self.kind.value, self.distance.value.strip())

    def bound_of(self, kind: str, size: str) -> Any:
        """Return a bound with this side and distance as an argument of a frame."""
        if kind not in SIGNS:
            return {NONE: None, HERE: 0, GIVEN: self._initial}[kind]
        number = _number(size)
        return f"{'-' if SIGNS[kind] < 0 else ''}{size}" if number is None else SIGNS[kind] * number

    def check(self, unit: str, label: str) -> None:
        """Raise an error if the distance is not valid, in terms of the controls."""
        kind, size = self.kind.value, self.distance.value.strip()
        if kind not in SIGNS:
            return
        if size[:1] in ("-", "+"):
            words = f"{size!r} has a sign, but the side is chosen; leave the sign out"
        elif not size:
            words = f"the distance is missing; give {DISTANCES[unit]}"
        elif not _is_distance(size, unit):
            words = f"{size!r} is not a distance; give {DISTANCES[unit]}"
        else:
            return
        raise WorkbenchError(f"{label}: {words}.")

    def change_unit(self, old: str, new: str, size: str) -> None:
        """Show the valid distance that was left in a unit, by default ``size``.

        Each unit has its own distances: three days are not three rows. All but sessions share
        a side; a gap has none.
        """
        if _is_distance(self.distance.value.strip(), old):
            self._sizes[old] = self.distance.value
        self.distance.value = self._sizes.get(new, size)
        if new == "session":
            self._side, self.kind.value = self.kind.value, self._usual
        elif old == "session":
            self.kind.value = self._side

    def read(self, name: str, text: str) -> tuple[str, str]:
        """Return the side and the distance for a text of a state."""
        size, _, kind = text.rpartition(" ")
        if kind in SIGNS and size:
            return kind, size
        sides = [one for one in self.kind.options if one not in SIGNS]
        return option_for(name, text, {one: one for one in sides}), self.distance.value

    def _hide(self, _change: Any = None) -> None:
        away = self.kind.value in SIGNS
        self.distance.layout.visibility = "visible" if away else "hidden"


class FrameControls(widgets.VBox):  # type: ignore[misc]
    """The controls of a frame.

    Attributes
    ----------
    frame : Frame
        The frame of the controls, or the last valid one.
    problem : str
        Why the current controls are not valid, else empty.
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
            tooltip="The rows that a frame leaves out",
        )  # fmt: skip
        super().__init__([self.unit, self.low, self.high, self.exclude, self.hint])
        self.add_class("wb-controls-group")
        for bound in (self.low, self.high):
            bound.distance.value = bound.distance.value or self._sizes[frame.unit]
            for part in (bound.kind, bound.distance):
                part.observe(self._update_frame, names="value")
        self.unit.observe(self._change_unit, names="value")
        self.exclude.observe(self._update_frame, names="value")
        self.frame, self._defaults = frame, frame_parts(frame)
        self._update_hint()

    def frame_from(self, parts: Parts) -> Frame:
        """Return the frame of a state.

        Raises
        ------
        WorkbenchError
            When the state has no valid frame.
        """
        unit, exclude, ends = self._read(parts)
        bounds = zip((self.low, self.high), ends, strict=True)
        low, high = (bound.bound_of(*end) for bound, end in bounds)
        try:
            return _make_frame(unit, low, high, exclude)
        except WorkbenchError as error:
            raise WorkbenchError(f"state: {error}") from None

    def reopen(self, parts: Parts) -> None:
        """Set the controls to a state, whose frame is valid by :meth:`frame_from`."""
        unit, exclude, ends = self._read(parts)
        self._opening = True
        self.unit.value, self.exclude.value = unit, exclude
        for bound, (kind, size) in zip((self.low, self.high), ends, strict=True):
            bound.kind.value, bound.distance.value = kind, size
        self._opening = False
        self._update_hint()
        self._update_frame()

    def _read(self, parts: Parts) -> tuple[str, str, list[tuple[str, str]]]:
        """Return the unit, the exclusion, and the two bounds of a state."""
        texts = {
            name: single_text(parts, name, default) for name, default in self._defaults.items()
        }
        unit = option_for("unit", texts["unit"], {one: one for one in UNITS.values()})
        exclude = option_for("exclude", texts["exclude"], {one: one for one in EXCLUSIONS})
        ends = [self.low.read("from", texts["from"]), self.high.read("to", texts["to"])]
        return unit, exclude, ends

    def _change_unit(self, change: dict[str, Any]) -> None:
        if self._opening:
            return
        for bound in (self.low, self.high):
            for part in (bound.kind, bound.distance):
                part.unobserve(self._update_frame, names="value")
            bound.change_unit(change["old"], change["new"], self._sizes[change["new"]])
            for part in (bound.kind, bound.distance):
                part.observe(self._update_frame, names="value")
        self._update_hint()
        self._update_frame()

    def _update_hint(self) -> None:
        self.hint.value = element("div", HINTS[self.unit.value], class_="wb-hint")
        is_session = self.unit.value == "session"
        self.low.layout.display = self.high.kind.layout.display = "none" if is_session else None

    def _update_frame(self, _change: Any = None) -> None:
        if self._opening:
            return
        unit = self.unit.value
        try:
            if unit != "session":
                self.low.check(unit, LABELS["low"])
            self.high.check(unit, "gap" if unit == "session" else LABELS["high"])
            frame = _make_frame(unit, self.low.bound, self.high.bound, self.exclude.value)
        except WorkbenchError as error:
            self.problem = _with_control_labels(str(error))
            return
        self.problem = ""
        self.frame = frame


def _make_frame(unit: str, low: Any, high: Any, exclude: str) -> Frame:
    """Return a frame; what is only a warning for a call is an error here."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", WorkbenchWarning)
        try:
            return MAKE[unit](low, high, exclude=exclude)
        except WorkbenchWarning as warning:
            raise WorkbenchError(str(warning)) from None


def _with_control_labels(sentence: str) -> str:
    """Return a sentence about a frame in terms of the controls: their labels and choices."""
    names, colon, rest = sentence.replace("give None for", "choose unbounded for").partition(":")
    return ", ".join(LABELS.get(name, name) for name in names.split(", ")) + colon + rest


def _is_distance(size: str, unit: str) -> bool:
    number = _number(size)
    if number is not None:
        return isinstance(number, int) or unit not in ("rows", "groups")
    if unit in ("rows", "groups"):
        return False
    try:
        Frame.range(None, size)
    except WorkbenchError:
        return False
    return True


def frame_parts(frame: Frame) -> dict[str, str]:
    """Return a frame as the parts of a state.

    Examples
    --------
    >>> frame_parts(Frame.range("-3 days", 0))
    {'unit': 'range', 'from': '3 days preceding', 'to': 'current row', 'exclude': 'no others'}
    """
    low, high = (
        f"{size} {kind}" if kind in SIGNS else kind for kind, size in map(_side, frame.given)
    )
    return {"unit": frame.unit, "from": low, "to": high, "exclude": frame.exclude}


def _side(bound: Any) -> tuple[str, str]:
    """Return the side of a bound, and its distance as text."""
    if bound is None:
        return NONE, ""
    if isinstance(bound, timedelta):
        bound = f"{bound.total_seconds():.15g} seconds"
    if not isinstance(bound, int | float | Decimal | str):
        return GIVEN, ""
    size = str(bound).strip()
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
