"""Online views whose processes are killed: uploads, streams from a checkpoint, streams forgotten.

A scenario is drawn from a seed: features, events, and what is done one after the other. What a
store says must be what the backfill says of the events that one *truth* knows: the one before what
was being done, or the one behind it.
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

#: How many tasks write an upload, how many records are a transaction, and how many a scan gives.
TASKS, RECORDS, SCANNED = 2, 2, 3
#: Approximate quantiles depend on what is merged when, and have a test of their own.
POOL = [*CALLS, *OF_EVENTS, *(one for one in OF_BYTES if one[0] != "approx_quantile")]


class Truth(NamedTuple):
    """The events that a store knows, by number, and what it counts of them."""

    uploaded: tuple[int, ...] = ()
    until: int | None = None
    streamed: tuple[int, ...] = ()
    batch: int = -1
    counts: tuple[int, int, int] = (0, 0, 0)


@dataclass
class Checkpoint:
    """Where a stream's query keeps how far it is, as Spark does: its plan before each batch, and
    behind it that it is done."""

    stream: str = "stream 0"
    planned: list[int] = field(default_factory=list)
    done: int = 0


class Transactions(Memory):
    """A store that knows what it held before each of its newest transactions."""

    def __init__(self) -> None:
        super().__init__()
        self.before: list[dict[bytes, bytes]] = []

    def write(self, changes: Sequence[Change], expect: Change | None = None) -> bool:
        self.before.append(dict(self.held))
        return super().write(changes, expect)

    def scan(self, prefix: bytes, size: int = 10_000) -> Iterator[list[tuple[bytes, bytes]]]:
        """Yield what begins with a prefix, little at once."""
        yield from super().scan(prefix, SCANNED)

    def go_back(self, transactions: int) -> None:
        """Lose the newest transactions, as a server does that comes back with an older snapshot."""
        self.held = self.before[-transactions]
        del self.before[-transactions:]


@dataclass
class Durable:
    """All that is left of a process that is killed."""

    store: Transactions = field(default_factory=Transactions)
    checkpoint: Checkpoint = field(default_factory=Checkpoint)


@dataclass(frozen=True)
class Process:
    """A process: what it finds, and when it is killed.

    Attributes
    ----------
    held : Durable
    writes : Moments
        Around all writes, those to the checkpoint as well.
    calls, answers : Moments
        Before all calls of the store, and behind transactions on a condition.
    """

    held: Durable
    writes: Moments = field(default_factory=Moments)
    calls: Moments = field(default_factory=Moments)
    answers: Moments = field(default_factory=Moments)

    @property
    def store(self) -> Watched:
        """The store as the process has it."""
        return Watched(self.held.store, self.writes, self.calls, self.answers)


class World:
    """Events and features that are drawn from a seed, and what is true of them."""

    def __init__(self, seed: int) -> None:
        self.drawn = random.Random(seed)
        calls = [self.drawn.choice(CALLS), *self.drawn.sample(POOL, 2)]
        self.layout = layout_of(features(self.drawn.random() < 0.4, False, calls))
        self.keys = [f"user {i}" for i in range(self.drawn.randint(3, 7))]
        self.at = self.drawn.randint(30, LASTING)
        self.events: list[Row] = []
        self.answers = cache(self._answers)

    def more(self, least: int = 1, most: int = 8) -> tuple[int, ...]:
        """Draw more events, and return their numbers."""
        first = len(self.events)
        self.events += [self._event() for _ in range(self.drawn.randint(least, most))]
        return tuple(range(first, len(self.events)))

    def _event(self) -> Row:
        drawn = self.drawn
        missing = drawn.random() < 0.05
        return {
            "k0": None if missing else drawn.choice(self.keys),
            TIME: None if drawn.random() < 0.05 else drawn.randint(-40, self.at - 1),
            "number": drawn.choice([None, *range(-9, 9)]),
            "real": drawn.choice([None, *map(float, range(-5, 5))]),
            "other": float(drawn.randint(-5, 5)),
            "flag": drawn.choice([True, False, None]),
            "good": drawn.choice([True, True, False, None]),
            "day": None,
            "bucket": drawn.choice(["p", "q", None]),
            "word": drawn.choice(["x", "y", "", "zz", None]),
        }

    def rows(self, numbers: Iterable[int]) -> list[Row]:
        """Return events by their numbers."""
        return [self.events[number] for number in numbers]

    def whole(self, numbers: Iterable[int]) -> tuple[int, ...]:
        """Return those of some events that have a key and a time."""
        both = "k0", TIME
        return tuple(n for n in numbers if all(self.events[n][name] is not None for name in both))

    def known(self, truth: Truth) -> list[Row]:
        """Return the events that count."""
        assert truth.until is not None
        streamed = [n for n in truth.streamed if self.events[n][TIME] >= truth.until]
        return self.rows([*truth.uploaded, *streamed])

    def _answers(self, truth: Truth) -> list[Row]:
        return expected(self.layout, self.known(truth), self.keys, self.at)

    def why_not(self, store: Store, truth: Truth, reading: StoreReader | None = None) -> str:
        """Return in what a store says something else than a truth; "" where it does not."""
        meta = read_meta(store)[1]
        if truth.until is None:
            return "" if meta is None or not meta.generation else "something is uploaded"
        try:
            found = fetch_features(reading or self.reader(store), self.keys, self.at)
        except WorkbenchError as error:
            return str(error)
        assert meta is not None
        said = meta.until, meta.events, meta.batch, (meta.streamed, meta.late, meta.skipped)
        if said != (truth.until, len(truth.uploaded), truth.batch, truth.counts):
            return f"it counts {said}"
        known = {row["k0"] for row in self.known(truth)}
        for key, row, answer in zip(self.keys, found, self.answers(truth), strict=True):
            if row is None:
                if key in known:
                    return found.errors[key]
                continue
            for name in answer:
                if not agree(row[name], answer[name]):
                    return f"{name} of {key} is {row[name]!r} and not {answer[name]!r}"
        return ""

    def which(
        self, store: Store, truths: Sequence[Truth], reading: StoreReader | None = None
    ) -> int:
        """Return which truth a store tells; it must be one of some."""
        whys = [self.why_not(store, truth, reading) for truth in truths]
        assert "" in whys, f"the store tells none of {len(truths)} truths: {whys}"
        return whys.index("")

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
        """Do it as Spark's driver does."""
        upload(process.store, self.world.layout, self.until, LASTING, self._job)

    def _job(self, task: UploadTask) -> Iterator[Sequence[Any]]:
        rows = table_of(self.world.rows(self.world.whole(self.events)))
        codes, _ = key_codes(rows.select(["k0"]))
        rows = rows.append_column(PARTITION, pa.array(codes % TASKS, pa.int32()))
        task_in_front = SubpartitionTask(tuple(rows.column_names), ("k0",), TASKS)
        sent = pa.Table.from_batches(task_in_front.run(rows.to_batches()))
        for number in range(TASKS if rows else 0):
            own = sent.filter(pc.equal(sent.column(PARTITION), number))
            for counts in replace(task, records_at_once=RECORDS).run(own.to_batches()):
                yield [column[0].as_py() for column in counts.columns]

    def after(self, truth: Truth) -> Truth:
        """Return what is true behind it."""
        whole = self.world.whole(self.events)
        before = tuple(n for n in whole if self.world.events[n][TIME] < self.until)
        return truth._replace(uploaded=before, until=self.until)


