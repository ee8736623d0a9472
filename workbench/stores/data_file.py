"""Checks of LMDB's data file before it is mapped, as a read after its end kills the process.

Its first two pages, the meta pages, hold the length of the file; transactions write them in turn.
The layout is that of ``MDB_meta`` in LMDB 0.9 (https://www.openldap.org, ``mdb.c``).
"""

import os
from struct import Struct
from typing import BinaryIO, NamedTuple

#: The head of a page: its number, padding, flags, and bounds.
PAGE = Struct("=QHHI")
#: The rest of a meta page: magic, version, address and size of the map; the tree of free pages,
#: whose first word is the size of a page; the tree of records, of which the depth and the number
#: of the root are read; the number of the last page, and the number of the transaction.
META = Struct("=IIQQ I44x 6xH32xQ QQ")
BRANCH, LEAF, FLAG, MAGIC, VERSION = 0x01, 0x02, 0x08, 0xBEEFC0DE, 1
NO_PAGE = 2**64 - 1
PAGES = tuple(1 << i for i in range(9, 17))
#: How far LMDB may read after a damaged page, as its offsets and lengths of keys have 16 bits.
MARGIN = 1 << 18
#: How often pages that a writer may be changing are read before they count as damaged.
ATTEMPTS = 3


class DamagedFileError(Exception):
    """A data file must not be mapped; the message is the reason."""


class MetaPage(NamedTuple):
    """The fields of a meta page.

    Attributes
    ----------
    size : int
        The size of a page, in bytes.
    depth, root : int
        The depth and the root page of the tree of records.
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
    """Return the newest meta page of a data file, None if the file is empty.

    Raises
    ------
    DamagedFileError
    OSError
    """
    with open(path, "rb", buffering=0) as file:
        for attempt in range(ATTEMPTS):
            file.seek(0)
            begin = file.read(PAGES[-1] + PAGE.size + META.size)
            try:
                if not begin:
                    return None
                meta = _newer_page(begin)
                _check_root(meta, file)
                return meta
            except DamagedFileError:
                if attempt == ATTEMPTS - 1:
                    raise
    raise AssertionError


def _newer_page(begin: bytes) -> MetaPage:
    size = _meta_page(begin, 0).size
    if size not in PAGES:
        raise DamagedFileError("its first page is damaged")
    both = _meta_page(begin, 0), _meta_page(begin, size)
    # Both pages of a new file have transaction 0; later transactions alternate between them.
    first, second = (one.transaction for one in both)
    alternate = abs(first - second) == 1 and (first % 2, second % 2) == (0, 1)
    if both[1].size != size or not (alternate or first == second == 0):
        raise DamagedFileError("its first pages are damaged")
    return max(both, key=lambda one: one.transaction)


def _meta_page(begin: bytes, at: int) -> MetaPage:
    if len(begin) < at + PAGE.size + META.size:
        raise DamagedFileError("it is cut off")
    flags = PAGE.unpack_from(begin, at)[2]
    magic, version, _, _, *found = META.unpack_from(begin, at + PAGE.size)
    if not flags & FLAG or (magic, version) != (MAGIC, VERSION):
        raise DamagedFileError("it is not a data file of LMDB")
    return MetaPage(*found)


def _check_root(meta: MetaPage, file: BinaryIO) -> None:
    """Refuse a tree whose root page does not match its depth."""
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
    """Refuse a data file that lacks a page that is in use.

    Raises
    ------
    DamagedFileError
    OSError

    Notes
    -----
    If the file is long enough, two pages are read. A shorter file may still be complete, as pages
    at its end that were freed in the transaction that allocated them are never written; then all
    pages are read. :func:`fill` avoids that.
    """
    while (meta := newest(path)) and os.stat(path).st_size < (meta.last + 1) * meta.size:
        from lmdb import verify

        try:
            problems = verify.verify(path)  # type: ignore[no-untyped-call]
        except verify.VerifyError as error:
            problems = [str(error)]
        if not problems:
            return
        if newest(path) == meta:
            raise DamagedFileError(f"it is cut off, {problems[0]}")


def fill(path: str, used: int) -> None:
    """Extend an undamaged data file so that LMDB never reads after its end.

    Others may write to it at the same time: the appended bytes never overlap their pages.

    Parameters
    ----------
    path : str
    used : int
        The length of all pages that were ever used, in bytes.
    """
    with open(path, "ab") as file:
        file.write(bytes(max(0, used + MARGIN - os.fstat(file.fileno()).st_size)))
