"""Periods, sessions, conversions and held columns are those of a search of all chains."""

import warnings
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import DataFrame, SparkSession

import workbench as wb
from kernels.funnel.chain_levels import Rules
from tests.drawn import draws
from tests.kernels.funnel import chains_brute_force as brute_force
from tests.workbench.funnel.events import block_of
from tests.workbench.spark.jobs import no_job
from workbench.funnel.bind import task_of
from workbench.funnel.counting import Counting, arrow_zone

STEPS = ["A", "B", "C"]
Events = list[tuple[int, str]]
#: Options of chains, and the same rules as the kernels take them.
RULES: list[tuple[dict[str, Any], Rules]] = [
    ({}, Rules(3, 9)),
    ({"order": "strict"}, Rules(3, 9, "strict")),
    ({"optional": ["B"], "within": {"C": 4}}, Rules(3, 9, optional=(1,), within=((2, 4),))),
    ({"exclude": "x"}, Rules(3, 9, exclusions=((0, 2),))),
]
ANY_ORDER: tuple[dict[str, Any], Rules] = {"order": "any"}, Rules(3, 9, "any")
TIMES = st.integers(-5, 25)
USERS = st.lists(
    st.lists(st.tuples(TIMES, st.sampled_from([*"AABBCCxo"])), min_size=1, max_size=9),
    min_size=1,
    max_size=4,
)


def answers(users: list[Events], period: Any = None, **options: Any) -> list[dict[str, Any]]:
    funnel = wb.Funnel(STEPS, window=9, **options)
    task = task_of(funnel, integer_time=True, names=True, period=period)
    return task.answer(block_of(users)).to_pylist()


def bits(events: Events) -> list[brute_force.Row]:
    def row(at: int, name: str) -> brute_force.Row:
        return at, 1 << STEPS.index(name) if name in STEPS else 0, int(name == "x")

    return brute_force.sorted_rows([row(*event) for event in events])


def best_chain_in(rows: list[brute_force.Row], rules: Rules, first: int, end: int) -> list[int]:
    """Return level and begin of the best chain that begins in a period; empty without one."""
    chains = [c for c in brute_force.chains(rows, rules) if first <= rows[c[0][0]][0] < end]
    completed_at = [chain[-1][0] for chain in chains if chain[-1][1] == rules.steps - 1]
    candidates = [
        [brute_force.level_of(chain, rules), rows[chain[0][0]][0]]
        for chain in chains
        if chain[-1][0] <= min(completed_at, default=len(rows))
    ]
    return max(candidates, default=[])


@given(USERS, st.sampled_from(RULES), TIMES, st.integers(1, 12))
@draws(150)
def test_the_first_step_lies_in_the_period_and_later_ones_may_lie_after_it(
    users: list[Events], options_and_rules: tuple[dict[str, Any], Rules], start: int, length: int
) -> None:
    arguments, rules = options_and_rules
    chains = answers(users, (start, start + length), **arguments)
    for events, one in zip(users, chains, strict=True):
        expected = best_chain_in(bits(events), rules, start, start + length)
        assert [one["level"], *one["reached"][:1]] == (expected or [0])


@given(USERS, TIMES)
@draws(100)
def test_in_any_order_events_before_the_start_are_ignored(users: list[Events], start: int) -> None:
    chains = answers(users, (start, None), order="any")
    later = [[row for row in bits(events) if row[0] >= start] for events in users]
    expected = [brute_force.any_order_level(rows, ANY_ORDER[1]) for rows in later]
    assert [one["level"] for one in chains] == expected


@given(USERS, st.sampled_from([*RULES, ANY_ORDER]), st.integers(0, 8))
@draws(150)
def test_each_session_is_a_separate_funnel(
    users: list[Events], options_and_rules: tuple[dict[str, Any], Rules], gap: int
) -> None:
    arguments, rules = options_and_rules
    chains = answers(users, count="sessions", session=gap, **arguments)
    expected = []
    for user, events in enumerate(users):
        sessions: list[Events] = []
        for event in sorted(events):
            if not sessions or event[0] - sessions[-1][-1][0] > gap:
                sessions.append([])
            sessions[-1].append(event)
        for number, session in enumerate(sessions, 1):
            if rules.order == "any":
                level = brute_force.any_order_level(bits(session), rules)
            else:
                level = brute_force.answer(bits(session), rules).level
            expected.append((user, number, level))
    assert [(one["user_id"], one["session"], one["level"]) for one in chains] == expected


