"""Functions of texts with another meaning than those of Spark."""

import re
from itertools import zip_longest
from string import Formatter
from typing import Any

from sqlglot import exp

from workbench.dialects.functions import POSTGRES
from workbench.dialects.kinds import Kinds, kind_of
from workbench.dialects.templates import anonymous, fill_template
from workbench.dialects.texts.patterns import first_group, regexp_replace, with_flags
from workbench.dialects.texts.written import (
    is_written_alike,
    letter_of_boolean,
    text_of_float,
    text_of_type,
)
from workbench.errors import WorkbenchError

#: Spark's names for types of text, and of null.
_TEXT = ("string", "char", "varchar", "void")


def regexp_replace_call(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    modifiers = node.args.get("modifiers")
    place, match = (node.args.get(one) for one in ("position", "occurrence"))
    if (place and place.sql() != "1") or (match and match.sql() not in ("0", "1")):
        raise WorkbenchError(
            "query: regexp_replace replaces the first match or, with 'g', all of them here; leave "
            "out where to begin and which match."
        )
    every = dialect == "clickhouse" or (modifiers is not None and "g" in modifiers.name)
    every = every or (match is not None and match.sql() == "0")
    return regexp_replace(node, every, "regexp_replace")


def merge_flags(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Put the flags of a regular expression, given as another argument, into the pattern."""
    group = node.args.get("group")
    if isinstance(group, exp.Literal) and group.is_string:
        # regexp_extract(s, pattern, 'i')
        node.set("parameters", group.copy())
        node.set("group", exp.Literal.number(0))
    if isinstance(group, exp.Array):
        raise WorkbenchError(
            "query: regexp_extract with a list of names is not available; extract each group by "
            "its number, as in regexp_extract(x, pattern, 1)."
        )
    name = "parameters" if isinstance(node, exp.RegexpExtract | exp.RegexpExtractAll) else "flag"
    if (flags := node.args.get(name)) is not None:
        node.set("expression", with_flags(node.expression, flags))
        node.set(name, None)
    return None


def left_or_right(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return the first or last letters; for a negative number, all but those at the other end."""
    n, name = node.expression, type(node).__name__.upper()
    if isinstance(n, exp.Literal):
        return None
    rest = exp.Add(this=anonymous("LENGTH", node.this), expression=exp.paren(n.copy()))
    all_but = anonymous(name, node.this, anonymous("GREATEST", rest, exp.Literal.number(0)))
    if isinstance(n, exp.Neg):
        return all_but
    is_negative = exp.LT(this=exp.paren(n.copy()), expression=exp.Literal.number(0))
    return exp.Case(
        ifs=[exp.If(this=is_negative, true=all_but)], default=anonymous(name, node.this, n)
    )


def substring(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return a part of a text, in which positions before the first letter count as letters."""
    start, count = node.args.get("start"), node.args.get("length")
    if isinstance(start, exp.Literal) and start.is_string and count is None:
        return _first_match(node.this, start)
    if start is None or count is None:
        return _substring_from(node, start, dialect)
    if all(isinstance(one, exp.Literal) and one.this.strip("0") for one in (start, count)):
        return None
    # DuckDB counts a negative start from the end, and a negative length backwards.
    first_condition = "= 0" if dialect == "duckdb" else "<= 0"
    lost_letters = "1" if dialect == "duckdb" else "1 - (:start)"
    negative_length = (
        "WHEN (:length) < 0 THEN SUBSTRING(LEFT(:text, GREATEST(PLACE - 1, 0)), "
        "GREATEST(PLACE + (:length), 1))"
        if dialect == "duckdb"
        else ""
    ).replace("PLACE", "IF((:start) < 0, LENGTH(:text) + (:start) + 1, :start)")
    return fill_template(
        f"CASE {negative_length} WHEN (:start) {first_condition} "
        f"THEN SUBSTRING(:text, 1, (:length) - ({lost_letters})) "
        "ELSE SUBSTRING(:text, :start, :length) END",
        text=node.this, start=start, length=count,
    )  # fmt: skip


def _first_match(text: exp.Expr, pattern: exp.Literal) -> exp.Expr:
    """Return the first group of a match, or the whole match; null if there is none."""
    match = fill_template(
        f"REGEXP_EXTRACT(:text, :pattern, {first_group(pattern)})", text=text, pattern=pattern
    )
    has_match = fill_template("(:text) RLIKE :pattern", text=text, pattern=pattern)
    return exp.Case(ifs=[exp.If(this=has_match, true=match)])


def chr_of_code(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return the letter of a code point; Spark's own function knows 256."""
    if len(node.expressions) != 1:
        return None
    code = "DECODE(UNHEX(LPAD(HEX(:of), 8, '0')), 'UTF-32')"
    return fill_template(code, of=node.expressions[0])


#: The letters of words.
_WORDS = {"ascii": "0-9A-Za-z", "any": "\\p{L}\\p{N}"}


def capitals(text: exp.Expr, letters: str) -> exp.Expr:
    """Return a text whose words begin with a capital and go on in lower case.

    Words of Spark's own function end at blanks alone.

    Parameters
    ----------
    text : sqlglot.exp.Expr
    letters : str
        The letters of words: "ascii" or "any".
    """
    word_letters = _WORDS[letters]
    return fill_template(
        "ARRAY_JOIN(TRANSFORM(REGEXP_EXTRACT_ALL(:text, :pieces, 0), piece -> "
        "IF(piece RLIKE :word, CONCAT(UPPER(LEFT(piece, 1)), LOWER(SUBSTRING(piece, 2))), piece)"
        "), '')",
        text=text,
        pieces=exp.Literal.string(f"[{word_letters}]+|[^{word_letters}]+"),
        word=exp.Literal.string(f"^[{word_letters}]"),
    )


def initcap(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    return capitals(node.this, "ascii" if dialect == "clickhouse" else "any")


def _substring_from(node: exp.Expr, start: exp.Expr | None, dialect: str) -> exp.Expr | None:
    """Return the rest of a text; all of it if the start is before the first letter."""
    if start is None or dialect == "duckdb" or isinstance(start, exp.Literal):
        return None
    return fill_template(
        "SUBSTRING(:text, CASE WHEN (:start) < 1 THEN 1 ELSE :start END)",
        text=node.this, start=start,
    )  # fmt: skip


def concat_as_text(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Cast the arguments of ``concat`` to texts, unless one is a list, map or struct."""
    others = [
        one for one in node.expressions if not (isinstance(one, exp.Literal) and one.is_string)
    ]
    types = kinds(node, others) or () if others else ()
    if {"array", "map", "struct"}.isdisjoint(one.typeName() for one in types):
        for one, data_type in zip(others, types, strict=False):
            if data_type.typeName() not in _TEXT:
                letter = letter_of_boolean(one.copy(), data_type.typeName(), dialect)
                text = letter or text_of_type(one.copy(), data_type, dialect)
                one.replace(text or exp.cast(one.copy(), "TEXT"))
    return None


def concat_ws_as_text(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Make floats and booleans among the arguments of ``concat_ws`` the texts of the dialect."""
    values = [one for one in node.expressions[1:] if not is_written_alike(one)]
    for one, data_type in zip(values, kinds(node, values) or () if values else (), strict=False):
        kind = data_type.typeName()
        text = letter_of_boolean(one.copy(), kind, dialect)
        if text := text or text_of_float(one.copy(), kind, dialect):
            one.replace(text)
    return None


def joined_as_text(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Make the floats that ``string_agg`` joins the texts of DuckDB; Postgres takes texts alone."""
    ordered = node.this
    value = ordered.this if isinstance(ordered, exp.Order) else ordered
    if isinstance(value, exp.Distinct):
        if ordered is not value:
            return None  # The order is that of the values.
        value = value.expressions[0]
    if dialect == "duckdb" and not is_written_alike(value):
        text = text_of_float(value.copy(), kind_of(node, value, kinds), dialect)
        value.replace(text or value.copy())
    return None


def hex_lower(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return a number in hexadecimal, in lower case and with the digits of its type in Postgres."""
    if dialect not in POSTGRES:
        return None
    is_short = kind_of(node, node.this, kinds) in ("integer", "short", "byte")
    digits = "LOWER(RIGHT(HEX(:a), 8))" if is_short else "LOWER(HEX(:a))"
    return fill_template(digits, a=node.this)


def sha_as_bytes(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return a digest as bytes, in Postgres; Spark returns their digits."""
    return anonymous("UNHEX", node) if dialect in POSTGRES else None


#: Spark breaks lines after 76 letters.
ONE_LINE_OF_BASE64 = "REGEXP_REPLACE(BASE64(:a), '[\\r\\n]', '')"
#: Bytes as text, and text as bytes, by the name of a format.
_ENCODED = {
    "hex": "LOWER(HEX(:bytes))",
    "base64": "REPLACE(BASE64(:bytes), '\\r', '')",
}
_DECODED = {"hex": "UNHEX(:text)", "base64": "UNBASE64(:text)"}


def encode(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return bytes as text, in Postgres."""
    if dialect not in POSTGRES:
        return None
    return fill_template(_by_format(_ENCODED, node, "encode"), bytes=node.this)


def decode(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return the bytes that a text stands for, in Postgres."""
    if dialect not in POSTGRES:
        return None
    return fill_template(_by_format(_DECODED, node, "decode"), text=node.this)


def _by_format(templates: dict[str, str], node: exp.Expr, sql_name: str) -> str:
    format_node = node.args.get("charset")
    template = templates.get(format_node.name.lower()) if format_node is not None else None
    if template is None:
        raise WorkbenchError(f"query: {sql_name} takes bytes or text, and 'hex' or 'base64'.")
    return template


def base64(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return bytes as text, in one line."""
    return fill_template(ONE_LINE_OF_BASE64, a=node.this)


def _postgres_format(
    node: exp.Expr, arguments: list[exp.Expr], dialect: str, kinds: Kinds
) -> exp.Expr:
    """Return a text with values in the places of ``%s``; a null value is an empty text."""
    template = arguments[0]
    pieces = re.split("(%.?)", template.this) if isinstance(template, exp.Literal) else ["%"]
    directives = [one for one in pieces[1::2] if one != "%%"]
    if directives != ["%s"] * (len(arguments) - 1):
        raise WorkbenchError(
            "query: format takes a text with %s for each value here; build the text with ||, which "
            "is null where a value is."
        )
    values = iter(arguments[1:])
    types = iter(kinds(node, arguments[1:]) or () if arguments[1:] else ())
    texts: list[exp.Expr] = []
    for one in pieces:
        if one == "%s":
            value, data_type = next(values), next(types, None)
            kind = "" if data_type is None else data_type.typeName()
            letter = letter_of_boolean(value, kind, dialect)
            text = letter or text_of_float(value, kind, dialect) or value
            texts.append(fill_template("COALESCE(STRING(:value), '')", value=text))
        else:
            texts.append(exp.Literal.string("%" if one == "%%" else one))
    return anonymous("CONCAT", *texts)


def format_text(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return a text with values in the places of its fields."""
    if dialect not in ("duckdb", "clickhouse"):
        return _postgres_format(node, [node.this, *node.expressions], dialect, kinds)
    if (result := _brace_format(node, dialect, kinds)) is not None:
        return result
    raise WorkbenchError(
        "query: format takes a text with {}, or {0} and {1}, for its values here; build the text "
        "with ||, or use printf."
    )


def _brace_format(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return a text with values in the places of ``{}``; None if a field has a format."""
    template, values = node.this, list(node.expressions)
    if not isinstance(template, exp.Literal):
        return None
    try:
        parts = list(Formatter().parse(template.this))
    except ValueError:
        return None
    names = [name for _, name, _, _ in parts if name is not None]
    indexes = [int(name) if name.isdigit() else -1 for name in names]
    if not any(names):
        indexes = list(range(len(names)))
    has_specifications = any(spec or conversion for _, _, spec, conversion in parts)
    if has_specifications or any(not 0 <= place < len(values) for place in indexes):
        return None
    index = iter(indexes)
    types = kinds(node, values) or [] if values else []
    texts = [_text_in_format(one, kind, dialect) for one, kind in zip(values, types, strict=False)]
    values = [text or one for text, one in zip_longest(texts, values)]
    # Concatenated by ||, the result is null if a value is.
    result: exp.Expr = exp.Literal.string("")
    for text, name, _, _ in parts:
        result = exp.DPipe(this=result, expression=exp.Literal.string(text)) if text else result
        if name is not None:
            value = exp.cast(values[next(index)].copy(), "TEXT")
            result = exp.DPipe(this=result, expression=value)
    return exp.paren(result, copy=False)


def _text_in_format(value: exp.Expr, data_type: Any, dialect: str) -> exp.Expr | None:
    """Return a value as text; decimals are doubles there in DuckDB."""
    if dialect == "duckdb" and data_type.typeName() == "decimal":
        return text_of_float(exp.cast(value.copy(), "DOUBLE"), "double", dialect)
    return text_of_type(value, data_type, dialect)


def length_of(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return the number of elements of a list or map, or of bytes by ClickHouse's ``length``."""
    if kind_of(node, node.this, kinds) in ("array", "map"):
        return anonymous("SIZE", node.this)
    # Without the flag it is CHAR_LENGTH, which counts letters there, too.
    counts_bytes = dialect == "clickhouse" and node.args.get("binary")
    return anonymous("OCTET_LENGTH", node.this) if counts_bytes else None


def code_of_letter(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return the code of the first letter of a text; -1 in DuckDB if it has none."""
    template = "IF(:a = '', -1, ASCII(:a))"
    return fill_template(template, a=node.this) if dialect == "duckdb" else None


def similar_to(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return whether a regular expression matches a whole text, as SIMILAR TO in DuckDB."""
    if dialect != "duckdb":
        raise WorkbenchError(
            "query: SIMILAR TO is not available; compare by ~ and a regular expression."
        )
    return fill_template("(:a) RLIKE CONCAT('^(?:', :b, ')$')", a=node.this, b=node.expression)


def refuse_collate(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    raise WorkbenchError(
        f"query: COLLATE {node.expression.sql(dialect=dialect)} is not available; compare "
        "lower(...) or translate(...) of the text."
    )
