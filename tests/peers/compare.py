"""Compare the answers of two systems as text."""

import re
from collections.abc import Sequence

Row = tuple[str, ...]

_NUMBER = re.compile(r"(?<![\w.])[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?(?![\w.])")
#: The offset after a time, in a session with a zone.
_UTC = re.compile(r"(\d\d:\d\d(:\d\d(\.\d+)?)?)\+00(:00)?(?!\d)")


def plain(text: str | None) -> str:
    """Return a value's text in the form that is compared: equal numbers have equal text.

    Examples
    --------
    >>> plain("[1.50, NULL, -0]"), plain("true"), plain(None)
    ('[1.5, NULL, 0]', '1', 'NULL')
    """
    if text is None:
        return "NULL"
    if text in ("true", "false", "t", "f"):
        return "1" if text in ("true", "t") else "0"
    text = _UTC.sub(r"\1", "" if text == "(empty)" else text.strip())
    return _NUMBER.sub(lambda match: _short(match[0]), text)


def _short(number: str) -> str:
    if re.fullmatch(r"[+-]?\d{1,40}", number):
        return str(int(number))
    value = float(f"{float(number):.6g}")
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def rows_of(lines: Sequence[str], width: int) -> list[Row]:
    """Return the rows that a file prints: a row on each line, or a value on each line."""
    if any("\t" in line for line in lines) or (width > 1 and _spaced(lines, width)):
        parts = [line.split("\t") if "\t" in line else re.split(r"\s{2,}|\t", line.strip())
                 for line in lines]  # fmt: skip
        return [tuple(plain(one) for one in part) for part in parts]
    values = [plain(line) for line in lines]
    return [tuple(values[k : k + width]) for k in range(0, len(values), width)]


def _spaced(lines: Sequence[str], width: int) -> bool:
    return all(len(re.split(r"\s{2,}", line.strip())) == width for line in lines)


def differing(answer: list[Row], expected: list[Row], ordered: bool, by_value: bool) -> str:
    """Return where two answers differ; "" where they do not."""
    if by_value:
        answer = [(one,) for row in answer for one in row]
        expected = [(one,) for row in expected for one in row]
    if not ordered:
        answer, expected = sorted(answer), sorted(expected)
    if len(answer) != len(expected):
        return f"the answer differs: {len(answer)} rows, and {len(expected)} there"
    for k, (ours, theirs) in enumerate(zip(answer, expected, strict=True)):
        if not _same(ours, theirs):
            return f"the answer differs\nrow {k} is {ours}, and there {theirs}"
    return ""


def _same(ours: Row, theirs: Row) -> bool:
    return len(ours) == len(theirs) and all(map(_close, ours, theirs))


def _close(ours: str, theirs: str) -> bool:
    if ours == theirs:
        return True
    try:
        a, b = float(ours), float(theirs)
    except ValueError:
        return False
    return abs(a - b) <= 1e-5 * max(abs(a), abs(b)) + 1e-8
