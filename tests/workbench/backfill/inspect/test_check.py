"""Another pipeline's features are compared with those of a backfill, and differences explained."""

from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import workbench as wb
from tests.workbench.spark.jobs import no_job
from workbench.backfill.inspect import check
from workbench.backfill.naive import naive

AGGREGATIONS = [wb.Aggregation("count", windows="5 hours"), wb.Aggregation("last", "v", "5 hours")]
BACKFILL = wb.Backfill("k", "t", AGGREGATIONS)


def events(spark: SparkSession) -> DataFrame:
    """Return an event every seven minutes, those of one day twice, all known an hour later."""
    once = spark.range(400).selectExpr(
        "id % 2 AS k", "timestamp_seconds(id * 420) AS t", "id AS v",
        "timestamp_seconds(id * 420 + 3600) AS known",
    )  # fmt: skip
    return once.unionAll(once.where("id > 300"))


def queries(spark: SparkSession) -> DataFrame:
    return spark.range(60).selectExpr("id % 2 AS k", "timestamp_seconds(id * 2520 + 420) AS t")


def reasons(features: DataFrame, event_rows: DataFrame, **options: Any) -> list[str]:
    differences = BACKFILL.check(features, event_rows, **options)
    assert differences.attrs["checked"] == 60
    assert "60 rows compared" in differences._repr_html_()  # type: ignore[operator]
    return list(dict.fromkeys(differences["reason"]))


def test_features_of_the_same_windows_do_not_differ(spark: SparkSession) -> None:
    assert reasons(BACKFILL.run(queries(spark), events(spark)), events(spark)) == []


def test_events_at_the_querys_own_time_are_found(spark: SparkSession) -> None:
    leaking = queries(spark).withColumn("t", F.expr("t + interval 1 microsecond"))
    features = BACKFILL.run(leaking, events(spark))
    features = features.withColumn("t", F.expr("t - interval 1 microsecond"))
    assert reasons(features, events(spark)) == ["an event at the query's time counts"]


def test_heads_that_are_missing_are_found(spark: SparkSession) -> None:
    hourly = wb.Backfill("k", "t", AGGREGATIONS, hop="1 hour")
    other = wb.Backfill("k", "t", AGGREGATIONS, "hopping", hop="1 hour")
    differences = hourly.check(other.run(queries(spark), events(spark)), events(spark))
    assert set(differences["reason"]) == {"the head is missing"}


def test_a_tail_that_is_not_rounded_is_found_whichever_job_computes_it(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check, "MOST_IN_JOB", 1)
    other = wb.Backfill("k", "t", AGGREGATIONS, "sliding").run(queries(spark), events(spark))
    assert reasons(other, events(spark)) == ["the tail is not rounded"]


def test_duplicates_that_were_dropped_are_found(spark: SparkSession) -> None:
    event_rows = events(spark)
    once = BACKFILL.run(queries(spark), event_rows.distinct())
    assert reasons(once, event_rows) == ["an event that occurs twice counts once"]


def test_late_events_are_found_when_their_arrival_is_known(spark: SparkSession) -> None:
    event_rows = events(spark)
    plan = BACKFILL.bound(queries(spark), event_rows)
    features = naive(plan, arrived="known")
    assert reasons(features, event_rows, arrived="known") == ["a late event is missing"]


def test_what_cannot_be_checked_is_one_sentence(spark: SparkSession) -> None:
    features = BACKFILL.run(queries(spark), events(spark))
    renamed = "which are 'count_5h', 'v_last_5h'; rename its columns to these."
    cases: list[tuple[DataFrame, dict[str, Any], str]] = [
        (
            features.drop("count_5h", "v_last_5h"),
            {},
            f"features: the table has none of the backfill's columns, {renamed}",
        ),
        (features.drop("k"), {}, "features: there is no column 'k';"),
        (features, {"rows": 0}, "rows: 0 is not possible; give 1 or more rows."),
        (features, {"rows": 2**31}, "rows: 2147483648 rows are too many; give up to "),
    ]
    for table, options, sentence in cases:
        with no_job(spark), pytest.raises(wb.WorkbenchError) as error:
            BACKFILL.check(table, events(spark), **options)
        assert str(error.value).startswith(sentence)


BUCKETS = wb.Backfill(
    "k",
    "t",
    [wb.Aggregation("count", by="c"), wb.Aggregation("max", "v", by="c")],
    "sliding",
)


def test_maps_from_pandas_are_still_maps(spark: SparkSession) -> None:
    """Buckets include names that Spark treats as one, and one whose answer is null."""
    values = "('a', 1, 'x', 1.5), ('a', 2, 'X', NULL), ('b', 2, 'y.z', 2.5), ('b', 2, 'n', NULL)"
    event_rows = spark.sql(f"SELECT * FROM VALUES {values} AS (k, t, c, v)")
    query_rows = spark.sql("SELECT explode(array('a', 'b', 'nobody')) AS k, 12 AS t")
    features = BUCKETS.run(query_rows, event_rows).toPandas()
    assert len(BUCKETS.check(features, event_rows)) == 0
    features["count_by_c"] = features["count_by_c"].map(lambda one: one and one | {"y.z": 2})
    features = features[features["k"] != "a"]
    (difference,) = BUCKETS.check(features, event_rows).to_dict("records")
    assert (difference["given"], difference["expected"]) == ({"n": 1, "y.z": 2}, {"n": 1, "y.z": 1})
    assert difference["reason"] == "none of the usual reasons"
    nobody = features[features["k"] == "nobody"]
    assert len(BUCKETS.check(nobody, event_rows)) == 0


def test_features_of_another_type_are_refused_before_a_job(spark: SparkSession) -> None:
    features = queries(spark).withColumn("count_5h", F.lit("7"))
    spread = features.withColumn("count_5h", F.struct(F.lit(7)))
    for table, kind in ((features, "string"), (spread, "struct<col1:int>")):
        with no_job(spark), pytest.raises(wb.WorkbenchError) as error:
            BACKFILL.check(table, events(spark))
        assert str(error.value) == (
            f"features: 'count_5h' holds {kind}, but a backfill gives bigint there; "
            "cast it to that type."
        )


def test_features_of_another_width_are_compared(spark: SparkSession) -> None:
    features = BACKFILL.run(queries(spark), events(spark))
    for kind in ("double", "decimal(9,2)"):
        assert (
            reasons(features.withColumn("count_5h", F.col("count_5h").cast(kind)), events(spark))
            == []
        )
