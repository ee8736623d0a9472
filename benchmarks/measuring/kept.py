"""What a benchmark generates once, and keeps for the next run."""

from collections.abc import Callable
from pathlib import Path

#: The file that says that all others are there, as Spark writes it, too.
COMPLETE = "_SUCCESS"


def kept(path: Path, write: Callable[[Path], object]) -> Path:
    """Return a folder, filled unless it has been; one that broke off is filled anew.

    Parameters
    ----------
    path : Path
    write : function
        Takes the folder.
    """
    if not (path / COMPLETE).exists():
        path.mkdir(parents=True, exist_ok=True)
        write(path)
        (path / COMPLETE).touch()
    return path
