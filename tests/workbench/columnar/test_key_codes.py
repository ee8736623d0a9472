"""Rows are numbered by their keys, of any type and any number."""

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from workbench.columnar.key_codes import key_codes, narrow

#: A value of each type that Spark hands to Python.
PLAIN: list[tuple[pa.DataType, Any]] = [
    *((kind, 1) for kind in (pa.int8(), pa.int16(), pa.int32(), pa.int64())),
    *((kind, -0.0) for kind in (pa.float32(), pa.float64())),
    *((pa.decimal128(digits, 2), Decimal("1.25")) for digits in (5, 18, 38)),
    (pa.bool_(), True),
    (pa.string(), "a"),
    (pa.large_string(), "a"),
    (pa.binary(), b"a"),
    (pa.large_binary(), b"a"),
    (pa.date32(), date(1969, 12, 31)),
    (pa.timestamp("us"), datetime(2024, 2, 29)),
    (pa.timestamp("us", "Asia/Tokyo"), datetime(2024, 2, 29, tzinfo=UTC)),
    (pa.duration("us"), timedelta(days=-1)),
    (pa.time64("ns"), time(23, 59)),
    (pa.null(), None),
]
NESTED = [
    pair
    for kind, value in PLAIN
    for pair in (
        (pa.list_(kind), [value, None]),
        (pa.struct([("x", kind), ("y", pa.int64())]), {"x": value, "y": 1}),
        (pa.list_(pa.struct([("x", kind)])), [{"x": value}]),
    )
]


@pytest.mark.parametrize(("kind", "value"), PLAIN + NESTED, ids=lambda one: str(one)[:40])
def test_equal_values_of_every_type_have_equal_codes(kind: pa.DataType, value: Any) -> None:
    code_of_null = 0 if value is None else 1
    cases: list[tuple[list[Any], list[int]]] = [
        ([], []),
        ([value], [0]),
        ([None, None], [0, 0]),
        ([value, None, value], [0, code_of_null, 0]),
    ]
    for values, expected in cases:
        column = pa.array(values, kind)
        for chunks in ([column], [column.slice(0, 0), column], [] if not values else [column]):
            keys = pa.table({"k": pa.chunked_array(chunks, kind)})
            codes, count = key_codes(keys)
            assert (codes.tolist(), count) == (expected, len(set(expected)))
            twice = key_codes(keys.append_column("again", keys.column(0)))
            assert (twice[0].tolist(), twice[1]) == (expected, len(set(expected)))


WIDE = pa.struct(
    [
        ("text", pa.large_string()),
        pa.field("list", pa.list_(pa.field("element", pa.large_binary(), nullable=False))),
        ("map", pa.map_(pa.large_string(), pa.list_(pa.large_string()))),
        ("number", pa.int64()),
    ]
)


def test_text_and_bytes_have_32_bit_offsets_at_any_depth() -> None:
    value = {"text": "a", "list": [b"b", b""], "map": [("c", ["d", None])], "number": 7}
    rows = pa.table({"x": pa.array([value, None], WIDE), "y": pa.array(["z", None])})
    narrowed = narrow(rows)
    assert "large" not in str(narrowed.schema)
    assert narrowed.to_pylist() == rows.to_pylist()
    assert narrowed.schema.field("x").type.field("list").type.value_field.nullable is False
    assert narrow(narrowed) is narrowed
