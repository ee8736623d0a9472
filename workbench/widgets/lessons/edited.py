"""The input of a lesson as a table to edit, and back."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from workbench.durations import SECOND
from workbench.engine.order import ordered_block
from workbench.errors import WorkbenchError
from workbench.funnel.funnel import Funnel
from workbench.funnel.inspect.one_key import KeyRows
from workbench.widgets.lessons.fields import (
    NUMBER,
    TEXT,
    Rows,
    check_rows,
    column_of,
    field_values,
    fields_of,
    instant,
    is_written,
    number_of,
    plain_type,
)
from workbench.widgets.stepper.lesson import Lesson
from workbench.widgets.stepper.player import Player
from workbench.widgets.stepper.side_by_side import in_step
from workbench.windows.inspect.one_partition import Partition

#: Makes a lesson from edited rows, or from the original input if there are none.
LessonMaker = Callable[[Rows | None], Lesson]


def open_player(make: LessonMaker) -> Player:
    """Return a player of a lesson, whose input can be edited if the lesson has one."""
    lesson = make(None)
    return Player(lesson, again=make if lesson.get("input") else None)


def make_both(left: LessonMaker, right: LessonMaker) -> LessonMaker:
    """Return a maker of two lessons side by side, of the same input.

    The input can be edited if it has the same columns for both.

    Parameters
    ----------
    left, right : function

    Returns
    -------
    function
    """

    def make(rows: Rows | None) -> Lesson:
        lessons = left(rows), right(rows)
        columns = [(lesson.get("input") or {}).get("columns") for lesson in lessons]
        lesson = in_step(*lessons)
        return lesson if columns[0] == columns[1] else {**lesson, "input": None}

    return make


class FunnelInput:
    """The rows of a funnel's key: times and events, of the known kinds of events.

    Parameters
    ----------
    funnel : Funnel
    rows : KeyRows
        The fetched rows, which determine the steps that an event fulfils.

    Examples
    --------
    >>> funnel = Funnel(["a", "b"], 9, "user", "at")
    >>> key = KeyRows(np.array([3]), np.array([1], np.uint32), ["a"], True, False)
    >>> events = FunnelInput(funnel, key)
    >>> events.table(key)["rows"], events.read([["5", "b"], ["4", "a"]]).conditions.tolist()
    ([[3, 'a']], [1, 2])
    """

    def __init__(self, funnel: Funnel, rows: KeyRows) -> None:
        kinds = dict.fromkeys(zip(rows.names, map(int, rows.conditions), strict=True))
        names = {name for name, _ in kinds}
        kinds |= dict.fromkeys(
            (label, 1 << k) for k, label in enumerate(funnel.labels) if label not in names
        )
        several = [name for name, _ in kinds if [n for n, _ in kinds].count(name) > 1]
        self.labels, self.several, self.rows = funnel.labels, several, rows
        self.known = {self._event_label(*one): one for one in kinds}

    def _event_label(self, name: str, conditions: int) -> str:
        """Return the event's name, with the steps it fulfils if the name is ambiguous."""
        if name and name not in self.several:
            return name
        steps = [k + 1 for k in range(len(self.labels)) if conditions >> k & 1]
        return f"{name} (step {', '.join(map(str, steps))})" if steps else f"{name} (no step)"

    def table(self, rows: KeyRows) -> dict[str, Any]:
        """Return rows as a table to edit."""
        kind, times = field_values(rows.time, rows.integer_time)
        what = [
            self._event_label(*one)
            for one in zip(rows.names, map(int, rows.conditions), strict=True)
        ]
        columns = [{"name": "time", "kind": kind}, {"name": "event", "options": [*self.known]}]
        drag = None if kind == TEXT else {"column": 0, "seconds": 1}
        return {
            "columns": columns, "drag": drag,
            "rows": [list(one) for one in zip(times, what, strict=True)],
        }  # fmt: skip

    def read(self, table: Rows) -> KeyRows:
        """Return the rows of an edited table, in order of time."""
        table = check_rows(table, 2)
        if unknown := [what for _, what in table if what not in self.known]:
            known = ", ".join(map(repr, self.known))
            raise WorkbenchError(f"event: {unknown[0]!r} is not known; use {known}.")
        timed = [(instant(at, self.rows.integer_time), *self.known[what]) for at, what in table]
        timed.sort(key=lambda one: one[0])
        time, names, conditions = zip(*timed, strict=True)
        columns = np.array(time, np.int64), np.array(conditions, np.uint32)
        return replace(self.rows, time=columns[0], conditions=columns[1], names=list(names))