@dataclass(frozen=True)
class Stream:
    """Start a stream's query for what its source has by now, so many events."""

    world: World
    size: int
    source: tuple[int, ...]

    def run(self, process: Process) -> None:
        """Do it as Spark's driver does: plan a batch, apply it, note that it is done."""
        log, moment = process.held.checkpoint, process.writes
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
        """Return what is true behind it."""
        assert truth.until is not None
        new = self.source[sum(truth.counts) : self.size]
        if not new:
            return truth
        whole = self.world.whole(new)
        on_time = tuple(n for n in whole if self.world.events[n][TIME] >= truth.until)
        more = len(on_time), len(whole) - len(on_time), len(new) - len(whole)
        counts = tuple(map(sum, zip(truth.counts, more, strict=True)))
        streamed = truth.streamed + on_time
        return truth._replace(streamed=streamed, batch=truth.batch + 1, counts=counts)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Forget:
    """Forget the stream; the next one begins with a checkpoint of its own."""

    world: World

    def run(self, process: Process) -> None:
        """Do it."""
        forget_stream(process.store, self.world.layout, LASTING)
        process.held.checkpoint = Checkpoint(f"{process.held.checkpoint.stream}'")

    def after(self, truth: Truth) -> Truth:
        """Return what is true behind it."""
        return truth._replace(streamed=(), batch=-1, counts=(0, 0, 0))


