"""The explorer of a backfill: it draws the twin's answer for each query, feature and key."""

from datetime import datetime
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyspark.sql import DataFrame, SparkSession

import workbench as wb
from kernels import Kernel
from kernels.tiling.sawtooth import sawtooth_windows
from tests.workbench.spark.jobs import no_job
from tests.workbench.widgets.explorers.clicks import click_mark
from workbench.backfill.inspect import fetched_key as of_fetched_key
from workbench.backfill.inspect.fetched_key import fetched_key
from workbench.backfill.inspect.one_query import fetch_query
from workbench.backfill.inspect.origin import in_words
from workbench.figures.origin import origin_figure
from workbench.figures.stills.still import still
from workbench.widgets.explorers.origin import ALONE, ANOTHER, ONLINE, OriginExplorer
from workbench.widgets.explorers.origin_tables import pieces_table
from workbench.widgets.stepper.lesson import checked

AGGREGATIONS = [
    wb.Aggregation("avg", "price", ["5 hours", "1 day"]),
    wb.Aggregation("last", "page", "5 hours"),
    wb.Aggregation("count", windows="5 hours", by="page"),
]
BACKFILL = wb.Backfill("user", "at", AGGREGATIONS)


@pytest.fixture(scope="module")
def views(spark: SparkSession) -> DataFrame:
    """Ann looks at a page every ten minutes, Bob every twenty."""
    return spark.range(200).selectExpr(
        "if(id % 3 = 0, 'bob', 'ann') AS user", "timestamp_seconds(id * 400 + 7) AS at",
        "id * 1.5D AS price", "concat('p', id % 4) AS page",
    )  # fmt: skip


@pytest.fixture
def explorer(views: DataFrame) -> OriginExplorer:
    shown: OriginExplorer = wb.explore(BACKFILL, views.select("user", "at"), views)
    return shown


def test_it_opens_on_the_last_query_of_the_key_with_the_most(
    explorer: OriginExplorer, views: DataFrame
) -> None:
    twin = BACKFILL.origin(views.select("user", "at"), views, "ann")
    assert str(explorer.origin) == str(twin)
    assert explorer.who.label == "ann · 133 queries"
    assert explorer.origin.answer == explorer.origin.merged[-1]
    assert repr(explorer).startswith("Where price_avg_5h = ")


def test_a_still_of_a_zoomed_chart_is_the_whole_picture(explorer: OriginExplorer) -> None:
    # Marks outside the axes of a zoomed picture would be drawn over its margins.
    before = explorer._still()
    explorer.chart.layout.xaxis.range = ["1970-01-01 20:00", "1970-01-01 21:00"]
    assert explorer._still() == before


def test_it_opens_on_the_last_query_with_an_answer(views: DataFrame) -> None:
    late = "timestamp_seconds(80000 + id * 777600)"
    queries = views.sparkSession.range(3).selectExpr("'ann' AS user", f"{late} AS at")
    opened = wb.explore(BACKFILL, queries, views)
    assert opened.origin.answer is not None
    assert opened.when.value == opened.when.options[0][1]
    later = wb.explore(BACKFILL, queries.where("at > '1970-01-05'"), views)
    assert later.origin.answer is None
    assert [later.when.index, later.other.index] == [1, 0]
    single = wb.explore(BACKFILL, queries.limit(1), views)
    single.compare.value = ANOTHER
    assert single.difference is None
    assert "This key has no other query to compare with." in single.compared.value
    assert single.other.layout.display == "none"


def test_the_events_of_a_piece_are_listed_until_another_query_is_chosen(
    explorer: OriginExplorer,
) -> None:
    assert explorer.clicked.layout.display == "none"
    origin = explorer.origin
    for piece in origin.pieces[:: len(origin.pieces) - 1]:
        explorer.list_piece(piece)
        rows = slice(piece.first, piece.last)
        frame = explorer.clicked.frame
        assert frame["event"].to_numpy("M8[us]").view("i8").tolist() == (
            origin.time[origin.counts][rows].tolist()
        )
        assert frame["value"].tolist() == origin.values[rows]
    explorer.when.value = explorer.when.options[50][1]
    assert explorer.clicked.layout.display == "none"


def listed_events(explorer: OriginExplorer) -> list[tuple[int, str]]:
    frame = explorer.clicked.frame
    times = frame["event"].to_numpy("M8[us]").view("i8").tolist()
    return list(zip(times, frame["value"], strict=True))


