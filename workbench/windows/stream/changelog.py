"""Folding of a changelog into the table that it describes."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from kernels.stream.changelog import OPS
from workbench.arguments import optional_names
from workbench.columnar.key_codes import key_codes
from workbench.columnar.ragged import offsets_of
from workbench.errors import WorkbenchError, kind_in_words
from workbench.windows.stream.worker.net_changes import REMOVALS
from workbench.windows.stream.worker.update import OP


def folded(
    said: pa.Table | None, changes: pa.Table, row_id: str | Sequence[str] | None = None
) -> pa.Table:
    """Return a table with the changes of a micro-batch applied to it.

    A micro-batch removes each row at most once, and adds it at most once. So removals are applied
    first, wherever they stand: tasks write their changes in any order.

    Parameters
    ----------
    said : pyarrow.Table or None
        The result of folding all earlier micro-batches; None before the first.
    changes : pyarrow.Table
        All changes of one micro-batch, with a column ``op``.
    row_id : str or list of str, optional
        Columns that identify rows; without it, all columns do.

    Returns
    -------
    pyarrow.Table
        The table without the column ``op``; added rows come last.

    Raises
    ------
    WorkbenchError
        When a removed row is not in the table, or a table has the wrong columns.

    Examples
    --------
    >>> one = folded(None, pa.table({"op": ["+I", "+I"], "id": [1, 2], "mean": [5.0, 7.0]}))
    >>> two = pa.table({"op": ["-U", "+U"], "id": [1, 1], "mean": [5.0, 6.0]})
    >>> folded(one, two, "id").to_pydict()
    {'id': [2, 1], 'mean': [7.0, 6.0]}
    """
    rows = _checked(changes).drop_columns([OP])
    table = rows.slice(0, 0) if said is None else said
    rows = _with_columns_of(table, rows)
    is_removal = pc.is_in(changes.column(OP).cast(pa.string()), value_set=pa.array(REMOVALS))
    removed, added = rows.filter(is_removal), rows.filter(pc.invert(is_removal))
    names = list(optional_names(row_id, "row_id")) or rows.column_names
    for name in names:
        if name not in rows.column_names:
            raise WorkbenchError(
                f"row_id: the changes have no column {name!r}; there are "
                f"{', '.join(map(repr, rows.column_names))}."
            )
    if len(removed):
        table = table.filter(pa.array(_remains(table.select(names), removed.select(names))))
    return concatenated([table, added])


def _checked(changes: Any) -> pa.Table:
    """Refuse anything but a table of changes."""
    if not isinstance(changes, pa.Table) or OP not in changes.column_names:
        raise WorkbenchError(
            f"changes: these are not changes; give a pyarrow.Table with a column {OP!r}, as a call "
            "that emits on update returns it."
        )
    kinds = set(changes.column(OP).unique().to_pylist())
    if unknown := sorted(kinds - set(OPS), key=repr):
        raise WorkbenchError(
            f"changes: their {OP!r} says {unknown[0]!r}, which is not a change; "
            f"give one of {', '.join(map(repr, OPS))}."
        )
    return changes


def _with_columns_of(table: Any, rows: pa.Table) -> pa.Table:
    """Return rows with their columns in the order of a table, which must have the same columns."""
    if not isinstance(table, pa.Table):
        raise WorkbenchError(
            f"said: this is {kind_in_words(table)}; give the pyarrow.Table that wb.folded "
            "returned, or None before the first micro-batch."
        )
    expected = dict(zip(table.column_names, table.schema.types, strict=True))
    actual = dict(zip(rows.column_names, rows.schema.types, strict=True))
    if expected != actual:
        name = next(one for one in (*expected, *actual) if expected.get(one) != actual.get(one))
        ours, theirs = (one.get(name, "missing") for one in (expected, actual))
        raise WorkbenchError(
            f"changes: {name!r} is {theirs} here, but {ours} in said; fold the changes "
            "of one call, and begin with None for those of another."
        )
    return rows.select(table.column_names)


def concatenated(tables: list[pa.Table]) -> pa.Table:
    """Return tables concatenated, without empty chunks.

    Spark's ``createDataFrame`` reads a table whose first chunk is empty as a table without rows.
    """
    whole = pa.concat_tables(tables)
    return pa.Table.from_batches([one for one in whole.to_batches() if len(one)], whole.schema)


def _remains(table: pa.Table, removed: pa.Table) -> NDArray[np.bool_]:
    """Return which rows are not removed; of equal rows, the first ones are removed."""
    codes, count = key_codes(pa.concat_tables([table, removed]))
    codes, removals = codes[: len(table)], np.bincount(codes[len(table) :], minlength=count)
    order = np.argsort(codes, kind="stable")
    begins = offsets_of(np.bincount(codes, minlength=count))
    rank_in_code = np.empty(len(table), np.int64)
    rank_in_code[order] = np.arange(len(table)) - begins[codes[order]]
    if (removals > np.diff(begins)).any():
        raise WorkbenchError(
            "changes: a row is removed that is not in said; fold every micro-batch once, in order."
        )
    return np.asarray(rank_in_code >= removals[codes])
