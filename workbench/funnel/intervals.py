"""Intervals of shares, differences and medians, by the formulas of statsmodels and scipy."""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from workbench.arguments import is_number
from workbench.errors import WorkbenchError
from workbench.funnel.worker.summary import Ranks

#: The share of samples whose interval contains the true value.
CONFIDENCE = 0.95
#: Up to _EXACT values the ranks of a median's ends are exact. Above, they are scaled from the next
#: smaller of _BETWEEN sizes up to _MOST, which makes an interval slightly wider.
_EXACT, _MOST, _BETWEEN = 1_000, 10**12, 800


class Shares(NamedTuple):
    """Shares with their intervals, NaN where the whole is zero.

    Attributes
    ----------
    share, low, high : float64 arrays
    """

    share: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


class Differences(NamedTuple):
    """Differences of shares with their intervals, NaN where a whole is zero.

    Attributes
    ----------
    difference, low, high, p_value : float64 arrays
    """

    difference: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    p_value: NDArray[np.float64]


def check_confidence(confidence: Any) -> float:
    """Return a confidence level as a float of Python; raise an error if it is none.

    Raises
    ------
    WorkbenchError

    Examples
    --------
    >>> check_confidence(np.float32(0.5))
    0.5
    >>> check_confidence(95)
    Traceback (most recent call last):
    workbench.errors.WorkbenchError: confidence: 95 is no share of samples; give one above 0 and \
below 1, such as 0.95.
    """
    if not is_number(confidence) or not 0 < confidence < 1:
        raise WorkbenchError(
            f"confidence: {confidence!r} is no share of samples; "
            "give one above 0 and below 1, such as 0.95."
        )
    return float(confidence)


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
    defined = whole > 0
    result = np.full((3, *part.shape), np.nan)
    result[0][defined] = part[defined] / whole[defined]
    if defined.any():
        parts, wholes = part[defined], whole[defined]
        low, high = proportion_confint(parts, wholes, 1 - confidence, method="wilson")
        # At 0 and 1, rounding would put the share outside of its interval.
        result[1][defined] = np.clip(low, 0, result[0][defined])
        result[2][defined] = np.clip(high, result[0][defined], 1)
    return Shares(*result)


def differences_of(
    part: Any, whole: Any, base: Any, base_whole: Any, confidence: float = CONFIDENCE
) -> Differences:
    """Return the differences of shares from baseline shares, adjusted for multiple comparisons.

    Newcombe's interval is ``confint_proportions_2indep(method="newcomb")`` of statsmodels, at
    Bonferroni's level, so that all of them hold at once. P-values are those of the score test
    (``test_proportions_2indep(method="score")``), adjusted by Holm (``multipletests``).

    Parameters
    ----------
    part, whole, base, base_whole : int64 arrays of shape (comparisons,)
    confidence : float
        The confidence of all intervals together.

    Returns
    -------
    Differences
        Two shares that are both 0, or both 1, have a p-value of 1.

    Examples
    --------
    >>> found = differences_of([30, 0], [40, 0], [10, 1], [40, 2])
    >>> [one.round(3).tolist() for one in found]
    [[0.5, nan], [0.285, nan], [0.653, nan], [0.0, nan]]
    """
    from statsmodels.stats.proportion import confint_proportions_2indep, test_proportions_2indep

    numbers = [np.asarray(one, np.float64) for one in (part, whole, base, base_whole)]
    defined = (numbers[1] > 0) & (numbers[3] > 0)
    result = np.full((4, len(defined)), np.nan)
    if not defined.any():
        return Differences(*result)
    arguments = [one[defined] for one in numbers]
    result[0][defined] = arguments[0] / arguments[1] - arguments[2] / arguments[3]
    level = (1 - confidence) / defined.sum()
    result[1][defined], result[2][defined] = confint_proportions_2indep(
        *arguments, method="newcomb", compare="diff", alpha=level
    )
    # Two shares that are both 0 or both 1 have no variance.
    with np.errstate(invalid="ignore", divide="ignore"):
        p_values = test_proportions_2indep(*arguments, method="score", compare="diff").pvalue
    result[3][defined] = adjusted(np.nan_to_num(p_values, nan=1.0), "holm")
    return Differences(*result)


def adjusted(p_values: NDArray[np.float64], method: str) -> NDArray[np.float64]:
    """Return p-values adjusted for multiple tests (``multipletests`` of statsmodels).

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
    """Return p-values adjusted by Holm: the k-th least (from 0) of n times n - k, made ascending.

    The function of statsmodels runs a garbage collection at each call, which takes 0.2 seconds in a
    notebook.
    """
    order = np.argsort(p_values)
    raised = p_values[order] * np.arange(len(order), 0, -1)
    result = np.empty_like(raised)
    result[order] = np.minimum(np.maximum.accumulate(raised), 1)
    return result


@cache
def median_ranks(confidence: float = CONFIDENCE) -> Ranks:
    """Return which order statistics are the ends of a median's interval (``scipy.stats.binom``).

    The values of rank r and of rank r from above enclose the median, unless less than r of n values
    lie on one side of it. That number is binomial, so r is the quantile (1 - confidence) / 2 of
    ``binom(n, 0.5)`` (Conover, Practical Nonparametric Statistics, 3.2).

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
