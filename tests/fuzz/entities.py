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
BY_NAME = {
    f"{one.function} {one.argument or 'rows'}": one
    for one in FUNCTION_CASES
    if one.argument in (None, "number")
}
History = tuple[list[Record], list[int]]


def lives_are_the_rows_of_the_table_at_each_instant(history: History, order: int) -> None:
    records, days = history
    records = _in_any_order(records, order)
    intervals = (
        entity_history(as_table(records), KEYS, np.array(days, np.int64)).intervals().to_pylist()
    )
    for key, number in {(one.key, one.id) for one in records}:
        own_records = [one for one in records if (one.key, one.id) == (key, number)]
        for now in range(-10, 15):
            answers = [
                (row[TIME], row["number"])
                for row in intervals
                if (row["k0"], row["i0"]) == (key, number)
                and row[VALID_FROM] <= now < row[VALID_TO]
            ]
            held = at_instant(own_records, days, now)
            same(answers, [] if held is None else [held])


def features_are_those_of_the_table_at_each_query(
    history: History, function: str, span: Span, order: int
) -> None:
    records, days = history
    records, one = _in_any_order(records, order), BY_NAME[function]
    task = ValidityTask(
        (("id", "c0"),), ("k0",), (cases.feature(one, span),), SCHEMA, KEYS, tuple(days)
    )
    queries: list[cases.Row] = [{"k0": key, TIME: time} for key, time in QUERIES]
    table = task.answer(
        cases.tables(queries, [])[0], as_table(records) if records else None
    ).to_pydict()
    answers = dict(zip(table["id"], table["found"], strict=True))
    for number, (key, time) in enumerate(QUERIES):
        rows = [] if time is None else rows_of_query(records, days, key, time, span)
        events: list[cases.Row] = [{TIME: at, "number": value} for at, value in rows]
        expected = one.by_force(events, one.argument or "")
        assert alike(answers[number], expected), (
            f"{key}, {time}: {answers[number]} is not {expected}"
        )


def _in_any_order(records: list[Record], order: int) -> list[Record]:
    return Random(order).sample(records, len(records))


def features_on_spark_are_those_of_a_join_over_lives(
    spark: SparkSession, seed: int, ids: int, kind: str, method: str
) -> None:
    history = on_tables.history(seed, ids)
    queries = on_tables.queries(spark, seed)
    expected = by_duckdb.in_duckdb(queries.toArrow(), history.intervals_table(), kind)
    entities = by_duckdb.entities(spark, history)
    answers: Any = by_duckdb.backfill(kind).run(queries, entities, method)
    by_duckdb.check(answers, expected)


orders = st.integers(0, 999)
CHECKS = [
    Check(lives_are_the_rows_of_the_table_at_each_instant, {"history": tables(), "order": orders}),
    Check(
        features_are_those_of_the_table_at_each_query,
        {
            "history": tables(),
            "function": st.sampled_from(sorted(BY_NAME)),
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
