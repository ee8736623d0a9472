"""``python -m benchmarks funnel``: measure, print, and with ``--json`` write the same as data.

``python -m benchmarks windows``; ``python -m benchmarks windows quantile spark`` for some parts.
"""

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks import funnel, windows
from benchmarks.report import Report, counted, machine, write_json

SUBJECTS = ("funnel", "windows")
#: How many rows the largest file has, and measured runs there are: minutes for all.
ROWS, ROUNDS = {"funnel": 20_000_000, "windows": 2_000_000}, {"funnel": 3, "windows": 2}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmark that the command line names."""
    options = parser().parse_args(arguments)
    print(machine())
    report = measured(options)
    print(report.verdict())
    if options.json:
        write_json(options.json, report)


def measured(options: argparse.Namespace) -> Report:
    """Return the results of the subject that the command line names."""
    rows = options.rows or ROWS[options.subject]
    rounds = options.rounds or ROUNDS[options.subject]
    if options.subject == "windows":
        return windows.run(options.sizes or [rows], rounds, options.folder, options.parts)
    if options.parts:
        parser().error("parts: the funnel has none; leave them out.")
    sizes = options.sizes or sorted({1_000_000, 5_000_000, rows})
    return funnel.run([size for size in sizes if size <= rows], rounds, options.folder)


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    made.add_argument("subject", choices=SUBJECTS, help="what to measure")
    made.add_argument(
        "parts",
        nargs="*",
        metavar="part",
        choices=[[], *windows.PARTS],
        help=f"what to measure of windows: {', '.join(windows.PARTS)}; all when none is named",
    )
    made.add_argument(
        "--rows", type=counted, help="rows in the largest file, such as 20M; 2M for windows"
    )
    made.add_argument(
        "--sizes",
        type=lambda text: sorted(map(counted, text.split(","))),
        help="rows in each file, such as 1M,5M,20M, for how cost grows",
    )
    made.add_argument("--rounds", type=int, help="measured runs of each query")
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
