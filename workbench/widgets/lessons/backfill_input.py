"""The queries and the events of a backfill's key, as a table that a person edits."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from workbench.backfill.inspect.origin import OneQuery
from workbench.columnar.blocks import TIME, from_instants, instants
from workbench.columnar.key_codes import as_array
from workbench.durations import SECOND
from workbench.errors import WorkbenchError
from workbench.widgets.lessons.fields import (
    TEXT,
    Rows,
    check_rows,
    column_of,
    field_values,
    fields_of,
    instant,
    is_written,
    plain_type,
)

QUERY, EVENT = "query", "event"


@dataclass(frozen=True)
class KeyOfBackfill:
    """What a lesson of a backfill looks at.

    Attributes
    ----------
    query : int64 array of shape (queries,)
        When the key is asked, sorted.
    one : OneQuery
        The task and the key's events.
    """

    query: NDArray[np.int64]
    one: OneQuery

    @property
    def time(self) -> NDArray[np.int64]:
        """When the events happened."""
        return instants(as_array(self.one.events.column(TIME)))


class BackfillInput:
    """The times of queries, the times of events and what of an event a feature reads.

    All else about an event, such as whether it meets the feature's condition, stays as it is of
    those that count.

    Parameters
    ----------
    key : KeyOfBackfill
    feature : str
    names : dict of str to str
        The columns that the feature reads, as the workers call them and as a person does.
    integer_time : bool
    """

    def __init__(
        self, key: KeyOfBackfill, feature: str, names: dict[str, str], integer_time: bool
    ) -> None:
        self.key, self.feature, self.names = key, feature, names
        self.integer_time = integer_time
        schema = key.one.events.schema
        self.types = {name: plain_type(schema.field(name).type) for name in names}
        self._counting = key.one.events.take(pa.array(key.one.counting(feature)))

    @property
    def is_editable(self) -> bool:
        """Whether each column can be written as text, and some event counts."""
        return bool(len(self._counting)) and all(map(is_written, self.types.values()))

    def start(self) -> KeyOfBackfill:
        """Return the key with the events that count alone."""
        return replace(self.key, one=replace(self.key.one, events=self._counting))

    def table(self, key: KeyOfBackfill) -> dict[str, Any]:
        """Return queries and events as what is edited; events that do not count stand last."""
        counting = key.one.counting(self.feature)
        rest = np.setdiff1d(np.arange(len(key.time)), counting)
        order = np.concatenate([counting, rest])
        size, events = len(key.query), key.one.events.take(pa.array(order))
        kind, times = field_values([*key.query, *key.time[order]], self.integer_time)
        columns: list[dict[str, Any]] = [
            {"name": "what", "options": [QUERY, EVENT]},
            {"name": "time", "kind": kind},
        ]
        fields = []
        for name, type_ in self.types.items():
            cell, cells = fields_of(as_array(events.column(name)), type_)
            columns.append({"name": self.names[name], "kind": cell})
            fields.append(["" if c is None else c for c in cells])
        rows: Rows = [[QUERY, at, *[""] * len(fields)] for at in times[:size]]
        rows += [[EVENT, *one] for one in zip(times[size:], *fields, strict=True)]
        seconds = 1 if self.integer_time else 1 / SECOND
        drag = None if kind == TEXT else {"column": 1, "seconds": seconds}
        return {"columns": columns, "rows": rows, "drag": drag}

    def read(self, table: Rows) -> KeyOfBackfill:
        """Return what edited rows are, in order of time."""
        rows = [
            (instant(row[1], self.integer_time), row)
            for row in check_rows(table, 2 + len(self.names))
        ]
        rows.sort(key=lambda one: one[0])
        query = [at for at, row in rows if row[0] == QUERY]
        events = [(at, row) for at, row in rows if row[0] == EVENT]
        if not (query and events):
            raise WorkbenchError("rows: a query and an event are needed; keep one of each.")
        found = self._counting.take(pa.array([0] * len(events)))
        times = np.array([at for at, _ in events], np.int64)
        found = _with(found, TIME, from_instants(times, found.schema.field(TIME).type))
        for place, (name, type_) in enumerate(self.types.items(), 2):
            cells = [row[place] for _, row in events]
            found = _with(found, name, column_of(cells, self.names[name], type_))
        return KeyOfBackfill(np.array(query, np.int64), replace(self.key.one, events=found))


def _with(table: pa.Table, name: str, values: pa.Array) -> pa.Table:
    return table.set_column(table.column_names.index(name), name, values)
