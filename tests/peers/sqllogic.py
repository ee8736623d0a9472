"""sqllogictest, as DuckDB and RisingWave write it: records, loops, and files within files."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from tests.peers.records import Record

_BEHIND = "----"
#: What a loop over a name in angle brackets goes over.
_TYPES = {
    "<integral>": "tinyint smallint integer bigint hugeint utinyint usmallint uinteger ubigint",
    "<signed>": "tinyint smallint integer bigint hugeint",
    "<numeric>": "tinyint smallint integer bigint hugeint utinyint usmallint uinteger ubigint "
    "float double",
    "<alltypes>": "bool interval varchar tinyint smallint integer bigint hugeint utinyint "
    "usmallint uinteger ubigint float double",
}


class UnreadableError(Exception):
    """A test file that asks for what is not here."""


def records(
    file: Path, root: Path, values: Mapping[str, str] = MappingProxyType({})
) -> Iterator[Record]:
    """Read a file record by record, with its loops unrolled and its files put in.

    Parameters
    ----------
    file : Path
    root : Path
        Below which a file is named that is put in.
    values : dict of str to str
        What stands for names in braces, beside those of loops.

    Yields
    ------
    Record

    Raises
    ------
    UnreadableError
        When it asks for an extension or a build that is not here.
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
    for found in (file.parent / name, root / name):
        if found.is_file():
            yield from records(found.resolve(), root, values)
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
    """What a loop goes over."""
    given = [_put(word, values) for word in words[2:]]
    if words[0] in ("loop", "concurrentloop"):
        return [str(value) for value in range(int(given[0]), int(given[1]))]
    found: list[str] = []
    for word in given:
        if word.startswith("<") and word not in _TYPES:
            raise UnreadableError(f"goes over {word}")
        found += _TYPES[word].split() if word in _TYPES else [word.strip("'\"")]
    return found


def _end_of_record(lines: Sequence[tuple[int, str]], begin: int) -> int:
    k = begin + 1
    while k < len(lines) and lines[k][1].strip():
        k += 1
    return k


def _put(text: str, values: dict[str, str]) -> str:
    """Text with the values of loops in the places of their names."""
    for name, value in values.items():
        text = text.replace("${" + name + "}", value).replace("{" + name + "}", value)
    return text


def _record(
    words: Sequence[str], body: Sequence[str], values: dict[str, str], place: str
) -> Record:
    behind = next((k for k, line in enumerate(body) if line.strip() == _BEHIND), len(body))
    text = _put("\n".join(body[:behind]), values).strip().rstrip(";")
    expected = tuple(_put(line, values) for line in body[behind + 1 :])
    if words[0] == "query":
        sort = next((word for word in words[2:] if word in ("rowsort", "valuesort")), "")
        return Record(place, "query", text, expected, sort)
    return Record(place, "error" if words[1] == "error" else "statement", text)


def hash_of(expected: Sequence[str]) -> bool:
    """Whether a file has only the hash of an answer, or the answer of another question."""
    return len(expected) == 1 and re.match(r"\d+ values hashing to ", expected[0]) is not None
