"""Streams without Spark: a bucket in memory, rows that come out of order, and calls over them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st
from pyspark.sql.types import TimestampType

from workbench import Frame, fn
from workbench.engine.block import Call
from workbench.engine.order import ordered_block
from workbench.engine.task import WindowTask
from workbench.functions.fn import Function
from workbench.functions.order import OrderColumn
from workbench.windows.bind import Resolved, frame_for
from workbench.windows.extent import frame_extents
from workbench.windows.stream.worker.bucket import BucketStep, BucketTask, Name
from workbench.windows.stream.worker.operator import HASH, StreamOperator
from workbench.windows.stream.worker.packing import Seal

COLUMNS = ("key", "time", "value", "id")
SEAL = Seal(1, bytes(16))
SCHEMA = pa.schema(
    {
        "key": pa.string(),
        "time": pa.timestamp("us", "UTC"),
        "value": pa.int64(),
        "id": pa.int64(),
        HASH: pa.int64(),
    }
)
Row = tuple[str | None, int | None, int | None, int]
#: The order of the rows, and columns that may break ties of time.
TIME = (OrderColumn("time", False, nulls_first=True),)
TIES = ("value", "word", "seen", "share", "id")


@dataclass
class Memory:
    """The state of a bucket, and how often its parts are read and written."""

    first: bytes | None = None
    parts: dict[Name, bytes] = field(default_factory=dict)
    read: int = 0
    written: int = 0

    def directory(self) -> bytes | None:
        return self.first

    def put_directory(self, packed: bytes) -> None:
        self.first = packed

    def part(self, name: Name) -> bytes:
        self.read += 1
        return self.parts[name]

    def put_part(self, name: Name, packed: bytes) -> None:
        self.written += 1
        self.parts[name] = packed

    def drop_part(self, name: Name) -> None:
        del self.parts[name]


@dataclass
class Query:
    """A query over one bucket, as Spark's operator runs it."""

    task: BucketTask
    store: Memory = field(default_factory=Memory)
    wake: int | None = None

    def batch(self, rows: list[Row], watermark: int | None) -> list[dict[str, Any]]:
        """Run a micro-batch: the arriving rows, then the timer if it is due. Return the output."""
        emitted: list[dict[str, Any]] = []
        if rows:
            emitted += self._step(with_ties(arrivals_of(rows)), watermark)
        if self.wake is not None and watermark is not None and self.wake * 1000 <= watermark:
            emitted += self._step(None, watermark)
        return emitted

    def _step(self, rows: pa.Table | None, watermark: int | None) -> list[dict[str, Any]]:
        step = self.task.step(self.store, rows, watermark)
        assert isinstance(step, BucketStep)
        assert step.slept == self.wake
        self.wake = step.wake
        assert step.wake is None or watermark is None or step.wake * 1000 > watermark
        emitted: list[dict[str, Any]] = step.output.to_pylist()
        return emitted


def hash_of(key: str | None) -> int:
    """Return a hash; they are at both ends of the integers and between them, two of them equal."""
    return {None: -(2**63), "a": -7, "b": 40, "c": 40, "d": 2**63 - 1}.get(key, 11)


def arrivals_of(rows: list[Row]) -> pa.Table:
    columns = list(zip(*[(*row, hash_of(row[0])) for row in rows], strict=True))
    return pa.table([pa.array(c, f.type) for c, f in zip(columns, SCHEMA, strict=True)], SCHEMA)


def with_ties(rows: pa.Table) -> pa.Table:
    """Return rows with added columns of many equal values: text, times and floats."""
    ids, moment = rows.column("id").to_pylist(), pa.timestamp("us", "UTC")
    more = {
        "word": pa.array(
            [[None, "", "Ω", "same eight", "same eigh"][n * 7 % 5] for n in ids], pa.string()
        ),
        "seen": pa.array([[None, -1, 5, 10**15][n * 3 % 4] for n in ids], pa.int64()).cast(moment),
        "share": pa.array([[None, float("nan"), -0.0, 0.0][n * 5 % 4] for n in ids], pa.float64()),
    }
    for name, column in more.items():
        rows = rows.append_column(name, column)
    return rows


def resolved(functions: dict[str, Function], frame: Frame | None = None) -> list[Resolved]:
    kind = TimestampType()
    return [
        Resolved(name, one, frame_for(one, frame, True), (), (), kind, None, None)
        for name, one in functions.items()
    ]


def task_of(
    functions: dict[str, Function],
    frame: Frame | None = None,
    order: tuple[OrderColumn, ...] = TIME,
) -> WindowTask:
    calls = tuple(
        Call(
            one.column,
            one.function.name,
            tuple(map(str, one.function.arguments)),
            one.function.options,
            one.frame,
        )
        for one in resolved(functions, frame)
    )
    back = tuple((name, name) for name in COLUMNS)
    return WindowTask(back, ("key",), order, calls)


