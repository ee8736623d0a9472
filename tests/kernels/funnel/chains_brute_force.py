"""Brute force for funnels with rules: every chain is tried, every window is matched."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations

from kernels.funnel.chain_levels import Rules

#: A row: its time, the steps it fulfils and the exclusions that exclude it, as bits.
Row = tuple[int, int, int]
#: A chain: pairs of a row's number and the step that it takes.
Chain = list[tuple[int, int]]


@dataclass(frozen=True)
class Answer:
    """The expected results of one user."""

    level: int
    start: int
    options: int
    barred: bool
    barred_last: bool


def sorted_rows(rows: Sequence[Row]) -> list[Row]:
    """Sort by time; at one instant by first step, then last step; rows of no step come last."""

    def sort_key(row: Row) -> tuple[int, ...]:
        time, bits, bars = row
        lowest = (bits & -bits).bit_length() if bits else 99
        return time, lowest, bits, bars

    return sorted(rows, key=sort_key)


def deadline(chain: Chain, rows: Sequence[Row], step: int, rules: Rules) -> int:
    """Return the last time at which a chain may take a step."""
    required = [row for row, k in chain if k not in rules.optional]
    within = dict(rules.within).get(step, 10**18)
    return min(rows[chain[0][0]][0] + rules.window, rows[required[-1]][0] + within)


def barring(chain: Chain, row: Row, rules: Rules) -> bool:
    """Return whether a row is excluded after the last step of a chain."""
    last = chain[-1][1]
    return any(
        row[2] >> x & 1 and opens <= last < closes
        for x, (opens, closes) in enumerate(rules.exclusions)
    )


def chains(rows: Sequence[Row], rules: Rules) -> Iterator[Chain]:
    """Yield every chain that follows the rules."""
    stack: list[Chain] = [[(i, 0)] for i, row in enumerate(rows) if row[1] & 1]
    while stack:
        chain = stack.pop()
        yield chain
        last_row, last_step = chain[-1]
        for i in range(last_row + 1, len(rows)):
            stack += [
                [*chain, (i, k)]
                for k in range(last_step + 1, rules.steps)
                if all(j in rules.optional for j in range(last_step + 1, k))
                and rows[i][1] >> k & 1
                and rows[i][0] <= deadline(chain, rows, k, rules)
            ]
            if rules.order == "strict" or barring(chain, rows[i], rules):
                break


def level_of(chain: Chain, rules: Rules) -> int:
    """Return the number of the furthest required step."""
    return max(k for _, k in chain if k not in rules.optional) + 1


def answer(rows: Sequence[Row], rules: Rules) -> Answer:
    """Return the best chain, and whether excluded rows ended chains of the same level."""
    rows = sorted_rows(rows)
    found = list(chains(rows, rules))
    ends = [chain[-1][0] for chain in found if 0 < chain[-1][1] == rules.steps - 1]
    rows = rows[: min(ends, default=len(rows)) + 1]
    found = [chain for chain in found if chain[-1][0] < len(rows)]
    if not found:
        return Answer(0, 0, 0, False, False)
    best = max(
        (level_of(chain, rules), rows[chain[0][0]][0], sum(k in rules.optional for _, k in chain))
        for chain in found
    )
    best_chains = [chain for chain in found if level_of(chain, rules) == best[0]]
    barred = max((i for chain in best_chains for i in ended_by(chain, rows, rules)), default=-1)
    again = max(chain[-1][0] for chain in best_chains if chain[-1][1] == best[0] - 1)
    return Answer(*best, barred >= 0, barred > again)


def ended_by(chain: Chain, rows: Sequence[Row], rules: Rules) -> Iterator[int]:
    """Yield the excluded rows that end a chain while it waits for its next required step."""
    last_row, last_step = chain[-1]
    waits_for = [k for k in range(last_step + 1, rules.steps) if k not in rules.optional]
    for i in range(last_row + 1, len(rows)):
        if not waits_for or rows[i][0] > deadline(chain, rows, waits_for[0], rules):
            return
        if barring(chain, rows[i], rules):
            yield i
            return
        if rules.order == "strict":
            return


def matched(conditions: Sequence[int], steps: int) -> int:
    """Return how many different steps can be matched to different rows."""
    for count in range(min(steps, len(conditions)), 0, -1):
        for chosen in combinations(range(steps), count):
            for rows in permutations(conditions, count):
                if all(row >> k & 1 for row, k in zip(rows, chosen, strict=True)):
                    return count
    return 0


def any_order_level(rows: Sequence[Row], rules: Rules) -> int:
    """Return the greatest number of steps in a window that begins at a row."""
    windows = [
        [bits for at, bits, _ in rows if first <= at <= first + rules.window]
        for first, _, _ in rows
    ]
    return max((matched(window, rules.steps) for window in windows), default=0)


def completed(rows: Sequence[Row], rules: Rules) -> list[tuple[int, int]]:
    """Return the first and the last row of every complete chain; rows are sorted."""
    if rules.order == "any":
        pairs = [(a, b) for a in range(len(rows)) for b in range(a, len(rows))]
        return [
            (a, b)
            for a, b in pairs
            if rows[b][0] - rows[a][0] <= rules.window
            and matched([bits for _, bits, _ in rows[a : b + 1]], rules.steps) == rules.steps
        ]
    found = chains(rows, rules)
    return [(chain[0][0], chain[-1][0]) for chain in found if chain[-1][1] == rules.steps - 1]


def most_completed(rows: Sequence[Row], rules: Rules) -> int:
    """Return the greatest number of complete chains that follow each other."""
    found = completed(sorted_rows(rows), rules)

    def greatest(first: int) -> int:
        return max((1 + greatest(b + 1) for a, b in found if a >= first), default=0)

    return greatest(0)
