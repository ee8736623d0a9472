"""Run one query as text through ``wb.sql``, and return its answer as text."""

import re
from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import sqlglot
from pyspark.sql import DataFrame
from sqlglot import exp
from sqlglot.errors import SqlglotError

import workbench as wb
from tests.oracle import duck
from tests.peers.compare import Row, plain

#: Matches a query with a window.
WINDOW = re.compile(r"\bOVER\s*[(\w]|\bQUALIFY\b", re.IGNORECASE)
#: Queries over larger tables are left out: they test the same meaning.
MOST_ROWS = 100_000


def tree_of(text: str, dialect: str) -> exp.Expr | None:
    """Return a query as sqlglot parses it; None where it cannot."""
    try:
        trees = [one for one in sqlglot.parse(text, read=dialect) if one is not None]
    except (SqlglotError, RecursionError):
        return None
    # A comment after the last semicolon is a statement to sqlglot.
    trees = [one for one in trees if not isinstance(one, exp.Semicolon)]
    return trees[0] if len(trees) == 1 else None


def texts(answer: "pa.Table | DataFrame") -> list[Row]:
    """Return the rows of an answer as DuckDB writes values."""
    if isinstance(answer, DataFrame):
        answer = answer.toArrow()
    names = [f"c{k}" for k in range(answer.num_columns)]
    with duck() as con:
        con.register("answer", answer.rename_columns(names))
        cast = ", ".join(f"CAST({name} AS VARCHAR)" for name in names)
        rows = con.execute(f"SELECT {cast} FROM answer").fetchall()
    return [tuple(map(plain, row)) for row in rows]


def ask(text: str, dialect: str, tables: Mapping[str, Any]) -> tuple[list[Row], list[str]]:
    """Return the rows that ``wb.sql`` gives, and the names of their columns."""
    df = wb.sql(text, dialect=dialect, **dict(tables))
    return texts(df), df.columns


def why_it_failed(error: Exception) -> str:
    """Return an error in one line, whoever has raised it."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    first = next((line for line in lines if not line.startswith(("Traceback", "File "))), "")
    if isinstance(error, wb.WorkbenchError):
        return first
    named = [line for line in lines if "Error:" in line or "Exception:" in line]
    return f"{type(error).__name__}: {named[-1] if named and 'Python' in str(error) else first}"


def places_of_order(tree: exp.Expr | None, names: list[str]) -> list[int] | None:
    """Return the columns that an answer is ordered by; None where it is not ordered."""
    order = tree.args.get("order") if tree is not None else None
    if order is None:
        return None
    plain_names = [name.lower() for name in names]
    places: list[int] = []
    for term in order.expressions:
        node = term.this
        if isinstance(node, exp.Literal) and not node.is_string:
            places.append(int(node.this) - 1)
        elif isinstance(node, exp.Column) and node.name.lower() in plain_names:
            places.append(plain_names.index(node.name.lower()))
        else:
            break
    return places
