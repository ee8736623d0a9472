"""Text with a collation by which other bytes are equal is refused as a key, before a job."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import workbench as wb
from tests.workbench.spark.jobs import no_job
from workbench import fn

ROW = "SELECT {user} AS user, {t} AS t, 'view' COLLATE UTF8_LCASE AS event, {t} AS n"
BACKFILL = wb.Backfill("user", "t", [wb.Aggregation("count", windows=[9])], hop=5)
FUNNEL = wb.Funnel(["view"], 9, "user", "t", "event")
BY_NUMBER = wb.Funnel({"all": "n > 0"}, 9, "n", "t", "event")

REFUSED: dict[str, Callable[[DataFrame, Path], Any]] = {
    "key: funnel": lambda df, _: FUNNEL.levels(df),
    "by: segments": lambda df, _: BY_NUMBER.steps(df, by="user"),
    "key: prepared": lambda df, _: wb.prepare(df, "user", "t", {"all": "n > 0"}),
    "key: backfill": lambda df, _: BACKFILL.run(df, df),
    "key: online view": lambda df, path: wb.OnlineView(BACKFILL, path).upload(df, 9),
    "key: entities": lambda df, _: wb.Entities(
        df.withColumn("id", F.col("n")),
        key="user",
        id="id",
        time="t",
        date="n",
        accuracy="midnight",
    ),
    "id: entities": lambda df, _: wb.Entities(
        df, key="n", id="user", time="t", date="n", accuracy="midnight"
    ),
    "partition_by: windows": lambda df, _: wb.over(df, "user", "t", most=fn.max("n")),
    "by: quantiles": lambda df, _: wb.quantiles(df, "n", 0.5, by="user"),
    "by: last rows": lambda df, _: wb.last_in_group(df, by="user", order_by="t"),
    "event: names": lambda df, _: wb.Funnel(["view"], 9, "n", "t", "event").levels(df),
    "event: prepared": lambda df, _: wb.prepare(df, "n", "t", "event"),
}


@pytest.mark.parametrize("collation", ["UTF8_LCASE", "UNICODE_CI", "UTF8_BINARY_RTRIM"])
def test_keys_with_a_collation_are_refused(
    collation: str, spark: SparkSession, tmp_path: Path
) -> None:
    df = spark.sql(ROW.format(user=f"'Ann' COLLATE {collation}", t="1L"))
    for call, run in REFUSED.items():
        argument = call.partition(":")[0]
        name = "UTF8_LCASE" if argument == "event" else collation
        sentence = (
            f"^{argument}: .*column '\\w+' holds string collate {name}, .*; cast it to string"
        )
        with no_job(spark), pytest.raises(wb.WorkbenchError, match=sentence):
            run(df, tmp_path)


def test_text_with_a_collation_may_be_a_value_or_a_key_once_it_is_cast(spark: SparkSession) -> None:
    rows = (
        ROW.format(user=f"'{user}' COLLATE UNICODE_CI", t=f"{t}L") for t, user in enumerate("Aa")
    )
    df = spark.sql(" UNION ALL ".join(rows))
    plain = df.withColumn("user", F.col("user").cast("string"))
    assert sorted(FUNNEL_OF_ALL.levels(plain).collect()) == [("A", 1, [0]), ("a", 1, [1])]
    carried = wb.over(df, "n", "t", most=fn.max("t"))
    assert carried.schema["user"] == df.schema["user"]
    assert sorted(carried.select("user", "most").collect()) == [("A", 0), ("a", 1)]
    features = wb.Backfill("n", "t", [wb.Aggregation("count", windows=[9])], "sliding").run(df, df)
    assert sorted(features.select("user", "count_9").collect()) == [("A", 0), ("a", 0)]


FUNNEL_OF_ALL = wb.Funnel({"all": "t >= 0"}, 9, "user", "t", "event")
