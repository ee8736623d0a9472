"""The queries and the events of a backfill's key, as a table to edit."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from workbench.backfill.inspect.origin import OneQuery
from workbench.columnar.blocks import TIME
from workbench.columnar.instants import from_instants, instants
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
    """The queries and events of a key that a lesson of a backfill shows.

    Attributes
    ----------
    query : int64 array of shape (queries,)
        The times of the key's queries, sorted.
    one : OneQuery
        The task and the key's events.
    """

    query: NDArray[np.int64]
    one: OneQuery

    @property
    def time(self) -> NDArray[np.int64]:
        """The times of the events."""
        return instants(as_array(self.one.events.column(TIME)))


class BackfillInput:
    """The times of queries and of events, and the columns of events that a feature reads.

    All else of an event, such as its condition, is that of an event that counts.

    Parameters
    ----------
    key : KeyOfBackfill
    feature : str
    names : dict of str to str
        The columns that the feature reads: the user's name by the workers' name.
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
        """Return the key with only the events that count."""
        return replace(self.key, one=replace(self.key.one, events=self._counting))

    def table(self, key: KeyOfBackfill) -> dict[str, Any]:
        """Return queries and events as a table to edit, with events that do not count last."""
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
        """Return the queries and events of an edited table, in order of time."""
        rows = [
            (instant(row[1], self.integer_time), row)
            for row in check_rows(table, 2 + len(self.names))
        ]
        rows.sort(key=lambda one: one[0])
        query = [at for at, row in rows if row[0] == QUERY]
        events = [(at, row) for at, row in rows if row[0] == EVENT]
        if not (query and events):
            raise WorkbenchError("rows: a query and an event are needed; keep one of each.")
        event_rows = self._counting.take(pa.array([0] * len(events)))
        times = np.array([at for at, _ in events], np.int64)
        event_rows = _with_column(
            event_rows, TIME, from_instants(times, event_rows.schema.field(TIME).type)
        )
        for place, (name, type_) in enumerate(self.types.items(), 2):
            cells = [row[place] for _, row in events]
            event_rows = _with_column(event_rows, name, column_of(cells, self.names[name], type_))
        return KeyOfBackfill(np.array(query, np.int64), replace(self.key.one, events=event_rows))


def _with_column(table: pa.Table, name: str, values: pa.Array) -> pa.Table:
    return table.set_column(table.column_names.index(name), name, values)
