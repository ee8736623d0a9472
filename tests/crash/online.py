"""Online views whose processes are killed: uploads, streams from a checkpoint, streams forgotten.

A scenario is drawn from a seed: features, events, and a sequence of actions. A store must give the
features that a backfill computes from the events of one *truth*: the truth before the current
action, or the one after it.
"""

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import count
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from tests.crash.moments import Killed, Moments, Watched, die
from tests.workbench.online.cases import (
    CALLS,
    LASTING,
    OF_BYTES,
    OF_EVENTS,
    STEP,
    Memory,
    Row,
    agree,
    expected,
    features,
    layout_of,
    table_of,
)
from workbench.columnar.blocks import TIME
from workbench.columnar.bundles import PARTITION
from workbench.columnar.key_codes import key_codes
from workbench.columnar.subpartitions import SubpartitionTask
from workbench.errors import WorkbenchError
from workbench.online.fetch import StoreReader, fetch_features
from workbench.online.meta import META, STREAMED, UPLOADED, stream_prefix, upload_prefix
from workbench.online.update import apply_batch, forget_stream
from workbench.online.upload import read_meta, upload
from workbench.online.worker import UploadTask
from workbench.stores import Change, Store

#: The tasks of an upload, the records of a transaction, and the pairs that a scan gives at once.
TASKS, RECORDS, SCANNED = 2, 2, 3
#: Without approximate quantiles, which depend on the order of merges and have a separate test.
POOL = [*CALLS, *OF_EVENTS, *(one for one in OF_BYTES if one[0] != "approx_quantile")]


class Truth(NamedTuple):
    """The events that a store knows, by number, and its counts of them."""

    uploaded: tuple[int, ...] = ()
    until: int | None = None
    streamed: tuple[int, ...] = ()
    batch: int = -1
    counts: tuple[int, int, int] = (0, 0, 0)


@dataclass
class Checkpoint:
    """The checkpoint of a stream's query, as Spark writes it: the plan of each batch before it, and
    after it a note that it is done."""

    stream: str = "stream 0"
    planned: list[int] = field(default_factory=list)
    done: int = 0


class Transactions(Memory):
    """A store that also keeps its contents before each of its newest transactions."""

    def __init__(self) -> None:
        super().__init__()
        self.before: list[dict[bytes, bytes]] = []

    def write(self, changes: Sequence[Change], expect: Change | None = None) -> bool:
        self.before.append(dict(self.held))
        return super().write(changes, expect)

    def scan(self, prefix: bytes, size: int = 10_000) -> Iterator[list[tuple[bytes, bytes]]]:
        """Yield the pairs whose key begins with a prefix, a few at once."""
        yield from super().scan(prefix, SCANNED)

    def go_back(self, transactions: int) -> None:
        """Lose the newest transactions, as a server does that restarts from an older snapshot."""
        self.held = self.before[-transactions]
        del self.before[-transactions:]


@dataclass
class Durable:
    """What remains of a process that is killed."""

    store: Transactions = field(default_factory=Transactions)
    checkpoint: Checkpoint = field(default_factory=Checkpoint)


@dataclass(frozen=True)
class Process:
    """A process: the durable data that it opens, and when it is killed.

    Attributes
    ----------
    durable : Durable
    writes : Moments
        Around all writes, also those to the checkpoint.
    calls, answers : Moments
        Before all calls of the store, and after transactions with a condition.
    """

    durable: Durable
    writes: Moments = field(default_factory=Moments)
    calls: Moments = field(default_factory=Moments)
    answers: Moments = field(default_factory=Moments)

    @property
    def store(self) -> Watched:
        """The store, which counts the moments of this process."""
        return Watched(self.durable.store, self.writes, self.calls, self.answers)


