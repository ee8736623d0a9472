"""Segments: at which step a column is read, and cohorts of those who ever did something."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from workbench.arguments import check_known, check_text, is_iterable, listed, whole_number
from workbench.errors import WorkbenchError
from workbench.funnel.rules import step_name, step_number
from workbench.funnel.steps import check_steps

if TYPE_CHECKING:
    from workbench.funnel.steps import Condition

#: Where segment columns are read, in addition to a step by its label or number.
FIRST, LAST, EACH = "first", "last", "each"


class Cohort(NamedTuple):
    """The keys that have an event of some kind.

    Attributes
    ----------
    label : str
    definition : Any
        The argument that defined it.
    names : tuple of str
        Names of events; any of them counts.
    condition : str, Column or None
        A condition that the event fulfils.
    column : str, or None
        Instead of both, a column that has one of ``values``.
    values : tuple
    """

    label: str
    definition: Any
    names: tuple[str, ...] = ()
    condition: "Condition | None" = None
    column: str | None = None
    values: tuple[Any, ...] = ()


@dataclass(frozen=True)
class SegmentRules:
    """How segments are defined, checked; the default is the values at the first step.

    Attributes
    ----------
    attribution : str or int
        ``"first"``, ``"last"``, ``"each"``, or a step counted from 0.
    cohorts : tuple of Cohort
    """

    attribution: str | int = FIRST
    cohorts: tuple[Cohort, ...] = ()

    def arguments(self, labels: Sequence[str]) -> list[tuple[str, Any, Any]]:
        """Return the name, value and default of each argument that sets these rules."""
        at = self.attribution
        name = at if isinstance(at, str) else step_name(at, labels)
        # The label of a step may be one of these words.
        name = (
            int(at) + 1 if name in (FIRST, LAST, EACH) and at not in (FIRST, LAST, EACH) else name
        )
        cohorts = {one.label: one.definition for one in self.cohorts}
        return [("attribution", name, FIRST), ("cohorts", cohorts, {})]

    def of(self, by: Sequence[str]) -> tuple[Cohort, ...]:
        """Return the cohorts among the requested segments."""
        return tuple(one for one in self.cohorts if one.label in by)

    def columns(self, by: Sequence[str]) -> tuple[str, ...]:
        """Return the columns of the table that segments are read from."""
        cohorts = self.of(by)
        labels = {one.label for one in cohorts}
        own = (name for name in by if name not in labels)
        return tuple(dict.fromkeys((*own, *(one.column for one in cohorts if one.column))))


def checked_segments(
    attribution: Any, cohorts: Any, labels: Sequence[str], named: bool, order: str
) -> SegmentRules:
    """Return the checked segment rules; see :class:`workbench.Funnel` for the parameters.

    Parameters
    ----------
    attribution, cohorts
    labels : sequence of str
        The steps.
    named : bool
        Whether steps are names of events, and not conditions.
    order : str

    Raises
    ------
    WorkbenchError
    """
    at: str | int = attribution
    if not isinstance(attribution, str) or attribution not in (FIRST, LAST, EACH):
        if whole_number(attribution) is None:
            check_known(attribution, (FIRST, LAST, EACH, *labels), "attribution")
        at = step_number(attribution, labels, "attribution")
        if order == "any":
            raise WorkbenchError(
                "attribution: steps in any order have no fixed place in a chain; "
                "give 'first', 'last' or 'each'."
            )
    if cohorts is None:
        cohorts = {}
    if not isinstance(cohorts, Mapping):
        raise WorkbenchError(
            f"cohorts: {cohorts!r} is not a dict; say by label what members of a cohort ever did, "
            + ('such as {"helped": "help"}.' if named else 'such as {"refunded": "amount < 0"}.')
        )
    return SegmentRules(at, tuple(_cohort(*one, named) for one in cohorts.items()))


def _cohort(label: Any, definition: Any, named: bool) -> Cohort:
    if not isinstance(label, str) or not label.strip():
        raise WorkbenchError(f"cohorts: {label!r} is not a label; give text.")
    check_text(label, "cohorts")
    if isinstance(definition, Mapping):
        return _of_column(label, definition)
    if not named:
        check_steps({label: definition}, "cohorts")
        return Cohort(label, definition, condition=definition)
    names = listed(definition, "cohorts")
    if not names:
        raise WorkbenchError(f"cohorts: {label!r} has no event; name one, or several in a list.")
    check_steps(names, "cohorts")
    return Cohort(label, definition, tuple(names))


def _of_column(label: str, definition: Mapping[Any, Any]) -> Cohort:
    """Return a cohort defined by the values of a column."""
    column, values = next(iter(definition.items()), (None, ()))
    allowed = () if values is None else listed(values, "cohorts")
    if len(definition) != 1 or not isinstance(column, str) or not allowed or None in allowed:
        raise WorkbenchError(
            f"cohorts: {definition!r} of {label!r} is not a column with a value, or several in "
            'a list; give one such as {"country": "fr"}.'
        )
    # Python's values instead of NumPy's, because their repr is valid code.
    plain = tuple(one.item() if isinstance(one, np.generic) else one for one in allowed)
    several = not isinstance(values, str | bytes) and is_iterable(values)
    definition = {column: list(plain) if several else plain[0]}
    return Cohort(label, definition, column=column, values=plain)
