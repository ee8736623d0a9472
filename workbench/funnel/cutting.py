"""Whether the large keys of a funnel are cut by time, and why not; this is decided only here.

A chain lies within a window of its first step. So a piece of a key's time with the rows up to a
window after its end has all chains that begin in it, and the furthest chain of all pieces is the
key's, as long as only the chain's own rows decide it (docs/decisions/0043).

=================================  ===================================================
funnel or method                   large keys
=================================  ===================================================
``windowFunnel`` without a mode,   cut
``strict_increase``,
``strict_once``
``strict_order`` (and so           whole: the scan ends at the first interruption
``allow_reentry``),                after any first step
``strict_deduplication``
``order="this"``, ``"strict"``,    cut
``"any"``
``optional``                       cut; whole if the last step is optional: any chain
                                   that takes it ends the scan, and no result shows this
``within``, ``exclude`` and        cut
``exclude_from``
``hold``, ``session`` a column     cut: they are columns of the key
``count="sessions"`` by a time     whole: any two rows may be in one session
``count="conversions"``            whole: a chain uses up its rows
``start``, ``end``                 cut
``by``, ``attribution``,           cut
``cohorts``
:meth:`levels`, :meth:`steps`,     cut
:meth:`times`, :meth:`summary`,
:meth:`compare`
:meth:`trend`, :meth:`people`,     whole: they use rows outside of the key's best chain
:meth:`paths`, :meth:`drivers`,
``prepare``
=================================  ===================================================
"""

from typing import TYPE_CHECKING, Any

from workbench.columnar.blocks import CONDITIONS, TIME, key_columns
from workbench.engine.extent import CallExtent
from workbench.errors import WorkbenchError
from workbench.functions.order import OrderColumn
from workbench.spark.ranges import RangePlan, checked_cut

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from workbench.funnel.counting import Counting
    from workbench.funnel.rules import ChainRules
    from workbench.funnel.worker.levels import FunnelTask
    from workbench.spark.partitions import Shuffle
    from workbench.spark.table import BoundTable

_WHOLE = {
    "strict_order": "the mode 'strict_order' ends a key's scan at the first interruption",
    "strict_deduplication": "the mode 'strict_deduplication' ends a key's scan at a repeat",
}


def uncut_reason(
    modes: tuple[str, ...], rules: "ChainRules", counting: "Counting", steps: int
) -> str | None:
    """Return why large keys cannot be cut, None if they can.

    Parameters
    ----------
    modes : tuple of str
    rules : ChainRules
    counting : Counting
    steps : int

    Returns
    -------
    str or None
    """
    if ending_modes := [mode for mode in modes if mode in _WHOLE]:
        return _WHOLE[ending_modes[0]]
    if counting.count == "conversions":
        return "a conversion uses up the events of its chain"
    if counting.number is not None:
        return "any two events of a key may belong to one session"
    if steps - 1 in rules.optional:
        return "the last step is optional, and whichever chain takes it ends a key's scan"
    return None


def check_cut(cut: Any, uncut: str | None) -> str | int | None:
    """Return ``cut`` if it is valid and these keys can be cut so.

    Parameters
    ----------
    cut : str, int or None
        "auto", about how many rows a piece has, or None.
    uncut : str, optional
        Why keys cannot be cut.

    Returns
    -------
    str, int or None
        The same value.

    Raises
    ------
    WorkbenchError
    """
    checked = checked_cut(cut)
    if isinstance(checked, int) and uncut is not None:
        raise WorkbenchError(f"cut: keys cannot be cut, because {uncut}; leave it out.")
    return checked


def cut_text(cut: str | int | None, uncut: str | None) -> str:
    """Return a text that describes how large keys are processed."""
    if uncut is not None:
        return f"one task each, because {uncut}"
    if cut is None:
        return "one task each; cut='auto' looks for those too large for one, and cuts them by time"
    pieces = "" if cut == "auto" else f" of about {cut:,} rows"
    return f"cut by time into pieces{pieces}, as a chain lies within its window"


def range_plan(task: "FunnelTask", cut: str | int, shuffle: "Shuffle") -> RangePlan:
    """Return how the large keys of a funnel are cut.

    Parameters
    ----------
    task : FunnelTask
    cut : str or int
    shuffle : Shuffle
    """
    keys = key_columns(task.keys)
    order, extent = OrderColumn(TIME, False, True), CallExtent(distance=(0, task.window))
    rows = cut if isinstance(cut, int) else None
    return RangePlan(keys, order, extent, shuffle, rows, present=(*keys, TIME))


def summaries_of(
    cutting: RangePlan,
    events: "BoundTable",
    wanted: "dict[str, Column]",
    only_matching: bool,
) -> "DataFrame":
    """Return summaries of large keys, only of the rows that are shuffled."""
    only = wanted[CONDITIONS] != 0 if only_matching else None
    return cutting.summaries(events.df, wanted, only)