class World:
    """Events and features that are drawn from a seed, and the answers that are right for them."""

    def __init__(self, seed: int) -> None:
        self.generator = random.Random(seed)
        calls = [self.generator.choice(CALLS), *self.generator.sample(POOL, 2)]
        self.layout = layout_of(features(self.generator.random() < 0.4, False, calls))
        self.keys = [f"user {i}" for i in range(self.generator.randint(3, 7))]
        self.at = self.generator.randint(30, LASTING)
        self.events: list[Row] = []
        self.answers = cache(self._answers)

    def draw_events(self, least: int = 1, most: int = 8) -> tuple[int, ...]:
        """Draw more events, and return their numbers."""
        first = len(self.events)
        self.events += [self._event() for _ in range(self.generator.randint(least, most))]
        return tuple(range(first, len(self.events)))

    def _event(self) -> Row:
        generator = self.generator
        missing = generator.random() < 0.05
        return {
            "k0": None if missing else generator.choice(self.keys),
            TIME: None if generator.random() < 0.05 else generator.randint(-40, self.at - 1),
            "number": generator.choice([None, *range(-9, 9)]),
            "real": generator.choice([None, *map(float, range(-5, 5))]),
            "other": float(generator.randint(-5, 5)),
            "flag": generator.choice([True, False, None]),
            "good": generator.choice([True, True, False, None]),
            "day": None,
            "bucket": generator.choice(["p", "q", None]),
            "word": generator.choice(["x", "y", "", "zz", None]),
        }

    def rows(self, numbers: Iterable[int]) -> list[Row]:
        """Return events by their numbers."""
        return [self.events[number] for number in numbers]

    def complete(self, numbers: Iterable[int]) -> tuple[int, ...]:
        """Return the numbers of those events that have a key and a time."""
        both = "k0", TIME
        return tuple(n for n in numbers if all(self.events[n][name] is not None for name in both))

    def known(self, truth: Truth) -> list[Row]:
        """Return the events that the features of a truth count."""
        assert truth.until is not None
        streamed = [n for n in truth.streamed if self.events[n][TIME] >= truth.until]
        return self.rows([*truth.uploaded, *streamed])

    def _answers(self, truth: Truth) -> list[Row]:
        return expected(self.layout, self.known(truth), self.keys, self.at)

    def difference(self, store: Store, truth: Truth, reader: StoreReader | None = None) -> str:
        """Return how a store differs from a truth; "" if it does not."""
        meta = read_meta(store)[1]
        if truth.until is None:
            return "" if meta is None or not meta.generation else "something is uploaded"
        try:
            rows = fetch_features(reader or self.reader(store), self.keys, self.at)
        except WorkbenchError as error:
            return str(error)
        assert meta is not None
        counts = meta.until, meta.events, meta.batch, (meta.streamed, meta.late, meta.skipped)
        if counts != (truth.until, len(truth.uploaded), truth.batch, truth.counts):
            return f"it counts {counts}"
        known = {row["k0"] for row in self.known(truth)}
        for key, row, answer in zip(self.keys, rows, self.answers(truth), strict=True):
            if row is None:
                if key in known:
                    return rows.errors[key]
                continue
            for name in answer:
                if not agree(row[name], answer[name]):
                    return f"{name} of {key} is {row[name]!r} and not {answer[name]!r}"
        return ""

    def matching_truth(
        self, store: Store, truths: Sequence[Truth], reader: StoreReader | None = None
    ) -> int:
        """Return the index of the truth that a store matches; it must be one of some."""
        differences = [self.difference(store, truth, reader) for truth in truths]
        assert "" in differences, f"the store matches none of {len(truths)} truths: {differences}"
        return differences.index("")

    def reader(self, store: Store) -> StoreReader:
        """Return a reader that has read nothing yet."""
        return StoreReader(store, self.layout.backfill)


@dataclass(frozen=True)
class Upload:
    """Upload some events, by tasks that each have some of the keys."""

    world: World
    events: tuple[int, ...]
    until: int

    def run(self, process: Process) -> None:
        """Upload as Spark's driver does."""
        upload(process.store, self.world.layout, self.until, LASTING, self._job)

    def _job(self, task: UploadTask) -> Iterator[Sequence[Any]]:
        rows = table_of(self.world.rows(self.world.complete(self.events)))
        codes, _ = key_codes(rows.select(["k0"]))
        rows = rows.append_column(PARTITION, pa.array(codes % TASKS, pa.int32()))
        sender = SubpartitionTask(tuple(rows.column_names), ("k0",), TASKS)
        sent = pa.Table.from_batches(sender.run(rows.to_batches()))
        for number in range(TASKS if rows else 0):
            rows_of_task = sent.filter(pc.equal(sent.column(PARTITION), number))
            for counts in replace(task, records_at_once=RECORDS).run(rows_of_task.to_batches()):
                yield [column[0].as_py() for column in counts.columns]

    def after(self, truth: Truth) -> Truth:
        """Return the truth after it."""
        complete = self.world.complete(self.events)
        earlier = tuple(n for n in complete if self.world.events[n][TIME] < self.until)
        return truth._replace(uploaded=earlier, until=self.until)


