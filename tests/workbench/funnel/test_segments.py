"""Segments at a step, at every step, of cohorts, the largest only: in process and on Spark."""

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import DataFrame, SparkSession

import workbench as wb
from tests.drawn import draws
from tests.workbench.funnel.events import block_of
from tests.workbench.spark.jobs import no_job
from workbench.funnel.bind import task_of
from workbench.funnel.plan import ROUND_COUNTS
from workbench.funnel.summary import steps_table
from workbench.funnel.worker.summary import ReachedTask, SummaryTask

STEPS = ["A", "B", "C"]
#: A time, an event, a device and a plan.
Row = tuple[int, str, str | None, int]
KEEP = "device", "plan"
#: Options of chains to combine with segments; a wrong segment in any of them shows.
OPTIONS: list[dict[str, Any]] = [
    {},
    {"modes": ["strict_once"]},
    {"optional": ["B"]},
    {"exclude": "x"},
    {"order": "strict"},
    {"start": 2, "end": 9},
]
USERS = st.lists(
    st.lists(
        st.tuples(
            st.integers(0, 12),
            st.sampled_from([*"AABBCCxo"]),
            st.sampled_from(["tv", "web", None]),
            st.integers(0, 1),
        ),
        min_size=1,
        max_size=9,
    ),
    min_size=1,
    max_size=4,
)


def answers(
    users: list[list[Row]], by: tuple[str, ...] = (), **options: Any
) -> list[dict[str, Any]]:
    funnel = wb.Funnel(STEPS, window=9, **options)
    period = funnel.counting.period("long", "UTC")
    task = task_of(funnel, integer_time=True, names=True, by=by, period=period)
    return task.answer(block_of(users, KEEP)).to_pylist()


def least(values: list[Any]) -> Any:
    return min(values, key=lambda one: (one is None, str(one)), default=None)


@given(USERS, st.sampled_from(OPTIONS), st.sampled_from(["first", "last", "A", "B", 3]))
@draws(250)
def test_a_segment_is_the_value_at_the_step_of_attribution(
    users: list[list[Row]], options: dict[str, Any], attribution: str | int
) -> None:
    with_segments = answers(users, ("device",), attribution=attribution, **options)
    for events, one, plain in zip(users, with_segments, answers(users, **options), strict=True):
        reached: list[int | None] = one["reached"]
        assert {name: one[name] for name in plain} == plain
        last = max((k for k, at in enumerate(reached) if at is not None), default=0)
        at = {"first": 0, "last": last, "A": 0, "B": 1, 3: 2}[attribution]
        time = reached[at] if at < len(reached) else None
        there = [row[2] for row in events if row[:2] == (time, STEPS[at])]
        assert one["device"] == least(there)


def test_of_two_last_events_of_one_time_the_least_value_completes_the_chain() -> None:
    last = [(2, "C", "web", 0), (2, "C", "tv", 0)]
    for arrived in (last, last[::-1]):
        events: list[Row] = [(0, "A", None, 0), (1, "B", None, 0), *arrived]
        found = answers([events], ("device",), count="conversions", attribution="last")
        assert [one["device"] for one in found] == ["tv"]


@given(USERS, st.sampled_from([*OPTIONS, {"order": "any"}, {"count": "sessions", "session": 3}]))
@draws(200)
def test_each_value_of_a_key_has_separate_chains(
    users: list[list[Row]], options: dict[str, Any]
) -> None:
    with_segments = answers(users, ("device", "plan"), attribution="each", **options)
    for user, events in enumerate(users):
        values = {row[2:] for row in events}
        for value in values:
            same = [
                one
                for one in with_segments
                if (one["user_id"], one["device"], one["plan"]) == (user, *value)
            ]
            alone = answers([[row for row in events if row[2:] == value]], **options)
            assert [(one["level"], one["reached"]) for one in same] == [
                (one["level"], one["reached"]) for one in alone
            ]
    assert len({(one["user_id"], one["device"], one["plan"]) for one in with_segments}) == len(
        {(user, *row[2:]) for user, events in enumerate(users) for row in events}
    )


COHORTS = {
    "helped": ["x", "o"],
    "on tv": {"device": ["tv"]},
    "paid": {"plan": 1},
}


@given(USERS, st.sampled_from([*OPTIONS, {"count": "conversions"}, {"attribution": "each"}]))
@draws(150)
def test_a_cohort_is_everyone_who_ever_did_something(
    users: list[list[Row]], options: dict[str, Any]
) -> None:
    by = ("paid", "device", "helped", "on tv")
    with_cohorts = answers(users, by, cohorts=COHORTS, **options)
    assert list(with_cohorts[0])[-len(by) :] == [*by]
    for one in with_cohorts:
        events = users[one["user_id"]]
        assert one["helped"] == any(row[1] in "xo" for row in events)
        assert one["on tv"] == any(row[2] == "tv" for row in events)
        assert one["paid"] == any(row[3] == 1 for row in events)
        for label in ("helped", "paid", "on tv"):
            del one[label]
    assert with_cohorts == answers(users, ("device",), **options)


