"""Growth with a size, as a plotly figure with logarithmic axes."""

from collections.abc import Mapping
from typing import NamedTuple

import pandas as pd
import plotly.graph_objects as go

from workbench.figures.theme import GREY, themed
from workbench.markup import BREAK, chart_text


class CurveStyle(NamedTuple):
    """The style of a line; dashes and symbols distinguish lines, not colours alone.

    Attributes
    ----------
    color, dash, symbol : str
        The names in plotly.
    """

    color: str
    dash: str
    symbol: str


PLAIN = CurveStyle(GREY, "solid", "circle")
Styles = Mapping[str, CurveStyle]


def growth_figure(
    table: pd.DataFrame,
    across: str,
    up: str,
    styles: Styles,
    names: Mapping[str, str] | None = None,
) -> go.Figure:
    """Draw each column of a table against its index, both axes logarithmic.

    Parameters
    ----------
    table : pandas.DataFrame
        Positive numbers, also in the index.
    across, up : str
        The titles of the axes: what the index and the columns count.
    styles : mapping of str to CurveStyle
        The styles by column.
    names : mapping of str to str, optional
        The lines' names by column; by default the column's name.

    Returns
    -------
    plotly.graph_objects.Figure
        A line for each column.

    Examples
    --------
    >>> table = pd.DataFrame({"naive": [1.0, 9.0]}, index=[1, 3])
    >>> figure = growth_figure(table, "rows", "values", {}, {"naive": "the square"})
    >>> [(line.name, list(line.y)) for line in figure.data]
    [('the square', [1.0, 9.0])]
    """
    figure = go.Figure(
        [
            _line(table[column], (names or {}).get(column, column), styles.get(column, PLAIN))
            for column in map(str, table.columns)
        ]
    )
    across, up = chart_text(across), chart_text(up)
    figure.update_traces(hovertemplate=f"%{{y:,.4~r}} {up}{BREAK}{across}: %{{x:,}}")
    return themed(
        figure,
        height=420,
        xaxis={"title": across, **_log(table.index.min(), table.index.max())},
        yaxis={"title": up, **_log(table.min().min(), table.max().max())},
    )


def _log(low: float, high: float) -> dict[str, object]:
    """Return a logarithmic axis with ticks at powers of ten and, if few, at 2 and 5 between."""
    return {"type": "log", "dtick": 1 if high >= 100 * low else "D2", "tickformat": ",~r"}


def _line(column: "pd.Series[float]", name: str, look: CurveStyle) -> go.Scatter:
    return go.Scatter(
        x=column.index.tolist(), y=column.tolist(), name=chart_text(name), mode="lines+markers",
        line={"color": look.color, "dash": look.dash, "width": 2.5},
        marker={"symbol": look.symbol, "size": 9},
    )  # fmt: skip
