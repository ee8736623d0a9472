"""What can be done with the view of an explorer: hand it on, open it again, undo and redo."""

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
from workbench.widgets.sharing.state import Parts, parts_of, state_of
from workbench.widgets.sheet import Sheet


class ShareBar(widgets.HBox):  # type: ignore[misc]
    """Buttons below an explorer: back and forth, the view as text, and as files.

    Parameters
    ----------
    back, forth : function
        What undoes a choice, and what does it again.
    files : dict of str to function
        What is written on a button, and what returns a file's name and its bytes.
    """

    def __init__(
        self,
        back: Callable[[], object],
        forth: Callable[[], object],
        files: dict[str, Callable[[], tuple[str, bytes]]],
    ) -> None:
        self.status, self._sheet = Status(), Sheet()
        self.undo = _button("Undo", "undo", "Back to the view before", back)
        self.redo = _button("Redo", "repeat", "The view that was undone", forth)
        self.state = HTML()
        saves = [
            _button(name, "", f"Save what is seen as {name}", self._saving(make))
            for name, make in files.items()
        ]
        parts = [self.undo, self.redo, self.state, element("span", "Save as"), *saves]
        shown = [HTML(part) if isinstance(part, Markup) else part for part in parts]
        super().__init__([*shown, self.status, self._sheet])
        self.add_class("wb-share")

    def tell(self, state: str, behind: bool, ahead: bool) -> None:
        """Show what the view is as text, and whether there is one before and one undone."""
        button = element("button", "Copy this view", class_="wb-copy")
        self.state.value = element("span", element("code", state), button)
        self.undo.disabled, self.redo.disabled = not behind, not ahead
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
    """An explorer whose view can be handed on, opened again, undone and done again.

    Attributes
    ----------
    state : str
        The view as a short text that stands in any address: what the controls say. It can be set,
        and ``wb.explore(..., state=...)`` opens with it.
    share : ShareBar
    """

    #: The names of what a state says.
    STATED: Sequence[str]
    #: What a file is called that a browser saves.
    FILE = "explorer"
    _opening = False
    _around: Mapping[str, str] = {}

    def _parts(self) -> dict[str, Any]:
        """Return what the controls say."""
        raise NotImplementedError

    def _reopen(self, parts: Parts) -> None:
        """Set the controls; nothing is changed where one of them cannot be set."""
        raise NotImplementedError

    def _shareable(self) -> Shareable:
        """Return what a page has of it."""
        raise NotImplementedError

    def _share_bar(self) -> ShareBar:
        """Make the buttons, before anything is drawn."""
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

    def _noted(self) -> None:
        """Take down the view that is drawn now."""
        if not self._opening:
            self._history.note(self.state)
            self._tell()

    def _tell(self) -> None:
        self.share.tell(self.state, self._history.behind, self._history.ahead)

    @property
    def state(self) -> str:
        """The view as a short text that stands in any address."""
        return self._stated(self._parts())

    @state.setter
    def state(self, state: str) -> None:
        self._open_state(state)
        self._history.note(self.state)
        self._tell()

    def _stated(self, parts: Mapping[str, Any]) -> str:
        """Return what controls say as the state of a view."""
        return state_of({**self._around, **parts})

    def stand_in(self, around: Mapping[str, str]) -> None:
        """Have each state begin with where the view is to be found, such as a tab."""
        self._around, self._history = around, History()
        self._history.note(self.state)
        self._tell()

    def _open_state(self, state: str) -> None:
        parts = parts_of(state, (*self._around, *self.STATED))
        self._opening = True
        try:
            self._reopen(parts)
        finally:
            self._opening = False

    def undo(self) -> None:
        """Go back to the view before; at the first one nothing happens."""
        self._go(self._history.back())

    def redo(self) -> None:
        """Go to the view that was undone last; where there is none, nothing happens."""
        self._go(self._history.forth())

    def _go(self, state: str | None) -> None:
        if state is not None:
            self._open_state(state)
            self._tell()

    def _page(self, most_bytes: int, seconds: float) -> Markup:
        return offline_page(self._shareable(), most_bytes, seconds)
