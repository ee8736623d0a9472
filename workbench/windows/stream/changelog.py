"""A changelog folded into the table that it tells of."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from workbench.arguments import listed
from workbench.columnar.key_codes import key_codes
from workbench.columnar.ragged import offsets_of
from workbench.errors import WorkbenchError, kind_in_words
from workbench.windows.stream.worker.update import OP

#: Changes that take back what was said, and all that there are.
TAKES_BACK = ("-U", "-D")
KNOWN = ("+I", "+U", *TAKES_BACK)


def folded(
    said: pa.Table | None, changes: pa.Table, row_id: str | Sequence[str] | None = None
) -> pa.Table:
    """Return a table with the changes of a micro-batch applied to it.

    A micro-batch takes back each row once at most, and says it once at most. So what is taken back
    goes first, wherever it stands: tasks write their changes beside each other.

    Parameters
    ----------
    said : pyarrow.Table or None
        What the changes of all micro-batches before have come to; None before the first.
    changes : pyarrow.Table
        All changes of one micro-batch, with their column ``op``.
    row_id : str or list of str, optional
        Columns that tell rows apart; without it, rows are told apart by all that they hold.

    Returns
    -------
    pyarrow.Table
        Without the column ``op``; rows that come stand last.

    Raises
    ------
    WorkbenchError
        When something is taken back that was not said, or a table is none of such rows.

    Examples
    --------
    >>> one = folded(None, pa.table({"op": ["+I", "+I"], "id": [1, 2], "mean": [5.0, 7.0]}))
    >>> two = pa.table({"op": ["-U", "+U"], "id": [1, 1], "mean": [5.0, 6.0]})
    >>> folded(one, two, "id").to_pydict()
    {'id': [2, 1], 'mean': [7.0, 6.0]}
    """
    rows = _checked(changes).drop_columns([OP])
    said = rows.slice(0, 0) if said is None else said
    rows = _alike(said, rows)
    back = pc.is_in(changes.column(OP).cast(pa.string()), value_set=pa.array(TAKES_BACK))
    gone, come = rows.filter(back), rows.filter(pc.invert(back))
    names = list(() if row_id is None else listed(row_id, "row_id")) or rows.column_names
    for name in names:
        if name not in rows.column_names:
            raise WorkbenchError(
                f"row_id: the changes have no column {name!r}; there are "
                f"{', '.join(map(repr, rows.column_names))}."
            )
    if len(gone):
        said = said.filter(pa.array(_stays(said.select(names), gone.select(names))))
    return concatenated([said, come])


def _checked(changes: Any) -> pa.Table:
    """Refuse what is no table of changes."""
    if not isinstance(changes, pa.Table) or OP not in changes.column_names:
        raise WorkbenchError(
            f"changes: these are none; give a pyarrow.Table with a column {OP!r}, as a call that "
            "emits on update gives it."
        )
    kinds = set(changes.column(OP).unique().to_pylist())
    if unknown := sorted(kinds - set(KNOWN), key=repr):
        raise WorkbenchError(
            f"changes: their {OP!r} says {unknown[0]!r}, which is no change; "
            f"give one of {', '.join(map(repr, KNOWN))}."
        )
    return changes


def _alike(said: Any, rows: pa.Table) -> pa.Table:
    """Return rows with their columns in the order of those that were said, which must be theirs."""
    if not isinstance(said, pa.Table):
        raise WorkbenchError(
            f"said: this is {kind_in_words(said)}; give the pyarrow.Table that wb.folded returned, "
            "or None before the first micro-batch."
        )
    kinds = dict(zip(said.column_names, said.schema.types, strict=True))
    found = dict(zip(rows.column_names, rows.schema.types, strict=True))
    if kinds != found:
        name = next(one for one in (*kinds, *found) if kinds.get(one) != found.get(one))
        ours, theirs = (one.get(name, "no such column") for one in (kinds, found))
        raise WorkbenchError(
            f"changes: {name!r} is {theirs} there and {ours} in what was said; fold the changes "
            "of one call, and begin with None for those of another."
        )
    return rows.select(said.column_names)


def concatenated(tables: list[pa.Table]) -> pa.Table:
    """Return tables one behind the other, in chunks that have rows.

    Spark's ``createDataFrame`` takes a table whose first chunk is empty for one without a row.
    """
    found = pa.concat_tables(tables)
    return pa.Table.from_batches([one for one in found.to_batches() if len(one)], found.schema)


def _stays(said: pa.Table, gone: pa.Table) -> NDArray[np.bool_]:
    """Which rows are not taken back: of equal ones, as many go as are taken back."""
    codes, count = key_codes(pa.concat_tables([said, gone]))
    codes, back = codes[: len(said)], np.bincount(codes[len(said) :], minlength=count)
    order = np.argsort(codes, kind="stable")
    begins = offsets_of(np.bincount(codes, minlength=count))
    place = np.empty(len(said), np.int64)
    place[order] = np.arange(len(said)) - begins[codes[order]]
    if (back > np.diff(begins)).any():
        raise WorkbenchError(
            "changes: a row is taken back that was not said; fold every micro-batch once, in order."
        )
    return np.asarray(place >= back[codes])
