"""Any of our figures as a still: where things are drawn, and what is written next to them."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree

import numpy as np
import plotly.graph_objects as go
import pytest
from plotly.subplots import make_subplots

from workbench.figures.stills.labels import width_of
from workbench.figures.stills.still import still
from workbench.figures.theme import GRID, empty, themed

SVG = "{http://www.w3.org/2000/svg}"
DAY = datetime(1969, 12, 30, tzinfo=UTC)


def drawn(figure: go.Figure, tag: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(still(figure, "A title")).iter(f"{SVG}{tag}"))


def words(figure: go.Figure) -> list[str]:
    return ["".join(one.itertext()) for one in drawn(figure, "text")]


def boxes(figure: go.Figure, color: str) -> list[tuple[float, ...]]:
    """Return x, y, width and height of each box of a colour, without that in the legend."""
    rects = [one for one in drawn(figure, "rect") if one.get("fill") == color]
    sides = [tuple(float(one.get(side, 0)) for side in ("x", "y", "width", "height"))
             for one in rects]  # fmt: skip
    return [one for one in sides if one[2:] != (16.0, 12.0)]


def points(figure: go.Figure) -> list[list[tuple[float, ...]]]:
    lines = [str(one.get("points")).split() for one in drawn(figure, "polyline")]
    return [[tuple(map(float, point.split(","))) for point in line] for line in lines]


def test_bars_are_stacked_to_scale() -> None:
    styles = [{"color": "#010101"}, {"color": "#020202"}]
    bars = [go.Bar(x=["a", "b"], y=y, name=str(y), marker=look)
            for y, look in zip(([1, 2], [3, 0]), styles, strict=True)]  # fmt: skip
    figure = go.Figure(bars).update_layout(barmode="stack")
    (low, high), (upper,) = boxes(figure, "#010101"), boxes(figure, "#020202")
    assert high[3] == pytest.approx(2 * low[3], abs=0.2)
    assert upper[3] == pytest.approx(3 * low[3], abs=0.2)
    assert upper[1] + upper[3] == pytest.approx(low[1], abs=0.2)


def test_horizontal_bars_begin_at_their_base_on_a_calendar() -> None:
    hour = timedelta(hours=1)
    bar = go.Bar(
        orientation="h", base=[DAY, DAY + 4 * hour], x=[3_600_000, 7_200_000], y=[0, 0],
        marker={"color": "#010101"},
    )  # fmt: skip
    first, second = boxes(go.Figure(bar), "#010101")
    assert second[2] == pytest.approx(2 * first[2], abs=0.2)
    assert second[0] - first[0] == pytest.approx(4 * first[2], abs=0.5)


@pytest.mark.parametrize(
    "x",
    [
        [DAY + timedelta(days=day) for day in range(4)],
        [f"{DAY + timedelta(days=day):%Y-%m-%dT%H:%M:%S}" for day in range(4)],
        np.datetime64("1969-12-30", "us") + np.arange(4) * np.timedelta64(1, "D"),
    ],
    ids=["datetimes", "texts", "numpy"],
)
def test_days_are_evenly_spaced_and_labelled(x: Any) -> None:
    figure = go.Figure(go.Scatter(x=x, y=[1, 2, 3, 4]))
    (line,) = points(figure)
    steps = [b[0] - a[0] for a, b in pairwise(line)]
    assert max(steps) - min(steps) < 0.2
    assert "1970-01-01 00:00" in words(figure)


def test_weeks_are_labelled_at_their_mondays() -> None:
    begins = [datetime(2024, 1, 1, tzinfo=UTC) + timedelta(weeks=week) for week in range(9)]
    texts = words(go.Figure(go.Bar(x=begins, y=[1] * 9)))
    assert [one for one in texts if one.startswith("2024")] == [
        "2024-01-08", "2024-01-22", "2024-02-05", "2024-02-19",
    ]  # fmt: skip


def test_the_grid_goes_through_panels_whose_labels_are_at_another_one() -> None:
    figure = make_subplots(1, 2, shared_yaxes=True)
    figure.add_traces([go.Scatter(x=[1, 2], y=[1, 2])] * 2, [1, 1], [1, 2])
    figure.update_xaxes(showgrid=False)
    heights = [one.get("y1") for one in drawn(figure, "line") if one.get("stroke") == GRID]
    assert set(map(heights.count, heights)) == {2}


def test_a_long_first_label_of_an_axis_stays_within_the_picture() -> None:
    hours = [DAY + timedelta(hours=hour) for hour in range(4)]
    figure = go.Figure(go.Scatter(x=hours, y=[1, 2, 3, 4]))
    figure.update_xaxes(tickvals=hours, ticktext=["a name that is long"] * 4)
    names = [one for one in drawn(figure, "text") if "".join(one.itertext()).startswith("a name")]
    assert (
        min(float(one.get("x", 0)) - width_of("a name that is long", 11) / 2 for one in names) >= 0
    )


def test_powers_of_ten_are_evenly_spaced_on_a_logarithmic_axis() -> None:
    figure = go.Figure(go.Scatter(x=[1, 10, 100], y=[1, 100, 10_000]))
    figure.update_layout(xaxis={"type": "log"}, yaxis={"type": "log"})
    ((a, b, c),) = points(figure)
    assert b[0] - a[0] == pytest.approx(c[0] - b[0], abs=0.2)
    assert a[1] - b[1] == pytest.approx(b[1] - c[1], abs=0.2)
    assert {"100", "10,000"} <= set(words(figure))


def test_a_missing_value_breaks_a_line_unless_gaps_are_connected() -> None:
    y = [1.0, None, 2.0, 3.0]
    assert [len(line) for line in points(go.Figure(go.Scatter(x=[1, 2, 3, 4], y=y)))] == [1, 2]
    connected = go.Figure(go.Scatter(x=[1, 2, 3, 4], y=y, connectgaps=True))
    assert [len(line) for line in points(connected)] == [3]


def test_marks_that_would_hide_each_other_are_drawn_once() -> None:
    marks = go.Scatter(x=[1.0, 1.0, 2.0], y=[1.0, 1.0, 2.0], mode="markers")
    assert len(drawn(go.Figure(marks), "circle")) == 2


def test_a_reversed_axis_has_its_first_label_on_top() -> None:
    bars = go.Bar(orientation="h", x=[1, 1], y=["a", "b"], marker={"color": "#010101"})
    first, second = boxes(go.Figure(bars), "#010101")
    assert first[1] > second[1]
    upside_down = go.Figure(bars).update_layout(yaxis={"autorange": "reversed"})
    first, second = boxes(upside_down, "#010101")
    assert first[1] < second[1]


def test_each_name_is_in_the_legend_once() -> None:
    lines = [go.Scatter(x=[1, 2], y=[1, 2], name=name, legendgroup=name) for name in "aab"]
    texts = words(go.Figure(lines))
    assert (texts.count("a"), texts.count("b")) == (1, 1)


def test_a_sentence_in_place_of_a_picture_has_lines_that_fit() -> None:
    _, *lines = words(empty(themed(go.Figure()), "word " * 30))
    assert [len(one) for one in lines] == [79, 69]


def test_a_title_that_is_too_long_is_cut_and_whole_in_the_title_element() -> None:
    document = ElementTree.fromstring(still(go.Figure(), "word " * 60))
    assert document.find(f"{SVG}title").text == "word " * 60  # type: ignore[union-attr]
    texts = ["".join(one.itertext()) for one in document.iter(f"{SVG}text")]
    assert any(one.endswith("…") for one in texts)