@given(USERS, st.sampled_from([*RULES, ANY_ORDER]))
@draws(150)
def test_conversions_are_the_most_complete_consecutive_chains(
    users: list[Events], options_and_rules: tuple[dict[str, Any], Rules]
) -> None:
    arguments, rules = options_and_rules
    all_chains = answers(users, count="conversions", **arguments)
    for user, events in enumerate(users):
        chains = [one for one in all_chains if one["user_id"] == user]
        levels = [one["level"] for one in chains]
        assert [one["chain"] for one in chains] == list(range(1, len(chains) + 1))
        assert levels.count(3) == brute_force.most_completed(bits(events), rules)
        assert all(level == 3 for level in levels[:-1])
        assert levels[0] == 0 or 0 not in levels
        ends = [one["reached"][-1] for one in chains if one["level"]]
        begins = [min(time for time in one["reached"] if time is not None) for one in chains[1:]]
        assert all(end <= begin for end, begin in zip(ends, begins, strict=False))


#: The events of one user, and how far each chain gets.
CONVERSIONS = {
    "a repeated first step begins no chain of its own": ("A A B C", [3]),
    "two, one behind the other": ("A B C A B C", [3, 3]),
    "an event is used once": ("A B C B C", [3]),
    "what is begun behind the last counts too": ("A B C A B", [3, 2]),
    "nothing behind the last": ("A B C o", [3]),
    "none": ("o B", [0]),
}


@pytest.mark.parametrize("case", CONVERSIONS)
def test_conversions_of_one_user_are_consecutive(case: str) -> None:
    events, expected = CONVERSIONS[case]
    user = [*enumerate(events.split())]
    assert [one["level"] for one in answers([user], count="conversions")] == expected


def test_every_event_of_a_funnel_of_one_step_is_a_conversion() -> None:
    task = task_of(wb.Funnel(["A"], 9, count="conversions"), integer_time=True, names=True)
    block = block_of([[(0, "A"), (0, "A"), (3, "B"), (4, "A")]])
    assert task.answer(block).column("reached").to_pylist() == [[0], [0], [4]]


def test_sessions_are_separated_at_the_ends_of_64_bits() -> None:
    ends = [(-(2**63), "A"), (2**63 - 1, "B")]
    for gap, sessions in ((2**63 - 1, 2), (5, 2)):
        assert len(answers([ends], count="sessions", session=gap)) == sessions


def test_a_period_is_read_in_the_time_zone_of_the_session() -> None:
    def hours(start: Any, kind: str, zone: str) -> float:
        first, end = Counting(start=start).period(kind, zone) or (None, 0)
        assert (end, first is None) == (None, False)
        return (first or 0) / 3_600_000_000

    assert hours("1970-01-02", "timestamp", "UTC") == 24
    assert hours(date(1970, 1, 2), "timestamp", "Europe/Paris") == 23
    assert hours(datetime(1970, 1, 2), "timestamp", "GMT+03:00") == 21
    assert hours("1970-01-02", "timestamp_ntz", "Europe/Paris") == 24
    assert hours("1970-01-02 06:00", "date", "Europe/Paris") == 30
    assert hours(datetime(1970, 1, 2, tzinfo=UTC), "timestamp", "Europe/Paris") == 24
    for day in ("1970-01-02", "1970-01-02T00:00:00.000000001"):
        assert hours(np.datetime64(day), "timestamp", "Europe/Paris") == 23


#: By a zone's name in Spark: hours from a day's begin there to that of UTC, and Arrow's name.
ZONES = {
    "GMT+8": (8, "+08:00"),
    "UTC+08": (8, "+08:00"),
    "+8": (8, "+08:00"),
    "-3:30": (-3.5, "-03:30"),
    "Z": (0, "UTC"),
    "PST": (-8, "America/Los_Angeles"),
    "EST": (-5, "EST"),
    "IST": (5.5, "Asia/Kolkata"),
    "JST": (9, "Asia/Tokyo"),
}


@pytest.mark.parametrize("zone", ZONES)
def test_any_time_zone_of_spark_has_days(zone: str) -> None:
    ahead, name = ZONES[zone]
    period = Counting(start="2024-01-02").period("timestamp", zone)
    midnight = (datetime(2024, 1, 2) - datetime(1970, 1, 1)) // timedelta(microseconds=1)
    assert period == (midnight - ahead * 3_600_000_000, None)
    assert arrow_zone(zone) == name


