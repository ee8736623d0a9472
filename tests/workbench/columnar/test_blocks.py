"""Blocks are whole partitions, wherever Spark cut its batches."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.columnar.blocks import TIME, Block, gather
from workbench.columnar.instants import from_instants, instants
from workbench.columnar.packed_blocks import ShortTimes, pack, unpack

Row = dict[str, Any]

#: Columns that may be a key: their type, and a few values, so that keys repeat.
KEYS: dict[str, tuple[pa.DataType, list[Any]]] = {
    "long": (pa.int64(), [0, -1, 7, 2**63 - 1]),
    "string": (pa.string(), ["", "a", "ä", "a b"]),
    "boolean": (pa.bool_(), [False, True]),
    "date": (pa.date32(), [date(1969, 12, 31), date(1970, 1, 1), date(2024, 2, 29)]),
    "decimal": (pa.decimal128(10, 2), [Decimal("0.10"), Decimal("-3.00"), Decimal("12345678.90")]),
    "timestamp": (pa.timestamp("us", "UTC"), [datetime(1969, 7, 20, tzinfo=UTC)] * 2),
}
CHOICES: list[tuple[str, ...]] = [(name,) for name in KEYS]
CHOICES += [("string", "long"), ("date", "boolean", "decimal")]

SCHEMA = pa.schema(
    [
        *((name, kind) for name, (kind, _) in KEYS.items()),
        ("time", pa.int64()),
        ("event", pa.string()),
    ]
)
ROW = st.fixed_dictionaries(
    {name: st.sampled_from(values) for name, (_, values) in KEYS.items()}
    | {"time": st.integers(-5, 5), "event": st.sampled_from(["a", "b", None])}
)
KEY = st.sampled_from(CHOICES)


@st.composite
def cuts(draw: st.DrawFn, rows: Sequence[Row]) -> list[pa.RecordBatch]:
    """Draw a way to cut rows into batches, empty ones included."""
    ends = sorted(draw(st.lists(st.integers(0, len(rows)), max_size=6)))
    pieces = [rows[a:b] for a, b in zip([0, *ends], [*ends, len(rows)], strict=True)]
    return [pa.RecordBatch.from_pylist(list(piece), SCHEMA) for piece in pieces]


def partitions(block: Block | None) -> dict[tuple[Any, ...], list[Row]]:
    """Return the rows of each key, in the order of the block."""
    if block is None:
        return {}
    keys = [tuple(row.values()) for row in block.keys.to_pylist()]
    rows = block.rows.to_pylist()
    assert len(set(keys)) == len(keys)
    assert block.offsets[0] == 0
    assert block.offsets[-1] == len(rows)
    return {k: rows[block.offsets[p] : block.offsets[p + 1]] for p, k in enumerate(keys)}


def grouped_rows(rows: Sequence[Row], key: Sequence[str]) -> dict[tuple[Any, ...], list[Row]]:
    groups: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in rows:
        values = {name: value for name, value in row.items() if name not in key}
        groups[tuple(row[name] for name in key)].append(values)
    return dict(groups)


@given(st.data(), st.lists(ROW, max_size=30), KEY)
def test_every_cut_of_the_same_rows_gives_the_same_block(
    data: st.DataObject, rows: list[Row], key: tuple[str, ...]
) -> None:
    one = gather(data.draw(cuts(rows)), key)
    other = gather(data.draw(cuts(rows)), key)
    assert partitions(one) == partitions(other)


@given(st.data(), st.lists(ROW, max_size=30), KEY)
def test_a_key_holds_its_own_rows_in_the_order_of_arrival(
    data: st.DataObject, rows: list[Row], key: tuple[str, ...]
) -> None:
    assert partitions(gather(data.draw(cuts(rows)), key)) == grouped_rows(rows, key)


@given(st.lists(ROW, min_size=1, max_size=90), KEY)
def test_a_key_holds_its_rows_in_order_of_time_and_ties_as_they_arrived(
    rows: list[Row], key: tuple[str, ...]
) -> None:
    timed = [row | {TIME: row["time"]} for row in rows]
    schema = SCHEMA.append(pa.field(TIME, pa.int64()))
    ordered = grouped_rows(sorted(timed, key=lambda row: row[TIME]), key)
    assert partitions(gather([pa.RecordBatch.from_pylist(timed, schema)], key, True)) == ordered


@given(st.lists(ROW, min_size=1, max_size=30), KEY)
def test_every_row_is_numbered_by_its_partition(rows: list[Row], key: tuple[str, ...]) -> None:
    block = gather([pa.RecordBatch.from_pylist(rows, SCHEMA)], key)
    assert block is not None
    expected = [p for p, rows_of_key in enumerate(partitions(block).values()) for _ in rows_of_key]
    assert block.partition_of_rows().tolist() == expected


@given(st.lists(ROW, min_size=1, max_size=30), KEY, st.booleans())
def test_an_unpacked_block_equals_the_packed_one(
    rows: list[Row], key: tuple[str, ...], coded: bool
) -> None:
    block = gather([pa.RecordBatch.from_pylist(rows, SCHEMA)], key)
    assert block is not None
    before = partitions(block)
    if coded:
        at = block.rows.column_names.index("event")
        codes = block.column("event").dictionary_encode()
        block = Block(block.keys, block.offsets, block.rows.set_column(at, "event", codes))
    unpacked = unpack(pack(block), key)
    assert partitions(unpacked) == before
    assert unpacked.plain("event").to_pylist() == block.plain("event").to_pylist()
    assert unpacked.plain("event").type == pa.string()


#: Times of each step of a clock: a row's, or all of them, may be a little off.
STEPS = st.sampled_from([1, 1_000, 1_000_000, 86_400_000_000, 7, 500])
TIMES = STEPS.flatmap(
    lambda step: st.lists(
        st.integers(-(2**33), 2**33).map(lambda n: n * step).filter(lambda time: abs(time) < 2**62),
        min_size=1,
    )
)
ODD = st.sampled_from([0, 0, 1, -(2**63), 2**63 - 1])
TYPES = st.sampled_from([pa.int64(), pa.timestamp("us"), pa.timestamp("us", "Asia/Tokyo")])


@given(TIMES, ODD, TYPES)
def test_unpacked_times_equal_the_packed_ones(
    times: list[int], odd: int, kind: pa.DataType
) -> None:
    column = pa.array([*times, odd or times[0]], pa.int64()).cast(kind)
    user = pa.array(range(len(column)), pa.int64()).cast(pa.string())
    block = Block(pa.table({"user": user}), np.arange(len(column) + 1), pa.table({TIME: column}))
    unpacked = unpack(pack(block), ["user"])
    assert unpacked.column(TIME).equals(column)
    assert unpacked.offsets.tolist() == block.offsets.tolist()


@pytest.mark.parametrize("unit", [1, 1_000, 1_000_000, 86_400_000_000])
def test_times_of_a_coarse_clock_are_packed_in_half_of_their_width(unit: int) -> None:
    times = np.array([0, 5, min(2**32 - 1, 2**62 // unit)]) * unit - 77
    short = ShortTimes.of(times)
    assert short is not None
    assert short.unit == unit
    assert ShortTimes.of(np.append(times, times[0] + 2**40 + 1)) is None


def test_many_rows_of_many_keys_keep_their_order_across_large_batches() -> None:
    rng = np.random.default_rng(0)
    user, number = rng.integers(0, 5_000, 200_000), np.arange(200_000)
    table = pa.table({"user": user, "number": number})
    block = gather(table.to_batches(max_chunksize=70_000), ["user"])
    assert block is not None
    assert sorted(block.keys.column("user").to_pylist()) == np.unique(user).tolist()
    numbers = block.column("number").to_numpy()
    assert (user[numbers] == block.keys.column("user").to_numpy()[block.partition_of_rows()]).all()
    same_key = np.diff(block.partition_of_rows()) == 0
    assert (np.diff(numbers)[same_key] > 0).all()


@pytest.mark.parametrize("batches", [0, 1, 3])
def test_there_is_no_block_without_rows(batches: int) -> None:
    assert gather([pa.RecordBatch.from_pylist([], SCHEMA)] * batches, ["long"]) is None


INSTANTS = st.integers(-(10**16), 10**16)
ZONES = [None, "UTC", "America/New_York", "Asia/Kolkata"]


@given(st.lists(INSTANTS), st.sampled_from(ZONES))
def test_a_timestamp_is_its_microseconds_since_1970_whatever_the_zone(
    values: list[int], zone: str | None
) -> None:
    kind = pa.timestamp("us", zone)
    times = from_instants(np.array(values, np.int64), kind)
    assert times.type == kind
    assert instants(times).tolist() == values


@given(st.datetimes(), st.sampled_from([0, -300, 330]))
def test_a_moment_is_the_same_number_in_every_zone(moment: datetime, minutes: int) -> None:
    local = moment.replace(tzinfo=timezone(timedelta(minutes=minutes)))
    since_1970 = (local - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
    assert instants(pa.array([local], pa.timestamp("us", "UTC"))).tolist() == [since_1970]


@given(st.lists(st.dates()))
def test_a_date_is_its_midnight_and_comes_back_as_itself(days: list[date]) -> None:
    values = instants(pa.array(days, pa.date32()))
    assert values.tolist() == [(day - date(1970, 1, 1)).days * 86_400_000_000 for day in days]
    assert from_instants(values, pa.date32()).to_pylist() == days


@given(st.lists(st.integers(-(2**15), 2**15 - 1)))
def test_integers_are_not_changed(values: list[int]) -> None:
    for kind in (pa.int16(), pa.int32(), pa.int64()):
        assert instants(pa.array(values, kind)).tolist() == values
    assert from_instants(np.array(values, np.int64), pa.int64()).to_pylist() == values
