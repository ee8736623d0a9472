"""The controls of a funnel: its steps, its window, its modes and its segments."""

from collections.abc import Callable, Sequence
from typing import Any

import ipywidgets as widgets
import traitlets

from kernels.funnel.chain_levels import ORDERS
from kernels.funnel.levels import MAX_STEPS
from workbench.arguments import optional_names
from workbench.described import name_shown
from workbench.durations import Duration, duration_text, microseconds
from workbench.errors import WorkbenchError
from workbench.funnel.funnel import Funnel
from workbench.funnel.prepared import Prepared
from workbench.funnel.spec import MODES
from workbench.widgets.sharing.state import Parts, option_for, single_text

WINDOWS = [
    *("0 seconds", "1 second", "10 seconds", "1 minute", "5 minutes", "15 minutes", "30 minutes"),
    *("1 hour", "2 hours", "3 hours", "6 hours", "12 hours", "1 day", "2 days", "3 days"),
    *("7 days", "14 days", "28 days", "90 days", "365 days"),
]
HINTS = {
    "strict_order": "no other event may come between the steps",
    "strict_deduplication": "a later step that repeats ends the funnel",
    "strict_increase": "each step is later than the one before, not at the same time",
    "strict_once": "a row counts for one step only",
    "allow_reentry": "with strict_order: a step too far ahead is passed over",
}


#: The labels of the orders of steps.
ORDER_WORDS = {
    "this": "in this order", "strict": "nothing between", "any": "in any order",
}  # fmt: skip
#: The choices for the number of segments that are drawn.
MOST = (6, 12, 24, 48)
#: Controls in a row, which wraps.
WRAPPED = {"flex_flow": "row wrap", "align_items": "center"}


class StepsEditor(widgets.HBox):  # type: ignore[misc]
    """A list of steps that can be chosen, moved, removed and added to."""

    steps = traitlets.Tuple()

    def __init__(self, names: Sequence[str], steps: Sequence[str]) -> None:
        # A step that the data do not have stays in the list, so that it can be corrected.
        self.names = [*names, *(step for step in dict.fromkeys(steps) if step not in names)]
        self._add = widgets.Button(
            description="step", icon="plus", tooltip="Add a step", layout={"width": "72px"}
        )
        self._add.on_click(self._append)
        super().__init__(layout={"flex_flow": "row wrap", "align_items": "center"})
        self.add_class("wb-steps")
        self.steps = tuple(steps)

    @traitlets.observe("steps")
    def _draw(self, _change: Any) -> None:
        self._add.disabled = len(self.steps) >= MAX_STEPS
        self.children = [*(self._row(k) for k in range(len(self.steps))), self._add]

    def _row(self, k: int) -> widgets.HBox:
        choice = widgets.Dropdown(
            options=[(name_shown(name), name) for name in self.names],
            value=self.steps[k], description=str(k + 1),
            layout={"width": "auto", "max_width": "240px"}, style={"description_width": "initial"},
            tooltip=f"Step {k + 1}",
        )  # fmt: skip
        choice.observe(lambda change: self._replace(k, change["new"]), names="value")
        last = len(self.steps) - 1
        buttons = [
            _button("angle-left", f"Step {k + 1} earlier", k == 0, lambda: self._swap(k, k - 1)),
            _button("angle-right", f"Step {k + 1} later", k == last, lambda: self._swap(k, k + 1)),
            _button("times", f"Remove step {k + 1}", last == 0, lambda: self._remove(k)),
        ]
        row = widgets.HBox([choice, *buttons])
        row.add_class("wb-step")
        return row

    def _replace(self, k: int, name: str) -> None:
        self.steps = (*self.steps[:k], name, *self.steps[k + 1 :])

    def _swap(self, a: int, b: int) -> None:
        steps = list(self.steps)
        steps[a], steps[b] = steps[b], steps[a]
        self.steps = tuple(steps)

    def _remove(self, k: int) -> None:
        self.steps = self.steps[:k] + self.steps[k + 1 :]

    def _append(self, _button: Any) -> None:
        unused = [name for name in self.names if name not in self.steps]
        self.steps = (*self.steps, (unused or self.names)[0])