@pytest.mark.parametrize("zone", ["-03:00:30", "Mars/Olympus"])
def test_a_time_zone_that_arrow_lacks_is_refused(zone: str) -> None:
    with pytest.raises(wb.WorkbenchError) as error:
        arrow_zone(zone)
    assert str(error.value) == (
        f"spark.sql.session.timeZone: {zone!r} is not a time zone that Python and Arrow know; set "
        "a region, such as 'Europe/Berlin', or an offset of whole minutes, such as '+01:00'."
    )


def test_a_period_in_an_unknown_time_zone_is_refused() -> None:
    with pytest.raises(wb.WorkbenchError, match=r"^spark.sql.session.timeZone: 'Mars/Olympus' is"):
        Counting(start="2024-01-02").period("timestamp", "Mars/Olympus")


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "a period that ends before it begins": (
        {"start": "2024-02-01", "end": "2024-01-01"},
        "end: '2024-01-01' is not after the start, '2024-02-01', so the period is empty; "
        "give a later one.",
    ),
    "a period without time": (
        {"start": 5, "end": 5},
        "end: 5 is not after the start, 5, so the period is empty; give a later one.",
    ),
    "a period of two kinds": (
        {"start": 5, "end": "2024-01-01"},
        "end: '2024-01-01' and the start, 5, are not both times or both integers; "
        "give two of the same kind.",
    ),
    "no time": (
        {"start": "soon"},
        "start: 'soon' is not a time; give one such as '2024-01-31', '2024-01-31 12:00' or a "
        "datetime.",
    ),
    "a time that is none of pandas'": (
        {"start": pd.NaT},
        "start: NaT is not a time; give one such as '2024-01-31', '2024-01-31 12:00' or a "
        "datetime.",
    ),
    "a time that is none of NumPy's": (
        {"end": np.datetime64("NaT", "D")},
        "end: np.datetime64('NaT','D') is not a time; give one such as '2024-01-31', "
        "'2024-01-31 12:00' or a datetime.",
    ),
    "an end in any order": (
        {"order": "any", "end": 9},
        "end: steps in any order have no first step that must lie in a period; leave the end out, "
        "or leave later events out of the table.",
    ),
    "a held key": (
        {"hold": "user_id"},
        "hold: 'user_id' is a column of the key, which has one value along every chain; "
        "leave it out.",
    ),
    "a count that is none": (
        {"count": "totals"},
        "count: 'totals' is not known; give one of 'users', 'sessions', 'conversions'.",
    ),
    "sessions of nothing": (
        {"count": "sessions"},
        'session: count="sessions" does not say what a session is; give the time without events '
        "that ends one, such as '30 minutes', or a column.",
    ),
    "sessions that are not counted": (
        {"session": "30 minutes"},
        "session: it is for count=\"sessions\", and count is 'users'; count sessions, or leave it "
        "out.",
    ),
    "a session that is no duration": (
        {"count": "sessions", "session": "30 parsecs"},
        "session: '30 parsecs' is not a duration; give one such as '1 hour', '90 days' or "
        "timedelta(minutes=5).",
    ),
    "a held session": (
        {"count": "sessions", "session": "visit", "hold": ["visit"]},
        "hold: 'visit' is the column of sessions, which is held constant; leave it out.",
    ),
    "conversions by a mode of ClickHouse": (
        {"count": "conversions", "modes": "strict_once"},
        "modes: 'strict_once' is a mode of ClickHouse's windowFunnel, which does not have "
        "order, optional, within, exclude or conversions; leave out the modes or these.",
    ),
    "an optional end of conversions": (
        {"count": "conversions", "optional": ["C"]},
        "optional: the last step ends a conversion, so it cannot be left out; name an earlier one, "
        "or count users.",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_invalid_counting_is_refused(case: str) -> None:
    arguments, sentence = BAD[case]
    with pytest.raises(wb.WorkbenchError) as error:
        wb.Funnel(STEPS, window=9, **arguments)
    assert str(error.value) == sentence


def test_integers_of_numpy_make_the_same_funnel_as_those_of_python() -> None:
    of_python: dict[str, Any] = {"count": "sessions", "window": 9, "within": {"B": 3}, "session": 4}
    of_numpy = {"window": np.int64(9), "within": {"B": np.int32(3)}, "session": np.uint16(4)}
    assert repr(wb.Funnel(STEPS, **of_python | of_numpy)) == repr(wb.Funnel(STEPS, **of_python))


def test_the_repr_of_a_funnel_that_counts_is_its_code() -> None:
    text = (
        "wb.Funnel(['A', 'B'], window='1 hour', key=['shop', 'user'], hold=['product', 'size'], "
        "count='sessions', session='30 minutes', start='2024-01-01', end='2024-02-01')"
    )
    funnel = wb.Funnel(
        ["A", "B"], "1 hour", ["shop", "user"], hold=["product", "size"], count="sessions",
        session="30 minutes", start="2024-01-01", end="2024-02-01",
    )  # fmt: skip
    assert repr(funnel) == text
    assert repr(eval(text, {"wb": wb})) == text
    assert "held" not in funnel._repr_html_()
    assert "product" in funnel._repr_html_()


@pytest.fixture(scope="module")
def rows() -> list[tuple[str | None, int, str, str | None, int]]:
    rng = np.random.default_rng(5)
    products = np.array(["p", "q", None])
    return [
        (f"user {u}", int(at), str(name), product, int(at) // 10)
        for u in range(40)
        for at, name, product in zip(
            rng.integers(0, 30, 12), rng.choice([*"AABBCCxo"], 12), rng.choice(products, 12),
            strict=True,
        )
    ]  # fmt: skip


@pytest.fixture(scope="module")
def events(spark: SparkSession, rows: list[tuple[Any, ...]]) -> DataFrame:
    names = "user_id string, timestamp long, event string, product string, visit long"
    return spark.createDataFrame(rows, names)


@pytest.fixture(scope="module")
def prepared(events: DataFrame) -> Iterator[wb.Prepared]:
    with wb.prepare(events) as prepared:
        yield prepared


def levels_by(rows: list[tuple[Any, ...]], *columns: int) -> dict[tuple[Any, ...], int]:
    """Return the level of each user and value of columns, by a search of all chains."""
    parts: dict[tuple[Any, ...], Events] = {}
    for row in rows:
        key = row[0], *(row[k] for k in columns)
        if None not in key:
            parts.setdefault(key, []).append(row[1:3])
    return {key: brute_force.answer(bits(part), Rules(3, 9)).level for key, part in parts.items()}


@pytest.mark.parametrize("method", ["paths", "drivers", "steps"])
@pytest.mark.parametrize(
    ("nulls", "expected"),
    [
        (1, "1 row was left out: its key or its time, or a column held constant, is null."),
        (2, "2 rows were left out: their key or their time, or a column held constant, is null."),
    ],
)
def test_rows_with_a_null_in_a_held_column_are_warned_of(
    spark: SparkSession, method: str, nulls: int, expected: str
) -> None:
    rows = [(1, 1, "A", "x"), (1, 5, "B", "x"), *((1, 2, "A", None),) * nulls]
    table = spark.createDataFrame(rows, "user_id int, timestamp long, event string, product string")
    funnel = wb.Funnel(["A", "B"], window=9, hold="product")
    more = {"paths": ("A",), "drivers": ("B",), "steps": ()}[method]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        getattr(funnel, method)(table, *more)
    assert [str(one.message) for one in caught if "left out" in str(one.message)] == [expected]


def test_held_columns_have_one_value_along_a_chain_and_nulls_are_counted(
    events: DataFrame, rows: list[tuple[Any, ...]]
) -> None:
    funnel = wb.Funnel(STEPS, window=9, hold="product")
    levels = funnel.levels(events)
    assert levels.columns == ["user_id", "product", "level", "reached"]
    assert {(row[0], row[1]): row[2] for row in levels.collect()} == levels_by(rows, 3)
    skipped = sum(row[3] is None for row in rows)
    with pytest.warns(wb.WorkbenchWarning, match=f"{skipped} rows .*or a column held constant, is"):
        steps = funnel.steps(events)
    assert steps["users"].tolist() == [
        sum(level > k for level in levels_by(rows, 3).values()) for k in range(3)
    ]
    with funnel.prepare(events) as again:
        assert (again.key, again.skipped) == (("user_id", "product"), skipped)
        with pytest.warns(wb.WorkbenchWarning):
            assert funnel.steps(again).equals(steps)


def test_a_column_of_the_key_may_be_a_segment(
    spark: SparkSession, events: DataFrame, rows: list[tuple[Any, ...]]
) -> None:
    funnel = wb.Funnel(STEPS, window=9, hold="product")
    table = spark.createDataFrame([row for row in rows if row[3]], events.schema)
    levels = funnel.levels(table, by="product")
    assert levels.columns == ["user_id", "product", "level", "reached"]
    assert {(row[0], row[1]): row[2] for row in levels.collect()} == levels_by(rows, 3)
    users = funnel.steps(table, by="product").set_index(["product", "step"])["users"]
    assert users["q", "A"] == sum(
        level > 0 for (_, product), level in levels_by(rows, 3).items() if product == "q"
    )


def test_sessions_of_a_column_are_parts_of_a_key(
    events: DataFrame, rows: list[tuple[Any, ...]]
) -> None:
    funnel = wb.Funnel(STEPS, window=9, count="sessions", session="visit")
    levels = {(row[0], row[1]): row["level"] for row in funnel.levels(events).collect()}
    assert levels == levels_by(rows, 4)


def test_prepared_events_and_tables_give_the_same_answers(
    events: DataFrame, prepared: wb.Prepared
) -> None:
    all_options: list[dict[str, Any]] = [
        {"count": "sessions", "session": 3},
        {"count": "conversions", "start": 4, "end": 20},
        {"start": 4, "end": 12, "order": "strict"},
    ]
    for options in all_options:
        funnel = wb.Funnel(STEPS, window=9, **options)
        number = [one for one in ("session", "chain") if one[0] == str(options.get("count"))[0]]
        order = ["user_id", *number]
        once, again = (funnel.levels(one).orderBy(*order).collect() for one in (events, prepared))
        assert once == again
        assert len({row["level"] for row in once}) > 2
        steps = funnel.steps(prepared)
        assert steps["users"].tolist() == [sum(row["level"] > k for row in once) for k in range(3)]
        counted = {"sessions": "sessions", "conversions": "chains"}
        assert steps.attrs["unit"] == counted.get(str(options.get("count")), "users")
        people = funnel.people(events, stopped_at=2)
        assert people.count() == sum(row["level"] == 2 for row in once)


def test_a_period_of_timestamps_begins_in_the_sessions_time_zone(spark: SparkSession) -> None:
    events = spark.sql("SELECT 1 user_id, timestamp'2024-01-01 00:00' timestamp, 'A' event")
    day = datetime.fromisoformat("2024-01-01")
    funnels = [
        wb.Funnel(["A"], "1 hour", start=day),
        wb.Funnel(["A"], "1 hour", end=day),
        wb.Funnel(["A"], "1 hour", start=day + timedelta(seconds=1)),
    ]
    assert [funnel.levels(events).first()["level"] for funnel in funnels] == [1, 0, 0]  # type: ignore[index]


TABLES: dict[str, tuple[dict[str, Any], str]] = {
    "a held column that is not there": (
        {"hold": "prodct"}, "hold: there is no column 'prodct'; did you mean 'product'?",
    ),
    "a column of sessions that is not there": (
        {"count": "sessions", "session": "visits"},
        "session: there is no column 'visits'; did you mean 'visit'?",
    ),
    "sessions by a duration": (
        {"count": "sessions", "session": "30 minutes"},
        "session: '30 minutes' has a unit, but the time column holds integers; "
        "give an integer in the unit of that column.",
    ),
    "a period of times": (
        {"start": "2024-01-01"},
        "start: '2024-01-01' is not an integer, but the time column holds integers; "
        "give an integer in the unit of that column.",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", TABLES)
def test_options_that_do_not_fit_the_table_are_refused_before_a_job(
    case: str, events: DataFrame, spark: SparkSession
) -> None:
    options, sentence = TABLES[case]
    with no_job(spark), pytest.raises(wb.WorkbenchError) as error:
        wb.Funnel(STEPS, window=9, **options).levels(events)
    assert str(error.value) == sentence


def test_prepared_events_of_another_key_do_not_hold_a_column_constant(
    prepared: wb.Prepared,
) -> None:
    with pytest.raises(wb.WorkbenchError, match="prepare them anew with"):
        wb.Funnel(STEPS, window=9, hold="product").levels(prepared)


def test_keys_with_several_chains_cannot_be_played(prepared: wb.Prepared) -> None:
    with pytest.raises(wb.WorkbenchError, match="what: a key has several conversions, and one"):
        wb.play(wb.Funnel(STEPS, window=9, count="conversions"), prepared)
