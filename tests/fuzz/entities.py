"""Features of tables that change against the table at each instant by force, and on Spark."""

from random import Random
from typing import Any

import numpy as np
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from tests.fuzz.check import Check, same
from tests.workbench.backfill import cases
from tests.workbench.backfill.cases import FUNCTION_CASES
from tests.workbench.backfill.entities import tables as on_tables
from tests.workbench.backfill.entities import test_entities as by_duckdb
from tests.workbench.backfill.entities.cases import (
    SCHEMA,
    Record,
    as_table,
    at_instant,
    rows_of_query,
    tables,
)
from tests.workbench.backfill.entities.test_worker import QUERIES
from tests.workbench.backfill.split.test_spans import alike
from workbench.backfill.entities.worker import ValidityTask, entity_history
from workbench.backfill.worker.cogroup import Span
from workbench.backfill.worker.validity.intervals import VALID_FROM, VALID_TO
from workbench.columnar.blocks import TIME

KEYS = "k0", "i0"
NAMED = {
    f"{one.function} {one.argument or 'rows'}": one
    for one in FUNCTION_CASES
    if one.argument in (None, "number")
}
History = tuple[list[Record], list[int]]


def lives_are_what_the_table_held(history: History, order: int) -> None:
    records, days = history
    records = _in_any_order(records, order)
    intervals = (
        entity_history(as_table(records), KEYS, np.array(days, np.int64)).intervals().to_pylist()
    )
    for key, number in {(one.key, one.id) for one in records}:
        own = [one for one in records if (one.key, one.id) == (key, number)]
        for now in range(-10, 15):
            there = [
                (row[TIME], row["number"])
                for row in intervals
                if (row["k0"], row["i0"]) == (key, number)
                and row[VALID_FROM] <= now < row[VALID_TO]
            ]
            held = at_instant(own, days, now)
            same(there, [] if held is None else [held])


def features_are_those_of_the_table_at_each_query(
    history: History, asked: str, span: Span, order: int
) -> None:
    records, days = history
    records, one = _in_any_order(records, order), NAMED[asked]
    task = ValidityTask(
        (("id", "c0"),), ("k0",), (cases.feature(one, span),), SCHEMA, KEYS, tuple(days)
    )
    queries: list[cases.Row] = [{"k0": key, TIME: time} for key, time in QUERIES]
    found = task.answer(
        cases.tables(queries, [])[0], as_table(records) if records else None
    ).to_pydict()
    answers = dict(zip(found["id"], found["found"], strict=True))
    for number, (key, time) in enumerate(QUERIES):
        rows = [] if time is None else rows_of_query(records, days, key, time, span)
        held: list[cases.Row] = [{TIME: at, "number": value} for at, value in rows]
        wanted = one.by_force(held, one.argument or "")
        assert alike(answers[number], wanted), f"{key}, {time}: {answers[number]} is not {wanted}"


def _in_any_order(records: list[Record], order: int) -> list[Record]:
    return Random(order).sample(records, len(records))


def features_on_spark_are_those_of_a_join_over_lives(
    spark: SparkSession, seed: int, ids: int, kind: str, method: str
) -> None:
    changed = on_tables.history(seed, ids)
    asked = on_tables.queries(spark, seed)
    expected = by_duckdb.in_duckdb(asked.toArrow(), changed.intervals_table(), kind)
    given = by_duckdb.entities(spark, changed)
    found: Any = by_duckdb.backfill(kind).run(asked, given, method)
    by_duckdb.check(found, expected)


orders = st.integers(0, 999)
CHECKS = [
    Check(lives_are_what_the_table_held, {"history": tables(), "order": orders}),
    Check(
        features_are_those_of_the_table_at_each_query,
        {
            "history": tables(),
            "asked": st.sampled_from(sorted(NAMED)),
            "span": cases.spans,
            "order": orders,
        },
    ),
    Check(
        features_on_spark_are_those_of_a_join_over_lives,
        {
            "seed": st.integers(0, 10**6),
            "ids": st.integers(30, 60),
            "kind": st.sampled_from(["sliding", "sawtooth", "hopping"]),
            "method": st.sampled_from(["auto", "scan", "naive"]),
        },
        examples=1,
        on_spark=True,
    ),
]