@dataclass(frozen=True)
class RungInput:
    """The queries and the events of one key.

    Attributes
    ----------
    query : int64 array of shape (queries,)
    time : int64 array of shape (events,)
        Microseconds, or integers in the user's unit; both are sorted.
    value : float64 array of shape (events,)
    integer_time : bool

    Examples
    --------
    >>> rung = RungInput(np.array([5]), np.array([3]), np.array([1.5]), True)
    >>> rung.table()["rows"], rung.read([["query", "9", ""], ["event", "2", "4"]]).value.tolist()
    ([['query', 5, ''], ['event', 3, 1.5]], [4.0])
    """

    query: NDArray[np.int64]
    time: NDArray[np.int64]
    value: NDArray[np.float64]
    integer_time: bool

    def table(self) -> dict[str, Any]:
        """Return them as a table to edit."""
        size = len(self.query)
        kind, times = field_values([*self.query, *self.time], self.integer_time)
        columns = [
            {"name": "what", "options": ["query", "event"]},
            {"name": "time", "kind": kind},
            {"name": "value", "kind": NUMBER},
        ]
        rows = [["query", at, ""] for at in times[:size]]
        values = zip(times[size:], self.value.tolist(), strict=True)
        rows += [["event", at, value] for at, value in values]
        seconds = 1 if self.integer_time else 1 / SECOND
        drag = None if kind == TEXT else {"column": 1, "seconds": seconds}
        return {"columns": columns, "rows": rows, "drag": drag}

    def read(self, table: Rows) -> "RungInput":
        """Return the queries and events of an edited table, in order of time."""
        timed = [
            (instant(at, self.integer_time), what, value)
            for what, at, value in check_rows(table, 3)
        ]
        timed.sort(key=lambda one: one[0])
        query = [at for at, what, _ in timed if what == "query"]
        events = [(at, number_of(value)) for at, what, value in timed if what == "event"]
        if not (query and events):
            raise WorkbenchError("rows: a query and an event are needed; keep one of each.")
        time, values = zip(*events, strict=True)
        arrays = np.array(query, np.int64), np.array(time, np.int64), np.array(values, np.float64)
        return RungInput(*arrays, self.integer_time)


class PartitionInput:
    """The rows of a partition of a window call: every column that the call reads, as text.

    Parameters
    ----------
    partition : Partition
    """

    def __init__(self, partition: Partition) -> None:
        self.partition = partition
        rows = partition.block.rows
        self.names = [name for name in rows.column_names if name not in partition.task.keys]
        self.types = [plain_type(rows.schema.field(name).type) for name in self.names]

    @property
    def is_editable(self) -> bool:
        """Whether each column can be written as text."""
        return bool(self.names) and all(map(is_written, self.types))

    def table(self, partition: Partition) -> dict[str, Any]:
        """Return rows as a table to edit."""
        display_names = {internal: name for name, internal in self.partition.task.columns}
        columns, fields = [], []
        for name, type_ in zip(self.names, self.types, strict=True):
            kind, cells = fields_of(partition.block.plain(name), type_)
            columns.append({"name": display_names.get(name, name), "kind": kind})
            fields.append(cells)
        rows = [list(row) for row in zip(*fields, strict=True)]
        return {"columns": columns, "rows": rows, "drag": None}

    def read(self, table: Rows) -> Partition:
        """Return the partition of an edited table, in order."""
        fields = zip(*check_rows(table, len(self.names)), strict=True)
        display_names = {internal: name for name, internal in self.partition.task.columns}
        columns = {
            name: column_of(list(cells), display_names.get(name, name), type_)
            for name, cells, type_ in zip(self.names, fields, self.types, strict=True)
        }
        mine, task = self.partition, self.partition.task
        first = mine.block.keys.select(list(task.keys)).take([0] * len(table))
        rows = pa.table({**dict(zip(first.column_names, first.columns, strict=True)), **columns})
        ordered = rows.select(mine.block.rows.column_names)
        return replace(mine, block=ordered_block(ordered, task.keys, task.order))
