"""Online views against backfills of the events that they know."""

from typing import Any

from hypothesis import strategies as st

from tests.fuzz.check import Check
from tests.fuzz.ends import LONGS
from tests.workbench.online.cases import (
    CALLS,
    LASTING,
    OF_BYTES,
    OF_EVENTS,
    STEP,
    Memory,
    Row,
    View,
    agree,
    expected,
    features,
    layout_of,
)
from tests.workbench.online.states import test_states as states
from workbench.columnar.blocks import TIME

EVERY = {
    f"{name} {' '.join(columns)} {kind}": (name, columns, kind)
    for name, columns, kind in (*CALLS, *OF_EVENTS, *OF_BYTES)
}
#: Calls that are inexact for large integers.
INEXACT = ("sum number int64", "avg number double", "approx_quantile number double")


def a_fetch_gives_the_features_of_a_backfill(
    by: bool,
    calls: list[str],
    first: list[Row],
    actions: list[Any],
    end: int,
    later: int,
    ignore_nulls: bool,
) -> None:
    layout = layout_of(features(by, ignore_nulls, [EVERY[name] for name in calls]))
    view = View(Memory(), layout)
    states.run_actions(view, first, actions, end * STEP)
    at = view.until + later
    rows, answers = view.fetch(states.KEYS, at), expected(layout, view.known, states.KEYS, at)
    for key, row, answer in zip(states.KEYS, rows, answers, strict=True):
        own_events = [one for one in view.known if one["k0"] == key]
        if row is not None:
            wrong = {n: (row[n], answer[n]) for n in answer if not agree(row[n], answer[n])}
            assert not wrong, f"of {key}, served and right: {wrong}"
            assert list(row) == list(answer)
        elif "not in the store" in rows.errors[key]:
            assert not own_events, f"{key} is not in the store"
        else:
            assert "a hop cannot be cut" in rows.errors[key], rows.errors[key]
            cut = any(one[TIME] >= at and one[TIME] // STEP == at // STEP for one in own_events)
            assert cut, f"no hop of {key} is cut"


def rows_with(numbers: st.SearchStrategy[int | None]) -> st.SearchStrategy[list[Row]]:
    drawn = st.tuples(states.rows, numbers).map(lambda both: both[0] | {"number": both[1]})
    return st.lists(drawn, max_size=12)


def cases(
    numbers: st.SearchStrategy[int | None], calls: list[str]
) -> dict[str, st.SearchStrategy[Any]]:
    batches = rows_with(numbers)
    return {
        "by": st.booleans(),
        "calls": st.lists(st.sampled_from(calls), min_size=1, max_size=8, unique=True),
        "first": batches,
        "actions": st.lists(st.one_of(batches, st.sampled_from(["upload", "again"])), max_size=8),
        "end": st.integers(-2, 3),
        "later": st.integers(0, LASTING),
        "ignore_nulls": st.booleans(),
    }


CHECKS = [
    Check(
        a_fetch_gives_the_features_of_a_backfill,
        cases(st.one_of(st.none(), st.integers(-9, 9)), sorted(EVERY)),
    ),
    Check(
        a_fetch_gives_the_features_of_a_backfill,
        cases(st.one_of(st.none(), LONGS), sorted(set(EVERY) - set(INEXACT))),
    ),
]
