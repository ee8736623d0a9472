"""The dialects as they are read here: SESSION frames, which sqlglot does not know, and no argument
that it leaves out."""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Any

from sqlglot import Token, TokenType, exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.dialects.risingwave import RisingWave
from sqlglot.parser import Parser
from sqlglot.parsers.risingwave import RisingWaveParser

#: What stands on both sides of a column among the arguments of a function, or in a part of one.
_BETWEEN = {
    *(TokenType.COMMA, TokenType.DOT, TokenType.PLUS, TokenType.DASH, TokenType.STAR),
    *(TokenType.SLASH, TokenType.MOD, TokenType.DPIPE, TokenType.AND, TokenType.OR),
    *(TokenType.EQ, TokenType.NEQ, TokenType.LT, TokenType.LTE, TokenType.GT, TokenType.GTE),
}
_BEFORE = {*_BETWEEN, TokenType.L_PAREN, TokenType.NOT}
_BEHIND = {*_BETWEEN, TokenType.R_PAREN, TokenType.DCOLON, TokenType.IS, TokenType.IN}
_COLUMN = {TokenType.VAR, TokenType.IDENTIFIER}


@cache
def reader_of(dialect: str) -> type[Dialect]:
    """Return a dialect that reads each argument of a function, or says that it does not.

    Parameters
    ----------
    dialect : str
        One of :data:`workbench.dialects.functions.DIALECTS`.

    Returns
    -------
    type of sqlglot.Dialect

    Examples
    --------
    >>> import sqlglot
    >>> spark = "SELECT percentile(x, 0.5, weight) FROM t"
    >>> sqlglot.transpile(spark, read="spark", write="spark")
    ['SELECT PERCENTILE(x, 0.5) FROM t']
    >>> sqlglot.parse(spark, read=reader_of("spark"))
    Traceback (most recent call last):
    sqlglot.errors.ParseError: percentile does not take weight here; leave it out...
    """
    base = (
        _RisingWaveWithSessions
        if dialect == "risingwave"
        else Dialect.get_or_raise(dialect).__class__
    )
    parser = type("WholeParser", (_WholeCalls, base.parser_class), {})
    return type(f"{base.__name__}Read", (base,), {"Parser": parser})


class _WholeCalls(Parser):
    """Says which column among the arguments of a function is in no part of what was read."""

    def _parse_function_call(self, *how: Any, **more: Any) -> exp.Expr | None:
        begin = self._index
        found: exp.Expr | None = super()._parse_function_call(*how, **more)
        if found is not None:
            self._check_columns(found, self._tokens[begin : self._index])
        return found

    def _check_columns(self, found: exp.Expr, tokens: Sequence[Token]) -> None:
        read = Counter(one.name.lower() for one in found.find_all(exp.Identifier))
        # Parts of a time, which it writes in full.
        units = sum(1 for _ in found.find_all(exp.Var))
        for before, one, behind in zip(tokens, tokens[1:], tokens[2:], strict=False):
            around = before.token_type in _BEFORE and behind.token_type in _BEHIND
            if not around or one.token_type not in _COLUMN:
                continue
            if read[one.text.lower()]:
                read[one.text.lower()] -= 1
            elif units:
                units -= 1
            else:
                self.raise_error(
                    f"{tokens[0].text} does not take {one.text} here; leave it out", one
                )


class _SessionParser(RisingWaveParser):
    """Reads ``SESSION WITH GAP ...`` behind the order of a window."""

    _session: exp.WindowSpec | None = None

    def _parse_partition_and_order(self) -> tuple[list[exp.Expr], exp.Expr | None]:
        found: tuple[list[exp.Expr], exp.Expr | None] = super()._parse_partition_and_order()
        self._session = None
        if self._match_text_seq("SESSION", "WITH", "GAP"):
            gap = self._parse_bitwise()
            if gap is None:
                self.raise_error("Expected a gap, such as INTERVAL '30 minutes'")
            excluded = self._match_text_seq("EXCLUDE")
            options = self.WINDOW_EXCLUDE_OPTIONS
            exclude = self._parse_var_from_options(options) if excluded else None
            self._session = exp.WindowSpec(kind="SESSION", start=gap, exclude=exclude)
        return found

    def _parse_window(self, this: Any, alias: bool = False) -> exp.Expr | None:
        found: exp.Expr | None = super()._parse_window(this, alias)
        if self._session is not None and isinstance(found, exp.Window):
            found.set("spec", self._session)
            self._session = None
        return found


class _RisingWaveWithSessions(RisingWave):
    """The dialect as RisingWave reads it."""

    Parser = _SessionParser
