"""The key-value stores of the online view, behind one small interface."""

from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from workbench.errors import WorkbenchError

if TYPE_CHECKING:
    from workbench.stores.embedded import Embedded as Embedded
    from workbench.stores.remote import Redis as Redis

__all__ = ["Embedded", "Redis", "Store", "StoreError"]

#: A key and its new value; None removes the key.
Change = tuple[bytes, bytes | None]


class StoreError(WorkbenchError):
    """An error of a store that is down, full or damaged, or of a value that is no store.

    Attributes
    ----------
    record : bytes or None
        The key in the store of the damaged record, if it is only one.

    Examples
    --------
    >>> import workbench as wb
    >>> wb.stores.Embedded("/dev/null").read([b"ann"])
    Traceback (most recent call last):
    workbench.stores.StoreError: store: the store in /dev/null cannot be used ([Errno 20] Not a \
directory: '/dev/null/data.mdb'); give a folder on a local disk that this user can write to.
    """

    record: bytes | None = None


class Store(Protocol):
    """The interface of a store. Stores can be pickled, and open themselves where they are used.

    Examples
    --------
    An online view with the embedded store:

    >>> import workbench as wb
    >>> backfill = wb.Backfill("user", "ts", wb.Aggregation("count"), hop=5)
    >>> view = wb.OnlineView(backfill, wb.stores.Embedded("/tmp/features"), lasting=100)
    >>> view.store
    Embedded('/tmp/features')
    """

    @property
    def place(self) -> str:
        """The location of the store, as text for users.

        Examples
        --------
        >>> import workbench as wb
        >>> wb.stores.Embedded("/tmp/features").place
        'the store in /tmp/features'
        >>> wb.stores.Redis("redis://ann:secret@host:6379/0").place
        'the Redis at redis://host:6379/0'
        """

    @property
    def shared(self) -> bool:
        """Whether processes on other machines can reach the store.

        Examples
        --------
        >>> import workbench as wb
        >>> wb.stores.Embedded("/tmp/features").shared, wb.stores.Redis("redis://host:6379/0").shared
        (False, True)
        """

    def read(self, keys: Sequence[bytes]) -> list[bytes | None]:
        """Return the values of keys, all of one instant.

        Raises
        ------
        StoreError

        Examples
        --------
        >>> import tempfile
        >>> import workbench as wb
        >>> store = wb.stores.Embedded(tempfile.mkdtemp())
        >>> store.write([(b"ann", b"1")])
        True
        >>> store.read([b"ann", b"eve"])
        [b'1', None]
        """

    def write(self, changes: Sequence[Change], expect: Change | None = None) -> bool:
        """Make all changes, or none, in one transaction.

        Parameters
        ----------
        changes : sequence of (bytes, bytes or None)
        expect : (bytes, bytes or None), optional
            Nothing is changed unless this key has this value.

        Returns
        -------
        bool
            Whether the changes were made.

        Raises
        ------
        StoreError

        Examples
        --------
        >>> import tempfile
        >>> import workbench as wb
        >>> store = wb.stores.Embedded(tempfile.mkdtemp())
        >>> store.write([(b"ann", b"1"), (b"bob", b"2")])
        True
        >>> store.write([(b"ann", None)], expect=(b"bob", b"3"))
        False
        >>> store.write([(b"ann", None)], expect=(b"bob", b"2")), store.read([b"ann"])
        (True, [None])
        """

    def scan(self, prefix: bytes, size: int = 10_000) -> Iterator[list[tuple[bytes, bytes]]]:
        """Yield the entries with a prefix, about ``size`` at a time; not all of one instant.

        Raises
        ------
        StoreError

        Examples
        --------
        >>> import tempfile
        >>> import workbench as wb
        >>> store = wb.stores.Embedded(tempfile.mkdtemp())
        >>> store.write([(b"ann", b"1"), (b"art", b"2"), (b"bob", b"3")])
        True
        >>> list(store.scan(b"a", size=1))
        [[(b'ann', b'1')], [(b'art', b'2')]]
        """


def store_of(given: "str | Path | Store") -> Store:
    """Return the embedded store of a folder, the Redis of a URL, or a store as it is.

    Parameters
    ----------
    given : str, Path or Store

    Returns
    -------
    Store

    Raises
    ------
    WorkbenchError
        When the value is none of these.

    Examples
    --------
    >>> store_of("/tmp/features")
    Embedded('/tmp/features')
    >>> store_of("redis://localhost:6379/0").place
    'the Redis at redis://localhost:6379/0'
    """
    if isinstance(given, str) and given.startswith(("redis:", "rediss:", "unix:")):
        from workbench.stores.remote import Redis

        return Redis(given)
    if isinstance(given, str) and "://" in given:
        scheme = given.partition("://")[0]
        raise WorkbenchError(
            f"store: a URL with {scheme!r} is not the URL of a store; give a folder, or a URL such "
            "as 'redis://host:6379/0'."
        )
    if isinstance(given, str | Path) and str(given):
        from workbench.stores.embedded import Embedded

        return Embedded(given)
    if _is_store(given):
        return given  # type: ignore[return-value]
    raise WorkbenchError(
        f"store: {given!r} is not a store; give a folder, a URL such as 'redis://host:6379/0', or "
        "a store."
    )


def _is_store(given: object) -> bool:
    # A Column has an attribute of every name, and a class has functions of these names.
    methods = (getattr(given, name, None) for name in ("read", "write", "scan"))
    return all(map(callable, methods)) and isinstance(getattr(given, "place", None), str)


def __getattr__(name: str) -> object:
    # Loaded on first use: an embedded store needs no Redis client.
    if name in ("Embedded", "Redis"):
        module = import_module(f"workbench.stores.{'embedded' if name == 'Embedded' else 'remote'}")
        return getattr(module, name)
    raise AttributeError(f"module 'workbench.stores' has no attribute {name!r}")
