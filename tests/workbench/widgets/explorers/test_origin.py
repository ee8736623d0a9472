"""The explorer of a backfill: another query, feature or key, and the twin's answer is drawn."""

from datetime import datetime
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

import workbench as wb
from kernels import Kernel
from kernels.tiling.sawtooth import sawtooth_windows
from workbench.figures.origin import origin_figure
from workbench.figures.stills.still import still
from workbench.widgets.explorers.origin import OriginExplorer
from workbench.widgets.stepper.lesson import checked

ASKED = [
    wb.Aggregation("avg", "price", ["5 hours", "1 day"]),
    wb.Aggregation("last", "page", "5 hours"),
    wb.Aggregation("count", windows="5 hours", by="page"),
]
BACKFILL = wb.Backfill("user", "at", ASKED)


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


def test_a_key_can_be_named(views: DataFrame) -> None:
    assert wb.explore(BACKFILL, views.select("user", "at"), views, key="bob").who.value == ("bob",)


@pytest.mark.parametrize("feature", BACKFILL.names)
def test_every_feature_has_a_figure_and_a_still(explorer: OriginExplorer, feature: str) -> None:
    explorer.feature.value = feature
    origin = explorer.origin
    traces = {trace.name: trace for trace in origin_figure(origin).data}
    assert len(traces["events that count"].x) == origin.counts.sum()
    hops = [piece for piece in origin.pieces if piece.kind == "hop"]
    assert len(traces["tail: hops"].x) == len(hops)
    merge = traces["p0"] if feature.endswith("by_page") else traces["merge"]
    assert len(merge.x) == len(origin.pieces) + 1
    drawn = still(origin_figure(origin), "Origin")
    assert drawn.count("<path") == (4 if feature.endswith("by_page") else 1)
    assert explorer._repr_mimebundle_()["image/svg+xml"].startswith("<svg")


def test_a_query_that_sees_nothing_is_drawn(explorer: OriginExplorer) -> None:
    explorer.when.value = explorer.when.options[0][1]
    assert explorer.origin.pieces == []
    assert "price_avg_5h = null, of 0 hops and 0 single events" in explorer.sentence.value


def test_what_cannot_be_explored_is_one_sentence(views: DataFrame) -> None:
    cases: list[tuple[tuple[Any, ...], dict[str, Any], str]] = [
        ((BACKFILL, views), {}, "queries, events: a backfill explores two tables, and 1 are"),
        ((BACKFILL, views, views), {"by": "page"}, "by, keep: they are for funnels"),
        ((BACKFILL, views.limit(0), views), {}, "queries: none has a key and a time;"),
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
            (wb.Backfill("at", "at", ASKED), views.where("id < 2"), views),
            {"key": datetime(2024, 1, 1)},
            "key: no query has the key datetime.datetime(2024, 1, 1, 0, 0); there are datetime.",
        ),
        ((wb.Over(n=wb.fn.count()), views), {"key": 1}, "key: it is for backfills; leave it out."),
    ]
    for given, options, sentence in cases:
        with pytest.raises(wb.WorkbenchError) as error:
            wb.explore(*given, **options)
        assert str(error.value).startswith(sentence)


def versions_of(kernel: Kernel) -> list[Any]:
    return [*kernel.compiled.signatures, *kernel.lifted.signatures]


def test_the_kernels_can_be_stepped_through(views: DataFrame) -> None:
    sawtooth_windows.compile()
    compiled_ahead = versions_of(sawtooth_windows)
    player = wb.play(BACKFILL, views.select("user", "at"), views, key="bob", column="price_avg_5h")
    assert checked(player.lesson)["steps"]
    assert player.lesson["title"] == "price_avg_5h · bob"
    assert versions_of(sawtooth_windows) == compiled_ahead
    with pytest.raises(wb.WorkbenchError, match="has no sawtooth window with states"):
        wb.play(BACKFILL, views, views, column="page_count")
    with pytest.raises(wb.WorkbenchError, match="a backfill is played on two tables"):
        wb.play(BACKFILL, views)
