"""A failing case is shrunk, counted once, and written as a test that fails."""

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

examined: list[Any] = []


def sums_are_small(values: list[int]) -> None:
    examined.append(values)
    assert sum(values) < 1_000, "the sum is large"
    assert len(values) < 9, "there are many"


WRONG = Check(sums_are_small, {"values": st.lists(st.integers(0, 300), max_size=20)})
EVERY = [check for checks in SUBJECTS.values() for check in checks]


def search(seconds: float = 60) -> Search:
    return Search(time.monotonic() + seconds)


def test_a_failing_case_is_shrunk_and_written_as_a_test_that_fails(tmp_path: Path) -> None:
    failure = search().turn(WRONG, 7)
    assert failure is not None
    assert sum(failure.case["values"]) == 1_000
    path = write_test(failure, tmp_path)
    assert "Found with seed 7." in path.read_text()
    assert "# AssertionError: the sum is large" in path.read_text()
    with pytest.raises(AssertionError, match="the sum is large"):
        runpy.run_path(str(path))["test_sums_are_small"]()


def test_each_kind_of_failure_is_found_once() -> None:
    one, failures = search(), []
    for seed in range(20):
        failures += [failure for failure in [one.turn(WRONG, seed)] if failure]
    messages = [str(failure.error).splitlines()[0] for failure in failures]
    assert sorted(messages) == ["the sum is large", "there are many"]


def test_a_seed_draws_the_same_cases_again() -> None:
    drawn = []
    for seed in (3, 3, 4):
        examined.clear()
        search().turn(WRONG, seed)
        drawn.append(list(examined))
    assert drawn[0] == drawn[1] != drawn[2]


def test_a_failing_case_is_not_shrunk_further_when_the_time_for_it_is_over() -> None:
    large, small = (Search(time.monotonic() + 60, shrinking).turn(WRONG, 7) for shrinking in (0, 9))
    assert large is not None
    assert small is not None
    assert len(large.case["values"]) > len(small.case["values"])


def test_no_case_is_examined_when_the_time_is_over() -> None:
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
    ("arguments", "message"),
    [
        (["tables"], "subjects: 'tables' is not known; give some of funnel, windows, backfill,"),
        (["--minutes", "0"], "--minutes: 0 is no time; give more than 0."),
    ],
)
def test_bad_arguments_are_refused_in_one_sentence(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    assert message in " ".join(capsys.readouterr().err.split())
