"""``python -m workbench.doctor``: is Spark set up well, here and on the executors?"""

import argparse
import sys

from workbench.doctor.examine import examine
from workbench.errors import WorkbenchError
from workbench.spark.session import session


def main() -> None:
    """Print what is found, and exit with 1 if something is to be done."""
    parser = argparse.ArgumentParser(prog="python -m workbench.doctor", description=__doc__)
    parser.add_argument("--master", help="a cluster, such as spark://host:7077")
    parser.add_argument("--remote", help="a Spark Connect server, such as sc://host")
    asked = vars(parser.parse_args())
    conf = {f"spark.{name}": value for name, value in asked.items() if value is not None}
    if len(conf) == 2:
        parser.error("give --master or --remote, not both.")
    try:
        found = []
        for finding in examine(session(conf)):
            found.append(finding)
            print(finding, flush=True)
    except WorkbenchError as error:
        print(error, file=sys.stderr)
        sys.exit(1)
    wrong = sum(not finding.good for finding in found)
    print(f"{len(found)} looked at, {wrong} to look at again.")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