@dataclass(frozen=True)
class Stream:
    """Start a stream's query on a source that has so many events by now."""

    world: World
    size: int
    source: tuple[int, ...]

    def run(self, process: Process) -> None:
        """Run as Spark's driver does: plan a batch, apply it, note that it is done."""
        log, moment = process.durable.checkpoint, process.writes
        while log.done < len(log.planned) or sum(log.planned) < self.size:
            if log.done == len(log.planned):
                moment()
                log.planned.append(self.size - sum(log.planned))
                moment()
            number = log.done
            first = sum(log.planned[:number])
            rows = self.world.rows(self.source[first : first + log.planned[number]])
            store, layout = process.store, self.world.layout
            apply_batch(store, layout, LASTING, table_of(rows), log.stream, number)
            moment()
            log.done = number + 1
            moment()

    def after(self, truth: Truth) -> Truth:
        """Return the truth after it."""
        assert truth.until is not None
        new = self.source[sum(truth.counts) : self.size]
        if not new:
            return truth
        complete = self.world.complete(new)
        on_time = tuple(n for n in complete if self.world.events[n][TIME] >= truth.until)
        more = len(on_time), len(complete) - len(on_time), len(new) - len(complete)
        counts = tuple(map(sum, zip(truth.counts, more, strict=True)))
        streamed = truth.streamed + on_time
        return truth._replace(streamed=streamed, batch=truth.batch + 1, counts=counts)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Forget:
    """Forget the stream; the next one begins with a new checkpoint."""

    world: World

    def run(self, process: Process) -> None:
        """Forget it, and begin another checkpoint."""
        forget_stream(process.store, self.world.layout, LASTING)
        process.durable.checkpoint = Checkpoint(f"{process.durable.checkpoint.stream}'")

    def after(self, truth: Truth) -> Truth:
        """Return the truth after it."""
        return truth._replace(streamed=(), batch=-1, counts=(0, 0, 0))


Action = Upload | Stream | Forget


def script(seed: int) -> Iterator[tuple[World, Durable, Truth, Action, Action]]:
    """Yield the actions of a scenario, each with one that another process might take meanwhile.

    Each comes with the durable data before it, and its truth.
    """
    world, durable, truth = World(seed), Durable(), Truth()
    first, source = world.draw_events(6, 10), world.draw_events()
    kinds = ["upload", *world.generator.choices(["stream", "upload", "forget"], (5, 3, 1), k=4)]
    for kind in kinds:
        source += world.draw_events() if kind == "stream" else ()
        another = world.generator.choice(["stream", "upload", "forget"])
        action, other = (_action(world, one, first, source, truth) for one in (kind, another))
        yield world, durable, truth, action, other
        action.run(Process(durable))
        durable.store.before.clear()
        truth = action.after(truth)


def _action(
    world: World, kind: str, first: tuple[int, ...], source: tuple[int, ...], truth: Truth
) -> Action:
    if kind == "upload":
        until = world.generator.choice([n for n in (0, STEP, 2 * STEP) if n >= (truth.until or 0)])
        known = first + source[: world.generator.randint(0, len(source))]
        return Upload(world, known, 0 if truth.until is None else until)
    return Forget(world) if kind == "forget" else Stream(world, len(source), source)


def was_killed(action: Action, process: Process) -> bool:
    """Run an action, and return whether the process was killed meanwhile."""
    try:
        action.run(process)
    except Killed:
        return True
    return False


def killed_everywhere(world: World, durable: Durable, truth: Truth, action: Action) -> int:
    """Kill an action at each moment, check, repeat it, and return how often."""
    truths, reached = (truth, action.after(truth)), 0
    for moment in count():
        copy = deepcopy(durable)
        if not was_killed(action, Process(copy, Moments({moment: die}))):
            assert world.difference(copy.store, truths[1]) == ""
            return moment
        index = world.matching_truth(copy.store, truths[reached:]) + reached
        reached = 0 if truths[0] == truths[1] else index
        _repeat(world, copy, action, truths[1])
    raise AssertionError


def _repeat(world: World, durable: Durable, action: Action, truth: Truth) -> None:
    """Repeat an action, and in one of three cases kill the repetition as well."""
    if world.generator.random() < 1 / 3:
        was_killed(action, Process(durable, Moments({world.generator.randrange(12): die})))
    action.run(Process(durable))
    assert (difference := world.difference(durable.store, truth)) == "", difference
    if not isinstance(action, Stream):
        assert not list(rubbish(durable.store))


def rubbish(store: Memory) -> Iterator[bytes]:
    """Yield the keys of a store that no reader needs."""
    meta = read_meta(store)[1]
    assert meta is not None
    known = upload_prefix(meta.generation), stream_prefix(meta.epoch)
    for key in store.held:
        if key != META and not (key.startswith((UPLOADED, STREAMED)) and key.startswith(known)):
            yield key


def read_everywhere(world: World, durable: Durable, truth: Truth, action: Action) -> int:
    """Read by an old reader and by a new one at each moment, and return how often."""
    truths, reached, copy = (truth, action.after(truth)), 0, deepcopy(durable)
    if truth.until is None:
        return 0
    old = world.reader(copy.store)

    def look() -> None:
        nonlocal reached
        index = reached + world.matching_truth(copy.store, truths[reached:], old)
        assert index == reached + world.matching_truth(copy.store, truths[reached:])
        reached = 0 if truths[0] == truths[1] else index

    look()
    moments = Moments(every=look)
    action.run(Process(copy, moments))
    assert world.difference(copy.store, truths[1], old) == ""
    return moments.count


