"""Compare answers with those of other engines and of brute force, for as long as you like.

    python -m tests.fuzz funnel windows --minutes 10 --seed 7

A failing case is shrunk and written as a test into a folder.
"""

import sys
import time
from argparse import ArgumentParser, Namespace
from itertools import count
from pathlib import Path
from secrets import randbelow

import workbench as wb
from tests.clusters import FOR_FEW_ROWS
from tests.fuzz.check import Check, Search
from tests.fuzz.subjects import SUBJECTS
from tests.fuzz.written import write_test


def main(arguments: list[str] | None = None) -> int:
    """Search until the time is over; return 1 if a case failed."""
    options = _read(arguments)
    subjects = options.subjects or list(SUBJECTS)
    seed = randbelow(10**9) if options.seed is None else options.seed
    print(f"seed {seed}: {', '.join(subjects)} for {options.minutes:g} minutes", flush=True)
    checks = [(subject, check) for subject in subjects for check in SUBJECTS[subject]]
    search = Search(time.monotonic() + 60 * options.minutes)
    if any(check.on_spark for _, check in checks):
        search.spark = wb.session({"spark.master": "local[2]", **FOR_FEW_ROWS})
        search.end = time.monotonic() + 60 * options.minutes
    counts = dict.fromkeys(subjects, 0)
    for number in count(seed):
        for subject, check in checks:
            before = search.examined
            _take_turn(search, subject, check, number, options.into)
            counts[subject] += search.examined - before
        if time.monotonic() > search.end:
            break
    for subject, examined in counts.items():
        print(f"{subject:<10} {examined:>8} cases")
    print(f"seeds {seed} to {number}: {search.examined} cases, {len(search.failures)} failed")
    return int(bool(search.failures))


def _take_turn(search: Search, subject: str, check: Check, number: int, folder: Path) -> None:
    if time.monotonic() > search.end:
        return
    failure = search.turn(check, number)
    if failure is not None:
        path = write_test(failure, folder)
        message = (str(failure.error).strip().splitlines() or [type(failure.error).__name__])[0]
        print(f"{subject}, seed {number}: {check.name}: {message}\n    {path}", flush=True)


def _read(arguments: list[str] | None) -> Namespace:
    parser = ArgumentParser(prog="python -m tests.fuzz", description=__doc__.split("\n")[0])
    parser.add_argument(
        "subjects", nargs="*", help=f"of {', '.join(SUBJECTS)}; all if none is given"
    )
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, help="the first seed; a random one if none is given")
    parser.add_argument(
        "--into", type=Path, default=Path("fuzz-found"), help="where failing cases are written"
    )
    options = parser.parse_args(arguments)
    for one in options.subjects:
        if one not in SUBJECTS:
            parser.error(f"subjects: {one!r} is not known; give some of {', '.join(SUBJECTS)}.")
    if options.minutes <= 0:
        parser.error(f"--minutes: {options.minutes:g} is no time; give more than 0.")
    return options


if __name__ == "__main__":
    sys.exit(main())
