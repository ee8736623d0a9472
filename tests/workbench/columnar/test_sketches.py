"""Sketches: their errors, their independence of order and merges, and their answers over frames."""

from collections import Counter
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray

import workbench as wb
from workbench import fn
from workbench.columnar.sketches import Distinct, Frequent, Quantiles
from workbench.columnar.value_texts import items_of, value_of_item
from workbench.engine.block import Call, Window
from workbench.engine.functions import answer
from workbench.engine.order import ordered_block
from workbench.functions.fn import Function
from workbench.functions.order import OrderColumn

ROWS = 2_600
random = np.random.default_rng(5)
NUMBERS = {
    "that differ": random.normal(size=40_000),
    "in order": np.arange(40_000.0),
    "of ten kinds": random.integers(0, 10, 40_000).astype(np.float64),
    "far apart": np.exp(5 * random.normal(size=40_000)),
}


def distinct_of(items: list[str]) -> Distinct:
    sketch = Distinct(12)
    sketch.add(items)
    return sketch


@pytest.mark.parametrize("count", [0, 1, 30, 500, 5_000, 60_000])
def test_distinct_values_are_counted_within_four_standard_errors(count: int) -> None:
    estimate = distinct_of([str(k) for k in range(count)]).estimate()
    assert abs(estimate - count) <= 4 * 1.04 / 64 * count


@pytest.mark.parametrize("count", [40, 700, 9_000])
def test_the_count_depends_on_no_order_and_on_no_merge(count: int) -> None:
    items = [str(k) for k in range(count)]
    whole, backward, merged = distinct_of(items), distinct_of(items[::-1]), Distinct(12)
    for first in range(0, count, 300):
        merged.merge(Distinct.of_bytes(distinct_of(items[first : first + 300]).to_bytes()))
    assert whole.estimate() == backward.estimate() == merged.estimate()
    assert whole.copy().estimate() == whole.estimate()


@pytest.mark.parametrize("chunk", [300, 40_000])
@pytest.mark.parametrize("kind", NUMBERS)
def test_the_rank_of_a_quantile_is_within_the_share_of_a_centroid(kind: str, chunk: int) -> None:
    values, k = NUMBERS[kind], 200
    merged = Quantiles(k)
    for first in range(0, len(values), chunk):
        some = Quantiles(k)
        some.add(values[first : first + chunk])
        merged.merge(Quantiles.of_bytes(some.to_bytes()))
    share = (np.log(len(values) / k) + 6) / k
    q = np.linspace(0, 1, 101)
    assert rank_error(values, q, merged.estimate(q.tolist())) <= share


def rank_error(values: NDArray[np.float64], q: Any, estimates: Any) -> float:
    """Return the largest error of a quantile's rank, as a share of the values."""
    ordered = np.sort(values)
    least, most = (np.searchsorted(ordered, estimates, side=side) for side in ("left", "right"))
    return float(np.maximum(least / len(values) - q, q - most / len(values)).max())


def test_counts_of_frequent_values_are_off_by_their_bound_at_most() -> None:
    values = (random.zipf(1.3, 30_000) % 9_000).tolist()
    sketch, exact = Frequent(5), Counter(map(str, values))
    for first in range(0, len(values), 1_000):
        some, counts = Frequent(5), Counter(map(str, values[first : first + 1_000]))
        some.add(counts.keys(), counts.values())
        sketch.merge(Frequent.of_bytes(some.to_bytes()))
    bound = 3.5 / 1024 * len(values)
    assert all(abs(count - exact[item]) <= bound for item, count in sketch.estimates())
    known = dict(sketch.estimates())
    assert all(item in known for item, count in exact.items() if count > bound)


def test_different_values_of_every_type_have_different_items() -> None:
    for values in (
        ["", "a", "é"],
        [b"", b"\xff", b"\xc3"],
        [1.5, float("nan"), -0.0],
        [True, False],
        [date(1969, 12, 31), date(2013, 1, 1)],
        [datetime(1969, 12, 31, 23), datetime(2013, 1, 1, 0, 0, 0, 1)],
        [timedelta(-1), timedelta(1)],
        [Decimal("1.50"), Decimal("-2.25")],
        [Decimal("-12345678901234567890.5"), Decimal("0.1")],
    ):
        items = items_of(pa.array(values))
        assert len(set(items)) == len(values)
        back = pa.array(list(map(value_of_item(pa.array(values).type), items)))
        assert items_of(back) == items
    assert items_of(pa.array([0.0])) == items_of(pa.array([-0.0]))


