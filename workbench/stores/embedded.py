"""The embedded store: LMDB, a memory-mapped B+ tree in a folder of this machine.

One writer at a time and any number of readers, in any processes. A reader sees one state of the
store and waits for nobody; a writer that is killed leaves nothing behind, as pages are never
overwritten while they are in use and a transaction ends with the write of one page.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import lmdb

from workbench.stores import Change, StoreError

#: How large a store can become; it takes only the room that it uses.
MOST_BYTES = 1 << 40

#: An environment must be opened once in a process, and a fork inherits none that it could use.
_opened: dict[tuple[int, int], Any] = {}


class Embedded:
    """A store in a folder, for processes of one machine.

    Parameters
    ----------
    path : str or Path
        The folder, made where there is none. It must be on a local disk.
    most_bytes : int
        The most that it may hold.

    Examples
    --------
    >>> import tempfile
    >>> store = Embedded(tempfile.mkdtemp())
    >>> store.write([(b"a", b"1"), (b"b", b"2")])
    True
    >>> store.write([(b"a", None)], expect=(b"b", b"3"))
    False
    >>> store.read([b"a", b"c"])
    [b'1', None]
    """

    shared = False

    def __init__(self, path: str | Path, most_bytes: int = MOST_BYTES) -> None:
        self.path, self.most_bytes = str(path), most_bytes
        self._environment: Any = None
        self._process = 0

    def __repr__(self) -> str:
        return f"Embedded({self.path!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Embedded, (self.path, self.most_bytes)

    @property
    def place(self) -> str:
        """Where it is, as a person calls it."""
        return f"the store in {self.path}"

    def read(self, keys: Sequence[bytes]) -> list[bytes | None]:
        """Return what keys hold, all at one instant."""
        try:
            with self._open().begin() as transaction:
                return list(map(transaction.get, keys))
        except lmdb.Error as error:
            raise self._down(error) from None

    def write(self, changes: Sequence[Change], expect: Change | None = None) -> bool:
        """Make all changes, or none, in one transaction."""
        try:
            with self._open().begin(write=True) as transaction:
                if expect is not None and transaction.get(expect[0]) != expect[1]:
                    return False
                if all(value is not None for _, value in changes):
                    with transaction.cursor() as cursor:
                        cursor.putmulti(changes)
                    return True
                for key, value in changes:
                    if value is None:
                        transaction.delete(key)
                    else:
                        transaction.put(key, value)
            return True
        except lmdb.MapFullError:
            raise StoreError(
                f"store: {self.place} is full with {self.most_bytes:,} bytes; "
                "give it more: wb.stores.Embedded(path, most_bytes=...)."
            ) from None
        except lmdb.Error as error:
            raise self._down(error) from None

    def scan(self, prefix: bytes, size: int = 10_000) -> Iterator[list[tuple[bytes, bytes]]]:
        """Yield what begins with a prefix, so much at once; not all at one instant."""
        after = prefix
        while True:
            found = self._after(prefix, after, size)
            if found:
                yield found
            if len(found) < size:
                return
            after = found[-1][0] + b"\0"

    def _after(self, prefix: bytes, after: bytes, size: int) -> list[tuple[bytes, bytes]]:
        found: list[tuple[bytes, bytes]] = []
        try:
            with self._open().begin() as transaction, transaction.cursor() as cursor:
                there = cursor.set_range(after)
                while there and len(found) < size and cursor.key().startswith(prefix):
                    found.append(cursor.item())
                    there = cursor.next()
        except lmdb.Error as error:
            raise self._down(error) from None
        return found

    def _open(self) -> Any:
        if self._environment is None or self._process != os.getpid():
            self._process = os.getpid()
            self._environment = self._shared()
        return self._environment

    def _shared(self) -> Any:
        try:
            os.makedirs(self.path, exist_ok=True)
            place = self._process, os.stat(self.path).st_ino
            if place not in _opened:
                made = lmdb.open(self.path, map_size=self.most_bytes, max_readers=1024)
                # Readers that were killed would keep pages from being used again.
                made.reader_check()
                _opened[place] = made
        except (lmdb.Error, OSError) as error:
            raise self._down(error) from None
        return _opened[place]

    def _down(self, error: Exception) -> StoreError:
        return StoreError(
            f"store: {self.place} cannot be used ({error}); "
            "give a folder on a local disk that this user can write to."
        )
