"""Check everything, part by part, and end with a summary: `make test`, and `make quick`.

Every part runs, whatever failed before it. Nothing is skipped silently: `make quick` leaves out
tests that need a JVM or a browser, and reports this; its generated tests draw a quarter of their
cases.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from browser import provide_browser
from redis_server import provide_redis

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
# For many short Spark drivers on few cores, the optimising compiler costs more than it saves.
# Without it the code cache is small, and a thread would sweep it repeatedly.
SHORT_JVM = (
    "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:ReservedCodeCacheSize=256m -XX:-MethodFlushing "
    "-XX:-UsePerfData -Djdk.lang.Process.launchMechanism=VFORK"
)
CHECKS = {
    "style": ("ruff", "check", "."),
    "format": ("ruff", "format", "--check", "."),
    "types": ("mypy",),
    "imports": ("lint-imports",),
}
#: The number of parts that run at a time: Spark's driver and its workers wait for each other, so a
#: part keeps less than one core busy.
SIDE_BY_SIDE = 3
#: Folders of tests that are separate parts.
ALONE = ("workbench", "browser", "kernels", "crash")
#: Folders of the workbench's tests that are a separate part, as a single part would take by far
#: the longest.
LOCAL = (
    *("columnar", "figures", "groups", "lessons", "online", "profiles", "queries", "stores"),
    "widgets",
)
#: The longest parts first, and those with many processes last: they keep all cores busy at the end.
TESTS = {
    "workbench": (
        *("--clusters=without", "tests/workbench"),
        *(f"--ignore=tests/workbench/{one}" for one in LOCAL),
    ),
    # A notebook's kernel is another process: only warnings of nbval itself are seen here.
    "notebooks": (
        *("-p", "nbval.plugin", "--nbval-lax", "--nbval-cell-timeout=240", "-W", "default"),
        "--nbval-sanitize-with=tests/notebooks/sanitized.cfg",
        *("-p", "tests.notebooks.plans_as_run", "-p", "tests.notebooks.one_jvm"),
        *("-p", "tests.notebooks.as_run", "notebooks"),
    ),
    "local": ("--clusters=without", *(f"tests/workbench/{one}" for one in LOCAL)),
    "browser": ("tests/browser",),
    "others": ("tests", *(f"--ignore=tests/{folder}" for folder in ALONE)),
    "clusters": ("--clusters=only", "tests/workbench"),
    "kernels": ("--doctest-modules", "kernels", "tests/kernels"),
    "crash": ("tests/crash",),
    "examples": ("--doctest-modules", "workbench"),
}
#: Seconds after which a part counts as hung, longer than any takes on a busy machine: it is ended
#: and fails, and the stack of each of its threads is printed.
LONGEST = 3600
#: Parts that need neither a browser nor Redis.
NO_SERVERS = ("examples", "kernels")
#: Parts without any test that needs neither Spark nor a browser.
SLOW = ("notebooks", "browser", "clusters")


class Result(NamedTuple):
    """The counts of a part, and the name of each failed case with the beginning of its reason."""

    part: str
    passed: int
    failed: int
    skipped: int
    seconds: float
    failures: Sequence[str] = ()


def main() -> None:
    """Run the parts and exit with 1 if anything failed."""
    start, quick = time.monotonic(), sys.argv[1:] == ["quick"]
    # Processes that tests kill, and kernels of notebooks, do not remove their folders.
    temporary = tempfile.TemporaryDirectory(prefix="tests-", ignore_cleanup_errors=True)
    with temporary as folder, ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        # All users may write, as in the folder that it replaces.
        Path(folder).chmod(0o1777)
        os.environ["TMPDIR"] = folder
        # The notebooks with the outputs of this run, for the browser tests.
        os.environ["NOTEBOOKS_AS_RUN"] = tempfile.mkdtemp(dir=folder)
        futures = run_quick(pool) if quick else run_all(pool)
        results = [future.result() for future in futures]
    report(results, time.monotonic() - start)
    if quick:
        print(f"Left out: {', '.join(SLOW)}, and of the others what starts Spark (deselected).")
    sys.exit(any(result.failed for result in results))


def run_quick(pool: Executor) -> list[Future[Result]]:
    """Start the checkers, and the parts without tests that start Spark."""
    provide_redis()
    names = [name for name in TESTS if name not in SLOW]
    options = "--without-spark", "--hypothesis-profile=quick"
    return run_checks(pool) + [pool.submit(pytest, name, *options) for name in names]


def run_all(pool: Executor) -> list[Future[Result]]:
    """Start everything."""
    started = run_checks(pool) + [pool.submit(pytest, name) for name in NO_SERVERS]
    # The parts that are already running need neither.
    provide_browser()
    provide_redis()
    return started + [pool.submit(pytest, name) for name in TESTS if name not in NO_SERVERS]


def run_checks(pool: Executor) -> list[Future[Result]]:
    """Start the checkers."""
    return [pool.submit(check, name, *command) for name, command in CHECKS.items()]


def check(part: str, *command: str) -> Result:
    """Run a checker, which passes or fails as a whole."""
    start = time.monotonic()
    code, output = run(*command)
    announce(part, output)
    return Result(part, int(code == 0), int(code != 0), 0, time.monotonic() - start)


def pytest(part: str, *options: str) -> Result:
    """Run pytest and count its cases; an aborted run counts as one more failure."""
    start = time.monotonic()
    announce(f"{part} begins")
    with tempfile.TemporaryDirectory() as folder:
        outcome = Path(folder, "outcome.xml")
        common = "-q", "--durations=10", f"--junitxml={outcome}"
        code, output = run("pytest", *common, *options, *TESTS[part])
        passed, failed, skipped = count(outcome)
        failures = name_failures(outcome)
    aborted = int(code != 0 and not failed)
    end = f"pytest broke off with code {code}: what it had not reached was not tested."
    announce(part, output + f"{end}\n" * aborted)
    failures += [f"{part}: {end}"] * aborted
    return Result(part, passed, failed + aborted, skipped, time.monotonic() - start, failures)


def count(outcome: Path) -> tuple[int, int, int]:
    """Count passed, failed and skipped cases in pytest's report; zero without a report."""
    if not outcome.is_file():
        return 0, 0, 0
    suites = list(ElementTree.parse(outcome).getroot().iter("testsuite"))
    total, errors, failures, skipped = (
        sum(int(suite.get(name, 0)) for suite in suites)
        for name in ("tests", "errors", "failures", "skipped")
    )
    failed = errors + failures
    return max(total - failed - skipped, 0), failed, skipped


