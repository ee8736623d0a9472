"""PostHog's cases: the same answer, or the one that the page on differences documents."""

from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from tests.kernels.funnel.events import MODES, Streams
from tests.kernels.funnel.test_funnel import ask_clickhouse
from tests.workbench.funnel.events import block_of
from tests.workbench.funnel.posthog_cases import CASES, Case
from workbench.columnar.blocks import NAME
from workbench.funnel.bind import task_of

PAGE = Path(__file__).parents[3] / "docs" / "funnels-compared.md"


def events_of(user: str) -> list[tuple[int, str]]:
    if "@" in user:
        return [(int(at), name) for name, at in (one.split("@") for one in user.split())]
    return list(enumerate(user))


def users_of_steps(case: Case, given: dict[str, Any]) -> list[int]:
    funnel = wb.Funnel(case.steps, case.window, **given)
    task = task_of(funnel, integer_time=True, names=True, next=NAME)
    answer = task.answer(block_of([events_of(user) for user in case.users]))
    chains = answer.column("reached").to_pylist()
    return [sum(one[k : k + 1] not in ([], [None]) for one in chains)
            for k in range(len(case.steps))]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_users_of_each_step_are_posthogs_or_differ_as_documented(case: Case) -> None:
    assert users_of_steps(case, case.given) == (case.ours or case.posthog)
    assert (case.ours is None) or bool(case.why)
    if case.usual is not None:
        rest = {name: value for name, value in case.given.items() if name != "exclude_from"}
        assert users_of_steps(case, rest) == case.usual


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_page_shows_the_answers_of_each_case(case: Case) -> None:
    assert case.row in PAGE.read_text()


#: Events in their order, and how far they get by ClickHouse's strict_order and by order="strict".
BOTH_STRICT = {
    "ABC": (3, 3), "xABC": (3, 3), "AABC": (3, 3), "ABABC": (3, 3), "ABxC": (2, 2), "ACBC": (1, 1),
    "AxABC": (1, 3), "ABAC": (3, 2), "AABBC": (3, 2),
}  # fmt: skip


def test_clickhouses_strict_order_and_posthogs_differ_in_what_may_repeat_and_restart() -> None:
    bits = {"A": 1, "B": 2, "C": 4, "x": 0}
    streams = [[(at, bits[name]) for at, name in enumerate(user)] for user in BOTH_STRICT]
    strict_order = {mode: mode == "strict_order" for mode in MODES}
    theirs = ask_clickhouse(Streams(3, 100, streams), strict_order)
    levels_of = {}
    for user, level in zip(BOTH_STRICT, theirs, strict=True):
        case = Case("", [*"ABC"], [user], [], "")
        counts = users_of_steps(case, {"modes": ["strict_order"]})
        assert sum(counts) == level
        levels_of[user] = (level, sum(users_of_steps(case, {"order": "strict"})))
    assert levels_of == BOTH_STRICT
    for user, levels in BOTH_STRICT.items():
        assert f"| `{user}` | {levels[0]} | {levels[1]} |" in PAGE.read_text()


def test_an_exclusion_of_steps_in_any_order_is_refused_as_the_page_says() -> None:
    with pytest.raises(wb.WorkbenchError, match="exclude: steps in any order do not follow"):
        wb.Funnel([*"ABC"], 9, exclude="X", order="any")
