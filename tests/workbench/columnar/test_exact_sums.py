"""Sums and means of integers and decimals are exact, at any size and by every method."""

from collections.abc import Callable
from decimal import Context, Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.drawn import draws
from tests.workbench.backfill.cases import KEYS, SCHEMA, TIMES, Row, queries_of, spans
from tests.workbench.backfill.spans import answer_in_spans, answer_whole
from tests.workbench.backfill.trees import answer_by_tree
from tests.workbench.online.cases import Memory, View, layout_of
from workbench.backfill.worker.cogroup import Span
from workbench.backfill.worker.feature import Feature
from workbench.columnar.blocks import TIME
from workbench.columnar.exact_sums import (
    count_parts,
    exact_sum,
    few_parts,
    means,
    part,
    sums_column,
)
from workbench.engine.block import Call
from workbench.functions.catalogue import NO_OPTIONS, Options

MOST, LEAST = 2**63 - 1, -(2**63)
#: More digits than any decimal has.
EXACT = Context(prec=60)
DISTINCT = Options(distinct=True)
#: The values of each column, the type of the column, and that of its sum.
NUMBERS = {
    "number": [MOST, LEAST, -MOST, 2**62, 3, 1, 0, -1],
    "price": [10**18 - 1, -(10**18) + 1, 5 * 10**17, 1, -1, 0],
    "wide": [10**38 - 1, -(10**38) + 1, 6 * 10**37, 2**64, -(2**63), 1, -1, 0],
}
KINDS = {name: SCHEMA.field(name).type for name in NUMBERS}
SUMS = {"number": pa.int64(), "price": pa.decimal128(28, 4), "wide": pa.decimal128(38, 10)}


def scale_of(kind: pa.DataType) -> int:
    return kind.scale if pa.types.is_decimal(kind) else 0


def value(whole: int, kind: pa.DataType) -> Any:
    """Return a number of units of the last digit as a value of a type."""
    return EXACT.scaleb(whole, -kind.scale) if pa.types.is_decimal(kind) else whole


def fits(total: int, kind: pa.DataType) -> bool:
    return abs(total) < 10**kind.precision if pa.types.is_decimal(kind) else LEAST <= total <= MOST


