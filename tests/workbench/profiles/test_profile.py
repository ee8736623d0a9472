"""A profile has the counts of pandas, by one job over all rows and a read of the first ones."""

from uuid import uuid4

import numpy as np
import pandas as pd
import pytest
from pyspark.sql import SparkSession

import workbench as wb
from workbench.profiles.profile import MOST_COLUMNS

N = 4_000
RNG = np.random.default_rng(7)
MINUTES = pd.date_range("2024-01-01", periods=N, freq="37min")
TABLE = pd.DataFrame(
    {
        "customer_id": [f"c{number}" for number in RNG.integers(0, 300, N)],
        "when": [at.strftime("%d/%m/%Y %H:%M") for at in MINUTES],
        "stamp": MINUTES.astype("int64") // 10**6,
        "action": RNG.choice(["visit", "cart", "pay"], N, p=[0.6, 0.3, 0.1]),
        "amount": RNG.random(N).round(2),
        "flag": RNG.random(N) < 0.5,
    }
)
TABLE.loc[::100, "when"] = "unknown"
TABLE.loc[::7, "amount"] = np.nan


def jobs_of(spark: SparkSession, group: str) -> int:
    return len(spark.sparkContext.statusTracker().getJobIdsForGroup(group))


def test_a_profile_has_the_counts_of_pandas_by_one_job_over_all_rows(spark: SparkSession) -> None:
    group, rows = str(uuid4()), wb.table(TABLE)
    spark.sparkContext.setJobGroup(group, "profile")
    profile = wb.profile(rows)
    spark.sparkContext.setLocalProperty("spark.jobGroup.id", None)  # type: ignore[arg-type]
    # The first rows are one job, or two where Spark reads more partitions; the pass has a
    # shuffle of one row per task, which adaptive execution counts as another.
    assert jobs_of(spark, group) <= 4
    assert profile.rows == N
    for name, one in profile.columns.items():
        assert one.nulls == TABLE[name].isna().sum()
        assert one.distinct == pytest.approx(TABLE[name].nunique(), rel=0.15)
    amount = profile.columns["amount"]
    assert (amount.low, amount.high) == (TABLE["amount"].min(), TABLE["amount"].max())
    assert profile.columns["action"].names == TABLE["action"].value_counts().to_dict()
    flag = profile.table.set_index("column").loc["flag"]
    assert (flag["from"], flag["to"]) == ("false", "true")


def test_codes_are_counted_as_text_and_columns_of_many_values_are_not(
    spark: SparkSession,
) -> None:
    rows = pd.DataFrame({"evt": [2, 1, 1, -3] * 5, "order_no": range(20)})
    profile = wb.profile(rows)
    assert profile.columns["evt"].names == {"1": 10, "2": 5, "-3": 5}
    assert profile.columns["order_no"].names == {}


def test_text_in_day_month_order_and_epochs_are_read_as_times(spark: SparkSession) -> None:
    profile = wb.profile(TABLE)
    text, other = profile.columns["when"].readings
    assert (text.format, text.read, text.failed) == ("d/M/yyyy H:mm[:ss[.SSSSSS]]", N - 40, 40)
    assert text.examples == ("unknown",)
    assert other.failed > text.failed
    (epoch,) = profile.columns["stamp"].readings
    assert (epoch.format, epoch.failed) == ("epoch milliseconds", 0)
    assert epoch.span == pytest.approx((N - 1) * 37 * 60)
    assert {role: some[0].column for role, some in profile.proposals.items() if some} == {
        "key": "customer_id",
        "time": "when",
        "event": "action",
        "value": "amount",
    }


def test_a_profile_is_displayed_as_text_and_as_html_that_escapes_the_data(
    spark: SparkSession,
) -> None:
    profile = wb.profile(pd.DataFrame({"<b>id</b>": ["a", "a"], "n": [1, None]}))
    assert "2 rows · 2 columns" in repr(profile)
    assert "<b>id" not in profile._repr_html_().replace("<b>2 rows", "")
    assert profile.table["nulls"].tolist() == [0, 1]


def test_a_table_without_rows_and_one_of_many_columns_are_profiled(spark: SparkSession) -> None:
    empty = wb.profile(pd.DataFrame({"user_id": [], "at": []}))
    assert (empty.rows, empty.best("key"), empty.best("time")) == (0, None, None)
    wide = pd.DataFrame({f"c{i}": range(3) for i in range(MOST_COLUMNS + 20)})
    wide["at"] = MINUTES[:3]
    profile = wb.profile(wide)
    assert profile.best("time") is not None
    assert "for 21 columns, only nulls are counted" in repr(profile)
    assert all(one.nulls == 0 for one in profile.columns.values())


def test_intervals_variants_and_nested_values_are_shown_as_text(spark: SparkSession) -> None:
    rows = spark.sql(
        "select make_ym_interval(1, 2) interval, if(id = 1, parse_json('[1]'), null) variant, "
        "if(id = 1, named_struct('n', 1), null) struct, unhex('FF') binary, "
        "st_geomfromwkb(unhex('0101000000000000000000F03F0000000000000040')) point from range(2)"
    )
    profile = wb.profile(rows)
    assert [one.nulls for one in profile.columns.values()] == [0, 1, 1, 0, 0]
    assert profile.first.to_pylist()[1] == {
        "interval": "INTERVAL '1-2' YEAR TO MONTH",
        "variant": "[1]",
        "struct": "{1}",
        "binary": "FF",
        "point": "0101000000000000000000F03F0000000000000040",
    }


def test_a_table_without_columns_is_refused(spark: SparkSession) -> None:
    with pytest.raises(wb.WorkbenchError, match="what: the table has no columns; give one"):
        wb.profile(spark.range(2).select())
