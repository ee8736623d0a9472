"""Text as trees, by sqlglot: with SESSION frames, which it does not know, and no argument that it
leaves out.

It is asked by its public calls, and nothing of it is derived: its compiled build, which another
package may have brought along (``sqlglotc``), makes nothing of classes derived from its own.
"""

import re
from collections.abc import Iterator, Sequence

from sqlglot import ParseError, Token, TokenType, exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.parser import Parser

from workbench.dialects.functions import LIKE_POSTGRES

#: What stands on both sides of a column among the arguments of a function, or in a part of one.
_BETWEEN = {
    *(TokenType.COMMA, TokenType.DOT, TokenType.PLUS, TokenType.DASH, TokenType.STAR),
    *(TokenType.SLASH, TokenType.MOD, TokenType.DPIPE, TokenType.AND, TokenType.OR),
    *(TokenType.EQ, TokenType.NEQ, TokenType.LT, TokenType.LTE, TokenType.GT, TokenType.GTE),
}
_BEFORE = {*_BETWEEN, TokenType.L_PAREN, TokenType.NOT}
_BEHIND = {*_BETWEEN, TokenType.R_PAREN, TokenType.DCOLON, TokenType.IS, TokenType.IN}
_COLUMN = {TokenType.VAR, TokenType.IDENTIFIER}
#: How a SESSION frame begins, and a name that no query gives to a function unless it quotes it.
_SESSION, _GAP_OF = ["SESSION", "WITH", "GAP"], "session with gap"

#: A number and a unit of an interval, and the time at its end.
_PART = re.compile(r"(?<![\d.])[+-]?\d+(?:\.\d+)?\s*[A-Za-z]+")
_HAS_UNIT = re.compile(r"\d\s*[A-Za-z]")
_CLOCK = re.compile(r"(?<!\S)([+-]?)(\d+):(\d+)(?::(\d+(?:\.\d+)?))?\s*$")


def tokens_of(text: str, dialect: str) -> list[Token]:
    """Return the words of a text.

    Parameters
    ----------
    text : str
    dialect : str
        One of :data:`workbench.dialects.functions.DIALECTS`.

    Returns
    -------
    list of sqlglot.Token

    Examples
    --------
    >>> [one.text for one in tokens_of("SELECT a+1", "duckdb")]
    ['SELECT', 'a', '+', '1']
    """
    return Dialect.get_or_raise(dialect).tokenize(text)


def trees_of(tokens: list[Token], text: str, dialect: str) -> list[exp.Expr | None]:
    """Return the statements that words make, in which each argument of a function is found.

    Parameters
    ----------
    tokens : list of sqlglot.Token
    text : str
        Whose words they are.
    dialect : str
        One of :data:`workbench.dialects.functions.DIALECTS`.

    Returns
    -------
    list of sqlglot.exp.Expr or None
        None for a statement of nothing.

    Raises
    ------
    sqlglot.ParseError

    Examples
    --------
    >>> import sqlglot
    >>> text = "SELECT percentile(x, 0.5, weight) FROM t"
    >>> sqlglot.transpile(text, read="spark", write="spark")
    ['SELECT PERCENTILE(x, 0.5) FROM t']
    >>> trees_of(tokens_of(text, "spark"), text, "spark")
    Traceback (most recent call last):
    sqlglot.errors.ParseError: percentile does not take weight here; leave it out
    """
    sessions = dialect == "risingwave"
    words = _with_sessions_as_ranges(tokens) if sessions else tokens
    if dialect == "clickhouse":
        words = _with_limits_apart(_with_rand_apart(words))
    if dialect in LIKE_POSTGRES:
        words = _with_times_apart(words)
    words = _with_whole_intervals(words)
    trees = Dialect.get_or_raise(dialect).parser().parse(words, text)
    _check_arguments(trees, tokens)
    if sessions:
        _mark_sessions(trees)
    return trees


def _with_whole_intervals(tokens: list[Token]) -> list[Token]:
    """The words, in which an interval's time is hours, minutes and seconds by their names.

    Of a text with one number and one unit sqlglot keeps these, whatever stands around them, and
    Spark makes null of a text that it cannot cast.
    """
    found = list(tokens)
    for place, one in enumerate(tokens):
        if one.token_type == TokenType.STRING and _is_interval(tokens, place):
            is_cast = not place or tokens[place - 1].token_type != TokenType.INTERVAL
            found[place] = _at(one, (one.token_type, _whole_interval(one, is_cast)))[0]
    return found


