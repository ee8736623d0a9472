"""Formats of times of other systems as those of Spark."""

import re

from sqlglot import exp

from workbench.dialects.functions import POSTGRES
from workbench.dialects.templates import anonymous, fill_template
from workbench.errors import WorkbenchError

#: Spark's letters for each directive; a hyphen leaves out zeros before a number.
LETTERS = {
    "Y": "yyyy", "y": "yy", "m": "MM", "-m": "M", "d": "dd", "-d": "d", "j": "DDD", "-j": "D",
    "H": "HH", "-H": "H", "I": "hh", "-I": "h", "M": "mm", "-M": "m", "S": "ss", "-S": "s",
    "f": "SSSSSS", "g": "SSS", "p": "a", "a": "EEE", "A": "EEEE", "b": "MMM", "B": "MMMM",
}  # fmt: skip
#: Spark's SQL of parts of a time that its formats have not: years and weeks of ISO 8601, and days.
_COMPUTED = {
    "G": "CAST(EXTRACT(YEAROFWEEK FROM :time) AS STRING)",
    "V": "LPAD(CAST(EXTRACT(WEEK FROM :time) AS STRING), 2, '0')",
    "u": "CAST(EXTRACT(DOW_ISO FROM :time) AS STRING)",
    "w": "CAST(EXTRACT(DOW FROM :time) - 1 AS STRING)",
    "D": "CAST(EXTRACT(DOW FROM :time) AS STRING)",
    "Q": "CAST(EXTRACT(QUARTER FROM :time) AS STRING)",
}
#: Those of them that a dialect has.
_COMPUTED_IN = {"clickhouse": "GVuwQ", "duckdb": "GVuw", **dict.fromkeys(POSTGRES, "DGVuQ")}
#: Directives with their own meaning in ClickHouse.
_CLICKHOUSE = {
    "i": "%M", "M": "%B", "h": "%I", "s": "%S", "W": "%A", "c": "%m",
    "F": "%Y-%m-%d", "T": "%H:%M:%S", "R": "%H:%M", "D": "%m/%d/%y",
}  # fmt: skip
#: Directives of DuckDB that stand for several.
_DUCKDB = {"x": "%Y-%m-%d", "X": "%H:%M:%S", "c": "%Y-%m-%d %H:%M:%S"}
#: Parts of a format of Postgres that sqlglot does not convert to directives.
_POSTGRES = {
    "(?i:HH24)": "%H", "(?i:HH12|HH)": "%I", "%S%S": "SSSS", "AM": "%p", "PM": "%p",
    "Mon(?!th)": "%b", "MS": "%g", "(?<!%)Q": "%Q",
    # sqlglot takes letters of FMMonth, FMDay, Dy, D and ID for parts of their own.
    "F%month": "%B", "FM%uay": "%A", "%uy": "%a", "(?<!I)%u(?!ay|Y)": "%D", "I%u": "%u",
}  # fmt: skip
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


def time_as_text(time: exp.Expr, time_format: str, dialect: str) -> exp.Expr:
    """Return a time as text in a format.

    Parameters
    ----------
    time : sqlglot.exp.Expr
    time_format : str
        With directives such as ``%Y``.
    dialect : str

    Raises
    ------
    WorkbenchError
        When it has a part that Spark can neither format nor compute.

    Examples
    --------
    >>> print(time_as_text(exp.column("d"), "week of %Y-%m-%d", "duckdb").sql("spark"))
    DATE_FORMAT(d, '\\'week of \\'yyyy-MM-dd')
    >>> print(time_as_text(exp.column("d"), "%H:%i, quarter %Q", "clickhouse").sql("spark"))
    CONCAT(DATE_FORMAT(d, 'HH:mm\\', quarter \\''), CAST(EXTRACT(QUARTER FROM d) AS STRING))
    """
    pieces = _pieces(time_format, dialect)
    texts: list[exp.Expr] = []
    letters = ""
    for k, piece in enumerate(pieces):
        if k % 2 and piece in _COMPUTED:
            texts += [_format_call(time, letters)] if letters else []
            texts.append(fill_template(_COMPUTED[piece], time=time))
            letters = ""
        else:
            letters += ("%" if piece == "%" else LETTERS[piece]) if k % 2 else quoted_letters(piece)
    if letters or not texts:
        texts.append(_format_call(time, letters))
    return texts[0] if len(texts) == 1 else anonymous("CONCAT", *texts)


def _format_call(time: exp.Expr, letters: str) -> exp.Expr:
    return anonymous("DATE_FORMAT", time.copy(), exp.Literal.string(letters))


def _pieces(time_format: str, dialect: str) -> list[str]:
    """Return the texts of a format, with a directive behind each but the last."""
    has_letters = dialect in POSTGRES
    if dialect == "clickhouse":
        time_format = _DIRECTIVE.sub(lambda one: _CLICKHOUSE.get(one[1], one[0]), time_format)
    elif dialect == "duckdb":
        time_format = _DIRECTIVE.sub(lambda one: _DUCKDB.get(one[1], one[0]), time_format)
    elif has_letters:
        time_format = postgres_directives(time_format)
    pieces = _DIRECTIVE.split(time_format)
    known = (*LETTERS, *_COMPUTED_IN.get(dialect, ""), "%")
    # %g of ClickHouse is a year.
    unknown = [
        f"%{one}" for one in pieces[1::2]
        if one not in known or (one == "g" and dialect == "clickhouse")
    ]  # fmt: skip
    if has_letters:
        # Letters that are neither a directive by now nor in quotes are parts without one.
        unquoted = [re.sub('"[^"]*"', "", one) for one in pieces[::2]]
        unknown += re.findall('[A-Za-z"]+', "".join(unquoted))
        pieces[::2] = [one.replace('"', "") for one in pieces[::2]]
    if unknown:
        raise WorkbenchError(
            f"query: {unknown[0]} in a format of times has no counterpart in Spark; write years, "
            "months, days, hours, minutes and seconds as numbers, or build the text from parts."
        )
    return pieces


def quoted_letters(text: str) -> str:
    """Return literal text, in quotes if it has letters, which Spark would take for parts."""
    doubled = text.replace("'", "''")
    return f"'{doubled}'" if re.search("[A-Za-z\\[\\]{}#']", text) else doubled
