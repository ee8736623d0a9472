"""Text parsed into trees by sqlglot: with SESSION frames, which it does not know, and with an error
for each argument that it would drop.

Only public calls of sqlglot are used, and no class is derived from its own: its compiled build
(``sqlglotc``), which another package may have installed, ignores derived classes.
"""

import re
from collections.abc import Iterator, Sequence

from sqlglot import ParseError, Token, TokenType, exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.parser import Parser

from workbench.dialects.functions import LIKE_POSTGRES

#: Tokens before or after a column among the arguments of a function, or in a part of one.
_BETWEEN = {
    *(TokenType.COMMA, TokenType.DOT, TokenType.PLUS, TokenType.DASH, TokenType.STAR),
    *(TokenType.SLASH, TokenType.MOD, TokenType.DPIPE, TokenType.AND, TokenType.OR),
    *(TokenType.EQ, TokenType.NEQ, TokenType.LT, TokenType.LTE, TokenType.GT, TokenType.GTE),
}
_BEFORE = {*_BETWEEN, TokenType.L_PAREN, TokenType.NOT}
_AFTER = {*_BETWEEN, TokenType.R_PAREN, TokenType.DCOLON, TokenType.IS, TokenType.IN}
_COLUMN = {TokenType.VAR, TokenType.IDENTIFIER}
#: How a SESSION frame begins, and a function name that no query can have unless it quotes it.
_SESSION, _GAP_CALL = ["SESSION", "WITH", "GAP"], "session with gap"

#: A number and a unit of an interval, and the time at its end.
_PART = re.compile(r"(?<![\d.])[+-]?\d+(?:\.\d+)?\s*[A-Za-z]+")
#: A sign apart from its number, as in '1 month - 1 day'.
_SIGN = re.compile(r"([+-])\s+(?=\d)")
_HAS_UNIT = re.compile(r"\d\s*[A-Za-z]")
_TIME_OF_DAY = re.compile(r"(?<!\S)([+-]?)(\d+):(\d+)(?::(\d+(?:\.\d+)?))?\s*$")


def tokens_of(text: str, dialect: str) -> list[Token]:
    """Return the tokens of a text.

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
    """Return the statements of some tokens, and refuse any with a dropped argument of a function.

    Parameters
    ----------
    tokens : list of sqlglot.Token
    text : str
        The text that the tokens are from.
    dialect : str
        One of :data:`workbench.dialects.functions.DIALECTS`.

    Returns
    -------
    list of sqlglot.exp.Expr or None
        None for an empty statement.

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
    rewritten = _sessions_to_ranges(tokens) if sessions else tokens
    if dialect == "spark":
        # As a function, unlike the clause WINDOW.
        rewritten = _rename_calls("window", "window", rewritten)
    if dialect == "clickhouse":
        rewritten = _nest_limit_by(_rename_calls("rand", "rand32", rewritten))
    if dialect in LIKE_POSTGRES:
        rewritten = _parenthesize_times(rewritten)
    rewritten = _normalize_intervals(rewritten)
    trees = Dialect.get_or_raise(dialect).parser().parse(rewritten, text)
    _check_arguments(trees, tokens)
    if sessions:
        _mark_sessions(trees)
    return trees


def _normalize_intervals(tokens: list[Token]) -> list[Token]:
    """Return the tokens with the time of an interval written as hours, minutes and seconds.

    Of a text with one number and one unit sqlglot keeps these two and ignores the rest, and Spark
    returns null for a text that it cannot cast.
    """
    normalized = list(tokens)
    for index, one in enumerate(tokens):
        if one.token_type == TokenType.STRING and _is_interval(tokens, index):
            is_cast = not index or tokens[index - 1].token_type != TokenType.INTERVAL
            normalized[index] = _tokens_at(one, (one.token_type, _interval_text(one, is_cast)))[0]
    return normalized


def _is_interval(tokens: Sequence[Token], index: int) -> bool:
    """Return whether a text is a whole interval, unlike ``INTERVAL '03:04' MINUTE TO SECOND``."""
    around = [one.text.upper() for one in tokens[max(index - 1, 0) : index + 3]]
    before, after = around[0] if index else "", around[2 if index else 1 :]
    return (before == "INTERVAL" and after[1:] != ["TO"]) or after == ["::", "INTERVAL"]


