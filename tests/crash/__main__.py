"""``python -m tests.crash``: kill processes at every step, for scenario after scenario.

``--seed N`` sets the first one: the seed of a failing one is printed, and repeats it.
"""

import argparse
import sys
import time
import traceback
from collections import Counter

from tests.crash import online, streams

SUBJECTS = {"online": online.broken_everywhere, "streams": streams.broken_everywhere}


def main() -> None:
    """Run scenarios for some time, and exit with 1 at the first that fails."""
    parser = argparse.ArgumentParser(prog="python -m tests.crash", description=__doc__)
    parser.add_argument("subjects", nargs="*", help=f"{' '.join(SUBJECTS)}; all if none is given")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 10**9)
    parser.add_argument("--minutes", type=float, default=0.0, help="one scenario each if 0")
    options = parser.parse_args()
    if wrong := set(options.subjects) - set(SUBJECTS):
        parser.error(f"there is no subject {wrong.pop()!r}; give some of {' '.join(SUBJECTS)}")
    seed, end, counts = options.seed, time.monotonic() + 60 * options.minutes, Counter[str]()
    while seed == options.seed or time.monotonic() < end:
        for subject in options.subjects or SUBJECTS:
            try:
                counts += SUBJECTS[subject](seed)
            except Exception:
                traceback.print_exc()
                sys.exit(f"again: python -m tests.crash {subject} --seed {seed}")
        seed += 1
    summary = ", ".join(f"{event} {times:,} times" for event, times in counts.items())
    print(f"seeds {options.seed} to {seed - 1}: {summary}")


if __name__ == "__main__":
    main()
