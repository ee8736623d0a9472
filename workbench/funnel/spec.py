"""What is asked of each key's events: data alone, checked."""

import difflib
from collections.abc import Mapping, Sequence, Set
from typing import Any

from kernels.funnel.levels import MAX_STEPS
from workbench.arguments import listed, whole_number
from workbench.described import Described
from workbench.durations import Duration, duration_text, microseconds, to_python
from workbench.errors import WorkbenchError
from workbench.funnel.counting import UNITS, Moment, checked_counting
from workbench.funnel.cutting import check_cut, in_words, why_whole
from workbench.funnel.rules import checked_rules, span
from workbench.funnel.segments import checked_segments
from workbench.spark.shuffle import Condition, check_steps, column_names, one_name

MODES = ("strict_order", "strict_deduplication", "strict_increase", "strict_once", "allow_reentry")

Steps = Sequence[str | Sequence[str]] | Mapping[str, Condition]


class FunnelSpec(Described):
    """A sequence of steps that each key may pass through within a window of time.

    Whatever works on a funnel takes this; :class:`workbench.Funnel` adds what a person asks of one.

    Parameters
    ----------
    steps, window, key, time, event, modes, unit, order, optional, within, exclude, exclude_from
    hold, count, session, start, end, attribution, cohorts, cut
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
        With it the columns that are held constant, and the one of sessions: what one chain is of.
    time, event : str
    modes : tuple of str
    unit : str, or None
        What the keys are, in the plural; None where the key's column says it, or they are users.
    rules : ChainRules
        What is asked beyond the steps.
    counting : Counting
        What is counted.
    segmenting : SegmentRules
        How segments are told apart.
    argument_of : dict of str to str
        By the label of a condition the argument that gave it, where that is not the steps.
    uncut : str, or None
        Why large keys cannot be cut; None where they can.

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
        given = column_names(key)
        self.counting = checked_counting(hold, count, session, start, end, given)
        self.key = (*given, *self.counting.columns)
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
        self.uncut = why_whole(self.modes, self.rules, self.counting, len(self.labels))
        self.cut = check_cut(cut, self.uncut)

    def __repr__(self) -> str:
        steps = self.conditions or [
            one[0] if len(one) == 1 else list(one) for one in self.names or ()
        ]
        given = [
            *self.shared_arguments(),
            ("modes", list(self.modes), []),
            *self.rule_arguments(),
            *self.counting.arguments(),
            *self.segmenting.arguments(self.labels),
            ("cut", self.cut, None),
        ]
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
            "within": window if isinstance(window, int) else duration_text(microseconds(window)),
            "key": f"{', '.join(self.own_key)}{f' ({self.unit})' if self.unit else ''}",
            "time": self.time,
            "event": self.event if self.conditions is None else None,
            "modes": ", ".join(self.modes) or None,
            **{
                {"within": "steps within"}.get(name, name): value
                for name, value, usual in (
                    *self.rule_arguments(),
                    *self.counting.arguments(),
                    *self.segmenting.arguments(self.labels),
                )
                if value != usual
            },
            "large keys": None if self.cut is None else in_words(self.cut, self.uncut),
        }

    def explain(self) -> str:
        """Return what is done with keys of more events than suit one task.

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
        return f"large keys: {in_words(self.cut, self.uncut)}"

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
        """What is counted, in the plural, where it is something else than users."""
        return self.unit or UNITS.get(self.counting.count)

    def span(self, integer_time: bool) -> int:
        """Return the window in microseconds, or in the unit of an integer time column."""
        return span(self.window, integer_time)

    def shared_arguments(self) -> list[tuple[str, Any, Any]]:
        """Return what names the events' columns and the keys: arguments, values, usual values."""
        key = self.own_key
        return [
            ("key", key[0] if len(key) == 1 else list(key), "user_id"),
            ("time", self.time, "timestamp"),
            ("event", self.event, "event"),
            ("unit", self.unit, None),
        ]

    def rule_arguments(self) -> list[tuple[str, Any, Any]]:
        """Return ``order``, ``optional`` and the like, the value of each, and its usual value."""
        return self.rules.arguments(self.labels, self.names is not None)

    @property
    def all_conditions(self) -> "dict[str, Condition] | None":
        """The conditions of the steps, then of the exclusions; None where they are names."""
        if self.conditions is None:
            return None
        return self.conditions | {one.label: one.what for one in self.rules.exclusions}

    @property
    def all_names(self) -> tuple[tuple[str, ...], ...]:
        """The names of events of the steps, then of the exclusions; none where conditions are."""
        if self.names is None:
            return ()
        return (*self.names, *((str(one.what),) for one in self.rules.exclusions))

    def _check_together(self) -> None:
        """Refuse what cannot be asked at once."""
        if self.modes and (self.rules.some or self.counting.count == "conversions"):
            raise WorkbenchError(
                f"modes: {self.modes[0]!r} is a mode of ClickHouse's windowFunnel, which knows no "
                "order, optional, within, exclude or conversions; leave the modes out, or those."
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
        both = [one.label for one in self.rules.exclusions if one.label in (self.conditions or ())]
        if both:
            raise WorkbenchError(
                f"exclude: {both[0]!r} is the label of a step; give the exclusion another one."
            )
        conditions = self.all_conditions or ()
        if both := [one.label for one in self.segmenting.cohorts if one.label in conditions]:
            raise WorkbenchError(
                f"cohorts: {both[0]!r} is the label of a step or an exclusion; "
                "give the cohort another one."
            )
        if (several := len(self.labels) + len(self.rules.exclusions)) > MAX_STEPS:
            raise WorkbenchError(
                f"exclude: there are {several} steps and exclusions together; "
                f"give at most {MAX_STEPS}."
            )
        if (several := several + sum(one.column is None for one in self.segmenting.cohorts)) > (
            MAX_STEPS
        ):
            raise WorkbenchError(
                f"cohorts: there are {several} steps, exclusions and cohorts together; "
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
            f"unit: {unit!r} is no noun; say what the keys are, such as 'aircraft' or 'orders'."
        )
    return unit
