"""``python -m benchmarks funnel``: measure, print, and with ``--json`` write the same as data.

``windows``, ``backfill``, ``entities``, ``streams``, ``online``, ``small``, ``sql``, ``floor`` and
``large`` likewise, or parts: ``python -m benchmarks windows quantile spark``. ``all`` measures
every subject, or those named after it, and with ``--page`` writes a page.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks import everything, online
from benchmarks.backfill import backfill, entities
from benchmarks.floor import floor
from benchmarks.funnel import funnel
from benchmarks.large import large
from benchmarks.measuring.report import Report, machine, parse_count, write_json
from benchmarks.small import small
from benchmarks.sql import sql
from benchmarks.streams import streams
from benchmarks.windows import windows

SUBJECTS = (
    "funnel", "windows", "backfill", "entities", "streams", "online", "small", "sql", "floor",
    "large"
)  # fmt: skip
PARTS: dict[str, Sequence[str]] = {
    "funnel": funnel.PARTS,
    "windows": windows.PARTS,
    "backfill": backfill.PARTS,
    "streams": tuple(streams.PARTS),
    "online": online.PARTS,
    "small": small.PARTS,
    "sql": sql.PARTS,
    "floor": floor.PARTS,
    "large": large.PARTS,
    "all": SUBJECTS,
}
#: The number of rows of the largest file, and of measured runs: minutes for all.
ROWS = {"funnel": 20_000_000, "windows": 2_000_000, "streams": streams.ROWS, "floor": 20_000_000}
ROWS |= {"sql": 20_000_000, "large": 200_000_000}
ROUNDS = {"funnel": 3, "windows": 2, "backfill": 2, "entities": 2, "streams": 1, "online": 3}
ROUNDS |= {"small": 5, "sql": 3, "floor": 3, "large": 1}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmark that the command line names."""
    options = parser().parse_args(arguments)
    if options.subject == "all":
        run_all(options)
        return
    print(machine())
    report = run_subject(options)
    print(report.verdict())
    if options.json:
        write_json(options.json, report)


def run_all(options: argparse.Namespace) -> None:
    """Run every subject, or those that the command line names."""
    if wrong := [part for part in options.parts if part not in SUBJECTS]:
        parser().error(f"parts: {wrong[0]} is no subject; there are {', '.join(SUBJECTS)}.")
    common = [f"--folder={options.folder}"]
    common += [f"--rounds={options.rounds}"] if options.rounds else []
    specific = dict(one.split(":", 1) for one in options.of)
    if wrong := [subject for subject in specific if subject not in SUBJECTS]:
        parser().error(f"--of: {wrong[0]} is no subject; there are {', '.join(SUBJECTS)}.")
    results = everything.run_subjects(options.parts or SUBJECTS, common, specific)
    everything.write_results(results, options.json, options.page)
    if results["broken_off"]:
        sys.exit(f"Ended with an error: {', '.join(results['broken_off'])}.")


def run_subject(options: argparse.Namespace) -> Report:
    """Run the subject that the command line names, and return its results."""
    rounds = options.rounds or ROUNDS[options.subject]
    known = PARTS.get(options.subject, ())
    if wrong := [part for part in options.parts if part not in known]:
        there = f"there are {', '.join(known)}" if known else "there are none; leave them out"
        parser().error(f"parts: {wrong[0]} is no part of {options.subject}; {there}.")
    rows = options.rows or ROWS.get(options.subject, 0)
    folder, parts = options.folder, options.parts
    sizes, smaller = options.sizes, sorted({1_000_000, 5_000_000, rows})
    runs = {
        "funnel": lambda: funnel.run(
            [size for size in sizes or smaller if size <= rows], rounds, folder, parts
        ),
        "windows": lambda: windows.run(sizes or [rows], rounds, folder, parts),
        "backfill": lambda: backfill.run(rounds, folder, parts),
        "entities": lambda: entities.run(rounds, folder, parts),
        "streams": lambda: streams.run(rows, folder, parts),
        "online": lambda: online.run(rounds, folder, parts),
        "small": lambda: small.run(sizes or small.SIZES, rounds, folder, parts),
        "sql": lambda: sql.run(rows, rounds, folder, parts),
        "floor": lambda: floor.run(rows, rounds, folder, parts),
        "large": lambda: large.run(rows, folder, parts),
    }
    return runs[options.subject]()


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("subject", choices=(*SUBJECTS, "all"), help="what to measure")
    parser.add_argument(
        "parts",
        nargs="*",
        metavar="part",
        help="what to measure, all when none is named; "
        + "; ".join(f"of {name}: {', '.join(parts)}" for name, parts in PARTS.items()),
    )
    parser.add_argument(
        "--rows",
        type=parse_count,
        help="rows in the largest file, such as 20M; 2M but for funnel",
    )
    parser.add_argument(
        "--sizes",
        type=lambda text: sorted(map(parse_count, text.split(","))),
        help="rows in each file, such as 1M,5M,20M, for how cost grows",
    )
    parser.add_argument("--rounds", type=int, help="measured runs of each query")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results as data, too")
    parser.add_argument(
        "--page", type=Path, metavar="FILE", help="of all: write the results as a page, too"
    )
    parser.add_argument(
        "--of",
        action="append",
        default=[],
        metavar="SUBJECT:OPTIONS",
        help="of all: what a subject gets besides, such as 'floor:funnel --rows 1M'; may be given "
        "again",
    )
    parser.add_argument(
        "--folder",
        type=Path,
        default=Path(tempfile.gettempdir()) / "window-workbench-benchmarks",
        help="where generated Parquet files are kept for the next run",
    )
    return parser


if __name__ == "__main__":
    main()
