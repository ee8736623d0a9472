"""Folders that only this user can write to, so that their content may be trusted and run.

On a machine that several people use, whoever can put a file into a cache chooses what its readers
run: compiled kernels are unpickled, and other cached files are executed.
"""

import os
import stat
import tempfile
from pathlib import Path


def is_private(folder: Path) -> bool:
    """Return whether only this user and root can add files to a folder or replace the folder.

    Parameters
    ----------
    folder : Path
        A folder that exists.

    Returns
    -------
    bool
        Whether the folder and all folders above it belong to this user or to root, and nobody else
        can write to them. Above the folder, the sticky bit is enough, as on ``/tmp``: others may
        add to such a folder, but not change files of other users.

    Examples
    --------
    >>> is_private(Path(tempfile.mkdtemp())), is_private(Path(tempfile.gettempdir()))
    (True, False)
    """
    # On Windows, each user's folders are private unless they are shared on purpose.
    if os.name != "posix":
        return True
    real = folder.resolve()
    for directory in (real, *real.parents):
        status = directory.stat()
        others_can_write = status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
        sticky = directory != real and status.st_mode & stat.S_ISVTX
        if status.st_uid not in (0, os.getuid()) or (others_can_write and not sticky):
            return False
    return True


def private_folder(preferred: Path) -> Path:
    """Return a folder that only this user can write to, for files that are kept between runs.

    Parameters
    ----------
    preferred : Path
        Created with its missing parents, each for this user only.

    Returns
    -------
    Path
        The preferred folder. If this user cannot write to it, or others can, this user's folder of
        the same name among the temporary files; if that is not private either, a new temporary one.
    """
    user = f"window-workbench-{os.getuid()}" if os.name == "posix" else "window-workbench"
    for folder in (preferred, Path(tempfile.gettempdir(), user, preferred.name)):
        if (real := _make(folder)) is not None:
            return real
    return Path(tempfile.mkdtemp(prefix="window-workbench-"))


def cache_home() -> Path:
    """Return the folder of this user's caches, of all programs."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache").absolute()


def _make(folder: Path) -> Path | None:
    """Create the folder and return its path without links, or None if it is not private."""
    try:
        for directory in (*reversed(folder.parents), folder):
            if not directory.exists():
                directory.mkdir(mode=0o700, exist_ok=True)
        if not is_private(folder):
            return None
        real = folder.resolve()
        tempfile.TemporaryFile(dir=real).close()
    except OSError:
        return None
    return real
