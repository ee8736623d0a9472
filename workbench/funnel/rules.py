"""Rules of a funnel beyond its steps: their order, windows, optional steps and excluded events."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from kernels.funnel.chain_levels import ORDERS, Rules
from workbench.arguments import check_known, listed, whole_number
from workbench.durations import Duration, microseconds, ticks, to_python
from workbench.errors import WorkbenchError
from workbench.funnel.steps import check_steps

if TYPE_CHECKING:
    from workbench.funnel.steps import Condition

#: Where to count a key whose furthest chain was ended by an excluded event.
EXCLUDED_FROM = "later", "all"


class Exclusion(NamedTuple):
    """An event that must not happen between two steps.

    Attributes
    ----------
    label : str
        The event's name, or the label of the condition.
    what : str or Column
        The event's name, or the condition.
    opens, closes : int
        The steps between which it must not happen, counted from 0.
    """

    label: str
    what: "Condition"
    opens: int
    closes: int


@dataclass(frozen=True)
class ChainRules:
    """Rules for a chain of steps, checked; the defaults set none.

    Attributes
    ----------
    order : str
        ``"this"``, ``"strict"`` or ``"any"``.
    optional : tuple of int
        Steps that may be left out, counted from 0.
    within : dict of int to (str, timedelta or int)
        The windows of single steps.
    exclusions : tuple of Exclusion
    exclude_from : str
        ``"later"`` or ``"all"``.
    """

    order: str = "this"
    optional: tuple[int, ...] = ()
    within: dict[int, Duration] = field(default_factory=dict)
    exclusions: tuple[Exclusion, ...] = ()
    exclude_from: str = "later"

    @property
    def some(self) -> bool:
        """Whether any rule is set, so that the scan of ``windowFunnel`` cannot be used."""
        return bool(self.order != "this" or self.optional or self.within or self.exclusions)

    def arguments(self, labels: Sequence[str], named: bool) -> list[tuple[str, Any, Any]]:
        """Return the name, value and default of each argument that sets these rules."""
        exclude = {
            one.label: (
                *(() if named else (one.what,)),
                step_name(one.opens, labels),
                step_name(one.closes, labels),
            )
            for one in self.exclusions
        }
        return [
            ("order", self.order, "this"),
            ("optional", [step_name(k, labels) for k in self.optional], []),
            ("within", {step_name(k, labels): length for k, length in self.within.items()}, {}),
            ("exclude", exclude, {}),
            ("exclude_from", self.exclude_from, "later"),
        ]

    def for_kernel(
        self, steps: int, window: int, integer_time: bool, always: bool = False
    ) -> Rules | None:
        """Return the rules as the kernels take them, None if no rule is set.

        Parameters
        ----------
        steps : int
        window : int
        integer_time : bool
        always : bool
            Return them even if no rule is set.
        """
        if not (self.some or always):
            return None
        within = tuple(
            (k, span(length, integer_time, f"within: step {k + 1}"))
            for k, length in self.within.items()
        )
        between = tuple((one.opens, one.closes) for one in self.exclusions)
        return Rules(steps, window, self.order, self.optional, within, between)


def span(length: Duration, integer_time: bool, argument: str = "window") -> int:
    """Return a duration in microseconds, or in the unit of an integer time column."""
    return ticks(length, argument) if integer_time else microseconds(length, argument)


def checked_rules(
    labels: Sequence[str],
    window: Duration,
    names: Sequence[Sequence[str]] | None,
    order: Any = "this",
    optional: Any = (),
    within: Any = None,
    exclude: Any = None,
    exclude_from: Any = "later",
) -> ChainRules:
    """Return the checked rules.

    Parameters
    ----------
    labels : sequence of str
        The steps.
    window : str, timedelta or int
        The window of the whole funnel.
    names : sequence of sequence of str, or None
        The event names of each step; None if steps are conditions.
    order, optional, within, exclude, exclude_from
        As :class:`workbench.Funnel` takes them.

    Returns
    -------
    ChainRules

    Raises
    ------
    WorkbenchError
        When a rule is invalid.
    """
    check_known(order, ORDERS, "order")
    check_known(exclude_from, EXCLUDED_FROM, "exclude_from")
    left_out = tuple(
        sorted({step_number(one, labels, "optional") for one in listed(optional, "optional")})
    )
    _check_optional(left_out, len(labels))
    rules = ChainRules(
        order,
        left_out,
        _windows_of_steps(within, labels, window),
        _exclusions(exclude, labels, left_out, names),
        exclude_from,
    )
    if exclude_from != "later" and not rules.exclusions:
        raise WorkbenchError(
            f"exclude_from: {exclude_from!r} says how to count a key after an excluded event, "
            "and no event is excluded; give exclude=, or leave it out."
        )
    for argument, is_set in (
        ("optional", rules.optional), ("within", rules.within), ("exclude", rules.exclusions),
    ):  # fmt: skip
        if order == "any" and is_set:
            raise WorkbenchError(
                f"{argument}: steps in any order do not follow each other; "
                f'give {argument} with order="this" or "strict", or leave it out.'
            )
    return rules


def step_name(k: int, labels: Sequence[str]) -> str | int:
    """Return the label of a step, or its number from 1 if several steps have that label."""
    return labels[k] if labels.count(labels[k]) == 1 else k + 1


def step_number(one: Any, labels: Sequence[str], argument: str) -> int:
    """Return the step that a label or a number from 1 names, counted from 0."""
    number = whole_number(one)
    if number is not None:
        if 1 <= number <= len(labels):
            return number - 1
        raise WorkbenchError(f"{argument}: there is no step {number}; give 1 to {len(labels)}.")
    check_known(one, tuple(labels), argument)
    if labels.count(one) > 1:
        raise WorkbenchError(
            f"{argument}: {one!r} stands for several steps; give the step's number, from 1."
        )
    return labels.index(one)


def _check_optional(optional: tuple[int, ...], steps: int) -> None:
    if 0 in optional:
        raise WorkbenchError(
            "optional: the first step opens the window, so it cannot be left out; name a later one."
        )
    if optional and len(optional) == steps - 1:
        raise WorkbenchError(
            "optional: every step after the first is optional, so nobody could drop off; "
            "leave one of them required."
        )


def _windows_of_steps(within: Any, labels: Sequence[str], window: Duration) -> dict[int, Duration]:
    if within is None:
        return {}
    if not isinstance(within, Mapping):
        raise WorkbenchError(
            f"within: {within!r} is not a dict; give a window for each step that has its own, "
            'such as {"checkout": "30 minutes"}.'
        )
    windows: dict[int, Duration] = {}
    integers = whole_number(window) is not None
    for one, length in within.items():
        k = step_number(one, labels, "within")
        if k == 0:
            raise WorkbenchError("within: the first step has no step before it; name a later one.")
        if k in windows:
            raise WorkbenchError(
                f"within: {one!r} is step {k + 1}, which already has a window; give it only one."
            )
        if span(length, integers, f"within: {one!r}") > span(window, integers):
            raise WorkbenchError(
                f"within: the window of {one!r} is longer than the whole funnel's, {window!r}; "
                "give a shorter one."
            )
        windows[k] = to_python(length)
    return windows


def _exclusions(
    exclude: Any,
    labels: Sequence[str],
    optional: tuple[int, ...],
    names: Sequence[Sequence[str]] | None,
) -> tuple[Exclusion, ...]:
    if exclude is None:
        return ()
    if not isinstance(exclude, Mapping):
        exclude = _by_name(exclude) if names else exclude
    if not isinstance(exclude, Mapping):
        raise WorkbenchError(
            f"exclude: {exclude!r} is not a dict; give a condition and two steps by label, "
            'such as {"refunded": ("amount < 0", "add_to_cart", "checkout")}.'
        )
    return tuple(
        _exclusion(label, definition, labels, optional, names)
        for label, definition in exclude.items()
    )


def _by_name(exclude: Any) -> dict[str, None]:
    """Return the names of events that are excluded between the first step and the last."""
    names = listed(exclude, "exclude")
    for name in names:
        check_steps((name,), "exclude")
    return dict.fromkeys(names)


def _exclusion(
    label: Any,
    definition: Any,
    labels: Sequence[str],
    optional: tuple[int, ...],
    names: Sequence[Sequence[str]] | None,
) -> Exclusion:
    check_steps((label,), "exclude")
    parts = list(listed(definition, "exclude")) if definition is not None else []
    what = label if names else (parts.pop(0) if parts else None)
    if what is None or len(parts) not in (0, 2):
        two = "two steps" if names else "a condition and two steps"
        raise WorkbenchError(
            f"exclude: {definition!r} of {label!r} does not say between which steps; give {two}."
        )
    if not names:
        check_steps({label: what}, "exclude")
    last = max(k for k in range(len(labels)) if k not in optional)
    opens, closes = (step_number(one, labels, "exclude") for one in parts) if parts else (0, last)
    for k in (opens, closes):
        if k in optional:
            raise WorkbenchError(
                f"exclude: {labels[k]!r} is optional, so an exclusion cannot begin or end at it; "
                "name required steps."
            )
    if opens >= closes:
        raise WorkbenchError(
            f"exclude: {labels[opens]!r} does not come before {labels[closes]!r}; "
            "name the earlier step first."
        )
    inside = [k for k in range(opens, closes + 1) if names and what in names[k]]
    if inside:
        raise WorkbenchError(
            f"exclude: {label!r} is itself the step {labels[inside[0]]!r}, between those steps; "
            "exclude another event, or name other steps."
        )
    return Exclusion(label, what, opens, closes)
