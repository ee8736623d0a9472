"""Functions that are added at run time, and their transfer to executors.

Executors have the catalogue and the aggregates of the installed packages. A row that was added
later travels with each call of the function, together with its aggregates. The class of a new state
travels by name, so executors must be able to import its module.
"""

from typing import NamedTuple

from kernels.states.aggregates import AGGREGATES, KNOWN_TO_EXECUTORS, Aggregate
from workbench.functions import catalogue
from workbench.functions.catalogue import CATALOGUE, FunctionInfo


class AddedFunction(NamedTuple):
    """The catalogue rows and aggregates of a function that executors lack.

    Attributes
    ----------
    rows : dict of str to FunctionInfo
    aggregates : dict of str to Aggregate
    """

    rows: dict[str, FunctionInfo]
    aggregates: dict[str, Aggregate]

    def register(self) -> None:
        """Add them to the catalogue and the aggregates of this process."""
        CATALOGUE.update(self.rows)
        AGGREGATES.update(self.aggregates)


def added_function(name: str) -> AddedFunction | None:
    """Return what executors lack of a function or an aggregate, None where they have all.

    Parameters
    ----------
    name : str

    Returns
    -------
    AddedFunction or None

    Examples
    --------
    >>> added_function("avg"), added_function("integer_sum")
    (None, None)
    """
    row = CATALOGUE.get(name)
    rows = {} if row is None or name in catalogue.KNOWN_TO_EXECUTORS else {name: row}
    names = {name} if row is None else {row.aggregate, *row.states}
    aggregates = {
        one: AGGREGATES[one] for one in sorted(names - KNOWN_TO_EXECUTORS) if one in AGGREGATES
    }
    return AddedFunction(rows, aggregates) if rows or aggregates else None
