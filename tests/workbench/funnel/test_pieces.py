"""Keys that are cut by time give the answers of whole keys, wherever they are cut."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

import workbench as wb
from tests.drawn import draws
from tests.workbench.funnel.pieces import (
    Plan,
    figures,
    figures_in_pieces,
    levels,
    levels_in_pieces,
    rows_of,
    task_for,
)

#: Zero, short, and longer than the data.
WINDOWS = [0, 1, 2, 3, 5, 8, 13, 40, 10**6, 2**63 - 1]
plans = st.builds(Plan, st.sampled_from([1, 1, 2, 3, 5]), st.integers(1, 30), st.integers(1, 4))
numbers = st.integers(0, 2**32 - 1)


@st.composite
def funnels_and_segments(draw: st.DrawFn) -> tuple[wb.Funnel, tuple[str, ...]]:
    """Draw a funnel whose keys may be cut, and segments."""
    labels = [f"s{k}" for k in range(draw(st.integers(1, 5)))]
    window = draw(st.sampled_from(WINDOWS))
    options = draw(
        st.one_of(_modes, _period(_chains(labels, window, "this")),
                  _period(_chains(labels, window, "strict")), _in_any_order)
    )  # fmt: skip
    cohorts = {"did": "true", "from": {"seg": "a"}}
    by = draw(st.lists(st.sampled_from(["seg", *cohorts]), unique=True).map(tuple))
    at = ["first", "last", "each"]
    if options.get("order") != "any":
        at += [labels[-1]]
    elif "seg" in by:
        at = ["first", "last", "each"]
    options |= {"attribution": draw(st.sampled_from(at))}
    conditions: dict[str, Any] = dict.fromkeys(labels, "true")
    return wb.Funnel(conditions, window, key="k", cohorts=cohorts, **options), by


_modes = st.sets(st.sampled_from(["strict_increase", "strict_once"])).map(
    lambda some: {"modes": some}
)
_in_any_order = st.fixed_dictionaries(
    {"order": st.just("any")}, optional={"start": st.integers(0, 30)}
)


def _period(chains: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    begins = st.fixed_dictionaries({"start": st.integers(0, 20)})
    ends = st.fixed_dictionaries({"end": st.integers(21, 50)})
    return st.one_of(chains, st.builds(lambda *some: some[0] | some[1], chains, begins | ends))


@st.composite
def _chains(draw: st.DrawFn, labels: list[str], window: int, order: str) -> dict[str, Any]:
    """Draw rules of chains: never with the last step optional."""
    optional = draw(st.lists(st.sampled_from(labels[1:-1]), unique=True)) if labels[2:] else []
    required = [label for label in labels if label not in optional]
    within = draw(
        st.dictionaries(st.sampled_from(labels[1:]), st.integers(0, min(window, 20)))
        if labels[1:]
        else st.just({})
    )
    exclude = {}
    for x in range(draw(st.integers(0, 2)) if required[1:] else 0):
        ends = draw(st.lists(st.sampled_from(required), min_size=2, max_size=2, unique=True))
        exclude[f"x{x}"] = ("true", *sorted(ends))
    options = {"order": order, "optional": optional, "within": within, "exclude": exclude or None}
    return options | {"exclude_from": draw(st.sampled_from(["later", "all"][: 1 + bool(exclude)]))}


@st.composite
def streams(draw: st.DrawFn, bits: int) -> list[tuple[int, int, int, str | None]]:
    """Draw events of a few keys: many at one time, many equal, many that meet no condition."""
    spread = draw(st.sampled_from([2, 8, 20, 60]))
    one = st.integers(0, bits - 1).map(lambda k: 1 << k)
    fulfilled = st.one_of(st.just(0), one, one, one, st.integers(0, (1 << bits) - 1))
    event = st.tuples(
        st.sampled_from([0, 0, 0, 0, 1, 2]),
        st.integers(0, spread),
        fulfilled,
        st.sampled_from(["a", "b", None]),
    )
    return draw(st.lists(event, min_size=1, max_size=60))


def bits_of(funnel: wb.Funnel, by: tuple[str, ...]) -> int:
    """Return how many conditions rows are tested for: steps, exclusions, perhaps a cohort."""
    return len(funnel.labels) + len(funnel.rules.exclusions) + ("did" in by)


@draws(150, suppress_health_check=list(HealthCheck), deadline=None)
@given(funnels_and_segments(), st.data(), plans)
def test_levels_and_figures_are_those_of_whole_keys(
    case: tuple[wb.Funnel, tuple[str, ...]], data: st.DataObject, plan: Plan
) -> None:
    funnel, by = case
    assert funnel.uncut is None
    events = data.draw(streams(bits_of(funnel, by)))
    rows = rows_of(events)
    others = data.draw(streams(1))
    task = task_for(funnel, by)
    for cut_for in (rows, rows_of(others)):
        assert levels_in_pieces(task, rows, plan, cut_for) == levels(task, rows)
        assert figures_in_pieces(task, rows, plan, cut_for) == figures(task, rows)


@pytest.mark.parametrize("end", [2**63 - 1, -(2**63) + 40])
def test_times_at_the_ends_of_the_integers(end: int) -> None:
    task = task_for(wb.Funnel({"a": "true", "b": "true"}, 7, key="k"), ())
    rows = rows_of([(0, end - t, 1 + t % 2, None) for t in range(40)])
    assert levels_in_pieces(task, rows, Plan(3, 5, 2), rows) == levels(task, rows)


#: Reasons as explained, and options that need whole keys: they end a scan, or use up rows.
WHOLE: dict[str, dict[str, Any]] = {
    "at the first interruption": {"modes": ["strict_order", "allow_reentry"]},
    "at a repeat": {"modes": ["strict_deduplication", "strict_increase"]},
    "whichever chain takes it": {"optional": ["c"]},
    "may belong to one session": {"count": "sessions", "session": "30 minutes"},
    "uses up the events": {"count": "conversions"},
}


@pytest.mark.parametrize("why", WHOLE)
def test_a_funnel_explains_why_keys_stay_whole(why: str) -> None:
    funnel = wb.Funnel(["a", "b", "c"], "1 hour", cut="auto", **WHOLE[why])
    assert why in str(funnel.uncut)
    assert funnel.explain() == f"large keys: one task each, because {funnel.uncut}"
    with pytest.raises(wb.WorkbenchError, match=r"^cut: keys cannot be cut, because .*; leave it"):
        wb.Funnel(["a", "b", "c"], "1 hour", cut=100, **WHOLE[why])


def test_a_funnel_explains_which_keys_are_cut() -> None:
    steps = ["a", "b"]
    assert "cut='auto' looks for those" in wb.Funnel(steps, "1 hour").explain()
    assert "cut by time into pieces, as" in wb.Funnel(steps, "1 hour", cut="auto").explain()
    cut = wb.Funnel(steps, "1 hour", cut=5_000)
    assert "pieces of about 5,000 rows" in cut.explain()
    assert "pieces of about 5,000 rows" in cut._repr_html_()
    assert repr(cut) == "wb.Funnel(['a', 'b'], window='1 hour', cut=5000)"


@pytest.mark.parametrize("cut", [0, -1, True, 1.5, "never", "100", [5]])
def test_an_invalid_cut_is_refused(cut: Any) -> None:
    with pytest.raises(wb.WorkbenchError, match=r"^cut: .* is not possible; give 'auto'"):
        wb.Funnel(["a", "b"], "1 hour", cut=cut)
