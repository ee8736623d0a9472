"""Where compiled kernels are kept on disk, and when they count as stale.

Numba's own cache looks only at the file of the compiled function. A kernel that calls another
holds a copy of its machine code, so here one stamp covers the source of every kernel: an edit
anywhere compiles all of them again, and a stale mix cannot happen. The stamp is made of contents
and not of paths or dates, so a package that reaches an executor as a zip finds what an earlier one
compiled.
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

#: The archive that this package was imported from; None where it is a folder.
ARCHIVE: str | None = getattr(__spec__.loader, "archive", None)
SETTING = "CACHE_LOCATOR_CLASSES"
_locating = RLock()
#: Ours first; Numba's own behind it serve the kernels that a reader writes in a notebook.
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
    """Return the digest of every source file of this package, and of the compiler's version.

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
    """Return the content of every Python file in a folder and in those inside it.

    Parameters
    ----------
    folder : importlib.resources.abc.Traversable
        Also one within a zip.

    Returns
    -------
    iterator of bytes
        In the order of names.
    """
    for one in sorted(folder.iterdir(), key=lambda one: one.name):
        if one.is_dir():
            yield from sources(one)
        elif one.name.endswith(".py"):
            yield one.read_bytes()


@cache
def cache_folder() -> Path:
    """Return a folder that this user, and nobody else, can write to, for compiled kernels.

    ``NUMBA_CACHE_DIR`` when it is set, else the user's cache folder; where others can write there,
    or this user cannot, a private temporary one: what is read from it runs.

    Returns
    -------
    Path
        A folder that exists.
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
        """Return a locator when the function belongs to this package, else None."""
        module = function.__module__ or ""
        if module.partition(".")[0] != "kernels":
            return None
        return cls(module, function.__code__.co_firstlineno)

    def ensure_cache_path(self) -> None:
        """Make the folder."""
        Path(self.get_cache_path()).mkdir(mode=0o700, parents=True, exist_ok=True)

    def get_cache_path(self) -> str:
        """Return the folder of this version of the sources."""
        return str(cache_folder() / source_stamp())

    def get_source_stamp(self) -> str:
        """Return what must be equal for a compiled function to be fresh."""
        return source_stamp()

    def get_disambiguator(self) -> str:
        """Return what tells two functions of one name apart."""
        return f"{self._name}-{self._line}"


@contextmanager
def located() -> Iterator[None]:
    """Let functions compiled inside this context be cached by :class:`KernelLocator`."""
    # Numba has one setting for all threads.
    with _locating:
        before = getattr(config, SETTING)
        setattr(config, SETTING, LOCATORS)
        try:
            yield
        finally:
            setattr(config, SETTING, before)
