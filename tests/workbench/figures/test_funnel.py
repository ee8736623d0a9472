"""A funnel's tables as figures: what is drawn, and with which words."""

import pandas as pd
import pytest

from workbench.figures.funnel import funnel_figure, times_figure
from workbench.figures.stills.still import still

STEPS = pd.DataFrame(
    {
        "step": ["signup", "add_to_cart", "checkout"],
        "users": [100, 40, 10],
        "from_first": [1.0, 0.4, 0.1],
        "from_previous": [1.0, 0.4, 0.25],
        "lost": [0, 60, 30],
    }
)
HOURS = pd.to_timedelta([0, 1, 2], "h")
TIMES = pd.DataFrame({"from": HOURS[:2], "to": HOURS[1:], "users": [3, 7]})


def in_segments(*segments: str) -> pd.DataFrame:
    parts = [STEPS.assign(device=segment) for segment in segments]
    return pd.concat(parts, ignore_index=True)[["device", *STEPS.columns]]


def test_a_bar_shows_who_reached_a_step_and_a_hatched_one_who_was_lost() -> None:
    reached, lost, _ = funnel_figure(STEPS).data
    assert list(reached.x) == [100, 40, 10]
    assert list(lost.x) == [0, 60, 30]
    assert lost.marker.pattern.shape == "/"


def test_both_denominators_are_written_beside_each_step() -> None:
    *_, words = funnel_figure(STEPS).data
    assert words.text[2] == " <b>10</b> · 10.0% of the first<br> 25.0% of the last"


def test_the_first_step_stands_on_top() -> None:
    axis = funnel_figure(STEPS).layout.yaxis
    assert list(axis.categoryarray)[-1] == "1 signup"


def test_segments_stand_side_by_side_as_shares_of_their_own_first_step() -> None:
    bars = funnel_figure(in_segments("mobile", "desktop")).data
    assert [bar.name for bar in bars] == ["device: mobile", "device: desktop"]
    assert list(bars[0].x) == [1.0, 0.4, 0.1]
    assert bars[0].marker.pattern.shape != bars[1].marker.pattern.shape


def test_no_more_than_six_segments_are_drawn() -> None:
    assert len(funnel_figure(in_segments(*"abcdefgh")).data) == 6


def test_times_are_drawn_as_intervals_that_a_person_reads() -> None:
    figure = times_figure(TIMES)
    assert list(figure.data[0].x) == ["0 s to 1 h", "1 h to 2 h"]
    assert "the 10 who took them all" in figure.layout.title.text


def test_integer_times_stay_integers() -> None:
    figure = times_figure(pd.DataFrame({"from": [0, 5], "to": [5, 10], "users": [1, 2]}))
    assert list(figure.data[0].x) == ["0 to 5", "5 to 10"]


def test_nobody_at_all_is_an_empty_picture_and_no_error() -> None:
    none = STEPS.assign(users=0, lost=0, from_first=float("nan"), from_previous=float("nan"))
    assert list(funnel_figure(none).data[0].x) == [0, 0, 0]
    assert list(times_figure(TIMES.iloc[:0]).data[0].x) == []


@pytest.mark.parametrize(
    ("table", "share"),
    [(STEPS, "40.0% of the first"), (in_segments("mobile", "desktop"), "40 · 40.0%")],
)
def test_the_still_picture_names_every_step_and_its_share(table: pd.DataFrame, share: str) -> None:
    picture = still(funnel_figure(table), "Funnel <of> three")
    assert picture.startswith("<svg")
    assert "Funnel &lt;of&gt; three" in picture
    assert share in picture
