"""What a search finds is made small, counted once, and written as a test that fails."""

import runpy
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

from tests.fuzz.__main__ import main
from tests.fuzz.check import Check, Failure, Search
from tests.fuzz.subjects import SUBJECTS
from tests.fuzz.written import text_of, write_test

looked_at: list[Any] = []


def sums_are_small(values: list[int]) -> None:
    looked_at.append(values)
    assert sum(values) < 1_000, "the sum is large"
    assert len(values) < 9, "there are many"


WRONG = Check(sums_are_small, {"values": st.lists(st.integers(0, 300), max_size=20)})
EVERY = [check for checks in SUBJECTS.values() for check in checks]


def search(seconds: float = 60) -> Search:
    return Search(time.monotonic() + seconds)


def test_a_case_that_fails_is_written_small_as_a_test_that_fails(tmp_path: Path) -> None:
    failure = search().turn(WRONG, 7)
    assert failure is not None
    assert sum(failure.case["values"]) == 1_000
    path = write_test(failure, tmp_path)
    assert "Found with seed 7." in path.read_text()
    assert "# AssertionError: the sum is large" in path.read_text()
    with pytest.raises(AssertionError, match="the sum is large"):
        runpy.run_path(str(path))["test_sums_are_small"]()


def test_each_kind_of_failure_is_found_once() -> None:
    one, found = search(), []
    for seed in range(20):
        found += [failure for failure in [one.turn(WRONG, seed)] if failure]
    said = [str(failure.error).splitlines()[0] for failure in found]
    assert sorted(said) == ["the sum is large", "there are many"]


def test_a_seed_draws_the_same_cases_again() -> None:
    drawn = []
    for seed in (3, 3, 4):
        looked_at.clear()
        search().turn(WRONG, seed)
        drawn.append(list(looked_at))
    assert drawn[0] == drawn[1] != drawn[2]


def test_a_case_stays_as_large_as_it_is_when_the_time_to_make_it_small_is_over() -> None:
    large, small = (Search(time.monotonic() + 60, shrinking).turn(WRONG, 7) for shrinking in (0, 9))
    assert large is not None
    assert small is not None
    assert len(large.case["values"]) > len(small.case["values"])


def test_nothing_is_looked_at_when_the_time_is_over() -> None:
    one = search(-1)
    assert one.turn(WRONG, 7) is None
    assert one.examined == 0


@pytest.mark.parametrize("check", EVERY, ids=lambda check: check.name)
def test_every_case_can_be_written(check: Check) -> None:
    written: list[Any] = []

    def write(*spark: Any, **case: Any) -> None:
        text = text_of(Failure(check, 1, case, AssertionError("")))
        names: dict[str, Any] = {}
        exec(compile(text, "found", "exec"), names)
        names[check.name] = lambda *spark, **again: written.append((case, again))
        names[f"test_{check.name}"](*["a session"] * check.on_spark)

    write.__name__ = check.name
    assert search().turn(Check(write, check.cases, 3, check.on_spark), 5) is None
    assert len(written) == 3
    assert all(repr(case) == repr(again) for case, again in written)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["tables"], "subjects: 'tables' is not known; give some of funnel, windows, backfill,"),
        (["--minutes", "0"], "--minutes: 0 is no time; give more than 0."),
    ],
)
def test_what_cannot_be_searched_is_one_sentence(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    assert said in " ".join(capsys.readouterr().err.split())
