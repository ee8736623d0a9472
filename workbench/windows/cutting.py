"""Whether the large partitions of a window call are cut into pieces, and if not, why."""

from collections.abc import Mapping
from typing import Any

from workbench.errors import WorkbenchError
from workbench.frames.frame import Frame
from workbench.functions.fn import Function
from workbench.spark.ranges import checked_cut
from workbench.windows.extent import carried_functions, why_not_cut


def check_cut(
    cut: Any,
    engine: str,
    functions: Mapping[str, Function],
    frames: Mapping[str, Frame],
    ordered: bool,
) -> str | int | None:
    """Return a valid ``cut``; refuse one that is unknown or impossible for the call.

    Parameters
    ----------
    cut : str, int or None
        "auto", an approximate number of rows per piece, or None.
    engine : str
    functions : dict of str to Function
    frames : dict of str to Frame
        By the same names.
    ordered : bool
        Whether the rows have an order.

    Returns
    -------
    str, int or None
        ``cut`` as given.

    Raises
    ------
    WorkbenchError
    """
    checked = checked_cut(cut)
    if not isinstance(checked, int):
        return checked
    resolved_engine = "spark" if engine == "spark" else "kernel"
    if reason := why_uncut(cut, resolved_engine, functions, frames, ordered):
        raise WorkbenchError(f"cut: partitions cannot be cut, because {reason}; leave it out.")
    return checked


def why_uncut(
    cut: Any,
    engine: str,
    functions: Mapping[str, Function],
    frames: Mapping[str, Frame],
    ordered: bool,
) -> str | None:
    """Return why large partitions are not cut, None when they are."""
    if cut is None:
        return "it was asked for"
    reason = why_not_cut(functions, frames) if ordered else "its rows have no order to be cut by"
    if engine == "spark":
        whole = "Spark's own window operator goes through each as a whole"
        return whole if reason else f"{whole}, while engine='kernel' cuts it"
    return reason


def how_cut(functions: Mapping[str, Function], frames: Mapping[str, Frame]) -> str:
    """Return how large partitions are cut, and why they can be, in words.

    Examples
    --------
    >>> from workbench import fn
    >>> how_cut({"total": fn.sum("x")}, {"total": Frame.rows(None, 0)})
    'cut by order into pieces, each with the states of all rows before or after it (total)'
    """
    if names := carried_functions(functions, frames):
        beyond = "each with the states of all rows before or after it"
        return f"cut by order into pieces, {beyond} ({', '.join(names)})"
    return "cut by order into pieces, as all functions look a bounded distance"
