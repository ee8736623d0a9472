"""``python -m tests.peers duckdb --checkout PATH``: a system's own tests, asked of ``wb.sql``.

Each question goes as text through ``wb.sql``, and its answer is that of the file, or of the system
itself in this process where the file has a hash. The end is 1 if any differs.
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
#: Many questions of some rows each.
FEW = FOR_FEW_ROWS | {
    PARTITIONS: 1,
    ZONE: "UTC",
    "spark.default.parallelism": 1,
    "spark.ui.enabled": "false",
    "spark.driver.memory": "2g",
    # Times of day, which this release of Spark does not have by itself.
    "spark.sql.timeType.enabled": "true",
}


def main(arguments: list[str] | None = None) -> int:
    """Ask the tests of one system; 1 if an answer differs, 2 if there is none."""
    parser = argparse.ArgumentParser(prog="python -m tests.peers", description=__doc__)
    parser.add_argument("system", choices=sorted(PEERS))
    parser.add_argument("--checkout", type=Path, required=True, help="a folder of its sources")
    parser.add_argument("--only", default="", help="what the names of its files hold")
    parser.add_argument("--whole", action="store_true", help="tell each query that fails")
    given = parser.parse_args(arguments)
    if not given.checkout.is_dir():
        parser.error(f"--checkout: there is no folder {str(given.checkout)!r}.")
    wb.session({"spark.master": "local[2]", **FEW})
    warnings.simplefilter("ignore")
    report, start = Report(given.whole), time.monotonic()
    PEERS[given.system](given.checkout, report, given.only)
    print(report.text(), flush=True)
    print(f"\n{given.system}, {time.monotonic() - start:.0f} s")
    if not report.found:
        print(f"there are no tests of {given.system} below {given.checkout}")
        return 2
    return int(report.count(FAILED) > 0)


if __name__ == "__main__":
    sys.exit(main())
