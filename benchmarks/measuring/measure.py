"""Fair timing: every way is warmed up and checked first, then the ways take turns."""

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

Run = Callable[[], Any]

#: A run of fewer seconds than the first number is repeated more often, by the second as a factor.
QUICK, QUICK_FACTOR = 0.1, 3


@dataclass(frozen=True)
class Timing:
    """The measured runs of one way, in seconds.

    Attributes
    ----------
    runs : tuple of float
    """

    runs: tuple[float, ...]

    @property
    def median(self) -> float:
        """The median of the runs."""
        return median(self.runs)


class AnswersDifferError(Exception):
    """Two ways gave different answers, so their times cannot be compared."""


def side_by_side(
    ways: Mapping[str, Run], rounds: int = 3, same: bool = True, patience: float = math.inf
) -> dict[str, Timing]:
    """Time several ways to one answer in turns, so that a busy period of the machine affects all.

    Parameters
    ----------
    ways : dict of str to function
        Each returns the answer.
    rounds : int
        Measured runs of each way, after one run to warm up; three times as many for quick ways.
    same : bool
        Whether all ways must give the same answer.
    patience : float
        A way whose first run takes more seconds than this is not run again: for a long run, the
        warm-up matters little.

    Returns
    -------
    dict of str to Timing

    Raises
    ------
    AnswersDifferError
        When the ways do not all give the same answer.

    Examples
    --------
    >>> sorted(side_by_side({"sum": lambda: sum([1, 2]), "three": lambda: 3}))
    ['sum', 'three']
    """
    answers, first = {}, {}
    for name, run in ways.items():
        start = time.perf_counter()
        answers[name] = run()
        first[name] = time.perf_counter() - start
    if same:
        check_same(answers)
    runs = {name: [took] if took > patience else [] for name, took in first.items()}
    often = {name: rounds * (QUICK_FACTOR if took < QUICK else 1) for name, took in first.items()}
    for turn in range(max(often.values())):
        for name, run in ways.items():
            if first[name] <= patience and turn < often[name]:
                runs[name].append(seconds(run))
    return {name: Timing(tuple(times)) for name, times in runs.items()}


def seconds(run: Run) -> float:
    """Return how long one run takes."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def check_same(answers: Mapping[str, Any]) -> None:
    """Refuse answers that are not all equal.

    Parameters
    ----------
    answers : dict of str to answer

    Raises
    ------
    AnswersDifferError

    Examples
    --------
    >>> check_same({"ours": {0: 5}, "theirs": {0: 6}})
    Traceback (most recent call last):
    benchmarks.measuring.measure.AnswersDifferError: ours gives {0: 5} and theirs gives {0: 6}.
    """
    first, *others = answers
    for other in others:
        if answers[first] != answers[other]:
            raise AnswersDifferError(
                f"{first} gives {answers[first]} and {other} gives {answers[other]}."
            )
