"""Compiled kernels that reach an executor in the same archive as the packages.

A driver adds what its cache holds to the archive. A worker that imports the packages from there
looks for a kernel that its own cache does not hold, and takes it over, where all of this is so:

- the archive has the digest that its name says, and Spark told that name with the task;
- the kernel was compiled from these sources, by these versions, for this processor.

Otherwise the worker compiles it, as it would without an archive.
"""

import hashlib
import os
import platform
import re
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import llvmlite
import numba
import numpy as np
from numba.core.caching import IndexDataCacheFile
from numba.core.registry import cpu_target

from kernels.core.cache import ARCHIVE, cache_folder, source_stamp

#: What Numba puts behind the name of a function's files.
VERSION = re.compile(r"(\.\d+\.nbc|\.nbi)$")
#: What the name of these files packed as one ends with.
PACKED = ".tar.xz"


def archive_name(digest: str) -> str:
    """Return the name of an archive of the packages: who is told the name knows the content."""
    return f"window_workbench_{digest}.zip"


def digest_of(archive: Path) -> str:
    """Return the digest of an archive's bytes."""
    with archive.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@cache
def place() -> str:
    """Return the folder in an archive of the kernels that could run here.

    Returns
    -------
    str
        It names the sources, the versions of all that compiles or is compiled in, and the processor
        with its features.

    Examples
    --------
    >>> place().count("/")
    1
    """
    python = platform.python_implementation(), platform.python_version(), sys.abiflags
    versions = *python, numba.__version__, llvmlite.__version__, np.__version__
    processor = cpu_target.target_context.codegen().magic_tuple()
    target = hashlib.sha256(repr((versions, processor)).encode())
    return f"compiled/{source_stamp()}-{target.hexdigest()[:16]}"


def compiled_functions() -> Iterator[tuple[str, bytes]]:
    """Return what this machine's cache holds of these sources.

    Returns
    -------
    iterator of (str, bytes)
        Of each function the path within an archive, and its index and versions, packed as one: they
        are much alike, so that takes a quarter of their size, and half of what each alone does.
    """
    functions: dict[Path, list[Path]] = {}
    for file in sorted((cache_folder() / source_stamp()).glob("*.nb[ic]")):
        functions.setdefault(file.with_name(VERSION.sub(PACKED, file.name)), []).append(file)
    with ThreadPoolExecutor() as threads:
        packed = threads.map(_packed, functions, functions.values())
        yield from zip((f"{place()}/{one.name}" for one in functions), packed, strict=True)


class Shipment:
    """The compiled kernels in an archive.

    Parameters
    ----------
    archive : Path
        One whose name is :func:`archive_name` of its digest; from any other nothing is taken.
    """

    def __init__(self, archive: Path) -> None:
        self._archive: ZipFile | None = None
        if archive.name == archive_name(digest_of(archive)):
            self._archive = ZipFile(archive)

    def take_over(self, function: str, key: Any, target: IndexDataCacheFile) -> bool:
        """Put one compiled version of a function into a cache of this user's own.

        Parameters
        ----------
        function : str
            As Numba names the files of the function.
        key : tuple
            Numba's: the types, the processor, and the code.
        target : IndexDataCacheFile

        Returns
        -------
        bool
            Whether it is there.
        """
        name = f"{place()}/{function}{PACKED}"
        if self._archive is None or name not in self._archive.NameToInfo:
            return False
        with tempfile.TemporaryDirectory(dir=cache_folder()) as folder:
            _unpack(self._archive.read(name), Path(folder))
            found = IndexDataCacheFile(folder, function, source_stamp()).load(key)
        if found is not None:
            target.save(key, found)
        return found is not None


@cache
def shipment() -> Shipment:
    """Return what came in the archive that these packages were imported from."""
    assert ARCHIVE is not None
    return Shipment(Path(ARCHIVE))


def _packed(target: Path, files: list[Path]) -> bytes:
    """The files packed as one, which is kept beside them: it takes three seconds for all."""
    newest = max(file.stat().st_mtime_ns for file in files)
    if target.exists() and target.stat().st_mtime_ns == newest:
        return target.read_bytes()
    part = target.with_name(f"{target.name}.{os.getpid()}")
    with tarfile.open(part, mode="w:xz", preset=0) as packed:
        for file in files:
            packed.add(file, file.name)
    os.utime(part, ns=(newest, newest))
    return part.replace(target).read_bytes()


def _unpack(packed: bytes, folder: Path) -> None:
    with tarfile.open(fileobj=BytesIO(packed), mode="r:xz") as source:
        for file in source:
            content = source.extractfile(file)
            assert content is not None
            (folder / Path(file.name).name).write_bytes(content.read())
