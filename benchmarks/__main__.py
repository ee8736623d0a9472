"""``python -m benchmarks funnel``: measure, print, and with ``--json`` write the same as data.

``windows``, ``backfill``, ``entities``, ``streams``, ``online``, ``small``, ``sql``, ``floor`` and
``large`` likewise, or parts: ``python -m benchmarks windows quantile spark``. ``all`` measures
every subject, or those named behind it, and with ``--page`` writes a page.
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
from benchmarks.measuring.report import Report, counted, machine, write_json
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
#: How many rows the largest file has, and measured runs there are: minutes for all.
ROWS = {"funnel": 20_000_000, "windows": 2_000_000, "streams": streams.ROWS, "floor": 20_000_000}
ROWS |= {"sql": 20_000_000, "large": 200_000_000}
ROUNDS = {"funnel": 3, "windows": 2, "backfill": 2, "entities": 2, "streams": 1, "online": 3}
ROUNDS |= {"small": 5, "sql": 3, "floor": 3, "large": 1}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmark that the command line names."""
    options = parser().parse_args(arguments)
    if options.subject == "all":
        all_of(options)
        return
    print(machine())
    report = measured(options)
    print(report.verdict())
    if options.json:
        write_json(options.json, report)


def all_of(options: argparse.Namespace) -> None:
    """Run every subject, or those that the command line names."""
    if wrong := [part for part in options.parts if part not in SUBJECTS]:
        parser().error(f"parts: {wrong[0]} is no subject; there are {', '.join(SUBJECTS)}.")
    given = [f"--folder={options.folder}"]
    given += [f"--rounds={options.rounds}"] if options.rounds else []
    sizes = dict(one.split(":", 1) for one in options.of)
    if wrong := [subject for subject in sizes if subject not in SUBJECTS]:
        parser().error(f"--of: {wrong[0]} is no subject; there are {', '.join(SUBJECTS)}.")
    found = everything.measured(options.parts or SUBJECTS, given, sizes)
    everything.written(found, options.json, options.page)
    if found["broken_off"]:
        sys.exit(f"Ended with an error: {', '.join(found['broken_off'])}.")


def measured(options: argparse.Namespace) -> Report:
    """Return the results of the subject that the command line names."""
    rounds = options.rounds or ROUNDS[options.subject]
    known = PARTS.get(options.subject, ())
    if wrong := [part for part in options.parts if part not in known]:
        there = f"there are {', '.join(known)}" if known else "there are none; leave them out"
        parser().error(f"parts: {wrong[0]} is no part of {options.subject}; {there}.")
    rows = options.rows or ROWS.get(options.subject, 0)
    folder, parts = options.folder, options.parts
    sizes, smaller = options.sizes, sorted({1_000_000, 5_000_000, rows})
    ways = {
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
    return ways[options.subject]()


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    made.add_argument("subject", choices=(*SUBJECTS, "all"), help="what to measure")
    made.add_argument(
        "parts",
        nargs="*",
        metavar="part",
        help="what to measure, all when none is named; "
        + "; ".join(f"of {name}: {', '.join(parts)}" for name, parts in PARTS.items()),
    )
    made.add_argument(
        "--rows",
        type=counted,
        help="rows in the largest file, such as 20M; 2M but for funnel",
    )
    made.add_argument(
        "--sizes",
        type=lambda text: sorted(map(counted, text.split(","))),
        help="rows in each file, such as 1M,5M,20M, for how cost grows",
    )
    made.add_argument("--rounds", type=int, help="measured runs of each query")
    made.add_argument("--json", type=Path, metavar="FILE", help="write the results as data, too")
    made.add_argument(
        "--page", type=Path, metavar="FILE", help="of all: write the results as a page, too"
    )
    made.add_argument(
        "--of",
        action="append",
        default=[],
        metavar="SUBJECT:OPTIONS",
        help="of all: what a subject gets besides, such as 'floor:funnel --rows 1M'; may be given "
        "again",
    )
    made.add_argument(
        "--folder",
        type=Path,
        default=Path(tempfile.gettempdir()) / "window-workbench-benchmarks",
        help="where generated Parquet files are kept for the next run",
    )
    return made


if __name__ == "__main__":
    main()
