"""Segments compared in a figure: their shares, and their differences to a baseline."""

from typing import Any

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from workbench.described import name_shown, noun
from workbench.figures.funnel import name_of, title_with_subtitle
from workbench.figures.intervals.words import (
    NAME,
    confidence_of,
    points,
    points_text,
    share_text,
)
from workbench.figures.svg import cut
from workbench.figures.theme import BLUE, GREY, QUIET, SMALL, VERMILLION, empty, share, themed
from workbench.markup import NO_NAME, chart_text

#: The default number of segments that are drawn.
MOST_SEGMENTS = 12
_ROW = 26


def comparison_figure(compared: pd.DataFrame, most: int = MOST_SEGMENTS) -> go.Figure:
    """Draw the shares of segments, and their differences to the baseline.

    Parameters
    ----------
    compared : pandas.DataFrame
        As :meth:`workbench.Funnel.compare` returns it.
    most : int
        The number of segments that are drawn, the largest, in addition to the baseline.

    Returns
    -------
    plotly.graph_objects.Figure
        For each step after the first a panel of shares with their intervals, and one of differences
        in points; a difference whose interval does not contain zero has another colour and is
        filled. The ``meta`` of a trace of dots is the number of its step, its ``customdata`` the
        numbers of the segments.

    Examples
    --------
    >>> table = pd.DataFrame({"device": ["tv", "tv", "web", "web"], "step": ["a", "b"] * 2,
    ...     "users": [9, 3, 8, 4], "of": [9, 9, 8, 8], "share": [1, 0.33, 1, 0.5],
    ...     "low": [0.7, 0.12, 0.7, 0.2], "high": [1, 0.65, 1, 0.8],
    ...     "difference": [None, None, None, 0.17], "difference_low": [None, None, None, -0.2],
    ...     "difference_high": [None, None, None, 0.5]})
    >>> table.attrs = {"baseline": ("tv",)}
    >>> [(trace.name, list(trace.x)) for trace in comparison_figure(table).data if trace.meta]
    [('share', [0.33, 0.5]), ('difference', [0.17])]
    """
    by = tuple(compared.columns[: compared.columns.get_loc("step")])
    steps = len(compared) // max(compared.groupby(list(by), dropna=False, sort=False).ngroups, 1)
    labels = compared["step"].tolist()[:steps]
    if steps < 2:
        return empty(themed(go.Figure(), height=140), "There is no step to compare after step 1.")
    keys = [tuple(row) for row in compared[list(by)].iloc[::steps].itertuples(index=False)]
    base = _baseline_index(keys, compared.attrs["baseline"])
    shown = sorted({base, *range(min(most, len(keys)))})
    rows = [_row_label(keys[k], k == base, compared["of"].iloc[k * steps]) for k in shown]
    heads = [chart_text(cut(f"{k + 1} {name_shown(label)}", 30)) for k, label in enumerate(labels)]
    titles = [title for head in heads[1:] for title in (head, f"{head}, less the baseline's")]
    figure = make_subplots(
        steps - 1, 2, shared_yaxes=True, horizontal_spacing=0.04, subplot_titles=titles,
        vertical_spacing=0.09 if steps < 6 else 0.4 / steps,
    )  # fmt: skip
    unit = compared.attrs.get("unit", "users")
    for k in range(1, steps):
        part = compared.iloc[k::steps].reset_index(drop=True).loc[shown].reset_index(drop=True)
        names = [name_of(keys[one]) for one in shown]
        for column, traces in ((1, _shares(part, names, shown, k, unit)),
                               (2, _differences(part, names, shown, k))):  # fmt: skip
            figure.add_traces(traces, [k] * len(traces), [column] * len(traces))
            figure.update_yaxes(
                tickvals=list(range(len(rows))), ticktext=rows, range=[len(rows) - 0.5, -0.5],
                showgrid=True, zeroline=False, row=k, col=column,
            )  # fmt: skip
        figure.update_xaxes(
            showticklabels=False, showgrid=False, rangemode="tozero", row=k, col=1,
            range=[0, max(part["high"].max(), 0.001) * 1.38],
        )  # fmt: skip
        figure.update_xaxes(
            showticklabels=False, showgrid=False, zeroline=False, row=k, col=2, range=_span(part)
        )
    for note in figure.layout.annotations:
        note.update(font={"size": SMALL, "color": QUIET}, yshift=2)
    return themed(
        figure,
        title=title_with_subtitle(
            f"By {cut(' and '.join(by), NAME)}", _subtitle(compared, keys, base, shown)
        ),
        height=90 + (steps - 1) * (52 + _ROW * len(rows)), margin={"t": 76}, showlegend=False,
    )  # fmt: skip


def _baseline_index(keys: list[tuple[Any, ...]], baseline: tuple[Any, ...]) -> int:
    """Return the number of the baseline's segment; all nulls are one value."""
    return next(k for k, key in enumerate(keys) if name_of(key) == name_of(baseline))


def _row_label(key: tuple[Any, ...], base: bool, of: int) -> str:
    baseline = " (baseline)" if base else ""
    return chart_text(f"{cut(name_of(key), NAME)}{baseline}  {of:,}")


