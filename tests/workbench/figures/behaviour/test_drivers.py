"""Odds ratios as a figure: what is drawn, and with which words."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

from workbench.figures.behaviour.drivers import drivers_figure
from workbench.figures.stills.still import still
from workbench.funnel.behaviour.drivers import COLUMNS

ROWS = [
    ("event", "help", 30, 10, 0.3, 0.1, 4.0, 2.0, 8.0, 0.001, 0.002),
    ("device", "<tv>", 5, 40, 0.05, 0.4, 0.5, 0.25, 1.0, 0.01, 0.02),
]


def drivers_of(rows: list[Any]) -> Any:
    return SimpleNamespace(
        table=pd.DataFrame(rows, columns=COLUMNS), event="event", step="pay", unit="ships",
        looked_at=7, went_on=100, dropped=200,
    )  # fmt: skip


def test_a_dot_is_an_odds_ratio_and_twice_is_as_far_as_half() -> None:
    one, between, dots, words = drivers_figure(drivers_of(ROWS)).data
    assert list(one.x) == [0, 0]
    assert list(dots.x) == [2, -1]
    assert list(between.x) == [1, 3, None, -2, 0, None]
    assert list(words.text) == ["4", "0.5"]


def test_who_goes_on_and_who_drops_off_differ_in_more_than_colour() -> None:
    dots = drivers_figure(drivers_of(ROWS)).data[2]
    assert list(dots.marker.symbol) == ["circle", "circle-open"]
    assert dots.customdata[0].startswith("30 of those who went on (30.0%), 10 of those who dropped")


def test_a_value_is_labelled_with_its_column_and_an_event_without() -> None:
    layout = drivers_figure(drivers_of(ROWS)).layout
    assert list(layout.yaxis.ticktext) == ["help", "device = &lt;tv&gt;"]
    assert layout.yaxis.range[0] > layout.yaxis.range[1]
    assert list(layout.xaxis.ticktext) == ["1/8", "1/4", "1/2", "1", "2", "4", "8"]


def test_it_says_that_it_is_association_and_how_many_were_looked_at() -> None:
    subtitle = drivers_figure(drivers_of(ROWS)).layout.title.subtitle.text
    assert subtitle.startswith(
        "association, not cause; 7 looked at; 100 ships went on, 200 did not"
    )


def test_values_out_of_range_end_at_the_edge() -> None:
    row = ("event", "help", 1, 0, 0.1, 0.0, 1e9, 1e-9, np.inf, 0.9, 0.9)
    figure = drivers_figure(drivers_of([row]))
    assert list(figure.data[1].x) == [-6, 6, None]
    assert list(figure.data[2].x) == [6]


def test_a_single_row_has_room_between_its_gridlines_and_the_subtitle() -> None:
    one, two = (drivers_figure(drivers_of(ROWS[:n])).layout.height for n in (1, 2))
    assert one - 64 >= 64  # plotly narrows margins where less is left between them
    assert one == two


def test_a_still_has_the_names_and_the_ratios() -> None:
    drawn = still(drivers_figure(drivers_of(ROWS)), "Who goes on")
    assert ">help</text>" in drawn
    assert ">4</text>" in drawn


def test_a_figure_without_drivers_says_so() -> None:
    figure = drivers_figure(drivers_of([]))
    words = figure.layout.annotations[0].text
    assert words.startswith("Nothing distinguishes those who went on to pay from those who did")
