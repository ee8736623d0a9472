"""A table of events for the tests, and the expected results, computed in plain Python."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import workbench as wb
from workbench.columnar.blocks import KEEP, NAME, TIME, Block, gather
from workbench.columnar.packed_blocks import pack, unpack

STEPS = ("view", "cart", "buy")
NAMES = (*STEPS, "help", None)
SEGMENTS = ("east", "north", "west", None)
WINDOW = 20

Event = tuple[int, int, str | None, str | None]


def seeded_events(users: int = 300, seed: int = 0) -> list[Event]:
    """Return rows of user, time, event and segment: many ties, no duplicates."""
    rng = np.random.default_rng(seed)
    rows: set[Event] = set()
    for user in range(users):
        for _ in range(int(rng.integers(1, 14))):
            name = NAMES[rng.choice(len(NAMES), p=[0.3, 0.25, 0.2, 0.15, 0.1])]
            rows.add((user, int(rng.integers(0, 40)), name, SEGMENTS[rng.integers(0, 4)]))
    return sorted(rows, key=repr)


def of_users(rows: Sequence[Event]) -> dict[int, list[tuple[int, str | None, str | None]]]:
    """Return the rows of each user: time, event and segment."""
    events_of_user: dict[int, list[tuple[int, str | None, str | None]]] = defaultdict(list)
    for user, time, name, segment in rows:
        events_of_user[user].append((time, name, segment))
    return dict(events_of_user)


def as_table(spark: SparkSession, rows: list[Event]) -> DataFrame:
    """Return the rows as a table with a timestamp and its seconds."""
    columns = zip(*rows, strict=True)
    table = pa.table(dict(zip(("user_id", "seconds", "event", "segment"), columns, strict=True)))
    return spark.createDataFrame(table).withColumn("timestamp", F.timestamp_seconds("seconds"))


def block_of(users: Sequence[Sequence[tuple[Any, ...]]], keep: Sequence[str] = ()) -> Block:
    """Return the users' rows of time, event and kept values as prepared events hold them."""
    rows = [(user, *event) for user, events in enumerate(users) for event in events]
    key, time, names, *kept = zip(*rows, strict=True)
    encoded = pa.array(names).dictionary_encode()
    columns = {"k0": pa.array(key), TIME: pa.array(time, pa.int64()), NAME: encoded}
    for name, values in zip(keep, kept, strict=True):
        # Arrow cannot infer a type from nulls alone, but a column of Spark has one.
        columns[KEEP + name] = pa.array(
            values, None if any(v is not None for v in values) else pa.utf8()
        )
    block = gather([pa.record_batch(columns)], ["k0"], by_time=True)
    assert block is not None
    return unpack(pack(block), ["k0"])


@dataclass(frozen=True)
class Way:
    """How far one user got, computed by hand."""

    user: int
    chain: tuple[int, ...]
    segment: str | None
    next: tuple[int, str | None] | None


def ways(rows: list[Event]) -> dict[int, Way]:
    """Return how far each user got, by the best chain with the newest event at each step."""
    of_user: dict[int, list[Event]] = defaultdict(list)
    for row in rows:
        of_user[row[0]].append(row)
    return {user: _way(user, events) for user, events in of_user.items()}


def _way(user: int, events: list[Event]) -> Way:
    newest: list[tuple[int, ...]] = [() for _ in STEPS]
    entries = sorted((time, STEPS.index(name)) for _, time, name, _ in events if name in STEPS)
    for time, step in entries:
        before = newest[step - 1] if step else ()
        if step == 0 or (before and time - before[0] <= WINDOW):
            newest[step] = (*before, time)
        if newest[-1]:
            break
    chain = next((chain for chain in reversed(newest) if chain), ())
    starts = [s for _, time, name, s in events if chain and (time, name) == (chain[0], STEPS[0])]
    later = [(time, name) for _, time, name, _ in events if not chain or time > chain[-1]]
    after = min(later, key=lambda row: (row[0], row[1] is None, row[1] or ""), default=None)
    segment = min(starts, key=lambda s: (s is None, s or ""), default=None)
    return Way(user, chain, segment, after)


def steps_by_hand(all_ways: list[Way]) -> pd.DataFrame:
    """Return the table of steps, recomputed with pandas."""
    levels = np.array([len(way.chain) for way in all_ways])
    users = [int((levels > k).sum()) for k in range(len(STEPS))]
    took = [
        [way.chain[k] - way.chain[k - 1] for way in all_ways if len(way.chain) > k > 0]
        for k in range(3)
    ]
    before = [users[0], *users[:-1]]
    return pd.DataFrame(
        {
            "step": STEPS,
            "users": users,
            "from_first": [n / users[0] for n in users],
            "from_previous": [
                n / b if b else float("nan") for n, b in zip(users, before, strict=True)
            ],
            "lost": [b - n for n, b in zip(users, before, strict=True)],
            "median_time": [_quantile(times, 0.5) for times in took],
            "p90_time": [_quantile(times, 0.9) for times in took],
        }
    )


def _quantile(seconds: list[int], share: float) -> pd.Timedelta:
    return pd.to_timedelta(float(pd.Series(seconds, dtype=float).quantile(share)), unit="s")


#: Events for tests that do not define any, how far each user gets, and a funnel.
ROWS = seeded_events(users=400, seed=11)
WAYS = ways(ROWS)
FUNNEL = wb.Funnel(STEPS, f"{WINDOW} seconds", unit="ships")
