"""``python -m tests.crash``: kill processes at every step, for scenario after scenario.

``--seed N`` says with which one to begin: a failing one is printed, and does it again.
"""

import argparse
import sys
import time
import traceback
from collections import Counter

from tests.crash import online, streams

SUBJECTS = {"online": online.broken_everywhere, "streams": streams.broken_everywhere}


def main() -> None:
    """Run scenarios for some time, and end with 1 at the first that fails."""
    parser = argparse.ArgumentParser(prog="python -m tests.crash", description=__doc__)
    parser.add_argument("subjects", nargs="*", help=f"{' '.join(SUBJECTS)}; all if none is given")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 10**9)
    parser.add_argument("--minutes", type=float, default=0.0, help="one scenario each if 0")
    given = parser.parse_args()
    if wrong := set(given.subjects) - set(SUBJECTS):
        parser.error(f"there is no subject {wrong.pop()!r}; give some of {' '.join(SUBJECTS)}")
    seed, end, done = given.seed, time.monotonic() + 60 * given.minutes, Counter[str]()
    while seed == given.seed or time.monotonic() < end:
        for subject in given.subjects or SUBJECTS:
            try:
                done += SUBJECTS[subject](seed)
            except Exception:
                traceback.print_exc()
                sys.exit(f"again: python -m tests.crash {subject} --seed {seed}")
        seed += 1
    counts = ", ".join(f"{what} {times:,} times" for what, times in done.items())
    print(f"seeds {given.seed} to {seed - 1}: {counts}")


if __name__ == "__main__":
    main()
