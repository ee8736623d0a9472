"""Data that a benchmark generates once and keeps for the next run."""

from collections.abc import Callable
from pathlib import Path

#: The file that marks a folder as complete; Spark writes the same one.
COMPLETE = "_SUCCESS"


def cached_folder(path: Path, write: Callable[[Path], object]) -> Path:
    """Return a folder; fill it first unless it is complete.

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
