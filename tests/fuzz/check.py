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
        Takes a case's values by their names, and raises where the statement does not hold.
    cases : dict of str to SearchStrategy
        How each value is drawn.
    examples : int
        How many cases make a turn.
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


def same(found: Any, wanted: Any) -> None:
    """Compare answers, and show both where they are not equal."""
    assert found == wanted, f"{found} is not {wanted}"


@dataclass(frozen=True)
class Failure:
    """A case for which a statement does not hold, made as small as it goes.

    Attributes
    ----------
    check : Check
    seed : int
        Of the turn that found it.
    case : dict
    error : Exception
    """

    check: Check
    seed: int
    case: Case
    error: Exception

    @property
    def kind(self) -> tuple[str, ...]:
        """What tells it from others of its check: where it fails, and what it says but for numbers.

        A check that compares column by column names the column first.
        """
        said = re.sub(r"-?\d+", "0", str(self.error))[:40].split(",")[0]
        last = traceback.extract_tb(self.error.__traceback__)[-1]
        where = f"{Path(last.filename).name}:{last.lineno}"
        return self.check.name, type(self.error).__name__, where, said


class _TimeIsOver(KeyboardInterrupt):
    """What Hypothesis lets pass at once, and does not take for a failure."""


@dataclass
class Search:
    """A search in turns: each draws cases from a seed, and what was found counts once.

    Attributes
    ----------
    end : float
        By the monotonic clock; nothing is looked at later, but what failed is made small.
    shrinking : float
        The seconds that may take, for each case that fails: then it stays as small as it is.
    spark : pyspark.sql.SparkSession, optional
        For checks that need one.
    found : list of Failure
        Each of a kind of its own.
    examined : int
        How many cases were looked at.
    """

    end: float
    shrinking: float = math.inf
    spark: SparkSession | None = None
    found: list[Failure] = field(default_factory=list)
    examined: int = 0

    def turn(self, check: Check, number: int) -> Failure | None:
        """Draw cases from a seed; the first of a new kind that fails, made small, or None."""
        known = {one.kind for one in self.found}
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
        # A case that is made small is tried once more at the end.
        self.found += failing[-1:]
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