TABLE = pa.table(
    {
        "id": pa.array(range(ROWS)),
        "p": pa.array([int(k > 900) for k in range(ROWS)]),
        "word": pa.array([None if k % 11 == 0 else f"w{k * k % 300}" for k in range(ROWS)]),
        "many": pa.array(random.integers(0, 1_800, ROWS)),
        "x": pa.array(np.where(np.arange(ROWS) % 7 == 0, np.nan, random.normal(size=ROWS))),
    }
)
FRAMES = {
    "running": wb.Frame.rows(None, 0),
    "sliding": wb.Frame.rows(-1_400, 30),
    "with a hole": wb.Frame.rows(-700, 700, exclude="current row"),
    "short": wb.Frame.rows(-2, 0),
}


def answers_of(function: Function, frame: wb.Frame) -> list[Any]:
    order = (OrderColumn("id", False, nulls_first=True),)
    window = Window(ordered_block(TABLE, ("p",), order), order)
    call = Call(
        "answer", function.name, ("".join(map(str, function.arguments)),), function.options, frame
    )
    answers: list[Any] = answer(window, call).to_pylist()
    return answers


def values_in_frame(name: str, frame: wb.Frame, row: int) -> list[Any]:
    """Return the values in the frame of a row, without nulls."""
    values, part = TABLE.column(name).to_pylist(), TABLE.column("p").to_pylist()
    low = 0 if frame.low is None else row + int(frame.low.amount)
    high = row + int(frame.high.amount) if frame.high is not None else ROWS
    near = range(max(low, 0), min(high + 1, ROWS))
    hole = row if frame.exclude == "current row" else None
    rows = (k for k in near if part[k] == part[row] and k != hole)
    return [values[k] for k in rows if values[k] is not None]


CHECKED_ROWS = [0, 1, 700, 900, 901, 1_500, 2_400, ROWS - 1]


@pytest.mark.parametrize("kind", FRAMES)
def test_a_frame_has_as_many_distinct_values_as_a_sketch_of_its_rows(kind: str) -> None:
    answers = answers_of(fn.approx_count_distinct("many"), FRAMES[kind])
    for row in CHECKED_ROWS:
        items = [str(value) for value in values_in_frame("many", FRAMES[kind], row)]
        assert answers[row] == distinct_of(items).estimate(), row


@pytest.mark.parametrize("kind", FRAMES)
def test_the_most_frequent_of_few_values_are_exact(kind: str) -> None:
    answers = answers_of(fn.approx_top_k("word", 3), FRAMES[kind])
    for row in CHECKED_ROWS:
        counts = Counter(values_in_frame("word", FRAMES[kind], row))
        expected = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:3]
        assert answers[row] == (expected or None), row


@pytest.mark.parametrize("kind", FRAMES)
def test_quantiles_of_a_frame_are_near_those_of_its_finite_numbers(kind: str) -> None:
    q = [0.0, 0.1, 0.5, 0.9, 1.0]
    answers = answers_of(fn.approx_quantile("x", q), FRAMES[kind])
    for row in CHECKED_ROWS:
        values = np.array([x for x in values_in_frame("x", FRAMES[kind], row) if x == x])
        if len(values) == 0:
            assert answers[row] is None, row
        else:
            near = (np.log(max(len(values) / 200, 1)) + 6) / 200 + 1 / len(values)
            assert rank_error(values, np.array(q), answers[row]) <= near, row


@pytest.mark.parametrize(
    "function",
    [fn.approx_count_distinct("many"), fn.approx_quantile("x", 0.3), fn.approx_top_k("many", 4)],
    ids=repr,
)
def test_the_same_frame_has_the_same_answer_whatever_came_before(function: Function) -> None:
    running, whole = (
        answers_of(function, FRAMES["running"]),
        answers_of(function, wb.Frame.rows(None, None)),
    )
    assert running[-1] == whole[-1]
    assert whole[901] == whole[-1]


def test_calls_whose_chunks_count_from_the_first_row_are_not_cut() -> None:
    over = wb.Over("p", "id", wb.Frame.rows(-9, 0), q=fn.approx_quantile("x", 0.5))
    assert "approx_quantile counts its chunks from the partition's first row (q)" in over.explain()