def query_of(
    mode: Callable[..., StreamOperator],
    functions: dict[str, Function],
    part_bytes: int = 3_000,
    order: tuple[OrderColumn, ...] = TIME,
) -> Query:
    extents = frame_extents(resolved(functions), TimestampType())
    task = task_of(functions, order=order)
    return Query(BucketTask(mode(task, extents), SEAL, b"", part_bytes))


def by_batch(
    functions: dict[str, Function], rows: list[Row], order: tuple[OrderColumn, ...] = TIME
) -> dict[int, dict[str, Any]]:
    """Return the answers of the engine for tables at rest, by the id of the row."""
    if not rows:
        return {}
    task = task_of(functions, order=order)
    table = with_ties(arrivals_of(rows).drop_columns([HASH]))
    answers = task.answer(ordered_block(table, task.keys, task.order)).to_pylist()
    return {row["id"]: row for row in answers}


#: Microseconds, so that steps of half a millisecond fall between the ticks of a watermark.
TICK = 500


@st.composite
def frames(draw: st.DrawFn, ahead: bool = True) -> Frame:
    """Draw a frame with an end: before the row, around it or after it, or its session."""
    unit = draw(st.sampled_from(["rows", "range", "groups", "session"]))
    bounds = st.integers(-3, 3 if ahead else 0)
    low, high = sorted([draw(bounds), draw(bounds)])
    begin = draw(st.sampled_from([low, low, low, None]))
    exclude = draw(st.sampled_from(["no others", "current row", "group", "ties"]))
    if unit == "session":
        gap = timedelta(microseconds=(abs(high) + 1) * TICK)
        return Frame.session(gap, exclude=exclude)
    if unit == "range":
        away = [timedelta(microseconds=end * TICK) for end in (begin or 0, high)]
        return Frame.range(None if begin is None else away[0], away[1], exclude=exclude)
    return getattr(Frame, unit)(begin, high, exclude=exclude)


FRAMED: list[Callable[[], Function]] = [
    lambda: fn.sum("value"),
    lambda: fn.count("value"),
    lambda: fn.quantile("value", [0.25, 0.75]),
    lambda: fn.mode("value"),
    lambda: fn.last("id"),
    lambda: fn.count_distinct("value"),
    lambda: fn.last_k("value", 2),
]
FRAMELESS: list[Callable[[], Function]] = [
    lambda: fn.lag("value"),
    lambda: fn.lag("value", 2).ignore_nulls(),
    lambda: fn.row_number(),
    lambda: fn.rank(),
    lambda: fn.dense_rank(),
]


@st.composite
def tie_breakers(draw: st.DrawFn) -> tuple[OrderColumn, ...]:
    """Draw an order by time, and then by one or two more columns."""
    names = draw(st.lists(st.sampled_from(TIES), min_size=1, max_size=2, unique=True))
    return TIME + tuple(OrderColumn(one, draw(st.booleans()), draw(st.booleans())) for one in names)


@st.composite
def calls(draw: st.DrawFn, ahead: bool = True, distances: bool = True) -> dict[str, Function]:
    """Draw up to three functions whose windows close; not ``ahead``, by the watermark alone."""
    more: list[Callable[[], Function]] = [lambda: fn.lead("value", 2)] if ahead else []
    functions: dict[str, Function] = {}
    for k in range(draw(st.integers(1, 3))):
        if draw(st.booleans()):
            frame = draw(frames(ahead))
            if frame.measured and not distances:
                frame = Frame.range(None if frame.low is None else 0, 0, exclude=frame.exclude)
            functions[f"r{k}"] = draw(st.sampled_from(FRAMED))().over(frame)
        else:
            functions[f"r{k}"] = draw(st.sampled_from([*FRAMELESS, *more]))()
    return functions


@st.composite
def batches(draw: st.DrawFn, most: int = 8) -> list[list[Row]]:
    """Draw micro-batches whose times advance, out of order and with ties, some of them null."""
    drawn: list[list[Row]] = []
    number, slow = 0, draw(st.integers(1, 5))
    for at in range(draw(st.integers(1, 6))):
        batch: list[Row] = []
        for _ in range(draw(st.integers(0, most))):
            key = draw(st.sampled_from([None, "a", "b", "c", "d", "e"]))
            tick = at * slow + draw(st.integers(-12, 5))
            time = draw(st.sampled_from([tick * TICK] * 9 + [None]))
            batch.append((key, time, draw(st.sampled_from([None, 1, 2, 2, 3, 5])), number))
            number += 1
        drawn.append(batch)
    return drawn
