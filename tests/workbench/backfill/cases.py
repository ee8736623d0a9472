"""Queries and events with everything that goes wrong in tables; features by brute force."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

from workbench.backfill.worker.cogroup import Span
from workbench.backfill.worker.feature import Feature
from workbench.backfill.worker.task import QUERY, BackfillTask
from workbench.columnar.blocks import TIME
from workbench.engine.block import Call
from workbench.functions.catalogue import NO_OPTIONS, Options

Row = dict[str, Any]

SCHEMA = pa.schema(
    [
        *(("k0", pa.string()), (TIME, pa.int64()), ("number", pa.int64()), ("word", pa.string())),
        *(("good", pa.bool_()), ("bucket", pa.string())),
        *(("price", pa.decimal128(18, 4)), ("wide", pa.decimal128(38, 10))),
    ]
)
KEYS = st.sampled_from(["a", "a", "a", "b"])
#: Close together, so that there are ties, and on both sides of 1970.
TIMES = st.integers(-20, 20)


def events_at(
    times: st.SearchStrategy[int], numbers: st.SearchStrategy[int]
) -> st.SearchStrategy[list[Row]]:
    """Draw events."""
    row = {
        "k0": KEYS,
        TIME: times,
        "number": st.one_of(st.none(), numbers),
        "word": st.sampled_from(["x", "y", "z", None]),
        "good": st.sampled_from([True, True, False, None]),
        "bucket": st.sampled_from(["p", "q", None]),
    }
    return st.lists(st.fixed_dictionaries(row), max_size=25)


def queries_at(times: st.SearchStrategy[int]) -> st.SearchStrategy[list[Row]]:
    """Draw queries; keys without events and missing values are among them."""
    row = {"k0": st.sampled_from(["a", "b", "c", None]), TIME: st.one_of(st.none(), times)}
    return st.lists(st.fixed_dictionaries(row), max_size=12)


events_of, queries_of = events_at(TIMES, st.integers(-9, 9)), queries_at(TIMES)
#: A window of None has no bound.
spans = st.builds(
    lambda window, hop, rounded: Span(window, hop, hop if rounded else 1),
    st.sampled_from([0, 3, 11, 10**6, None]),
    st.sampled_from([1, 1, 4, 7]),
    st.booleans(),
)


def sorted_by_time(rows: list[Row], name: str) -> list[Row]:
    """Return rows by time, and those of one time by a value, null first."""
    return sorted(rows, key=lambda r: (r[TIME], r[name] is not None, r[name] or type(r[name])()))


def _value_at(position: int) -> Callable[[list[Row], str], Any]:
    return lambda rows, name: sorted_by_time(rows, name)[position][name] if rows else None


def _non_null(rows: list[Row], name: str) -> list[Any]:
    return [row[name] for row in rows if row[name] is not None]


def _of_non_null(function: Callable[[list[Any]], Any]) -> Callable[[list[Row], str], Any]:
    def apply(rows: list[Row], name: str) -> Any:
        values = _non_null(rows, name)
        return function(values) if values else None

    return apply


@dataclass(frozen=True)
class FunctionCase:
    """A function, its column, its answer by brute force, and the type of the answer."""

    function: str
    argument: str | None
    by_force: Callable[[list[Row], str], Any]
    kind: pa.DataType
    options: Options = NO_OPTIONS

    @property
    def names(self) -> tuple[str, ...]:
        return () if self.argument is None else (self.argument,)


FUNCTION_CASES = [
    FunctionCase("count", None, lambda rows, name: len(rows), pa.int64()),
    FunctionCase("count", "word", lambda rows, name: len(_non_null(rows, name)), pa.int64()),
    FunctionCase(
        "count_distinct", "word", lambda rows, n: len(set(_non_null(rows, n))), pa.int64()
    ),
    FunctionCase("sum", "number", _of_non_null(sum), pa.int64()),
    FunctionCase("avg", "number", _of_non_null(lambda v: sum(v) / len(v)), pa.float64()),
    FunctionCase("min", "word", _of_non_null(min), pa.string()),
    FunctionCase("max", "number", _of_non_null(max), pa.int64()),
    FunctionCase("first", "word", _value_at(0), pa.string()),
    FunctionCase("last", "number", _value_at(-1), pa.int64()),
    FunctionCase("last", "word", _value_at(-1), pa.string()),
    FunctionCase(
        "median",
        "number",
        _of_non_null(lambda v: float(np.median(v))),
        pa.float64(),
        Options(q=(0.5,), single=True),
    ),
]


def feature(case: FunctionCase, span: Span, where: bool = False, by: bool = False) -> Feature:
    """Return the feature as the workers get it."""
    condition = "good" if where else None
    call: Any = Call("found", case.function, case.names, case.options, span, condition)  # type: ignore[arg-type]
    kind = pa.map_(pa.string(), case.kind) if by else case.kind
    return Feature(call, kind, "bucket" if by else None)


def by_force(
    case: FunctionCase, span: Span, where: bool, by: bool, query: Row, events: list[Row]
) -> Any:
    """Return a query's answer, from the events in its window."""
    if query[TIME] is None:
        rows = []
    else:
        high = query[TIME] // span.last_hop * span.last_hop
        window = 10**20 if span.window is None else span.window
        low = (query[TIME] - window) // span.hop * span.hop
        rows = [r for r in events if r["k0"] == query["k0"] and low <= r[TIME] < high]
    rows = [row for row in rows if row["good"] or not where]
    name = case.argument or ""
    if not by:
        return case.by_force(rows, name)
    if case.function not in ("first", "last") and name:
        rows = [row for row in rows if row[name] is not None]
    buckets = sorted({row["bucket"] for row in rows} - {None})
    answers = {b: case.by_force([r for r in rows if r["bucket"] == b], name) for b in buckets}
    return answers or None


def task(*features: Feature) -> BackfillTask:
    """Return the task of the workers for these features."""
    return BackfillTask((("id", "c0"),), ("k0",), features, SCHEMA)


def tables(queries: list[Row], events: list[Row]) -> tuple[pa.Table, pa.Table]:
    """Return the rows as the workers get them; queries have a number."""
    numbered = [row | {"c0": i, QUERY: True} for i, row in enumerate(queries)]
    schema = pa.schema([("k0", pa.string()), (TIME, pa.int64()), ("c0", pa.int64())])
    return (
        pa.Table.from_pylist(numbered, schema.append(pa.field(QUERY, pa.bool_()))),
        pa.Table.from_pylist(events, SCHEMA),
    )
