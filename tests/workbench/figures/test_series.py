"""A moving band as a figure: what is drawn, with which marks and words."""

from dataclasses import replace

import numpy as np
import pytest

from workbench.figures.series import bands_figure, outline, series_figure, spoken_share
from workbench.figures.stills.still import still
from workbench.windows.bands.quantile_band import Band

DAYS = np.datetime64("1969-12-30", "us") + np.arange(6) * np.timedelta64(1, "D")
Y = np.array([1.0, 2, 30, 2, -20, 1])
BAND = Band(
    DAYS,
    Y,
    {0.25: np.full(6, 1.0), 0.5: np.full(6, 1.5), 0.75: np.full(6, 2.0)},
    np.array([0, 0, 1, 0, -1, 0], np.int8),
)
EMPTY = Band(
    np.arange(0), np.empty(0), {0.25: np.empty(0), 0.75: np.empty(0)}, np.empty(0, np.int8)
)


def long(rows: int) -> Band:
    y = np.random.default_rng(0).normal(size=rows)
    y[rows // 3] = 99
    outlier = (y > 3).astype(np.int8) - (y < -3).astype(np.int8)
    return Band(np.arange(rows), y, {0.25: y - 1, 0.5: y, 0.75: y + 1}, outlier)


def test_it_draws_the_band_the_series_the_median_and_the_outliers() -> None:
    names = [trace.name for trace in series_figure(BAND, names=("day", "mwh")).data]
    assert names == [
        "25% to 75% of its window",
        "mwh",
        "median of its window",
        "1 outlier above",
        "1 outlier below",
    ]


def test_long_names_leave_room_for_the_picture() -> None:
    figure = series_figure(BAND, names=("long " * 20, "name " * 20))
    texts = (figure.layout.xaxis.title.text, figure.layout.yaxis.title.text, figure.data[1].name)
    assert all(len(text) <= 40 and text.endswith("…") for text in texts)


def test_outliers_are_marked_by_shape_and_not_by_colour_alone() -> None:
    *_, above, below = series_figure(BAND).data
    assert (above.marker.symbol, below.marker.symbol) == ("triangle-up", "triangle-down")
    assert (list(above.y), list(below.y)) == ([30], [-20])


def test_outliers_can_be_left_out() -> None:
    assert len(series_figure(BAND, outliers=False).data) == 3


def test_a_point_says_what_its_window_holds() -> None:
    line = series_figure(BAND).data[1]
    assert line.customdata[2].tolist() == ["30", "1", "1.5", "2"]
    assert "median %{customdata[2]}" in line.hovertemplate


def test_a_hover_text_has_every_digit_of_a_count_and_says_null() -> None:
    some = {0.25: np.array([np.nan, 478090.5]), 0.75: np.array([np.nan, 544900.0])}
    band = Band(np.arange(2), np.array([613040.0, 499506]), some, np.array([1, 0], np.int8))
    _, line, above, _ = series_figure(band).data
    assert line.customdata.tolist() == [
        ["613,040", "null", "null"],
        ["499,506", "478,090.5", "544,900"],
    ]
    assert above.customdata.tolist() == [["613,040"]]


def test_a_zoom_draws_what_is_in_view_and_a_point_beyond_on_both_sides() -> None:
    figure = series_figure(BAND, (DAYS[2], DAYS[3]))
    assert [x[:10] for x in figure.data[1].x] == [
        *("1969-12-31", "1970-01-01", "1970-01-02", "1970-01-03")
    ]
    assert figure.data[3].name == "1 outlier above"
    assert figure.data[4].name == "0 outliers below"


def test_many_points_are_thinned_in_the_figure_and_their_peak_stays() -> None:
    figure = series_figure(long(100_000), columns=100)
    assert all(len(trace.x) <= 2_000 for trace in figure.data)
    assert max(figure.data[1].y) == 99
    assert max(figure.data[3].y) == 99
    assert figure.data[1].mode == "lines"


def test_the_median_of_many_points_is_drawn_as_middle_and_range_of_each_pixel() -> None:
    band = long(100_000)
    figure = series_figure(band, columns=100)
    line, spread = figure.data[2], figure.data[5]
    thousand = band.quantiles[0.5].reshape(100, 1000)
    assert list(line.y) == np.median(thousand, axis=1).tolist()
    assert spread.name == "median: least to most of a pixel"
    assert np.nanmax(spread.y) == thousand.max()
    assert np.nanmin(spread.y) == thousand.min()


def test_a_line_that_breaks_off_has_no_median_there() -> None:
    band = long(5_000)
    values = np.where(np.arange(5_000) // 1_000 == 2, np.nan, band.y)
    gap = replace(band, quantiles={0.25: values - 1, 0.5: values, 0.75: values + 1})
    line = series_figure(gap, columns=50).data[2]
    assert np.isnan(line.y).sum() == 10


def test_several_series_have_a_panel_each_and_one_axis() -> None:
    figure = bands_figure({"Boston": BAND, "a < b": BAND, "none": EMPTY}, names=("day", "mwh"))
    assert [note.text for note in figure.layout.annotations][1] == "<b>a &lt; b</b>"
    assert {trace.yaxis for trace in figure.data} == {"y", "y2", "y3"}
    assert {trace.xaxis for trace in figure.data} == {None}
    legend = [trace.name for trace in figure.data if trace.showlegend]
    assert legend[-2:] == ["outliers above", "outliers below"]
    assert len(legend) == 5
    assert "a &lt; b" in still(figure, "Several")


def test_the_legend_names_what_only_a_later_series_has() -> None:
    figure = bands_figure({"none": replace(EMPTY, x=DAYS[:0]), "some": BAND})
    named = [trace.name for trace in figure.data if trace.showlegend]
    assert named == [trace.name for trace in figure.data if trace.yaxis == "y2"]


def test_marks_at_the_edge_of_the_picture_are_whole() -> None:
    marked = [trace for trace in series_figure(BAND).data if "markers" in trace.mode]
    assert [trace.cliponaxis for trace in marked] == [False] * 3


def test_a_close_view_shows_points_one_by_one() -> None:
    assert series_figure(long(100_000), (500, 600)).data[1].mode == "lines+markers"


def test_the_band_breaks_where_a_window_is_empty() -> None:
    gap = np.array([1.0, 1, np.nan, np.nan, 1, 1])
    x, up = outline(np.arange(6), gap, gap + 1, 100)
    assert np.isnan(up).sum() == 2
    assert x.tolist() == [0, 1, 1, 0, 0, 4, 5, 5, 4, 4]


@pytest.mark.parametrize("columns", [1, 7, 50])
def test_the_band_of_many_points_breaks_in_the_same_places_above_and_below(columns: int) -> None:
    gap = np.random.default_rng(1).random(5_000) < 0.3
    gap[1_000:2_000] = True
    low = np.where(gap, np.nan, np.arange(5_000.0))
    x, up = outline(np.arange(5_000), low, low + 10, columns)
    assert len(x) == len(up)
    assert np.nanmax(up) == np.nanmax(low) + 10


@pytest.mark.parametrize("band", [EMPTY, replace(BAND, y=np.full(6, np.nan))])
def test_nothing_to_draw_is_an_empty_picture_and_no_error(band: Band) -> None:
    assert len(series_figure(band).data) == 4 + len(band.quantiles) - 2
    assert still(series_figure(band), "Nothing").startswith("<svg")


def test_the_still_picture_shows_the_same() -> None:
    picture = still(series_figure(BAND), "Boston <b>")
    assert "1 outlier above" in picture
    assert "1 outlier below" in picture
    assert "25% to 75% of its window" in picture
    assert "Boston &lt;b&gt;" in picture
    assert "1969-12-30" in picture
    assert "0 outliers below" in still(series_figure(BAND, (DAYS[2], DAYS[3])), "Boston")


def test_quantiles_are_written_as_percentages() -> None:
    assert [spoken_share(q) for q in (0.0, 0.07, 0.5, 1.0)] == ["0%", "7%", "median", "100%"]
