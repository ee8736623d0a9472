"""Online views without Spark: a store in memory, events with everything that goes wrong, and a
backfill's answers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import isclose, isnan
from typing import Any

import pyarrow as pa

from workbench.backfill.worker.cogroup import Span
from workbench.backfill.worker.feature import Feature
from workbench.backfill.worker.task import QUERY, BackfillTask
from workbench.columnar.blocks import TIME
from workbench.engine.block import Call
from workbench.functions.catalogue import Options
from workbench.online.fetch import Fetched, StoreReader, fetch_features
from workbench.online.layout import StoreLayout
from workbench.online.update import BatchCounts, apply_batch
from workbench.online.upload import upload
from workbench.online.worker import UploadTask, Written
from workbench.stores import Change, Store

Row = dict[str, Any]

SCHEMA = pa.schema(
    [
        *(("k0", pa.string()), (TIME, pa.int64()), ("number", pa.int64()), ("real", pa.float64())),
        *(("other", pa.float64()), ("flag", pa.bool_()), ("good", pa.bool_())),
        *(("day", pa.date32()), ("bucket", pa.string()), ("word", pa.string())),
        *(("price", pa.decimal128(18, 4)), ("wide", pa.decimal128(38, 10))),
    ]
)
#: The hops of the windows; uploads end at multiples of all.
HOPS, STEP, LASTING = (4, 6), 12, 40
WINDOWS = ((9, 4), (30, 4), (30, 6), (100, 6), (None, 6))
DOUBLES = ("variance", "stddev_pop", "skewness", "kurtosis", "kurtosis_pop", "product")
CALLS: list[tuple[str, tuple[str, ...], pa.DataType]] = [
    ("count", (), pa.int64()),
    ("count", ("number",), pa.int64()),
    ("sum", ("number",), pa.int64()),
    ("sum", ("real",), pa.float64()),
    ("avg", ("number",), pa.float64()),
    ("avg", ("real",), pa.float64()),
    ("min", ("number",), pa.int64()),
    ("max", ("real",), pa.float64()),
    ("max", ("day",), pa.date32()),
    ("first", ("number",), pa.int64()),
    ("last", ("real",), pa.float64()),
    ("last", ("flag",), pa.bool_()),
    *((name, ("real",), pa.float64()) for name in DOUBLES),
    *((name, ("real", "other"), pa.float64()) for name in ("covar_samp", "corr")),
    *((name, ("flag",), pa.bool_()) for name in ("bool_and", "bool_or")),
    ("sum", ("price",), pa.decimal128(28, 4)),
    ("sum", ("wide",), pa.decimal128(38, 10)),
    *(("avg", (name,), pa.float64()) for name in ("price", "wide")),
]
#: Calls that are answered from retained events.
OF_EVENTS: list[tuple[str, tuple[str, ...], pa.DataType]] = [
    *((name, ("word",), pa.string()) for name in ("min", "max", "first", "last")),
    *((name, ("word",), pa.list_(pa.string())) for name in ("first_k", "last_k", "top_k")),
    ("bottom_k", ("number",), pa.list_(pa.int64())),
    ("arg_max", ("word", "number"), pa.string()),
    ("count_distinct", ("word",), pa.int64()),
    ("bounded_count_distinct", ("number",), pa.int64()),
    ("nth", ("number",), pa.int64()),
    *((f"distinct {name}", ("real",), pa.float64()) for name in ("sum", "avg", "median", "mode")),
    ("distinct count_distinct", ("number",), pa.int64()),
    ("distinct string_agg", ("word",), pa.string()),
    ("distinct array_agg", ("word",), pa.list_(pa.string())),
    ("distinct array_agg", ("number",), pa.list_(pa.int64())),
    ("distinct covar_samp", ("real", "other"), pa.float64()),
]
#: Calls whose states are bytes.
OF_BYTES: list[tuple[str, tuple[str, ...], pa.DataType]] = [
    ("histogram", ("word",), pa.map_(pa.string(), pa.int64())),
    ("histogram", ("number",), pa.map_(pa.int64(), pa.int64())),
    ("approx_count_distinct", ("real",), pa.int64()),
    ("approx_count_distinct", ("word",), pa.int64()),
    ("approx_top_k", ("number",), pa.map_(pa.int64(), pa.int64())),
    ("approx_top_k", ("word",), pa.map_(pa.string(), pa.int64())),
    ("approx_quantile", ("number",), pa.float64()),
    ("approx_quantile", ("day",), pa.timestamp("us")),
]
#: The size that a function takes in addition to its columns, where it is not 2.
SIZES = {"approx_count_distinct": 12, "approx_quantile": 200}


def features(
    by: bool = False,
    ignore_nulls: bool = False,
    calls: Sequence[tuple[str, tuple[str, ...], pa.DataType]] = CALLS,
) -> tuple[Feature, ...]:
    """Return features of all functions, their windows in turn; a third count only good events."""
    result = []
    for i, (function, arguments, kind) in enumerate(calls):
        for window, hop in (WINDOWS[i % 5], WINDOWS[(i + 2) % 5]):
            picked = function in ("first", "last", "nth")
            once = ignore_nulls and function == "top_k"
            once |= function.startswith("distinct ")
            plain = function.removeprefix("distinct ")
            q = (0.5,) * (plain in ("median", "approx_quantile"))
            options = Options(SIZES.get(plain, 2), q, True, None, ignore_nulls and picked, once)
            where = "good" if i % 3 == 2 else None
            name, span = f"{plain}_{i}_{window}_{hop}", Span(window, hop, 1)
            call: Any = Call(name, plain, arguments, options, span, where)  # type: ignore[arg-type]
            in_buckets = by and i % 2 == 0
            answer = pa.map_(pa.string(), kind) if in_buckets else kind
            result.append(Feature(call, answer, "bucket" if in_buckets else None))
    return tuple(result)


def table_of(events: Sequence[Row]) -> pa.Table:
    """Return events as the workers have them."""
    return pa.Table.from_pylist(list(events), SCHEMA)


class Memory:
    """A store that is a dictionary."""

    shared, place = False, "the store in memory"

    def __init__(self) -> None:
        self.held: dict[bytes, bytes] = {}

    def read(self, keys: Sequence[bytes]) -> list[bytes | None]:
        return [self.held.get(key) for key in keys]

    def write(self, changes: Sequence[Change], expect: Change | None = None) -> bool:
        if expect is not None and self.held.get(expect[0]) != expect[1]:
            return False
        for key, value in changes:
            self.held.pop(key, None)
            if value is not None:
                self.held[key] = value
        return True

    def scan(self, prefix: bytes, size: int = 10_000) -> Iterator[list[tuple[bytes, bytes]]]:
        pairs = sorted(pair for pair in self.held.items() if pair[0].startswith(prefix))
        for first in range(0, len(pairs), size):
            yield pairs[first : first + size]


@dataclass
class View:
    """An online view without Spark, and the events that it must know."""

    store: Store
    layout: StoreLayout
    lasting: int = LASTING
    seen: list[Row] = field(default_factory=list)
    uploaded: list[Row] = field(default_factory=list)
    streamed: list[Row] = field(default_factory=list)
    until: int = 0
    batch: int = -1

    def upload(self, until: int) -> None:
        """Upload all events that were seen."""
        rows = [row for row in self.seen if row["k0"] is not None and row[TIME] is not None]

        def job(task: UploadTask) -> list[Written]:
            return [replace(task, records_at_once=5).write(table_of(rows))]

        upload(self.store, self.layout, until, self.lasting, job)
        self.until, self.uploaded = until, [row for row in rows if row[TIME] < until]

    def stream(self, events: list[Row], batch: int | None = None) -> BatchCounts:
        """Apply a batch of events, the next one or an earlier one again."""
        if batch is None:
            self.batch, batch = self.batch + 1, self.batch + 1
            self.seen += events
            self.streamed += events
        table = table_of(events)
        return apply_batch(self.store, self.layout, self.lasting, table, "stream", batch)

    @property
    def known(self) -> list[Row]:
        """The events that a fetch must count: what is uploaded, and what was streamed since."""
        whole = [row for row in self.streamed if row["k0"] is not None and row[TIME] is not None]
        return self.uploaded + [row for row in whole if row[TIME] >= self.until]

    def fetch(self, keys: list[Any], at: int) -> Fetched:
        """Fetch with a new reader."""
        return fetch_features(StoreReader(self.store, self.layout.backfill), keys, at)


def layout_of(layout_features: Sequence[Feature]) -> StoreLayout:
    """Return the layout of features."""
    return StoreLayout("the backfill", ("user",), tuple(layout_features), SCHEMA)


def expected(layout: StoreLayout, known: Sequence[Row], keys: Sequence[str], at: int) -> list[Row]:
    """Return a backfill's answers to queries at a time, by the engine of windows."""
    task = BackfillTask((("id", "c0"),), ("k0",), layout.features, SCHEMA)
    schema = pa.schema([("k0", pa.string()), (TIME, pa.int64()), ("c0", pa.int64())])
    rows = [{"k0": key, TIME: at, "c0": i, QUERY: True} for i, key in enumerate(keys)]
    answers = task.answer(pa.Table.from_pylist(rows, schema), table_of(known)).to_pylist()
    ordered = sorted(answers, key=lambda row: int(row.pop("id")))
    kinds = {one.call.column: one.kind for one in layout.features}
    return [{name: _as_dicts(value, kinds[name]) for name, value in row.items()} for row in ordered]


def _as_dicts(value: Any, kind: pa.DataType) -> Any:
    """Return maps as dictionaries, also those in maps."""
    if value is None or not pa.types.is_map(kind):
        return value
    return {key: _as_dicts(one, kind.item_type) for key, one in value}


def agree(ours: Any, theirs: Any) -> bool:
    """Return whether answers are equal, floats except for the order of addition."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return ours.keys() == theirs.keys() and all(agree(ours[k], theirs[k]) for k in ours)
    if isinstance(ours, float) and isinstance(theirs, float):
        return (isnan(ours) and isnan(theirs)) or isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-9)
    return bool(ours == theirs) and type(ours) is type(theirs)
