"""Histories of a table as changelogs, and queries whose output is folded and checked."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any
from zlib import crc32

import pyarrow as pa
from hypothesis import strategies as st
from pyspark.sql.pandas.types import from_arrow_type

import workbench as wb
from tests.workbench.windows.cases import COLUMNS, Columns, alike, tables
from tests.workbench.windows.pieces import Functions, call_of, prepared
from tests.workbench.windows.stream.cases import SEAL, Memory
from workbench.columnar.blocks import Block
from workbench.engine.order import ordered_block
from workbench.engine.task import WindowTask
from workbench.functions.order import order_terms
from workbench.windows.bind import Resolved, frame_for
from workbench.windows.extent import frame_extents
from workbench.windows.stream.worker.bucket import BucketTask
from workbench.windows.stream.worker.operator import HASH, Clock, Emitted
from workbench.windows.stream.worker.update import UpdateOperator

Row = dict[str, Any]
#: The kind of a change, and the row.
Change = tuple[str, Row]
#: A row's partition and id.
Who = tuple[Any, ...]

_KINDS = {"id": pa.int64()} | {name: kind for name, (_, kind) in COLUMNS.items()}
_KINDS |= {"n": pa.int32(), "m": pa.int32()}
#: The columns of a table, and those of a changelog of it.
TABLE = prepared(pa.table({name: pa.nulls(0, kind) for name, kind in _KINDS.items()})).schema
CHANGELOG = TABLE.append(pa.field("op", pa.string()))


@st.composite
def histories(
    draw: st.DrawFn, most_rows: int = 14, most_batches: int = 3, columns: Columns = COLUMNS
) -> list[list[Change]]:
    """Draw a changelog batch by batch: rows come, go, or change in values, order or partition."""
    rows = prepared(draw(tables(most_rows, columns))).to_pylist()
    present: dict[int, Row] = {}
    batches = []
    for _ in range(draw(st.integers(1, most_batches))):
        changes: list[Change] = []
        for who, new in draw(st.lists(_steps(len(rows)), max_size=10)):
            old, row = present.pop(who, None), None if new is None else rows[new] | {"id": who}
            if row is not None:
                present[who] = row
            changes += _changes_of_row(old, row)
        batches.append(changes)
    return batches


def _steps(rows: int) -> st.SearchStrategy[tuple[int, int | None]]:
    new = st.integers(0, rows - 1)
    return st.tuples(st.integers(0, 9), st.one_of(new, new, new, st.none()))


def _changes_of_row(old: Row | None, row: Row | None) -> list[Change]:
    if old is None or row is None:
        return [(op, one) for op, one in (("-D", old), ("+I", row)) if one is not None]
    return [("-U", old), ("+U", row)]


@dataclass
class Query:
    """A query that emits on update, and the table of the rows that it has admitted."""

    keys: tuple[str, ...]
    order_by: list[Any]
    frame: wb.Frame
    functions: Functions
    changelog: bool = True
    timed: bool = False
    part_bytes: int | None = None
    retained: Block | None = None
    previous_watermark: int | None = None
    emitted: Emitted | None = None
    table: dict[Who, Row] = field(default_factory=dict)
    sink: dict[Who, str] = field(default_factory=dict)
    answers: dict[Who, Row] = field(default_factory=dict)
    left_out: int = 0
    store: Memory = field(default_factory=Memory)

    def __post_init__(self) -> None:
        self.order = order_terms(self.order_by)
        frames = {name: frame_for(one, self.frame, True) for name, one in self.functions.items()}
        calls = tuple(call_of(name, one, frames[name]) for name, one in self.functions.items())
        along = from_arrow_type(TABLE.field(self.order[0].name).type)
        resolved = [
            Resolved(name, one, frames[name], (), (), along, None, None)
            for name, one in self.functions.items()
        ]
        back = tuple((name, name) for name in TABLE.names)
        op, row_id = ("op", ("id",)) if self.changelog else (None, ())
        extents = frame_extents(resolved, along)
        self.task = WindowTask(back, self.keys, self.order, calls)
        self.mode = UpdateOperator(self.task, extents, op, row_id, self.timed)

    def run(
        self,
        batch: list[Change],
        watermark: int | None = None,
        arrives: list[Change] | None = None,
    ) -> None:
        """Process a batch, fold its output, and update the table.

        Its changes may arrive in another order.
        """
        if self.part_bytes is not None:
            bucket = BucketTask(self.mode, SEAL, part_bytes=self.part_bytes)
            step = bucket.step(self.store, self._arrivals(arrives or batch), watermark)
            if step is not None:
                self._fold(step.output)
            self._admit(batch)
            return
        clock = Clock(watermark, self.previous_watermark)
        if batch or self.retained is not None:
            self.emitted = self.mode.process(self.retained, self._arrivals(arrives or batch), clock)
            # A block without partitions is not retained.
            self.retained = self.emitted.retained if len(self.emitted.retained.keys) else None
            self._fold(self.emitted.output)
        self._admit(batch)
        self.previous_watermark = watermark

    def reuses_passed_id(self, batch: list[Change]) -> bool:
        """Return whether a batch adds a row with the id of one that the watermark has passed.

        While the old row is retained, the new one is late too; once it is dropped, nobody can know.
        """
        several: dict[Who, list[tuple[int, Change]]] = {}
        for change in batch:
            several.setdefault(self._who(change[1]), []).append((0, change))
        return any(
            who in self.table
            and self._passed(self.table[who])
            and not any(op in ("-U", "-D") and self._passed(row) for _, (op, row) in changes)
            and not _unbalanced(changes, removals=True)
            for who, changes in several.items()
        )

    def check(self) -> None:
        """Compare the folded output with the answers over the table."""
        if not self.table:
            assert not self.sink
            return
        rows = pa.Table.from_pylist(list(self.table.values()), TABLE)
        block = ordered_block(rows, self.keys, self.order)
        expected = {self._who(row): row for row in self.task.answer(block).to_pylist()}
        assert self.answers.keys() == expected.keys()
        for who, row in expected.items():
            for name in self.functions:
                got = self.answers[who][name]
                assert alike(got, row[name]), f"{name} of {who}: {got!r} is not {row[name]!r}"

    def _arrivals(self, batch: list[Change]) -> pa.Table | None:
        if not batch:
            return None
        rows = [row | {"op": op, HASH: self._hash(row)} for op, row in batch]
        schema = CHANGELOG if self.changelog else TABLE
        return pa.Table.from_pylist(rows, schema.append(pa.field(HASH, pa.int64())))

    def _hash(self, row: Row) -> int:
        return crc32(repr([row[name] for name in self.keys]).encode())

    def _fold(self, changes: pa.Table) -> None:
        for row in changes.to_pylist():
            op, who, text = row.pop("op"), self._who(row), repr(row)
            if op in ("-U", "-D"):
                assert self.sink.pop(who) == text, (op, who)
                del self.answers[who]
            else:
                assert who not in self.sink, (op, who)
                self.sink[who], self.answers[who] = text, row

    def _who(self, row: Row) -> Who:
        return *(row[name] for name in self.keys), row["id"]

    def _admit(self, batch: list[Change]) -> None:
        """Apply the changes of a batch: a row that stays in its partition keeps its place."""
        changes: dict[Who, list[tuple[int, Change]]] = {}
        for at, (op, row) in enumerate(batch):
            changes.setdefault(self._who(row), []).append((at, (op, row)))
        new = []
        for who, several in changes.items():
            admitted = list(self._on_time(who, several))
            self.left_out += len(several) - len(admitted)
            if admitted:
                at, (op, row) = admitted[-1]
                never_was = who not in self.table and not _unbalanced(admitted)
                if op in ("-U", "-D") or never_was:
                    self.table.pop(who, None)
                elif who in self.table:
                    self.table[who] = row
                else:
                    new.append((at, who, row))
        self.table |= {who: row for _, who, row in sorted(new, key=lambda one: one[0])}

    def _on_time(
        self, who: Who, several: Iterable[tuple[int, Change]]
    ) -> Iterator[tuple[int, Change]]:
        if not self.timed:
            yield from several
            return
        old = self.table.get(who)
        taken_back = [row for _, (op, row) in several if op in ("-U", "-D")]
        if any(map(self._passed, taken_back if old is None else [old, *taken_back])):
            return
        in_time = [
            (at, (op, row))
            for at, (op, row) in several
            if not self._passed(row) and self._time(row) is not None
        ]
        # A change that removes a late row is late too.
        if old is not None or not _unbalanced(in_time, removals=True):
            yield from in_time

    def _time(self, row: Row) -> Any:
        return row[self.order[0].name]

    def _passed(self, row: Row) -> bool:
        """Return whether the watermark has passed a row."""
        time = self._time(row)
        return (
            self.previous_watermark is not None
            and time is not None
            and micros(time) <= self.previous_watermark
        )


def _unbalanced(changes: Iterable[tuple[int, Change]], removals: bool = False) -> bool:
    """Return whether any row is added more often than removed, or the other way round."""
    balance: dict[str, int] = {}
    for _, (op, row) in changes:
        balance[repr(row)] = balance.get(repr(row), 0) + (1 if op in ("+I", "+U") else -1)
    return any(count < 0 if removals else count > 0 for count in balance.values())


def micros(time: Any) -> int:
    """Return a timestamp without a zone in microseconds."""
    return int(pa.scalar(time, pa.timestamp("us")).cast(pa.int64()).as_py())
