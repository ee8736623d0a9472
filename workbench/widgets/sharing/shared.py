"""Sharing the view of an explorer: export it, open it again, undo and redo."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import ipywidgets as widgets

from workbench.markup import Markup, element
from workbench.widgets.html import HTML, Status
from workbench.widgets.sharing.files import csv_of, png_of
from workbench.widgets.sharing.handed_on import HandedOn
from workbench.widgets.sharing.history import History
from workbench.widgets.sharing.page import (
    MOST_BYTES,
    MOST_SECONDS,
    Shareable,
    offline_page,
)
from workbench.widgets.sharing.state import Parts, parse_state, state_of
from workbench.widgets.sheet import Sheet


class ShareBar(widgets.HBox):  # type: ignore[misc]
    """Buttons below an explorer: undo and redo, the view as text, and as files.

    Parameters
    ----------
    back, forward : function
        Undoes a choice, and does it again.
    files : dict of str to function
        For the label of each button, a function that returns a file's name and its bytes.
    """

    def __init__(
        self,
        back: Callable[[], object],
        forward: Callable[[], object],
        files: dict[str, Callable[[], tuple[str, bytes]]],
    ) -> None:
        self.status, self._sheet = Status(), Sheet()
        self.undo = _button("Undo", "undo", "Back to the previous view", back)
        self.redo = _button("Redo", "repeat", "Restore the undone view", forward)
        self.state = HTML()
        saves = [
            _button(name, "", f"Save the current view as {name}", self._saving(make))
            for name, make in files.items()
        ]
        parts = [self.undo, self.redo, self.state, element("span", "Save as"), *saves]
        shown = [HTML(part) if isinstance(part, Markup) else part for part in parts]
        super().__init__([*shown, self.status, self._sheet])
        self.add_class("wb-share")

    def show_view(self, state: str, can_undo: bool, can_redo: bool) -> None:
        """Show the state of the view, and enable the buttons Undo and Redo accordingly."""
        button = element("button", "Copy this view", class_="wb-copy")
        self.state.value = element("span", element("code", state), button)
        self.undo.disabled, self.redo.disabled = not can_undo, not can_redo
        self.status.value = Markup()

    def _saving(self, make: Callable[[], tuple[str, bytes]]) -> Callable[[], object]:
        def save() -> None:
            name, content = make()
            # The browser saves it: the kernel may be on another machine.
            self._sheet.send({"save": name}, [content])

        return lambda: self.status.guard(save)


def _button(name: str, icon: str, hint: str, act: Callable[[], object]) -> widgets.Button:
    button = widgets.Button(
        description=name, icon=icon, tooltip=hint, layout={"width": "auto"},
    )  # fmt: skip
    button.on_click(lambda _button: act())
    return button


class Shared(HandedOn):
    """An explorer whose view can be exported, opened again, undone and redone.

    Attributes
    ----------
    state : str
        The values of the controls as a short text that is valid in any URL. It can be set, and
        ``wb.explore(..., state=...)`` opens with it.
    share : ShareBar
    """

    #: The names of the choices in a state.
    STATE_NAMES: Sequence[str]
    #: The name of a file that a browser saves, without its extension.
    FILE = "explorer"
    _opening = False
    _state_prefix: Mapping[str, str] = {}

    def _state_parts(self) -> dict[str, Any]:
        """Return the values of the controls, as texts by name."""
        raise NotImplementedError

    def _reopen(self, parts: Parts) -> None:
        """Set the controls; if one of them cannot be set, change none."""
        raise NotImplementedError

    def _shareable(self) -> Shareable:
        """Return the content of a page of this explorer."""
        raise NotImplementedError

    def _share_bar(self) -> ShareBar:
        """Create the buttons; called before anything is drawn."""
        self._history = History()
        name = self.FILE
        self.share = ShareBar(
            self.undo,
            self.redo,
            {
                "page": lambda: (f"{name}.html", self._page(MOST_BYTES, MOST_SECONDS).encode()),
                "PNG": lambda: (f"{name}.png", png_of(self._still())),
                "SVG": lambda: (f"{name}.svg", self._still().encode()),
                "CSV": lambda: (f"{name}.csv", csv_of(self._table()).encode()),
            },
        )
        return self.share

    def _note_view(self) -> None:
        """Append the current view to the history."""
        if not self._opening:
            self._history.note(self.state)
            self._show_history()

    def _show_history(self) -> None:
        self.share.show_view(self.state, self._history.can_go_back, self._history.can_go_forward)

    @property
    def state(self) -> str:
        """The view as a short text that is valid in any URL."""
        return self._state_text(self._state_parts())

    @state.setter
    def state(self, state: str) -> None:
        self._open_state(state)
        self._history.note(self.state)
        self._show_history()

    def _state_text(self, parts: Mapping[str, Any]) -> str:
        """Return the state of a view from the values of its controls."""
        return state_of({**self._state_prefix, **parts})

    def set_state_prefix(self, prefix: Mapping[str, str]) -> None:
        """Let each state begin with these choices, such as the tab that holds the view."""
        self._state_prefix, self._history = prefix, History()
        self._history.note(self.state)
        self._show_history()

    def _open_state(self, state: str) -> None:
        parts = parse_state(state, (*self._state_prefix, *self.STATE_NAMES))
        self._opening = True
        try:
            self._reopen(parts)
        finally:
            self._opening = False

    def undo(self) -> None:
        """Go back to the view before; at the first one, do nothing."""
        self._go(self._history.back())

    def redo(self) -> None:
        """Go to the view that was undone last; if there is none, do nothing."""
        self._go(self._history.forward())

    def _go(self, state: str | None) -> None:
        if state is not None:
            self._open_state(state)
            self._show_history()

    def _page(self, most_bytes: int, seconds: float) -> Markup:
        return offline_page(self._shareable(), most_bytes, seconds)
