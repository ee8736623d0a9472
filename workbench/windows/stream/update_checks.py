"""Checks of a window call that emits on update, before a query starts."""

from typing import TYPE_CHECKING

from workbench.errors import WorkbenchError
from workbench.functions.catalogue import SORTED, kind_of
from workbench.spark.table import BoundTable, column, type_of
from workbench.windows.stream.worker.update import OP

if TYPE_CHECKING:
    from workbench.windows.spec import WindowCall


def check_updating(over: "WindowCall", df: BoundTable, row_id: tuple[str, ...]) -> None:
    """Refuse a changelog whose changes cannot be matched, and names that clash with ``op``.

    Parameters
    ----------
    over : WindowCall
    df : BoundTable
        A stream of rows, or a changelog with a column "op".
    row_id : tuple of str

    Raises
    ------
    WorkbenchError
    """
    # Spark's column names are not case-sensitive.
    for name in over.columns:
        if name.lower() == OP:
            raise WorkbenchError(
                f"{name}: this is the column that says what becomes of a row; give the function's "
                "column another name."
            )
    for name in df.names:
        if name.lower() == OP != name:
            raise WorkbenchError(
                f"df: the result says in {OP!r} what becomes of a row, and {name!r} is the same "
                f"name to Spark; rename it to {OP!r} if it means the same, else to something else."
            )
    for name in row_id:
        column(df, name, "row_id")
        kind = type_of(df, name)
        if name == OP or kind_of(kind) not in SORTED:
            raise WorkbenchError(
                f"row_id: {name!r} holds {kind.simpleString()}, which cannot tell rows apart; "
                "give a column of integers or text."
            )
    if OP in df.names:
        _check_changelog(df, row_id)


def _check_changelog(df: BoundTable, row_id: tuple[str, ...]) -> None:
    kind = type_of(df, OP).simpleString()
    if kind != "string":
        raise WorkbenchError(
            f"{OP}: the column holds {kind}, but it says what becomes of a row: '+I', '-U', '+U' "
            "or '-D'; rename it if it means something else."
        )
    if not row_id:
        raise WorkbenchError(
            f"row_id: the stream has a column {OP!r}, so it is a changelog, whose changes are "
            f"matched by an id; name its column, or rename {OP!r} if it means something else."
        )
