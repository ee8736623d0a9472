"""The input of a lesson as a table that a person edits, and the input that an edited table is."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from workbench.engine.order import ordered_block
from workbench.errors import WorkbenchError
from workbench.funnel.funnel import Funnel
from workbench.funnel.inspect.one_key import KeyRows
from workbench.widgets.stepper.lesson import Lesson
from workbench.widgets.stepper.player import Player
from workbench.widgets.stepper.side_by_side import in_step
from workbench.windows.inspect.one_partition import Partition

Rows = list[list[Any]]
#: Makes the lesson of an input: of the edited rows, or of what was given where there are none.
Make = Callable[[Rows | None], Lesson]

_EPOCH, _SECOND = datetime(1970, 1, 1, tzinfo=UTC), 1_000_000
TIME, NUMBER, TEXT = "time", "number", "text"


def opened(make: Make) -> Player:
    """Return a player of a lesson, whose input can be edited where the lesson has one."""
    lesson = make(None)
    return Player(lesson, again=make if lesson.get("input") else None)


def both(left: Make, right: Make) -> Make:
    """Return what makes two lessons of one input, side by side.

    The input can be edited where both mean the same by it.

    Parameters
    ----------
    left, right : function

    Returns
    -------
    function
    """

    def make(rows: Rows | None) -> Lesson:
        found = left(rows), right(rows)
        given = [(lesson.get("input") or {}).get("columns") for lesson in found]
        lesson = in_step(*found)
        return lesson if given[0] == given[1] else {**lesson, "input": None}

    return make


def moments(time: Sequence[int] | NDArray[np.int64], integer_time: bool) -> tuple[str, list[Any]]:
    """Return how times are edited, and what stands in their fields.

    Parameters
    ----------
    time : sequence of int
        Microseconds, or integers of the user's own.
    integer_time : bool

    Returns
    -------
    str
        The kind of the field: whole seconds have one of their own.
    list

    Examples
    --------
    >>> moments([1_500_000_000_000_000], integer_time=False)
    ('time', ['2017-07-14 02:40:00'])
    """
    if integer_time:
        return NUMBER, [int(one) for one in time]
    texts = [(_EPOCH + timedelta(microseconds=int(one))).replace(tzinfo=None) for one in time]
    kind = TEXT if any(int(one) % _SECOND for one in time) else TIME
    return kind, [text.isoformat(" ") for text in texts]


def instant(field: Any, integer_time: bool) -> int:
    """Return the time that a field holds.

    Parameters
    ----------
    field : str or int
    integer_time : bool

    Returns
    -------
    int
        Microseconds, or the integer.

    Raises
    ------
    WorkbenchError
        When it holds none.

    Examples
    --------
    >>> instant("2017-07-14 02:40", integer_time=False), instant("7", integer_time=True)
    (1500000000000000, 7)
    """
    try:
        if integer_time:
            return int(field)
        moment = datetime.fromisoformat(str(field))
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return (moment - _EPOCH) // timedelta(microseconds=1)
    except (ValueError, OverflowError):
        such = "17" if integer_time else "2013-01-01 10:03:00"
        raise WorkbenchError(f"time: {field!r} is no time; give one such as {such}.") from None


def check_rows(rows: Rows, columns: int) -> Rows:
    """Return edited rows, when there are some and each has all its fields."""
    if not rows:
        raise WorkbenchError("rows: none is left to step through; keep one.")
    if any(len(row) != columns for row in rows):
        raise WorkbenchError(f"rows: a row needs {columns} fields.")
    return rows


class FunnelInput:
    """The rows of a funnel's key: when, and what happened, of all that is known to happen.

    Parameters
    ----------
    funnel : Funnel
    rows : KeyRows
        As they were fetched: which steps an event fulfils is taken from them.

    Examples
    --------
    >>> funnel = Funnel(["a", "b"], 9, "user", "at")
    >>> key = KeyRows(np.array([3]), np.array([1], np.uint32), ["a"], True, False)
    >>> given = FunnelInput(funnel, key)
    >>> given.table(key)["rows"], given.read([["5", "b"], ["4", "a"]]).conditions.tolist()
    ([[3, 'a']], [1, 2])
    """

    def __init__(self, funnel: Funnel, rows: KeyRows) -> None:
        found = dict.fromkeys(zip(rows.names, map(int, rows.conditions), strict=True))
        names = {name for name, _ in found}
        found |= dict.fromkeys(
            (label, 1 << k) for k, label in enumerate(funnel.labels) if label not in names
        )
        several = [name for name, _ in found if [n for n, _ in found].count(name) > 1]
        self.labels, self.several, self.rows = funnel.labels, several, rows
        self.known = {self._called(*one): one for one in found}

    def _called(self, name: str, conditions: int) -> str:
        """The event's name, and the steps it fulfils where a name does not say."""
        if name and name not in self.several:
            return name
        steps = [k + 1 for k in range(len(self.labels)) if conditions >> k & 1]
        return f"{name} (step {', '.join(map(str, steps))})" if steps else f"{name} (no step)"

    def table(self, rows: KeyRows) -> dict[str, Any]:
        """Return rows as what is edited."""
        kind, times = moments(rows.time, rows.integer_time)
        what = [
            self._called(*one) for one in zip(rows.names, map(int, rows.conditions), strict=True)
        ]
        columns = [{"name": "time", "kind": kind}, {"name": "event", "options": [*self.known]}]
        drag = None if kind == TEXT else {"column": 0, "seconds": 1}
        return {
            "columns": columns, "drag": drag,
            "rows": [list(one) for one in zip(times, what, strict=True)],
        }  # fmt: skip

    def read(self, table: Rows) -> KeyRows:
        """Return what edited rows are, in order of time."""
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
        Microseconds, or integers of the user's own; both are sorted.
    value : float64 array of shape (events,)
    integer_time : bool

    Examples
    --------
    >>> given = RungInput(np.array([5]), np.array([3]), np.array([1.5]), True)
    >>> given.table()["rows"], given.read([["query", "9", ""], ["event", "2", "4"]]).value.tolist()
    ([['query', 5, ''], ['event', 3, 1.5]], [4.0])
    """

    query: NDArray[np.int64]
    time: NDArray[np.int64]
    value: NDArray[np.float64]
    integer_time: bool

    def table(self) -> dict[str, Any]:
        """Return them as what is edited."""
        size = len(self.query)
        kind, times = moments([*self.query, *self.time], self.integer_time)
        columns = [
            {"name": "what", "options": ["query", "event"]},
            {"name": "time", "kind": kind},
            {"name": "value", "kind": NUMBER},
        ]
        rows = [["query", at, ""] for at in times[:size]]
        values = zip(times[size:], self.value.tolist(), strict=True)
        rows += [["event", at, value] for at, value in values]
        seconds = 1 if self.integer_time else 1 / _SECOND
        drag = None if kind == TEXT else {"column": 1, "seconds": seconds}
        return {"columns": columns, "rows": rows, "drag": drag}

    def read(self, table: Rows) -> "RungInput":
        """Return what edited rows are, in order of time."""
        timed = [
            (instant(at, self.integer_time), what, value)
            for what, at, value in check_rows(table, 3)
        ]
        timed.sort(key=lambda one: one[0])
        query = [at for at, what, _ in timed if what == "query"]
        events = [(at, _number(value)) for at, what, value in timed if what == "event"]
        if not (query and events):
            raise WorkbenchError("rows: a query and an event are needed; keep one of each.")
        time, values = zip(*events, strict=True)
        arrays = np.array(query, np.int64), np.array(time, np.int64), np.array(values, np.float64)
        return RungInput(*arrays, self.integer_time)


def _number(field: Any) -> float:
    try:
        return float(field)
    except ValueError:
        raise WorkbenchError(f"value: {field!r} is no number; give one such as 4.5.") from None


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
        self.types = [_plain_type(rows.schema.field(name).type) for name in self.names]

    @property
    def is_editable(self) -> bool:
        """Whether each column can be written as text."""
        return bool(self.names) and all(map(_is_written, self.types))

    def table(self, partition: Partition) -> dict[str, Any]:
        """Return rows as what is edited."""
        called = {held: name for name, held in self.partition.task.columns}
        columns, fields = [], []
        for name, type_ in zip(self.names, self.types, strict=True):
            kind, cells = _fields(partition.block.plain(name), type_)
            columns.append({"name": called.get(name, name), "kind": kind})
            fields.append(cells)
        rows = [list(row) for row in zip(*fields, strict=True)]
        return {"columns": columns, "rows": rows, "drag": None}

    def read(self, table: Rows) -> Partition:
        """Return what edited rows are, in their order."""
        fields = zip(*check_rows(table, len(self.names)), strict=True)
        called = {held: name for name, held in self.partition.task.columns}
        columns = {
            name: _column(list(cells), called.get(name, name), type_)
            for name, cells, type_ in zip(self.names, fields, self.types, strict=True)
        }
        mine, task = self.partition, self.partition.task
        first = mine.block.keys.select(list(task.keys)).take([0] * len(table))
        rows = pa.table({**dict(zip(first.column_names, first.columns, strict=True)), **columns})
        given = rows.select(mine.block.rows.column_names)
        return replace(mine, block=ordered_block(given, task.keys, task.order))


def _plain_type(type_: pa.DataType) -> pa.DataType:
    return type_.value_type if pa.types.is_dictionary(type_) else type_


def _is_written(type_: pa.DataType) -> bool:
    kinds = pa.types
    checks = (kinds.is_integer, kinds.is_floating, kinds.is_boolean, kinds.is_decimal)
    texts = (kinds.is_string, kinds.is_large_string, kinds.is_date, kinds.is_timestamp)
    return any(check(type_) for check in (*checks, *texts))


def _fields(values: pa.Array, type_: pa.DataType) -> tuple[str, list[Any]]:
    """The kind of a column's fields, and what stands in them; nothing stands for null."""
    if pa.types.is_timestamp(type_):
        micros = values.cast(pa.timestamp("us", type_.tz)).cast(pa.int64()).to_pylist()
        kind, texts = moments([one for one in micros if one is not None], integer_time=False)
        known = iter(texts)
        return kind, ["" if one is None else next(known) for one in micros]
    is_number = pa.types.is_integer(type_) or pa.types.is_floating(type_)
    cells = values.to_pylist()
    return (NUMBER if is_number else TEXT), ["" if one is None else str(one) for one in cells]


def _column(cells: list[Any], name: str, type_: pa.DataType) -> pa.Array:
    texts = [None if cell in ("", None) else str(cell) for cell in cells]
    try:
        if pa.types.is_timestamp(type_):
            micros = [None if one is None else instant(one, integer_time=False) for one in texts]
            return pa.array(micros, pa.int64()).cast(pa.timestamp("us", type_.tz)).cast(type_)
        return pa.array(texts, pa.string()).cast(type_)
    except pa.ArrowInvalid as error:
        raise WorkbenchError(f"{name}: {error}; give another value.") from None
