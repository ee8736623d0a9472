"""The moments of a run at which a process may end, or others may act."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from workbench.stores import Change, Store

Deed = Callable[[], None]


class Killed(BaseException):
    """The process is gone: nothing that it had still to do is done."""


def die() -> None:
    """End this process, as far as a simulated one has an end."""
    raise Killed


@dataclass
class Moments:
    """Counts moments, and does something at some of them.

    Attributes
    ----------
    deeds : dict of int to function
        By the number of the moment, the first one being 0. Each is done once.
    every : function, optional
        What is done at all of them.
    count : int
        How many there were.
    """

    deeds: dict[int, Deed] = field(default_factory=dict)
    every: Deed | None = None
    count: int = 0

    def __call__(self) -> None:
        """Pass a moment."""
        deed = self.deeds.pop(self.count, None)
        self.count += 1
        if self.every is not None:
            self.every()
        if deed is not None:
            deed()


@dataclass
class Watched:
    """A store as a process has it that may be killed around each write.

    Attributes
    ----------
    store : Store
    writes : Moments
        One before and one behind each transaction.
    calls : Moments
        One before each call, where another process may have acted.
    answers : Moments
        One behind each transaction that is made on a condition. Where it has a deed, the answer is
        lost with the connection: the client, which asks again, finds the condition not met.
    """

    store: Store
    writes: Moments = field(default_factory=Moments)
    calls: Moments = field(default_factory=Moments)
    answers: Moments = field(default_factory=Moments)

    @property
    def shared(self) -> bool:
        """Whether processes on other machines reach it too."""
        return self.store.shared

    @property
    def place(self) -> str:
        """Where it is, as a person calls it."""
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
            left = len(self.answers.deeds)
            self.answers()
            return len(self.answers.deeds) == left
        return made

    def scan(self, prefix: bytes, size: int = 10_000) -> Iterator[list[tuple[bytes, bytes]]]:
        """Yield what begins with a prefix, so much at once."""
        self.calls()
        for found in self.store.scan(prefix, size):
            yield found
            self.calls()
