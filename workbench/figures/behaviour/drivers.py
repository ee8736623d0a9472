"""What distinguishes those who went on from those who dropped off: odds ratios with intervals."""

from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from workbench.described import name_shown, noun
from workbench.figures.funnel import title_with_subtitle
from workbench.figures.svg import cut
from workbench.figures.theme import (
    BLUE,
    GREY,
    SMALL,
    VERMILLION,
    empty,
    number,
    share,
    themed,
)
from workbench.markup import NO_NAME, chart_text

if TYPE_CHECKING:
    from workbench.funnel.behaviour.drivers import Drivers

#: The most rows, the most letters of a name, and the pixels of a row.
_MOST, _NAME, _ROW = 20, 32, 26
#: For fewer rows plotly would narrow the margins, and draw gridlines up to the subtitle.
_LEAST = 2
#: The end of the axis, as a logarithm to the base 2: intervals beyond it have no visible end.
_FAR = 6.0


def drivers_figure(drivers: "Drivers", most: int = _MOST) -> go.Figure:
    """Draw odds ratios with their 95% intervals, on a logarithmic axis.

    Parameters
    ----------
    drivers : Drivers
        As :meth:`workbench.Funnel.drivers` returns it.
    most : int
        The number of rows, those with the least adjusted p-values.

    Returns
    -------
    plotly.graph_objects.Figure
        A row for each: a full dot right of the line if it favours going on, a hollow one left of it
        if it favours dropping off. The title says that this is association, not cause.

    Examples
    --------
    >>> import workbench as wb
    >>> clicks = wb.datasets.clickstream(wb.session(), users=500)
    >>> funnel = wb.Funnel(["signup", "add_to_cart"], window="1 day")
    >>> found = funnel.drivers(clicks, step="add_to_cart", landmark="2 minutes")
    >>> [trace.name for trace in drivers_figure(found).data]
    ['as likely', '95% interval', 'odds ratio', 'ratios']
    """
    table = drivers.table.head(most)
    if table.empty:
        step = cut(name_shown(drivers.step), _NAME)
        return empty(
            themed(go.Figure(), height=140),
            f"Nothing distinguishes those who went on to {step} from those who did not: "
            f"{drivers.looked_at:,} looked at, {drivers.went_on:,} "
            f"{noun(drivers.went_on, drivers.unit)} went on, {drivers.dropped:,} dropped off.",
        )
    y = list(range(len(table)))
    ratio, low, high = (
        np.clip(np.log2(table[name].to_numpy(float)), -_FAR, _FAR)
        for name in ("odds_ratio", "low", "high")
    )
    reach = max(1.0, float(np.max(np.abs([low, high]))))
    figure = go.Figure([
        go.Scatter(
            x=[0, 0], y=[-0.5, len(y) - 0.5], mode="lines", name="as likely", hoverinfo="skip",
            line={"color": GREY, "width": 1, "dash": "dash"},
        ),
        go.Scatter(
            x=[at for pair in zip(low, high, [None] * len(y), strict=True) for at in pair],
            y=[at for one in y for at in (one, one, None)], mode="lines", hoverinfo="skip",
            name="95% interval", line={"color": GREY, "width": 2},
        ),
        _dots(drivers, ratio.tolist(), y),
        go.Scatter(
            x=[reach * 1.08] * len(y), y=y, mode="text", name="ratios", hoverinfo="skip",
            text=[f"{one:.2g}" for one in table["odds_ratio"]], textposition="middle right",
            textfont={"size": SMALL}, cliponaxis=False, showlegend=False,
        ),
    ])  # fmt: skip
    ticks = [at for at in range(-int(_FAR), int(_FAR) + 1) if abs(at) <= reach]
    return themed(
        figure,
        title=title_with_subtitle(
            f"Who goes on to {cut(name_shown(drivers.step), _NAME)}", _subtitle(drivers)
        ),
        height=110 + _ROW * max(len(y), _LEAST),
        margin={"t": 64},
        showlegend=False,
        xaxis={
            "tickvals": ticks, "zeroline": False,
            "ticktext": [f"1/{2**-at}" if at < 0 else str(2**at) for at in ticks],
            "range": [-reach * 1.05, reach * 1.3],
            "title": {"text": "odds ratio: right of 1, going on is more likely"},
        },
        yaxis={
            "tickvals": y, "ticktext": _names(drivers, most), "showgrid": False, "zeroline": False,
            "range": [len(y) - 0.5, -0.5],
        },
    )  # fmt: skip


def _dots(drivers: "Drivers", ratio: list[float], y: list[int]) -> go.Scatter:
    table = drivers.table.head(len(y))
    rows = table[["went_on", "share_went_on", "dropped", "share_dropped", "adjusted_p"]]
    texts = [
        f"{a:,} of those who went on ({share(b)}), {c:,} of those who dropped off ({share(d)}); "
        f"adjusted p {number(p)}"
        for a, b, c, d, p in zip(*(rows[name].tolist() for name in rows), strict=True)
    ]
    on = [at >= 0 for at in ratio]
    return go.Scatter(
        x=ratio, y=y, mode="markers", name="odds ratio", customdata=texts,
        marker={"size": 9, "color": [BLUE if one else VERMILLION for one in on],
                "symbol": ["circle" if one else "circle-open" for one in on]},
        hovertemplate=chart_text("%{customdata}", NO_NAME),
    )  # fmt: skip


def driver_shown(drivers: "Drivers", column: str, value: object) -> str:
    """Return an event, or a value of a column, as a person reads it."""
    shown = name_shown(value)
    return shown if column == drivers.event else f"{column} = {shown}"


def _names(drivers: "Drivers", most: int) -> list[str]:
    rows = zip(drivers.table["column"].head(most), drivers.table["value"].head(most), strict=True)
    return [chart_text(cut(driver_shown(drivers, *row), _NAME)) for row in rows]


def _subtitle(drivers: "Drivers") -> str:
    return (
        f"association, not cause; {drivers.looked_at:,} looked at; {drivers.went_on:,} "
        f"{noun(drivers.went_on, drivers.unit)} went on, {drivers.dropped:,} did not"
    )
