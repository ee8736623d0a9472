"""How a time is written as text: the formats of dialects as those of Spark."""

import re

from workbench.dialects.functions import POSTGRES
from workbench.errors import WorkbenchError

#: What stands for a part of a time, by what Spark writes it by.
_PARTS = {
    "Y": "yyyy", "y": "yy", "m": "MM", "-m": "M", "d": "dd", "-d": "d", "j": "DDD", "-j": "D",
    "H": "HH", "-H": "H", "I": "hh", "-I": "h", "M": "mm", "-M": "m", "S": "ss", "-S": "s",
    "f": "SSSSSS", "g": "SSS", "p": "a", "a": "EEE", "A": "EEEE", "b": "MMM", "B": "MMMM",
}  # fmt: skip
#: What ClickHouse alone writes so.
_OF_CLICKHOUSE = {
    "i": "%M", "M": "%B", "h": "%I", "s": "%S", "W": "%A", "c": "%m",
    "F": "%Y-%m-%d", "T": "%H:%M:%S", "R": "%H:%M", "D": "%m/%d/%y",
}  # fmt: skip
#: What DuckDB writes by several of them.
_OF_DUCKDB = {"x": "%Y-%m-%d", "X": "%H:%M:%S", "c": "%Y-%m-%d %H:%M:%S"}
#: What Postgres writes without a per cent, and who reads it for us leaves as it is.
_OF_POSTGRES = {"HH": "%I", "AM": "%p", "PM": "%p", "Mon(?!th)": "%b", "MS": "%g"}
_DIRECTIVE = re.compile(r"%(-?.)")


def by_directives(given: str) -> str:
    """Return a format of Postgres's with a directive for each part that has a name there.

    Examples
    --------
    >>> by_directives("%d Mon %Y")
    '%d %b %Y'
    """
    for letters, directive in _OF_POSTGRES.items():
        given = re.sub(letters, directive, given)
    return given


def spark_format(given: str, dialect: str) -> str:
    """Return a format of times as Spark's ``date_format`` takes it.

    Parameters
    ----------
    given : str
        By directives such as ``%Y``.
    dialect : str

    Raises
    ------
    WorkbenchError
        When it has a part that Spark does not write so.

    Examples
    --------
    >>> spark_format("week of %Y-%m-%d", "duckdb"), spark_format("%H:%i", "clickhouse")
    ("'week of 'yyyy-MM-dd", 'HH:mm')
    """
    letters = dialect in POSTGRES
    if dialect == "clickhouse":
        given = _DIRECTIVE.sub(lambda one: _OF_CLICKHOUSE.get(one[1], one[0]), given)
    elif dialect == "duckdb":
        given = _DIRECTIVE.sub(lambda one: _OF_DUCKDB.get(one[1], one[0]), given)
    elif letters:
        given = by_directives(given)
    pieces = _DIRECTIVE.split(given)
    unknown = [f"%{one}" for one in pieces[1::2] if one not in (*_PARTS, "%")]
    if letters:
        # Letters that are no directive by now are parts that have no such name.
        unknown += re.findall("[A-Za-z]+", "".join(pieces[::2]))
    if unknown:
        raise WorkbenchError(
            f"query: {unknown[0]} in a format of times has no counterpart in Spark; write years, "
            "months, days, hours, minutes and seconds by their numbers, or put the text together."
        )
    return "".join(
        ("%" if one == "%" else _PARTS[one]) if k % 2 else _quoted(one)
        for k, one in enumerate(pieces)
    )


def _quoted(text: str) -> str:
    """Text as it stands, of whose letters Spark takes no part of a time."""
    doubled = text.replace("'", "''")
    return f"'{doubled}'" if re.search("[A-Za-z\\[\\]{}#']", text) else doubled