def test_a_click_on_any_mark_lists_its_events(explorer: OriginExplorer) -> None:
    one, chart = explorer.origin, explorer.chart
    last = len(one.pieces) - 1
    click_mark(chart, "tail: hops", 1)
    assert listed_events(explorer) == one.events[one.pieces[1].first : one.pieces[1].last]
    # An event that counts is in a piece; the last point of the merge is where the query is.
    click_mark(chart, "events that count", 0)
    assert listed_events(explorer) == one.events[: one.pieces[0].last]
    for k, place in ((0, 0), (2, 2), (last, last), (last + 1, last)):
        click_mark(chart, "merge", k)
        assert listed_events(explorer) == one.events[: one.pieces[place].last]
        assert in_words(one.merged[place]) in explorer.clicked.note.value
    click_mark(chart, "other events of the key", 0)
    assert explorer.clicked.frame.empty
    assert "does not count: the window begins at" in explorer.clicked.note.value


def test_a_click_on_a_mark_of_the_other_query_lists_the_events_of_that_query(
    explorer: OriginExplorer,
) -> None:
    explorer.compare.value = ANOTHER
    explorer.when.value, explorer.other.value = (explorer.when.options[k][1] for k in (60, 66))
    one, other, chart = explorer.origin, explorer.beside, explorer.chart
    assert other is not None
    click_mark(chart, "tail: hops", 0, nth=1)
    assert listed_events(explorer) == other.events[: other.pieces[0].last] != []
    click_mark(chart, "merge of the other", 1)
    assert listed_events(explorer) == other.events[: other.pieces[1].last]
    assert "backfill.origin(queries, events, 'ann'," in unescape(explorer.clicked.code.value)
    for name, seen, k in (
        ("only this query sees", one, 0),
        ("only the other sees", other, -1),
        ("events that both see", one, 5),
    ):
        (trace,) = [mark for mark in chart.data if mark.name == name]
        click_mark(chart, name, k % len(trace.x))
        event = int(np.datetime64(trace.x[k], "us").astype(int)), trace.text[k]
        assert event in listed_events(explorer)
        assert set(listed_events(explorer)) <= set(seen.events)
    explorer.when.value = explorer.when.options[0][1]
    click_mark(chart, "merge", 0)
    assert "No event is in the window." in explorer.clicked.note.value


def test_another_query_key_and_feature_are_drawn(explorer: OriginExplorer) -> None:
    before = explorer.origin.answer
    explorer.when.value = explorer.when.options[50][1]
    assert explorer.origin.answer < before
    assert explorer.origin.query == explorer.when.value
    explorer.who.value = ("bob",)
    assert explorer.origin.query == explorer.when.value == explorer.when.options[-1][1]
    explorer.feature.value = "page_last_5h"
    assert explorer.origin.answer == "p3"
    assert "page_last_5h = p3" in explorer.sentence.value


def test_another_query_or_feature_of_the_key_starts_no_job(
    explorer: OriginExplorer, spark: SparkSession
) -> None:
    with no_job(spark):
        explorer.when.value = explorer.when.options[70][1]
        explorer.feature.value = "page_last_5h"
        explorer.compare.value = ANOTHER
        explorer.other.value = explorer.other.options[90][1]
    assert explorer.difference is not None