def _ends(low: list[Any], high: list[Any]) -> tuple[list[Any], list[Any]]:
    """Return the coordinates of intervals: from the low end of each to its high end, in its row."""
    x = [end for pair in zip(low, high, [None] * len(low), strict=True) for end in pair]
    return x, [row for k in range(len(low)) for row in (k, k, None)]


def _shares(part: pd.DataFrame, names: list[str], shown: list[int], k: int, unit: str) -> list[Any]:
    known = part.dropna(subset="share")
    x, y = _ends(known["low"].tolist(), known["high"].tolist())
    y = [None if row is None else int(known.index[row]) for row in y]
    texts = [
        chart_text(f"{names[at]}: {share_text(row.share, row.low, row.high)}, "
                   f"{row.users:,} of {row.of:,} {noun(row.of, unit)}")
        for at, row in zip(known.index, known.itertuples(), strict=True)
    ]  # fmt: skip
    rows, top = known.index.tolist(), max(part["high"].max(), 0.001) * 1.04
    return [
        go.Scatter(x=x, y=y, mode="lines", hoverinfo="skip", name="interval",
                   line={"color": BLUE, "width": 2}, showlegend=False),
        go.Scatter(
            x=known["share"].tolist(), y=rows, mode="markers", marker={"color": BLUE, "size": 9},
            text=texts, customdata=[shown[at] for at in rows], meta=k, name="share",
            showlegend=False,
            hovertemplate=chart_text("%{text}", NO_NAME),
        ),
        go.Scatter(
            x=[top] * len(rows), y=rows, mode="text", text=[share(one) for one in known["share"]],
            name="shares", textposition="middle right", textfont={"size": SMALL}, hoverinfo="skip",
            cliponaxis=False, showlegend=False,
        ),
    ]  # fmt: skip


def _span(part: pd.DataFrame) -> list[float]:
    """Return the range of an axis of differences, which includes zero and space for text."""
    low = min(float(part["difference_low"].min()), 0.0) if part["difference"].notna().any() else 0.0
    high = max(float(part["difference_high"].max()), 0.0) if low == low else 0.0
    wide = max((high if high == high else 0.0) - low, 0.001)
    return [low - wide * 0.04, low + wide * 1.42]


def _differences(part: pd.DataFrame, names: list[str], shown: list[int], k: int) -> list[Any]:
    known = part.dropna(subset="difference")
    apart = (known["difference_low"] > 0) | (known["difference_high"] < 0)
    drawn: list[Any] = [
        go.Scatter(
            x=[0, 0], y=[-0.5, len(part) - 0.5], mode="lines", hoverinfo="skip", name="none",
            line={"color": GREY, "width": 1, "dash": "dash"}, showlegend=False,
        )
    ]  # fmt: skip
    for sure, rows in ((False, known[~apart]), (True, known[apart])):
        if len(rows):
            drawn += _dots(rows, names, shown, k, sure)
    low, high = _span(part)
    drawn.append(
        go.Scatter(
            x=[low + (high - low) * 0.74] * len(known), y=known.index.tolist(), mode="text",
            text=[points(one) for one in known["difference"]], name="points",
            textposition="middle right", textfont={"size": SMALL}, hoverinfo="skip",
            cliponaxis=False, showlegend=False,
        )
    )  # fmt: skip
    return drawn


def _dots(rows: pd.DataFrame, names: list[str], shown: list[int], k: int, sure: bool) -> list[Any]:
    """Return the intervals and the dots of significant differences, or of the others."""
    color, places = VERMILLION if sure else GREY, rows.index.tolist()
    x, y = _ends(rows["difference_low"].tolist(), rows["difference_high"].tolist())
    texts = [
        f"{names[at]}: {points_text(row.difference, row.difference_low, row.difference_high)}"
        for at, row in zip(places, rows.itertuples(), strict=True)
    ]
    return [
        go.Scatter(
            x=x, y=[None if one is None else places[one] for one in y], mode="lines",
            hoverinfo="skip", name="interval", line={"color": color, "width": 2},
            showlegend=False,
        ),
        go.Scatter(
            x=rows["difference"].tolist(), y=places, mode="markers", name="difference",
            marker={"color": color, "size": 9, "symbol": "circle" if sure else "circle-open"},
            text=[chart_text(one, "" if sure else ", which may be none") for one in texts],
            customdata=[shown[at] for at in places], meta=k, showlegend=False,
            hovertemplate=chart_text("%{text}", NO_NAME),
        ),
    ]  # fmt: skip


def _subtitle(
    compared: pd.DataFrame, keys: list[tuple[Any, ...]], base: int, shown: list[int]
) -> str:
    many, level = compared.attrs.get("compared", 0), confidence_of(compared)
    words = [f"share of step 1 with its {level} interval"]
    words += [f"differences to {cut(name_of(keys[base]), NAME)} in points, adjusted for {many:,}"]
    if len(shown) < len(keys):
        words += [f"{len(shown):,} of {len(keys):,} segments"]
    return "; ".join(words)
