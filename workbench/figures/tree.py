"""The reads that a segment tree saves, as a plotly figure."""

import pandas as pd
import plotly.graph_objects as go

from workbench.figures.growth import CurveStyle, growth_figure
from workbench.figures.theme import BLUE, GREY, INK, ORANGE, SKY, VERMILLION

ACROSS, UP = "rows in the frame", "values touched per row"
#: The style of each way.
WAYS = {
    "naive": CurveStyle(VERMILLION, "solid", "circle"),
    "tree, fanout 16": CurveStyle(BLUE, "solid", "square"),
    "tree, fanout 2": CurveStyle(SKY, "dash", "square-open"),
    "deque (max)": CurveStyle(ORANGE, "dot", "diamond"),
    "two stacks": CurveStyle(GREY, "dashdot", "x"),
    "running (inverse)": CurveStyle(INK, "dot", "triangle-up"),
}


def touched_figure(table: pd.DataFrame) -> go.Figure:
    """Draw the number of values that each way reads, both axes logarithmic.

    Parameters
    ----------
    table : pandas.DataFrame
        A row for each length of the frame, which is the index, and a column for each way.

    Returns
    -------
    plotly.graph_objects.Figure
        A line for each way, named with the number it reads in the longest frame.

    Examples
    --------
    >>> table = pd.DataFrame({"naive": [1.0, 9.0]}, index=[1, 9])
    >>> [(line.name, list(line.y)) for line in touched_figure(table).data]
    [('naive: 9.0', [1.0, 9.0])]
    """
    names = {str(way): f"{way}: {last:.1f}" for way, last in table.iloc[-1].items()}
    return growth_figure(table, ACROSS, UP, WAYS, names)
