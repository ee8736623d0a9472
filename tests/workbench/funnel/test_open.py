"""Who may still go on when the data end, counted separately from those who are lost."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import DataFrame, SparkSession

import workbench as wb
from tests.drawn import draws
from tests.workbench.funnel.events import block_of
from tests.workbench.funnel.test_trend import (
    CONSECUTIVE,
    OPTIONS,
    STEPS,
    USERS,
    WINDOW,
    Row,
    answers,
    events,
    packed,
    prepared,
)
from tests.workbench.spark.jobs import no_job
from workbench.funnel.bind import task_of
from workbench.funnel.plan import ROUND_COUNTS
from workbench.funnel.worker.summary import ReachedTask, SummaryTask

__all__ = ["events", "prepared"]  # Fixtures, of the same events as the trends'.
FUNNEL = wb.Funnel(STEPS, "9 hours", start="2000-01-01", exclude="x")


@given(USERS, st.sampled_from([*OPTIONS, *CONSECUTIVE]))
@draws(200)
def test_open_are_the_lost_whose_last_first_step_is_within_a_window_of_the_end(
    users: list[list[Row]], options: dict[str, Any]
) -> None:
    funnel = wb.Funnel(STEPS, WINDOW, **options)
    period = funnel.counting.period("long", "UTC")
    task = task_of(funnel, True, True, by=("device",), period=period, entered=True)
    reached = list(ReachedTask(task).from_blocks([packed(block_of(users, ["device"]))]))
    summary = SummaryTask(3, 5, ROUND_COUNTS, 1000, funnel.rules.optional, window=WINDOW)
    rows = [row for batch in summary.run(reached) for row in batch.to_pylist()]
    last = max(row[0] for user in users for row in user)
    expected: dict[Any, list[int]] = {}
    for one in answers(users, period, **options):
        if one["level"] > 0:
            counts = expected.setdefault(one["device"], [0, 0, 0])
            is_open = last - one["__entered__"] < WINDOW and not one.get("excluded")
            if is_open and one["level"] < 3:
                # The third step follows the first where the second is optional.
                counts[2 if funnel.rules.optional else one["level"]] += 1
    assert {row["segment0"]: row["open"] for row in rows if not row["whole"]} == expected
    whole = [row["open"] for row in rows if row["whole"]]
    assert whole == ([np.sum([*expected.values()], axis=0).tolist()] if expected else [])


def test_open_people_of_a_table_and_of_prepared_events_are_counted_and_listed(
    events: DataFrame, prepared: wb.Prepared
) -> None:
    tables = [FUNNEL.steps(source, by="device") for source in (prepared, events)]
    assert tables[0].equals(tables[1])
    table = tables[0]
    assert table["open"].sum() > 0
    assert (table["open"] <= table["lost"]).all()
    for step in (1, 2):
        people = FUNNEL.people(prepared, stopped_at=step, by="device", open=True)
        listed = people.toPandas()["device"].value_counts(dropna=False)
        counted = table[table["step"] == STEPS[step]].set_index("device")["open"]
        assert sorted(counted[counted > 0]) == sorted(listed)
    assert "open" not in wb.Funnel(STEPS, "9 hours").steps(prepared)


def test_rows_that_are_no_step_count_for_the_end_of_a_table(spark: SparkSession) -> None:
    table = spark.sql(
        "SELECT * FROM VALUES (1, 0, 'A'), (2, 8, 'A'), (3, 16, 'o'), (3, 12, 'A'), (3, 13, 'B') "
        "AS (user_id, timestamp, event)"
    ).repartition(3)
    funnel = wb.Funnel(["A", "B"], 9, start=0)
    assert funnel.steps(table)["open"].tolist() == [0, 1]
    assert funnel.steps(table.where("event != 'o'"))["open"].tolist() == [0, 1]
    late = spark.sql("SELECT 3 user_id, 17 timestamp, 'o' event")
    assert funnel.steps(table.union(late))["open"].tolist() == [0, 0]


@pytest.mark.parametrize(("argument", "given"), [("hold", {}), ("session", {"count": "sessions"})])
def test_a_held_column_of_nulls_only_is_refused_before_a_job(
    argument: str, given: dict[str, Any], events: DataFrame, spark: SparkSession
) -> None:
    all_null = events.selectExpr("*", "NULL AS nothing")
    options = given | {argument: "nothing"}
    with no_job(spark), pytest.raises(wb.WorkbenchError) as error:
        wb.Funnel(STEPS, "9 hours", **options).steps(all_null)
    assert str(error.value) == (
        f"{argument}: column 'nothing' is null in every row, so no chain has a value of it; "
        "name another column."
    )