def name_failures(outcome: Path) -> list[str]:
    """Return the failed cases of pytest's report, each with the beginning of its reason."""
    cases = ElementTree.parse(outcome).iter("testcase") if outcome.is_file() else ()
    return [
        f"{case.get('classname')}::{case.get('name')}: {first_words(reason)}"
        for case in cases
        for reason in (*case.iter("failure"), *case.iter("error"))
    ]


def first_words(reason: ElementTree.Element) -> str:
    """Return the beginning of a reason in one line."""
    return " ".join(reason.get("message", "").split())[:200]


def run(name: str, *arguments: str) -> tuple[int, str]:
    """Run a program of the environment in the project's folder; return its code and output."""
    command = (str(BIN / name), *arguments)
    options = f"{SHORT_JVM} -Djava.io.tmpdir={os.environ['TMPDIR']}"
    environment = os.environ | {"SPARK_SUBMIT_OPTS": options, "PYTHONFAULTHANDLER": "1"}
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT
        )
        try:
            code = process.wait(LONGEST)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGABRT)  # Python then prints its stacks
            code = process.wait()
        output.seek(0)
        return code, output.read().decode(errors="replace")


def announce(part: str, text: str = "") -> None:
    """Print the output of a part in one piece, as other parts run at the same time."""
    print(f"\n=== {part} ===\n{text}", end="", flush=True)


def report(results: list[Result], seconds: float) -> None:
    """Print a line for each part, the total time, and the counts of all parts."""
    print("\n=== summary ===")
    for result in results:
        print(
            f"{result.part:<10} {result.passed:>5} passed {result.failed:>3} failed "
            f"{result.skipped:>3} skipped {result.seconds:>6.0f} s"
        )
    print(f"all parts, {SIDE_BY_SIDE} side by side: {seconds:.0f} s")
    passed, failed, skipped = (sum(column) for column in list(zip(*results, strict=True))[1:4])
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    # Printed last, so that the end of a long log has what is needed.
    for failure in (one for result in results for one in result.failures):
        print(failure)


if __name__ == "__main__":
    main()
