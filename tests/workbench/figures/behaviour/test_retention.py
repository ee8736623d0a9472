"""Who came back as a heat map: what is drawn, and with which words."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

from workbench.figures.behaviour.retention import retention_figure
from workbench.figures.stills.still import still

WEEKS = pd.to_datetime(["2024-01-01", "2024-01-08"])


def retention_of(table: pd.DataFrame) -> Any:
    spec = SimpleNamespace(label="sign<up>", again_label="visit", every="1 week", periods=2)
    return SimpleNamespace(table=table, unit="ships", spec=spec)


def cells(*rows: tuple[pd.Timestamp, int, int, int, bool]) -> pd.DataFrame:
    table = pd.DataFrame(rows, columns=["cohort", "users", "period", "back", "open"])
    return table.assign(share=table["back"] / table["users"])


RETENTION = retention_of(
    cells(
        (WEEKS[0], 10, 0, 4, False),
        (WEEKS[0], 10, 1, 0, False),
        (WEEKS[0], 10, 2, 2, True),
        (WEEKS[1], 5, 0, 5, False),
        (WEEKS[1], 5, 1, 1, True),
    )
)


def test_a_cell_is_the_share_of_its_cohort_and_an_open_one_is_not_filled() -> None:
    complete, still_open = retention_figure(RETENTION).data
    assert np.nan_to_num(complete.z, nan=-1).tolist() == [[0.4, 0, -1], [1, -1, -1]]
    assert list(complete.text[0]) == ["40%", "0%", ""]
    assert complete.customdata[0, 0].tolist() == [4, 10]
    assert list(zip(still_open.x, still_open.y, still_open.text, strict=True)) == [
        (2, 0, "20%…"),
        (1, 1, "20%…"),
    ]


def test_the_oldest_cohort_stands_on_top_with_its_users() -> None:
    layout = retention_figure(RETENTION).layout
    assert layout.yaxis.ticktext == ("2024-01-01  10", "2024-01-08  5")
    assert layout.yaxis.range[0] > layout.yaxis.range[1]
    assert "sign&lt;up&gt;" in layout.title.subtitle.text


def test_older_cohorts_are_counted_where_they_are_not_drawn() -> None:
    figure = retention_figure(RETENTION, most=1)
    assert figure.layout.yaxis.ticktext == ("2024-01-08  5",)
    assert "1 older cohorts are not drawn" in figure.layout.title.subtitle.text


def test_a_still_has_the_numbers_of_the_cells() -> None:
    drawn = still(retention_figure(RETENTION), "Who comes back")
    assert [f">{words}</text>" in drawn for words in ("0%", "40%", "100%", "20%…")] == [True] * 4
    assert "nan" not in drawn


def test_a_figure_without_cohorts_says_so() -> None:
    figure = retention_figure(retention_of(cells()))
    assert figure.layout.annotations[0].text == "No ships began with sign&lt;up&gt;."
