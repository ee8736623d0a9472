"""The specification of a funnel: plain data, checked."""

import difflib
from collections.abc import Mapping, Sequence, Set
from typing import Any

from kernels.funnel.levels import MAX_STEPS
from workbench.arguments import column_names, listed, one_name, whole_number
from workbench.described import Described
from workbench.durations import Duration, duration_text, microseconds, to_python
from workbench.errors import WorkbenchError
from workbench.funnel.counting import UNITS, Moment, checked_counting
from workbench.funnel.cutting import check_cut, cut_text, uncut_reason
from workbench.funnel.rules import checked_rules, span
from workbench.funnel.segments import checked_segments
from workbench.funnel.steps import Condition, check_steps

MODES = ("strict_order", "strict_deduplication", "strict_increase", "strict_once", "allow_reentry")

Steps = Sequence[str | Sequence[str]] | Mapping[str, Condition]


class FunnelSpec(Described):
    """A sequence of steps that each key may pass through within a window of time.

    Internal functions take this class; :class:`workbench.Funnel` adds the methods for users.

    Parameters
    ----------
    steps, window, key, time, event, modes, unit, order, optional, within, exclude, exclude_from
    hold, count, session, start, end, attribution, cohorts, cut
        As :class:`workbench.Funnel` takes them.

    Attributes
    ----------
    labels : tuple of str
        The labels of the steps.
    names : tuple of tuple of str, or None
        The event names of each step; None if steps are conditions.
    conditions : dict of str to (str or Column), or None
        By label; None if steps are names of events.
    window : str, timedelta or int
    key : tuple of str
        The key's columns, then those held constant and the session column: they identify a chain.
    time, event : str
    modes : tuple of str
    unit : str, or None
        The plural noun for the keys; None for that of the key's column, or for users.
    rules : ChainRules
        Rules beyond the steps.
    counting : Counting
        What is counted.
    segmenting : SegmentRules
        How segments are defined.
    argument_of : dict of str to str
        The argument that a condition came from, by its label, if that is not ``steps``.
    uncut : str, or None
        Why large keys cannot be cut; None if they can.

    Raises
    ------
    WorkbenchError
        When the steps, the window or the modes are invalid.
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
        hold: str | Sequence[str] = (),
        count: str = "users",
        session: "Duration | None" = None,
        start: "Moment | None" = None,
        end: "Moment | None" = None,
        attribution: str | int = "first",
        cohorts: "Mapping[str, Any] | None" = None,
        cut: str | int | None = None,
    ) -> None:
        self.labels, self.names, self.conditions = _checked_steps(steps)
        self.window = window = to_python(window)
        user_key = column_names(key)
        self.counting = checked_counting(hold, count, session, start, end, user_key)
        self.key = (*user_key, *self.counting.columns)
        self.time, self.event = one_name(time, "time"), one_name(event, "event")
        self.modes, self.unit = _checked_modes(modes), _checked_unit(unit)
        span(window, whole_number(window) is not None)
        self.rules = checked_rules(
            self.labels, window, self.names, order, optional, within, exclude, exclude_from
        )
        self.segmenting = checked_segments(
            attribution, cohorts, self.labels, self.names is not None, self.rules.order
        )
        self._check_together()
        self.argument_of = {one.label: "exclude" for one in self.rules.exclusions}
        self.argument_of |= {one.label: "cohorts" for one in self.segmenting.cohorts}
        self.uncut = uncut_reason(self.modes, self.rules, self.counting, len(self.labels))
        self.cut = check_cut(cut, self.uncut)

    def __repr__(self) -> str:
        steps = self.conditions or [
            one[0] if len(one) == 1 else list(one) for one in self.names or ()
        ]
        arguments = [
            *self.shared_arguments(),
            ("modes", list(self.modes), []),
            *self.rule_arguments(),
            *self.counting.arguments(),
            *self.segmenting.arguments(self.labels),
            ("cut", self.cut, None),
        ]
        changed = [(name, value) for name, value, default in arguments if value != default]
        text = "".join(f", {name}={value!r}" for name, value in changed)
        return f"wb.Funnel({steps!r}, window={self.window!r}{text})"

    def _facts(self) -> dict[str, object]:
        conditions = self.conditions or dict.fromkeys(self.labels)
        steps = [f"{k + 1} {label}" for k, label in enumerate(self.labels)]
        texts = [f"{label}: {one}" for label, one in conditions.items() if one is not None]
        window = self.window
        return {
            "steps": " → ".join(steps),
            "where": "; ".join(texts) or None,
            "within": window if isinstance(window, int) else duration_text(microseconds(window)),
            "key": f"{', '.join(self.own_key)}{f' ({self.unit})' if self.unit else ''}",
            "time": self.time,
            "event": self.event if self.conditions is None else None,
            "modes": ", ".join(self.modes) or None,
            **{
                {"within": "steps within"}.get(name, name): value
                for name, value, default in (
                    *self.rule_arguments(),
                    *self.counting.arguments(),
                    *self.segmenting.arguments(self.labels),
                )
                if value != default
            },
            "large keys": None if self.cut is None else cut_text(self.cut, self.uncut),
        }

    def explain(self) -> str:
        """Return how keys with too many events for one task are processed.

        Returns
        -------
        str

        Examples
        --------
        >>> import workbench as wb
        >>> print(wb.Funnel(["visit", "buy"], "1 hour", cut="auto").explain())
        large keys: cut by time into pieces, as a chain lies within its window
        >>> print(wb.Funnel(["visit", "buy"], "1 hour", modes=["strict_order"]).explain())
        large keys: one task each, because the mode 'strict_order' ends a key's scan at the first \
interruption
        """
        return f"large keys: {cut_text(self.cut, self.uncut)}"

    @property
    def own_key(self) -> tuple[str, ...]:
        """The columns whose values are one user."""
        return self.key[: len(self.key) - len(self.counting.columns)]

    @property
    def required(self) -> tuple[int, ...]:
        """The steps that are not optional, counted from 0."""
        return tuple(k for k in range(len(self.labels)) if k not in self.rules.optional)

    @property
    def counted(self) -> str | None:
        """The plural noun for what is counted, unless it is users."""
        return self.unit or UNITS.get(self.counting.count)

    def span(self, integer_time: bool) -> int:
        """Return the window in microseconds, or in the unit of an integer time column."""
        return span(self.window, integer_time)

    def shared_arguments(self) -> list[tuple[str, Any, Any]]:
        """Return name, value and default of the arguments that name columns and keys."""
        key = self.own_key
        return [
            ("key", key[0] if len(key) == 1 else list(key), "user_id"),
            ("time", self.time, "timestamp"),
            ("event", self.event, "event"),
            ("unit", self.unit, None),
        ]

    def rule_arguments(self) -> list[tuple[str, Any, Any]]:
        """Return name, value and default of ``order``, ``optional`` and the like."""
        return self.rules.arguments(self.labels, self.names is not None)

    @property
    def all_conditions(self) -> "dict[str, Condition] | None":
        """The conditions of the steps, then of the exclusions; None if they are names."""
        if self.conditions is None:
            return None
        return self.conditions | {one.label: one.what for one in self.rules.exclusions}

    @property
    def all_names(self) -> tuple[tuple[str, ...], ...]:
        """The event names of the steps, then of the exclusions; empty if they are conditions."""
        if self.names is None:
            return ()
        return (*self.names, *((str(one.what),) for one in self.rules.exclusions))

    def _check_together(self) -> None:
        """Refuse arguments that contradict each other."""
        if self.modes and (self.rules.some or self.counting.count == "conversions"):
            raise WorkbenchError(
                f"modes: {self.modes[0]!r} is a mode of ClickHouse's windowFunnel, which does not "
                "have order, optional, within, exclude or conversions; leave out the modes or "
                "these."
            )
        if self.counting.count == "conversions" and len(self.labels) - 1 in self.rules.optional:
            raise WorkbenchError(
                "optional: the last step ends a conversion, so it cannot be left out; "
                "name an earlier one, or count users."
            )
        if self.counting.end is not None and self.rules.order == "any":
            raise WorkbenchError(
                "end: steps in any order have no first step that must lie in a period; "
                "leave the end out, or leave later events out of the table."
            )
        steps = self.conditions or ()
        if clashes := [one.label for one in self.rules.exclusions if one.label in steps]:
            raise WorkbenchError(
                f"exclude: {clashes[0]!r} is the label of a step; give the exclusion another one."
            )
        conditions = self.all_conditions or ()
        if clashes := [one.label for one in self.segmenting.cohorts if one.label in conditions]:
            raise WorkbenchError(
                f"cohorts: {clashes[0]!r} is the label of a step or an exclusion; "
                "give the cohort another one."
            )
        if (total := len(self.labels) + len(self.rules.exclusions)) > MAX_STEPS:
            raise WorkbenchError(
                f"exclude: there are {total} steps and exclusions together; "
                f"give at most {MAX_STEPS}."
            )
        if (total := total + sum(one.column is None for one in self.segmenting.cohorts)) > (
            MAX_STEPS
        ):
            raise WorkbenchError(
                f"cohorts: there are {total} steps, exclusions and cohorts together; "
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
    names = tuple((one,) if isinstance(one, str) else _alternatives(one) for one in steps)
    for one in names:
        check_steps(one, "steps")
    labels = tuple(" or ".join(one) for one in names)
    check_steps(labels, "steps")
    return labels, names, None


def _alternatives(step: Any) -> tuple[Any, ...]:
    """Return the names of a step that any of several events fulfils."""
    is_list = isinstance(step, Sequence) and len(step) > 0
    return tuple(step) if is_list else (step,)


def _checked_modes(modes: Sequence[str]) -> tuple[str, ...]:
    # The order of modes has no meaning, so a set of them is accepted.
    chosen = tuple(modes) if isinstance(modes, Set) else listed(modes, "modes")
    for mode in chosen:
        if not isinstance(mode, str) or mode not in MODES:
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
            f"unit: {unit!r} is not a noun; say what the keys are, such as 'aircraft' or 'orders'."
        )
    return unit
