"""Order, optional steps, windows of steps and exclusions: Spark answers as the kernels do."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from pyspark.sql import DataFrame, SparkSession

import workbench as wb
from kernels.funnel.chain_levels import Rules
from tests.kernels.funnel import chains_brute_force as brute_force

STEPS = ["A", "B", "C", "D"]

#: Options of a funnel, and the same rules as the kernels take them.
RULES: dict[str, tuple[dict[str, Any], Rules]] = {
    "optional": ({"optional": ["B"]}, Rules(4, 9, optional=(1,))),
    "optional by number": ({"optional": [2, 4]}, Rules(4, 9, optional=(1, 3))),
    "within": ({"within": {"C": 3, "B": 2}}, Rules(4, 9, within=((1, 2), (2, 3)))),
    "exclude between two": ({"exclude": {"x": ("B", "C")}}, Rules(4, 9, exclusions=((1, 2),))),
    "exclude everywhere": ({"exclude": "x"}, Rules(4, 9, exclusions=((0, 3),))),
    "strict": ({"order": "strict"}, Rules(4, 9, "strict")),
    "any order": ({"order": "any"}, Rules(4, 9, "any")),
    "everything": (
        {"optional": ["C"], "within": {"D": 5}, "exclude": {"x": ("A", "B"), "y": ("B", "D")}},
        Rules(4, 9, optional=(2,), within=((3, 5),), exclusions=((0, 1), (1, 3))),
    ),
}
Rows = dict[str, list[tuple[int, str]]]


@pytest.fixture(scope="module")
def rows() -> Rows:
    rng = np.random.default_rng(19)
    names = np.array([*STEPS, *STEPS, "x", "y", "z"])
    return {
        f"user {u}": [
            (int(at), str(name))
            for at, name in zip(rng.integers(-4, 12, n), rng.choice(names, n), strict=True)
        ]
        for u, n in enumerate(rng.integers(1, 9, 60))
    }


@pytest.fixture(scope="module")
def events(spark: SparkSession, rows: Rows) -> DataFrame:
    flat = [(user, at, name) for user, all_of in rows.items() for at, name in all_of]
    return spark.createDataFrame(flat, "user_id string, timestamp long, event string")


@pytest.fixture(scope="module")
def prepared(events: DataFrame) -> Iterator[wb.Prepared]:
    with wb.prepare(events) as prepared:
        yield prepared


def bits(rows: list[tuple[int, str]], options: dict[str, Any]) -> list[brute_force.Row]:
    excluded = options.get("exclude", ())
    excluded = [excluded] if isinstance(excluded, str) else list(excluded)

    def bit(name: str, names: list[str]) -> int:
        return 1 << names.index(name) if name in names else 0

    return [(at, bit(name, STEPS), bit(name, excluded)) for at, name in rows]


@pytest.mark.parametrize("case", RULES)
def test_levels_of_prepared_events_are_those_of_all_chains(
    case: str, rows: Rows, prepared: wb.Prepared
) -> None:
    options, rules = RULES[case]
    levels = {
        row["user_id"]: row
        for row in wb.Funnel(STEPS, window=9, **options).levels(prepared).collect()
    }
    for user, all_of in rows.items():
        if rules.order == "any":
            assert levels[user]["level"] == brute_force.any_order_level(
                bits(all_of, options), rules
            )
            continue
        best = brute_force.answer(bits(all_of, options), rules)
        assert levels[user]["level"] == best.level
        assert levels[user]["reached"][:1] == ([best.start] if best.level else [])
        if rules.exclusions:
            assert levels[user]["excluded"] == best.barred


def test_a_table_has_the_levels_of_its_prepared_events(
    events: DataFrame, prepared: wb.Prepared
) -> None:
    for case in ("strict", "everything"):
        funnel = wb.Funnel(STEPS, window=9, **RULES[case][0])
        once, again = (
            funnel.levels(one).orderBy("user_id").collect() for one in (events, prepared)
        )
        assert once == again


@pytest.mark.parametrize("case", ["everything", "exclude between two", "optional"])
def test_every_key_of_a_step_goes_on_or_is_lost_or_excluded(
    case: str, prepared: wb.Prepared
) -> None:
    funnel = wb.Funnel(STEPS, window=9, **RULES[case][0])
    steps = funnel.steps(prepared)
    excluded = steps["excluded"] if "excluded" in steps else 0 * steps["users"]
    required = [k for k in range(4) if k not in funnel.rules.optional]
    for before, k in pairwise(required):
        gone = steps["lost"][k] + excluded[k]
        assert steps["users"][before] == steps["users"][k] + gone
    if case != "optional":
        assert excluded.sum() == funnel.levels(prepared).where("excluded").count() > 0


def test_optional_steps_count_as_posthog_counts_them(spark: SparkSession) -> None:
    chains = ["1", "123", "13", "12345", "1235", "134", "1345", "135"]
    flat = [(user, at, step) for user in chains for at, step in enumerate(user)]
    events = spark.createDataFrame(flat, "user_id string, timestamp long, event string")
    steps = wb.Funnel(list("12345"), window=9, optional=["2", "4"]).steps(events)
    assert steps["users"].tolist() == [8, 3, 7, 3, 4]
    assert steps["lost"].tolist() == [0, 0, 1, 0, 3]
    assert steps["from_previous"].tolist() == [1, 3 / 8, 7 / 8, 3 / 7, 4 / 7]


def test_excluded_keys_leave_all_steps_with_exclude_from_all(prepared: wb.Prepared) -> None:
    exclusion: dict[str, Any] = {"exclude": {"x": ("A", "B")}}
    later = wb.Funnel(STEPS, window=9, **exclusion).levels(prepared)
    all_of = wb.Funnel(STEPS, window=9, exclude_from="all", **exclusion).levels(prepared)
    out = {row["user_id"] for row in all_of.where("excluded and level = 0").collect()}
    stay = {row["user_id"] for row in later.where("excluded and level = 1").collect()}
    assert out
    assert out <= stay


def test_a_step_may_be_any_of_several_events(prepared: wb.Prepared, events: DataFrame) -> None:
    either = wb.Funnel([["A", "B"], "C"], window=9)
    conditions = {"A or B": "event in ('A', 'B')", "C": "event = 'C'"}
    by_condition = wb.Funnel(conditions, window=9)
    expected = by_condition.steps(events)
    assert expected["step"].tolist() == ["A or B", "C"]
    assert either.steps(prepared).equals(expected)


def test_conditions_can_exclude(events: DataFrame) -> None:
    by_name = wb.Funnel(["A", "B"], window=9, exclude={"x": ("A", "B")})
    steps = {"A": "event = 'A'", "B": "event = 'B'"}
    by_condition = wb.Funnel(steps, window=9, exclude={"bad": ("event = 'x'", "A", "B")})
    expected = by_name.levels(events).orderBy("user_id").collect()
    assert by_condition.levels(events).orderBy("user_id").collect() == expected
    with by_condition.prepare(events) as prepared:
        assert by_condition.levels(prepared).orderBy("user_id").collect() == expected


def test_in_any_order_a_summary_counts_steps_without_names(prepared: wb.Prepared) -> None:
    steps = wb.Funnel(STEPS, window=9, order="any").steps(prepared)
    assert steps["step"].tolist() == ["1 step", "2 steps", "3 steps", "4 steps"]
    assert steps["users"].is_monotonic_decreasing


def test_an_exclusion_that_matches_no_event_is_warned_of(prepared: wb.Prepared) -> None:
    with pytest.warns(wb.WorkbenchWarning, match="exclude: 'xx' matches no event; did you mean"):
        wb.Funnel(["A", "B"], window=9, exclude="xx").steps(prepared)


def test_the_repr_of_a_funnel_is_its_code() -> None:
    text = (
        "wb.Funnel([['A', 'B'], 'C', 'D'], window='1 hour', optional=['C'], "
        "within={'D': '5 minutes'}, exclude={'x': ('A or B', 'D')}, exclude_from='all')"
    )
    assert repr(eval(text, {"wb": wb})) == text


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "an optional first step": ({"optional": ["A"]}, "optional: the first step opens the window"),
    "every step optional": ({"optional": ["B", "C", "D"]}, "optional: every step after the first"),
    "no such step": ({"optional": ["E"]}, "optional: 'E' is not known; give one of 'A'"),
    "no such number": ({"within": {5: 1}}, "within: there is no step 5; give 1 to 4."),
    "a window of the first step": ({"within": {"A": 1}}, "within: the first step has no step"),
    "a longer window": ({"within": {"B": 10}}, "within: the window of 'B' is longer"),
    "a window with a unit": ({"within": {"B": "1 hour"}}, "within: 'B': '1 hour' has a unit"),
    "a step with two windows": (
        {"within": {2: 1, "B": 3}}, "within: 'B' is step 2, which already has a window; give it",
    ),
    "windows in a list": ({"within": ["B"]}, "within: .* is not a dict"),
    "an exclusion the wrong way round": (
        {"exclude": {"x": ("C", "B")}}, "exclude: 'C' does not come before 'B'; name the earlier",
    ),
    "an exclusion of a step": ({"exclude": {"B": ("A", "C")}}, "exclude: 'B' is itself the step"),
    "an exclusion by a number": ({"exclude": 5}, "exclude: 5 is not text; name events by text"),
    "an exclusion by a truth": ({"exclude": [True]}, "exclude: True is not text; name events"),
    "an exclusion by a fraction": ({"exclude": [1.5]}, "exclude: 1.5 is not text; name events"),
    "an exclusion by bytes": ({"exclude": [b"x"]}, "exclude: b'x' is not text; name events"),
    "an exclusion in a tuple": ({"exclude": [("x",)]}, r"exclude: \('x',\) is not text; name"),
    "exclusions in two lists": ({"exclude": [["x", "y"]]}, r"exclude: \['x', 'y'\] is not text;"),
    "an exclusion by a dict": ({"exclude": [{"x": 1}]}, "exclude: {'x': 1} is not text; name"),
    "an exclusion labelled by a number": (
        {"exclude": {5: ("A", "B")}}, "exclude: 5 is not text; name events by text, and label",
    ),
    "an exclusion of one step": ({"exclude": {"x": ("A",)}}, "exclude: .* give two steps."),
    "an exclusion at an optional step": (
        {"optional": ["B"], "exclude": {"x": ("A", "B")}}, "exclude: 'B' is optional",
    ),
    "an order that is none": ({"order": "loose"}, "order: 'loose' is not known; give one of"),
    "an exclusion in any order": ({"order": "any", "exclude": "x"}, "exclude: steps in any order"),
    "a mode of ClickHouse": (
        {"order": "strict", "modes": ["strict_once"]}, "modes: 'strict_once' is a mode",
    ),
    "where excluded keys go, without an exclusion": (
        {"exclude_from": "all"}, "exclude_from: 'all' says how .* no event is excluded; give",
    ),
    "where excluded keys go": ({"exclude": "x", "exclude_from": "none"}, "exclude_from: 'none'"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_invalid_rules_are_refused(case: str) -> None:
    options, sentence = BAD[case]
    with pytest.raises(wb.WorkbenchError, match=sentence):
        wb.Funnel(STEPS, window=9, **options)


@pytest.mark.parametrize(
    ("exclude", "sentence"),
    [
        (5, "exclude: 5 is not a dict; give a condition and two steps by label, "),
        ({"x": (5, "a", "b")}, "exclude: the condition of 'x' is 5; give SQL text or a Column."),
        ({"x": 5}, "exclude: the condition of 'x' is 5; give SQL text or a Column."),
        ({5: "n < 0"}, "exclude: 5 is not text; name events by text, and label conditions by text"),
    ],
)
def test_exclusions_of_a_funnel_by_conditions_must_be_conditions(
    exclude: Any, sentence: str
) -> None:
    with pytest.raises(wb.WorkbenchError, match=sentence):
        wb.Funnel({"a": "n > 1", "b": "n > 2"}, window=9, exclude=exclude)


def test_a_label_of_several_steps_must_be_given_by_number() -> None:
    with pytest.raises(wb.WorkbenchError, match="stands for several steps; give the step's number"):
        wb.Funnel(["A", "B", "B"], window=9, optional=["B"])
    assert wb.Funnel(["A", "B", "B"], window=9, optional=[2]).rules.optional == (1,)
