"""Figures, with their stills, of what was served and of how much of it is consistent."""

from xml.etree import ElementTree

import pandas as pd
import pytest

import workbench as wb
from workbench.figures.consistency import LOOKS, consistency_figure
from workbench.figures.pictured import Pictured
from workbench.figures.served import served_figure

SVG = "{http://www.w3.org/2000/svg}"
TIMES = pd.date_range("1969-12-31 22:00", periods=4, freq="h", tz="UTC")


def drawn(shown: Pictured) -> ElementTree.Element:
    """Return the still, which has to be a document that a browser can read."""
    return ElementTree.fromstring(shown.still)


def words(shown: Pictured) -> list[str]:
    return [str(one.text) for one in drawn(shown).iter(f"{SVG}text")]


def served(times: pd.Index) -> pd.DataFrame:
    rows = [(key, at, 2.0 * i, i) for key in ("ann", "<bob>") for i, at in enumerate(times)]
    return pd.DataFrame(rows, columns=["user", "at", "mean & more", "count"])


@pytest.mark.parametrize("times", [TIMES, pd.RangeIndex(-2, 2)], ids=["instants", "numbers"])
def test_a_still_has_each_key_and_feature_and_every_point(times: pd.Index) -> None:
    shown = served_figure(served(times), "user", "at", ["mean & more", "count"])
    assert {"ann", "<bob>", "mean & more", "count"} <= set(words(shown))
    lines = [one.get("points", "").split() for one in drawn(shown).iter(f"{SVG}polyline")]
    assert [len(points) for points in lines] == [4, 4, 4, 4]


def test_a_still_crosses_values_that_differ_and_counts_them() -> None:
    rows = served(TIMES)
    offline = rows.assign(count=[0, 1, 2, 3, 0, 1, 2, 7])
    shown = served_figure(rows, "user", "at", ["mean & more", "count"], offline)
    assert repr(shown).endswith("served at 4 times; 1 of 16 values differs offline")
    crosses = [one for one in drawn(shown).iter(f"{SVG}path") if one.get("stroke-width") == "3"]
    assert len(crosses) == 2  # One in the legend.


def test_a_feature_without_a_value_has_a_panel_that_says_so() -> None:
    rows = served(TIMES).assign(**{"mean & more": None})
    shown = served_figure(rows, "user", "at", ["mean & more", "count"])
    assert "no values" in words(shown)


ROWS = served(TIMES)


@pytest.mark.parametrize(
    ("log", "feature", "offline", "sentence"),
    [
        (ROWS[:0], "count", None, "served: it has no rows; fetch some keys first."),
        (ROWS, "cuont", None, "served: it has no column 'cuont'; it has 'user', 'at', "),
        (ROWS, "count", ROWS[["user", "at"]], "offline: it has no column 'count'; it has "),
    ],
)
def test_tables_that_cannot_be_drawn_are_refused_in_a_sentence(
    log: pd.DataFrame, feature: str, offline: pd.DataFrame | None, sentence: str
) -> None:
    with pytest.raises(wb.WorkbenchError) as refused:
        served_figure(log, "user", "at", [feature], offline)
    assert str(refused.value).startswith(sentence)


def test_a_single_time_has_a_place_too() -> None:
    shown = served_figure(served(TIMES[:1]), "user", "at", ["count"])
    assert "nan" not in shown.still
    assert repr(shown) == "<bob>, ann as served at 1 time"


def test_missing_values_leave_points_out() -> None:
    rows = served(TIMES)
    rows.loc[1, "count"] = None
    shown = served_figure(rows, "user", "at", ["count"], rows)
    lines = [one.get("points", "").split() for one in drawn(shown).iter(f"{SVG}polyline")]
    assert sorted(len(points) for points in lines) == [3, 4]
    assert "none of 8 values differs" in repr(shown)


def test_a_still_stacks_the_states_of_each_period() -> None:
    counts = {state: [0, 0] for state in LOOKS}
    counts |= {"equal": [3, 0], "different": [1, 4]}
    table = pd.DataFrame({"time": TIMES[:2], "column": "n", "rows": 4, **counts})
    shown = consistency_figure(table)
    assert repr(shown) == "8 values at 2 times: 37.5% equal, 62.5% different"
    assert {"equal", "different"} <= set(words(shown))
    colors = [box.get("fill") for box in drawn(shown).iter(f"{SVG}rect")]
    # Two periods and the legend.
    assert colors.count(LOOKS["different"][1]) == 2 + 1
    assert colors.count(LOOKS["equal"][1]) == 1 + 1


def test_an_empty_consistency_table_is_no_error() -> None:
    empty = pd.DataFrame({"time": [], "column": [], "rows": [], **{state: [] for state in LOOKS}})
    assert repr(consistency_figure(empty)) == "0 values at 0 times"


def test_a_cell_keeps_both_the_figure_and_the_still() -> None:
    shown = served_figure(served(TIMES), "user", "at", ["count"])
    bundle = shown._repr_mimebundle_()
    assert bundle["image/svg+xml"] == shown.still
    assert bundle["text/plain"] == repr(shown)