def _interval_text(one: Token, is_cast: bool) -> str:
    text = _SIGN.sub(r"\1", one.text)
    if (clock := _TIME_OF_DAY.search(text)) is not None:
        sign, *parts = clock.groups()
        units = zip(parts, ("hours", "minutes", "seconds"), strict=True)
        units_text = " ".join(f"{sign}{part} {unit}" for part, unit in units if part)
        text = f"{text[: clock.start()]}{units_text}"
    if (is_cast or _HAS_UNIT.search(text)) and _PART.sub("", text).strip():
        raise _error(
            "an interval here is numbers with units, and at most a time after them, such as '1 day "
            "03:04:05'",
            _tokens_at(one, (one.token_type, f"'{one.text}'"))[0],
        )
    return text


def _rename_calls(name: str, new_name: str, tokens: list[Token]) -> list[Token]:
    """Return the tokens with calls renamed that sqlglot takes for something else."""
    return [
        _tokens_at(one, (TokenType.VAR, new_name))[0]
        if one.text.lower() == name and following is not None
        and following.token_type == TokenType.L_PAREN else one
        for one, following in zip(tokens, [*tokens[1:], None], strict=True)
    ]  # fmt: skip


def _nest_limit_by(tokens: list[Token]) -> list[Token]:
    """Return the tokens with a LIMIT after LIMIT BY moved to a query around that of LIMIT BY."""
    # Where each open query starts, and which of the words LIMIT, BY and UNION it has had.
    starts, seen_words = [0], [set[str]()]
    for index, one in enumerate(tokens):
        if one.token_type == TokenType.L_PAREN:
            starts.append(index + 1)
            seen_words.append(set())
        elif one.token_type == TokenType.R_PAREN and len(starts) > 1:
            starts.pop()
            seen_words.pop()
        elif one.token_type == TokenType.LIMIT and seen_words[-1] == {"LIMIT", "BY"}:
            start = starts[-1]
            opening = _tokens_at(one, (TokenType.SELECT, "SELECT"), (TokenType.STAR, "*"),
                         (TokenType.FROM, "FROM"), (TokenType.L_PAREN, "("))  # fmt: skip
            closing = _tokens_at(one, (TokenType.R_PAREN, ")"))
            nested = [*tokens[:start], *opening, *tokens[start:index], *closing, *tokens[index:]]
            return _nest_limit_by(nested)
        elif one.text.upper() in ("LIMIT", "UNION") or (
            one.text.upper() == "BY" and seen_words[-1]
        ):
            seen_words[-1].add(one.text.upper())
    return tokens


_TIMES = {
    *(TokenType.DATE, TokenType.TIMESTAMP, TokenType.TIMESTAMPTZ, TokenType.TIMESTAMPLTZ),
    *(TokenType.TIMESTAMPNTZ, TokenType.DATETIME),
}


def _parenthesize_times(tokens: list[Token]) -> list[Token]:
    """Return the tokens with ``DATE '2024-01-02'`` in parentheses where ``::`` casts it."""
    parenthesized: list[Token] = []
    for index, one in enumerate(tokens):
        types = (
            [type_token.token_type for type_token in tokens[index - 1 : index + 2]] if index else []
        )
        if types and types[0] in _TIMES and types[1:] == [TokenType.STRING, TokenType.DCOLON]:
            type_token = parenthesized.pop()
            parenthesized += [*_tokens_at(type_token, (TokenType.L_PAREN, "(")), type_token, one]
            parenthesized += _tokens_at(one, (TokenType.R_PAREN, ")"))
        else:
            parenthesized.append(one)
    return parenthesized


