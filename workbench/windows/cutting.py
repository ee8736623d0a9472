"""Whether the large partitions of a window call are cut, and why not."""

from collections.abc import Mapping
from typing import Any

from workbench.errors import WorkbenchError
from workbench.frames.frame import Frame
from workbench.functions.fn import Function
from workbench.spark.ranges import checked_cut
from workbench.windows.extent import carried, why_not


def check_cut(
    cut: Any,
    engine: str,
    functions: Mapping[str, Function],
    frames: Mapping[str, Frame],
    ordered: bool,
) -> str | int | None:
    """Refuse a way to cut that is none, or that cannot be followed.

    Parameters
    ----------
    cut : str, int or None
        "auto", about how many rows a piece has, or None.
    engine : str
    functions : dict of str to Function
    frames : dict of str to Frame
        By the same names.
    ordered : bool
        Whether the rows have an order.

    Returns
    -------
    str, int or None
        The same.

    Raises
    ------
    WorkbenchError
    """
    asked = checked_cut(cut)
    if not isinstance(asked, int):
        return asked
    known = "spark" if engine == "spark" else "kernel"
    if reason := why_uncut(cut, known, functions, frames, ordered):
        raise WorkbenchError(f"cut: partitions cannot be cut, because {reason}; leave it out.")
    return asked


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
    reason = why_not(functions, frames) if ordered else "its rows have no order to be cut by"
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
    'cut by order into pieces, to which states of all rows before them or behind go along (total)'
    """
    if names := carried(functions, frames):
        beyond = "to which states of all rows before them or behind go along"
        return f"cut by order into pieces, {beyond} ({', '.join(names)})"
    return "cut by order into pieces, as all functions look a bounded way"
