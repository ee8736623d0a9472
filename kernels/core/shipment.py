"""Compiled kernels that are sent to executors in the same archive as the packages.

A driver adds the content of its cache to the archive. A worker that imports the packages from the
archive takes a kernel that its own cache lacks from there, if both conditions hold:

- the archive's digest is the one in its name, and Spark sent that name with the task;
- the kernel was compiled from the same sources, by the same versions, for the same processor.

Otherwise the worker compiles the kernel, as it would without an archive.
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

#: The end of the names that Numba gives a function's files.
VERSION = re.compile(r"(\.\d+\.nbc|\.nbi)$")
#: The extension of the one file into which these are packed.
PACKED = ".tar.xz"


def archive_name(digest: str) -> str:
    """Return the name of an archive of the packages, which identifies its content."""
    return f"window_workbench_{digest}.zip"


def digest_of(archive: Path) -> str:
    """Return the digest of an archive's bytes."""
    with archive.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@cache
def compiled_folder() -> str:
    """Return the folder of an archive with the compiled kernels that this process can run.

    Returns
    -------
    str
        Its name depends on the sources, the versions of Python, Numba, llvmlite and NumPy, and the
        processor with its features.

    Examples
    --------
    >>> compiled_folder().count("/")
    1
    """
    python = platform.python_implementation(), platform.python_version(), sys.abiflags
    versions = *python, numba.__version__, llvmlite.__version__, np.__version__
    processor = cpu_target.target_context.codegen().magic_tuple()
    target = hashlib.sha256(repr((versions, processor)).encode())
    return f"compiled/{source_stamp()}-{target.hexdigest()[:16]}"


def compiled_functions() -> Iterator[tuple[str, bytes]]:
    """Return the cached compiled functions of these sources.

    Returns
    -------
    iterator of (str, bytes)
        For each function, its path within an archive, and its index and versions packed into one
        file. They are similar, so this takes a quarter of their size, and half of what packing each
        separately takes.
    """
    functions: dict[Path, list[Path]] = {}
    for file in sorted((cache_folder() / source_stamp()).glob("*.nb[ic]")):
        functions.setdefault(file.with_name(VERSION.sub(PACKED, file.name)), []).append(file)
    with ThreadPoolExecutor() as threads:
        packed = threads.map(_pack, functions, functions.values())
        paths = (f"{compiled_folder()}/{target.name}" for target in functions)
        yield from zip(paths, packed, strict=True)


class Shipment:
    """The compiled kernels in an archive.

    Parameters
    ----------
    archive : Path
        Its name must be :func:`archive_name` of its digest; no other archive is read.
    """

    def __init__(self, archive: Path) -> None:
        self._archive: ZipFile | None = None
        if archive.name == archive_name(digest_of(archive)):
            self._archive = ZipFile(archive)

    def take_over(self, function: str, key: Any, target: IndexDataCacheFile) -> bool:
        """Copy one compiled version of a function into this user's cache.

        Parameters
        ----------
        function : str
            The name of the function's files, as Numba makes it.
        key : tuple
            Numba's key: the types, the processor, and the code.
        target : IndexDataCacheFile

        Returns
        -------
        bool
            Whether the archive has that version.
        """
        name = f"{compiled_folder()}/{function}{PACKED}"
        if self._archive is None or name not in self._archive.NameToInfo:
            return False
        with tempfile.TemporaryDirectory(dir=cache_folder()) as folder:
            _unpack(self._archive.read(name), Path(folder))
            compiled = IndexDataCacheFile(folder, function, source_stamp()).load(key)
        if compiled is not None:
            target.save(key, compiled)
        return compiled is not None


@cache
def shipment() -> Shipment:
    """Return the kernels in the archive that these packages were imported from."""
    assert ARCHIVE is not None
    return Shipment(Path(ARCHIVE))


def _pack(target: Path, files: list[Path]) -> bytes:
    """Return the files packed into one, which is cached next to them: all take three seconds."""
    newest = max(file.stat().st_mtime_ns for file in files)
    if target.exists() and target.stat().st_mtime_ns == newest:
        return target.read_bytes()
    temporary = target.with_name(f"{target.name}.{os.getpid()}")
    with tarfile.open(temporary, mode="w:xz", preset=0) as packed:
        for file in files:
            packed.add(file, file.name)
    os.utime(temporary, ns=(newest, newest))
    return temporary.replace(target).read_bytes()


def _unpack(packed: bytes, folder: Path) -> None:
    with tarfile.open(fileobj=BytesIO(packed), mode="r:xz") as source:
        for file in source:
            content = source.extractfile(file)
            assert content is not None
            (folder / Path(file.name).name).write_bytes(content.read())