@st.composite
def columns(draw: st.DrawFn) -> tuple[pa.DataType, list[int]]:
    """Draw a type and numbers of it: small ones, extreme ones, and some that cancel each other."""
    kinds = [pa.int8(), pa.int64(), *(pa.decimal128(p, p // 2) for p in (1, 18, 19, 28, 30, 38))]
    kind = draw(st.sampled_from(kinds))
    most = 10**kind.precision - 1 if pa.types.is_decimal(kind) else 2 ** (kind.bit_width - 1) - 1
    ends = st.sampled_from([most, -most, most // 2, 1, -1, 0])
    return kind, draw(st.lists(st.one_of(ends, st.integers(-most, most)), min_size=1, max_size=9))


@given(columns())
@draws(400)
def test_parts_add_up_to_the_sum_of_python_integers(column: tuple[pa.DataType, list[int]]) -> None:
    kind, numbers = column
    values = pa.array([value(one, kind) for one in numbers], kind)
    total, rows = sum(numbers), np.array([len(numbers)])
    answer = pa.decimal128(min(kind.precision + 10, 38), kind.scale) if scale_of(kind) else None
    answer = answer or (pa.decimal128(11) if pa.types.is_decimal(kind) else pa.int64())
    every = [part(values, number) for number in range(1, count_parts(kind) + 1)]
    for parts in (few_parts(values), every):
        sums = [one.sum(keepdims=True) for one in parts]
        assert exact_sum([int(one[0]) for one in sums]) == total
        mean = total / (len(numbers) * 10 ** scale_of(kind))
        assert means(sums, rows, scale_of(kind)).tolist() == [mean]
        if fits(total, answer):
            sum_column = sums_column("found", sums, np.array([False]), kind)
            assert (sum_column.type, sum_column.to_pylist()) == (answer, [value(total, answer)])
        else:
            with pytest.raises(OverflowError, match="found: a sum "):
                sums_column("found", sums, np.array([False]), kind)


@given(
    st.lists(st.tuples(st.integers(LEAST, MOST), st.integers(0, 2**31 - 2)), min_size=1, max_size=9)
)
def test_a_mean_of_many_rows_is_the_nearest_float(pairs: list[tuple[int, int]]) -> None:
    # The rows are `count` times a number, and a 1: their sum may need far more than 64 bits.
    rows = np.array([count + 1 for _, count in pairs])
    totals = [number * count + 1 for number, count in pairs]
    whole = np.array([total % 2**64 for total in totals], np.uint64).view(np.int64)
    # The second part is the sum of what the numbers have above their lowest 32 bits.
    high = np.array([(n >> 32) * count for n, count in pairs], np.int64)
    found = means([whole, high], rows)
    expected = [total / int(count) for total, count in zip(totals, rows, strict=True)]
    assert found.tolist() == expected


@st.composite
def extreme_events(draw: st.DrawFn) -> list[Row]:
    """Draw events whose numbers are as large as possible, or small."""
    columns: dict[str, st.SearchStrategy[Any]] = {
        name: st.one_of(st.none(), st.sampled_from([value(one, KINDS[name]) for one in numbers]))
        for name, numbers in NUMBERS.items()
    }
    rest = {"k0": KEYS, TIME: TIMES, "good": st.just(True), "bucket": st.just("p")}
    return draw(st.lists(st.fixed_dictionaries(rest | columns), max_size=20))


def values_in_window(query: Row, events: list[Row], span: Span, name: str) -> list[int]:
    """Return the values in a query's window, in units of the last digit."""
    if query[TIME] is None:
        return []
    high = query[TIME] // span.last_hop * span.last_hop
    low = (query[TIME] - (10**9 if span.window is None else span.window)) // span.hop * span.hop
    scale = scale_of(KINDS[name])
    rows = [row for row in events if row["k0"] == query["k0"] and low <= row[TIME] < high]
    return [int(EXACT.scaleb(Decimal(row[name]), scale)) for row in rows if row[name] is not None]


Answering = Callable[[list[Row], list[Row], list[Feature]], pa.Table]
METHODS: dict[str, Answering] = {
    "whole": answer_whole,
    "spans": answer_in_spans,
    "tree": answer_by_tree,
}


@pytest.mark.parametrize("options", [NO_OPTIONS, DISTINCT], ids=["all", "distinct"])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", NUMBERS)
@given(queries_of, extreme_events(), spans)
@draws(25)
def test_a_backfill_adds_up_exactly_by_every_method(
    name: str, method: str, options: Options, queries: list[Row], events: list[Row], span: Span
) -> None:
    if method == "tree" and options.distinct:
        return
    calls = [Call(one, one, (name,), options, span) for one in ("sum", "avg")]  # type: ignore[arg-type]
    total, mean = Feature(calls[0], SUMS[name], None), Feature(calls[1], pa.float64(), None)
    in_windows = [values_in_window(query, events, span, name) for query in queries]
    in_windows = [list(set(one)) if options.distinct else one for one in in_windows]
    scale = 10 ** scale_of(KINDS[name])
    if not queries:
        return
    means_of_windows = METHODS[method](queries, events, [mean]).column("avg").to_pylist()
    assert means_of_windows == [
        sum(one) / (len(one) * scale) if one else None for one in in_windows
    ]
    if all(fits(sum(one), SUMS[name]) for one in in_windows):
        sums = METHODS[method](queries, events, [total]).column("sum").to_pylist()
        assert sums == [value(sum(one), SUMS[name]) if one else None for one in in_windows]
    else:
        with pytest.raises(OverflowError, match="sum: a sum "):
            METHODS[method](queries, events, [total])


@pytest.mark.parametrize("name", NUMBERS)
@given(extreme_events())
@draws(25)
def test_an_online_view_adds_up_exactly(name: str, events: list[Row]) -> None:
    span = Span(30, 6)
    kinds = {"sum": SUMS[name], "avg": pa.float64()}
    for function, kind in kinds.items():
        call: Any = Call(function, function, (name,), NO_OPTIONS, span)  # type: ignore[arg-type]
        view = View(Memory(), layout_of([Feature(call, kind, None)]))
        view.seen += [row for row in events if row[TIME] < 0]
        view.upload(0)
        view.stream([row for row in events if row[TIME] >= 0])
        at = 24
        in_window = values_in_window({"k0": "a", TIME: at}, events, span, name)
        if not any(row["k0"] == "a" for row in events):
            continue
        fetched = view.fetch(["a"], at)
        if function == "sum" and not fits(sum(in_window), kind):
            assert "sum: a sum " in str(fetched.errors["a"])
        elif function == "sum":
            assert fetched["a"]["sum"] == (value(sum(in_window), kind) if in_window else None)
        else:
            scale = 10 ** scale_of(KINDS[name])
            assert fetched["a"]["avg"] == (
                sum(in_window) / (len(in_window) * scale) if in_window else None
            )
