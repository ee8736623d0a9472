"""Brute force for funnels: every chain of rows is tried."""

from collections.abc import Iterator, Sequence
from itertools import combinations

Row = tuple[int, int]


def chains(rows: Sequence[Row], steps: int, once: bool, increase: bool) -> Iterator[list[int]]:
    """Yield the rows of every chain that fulfils steps 1, 2, ... in order of time."""
    stack: list[list[int]] = [[]]
    while stack:
        chain = stack.pop()
        yield chain
        if len(chain) == steps:
            continue
        for row, (time, conditions) in enumerate(rows):
            later = not chain or time > rows[chain[-1]][0] - (not increase)
            if later and conditions >> len(chain) & 1 and not (once and row in chain):
                stack.append([*chain, row])


def level(
    rows: Sequence[Row], steps: int, window: int, *, once: bool = False, increase: bool = False
) -> int:
    """Return the most steps that any chain fulfils within the window."""
    return max(
        len(chain)
        for chain in chains(rows, steps, once, increase)
        if not chain or rows[chain[-1]][0] - rows[chain[0]][0] <= window
    )


def fillable(conditions: Sequence[int], low: int, high: int) -> bool:
    """Return whether steps low, ..., high - 1 can be matched to different rows."""
    if high <= low:
        return True
    return any(
        conditions[row] >> low & 1
        and fillable([c for i, c in enumerate(conditions) if i != row], low + 1, high)
        for row in range(len(conditions))
    )


def pairs_in_order(values: Sequence[tuple[int, int]]) -> bool:
    """Return whether no pair of values is out of order."""
    return all(a <= b for a, b in combinations(values, 2))