def met_everywhere(
    world: World, durable: Durable, truth: Truth, action: Action, other: Action
) -> int:
    """Let another process act between any two calls of the store, and return how often."""
    if truth.until is None:
        return 0
    for moment in count():
        copy = deepcopy(durable)
        kill_at = world.generator.randrange(30)

        def act(copy: Durable = copy, kill_at: int = kill_at) -> None:
            was_killed(other, Process(copy, Moments({kill_at: die})))

        calls = Moments({moment: act})
        try:
            action.run(Process(copy, calls=calls))
        except WorkbenchError:
            refused = True
        else:
            refused = False
        if calls.actions:
            return moment
        orders = [(action, other), (other, action), *([(other,)] if refused else [(action,)])]
        world.matching_truth(copy.store, [_truth_after(order, truth) for order in orders])
    raise AssertionError


def lost_everywhere(world: World, durable: Durable, truth: Truth, action: Action) -> int:
    """Let the server lose its newest transactions between any two calls, and return how often."""
    truths = truth, action.after(truth)
    for moment in count():
        copy = deepcopy(durable)

        def lose(copy: Durable = copy) -> None:
            if copy.store.before:
                copy.store.go_back(world.generator.randint(1, len(copy.store.before)))

        calls = Moments({moment: lose})
        with suppress(WorkbenchError):
            action.run(Process(copy, calls=calls))
        if calls.actions:
            return moment
        index = world.matching_truth(copy.store, truths)
        done = copy.checkpoint.done > durable.checkpoint.done
        if isinstance(action, Stream) and index == 0 and done:
            # In the checkpoint the batch is done, so later batches must be refused without it.
            assert _refused(_with_one_more(world, action), copy), "a lost batch is not missed"
        else:
            action.run(Process(copy))
            assert world.difference(copy.store, truths[1]) == ""
    raise AssertionError


def unheard_everywhere(world: World, durable: Durable, truth: Truth, action: Action) -> int:
    """Lose the answer to each transaction that was made, and return how often."""
    for answer in count():
        copy, answers = deepcopy(durable), Moments({answer: lambda: None})
        action.run(Process(copy, answers=answers))
        assert (difference := world.difference(copy.store, action.after(truth))) == "", difference
        if answers.actions:
            return answer
    raise AssertionError


def replanned(world: World, durable: Durable, truth: Truth, action: Action) -> int:
    """Let a checkpoint lose its newest file while the source goes on, and return how often."""
    if not isinstance(action, Stream) or action.after(truth) == truth:
        return 0
    longer = _with_one_more(world, action)
    copy, after = deepcopy(durable), truth
    for applied in (action, longer):
        applied.run(Process(copy))
        after = applied.after(after)
        older = deepcopy(durable.checkpoint)
        assert _refused(_with_one_more(world, applied), Durable(copy.store, older)), (
            "taken for an old batch"
        )
        assert world.difference(copy.store, after) == ""
    return 2


def _with_one_more(world: World, action: Stream) -> Stream:
    """Return a stream whose source has one more event."""
    return replace(action, size=action.size + 1, source=(*action.source, *world.draw_events(1, 1)))


def _refused(action: Action, durable: Durable) -> bool:
    try:
        action.run(Process(durable))
    except WorkbenchError:
        return True
    return False


def _truth_after(actions: tuple[Action, ...], truth: Truth) -> Truth:
    for action in actions:
        truth = action.after(truth)
    return truth


def broken_everywhere(seed: int) -> Counter[str]:
    """Break a scenario in every way, and return how often it was broken in each."""
    counts: Counter[str] = Counter()
    for step, (world, durable, truth, action, other) in enumerate(script(seed)):
        arguments = world, durable, truth, action
        kinds = f"{type(action).__name__} and {type(other).__name__}"
        for way, run in {
            "killed": lambda: killed_everywhere(*arguments),  # noqa: B023
            "read": lambda: read_everywhere(*arguments),  # noqa: B023
            "met": lambda: met_everywhere(*arguments, other),  # noqa: B023
            "lost": lambda: lost_everywhere(*arguments),  # noqa: B023
            "unheard": lambda: unheard_everywhere(*arguments),  # noqa: B023
            "replanned": lambda: replanned(*arguments),  # noqa: B023
        }.items():
            try:
                counts[way] += run()
            except Exception as error:
                error.add_note(f"{way} in step {step}, {kinds}")
                raise
    return counts
