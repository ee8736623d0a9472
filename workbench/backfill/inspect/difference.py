"""Why two queries have different answers: the events that only one of them sees."""

from collections import Counter
from dataclasses import dataclass
from math import isclose
from numbers import Real
from typing import Any

from workbench.backfill.inspect.origin import Origin, in_words

SAME = "the same"
#: An event as its feature sees it: when it was, and what is aggregated of it.
Seen = tuple[int, str]


@dataclass(frozen=True)
class OriginDifference:
    """Two answers to one feature, and what makes them differ.

    Attributes
    ----------
    first, second : Origin
        Of queries of one key.
    left : list of (int, str)
        When events were that only the first query sees, and what is aggregated of them.
    entered : list of (int, str)
        The same of those that only the second one sees.
    both : int
        How many events both see.
    """

    first: Origin
    second: Origin
    left: list[Seen]
    entered: list[Seen]
    both: int

    @property
    def change(self) -> str:
        """By how much the second answer differs from the first."""
        return change(self.first.answer, self.second.answer)


def difference(first: Origin, second: Origin) -> OriginDifference:
    """Compare how two answers come about.

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
    return OriginDifference(first, second, _listed(left), _listed(entered), both)


def change(first: Any, second: Any) -> str:
    """Return by how much a value differs from another, as a person reads it.

    Examples
    --------
    >>> change(3, 5), change(2.5, 2.0), change("a", "b"), change(None, 4)
    ('+2', '-0.5', 'a → b', 'null → 4')
    >>> change({"BOS": 3, "LAX": 1}, {"BOS": 5, "JFK": 2}), change(1, 1)
    ('BOS +2, JFK null → 2, LAX 1 → null', 'the same')
    """
    if _is_number(first) and _is_number(second):
        # What is added up in another order is no other number.
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


def _listed(events: "Counter[Seen]") -> list[Seen]:
    return sorted(events.elements())
