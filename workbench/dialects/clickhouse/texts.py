"""Texts of ClickHouse: numbers as it writes them, and letters that it knows."""

from string import ascii_lowercase, ascii_uppercase

from sqlglot import exp

from workbench.dialects.kinds import Kinds
from workbench.dialects.writing import anonymous
from workbench.errors import WorkbenchError

FLOATS = ("double", "float")


def text_of_number(value: exp.Expr, kind: str) -> exp.Expr | None:
    """Return the text of a decimal, which ends with no zeros; None where Spark's is the same.

    Raises
    ------
    WorkbenchError
        Of a float, which Spark writes with a point and powers of ten.

    Examples
    --------
    >>> print(text_of_number(exp.column("x"), "decimal").sql("spark"))
    REGEXP_REPLACE(CAST(x AS STRING), '[.]0+$|(?<=[.][0-9]{1,38})0+$', '')
    """
    if kind in FLOATS:
        raise WorkbenchError(
            f"query: Spark writes the float {value.sql()} as another text than ClickHouse does; "
            "make it an integer or a decimal first."
        )
    if kind != "decimal":
        return None
    zeros = exp.Literal.string("[.]0+$|(?<=[.][0-9]{1,38})0+$")
    text = exp.cast(value.copy(), "TEXT")
    return anonymous("REGEXP_REPLACE", text, zeros, exp.Literal.string(""))


def with_numbers_as_texts(node: exp.Concat | exp.DPipe, kinds: Kinds) -> None:
    """Write the numbers among what is put together as ``toString`` does."""
    parts = node.expressions or [node.this, node.expression]
    others = [one for one in parts if not isinstance(one, exp.Literal | exp.DPipe)]
    found = kinds(node, others) if others else None
    for one, kind in zip(others, found or (), strict=False):
        if (text := text_of_number(one, str(kind.typeName()))) is not None:
            one.replace(text)


def with_letters_of_ascii(node: exp.Lower | exp.Upper, kinds: Kinds) -> None:
    """Write ``lower`` and ``upper``, which leave all letters but those of ASCII as they are."""
    letters = (ascii_uppercase, ascii_lowercase)
    there, back = letters if isinstance(node, exp.Lower) else letters[::-1]
    node.replace(anonymous("TRANSLATE", node.this, exp.convert(there), exp.convert(back)))
