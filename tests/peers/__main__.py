"""``python -m tests.peers duckdb --checkout PATH``: run a system's own tests through ``wb.sql``.

Each query runs as text through ``wb.sql``. The expected answer is that of the file, or that of the
system itself in this process where the file has only a hash. The exit code is 1 if any differs.
"""

import argparse
import sys
import time
import warnings
from pathlib import Path

import workbench as wb
from tests.clusters import FOR_FEW_ROWS, PARTITIONS, ZONE
from tests.peers import on_clickhouse, on_duckdb, on_risingwave
from tests.peers.report import FAILED, Report

PEERS = {
    "clickhouse": on_clickhouse.ask_all,
    "duckdb": on_duckdb.ask_all,
    "risingwave": on_risingwave.ask_all,
}
#: Settings for many queries of few rows each.
FEW = FOR_FEW_ROWS | {
    PARTITIONS: 1,
    ZONE: "UTC",
    "spark.default.parallelism": 1,
    "spark.ui.enabled": "false",
    "spark.driver.memory": "2g",
    # Enables times of day, which this release of Spark does not have by default.
    "spark.sql.timeType.enabled": "true",
}


def main(arguments: list[str] | None = None) -> int:
    """Run the tests of one system; return 1 if an answer differs, 2 if there are no tests."""
    parser = argparse.ArgumentParser(prog="python -m tests.peers", description=__doc__)
    parser.add_argument("system", choices=sorted(PEERS))
    parser.add_argument("--checkout", type=Path, required=True, help="a folder of its sources")
    parser.add_argument("--only", default="", help="a part of the names of its files")
    parser.add_argument("--whole", action="store_true", help="print each query that fails")
    options = parser.parse_args(arguments)
    if not options.checkout.is_dir():
        parser.error(f"--checkout: there is no folder {str(options.checkout)!r}.")
    wb.session({"spark.master": "local[2]", **FEW})
    warnings.simplefilter("ignore")
    report, start = Report(options.whole), time.monotonic()
    PEERS[options.system](options.checkout, report, options.only)
    print(report.text(), flush=True)
    print(f"\n{options.system}, {time.monotonic() - start:.0f} s")
    if not report.outcomes:
        print(f"there are no tests of {options.system} below {options.checkout}")
        return 2
    return int(report.count(FAILED) > 0)


if __name__ == "__main__":
    sys.exit(main())