@pytest.mark.parametrize("most", [5, 50_000])
def test_rows_on_the_driver_give_the_answers_of_a_job(
    views: DataFrame, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    plan = BACKFILL.bound(views.select("user", "at"), views)
    key = fetched_key(plan, "ann")
    for micro in (key.times[0], key.times[40], key.times[-1]):
        direct = fetch_query(plan, "ann", micro=micro, most=most)
        assert key.ask(micro, most) == direct
    # For a key with more events than are fetched, older queries start a job.
    monkeypatch.setattr(of_fetched_key, "MOST_FETCHED", 20)
    cut = fetched_key(plan, "ann")
    assert len(cut.events) == 21
    for micro in (key.times[0], key.times[40], key.times[-1]):
        assert str(cut.ask(micro).origin()) == str(key.ask(micro).origin())


def test_two_queries_are_compared_by_the_events_that_only_one_of_them_sees(
    explorer: OriginExplorer,
) -> None:
    explorer.feature.value = "price_avg_5h"
    explorer.compare.value = ANOTHER
    first, second = explorer.when.options[60][1], explorer.when.options[66][1]
    explorer.when.value, explorer.other.value = first, second
    difference = explorer.difference
    assert difference is not None
    assert (difference.first.query, difference.second.query) == (first, second)
    seen = [
        {(int(at), value) for at, value in zip(one.time[one.counts], one.values, strict=True)}
        for one in (difference.first, difference.second)
    ]
    assert set(difference.left) == seen[0] - seen[1] != set()
    assert set(difference.entered) == seen[1] - seen[0]
    assert difference.both == len(seen[0] & seen[1])
    assert float(difference.change) == pytest.approx(
        difference.second.answer - difference.first.answer, rel=1e-5
    )
    traces = {trace.name: trace for trace in explorer.chart.data}
    assert len(traces["only this query sees"].x) == len(difference.left)
    assert len(traces["only the other sees"].x) == len(difference.entered)
    assert f"{len(difference.left)} for this query alone" in explorer.compared.value
    sides = explorer.compared_table.frame["seen by"].value_counts()
    assert sides.to_dict() == {
        "only this query": len(difference.left), "only the other": len(difference.entered),
    }  # fmt: skip
    explorer.compare.value = ALONE
    assert explorer.difference is None
    assert explorer.compared.value == ""
    assert explorer.compared_table.layout.display == "none"


def test_the_pieces_are_a_table_with_the_newest_first(explorer: OriginExplorer) -> None:
    pieces = explorer.table.frame
    assert pieces["merged"].tolist() == explorer.origin.merged[::-1]
    assert pieces["from"].is_monotonic_decreasing
    newest = np.datetime64(explorer.origin.pieces[-1].begin, "us")
    assert pieces["from"].iloc[0] == newest


@pytest.mark.parametrize("feature", BACKFILL.names)
def test_every_feature_of_two_queries_is_compared(explorer: OriginExplorer, feature: str) -> None:
    explorer.feature.value, explorer.compare.value = feature, ANOTHER
    assert "✕" not in explorer.sentence.value
    assert explorer._repr_mimebundle_()["image/svg+xml"].startswith("<svg")


def test_negative_numbers_are_shown_with_a_minus_sign(views: DataFrame) -> None:
    below = views.withColumn("price", -views.price)
    explorer = wb.explore(BACKFILL, views.select("user", "at"), below)
    origin, answer = explorer.origin, explorer.origin.answer
    shown = f"\N{MINUS SIGN}{in_words(-answer)}"
    assert explorer.words.startswith(f"price_avg_5h = {shown}, of ")
    assert f"query: {shown}" in origin_figure(origin).layout.annotations[0].text
    table = pieces_table(origin, str, integer_time=False, origin_code="")
    assert f">{shown}<" in table.markup
    assert "total \N{MINUS SIGN}" in table.markup
    assert table.listed.frame.merged[0] == answer


def test_an_online_view_is_compared_feature_by_feature(views: DataFrame, tmp_path: Path) -> None:
    aggregations = [
        wb.Aggregation("count", windows="5 hours"),
        wb.Aggregation("max", "price", "5 hours"),
    ]
    view = wb.OnlineView(wb.Backfill("user", "at", aggregations), tmp_path)
    view.upload(views, "1970-01-01T20:00:00+00:00")
    late = views.selectExpr("user", "timestamp_seconds(72100) AS at", "7D AS price", "page")
    events = views.unionAll(late.where("user = 'ann'").limit(1))
    explored = wb.explore(view, views.select("user", "at"), events, key="ann")
    explored.compare.value = ONLINE
    at = next(one for _, one in explored.when.options if one > 72_100_000_000)
    explored.when.value = at
    assert "1 of 2 features differs." in explored.compared.value
    count = explored.asked.origin("count_5h").answer
    first = explored.compared_table.frame.iloc[0].tolist()
    assert first == ["count_5h", str(count - 1), str(count), "+1"]
    queries = views.select("user", "at")
    again = wb.explore(view, queries, events, key="ann", state=explored.state)
    assert again.compared_table.frame.equals(explored.compared_table.frame)
    page = explored.to_html(tmp_path / "page.html", most_bytes=200_000).read_text("utf-8")
    assert "1 of 2 features differs." in page
    # A query that the view does not serve is a sentence.
    explored.when.value = explored.when.options[0][1]
    assert "✕" in explored.compared.value
    assert "✕" not in explored.sentence.value


def test_a_key_can_be_named(views: DataFrame) -> None:
    assert wb.explore(BACKFILL, views.select("user", "at"), views, key="bob").who.value == ("bob",)


@pytest.mark.parametrize("feature", BACKFILL.names)
def test_every_feature_has_a_figure_and_a_still(explorer: OriginExplorer, feature: str) -> None:
    explorer.feature.value = feature
    origin = explorer.origin
    figure = origin_figure(origin)
    traces = {trace.name: trace for trace in figure.data}
    # The name of the feature is above its panel, and not a rotated title of the axis.
    assert f"<b>{feature}</b>" in [note.text for note in figure.layout.annotations]
    assert figure.layout.yaxis2.title.text is None
    assert len(traces["events that count"].x) == origin.counts.sum()
    hops = [piece for piece in origin.pieces if piece.kind == "hop"]
    assert len(traces["tail: hops"].x) == len(hops)
    merge = traces["p0"] if feature.endswith("by_page") else traces["merge"]
    assert len(merge.x) == len(origin.pieces) + 1
    drawn = still(origin_figure(origin), "Origin")
    assert drawn.count("<path") == (4 if feature.endswith("by_page") else 1)
    assert explorer._repr_mimebundle_()["image/svg+xml"].startswith("<svg")


def test_a_query_that_sees_no_event_is_drawn(explorer: OriginExplorer) -> None:
    explorer.when.value = explorer.when.options[0][1]
    assert explorer.origin.pieces == []
    assert "price_avg_5h = null, of 0 hops and 0 single events" in explorer.sentence.value


def test_invalid_arguments_are_one_sentence(views: DataFrame) -> None:
    cases: list[tuple[tuple[Any, ...], dict[str, Any], str]] = [
        ((BACKFILL, views), {}, "queries, events: a backfill explores two tables, and 1 are"),
        ((BACKFILL, views, views), {"by": "page"}, "by: it is for funnels; leave it out."),
        ((BACKFILL, views.limit(0), views), {}, "queries: none has both a key and a time,"),
        (
            (BACKFILL, views, views),
            {"key": "bab"},
            "key: no query has the key 'bab'; did you mean 'bob'?",
        ),
        (
            (BACKFILL, views, views),
            {"key": "nobody"},
            "key: no query has the key 'nobody'; there are 'ann', 'bob'.",
        ),
        (
            (wb.Backfill("at", "at", AGGREGATIONS), views.where("id < 2"), views),
            {"key": datetime(2024, 1, 1)},
            "key: no query has the key datetime.datetime(2024, 1, 1, 0, 0); there are datetime.",
        ),
        ((wb.Over(n=wb.fn.count()), views), {"key": 1}, "key: it is for backfills; leave it out."),
    ]
    for arguments, options, sentence in cases:
        with pytest.raises(wb.WorkbenchError) as error:
            wb.explore(*arguments, **options)
        assert str(error.value).startswith(sentence)


def versions_of(kernel: Kernel) -> list[Any]:
    return list(kernel.lifted.signatures)


def test_the_kernels_can_be_stepped_through(views: DataFrame) -> None:
    sawtooth_windows.compile()
    compiled_ahead = versions_of(sawtooth_windows)
    player = wb.play(BACKFILL, views.select("user", "at"), views, key="bob", column="price_avg_5h")
    assert checked(player.lesson)["steps"]
    assert player.lesson["title"] == "price_avg_5h · bob"
    assert versions_of(sawtooth_windows) == compiled_ahead
    with pytest.raises(wb.WorkbenchError, match="has no sawtooth window with states"):
        wb.play(BACKFILL, views, views, column="page_count")
    by_page = wb.Backfill(
        "user", "at", aggregations=[wb.Aggregation("avg", "price", windows=["5 hours"], by="page")]
    )
    with pytest.raises(wb.WorkbenchError, match="what: none of its features"):
        wb.play(by_page, views, views)
    with pytest.raises(wb.WorkbenchError, match="a backfill is played on two tables"):
        wb.play(BACKFILL, views)


def test_where_no_event_counts_the_axis_of_the_merge_has_no_numbers(views: DataFrame) -> None:
    late = views.selectExpr("user", "at + INTERVAL 90 DAYS AS at")
    figure = origin_figure(BACKFILL.origin(late, views, "ann", feature="price_avg_5h"))
    assert figure.layout.yaxis2.showticklabels is False
    assert figure.layout.annotations[0].text == "<b>query: null</b>"
    known = origin_figure(BACKFILL.origin(views.select("user", "at"), views, "ann"))
    assert known.layout.yaxis2.showticklabels
