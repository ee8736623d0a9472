"""The share of served values that agree with those of a backfill, over time, as a figure."""

import pandas as pd
import plotly.graph_objects as go

from workbench.backfill.inspect.origin import counted
from workbench.figures.pictured import Pictured
from workbench.figures.theme import BLUE, GREY, ORANGE, SKY, VERMILLION, themed
from workbench.markup import NO_NAME, chart_text

HEIGHT = 420
#: The results of a comparison of two values: name, colour, and pattern, which distinguishes bars
#: without colours.
LOOKS = {
    "equal": ("equal", SKY, ""),
    "both_null": ("both missing", GREY, ""),
    "different": ("different", VERMILLION, "/"),
    "left_null": ("served value missing", ORANGE, "x"),
    "right_null": ("offline value missing", BLUE, "."),
}


def consistency_figure(over_time: pd.DataFrame, column: str | None = None) -> Pictured:
    """Draw the share of values that agree, and of those that do not, period by period.

    Parameters
    ----------
    over_time : pandas.DataFrame
        As :attr:`workbench.online.inspect.agreement.Consistency.over_time`.
    column : str, optional
        One of the features; by default all of them together.

    Returns
    -------
    Pictured
        Stacked bars, one for each result of any comparison.

    Examples
    --------
    >>> table = pd.DataFrame(
    ...     {"time": [0, 5], "column": ["n", "n"], "rows": [4, 2], "equal": [3, 2],
    ...      "different": [1, 0], "both_null": [0, 0], "left_null": [0, 0], "right_null": [0, 0]}
    ... )
    >>> shown = consistency_figure(table)
    >>> shown
    6 values at 2 times: 83.3% equal, 16.7% different
    >>> [(bar.name, list(bar.y)) for bar in shown.figure.data]
    [('equal', [75.0, 100.0]), ('different', [25.0, 0.0])]
    """
    chosen = over_time if column is None else over_time[over_time["column"] == column]
    states = list(LOOKS)
    rows = chosen.groupby("time")[states].sum()
    shares = 100 * rows.div(rows.sum(axis=1), axis=0)
    figure = go.Figure([_bar(shares[one], rows[one], one) for one in states if rows[one].any()])
    themed(
        figure,
        barmode="stack",
        bargap=0.1,
        height=HEIGHT,
        yaxis={
            "title": chart_text("% of values" if column is None else f"% of {column}"),
            "range": [0, 100],
        },
    )
    return Pictured(figure, _words(rows))


def _words(rows: pd.DataFrame) -> str:
    total, values = rows.sum(), int(rows.to_numpy().sum())
    parts = [f"{100 * total[one] / values:.3g}% {LOOKS[one][0]}" for one in LOOKS if total[one]]
    counts = f"{counted(values, 'value')} at {counted(len(rows), 'time')}"
    return f"{counts}: {', '.join(parts)}" if parts else counts


def _bar(shares: "pd.Series[float]", counted: "pd.Series[int]", state: str) -> go.Bar:
    name, color, pattern = LOOKS[state]
    return go.Bar(
        x=shares.index.tolist(), y=shares.tolist(), name=name, customdata=counted.tolist(),
        marker={"color": color, "pattern": {"shape": pattern}},
        hovertemplate=chart_text(f"%{{x}}: %{{customdata:,}} {name}, %{{y:.3g}}%", NO_NAME),
    )  # fmt: skip
