"""Sessions of every kind are examined without being changed."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.conftest import RunOn
from workbench.doctor.examine import examine
from workbench.doctor.reach import check_reachable
from workbench.errors import WorkbenchError

ROOT = Path(__file__).parents[3]


def findings_of(spark: SparkSession) -> dict[str, tuple[bool, str]]:
    return {subject: (good, words) for subject, good, words in examine(spark)}


@pytest.mark.parametrize(
    "kind", ["classic", "connect", pytest.param("cluster", marks=pytest.mark.cluster)]
)
def test_executors_of_every_kind_of_session_answer(run_on: RunOn, kind: str) -> None:
    findings = run_on(kind, findings_of)
    for subject in ("Spark", "Java", "Executors", "Packages", "Sketches", "Kernels there"):
        assert findings[subject][0], findings[subject]
    assert findings["Compiled kernels"] == (True, "what is compiled here runs there.")


def test_a_python_that_cannot_be_started_is_a_finding(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spark.sparkContext, "pythonExec", "/no/such/python")
    good, words = findings_of(spark)["Executors"]
    assert not good
    assert words.startswith("Python does not answer there; fix this: java.io.IOException: Cannot")
    assert '"/no/such/python"' in words


def test_the_command_prints_a_line_per_check_and_exits_with_0_if_all_are_good(jvm: None) -> None:
    command = [sys.executable, "-m", "workbench.doctor", "--master", "local[1]"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    lines = run.stdout.splitlines()
    checks, wrong = len(lines) - 1, sum(line.startswith("LOOK") for line in lines)
    assert lines[-1] == f"{checks} checks, {wrong} marked LOOK."
    assert checks > 10
    assert run.returncode == (wrong > 0)


def test_the_command_takes_either_a_master_or_a_remote() -> None:
    command = [sys.executable, "-m", "workbench.doctor", "--master", "local", "--remote", "sc://a"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 2
    assert "give --master or --remote, not both." in run.stderr


@pytest.fixture
def closed() -> str:
    """An address where no process listens."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{one.getsockname()[1]}"


@pytest.mark.parametrize(("option", "start"), [("remote", "sc"), ("master", "spark")])
def test_an_address_where_nothing_answers_is_an_error_at_once(
    option: str, start: str, closed: str
) -> None:
    command = [sys.executable, "-m", "workbench.doctor", f"--{option}", f"{start}://{closed}"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)
    assert run.returncode == 1
    assert run.stdout == ""
    assert run.stderr.startswith(f"{option}: nothing answers at {closed} (")
    assert run.stderr.count("\n") == 1


def test_one_of_several_masters_is_enough(closed: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as open_:
        address = f"127.0.0.1:{open_.getsockname()[1]}"
        check_reachable({"spark.master": f"spark://{closed},{address}"})
    with pytest.raises(WorkbenchError, match="master: nothing answers"):
        check_reachable({"spark.master": f"spark://{closed}"})


def test_a_server_that_is_not_spark_connect_is_an_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(
            WorkbenchError, match=f"what listens at {address} is not a Spark Connect"
        ):
            check_reachable({"spark.remote": f"sc://{address}"})


@pytest.mark.parametrize(
    ("option", "address"),
    [
        ("master", "nowhere"),
        ("remote", "nowhere"),
        ("master", "yarnx"),
        ("master", "spark://one:99999"),
        ("remote", "sc://one:port"),
    ],
)
def test_an_invalid_address_is_an_error(option: str, address: str) -> None:
    with pytest.raises(WorkbenchError, match=f"{option}: '{address}' is not an address of Spark"):
        check_reachable({f"spark.{option}": address})


def test_yarn_is_a_valid_address() -> None:
    check_reachable({"spark.master": "yarn"})
