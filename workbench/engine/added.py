"""Functions that are added while Python runs: what executors must be told of them.

Executors have the catalogue and the aggregates that the packages bring. A row that was added later,
and the aggregates that it names, travel with each call of it. The class of a state that the kernels
do not have travels by name, so its module has to be one that executors can import.
"""

from typing import NamedTuple

from kernels.states.aggregates import AGGREGATES, KNOWN_TO_EXECUTORS, Aggregate
from workbench.functions import catalogue
from workbench.functions.catalogue import CATALOGUE, FunctionInfo


class AddedFunction(NamedTuple):
    """What executors do not know of a function, or of the state of an aggregate.

    Attributes
    ----------
    rows : dict of str to FunctionInfo
    aggregates : dict of str to Aggregate
    """

    rows: dict[str, FunctionInfo]
    aggregates: dict[str, Aggregate]

    def learn(self) -> None:
        """Know it from now on."""
        CATALOGUE.update(self.rows)
        AGGREGATES.update(self.aggregates)


def added(name: str) -> AddedFunction | None:
    """Return what executors do not know of a function or an aggregate, None where that is nothing.

    Parameters
    ----------
    name : str

    Returns
    -------
    AddedFunction or None

    Examples
    --------
    >>> added("avg"), added("integer_sum")
    (None, None)
    """
    row = CATALOGUE.get(name)
    rows = {} if row is None or name in catalogue.KNOWN_TO_EXECUTORS else {name: row}
    names = {name} if row is None else {row.aggregate, *row.states}
    aggregates = {
        one: AGGREGATES[one] for one in sorted(names - KNOWN_TO_EXECUTORS) if one in AGGREGATES
    }
    return AddedFunction(rows, aggregates) if rows or aggregates else None
