"""A trend as a figure: lines with their intervals, open entrants apart, names at the ends."""

import numpy as np
import pandas as pd

from workbench.figures.intervals.trend import MOST_LINES, trend_figure
from workbench.figures.stills.still import still
from workbench.funnel.intervals import shares_of


def trend(entrants: list[int], still_open: list[int], users: list[int], **by: str) -> pd.DataFrame:
    begins = pd.date_range("2024-01-01", periods=len(entrants))
    over = np.array(entrants) - np.array(still_open)
    shares = shares_of(users, over)._asdict()
    periods = {"from": begins, "to": begins + pd.Timedelta("1 day"), "step": "pay"}
    counts = {"entrants": entrants, "open": still_open, "users": users}
    table = pd.DataFrame({**by, **periods, **counts, **shares})
    table.attrs = {"unit": "people", "confidence": 0.9}
    return table


DAYS = trend([40, 0, 30, 20], [0, 0, 10, 20], [10, 0, 5, 0])


def test_a_line_has_the_share_of_each_period_and_its_interval() -> None:
    interval, line, *_ = trend_figure(DAYS).data
    assert np.array_equal(line.y, [0.25, np.nan, 0.25, np.nan], equal_nan=True)
    assert pd.to_datetime(list(line.x)).tolist() == DAYS["from"].tolist()
    assert list(interval.y[:2]) == [DAYS["low"][0], DAYS["high"][0]]
    assert (interval.name, line.meta, line.connectgaps) == ("90% interval", 0, False)


def test_a_period_without_a_share_is_a_gap_and_says_so() -> None:
    line = trend_figure(DAYS).data[1]
    low, high = DAYS["low"][0], DAYS["high"][0]
    expected = f"01 Jan 00:00: 25.0% ({low:.1%} to {high:.1%}), 10 of 40 people"
    assert line.customdata[0] == expected
    assert line.customdata[1] == "02 Jan 00:00: no share, 0 of 0 people"
    assert line.customdata[2].endswith("; 10 more are still open")


def test_points_with_open_entrants_are_hollow_and_their_bars_are_hatched() -> None:
    figure = trend_figure(DAYS)
    _, line, over, still_open = figure.data
    assert list(line.marker.symbol) == ["circle", "circle", "circle-open", "circle-open"]
    assert (list(over.y), list(still_open.y)) == ([40, 0, 20, 0], [10, 20])
    assert list(still_open.x) == list(over.x)[2:]
    assert still_open.marker.pattern.shape == "/"
    assert "hollow and hatched: 30 still open" in figure.layout.title.subtitle.text


def test_each_segment_has_a_line_with_its_name_at_its_end() -> None:
    long = "a television in the living room"
    both = pd.concat([DAYS.assign(device=one) for one in (long, None)], ignore_index=True)
    both = both[["device", *DAYS.columns]]
    figure = trend_figure(both)
    lines = [trace for trace in figure.data if trace.meta is not None]
    assert [(line.name, line.meta) for line in lines] == [(long, 0), ("null", 1)]
    assert lines[0].line.color != lines[1].line.color
    names = figure.layout.annotations
    # A piece of the line comes before the name.
    assert {name.text.partition("</span> ")[2] for name in names} == {
        "a television in the liv…",
        "null",
    }
    assert lines[0].line.color in names[0].text or lines[0].line.color in names[1].text
    # Names of the same height do not overlap.
    assert abs(names[0].y - names[1].y) > 0.01
    assert sum(figure.data[-2].y) == 2 * 60
    # In a still, too, the pieces have the colours of the lines.
    drawn = still(figure, "Trend")
    assert all(f'<tspan fill="{line.line.color}">' in drawn for line in lines)


def test_a_few_long_intervals_do_not_press_a_line_of_many_points_flat() -> None:
    few, many = [2] * 10, [400] * 190
    days = trend(few + many, [0] * 200, [0] * 10 + [20] * 190)
    figure = trend_figure(days)
    low, high = figure.layout.yaxis.range
    assert np.nanmax(figure.data[0].y) == high
    assert "intervals, the longest cut off" in figure.layout.title.subtitle.text
    assert (low < 0 < low + 0.01, days["high"].max() > 0.5) == (True, True)
    assert days["share"].max() < days["high"].iloc[-1] < high < 0.15
    low, high = trend_figure(days.iloc[:20]).layout.yaxis.range
    assert high > days["high"].max()


def test_only_the_first_of_many_segments_have_a_line() -> None:
    many = pd.concat([DAYS.assign(n=k) for k in range(9)], ignore_index=True)
    figure = trend_figure(many[["n", *DAYS.columns]])
    assert sum(trace.meta is not None for trace in figure.data) == MOST_LINES
    assert f"the first {MOST_LINES} of 9 segments" in figure.layout.title.subtitle.text


def test_a_trend_of_nobody_says_so() -> None:
    for table in (trend([0], [0], [0]), DAYS.iloc[:0]):
        figure = trend_figure(table)
        assert len(figure.data) == 0
        assert "took the first step" in figure.layout.annotations[0].text


def test_a_step_before_the_last_can_be_drawn() -> None:
    both = pd.concat([DAYS.assign(step="cart", share=0.5), DAYS], ignore_index=True)
    assert list(trend_figure(both, "cart").data[1].y) == [0.5] * 4


def test_a_trend_is_drawn_as_a_still() -> None:
    drawn = still(trend_figure(DAYS), "Trend")
    assert ">Trend</text>" in drawn
    # Two points, one of them hollow.
    assert drawn.count("<circle") == 2


def test_names_are_text_and_no_markup() -> None:
    hostile = DAYS.assign(device="<img src=x>")[["device", *DAYS.columns]]
    figure = trend_figure(hostile)
    assert "<img" not in str(figure.layout.annotations[0].text)
    assert "<img" not in str(figure.data[1].customdata[0])