def _is_interval(tokens: Sequence[Token], place: int) -> bool:
    """Whether a text is all of an interval: not one as ``INTERVAL '03:04' MINUTE TO SECOND``."""
    around = [one.text.upper() for one in tokens[max(place - 1, 0) : place + 3]]
    before, behind = around[0] if place else "", around[2 if place else 1 :]
    return (before == "INTERVAL" and behind[1:] != ["TO"]) or behind == ["::", "INTERVAL"]


def _whole_interval(one: Token, is_cast: bool) -> str:
    text = one.text
    if (clock := _CLOCK.search(text)) is not None:
        sign, *parts = clock.groups()
        units = zip(parts, ("hours", "minutes", "seconds"), strict=True)
        named = " ".join(f"{sign}{part} {unit}" for part, unit in units if part)
        text = f"{text[: clock.start()]}{named}"
    if (is_cast or _HAS_UNIT.search(text)) and _PART.sub("", text).strip():
        raise _error(
            "an interval is numbers with their units here, and a time at its end, as "
            "'1 day 03:04:05'",
            _at(one, (one.token_type, f"'{one.text}'"))[0],
        )
    return text


def _with_rand_apart(tokens: list[Token]) -> list[Token]:
    """The words, in which ``rand()`` has its other name: sqlglot takes it for randCanonical."""
    return [
        _at(one, (one.token_type, "rand32"))[0]
        if one.text.lower() == "rand" and behind is not None
        and behind.token_type == TokenType.L_PAREN else one
        for one, behind in zip(tokens, [*tokens[1:], None], strict=True)
    ]  # fmt: skip


def _with_limits_apart(tokens: list[Token]) -> list[Token]:
    """The words, in which LIMIT behind LIMIT BY is of a query around the one of LIMIT BY."""
    # Where each open query begins, and which of these words it has had.
    begins, had = [0], [set[str]()]
    for place, one in enumerate(tokens):
        if one.token_type == TokenType.L_PAREN:
            begins.append(place + 1)
            had.append(set())
        elif one.token_type == TokenType.R_PAREN and len(begins) > 1:
            begins.pop()
            had.pop()
        elif one.token_type == TokenType.LIMIT and had[-1] == {"LIMIT", "BY"}:
            begin = begins[-1]
            around = _at(one, (TokenType.SELECT, "SELECT"), (TokenType.STAR, "*"),
                         (TokenType.FROM, "FROM"), (TokenType.L_PAREN, "("))  # fmt: skip
            closed = _at(one, (TokenType.R_PAREN, ")"))
            found = [*tokens[:begin], *around, *tokens[begin:place], *closed, *tokens[place:]]
            return _with_limits_apart(found)
        elif one.text.upper() in ("LIMIT", "UNION") or (one.text.upper() == "BY" and had[-1]):
            had[-1].add(one.text.upper())
    return tokens


_TIMES = {
    *(TokenType.DATE, TokenType.TIMESTAMP, TokenType.TIMESTAMPTZ, TokenType.TIMESTAMPLTZ),
    *(TokenType.TIMESTAMPNTZ, TokenType.DATETIME),
}


def _with_times_apart(tokens: list[Token]) -> list[Token]:
    """The words, in which ``DATE '2024-01-02'`` is one before what is cast by ``::``."""
    found: list[Token] = []
    for place, one in enumerate(tokens):
        kinds = [word.token_type for word in tokens[place - 1 : place + 2]] if place else []
        if kinds and kinds[0] in _TIMES and kinds[1:] == [TokenType.STRING, TokenType.DCOLON]:
            word = found.pop()
            found += [*_at(word, (TokenType.L_PAREN, "(")), word, one]
            found += _at(one, (TokenType.R_PAREN, ")"))
        else:
            found.append(one)
    return found


