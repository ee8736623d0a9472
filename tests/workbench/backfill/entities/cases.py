"""Snapshots and mutations of a small table; by brute force, its rows at any instant."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from kernels.entities.validity import IN, OUT, SNAPSHOT
from workbench.backfill.entities.worker import CONTENT, KIND, KNOWN_FROM, MISPLACED
from workbench.backfill.worker.cogroup import Span
from workbench.columnar.blocks import TIME

Content = tuple[int, int | None]
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
    kind: int
    key: str
    id: int
    time: int
    number: int | None

    @property
    def content(self) -> tuple[int, int]:
        """What distinguishes it from other rows of the same entity, for comparison."""
        return self.time, -99 if self.number is None else self.number


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[Record], list[int]]:
    """Draw mostly consistent histories: rows change, move and are removed between snapshots."""
    days = sorted(draw(st.sets(INSTANTS, max_size=4)))
    records: list[Record] = []
    for number in range(draw(st.integers(0, 4))):
        current: Record | None = None
        for at in sorted(draw(st.lists(INSTANTS, max_size=6))):
            value = draw(st.sampled_from([None, 0, 1, 2]))
            key, time = draw(st.sampled_from("ab")), draw(INSTANTS)
            changed = Record(at, IN, key, number, time, value)
            goes = current is not None and draw(st.booleans())
            if current is not None and draw(st.integers(0, 5)):
                records.append(Record(at, OUT, current.key, number, current.time, current.number))
            current = None if goes else changed
            records += [] if current is None else [current]
    for day in days:
        for key, number in sorted({(one.key, one.id) for one in records}):
            of_entity = [one for one in records if (one.key, one.id) == (key, number)]
            content = at_instant(of_entity, [d for d in days if d < day], day)
            if content is not None and draw(st.integers(0, 7)):
                records.append(Record(day, SNAPSHOT, key, number, *content))
    return records, days


def at_instant(records: list[Record], days: list[int], now: int) -> Content | None:
    """Return the row of one entity at an instant, from its changes in order; None if none."""
    current: Content | None = None
    for instant in sorted({one.at for one in records} | set(days)):
        if instant > now:
            break
        of_instant = [one for one in records if one.at == instant]
        counts: Counter[Content] = Counter()
        for one in of_instant:
            if one.kind != SNAPSHOT:
                counts[one.time, one.number] += 1 if one.kind == IN else -1
        if min(counts.values(), default=0) < 0:
            current = None
        added = [content for content, count in counts.items() if count > 0]
        current = _greatest(added, current)
        if instant in days:
            in_snapshot = [(one.time, one.number) for one in of_instant if one.kind == SNAPSHOT]
            current = current if current in in_snapshot else _greatest(in_snapshot, None)
    return current


def _greatest(contents: list[Content], default: Content | None) -> Content | None:
    return max(
        contents, key=lambda one: (one[0], -99 if one[1] is None else one[1]), default=default
    )


def rows_of_query(
    records: list[Record], days: list[int], key: Any, query: int, span: Span
) -> list[Content]:
    """Return the rows that count for a query."""
    low, end = query - (10**6 if span.window is None else span.window), query
    low, end = low // span.hop * span.hop, end // span.last_hop * span.last_hop
    rows = []
    for number in {one.id for one in records if one.key == key}:
        of_entity = [one for one in records if (one.key, one.id) == (key, number)]
        content = at_instant(of_entity, days, end)
        if content is not None and low <= content[0] < end:
            rows.append(content)
    return rows


def as_table(records: list[Record]) -> pa.Table:
    """Return the rows as the workers get them."""
    order = {content: i for i, content in enumerate(sorted({one.content for one in records}))}
    rows = [
        {
            "k0": one.key,
            "i0": one.id,
            TIME: one.time,
            "number": one.number,
            KNOWN_FROM: one.at,
            KIND: one.kind,
            CONTENT: order[one.content],
            MISPLACED: False,
        }
        for one in records
    ]
    return pa.Table.from_pylist(rows, SCHEMA)
