"""Values at the ends of their types, and the values that are near one another."""

from hypothesis import strategies as st

LEAST, MOST = -(2**63), 2**63 - 1

#: Integers of 64 bits at both ends and about zero.
LONGS = st.one_of(
    st.integers(-5, 5),
    st.integers(0, 3).map(lambda away: LEAST + away),
    st.integers(0, 3).map(lambda away: MOST - away),
    st.sampled_from([2**62, -(2**62), 2**53 + 1, 2**31, -(2**31) - 1]),
)


def near(centers: list[int], away: int) -> st.SearchStrategy[int]:
    """Draw integers of 64 bits that are at most so far away from some center."""
    around = st.tuples(st.sampled_from(centers), st.integers(-away, away)).map(sum)
    return around.map(lambda at: max(LEAST, min(MOST, at)))


#: Times that are close to one another: before and after 1970, and at both ends.
INSTANTS = near([LEAST, MOST, 0, 10**15, -(10**15)], 12)