def _sessions_to_ranges(tokens: list[Token]) -> list[Token]:
    """Return the tokens with each SESSION frame as a range that starts with a call of its gap."""
    replaced: list[Token] = []
    index = 0
    while index < len(tokens):
        gap_start = index + len(_SESSION)
        if [one.text.upper() for one in tokens[index:gap_start]] != _SESSION:
            replaced.append(tokens[index])
            index += 1
            continue
        index = gap_start + sum(1 for _ in _gap_tokens(tokens[gap_start:]))
        if index == gap_start:
            token = tokens[min(gap_start, len(tokens) - 1)]
            raise _error("Expected a gap, such as INTERVAL '30 minutes'", token)
        replaced += _tokens_at(
            tokens[gap_start - 1],
            (TokenType.RANGE, "RANGE"), (TokenType.BETWEEN, "BETWEEN"),
            (TokenType.VAR, _GAP_CALL), (TokenType.L_PAREN, "("),
        )  # fmt: skip
        replaced += tokens[gap_start:index]
        replaced += _tokens_at(
            tokens[index - 1],
            (TokenType.R_PAREN, ")"), (TokenType.VAR, "PRECEDING"), (TokenType.AND, "AND"),
            (TokenType.VAR, "CURRENT"), (TokenType.ROW, "ROW"),
        )  # fmt: skip
    return replaced


def _gap_tokens(tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield the tokens up to the end of a window, or to EXCLUDE."""
    depth = 0
    for one in tokens:
        depth += (one.token_type == TokenType.L_PAREN) - (one.token_type == TokenType.R_PAREN)
        if depth < 0 or (not depth and one.text.upper() == "EXCLUDE"):
            return
        yield one


def _tokens_at(token: Token, *words: tuple[TokenType, str]) -> list[Token]:
    """Return new tokens at the position of another one, which errors will show."""
    position = token.line, token.col, token.start, token.end
    return [Token(kind, text, *position) for kind, text in words]


def _mark_sessions(trees: Sequence[exp.Expr | None]) -> None:
    """Turn the ranges that stand for SESSION frames back into these; the trees are changed."""
    for tree in trees:
        for spec in list(tree.find_all(exp.WindowSpec)) if tree else ():
            start = spec.args.get("start")
            if isinstance(start, exp.Anonymous) and start.this == _GAP_CALL:
                excluded = spec.args.get("exclude")
                gap = start.expressions[0]
                spec.replace(exp.WindowSpec(kind="SESSION", start=gap, exclude=excluded))


def _check_arguments(trees: Sequence[exp.Expr | None], tokens: Sequence[Token]) -> None:
    """Refuse a column among the arguments of a function that no parsed node has."""
    nodes = [node for tree in trees if tree for node in tree.walk()]
    parsed_starts = {node.meta["start"] for node in nodes if node._meta and "start" in node._meta}
    # Parts of a time, whose names sqlglot expands.
    units = {node.name.upper() for node in nodes if isinstance(node, exp.Var)}
    for name, one in _columns_in_calls(tokens):
        word = one.text.upper()
        if (
            one.start not in parsed_starts
            and Dialect.DATE_PART_MAPPING.get(word, word) not in units
        ):
            raise _error(f"{name} does not take {one.text} here; leave it out", one)


def _columns_in_calls(tokens: Sequence[Token]) -> Iterator[tuple[str, Token]]:
    """Yield each token that is a column among the arguments of a function, with the function."""
    open_calls: list[str | None] = []
    last: str | None = None
    for before, one, following in zip(tokens, tokens[1:], tokens[2:], strict=False):
        last_closed, last = last, None
        if one.token_type == TokenType.L_PAREN:
            is_call = before.token_type in Parser.FUNC_TOKENS
            # A second list of arguments, as ClickHouse has after parameters, or parentheses
            # within a call.
            enclosing = last_closed or (open_calls[-1] if open_calls else None)
            open_calls.append(before.text if is_call else enclosing)
        elif one.token_type == TokenType.R_PAREN and open_calls:
            last = open_calls.pop()
        elif open_calls and open_calls[-1] and _is_column(before, one, following):
            yield open_calls[-1], one


def _is_column(before: Token, one: Token, following: Token) -> bool:
    around = before.token_type in _BEFORE and following.token_type in _AFTER
    return around and one.token_type in _COLUMN


def _error(message: str, token: Token) -> ParseError:
    """Return an error of sqlglot at the position of a token."""
    return ParseError.new(message, message, token.line, token.col, highlight=token.text)