class FunnelControls(widgets.VBox):  # type: ignore[misc]
    """The controls of a funnel over prepared events."""

    funnel = traitlets.Any()
    #: The columns of the segments, empty for all events together.
    by = traitlets.Tuple()
    #: The number of segments that are drawn; a change needs no Spark job.
    most = traitlets.Int(MOST[0])
    _opening = False
    _asks_most = True

    def __init__(self, funnel: Funnel, prepared: Prepared, by: Sequence[str] = ()) -> None:
        self._first = funnel
        self.editor = StepsEditor(prepared.names, funnel.labels)
        self.window = _window_slider(funnel, prepared.integer_time)
        self.order = _dropdown(
            "steps", [(ORDER_WORDS[order], order) for order in ORDERS], funnel.rules.order
        )
        self.modes = {mode: _mode_box(mode, mode in funnel.modes) for mode in MODES}
        cohorts = (one.label for one in funnel.segmenting.cohorts)
        self.segments = _segments((*cohorts, *prepared.keep), tuple(by))
        self.shown = _dropdown("show", [(f"{n} largest", n) for n in MOST], MOST[0])
        self.more = widgets.ToggleButton(
            value=bool(funnel.modes), description="modes", icon="sliders",
            tooltip="What else must hold between the steps", layout={"width": "84px"},
        )  # fmt: skip
        self.boxes = widgets.HBox([*self.modes.values()], layout=WRAPPED)
        row = widgets.HBox(
            [self.window, self.order, self.segments, self.shown, self.more], layout=WRAPPED
        )
        super().__init__([self.editor, row, self.boxes])
        for box in (row, self.boxes):
            box.add_class("wb-controls")
        traitlets.link((self.shown, "value"), (self, "most"))
        self.more.observe(self._open, names="value")
        self._open()
        self._update_funnel()
        for control in (self.window, self.order, *self.modes.values(), self.segments):
            control.observe(self._update_funnel, names="value")
        self.editor.observe(self._update_funnel, names="steps")

    def _open(self, _change: Any = None) -> None:
        self.boxes.layout.display = None if self.more.value else "none"

    def _update_funnel(self, _change: Any = None) -> None:
        if self._opening:
            return
        reentry = self.modes["allow_reentry"]
        reentry.disabled = not self.modes["strict_order"].value
        if reentry.disabled and reentry.value:
            reentry.value = False  # which calls this again
            return
        # Set before the funnel, whose observers read it.
        self.by = optional_names(self.segments.value or (), "by")
        self._offer_most()
        self.funnel = self._current_funnel()

    def offer(self, by: bool, most: bool) -> None:
        """Show or hide the controls of the segments and of their number.

        Parameters
        ----------
        by, most : bool
            Whether they change the current view.
        """
        self.segments.layout.display = None if by else "none"
        self._asks_most = most
        self._offer_most()

    def _offer_most(self) -> None:
        self.shown.layout.display = None if self.by and self._asks_most else "none"

    def parts(self) -> dict[str, Any]:
        """Return the values of the controls as parts of a state, without the defaults."""
        by, order, most = self.by, self.funnel.rules.order, self.most
        return {
            "step": list(self.editor.steps),
            "within": window_text(self.window.value),
            "order": [order] if order != ORDERS[0] else [],
            "mode": list(self.funnel.modes),
            "by": list(by),
            "show": [str(most)] if most != MOST[0] and by else [],
        }

    def reopen(self, parts: Parts) -> None:
        """Set the controls to a state.

        Raises
        ------
        WorkbenchError
            When it has a value that cannot be chosen here; the controls do not change.
        """
        known = {name: name for name in self.editor.names}
        steps = [option_for("step", one, known) for one in parts.get("step", self._first.labels)]
        if len(steps) > MAX_STEPS:
            raise WorkbenchError(f"state: {len(steps)} steps are too many; use {MAX_STEPS}.")
        window = self._window_of(single_text(parts, "within", window_text(self._first.window)))
        order = option_for(
            "order", single_text(parts, "order", ORDERS[0]), {one: one for one in ORDERS}
        )
        modes = {option_for("mode", one, {mode: mode for mode in MODES})
                 for one in parts.get("mode", [])}  # fmt: skip
        columns = {_by_text(value): value for _, value in self.segments.options}
        by = option_for("by", _by_text(tuple(parts.get("by", []))), columns)
        shown = {str(n): n for _, n in self.shown.options}
        most = option_for("show", single_text(parts, "show", str(MOST[0])), shown)
        self._opening = True
        try:
            self.editor.steps, self.window.value = tuple(steps), window
            self.order.value, self.segments.value, self.shown.value = order, by, most
            for mode, box in self.modes.items():
                box.value = mode in modes
        finally:
            self._opening = False
        self._update_funnel()

    def _window_of(self, text: str) -> Duration:
        """Return the window of a text, and add it to the slider."""
        known = {window_text(value): value for _, value in self.window.options}
        if text in known or isinstance(self._first.window, int):
            window: Duration = option_for("within", text, known)
            return window
        try:
            micros = microseconds(text)
        except WorkbenchError as error:
            raise WorkbenchError(str(error).replace("window:", "state: within:", 1)) from None
        same = [value for _, value in self.window.options if microseconds(value) == micros]
        if not same:
            before = self.window.value
            self._opening = True
            self.window.options = _windows([value for _, value in self.window.options] + [text])
            self.window.value = before
            self._opening = False
        return same[0] if same else text

    def within(self, window: Duration) -> Funnel:
        """Return the funnel of the controls, within another window."""
        return self._current_funnel(window)

    def _current_funnel(self, window: Duration | None = None) -> Funnel:
        """Return the funnel of the controls, with the initial rules that its steps allow."""
        old, labels = self._first, self.editor.steps
        names = dict(zip(old.labels, old.names or (), strict=False))
        steps: Any = [names.get(label, (label,)) for label in labels]
        if old.conditions is not None:
            steps = {label: old.conditions[label] for label in labels}
        rules = {name: value for name, value, usual in old.rule_arguments() if value != usual}
        within = self.window.value if window is None else window
        segments = {name: value for name, value, _ in old.segmenting.arguments(old.labels)}
        try:
            return self._make_funnel(steps, within, rules | {"order": self.order.value}, segments)
        except WorkbenchError:
            # A rule names a step that was removed, or does not fit the order.
            fewer = {"cohorts": segments["cohorts"]}
            return self._make_funnel(steps, within, {"order": self.order.value}, fewer)

    def _make_funnel(
        self, steps: Any, window: Duration, rules: dict[str, Any], segments: dict[str, Any]
    ) -> Funnel:
        old = self._first
        has_rules = rules.keys() - {"order"} or rules["order"] != "this"
        for mode, box in self.modes.items():
            reentry = mode == "allow_reentry" and not self.modes["strict_order"].value
            box.disabled = bool(has_rules) or reentry
        return Funnel(
            steps,
            window,
            modes=[mode for mode, box in self.modes.items() if box.value and not box.disabled],
            **{name: value for name, value, _ in old.shared_arguments()},
            **{name: value for name, value, _ in old.counting.arguments()},
            **rules,
            **segments,
        )


