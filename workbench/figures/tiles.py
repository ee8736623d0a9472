"""Tiles over a tree of queries, and the updates they save, as plotly figures."""

from collections.abc import Sequence

import plotly.graph_objects as go

from workbench.figures.theme import BLUE, INK, ORANGE, VERMILLION, themed

EACH, TILES, BOUND, NOW = "one update a query", "tiles, at most", "2 · log₂ of all queries", "now"


def tile_counts_figure(by_length: Sequence[int], bound: int, now: tuple[int, int]) -> go.Figure:
    """Draw the number of tiles of ranges of each length, compared to updating each query.

    Parameters
    ----------
    by_length : sequence of int
        The most tiles of any range, for ranges of one query, of two and so on.
    bound : int
        The upper bound for any range.
    now : tuple of (int, int)
        The numbers of queries and of tiles of the current range.

    Returns
    -------
    plotly.graph_objects.Figure
        Three lines and a mark.

    Examples
    --------
    >>> figure = tile_counts_figure([1, 2, 2, 1], 4, (3, 2))
    >>> [(trace.name, list(trace.y)) for trace in figure.data]  # doctest: +NORMALIZE_WHITESPACE
    [('one update a query', [1, 2, 3, 4]), ('2 · log₂ of all queries', [4, 4]),
     ('tiles, at most', [1, 2, 2, 1]), ('now', [2])]
    """
    lengths = list(range(1, len(by_length) + 1))
    marker = {"symbol": "diamond", "size": 13, "color": ORANGE, "line": {"color": INK, "width": 2}}
    queries, tiles = now
    figure = go.Figure(
        [
            _line(EACH, lengths, lengths, VERMILLION, "solid"),
            _line(BOUND, [1, len(by_length)], [bound, bound], INK, "dash"),
            _line(TILES, lengths, list(by_length), BLUE, "dot"),
            # The mark of an empty range is in the corner of the axes, and would be clipped.
            go.Scatter(
                x=[queries], y=[tiles], name=NOW, mode="markers", marker=marker, cliponaxis=False
            ),
        ]
    )
    figure.update_traces(hovertemplate="%{y} updates for %{x} queries")
    return themed(
        figure,
        height=300,
        xaxis={"title": "queries in the range", "rangemode": "tozero", "fixedrange": True},
        yaxis={"title": "updates", "rangemode": "tozero", "fixedrange": True},
        dragmode=False,
    )


def _line(name: str, x: list[int], y: list[int], color: str, dash: str) -> go.Scatter:
    look = {"color": color, "dash": dash, "width": 2.5}
    return go.Scatter(x=x, y=y, name=name, mode="lines", line=look)
