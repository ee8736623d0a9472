"""Drivers, checked by a scan of every user's events, in process and on Spark."""

import math
from collections import Counter, defaultdict
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import workbench as wb
from tests.clusters import PARTITIONS, session_options
from tests.drawn import draws
from tests.workbench.funnel.events import (
    FUNNEL,
    ROWS,
    STEPS,
    WAYS,
    WINDOW,
    block_of,
    of_users,
)
from tests.workbench.spark.jobs import no_job
from workbench.columnar.blocks import NAME
from workbench.funnel.behaviour.drivers import Drivers
from workbench.funnel.bind import task_of
from workbench.funnel.worker.drivers import EVENTS, WHOLE, DriversTask, Trait

#: A time, what happened, and where.
Row = tuple[int, str | None, str | None]
Counts = dict[tuple[str, str], tuple[int, int]]


def counts_by_scan(
    users: dict[int, list[Row]], chains: dict[int, tuple[int, ...]], k: int, landmark: int,
    window: int, next_step: str,
) -> tuple[dict[int, bool], dict[tuple[str, str], set[int]], int, int]:  # fmt: skip
    """Return who is compared and went on, who has each trait, and how many were early or late."""
    compared: dict[int, bool] = {}
    having: dict[tuple[str, str], set[int]] = defaultdict(set)
    early = late = 0
    for user, rows in users.items():
        chain = chains[user]
        if len(chain) < k:
            continue
        arrival, went_on = chain[k - 1], len(chain) > k
        until = arrival + landmark
        if went_on and chain[k] <= until:
            early += 1
        elif until >= chain[0] + window:
            late += 1
        else:
            compared[user] = went_on
            for at, name, where in rows:
                if name not in (None, next_step) and arrival < at <= until:
                    having["event", str(name)].add(user)
                if where is not None and arrival <= at <= until:
                    having["segment", where].add(user)
    return compared, having, early, late


USERS = st.lists(
    st.lists(
        st.tuples(
            st.integers(-5, 25),
            st.sampled_from([*"AABBCxxyz", None]),
            st.sampled_from(["fr", "de", None]),
        ),
        min_size=1,
        max_size=9,
    ),
    min_size=1,
    max_size=6,
)


@given(USERS, st.sampled_from([1, 2]), st.integers(1, 8))
@draws(200)
def test_counts_are_those_of_a_scan_of_every_user(
    users: list[list[Row]], k: int, landmark: int
) -> None:
    funnel = wb.Funnel(["A", "B", "C"], window=9)
    events = task_of(funnel, integer_time=True, names=True, next=NAME)
    block = block_of(users, keep=["segment"])
    chains = [tuple(one["reached"]) for one in events.answer(block).to_pylist()]
    task = DriversTask(events, k, k - 1, landmark, ("segment",), ("ABC"[k],))
    compared, having, early, late = counts_by_scan(
        dict(enumerate(users)), dict(enumerate(chains)), k, landmark, 9, "ABC"[k]
    )
    counts = {(row["column"], row["value"]): (row["went_on"], row["dropped"])
             for row in task.counts(block).to_pylist()}  # fmt: skip
    went_on = sum(compared.values())
    assert counts.pop((WHOLE, "compared")) == (went_on, len(compared) - went_on)
    assert counts.pop((WHOLE, "left out")) == (early, late)
    assert counts == {
        (EVENTS + (column == "segment"), value): (
            sum(compared[user] for user in whose), sum(not compared[user] for user in whose)
        )
        for (column, value), whose in having.items()
    }  # fmt: skip
    for (column, value), whose in having.items():
        wanted = Trait(EVENTS + (column == "segment"), value, None)
        people = replace(task, wanted=wanted).people(block, wanted)
        assert {*people.column("user_id").to_pylist()} == whose
        assert sum(people.column("converted").to_pylist()) == sum(compared[u] for u in whose)


def by_hand(
    k: int, landmark: int
) -> tuple[dict[int, bool], dict[tuple[str, str], set[int]], int, int]:
    chains = {user: way.chain for user, way in WAYS.items()}
    return counts_by_scan(of_users(ROWS), chains, k, landmark, WINDOW, STEPS[k])