Deed = Upload | Stream | Forget


def script(seed: int) -> Iterator[tuple[World, Durable, Truth, Deed, Deed]]:
    """Yield what is done in a scenario, one after the other, and what another process might do.

    Each comes with what is there before it, and what is true of that.
    """
    world, held, truth = World(seed), Durable(), Truth()
    first, source = world.more(6, 10), world.more()
    kinds = ["upload", *world.drawn.choices(["stream", "upload", "forget"], (5, 3, 1), k=4)]
    for kind in kinds:
        source += world.more() if kind == "stream" else ()
        another = world.drawn.choice(["stream", "upload", "forget"])
        deed, other = (_deed(world, one, first, source, truth) for one in (kind, another))
        yield world, held, truth, deed, other
        deed.run(Process(held))
        held.store.before.clear()
        truth = deed.after(truth)


def _deed(
    world: World, kind: str, first: tuple[int, ...], source: tuple[int, ...], truth: Truth
) -> Deed:
    if kind == "upload":
        until = world.drawn.choice([n for n in (0, STEP, 2 * STEP) if n >= (truth.until or 0)])
        known = first + source[: world.drawn.randint(0, len(source))]
        return Upload(world, known, 0 if truth.until is None else until)
    return Forget(world) if kind == "forget" else Stream(world, len(source), source)


def ends(deed: Deed, process: Process) -> bool:
    """Do something, and return whether the process was killed meanwhile."""
    try:
        deed.run(process)
    except Killed:
        return True
    return False


def killed_everywhere(world: World, held: Durable, truth: Truth, deed: Deed) -> int:
    """Kill what is done at each moment, look, do it again, and return how often."""
    truths, behind = (truth, deed.after(truth)), 0
    for moment in count():
        left = deepcopy(held)
        if not ends(deed, Process(left, Moments({moment: die}))):
            assert world.why_not(left.store, truths[1]) == ""
            return moment
        told = world.which(left.store, truths[behind:]) + behind
        behind = 0 if truths[0] == truths[1] else told
        _done_again(world, left, deed, truths[1])
    raise AssertionError


def _done_again(world: World, left: Durable, deed: Deed, truth: Truth) -> None:
    """Do it again, and once in three times kill that, too."""
    if world.drawn.random() < 1 / 3:
        ends(deed, Process(left, Moments({world.drawn.randrange(12): die})))
    deed.run(Process(left))
    assert (why := world.why_not(left.store, truth)) == "", why
    if not isinstance(deed, Stream):
        assert not list(rubbish(left.store))


def rubbish(store: Memory) -> Iterator[bytes]:
    """Yield the keys of a store that nobody will read."""
    meta = read_meta(store)[1]
    assert meta is not None
    known = upload_prefix(meta.generation), stream_prefix(meta.epoch)
    for key in store.held:
        if key != META and not (key.startswith((UPLOADED, STREAMED)) and key.startswith(known)):
            yield key


def read_everywhere(world: World, held: Durable, truth: Truth, deed: Deed) -> int:
    """Read by an old reader and by a new one at each moment, and return how often."""
    truths, behind, left = (truth, deed.after(truth)), 0, deepcopy(held)
    if truth.until is None:
        return 0
    old = world.reader(left.store)

    def look() -> None:
        nonlocal behind
        told = behind + world.which(left.store, truths[behind:], old)
        assert told == behind + world.which(left.store, truths[behind:])
        behind = 0 if truths[0] == truths[1] else told

    look()
    moments = Moments(every=look)
    deed.run(Process(left, moments))
    assert world.why_not(left.store, truths[1], old) == ""
    return moments.count


