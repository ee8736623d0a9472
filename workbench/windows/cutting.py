"""Whether the large partitions of a window call are cut, and why not."""

from collections.abc import Mapping
from typing import Any

from workbench.errors import WorkbenchError
from workbench.frames.frame import Frame
from workbench.functions.fn import Function
from workbench.spark.ranges import checked_cut
from workbench.windows.extent import why_not


def check_cut(
    cut: Any, engine: str, functions: Mapping[str, Function], frames: Mapping[str, Frame]
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
    if reason := why_uncut(cut, "spark" if engine == "spark" else "kernel", functions, frames):
        raise WorkbenchError(f"cut: partitions cannot be cut, because {reason}; leave it out.")
    return asked


def why_uncut(
    cut: Any, engine: str, functions: Mapping[str, Function], frames: Mapping[str, Frame]
) -> str | None:
    """Return why large partitions are not cut, None when they are."""
    if cut is None:
        return "it was asked for"
    if engine == "spark":
        return "Spark's own window operator goes through each as a whole"
    return why_not(functions, frames)
