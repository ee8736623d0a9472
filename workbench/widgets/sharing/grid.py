"""Which views fit into one page: as many options of each choice as there is room for."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product
from time import perf_counter
from typing import Any, TypeVar

Drawn = TypeVar("Drawn")


@dataclass
class PageChoice:
    """One of the things that a page lets its reader choose.

    Attributes
    ----------
    name : str
        What it is called.
    options : sequence of (str, value)
        What can be chosen, in the order of a list, by what it is called.
    first : int
        Which option is seen at first.
    ordered : bool
        Whether it is a slider, from little to much, and no list.
    kept : set of int
        The options that are in the page.
    """

    name: str
    options: Sequence[tuple[str, Any]]
    first: int = 0
    ordered: bool = False
    kept: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.kept = {self.first}

    @property
    def shown(self) -> list[int]:
        """The options that are in the page, in the order of the list."""
        return sorted(self.kept)

    @property
    def left_out(self) -> list[str]:
        """What the options are called that are not."""
        return [label for k, (label, _) in enumerate(self.options) if k not in self.kept]

    def next(self) -> int:
        """Return the option that is nearest to the first, of those that are not in the page yet."""
        rest = (k for k in range(len(self.options)) if k not in self.kept)
        return min(rest, key=lambda k: abs(k - self.first))


@dataclass
class Room:
    """What there is to fill: how much, and until when."""

    size: int
    end: float

    @property
    def left(self) -> bool:
        """Whether there is some."""
        return self.size > 0 and perf_counter() < self.end


def fitted(
    choices: Sequence[PageChoice],
    draw: Callable[[tuple[int, ...]], Drawn],
    size: Callable[[Drawn], int],
    room: int,
    seconds: float,
) -> dict[tuple[int, ...], Drawn]:
    """Return the views that fit, from the one that is seen at first to those around it.

    Parameters
    ----------
    choices : sequence of PageChoice
        What they keep is changed.
    draw : function
        Draws the view of an option of each choice.
    size : function
        Of a view.
    room : int
        How much there is for all.
    seconds : float
        After so long nothing more is drawn.

    Returns
    -------
    dict of tuple of int to drawn
        A view for every combination of the options that are kept, by their numbers. The first view
        is there in any case.

    Notes
    -----
    The choice that has the fewest options is given one more, as long as all combinations with it
    fit.

    Examples
    --------
    >>> hours = PageChoice("within", [("1 h", 1), ("2 h", 2), ("3 h", 3)], first=1)
    >>> views = fitted([hours], lambda at: "x" * (1 + at[0]), len, room=4, seconds=9)
    >>> sorted(views), hours.left_out
    ([(0,), (1,)], ['3 h'])
    """
    first = tuple(one.first for one in choices)
    views = {first: draw(first)}
    left = Room(room - size(views[first]), perf_counter() + seconds)
    growing = [one for one in choices if one.left_out]
    while growing:
        one = min(growing, key=lambda one: len(one.kept))
        option = one.next()
        sides = [[option] if other is one else other.shown for other in choices]
        found = _all_of(product(*sides), draw, size, left)
        if found is not None:
            one.kept.add(option)
            views |= found
        if found is None or not one.left_out:
            growing.remove(one)
    return views


def _all_of(
    places: Iterable[tuple[int, ...]],
    draw: Callable[[tuple[int, ...]], Drawn],
    size: Callable[[Drawn], int],
    left: Room,
) -> dict[tuple[int, ...], Drawn] | None:
    """The views of some places, where there is room for all of them, which they then take."""
    found: dict[tuple[int, ...], Drawn] = {}
    taken = 0
    for at in places:
        if not left.left:
            return None
        found[at] = draw(at)
        taken += size(found[at])
        if taken > left.size:
            return None
    left.size -= taken
    return found
