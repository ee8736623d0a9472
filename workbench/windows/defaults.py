"""The default of ``lag`` and ``lead``: a value that the column can hold."""

import struct
from datetime import date, time, timedelta
from decimal import Context, Decimal, Inexact, InvalidOperation
from math import isfinite
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from workbench.arguments import check_text, digits_of
from workbench.errors import WorkbenchError, kind_in_words
from workbench.frames.bounds import is_column
from workbench.functions.catalogue import NUMBERS, kind_of
from workbench.spark.one_key import literal
from workbench.spark.table import BoundTable
from workbench.spark.types import INTEGERS
from workbench.spark.values import as_answer, value_type

if TYPE_CHECKING:
    from pyspark.sql import Column
    from pyspark.sql.types import DataType

Number: TypeAlias = int | float | Decimal

#: Format letters of Python's struct, which refuses a number out of a type's range.
_LETTERS = {"float": "<f", "double": "<d"}
#: Types of which Spark makes literals, in addition to numbers.
_PLAIN = (bool, str, bytes, bytearray, date, time, timedelta, np.bool_)


def default_of(df: BoundTable, name: str, given: Any, answer: "DataType") -> "Column | None":
    """Return a default as a column of the result's type.

    Parameters
    ----------
    df : BoundTable
    name : str
        The result's name.
    given : object
        A Column is cast, with the semantics of SQL; any other value has to fit as it is.
    answer : pyspark.sql.types.DataType

    Returns
    -------
    pyspark.sql.Column or None
        None where no default is given.

    Raises
    ------
    WorkbenchError
        When the default has another type, or more digits than the column holds.
    """
    from pyspark.sql import functions as F

    if given is None:
        return None
    check_text(given, name)
    number = None if is_column(given) else _number(given)
    if number is not None:
        if not _fits(number, answer):
            raise _no_default(name, given, _kind_of_number(number), answer)
        return F.lit(given).cast(answer)
    # NaT of pandas is a datetime, and equals nothing.
    if not is_column(given) and (not isinstance(given, _PLAIN) or given != given):
        raise WorkbenchError(
            f"{name}: the default {given!r} is {kind_in_words(given)}, but the column holds "
            f"{answer.simpleString()}; give a default of that type, as a Column if it is nested."
        )
    value = literal(given)
    kind = value_type(df.without_rows, value, f"{name}: the default", df.side)
    numbers = kind_of(kind) in NUMBERS and kind_of(answer) in NUMBERS
    if kind.typeName() != answer.typeName() and not numbers:
        raise _no_default(name, given, kind.simpleString(), answer)
    return as_answer(value, answer)


def _no_default(name: str, given: Any, kind: str, answer: "DataType") -> WorkbenchError:
    return WorkbenchError(
        f"{name}: the default {given!r} is {kind}, but the column holds "
        f"{answer.simpleString()}; give a default of that type."
    )


def _number(given: Any) -> Number | None:
    """Return a number as a Python number, None for anything else."""
    if isinstance(given, np.integer) and not isinstance(given, np.timedelta64):
        return int(given)
    if isinstance(given, np.floating):
        return float(given)
    is_number = isinstance(given, int | float | Decimal) and not isinstance(given, bool)
    return given if is_number else None


def _fits(number: Number, answer: "DataType") -> bool:
    """Return whether a column can hold a number exactly, or within the rounding of a float."""
    if isinstance(number, Decimal) and not number.is_finite():
        return False
    if isinstance(number, int) and not -(2**63) <= number < 2**63:
        # Spark makes literals of decimals that large, but not of integers.
        return False
    kind = kind_of(answer)
    if kind == "float":
        return _fits_float(number, _LETTERS[answer.typeName()])
    if kind not in NUMBERS or (isinstance(number, float) and not isfinite(number)):
        return False
    # A float counts as its shortest text: 0.1 is a tenth.
    exact = Decimal(repr(number)) if isinstance(number, float) else Decimal(number)
    return _fits_digits(exact, answer)


def _fits_digits(exact: Decimal, answer: "DataType") -> bool:
    """Return whether a column of decimals or integers can hold a number exactly."""
    from pyspark.sql.types import DecimalType

    if isinstance(answer, DecimalType):
        return _is_exact(exact, answer.precision, answer.scale)
    end = 1 << (INTEGERS[answer.typeName()] - 1)
    return _is_exact(exact, 19, 0) and -end <= exact < end


def _is_exact(exact: Decimal, precision: int, scale: int) -> bool:
    """Return whether a number is exact with this precision and scale."""
    context = Context(prec=precision, traps=[Inexact, InvalidOperation])
    try:
        exact.quantize(Decimal(1).scaleb(-scale), context=context)
    except (Inexact, InvalidOperation):
        return False
    return True


def _fits_float(number: Number, letter: str) -> bool:
    try:
        value = float(number)
        struct.pack(letter, value)
    except OverflowError:
        return False
    # A decimal that is too large silently becomes infinite.
    return isfinite(value) or isinstance(number, float)


def _kind_of_number(number: Number) -> str:
    """Return the name of the Spark type of a number."""
    if isinstance(number, float):
        return "double"
    if isinstance(number, int):
        if -(2**63) <= number < 2**63:
            return "int" if -(2**31) <= number < 2**31 else "bigint"
        number = Decimal(number)
    size = digits_of(number)
    return "no number" if size is None else f"decimal({size[0]},{size[1]})"
