"""What a tab of the funnel explorer shows."""

from collections.abc import Callable
from typing import Any, NamedTuple

import pandas as pd
import plotly.graph_objects as go

from workbench.widgets.explorers.funnel.people import Behind
from workbench.widgets.table import DisplayTable


class View(NamedTuple):
    """What a tab shows of a funnel and its segments.

    Attributes
    ----------
    figure : plotly.graph_objects.Figure
    table : pandas.DataFrame
        What is drawn.
    listed : DisplayTable
        The table as it is shown, with its line of Python.
    words : str
        What it comes to, read aloud; empty where nothing was asked, as the picture says.
    behind : function
        Returns who is behind a mark: given its trace and its number, a :class:`Behind` or None.
    """

    figure: go.Figure
    table: pd.DataFrame
    listed: DisplayTable
    words: str
    behind: Callable[[Any, int], Behind | None]
