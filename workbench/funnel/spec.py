"""What is asked of each key's events: data alone, checked."""

import difflib
from collections.abc import Mapping, Sequence, Set

from workbench.arguments import listed
from workbench.described import Described
from workbench.durations import Duration, microseconds, spoken, ticks
from workbench.errors import WorkbenchError
from workbench.spark.shuffle import Condition, check_steps, one_name, several

MODES = ("strict_order", "strict_deduplication", "strict_increase", "strict_once", "allow_reentry")

Steps = Sequence[str] | Mapping[str, Condition]


class FunnelSpec(Described):
    """A sequence of steps that each key may pass through within a window of time.

    Whatever works on a funnel takes this; :class:`workbench.Funnel` adds what a person asks of one.

    Parameters
    ----------
    steps, window, key, time, event, modes, unit
        As :class:`workbench.Funnel` takes them.

    Attributes
    ----------
    labels : tuple of str
        The steps as a person names them.
    conditions : dict of str to (str or Column), or None
        By label; None where steps are names of events.
    window : str, timedelta or int
    key : tuple of str
    time, event : str
    modes : tuple of str
    unit : str, or None
        What the keys are, in the plural; None where the key's column says it, or they are users.

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
    ) -> None:
        self.labels, self.conditions = _checked_steps(steps)
        self.window, self.key = window, several(key)
        self.time, self.event = one_name(time, "time"), one_name(event, "event")
        self.modes, self.unit = _checked_modes(modes), _checked_unit(unit)
        if not isinstance(window, int) or isinstance(window, bool):
            microseconds(window)
        else:
            ticks(window)

    def __repr__(self) -> str:
        steps = list(self.labels) if self.conditions is None else self.conditions
        key = self.key[0] if len(self.key) == 1 else list(self.key)
        given = [
            ("key", key, "user_id"), ("time", self.time, "timestamp"),
            ("event", self.event, "event"), ("modes", list(self.modes), []),
            ("unit", self.unit, None),
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
        }

    def span(self, integer_time: bool) -> int:
        """Return the window in microseconds, or in the unit of an integer time column."""
        return ticks(self.window) if integer_time else microseconds(self.window)


def _checked_steps(steps: Steps) -> tuple[tuple[str, ...], dict[str, Condition] | None]:
    if isinstance(steps, str) or not isinstance(steps, Sequence | Mapping):
        raise WorkbenchError(
            "steps: give a list of event names, or a dict of conditions by label, "
            'such as {"late": "delay > 15"}.'
        )
    check_steps(steps, "steps")
    return tuple(steps), dict(steps) if isinstance(steps, Mapping) else None


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
