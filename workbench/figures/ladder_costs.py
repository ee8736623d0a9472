"""Operations of each rung of the ladder against the size, as a figure."""

import pandas as pd
import plotly.graph_objects as go

from workbench.figures.growth import CurveStyle, growth_figure
from workbench.figures.theme import BLUE, GREY, INK, ORANGE, SKY, VERMILLION
from workbench.lessons.ladder_costs import growth

ACROSS, UP = "queries, and as many events", "operations"
#: Colours stand for the way of finding tails, dashes for the kind of window.
LOOKS = {
    "naive": CurveStyle(VERMILLION, "solid", "circle"),
    "rollups": CurveStyle(ORANGE, "solid", "square"),
    "search": CurveStyle(GREY, "solid", "diamond"),
    "tiles": CurveStyle(BLUE, "solid", "triangle-up"),
    "cursors": CurveStyle(INK, "solid", "x"),
    "tree hops": CurveStyle(BLUE, "dot", "triangle-up-open"),
    "stack hops": CurveStyle(SKY, "dot", "star-open"),
    "cursor hops": CurveStyle(INK, "dot", "x-open"),
    "tree sawtooth": CurveStyle(BLUE, "dash", "triangle-down"),
    "cursor sawtooth": CurveStyle(INK, "dash", "cross"),
    "sawtooth": CurveStyle(SKY, "dash", "star"),
}


def rungs_figure(table: pd.DataFrame) -> go.Figure:
    """Draw the operations of each rung, both axes logarithmic.

    Parameters
    ----------
    table : pandas.DataFrame
        As :func:`workbench.lessons.ladder_costs.ladder_costs_table` returns it.

    Returns
    -------
    plotly.graph_objects.Figure
        A line for each rung, named with the factor of operations for twice the size.

    Examples
    --------
    >>> table = pd.DataFrame({"naive": [10_000, 40_000]}, index=[100, 200])
    >>> [line.name for line in rungs_figure(table).data]
    ['naive: 4.0 times']
    """
    names = {str(rung): f"{rung}: {factor:.1f} times" for rung, factor in growth(table).items()}
    return growth_figure(table, ACROSS, UP, LOOKS, names)


def rungs_words(table: pd.DataFrame) -> str:
    """Return in words how the operations of each rung grow.

    Parameters
    ----------
    table : pandas.DataFrame
        As in :func:`rungs_figure`.

    Returns
    -------
    str

    Examples
    --------
    >>> print(rungs_words(pd.DataFrame({"naive": [1, 4], "tiles": [1, 2.2]}, index=[1, 2])))
    Twice the queries and events: naive takes 4 times the operations, like their product;
    tiles about twice, like their sum.
    """
    factor = growth(table)
    square = [str(rung) for rung in factor.index if factor[rung] > 3]
    sums = [str(rung) for rung in factor.index if factor[rung] <= 3]
    quadratic = f"{_subject(square)} 4 times the operations, like their product" if square else ""
    linear = f"{_subject(sums, quadratic)} about twice, like their sum" if sums else ""
    joined = ";\n".join(part for part in (quadratic, linear) if part)
    return f"Twice the queries and events: {joined}."


def _subject(rungs: list[str], before: str = "") -> str:
    words = " and ".join([*([", ".join(rungs[:-1])] if rungs[1:] else []), rungs[-1]])
    return words if before else f"{words} {'take' if rungs[1:] else 'takes'}"
