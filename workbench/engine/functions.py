"""Window functions on a block: from kernels' results to columns."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kernels.frames.ordering import MOST
from kernels.states.aggregates import AGGREGATES
from kernels.structures.sort_keys import sort_keys
from kernels.windows.aggregate import moving_aggregate
from kernels.windows.distinct.aggregate import moving_distinct
from kernels.windows.distinct.count import moving_count_distinct
from kernels.windows.distinct.mad import moving_distinct_mad
from kernels.windows.distinct.quantile import find_distinct_quantile_rows
from kernels.windows.lead_lag import lead_rows, value_rows
from kernels.windows.mad import moving_mad
from kernels.windows.mode import moving_mode
from kernels.windows.quantile import find_quantile_rows, interpolate
from kernels.windows.ranking import ranking, tiles
from kernels.windows.string_agg import moving_join
from workbench.columnar.columns import (
    answers,
    floats,
    instants_between,
    lists,
    numbers,
    rows_of,
    text_of_ends,
    text_parts,
    times_between,
)
from workbench.columnar.exact_sums import few_parts
from workbench.engine.aggregates import finish_column, finish_sums, numeric_columns
from workbench.engine.block import Call, Frames, Window
from workbench.engine.filled import interpolate_nulls
from workbench.engine.list_functions import (
    array_agg,
    end_values,
    entropy,
    extreme_values,
    histogram,
)
from workbench.engine.order import measured
from workbench.engine.own_order import answer_in_own_order, values_or_default
from workbench.functions import catalogue as c

Numbers = NDArray[Any]


def answer(window: Window, call: Call) -> pa.Array:
    """Return a call's result for every row of a block.

    Parameters
    ----------
    window : Window
    call : Call

    Returns
    -------
    pyarrow.Array
    """
    if call.order:
        return answer_in_own_order(window, call)
    return FAMILIES[call.info.family](window, call)


def _count(window: Window, call: Call) -> pa.Array:
    return pa.array(window.frames(call, call.arguments).sizes)


def _count_distinct(window: Window, call: Call) -> pa.Array:
    frames = window.frames(call, call.arguments)
    codes = frames.ordered(window.equal_codes(call.arguments[0]))
    counts = moving_count_distinct(window.offsets, codes, frames.begin, frames.end)
    return pa.array(np.minimum(counts, call.options.n) if call.info.keeps_n else counts)


def _exact_sum(window: Window, call: Call) -> pa.Array:
    values, frames = window.column(call.arguments[0]), window.frames(call, call.arguments)
    if pa.types.is_floating(values.type):
        return _aggregate(window, call)
    # Splits values into as few parts as exact sums need.
    parts = map(frames.ordered, few_parts(values))
    sums = [_moving(window, call, "integer_sum", frames, [one]) for one in parts]
    means = call.info.gives == c.DOUBLE
    rows = _counted_rows(window, call, frames) if means else frames.sizes
    return finish_sums(call, sums, rows, values.type)


def _counted_rows(window: Window, call: Call, frames: Frames) -> Numbers:
    """Return the number of values in each frame, or of distinct values for DISTINCT."""
    if not call.options.distinct:
        return frames.sizes
    keys = frames.ordered(window.keys(call.arguments))
    return moving_count_distinct(window.offsets, keys, frames.begin, frames.end)


def _aggregate(window: Window, call: Call) -> pa.Array:
    name, frames = call.info.aggregate, window.frames(call, call.arguments)
    columns = numeric_columns(name, [window.column(one) for one in call.arguments])
    values = _moving(window, call, name, frames, [frames.ordered(one) for one in columns])
    needs_count = AGGREGATES[name].needs > 1
    rows = _counted_rows(window, call, frames) if needs_count else frames.sizes
    return finish_column(call, values, rows)


def _moving(
    window: Window, call: Call, name: str, frames: Frames, columns: list[Numbers]
) -> Numbers:
    """Return an aggregate of all values of each frame, or of the distinct ones."""
    value, other = columns[0], columns[1] if len(columns) > 1 else None
    ranges = frames.begin, frames.end
    if not (call.options.distinct and call.info.repeats):
        return moving_aggregate(window.offsets, name, value, *ranges, other=other)
    keys = frames.ordered(window.keys(call.arguments))
    return moving_distinct(window.offsets, name, value, keys, *ranges, other=other)


def _row(window: Window, call: Call) -> pa.Array:
    """Return the value of the first argument where the last one is least or greatest."""
    frames = window.frames(call, call.arguments)
    codes = frames.ordered(window.codes(call.arguments[-1]))
    name = call.info.aggregate
    positions = moving_aggregate(window.offsets, name, codes, frames.begin, frames.end)
    return rows_of(window.column(call.arguments[0]), window.block_rows(frames, positions))


def _mode(window: Window, call: Call) -> pa.Array:
    frames = window.frames(call, call.arguments)
    codes = frames.ordered(window.equal_codes(call.arguments[0]))
    moving = window.offsets, codes, frames.begin, frames.end
    if call.options.distinct:
        # All distinct values are equally frequent, so the mode is the first one.
        offsets, *rest = moving
        positions = moving_aggregate(offsets, "first", *rest)
    else:
        positions = moving_mode(*moving)
    return rows_of(window.column(call.arguments[0]), window.block_rows(frames, positions))


def _mad(window: Window, call: Call) -> pa.Array:
    frames = window.frames(call, call.arguments)
    column = frames.ordered(floats(window.column(call.arguments[0])))
    mad = moving_distinct_mad if call.options.distinct else moving_mad
    deviations = mad(window.offsets, column, frames.begin, frames.end)
    return answers(deviations, frames.sizes == 0)


def _quantile(window: Window, call: Call) -> pa.Array:
    values, frames = window.column(call.arguments[0]), window.frames(call, call.arguments)
    empty, q = frames.sizes == 0, call.options.q
    types = pa.types.is_timestamp, pa.types.is_date32, pa.types.is_time64
    if any(is_time(values.type) for is_time in types):
        column, kind = frames.ordered(measured(values)), values.type
        quantiles = _quantiles_of_times(window, call, column, frames)
    else:
        is_integer = pa.types.is_integer(values.type)
        column = frames.ordered(numbers(values) if is_integer else floats(values))
        quantiles, kind = _quantiles_of_numbers(window, call, column, frames), None
    flat = answers(quantiles.ravel(), np.repeat(empty, len(q)))
    if kind is not None:
        flat = times_between(flat, kind)
    return flat if call.options.single else lists(flat, len(q), empty)


def _quantile_rows(
    window: Window, call: Call, key: Numbers, frames: Frames, discrete: bool = False
) -> tuple[Numbers, Numbers, Numbers]:
    find = find_distinct_quantile_rows if call.options.distinct else find_quantile_rows
    shared = window.offsets, key, frames.begin, frames.end, call.options.q
    return find(*shared, discrete=discrete)


def _quantiles_of_numbers(window: Window, call: Call, column: Numbers, frames: Frames) -> Numbers:
    rows = _quantile_rows(window, call, sort_keys(column), frames)
    quantiles = np.empty(rows[0].shape, np.float64)
    interpolate.over(window.offsets, column.astype(np.float64, copy=False), *rows, quantiles)
    return quantiles


def _quantiles_of_times(window: Window, call: Call, column: Numbers, frames: Frames) -> Numbers:
    low_rows, high_rows, share = _quantile_rows(window, call, column, frames)
    first = window.first_row[:, None]
    low, high = (column[np.where(rows < 0, 0, rows + first)] for rows in (low_rows, high_rows))
    return instants_between(low, high, share)


def _quantile_disc(window: Window, call: Call) -> pa.Array:
    frames, q = window.frames(call, call.arguments), call.options.q
    codes = frames.ordered(window.codes(call.arguments[0]))
    positions, _, _ = _quantile_rows(window, call, codes, frames, discrete=True)
    rows = np.stack([window.block_rows(frames, column) for column in positions.T], axis=1)
    flat = rows_of(window.column(call.arguments[0]), rows.ravel())
    return flat if call.options.single else lists(flat, len(q), frames.sizes == 0)


def _string_agg(window: Window, call: Call) -> pa.Array:
    values, frames = window.column(call.arguments[0]), window.frames(call, call.arguments)
    text, *bounds = text_parts(values)
    start, stop = map(frames.ordered, bounds)
    key = frames.ordered(window.codes(call.arguments[0])) if call.options.distinct else None
    parts = window.offsets, text, start, stop, frames.begin, frames.end
    try:
        ends, joined = moving_join(*parts, call.options.separator.encode(), key=key)
    except OverflowError as error:
        raise OverflowError(f"{call.column}: {error}") from None
    return text_of_ends(ends, joined, frames.sizes == 0, values.type)


def _sketch(window: Window, call: Call) -> pa.Array:
    # Imported here, as only these functions need datasketches.
    from workbench.engine.sketch_functions import answer_by_sketches

    return answer_by_sketches(window, call)


def _nth(window: Window, call: Call) -> pa.Array:
    nth = window.nth_of(call)
    counted = window.counted(call, call.without_null)
    mask = None if counted is None else counted.astype(np.uint8)
    rows = value_rows(window.offsets, *window.ranges(call.frame), nth, mask)
    return rows_of(window.column(call.arguments[0]), rows)


def _shift(window: Window, call: Call) -> pa.Array:
    distance = window.n_of(call)
    # Negating the least integer overflows.
    distance = distance if call.info.extent == c.AHEAD else -np.maximum(distance, -MOST)
    values = window.column(call.arguments[0])
    present = window.present(call.arguments[0]).astype(np.uint8)
    mask = present if call.options.ignore_nulls and values.null_count else None
    rows = lead_rows(window.offsets, distance, mask)
    return values_or_default(window, call, rows)


def _fill(window: Window, call: Call) -> pa.Array:
    along = window.column(window.columns[0].name)
    return interpolate_nulls(window.order, along, window.column(call.arguments[0]))


def _rank(window: Window, call: Call) -> pa.Array:
    if call.info.options:
        buckets, known = window.buckets(call)
        return pa.array(tiles(window.order, buckets).astype(np.int32), mask=~known)
    ranks: Numbers = ranking(window.order, call.function)
    return pa.array(ranks if ranks.dtype == np.float64 else ranks.astype(np.int32))


#: The function that computes each family of the catalogue.
FAMILIES: dict[str, Callable[[Window, Call], pa.Array]] = {
    c.COUNT: _count,
    c.COUNT_DISTINCT: _count_distinct,
    c.EXACT_SUM: _exact_sum,
    c.AGGREGATE: _aggregate,
    c.ROW: _row,
    c.MODE: _mode,
    c.MAD: _mad,
    c.QUANTILE: _quantile,
    c.QUANTILE_DISC: _quantile_disc,
    c.STRING_AGG: _string_agg,
    c.END_VALUES: end_values,
    c.EXTREME_VALUES: extreme_values,
    c.HISTOGRAM: histogram,
    c.ARRAY_AGG: array_agg,
    c.ENTROPY: entropy,
    **dict.fromkeys(c.SKETCHES, _sketch),
    c.NTH: _nth,
    c.SHIFT: _shift,
    c.FILL: _fill,
    c.RANKING: _rank,
}
