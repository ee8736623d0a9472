"""Sessions of every kind are examined, and none is changed by it."""

import subprocess
import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.conftest import RunOn
from workbench.doctor.examine import examine

ROOT = Path(__file__).parents[3]


def examined(spark: SparkSession) -> dict[str, tuple[bool, str]]:
    return {subject: (good, words) for subject, good, words in examine(spark)}


@pytest.mark.parametrize(
    "kind", ["classic", "connect", pytest.param("cluster", marks=pytest.mark.cluster)]
)
def test_executors_of_every_kind_of_session_answer(run_on: RunOn, kind: str) -> None:
    found = run_on(kind, examined)
    for subject in ("Spark", "Java", "Executors", "Packages", "Sketches", "Kernels there"):
        assert found[subject][0], found[subject]
    assert found["Compiled kernels"] == (True, "what is compiled here runs there.")


def test_the_command_prints_a_line_each_and_its_code_says_whether_all_is_well(jvm: None) -> None:
    command = [sys.executable, "-m", "workbench.doctor", "--master", "local[1]"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    lines = run.stdout.splitlines()
    looked, wrong = len(lines) - 1, sum(line.startswith("LOOK") for line in lines)
    assert lines[-1] == f"{looked} looked at, {wrong} to look at again."
    assert looked > 10
    assert run.returncode == (wrong > 0)


def test_one_place_is_examined_at_a_time() -> None:
    command = [sys.executable, "-m", "workbench.doctor", "--master", "local", "--remote", "sc://a"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 2
    assert "give --master or --remote, not both." in run.stderr
