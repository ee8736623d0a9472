"""Windows over streams whose driver and tasks are killed: micro-batches from a checkpoint.

The processor that Spark's operator calls runs unchanged. Around it is what Spark does: a state in
versions, one for each micro-batch and bucket, that is as it was until its task ends; timers; the
plan of a micro-batch before it, the sink, and behind it a note that it is done. A micro-batch that
is done again gets its bundles in another order, as a shuffle may give them.
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
#: A time behind all others, in microseconds: when the watermark is there, all rows have left.
END = 10**9
#: The row that brings it, which is answered by none.
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
#: A row, and what becomes of it.
Change = tuple[str, Row]


class TaskFailedError(Exception):
    """A task has ended in the midst; Spark starts it again."""


def fail() -> None:
    """End the task, and not the driver."""
    raise TaskFailedError


@dataclass
class State:
    """What Spark keeps of a bucket."""

    values: dict[str, bytes] = field(default_factory=dict)
    parts: dict[Name, bytes] = field(default_factory=dict)
    timers: set[int] = field(default_factory=set)


@dataclass(frozen=True)
class Value:
    """A value of the state as the processor gets it; each change is a moment."""

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
    """The map of the state, likewise."""

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
    """What gives a processor its state and its timers."""

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
    """What time it is, as the processor asks, and which timer has gone off."""

    watermark: int
    rung: int = 0

    def getCurrentWatermarkInMs(self) -> int:  # noqa: N802
        return self.watermark

    def getExpiryTimeInMs(self) -> int:  # noqa: N802
        return self.rung


@dataclass
class Checkpoint:
    """What is left of a query that is killed, its sink included.

    Attributes
    ----------
    planned, done : int
        How many micro-batches.
    versions : list of list of State
        Of each bucket, before each micro-batch.
    sink : list of list
        What each micro-batch has given.
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
        Whether rows of a key may have one time, and so come in an order that nothing determines.
    """

    def __init__(self, seed: int) -> None:
        self.drawn = random.Random(seed)
        self.kind = self.drawn.choice(list(MODES))
        self.ties = self.drawn.random() < 0.5
        names = self.drawn.sample(list(FUNCTIONS), 3)
        self.functions = {name: FUNCTIONS[name] for name in names}
        self.delay = self.drawn.randint(0, 8)
        self.task: BucketTask = query_of(MODES[self.kind], self.functions, part_bytes=400).task
        self.table: dict[int, Row] = {}
        self.used: set[tuple[str | None, int]] = set()
        self.batches = [self._changes(at) for at in range(BATCHES)]
        if self.kind != "changelog":
            self.batches += [[("+I", ("e", END, 0, LAST))], []]

    def _changes(self, at: int) -> list[Change]:
        """Draw what a micro-batch brings."""
        found: list[Change] = []
        if self.kind == "changelog":
            for who in self.drawn.sample(list(self.table), len(self.table) // 3):
                found.append(("-U", old := self.table.pop(who)))
                if self.drawn.random() < 0.7:
                    found.append(("+U", self._row(at, who, old[0])))
                else:
                    found[-1] = "-D", old
        more = range(100 * at, 100 * at + self.drawn.randint(0, 12))
        return [*found, *(("+I", self._row(at, who)) for who in more)]

    def _row(self, at: int, who: int, key: str | None = None) -> Row:
        key = self.drawn.choice([None, "a", "b", "c", "d", "e"]) if key is None else key
        while True:
            time = 1_000_000 + (6 * at + self.drawn.randint(-9, 6)) * 2 * TICK
            if self.ties or (key, time) not in self.used:
                break
        self.used.add((key, time))
        row = key, time, self.drawn.choice([None, 1, 2, 3]), who
        self.table[who] = row
        return row

    def watermark(self, batch: int) -> int:
        """Return the watermark of a micro-batch, in milliseconds."""
        times = [row[1] for one in self.batches[:batch] for _, row in one if row[1] is not None]
        if self.kind == "changelog":
            return 0
        return max([0, *(time // 1000 - self.delay for time in times)])

    def bundles(self, batch: int) -> list[list[bytes]]:
        """Return what comes to each bucket, in the order of the tasks in front of them."""
        found: list[list[bytes]] = [[] for _ in range(BUCKETS)]
        for task in range(TASKS):
            changes = self.batches[batch][task::TASKS]
            if not changes:
                continue
            table = arrivals_of([row for _, row in changes])
            if self.kind == "changelog":
                table = table.append_column(OP, pa.array([op for op, _ in changes]))
            goes = [hash_of(row[0]) % BUCKETS for _, row in changes]
            table = table.append_column(PARTITION, pa.array(goes, pa.int32()))
            in_front = BundleTask(tuple(table.column_names), ("key",), BUCKETS)
            for sent in in_front.run(table.to_batches()):
                for to, packed in zip(
                    *(column.to_pylist() for column in sent.columns), strict=True
                ):
                    found[to].append(packed)
        return found


def run(world: World, left: Checkpoint, moment: Moments, until: int, drawn: random.Random) -> None:
    """Run a query from its checkpoint, as Spark does, until so many micro-batches are done."""
    while left.done < until:
        if left.planned == left.done:
            moment()
            left.planned += 1
            moment()
        asked = (_task(world, left, moment, bucket, drawn) for bucket in range(BUCKETS))
        output = list(chain.from_iterable(asked))
        if len(left.sink) == left.done:
            moment()
            left.sink.append(output)
            moment()
        left.done += 1
        moment()


def _task(
    world: World, left: Checkpoint, moment: Moments, bucket: int, drawn: random.Random
) -> list[Any]:
    """Run the task of a bucket until it does not fail."""
    while True:
        bundles = world.bundles(left.done)[bucket]
        drawn.shuffle(bundles)
        state = deepcopy(left.versions[bucket][left.done])
        try:
            found = list(_asked(world, state, moment, bundles, world.watermark(left.done)))
            moment()
        except TaskFailedError:
            continue
        left.versions[bucket][left.done + 1 :] = [state]
        moment()
        return found


def _asked(
    world: World, state: State, moment: Moments, bundles: list[bytes], watermark: int
) -> Iterator[Any]:
    processor = processor_of(world.task)
    processor.init(Handle(state, moment))  # type: ignore[arg-type]
    if bundles:
        rows: Any = [{BUNDLE: one} for one in bundles]
        yield from processor.handleInputRows((0,), rows, Clock(watermark))  # type: ignore[arg-type]
    for rung in sorted(at for at in state.timers if at <= watermark):
        clock: Any = Clock(watermark, rung)
        yield from processor.handleExpiredTimer((0,), clock, clock)
        state.timers.discard(rung)


def answers(world: World, left: Checkpoint) -> list[dict[str, Any]]:
    """Return what a reader of the sink has of all micro-batches, by the ids."""
    said: pa.Table | None = None
    for batch in left.sink:
        bundles = [row[BUNDLE] for row in batch if row[BUNDLE]]
        tables = [pa.ipc.open_stream(one).read_all() for one in bundles]
        if tables and world.kind != "close":
            said = wb.folded(said, pa.concat_tables(tables))
        elif tables:
            said = pa.concat_tables([*([] if said is None else [said]), *tables])
    rows: list[dict[str, Any]] = [] if said is None else said.to_pylist()
    return sorted(rows, key=lambda row: int(row["id"]))


def why_not(world: World, left: Checkpoint) -> str:
    """Return what is wrong with all that a query has said; "" where nothing is."""
    found = [row for row in answers(world, left) if row["id"] != LAST]
    ids = [row["id"] for row in found]
    rows = world.table
    if len(set(ids)) < len(ids):
        return "a row is there twice"
    late = sum(getattr(row, LATE) for batch in left.sink for row in batch)
    kept = [one[-1].values.get(DIRECTORY) for one in left.versions]
    known = sum(Directory.unpacked(one, SEAL).late for one in kept)
    if late != known or len(ids) + late != len(rows):
        return f"of {len(rows)} rows {len(ids)} are answered, and {late} or {known} are late"
    for batch, changes in enumerate(world.batches):
        before = world.watermark(batch - 1) * 1000 if batch else 0
        for _, row in changes:
            if rows.get(row[3]) == row and row[3] not in ids and (row[1] or 0) > before:
                return f"{row} was in time"
    for state in (state for versions in left.versions for state in versions):
        directory = Directory.unpacked(state.values.get(DIRECTORY), SEAL)
        if set(state.parts) != set(_named(directory)):
            return f"parts {set(state.parts) ^ set(_named(directory))} are nobody's, or missing"
        if state.timers != {directory.timer} - {None}:
            return f"timers {state.timers} are set, and {directory.timer} is known"
    expected = by_batch(world.functions, [rows[who] for who in ids])
    wrong = [(row, expected[row["id"]]) for row in found if row != expected[row["id"]]]
    return "" if world.ties or not wrong else f"{wrong[0][0]} and not {wrong[0][1]}"


def _named(directory: Directory) -> Iterator[Name]:
    for kind, parts in ((BUSY, directory.busy), (IDLE, directory.idle)):
        yield from ((kind, name) for name in parts.first[parts.size > 0].tolist())


def broken_everywhere(seed: int) -> Counter[str]:
    """Kill a query at each moment, a task or all of it, let it go on, and return how often.

    A micro-batch that is done again must come to the same, to the last byte of its state: a sink
    that has what the first one gave takes nothing of the second.
    """
    world, whole, killed = World(seed), Checkpoint(), 0
    run(world, whole, Moments(), len(world.batches), random.Random(seed))
    assert (why := why_not(world, whole)) == "", why
    for batch in range(len(world.batches)):
        for moment in count():
            left, drawn = whole.at(batch), random.Random(f"{seed} {batch} {moment}")
            moments = Moments({moment: drawn.choice([die, fail])})
            _broken(world, left, moments, batch, drawn)
            if moments.deeds:
                break
            if drawn.random() < 1 / 3:
                _broken(world, left, Moments({drawn.randrange(20): die}), batch, drawn)
            run(world, left, Moments(), batch + 1, drawn)
            assert left == whole.at(batch + 1), f"killed at moment {moment} of micro-batch {batch}"
            killed += 1
    return Counter(killed=killed)


def _broken(
    world: World, left: Checkpoint, moments: Moments, batch: int, drawn: random.Random
) -> None:
    with suppress(Killed, TaskFailedError):
        run(world, left, moments, batch + 1, drawn)
