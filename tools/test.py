"""Check everything, part by part, and end with a summary: `make test`, and `make quick`.

Every part runs, whatever failed before it. Nothing is skipped in silence: `make quick` leaves out
what needs a JVM or a browser, and says how many tests that are.
"""

import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, NamedTuple
from xml.etree import ElementTree

from browser import provide_browser
from redis_server import provide_redis

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
# Many short Spark drivers on few cores: the optimising compiler costs more than it gives.
SHORT_JVM = {"SPARK_SUBMIT_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
CHECKS = {
    "style": ("ruff", "check", "."),
    "format": ("ruff", "format", "--check", "."),
    "types": ("mypy",),
    "imports": ("lint-imports",),
}
#: Folders of tests that are a part by themselves.
ALONE = ("workbench", "browser", "kernels", "crash", "notebooks")
#: The longest first, as two parts run side by side: one driver of Spark keeps one core busy at a
#: time, and the short ones fill up what is left at the end.
TESTS = {
    "workbench": ("tests/workbench",),
    # A notebook's kernel is a process of its own: only warnings of nbval itself are seen here.
    "notebooks": ("--nbval-lax", "--nbval-cell-timeout=600", "-W", "default", "notebooks"),
    "browser": ("tests/browser",),
    "kernels": ("--doctest-modules", "kernels", "tests/kernels"),
    "crash": ("tests/crash",),
    "others": ("tests", *(f"--ignore=tests/{folder}" for folder in ALONE)),
    "lessons": ("tests/notebooks",),
    "examples": ("--doctest-modules", "workbench"),
}
#: Those that have no test without Spark or a browser.
SLOW = {"notebooks", "browser"}


class Result(NamedTuple):
    """What a part did."""

    part: str
    passed: int
    failed: int
    skipped: int
    seconds: float


def main() -> None:
    """Run the parts and exit with 1 if anything failed."""
    start, quick = time.monotonic(), sys.argv[1:] == ["quick"]
    if not quick:
        provide_browser()
    provide_redis()
    names = [name for name in TESTS if not (quick and name in SLOW)]
    options = ["--without-spark"] * quick
    with ThreadPoolExecutor(2) as pool:
        checks = [pool.submit(check, name, *command) for name, command in CHECKS.items()]
        parts = [pool.submit(pytest, name, *options, *TESTS[name]) for name in names]
    results = [part.result() for part in checks + parts]
    report(results, time.monotonic() - start)
    sys.exit(any(result.failed for result in results))


def check(part: str, *command: str) -> Result:
    """Run a checker, which passes or fails as a whole."""
    start = time.monotonic()
    with tempfile.TemporaryFile() as output:
        failed = run(*command, output=output) != 0
        output.seek(0)
        announce(part, output.read().decode(errors="replace"))
    return Result(part, int(not failed), int(failed), 0, time.monotonic() - start)


def pytest(part: str, *arguments: str) -> Result:
    """Run pytest and count its cases; a run that broke off counts as one more failure."""
    start = time.monotonic()
    announce(f"{part} begins")
    with tempfile.TemporaryDirectory() as folder:
        outcome, said = Path(folder, "outcome.xml"), Path(folder, "said")
        with said.open("wb") as output:
            options = "-q", "--durations=10", f"--junitxml={outcome}"
            code = run("pytest", *options, *arguments, output=output)
        passed, failed, skipped = count(outcome)
        broken = int(code != 0 and not failed)
        end = f"pytest broke off with code {code}: what it had not reached was not tested.\n"
        announce(part, said.read_text(errors="replace") + end * broken)
    return Result(part, passed, failed + broken, skipped, time.monotonic() - start)


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


def run(*command: str, output: IO[bytes]) -> int:
    """Run one of the environment's programs in the project's folder."""
    name, *arguments = command
    return subprocess.run(
        (str(BIN / name), *arguments),
        cwd=ROOT,
        env=os.environ | SHORT_JVM,
        check=False,
        stdout=output,
        stderr=subprocess.STDOUT,
    ).returncode


def announce(part: str, text: str = "") -> None:
    """Print what a part has said, at once, as another one may run beside it."""
    print(f"\n=== {part} ===\n{text}", end="", flush=True)


def report(results: list[Result], seconds: float) -> None:
    """Print a line for each part, how long all took, and last the counts of all."""
    print("\n=== summary ===")
    for result in results:
        print(
            f"{result.part:<10} {result.passed:>5} passed {result.failed:>3} failed "
            f"{result.skipped:>3} skipped {result.seconds:>6.0f} s"
        )
    print(f"all parts, two side by side: {seconds:.0f} s")
    passed, failed, skipped = (sum(column) for column in list(zip(*results, strict=True))[1:4])
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))


if __name__ == "__main__":
    main()
