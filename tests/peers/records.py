"""What the files of another system's tests hold: statements, and questions with their answers."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Record:
    """A statement or a question of a test file.

    Attributes
    ----------
    place : str
        The file and its line.
    kind : str
        "statement", "query", or "error" for what must fail.
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
    """The test files below a folder, or below those of its folders that such tests are in.

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
        Slow ones last; a file that is reached by two ways is there once.
    """
    found = {
        path.resolve()
        for path in checkout.rglob("*")
        if path.is_file()
        and path.name.endswith(tuple(endings))
        and any(word in path.as_posix().lower() for word in words)
    }
    return sorted(found, key=lambda path: (path.name.endswith("_slow"), path))
