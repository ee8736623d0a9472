"""Large keys on Spark are cut by time and shared by several tasks, with the same answer."""

from typing import Any

import pandas as pd
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import workbench as wb
from tests.conftest import RunOn
from tests.workbench.spark.jobs import no_job

STEPS = ["view", "cart", "buy"]

#: Queries of a table with one large key: options, segments, and the type of its times.
CASES: dict[str, tuple[dict[str, Any], list[str], str]] = {
    "plain": ({}, [], "timestamp"),
    "modes": ({"modes": ["strict_increase", "strict_once"]}, ["device"], "timestamp_ntz"),
    "in order": ({"order": "strict", "within": {"buy": 20}}, ["device"], "bigint"),
    "in any order": ({"order": "any", "attribution": "each"}, ["device"], "bigint"),
    "excluded": ({"exclude": ["help"], "exclude_from": "all", "optional": [2]}, [], "int"),
    "held": ({"hold": "device"}, [], "timestamp"),
    "a cohort": ({"cohorts": {"asked": "help"}}, ["asked", "device"], "timestamp"),
    "a period": ({"start": 1_000, "end": 6_000}, ["device"], "bigint"),
    "days": ({"window": "3 days"}, [], "date"),
}


def events_of(spark: SparkSession, kind: str = "bigint", rows: int = 3_000) -> DataFrame:
    """Return events, nine in ten of one key, some without a key or a time."""
    moment = {
        "date": "date_add(date'2024-01-01', int(id * 7919 % 8009 % 900))",
        "int": "int(id * 7919 % 8009)",
        "bigint": "id * 7919 % 8009",
    }
    time = moment.get(kind, f"CAST(timestamp_seconds(id * 7919 % 8009) AS {kind})")
    return spark.range(rows, numPartitions=3).selectExpr(
        "CASE WHEN id % 10 > 0 THEN 'bot' WHEN id % 70 > 0 THEN string(id % 30) END AS user_id",
        f"CASE WHEN id % 91 > 0 THEN {time} END AS timestamp",
        "element_at(array('view', 'cart', 'buy', 'help'), int(1 + pmod(hash(id), 4))) AS event",
        "if(id % 3 = 0, NULL, if(id % 3 = 1, 'web', 'tv')) AS device",
    )


def answers(spark: SparkSession, case: str, cut: Any) -> Any:
    """Return levels and figures in a form that can be compared."""
    options, by, kind = CASES[case]
    given = {"window": 40 if kind in ("int", "bigint") else "40 seconds"} | options
    funnel = wb.Funnel(STEPS, cut=cut, **given)
    events = events_of(spark, kind)
    levels = sorted(map(str, funnel.levels(events, by=by).collect()))
    with pytest.warns(wb.WorkbenchWarning, match="rows were left out"):
        summary = funnel.summary(events, by=by)
    attributes = {name: summary.steps.attrs[name] for name in ("skipped", "all", "others")}
    return levels, summary.steps.to_csv(), summary.times.to_csv(), attributes


@pytest.mark.parametrize("case", CASES)
def test_a_cut_key_has_the_answers_of_a_whole_one(spark: SparkSession, case: str) -> None:
    assert answers(spark, case, 200) == answers(spark, case, None)


@pytest.mark.parametrize("kind", ["connect", pytest.param("cluster", marks=pytest.mark.cluster)])
def test_every_kind_of_session_cuts(run_on: RunOn, kind: str) -> None:
    assert run_on(kind, answers, "a cohort", 200) == run_on("classic", answers, "a cohort", None)


@pytest.mark.parametrize("rows", [3_000, 50_000])
def test_a_condition_may_be_a_window_function(spark: SparkSession, rows: int) -> None:
    events = events_of(spark, rows=rows).dropna(subset=["user_id", "timestamp"])
    # The window spans keys: within the rows of one key only, it would give another answer.
    again = "event = lag(event) OVER (ORDER BY timestamp, user_id, event)"
    saved = events.withColumn("again", F.expr(again)).localCheckpoint()
    for cut in (None, 200, "auto"):
        funnels = [
            wb.Funnel({"view": "event = 'view'", "again": one}, 40, cut=cut)
            for one in ("again", again)
        ]
        answers_of = [
            [
                sorted(map(str, one.levels(table).collect())),
                sorted(map(str, one.pieces(table).collect())),
                one.steps(table).to_csv(),
            ]
            for one, table in zip(funnels, (saved, events), strict=True)
        ]
        assert answers_of[0] == answers_of[1]


