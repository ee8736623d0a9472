"""Windows over streams whose driver and tasks are killed: micro-batches from a checkpoint.

The processor that Spark's operator calls runs unchanged. Around it, this module does as Spark does.
The state has a version for each micro-batch and bucket, which is stored when its task ends. There
are timers, the plan of a micro-batch before it, the sink, and after it a note that it is done. A
repeated micro-batch gets its bundles in another order, as from a shuffle.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, count
from typing import Any

import pyarrow as pa

import workbench as wb
from tests.crash.moments import Killed, Moments, die
from tests.workbench.windows.stream.cases import (
    SEAL,
    TICK,
    Row,
    arrivals_of,
    by_batch,
    hash_of,
    query_of,
)
from workbench import Frame, fn
from workbench.columnar.bundles import BUNDLE, PARTITION, BundleTask
from workbench.functions.fn import Function
from workbench.windows.stream.processor import DIRECTORY, processor_of
from workbench.windows.stream.worker.bucket import BUSY, IDLE, LATE, BucketTask, Name
from workbench.windows.stream.worker.close import CloseOperator
from workbench.windows.stream.worker.directory import Directory
from workbench.windows.stream.worker.operator import StreamOperator
from workbench.windows.stream.worker.update import OP, UpdateOperator

BUCKETS, TASKS, BATCHES = 2, 2, 5
#: A time after all others, in microseconds: when the watermark reaches it, all rows have left.
END = 10**9
#: The id of the row with that time, which has no answer.
LAST = -1
FUNCTIONS: dict[str, Function] = {
    "total": fn.sum("value").over(Frame.range(None, 0)),
    "near": fn.count("value").over(Frame.range("-2 milliseconds", "1 millisecond")),
    "iqr": fn.quantile("value", [0.25, 0.75]).over(Frame.rows(-3, 0)),
    "number": fn.row_number(),
    "dense": fn.dense_rank(),
    "before": fn.lag("id"),
    "last": fn.last("id").over(Frame.rows(-2, 0)),
}
MODES: dict[str, Callable[..., StreamOperator]] = {
    "close": CloseOperator,
    "update": partial(UpdateOperator, timed=True),
    "changelog": partial(UpdateOperator, op=OP, row_id=("id",)),
}
#: A kind of change, such as "+I", and its row.
Change = tuple[str, Row]


class TaskFailedError(Exception):
    """A task has failed; Spark starts it again."""


def fail() -> None:
    """Fail the task, and not the driver."""
    raise TaskFailedError


@dataclass
class State:
    """The state of a bucket."""

    values: dict[str, bytes] = field(default_factory=dict)
    parts: dict[Name, bytes] = field(default_factory=dict)
    timers: set[int] = field(default_factory=set)


@dataclass(frozen=True)
class Value:
    """A value of the state for the processor; each change is a moment."""

    state: State
    moment: Moments
    name: str

    def get(self) -> tuple[bytes] | None:
        found = self.state.values.get(self.name)
        return None if found is None else (found,)

    def update(self, value: tuple[bytes]) -> None:
        self.moment()
        self.state.values[self.name] = value[0]


@dataclass(frozen=True)
class Map:
    """The map of the state for the processor; each change is a moment."""

    state: State
    moment: Moments

    def getValue(self, name: Name) -> tuple[bytes]:  # noqa: N802
        return (self.state.parts[name],)

    def updateValue(self, name: Name, value: tuple[bytes]) -> None:  # noqa: N802
        self.moment()
        self.state.parts[name] = value[0]

    def removeKey(self, name: Name) -> None:  # noqa: N802
        self.moment()
        del self.state.parts[name]


@dataclass(frozen=True)
class Handle:
    """The handle by which a processor gets its state and its timers."""

    state: State
    moment: Moments

    def getValueState(self, name: str, schema: Any) -> Value:  # noqa: N802
        return Value(self.state, self.moment, name)

    def getMapState(self, name: str, key: Any, value: Any) -> Map:  # noqa: N802
        return Map(self.state, self.moment)

    def registerTimer(self, at: int) -> None:  # noqa: N802
        self.moment()
        assert at not in self.state.timers
        self.state.timers.add(at)

    def deleteTimer(self, at: int) -> None:  # noqa: N802
        self.moment()
        self.state.timers.remove(at)


@dataclass(frozen=True)
class Clock:
    """The watermark, and the time of the timer that has expired."""

    watermark: int
    expired: int = 0

    def getCurrentWatermarkInMs(self) -> int:  # noqa: N802
        return self.watermark

    def getExpiryTimeInMs(self) -> int:  # noqa: N802
        return self.expired


@dataclass
class Checkpoint:
    """What remains of a query that is killed, including its sink.

    Attributes
    ----------
    planned, done : int
        The numbers of micro-batches.
    versions : list of list of State
        The state of each bucket before each micro-batch.
    sink : list of list
        The output of each micro-batch.
    """

    planned: int = 0
    done: int = 0
    versions: list[list[State]] = field(default_factory=lambda: [[State()] for _ in range(BUCKETS)])
    sink: list[list[Any]] = field(default_factory=list)

    def at(self, batch: int) -> "Checkpoint":
        """Return it as it was before a micro-batch."""
        versions = [one[: batch + 1] for one in self.versions]
        return Checkpoint(batch, batch, versions, self.sink[:batch])


class World:
    """A query and its source, drawn from a seed.

    Attributes
    ----------
    ties : bool
        Whether rows of a key may have the same time, so that nothing determines their order.
    """

    def __init__(self, seed: int) -> None:
        self.generator = random.Random(seed)
        self.kind = self.generator.choice(list(MODES))
        self.ties = self.generator.random() < 0.5
        names = self.generator.sample(list(FUNCTIONS), 3)
        self.functions = {name: FUNCTIONS[name] for name in names}
        self.delay = self.generator.randint(0, 8)
        self.task: BucketTask = query_of(MODES[self.kind], self.functions, part_bytes=400).task
        self.table: dict[int, Row] = {}
        self.used: set[tuple[str | None, int]] = set()
        self.batches = [self._changes(at) for at in range(BATCHES)]
        if self.kind != "changelog":
            self.batches += [[("+I", ("e", END, 0, LAST))], []]

    def _changes(self, at: int) -> list[Change]:
        """Draw the changes of a micro-batch."""
        changes: list[Change] = []
        if self.kind == "changelog":
            for row_id in self.generator.sample(list(self.table), len(self.table) // 3):
                changes.append(("-U", old := self.table.pop(row_id)))
                if self.generator.random() < 0.7:
                    changes.append(("+U", self._row(at, row_id, old[0])))
                else:
                    changes[-1] = "-D", old
        new_ids = range(100 * at, 100 * at + self.generator.randint(0, 12))
        return [*changes, *(("+I", self._row(at, row_id)) for row_id in new_ids)]

    def _row(self, at: int, row_id: int, key: str | None = None) -> Row:
        key = self.generator.choice([None, "a", "b", "c", "d", "e"]) if key is None else key
        while True:
            time = 1_000_000 + (6 * at + self.generator.randint(-9, 6)) * 2 * TICK
            if self.ties or (key, time) not in self.used:
                break
        self.used.add((key, time))
        row = key, time, self.generator.choice([None, 1, 2, 3]), row_id
        self.table[row_id] = row
        return row

    def watermark(self, batch: int) -> int:
        """Return the watermark of a micro-batch, in milliseconds."""
        times = [row[1] for one in self.batches[:batch] for _, row in one if row[1] is not None]
        if self.kind == "changelog":
            return 0
        return max([0, *(time // 1000 - self.delay for time in times)])

    def bundles(self, batch: int) -> list[list[bytes]]:
        """Return the bundles of each bucket, in the order of the tasks that send them."""
        arrived: list[list[bytes]] = [[] for _ in range(BUCKETS)]
        for task in range(TASKS):
            changes = self.batches[batch][task::TASKS]
            if not changes:
                continue
            table = arrivals_of([row for _, row in changes])
            if self.kind == "changelog":
                table = table.append_column(OP, pa.array([op for op, _ in changes]))
            buckets = [hash_of(row[0]) % BUCKETS for _, row in changes]
            table = table.append_column(PARTITION, pa.array(buckets, pa.int32()))
            sender = BundleTask(tuple(table.column_names), ("key",), BUCKETS)
            for sent in sender.run(table.to_batches()):
                for bucket, packed in zip(
                    *(column.to_pylist() for column in sent.columns), strict=True
                ):
                    arrived[bucket].append(packed)
        return arrived


def run(
    world: World, checkpoint: Checkpoint, moment: Moments, until: int, generator: random.Random
) -> None:
    """Run a query from its checkpoint, as Spark does, until so many micro-batches are done."""
    while checkpoint.done < until:
        if checkpoint.planned == checkpoint.done:
            moment()
            checkpoint.planned += 1
            moment()
        outputs = (_task(world, checkpoint, moment, bucket, generator) for bucket in range(BUCKETS))
        output = list(chain.from_iterable(outputs))
        if len(checkpoint.sink) == checkpoint.done:
            moment()
            checkpoint.sink.append(output)
            moment()
        checkpoint.done += 1
        moment()


def _task(
    world: World, checkpoint: Checkpoint, moment: Moments, bucket: int, generator: random.Random
) -> list[Any]:
    """Run the task of a bucket until it does not fail."""
    while True:
        bundles = world.bundles(checkpoint.done)[bucket]
        generator.shuffle(bundles)
        state = deepcopy(checkpoint.versions[bucket][checkpoint.done])
        try:
            output = list(
                _processed(world, state, moment, bundles, world.watermark(checkpoint.done))
            )
            moment()
        except TaskFailedError:
            continue
        checkpoint.versions[bucket][checkpoint.done + 1 :] = [state]
        moment()
        return output


def _processed(
    world: World, state: State, moment: Moments, bundles: list[bytes], watermark: int
) -> Iterator[Any]:
    processor = processor_of(world.task)
    processor.init(Handle(state, moment))  # type: ignore[arg-type]
    if bundles:
        rows: Any = [{BUNDLE: one} for one in bundles]
        yield from processor.handleInputRows((0,), rows, Clock(watermark))  # type: ignore[arg-type]
    for expired in sorted(at for at in state.timers if at <= watermark):
        clock: Any = Clock(watermark, expired)
        yield from processor.handleExpiredTimer((0,), clock, clock)
        state.timers.discard(expired)


def answers(world: World, checkpoint: Checkpoint) -> list[dict[str, Any]]:
    """Return the rows that a reader of the sink has after all micro-batches, by their ids."""
    table: pa.Table | None = None
    for batch in checkpoint.sink:
        bundles = [row[BUNDLE] for row in batch if row[BUNDLE]]
        tables = [pa.ipc.open_stream(one).read_all() for one in bundles]
        if tables and world.kind != "close":
            table = wb.folded(table, pa.concat_tables(tables))
        elif tables:
            table = pa.concat_tables([*([] if table is None else [table]), *tables])
    rows: list[dict[str, Any]] = [] if table is None else table.to_pylist()
    return sorted(rows, key=lambda row: int(row["id"]))


def problem_of(world: World, checkpoint: Checkpoint) -> str:
    """Return what is wrong with the output and the state of a query; "" if nothing is."""
    answered = [row for row in answers(world, checkpoint) if row["id"] != LAST]
    ids = [row["id"] for row in answered]
    rows = world.table
    if len(set(ids)) < len(ids):
        return "a row is there twice"
    late = sum(getattr(row, LATE) for batch in checkpoint.sink for row in batch)
    directories = [one[-1].values.get(DIRECTORY) for one in checkpoint.versions]
    counted = sum(Directory.unpacked(one, SEAL).late for one in directories)
    if late != counted or len(ids) + late != len(rows):
        return f"of {len(rows)} rows {len(ids)} are answered, and {late} or {counted} are late"
    for batch, changes in enumerate(world.batches):
        before = world.watermark(batch - 1) * 1000 if batch else 0
        for _, row in changes:
            if rows.get(row[3]) == row and row[3] not in ids and (row[1] or 0) > before:
                return f"{row} was in time"
    for state in (state for versions in checkpoint.versions for state in versions):
        directory = Directory.unpacked(state.values.get(DIRECTORY), SEAL)
        if set(state.parts) != set(_part_names(directory)):
            return f"parts {set(state.parts) ^ set(_part_names(directory))} are unused or missing"
        if state.timers != {directory.timer} - {None}:
            return f"timers {state.timers} are set, but the directory has {directory.timer}"
    expected = by_batch(world.functions, [rows[who] for who in ids])
    wrong = [(row, expected[row["id"]]) for row in answered if row != expected[row["id"]]]
    return "" if world.ties or not wrong else f"{wrong[0][0]} and not {wrong[0][1]}"


def _part_names(directory: Directory) -> Iterator[Name]:
    for kind, parts in ((BUSY, directory.busy), (IDLE, directory.idle)):
        yield from ((kind, name) for name in parts.first[parts.size > 0].tolist())


def broken_everywhere(seed: int) -> Counter[str]:
    """Kill a query at each moment, one task or all of it, resume it, and return how often.

    A repeated micro-batch must give the same, to the last byte of its state: a sink that has the
    output of the first ignores that of the second.
    """
    world, complete, killed = World(seed), Checkpoint(), 0
    run(world, complete, Moments(), len(world.batches), random.Random(seed))
    assert (problem := problem_of(world, complete)) == "", problem
    for batch in range(len(world.batches)):
        for moment in count():
            copy, generator = complete.at(batch), random.Random(f"{seed} {batch} {moment}")
            moments = Moments({moment: generator.choice([die, fail])})
            _interrupt(world, copy, moments, batch, generator)
            if moments.actions:
                break
            if generator.random() < 1 / 3:
                _interrupt(world, copy, Moments({generator.randrange(20): die}), batch, generator)
            run(world, copy, Moments(), batch + 1, generator)
            assert copy == complete.at(batch + 1), (
                f"killed at moment {moment} of micro-batch {batch}"
            )
            killed += 1
    return Counter(killed=killed)


def _interrupt(
    world: World, checkpoint: Checkpoint, moments: Moments, batch: int, generator: random.Random
) -> None:
    with suppress(Killed, TaskFailedError):
        run(world, checkpoint, moments, batch + 1, generator)
