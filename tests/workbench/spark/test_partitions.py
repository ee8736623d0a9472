"""A shuffle has more partitions for a large table, and fewer tasks for a small one; the answers
are the same."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import reduce
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import workbench as wb
from tests.clusters import ALL_PARTITIONS, PARTITIONS, session_options
from tests.conftest import RunOn
from workbench import fn
from workbench.columnar.spark_hash import numbers_for
from workbench.spark import partitions as module
from workbench.spark.partitions import (
    MOST_PARTITIONS,
    Shuffle,
    bytes_of_sources,
    bytes_read,
    set_partitions,
    shuffle_of,
)

EVENTS = """
SELECT if(id % 2 = 0, 0, id % 199) AS user_id, timestamp_seconds(id * 7919 % 100003) AS timestamp,
       id AS value,
       element_at(array('view', 'cart', 'buy'), int(1 + pmod(hash(id), 3))) AS event,
       if(id % 3 = 0, NULL, if(id % 3 = 1, 'web', 'tv')) AS device
FROM range(0, 6000, 1, 3)
"""
FUNNEL = wb.Funnel(["view", "cart", "buy"], "1 hour")
FRAME = wb.Frame.rows(-5, 0)
BACKFILL = wb.Backfill(
    "user_id",
    "timestamp",
    [wb.Aggregation("sum", "value", windows="1 hour"), wb.Aggregation("count", windows="1 day")],
)


def over(df: DataFrame, cut: Any) -> DataFrame:
    functions = {"total": fn.sum("value"), "half": fn.median("value"), "place": fn.row_number()}
    call = wb.Over("user_id", ["timestamp", "value"], FRAME, "kernel", cut, **functions)
    return call.run(df)


def queries_of(df: DataFrame) -> DataFrame:
    return df.where("value % 7 = 0").select("user_id", "timestamp", "device")


#: Queries of a table: each has one more than :data:`PARTS` tasks, and they share the keys.
QUERIES: dict[str, Callable[[DataFrame], DataFrame]] = {
    "a funnel": FUNNEL.levels,
    "a funnel of cut keys": wb.Funnel(FUNNEL.labels, "1 hour", cut=50).levels,
    "a window call": lambda df: over(df, None),
    "a window call of cut keys": lambda df: over(df, 40),
    "quantiles": lambda df: wb.quantiles(df, "value", by="user_id"),
    "a backfill": lambda df: BACKFILL.run(queries_of(df), df, "scan"),
    "a backfill of cut keys": lambda df: BACKFILL.run(queries_of(df), df, "auto"),
    "a backfill by spans": lambda df: BACKFILL.run(queries_of(df), df, "sawtooth"),
}
PARTS = 11


@pytest.fixture(scope="module")
def events(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> DataFrame:
    """A table of files."""
    path = str(tmp_path_factory.mktemp("events") / "events")
    spark.sql(EVENTS).write.parquet(path)
    return spark.read.parquet(path)


@pytest.fixture
def small_parts(events: DataFrame, monkeypatch: pytest.MonkeyPatch) -> DataFrame:
    """The same table, whose bytes make :data:`PARTS` partitions, whatever columns are read."""
    monkeypatch.setattr(module, "BYTES_A_PARTITION", bytes_of_sources(events) // PARTS)
    monkeypatch.setattr(module, "bytes_read", bytes_of_sources)
    return events


def tasks_and_rows(answer: DataFrame) -> tuple[int, list[str]]:
    """Return how many tasks have rows of an answer, and its rows."""
    rows = answer.withColumn("task", F.spark_partition_id()).collect()
    return len({row["task"] for row in rows}), sorted(str(row[:-1]) for row in rows)


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
def test_a_large_table_is_answered_by_more_tasks(
    query: Callable[[DataFrame], DataFrame], events: DataFrame, request: pytest.FixtureRequest
) -> None:
    few, plain = tasks_and_rows(query(events))
    request.getfixturevalue("small_parts")
    more, rows = tasks_and_rows(query(events))
    assert few <= set_partitions(events.sparkSession) < PARTS <= more
    assert rows == plain


def test_figures_of_cut_keys_are_those_of_a_small_table(
    events: DataFrame, request: pytest.FixtureRequest
) -> None:
    cut = wb.Funnel(FUNNEL.labels, "1 hour", cut=50)
    plain = FUNNEL.steps(events, by="device").to_csv()
    request.getfixturevalue("small_parts")
    assert cut.steps(events, by="device").to_csv() == plain
    assert cut.pieces(events).count() > 0


def test_an_upload_with_more_partitions_has_the_same_values(
    events: DataFrame, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    def uploaded(name: str) -> Any:
        view = wb.OnlineView(BACKFILL, tmp_path / name)
        view.upload(events, "1970-01-02 00:00:00+00:00")
        return [view.fetch(user, at="1970-01-02 01:00:00+00:00") for user in range(199)]

    plain = uploaded("plain")
    request.getfixturevalue("small_parts")
    assert uploaded("more") == plain


def test_the_number_of_partitions_grows_with_the_bytes(spark: SparkSession) -> None:
    rows = module.BYTES_A_PARTITION // 8
    assert shuffle_of(spark.range(4 * rows)).partitions == 4
    assert shuffle_of(spark.range(25 * rows)).partitions == 25
    assert shuffle_of(spark.range(5 * rows), spark.range(3 * rows)).partitions == 8
    assert shuffle_of(spark.range(2**50)).partitions == MOST_PARTITIONS


def test_the_setting_of_spark_is_the_minimum(spark: SparkSession) -> None:
    rows = module.BYTES_A_PARTITION // 8
    with session_options(spark, {PARTITIONS: "30"}):
        assert shuffle_of(spark.range(25 * rows)).partitions == 30
        assert shuffle_of(spark.range(35 * rows)).partitions == 35
    with session_options(spark, {PARTITIONS: "1"}):
        assert shuffle_of(spark.range(25 * rows)).partitions == 25


#: More than two per core.
MANY = {PARTITIONS: "19"}


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
def test_a_small_table_is_answered_by_few_tasks(
    query: Callable[[DataFrame], DataFrame], events: DataFrame
) -> None:
    with session_options(events.sparkSession, MANY | ALL_PARTITIONS):
        many, plain = tasks_and_rows(query(events))
    with session_options(events.sparkSession, MANY):
        few, rows = tasks_and_rows(query(events))
    assert few <= 4 < many
    assert rows == plain


@contextmanager
def unset_partitions(spark: SparkSession) -> Iterator[None]:
    """Unset the number of partitions, which is then 200."""
    before = str(spark.conf.get(PARTITIONS))
    spark.conf.unset(PARTITIONS)
    try:
        assert set_partitions(spark) == 200
        yield
    finally:
        spark.conf.set(PARTITIONS, before)


#: Tables whose size is unknown before they are read.
UNKNOWN: dict[str, Callable[[DataFrame], DataFrame]] = {
    "an RDD": lambda df: df.sparkSession.createDataFrame(df.rdd, df.schema),
    "a join with an RDD": lambda df: df.join(
        df.sparkSession.createDataFrame([(n,) for n in range(199)], "n long").rdd.toDF(),
        df.user_id == F.col("n"),
    ),
}


@pytest.mark.parametrize("make", UNKNOWN.values(), ids=UNKNOWN)
def test_spark_coalesces_small_tables_of_unknown_size_after_the_shuffle(
    make: Callable[[DataFrame], DataFrame], events: DataFrame
) -> None:
    with unset_partitions(events.sparkSession):
        assert tasks_and_rows(FUNNEL.levels(make(events)))[0] <= 4


def connected_tasks(spark: SparkSession) -> list[int]:
    with unset_partitions(spark):
        return [tasks_and_rows(query(spark.sql(EVENTS)))[0] for query in QUERIES.values()]


def test_over_spark_connect_a_small_table_is_answered_by_few_tasks(run_on: RunOn) -> None:
    assert max(run_on("connect", connected_tasks)) <= 4


def test_unset_partitions_are_coalesced_and_set_ones_if_the_table_fits_one(
    spark: SparkSession,
) -> None:
    rows = module.BYTES_A_PARTITION // 8
    rdd = spark.createDataFrame(spark.sparkContext.parallelize([(1, 2)]), "a int, b int")
    with unset_partitions(spark):
        for table in (rdd, spark.range(1), spark.range(199 * rows)):
            assert shuffle_of(table)[:2] == (200, True)
        assert shuffle_of(spark.range(201 * rows))[:2] == (201, False)
    with session_options(spark, {PARTITIONS: "200"}):
        small = [shuffle_of(spark.range(n)) for n in (1, rows)]
        assert small == [(200, True, 8), (200, True, 8 * rows)]
        for tables in ([rdd], [rdd, spark.range(1)], [spark.range(2 * rows)]):
            assert shuffle_of(*tables)[:2] == (200, False)
    with session_options(spark, {PARTITIONS: "4"}):
        assert shuffle_of(spark.range(1))[:2] == (4, False)


@pytest.mark.parametrize("setting", module.COALESCE)
def test_without_coalescing_a_shuffle_has_all_partitions(spark: SparkSession, setting: str) -> None:
    with unset_partitions(spark), session_options(spark, {setting: "false"}):
        assert shuffle_of(spark.range(1))[:2] == (200, False)


@pytest.mark.parametrize(("places", "partitions"), [(1, 1), (7, 7), (256, 19), (2_000, 2_000)])
def test_spark_sends_each_number_to_the_partition_of_its_place(
    places: int, partitions: int, spark: SparkSession
) -> None:
    numbers = numbers_for(places, partitions).tolist()
    assert len(set(numbers)) == places
    rows = spark.createDataFrame(list(enumerate(numbers)), "place int, number int")
    with session_options(spark, {PARTITIONS: partitions, **ALL_PARTITIONS}):
        sent = rows.repartition("number").select("place", F.spark_partition_id()).collect()
    assert [partition for place, partition in sent if partition != place % partitions] == []


def test_the_size_of_an_rdd_is_unknown(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BYTES_A_PARTITION", 1)
    rdd = spark.createDataFrame(spark.sparkContext.parallelize([(1, 2)]), "a int, b int")
    assert shuffle_of(rdd).partitions == set_partitions(spark)
    known = spark.range(10)
    assert bytes_of_sources(rdd.join(known, rdd.a == known.id)) == bytes_of_sources(known)


def test_a_stream_has_as_many_buckets_as_its_checkpoint(
    spark: SparkSession, events: DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BYTES_A_PARTITION", 1)
    stream = spark.readStream.schema(events.schema).parquet(
        str(Path(events.inputFiles()[0]).parent)
    )
    assert shuffle_of(stream).partitions == set_partitions(spark)


def connected(spark: SparkSession) -> tuple[int, int]:
    return shuffle_of(spark.range(2**50)).partitions, set_partitions(spark)


def test_over_spark_connect_sizes_are_unknown(run_on: RunOn) -> None:
    partitions, expected = run_on("connect", connected)
    assert partitions == expected


def test_a_join_is_not_the_product_of_both_sides(events: DataFrame) -> None:
    other = events.select("user_id", F.col("value").alias("worth"))
    both = events.join(other, "user_id")
    assert bytes_read(both) <= bytes_of_sources(both) == 2 * bytes_of_sources(events)


def test_columns_that_are_not_read_do_not_count(events: DataFrame) -> None:
    assert bytes_read(events) == bytes_of_sources(events)
    assert 0 < bytes_read(events.select("user_id")) < bytes_of_sources(events) / 3


def test_folders_that_are_not_read_do_not_count(events: DataFrame, tmp_path: Path) -> None:
    path = str(tmp_path / "by-day")
    days = events.withColumn("day", F.col("value") % 10)
    days.write.partitionBy("day").parquet(path)
    table = events.sparkSession.read.parquet(path)
    one = table.where("day = 3")
    assert bytes_of_sources(one) == bytes_read(table)
    assert bytes_read(table) / 20 < bytes_read(one) < bytes_read(table) / 5


def test_a_common_table_expression_that_is_used_twice_counts_once(events: DataFrame) -> None:
    events.createOrReplaceTempView("named_events")
    text = "WITH x AS (SELECT * FROM named_events) SELECT a.* FROM x a JOIN x b USING (value)"
    assert bytes_of_sources(events.sparkSession.sql(text)) == bytes_of_sources(events)


def test_a_cached_table_has_a_size(events: DataFrame) -> None:
    rows = events.repartition(2).cache()
    try:
        rows.count()
        assert bytes_of_sources(rows.where("value > 3")) > 0
    finally:
        rows.unpersist()


def test_the_size_of_very_many_tables_is_estimated_from_some(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_LEAVES", 6)
    tables = [spark.range(1_000, numPartitions=1) for _ in range(9)]
    assert bytes_of_sources(reduce(DataFrame.union, tables)) == 8_000 * len(tables)


def test_sizes_are_unknown_if_a_spark_lacks_the_method_to_read_them(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_bytes_read", lambda execution: execution.planned())
    assert shuffle_of(spark.range(2**50)).partitions == set_partitions(spark)


def test_where_spark_chooses_the_number_of_partitions_it_counts_as_unset(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As on Databricks, whose Spark takes "auto"; this one takes numbers only.
    get = spark.conf.get
    monkeypatch.setattr(
        spark.conf, "get", lambda name, *other: "auto" if name == PARTITIONS else get(name, *other)
    )
    assert shuffle_of(spark.range(10)) == Shuffle(200, coalesced=True, read=80)


def few_queries(spark: SparkSession) -> DataFrame:
    return spark.range(5).selectExpr("id AS user_id", "timestamp_seconds(id) AS timestamp")


def test_the_shuffle_of_a_tree_grows_with_the_queries_only(small_parts: DataFrame) -> None:
    queries = few_queries(small_parts.sparkSession)
    assert len(BACKFILL.tasks(queries, small_parts, "scan")) >= PARTS
    assert len(BACKFILL.tasks(queries, small_parts, "tree")) <= set_partitions(
        small_parts.sparkSession
    )


def test_a_backfill_explains_how_many_partitions_there_are(small_parts: DataFrame) -> None:
    explanation = BACKFILL.explain(few_queries(small_parts.sparkSession), small_parts)
    assert (
        f"auto takes scan: a shuffle has {PARTS} partitions because the tables are large"
        in explanation
    )
