"""Values that Spark writes as text in another way than the system of a query."""

from collections.abc import Sequence
from typing import Any

from sqlglot import exp

from workbench.errors import WorkbenchError

#: What to write in place of a text of such a value, by Spark's name of its type.
_PARTS = {
    "struct": "its fields", "map": "its keys and values",
    **dict.fromkeys(
        ("daytimeinterval", "yearmonthinterval", "interval"),
        "its parts, as in extract(epoch FROM x)",
    ),
}  # fmt: skip
_OF_LISTS = {
    "clickhouse": "its elements by arrayStringConcat",
    "postgres": "its elements by array_to_string",
    "risingwave": "its elements by array_to_string",
}


def check_as_text(values: Sequence[exp.Expr], types: Sequence[Any] | None, dialect: str) -> None:
    """Refuse values that Spark would write as another text, where their types are known.

    Raises
    ------
    WorkbenchError

    Examples
    --------
    >>> from pyspark.sql.types import ArrayType, LongType
    >>> lists = [ArrayType(LongType())]
    >>> check_as_text([exp.column("l")], lists, "duckdb")
    >>> check_as_text([exp.column("l")], lists, "postgres")
    Traceback (most recent call last):
    workbench.errors.WorkbenchError: query: Spark writes l as text in another way than postgres; \
write its elements by array_to_string.
    """
    for value, data_type in zip(values, types or (), strict=False):
        if (parts := _parts(data_type, dialect)) is not None:
            raise WorkbenchError(
                f"query: Spark writes {value.sql(dialect)} as text in another way than {dialect}; "
                f"write {parts}."
            )


def _parts(data_type: Any, dialect: str) -> str | None:
    name = data_type.typeName()
    if name != "array":
        return _PARTS.get(name)
    return _OF_LISTS.get(dialect) or _parts(data_type.elementType, dialect)
