"""Window calls run by their tasks, without Spark: with partitions as a whole, or in pieces."""

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql.pandas.types import from_arrow_type

import workbench as wb
from tests.workbench.windows import cases as over_cases
from workbench.columnar.bundles import BUNDLE, PARTITION
from workbench.columnar.delivery import to_one_task
from workbench.columnar.key_codes import key_codes
from workbench.engine.block import Call
from workbench.engine.ranges.cuts import CUTS, CutTask
from workbench.engine.ranges.sample import SampleTask
from workbench.engine.task import WindowTask
from workbench.functions.fn import Function
from workbench.functions.order import order_terms
from workbench.windows.bind import Resolved, frame_for
from workbench.windows.extent import call_extent, why_not_cut
from workbench.windows.plan import bundling

Functions = dict[str, Function]


def cuttable(cases: dict[str, over_cases.Case], frame: wb.Frame) -> Functions:
    """Return the functions of the cases whose partitions can be cut with this frame."""
    return {
        name: one.function
        for name, one in cases.items()
        if why_not_cut({name: one.function}, {name: frame}) is None
    }


def prepared(rows: pa.Table) -> pa.Table:
    """Return a table with added columns: conditions, defaults and more types to order by."""
    whole, price = rows.column("whole"), rows.column("price").to_pylist()
    more = {
        "whole > 0": pc.greater(whole, 0),
        "whole <> 1": pc.not_equal(whole, 1),
        "9": pa.array([Decimal(9)] * len(rows), pa.decimal128(9, 1)),
        "zoned": rows.column("moment").cast(pa.timestamp("us", "Europe/Berlin")),
        "long": pa.array(list(map(_long, price)), pa.decimal128(30, 2)),
        "name": pc.binary_join_element_wise("same-", rows.column("word"), ""),
        "bytes": rows.column("word").cast(pa.binary()),
    }
    return pa.table({name: rows.column(name) for name in rows.column_names} | more)


def _long(price: Decimal | None) -> Decimal | None:
    """Return a number that may need more than 64 bits."""
    return price and price * (10**20 if price % 3 == 0 else 1)


def answer(
    rows: pa.Table, keys: Any, order_by: Any, frame: wb.Frame, functions: Functions
) -> pa.Table:
    """Return the answers with whole partitions, in the order of ``id``."""
    rows = prepared(rows)
    sent = to_one_task([rows], BUNDLE, rows.column_names)
    return _table(_task(rows, keys, order_by, frame, functions).from_rows(sent))


def answer_in_pieces(
    rows: pa.Table,
    keys: Any,
    order_by: Any,
    frame: wb.Frame,
    functions: Functions,
    rows_a_piece: int,
    rows_a_task: int,
    partitions: int,
    sampled: pa.Table | None = None,
) -> pa.Table:
    """Return the answers with partitions cut into pieces, in the order of ``id``.

    The cuts come from the sampled table if it differs from the table of the rows.
    """
    sampled, rows = prepared(rows if sampled is None else sampled), prepared(rows)
    task = _task(rows, keys, order_by, frame, functions)
    first, extent = task.order[0], task.extent
    assert extent is not None
    sample = SampleTask(tuple(dict.fromkeys((*keys, first.name))), tuple(keys), first, partitions)
    cut = CutTask(tuple(keys), extent, first.descending, partitions, rows_a_piece)
    parts = [sampled.slice(at, rows_a_task) for at in range(0, len(sampled), rows_a_task)]
    summaries = [s for part in parts for s in sample.run(_batches(part.select(sample.columns)))]
    cuts = [one[CUTS][0].as_py() for one in cut.run(summaries)]
    columns = (*rows.column_names, PARTITION)
    kind, more = bundling(task)
    pieces = kind(columns, tuple(keys), partitions, order=first, **more)
    bundles: list[pa.RecordBatch] = []
    for part in _with_partitions(rows, keys, partitions, rows_a_task):
        packed = pa.array([*cuts, None][:1] + [None] * (len(part) - 1), pa.binary())
        bundles += pieces.run(_batches(part.append_column(CUTS, packed)))
    values = pa.Table.from_batches(bundles)
    target = values.column(PARTITION)
    received = (values.filter(pc.equal(target, one)).to_batches() for one in range(partitions))
    return _table(batch for batches in received for batch in task.from_rows(batches))


def _with_partitions(
    rows: pa.Table, keys: Any, partitions: int, rows_a_task: int
) -> Iterator[pa.Table]:
    to = key_codes(rows.select(list(keys)))[0].astype("int32") % partitions
    rows = rows.append_column(PARTITION, pa.array(to, pa.int32()))
    return (rows.slice(at, rows_a_task) for at in range(0, len(rows), rows_a_task))


def _batches(rows: pa.Table) -> list[pa.RecordBatch]:
    batches: list[pa.RecordBatch] = rows.combine_chunks().to_batches(max_chunksize=7)
    return batches


def _task(
    rows: pa.Table, keys: Any, order_by: Any, frame: wb.Frame, functions: Functions
) -> WindowTask:
    order = order_terms(list(order_by))
    frames = {name: frame_for(one, frame, True) for name, one in functions.items()}
    calls = tuple(call_of(name, one, frames[name]) for name, one in functions.items())
    kind = from_arrow_type(rows.schema.field(order[0].name).type)
    resolved = [
        Resolved(name, one, frames[name], (), (), kind, None, None)
        for name, one in functions.items()
    ]
    back = (("id", "id"),)
    extent = call_extent(resolved, kind) if why_not_cut(functions, frames) is None else None
    return WindowTask(back, tuple(keys), order, calls, extent)


def call_of(name: str, one: Function, frame: wb.Frame) -> Call:
    arguments = tuple(map(str, one.arguments))
    where = None if one.condition is None else str(one.condition)
    default = None if one.options.default is None else str(one.options.default)
    options = replace(one.options, default=None)
    return Call(name, one.name, arguments, options, frame, where, default, one.order)


def _table(batches: Any) -> pa.Table:
    return pa.Table.from_batches(list(batches)).sort_by("id")
