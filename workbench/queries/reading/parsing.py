"""SQL text read by sqlglot: one question, or one sentence that marks the place."""

import re
from collections.abc import Iterator
from functools import lru_cache

from sqlglot import Token, TokenType, exp
from sqlglot.errors import ParseError, SqlglotError, TokenError
from sqlglot.expressions.core import POSITION_META_KEYS

from workbench.arguments import check_known, check_text
from workbench.dialects.functions import DIALECTS
from workbench.errors import WorkbenchError
from workbench.queries.reading.clickhouse import in_full
from workbench.queries.reading.elements import with_places_as_said
from workbench.queries.reading.first_rows import with_first_rows
from workbench.queries.reading.readers import tokens_of, trees_of
from workbench.queries.reading.risingwave import with_time_windows
from workbench.queries.reading.unavailable import check_available, check_no_pivot

#: Of these, names that differ in case are different.
EXACT = ("clickhouse",)


def parsed(query: str, dialect: str) -> exp.Query:
    """Return a question as a tree of its own, that may be changed.

    Parameters
    ----------
    query : str
    dialect : str
        One of :data:`workbench.dialects.functions.DIALECTS`.

    Returns
    -------
    sqlglot.exp.Query

    Raises
    ------
    WorkbenchError
        When the dialect is not known, or the text is not one question in it.

    Examples
    --------
    >>> parsed("SELECT 1, FROM (t", "duckdb")
    Traceback (most recent call last):
    workbench.errors.WorkbenchError: query: line 1, column 17: expecting ):
    SELECT 1, FROM (t
                    ^
    """
    check_known(dialect, DIALECTS, "dialect")
    if not isinstance(query, str) or not query.strip():
        raise WorkbenchError(f"query: {query!r} is no SQL; give the text of a query.")
    check_text(query, "query")
    return _read(query, dialect)[0].copy()


def emit_of(query: str, dialect: str) -> str | None:
    """Return when the rows of a stream go on, as a question says it; None where it does not.

    Examples
    --------
    >>> asked = "SELECT lag(x) OVER (ORDER BY t) FROM s"
    >>> view = f"CREATE MATERIALIZED VIEW v AS {asked}"
    >>> emit_of(f"{view} EMIT ON WINDOW CLOSE;", "risingwave"), emit_of(view, "risingwave")
    ('on window close', 'on update')
    """
    return _read(query, dialect)[1]


@lru_cache(maxsize=64)
def _read(query: str, dialect: str) -> tuple[exp.Query, str | None]:
    try:
        tokens, emit = _words(query, dialect)
        # A comment behind the last semicolon is one more, of nothing.
        read = trees_of(tokens, query, dialect)
        found = [one for one in read if one is not None and not isinstance(one, exp.Semicolon)]
    except ParseError as error:
        raise WorkbenchError(f"query: {_placed(query, error)}") from None
    except TokenError as error:
        raise WorkbenchError(f"query: this is no SQL of {dialect}: {_first(error)}.") from None
    except SqlglotError as error:
        raise WorkbenchError(f"query: {_first(error)}.") from None
    except RecursionError:
        raise WorkbenchError(
            "query: it is nested too deep to be read; name parts by WITH."
        ) from None
    if len(found) != 1:
        raise WorkbenchError(f"query: this is {len(found)} statements; give one at a time.")
    tree = found[0]
    if _is_view(tree, dialect):
        tree, emit = tree.expression, emit or "on update"
    if isinstance(tree, exp.Values):
        tree = exp.select("*").from_(tree)
    if not isinstance(tree, exp.Query):
        word = str(tree.this) if isinstance(tree, exp.Command) else tree.key.upper()
        raise WorkbenchError(
            f"query: {word} asks for no rows; give a query that begins with "
            "SELECT, WITH, FROM or VALUES."
        )
    _forget_places(tree)
    return _written_out(tree, dialect), emit


def _words(query: str, dialect: str) -> tuple[list[Token], str | None]:
    """The words of a question, and when the rows of a stream go on."""
    tokens = tokens_of(query, dialect)
    if dialect == "duckdb" and tokens:
        check_no_pivot(tokens[0].text.upper())
    return _without_emit(tokens) if dialect == "risingwave" else (tokens, None)


def _written_out(tree: exp.Query, dialect: str) -> exp.Query:
    """Return a query in which what has a short form is in full; it is changed."""
    for one in list(tree.find_all(exp.SetOperation)):
        _by_place(one)
    if dialect == "clickhouse":
        in_full(tree)
    if dialect == "risingwave":
        with_time_windows(tree)
    with_places_as_said(tree, dialect)
    check_available(tree, dialect)
    for query in list(tree.find_all(exp.Query)):
        with_first_rows(query, dialect)
    return tree


