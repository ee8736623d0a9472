"""Texts of ClickHouse: numbers as text, and case of ASCII letters."""

from string import ascii_lowercase, ascii_uppercase

from sqlglot import exp

from workbench.dialects.kinds import FLOATS, Kinds, kind_of
from workbench.dialects.templates import anonymous, fill_template
from workbench.errors import WorkbenchError


def text_of_number(value: exp.Expr, kind: str) -> exp.Expr | None:
    """Return the text of a decimal without trailing zeros; None if Spark's text is the same.

    Raises
    ------
    WorkbenchError
        For a float, which Spark writes with a point and powers of ten.

    Examples
    --------
    >>> print(text_of_number(exp.column("x"), "decimal").sql("spark"))
    REGEXP_REPLACE(CAST(x AS STRING), '[.]0+$|(?<=[.][0-9]{1,38})0+$', '')
    """
    if kind in FLOATS:
        raise WorkbenchError(
            f"query: Spark writes the float {value.sql()} differently than ClickHouse does; cast "
            "it to an integer or a decimal first."
        )
    if kind != "decimal":
        return None
    zeros = exp.Literal.string("[.]0+$|(?<=[.][0-9]{1,38})0+$")
    text = exp.cast(value.copy(), "TEXT")
    return anonymous("REGEXP_REPLACE", text, zeros, exp.Literal.string(""))


def cast_numbers_to_texts(node: exp.Concat | exp.DPipe, kinds: Kinds) -> None:
    """Replace the numbers in a concatenation by their texts, as ``toString`` does."""
    parts = node.expressions or [node.this, node.expression]
    others = [one for one in parts if not isinstance(one, exp.Literal | exp.DPipe)]
    types = kinds(node, others) if others else None
    for one, kind in zip(others, types or (), strict=False):
        if (text := text_of_number(one, str(kind.typeName()))) is not None:
            one.replace(text)


def translate_ascii_case(node: exp.Lower | exp.Upper, kinds: Kinds) -> None:
    """Replace ``lower`` and ``upper``, which change only ASCII letters, by ``translate``."""
    letters = (ascii_uppercase, ascii_lowercase)
    source, target = letters if isinstance(node, exp.Lower) else letters[::-1]
    node.replace(anonymous("TRANSLATE", node.this, exp.convert(source), exp.convert(target)))


def substring(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return a part of a text: empty from place 0 on; a negative length counts from the end."""
    start, length = node.args.get("start"), node.args.get("length")
    if start is None:
        return None
    if length is not None and not isinstance(length, exp.Literal):
        place = "IF((:start) < 0, CHAR_LENGTH(:text) + (:start), (:start) - 1)"
        until_end = f"GREATEST(CHAR_LENGTH(:text) + (:length) - ({place}), 0)"
        length = fill_template(
            f"IF((:length) < 0, {until_end}, :length)", text=node.this, start=start, length=length
        )
    part = anonymous("SUBSTRING", node.this, start, *([length] if length else []))
    if isinstance(start, exp.Literal) and start.this.strip("0"):
        return part
    return fill_template(
        "IF((:start) = 0, SUBSTRING(:text, 1, 0), :part)", text=node.this, start=start, part=part
    )


def hex_digits(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr:
    """Return ``hex``, which has two digits for each byte, also of a number."""
    return _digits_of_bytes("HEX", 2, node, node.this, kinds)


def binary_digits(node: exp.Expr, arguments: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    """Return ``bin``, which has eight digits for each byte."""
    return _digits_of_bytes("BIN", 8, node, arguments[0], kinds) if len(arguments) == 1 else None


def _digits_of_bytes(
    name: str, in_a_byte: int, node: exp.Expr, value: exp.Expr, kinds: Kinds
) -> exp.Expr:
    if kind_of(node, value, kinds) in FLOATS:
        raise WorkbenchError(
            f"query: {name.lower()} of the float {value.sql()} is not available, as Spark takes "
            "its integer part; cast it to an integer."
        )
    digits = anonymous(name, value)
    size = f"BIGINT(CEIL(LENGTH(:digits) / {in_a_byte})) * {in_a_byte}"
    return fill_template(f"LPAD(:digits, {size}, '0')", digits=digits)
