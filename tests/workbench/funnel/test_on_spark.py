"""Levels on Spark are those of ClickHouse, on every kind of Spark, by every path."""

from collections.abc import Callable
from datetime import timedelta
from functools import reduce
from pathlib import Path
from time import sleep
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import workbench as wb
from kernels import funnel_levels
from tests.clusters import KINDS, Cluster
from tests.kernels.funnel.events import Streams, random_streams
from tests.kernels.funnel.test_funnel import ask_clickhouse

RunOn = Callable[..., Any]
Modes = tuple[str, ...]
Answer = tuple[str, Modes, int, int, list[int]]

COMBINATIONS: list[Modes] = [
    (),
    ("strict_order",),
    ("strict_deduplication",),
    ("strict_increase",),
    ("strict_once",),
    ("strict_order", "allow_reentry"),
    ("strict_order", "strict_deduplication", "strict_increase", "strict_once", "allow_reentry"),
]
ALL_MODES = COMBINATIONS[-1]
SOME = [(), ("strict_order", "strict_once")]
STEPS = 4

#: Rows that meet at most one condition, so that event names suffice; and rows that meet any.
NAMED = random_streams(seed=1, users=150, steps=STEPS, window=6, spread=12)
NAMED = Streams(STEPS, 6, [[(t, c & -c) for t, c in user] for user in NAMED.users])
ANY = random_streams(seed=2, users=150, steps=STEPS, window=0, spread=5)
LONG = Streams(STEPS, 10**6, ANY.users)


def table_of(spark: SparkSession, case: Streams) -> DataFrame:
    """Return the streams as a table: the lowest condition's number is the name of the event."""
    rows = [
        (user, time, bits, f"step {(bits & -bits).bit_length() - 1}" if bits else None)
        for user, events in enumerate(case.users)
        for time, bits in events
    ]
    columns = zip(("user_id", "seconds", "bits", "event"), zip(*rows, strict=True), strict=True)
    table = spark.createDataFrame(pa.table(dict(columns)))
    return table.withColumn("timestamp", F.timestamp_seconds("seconds"))


def levels_by_every_path(
    spark: SparkSession, case: Streams, named: bool, combinations: list[Modes]
) -> list[Answer]:
    """Return the levels of a table and of prepared blocks in several modes, by one job."""
    names = [f"step {k}" for k in range(STEPS)]
    conditions = {name: f"(bits & {1 << k}) > 0" for k, name in enumerate(names)}
    window = timedelta(seconds=case.window)
    events = table_of(spark, case)
    tables = []
    with wb.Funnel(names if named else conditions, window).prepare(events) as prepared:
        sources: dict[str, DataFrame | wb.Prepared] = {"table": events, "prepared": prepared}
        for modes in combinations:
            funnel = wb.Funnel(names if named else conditions, window, modes=modes)
            for path, source in sources.items():
                tables.append(_labelled(funnel.levels(source), path, modes))
        rows = reduce(DataFrame.union, tables).collect()
    return sorted((path, tuple(modes), *rest) for path, modes, *rest in map(tuple, rows))


def _labelled(levels: DataFrame, path: str, modes: Modes) -> DataFrame:
    seconds = F.transform("reached", F.unix_seconds)
    mode_names = F.array(*map(F.lit, modes)).cast("array<string>")
    return levels.select(F.lit(path), mode_names, "user_id", "level", seconds)


def expected(case: Streams, combinations: list[Modes]) -> list[Answer]:
    """Return ClickHouse's levels and the kernel's chains; users without rows are in no table."""
    answers: list[Answer] = []
    for modes in combinations:
        switches: dict[str, Any] = {mode: mode in modes for mode in ALL_MODES}
        level = ask_clickhouse(case, switches)
        _, chains = funnel_levels(*case.columns, case.steps, case.window, **switches)
        for path in ("prepared", "table"):
            answers += [
                (path, modes, user, level[user], chains[user, : level[user]].tolist())
                for user, rows in enumerate(case.users)
                if rows
            ]
    return sorted(answers)


@pytest.mark.cluster
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("case", "named"), [(NAMED, True), (ANY, False)], ids=["names", "any"])
def test_every_path_gives_every_key_once_with_the_level_of_clickhouse(
    kind: str, case: Streams, named: bool, run_on: RunOn
) -> None:
    modes = COMBINATIONS if kind == "classic" else SOME
    assert run_on(kind, levels_by_every_path, case, named, modes) == expected(case, modes)


