"""The series explorer shows the answers of the call itself, and survives every failure."""

from collections.abc import Iterator
from datetime import date
from html import unescape
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from plotly.io.json import to_json_plotly
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import workbench as wb
from tests.workbench.widgets.explorers.clicks import click_mark
from workbench.figures.series import bands_figure
from workbench.widgets.controls.frame_choices import frame_choices, label_of
from workbench.widgets.controls.series import ADD
from workbench.widgets.explorers import series as series_explorer
from workbench.widgets.explorers.frame import FrameExplorer
from workbench.widgets.explorers.series import SeriesExplorer, _draw_changes
from workbench.widgets.progress import Progress
from workbench.windows.bands.quantile_band import QUARTILES, Band

WEEK = wb.Frame.range("-3 days", "3 days")
SHARES = [0.25, 0.5, 0.75]
IQR = wb.fn.quantile("mwh", SHARES)


@pytest.fixture(scope="module")
def plants(spark: SparkSession) -> DataFrame:
    return wb.datasets.power_plants(spark)


@pytest.fixture
def explorer(plants: DataFrame) -> Iterator[SeriesExplorer]:
    explorer = SeriesExplorer(wb.Over("plant", "date", WEEK, iqr=IQR), plants)
    yield explorer
    explorer.prepared.free()


def band_of_twin(explorer: SeriesExplorer, df: DataFrame) -> list[list[float]]:
    """Return the band as the call itself computes it, in the order of the series."""
    over = explorer.over
    rows = over.run(df).where(f"plant = '{explorer.key[0]}'").orderBy("date").collect()
    return [row.iqr for row in rows]


def drawn_band(explorer: SeriesExplorer) -> list[list[float]]:
    return np.stack(list(explorer.band.quantiles.values()), axis=1).tolist()