def met_everywhere(world: World, held: Durable, truth: Truth, deed: Deed, other: Deed) -> int:
    """Let another process act between any two calls of the store, and return how often."""
    if truth.until is None:
        return 0
    for moment in count():
        left = deepcopy(held)
        killed = world.drawn.randrange(30)

        def act(left: Durable = left, killed: int = killed) -> None:
            ends(other, Process(left, Moments({killed: die})))

        calls = Moments({moment: act})
        try:
            deed.run(Process(left, calls=calls))
        except WorkbenchError:
            refused = True
        else:
            refused = False
        if calls.deeds:
            return moment
        orders = [(deed, other), (other, deed), *([(other,)] if refused else [(deed,)])]
        world.which(left.store, [_all(order, truth) for order in orders])
    raise AssertionError


def lost_everywhere(world: World, held: Durable, truth: Truth, deed: Deed) -> int:
    """Let the server lose its newest transactions between any two calls, and return how often."""
    truths = truth, deed.after(truth)
    for moment in count():
        left = deepcopy(held)

        def lose(left: Durable = left) -> None:
            if left.store.before:
                left.store.go_back(world.drawn.randint(1, len(left.store.before)))

        calls = Moments({moment: lose})
        with suppress(WorkbenchError):
            deed.run(Process(left, calls=calls))
        if calls.deeds:
            return moment
        told = world.which(left.store, truths)
        done = left.checkpoint.done > held.checkpoint.done
        if isinstance(deed, Stream) and told == 0 and done:
            # The checkpoint says that the batch is done, so nothing may go on without it.
            assert _refused(_with_one_more(world, deed), left), "a lost batch is not missed"
        else:
            deed.run(Process(left))
            assert world.why_not(left.store, truths[1]) == ""
    raise AssertionError


def unheard_everywhere(world: World, held: Durable, truth: Truth, deed: Deed) -> int:
    """Let a process not hear of one transaction that was made, and return how often."""
    for answer in count():
        left, answers = deepcopy(held), Moments({answer: lambda: None})
        deed.run(Process(left, answers=answers))
        assert (why := world.why_not(left.store, deed.after(truth))) == "", why
        if answers.deeds:
            return answer
    raise AssertionError


def replanned(world: World, held: Durable, truth: Truth, deed: Deed) -> int:
    """Let a checkpoint lose its newest file while the source goes on, and return how often."""
    if not isinstance(deed, Stream) or deed.after(truth) == truth:
        return 0
    more = _with_one_more(world, deed)
    left, behind = deepcopy(held), truth
    for applied in (deed, more):
        applied.run(Process(left))
        behind = applied.after(behind)
        older = deepcopy(held.checkpoint)
        assert _refused(_with_one_more(world, applied), Durable(left.store, older)), "taken for old"
        assert world.why_not(left.store, behind) == ""
    return 2


def _with_one_more(world: World, deed: Stream) -> Stream:
    """A stream to whose source one more event has come."""
    return replace(deed, size=deed.size + 1, source=(*deed.source, *world.more(1, 1)))


def _refused(deed: Deed, left: Durable) -> bool:
    try:
        deed.run(Process(left))
    except WorkbenchError:
        return True
    return False


def _all(deeds: tuple[Deed, ...], truth: Truth) -> Truth:
    for deed in deeds:
        truth = deed.after(truth)
    return truth


def broken_everywhere(seed: int) -> Counter[str]:
    """Do to a scenario all that can be done to it, and return how often each was done."""
    found: Counter[str] = Counter()
    for step, (world, held, truth, deed, other) in enumerate(script(seed)):
        given = world, held, truth, deed
        kinds = f"{type(deed).__name__} beside {type(other).__name__}"
        for what, run in {
            "killed": lambda: killed_everywhere(*given),  # noqa: B023
            "read": lambda: read_everywhere(*given),  # noqa: B023
            "met": lambda: met_everywhere(*given, other),  # noqa: B023
            "lost": lambda: lost_everywhere(*given),  # noqa: B023
            "unheard": lambda: unheard_everywhere(*given),  # noqa: B023
            "replanned": lambda: replanned(*given),  # noqa: B023
        }.items():
            try:
                found[what] += run()
            except Exception as error:
                error.add_note(f"{what} in step {step}, {kinds}")
                raise
    return found
