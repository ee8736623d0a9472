"""Comparisons of segments: shares computed by hand, and intervals with their stated coverage."""

from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import DataFrame, SparkSession
from scipy.stats import binom

import workbench as wb
from tests.drawn import draws
from tests.workbench.spark.jobs import no_job
from workbench.funnel.intervals import adjusted, differences_of, median_ranks, shares_of

COUNTS = st.lists(
    st.tuples(st.integers(0, 60), st.integers(0, 60)).map(lambda one: (min(one), max(one))),
    min_size=2,
    max_size=6,
)


def wilson(part: int, whole: int, z: float) -> tuple[float, float]:
    """Return the roots of (share - p)^2 = z^2 p (1 - p) / whole."""
    share = part / whole
    low, high = np.sort(np.roots([1 + z * z / whole, -(2 * share + z * z / whole), share**2]).real)
    return float(low), float(high)


@given(COUNTS, st.sampled_from([0.8, 0.95]))
@draws(100)
def test_shares_and_differences_are_those_of_the_papers(
    counts: list[tuple[int, int]], confidence: float
) -> None:
    from scipy.stats import norm

    part, whole = map(np.array, zip(*counts, strict=True))
    z = norm.isf((1 - confidence) / 2)
    shares = shares_of(part, whole, confidence)
    for k, (n, of) in enumerate(counts):
        expected = (n / of, *wilson(n, of, z)) if of else (np.nan,) * 3
        assert np.allclose([one[k] for one in shares], expected, atol=1e-7, equal_nan=True)
    others, base = [one for one in counts[1:] if one[1]], counts[0]
    if not base[1] or not others:
        return
    part, whole = map(np.array, zip(*others, strict=True))
    of_base = np.full(len(others), base[0]), np.full(len(others), base[1])
    compared = differences_of(part, whole, *of_base, confidence)
    level = norm.isf((1 - confidence) / 2 / len(others))
    low0, high0 = wilson(*base, level)
    p0 = base[0] / base[1]
    for k, one in enumerate(others):
        p1, (low1, high1) = one[0] / one[1], wilson(*one, level)
        below = np.sqrt((p1 - low1) ** 2 + (high0 - p0) ** 2)
        above = np.sqrt((high1 - p1) ** 2 + (p0 - low0) ** 2)
        expected_ends = p1 - p0 - below, p1 - p0 + above
        assert np.allclose([compared.low[k], compared.high[k]], expected_ends, atol=1e-7)
    assert ((compared.p_value >= 0) & (compared.p_value <= 1)).all()


def test_p_values_are_adjusted_for_how_many_are_compared() -> None:
    alone = differences_of([30], [60], [15], [60]).p_value[0]
    three = differences_of([30, 30, 15], [60] * 3, [15] * 3, [60] * 3).p_value
    assert three == pytest.approx([3 * alone, 3 * alone, 1.0])
    assert differences_of([0, 60], [60] * 2, [0, 60], [60] * 2).p_value.tolist() == [1.0, 1.0]


@given(st.lists(st.sampled_from([0.0, 1e-9, 0.01, 0.02, 0.5, 1.0]) | st.floats(0, 1), min_size=1))
@draws(50)
def test_p_values_adjusted_by_holm_are_those_of_statsmodels(drawn: list[float]) -> None:
    from statsmodels.stats.multitest import multipletests

    p_values = np.array(drawn)
    # It collects garbage at each call, which takes 0.2 s where Spark and pandas are loaded.
    with patch("gc.collect"):
        expected = multipletests(p_values, method="holm")[1]
    np.testing.assert_array_equal(adjusted(p_values, "holm"), expected)


