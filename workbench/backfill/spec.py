"""The specification of a backfill: checked data, without a plan."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from kernels.tiling.hops import default_hop
from workbench.arguments import check_known, column_names, one_name
from workbench.backfill.aggregation import Aggregation, Window, checked_length
from workbench.backfill.worker.cogroup import Span
from workbench.described import Described
from workbench.durations import Duration, microseconds, ticks
from workbench.errors import WorkbenchError

KINDS = ("sawtooth", "sliding", "hopping")


class BackfillSpec(Described):
    """Aggregations of events over windows that end at each query.

    Internal functions take this class; :class:`workbench.Backfill` adds the public methods.

    Parameters
    ----------
    key, time, aggregations, window, hop, query_time
        As :class:`workbench.Backfill` takes them.

    Attributes
    ----------
    key : tuple of str
    time, query_time : str
    aggregations : tuple of Aggregation
    window : str
    hop : str, timedelta, int or None

    Raises
    ------
    WorkbenchError
        When an argument is not valid.
    """

    def __init__(
        self,
        key: str | Sequence[str],
        time: str,
        aggregations: Aggregation | Sequence[Aggregation],
        window: str = "sawtooth",
        hop: Duration | None = None,
        query_time: str | None = None,
    ) -> None:
        self.key, self.time = column_names(key), one_name(time, "time")
        self.query_time = time if query_time is None else one_name(query_time, "query_time")
        self.aggregations = _aggregations(aggregations)
        check_known(window, KINDS, "window")
        self.window = window
        self.hop = None if hop is None else checked_length(hop, "hop")

    def __repr__(self) -> str:
        key = self.key[0] if len(self.key) == 1 else list(self.key)
        given: dict[str, Any] = {"key": key, "time": self.time}
        given["aggregations"] = list(self.aggregations)
        given |= {} if self.window == "sawtooth" else {"window": self.window}
        given |= {} if self.hop is None else {"hop": self.hop}
        given |= {} if self.query_time == self.time else {"query_time": self.query_time}
        return f"wb.Backfill({', '.join(f'{name}={value!r}' for name, value in given.items())})"

    def _facts(self) -> dict[str, object]:
        made = "; ".join(f"{', '.join(one.names)} = {one!r}" for one in self.aggregations)
        differs = self.query_time != self.time
        return {
            "features": made,
            "key": ", ".join(self.key),
            "time": f"{self.time}; in the queries {self.query_time}" if differs else self.time,
            "windows": f"{self.window}{f', hop {self.hop}' if self.hop is not None else ''}",
        }

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that a run adds to the queries.

        Examples
        --------
        >>> import workbench as wb
        >>> features = [wb.Aggregation("count"), wb.Aggregation("avg", "price", windows=[2, 5])]
        >>> wb.Backfill("user", "ts", features).names
        ('count', 'price_avg_2', 'price_avg_5')
        """
        return tuple(name for one in self.aggregations for name in one.names)

    def span(self, aggregation: Aggregation, window: Window, integer_time: bool) -> Span:
        """Return the range of events' times that a query sees, for a window of an aggregation."""
        length = ticks if integer_time else microseconds
        size = None if window is None else length(window, "windows")
        if self.window == "sliding":
            return Span(size)
        hop_length = self.hop if aggregation.hop is None else aggregation.hop
        # An unbounded window has no begin to round.
        default = default_hop(2**62 if size is None else size)
        hop = default if hop_length is None else length(hop_length, "hop")
        return Span(size, hop, hop if self.window == "hopping" else 1)


def _aggregations(given: object) -> tuple[Aggregation, ...]:
    found = (given,) if isinstance(given, Aggregation) else given
    if not isinstance(found, Sequence) or isinstance(found, str) or not found:
        raise WorkbenchError(
            f"aggregations: {given!r} contains no aggregation; give a list of wb.Aggregation(...)."
        )
    for one in found:
        if not isinstance(one, Aggregation):
            raise WorkbenchError(
                f"aggregations: {one!r} is not an aggregation; give wb.Aggregation(...)."
            )
    counted = Counter(name.lower() for one in found for name in one.names)
    if twice := [name for name, count in counted.items() if count > 1]:
        raise WorkbenchError(
            f"aggregations: two results are called {twice[0]!r}; give one of them a name=."
        )
    return tuple(found)