def test_a_window_beyond_the_data_gives_the_levels_of_clickhouse(spark: SparkSession) -> None:
    assert levels_by_every_path(spark, LONG, False, SOME) == expected(LONG, SOME)


def skewed(spark: SparkSession) -> tuple[list[Any], list[Any], int]:
    """Return levels, people and skipped rows where one key has nearly all rows, others are null."""
    events = spark.range(200_000).select(
        F.expr("CASE WHEN id < 10 THEN NULL WHEN id < 20 THEN id ELSE 0 END").alias("user_id"),
        F.expr("IF(id % 1000 = 999, NULL, timestamp_seconds(id))").alias("timestamp"),
        F.expr("CASE id WHEN 100 THEN 'a' WHEN 190000 THEN 'b' ELSE 'x' END").alias("event"),
    )
    funnel = wb.Funnel(["a", "b"], timedelta(seconds=189_900))
    levels = funnel.levels(events).orderBy("user_id")
    people = funnel.people(events, stopped_at=2).select("next_event", F.unix_seconds("next_time"))
    rows = [(row["user_id"], row["level"]) for row in levels.collect()]
    return rows, [tuple(row) for row in people.collect()], funnel.skipped(events)


@pytest.mark.cluster
@pytest.mark.parametrize("kind", KINDS)
def test_one_key_may_have_nearly_all_rows(kind: str, run_on: RunOn) -> None:
    levels, people, skipped = run_on(kind, skewed)
    assert levels == [(0, 2), *((user, 0) for user in range(10, 20))]
    assert people == [("x", 190_001)]
    assert skipped == 10 + 200


def summaries(spark: SparkSession) -> tuple[dict[Any, Any], int, list[Any]]:
    """Return steps, times, skipped rows and warnings where one row has no time."""
    import warnings

    rows = [(user, 10 * user + k, f"step {k}") for user in range(20) for k in range(user % 4)]
    events = spark.createDataFrame(
        [*rows, (1, None, "step 0")], "user_id long, n int, event string"
    )
    funnel = wb.Funnel(["step 0", "step 1", "step 2"], 5, time="n")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        steps = funnel.steps(events)
    times = funnel.times(events).to_dict("list")
    return steps.to_dict("list") | times, steps.attrs["skipped"], [str(w.message) for w in caught]


@pytest.mark.cluster
@pytest.mark.parametrize("kind", KINDS)
def test_the_summaries_and_their_warnings_are_the_same_everywhere(kind: str, run_on: RunOn) -> None:
    tables, skipped, messages = run_on(kind, summaries)
    assert (tables["from"], tables["to"], tables["users"]) == ([0, 1], [1, 2], [0, 5])
    assert tables["lost"] == [0, 5, 5]
    assert skipped == 1
    assert messages == ["1 row was left out: its key or its time is null."]


def slow_levels(spark: SparkSession, folder: Path) -> list[tuple[int, int]]:
    """Return levels of events from two slow tasks, each of which touches a file when it starts."""

    def wait(batches: Any) -> Any:
        from time import sleep

        from pyspark import TaskContext

        task = TaskContext.get()
        assert task is not None
        (folder / f"task-{task.taskAttemptId()}").touch()
        while not (folder / "go on").exists():
            sleep(0.05)
        yield from batches

    slow = spark.range(4_000, numPartitions=2).mapInArrow(wait, "id long")
    events = slow.selectExpr("id % 1000 AS user_id", "id AS n", "concat('s', id div 1000) AS event")
    levels = wb.Funnel(["s0", "s1", "s2", "s3"], 3_000, time="n").levels(events)
    return [(row["user_id"], row["level"]) for row in levels.orderBy("user_id").collect()]


@pytest.mark.cluster
def test_a_worker_killed_during_a_funnel_costs_a_retry_and_not_an_answer(
    cluster: Cluster, tmp_path: Path
) -> None:
    answer = cluster.submit(slow_levels, tmp_path)
    while len(list(tmp_path.glob("task-*"))) < 2:
        assert not answer.done(), answer.result()
        sleep(0.1)
    cluster.kill("worker-1")
    try:
        (tmp_path / "go on").touch()
        assert answer.result() == [(user, 4) for user in range(1_000)]
        assert len(list(tmp_path.glob("task-*"))) > 2
    finally:
        cluster.start_worker("worker-1")
