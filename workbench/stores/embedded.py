"""The embedded store: LMDB, a memory-mapped B+ tree in a folder of this machine.

One writer at a time and any number of readers, in any processes. A reader sees one state of the
store and waits for nobody; a writer that is killed leaves nothing behind, as pages are never
overwritten while they are in use and a transaction ends with the write of one page.
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

#: How large a store can become; it takes only the room that it uses.
MOST_BYTES = 1 << 40
#: After how many seconds a reader looks again whether the files are still those that it opened.
LOOK_EVERY = 0.05
#: What LMDB says of a file that is not as it left it.
DAMAGED = (
    *(lmdb.CorruptedError, lmdb.PageNotFoundError, lmdb.InvalidError, lmdb.PanicError),
    *(lmdb.VersionMismatchError, lmdb.IncompatibleError, lmdb.BadTxnError, lmdb.BadValsizeError),
)
#: All of it is mapped into memory, where processors address little more for one process.
LARGEST = 1 << 46

#: What tells the files of a store from all others: the device, and the inodes of both.
Files = tuple[int, int, int]
Found = TypeVar("Found")

#: An environment must be opened once in a process, by all who use the same files.
_opened: dict[Files | None, Any] = {}
_opening = Lock()


def _close_all() -> None:
    # A fork inherits no environment that it could use, nor one that it could close without harm to
    # that of its parent. So there is none at a fork; who needs one afterwards opens it again.
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
        The folder, on a local disk. Where there is none the first write makes one that only this
        user may enter; the modes of one that is there stay as they are. The files in it can be read
        by this user alone, either way.
    most_bytes : int
        The most that it may hold.

    Notes
    -----
    A folder that is deleted or replaced is another store: each write looks for that before and
    after, and each read where the last look is more than 50 ms ago.

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
                f"most_bytes: {most_bytes!r} is no size of a store; give 1 to {LARGEST:,} bytes."
            )
        self.path, self.most_bytes = os.path.abspath(path), most_bytes
        self._data, self._lock = (os.path.join(self.path, f"{one}.mdb") for one in ("data", "lock"))
        #: Which files were there at the last look, how long the data file was, and when that was.
        self._seen: tuple[Files | None, int] = (None, 0)
        self._looked = -LOOK_EVERY

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
        found = self._read(lambda transaction: list(map(transaction.get, keys)))
        return [None] * len(keys) if found is None else found

    def scan(self, prefix: bytes, size: int = 10_000) -> Iterator[list[tuple[bytes, bytes]]]:
        """Yield what begins with a prefix, so much at once; not all at one instant."""
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
                    f"store: {self.place} is full with {self.most_bytes:,} bytes; "
                    "give it more: wb.stores.Embedded(path, most_bytes=...)."
                ) from None
            except lmdb.Error as error:
                if environment in _opened.values():
                    raise self._down(error) from None

    def _read(self, what: Callable[[Any], Found]) -> Found | None:
        """What a transaction finds, None where there is no store."""
        while True:
            environment = self._environment(make=False)[1]
            if environment is None:
                return None
            try:
                with environment.begin() as transaction:
                    return what(transaction)
            except lmdb.Error as error:
                # Another thread closes it where the process forks, or the files are others.
                if environment in _opened.values():
                    raise self._down(error) from None

    def _environment(self, make: bool) -> tuple[Files | None, Any]:
        """The files that are there now and their environment, None where there are none to read."""
        now = monotonic()
        if make or now - self._looked >= LOOK_EVERY:
            self._look()
            self._looked = now
        files = self._seen[0]
        environment = _opened.get(files)
        return (files, environment) if environment else self._open(make)

    def _look(self) -> None:
        """Note which files are there, and let go of those that were."""
        files, length = self._seen
        now = self._find()
        if now[0] != files:
            with _opening:
                if (gone := _opened.pop(files, None)) is not None:
                    gone.close()
        elif now[1] < length:
            raise self._damaged("it was cut off while it was in use")
        self._seen = now

    def _find(self) -> tuple[Files | None, int]:
        """What tells the store's files from others, and how long the data file is."""
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
                self._seen = self._find()
                files = self._seen[0]
                if files in _opened or (files is None and not make):
                    return files, _opened.get(files)
                self._open_files(files)

    def _open_files(self, before: Files | None) -> None:
        """Open the files, or make them; without success when they are replaced meanwhile."""
        for one in [one for one in _opened if before and one and _share(one, before)]:
            _opened.pop(one).close()
        made = self._opened_now()
        files = self._find()[0]
        if files and (before is None or before[:2] == files[:2]):
            _opened[files] = made
        else:
            made.close()

    def _opened_now(self) -> Any:
        try:
            os.makedirs(self.path, 0o700, exist_ok=True)
            if os.path.exists(self._data):
                check_length(self._data)
            made = lmdb.open(self.path, self.most_bytes, mode=0o600, max_readers=1024)
            # Readers that were killed would keep pages from being used again.
            made.reader_check()
            self._fill(made, 0)
        except DamagedFileError as error:
            raise self._damaged(error) from None
        except (lmdb.Error, OSError) as error:
            raise self._down(error) from None
        return made

    def _confirm(self, files: Files | None, environment: Any) -> None:
        """Refuse to call a commit done whose data file is gone meanwhile."""
        now, length = self._find()
        if now is None or files is None or now[:2] != files[:2]:
            raise StoreError(
                f"store: {self.place} was deleted or replaced while it was written to, and what "
                "was written is lost; do it again."
            )
        # It is done, also where the file cannot be made longer: who opens it next does that.
        with suppress(lmdb.Error, OSError):
            self._fill(environment, length)

    def _fill(self, environment: Any, length: int) -> None:
        """Let the data file be long enough, which has some length now."""
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


def _share(one: Files, other: Files) -> bool:
    """Whether two stores have a file in common, as where one of the two was deleted or replaced."""
    device, data, lock = one
    return device == other[0] and (data == other[1] or lock == other[2])


def _commit(environment: Any, changes: Sequence[Change], expect: Change | None) -> bool:
    """Make all changes in one transaction, unless a key holds something else than expected."""
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
    """The next records that begin with a prefix."""
    found: list[tuple[bytes, bytes]] = []
    with transaction.cursor() as cursor:
        there = cursor.set_range(after)
        while there and len(found) < size and cursor.key().startswith(prefix):
            found.append(cursor.item())
            there = cursor.next()
    return found
