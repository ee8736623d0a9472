"""``python -m workbench.doctor``: is Spark set up well, here and on the executors?"""

import argparse
import sys
from typing import TYPE_CHECKING

from workbench.doctor.examine import examine, first_cause
from workbench.doctor.reach import check_reachable
from workbench.errors import WorkbenchError
from workbench.spark.sessions.session import session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def main() -> None:
    """Print the findings, and exit with 1 if there is something to do."""
    parser = argparse.ArgumentParser(prog="python -m workbench.doctor", description=__doc__)
    parser.add_argument("--master", help="a cluster, such as spark://host:7077")
    parser.add_argument("--remote", help="a Spark Connect server, such as sc://host")
    arguments = vars(parser.parse_args())
    conf = {f"spark.{name}": value for name, value in arguments.items() if value is not None}
    if len(conf) == 2:
        parser.error("give --master or --remote, not both.")
    findings = []
    for finding in examine(start_session(conf)):
        findings.append(finding)
        print(finding, flush=True)
    wrong = sum(not finding.good for finding in findings)
    print(f"{len(findings)} checks, {wrong} marked LOOK.")
    sys.exit(wrong > 0)


def start_session(conf: dict[str, str]) -> "SparkSession":
    """Return the session; if it cannot start, print why in one sentence, and exit."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        check_reachable(conf)
        return session(conf)
    except WorkbenchError as error:
        print(error, file=sys.stderr)
    except (PySparkException, Py4JError, OSError, ValueError) as error:
        print(session_error(conf, error), file=sys.stderr)
    sys.exit(1)


def session_error(conf: dict[str, str], error: Exception) -> str:
    """Return a sentence on why the session did not start.

    Spark gives up after a minute on a server that accepts connections and is no master.

    Examples
    --------
    >>> stopped = OSError(": java.lang.Error: Cannot call methods on a stopped SparkContext.")
    >>> session_error({"spark.master": "spark://one:8080"}, stopped)
    "master: what listens at 'spark://one:8080' does not answer as a master of this Spark; give \
the address that the master's log names, and use the same version on both sides."
    """
    cause, master = first_cause(error), conf.get("spark.master", "")
    if master.startswith("spark://") and "stopped SparkContext" in cause:
        return (
            f"master: what listens at {master!r} does not answer as a master of this Spark; give "
            "the address that the master's log names, and use the same version on both sides."
        )
    return f"Spark does not start; fix this: {cause}"


if __name__ == "__main__":
    main()
