"""Folders that belong to this user alone: what is found in them may be trusted and run.

On a machine that several people use, whoever can put a file into a cache chooses what those run who
read it: compiled kernels are unpickled, and other things in a cache are started.
"""

import os
import stat
import tempfile
from pathlib import Path


def is_private(folder: Path) -> bool:
    """Say whether nobody but this user and root can put a file there, or another folder in place.

    Parameters
    ----------
    folder : Path
        One that exists.

    Returns
    -------
    bool
        Whether the folder and all that it lies in belong to this user or to root, and nobody else
        can write to them. Above the folder, the sticky bit is enough, as ``/tmp`` has it: others
        may add to such a folder, but not change what is not theirs.

    Examples
    --------
    >>> is_private(Path(tempfile.mkdtemp())), is_private(Path(tempfile.gettempdir()))
    (True, False)
    """
    # Elsewhere each user's folders are private unless they are shared on purpose.
    if os.name != "posix":
        return True
    real = folder.resolve()
    for place in (real, *real.parents):
        status = place.stat()
        written_by_others = status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
        kept_apart = place != real and status.st_mode & stat.S_ISVTX
        if status.st_uid not in (0, os.getuid()) or (written_by_others and not kept_apart):
            return False
    return True


def private_folder(wanted: Path) -> Path:
    """Return a folder that this user alone can write to, for what is kept between runs.

    Parameters
    ----------
    wanted : Path
        It is made with all above it that is missing, each for this user alone.

    Returns
    -------
    Path
        The wanted folder; where it cannot be written to, or others can, one of the same name among
        the temporary files that is this user's own, and where that is not, a new one.
    """
    user = f"window-workbench-{os.getuid()}" if os.name == "posix" else "window-workbench"
    for folder in (wanted, Path(tempfile.gettempdir(), user, wanted.name)):
        if (real := _made(folder)) is not None:
            return real
    return Path(tempfile.mkdtemp(prefix="window-workbench-"))


def cache_home() -> Path:
    """Return where this user's caches are, of this project and of others."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache").absolute()


def _made(folder: Path) -> Path | None:
    """The folder without any link in its path, None where it is of no use."""
    try:
        for place in (*reversed(folder.parents), folder):
            if not place.exists():
                place.mkdir(mode=0o700, exist_ok=True)
        if not is_private(folder):
            return None
        real = folder.resolve()
        tempfile.TemporaryFile(dir=real).close()
    except OSError:
        return None
    return real
