"""A changelog folded into the table that it tells of."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from workbench.arguments import listed
from workbench.columnar.key_codes import key_codes
from workbench.columnar.ragged import offsets_of
from workbench.errors import WorkbenchError
from workbench.windows.stream.worker.update import OP

#: Changes that take back what was said.
TAKES_BACK = ("-U", "-D")


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
        When something is taken back that was not said.

    Examples
    --------
    >>> one = folded(None, pa.table({"op": ["+I", "+I"], "id": [1, 2], "mean": [5.0, 7.0]}))
    >>> two = pa.table({"op": ["-U", "+U"], "id": [1, 1], "mean": [5.0, 6.0]})
    >>> folded(one, two, "id").to_pydict()
    {'id': [2, 1], 'mean': [7.0, 6.0]}
    """
    if not isinstance(changes, pa.Table) or OP not in changes.column_names:
        raise WorkbenchError(
            f"changes: these are none; give a pyarrow.Table with a column {OP!r}, as a call that "
            "emits on update gives it."
        )
    back = pc.is_in(changes.column(OP), value_set=pa.array(TAKES_BACK))
    rows = changes.drop_columns([OP])
    gone, come = rows.filter(back), rows.filter(pc.invert(back))
    if said is None:
        said = come.slice(0, 0)
    if len(gone):
        names = list(listed(row_id, "row_id") if row_id else rows.column_names)
        said = said.filter(pa.array(_stays(said.select(names), gone.select(names))))
    return concatenated([said, come])


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