def _button(icon: str, tooltip: str, disabled: bool, act: Callable[[], None]) -> widgets.Button:
    button = widgets.Button(icon=icon, tooltip=tooltip, disabled=disabled, layout={"width": "36px"})
    button.on_click(lambda _button: act())
    return button


def _mode_box(mode: str, on: bool) -> widgets.Checkbox:
    return widgets.Checkbox(
        value=on, description=mode, indent=False, tooltip=HINTS[mode], layout={"width": "auto"}
    )


def _segments(columns: Sequence[str], by: tuple[str, ...]) -> widgets.Dropdown:
    """Return a list of the cohorts and prepared columns, and of the initial ones together."""
    several: list[tuple[str, Any]] = [(" and ".join(by), by)] if len(by) > 1 else []
    options = [("all together", ""), *((name, name) for name in columns), *several]
    return _dropdown("by", options, by if several else by[0] if by else "")


def _dropdown(what: str, options: Sequence[tuple[str, Any]], value: Any) -> widgets.Dropdown:
    return widgets.Dropdown(
        options=options, value=value, description=what, layout={"width": "auto"},
        style={"description_width": "initial"},
    )  # fmt: skip


def window_text(window: Duration) -> str:
    """Return a window as text of a state.

    Examples
    --------
    >>> from datetime import timedelta
    >>> window_text("1 day"), window_text(timedelta(minutes=5)), window_text(90)
    ('1 day', '300000000 microseconds', '90')
    """
    exact = not isinstance(window, str | int)
    return f"{microseconds(window)} microseconds" if exact else str(window)


def _by_text(names: Sequence[str] | str) -> str:
    """Return the columns of segments, one or several, as one text."""
    return names if isinstance(names, str) else ", ".join(names)


def _windows(windows: Sequence[Duration]) -> list[tuple[str, Duration]]:
    """Return windows from short to long, with their labels; of equal ones, the last."""
    known: dict[int, Duration] = {microseconds(window): window for window in windows}
    return [(duration_text(micros), known[micros]) for micros in sorted(known)]


def _window_slider(funnel: Funnel, integer_time: bool) -> widgets.SelectionSlider:
    if integer_time:
        base = max(funnel.span(integer_time=True), 1)
        sizes = sorted({0, *(max(base * 2**k // 32, 1) for k in range(11))})
        options: list[tuple[str, Any]] = [(str(size), size) for size in sizes]
        value: Any = base
    else:
        options, value = _windows([*WINDOWS, funnel.window]), funnel.window
    return widgets.SelectionSlider(
        options=options, value=value, description="within", continuous_update=False,
        style={"description_width": "initial"}, layout={"width": "340px"},
    )  # fmt: skip
