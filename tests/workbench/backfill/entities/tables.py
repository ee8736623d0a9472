"""A table that changes, with its rows' validity intervals, snapshots and mutations."""

from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

FIRST_DAY, DAYS = date(1969, 12, 30), 4
START = datetime(1969, 12, 30, tzinfo=UTC)
#: Times are whole seconds, so that rows, changes and queries meet.
SPAN = DAYS * 86_400
ROW = "id long, k long, t timestamp, v int, s string"
INTERVALS = pa.schema(
    [
        *(("id", pa.int64()), ("k", pa.int64()), ("t", pa.timestamp("us", "UTC"))),
        *(("v", pa.int32()), ("s", pa.string())),
        *(("begin", pa.timestamp("us", "UTC")), ("end", pa.timestamp("us", "UTC"))),
    ]
)


def at(second: float) -> datetime:
    return START + timedelta(seconds=second)


@dataclass
class History:
    """What happened to a table.

    Attributes
    ----------
    intervals : list of dict
        Each row with the instants from which and until which queries see it.
    mutations : list of tuple
    """

    intervals: list[dict[str, Any]] = field(default_factory=list)
    mutations: list[tuple[Any, ...]] = field(default_factory=list)

    def snapshot(self, day: int) -> list[tuple[Any, ...]]:
        """Return the table at the midnight that ends a day."""
        now = at((day + 1) * 86_400)
        return [
            (FIRST_DAY + timedelta(days=day), *(one[name] for name in ("id", "k", "t", "v", "s")))
            for one in self.intervals
            if one["begin"] <= now < one["end"]
        ]

    def intervals_table(self) -> pa.Table:
        return pa.Table.from_pylist(self.intervals, INTERVALS)

    def snapshots(self, spark: SparkSession, days: Any = range(DAYS)) -> DataFrame:
        rows = [row for day in days for row in self.snapshot(day)]
        return spark.createDataFrame(rows, f"ds date, {ROW}")

    def changes(self, spark: SparkSession) -> DataFrame:
        return spark.createDataFrame(self.mutations, f"made timestamp, op string, ds date, {ROW}")


def history(seed: int = 1, ids: int = 40) -> History:
    """Return rows that are added, change in value, time or key, are removed, and added again."""
    random = np.random.default_rng(seed)
    result = History()
    for number in range(ids):
        current: dict[str, Any] | None = None
        changes = sorted(random.choice(SPAN // 600, random.integers(1, 7), replace=False).tolist())
        for second in (one * 600 for one in changes):
            made = at(second)
            goes = current is not None and random.random() < 0.3
            if current is not None:
                current["end"] = made + timedelta(microseconds=1)
                result.mutations.append(
                    _mutation(made, "delete" if goes else "update_before", current)
                )
            after = None if goes else _row(random, number, second, current)
            if after is not None:
                op = "insert" if current is None else "update_after"
                result.mutations.append(_mutation(made, op, after))
                after["begin"] = made + timedelta(microseconds=1)
                after["end"] = at(10 * SPAN)
                result.intervals.append(after)
            current = after
    order = random.permutation(len(result.mutations))
    result.mutations = [result.mutations[i] for i in order]
    return result


def _row(random: Any, number: int, second: int, current: dict[str, Any] | None) -> dict[str, Any]:
    time = at(second + 600 * int(random.integers(-200, 20)))
    if current is not None and random.random() < 0.5:
        time = current["t"]
    value = None if random.random() < 0.1 else int(random.integers(-5, 9))
    key = int(random.integers(0, 4)) if current is None or random.random() < 0.3 else current["k"]
    return {"id": number, "k": key, "t": time, "v": value, "s": "pqr"[int(random.integers(0, 3))]}


def _mutation(made: datetime, op: str, row: dict[str, Any]) -> tuple[Any, ...]:
    return made, op, made.date(), *(row[name] for name in ("id", "k", "t", "v", "s"))


def queries(spark: SparkSession, seed: int = 2) -> DataFrame:
    """Return queries at the instants at which rows change, and a microsecond after them."""
    random = np.random.default_rng(seed)
    seconds = (random.integers(0, SPAN // 600 + 40, 120) * 600).tolist()
    rows: list[tuple[Any, ...]] = [
        (int(random.integers(0, 5)), at(second) + timedelta(microseconds=int(i % 3 == 0)), i)
        for i, second in enumerate(seconds)
    ]
    rows += [(None, at(5), 120), (1, None, 121), rows[7]]
    return spark.createDataFrame(rows, "k long, t timestamp, id long")
