"""Check everything, stage by stage, and end with a summary: `make test`.

Every stage runs, whatever failed before it. Nothing is skipped in silence.
"""

import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path
from typing import BinaryIO, NamedTuple
from xml.etree import ElementTree

from browser import provide_browser
from redis_server import provide_redis

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
# Many short Spark drivers on few cores: the optimising compiler costs more than it gives.
SHORT_JVM = {"SPARK_SUBMIT_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
STATIC_CHECKS = {
    "style": ("ruff", "check", "."),
    "format": ("ruff", "format", "--check", "."),
    "types": ("mypy",),
    "imports": ("lint-imports",),
}
TESTS = {
    "kernels": ("--doctest-modules", "kernels", "tests/kernels"),
    "workbench": (
        "tests",
        *(f"--ignore=tests/{other}" for other in ("kernels", "notebooks", "browser")),
    ),
    "examples": ("--doctest-modules", "workbench"),
    "lessons": ("tests/notebooks",),
    # A notebook's kernel is a process of its own: only warnings of nbval itself are seen here.
    "notebooks": ("--nbval-lax", "--nbval-cell-timeout=600", "-W", "default", "notebooks"),
    "browser": ("tests/browser",),
}
#: What runs side by side, as one driver of Spark keeps one core busy at a time. A browser waits
#: only so long for what it is to see, so it has the machine to itself.
LANES = ("workbench", "examples"), ("kernels", "lessons", "notebooks")
ALONE = ("browser",)


class Result(NamedTuple):
    """What a stage did."""

    stage: str
    passed: int
    failed: int
    skipped: int
    seconds: float


def main() -> None:
    """Run the stages and exit with 1 if anything failed."""
    provide_browser()
    provide_redis()
    results = [check(stage, *command) for stage, command in STATIC_CHECKS.items()]
    with ThreadPoolExecutor(len(LANES)) as lanes:
        results += chain.from_iterable(lanes.map(lane, LANES))
    results += lane(ALONE)
    report(results)
    sys.exit(any(result.failed for result in results))


def lane(stages: tuple[str, ...]) -> list[Result]:
    """Run some stages of tests, one behind the other."""
    return [pytest(stage, *TESTS[stage]) for stage in stages]


def check(stage: str, *command: str) -> Result:
    """Run a checker, which passes or fails as a whole."""
    start = announce(stage)
    failed = run(*command) != 0
    return Result(stage, int(not failed), int(failed), 0, time.monotonic() - start)


def pytest(stage: str, *arguments: str) -> Result:
    """Run pytest and count its cases; a run that broke off counts as one more failure.

    What it says is printed at its end, as another one may run beside it.
    """
    start = announce(f"{stage} begins")
    with tempfile.TemporaryDirectory() as folder:
        outcome, said = Path(folder, "outcome.xml"), Path(folder, "said")
        with said.open("wb") as output:
            options = "-q", "--durations=10", f"--junitxml={outcome}"
            code = run("pytest", *options, *arguments, output=output)
        passed, failed, skipped = count(outcome)
        broken = int(code != 0 and not failed)
        end = f"pytest broke off with code {code}: what it had not reached was not tested.\n"
        text = said.read_text(errors="replace") + end * broken
    print(f"\n=== {stage} ===\n{text}", end="", flush=True)
    return Result(stage, passed, failed + broken, skipped, time.monotonic() - start)


def count(outcome: Path) -> tuple[int, int, int]:
    """Count passed, failed and skipped cases in pytest's report; none if it wrote none."""
    if not outcome.is_file():
        return 0, 0, 0
    suites = list(ElementTree.parse(outcome).getroot().iter("testsuite"))
    total, errors, failures, skipped = (
        sum(int(suite.get(name, 0)) for suite in suites)
        for name in ("tests", "errors", "failures", "skipped")
    )
    failed = errors + failures
    return max(total - failed - skipped, 0), failed, skipped


def run(*command: str, output: BinaryIO | None = None) -> int:
    """Run one of the environment's programs in the project's folder."""
    name, *arguments = command
    command = (str(BIN / name), *arguments)
    streams = {} if output is None else {"stdout": output, "stderr": subprocess.STDOUT}
    environment = os.environ | SHORT_JVM
    return subprocess.run(command, cwd=ROOT, env=environment, check=False, **streams).returncode


def announce(stage: str) -> float:
    """Print the stage's name; the time at which it starts."""
    print(f"\n=== {stage} ===", flush=True)
    return time.monotonic()


def report(results: list[Result]) -> None:
    """Print a line for each stage, and last the counts of all."""
    print("\n=== summary ===")
    for result in results:
        print(
            f"{result.stage:<10} {result.passed:>5} passed {result.failed:>3} failed "
            f"{result.skipped:>3} skipped {result.seconds:>6.0f} s"
        )
    passed, failed, skipped = (sum(column) for column in list(zip(*results, strict=True))[1:4])
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))


if __name__ == "__main__":
    main()
