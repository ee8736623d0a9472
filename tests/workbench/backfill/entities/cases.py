"""Snapshots and mutations of a small table, the table at any instant by force, and its features."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from kernels.entities.validity import IN, OUT, SNAPSHOT
from workbench.backfill.entities.worker import CONTENT, KIND, KNOWN_FROM, MISPLACED
from workbench.backfill.worker.cogroup import Span
from workbench.columnar.blocks import TIME

Held = tuple[int, int | None]
INSTANTS = st.integers(-9, 12)
SCHEMA = pa.schema(
    [
        *(("k0", pa.string()), ("i0", pa.int64()), (TIME, pa.int64()), ("number", pa.int64())),
        *(
            (KNOWN_FROM, pa.int64()),
            (KIND, pa.int8()),
            (CONTENT, pa.int64()),
            (MISPLACED, pa.bool_()),
        ),
    ]
)


@dataclass(frozen=True)
class Record:
    """A row of a snapshot, or of the mutations."""

    at: int
    says: int
    key: str
    id: int
    time: int
    number: int | None

    @property
    def holds(self) -> tuple[int, int]:
        """What tells it from others of the same entity, in an order."""
        return self.time, -99 if self.number is None else self.number


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[Record], list[int]]:
    """Mostly consistent histories: rows of the table change, move, go, and snapshots are taken."""
    days = sorted(draw(st.sets(INSTANTS, max_size=4)))
    records: list[Record] = []
    for number in range(draw(st.integers(0, 4))):
        there: Record | None = None
        for at in sorted(draw(st.lists(INSTANTS, max_size=6))):
            value = draw(st.sampled_from([None, 0, 1, 2]))
            key, time = draw(st.sampled_from("ab")), draw(INSTANTS)
            fresh = Record(at, IN, key, number, time, value)
            goes = there is not None and draw(st.booleans())
            if there is not None and draw(st.integers(0, 5)):
                records.append(Record(at, OUT, there.key, number, there.time, there.number))
            there = None if goes else fresh
            records += [] if there is None else [there]
    for day in days:
        for key, number in sorted({(one.key, one.id) for one in records}):
            own = [one for one in records if (one.key, one.id) == (key, number)]
            held = at_instant(own, [d for d in days if d < day], day)
            if held is not None and draw(st.integers(0, 7)):
                records.append(Record(day, SNAPSHOT, key, number, *held))
    return records, days


def at_instant(own: list[Record], days: list[int], now: int) -> Held | None:
    """What the table holds of one entity, from the first change to the last."""
    there: Held | None = None
    for instant in sorted({one.at for one in own} | set(days)):
        if instant > now:
            break
        of_now = [one for one in own if one.at == instant]
        more: Counter[Held] = Counter()
        for one in of_now:
            if one.says != SNAPSHOT:
                more[one.time, one.number] += 1 if one.says == IN else -1
        if min(more.values(), default=0) < 0:
            there = None
        fresh = [held for held, count in more.items() if count > 0]
        there = _greatest(fresh, there)
        if instant in days:
            taken = [(one.time, one.number) for one in of_now if one.says == SNAPSHOT]
            there = there if there in taken else _greatest(taken, None)
    return there


def _greatest(held: list[Held], default: Held | None) -> Held | None:
    return max(held, key=lambda one: (one[0], -99 if one[1] is None else one[1]), default=default)


def seen(records: list[Record], days: list[int], key: Any, query: int, span: Span) -> list[Held]:
    """The rows that count for a query."""
    low, end = query - (10**6 if span.window is None else span.window), query
    low, end = low // span.hop * span.hop, end // span.last_hop * span.last_hop
    found = []
    for number in {one.id for one in records if one.key == key}:
        own = [one for one in records if (one.key, one.id) == (key, number)]
        held = at_instant(own, days, end)
        if held is not None and low <= held[0] < end:
            found.append(held)
    return found


def as_table(records: list[Record]) -> pa.Table:
    """The rows as the workers get them."""
    order = {held: i for i, held in enumerate(sorted({one.holds for one in records}))}
    rows = [
        {
            "k0": one.key,
            "i0": one.id,
            TIME: one.time,
            "number": one.number,
            KNOWN_FROM: one.at,
            KIND: one.says,
            CONTENT: order[one.holds],
            MISPLACED: False,
        }
        for one in records
    ]
    return pa.Table.from_pylist(rows, SCHEMA)
