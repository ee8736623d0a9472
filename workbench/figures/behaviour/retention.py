"""Retention as a heat map of cohorts and periods."""

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from workbench.figures.funnel import title_with_subtitle
from workbench.figures.svg import cut
from workbench.figures.theme import DENSITY, QUIET, SMALL, empty, number, themed
from workbench.markup import NO_NAME, chart_text

if TYPE_CHECKING:
    from workbench.funnel import Retention

#: The most cohorts that are drawn, the newest.
MOST_COHORTS = 30
_ROW, _NAME = 26, 24


def retention_figure(retention: "Retention", most: int = MOST_COHORTS) -> go.Figure:
    """Draw the share of each cohort that came back in each period.

    Parameters
    ----------
    retention : Retention
        As :func:`workbench.retention` returns it.
    most : int
        The number of cohorts that are drawn, the newest.

    Returns
    -------
    plotly.graph_objects.Figure
        A row for each cohort, the oldest on top, with its number of users. The cells of finished
        periods are darker for a larger share; the others have only their number, with an ellipsis,
        as it may still grow.

    Examples
    --------
    >>> import workbench as wb
    >>> visits = wb.session().sql("SELECT 1 AS user_id, explode(array(0, 9, 12)) AS timestamp")
    >>> found = wb.retention(visits, {"a visit": "true"}, every=10, periods=1)
    >>> over, running = retention_figure(found).data
    >>> over.z.tolist(), running.text
    ([[1.0, nan]], ('100%…',))
    """
    table, unit = retention.table, retention.unit
    spec = retention.spec
    if table.empty:
        label = cut(retention.spec.label, _NAME)
        return empty(themed(go.Figure(), height=140), f"No {unit} began with {label}.")
    cohorts = table.drop_duplicates("cohort").tail(most).reset_index(drop=True)
    drawn_rows = table[table["cohort"].isin(cohorts["cohort"])]
    row = drawn_rows["cohort"].map({one: k for k, one in enumerate(cohorts["cohort"])})
    figure = go.Figure(
        [
            _over(drawn_rows, row, spec.periods, unit),
            _running(drawn_rows[drawn_rows["open"]], row, unit),
        ]
    )
    rest = table["cohort"].nunique() - len(cohorts)
    before = f"; {rest:,} older cohorts are not drawn" if rest else ""
    subtitle = (
        f"share of each cohort of {unit} that did {cut(spec.again_label, _NAME)} in a period of "
        f"{spec.every} after {cut(spec.label, _NAME)}; …: not over{before}"
    )
    names = [
        chart_text(f"{name}  {users:,}")
        for name, users in zip(names_of(cohorts["cohort"]), cohorts["users"], strict=True)
    ]
    return themed(
        figure,
        title=title_with_subtitle("Who comes back", subtitle),
        height=96 + _ROW * len(names),
        margin={"t": 76},
        showlegend=False,
        xaxis={
            "side": "top", "showgrid": False, "zeroline": False, "dtick": 1 + spec.periods // 20,
            "range": [-0.5, spec.periods + 0.5], "tick0": 0,
        },
        yaxis={
            "tickvals": list(range(len(names))), "ticktext": names, "showgrid": False,
            "zeroline": False, "range": [len(names) - 0.5, -0.5],
        },
    )  # fmt: skip


def names_of(cohorts: "pd.Series[Any]") -> list[str]:
    """Return the names of cohorts: days if they begin at midnight, integers as numbers.

    Examples
    --------
    >>> names_of(pd.Series(pd.to_datetime(["2024-01-01", "2024-02-01"]))), names_of(pd.Series([5]))
    (['2024-01-01', '2024-02-01'], ['5'])
    """
    if not pd.api.types.is_datetime64_dtype(cohorts):
        return [number(int(one)) for one in cohorts]
    moments = cohorts.to_numpy().astype("datetime64[m]")
    midnight = bool((moments == moments.astype("datetime64[D]")).all())
    return [str(one)[:10] if midnight else str(one).replace("T", " ") for one in moments]


def _over(drawn_rows: pd.DataFrame, row: "pd.Series[int]", periods: int, unit: str) -> go.Heatmap:
    shares = np.full((int(row.max()) + 1, periods + 1), np.nan)
    users, back = np.zeros(shares.shape, np.int64), np.zeros(shares.shape, np.int64)
    at = row.to_numpy(), drawn_rows["period"].to_numpy()
    shares[at] = drawn_rows["share"].where(~drawn_rows["open"]).to_numpy()
    users[at], back[at] = drawn_rows["users"], drawn_rows["back"]
    words = [["" if np.isnan(one) else f"{one:.0%}" for one in line] for line in shares]
    return go.Heatmap(
        z=shares, x=list(range(periods + 1)), y=list(range(len(shares))), zmin=0,
        zmax=max(float(np.nanmax(shares, initial=0)), 0.01), colorscale=DENSITY, showscale=False,
        text=words, texttemplate="%{text}" if periods <= 20 else None, xgap=2, ygap=2,
        textfont={"size": SMALL}, hoverongaps=False, name="over",
        customdata=np.dstack([back, users]),
        hovertemplate=chart_text(
            "%{customdata[0]:,} of %{customdata[1]:,} ", unit, " in period %{x}: %{z:.1%}", NO_NAME
        ),
    )  # fmt: skip


def _running(running: pd.DataFrame, row: "pd.Series[int]", unit: str) -> go.Scatter:
    return go.Scatter(
        x=running["period"].tolist(), y=row[running.index].tolist(), mode="text", name="not over",
        showlegend=False,
        text=[f"{share:.0%}…" for share in running["share"]],
        textfont={"size": SMALL, "color": QUIET}, customdata=running[["back", "users"]].to_numpy(),
        hovertemplate=chart_text(
            "%{customdata[0]:,} of %{customdata[1]:,} ", unit, " so far in period %{x}", NO_NAME
        ),
    )  # fmt: skip
