"""Statements that must hold for all cases, and the search for one that does not."""

import math
import re
import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import HypothesisException
from pyspark.sql import SparkSession

Case = Mapping[str, Any]


@dataclass(frozen=True)
class Check:
    """A statement, and the cases that it must hold for.

    Attributes
    ----------
    holds : callable
        Takes the values of a case by their names, and raises where the statement does not hold.
    cases : dict of str to SearchStrategy
        How each value is drawn.
    examples : int
        The number of cases in a turn.
    on_spark : bool
        Whether ``holds`` takes a session first.
    """

    holds: Callable[..., None]
    cases: Mapping[str, st.SearchStrategy[Any]]
    examples: int = 100
    on_spark: bool = False

    @property
    def name(self) -> str:
        return self.holds.__name__


def same(answer: Any, expected: Any) -> None:
    """Compare answers, and show both where they are not equal."""
    assert answer == expected, f"{answer} is not {expected}"


@dataclass(frozen=True)
class Failure:
    """A case for which a statement does not hold, shrunk as far as possible.

    Attributes
    ----------
    check : Check
    seed : int
        The seed of the turn that found it.
    case : dict
    error : Exception
    """

    check: Check
    seed: int
    case: Case
    error: Exception

    @property
    def kind(self) -> tuple[str, ...]:
        """What tells it from others of its check: where it fails, and its message without numbers.

        A check that compares column by column names the column first.
        """
        message = re.sub(r"-?\d+", "0", str(self.error))[:40].split(",")[0]
        last = traceback.extract_tb(self.error.__traceback__)[-1]
        where = f"{Path(last.filename).name}:{last.lineno}"
        return self.check.name, type(self.error).__name__, where, message


class _TimeIsOver(KeyboardInterrupt):
    """Raised to end a turn: Hypothesis lets it pass at once, and does not take it for a failure."""


@dataclass
class Search:
    """A search in turns: each draws cases from a seed, and failures of a kind count once.

    Attributes
    ----------
    end : float
        By the monotonic clock. No new case is examined later, but a failing one is shrunk.
    shrinking : float
        The most seconds to shrink each failing case; then it stays as small as it is.
    spark : pyspark.sql.SparkSession, optional
        For checks that need one.
    failures : list of Failure
        One of each kind.
    examined : int
        The number of cases that were examined.
    """

    end: float
    shrinking: float = math.inf
    spark: SparkSession | None = None
    failures: list[Failure] = field(default_factory=list)
    examined: int = 0

    def turn(self, check: Check, number: int) -> Failure | None:
        """Draw cases from a seed, and return a shrunk failure of a new kind, or None."""
        known = {one.kind for one in self.failures}
        failing: list[Failure] = []
        failed: set[str] = set()
        end = self.end

        def holds(case: Case) -> None:
            nonlocal end
            # Hypothesis ends with the smallest case that failed, and it must fail again.
            if time.monotonic() > end and repr(case) not in failed:
                if not failing:
                    raise _TimeIsOver
                return
            self.examined += 1
            try:
                check.holds(*([self.spark] if check.on_spark else []), **case)
            except HypothesisException:
                raise
            except Exception as error:
                one = Failure(check, number, case, error)
                if one.kind not in known:
                    end = end if failing else time.monotonic() + self.shrinking
                    failing.append(one)
                    failed.add(repr(case))
                    raise

        cases = st.fixed_dictionaries(dict(check.cases))
        try:
            self._settings(check)(seed(number)(given(cases)(holds)))()
        except _TimeIsOver:
            return None
        except Exception:
            if not failing:
                raise
        # Hypothesis runs the shrunk case once more at the end.
        self.failures += failing[-1:]
        return failing[-1] if failing else None

    @staticmethod
    def _settings(check: Check) -> settings:
        return settings(
            max_examples=check.examples,
            phases=[Phase.generate, Phase.shrink],
            suppress_health_check=list(HealthCheck),
            report_multiple_bugs=False,
            derandomize=False,
            database=None,
            deadline=None,
        )