def test_before_the_first_answer_there_is_no_axis_and_after_it_the_whole_figure(
    plants: DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[Any] = []
    monkeypatch.setattr(Progress, "ask", lambda _self, ask, take: calls.append((ask, take)))
    explorer = SeriesExplorer(wb.Over("plant", "date", WEEK, iqr=IQR), plants)
    layout = explorer.chart.layout
    before = [layout.xaxis.visible, layout.yaxis.visible]
    assert before == [False, False]
    assert explorer.table.grid.layout.display == "none"
    ask, take = calls[0]
    take(ask())
    assert [layout.xaxis.visible, layout.yaxis.visible] == [True, True]
    assert layout.showlegend is not False
    explorer.prepared.free()


def test_it_opens_on_the_answer_of_the_call_itself(
    explorer: SeriesExplorer, plants: DataFrame
) -> None:
    assert explorer.key == ("Boston",)
    assert drawn_band(explorer) == band_of_twin(explorer, plants)
    assert list(explorer.chart.data[1].y) == explorer.band.y.tolist()
    assert "12 rows in" in explorer.status.value


def test_window_quantiles_and_series_ask_again(explorer: SeriesExplorer, plants: DataFrame) -> None:
    explorer.controls.window.value = dict(explorer.controls.window.options)["± 1 day"]
    explorer.controls.quantiles.value = (0.1, 0.9)
    explorer.controls.series.value = ("Worcester",)
    assert explorer.key == ("Worcester",)
    assert list(explorer.band.quantiles) == [0.1, 0.5, 0.9]
    assert drawn_band(explorer) == band_of_twin(explorer, plants)
    assert explorer.chart.data[0].name == "10% to 90% of its window"


def test_a_band_without_a_width_is_ignored(explorer: SeriesExplorer) -> None:
    explorer.controls.quantiles.value = (0.9, 0.9)
    assert list(explorer.band.quantiles) == [0.25, 0.5, 0.75]
    # The slider shows the band that is drawn, so that its view can be opened again.
    assert explorer.controls.quantiles.value == (0.25, 0.75)
    state = explorer.state
    explorer.state = state
    assert explorer.state == state


def test_the_line_of_python_makes_the_same_call(explorer: SeriesExplorer) -> None:
    explorer.controls.quantiles.value = (0.05, 0.95)
    line = repr(explorer.over)
    assert line in unescape(explorer.code.value)
    assert repr(eval(line, {"wb": wb})) == line


def test_outliers_are_those_of_the_quartiles_whatever_band_is_drawn(
    explorer: SeriesExplorer, spark: SparkSession
) -> None:
    rows = [(day, 100.0 if day == 5 else -90.0 if day == 9 else day % 3.0) for day in range(12)]
    df = spark.createDataFrame(rows, "day int, level double")
    over = wb.Over(order_by="day", frame=wb.Frame.rows(-3, 3), q=wb.fn.quantile("level", [0, 1]))
    shown = SeriesExplorer(over, df)
    assert shown.key == ()
    assert np.flatnonzero(shown.band.outlier == 1).tolist() == [5]
    assert np.flatnonzero(shown.band.outlier == -1).tolist() == [9]
    assert set(QUARTILES).isdisjoint(shown.band.quantiles)
    shown.controls.outliers.value = False
    assert len(shown.chart.data) == 2
    shown.prepared.free()


def test_a_zoom_draws_its_part_of_the_series_and_can_be_reset(explorer: SeriesExplorer) -> None:
    explorer.chart.layout.xaxis.range = ["2019-01-05", "2019-01-07 12:00"]
    assert explorer.view == (np.datetime64("2019-01-05"), np.datetime64("2019-01-07T12:00"))
    assert len(explorer.chart.data[1].x) == 5
    explorer.chart.layout.xaxis.autorange = True
    assert explorer.view is None
    assert len(explorer.chart.data[1].x) == 12


def test_each_zoom_after_a_double_click_is_drawn_again(spark: SparkSession) -> None:
    df = spark.range(20_000).selectExpr("id AS day", "pmod(id, 7) AS level")
    over = wb.Over(order_by="day", frame=wb.Frame.rows(-3, 3), q=wb.fn.quantile("level", SHARES))
    shown = SeriesExplorer(over, df)
    axis, kinds = shown.chart.layout.xaxis, len(shown.chart.data)
    shown.chart.layout.dragmode = "pan"
    for _ in range(2):
        axis.range = [100, 199]
        # A long series has an area of the extremes of each pixel, which a short part has not.
        assert shown.view == (100, 199)
        assert len(shown.chart.data) < kinds
        axis.autorange = True
        assert shown.view is None
        assert len(shown.chart.data) == kinds
    # What a drag does is the person's choice.
    assert shown.chart.layout.dragmode == "pan"
    shown.prepared.free()


def test_several_series_are_drawn_together_each_as_when_alone(explorer: SeriesExplorer) -> None:
    alone = [str(list(trace.y)) for trace in explorer.chart.data]
    explorer.controls.add.value = ("Worcester",)
    assert explorer.drawn == (("Boston",), ("Worcester",))
    assert [str(list(trace.y)) for trace in explorer.chart.data][: len(alone)] == alone
    second = [trace for trace in explorer.chart.data if trace.yaxis == "y2"]
    assert list(second[1].y) == explorer.bands[("Worcester",)].y.tolist()
    assert explorer.chart.layout.yaxis2.matches == "y"
    explorer.controls.scale.value = False
    assert explorer.chart.layout.yaxis2.matches is None
    assert "24 rows in" in explorer.status.value
    explorer.controls.added.value = []
    assert len(explorer.chart.data) == len(alone)
    assert list(explorer.chart.layout.annotations) == []


def test_a_double_click_at_the_whole_axis_lets_later_zooms_be_drawn(
    explorer: SeriesExplorer,
) -> None:
    axis = explorer.chart.layout.xaxis
    whole = axis.range
    axis.autorange = True
    assert (axis.autorange, axis.range) == (False, whole)
    # A range beyond the axis is the whole axis.
    axis.range = ["2018-01-01", "2020-01-01"]
    assert (explorer.view, axis.range) == (None, whole)
    axis.range = ["2019-01-05", "2019-01-07 12:00"]
    assert len(explorer.chart.data[1].x) == 5


def test_another_series_above_others_has_its_own_name(spark: SparkSession) -> None:
    df = spark.range(30).selectExpr("id % 3 AS line", "id AS day", "pmod(id, 7) AS level")
    over = wb.Over("line", "day", wb.Frame.rows(-3, 3), q=wb.fn.quantile("level", SHARES))
    shown = SeriesExplorer(over, df)
    shown.controls.add.value = (2,)
    for key in (1, 0):
        shown.controls.series.value = (key,)
        names = [note.text for note in shown.chart.layout.annotations]
        assert names == [f"<b>{key}</b>", "<b>2</b>"]
    shown.prepared.free()


def test_a_chart_whose_traces_stay_is_that_of_its_new_quantiles(spark: SparkSession) -> None:
    df = spark.range(30).selectExpr("id AS day", "pmod(id, 7) AS level")
    band = wb.fn.quantile("level", [0, 0.25, 0.5, 0.75, 1])
    shown = SeriesExplorer(wb.Over(order_by="day", frame=wb.Frame.rows(-3, 3), q=band), df)
    for ends, dashes in ((0.1, 0.6), ["dot", "solid"]), ((0.4, 0.9), ["solid", "dot"]):
        shown.controls.quantiles.value = ends
        lines = shown.chart.data[2:4]
        assert [line.line.dash for line in lines] == dashes
        assert [line.legendgroup for line in lines] == [line.name for line in lines]
    shown.prepared.free()


def given(layout: go.Layout) -> dict[str, str]:
    """Return the properties of a layout that have a value, as JSON."""
    parts = {name: to_json_plotly(value) for name, value in layout.to_plotly_json().items()}
    return {name: text for name, text in parts.items() if text not in ("null", "[]", "{}")}


def test_after_series_are_removed_nothing_of_them_is_left(explorer: SeriesExplorer) -> None:
    before = given(explorer.chart.layout)
    explorer.controls.add.value = ("Worcester",)
    assert explorer.chart.layout.yaxis.title.text is None
    explorer.controls.added.value = []
    assert given(explorer.chart.layout) == before


def test_a_third_series_is_added_and_removed() -> None:
    low = np.ones(3)
    band = Band(np.arange(3), low, {0.25: low, 0.75: low}, np.zeros(3, np.int8))
    chart = go.FigureWidget(bands_figure({"a": band}))
    sent: list[Any] = []
    chart.observe(lambda change: sent.append(change["new"]), "_py2js_update")
    for names in ("ab", "abc", "ab"):
        _draw_changes(chart, bands_figure(dict.fromkeys(names, band)))
    assert len(chart.layout.annotations) == 2
    # A browser refuses a list together with changes of its items.
    keys = [key for one in filter(None, sent) for key in one["layout_data"] if "annot" in key]
    assert keys == ["annotations"] * 3


def test_only_series_that_are_not_shown_are_offered(explorer: SeriesExplorer) -> None:
    add = explorer.controls.add
    assert dict(add.options) == {ADD: (), "Worcester (12 rows)": ("Worcester",)}
    explorer.controls.series.value = ("Worcester",)
    assert [key for _, key in add.options] == [(), ("Boston",)]
    add.value = ("Boston",)
    assert (add.options, add.label) == (((ADD, ()),), ADD)
    assert explorer.drawn == (("Worcester",), ("Boston",))


@pytest.fixture
def levels(spark: SparkSession) -> Iterator[SeriesExplorer]:
    """Two outliers: one far above its window, on day 5, and one far below it, on day 9."""
    rows = [(day, 100.0 if day == 5 else -90.0 if day == 9 else day % 3.0) for day in range(12)]
    df = spark.createDataFrame(rows, "day int, level double")
    quantiles = wb.fn.quantile("level", [0.25, 0.5, 0.75])
    explorer = SeriesExplorer(wb.Over(order_by="day", frame=wb.Frame.rows(-3, 3), q=quantiles), df)
    yield explorer
    explorer.prepared.free()


def test_outliers_in_view_are_a_table_the_farthest_first(levels: SeriesExplorer) -> None:
    table = levels.outliers
    assert list(table["day"]) == [5, 9]
    day: Any = levels.over.run(levels.prepared.df).where("day = 5").first()
    quartiles = day.q
    assert table.loc[0, "lower quartile"] == quartiles[0]
    reach = (100 - quartiles[2]) / (quartiles[2] - quartiles[0])
    assert table.loc[0, "beyond"] == round(reach, 2)
    levels.view = (6, 11)
    assert list(levels.outliers["day"]) == [9]
    assert list(levels.table.frame["day"]) == [9]


def test_a_point_that_is_clicked_shows_its_frame_and_its_kernel(levels: SeriesExplorer) -> None:
    line = levels.chart.data[1]
    click_mark(levels.chart, line.name, 5)
    assert levels.point.place == ((), 5, 2, 9)
    assert "7 rows, from 2 to 8" in levels.point.words.value
    assert [shape.x0 for shape in levels.chart.layout.shapes] == [2, 5]
    levels.point.play()
    assert levels.point.player.children[0].lesson["steps"]
    levels.controls.window.value = wb.Frame.rows(-1, 1)
    assert levels.point.place is None
    assert list(levels.chart.layout.shapes) == []


def test_a_row_chosen_in_the_table_is_the_point_that_is_shown(levels: SeriesExplorer) -> None:
    levels.table.chosen = 1
    assert levels.point.place.row == 9


def test_the_frame_of_a_descending_series_is_that_of_its_rows(
    spark: SparkSession,
) -> None:
    df = spark.range(9).selectExpr("id AS day", "id * id % 5 AS level")
    band = wb.fn.quantile("level", [0.25, 0.75])
    explorer = SeriesExplorer(wb.Over(order_by="-day", frame=wb.Frame.rows(0, 2), q=band), df)
    click_mark(explorer.chart, explorer.chart.data[1].name, 4)
    # The two rows after day 4 in descending order are days 3 and 2.
    assert explorer.point.place == ((), 4, 2, 5)
    explorer.prepared.free()


def test_a_frame_of_many_rows_is_shown_and_not_stepped_through(spark: SparkSession) -> None:
    df = spark.range(300).selectExpr("id AS day", "id % 7 AS level")
    band = wb.fn.quantile("level", [0.25, 0.75])
    explorer = SeriesExplorer(wb.Over(order_by="day", frame=wb.Frame.rows(-99, 99), q=band), df)
    click_mark(explorer.chart, explorer.chart.data[1].name, 150)
    assert explorer.point.button.disabled
    assert "Its frame has 199 rows; to step through" in explorer.point.status.value
    explorer.prepared.free()


def test_a_failed_job_shows_its_cause_and_the_next_move_works(
    explorer: SeriesExplorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise RuntimeError("[JOB_ABORTED] Job aborted.\n\tat org.apache.spark\nKeyError: 'gone'")

    with monkeypatch.context() as patch:
        patch.setattr(series_explorer, "compute", fails)
        explorer.controls.series.value = ("Worcester",)
    assert "Spark could not finish: KeyError: 'gone'" in unescape(explorer.status.value)
    explorer.controls.series.value = ("Boston",)
    assert "12 rows in" in explorer.status.value


def test_a_page_without_widgets_shows_a_picture(explorer: SeriesExplorer) -> None:
    bundle = explorer._repr_mimebundle_()
    assert bundle["image/svg+xml"].startswith("<svg")
    assert bundle["text/plain"] == f"Explorer of {explorer.over!r}"


def test_unusual_rows_are_gaps_or_counted_and_nothing_breaks(spark: SparkSession) -> None:
    inf, nan = float("inf"), float("nan")
    rows = [
        *((None, 1.0, 7), (None, 2.0, nan), (None, 2.0, None), (None, None, 3)),
        *((nan, 5.0, inf), ("b", nan, 1), ("b", 1.0, 1)),
    ]
    rows = [(str(key) if key is not None else None, at, value) for key, at, value in rows]
    rows = [(key, at, None if value is None else float(value)) for key, at, value in rows]
    df = spark.createDataFrame(rows, "`a.b` string, `my at` double, `v w` double")
    over = wb.Over("a.b", "-my at", wb.Frame.groups(-1, 1), m=wb.fn.quantile("v w", [0.5, 0.9]))
    explorer = SeriesExplorer(over, df)
    assert list(explorer.prepared.sizes.items()) == [((None,), 4), (("b",), 2), (("nan",), 1)]
    assert explorer.band.x.tolist() == [1.0, 2.0, 2.0]
    assert explorer.band.unplaced == 1
    assert "1 row is not drawn: it has no place" in explorer.status.value
    for key in explorer.prepared.sizes:
        explorer.controls.series.value = key
        assert "✕" not in explorer.status.value
    explorer.prepared.free()


def test_conditions_and_bounds_of_columns_stay_those_of_the_band(spark: SparkSession) -> None:
    df = spark.range(20).selectExpr("id", "id % 3 AS n", "id * 7 % 11 AS v")
    frame = wb.Frame.rows(-F.col("n"), 0)
    over = wb.Over(
        order_by="id", frame=frame,
        odd=wb.fn.count("v").where("id % 2 = 1"),
        ends=wb.fn.quantile("v", [0, 1]).where("v > 2"),
    )  # fmt: skip
    explorer = SeriesExplorer(over, df)
    twin = [row.ends for row in over.run(df).orderBy("id").collect()]
    ends = np.stack(list(explorer.band.quantiles.values()), axis=1)
    assert [None if np.isnan(row[0]) else row.tolist() for row in ends] == twin
    assert explorer.controls.window.disabled
    explorer.prepared.free()


def test_one_row_is_written_in_the_singular(spark: SparkSession) -> None:
    df = spark.createDataFrame(
        [("a", 1, 1.0), ("a", 2, 2.0), ("b", 1, 1.0)], "k string, at int, x double"
    )
    frame = wb.Frame.rows(-1, 0)
    band = SeriesExplorer(wb.Over("k", "at", frame, iqr=wb.fn.quantile("x", QUARTILES)), df)
    assert [label for label, _ in band.controls.series.options] == ["a (2 rows)", "b (1 row)"]
    band.prepared.free()
    frames = FrameExplorer(wb.Over("k", "at", frame, s=wb.fn.sum("x")), df)
    assert [label for label, _ in frames.who.options] == ["a · 2 rows", "b · 1 row"]


def test_an_empty_table_is_an_empty_picture(spark: SparkSession) -> None:
    df = spark.createDataFrame([], "plant string, date date, mwh long")
    explorer = SeriesExplorer(wb.Over("plant", "date", WEEK, iqr=IQR), df)
    assert "0 rows" in explorer.status.value
    assert "<svg" in explorer._repr_mimebundle_()["image/svg+xml"]


def test_a_series_may_be_of_dates_or_in_the_order_of_text(spark: SparkSession) -> None:
    rows = [(date(1969, 12, 31), "b", 1), (date(1970, 1, 1), "a", 2)]
    df = spark.createDataFrame(rows, "day date, name string, n int")
    band = wb.fn.quantile_disc("n", [0, 1])
    by_day = SeriesExplorer(wb.Over(order_by="-day", frame=wb.Frame.rows(0, 0), ends=band), df)
    assert by_day.band.x.astype("M8[D]").tolist() == [date(1969, 12, 31), date(1970, 1, 1)]
    by_name = SeriesExplorer(wb.Over(order_by="name", frame=wb.Frame.rows(0, 0), ends=band), df)
    assert (by_name.band.x.tolist(), by_name.band.y.tolist()) == ([1, 2], [2, 1])
    assert by_name.chart.layout.xaxis.title.text == "row, by name"


def test_what_cannot_be_drawn_is_refused(plants: DataFrame) -> None:
    total = wb.Over("plant", "date", WEEK, total=wb.fn.sum("mwh"))
    with pytest.raises(wb.WorkbenchError, match="no quantiles of a column to draw"):
        SeriesExplorer(total, plants)
    days = wb.Over("plant", "date", WEEK, days=wb.fn.quantile("date", [0, 1]))
    with pytest.raises(wb.WorkbenchError, match="'date' holds date; name a column of numbers"):
        SeriesExplorer(days, plants)
    gone = wb.Over("plant", "date", WEEK, iqr=wb.fn.quantile("mhw", [0, 1]))
    with pytest.raises(wb.WorkbenchError, match="did you mean 'mwh'"):
        SeriesExplorer(gone, plants)


@pytest.mark.parametrize(
    ("frame", "label", "other"),
    [
        (wb.Frame.rows(-3, 3), "± 3 rows", "± 50 rows"),
        (wb.Frame.rows(-4, 0), "4 rows before", "1 row before"),
        (wb.Frame.groups(0, 9, exclude="ties"), "9 groups after", "100 groups after"),
        (wb.Frame.rows(-6, 3), "6 rows before to 3 rows after", "12 rows before to 6 rows after"),
        (wb.Frame.range("-36 hours", 0), "1 day 12 h before", "7 days before"),
        (wb.Frame.range("-1 month", "1 month"), "± 1 month", "± 6 months"),
        (wb.Frame.range(-100, 100), "± 100", "± 50"),
        (wb.Frame.range(-1.5, 0), "1.5 before", "3.0 before"),
        (wb.Frame.range(None, "1 hour"), "all before and 1 h after", "all before and 1 day after"),
        (wb.Frame.range("-8 days", "1 day"), "8 days before to 1 day after",
         "1 day before to 3 h after"),
    ],
)  # fmt: skip
def test_the_slider_offers_frames_of_the_same_shape(
    frame: wb.Frame, label: str, other: str
) -> None:
    choices = dict(frame_choices(frame))
    assert label_of(frame) == label
    assert choices[label] == frame
    assert choices[other].unit == frame.unit
    assert choices[other].exclude == frame.exclude
    assert all(eval(repr(one), {"wb": wb}) == one for one in choices.values())


@pytest.mark.parametrize("frame", [wb.Frame.range(None, None), wb.Frame.range(None, 0)])
def test_a_frame_without_a_distance_stays_as_it_is(frame: wb.Frame) -> None:
    assert [one for _, one in frame_choices(frame)] == [frame]


def test_a_series_of_one_row_without_a_name_is_told_in_words(spark: SparkSession) -> None:
    rows = [(None, 1, 1.0), (None, 2, 2.0), ("", 1, 3.0)]
    df = spark.createDataFrame(rows, "plant string, date int, mwh double")
    explorer = SeriesExplorer(wb.Over("plant", "date", wb.Frame.rows(-1, 0), iqr=IQR), df)
    labels = [label for label, _ in explorer.controls.series.options]
    assert sorted(labels) == ["(empty) (1 row)", "null (2 rows)"]
    explorer.controls.series.value = ("",)
    explorer.progress.wait()
    click_mark(explorer.chart, explorer.chart.data[1].name, 0)
    words = unescape(explorer.point.words.value)
    assert "(empty) · 1: 3</b>. Its frame has 1 row, from" in words
    # The quartiles of one row are the value itself: no distance in interquartile ranges.
    assert "beyond" not in words
    explorer.prepared.free()
