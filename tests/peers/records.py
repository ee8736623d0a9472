"""The records in another system's test files: statements, and queries with their answers."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Record:
    """A statement or a query of a test file.

    Attributes
    ----------
    place : str
        The file and its line.
    kind : str
        "statement", "query", or "error" for one that must fail.
    text : str
    expected : tuple of str
        Lines of the answer, as the file prints them.
    sort : str
        "rowsort" or "valuesort" where the file orders answers itself.
    """

    place: str
    kind: str
    text: str
    expected: tuple[str, ...] = ()
    sort: str = ""


def files_of(checkout: Path, endings: Sequence[str], words: Sequence[str]) -> list[Path]:
    """Return the test files in a checkout, or in a folder of one.

    Parameters
    ----------
    checkout : Path
    endings : sequence of str
        How their names end.
    words : sequence of str
        One of them is in the path of each file.

    Returns
    -------
    list of Path
        Slow ones last; a file with two paths is there once.
    """
    files = {
        path.resolve()
        for path in checkout.rglob("*")
        if path.is_file()
        and path.name.endswith(tuple(endings))
        and any(word in path.as_posix().lower() for word in words)
    }
    return sorted(files, key=lambda path: (path.name.endswith("_slow"), path))
