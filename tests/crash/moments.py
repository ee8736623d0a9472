"""The moments of a run at which a process may be killed, or another may act."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from workbench.stores import Change, Store

Action = Callable[[], None]


class Killed(BaseException):
    """The process has ended: the rest of its work is not done."""


def die() -> None:
    """Kill the simulated process."""
    raise Killed


@dataclass
class Moments:
    """Counts moments, and calls functions at some of them.

    Attributes
    ----------
    actions : dict of int to function
        By the number of the moment, from 0. Each is called once.
    every : function, optional
        Called at each moment.
    count : int
        The number of moments so far.
    """

    actions: dict[int, Action] = field(default_factory=dict)
    every: Action | None = None
    count: int = 0

    def __call__(self) -> None:
        """Pass a moment."""
        action = self.actions.pop(self.count, None)
        self.count += 1
        if self.every is not None:
            self.every()
        if action is not None:
            action()


@dataclass
class Watched:
    """The store of a process that may be killed around each write.

    Attributes
    ----------
    store : Store
    writes : Moments
        One before and one after each transaction.
    calls : Moments
        One before each call, where another process may have acted.
    answers : Moments
        One after each transaction with a condition that is met. If it has an action, the answer is
        lost with the connection: the client tries again, and the condition is not met any more.
    """

    store: Store
    writes: Moments = field(default_factory=Moments)
    calls: Moments = field(default_factory=Moments)
    answers: Moments = field(default_factory=Moments)

    @property
    def shared(self) -> bool:
        """Whether processes on other machines can reach it."""
        return self.store.shared

    @property
    def place(self) -> str:
        """Where it is, for people to read."""
        return self.store.place

    def read(self, keys: Sequence[bytes]) -> list[bytes | None]:
        """Return what keys hold, all at one instant."""
        self.calls()
        return self.store.read(keys)

    def write(self, changes: Sequence[Change], expect: Change | None = None) -> bool:
        """Make all changes, or none, in one transaction."""
        self.calls()
        self.writes()
        made = self.store.write(changes, expect)
        self.writes()
        if expect is not None and made:
            pending = len(self.answers.actions)
            self.answers()
            return len(self.answers.actions) == pending
        return made

    def scan(self, prefix: bytes, size: int = 10_000) -> Iterator[list[tuple[bytes, bytes]]]:
        """Yield the pairs whose key begins with a prefix, some at once."""
        self.calls()
        for pairs in self.store.scan(prefix, size):
            yield pairs
            self.calls()
