"""Statistics of numbers of any size, from 1e-300 to 1e300, against exact arithmetic."""

from decimal import Context, Decimal
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from kernels.states.aggregates import AGGREGATES, IN_ONES, finalized
from kernels.windows.aggregate import moving_aggregate, moving_states
from tests.drawn import draws
from tests.kernels.frames.frames import members, random_frames

STATISTICS = [name for name, one in AGGREGATES.items() if type(one.empty) in IN_ONES]
#: Enough digits, and large and small enough exponents, for all tests here.
EXACT = Context(prec=60, Emin=-10_000, Emax=10_000)
EXPONENTS = st.sampled_from([-305, -160, -100, -60, 0, 0, 50, 80, 160, 300])


@st.composite
def numbers(draw: st.DrawFn, size: int) -> NDArray[np.float64]:
    """Draw numbers of few magnitudes, so that frames have one magnitude or several."""
    sizes = draw(st.lists(EXPONENTS, min_size=1, max_size=3))
    pairs = st.tuples(st.integers(-9, 9), st.sampled_from(sizes))
    drawn = draw(st.lists(pairs, min_size=size, max_size=size))
    return np.array([float(f"{digit}e{exponent}") for digit, exponent in drawn])


def decimal(number: Fraction) -> Decimal:
    return EXACT.divide(Decimal(number.numerator), Decimal(number.denominator))


def distances(values: list[float]) -> list[Fraction]:
    exact = [Fraction(value) for value in values]
    mean = sum(exact, Fraction(0)) / len(exact)
    return [value - mean for value in exact]


def exactly(name: str, values: list[float], others: list[float]) -> Decimal | None:
    """Return a statistic by its definition; None if equal values have none."""
    n, x, y = len(values), distances(values), distances(others)
    second, other = (decimal(sum((d * d for d in one), Fraction(0))) for one in (x, y))
    products = decimal(sum((a * b for a, b in zip(x, y, strict=True)), Fraction(0)))
    missing = 0 if name.endswith("pop") else 1
    if name.startswith("regr"):
        return fitted(name, values, others)
    if name == "sem":
        return EXACT.sqrt(EXACT.divide(EXACT.divide(second, n), n))
    if name.startswith("covar"):
        return EXACT.divide(products, n - missing)
    if name.startswith("var"):
        return EXACT.divide(second, n - missing)
    if name.startswith("stddev"):
        return EXACT.sqrt(EXACT.divide(second, n - missing))
    if second == 0 or (name == "corr" and other == 0):
        return None
    if name == "corr":
        return EXACT.divide(products, EXACT.sqrt(EXACT.multiply(second, other)))
    variance = EXACT.divide(second, n)
    if name == "skewness":
        third = EXACT.divide(decimal(sum((d**3 for d in x), Fraction(0))), n)
        ratio = EXACT.divide(third, EXACT.multiply(variance, EXACT.sqrt(variance)))
        return EXACT.multiply(ratio, EXACT.divide(EXACT.sqrt(Decimal(n * (n - 1))), n - 2))
    fourth = EXACT.divide(decimal(sum((d**4 for d in x), Fraction(0))), n)
    excess = EXACT.divide(fourth, EXACT.multiply(variance, variance)) - 3
    if name == "kurtosis_pop":
        return excess
    return ((n + 1) * excess + 6) * (n - 1) / ((n - 2) * (n - 3))


def fitted(name: str, values: list[float], others: list[float]) -> Decimal | None:
    """Return a regression statistic of SQL, with the values as y and the others as x."""
    n, x, y = len(values), distances(others), distances(values)
    mean_y, mean_x = (sum(map(Fraction, one), Fraction(0)) / n for one in (values, others))
    sums: dict[str, Fraction] = {
        "regr_count": Fraction(n), "regr_avgx": mean_x, "regr_avgy": mean_y,
        "regr_sxx": sum((d * d for d in x), Fraction(0)),
        "regr_syy": sum((d * d for d in y), Fraction(0)),
        "regr_sxy": sum((a * b for a, b in zip(x, y, strict=True)), Fraction(0)),
    }  # fmt: skip
    if name in sums:
        return decimal(sums[name])
    sxx, syy, sxy = (sums[f"regr_{one}"] for one in ("sxx", "syy", "sxy"))
    if sxx == 0:
        return None
    if name == "regr_slope":
        return decimal(sxy / sxx)
    if name == "regr_intercept":
        return decimal(mean_y - sxy / sxx * mean_x)
    return decimal(sxy * sxy / (sxx * syy)) if syy else Decimal(1)


