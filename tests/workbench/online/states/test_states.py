"""An online view agrees with a backfill of the same events: whatever was uploaded and streamed, in
which order, how late and how often."""

import math
import random
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import workbench as wb
from tests.drawn import draws
from tests.workbench.online.cases import (
    CALLS,
    LASTING,
    OF_BYTES,
    OF_EVENTS,
    SCHEMA,
    STEP,
    Memory,
    Row,
    View,
    agree,
    expected,
    features,
    layout_of,
    table_of,
)
from workbench.columnar.blocks import TIME
from workbench.errors import WorkbenchError
from workbench.online.encoding import key_of
from workbench.online.fetch import StoreReader, fetch_features
from workbench.online.layout import StoreLayout
from workbench.online.meta import STREAMED
from workbench.online.update import apply_batch
from workbench.online.upload import read_meta, reserve, switch, upload
from workbench.online.worker import UploadTask, Written
from workbench.stores import StoreError

KEYS = ["a", "b", "c"]
#: Whole numbers, so that rounding gives equal values no spread.
REALS = st.one_of(st.none(), st.integers(-5, 5).map(float))
rows = st.fixed_dictionaries(
    {
        "k0": st.sampled_from(["a", "a", "a", "b", None]),
        # On both sides of 1970, with ties, and a time that is missing now and then.
        TIME: st.one_of(st.integers(-60, 90), st.integers(0, 30), st.none()),
        "number": st.one_of(st.none(), st.integers(-9, 9), st.just(2**62)),
        "real": st.one_of(REALS, st.just(float("nan"))),
        "other": REALS,
        "flag": st.sampled_from([True, False, None]),
        "good": st.sampled_from([True, True, False, None]),
        "day": st.one_of(st.none(), st.dates()),
        "bucket": st.sampled_from(["p", "q", None]),
        "word": st.sampled_from(["x", "y", "", "zz", None]),
        "price": st.sampled_from([None, *map(Decimal, ("0.0001", "-5", "99999999999999.9999"))]),
        "wide": st.sampled_from([None, *map(Decimal, ("1E-10", "7E+26", "-7E+26"))]),
    }
)
batches = st.lists(rows, max_size=12)
#: Batches of a stream, uploads and repeated batches, in any order.
actions = st.lists(st.one_of(batches, st.sampled_from(["upload", "again"])), max_size=8)


def run_actions(view: View, first: list[Row], actions: list[Any], until: int) -> None:
    """Upload, and run the actions."""
    view.seen += first
    view.upload(until)
    last: list[Row] = []
    for action in actions:
        if action == "upload":
            view.upload(view.until + STEP)
        elif action == "again":
            if view.batch >= 0:
                assert view.stream(last, view.batch).again
        else:
            last = action
            view.stream(action)


