"""``python -m benchmarks funnel``: measure, print, and with ``--json`` write the same as data."""

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks import funnel
from benchmarks.report import counted, machine, write_json

SUBJECTS = {"funnel": funnel.run}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmark that the command line names."""
    options = parser().parse_args(arguments)
    sizes = options.sizes or sorted({*(1_000_000, 5_000_000, options.rows), options.rows})
    sizes = [size for size in sizes if size <= options.rows]
    print(machine())
    report = SUBJECTS[options.subject](sizes, options.rounds, options.folder)
    print(report.verdict())
    if options.json:
        write_json(options.json, report)


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    made.add_argument("subject", choices=SUBJECTS, help="what to measure")
    made.add_argument(
        "--rows", type=counted, default=20_000_000, help="events in the largest file, such as 20M"
    )
    made.add_argument(
        "--sizes",
        type=lambda text: sorted(map(counted, text.split(","))),
        help="events in each file, such as 1M,5M,20M, for how cost grows",
    )
    made.add_argument("--rounds", type=int, default=3, help="measured runs of each query")
    made.add_argument("--json", type=Path, metavar="FILE", help="write the results as data, too")
    made.add_argument(
        "--folder",
        type=Path,
        default=Path(tempfile.gettempdir()) / "window-workbench-benchmarks",
        help="where generated Parquet files are kept for the next run",
    )
    return made


if __name__ == "__main__":
    main()