@pytest.mark.parametrize(
    ("rows", "attribution", "expected"),
    [
        ("A:Chrome B:None", 2, [(None, 2)]),
        ("A:None B:Safari", "last", [("Safari", 2)]),
        ("A:Chrome B:Safari A:Safari B:Safari", "each", [("Chrome", 1), ("Safari", 2)]),
        ("A:Chrome", "B", [(None, 1)]),
    ],
)
def test_attribution_is_that_of_posthog(
    rows: str, attribution: str | int, expected: list[tuple[str | None, int]]
) -> None:
    values = (one.split(":") for one in rows.split())
    user = [(at, name, None if on == "None" else on, 0) for at, (name, on) in enumerate(values)]
    task = task_of(
        wb.Funnel(["A", "B"], 9, attribution=attribution), True, names=True, by=("device",)
    )
    answer = task.answer(block_of([user], KEEP)).to_pylist()
    assert [(one["device"], one["level"]) for one in answer] == expected


@given(USERS, st.integers(1, 3))
@draws(100)
def test_the_largest_segments_are_separate_and_the_others_are_combined(
    users: list[list[Row]], largest: int
) -> None:
    by = ("device", "plan")
    task = task_of(wb.Funnel(STEPS, 9, exclude="x"), True, names=True, by=by, timed=True)

    def table(most: int | None) -> pd.DataFrame:
        bundles = list(ReachedTask(task).from_blocks([packed(users)]))
        summary = SummaryTask(3, 5, ROUND_COUNTS, 1000, (), most)
        rows = [row for batch in summary.run(bundles) for row in batch.to_pylist()]
        return steps_table([row for row in rows if not row["whole"]], STEPS, by, True)

    every, some = table(None), table(largest)
    separate = 3 * min(largest, len(every) // 3)
    pd.testing.assert_frame_equal(some[:separate], every[:separate], check_dtype=False)
    if separate == len(every):
        assert len(some) == separate
        return
    assert (some[separate:]["device"] == "others").all()
    for figure in ("users", "lost", "excluded"):
        rest = every[separate:].groupby("step", sort=False)[figure].sum().tolist()
        assert some[separate:][figure].tolist() == rest


def packed(users: list[list[Row]]) -> pa.RecordBatch:
    from workbench.columnar.packed_blocks import pack
    from workbench.columnar.packed_rows import one_binary

    return pa.record_batch({"block": one_binary(pack(block_of(users, KEEP)))})


SEGMENTS: dict[str, tuple[dict[str, Any], str]] = {
    "an unknown step": (
        {"attribution": "D"},
        "attribution: 'D' is not known; give one of 'first', 'last', 'each', 'A', 'B', 'C'.",
    ),
    "a step too far": ({"attribution": 4}, "attribution: there is no step 4; give 1 to 3."),
    "a step of any order": (
        {"attribution": "B", "order": "any"},
        "attribution: steps in any order have no fixed place in a chain; "
        "give 'first', 'last' or 'each'.",
    ),
    "cohorts in a list": (
        {"cohorts": ["x"]},
        "cohorts: ['x'] is not a dict; say by label what members of a cohort ever did, "
        'such as {"helped": "help"}.',
    ),
    "a cohort without a label": ({"cohorts": {1: "x"}}, "cohorts: 1 is not a label; give text."),
    "a cohort of nothing": (
        {"cohorts": {"helped": []}},
        "cohorts: 'helped' has no event; name one, or several in a list.",
    ),
    "a cohort of a column without values": (
        {"cohorts": {"french": {"country": None}}},
        "cohorts: {'country': None} of 'french' is not a column with a value, or several in a "
        'list; give one such as {"country": "fr"}.',
    ),
    "too many cohorts": (
        {"cohorts": dict.fromkeys(map(str, range(30)), "x")},
        "cohorts: there are 33 steps, exclusions and cohorts together; give at most 32.",
    ),
}


@pytest.mark.parametrize("case", SEGMENTS)
def test_invalid_segments_are_refused(case: str) -> None:
    arguments, sentence = SEGMENTS[case]
    with pytest.raises(wb.WorkbenchError) as error:
        wb.Funnel(STEPS, window=9, **arguments)
    assert str(error.value) == sentence


def test_a_cohort_by_the_label_of_a_step_is_refused() -> None:
    with pytest.raises(wb.WorkbenchError) as error:
        wb.Funnel({"a": "n > 1"}, window=9, cohorts={"a": "n = 0"})
    assert str(error.value) == (
        "cohorts: 'a' is the label of a step or an exclusion; give the cohort another one."
    )


def test_the_repr_of_segments_is_their_code() -> None:
    text = (
        "wb.Funnel(['A', 'first'], window=9, attribution=2, "
        "cohorts={'helped': ['x', 'o'], 'french': {'country': 'fr'}})"
    )
    funnel = eval(text, {"wb": wb})
    assert repr(funnel) == text
    assert (funnel.segmenting.attribution, "helped" in funnel._repr_html_()) == (1, True)


@pytest.fixture(scope="module")
def events(spark: SparkSession) -> DataFrame:
    users = {
        "ann": "A:tv x:web B:web C:tv", "bob": "A:web B:tv", "eve": "B:tv o:tv",
        "joe": "A:tv A:web B:web C:web",
    }  # fmt: skip
    rows = [
        (user, at, *one.split(":"), int(user == "joe"))
        for user, all_of in users.items()
        for at, one in enumerate(all_of.split())
    ]
    return spark.createDataFrame(
        rows, "user_id string, timestamp long, event string, device string, plan int"
    )


def test_tables_and_prepared_events_have_the_same_segments(events: DataFrame) -> None:
    by_name: dict[str, Any] = {"cohorts": {"helped": "x", "on tv": {"device": "tv"}}}
    with wb.Funnel(STEPS, 9, **by_name).prepare(events, keep="plan") as prepared:
        assert prepared.keep == ("plan", "device")
        for attribution in ("last", "each"):
            funnel = wb.Funnel(STEPS, 9, attribution=attribution, **by_name)
            by = ["device", "helped", "on tv"]
            order = ["user_id", "device"]
            once, again = (
                funnel.levels(one, by=by).orderBy(*order).collect() for one in (events, prepared)
            )
            assert once == again
            assert len(once) == (7 if attribution == "each" else 4)
        steps = funnel.steps(prepared, by="plan", largest=1)
        assert steps.equals(funnel.steps(events, by="plan", largest=1))
        assert steps.attrs["others"] == 1
        assert steps["plan"].tolist() == [0, 0, 0, "others", "others", "others"]
        by_cohort = wb.Funnel(STEPS, 9, **by_name).steps(prepared, by="helped")
        assert by_cohort["users"].tolist() == [2, 2, 1, 1, 1, 1]
        assert by_cohort["helped"].tolist() == [False] * 3 + [True] * 3


def test_cohorts_may_be_given_by_values_of_numpy(events: DataFrame) -> None:
    plans = {"paid": {"plan": np.int64(1)}, "any": {"plan": np.arange(2)}}
    plain = wb.Funnel(STEPS, 9, cohorts={"paid": {"plan": 1}, "any": {"plan": [0, 1]}})
    funnel = wb.Funnel(STEPS, 9, cohorts=plans)
    assert repr(funnel) == repr(plain)
    by = ["paid", "any"]
    assert funnel.steps(events, by=by).equals(plain.steps(events, by=by))


def test_conditions_of_cohorts_are_prepared_too(events: DataFrame) -> None:
    conditions = {step: f"event = '{step}'" for step in STEPS}
    funnel = wb.Funnel(conditions, 9, cohorts={"helped": "event = 'x'", "paid": {"plan": 1}})
    expected = funnel.levels(events, by=["helped", "paid"]).orderBy("user_id").collect()
    assert [(row["helped"], row["paid"]) for row in expected] == [
        (True, False), (False, False), (False, False), (False, True),
    ]  # fmt: skip
    with funnel.prepare(events) as prepared:
        levels = funnel.levels(prepared, by=["helped", "paid"]).orderBy("user_id").collect()
    assert levels == expected


REFUSED: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "a cohort by the name of a column": (
        {"cohorts": {"Device": "x"}}, {"by": "Device"},
        "cohorts: 'Device' is a column of the table or of the result; give the cohort another "
        "label.",
    ),
    "a cohort of a column that is not there": (
        {"cohorts": {"french": {"county": "fr"}}}, {"by": "french"},
        "cohorts: there is no column 'county'; there are 'user_id', 'timestamp', 'event', "
        "'device', 'plan'.",
    ),
    "a cohort of a value that the column cannot hold": (
        {"cohorts": {"paid": {"plan": "yes"}}}, {"by": "paid"},
        "cohorts: 'yes' is not a value of 'plan', which holds integers; give one of that type.",
    ),
    "a cohort of an integer that is longer than the column's": (
        {"cohorts": {"paid": {"plan": 2**31}}}, {"by": "paid"},
        "cohorts: 2147483648 is not a value of 'plan', which holds integers; give one of that "
        "type.",
    ),
    "no number of segments": (
        {}, {"by": "device", "largest": 0},
        "largest: 0 is not possible; give 1 to 1,000 segments.",
    ),
    "no number of segments of none": (
        {}, {"largest": "x"},
        "largest: 'x' is not possible; give 1 to 1,000 segments.",
    ),
    "the largest of none": (
        {}, {"largest": 3},
        "largest: 3 is a number of segments, and there are none; give by=, or leave it out.",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_segments_that_do_not_fit_the_table_are_refused_before_a_job(
    case: str, events: DataFrame, spark: SparkSession
) -> None:
    arguments, query, sentence = REFUSED[case]
    with no_job(spark), pytest.raises(wb.WorkbenchError) as error:
        wb.Funnel(STEPS, 9, **arguments).steps(events, **query)
    assert str(error.value) == sentence
