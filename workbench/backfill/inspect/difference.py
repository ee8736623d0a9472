"""Compares the answers to two queries: the events that only one of them sees."""

from collections import Counter
from dataclasses import dataclass
from math import isclose
from numbers import Real
from typing import Any

from workbench.backfill.inspect.origin import Origin, in_words

SAME = "the same"
#: An event as its feature sees it: its time, and the aggregated value as text.
SeenEvent = tuple[int, str]


@dataclass(frozen=True)
class OriginDifference:
    """Two answers of one feature, and the events in which they differ.

    Attributes
    ----------
    first, second : Origin
        Of queries of one key.
    left : list of (int, str)
        Times and values of the events that only the first query sees.
    entered : list of (int, str)
        Times and values of the events that only the second one sees.
    both : int
        The number of events that both see.
    """

    first: Origin
    second: Origin
    left: list[SeenEvent]
    entered: list[SeenEvent]
    both: int

    @property
    def change(self) -> str:
        """The difference from the first answer to the second, as text."""
        return change(self.first.answer, self.second.answer)


def difference(first: Origin, second: Origin) -> OriginDifference:
    """Compare the events of two answers.

    Parameters
    ----------
    first, second : Origin
        Of one feature and one key.

    Returns
    -------
    OriginDifference

    Notes
    -----
    O(events that count).

    Examples
    --------
    >>> import workbench as wb
    >>> views = wb.session().sql("SELECT 'ann' AS user, id AS ts FROM range(20)")
    >>> count = wb.Backfill("user", "ts", wb.Aggregation("count", windows=5), "sliding")
    >>> found = difference(*(count.origin(views, views, "ann", at) for at in (10, 12)))
    >>> [at for at, _ in found.left], [at for at, _ in found.entered], found.both, found.change
    ([5, 6], [10, 11], 3, 'the same')
    """
    before, after = (Counter(one.events) for one in (first, second))
    left, entered = before - after, after - before
    both = sum((before & after).values())
    return OriginDifference(first, second, _sorted_events(left), _sorted_events(entered), both)


def change(first: Any, second: Any) -> str:
    """Return the difference from one value to another, as text.

    Examples
    --------
    >>> change(3, 5), change(2.5, 2.0), change("a", "b"), change(None, 4)
    ('+2', '-0.5', 'a → b', 'null → 4')
    >>> change({"BOS": 3, "LAX": 1}, {"BOS": 5, "JFK": 2}), change(1, 1)
    ('BOS +2, JFK null → 2, LAX 1 → null', 'the same')
    """
    if _is_number(first) and _is_number(second):
        # Sums in another order differ in their last digits.
        return SAME if isclose(first, second, rel_tol=1e-9) else f"{second - first:+,.6g}"
    if first == second:
        return SAME
    if isinstance(first, dict) and isinstance(second, dict):
        names = sorted({*first, *second}, key=str)
        found = {name: change(first.get(name), second.get(name)) for name in names}
        return ", ".join(f"{name} {one}" for name, one in found.items() if one != SAME) or SAME
    return f"{in_words(first)} → {in_words(second)}"


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _sorted_events(events: "Counter[SeenEvent]") -> list[SeenEvent]:
    return sorted(events.elements())
