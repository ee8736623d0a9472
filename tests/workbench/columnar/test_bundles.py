"""Rows are sent to the partition of their key in bundles, and only if they are needed."""

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.columnar import bundles
from workbench.columnar.blocks import CONDITIONS, NAME, gather
from workbench.columnar.bundles import PARTITION, SKIPPED, BundleTask, unbundled

Row = tuple[int, str, int]

SCHEMA = pa.schema(
    [("user", pa.int64()), ("shop", pa.string()), (CONDITIONS, pa.int32()), (PARTITION, pa.int32())]
)
KEYS = ("user", "shop")
ROWS = st.lists(
    st.tuples(st.integers(0, 4), st.sampled_from(["a", "b"]), st.integers(0, 3)), max_size=40
)


def batches(rows: list[Row], size: int) -> Iterator[pa.RecordBatch]:
    for start in range(0, len(rows), size):
        part = rows[start : start + size]
        columns = zip(
            *((user, shop, conditions, user % 3) for user, shop, conditions in part), strict=True
        )
        arrays = [pa.array(c, kind) for c, kind in zip(columns, SCHEMA.types, strict=True)]
        yield pa.RecordBatch.from_arrays(arrays, ["c0", "c1", "c2", "c3"])


def sent(task: BundleTask, rows: list[Row], size: int) -> list[tuple[int, Row]]:
    """Return the rows that a task sends, each with its partition."""
    values = list(task.run(batches(rows, size)))
    sent_rows = []
    for partition in range(task.partitions):
        for batch in unbundled(
            one.filter(pc.equal(one.column(PARTITION), partition)) for one in values
        ):
            assert batch.schema == SCHEMA.remove(3)
            sent_rows += [(partition, tuple(row.values())) for row in batch.to_pylist()]
    return sent_rows


@given(ROWS, st.integers(1, 9))
def test_every_row_goes_to_its_partition(rows: list[Row], size: int) -> None:
    task = BundleTask(tuple(SCHEMA.names), KEYS, partitions=3)
    assert sorted(sent(task, rows, size)) == sorted((row[0] % 3, row) for row in rows)


@given(ROWS, st.integers(1, 9))
def test_rows_that_fulfil_no_condition_are_dropped_except_one_for_each_other_key(
    rows: list[Row], size: int
) -> None:
    task = BundleTask(tuple(SCHEMA.names), KEYS, partitions=3, only_matching=True)
    sent_rows = [row for _, row in sent(task, rows, size)]
    fulfil = [row for row in rows if row[2]]
    assert sorted(row for row in sent_rows if row[2]) == sorted(fulfil)
    others = {row[:2] for row in rows} - {row[:2] for row in fulfil}
    assert sorted(row[:2] for row in sent_rows if not row[2]) == sorted(others)


@given(ROWS)
def test_a_worker_sends_its_rows_on_before_they_are_too_many(rows: list[Row]) -> None:
    task = BundleTask(tuple(SCHEMA.names), KEYS, partitions=3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bundles, "ROWS_IN_FRONT", 4)
        sizes = [len(batch) for batch in unbundled(task.run(batches(rows, 2)))]
    assert sum(sizes) == len(rows)
    assert max(sizes, default=0) <= 4


def test_names_arrive_whatever_the_width_of_their_codes_in_each_bundle() -> None:
    names = ("c0", NAME, PARTITION)
    task = BundleTask(names, ("c0",), partitions=1, text_as_codes=True)
    many, few = [f"event {i}" for i in range(300)], ["event 7", None]
    values = [
        out
        for part in (many, few)
        for out in task.run([pa.record_batch([[1] * len(part), part, [0] * len(part)], names)])
    ]
    block = gather(unbundled(values), ["c0"])
    assert block is not None
    assert block.plain(NAME).to_pylist() == many + few


@given(st.lists(st.tuples(st.none() | st.integers(0, 3), st.none() | st.integers(0, 9))))
def test_rows_that_lack_what_must_be_present_are_counted_and_sent_nowhere(
    rows: list[tuple[int | None, int | None]],
) -> None:
    names = ("user", "at", PARTITION)
    task = BundleTask(names, ("user",), partitions=2, present=("user", "at"))
    kinds = pa.schema([("user", pa.int64()), ("at", pa.int64()), (PARTITION, pa.int32())])
    each = [
        pa.RecordBatch.from_pylist([dict(zip(names, (*row, 0), strict=True))], kinds)
        for row in rows
    ]
    values = list(task.run(each))
    whole = [row for row in rows if None not in row]
    sent_rows = [tuple(row.values()) for part in unbundled(values) for row in part.to_pylist()]
    assert sent_rows == whole
    assert sum(pc.sum(one.column(SKIPPED)).as_py() for one in values) == len(rows) - len(whole)
