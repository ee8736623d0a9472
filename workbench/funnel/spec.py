"""What is asked of each key's events: data alone, checked."""

import difflib
from collections.abc import Mapping, Sequence, Set
from typing import Any

from kernels.funnel.levels import MAX_STEPS
from workbench.arguments import listed
from workbench.described import Described
from workbench.durations import Duration, microseconds, spoken, ticks
from workbench.errors import WorkbenchError
from workbench.funnel.rules import checked_rules, span
from workbench.spark.shuffle import Condition, check_steps, one_name, several

MODES = ("strict_order", "strict_deduplication", "strict_increase", "strict_once", "allow_reentry")

Steps = Sequence[str | Sequence[str]] | Mapping[str, Condition]


class FunnelSpec(Described):
    """A sequence of steps that each key may pass through within a window of time.

    Whatever works on a funnel takes this; :class:`workbench.Funnel` adds what a person asks of one.

    Parameters
    ----------
    steps, window, key, time, event, modes, unit, order, optional, within, exclude, exclude_from
        As :class:`workbench.Funnel` takes them.

    Attributes
    ----------
    labels : tuple of str
        The steps as a person names them.
    names : tuple of tuple of str, or None
        The names of events that are each step; None where steps are conditions.
    conditions : dict of str to (str or Column), or None
        By label; None where steps are names of events.
    window : str, timedelta or int
    key : tuple of str
    time, event : str
    modes : tuple of str
    unit : str, or None
        What the keys are, in the plural; None where the key's column says it, or they are users.
    rules : ChainRules
        What is asked beyond the steps.

    Raises
    ------
    WorkbenchError
        When the steps, the window or the modes cannot be meant.
    """

    def __init__(
        self,
        steps: Steps,
        window: Duration,
        key: str | Sequence[str] = "user_id",
        time: str = "timestamp",
        event: str = "event",
        modes: Sequence[str] = (),
        unit: str | None = None,
        *,
        order: str = "this",
        optional: Sequence[str | int] = (),
        within: "Mapping[str | int, Duration] | None" = None,
        exclude: "Sequence[str] | Mapping[str, Any] | None" = None,
        exclude_from: str = "later",
    ) -> None:
        self.labels, self.names, self.conditions = _checked_steps(steps)
        self.window, self.key = window, several(key)
        self.time, self.event = one_name(time, "time"), one_name(event, "event")
        self.modes, self.unit = _checked_modes(modes), _checked_unit(unit)
        if not isinstance(window, int) or isinstance(window, bool):
            microseconds(window)
        else:
            ticks(window)
        self.rules = checked_rules(
            self.labels, window, self.names, order, optional, within, exclude, exclude_from
        )
        self._check_together()

    def __repr__(self) -> str:
        steps = self.conditions or [
            one[0] if len(one) == 1 else list(one) for one in self.names or ()
        ]
        key = self.key[0] if len(self.key) == 1 else list(self.key)
        given = [
            ("key", key, "user_id"), ("time", self.time, "timestamp"),
            ("event", self.event, "event"), ("modes", list(self.modes), []),
            ("unit", self.unit, None), *self.rule_arguments(),
        ]  # fmt: skip
        rest = "".join(f", {name}={value!r}" for name, value, usual in given if value != usual)
        return f"wb.Funnel({steps!r}, window={self.window!r}{rest})"

    def _facts(self) -> dict[str, object]:
        known = self.conditions or dict.fromkeys(self.labels)
        steps = [f"{k + 1} {label}" for k, label in enumerate(self.labels)]
        told = [f"{label}: {known[label]}" for label in known if known[label] is not None]
        window = self.window
        return {
            "steps": " → ".join(steps),
            "where": "; ".join(told) or None,
            "within": window if isinstance(window, int) else spoken(microseconds(window)),
            "key": f"{', '.join(self.key)}{f' ({self.unit})' if self.unit else ''}",
            "time": self.time,
            "event": self.event if self.conditions is None else None,
            "modes": ", ".join(self.modes) or None,
            **{
                {"within": "steps within"}.get(name, name): value
                for name, value, usual in self.rule_arguments()
                if value != usual
            },
        }

    def span(self, integer_time: bool) -> int:
        """Return the window in microseconds, or in the unit of an integer time column."""
        return span(self.window, integer_time)

    def rule_arguments(self) -> list[tuple[str, Any, Any]]:
        """Return ``order``, ``optional`` and the like, the value of each, and its usual value."""
        return self.rules.arguments(self.labels, self.names is not None)

    @property
    def looked_for(self) -> "tuple[tuple[str, ...], ...] | dict[str, Condition]":
        """What each bit of a row says: the steps first, then the exclusions."""
        if self.conditions is not None:
            return self.conditions | {one.label: one.what for one in self.rules.exclusions}
        return (*(self.names or ()), *((str(one.what),) for one in self.rules.exclusions))

    def _check_together(self) -> None:
        """Refuse what cannot be asked at once."""
        if self.modes and self.rules.some:
            raise WorkbenchError(
                f"modes: {self.modes[0]!r} is a mode of ClickHouse's windowFunnel, which knows no "
                "order, optional, within or exclude; leave the modes out, or those."
            )
        both = [one.label for one in self.rules.exclusions if one.label in (self.conditions or ())]
        if both:
            raise WorkbenchError(
                f"exclude: {both[0]!r} is the label of a step; give the exclusion another one."
            )
        if len(self.looked_for) > MAX_STEPS:
            raise WorkbenchError(
                f"exclude: there are {len(self.looked_for)} steps and exclusions together; "
                f"give at most {MAX_STEPS}."
            )


def _checked_steps(
    steps: Steps,
) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...] | None, dict[str, Condition] | None]:
    if isinstance(steps, str) or not isinstance(steps, Sequence | Mapping):
        raise WorkbenchError(
            "steps: give a list of event names, or a dict of conditions by label, "
            'such as {"late": "delay > 15"}.'
        )
    if isinstance(steps, Mapping):
        check_steps(steps, "steps")
        return tuple(steps), None, dict(steps)
    names = tuple((one,) if isinstance(one, str) else _any_of_them(one) for one in steps)
    for one in names:
        check_steps(one, "steps")
    labels = tuple(" or ".join(one) for one in names)
    check_steps(labels, "steps")
    return labels, names, None


def _any_of_them(step: Any) -> tuple[Any, ...]:
    """The names of a step that is any of several events."""
    several = isinstance(step, Sequence) and len(step) > 0
    return tuple(step) if several else (step,)


def _checked_modes(modes: Sequence[str]) -> tuple[str, ...]:
    # The order of modes says nothing, so a set of them is as good as a list.
    chosen = tuple(modes) if isinstance(modes, Set) else listed(modes, "modes")
    for mode in chosen:
        if mode not in MODES:
            close = difflib.get_close_matches(str(mode), MODES, n=1, cutoff=0)
            raise WorkbenchError(
                f"modes: {mode!r} is not a mode; did you mean {close[0]!r}? "
                f"There are {', '.join(MODES)}."
            )
    if "allow_reentry" in chosen and "strict_order" not in chosen:
        raise WorkbenchError(
            "modes: 'allow_reentry' relaxes 'strict_order'; give both, or leave it out."
        )
    return tuple(mode for mode in MODES if mode in chosen)


def _checked_unit(unit: str | None) -> str | None:
    if unit is not None and (not isinstance(unit, str) or not unit.strip()):
        raise WorkbenchError(
            f"unit: {unit!r} is no noun; say what the keys are, such as 'aircraft' or 'orders'."
        )
    return unit
