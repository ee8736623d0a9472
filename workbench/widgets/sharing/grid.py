"""The views that fit into one page: as many options of each choice as its size allows."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product
from time import perf_counter
from typing import Any, TypeVar

View = TypeVar("View")


@dataclass
class PageChoice:
    """A choice that a page offers to its reader.

    Attributes
    ----------
    name : str
        The label of the choice.
    options : sequence of (str, value)
        The options, each with its label, in the order of the list.
    first : int
        The option that the page opens with.
    ordered : bool
        Whether the choice is a slider rather than a list.
    included : set of int
        The options that are in the page.
    """

    name: str
    options: Sequence[tuple[str, Any]]
    first: int = 0
    ordered: bool = False
    included: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.included = {self.first}

    @property
    def included_in_order(self) -> list[int]:
        """The options that are in the page, in the order of the list."""
        return sorted(self.included)

    @property
    def left_out(self) -> list[str]:
        """The labels of the options that are not in the page."""
        return [label for k, (label, _) in enumerate(self.options) if k not in self.included]

    def next(self) -> int:
        """Return the option nearest to the first, among those that are not in the page yet."""
        rest = (k for k in range(len(self.options)) if k not in self.included)
        return min(rest, key=lambda k: abs(k - self.first))


@dataclass
class Budget:
    """The size that is left for views, and the time at which drawing ends."""

    size: int
    end: float

    @property
    def left(self) -> bool:
        """Whether another view may be drawn."""
        return self.size > 0 and perf_counter() < self.end


def fit_views(
    choices: Sequence[PageChoice],
    draw: Callable[[tuple[int, ...]], View],
    size: Callable[[View], int],
    room: int,
    seconds: float,
) -> dict[tuple[int, ...], View]:
    """Return the views that fit, beginning with the first one and those around it.

    Parameters
    ----------
    choices : sequence of PageChoice
        Their ``included`` is changed.
    draw : function
        Draws the view of one option for each choice.
    size : function
        Returns the size of a view.
    room : int
        The size of all views together.
    seconds : float
        The time after which no further view is drawn.

    Returns
    -------
    dict of tuple of int to view
        A view for every combination of included options, by their numbers. The first view is
        always there.

    Notes
    -----
    The choice with the fewest options gets one more, as long as all combinations with it fit.

    Examples
    --------
    >>> hours = PageChoice("within", [("1 h", 1), ("2 h", 2), ("3 h", 3)], first=1)
    >>> views = fit_views([hours], lambda at: "x" * (1 + at[0]), len, room=4, seconds=9)
    >>> sorted(views), hours.left_out
    ([(0,), (1,)], ['3 h'])
    """
    first = tuple(one.first for one in choices)
    views = {first: draw(first)}
    left = Budget(room - size(views[first]), perf_counter() + seconds)
    growing = [one for one in choices if one.left_out]
    while growing:
        one = min(growing, key=lambda one: len(one.included))
        option = one.next()
        sides = [[option] if other is one else other.included_in_order for other in choices]
        new_views = _draw_all(product(*sides), draw, size, left)
        if new_views is not None:
            one.included.add(option)
            views |= new_views
        if new_views is None or not one.left_out:
            growing.remove(one)
    return views


def _draw_all(
    places: Iterable[tuple[int, ...]],
    draw: Callable[[tuple[int, ...]], View],
    size: Callable[[View], int],
    left: Budget,
) -> dict[tuple[int, ...], View] | None:
    """Return these views and reduce the budget by their size, or None if not all of them fit."""
    new_views: dict[tuple[int, ...], View] = {}
    taken = 0
    for at in places:
        if not left.left:
            return None
        new_views[at] = draw(at)
        taken += size(new_views[at])
        if taken > left.size:
            return None
    left.size -= taken
    return new_views
