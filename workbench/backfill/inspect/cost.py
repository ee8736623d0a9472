"""What each method of a backfill costs: rows and bytes shuffled, tasks, and the largest of these.

Times and lengths are in one unit, that of the time columns. docs/scale.md says what follows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, exp, log2

from workbench.columnar.bundles import ROWS_IN_FRONT

#: A key, a time and a span beside the fields of a state or the columns of an event.
STATE_BYTES = 40
#: The same of a node of a tree, and of each of its states.
NODE_BYTES, FIELD_BYTES = 28, 12
#: A key and a time of a query, packed.
MOMENT_BYTES = 8


@dataclass(frozen=True)
class Sizes:
    """How much there is.

    Attributes
    ----------
    events, queries, keys : int
    pairs : int
        Over all keys, how often a query and an event have the same one.
    largest_key : int
        The most rows, queries and events, of a key.
    extent : int
        How far apart the first and the last time are.
    partitions : int
        How many tasks there are behind the shuffle.
    tasks : int
        How many tasks there are in front of it.
    event_bytes, query_bytes : int
        Of a row on its way.
    event_tasks : int, optional
        How many of the tasks in front of the shuffle read events; without it, all.
    """

    events: int
    queries: int
    keys: int
    pairs: int
    largest_key: int
    extent: int
    partitions: int
    tasks: int
    event_bytes: int = 32
    query_bytes: int = 32
    event_tasks: int | None = None

    @property
    def rows(self) -> int:
        """Rows of both tables."""
        return self.events + self.queries

    @property
    def bundles(self) -> int:
        """How often rows are bundled: once a task, and again after so many rows."""
        return max(self.tasks, ceil(self.rows / ROWS_IN_FRONT))

    @property
    def bytes(self) -> int:
        """Bytes of both tables."""
        return self.events * self.event_bytes + self.queries * self.query_bytes


@dataclass(frozen=True)
class RowKind:
    """What features over windows of one length need of earlier spans.

    Attributes
    ----------
    window : int or None
    hop : int
    slots, few, every : int
        How many features need states, a few events of each hop, and all events.
    """

    window: int | None
    hop: int
    slots: int = 0
    few: int = 0
    every: int = 0


@dataclass(frozen=True)
class CutKeys:
    """Keys whose time is cut.

    Attributes
    ----------
    keys : int
    rows : int
        Of all these keys.
    spans : int
        Of each of these keys.
    """

    keys: int
    rows: int
    spans: int


@dataclass(frozen=True)
class Cost:
    """What a method costs.

    Attributes
    ----------
    rows, bytes : int
        What is shuffled.
    tasks : int
        How many tasks have work behind the shuffle.
    largest : int
        The rows of the largest of these; for the join, its pairs.
    broadcast : int
        Bytes that every task in front of the shuffle gets beside its rows.
    """

    rows: int
    bytes: int
    tasks: int
    largest: int
    broadcast: int = 0


def naive(sizes: Sizes, kinds: Sequence[RowKind]) -> Cost:
    """Join every query with all events of its key in the longest window, and group them.

    Examples
    --------
    >>> sizes = Sizes(1_000_000, 100_000, 1_000, 10**8, 1_100, 365, partitions=4, tasks=4)
    >>> naive(sizes, [RowKind(90, 1, slots=1)]).largest
    6164384
    """
    seen = max(_share(kind, sizes.extent) for kind in kinds)
    # Queries go once to their events, once to their answers, and the answers to them.
    rows = sizes.events + 3 * sizes.queries
    size = sizes.events * sizes.event_bytes + 3 * sizes.queries * sizes.query_bytes
    even, hot = sizes.pairs / sizes.partitions, sizes.largest_key**2 / 4
    return Cost(rows, size, _tasks(sizes), ceil(seen * max(even, min(hot, sizes.pairs))))


def tree(sizes: Sizes, kinds: Sequence[RowKind]) -> Cost:
    """Send the queries to all events, and shuffle the nodes of the trees that these went through.

    Examples
    --------
    >>> sizes = Sizes(1_000_000, 10_000, 10, 10**9, 101_000, 365, partitions=4, tasks=4)
    >>> cost = tree(sizes, [RowKind(90, 1, slots=3, few=2)])
    >>> cost.rows, cost.broadcast
    (250000, 80000)
    """
    bundles = max(sizes.event_tasks or sizes.tasks, ceil(sizes.events / ROWS_IN_FRONT))
    nodes = [_nodes(sizes, kind, sizes.events / bundles) for kind in kinds]
    pairs = list(zip(nodes, kinds, strict=True))
    states = bundles * sum(count for count, kind in pairs if kind.slots)
    events = bundles * sum(count * kind.few for count, kind in pairs)
    fields = bundles * sum(count * kind.slots for count, kind in pairs)
    rows = sizes.queries + states + events
    size = sizes.queries * sizes.query_bytes + states * NODE_BYTES + fields * FIELD_BYTES
    size += events * (sizes.event_bytes + NODE_BYTES)
    largest = ceil(rows * _largest(sizes) / max(sizes.rows, 1))
    return Cost(ceil(rows), ceil(size), _tasks(sizes), largest, MOMENT_BYTES * sizes.queries)


def _nodes(sizes: Sizes, kind: RowKind, here: float) -> float:
    """How many nodes the events of a bundle update."""
    most = max(sizes.queries * (1 if kind.window is None else 2), 1)
    seeing = sizes.queries / max(sizes.keys, 1) * _share(kind, sizes.extent)
    # Some events are seen by no query, and different ones update the same nodes.
    tiles = here * (1 - exp(-seeing)) * (1 + log2(1 + seeing))
    return most * (1 - exp(-tiles / most))


def scan(sizes: Sizes, kinds: Sequence[RowKind]) -> Cost:
    """Shuffle every row once; a key is one task's.

    Examples
    --------
    >>> sizes = Sizes(1_000_000, 100_000, 1_000, 10**8, 550_000, 365, partitions=4, tasks=4)
    >>> scan(sizes, []).largest
    687500
    """
    return Cost(sizes.rows, sizes.bytes, _tasks(sizes), _largest(sizes))


def sawtooth(sizes: Sizes, kinds: Sequence[RowKind]) -> Cost:
    """CutKeys the time of every key into as many spans as there are tasks.

    Examples
    --------
    >>> sizes = Sizes(1_000_000, 100_000, 1_000, 10**8, 550_000, 365, partitions=4, tasks=4)
    >>> sawtooth(sizes, [RowKind(90, 1, slots=1)]).rows
    1839727
    """
    return auto(sizes, kinds, [CutKeys(sizes.keys, sizes.rows, sizes.partitions)])


def auto(sizes: Sizes, kinds: Sequence[RowKind], cuts: Sequence[CutKeys]) -> Cost:
    """CutKeys the time of some keys, each into its own spans.

    Examples
    --------
    >>> sizes = Sizes(1_000_000, 100_000, 1_000, 10**8, 550_000, 365, partitions=4, tasks=4)
    >>> cost = auto(sizes, [RowKind(90, 1, slots=1)], [CutKeys(1, 550_000, 2)])
    >>> cost.rows, cost.largest
    (1100364, 275364)
    """
    early = [earlier(sizes, kinds, cut) for cut in cuts]
    rows = sizes.rows + sum(sum(one) for one in early)
    states, events = (sum(one[side] for one in early) for side in (0, 1))
    size = sizes.bytes + states * STATE_BYTES + events * sizes.event_bytes
    largest = ceil(sizes.rows / sizes.partitions) if cuts else _largest(sizes)
    for cut, one in zip(cuts, early, strict=True):
        own = ceil(cut.rows / cut.keys / cut.spans)
        came = ceil(sum(one) / max(cut.keys * (cut.spans - 1), 1))
        # Spans of many keys go round: a task has some of each.
        a_task = max(1, cut.keys * cut.spans // sizes.partitions)
        largest = max(largest, (own + came) * a_task)
    return Cost(rows, size, min(sizes.partitions, _tasks(sizes) + _spans(cuts)), largest)


def earlier(sizes: Sizes, kinds: Sequence[RowKind], cut: CutKeys) -> tuple[int, int]:
    """Return how many states and how many events go to later spans of keys that are cut.

    Examples
    --------
    >>> sizes = Sizes(1_000_000, 100_000, 1_000, 10**8, 550_000, 365, partitions=4, tasks=4)
    >>> earlier(sizes, [RowKind(90, 1, slots=1), RowKind(None, 1, every=1)], CutKeys(1, 550_000, 2))
    (364, 250000)
    """
    events = cut.rows * sizes.events / max(sizes.rows, 1)
    extent = max(sizes.extent, 1)
    length, here = max(extent / cut.spans, 1), events / cut.keys / sizes.bundles
    spans = cut.keys * (cut.spans - 1) * sizes.bundles
    states = few = every = 0.0
    for kind in kinds:
        seen = extent if kind.window is None else min(kind.window, extent)
        # What some queries of a span see and others do not is as long as the span, or the window.
        apart = 0.0 if kind.window is None else min(seen, length)
        cells = min(apart / kind.hop + 1, here * apart / extent) if apart else 0.0
        sent = spans * (cells + min(1.0, here * (seen - apart) / extent))
        states, few = states + kind.slots * sent, few + kind.few * sent
        every += bool(kind.every) * events * min(seen / length, (cut.spans - 1) / 2)
    return ceil(states), ceil(few + every)


def _share(kind: RowKind, extent: int) -> float:
    return 1.0 if kind.window is None else min(1.0, kind.window / max(extent, 1))


def _largest(sizes: Sizes) -> int:
    """The rows of the largest task where keys are whole: a key, and its part of the others."""
    others = ceil((sizes.rows - sizes.largest_key) / sizes.partitions)
    if sizes.keys > sizes.partitions:
        return sizes.largest_key + others
    return max(ceil(sizes.rows / sizes.partitions), sizes.largest_key)


def _tasks(sizes: Sizes) -> int:
    return min(sizes.partitions, max(sizes.keys, 1))


def _spans(cuts: Sequence[CutKeys]) -> int:
    return sum(cut.keys * (cut.spans - 1) for cut in cuts)