def _by_place(union: exp.SetOperation) -> None:
    """Put columns that belong together by their names into the same places."""
    if not union.args.get("by_name"):
        return
    sides = [one for one in (union.this, union.expression) if isinstance(one, exp.Select)]
    if len(sides) < 2 or any(one.is_star for one in sides):
        raise WorkbenchError(
            "query: BY NAME needs the columns of both sides by their names; write them out."
        )
    given = [{one.alias_or_name.lower(): one for one in side.expressions} for side in sides]
    names = {one.alias_or_name.lower(): one.alias_or_name for side in sides[::-1]
             for one in side.expressions}  # fmt: skip
    places = [*given[0], *(name for name in given[1] if name not in given[0])]
    for side, own in zip(sides, given, strict=True):
        columns = [own.get(name) or exp.alias_(exp.null(), names[name]) for name in places]
        side.set("expressions", columns)
    union.set("by_name", None)


def _forget_places(tree: exp.Expr) -> None:
    """Forget where each word stands, which is copied with each part else, and asked no more."""
    for node in tree.walk():
        meta = node._meta
        if meta is not None:
            kept = {key: value for key, value in meta.items() if key not in POSITION_META_KEYS}
            node._meta = kept or None


#: What stands behind a query of RisingWave, and sqlglot does not read.
_EMIT = ["EMIT", "ON", "WINDOW", "CLOSE"]


def _without_emit(tokens: list[Token]) -> tuple[list[Token], str | None]:
    """The words of a question without its last ones; and what they say."""
    end = len(tokens)
    while end and tokens[end - 1].token_type == TokenType.SEMICOLON:
        end -= 1
    begin = end - len(_EMIT)
    if [one.text.upper() for one in tokens[max(begin, 0) : end]] != _EMIT:
        return tokens, None
    return tokens[:begin], "on window close"


def _is_view(tree: exp.Expr, dialect: str) -> bool:
    """Whether a statement is RisingWave's for a question whose answer is kept."""
    is_view = isinstance(tree, exp.Create) and tree.args["kind"] == "VIEW"
    return dialect == "risingwave" and is_view and tree.find(exp.MaterializedProperty) is not None


#: What sqlglot says of a function that it has a class for, and that is given too little.
_LACKS = re.compile(r"required keyword: '\w+' missing for <class '[\w.]*\.(\w+)'>")


def _placed(query: str, error: ParseError) -> str:
    """Where an error is, what it is, and the line with a mark below it."""
    found = error.errors[0] if error.errors else {}
    line, end = found.get("line"), found.get("col")
    what = str(found.get("description") or error).strip().rstrip(".")
    what = what[:1].lower() + what[1:]
    lacks = _LACKS.search(what)
    if lacks and not issubclass(kind := getattr(exp, lacks[1]), exp.Func):
        what = "something is missing here"
    elif lacks:
        name = kind.sql_name().lower()
        what = f"{name} lacks an argument"
        if re.search(rf"\b{name}\s*\(\s*DISTINCT\b", query, re.IGNORECASE):
            what = f"{name} has no DISTINCT here, as it is of two columns; take it of a query of "
            what += "SELECT DISTINCT"
    lines = query.splitlines()
    if line is None or end is None or not 0 < line <= len(lines):
        return f"{what}."
    text = lines[line - 1]
    # What sqlglot counts is the last letter of the word.
    column = max(1, min(end, len(text)) - len(found.get("highlight") or " ") + 1)
    return f"line {line}, column {column}: {what}:\n{text}\n{' ' * (column - 1)}^"


def _first(error: Exception) -> str:
    return str(error).strip().splitlines()[0].rstrip(".")


def own(tree: exp.Expr) -> Iterator[exp.Expr]:
    """Walk what belongs to a query or a part of it, without the queries that are nested in it.

    Examples
    --------
    >>> tree = parsed("SELECT a FROM (SELECT b FROM t) WHERE c IN (SELECT d FROM u)", "duckdb")
    >>> [node.name for node in own(tree) if isinstance(node, exp.Column)]
    ['a', 'c']
    """
    for node in tree.walk(prune=lambda one: one is not tree and isinstance(one, exp.Query)):
        if node is tree or not isinstance(node, exp.Query):
            yield node


def sources_of(select: exp.Select) -> list[exp.Expr]:
    """Return what a query with FROM is of, from left to right.

    Examples
    --------
    >>> select = parsed("SELECT 1 FROM a JOIN b USING (k), c AS d", "duckdb")
    >>> [one.sql() for one in sources_of(select)]
    ['a', 'b', 'c AS d']
    """
    return [select.args["from_"].this, *(one.this for one in select.args.get("joins") or ())]


def computed_answers(select: exp.Select) -> dict[str, exp.Expr]:
    """Return the answers of a query whose names are not those of the columns that they are.

    Examples
    --------
    >>> select = parsed("SELECT a, a AS A, b AS c, a + 1 AS D FROM t", "duckdb")
    >>> {name: answer.sql() for name, answer in computed_answers(select).items()}
    {'c': 'b', 'd': 'a + 1'}
    """
    return {
        one.alias.lower(): one.this
        for one in select.expressions
        if isinstance(one, exp.Alias)
        and not (isinstance(one.this, exp.Column) and one.this.name.lower() == one.alias.lower())
    }


def nested(tree: exp.Expr) -> list[exp.Expr]:
    """Return the outermost queries that are nested in a query, or in a part of one."""
    walk = tree.walk(prune=lambda one: one is not tree and isinstance(one, exp.Query))
    return [one for one in walk if one is not tree and isinstance(one, exp.Query)]
