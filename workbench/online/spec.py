"""The specification of an online view: a backfill, a store, and how long an upload serves."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.backfill.aggregation import checked_length
from workbench.described import Described
from workbench.durations import Duration, microseconds, ticks
from workbench.errors import WorkbenchError
from workbench.online.checks import check_backfill
from workbench.stores import Store, store_of

if TYPE_CHECKING:
    from workbench.backfill.backfill import Backfill
    from workbench.backfill.spec import BackfillSpec

#: The variables of a function within a Column, as Spark writes them: `x_1 ->` or `(x_1, y_2) ->`.
_VARIABLES = re.compile(r"(\w+_\d+(?:, \w+_\d+)*)\)? ->")


class ViewSpec(Described):
    """A backfill whose states are kept in a store.

    Internal functions take this class; :class:`workbench.OnlineView` adds the public methods.

    Parameters
    ----------
    backfill, store, lasting
        As :class:`workbench.OnlineView` takes them.

    Attributes
    ----------
    backfill : Backfill
    store : Store
    lasting : str, timedelta or int

    Raises
    ------
    WorkbenchError
        When an argument is not valid.
    """

    def __init__(
        self, backfill: "Backfill", store: "str | Path | Store", lasting: Duration = "2 days"
    ) -> None:
        check_backfill(backfill)
        if backfill.window != "sawtooth":
            raise WorkbenchError(
                f"backfill: its windows are {backfill.window!r}, which hops cannot answer at "
                "every time; give one with window='sawtooth'."
            )
        self.lasting = checked_length(lasting, "lasting")
        self.backfill, self.store = backfill, store_of(store)

    def _facts(self) -> dict[str, object]:
        return {
            "features": ", ".join(self.backfill.names),
            "key": ", ".join(self.backfill.key),
            "store": repr(self.store),
            "an upload serves for": self.lasting,
        }

    def length(self, integer_time: bool) -> int:
        """Return how long an upload serves, in the unit of the times.

        Raises
        ------
        WorkbenchError
            When just one of it and the times has a unit.
        """
        if integer_time:
            return ticks(self.lasting, "lasting")
        if isinstance(self.lasting, int):
            raise WorkbenchError(
                f"lasting: {self.lasting} has no unit, but the events have times; "
                "give a duration with a unit, such as '2 days'."
            )
        return microseconds(self.lasting, "lasting")


def backfill_text(backfill: "BackfillSpec") -> str:
    """Return the text of a backfill by which a store identifies it, the same in each process.

    Spark gives each variable of a function within a Column, such as that of ``F.exists``, a new
    number each time. They are renumbered here.
    """
    text = repr(backfill)
    variables = [name for some in _VARIABLES.findall(text) for name in some.split(", ")]
    for number, name in enumerate(dict.fromkeys(variables)):
        text = re.sub(rf"\b{name}\b", f"v{number}", text)
    return text