def _with_sessions_as_ranges(tokens: list[Token]) -> list[Token]:
    """The words, in which a SESSION frame is a range that begins by a call of its gap."""
    found: list[Token] = []
    place = 0
    while place < len(tokens):
        begin = place + len(_SESSION)
        if [one.text.upper() for one in tokens[place:begin]] != _SESSION:
            found.append(tokens[place])
            place += 1
            continue
        place = begin + sum(1 for _ in _gap(tokens[begin:]))
        if place == begin:
            at = tokens[min(begin, len(tokens) - 1)]
            raise _error("Expected a gap, such as INTERVAL '30 minutes'", at)
        found += _at(tokens[begin - 1], (TokenType.RANGE, "RANGE"), (TokenType.BETWEEN, "BETWEEN"),
                     (TokenType.VAR, _GAP_OF), (TokenType.L_PAREN, "("))  # fmt: skip
        found += tokens[begin:place]
        found += _at(tokens[place - 1], (TokenType.R_PAREN, ")"), (TokenType.VAR, "PRECEDING"),
                     (TokenType.AND, "AND"), (TokenType.VAR, "CURRENT"),
                     (TokenType.ROW, "ROW"))  # fmt: skip
    return found


def _gap(tokens: Sequence[Token]) -> Iterator[Token]:
    """The words up to the end of a window, or to what its frame leaves out."""
    depth = 0
    for one in tokens:
        depth += (one.token_type == TokenType.L_PAREN) - (one.token_type == TokenType.R_PAREN)
        if depth < 0 or (not depth and one.text.upper() == "EXCLUDE"):
            return
        yield one


def _at(place: Token, *words: tuple[TokenType, str]) -> list[Token]:
    """Words that stand, for an error's sake, where another one does."""
    where = place.line, place.col, place.start, place.end
    return [Token(kind, text, *where) for kind, text in words]


def _mark_sessions(trees: Sequence[exp.Expr | None]) -> None:
    """Make SESSION frames of the ranges that stand for them; the trees are changed."""
    for tree in trees:
        for spec in list(tree.find_all(exp.WindowSpec)) if tree else ():
            start = spec.args.get("start")
            if isinstance(start, exp.Anonymous) and start.this == _GAP_OF:
                excluded = spec.args.get("exclude")
                gap = start.expressions[0]
                spec.replace(exp.WindowSpec(kind="SESSION", start=gap, exclude=excluded))


def _check_arguments(trees: Sequence[exp.Expr | None], tokens: Sequence[Token]) -> None:
    """Say which column among the arguments of a function is in no part of what was read."""
    nodes = [node for tree in trees if tree for node in tree.walk()]
    places = {node.meta["start"] for node in nodes if node._meta and "start" in node._meta}
    # Parts of a time, which it writes in full.
    units = {node.name.upper() for node in nodes if isinstance(node, exp.Var)}
    for name, one in _columns_in_calls(tokens):
        word = one.text.upper()
        if one.start not in places and Dialect.DATE_PART_MAPPING.get(word, word) not in units:
            raise _error(f"{name} does not take {one.text} here; leave it out", one)


def _columns_in_calls(tokens: Sequence[Token]) -> Iterator[tuple[str, Token]]:
    """The words that are columns among the arguments of functions, each with its function."""
    open_calls: list[str | None] = []
    last: str | None = None
    for before, one, behind in zip(tokens, tokens[1:], tokens[2:], strict=False):
        last_closed, last = last, None
        if one.token_type == TokenType.L_PAREN:
            is_call = before.token_type in Parser.FUNC_TOKENS
            # A second list of arguments, as ClickHouse has them behind parameters, or what is
            # within parentheses within a call.
            within = last_closed or (open_calls[-1] if open_calls else None)
            open_calls.append(before.text if is_call else within)
        elif one.token_type == TokenType.R_PAREN and open_calls:
            last = open_calls.pop()
        elif open_calls and open_calls[-1] and _is_column(before, one, behind):
            yield open_calls[-1], one


def _is_column(before: Token, one: Token, behind: Token) -> bool:
    around = before.token_type in _BEFORE and behind.token_type in _BEHIND
    return around and one.token_type in _COLUMN


def _error(what: str, at: Token) -> ParseError:
    """An error as sqlglot has it, with its place."""
    return ParseError.new(what, what, at.line, at.col, highlight=at.text)