def test_several_tasks_share_a_large_key(spark: SparkSession) -> None:
    events = events_of(spark, rows=500_000).withColumn("timestamp", F.expr("timestamp * 500"))
    funnel = wb.Funnel(STEPS, 100, cut="auto")
    (large,) = funnel.pieces(events).collect()
    # Help is no step, so it stays where it is, and is not counted.
    assert large["user_id"] == "bot"
    assert 300_000 < large["rows"] < 370_000
    assert large["pieces"] > 1
    whole = wb.Funnel(STEPS, 100)
    assert sorted(funnel.levels(events).collect()) == sorted(whole.levels(events).collect())


def test_small_keys_are_not_cut(spark: SparkSession) -> None:
    assert wb.Funnel(STEPS, 100, cut="auto").pieces(events_of(spark)).count() == 0


def test_comparisons_use_cut_keys_too(spark: SparkSession) -> None:
    tables = [
        wb.Funnel(STEPS, 40, cut=cut).compare(events_of(spark).dropna("any"), by="device")
        for cut in (None, 200)
    ]
    pd.testing.assert_frame_equal(tables[0], tables[1])


def test_methods_that_need_whole_keys_get_them(spark: SparkSession) -> None:
    events = events_of(spark).where("user_id IS NOT NULL AND timestamp IS NOT NULL")
    cut, whole = (wb.Funnel(STEPS, 40, cut=cut) for cut in (200, None))
    pd.testing.assert_frame_equal(cut.trend(events, every=500), whole.trend(events, every=500))
    rows = [sorted(map(str, one.people(events, 3).collect())) for one in (cut, whole)]
    assert rows[0] == rows[1] != []
    with cut.prepare(events) as prepared:
        assert cut.steps(prepared).equals(whole.steps(events))
        with pytest.raises(wb.WorkbenchError, match="prepared events hold whole keys"):
            cut.pieces(prepared)  # type: ignore[arg-type]


def test_nothing_runs_until_the_answer_is_used(spark: SparkSession) -> None:
    funnel, events = wb.Funnel(STEPS, 40, cut=200), events_of(spark)
    with no_job(spark):
        funnel.levels(events)
        funnel.pieces(events)


def test_columns_may_have_names_that_the_workers_use(spark: SparkSession) -> None:
    names = {"user_id": "__piece__", "timestamp": "a `time`.", "device": "__level__"}
    events = events_of(spark).withColumnsRenamed(names)
    key, time = "__piece__", "a `time`."
    cut, whole = (
        wb.Funnel(STEPS, 40, key=key, time=time, cut=cut).levels(events, by="__level__")
        for cut in (200, None)
    )
    assert cut.columns == ["__piece__", "level", "reached", "__level__"]
    assert sorted(map(str, cut.collect())) == sorted(map(str, whole.collect()))
    pieces = wb.Funnel(STEPS, 40, ["__level__", key], time, cut=200).pieces(
        events.withColumnRenamed("__level__", "rows").withColumn("__level__", F.lit(1))
    )
    assert pieces.columns == ["__level__", "__piece__", "rows", "pieces"]


def test_an_empty_table_has_no_keys(spark: SparkSession) -> None:
    nothing = events_of(spark).where("user_id = 'nobody'")
    assert wb.Funnel(STEPS, 40, cut=1).levels(nothing).collect() == []
    with pytest.warns(wb.WorkbenchWarning, match="matches no event"):
        assert wb.Funnel(STEPS, 40, cut=1).steps(nothing)["users"].sum() == 0


def test_no_large_keys_are_sampled_where_keys_must_stay_whole(spark: SparkSession) -> None:
    funnel = wb.Funnel(STEPS, 40, modes=["strict_order"], cut="auto")
    with pytest.raises(wb.WorkbenchError, match="each key is one task, because the mode"):
        funnel.pieces(events_of(spark))
    plan = funnel.levels(events_of(spark))._jdf.queryExecution().toString()
    assert "bundle by key" in plan
    assert "sample" not in plan
