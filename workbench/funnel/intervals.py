"""Intervals of shares, differences and medians, by the formulas of statsmodels and scipy."""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from workbench.errors import WorkbenchError
from workbench.funnel.worker.summary import Ranks

#: The share of all samples whose interval holds the truth.
CONFIDENCE = 0.95
#: Up to so many values the ranks of a median's ends are exact; the ranks of more are those of the
#: nearest smaller number of these, as far down, which makes an interval wider by a hair.
_EXACT, _MOST, _BETWEEN = 1_000, 10**12, 800


class Shares(NamedTuple):
    """Parts of wholes with their intervals, NaN where the whole is nothing.

    Attributes
    ----------
    share, low, high : float64 arrays
    """

    share: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


class Differences(NamedTuple):
    """How much larger shares are than those they are compared with, NaN where a whole is nothing.

    Attributes
    ----------
    difference, low, high, p_value : float64 arrays
    """

    difference: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    p_value: NDArray[np.float64]


def check_confidence(confidence: Any) -> None:
    """Refuse what is no level of confidence.

    Raises
    ------
    WorkbenchError

    Examples
    --------
    >>> check_confidence(95)
    Traceback (most recent call last):
    workbench.errors.WorkbenchError: confidence: 95 is no share of samples; give one above 0 and \
below 1, such as 0.95.
    """
    if isinstance(confidence, bool) or not (
        isinstance(confidence, int | float) and 0 < confidence < 1
    ):
        raise WorkbenchError(
            f"confidence: {confidence!r} is no share of samples; "
            "give one above 0 and below 1, such as 0.95."
        )


def shares_of(part: Any, whole: Any, confidence: float = CONFIDENCE) -> Shares:
    """Return shares with Wilson's interval (``statsmodels.stats.proportion.proportion_confint``).

    Parameters
    ----------
    part, whole : int64 arrays of one shape
    confidence : float

    Returns
    -------
    Shares

    Examples
    --------
    >>> found = shares_of([1, 0], [4, 0])
    >>> [one.round(3).tolist() for one in found]
    [[0.25, nan], [0.046, nan], [0.699, nan]]
    """
    from statsmodels.stats.proportion import proportion_confint

    part, whole = np.asarray(part, np.float64), np.asarray(whole, np.float64)
    there = whole > 0
    found = np.full((3, *part.shape), np.nan)
    found[0][there] = part[there] / whole[there]
    if there.any():
        low, high = proportion_confint(part[there], whole[there], 1 - confidence, method="wilson")
        # At nothing and at everything rounding would put the share outside.
        found[1][there] = np.clip(low, 0, found[0][there])
        found[2][there] = np.clip(high, found[0][there], 1)
    return Shares(*found)


def differences_of(
    part: Any, whole: Any, base: Any, base_whole: Any, confidence: float = CONFIDENCE
) -> Differences:
    """Return how much larger shares are than others, adjusted for how many are compared.

    Newcombe's interval is ``confint_proportions_2indep(method="newcomb")`` of statsmodels, at the
    level of Bonferroni, so that all of them hold at once. P-values are those of the score test
    (``test_proportions_2indep(method="score")``), adjusted by Holm (``multipletests``).

    Parameters
    ----------
    part, whole, base, base_whole : int64 arrays of shape (comparisons,)
    confidence : float
        Of all intervals together.

    Returns
    -------
    Differences
        Two shares that are both nothing, or both everything, have a p-value of 1.

    Examples
    --------
    >>> found = differences_of([30, 0], [40, 0], [10, 1], [40, 2])
    >>> [one.round(3).tolist() for one in found]
    [[0.5, nan], [0.285, nan], [0.653, nan], [0.0, nan]]
    """
    from statsmodels.stats.proportion import confint_proportions_2indep, test_proportions_2indep

    numbers = [np.asarray(one, np.float64) for one in (part, whole, base, base_whole)]
    there = (numbers[1] > 0) & (numbers[3] > 0)
    found = np.full((4, len(there)), np.nan)
    if not there.any():
        return Differences(*found)
    asked = [one[there] for one in numbers]
    found[0][there] = asked[0] / asked[1] - asked[2] / asked[3]
    level = (1 - confidence) / there.sum()
    found[1][there], found[2][there] = confint_proportions_2indep(
        *asked, method="newcomb", compare="diff", alpha=level
    )
    # Of two shares at the same end the test knows no variance.
    with np.errstate(invalid="ignore", divide="ignore"):
        tested = test_proportions_2indep(*asked, method="score", compare="diff").pvalue
    found[3][there] = adjusted(np.nan_to_num(tested, nan=1.0), "holm")
    return Differences(*found)


def adjusted(p_values: NDArray[np.float64], method: str) -> NDArray[np.float64]:
    """Return p-values adjusted for how many they are (``multipletests`` of statsmodels).

    Parameters
    ----------
    p_values : float64 array of shape (tests,)
    method : str
        ``"holm"`` or ``"fdr_bh"``.

    Returns
    -------
    float64 array of shape (tests,)

    Examples
    --------
    >>> adjusted(np.array([0.01, 0.04, 0.03]), "holm").tolist()
    [0.03, 0.06, 0.06]
    """
    if method == "holm":
        return _by_holm(p_values)
    from statsmodels.stats.multitest import multipletests

    adjusted: NDArray[np.float64] = multipletests(p_values, method=method)[1]
    return adjusted


def _by_holm(p_values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Raise the k-th least of n by n - k, and to those below it.

    That of statsmodels collects the process's garbage at each call, which takes a notebook two
    tenths of a second.
    """
    order = np.argsort(p_values)
    raised = p_values[order] * np.arange(len(order), 0, -1)
    found = np.empty_like(raised)
    found[order] = np.minimum(np.maximum.accumulate(raised), 1)
    return found


@cache
def median_ranks(confidence: float = CONFIDENCE) -> Ranks:
    """Return which order statistics are the ends of a median's interval (``scipy.stats.binom``).

    Of n values the one of rank r, and the one of rank r from above, hold the median between them
    unless less than r lie on one side of it, and how many do is binomial: so r is the quantile
    (1 - confidence) / 2 of ``binom(n, 0.5)`` (Conover, Practical Nonparametric Statistics, 3.2).

    Parameters
    ----------
    confidence : float

    Returns
    -------
    Ranks

    Examples
    --------
    >>> ranks = median_ranks(0.95)
    >>> [ranks.lower[ranks.sizes.index(n)] for n in (5, 6, 20, 1000)]
    [0, 1, 6, 469]
    """
    from scipy.stats import binom

    more = np.geomspace(_EXACT, _MOST, _BETWEEN).astype(np.int64)
    sizes = np.unique(np.concatenate([np.arange(1, _EXACT + 1), more]))
    lower = binom.ppf((1 - confidence) / 2, sizes, 0.5).astype(np.int64)
    return Ranks(tuple(sizes.tolist()), tuple(lower.tolist()))
