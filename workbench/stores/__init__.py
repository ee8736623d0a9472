"""Where the online view keeps its records: key-value stores behind one small interface."""

from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Protocol

from workbench.errors import WorkbenchError

#: A key and what it holds from now on; None removes it.
Change = tuple[bytes, bytes | None]


class StoreError(WorkbenchError):
    """A store that is down, full, damaged, or no store: the message says which and what to do.

    Attributes
    ----------
    record : bytes or None
        The key in the store of the one record that is damaged.
    """

    record: bytes | None = None


class Store(Protocol):
    """What a store must be able to do; it can be pickled, and opens itself where it is used."""

    @property
    def place(self) -> str:
        """Where it is, as a person calls it."""

    @property
    def shared(self) -> bool:
        """Whether processes on other machines reach it too."""

    def read(self, keys: Sequence[bytes]) -> list[bytes | None]:
        """Return what keys hold, all at one instant.

        Raises
        ------
        StoreError
        """

    def write(self, changes: Sequence[Change], expect: Change | None = None) -> bool:
        """Make all changes, or none, in one transaction.

        Parameters
        ----------
        changes : sequence of (bytes, bytes or None)
        expect : (bytes, bytes or None), optional
            Nothing is changed unless this key holds this.

        Returns
        -------
        bool
            Whether the changes were made.

        Raises
        ------
        StoreError
        """

    def scan(self, prefix: bytes, size: int = 10_000) -> Iterator[list[tuple[bytes, bytes]]]:
        """Yield what begins with a prefix, so much at once; not all at one instant.

        Raises
        ------
        StoreError
        """


def store_of(given: "str | Path | Store") -> Store:
    """Return a store: a folder's embedded one, a Redis by its URL, or the store that is given.

    Parameters
    ----------
    given : str, Path or Store

    Returns
    -------
    Store

    Raises
    ------
    WorkbenchError
        When it is none of these.

    Examples
    --------
    >>> store_of("/tmp/features")
    Embedded('/tmp/features')
    >>> store_of("redis://localhost:6379/0").place
    'the Redis at redis://localhost:6379/0'
    """
    if isinstance(given, str) and given.startswith(("redis://", "rediss://", "unix://")):
        from workbench.stores.remote import Redis

        return Redis(given)
    if isinstance(given, str) and "://" in given:
        scheme = given.partition("://")[0]
        raise WorkbenchError(
            f"store: a URL with {scheme!r} is none of a store; give a folder, or a URL such as "
            "'redis://host:6379/0'."
        )
    if isinstance(given, str | Path) and str(given):
        from workbench.stores.embedded import Embedded

        return Embedded(given)
    if all(hasattr(given, name) for name in ("read", "write", "scan")):
        return given  # type: ignore[return-value]
    raise WorkbenchError(
        f"store: {given!r} is none; give a folder, a URL such as 'redis://host:6379/0', or a store."
    )


def __getattr__(name: str) -> object:
    # Neither is loaded before it is used: an embedded store needs no client of Redis.
    if name in ("Embedded", "Redis"):
        module = import_module(f"workbench.stores.{'embedded' if name == 'Embedded' else 'remote'}")
        return getattr(module, name)
    raise AttributeError(f"module 'workbench.stores' has no attribute {name!r}")
