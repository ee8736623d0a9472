"""The data file of LMDB, looked at before it is mapped: reading behind its end kills the process.

Its two first pages, the meta pages, say how far the file goes: each the state of every other
transaction. The layout is that of ``MDB_meta`` in LMDB 0.9 (https://www.openldap.org, ``mdb.c``).
"""

import os
from struct import Struct
from typing import BinaryIO, NamedTuple

#: The head of a page: its number, padding, flags, and bounds.
PAGE = Struct("=QHHI")
#: Behind that, in a meta page: magic, version, address and size of the map; the tree of free pages,
#: of which the first word is the size of a page; that of the records, of which the depth and the
#: number of the root are read; the number of the last page, and that of the transaction.
META = Struct("=IIQQ I44x 6xH32xQ QQ")
BRANCH, LEAF, FLAG, MAGIC, VERSION = 0x01, 0x02, 0x08, 0xBEEFC0DE, 1
NO_PAGE = 2**64 - 1
PAGES = tuple(1 << i for i in range(9, 17))
#: How far behind a damaged page LMDB may look, as its offsets and the lengths of keys have 16 bits.
MARGIN = 1 << 18
#: How often pages that a writer may be changing are read before they are called damaged.
LOOKS = 3


class DamagedFileError(Exception):
    """A data file that must not be mapped: the message says why."""


class MetaPage(NamedTuple):
    """What a meta page says.

    Attributes
    ----------
    size : int
        That of a page, in bytes.
    depth, root : int
        Of the tree of the records.
    last : int
        The last page that was ever used.
    transaction : int
    """

    size: int
    depth: int
    root: int
    last: int
    transaction: int


def newest(path: str) -> MetaPage | None:
    """Return what a data file says of itself; None while it is empty.

    Raises
    ------
    DamagedFileError
    OSError
    """
    with open(path, "rb", buffering=0) as file:
        for look in range(LOOKS):
            file.seek(0)
            begin = file.read(PAGES[-1] + PAGE.size + META.size)
            try:
                if not begin:
                    return None
                meta = _newest(begin)
                _check_root(meta, file)
                return meta
            except DamagedFileError:
                if look == LOOKS - 1:
                    raise
    raise AssertionError


def _newest(begin: bytes) -> MetaPage:
    size = _meta(begin, 0).size
    if size not in PAGES:
        raise DamagedFileError("its first page is damaged")
    both = _meta(begin, 0), _meta(begin, size)
    # The pages of a new file are both of transaction 0; then they take turns.
    first, second = (one.transaction for one in both)
    turns = abs(first - second) == 1 and (first % 2, second % 2) == (0, 1)
    if both[1].size != size or not (turns or first == second == 0):
        raise DamagedFileError("its first pages are damaged")
    return max(both, key=lambda one: one.transaction)


def _meta(begin: bytes, at: int) -> MetaPage:
    if len(begin) < at + PAGE.size + META.size:
        raise DamagedFileError("it is cut off")
    flags = PAGE.unpack_from(begin, at)[2]
    magic, version, _, _, *found = META.unpack_from(begin, at + PAGE.size)
    if not flags & FLAG or (magic, version) != (MAGIC, VERSION):
        raise DamagedFileError("it is no data file of LMDB")
    return MetaPage(*found)


def _check_root(meta: MetaPage, file: BinaryIO) -> None:
    """Refuse a tree whose root is another page than one of its depth has."""
    if meta.depth and meta.root <= meta.last:
        file.seek(meta.root * meta.size)
        head = file.read(PAGE.size)
        number, _, flags, _ = PAGE.unpack(head.ljust(PAGE.size, b"\0"))
        if number == meta.root and flags & (LEAF if meta.depth == 1 else BRANCH):
            return
    elif not meta.depth and meta.root == NO_PAGE:
        return
    raise DamagedFileError("its first pages are damaged")


def check_length(path: str) -> None:
    """Refuse a data file that lacks a page which is in use.

    Raises
    ------
    DamagedFileError
    OSError

    Notes
    -----
    Of a file that is long enough two pages are read. A shorter one may be whole, as pages at its
    end that were freed in the transaction which took them are never written: then all are looked
    at. :func:`fill` spares that.
    """
    while (meta := newest(path)) and os.stat(path).st_size < (meta.last + 1) * meta.size:
        from lmdb import verify

        try:
            wrong = verify.verify(path)  # type: ignore[no-untyped-call]
        except verify.VerifyError as error:
            wrong = [str(error)]
        if not wrong:
            return
        if newest(path) == meta:
            raise DamagedFileError(f"it is cut off, {wrong[0]}")


def fill(path: str, used: int) -> None:
    """Make a data file that is sound so long that LMDB never looks behind its end.

    Others may write to it at the same time: what is appended never lies on a page of theirs.

    Parameters
    ----------
    path : str
    used : int
        The length of all pages that were ever used, in bytes.
    """
    with open(path, "ab") as file:
        file.write(bytes(max(0, used + MARGIN - os.fstat(file.fileno()).st_size)))
