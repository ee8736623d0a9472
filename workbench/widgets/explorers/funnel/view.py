"""The view of a tab of the funnel explorer."""

from collections.abc import Callable
from typing import Any, NamedTuple

import pandas as pd
import plotly.graph_objects as go

from workbench.widgets.explorers.funnel.people import PeopleSelection
from workbench.widgets.table import DisplayTable


class View(NamedTuple):
    """The view of a funnel and its segments in a tab.

    Attributes
    ----------
    figure : plotly.graph_objects.Figure
    table : pandas.DataFrame
        The data of the figure.
    listed : DisplayTable
        The table as it is shown, with its line of Python.
    words : str
        The result in words, read aloud; empty if there is none, and the figure says why.
    selection_at : function
        Returns the :class:`PeopleSelection` of a mark, given its trace and its number, or None.
    """

    figure: go.Figure
    table: pd.DataFrame
    listed: DisplayTable
    words: str
    selection_at: Callable[[Any, int], PeopleSelection | None]
