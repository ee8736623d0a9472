"""SQL text parsed by sqlglot: one query, or one error sentence that marks the position."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from sqlglot import Token, TokenType, exp
from sqlglot.errors import ParseError, SqlglotError, TokenError
from sqlglot.expressions.core import POSITION_META_KEYS

from workbench.arguments import check_known, check_text
from workbench.dialects.functions import DIALECTS, LIKE_POSTGRES, POSTGRES
from workbench.dialects.times.intervals import spell_units
from workbench.errors import WorkbenchError
from workbench.queries.reading.clickhouse import expand_short_forms
from workbench.queries.reading.column_names import name_nested_columns
from workbench.queries.reading.duckdb import replace_other_forms
from workbench.queries.reading.elements import restore_subscripts
from workbench.queries.reading.first_rows import expand_first_rows
from workbench.queries.reading.postgres import expand_postgres
from workbench.queries.reading.precedence import parenthesize_operands
from workbench.queries.reading.quantified import rewrite_quantified
from workbench.queries.reading.readers import tokens_of, trees_of
from workbench.queries.reading.risingwave import expand_time_windows
from workbench.queries.reading.rows import rewrite_rows
from workbench.queries.reading.spark import restore_aggregates
from workbench.queries.reading.unavailable import check_available, check_no_pivot
from workbench.queries.reading.values import select_lateral_values, select_of_values

#: Dialects in which names that differ in case are different.
CASE_SENSITIVE = ("clickhouse",)
#: How queries and views begin; other statements are not parsed.
_FIRST_WORDS = ("SELECT", "WITH", "FROM", "VALUES", "CREATE")
#: What changes the forms that only one dialect has.
_OWN_FORMS = {
    "clickhouse": expand_short_forms, "duckdb": replace_other_forms, "spark": restore_aggregates,
}  # fmt: skip


def parse_query(query: str, dialect: str) -> exp.Query:
    """Return a query as a new tree, which the caller may change.

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
        When the dialect is not known, or the text is not one query in it.

    Examples
    --------
    >>> parse_query("SELECT 1, FROM (t", "duckdb")
    Traceback (most recent call last):
    workbench.errors.WorkbenchError: query: line 1, column 17: expecting ):
    SELECT 1, FROM (t
                    ^
    """
    check_known(dialect, DIALECTS, "dialect")
    if not isinstance(query, str) or not query.strip():
        raise WorkbenchError(f"query: {query!r} is not SQL; give the text of a query.")
    check_text(query, "query")
    return _parse(query, dialect)[0].copy()


def emit_of(query: str, dialect: str) -> str | None:
    """Return when a stream emits rows, as the query states it; None if it does not.

    Examples
    --------
    >>> query = "SELECT lag(x) OVER (ORDER BY t) FROM s"
    >>> view = f"CREATE MATERIALIZED VIEW v AS {query}"
    >>> emit_of(f"{view} EMIT ON WINDOW CLOSE;", "risingwave"), emit_of(view, "risingwave")
    ('on window close', 'on update')
    """
    return _parse(query, dialect)[1]


@lru_cache(maxsize=64)
def _parse(query: str, dialect: str) -> tuple[exp.Query, str | None]:
    try:
        tokens, emit = _tokenize(query, dialect)
        # A comment after the last semicolon is one more, empty statement.
        statements = trees_of(tokens, query, dialect)
        queries = [
            one for one in statements if one is not None and not isinstance(one, exp.Semicolon)
        ]
    except ParseError as error:
        raise WorkbenchError(f"query: {_error_with_position(query, error)}") from None
    except TokenError as error:
        raise WorkbenchError(
            f"query: this is not valid SQL of {dialect}: {_first_line(error)}."
        ) from None
    except SqlglotError as error:
        raise WorkbenchError(f"query: {_first_line(error)}.") from None
    except RecursionError:
        raise WorkbenchError(
            "query: it is nested too deeply to be read; name parts by WITH."
        ) from None
    if len(queries) != 1:
        raise WorkbenchError(f"query: there are {len(queries)} statements; give one at a time.")
    tree = queries[0]
    if _is_view(tree, dialect):
        tree, emit = tree.expression, emit or "on update"
    if isinstance(tree, exp.Values):
        tree = select_of_values(tree)
    if not isinstance(tree, exp.Query):
        raise _no_query(str(tree.this) if isinstance(tree, exp.Command) else tree.key.upper())
    _drop_positions(tree)
    return _expand(tree, dialect), emit


def _tokenize(query: str, dialect: str) -> tuple[list[Token], str | None]:
    """Return the tokens of a query, and when a stream emits rows."""
    tokens = tokens_of(query, dialect)
    words = (one.text.upper() for one in tokens if one.token_type != TokenType.L_PAREN)
    first = next(words, "nothing")
    if dialect == "duckdb":
        check_no_pivot(first)
    if first not in _FIRST_WORDS:
        raise _no_query(first)
    return _strip_emit(tokens) if dialect == "risingwave" else (tokens, None)


def _no_query(word: str) -> WorkbenchError:
    explained = " wb.explain_sql explains a query." if word == "EXPLAIN" else ""
    return WorkbenchError(
        f"query: a query begins with SELECT, WITH, FROM or VALUES, not with {word}.{explained}"
    )


def _expand(tree: exp.Query, dialect: str) -> exp.Query:
    """Return a query with each short form written in full; the tree is changed."""
    for one in list(tree.find_all(exp.SetOperation)):
        _align_by_name(one)
    for cte in tree.find_all(exp.CTE):
        cte.set("materialized", None)  # Spark decides that
    rewrite_quantified(tree, dialect)
    rewrite_rows(tree, dialect)
    parenthesize_operands(tree, dialect)
    if dialect in LIKE_POSTGRES:
        spell_units(tree)
    if dialect in _OWN_FORMS:
        _OWN_FORMS[dialect](tree)
    if dialect in LIKE_POSTGRES:
        select_lateral_values(tree, dialect)
    if dialect in POSTGRES:
        expand_postgres(tree)
    if dialect == "risingwave":
        expand_time_windows(tree)
    restore_subscripts(tree, dialect)
    check_available(tree, dialect)
    for query in list(tree.find_all(exp.Query)):
        expand_first_rows(query, dialect)
    if dialect in POSTGRES:
        name_nested_columns(tree, dialect)
    return tree


def _align_by_name(union: exp.SetOperation) -> None:
    """Order the columns of both sides of UNION BY NAME alike."""
    if not union.args.get("by_name"):
        return
    sides = [one for one in (union.this, union.expression) if isinstance(one, exp.Select)]
    if len(sides) < 2 or any(one.is_star for one in sides):
        raise WorkbenchError(
            "query: BY NAME needs the names of the columns of both sides; write them out."
        )
    columns_by_name = [
        {one.alias_or_name.lower(): one for one in side.expressions} for side in sides
    ]
    names = {one.alias_or_name.lower(): one.alias_or_name for side in sides[::-1]
             for one in side.expressions}  # fmt: skip
    order = [
        *columns_by_name[0],
        *(name for name in columns_by_name[1] if name not in columns_by_name[0]),
    ]
    for side, by_name in zip(sides, columns_by_name, strict=True):
        columns = [by_name.get(name) or exp.alias_(exp.null(), names[name]) for name in order]
        side.set("expressions", columns)
    union.set("by_name", None)


def _drop_positions(tree: exp.Expr) -> None:
    """Drop the text position of each node, which nothing reads and each copy would copy."""
    for node in tree.walk():
        meta = node._meta
        if meta is not None:
            remaining = {key: value for key, value in meta.items() if key not in POSITION_META_KEYS}
            node._meta = remaining or None


#: The clause after a query of RisingWave that sqlglot does not parse.
_EMIT = ["EMIT", "ON", "WINDOW", "CLOSE"]


def _strip_emit(tokens: list[Token]) -> tuple[list[Token], str | None]:
    """Return the tokens without EMIT ON WINDOW CLOSE at the end, and when a stream emits rows."""
    end = len(tokens)
    while end and tokens[end - 1].token_type == TokenType.SEMICOLON:
        end -= 1
    emit_start = end - len(_EMIT)
    if [one.text.upper() for one in tokens[max(emit_start, 0) : end]] != _EMIT:
        return tokens, None
    return tokens[:emit_start], "on window close"


def _is_view(tree: exp.Expr, dialect: str) -> bool:
    """Return whether a statement is a materialized view of RisingWave."""
    is_view = isinstance(tree, exp.Create) and tree.args["kind"] == "VIEW"
    return dialect == "risingwave" and is_view and tree.find(exp.MaterializedProperty) is not None


#: sqlglot's message for a function with a class of its own that lacks an argument.
_MISSING_ARGUMENT = re.compile(r"required keyword: '\w+' missing for <class '[\w.]*\.(\w+)'>")


def _error_with_position(query: str, error: ParseError) -> str:
    """Return the position of an error, what it is, and the line with a mark below it."""
    details = error.errors[0] if error.errors else {}
    line, last_column = details.get("line"), details.get("col")
    message = str(details.get("description") or error).strip().rstrip(".")
    message = message[:1].lower() + message[1:]
    missing = _MISSING_ARGUMENT.search(message)
    if missing and not issubclass(kind := getattr(exp, missing[1]), exp.Func):
        message = "something is missing here"
    elif missing:
        name = kind.sql_name().lower()
        message = f"{name} lacks an argument"
        if re.search(rf"\b{name}\s*\(\s*DISTINCT\b", query, re.IGNORECASE):
            message = (
                f"{name} takes no DISTINCT here, as it has two columns; apply it to a subquery "
                "with SELECT DISTINCT"
            )
    lines = query.splitlines()
    if line is None or last_column is None or not 0 < line <= len(lines):
        return f"{message}."
    text = lines[line - 1]
    # sqlglot gives the position of the last letter of the word.
    column = max(1, min(last_column, len(text)) - len(details.get("highlight") or " ") + 1)
    return f"line {line}, column {column}: {message}:\n{text}\n{' ' * (column - 1)}^"


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0].rstrip(".")


def walk_own(tree: exp.Expr) -> Iterator[exp.Expr]:
    """Walk the nodes of a query or a part of it, without the queries nested in it.

    Examples
    --------
    >>> tree = parse_query("SELECT a FROM (SELECT b FROM t) WHERE c IN (SELECT d FROM u)", "duckdb")
    >>> [node.name for node in walk_own(tree) if isinstance(node, exp.Column)]
    ['a', 'c']
    """
    for node in tree.walk(prune=lambda one: one is not tree and isinstance(one, exp.Query)):
        if node is tree or not isinstance(node, exp.Query):
            yield node


def sources_of(select: exp.Select) -> list[exp.Expr]:
    """Return the sources of a query with FROM, from left to right.

    Examples
    --------
    >>> select = parse_query("SELECT 1 FROM a JOIN b USING (k), c AS d", "duckdb")
    >>> [one.sql() for one in sources_of(select)]
    ['a', 'b', 'c AS d']
    """
    return [select.args["from_"].this, *(one.this for one in select.args.get("joins") or ())]


#: The clauses of a SELECT that say of which tables its rows are.
TABLE_CLAUSES = ("from_", "joins", "laterals")


def select_of_same_rows(select: exp.Select, clauses: Sequence[str] = TABLE_CLAUSES) -> exp.Select:
    """Return a SELECT with copies of the clauses of another one that make its rows, no columns yet.

    Examples
    --------
    >>> select = parse_query("SELECT a FROM t JOIN u USING (k) WHERE b", "duckdb")
    >>> print(select_of_same_rows(select).select("c").sql("duckdb"))
    SELECT c FROM t JOIN u USING (k)
    """
    rows = exp.Select()
    for clause in clauses:
        value = select.args.get(clause)
        if isinstance(value, list):
            rows.set(clause, [one.copy() for one in value])
        elif value is not None:
            rows.set(clause, value.copy())
    return rows


def computed_aliases(select: exp.Select) -> dict[str, exp.Expr]:
    """Return the expressions by lower-case alias, except columns that keep their name.

    Examples
    --------
    >>> select = parse_query("SELECT a, a AS A, b AS c, a + 1 AS D FROM t", "duckdb")
    >>> {name: value.sql() for name, value in computed_aliases(select).items()}
    {'c': 'b', 'd': 'a + 1'}
    """
    return {
        one.alias.lower(): one.this
        for one in select.expressions
        if isinstance(one, exp.Alias)
        and not (isinstance(one.this, exp.Column) and one.this.name.lower() == one.alias.lower())
    }


def nested_queries(tree: exp.Expr) -> list[exp.Expr]:
    """Return the outermost queries that are nested in a query, or in a part of one."""
    walk = tree.walk(prune=lambda one: one is not tree and isinstance(one, exp.Query))
    return [one for one in walk if one is not tree and isinstance(one, exp.Query)]
