"""Segments: at which step a column is looked at, and cohorts of those who ever did something."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from workbench.arguments import check_known, check_text, is_iterable, listed, whole_number
from workbench.errors import WorkbenchError
from workbench.funnel.rules import step_name, step_number
from workbench.spark.shuffle import check_steps

if TYPE_CHECKING:
    from workbench.spark.shuffle import Condition

#: Where the columns of segments are looked at, beside a step by its label or its number.
FIRST, LAST, EACH = "first", "last", "each"


class Cohort(NamedTuple):
    """Those of whose events one is of a kind.

    Attributes
    ----------
    label : str
    given : Any
        As it was asked for.
    names : tuple of str
        The event's names, any of them.
    condition : str, Column or None
        What is true of the event.
    column : str, or None
        In place of both, a column that has one of some values.
    values : tuple
    """

    label: str
    given: Any
    names: tuple[str, ...] = ()
    condition: "Condition | None" = None
    column: str | None = None
    values: tuple[Any, ...] = ()


@dataclass(frozen=True)
class SegmentRules:
    """How segments are told apart, checked; the defaults are values at the first step.

    Attributes
    ----------
    attribution : str or int
        ``"first"``, ``"last"``, ``"each"``, or a step counted from 0.
    cohorts : tuple of Cohort
    """

    attribution: str | int = FIRST
    cohorts: tuple[Cohort, ...] = ()

    def arguments(self, labels: Sequence[str]) -> list[tuple[str, Any, Any]]:
        """Return each argument that says this, its value, and its usual value."""
        at = self.attribution
        said = at if isinstance(at, str) else step_name(at, labels)
        # The label of a step may be one of the words.
        said = (
            int(at) + 1 if said in (FIRST, LAST, EACH) and at not in (FIRST, LAST, EACH) else said
        )
        cohorts = {one.label: one.given for one in self.cohorts}
        return [("attribution", said, FIRST), ("cohorts", cohorts, {})]

    def of(self, by: Sequence[str]) -> tuple[Cohort, ...]:
        """Return the cohorts among the segments that are asked for."""
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
    """Check how segments are to be told apart; see :class:`workbench.Funnel` for the parameters.

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
                "attribution: steps in any order have no place of their own in a chain; "
                "give 'first', 'last' or 'each'."
            )
    if cohorts is None:
        cohorts = {}
    if not isinstance(cohorts, Mapping):
        raise WorkbenchError(
            f"cohorts: {cohorts!r} is no dict; say by label what those of a cohort ever did, "
            + ('such as {"helped": "help"}.' if named else 'such as {"refunded": "amount < 0"}.')
        )
    return SegmentRules(at, tuple(_cohort(*one, named) for one in cohorts.items()))


def _cohort(label: Any, given: Any, named: bool) -> Cohort:
    if not isinstance(label, str) or not label.strip():
        raise WorkbenchError(f"cohorts: {label!r} is no label; give text.")
    check_text(label, "cohorts")
    if isinstance(given, Mapping):
        return _of_column(label, given)
    if not named:
        check_steps({label: given}, "cohorts")
        return Cohort(label, given, condition=given)
    names = listed(given, "cohorts")
    if not names:
        raise WorkbenchError(f"cohorts: {label!r} has no event; name one, or several in a list.")
    check_steps(names, "cohorts")
    return Cohort(label, given, tuple(names))


def _of_column(label: str, given: Mapping[Any, Any]) -> Cohort:
    """A cohort by the values of a column."""
    column, values = next(iter(given.items()), (None, ()))
    found = () if values is None else listed(values, "cohorts")
    if len(given) != 1 or not isinstance(column, str) or not found or None in found:
        raise WorkbenchError(
            f"cohorts: {given!r} of {label!r} is no column with a value, or several in a list; "
            'give them such as {"country": "fr"}.'
        )
    # Of NumPy's values Python's, which are printed as they can be written.
    plain = tuple(one.item() if isinstance(one, np.generic) else one for one in found)
    several = not isinstance(values, str | bytes) and is_iterable(values)
    said = {column: list(plain) if several else plain[0]}
    return Cohort(label, said, column=column, values=plain)