@pytest.mark.parametrize(
    "calls", [CALLS, OF_EVENTS, OF_BYTES, [*OF_EVENTS, *CALLS[:4], *OF_BYTES]], ids=len
)
@pytest.mark.parametrize("by", [False, True], ids=["plain", "by bucket"])
@given(batches, actions, st.integers(-2, 3), st.integers(0, LASTING), st.booleans())
@draws(40)
def test_a_fetch_agrees_with_a_backfill(
    by: bool,
    calls: Any,
    first: list[Row],
    actions: list[Any],
    end: int,
    later: int,
    ignore_nulls: bool,
) -> None:
    layout = layout_of(features(by, ignore_nulls, calls))
    view = View(Memory(), layout)
    run_actions(view, first, actions, end * STEP)
    at = view.until + later
    # A sum of integers that does not fit is an error for its key, as it is for a backfill.
    known = [row | {"number": None} if row["number"] == 2**62 else row for row in view.known]
    if known != view.known:
        check_sums(view, at)
        return
    fetched, answers = view.fetch(KEYS, at), expected(layout, known, KEYS, at)
    for key, row, answer in zip(KEYS, fetched, answers, strict=True):
        of_key = [one for one in known if one["k0"] == key]
        if row is not None:
            wrong = {n: (row[n], answer[n]) for n in answer if not agree(row[n], answer[n])}
            assert not wrong
            assert list(row) == list(answer)
        elif "not in the store" in fetched.errors[key]:
            assert not of_key
        else:
            assert "a hop cannot be cut" in fetched.errors[key]
            assert any(one[TIME] >= at and one[TIME] // 12 == at // 12 for one in of_key)


def check_sums(view: View, at: int) -> None:
    """A large sum is right or an error."""
    fetched = view.fetch(KEYS, at)
    for key, row in zip(KEYS, fetched, strict=True):
        assert row is not None or fetched.errors[key]


def event(key: str, time: int, **values: Any) -> Row:
    return dict.fromkeys(SCHEMA.names) | {"k0": key, TIME: time} | values


@pytest.fixture
def layout() -> StoreLayout:
    return layout_of(features())


def test_streamed_hops_that_an_upload_contains_are_removed(layout: StoreLayout) -> None:
    view = View(Memory(), layout)
    view.upload(0)
    view.stream([event("a", time) for time in range(30)] + [event("b", 3)])
    assert sum(key.startswith(STREAMED) for key in view.store.held) == 2  # type: ignore[attr-defined]
    view.upload(24)
    left = [key for key in view.store.held if key.startswith(STREAMED)]  # type: ignore[attr-defined]
    assert [key[9:] for key in left] == [b"a"]
    assert sum(key[:1] == b"b" for key in view.store.held) == 2  # type: ignore[attr-defined]
    assert view.fetch(["a"], 30)["a"]["count_0_9_4"] == 10
    size = len(view.store.held[left[0]])  # type: ignore[attr-defined]
    for time in range(30, 34):
        view.stream([event("a", time)] * 1_000)
    # However many events there are, a hop is one state.
    assert len(view.store.held[left[0]]) <= 2 * size  # type: ignore[attr-defined]


def test_a_key_without_retained_events_stays_known() -> None:
    view = View(Memory(), layout_of(features(calls=OF_EVENTS[:1])))
    view.upload(0)
    view.stream([event("b", 13)])
    view.upload(12)
    assert view.fetch(["b"], 14)["b"] == expected(view.layout, view.known, ["b"], 14)[0]


def test_late_events_are_counted_and_wait_for_the_next_upload(layout: StoreLayout) -> None:
    view = View(Memory(), layout)
    view.seen += [event("a", 1)]
    view.upload(12)
    counts = view.stream([event("a", 5), event("a", 13), event("a", None), event(None, 14)])  # type: ignore[arg-type]
    assert counts[:3] == (1, 1, 2)
    meta = read_meta(view.store)[1]
    assert meta is not None
    assert (meta.streamed, meta.late, meta.skipped) == (1, 1, 2)
    name = "count_0_30_6"
    assert view.fetch(["a"], 14)["a"][name] == 2
    view.upload(12)
    assert view.fetch(["a"], 14)["a"][name] == 3


def test_a_hop_of_any_size_that_would_be_cut_is_an_error() -> None:
    # At 17 a hop of 4 holds what comes later, and none of 6 does.
    for calls in (CALLS, OF_EVENTS, OF_BYTES):
        view = View(Memory(), layout_of(features(calls=calls)))
        view.upload(12)
        values = {"word": "x", "number": 5}
        view.stream([event("a", 16, good=True, **values), event("a", 19, good=True, **values)])
        for at, cut in ((16, True), (17, True), (19, True), (20, False)):
            assert ("a" in view.fetch(["a"], at).errors) == cut


def test_a_late_upload_counts_nothing_twice() -> None:
    """The stream is far ahead of each upload's end, and an upload contains streamed events."""
    view = View(Memory(), layout_of(features(calls=[*CALLS[:6], *OF_EVENTS[:4], *OF_BYTES[:3]])))
    view.upload(0)
    for first in range(0, 40, 10):
        times = range(first, first + 10)
        rows = [event("a", time, number=time % 7, word="xyz"[time % 3]) for time in times]
        view.stream([*rows, event("a", first, real=1.5, good=True)])
    for until in (0, 12, 12, 36):
        view.upload(until)
        (row,), (answer,) = view.fetch(["a"], 40), expected(view.layout, view.known, ["a"], 40)
        assert row is not None
        assert {n: (row[n], answer[n]) for n in answer if not agree(row[n], answer[n])} == {}


@pytest.mark.parametrize("until", [12, 24], ids=["streamed", "uploaded"])
def test_an_event_exactly_on_the_tail_counts(until: int) -> None:
    # At 29 the window of 9 begins at 20, as its hop of 4 does.
    view = View(Memory(), layout_of(features(calls=[CALLS[0], OF_BYTES[1]])))
    rows = [event("a", time, number=time) for time in (19, 20, 28)]
    view.seen = [row for row in rows if row[TIME] < until]
    view.upload(until)
    view.stream([row for row in rows if row[TIME] >= until])
    row = view.fetch(["a"], 29)["a"]
    assert row["count_0_9_4"] == 2
    assert row["histogram_1_30_4"] == {19: 1, 20: 1, 28: 1}


def test_a_list_of_distinct_values_contains_null_once() -> None:
    layout = layout_of(features(calls=[("distinct array_agg", ("number",), pa.list_(pa.int64()))]))
    view, distinct = View(Memory(), layout), [None, 0, -(2**63)]
    view.seen = [event("a", at, number=one) for at, one in enumerate([*distinct, 0])]
    view.upload(STEP)
    (row,) = view.fetch(["a"], STEP)
    assert row is not None
    assert list(row.values()) == [distinct] * len(layout.features)


def test_an_estimate_from_many_merged_states_is_as_accurate_as_from_one() -> None:
    generator = random.Random(5)
    times = [generator.randint(0, 39) for _ in range(8_000)]
    rows = [event("a", time, number=generator.randint(-99, 99) ** 3) for time in times]
    view = View(Memory(), layout_of(features(calls=[OF_BYTES[6]])))
    view.seen = rows[:4_000]
    view.upload(24)
    view.stream([row for row in rows[:4_000] if row[TIME] >= 24])
    for first in range(4_000, 8_000, 400):
        view.stream(rows[first : first + 400])
    estimates = view.fetch(["a"], 40)["a"]
    for name, begin in (("approx_quantile_0_9_4", 28), ("approx_quantile_0_30_6", 6)):
        values = [row["number"] for row in view.known if row[TIME] >= begin]
        below, to = (
            sum(one < estimates[name] for one in values),
            sum(one <= estimates[name] for one in values),
        )
        tolerance = (math.log(len(values) / 200) + 6) / 200
        assert below / len(values) - tolerance <= 0.5 <= to / len(values) + tolerance


def test_streams_that_do_not_continue_the_store_are_refused(layout: StoreLayout) -> None:
    view = View(Memory(), layout)
    with pytest.raises(
        WorkbenchError, match="nothing has been uploaded to the store in memory yet"
    ):
        view.stream([])
    view.upload(0)
    view.batch = 4
    with pytest.raises(WorkbenchError, match="its next batch is 5, but the store's newest one is"):
        view.stream([])
    view.batch = -1
    view.stream([event("a", 1)])
    with pytest.raises(WorkbenchError, match=r"another one \(stream\) keeps the store current"):
        apply_batch(view.store, layout, LASTING, table_of([]), "a second one", 0)


def test_a_repeated_batch_with_other_events_is_refused(layout: StoreLayout) -> None:
    view = View(Memory(), layout)
    view.upload(0)
    first, more = [event("a", 1)], [event("a", 1), event("a", 2)]
    view.stream(first)
    anew = "its checkpoint repeats batch 0, but the store has the batches up to {} with other"
    with pytest.raises(WorkbenchError, match=anew.format(0)):
        view.stream(more, 0)
    assert view.stream(first, 0).again
    view.stream([event("a", 3)])
    with pytest.raises(WorkbenchError, match=anew.format(1)):
        view.stream(first, 0)
    assert view.fetch(["a"], 4)["a"]["count_0_9_4"] == 2


def test_an_upload_whose_store_lost_records_is_refused(layout: StoreLayout) -> None:
    view = View(Memory(), layout)
    view.seen += [event("a", 1)]
    view.upload(12)
    events = table_of([event(key, 1) for key in "abcdefg"])

    def job(task: UploadTask) -> list[Written]:
        written = replace(task, records_at_once=2).write(events)
        assert view.store.write([(written.written[1], None)])
        return [written]

    with pytest.raises(StoreError, match="was emptied or replaced while the upload ran; upload a"):
        upload(view.store, layout, 12, LASTING, job)
    assert view.fetch(["a", "b"], 14).errors.keys() == {"b"}


def test_infinite_events_spread_beyond_numbers_and_are_uploaded_without_a_warning(
    layout: StoreLayout,
) -> None:
    view = View(Memory(), layout)
    view.seen += [event("a", 1, real=math.inf, good=True), event("a", 2, real=1.0, good=True)]
    view.upload(12)
    row = view.fetch(["a"], 14)["a"]
    spreads = [row[name] for name in row if name.startswith("stddev") and row[name] is not None]
    assert spreads
    assert all(math.isnan(value) for value in spreads)


def test_the_end_that_an_error_suggests_is_accepted(
    layout: StoreLayout,
) -> None:
    view, first = View(Memory(), layout), -(2**62)
    with pytest.raises(WorkbenchError, match="is within a hop") as refused:
        view.upload(first)
    assert refused.match(f"such as {first + -first % STEP}")
    view.upload(first + -first % STEP)


def test_uploads_that_cannot_follow_are_refused(layout: StoreLayout) -> None:
    view = View(Memory(), layout)
    with pytest.raises(WorkbenchError, match=r"until: 13 is within a hop; .* such as 12"):
        view.upload(13)
    view.upload(24)
    with pytest.raises(WorkbenchError, match="has an upload until 24"):
        view.upload(12)
    first, second = (reserve(view.store, layout, 24, LASTING) for _ in range(2))
    nothing = Written(0, 0, 0, [])
    switch(view.store, layout, second, 24, nothing)
    with pytest.raises(WorkbenchError, match="another one that began later is already there"):
        switch(view.store, layout, first, 24, nothing)
    other = View(view.store, layout_of(features(by=True)))
    with pytest.raises(WorkbenchError, match="holds the states of another backfill"):
        other.upload(36)
    sentence = r"lasting: .* serve for 40, and those of this view for 7; give the view lasting=40"
    with pytest.raises(WorkbenchError, match=sentence):
        View(view.store, layout, lasting=7).stream([])
    at = SCHEMA.names.index("number")
    narrow = replace(layout, schema=SCHEMA.set(at, pa.field("number", pa.int32())))
    with pytest.raises(
        WorkbenchError, match=r"events: .* other types .*, int32 in place of int64;"
    ):
        View(view.store, narrow).stream([])


def test_a_fetch_of_many_keys_has_an_error_for_each_that_has_no_answer(layout: StoreLayout) -> None:
    view = View(Memory(), layout)
    view.seen += [event("a", 1, number=3)]
    view.upload(12)
    view.stream([event("b", 14)])
    fetched = view.fetch(["a", "zed", 7, "b", ["a"]], 14)
    assert fetched["a"]["sum_2_30_6"] is None
    assert fetched["a"]["count_1_30_4"] == 1
    assert fetched.errors == {
        "zed": "key: 'zed' is not in the store: it has no event that was uploaded or streamed.",
        7: "key: 7 is not a value of 'user', which holds string.",
        "b": "at: 'b' has an event at 14 or later in a hop that has begun, and a hop cannot be "
        "cut; ask later, or use wb.Backfill.run.",
        "['a']": "key: ['a'] is not a value of 'user', which holds string.",
    }
    assert view.fetch([], 14).rows == ()
    assert [row is None for row in fetched] == [False, True, True, True, True]
    assert fetched.to_pandas()["error"].notna().tolist() == [False, True, True, True, True]
    with pytest.raises(WorkbenchError, match="'zed' is not in the store"):
        fetched["zed"]
    with pytest.raises(WorkbenchError, match="'unasked' was not asked for"):
        fetched["unasked"]
    with pytest.raises(WorkbenchError, match="at: 11 is before 12, where the upload"):
        view.fetch(["a"], 11)
    with pytest.raises(WorkbenchError, match="at: 53 is after 52, up to which the upload until"):
        view.fetch(["a"], 53)


def test_a_fetch_without_a_time_uses_the_clock_of_the_view() -> None:
    backfill = wb.Backfill("user", "at", wb.Aggregation("count", windows="1 day"))
    zoned = SCHEMA.set(1, pa.field(TIME, pa.timestamp("us", "UTC")))
    (count,) = features(calls=CALLS[:1])[:1]
    layout, second = StoreLayout(repr(backfill), ("user",), (count,), zoned), 1_000_000
    now = datetime(1970, 1, 1, tzinfo=UTC)
    view = wb.OnlineView(backfill, Memory(), clock=lambda: now)
    rows = pa.Table.from_pylist([event("a", time) for time in range(24)], zoned)
    upload(view.store, layout, 24, LASTING * second, lambda task: [task.write(rows)])
    with pytest.raises(WorkbenchError, match=r"is before 1970-01-01 00:00:00\.000024"):
        view.fetch("a")
    now += timedelta(microseconds=30)
    assert view.fetch("a").rows == view.fetch("a", at=now).rows
    assert view.fetch("a")["a"]["count_0_9_4"] == 4
    now += timedelta(seconds=LASTING)
    with pytest.raises(WorkbenchError, match="is after"):
        view.fetch("a")


def test_a_fetch_out_of_range_is_one_sentence_however_long_an_upload_serves() -> None:
    """This one serves for longer than Python's calendar."""
    zoned = SCHEMA.set(1, pa.field(TIME, pa.timestamp("us", "UTC")))
    layout = StoreLayout("the backfill", ("user",), features(), zoned)
    store = Memory()
    rows = pa.Table.from_pylist([event("a", 1)], zoned)
    upload(store, layout, 24, 2**60, lambda task: [task.write(rows)])
    reader = StoreReader(store, layout.backfill)
    with pytest.raises(WorkbenchError, match=r"at: 1970-01-01 00:00:00.*is before 1970-01-01 00:"):
        fetch_features(reader, ["a"], 0)
    assert fetch_features(reader, ["a"], 24).errors == {}


@pytest.mark.parametrize(
    ("kind", "valid", "invalid"),
    [
        (pa.string(), ["ann"], ["\ud800"]),
        (pa.large_string(), ["ann"], ["\ud800"]),
        (
            pa.date32(),
            [date(2020, 1, 1), datetime(2020, 1, 1), pd.Timestamp("2020-01-01")],
            [datetime(2020, 1, 1, 5, 30), pd.Timestamp("2020-01-01 00:00:00.000000001")],
        ),
        (
            pa.timestamp("us"),
            [datetime(2020, 1, 1, 5), pd.Timestamp("2020-01-01 05:00")],
            [pd.Timestamp("2020-01-01 05:00:00.000000001")],
        ),
    ],
    ids=str,
)
def test_a_key_that_no_column_can_hold_has_its_own_error(
    kind: pa.DataType, valid: list[Any], invalid: list[Any]
) -> None:
    layout = StoreLayout("the backfill", ("user",), features(), SCHEMA.set(0, pa.field("k0", kind)))
    store = Memory()
    events = table_of([event("a", 1)]).set_column(0, "k0", pa.array(valid[:1], kind))
    upload(store, layout, 12, LASTING, lambda task: [task.write(events)])
    fetched = fetch_features(StoreReader(store, layout.backfill), [*valid, *invalid], 14)
    assert [row is None for row in fetched] == [False] * len(valid) + [True] * len(invalid)
    assert all(str(error).startswith("key: ") for error in fetched.errors.values())


def test_a_map_of_numbers_has_its_buckets_in_order_and_nan_last() -> None:
    schema = SCHEMA.set(8, pa.field("bucket", pa.float64()))
    assert SCHEMA.names[8] == "bucket"
    layout = StoreLayout("the backfill", ("user",), features(by=True), schema)
    store = Memory()
    buckets = [math.nan, 2.0, -1.0, math.inf, 1.0]
    rows = pa.Table.from_pylist([event("a", 1, bucket=one) for one in buckets], schema)
    upload(store, layout, 12, LASTING, lambda task: [task.write(rows)])
    row = fetch_features(StoreReader(store, layout.backfill), ["a"], 14)["a"]
    assert str([*row["count_0_30_6"]]) == "[-1.0, 1.0, 2.0, inf, nan]"


def test_an_error_about_one_key_belongs_to_that_key() -> None:
    """Python calls 0, 0.0 and False equal; of these, only the first is an integer key."""
    schema = SCHEMA.set(0, pa.field("k0", pa.int64()))
    layout = StoreLayout("the backfill", ("user",), features(), schema)
    store = Memory()
    events = table_of([event("0", 1, number=3)]).set_column(0, "k0", pa.array([0]))
    upload(store, layout, 12, LASTING, lambda task: [task.write(events)])
    reader = StoreReader(store, layout.backfill)
    for keys in ([0, 0.0, False], [False, 0.0, 0]):
        fetched = fetch_features(reader, keys, 14)
        assert fetched[0]["count_1_30_4"] == 1
        for key in (0.0, False):
            with pytest.raises(WorkbenchError, match=f"key: {key!r} is not a value of 'user'"):
                fetched[key]
        has_error = [error is not None for error in fetched.to_pandas()["error"]]
        assert (
            has_error == [row is None for row in fetched] == [type(key) is not int for key in keys]
        )
    assert fetch_features(reader, [0], 14)[0.0]["count_1_30_4"] == 1
    with pytest.raises(WorkbenchError, match="7 was not asked for"):
        fetch_features(reader, [0, 0.0], 14)[7]


@pytest.mark.parametrize("kind", [pa.date32(), pa.timestamp("us", "UTC"), pa.float64()])
def test_a_missing_time_of_pandas_is_no_key(kind: pa.DataType) -> None:
    with pytest.raises(WorkbenchError, match="key: NaT is not a value of 'user', which holds"):
        key_of((pd.NaT,), (kind,), ("user",))
