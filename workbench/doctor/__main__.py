"""``python -m workbench.doctor``: is Spark set up well, here and on the executors?"""

import argparse
import sys
from typing import TYPE_CHECKING

from workbench.doctor.examine import examine, first_cause
from workbench.doctor.reach import check_reached
from workbench.errors import WorkbenchError
from workbench.spark.sessions.session import session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def main() -> None:
    """Print what is found, and exit with 1 if something is to be done."""
    parser = argparse.ArgumentParser(prog="python -m workbench.doctor", description=__doc__)
    parser.add_argument("--master", help="a cluster, such as spark://host:7077")
    parser.add_argument("--remote", help="a Spark Connect server, such as sc://host")
    asked = vars(parser.parse_args())
    conf = {f"spark.{name}": value for name, value in asked.items() if value is not None}
    if len(conf) == 2:
        parser.error("give --master or --remote, not both.")
    found = []
    for finding in examine(started(conf)):
        found.append(finding)
        print(finding, flush=True)
    wrong = sum(not finding.good for finding in found)
    print(f"{len(found)} looked at, {wrong} to look at again.")
    sys.exit(wrong > 0)


def started(conf: dict[str, str]) -> "SparkSession":
    """Return the session; where none can be had, say why in one sentence, and end."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        check_reached(conf)
        return session(conf)
    except WorkbenchError as error:
        print(error, file=sys.stderr)
    except (PySparkException, Py4JError, OSError, ValueError) as error:
        print(f"Spark does not start; mend this: {first_cause(error)}", file=sys.stderr)
    sys.exit(1)


if __name__ == "__main__":
    main()