@pytest.mark.parametrize("size", [1, 5, 6, 7, 50, 999, 1_000, 1_001, 4_321, 250_000])
def test_the_interval_of_a_median_covers_it_at_least_as_often_as_stated(size: int) -> None:
    low, high = median_ranks(0.95).ends(np.arange(1, size + 1), np.array([size]))
    if size < 6:
        assert np.isnan(low[0])
        return
    rank = int(low[0])
    assert high[0] == size + 1 - rank
    missed = 2 * binom.cdf(rank - 1, size, 0.5)
    assert missed <= 0.05
    # The interval is hardly longer than necessary.
    assert 2 * binom.cdf(rank + max(1, size // 500), size, 0.5) > 0.05


STEPS = ["A", "B", "C"]
FUNNEL = wb.Funnel(STEPS, window=9, cohorts={"odd": "o"})


@pytest.fixture(scope="module")
def events(spark: SparkSession) -> DataFrame:
    rng = np.random.default_rng(8)
    rows = [
        (f"u{user}", int(at), str(name), device, user // 4 % 2)
        for user in range(90)
        for device in [["tv", "web", None, "tv"][user % 4]]
        for at, name in zip(rng.integers(0, 30, 8), rng.choice([*"AABBCxo"], 8), strict=True)
    ]
    names = "user_id string, timestamp long, event string, device string, plan long"
    return spark.createDataFrame(rows, names)


@pytest.fixture(scope="module")
def prepared(events: DataFrame) -> Iterator[wb.Prepared]:
    with wb.prepare(events, keep=["device", "plan"]) as prepared:
        yield prepared


def test_a_comparison_has_the_figures_of_the_steps(
    events: DataFrame, prepared: wb.Prepared
) -> None:
    comparison = FUNNEL.compare(events, by="device")
    assert comparison.equals(FUNNEL.compare(prepared, by="device"))
    steps = FUNNEL.steps(prepared, by="device")
    assert comparison[["device", "step", "users"]].equals(steps[["device", "step", "users"]])
    assert np.allclose(comparison["share"], steps["from_first"])
    assert comparison["median_time"].equals(steps["median_time"])
    (largest,) = comparison.attrs["baseline"]
    differences = comparison.dropna(subset="difference")
    assert len(differences) == comparison.attrs["compared"] == 4
    assert largest not in differences["device"].tolist()
    row: Any
    for row in differences.itertuples():
        # The row is found by its index, as its segment may be null.
        share = comparison.loc[row.Index, "share"]
        base = comparison[(comparison["device"].eq(largest)) & (comparison["step"] == row.step)][
            "share"
        ].iloc[0]
        assert row.difference == pytest.approx(share - base)
        assert row.difference_low <= row.difference <= row.difference_high


def test_the_ends_of_the_interval_of_a_median_are_observed_times(events: DataFrame) -> None:
    comparison = FUNNEL.compare(events, by="plan")
    levels = FUNNEL.levels(events, by="plan").where("level >= 2").toPandas()
    for plan, rows in levels.groupby("plan"):
        took = np.sort([times[1] - times[0] for times in rows["reached"]])
        row = comparison[(comparison["plan"] == plan) & (comparison["step"] == "B")].iloc[0]
        rank = int(binom.ppf(0.025, len(took), 0.5))
        assert (row["median_low"], row["median_high"]) == (took[rank - 1], took[-rank])
        assert row["median_time"] == np.median(took)


@pytest.mark.parametrize(
    ("by", "baseline", "expected"),
    [
        ("device", "web", ("web",)),
        ("device", (None,), (None,)),
        (["device", "plan"], ("tv", 1), ("tv", 1)),
        ("odd", True, (True,)),
        ("plan", np.int64(1), (1,)),
    ],
)
def test_the_baseline_is_the_given_segment(
    prepared: wb.Prepared, by: Any, baseline: Any, expected: tuple[Any, ...]
) -> None:
    comparison = FUNNEL.compare(prepared, by=by, baseline=baseline)
    assert comparison.attrs["baseline"] == expected
    of_baseline = comparison[comparison["difference"].isna() & (comparison["step"] == "B")]
    names = [by] if isinstance(by, str) else by
    assert [tuple(row) for row in of_baseline[names].itertuples(index=False)] == [expected]


def test_fewer_segments_make_fewer_comparisons(prepared: wb.Prepared) -> None:
    by = ["device", "plan"]
    whole, two = FUNNEL.compare(prepared, by), FUNNEL.compare(prepared, by, largest=2)
    assert (whole.attrs["compared"], two.attrs["compared"], two.attrs["others"]) == (10, 4, 4)
    assert two["device"].iloc[-1] == "others"
    width = (two["difference_high"] - two["difference_low"])[4]
    assert width < (whole["difference_high"] - whole["difference_low"])[4]


def test_people_are_those_counted_in_a_cell(events: DataFrame, prepared: wb.Prepared) -> None:
    comparison = FUNNEL.compare(prepared, by=["device", "odd"])
    row: Any
    for row in comparison.itertuples():
        query: dict[str, Any] = {"by": ["device", "odd"], "segment": (row.device, row.odd)}
        people = FUNNEL.people(prepared, reached=row.step, **query)
        assert people.count() == row.users
    again = FUNNEL.people(events, reached=row.step, **query)
    assert sorted(map(str, again.collect())) == sorted(map(str, people.collect()))
    stopped = FUNNEL.people(events, stopped_at=2, by="device", segment="tv").toPandas()
    assert set(stopped["level"]) <= {2}
    assert set(stopped["device"]) == {"tv"}


def test_people_of_an_optional_step_are_those_who_took_it(prepared: wb.Prepared) -> None:
    funnel = wb.Funnel(STEPS, window=9, optional=["B"])
    comparison = funnel.compare(prepared, by="plan")
    row: Any
    for row in comparison.itertuples():
        people = funnel.people(prepared, reached=row.step, by="plan", segment=row.plan)
        assert people.count() == row.users


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "no segments": (
        {"by": []},
        "by: a comparison needs segments; name a column or a cohort, or several in a list.",
    ),
    "one value of two": (
        {"by": ["device", "plan"], "baseline": "tv"},
        "baseline: 'tv' has 1 value, and a segment has one of each of 'device', 'plan'; give 2, in "
        "a tuple.",
    ),
    "no segment of a cohort": (
        {"by": "odd", "baseline": "yes"},
        "baseline: 'yes' is not a segment of the cohort 'odd'; give True or False.",
    ),
    "a column that is not there": (
        {"by": "browser"},
        "by: the prepared events do not hold 'browser'; prepare them with keep=['browser'].",
    ),
    "confidence": (
        {"by": "device", "confidence": True},
        "confidence: True is no share of samples; give one above 0 and below 1, such as 0.95.",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_invalid_arguments_of_a_comparison_are_refused_before_a_job(
    case: str, spark: SparkSession, prepared: wb.Prepared
) -> None:
    arguments, sentence = BAD[case]
    with no_job(spark), pytest.raises(wb.WorkbenchError) as error:
        FUNNEL.compare(prepared, **arguments)
    assert str(error.value) == sentence


def test_segments_that_the_data_lack_are_refused(events: DataFrame, prepared: wb.Prepared) -> None:
    with pytest.raises(wb.WorkbenchError) as error:
        FUNNEL.compare(prepared, by="plan", baseline=7)
    assert str(error.value) == "baseline: 7 is not a segment; there are 0, 1."
    with pytest.raises(wb.WorkbenchError) as error:
        FUNNEL.compare(events.where("device = 'tv'"), by="device")
    assert str(error.value) == (
        "by: there is one segment, 'tv', and a comparison needs two; name another column."
    )
    with pytest.raises(wb.WorkbenchError) as error:
        FUNNEL.compare(events.where("false"), by="device")
    assert str(error.value) == (
        "by: there are no segments, and a comparison needs two; name another column."
    )


def test_a_comparison_is_shown_in_percent(prepared: wb.Prepared) -> None:
    shown = FUNNEL.compare(prepared, by="plan")._repr_html_()  # type: ignore[operator]
    assert "Comparison" in shown
    assert "100.0%" in shown
    assert isinstance(FUNNEL.compare(prepared, by="plan"), pd.DataFrame)
