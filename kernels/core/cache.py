"""Where compiled kernels are cached on disk, and when they are stale.

Numba's own cache checks only the file of the compiled function. A kernel that calls another
contains a copy of its machine code, so here one stamp covers the source of every kernel: an edit
anywhere compiles all of them again, and stale code cannot be mixed in. The stamp depends on
contents and not on paths or dates, so a package that reaches an executor as a zip finds what an
earlier one compiled.
"""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from threading import RLock
from typing import Any

import numba
from numba import config

from kernels.core.private_folder import cache_home, private_folder

#: The archive that this package was imported from; None if it was imported from a folder.
ARCHIVE: str | None = getattr(__spec__.loader, "archive", None)
SETTING = "CACHE_LOCATOR_CLASSES"
_locating = RLock()
#: The one for this package first; Numba's own serve the kernels that a reader writes in a notebook.
LOCATORS = ",".join(
    [
        "kernels.core.cache.KernelLocator",
        "UserProvidedCacheLocator",
        "InTreeCacheLocator",
        "IPythonCacheLocator",
    ]
)


@cache
def source_stamp() -> str:
    """Return a digest of all source files of this package and of the compiler's version.

    Returns
    -------
    str
        Sixteen hexadecimal digits.

    Examples
    --------
    >>> len(source_stamp())
    16
    """
    digest = hashlib.sha256(numba.__version__.encode())
    for content in sources(files("kernels")):
        digest.update(content)
    return digest.hexdigest()[:16]


def sources(folder: Traversable) -> Iterator[bytes]:
    """Return the content of every Python file in a folder and its subfolders.

    Parameters
    ----------
    folder : importlib.resources.abc.Traversable
        It may be within a zip.

    Returns
    -------
    iterator of bytes
        In the order of names.
    """
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            yield from sources(entry)
        elif entry.name.endswith(".py"):
            yield entry.read_bytes()


@cache
def cache_folder() -> Path:
    """Return the folder for compiled kernels, which only this user can write to.

    It is ``NUMBA_CACHE_DIR`` when that is set, else the user's cache folder. If others can write
    there, or this user cannot, it is a private temporary one, because its content is executed.

    Returns
    -------
    Path
        An existing folder.
    """
    configured = getattr(config, "CACHE_DIR", "")
    chosen = Path(configured) if configured else cache_home() / "window-workbench" / "kernels"
    return private_folder(chosen)


class KernelLocator:
    """Numba's cache locator for the functions of this package, whether in a folder or in a zip."""

    def __init__(self, name: str, line: int) -> None:
        self._name, self._line = name, line

    @classmethod
    def from_function(cls, function: Callable[..., Any], file: str) -> "KernelLocator | None":
        """Return a locator if the function belongs to this package, else None."""
        module = function.__module__ or ""
        if module.partition(".")[0] != "kernels":
            return None
        return cls(module, function.__code__.co_firstlineno)

    def ensure_cache_path(self) -> None:
        """Create the folder."""
        Path(self.get_cache_path()).mkdir(mode=0o700, parents=True, exist_ok=True)

    def get_cache_path(self) -> str:
        """Return the folder of this version of the sources."""
        return str(cache_folder() / source_stamp())

    def get_source_stamp(self) -> str:
        """Return the stamp with which a compiled function must have been saved to be loaded."""
        return source_stamp()

    def get_disambiguator(self) -> str:
        """Return a text that distinguishes functions of the same name."""
        return f"{self._name}-{self._line}"


@contextmanager
def located() -> Iterator[None]:
    """Cache functions that are compiled inside this context by :class:`KernelLocator`."""
    # Numba has one setting for all threads.
    with _locating:
        previous = getattr(config, SETTING)
        setattr(config, SETTING, LOCATORS)
        try:
            yield
        finally:
            setattr(config, SETTING, previous)
