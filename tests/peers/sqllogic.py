"""Read sqllogictest files of DuckDB and RisingWave: records, loops, and included files."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from tests.peers.records import Record

_SEPARATOR = "----"
#: The values of a loop over a name in angle brackets.
_TYPES = {
    "<integral>": "tinyint smallint integer bigint hugeint utinyint usmallint uinteger ubigint",
    "<signed>": "tinyint smallint integer bigint hugeint",
    "<numeric>": "tinyint smallint integer bigint hugeint utinyint usmallint uinteger ubigint "
    "float double",
    "<alltypes>": "bool interval varchar tinyint smallint integer bigint hugeint utinyint "
    "usmallint uinteger ubigint float double",
}


class UnreadableError(Exception):
    """A test file that requires an extension, a build or a file that is not here."""


def records(
    file: Path, root: Path, values: Mapping[str, str] = MappingProxyType({})
) -> Iterator[Record]:
    """Yield the records of a file, with loops unrolled and other files included.

    Parameters
    ----------
    file : Path
    root : Path
        The folder that paths of included files may be relative to.
    values : dict of str to str
        Values of names in braces, in addition to those of loops.

    Yields
    ------
    Record

    Raises
    ------
    UnreadableError
        When it requires an extension or a build that is not here.
    """
    lines = list(enumerate(file.read_text("utf-8").splitlines(), 1))
    yield from _read(lines, dict(values), file, root)


def _read(
    lines: Sequence[tuple[int, str]], values: dict[str, str], file: Path, root: Path
) -> Iterator[Record]:
    k = 0
    while k < len(lines):
        number, line = lines[k]
        words = line.split()
        head = words[0] if words else ""
        if head in ("loop", "foreach", "concurrentloop", "concurrentforeach"):
            end = _end_of_loop(lines, k)
            for value in _values(words, values):
                inner = values | {words[1]: value}
                yield from _read(lines[k + 1 : end], inner, file, root)
            k = end + 1
        elif head == "require" and words[1] not in ("64bit", "skip_reload", "vector_size"):
            raise UnreadableError(f"needs {' '.join(words[1:])}")
        elif head == "include":
            yield from _included(words[1], file, root, values)
            k += 1
        elif head == "halt":
            return
        elif head in ("statement", "query"):
            end = _end_of_record(lines, k)
            place = f"{file.name}:{number}"
            yield _record(words, [text for _, text in lines[k + 1 : end]], values, place)
            k = end
        else:
            k += 1


def _included(name: str, file: Path, root: Path, values: dict[str, str]) -> Iterator[Record]:
    for path in (file.parent / name, root / name):
        if path.is_file():
            yield from records(path.resolve(), root, values)
            return
    raise UnreadableError(f"needs {name}")


def _end_of_loop(lines: Sequence[tuple[int, str]], begin: int) -> int:
    depth = 0
    for k in range(begin, len(lines)):
        head = (lines[k][1].split() or [""])[0]
        depth += head in ("loop", "foreach", "concurrentloop", "concurrentforeach")
        depth -= head == "endloop"
        if depth == 0:
            return k
    raise UnreadableError("a loop has no end")


def _values(words: Sequence[str], values: dict[str, str]) -> list[str]:
    """Return the values of a loop."""
    listed = [_substituted(word, values) for word in words[2:]]
    if words[0] in ("loop", "concurrentloop"):
        return [str(value) for value in range(int(listed[0]), int(listed[1]))]
    loop_values: list[str] = []
    for word in listed:
        if word.startswith("<") and word not in _TYPES:
            raise UnreadableError(f"goes over {word}")
        loop_values += _TYPES[word].split() if word in _TYPES else [word.strip("'\"")]
    return loop_values


def _end_of_record(lines: Sequence[tuple[int, str]], begin: int) -> int:
    k = begin + 1
    while k < len(lines) and lines[k][1].strip():
        k += 1
    return k


def _substituted(text: str, values: dict[str, str]) -> str:
    """Return a text with the names in braces replaced by their values."""
    for name, value in values.items():
        text = text.replace("${" + name + "}", value).replace("{" + name + "}", value)
    return text


def _record(
    words: Sequence[str], body: Sequence[str], values: dict[str, str], place: str
) -> Record:
    separator = next((k for k, line in enumerate(body) if line.strip() == _SEPARATOR), len(body))
    text = _substituted("\n".join(body[:separator]), values).strip().rstrip(";")
    expected = tuple(_substituted(line, values) for line in body[separator + 1 :])
    if words[0] == "query":
        sort = next((word for word in words[2:] if word in ("rowsort", "valuesort")), "")
        return Record(place, "query", text, expected, sort)
    return Record(place, "error" if words[1] == "error" else "statement", text)


def is_hash(expected: Sequence[str]) -> bool:
    """Return whether a file has only the hash of an answer."""
    return len(expected) == 1 and re.match(r"\d+ values hashing to ", expected[0]) is not None
