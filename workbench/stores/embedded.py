"""The embedded store: LMDB, a memory-mapped B+ tree in a folder of this machine.

There is one writer at a time and any number of readers, in any processes. A reader sees a snapshot
and never waits. A writer that is killed leaves no partial changes, as pages in use are never
overwritten and a transaction commits with the write of one page.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Any, TypeVar

import lmdb

from workbench.stores import Change, StoreError
from workbench.stores.data_file import MARGIN, DamagedFileError, check_length, fill

#: The default limit of a store's size; it takes only the space that it uses.
MOST_BYTES = 1 << 40
#: The seconds after which a reader checks again that the files are those that it opened.
CHECK_EVERY = 0.05
#: The errors of LMDB for a damaged file.
DAMAGED = (
    *(lmdb.CorruptedError, lmdb.PageNotFoundError, lmdb.InvalidError, lmdb.PanicError),
    *(lmdb.VersionMismatchError, lmdb.IncompatibleError, lmdb.BadTxnError, lmdb.BadValsizeError),
)
#: The largest limit: the store is mapped into memory, and processors address little more.
LARGEST = 1 << 46

#: The identity of a store's files: the device, and the inodes of both.
Files = tuple[int, int, int]
Result = TypeVar("Result")

#: The open environments; a process must open the same files only once.
_opened: dict[Files | None, Any] = {}
_opening = Lock()


def _close_all() -> None:
    # A forked process can neither use an inherited environment, nor close it without harm to its
    # parent's. So all are closed before a fork, and opened again when they are needed.
    _opening.acquire()
    while _opened:
        _opened.popitem()[1].close()


os.register_at_fork(
    before=_close_all, after_in_parent=_opening.release, after_in_child=_opening.release
)


class Embedded:
    """A store in a folder, for processes of one machine and one user.

    Parameters
    ----------
    path : str or Path
        The folder, on a local disk. If it does not exist, the first write creates it for this user
        alone; the mode of an existing folder is kept. Only this user can read the files in it.
    most_bytes : int
        The limit of its size.

    Notes
    -----
    A folder that is deleted or replaced is another store. Each write checks for that before and
    after, and each read if the last check is more than 50 ms ago.

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
        if isinstance(most_bytes, bool) or most_bytes not in range(1, LARGEST + 1):
            raise StoreError(
                f"most_bytes: {most_bytes!r} is not a size of a store; give 1 to {LARGEST:,} bytes."
            )
        self.path, self.most_bytes = os.path.abspath(path), most_bytes
        self._data, self._lock = (os.path.join(self.path, f"{one}.mdb") for one in ("data", "lock"))
        #: The files at the last check and the length of the data file; and the time of the check.
        self._checked_files: tuple[Files | None, int] = (None, 0)
        self._checked_at = -CHECK_EVERY

    def __repr__(self) -> str:
        return f"Embedded({self.path!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Embedded, (self.path, self.most_bytes)

    @property
    def place(self) -> str:
        """Where it is, as a person calls it."""
        return f"the store in {self.path}"

    def read(self, keys: Sequence[bytes]) -> list[bytes | None]:
        """Return the values of keys, all of one instant."""
        found = self._read(lambda transaction: list(map(transaction.get, keys)))
        return [None] * len(keys) if found is None else found

    def scan(self, prefix: bytes, size: int = 10_000) -> Iterator[list[tuple[bytes, bytes]]]:
        """Yield the entries with a prefix, about ``size`` at a time; not all of one instant."""
        after = prefix
        while True:
            found = self._read(partial(_after, prefix=prefix, after=after, size=size)) or []
            if found:
                yield found
            if len(found) < size:
                return
            after = found[-1][0] + b"\0"

    def write(self, changes: Sequence[Change], expect: Change | None = None) -> bool:
        """Make all changes, or none, in one transaction."""
        while True:
            files, environment = self._environment(make=True)
            try:
                if not _commit(environment, changes, expect):
                    return False
                self._confirm(files, environment)
                return True
            except lmdb.MapFullError:
                raise StoreError(
                    f"store: {self.place} is full at {self.most_bytes:,} bytes; "
                    "give it more: wb.stores.Embedded(path, most_bytes=...)."
                ) from None
            except lmdb.Error as error:
                if environment in _opened.values():
                    raise self._down(error) from None

    def _read(self, what: Callable[[Any], Result]) -> Result | None:
        """Return the result of a function of a read transaction, None if there is no store."""
        while True:
            environment = self._environment(make=False)[1]
            if environment is None:
                return None
            try:
                with environment.begin() as transaction:
                    return what(transaction)
            except lmdb.Error as error:
                # Another thread closed it for a fork, or as the files were replaced.
                if environment in _opened.values():
                    raise self._down(error) from None

    def _environment(self, make: bool) -> tuple[Files | None, Any]:
        """Return the current files and their environment, None if there are none to read."""
        now = monotonic()
        if make or now - self._checked_at >= CHECK_EVERY:
            self._check_files()
            self._checked_at = now
        files = self._checked_files[0]
        environment = _opened.get(files)
        return (files, environment) if environment else self._open(make)

    def _check_files(self) -> None:
        """Record the current files, and close those that were replaced."""
        files, length = self._checked_files
        now = self._identify()
        if now[0] != files:
            with _opening:
                if (replaced := _opened.pop(files, None)) is not None:
                    replaced.close()
        elif now[1] < length:
            raise self._damaged("it was cut off while it was in use")
        self._checked_files = now

    def _identify(self) -> tuple[Files | None, int]:
        """Return the identity of the store's files, and the length of the data file."""
        try:
            data = os.stat(self._data)
        except FileNotFoundError:
            return None, 0
        except OSError as error:
            raise self._down(error) from None
        try:
            lock = os.stat(self._lock).st_ino
        except OSError:
            lock = 0
        return (data.st_dev, data.st_ino, lock), data.st_size

    def _open(self, make: bool) -> tuple[Files | None, Any]:
        with _opening:
            while True:
                self._checked_files = self._identify()
                files = self._checked_files[0]
                if files in _opened or (files is None and not make):
                    return files, _opened.get(files)
                self._open_files(files)

    def _open_files(self, before: Files | None) -> None:
        """Open or create the files; they stay closed if they are replaced meanwhile."""
        for one in [one for one in _opened if before and one and _share_a_file(one, before)]:
            _opened.pop(one).close()
        made = self._opened_environment()
        files = self._identify()[0]
        if files and (before is None or before[:2] == files[:2]):
            _opened[files] = made
        else:
            made.close()

    def _opened_environment(self) -> Any:
        try:
            os.makedirs(self.path, 0o700, exist_ok=True)
            if os.path.exists(self._data):
                check_length(self._data)
            made = lmdb.open(self.path, self.most_bytes, mode=0o600, max_readers=1024)
            # Remove killed readers, which would prevent the reuse of pages.
            made.reader_check()
            self._fill(made, 0)
        except DamagedFileError as error:
            raise self._damaged(error) from None
        except (lmdb.Error, OSError) as error:
            raise self._down(error) from None
        return made

    def _confirm(self, files: Files | None, environment: Any) -> None:
        """Refuse a commit if its data file was removed or replaced meanwhile."""
        now, length = self._identify()
        if now is None or files is None or now[:2] != files[:2]:
            raise StoreError(
                f"store: {self.place} was deleted or replaced while it was written to, and what "
                "was written is lost; do it again."
            )
        # The commit is done even if the file cannot be extended; whoever opens it next extends it.
        with suppress(lmdb.Error, OSError):
            self._fill(environment, length)

    def _fill(self, environment: Any, length: int) -> None:
        """Extend the data file, which has the given length, if it is too short."""
        used = (environment.info()["last_pgno"] + 1) * environment.stat()["psize"]
        if length < used + MARGIN:
            fill(self._data, used)

    def _down(self, error: Exception) -> StoreError:
        if isinstance(error, DAMAGED):
            return self._damaged(error)
        return StoreError(
            f"store: {self.place} cannot be used ({error}); "
            "give a folder on a local disk that this user can write to."
        )

    def _damaged(self, why: object) -> StoreError:
        return StoreError(
            f"store: {self.place} is damaged ({why}); delete the folder, or give an empty one, and "
            "upload again."
        )


def _share_a_file(one: Files, other: Files) -> bool:
    """Return whether two stores share a file, as when one file of a store was replaced."""
    device, data, lock = one
    return device == other[0] and (data == other[1] or lock == other[2])


def _commit(environment: Any, changes: Sequence[Change], expect: Change | None) -> bool:
    """Make all changes in one transaction, unless a key has another value than expected."""
    with environment.begin(write=True) as transaction:
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


def _after(transaction: Any, prefix: bytes, after: bytes, size: int) -> list[tuple[bytes, bytes]]:
    """Return the next records with a prefix."""
    found: list[tuple[bytes, bytes]] = []
    with transaction.cursor() as cursor:
        there = cursor.set_range(after)
        while there and len(found) < size and cursor.key().startswith(prefix):
            found.append(cursor.item())
            there = cursor.next()
    return found
