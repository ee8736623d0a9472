"""Cases of the registry's tests for paths, retention and features, with brute force."""

from collections.abc import Callable
from itertools import groupby
from typing import Any

import numpy as np
from hypothesis import strategies as st

from kernels.funnel.paths import NO_NAME

Args = list[Any]


@st.composite
def retained(draw: st.DrawFn) -> Args:
    """Draw one user's rows in order of time, and periods of one length."""
    rows = draw(st.lists(st.tuples(st.integers(-9, 20), st.integers(0, 3)), max_size=9).map(sorted))
    time = np.array([at for at, _ in rows], np.int64)
    fulfils = np.array([bits for _, bits in rows], np.uint32)
    period = time // draw(st.integers(1, 6))
    return [time, period, fulfils, np.zeros(draw(st.integers(1, 5)), np.int64)]


def finds_every_return(before: Args, after: Args, result: Any) -> bool:
    time, period, fulfils, returned = (one.tolist() for one in before)
    begun = [i for i, bits in enumerate(fulfils) if bits & 1]
    first = min(begun, default=-1)
    expected = [-1] * len(returned)
    for i in range(len(time) if begun else 0, 0, -1):
        k = period[i - 1] - period[first]
        if fulfils[i - 1] & 2 and time[i - 1] > time[first] and k < len(returned):
            expected[k] = i - 1
    return result == first and after[3].tolist() == expected


@st.composite
def path_arguments(draw: st.DrawFn) -> Args:
    """Draw one user's rows in order of time, two times, and room for a path."""
    codes = st.sampled_from([0, 1, 2, NO_NAME])
    rows = draw(st.lists(st.tuples(st.integers(-5, 9), codes), max_size=9).map(sorted))
    time = np.array([at for at, _ in rows], np.int64)
    code = np.array([one for _, one in rows], np.uint32)
    between = np.array([draw(st.integers(-6, 9)), draw(st.integers(-6, 10))], np.int64)
    return [time, code, between, draw(st.booleans()), np.zeros(draw(st.integers(1, 4)), np.int64)]


def lists_the_codes_between(before: Args, after: Args, result: Any) -> bool:
    time, code, between, backwards, path = before
    codes_between = [
        one
        for at, one in zip(time.tolist(), code.tolist(), strict=True)
        if between[0] <= at <= between[1] and one != NO_NAME
    ]
    names = [name for name, _ in groupby(codes_between[::-1] if backwards else codes_between)]
    expected = [*names[: len(path)], *[-1] * (len(path) - len(names))]
    return after[4].tolist() == expected and result == min(len(names), len(path) + 1)


@st.composite
def coded_user(draw: st.DrawFn) -> Args:
    """Draw the codes of one user's rows, and the last user with each code."""
    code = draw(st.lists(st.sampled_from([0, 1, 2, 3, NO_NAME]), max_size=9))
    user_group = np.array([draw(st.integers(0, 3)), draw(st.integers(0, 1))])
    last_user = np.array(
        draw(st.lists(st.integers(-1, int(user_group[0]) - 1), min_size=4, max_size=4))
    )
    return [np.array(code, np.uint32), user_group, last_user, np.arange(8).reshape(2, 4)]


def counts_each_code_once(before: Args, after: Args, result: Any) -> bool:
    code, (user, group), last_user, counts = before
    new = {k for k in code.tolist() if k != NO_NAME}
    expected = counts.copy()
    for k in new:
        expected[group, k] += 1
    expected_last = [user if k in new else int(one) for k, one in enumerate(last_user)]
    return (
        result == len(new)
        and after[2].tolist() == expected_last
        and np.array_equal(after[3], expected)
    )


Oracle = Callable[[Args, Args, Any], bool]

CASES: dict[str, tuple[st.SearchStrategy[Args], Oracle]] = {
    "collapsed_path": (path_arguments(), lists_the_codes_between),
    "count_once": (coded_user(), counts_each_code_once),
    "retained_periods": (retained(), finds_every_return),
}
