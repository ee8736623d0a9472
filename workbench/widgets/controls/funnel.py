"""The controls of a funnel: its steps, its window, its modes and its segments."""

from collections.abc import Callable, Sequence
from typing import Any

import ipywidgets as widgets
import traitlets

from kernels.funnel.levels import MAX_STEPS
from workbench.durations import Duration, microseconds, spoken
from workbench.figures.markup import element
from workbench.funnel.funnel import Funnel
from workbench.funnel.prepared import Prepared
from workbench.funnel.spec import MODES
from workbench.widgets.html import HTML

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


class StepsEditor(widgets.VBox):  # type: ignore[misc]
    """A list of steps that can be chosen, moved, removed and added to."""

    steps = traitlets.Tuple()

    def __init__(self, names: Sequence[str], steps: Sequence[str]) -> None:
        # A step that the data do not have stays on the list, to be seen and mended.
        self._names = [*names, *(step for step in dict.fromkeys(steps) if step not in names)]
        self._add = widgets.Button(description="Add a step", icon="plus", tooltip="Add a step")
        self._add.on_click(self._append)
        super().__init__()
        self.steps = tuple(steps)

    @traitlets.observe("steps")
    def _draw(self, _change: Any) -> None:
        self._add.disabled = len(self.steps) >= MAX_STEPS
        self.children = [*(self._row(k) for k in range(len(self.steps))), self._add]

    def _row(self, k: int) -> widgets.HBox:
        choice = widgets.Dropdown(
            options=self._names, value=self.steps[k], description=f"Step {k + 1}",
            layout={"width": "280px"}, style={"description_width": "60px"},
        )  # fmt: skip
        choice.observe(lambda change: self._replace(k, change["new"]), names="value")
        last = len(self.steps) - 1
        buttons = [
            _button("arrow-up", f"Move step {k + 1} up", k == 0, lambda: self._swap(k, k - 1)),
            _button(
                "arrow-down", f"Move step {k + 1} down", k == last, lambda: self._swap(k, k + 1)
            ),
            _button("times", f"Remove step {k + 1}", last == 0, lambda: self._remove(k)),
        ]
        return widgets.HBox([choice, *buttons])

    def _replace(self, k: int, name: str) -> None:
        self.steps = (*self.steps[:k], name, *self.steps[k + 1 :])

    def _swap(self, a: int, b: int) -> None:
        steps = list(self.steps)
        steps[a], steps[b] = steps[b], steps[a]
        self.steps = tuple(steps)

    def _remove(self, k: int) -> None:
        self.steps = self.steps[:k] + self.steps[k + 1 :]

    def _append(self, _button: Any) -> None:
        unused = [name for name in self._names if name not in self.steps]
        self.steps = (*self.steps, (unused or self._names)[0])


class FunnelControls(widgets.VBox):  # type: ignore[misc]
    """What a person can change of a funnel over prepared events."""

    funnel = traitlets.Any()
    by = traitlets.Unicode(None, allow_none=True)

    def __init__(self, funnel: Funnel, prepared: Prepared, by: str | None = None) -> None:
        self._first = funnel
        self.editor = StepsEditor(prepared.names, funnel.labels)
        self.window = _window_slider(funnel, prepared.integer_time)
        self.modes = {mode: _mode_box(mode, mode in funnel.modes) for mode in MODES}
        self.segments = widgets.Dropdown(
            options=[("all together", ""), *((name, name) for name in prepared.keep)],
            value=by or "", description="Break down by", style={"description_width": "100px"},
            layout={"width": "300px"},
        )  # fmt: skip
        modes = [widgets.VBox([box, _hint(HINTS[mode])]) for mode, box in self.modes.items()]
        super().__init__([self.editor, self.window, *modes, self.segments])
        self._read()
        for control in (self.window, *self.modes.values(), self.segments):
            control.observe(self._read, names="value")
        self.editor.observe(self._read, names="steps")

    def _read(self, _change: Any = None) -> None:
        reentry = self.modes["allow_reentry"]
        reentry.disabled = not self.modes["strict_order"].value
        if reentry.disabled and reentry.value:
            reentry.value = False  # which calls this again
            return
        old = self._first
        labels = self.editor.steps
        self.by = self.segments.value or None
        self.funnel = Funnel(
            list(labels) if old.conditions is None else {n: old.conditions[n] for n in labels},
            self.window.value,
            key=old.key if len(old.key) > 1 else old.key[0],
            time=old.time,
            event=old.event,
            modes=[mode for mode, box in self.modes.items() if box.value],
            unit=old.unit,
        )


def _button(icon: str, tooltip: str, disabled: bool, act: Callable[[], None]) -> widgets.Button:
    button = widgets.Button(icon=icon, tooltip=tooltip, disabled=disabled, layout={"width": "36px"})
    button.on_click(lambda _button: act())
    return button


def _mode_box(mode: str, on: bool) -> widgets.Checkbox:
    return widgets.Checkbox(value=on, description=mode, indent=False, tooltip=HINTS[mode])


def _hint(words: str) -> HTML:
    style = "font-size:12px;line-height:1.3;margin:-8px 0 4px 22px;opacity:.75"
    return HTML(element("div", words, style=style))


def _window_slider(funnel: Funnel, integer_time: bool) -> widgets.SelectionSlider:
    if integer_time:
        base = max(funnel.span(integer_time=True), 1)
        sizes = sorted({0, *(max(base * 2**k // 32, 1) for k in range(11))})
        options: list[tuple[str, Any]] = [(str(size), size) for size in sizes]
        value: Any = base
    else:
        known: dict[int, Duration] = {microseconds(window): window for window in WINDOWS}
        known[microseconds(funnel.window)] = funnel.window
        options = [(spoken(micros), known[micros]) for micros in sorted(known)]
        value = funnel.window
    return widgets.SelectionSlider(
        options=options, value=value, description="Window", continuous_update=False,
        style={"description_width": "60px"}, layout={"width": "400px"},
    )  # fmt: skip
