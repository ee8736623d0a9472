"""Formats of times of other systems as those of Spark."""

import re

from workbench.dialects.functions import POSTGRES
from workbench.errors import WorkbenchError

#: Spark's letters for each directive.
_PARTS = {
    "Y": "yyyy", "y": "yy", "m": "MM", "-m": "M", "d": "dd", "-d": "d", "j": "DDD", "-j": "D",
    "H": "HH", "-H": "H", "I": "hh", "-I": "h", "M": "mm", "-M": "m", "S": "ss", "-S": "s",
    "f": "SSSSSS", "g": "SSS", "p": "a", "a": "EEE", "A": "EEEE", "b": "MMM", "B": "MMMM",
}  # fmt: skip
#: Directives with their own meaning in ClickHouse.
_CLICKHOUSE = {
    "i": "%M", "M": "%B", "h": "%I", "s": "%S", "W": "%A", "c": "%m",
    "F": "%Y-%m-%d", "T": "%H:%M:%S", "R": "%H:%M", "D": "%m/%d/%y",
}  # fmt: skip
#: Directives of DuckDB that stand for several.
_DUCKDB = {"x": "%Y-%m-%d", "X": "%H:%M:%S", "c": "%Y-%m-%d %H:%M:%S"}
#: Parts of a format of Postgres that sqlglot does not convert to directives.
_POSTGRES = {"HH": "%I", "AM": "%p", "PM": "%p", "Mon(?!th)": "%b", "MS": "%g"}
_DIRECTIVE = re.compile(r"%(-?.)")


def postgres_directives(time_format: str) -> str:
    """Return a format of Postgres with a directive for each named part.

    Examples
    --------
    >>> postgres_directives("%d Mon %Y")
    '%d %b %Y'
    """
    for letters, directive in _POSTGRES.items():
        time_format = re.sub(letters, directive, time_format)
    return time_format


def spark_format(time_format: str, dialect: str) -> str:
    """Return a format of times as Spark's ``date_format`` takes it.

    Parameters
    ----------
    time_format : str
        A format with directives such as ``%Y``.
    dialect : str

    Raises
    ------
    WorkbenchError
        When it has a part that Spark cannot format.

    Examples
    --------
    >>> spark_format("week of %Y-%m-%d", "duckdb"), spark_format("%H:%i", "clickhouse")
    ("'week of 'yyyy-MM-dd", 'HH:mm')
    """
    has_letters = dialect in POSTGRES
    if dialect == "clickhouse":
        time_format = _DIRECTIVE.sub(lambda one: _CLICKHOUSE.get(one[1], one[0]), time_format)
    elif dialect == "duckdb":
        time_format = _DIRECTIVE.sub(lambda one: _DUCKDB.get(one[1], one[0]), time_format)
    elif has_letters:
        time_format = postgres_directives(time_format)
    pieces = _DIRECTIVE.split(time_format)
    unknown = [f"%{one}" for one in pieces[1::2] if one not in (*_PARTS, "%")]
    if has_letters:
        # Letters that are no directive by now are parts without one.
        unknown += re.findall("[A-Za-z]+", "".join(pieces[::2]))
    if unknown:
        raise WorkbenchError(
            f"query: {unknown[0]} in a format of times has no counterpart in Spark; write years, "
            "months, days, hours, minutes and seconds as numbers, or build the text from parts."
        )
    return "".join(
        ("%" if one == "%" else _PARTS[one]) if k % 2 else _quoted(one)
        for k, one in enumerate(pieces)
    )


def _quoted(text: str) -> str:
    """Return literal text, in quotes if it has letters, which Spark would take for parts."""
    doubled = text.replace("'", "''")
    return f"'{doubled}'" if re.search("[A-Za-z\\[\\]{}#']", text) else doubled