def as_counts(drivers: Drivers) -> Counts:
    rows: Any = drivers.table.itertuples()
    return {(row.column, row.value): (row.went_on, row.dropped) for row in rows}


def test_a_table_and_prepared_events_have_the_same_drivers(
    events: DataFrame, prepared: wb.Prepared, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared, having, early, late = by_hand(1, 4)
    expected = {
        trait: (sum(compared[u] for u in whose), sum(not compared[u] for u in whose))
        for trait, whose in having.items()
    }
    query: dict[str, Any] = {"step": "cart", "by": "segment", "landmark": "4 seconds", "least": 1}
    drivers = FUNNEL.drivers(events, **query, most=1_000)
    assert as_counts(drivers) == expected
    assert (drivers.early, drivers.late) == (early, late)
    assert drivers.went_on + drivers.dropped == len(compared)
    assert drivers.looked_at == len(expected)
    again = FUNNEL.drivers(prepared, **query, most=1_000)
    assert again.table.equals(drivers.table)
    monkeypatch.setattr(prepared, "tasks", 2)
    assert FUNNEL.drivers(prepared, **query, most=1_000).table.equals(drivers.table)


def test_odds_ratios_intervals_and_adjusted_p_values(prepared: wb.Prepared) -> None:
    drivers = FUNNEL.drivers(prepared, "cart", by="segment", landmark="4 seconds", least=5)
    row: Any
    for row in drivers.table.itertuples():
        cells = [
            row.went_on,
            row.dropped,
            drivers.went_on - row.went_on,
            drivers.dropped - row.dropped,
        ]
        assert min(cells) > 0
        odds = cells[0] * cells[3] / (cells[1] * cells[2])
        error = math.sqrt(sum(1 / n for n in cells))
        assert row.odds_ratio == pytest.approx(odds)
        assert math.log(row.low) == pytest.approx(math.log(odds) - 1.959964 * error, abs=1e-6)
        assert math.log(row.high) == pytest.approx(math.log(odds) + 1.959964 * error, abs=1e-6)
        assert row.p == pytest.approx(math.erfc(abs(math.log(odds)) / error / math.sqrt(2)))
    p, many = sorted(drivers.table["p"]), len(drivers.table)
    steps = [p[i] * many / (i + 1) for i in range(many)]
    adjusted = [min(1, *steps[i:]) if len(steps[i:]) > 1 else min(1, steps[i]) for i in range(many)]
    assert drivers.table["adjusted_p"].tolist() == pytest.approx(adjusted)
    holm = FUNNEL.drivers(
        prepared, "cart", by="segment", landmark="4 seconds", least=5, adjust="holm"
    )
    raised = np.maximum.accumulate([min(1, p[i] * (many - i)) for i in range(many)])
    assert holm.table["adjusted_p"].tolist() == pytest.approx(raised)


def test_half_a_person_is_added_to_each_cell_if_one_is_empty(spark: SparkSession) -> None:
    """Nobody of 4 who went on has read the help, and 1 of 11 who dropped off."""
    rows = [(user, 0, "A") for user in range(15)]
    rows += [(user, 5, "B") for user in range(4)] + [(4, 1, "help")]
    events = spark.createDataFrame(rows, "user_id int, timestamp int, event string")
    drivers = wb.Funnel(["A", "B"], window=9).drivers(events, "B", landmark=2, least=1)
    (row,) = drivers.table.to_dict("records")
    assert (row["went_on"], row["dropped"]) == (0, 1)
    odds, error = (0.5 * 10.5) / (1.5 * 4.5), math.sqrt(1 / 0.5 + 1 / 10.5 + 1 / 1.5 + 1 / 4.5)
    assert row["odds_ratio"] == pytest.approx(odds)
    assert math.log(row["high"]) == pytest.approx(math.log(odds) + 1.959964 * error, abs=1e-6)
    assert row["p"] == pytest.approx(math.erfc(abs(math.log(odds)) / error / math.sqrt(2)))


def test_a_trait_that_few_have_or_few_lack_is_counted_but_not_compared(
    prepared: wb.Prepared,
) -> None:
    query: dict[str, Any] = {"step": "cart", "by": "segment", "landmark": "4 seconds"}
    every = FUNNEL.drivers(prepared, **query, least=1)
    support = every.table["went_on"] + every.table["dropped"]
    least = int(support.median()) + 1
    drivers = FUNNEL.drivers(prepared, **query, least=least)
    lacking = every.went_on + every.dropped - support
    assert drivers.looked_at == int(((support >= least) & (lacking >= least)).sum())
    assert drivers.looked_at + drivers.rare == every.looked_at + every.rare
    assert len(FUNNEL.drivers(prepared, **query, least=1, most=2).table) == 2


def test_a_table_without_drivers_says_why(prepared: wb.Prepared) -> None:
    drivers = FUNNEL.drivers(prepared, "cart", landmark="4 seconds", least=10_000)
    assert drivers.table.empty
    why = f"Nothing could be compared: {drivers.rare:,} events and values are too rare or too"
    assert why in drivers._repr_html_()


def test_people_of_a_driver_are_those_who_have_the_trait(
    events: DataFrame, prepared: wb.Prepared
) -> None:
    compared, having, _, _ = by_hand(1, 4)
    for table in (events, prepared):
        drivers = FUNNEL.drivers(table, "cart", by="segment", landmark="4 seconds", least=1)
        for column, value in [("event", "help"), ("segment", "east")]:
            whose = having[column, value]
            people = drivers.people(value, column).toPandas()
            assert sorted(people["user_id"]) == sorted(whose)
            went_on = drivers.people(value, column, converted=True).toPandas()
            assert {*went_on["user_id"]} == {user for user in whose if compared[user]}
    assert drivers.people("nowhere", "segment").count() == 0
    with pytest.raises(wb.WorkbenchError, match=r"^converted: 'no' is not known; give True or"):
        drivers.people("help", converted="no")  # type: ignore[arg-type]


def test_early_conversions_are_no_evidence_against_a_later_trait(spark: SparkSession) -> None:
    """Help comes at 5, half convert at 2: without a landmark it looks like a reason to leave."""
    rows = [(user, at, what) for user in range(80) for at, what in (
        (0, "start"), *([(2, "pay")] if user % 2 else [(5, "help")] * (user % 4 > 0)),
        *([(9, "pay")] if user % 4 == 2 and user % 3 else []),
    )]  # fmt: skip
    table = spark.createDataFrame(rows, "user_id int, timestamp int, event string")
    drivers = wb.Funnel(["start", "pay"], 20).drivers(table, "pay", landmark=6, least=1)
    assert drivers.early == 40
    row: Any
    [row] = drivers.table.itertuples()
    # Of those undecided at the landmark, all who go on have read it: the odds are above one.
    assert (row.value, row.odds_ratio > 1) == ("help", True)


def test_an_empty_group_is_warned_of(prepared: wb.Prepared, spark: SparkSession) -> None:
    table = spark.createDataFrame([(1, 0, "a")], "user_id int, timestamp int, event string")
    with pytest.warns(wb.WorkbenchWarning, match="nobody is left who went on to 'b'"):
        drivers = wb.Funnel(["a", "b"], 9).drivers(table, "b")
    assert drivers.table.empty
    assert (drivers.went_on, drivers.dropped) == (0, 1)
    empty = spark.createDataFrame([], "user_id int, timestamp int, event string")
    with pytest.warns(wb.WorkbenchWarning, match="nobody is left who went on to 'b'"):
        assert wb.Funnel(["a", "b"], 9).drivers(empty, "b").dropped == 0


@pytest.mark.parametrize("partitions", [1, 3])
def test_a_column_of_too_many_values_is_refused(spark: SparkSession, partitions: int) -> None:
    """Whatever the number of tasks that see its values."""
    users = spark.range(10_001).select(F.col("id").alias("user_id"), F.col("id").alias("n"))
    both = F.create_map(F.lit("a"), F.lit(0), F.col("n").cast("string"), F.lit(1))
    table = users.select("*", F.explode(both).alias("event", "timestamp"))
    funnel, one = wb.Funnel(["a", "b"], 9), table.coalesce(1)
    messages = {
        "n": "by: column 'n' has more than 10,000 different values; cut it into fewer, or leave it "
        "out.",
        (): "event: column 'event' has more than 10,000 different names; give events fewer names.",
    }
    for by, sentence in messages.items():
        events = one.where("timestamp = 0") if by else one
        options = session_options(spark, {PARTITIONS: partitions})
        with options, pytest.raises(wb.WorkbenchError) as error:
            funnel.drivers(events, "b", by=by)
        assert str(error.value) == sentence


#: Invalid arguments, and the error message.
WRONG: list[tuple[dict[str, Any], str]] = [
    ({"step": "view"}, "step: the first step has no step before it; name a later one."),
    ({"step": 4}, "step: there is no step 4; give 1 to 3."),
    ({"by": "event"}, "by: 'event' is the column of events, which are examined anyway; leave it "
     "out."),
    ({"by": "sgment"}, "by: there is no column 'sgment'; did you mean 'segment'?"),
    ({"landmark": "20 seconds"}, "landmark: '20 seconds' is not shorter than the window of "
     "'cart', '20 seconds', so nobody could go on after it; give a shorter one."),
    ({"landmark": "0 s"}, "landmark: '0 s' is not longer than zero; give a longer one."),
    ({"landmark": 5}, "landmark: 5 has no unit; give a duration with a unit, such as '1 hour', "
     "'90 days' or timedelta(minutes=5)."),
    ({"least": 0}, "least: 0 is not possible; give 1 or more ships."),
    ({"most": 0}, "most: 0 is not possible; give 1 to 1,000 drivers."),
    ({"adjust": "none"}, "adjust: 'none' is not known; give 'fdr_bh' or 'holm'."),
]  # fmt: skip


@pytest.mark.parametrize(("given", "sentence"), WRONG, ids=[one for _, one in WRONG])
def test_invalid_arguments_are_refused_before_a_job(
    spark: SparkSession, events: DataFrame, given: dict[str, Any], sentence: str
) -> None:
    with no_job(spark), pytest.raises(wb.WorkbenchError) as error:
        FUNNEL.drivers(events, **({"step": "cart"} | given))
    assert str(error.value) == sentence


def test_a_landmark_must_be_shorter_than_the_window_of_its_step(
    spark: SparkSession, events: DataFrame, prepared: wb.Prepared
) -> None:
    funnel = wb.Funnel(STEPS, "20 seconds", within={"cart": "5 seconds"}, cohorts={"x": "view"})
    with no_job(spark):
        with pytest.raises(wb.WorkbenchError, match="window of 'cart', '5 seconds', so nobody"):
            funnel.drivers(events, "cart", landmark="5 seconds")
        with pytest.raises(wb.WorkbenchError, match=r"^by: 'x' is a cohort; name columns"):
            funnel.drivers(events, "cart", by="x")
        with pytest.raises(wb.WorkbenchError, match=r"^step: 'cart' is optional, so those"):
            wb.Funnel(STEPS, "20 s", optional=["cart"]).drivers(events, "cart")
        with pytest.raises(wb.WorkbenchError, match=r"^step: steps in any order do not follow"):
            wb.Funnel(STEPS, "20 s", order="any").drivers(events, "cart")
        with pytest.raises(wb.WorkbenchError, match=r"^by: the prepared events do not hold 'n'"):
            FUNNEL.drivers(prepared, "cart", by="n")


def test_columns_of_bytes_are_refused(spark: SparkSession, events: DataFrame) -> None:
    table = events.withColumn("raw", F.expr("X'FF'"))
    with FUNNEL.prepare(table, keep="raw") as with_bytes:
        for source in (table, with_bytes):
            with no_job(spark), pytest.raises(wb.WorkbenchError) as error:
                FUNNEL.drivers(source, "cart", by="raw")
            assert str(error.value) == (
                "by: column 'raw' holds binary values, which cannot be read as text; "
                "cast it to text, or leave it out."
            )


def test_values_of_columns_of_other_types_are_read_as_text(events: DataFrame) -> None:
    east = events.withColumn("n", F.when(F.col("segment") == "east", 1.5))
    counted: Counter[tuple[str, str]] = Counter()
    drivers = FUNNEL.drivers(east, "cart", by="n", landmark="4 seconds", least=1, most=1_000)
    row: Any
    for row in drivers.table.itertuples():
        counted[row.column, row.value] += row.went_on + row.dropped
    _, having, _, _ = by_hand(1, 4)
    assert counted["n", "1.5"] == len(having["segment", "east"])
