"""Where a feature came from: pieces that add up to what the backfill answers."""

from datetime import date
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import DataFrame, SparkSession

import workbench as wb
from tests.drawn import draws
from tests.workbench.backfill.cases import (
    FUNCTION_CASES,
    TIMES,
    FunctionCase,
    Row,
    by_force,
    events_of,
    feature,
    spans,
    tables,
    task,
)
from workbench.backfill.inspect import origin as backfill_origin
from workbench.backfill.inspect.one_query import fetch_query
from workbench.backfill.inspect.origin_pieces import pieces_of
from workbench.backfill.worker.cogroup import Span
from workbench.columnar.equality import alike


@pytest.mark.parametrize(
    "case", FUNCTION_CASES, ids=lambda one: f"{one.function} {one.argument or ''}"
)
@given(TIMES, events_of, spans, st.booleans(), st.booleans(), st.randoms())
@draws(25)
def test_the_pieces_add_up_to_the_answer(
    case: FunctionCase,
    time: int,
    events: list[Row],
    span: Span,
    where: bool,
    by: bool,
    random: Any,
) -> None:
    query = {"k0": "a", "__time__": time}
    expected = by_force(case, span, where, by, query, events)
    events = [event for event in events if event["k0"] == "a"]
    random.shuffle(events)
    backfill_task = task(feature(case, span, where, by))
    origin = backfill_origin.OneQuery(backfill_task, *tables([query], events)).origin()
    assert origin.answer == expected
    assert len(origin.pieces) == len(origin.states) == len(origin.merged)
    assert sum(p.last - p.first for p in origin.pieces) == origin.counts.sum() == len(origin.values)
    assert all(origin.low <= piece.begin and piece.end <= origin.high for piece in origin.pieces)
    if origin.pieces:
        assert alike(origin.merged[-1], expected)


def test_many_pieces_are_joined_from_the_oldest_on() -> None:
    pieces = pieces_of(np.arange(0, 60, 2), 10, 40, most=6)
    kinds = [(piece.kind, piece.first, piece.last) for piece in pieces]
    assert kinds[0] == ("older", 0, 24)
    assert kinds[1:] == [("event", i, i + 1) for i in range(24, 30)]


@pytest.fixture(scope="module")
def views(spark: SparkSession) -> DataFrame:
    """Return a page view every ten minutes, from before 1970 on."""
    return spark.range(-300, 300).selectExpr(
        "id % 3 = 0 AS new", "if(id % 2 = 0, 'ann', 'bob') AS user", "id * 1.5D AS price",
        "timestamp_seconds(id * 600) AS at", "concat('p', abs(id) % 4) AS page",
    )  # fmt: skip


BACKFILL = wb.Backfill(
    "user",
    "at",
    [
        wb.Aggregation("avg", "price", ["5 hours", "1 day", None]),
        wb.Aggregation("count", windows="1 day", by="page", where="new"),
        wb.Aggregation("last", "page", "5 hours"),
        wb.Aggregation(wb.fn.quantile("price", [0.5, 0.9]), windows="5 hours"),
    ],
)


def test_an_origin_has_the_answer_of_a_run(views: DataFrame) -> None:
    query_rows = (
        views.where("user = 'bob'").orderBy("at", ascending=False).limit(1).select("user", "at")
    )
    (row,) = BACKFILL.run(query_rows, views).collect()
    for name in BACKFILL.names:
        origin = BACKFILL.origin(query_rows, views, "bob", row["at"], name)
        assert alike(origin.answer, row[name]), name
        assert alike(origin.merged[-1], row[name]), name
        # A map of counts merges bucket by bucket; quantiles need the events themselves.
        assert origin.merges == ("quantile" not in name), name
    assert repr(origin).startswith("price_quantile_5h = [")


def test_the_last_query_and_the_first_feature_are_the_default(views: DataFrame) -> None:
    origin = BACKFILL.origin(views.drop("price", "page", "new"), views, "ann")
    assert origin.feature == "price_avg_5h"
    assert origin.query == 298 * 600 * 10**6


def test_features_that_need_more_events_than_are_fetched_are_refused(views: DataFrame) -> None:
    plan = BACKFILL.bound(views.select("user", "at"), views)
    query = fetch_query(plan, "ann", most=20)
    assert query.exact == ["price_avg_5h", "page_last_5h", "price_quantile_5h"]
    assert (
        query.origin("page_last_5h").answer
        == BACKFILL.origin(views.select("user", "at"), views, "ann", feature="page_last_5h").answer
    )
    with pytest.raises(wb.WorkbenchError, match="price_avg_1d' has more events than the"):
        query.origin("price_avg_1d")


def test_times_may_be_the_first_ones_of_their_type(spark: SparkSession) -> None:
    statement = "SELECT 'ann' AS user, {} AS at"
    query_rows, views = (
        spark.sql(statement.format(f"-92233720368547758{end}")) for end in ("00", "01")
    )
    counts = wb.Backfill("user", "at", wb.Aggregation("count", windows=100), hop=10)
    assert counts.origin(query_rows, views, "ann").answer == 1
    query_rows, views = (spark.sql(statement.format(f"date'0500-01-0{day}'")) for day in (2, 1))
    counts = wb.Backfill("user", "at", wb.Aggregation("count", windows="2 days"), "sliding")
    assert counts.origin(query_rows, views, "ann", time=date(500, 1, 2)).answer == 1


def test_a_missing_key_time_or_feature_is_one_sentence(views: DataFrame) -> None:
    query_rows = views.select("user", "at")
    cases: list[tuple[dict[str, Any], str]] = [
        ({"key": "eve"}, "key: no query has the key 'eve'; give one that exists."),
        ({"key": ("ann", 1)}, "key: ('ann', 1) has 2 values; the key has 1: user."),
        ({"key": "ann", "feature": "n"}, "feature: 'n' is not a feature; give one of 'price_avg"),
        ({"key": "ann", "feature": ["n"]}, "feature: ['n'] is not a feature; give one of 'price_"),
        ({"key": "ann", "time": pd.NaT}, "time: NaT is no value of the queries' "),
        (
            {"key": "ann", "time": pd.Timestamp("1999-01-01")},
            "key: no query has the key 'ann' at 1999-01-01 00:00:00; give one that exists.",
        ),
    ]
    for arguments, sentence in cases:
        with pytest.raises(wb.WorkbenchError) as error:
            BACKFILL.origin(query_rows, views, **arguments)
        assert str(error.value).startswith(sentence)