def scale_of(name: str, values: list[float], others: list[float]) -> float:
    """Return the magnitude of the terms that a regression statistic is computed from."""
    largest_y, largest_x = (
        max(abs(Fraction(one)) for one in column) for column in (values, others)
    )
    spread_y, spread_x = (fitted(f"regr_{one}", values, others) for one in ("syy", "sxx"))
    assert spread_y is not None
    assert spread_x is not None
    slope = EXACT.sqrt(EXACT.divide(spread_y, spread_x)) if spread_x else Decimal(0)
    scales = {
        "regr_avgx": decimal(largest_x), "regr_avgy": decimal(largest_y), "regr_r2": Decimal(1),
        "regr_sxy": EXACT.sqrt(EXACT.multiply(spread_x, spread_y)), "regr_slope": slope,
        "regr_intercept": EXACT.add(decimal(largest_y), EXACT.multiply(slope, decimal(largest_x))),
    }  # fmt: skip
    return float(scales.get(name, fitted(name, values, others) or Decimal(0)))


def check(name: str, result: float, values: list[float], others: list[float]) -> None:
    expected = exactly(name, values, others)
    if expected is None:
        assert np.isnan(result)
        return
    # A difference of products is as exact as the products.
    scale = 1.0
    if name.startswith("covar"):
        spreads = (exactly("stddev" + name[5:], one, one) for one in (values, others))
        scale = float(EXACT.multiply(*spreads))  # type: ignore[arg-type]
    elif name.startswith("regr"):
        scale = scale_of(name, values, others)
    elif not name.startswith(("skew", "kurt", "corr")):
        scale = float(expected)
    if np.isinf(scale):
        assert abs(result) > 1e300 or np.isfinite(float(expected))
    else:
        assert result == pytest.approx(float(expected), rel=1e-9, abs=max(1e-9 * scale, 1e-320))


@pytest.mark.parametrize("name", STATISTICS)
@given(size=st.integers(4, 12), data=st.data())
@draws(40)
def test_a_statistic_of_numbers_of_any_size_is_that_of_exact_arithmetic(
    name: str, size: int, data: st.DataObject
) -> None:
    values, others = data.draw(numbers(size)), data.draw(numbers(size))
    begin, end = data.draw(random_frames(size, 4))
    offsets, needs = np.array([0, size]), AGGREGATES[name].needs
    for method in ("tree", "sliding"):
        if method == "sliding":
            begin = np.zeros((4, 1), np.int64)
            end = np.array([[size // 2], [size], [size], [size]])
            begin[2:, 0] = 1
        shared = offsets, name, values, begin, end
        result = moving_aggregate(*shared, other=others, method=method)
        joined = finalized(name, moving_states(*shared, other=others))
        for i in range(4):
            rows = members(begin, end, i)
            if len(rows) >= max(needs, 1):
                inside = values[rows].tolist(), others[rows].tolist()
                check(name, result[i], *inside)
                check(name, joined[i], *inside)


SAME: list[list[float]] = [[1e80, 2e80, 3e80, 7e80], [1e-100, 2e-100, 3e-100, 7e-100]]


@pytest.mark.parametrize("name", ["corr", "skewness", "kurtosis", "kurtosis_pop"])
@pytest.mark.parametrize("values", SAME)
def test_statistics_without_a_unit_do_not_depend_on_the_unit(name: str, values: Any) -> None:
    def of(column: Any) -> float:
        whole = np.zeros((4, 1), np.int64), np.full((4, 1), 4)
        return float(moving_aggregate(np.array([0, 4]), name, column, *whole, other=column)[0])

    assert of(np.array(values)) == pytest.approx(of(np.array([1.0, 2.0, 3.0, 7.0])), rel=1e-12)


#: The statistics of pairs with one infinite y that are not NaN.
WITH_INFINITY = {"regr_count": 4.0, "regr_avgy": np.inf, "regr_avgx": 2.5, "regr_sxx": 5.0}
PAIRED = [name for name in STATISTICS if name.startswith(("corr", "covar", "regr"))]


@pytest.mark.parametrize("unit", [1.0, 2.0**-340])
@pytest.mark.parametrize("name", PAIRED)
def test_pairs_with_an_infinite_value_have_the_same_result_in_any_order(
    name: str, unit: float
) -> None:
    expected = WITH_INFINITY.get(name, np.nan)
    expected *= {"regr_avgx": unit, "regr_sxx": unit * unit}.get(name, 1.0)
    begin, end = np.zeros((4, 1), np.int64), np.full((4, 1), 4)
    for order in permutations(range(4)):
        values, others = np.array([1, np.inf, 2, 5]), np.array([1, 2, 3, 4]) * unit
        shared = np.array([0, 4]), name, values[list(order)], begin, end
        for method in ("tree", "sliding"):
            result = moving_aggregate(*shared, other=others[list(order)], method=method)
            assert result == pytest.approx(np.full(4, expected), rel=1e-12, abs=0, nan_ok=True)


@pytest.mark.parametrize("name", ["covar_pop", "regr_sxy", "regr_syy"])
def test_a_single_infinite_pair_has_no_spread(name: str) -> None:
    begin, end = np.zeros((1, 1), np.int64), np.ones((1, 1), np.int64)
    shared = np.array([0, 1]), name, np.array([np.inf]), begin, end
    assert np.isnan(moving_aggregate(*shared, other=np.array([2.0]))[0])
