"""The explorer of a window call, with one tab for each way to look at it."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import ipywidgets as widgets

from workbench.errors import WorkbenchError
from workbench.markup import Markup
from workbench.widgets.explorers.explorer import WithStill
from workbench.widgets.explorers.frame import FrameExplorer
from workbench.widgets.explorers.series import SeriesExplorer, draws_a_band
from workbench.widgets.html import Status
from workbench.widgets.progress import Progress
from workbench.widgets.sharing.handed_on import HandedOn
from workbench.widgets.sharing.shared import Shared
from workbench.widgets.sharing.state import option_for, parse_any_state, single_text, state_of
from workbench.windows.over import Over

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql import DataFrame


def always(_over: Over, _df: "DataFrame") -> bool:
    """Return True: the tab suits every call."""
    return True


class Tab(NamedTuple):
    """A way to look at a window call.

    Attributes
    ----------
    title : str
    make : function
        Makes the widget for a call and a table, whose view can be exported; its ``over`` is the
        changed call.
    suits : function
        Returns whether the tab is suitable for a call and a table.
    """

    title: str
    make: Callable[[Over, "DataFrame"], Any]
    suits: Callable[[Over, "DataFrame"], bool] = always


#: The tabs in order; the first suitable one is open.
TABS = (Tab("Chart", SeriesExplorer, draws_a_band), Tab("Frames", FrameExplorer))


class OverExplorer(HandedOn, WithStill, widgets.VBox):  # type: ignore[misc]
    """A window call on a table, with controls to change it.

    Attributes
    ----------
    over : Over
        The current call of the open tab.
    tabs : ipywidgets.Tab
        A tab's content is made when it is first opened.
    """

    def __init__(self, over: Over, df: "DataFrame") -> None:
        over.bound(df)
        self._first, self._df = over, df
        self._tabs = [tab for tab in TABS if tab.suits(over, df)]
        places = [widgets.VBox() for _ in self._tabs]
        titles = [tab.title for tab in self._tabs]
        self.tabs = widgets.Tab(places, titles=titles, selected_index=0)
        self.status = Status()
        self.progress = Progress(lambda: df.sparkSession, self.status, self.tabs)
        self._fill(0, self._make_tab(0))
        self.tabs.observe(self._open, names="selected_index")
        super().__init__([self.progress, self.status, self.tabs])

    @property
    def over(self) -> Over:
        """The current call of the open tab."""
        over: Over = self.shown.over
        return over

    @property
    def shown(self) -> Any:
        """The widget of the open tab; while that is being made, the one of the tab before."""
        return self._shown

    def choose(self, title: str) -> Any:
        """Open a tab by its title, and return its widget.

        Parameters
        ----------
        title : str

        Returns
        -------
        widget

        Raises
        ------
        WorkbenchError
            When there is no such tab.
        """
        titles = [tab.title for tab in self._tabs]
        if title not in titles:
            known = ", ".join(map(repr, titles))
            raise WorkbenchError(f"title: there is no tab {title!r}; give one of {known}.")
        index = self.tabs.selected_index = titles.index(title)
        if not self.tabs.children[index].children:
            self._fill(index, self._make_tab(index))
        return self.shown

    @property
    def state(self) -> str:
        """The view of the open tab as a short text that is valid in any URL."""
        return self._shared().state

    @state.setter
    def state(self, state: str) -> None:
        parts, before = parse_any_state(state), self.tabs.selected_index
        titles = {tab.title: tab.title for tab in self._tabs}
        title = option_for("tab", single_text(parts, "tab", next(iter(titles))), titles)
        rest = {name: texts for name, texts in parts.items() if name != "tab"}
        try:
            self.choose(title).state = state_of(rest)
        except WorkbenchError:
            self.tabs.selected_index = before
            raise

    def undo(self) -> None:
        """Go back to the view before; at the first one, do nothing."""
        self._shared().undo()

    def redo(self) -> None:
        """Go to the view that was undone last; if there is none, do nothing."""
        self._shared().redo()

    def _page(self, most_bytes: int, seconds: float) -> Markup:
        return self._shared()._page(most_bytes, seconds)

    def _table(self) -> "pd.DataFrame":
        return self._shared()._table()

    def _shared(self) -> Shared:
        shown: Shared = self.shown
        return shown

    def __repr__(self) -> str:
        return f"Explorer of {self.over!r}"

    def _still(self) -> Markup:
        picture: Markup = self.shown._still()
        return picture

    def _open(self, _change: Any = None) -> None:
        if self.tabs.selected_index is None:
            self.tabs.selected_index = 0  # which calls this again
            return
        index = self.tabs.selected_index
        if self.tabs.children[index].children:
            self._shown = self.tabs.children[index].children[0]
        else:
            self.progress.ask(partial(self._make_tab, index), partial(self._fill, index))

    def _make_tab(self, index: int) -> Any:
        return self._tabs[index].make(self._first, self._df)

    def _fill(self, index: int, widget: Any) -> None:
        if index:
            widget.set_state_prefix({"tab": self._tabs[index].title})
        self._shown = widget
        self.tabs.children[index].children = (widget,)
