"""What can be asked of a table whose columns have roles, and the lines of Python that ask it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from kernels.tiling.hops import default_hop
from workbench.backfill.aggregation import Aggregation
from workbench.backfill.backfill import Backfill
from workbench.durations import microseconds
from workbench.frames.frame import Frame
from workbench.functions import fn
from workbench.funnel.funnel import Funnel
from workbench.spark.names import quoted
from workbench.windows.over import Over

#: Windows that are offered, by their seconds.
WINDOWS = {
    "10 seconds": 10, "1 minute": 60, "10 minutes": 600, "1 hour": 3_600, "6 hours": 21_600,
    "1 day": 86_400, "7 days": 604_800, "30 days": 2_592_000, "90 days": 7_776_000,
    "365 days": 31_536_000,
}  # fmt: skip
DAY = 86_400
Window = str | int


@dataclass(frozen=True)
class Choice:
    """What a person chose: a column for each role, and what is asked of them.

    Attributes
    ----------
    key, time, event, value : str or None
    also : tuple of str
        Further columns of the key.
    steps : tuple of str
    window : str or int
        An integer where times are integers.
    """

    key: str | None = None
    time: str | None = None
    event: str | None = None
    value: str | None = None
    steps: tuple[str, ...] = ()
    window: Window = "1 day"
    also: tuple[str, ...] = ()

    @property
    def keys(self) -> list[str]:
        """All columns of the key.

        Examples
        --------
        >>> Choice("country", also=("city",)).keys, Choice(also=("city",)).keys
        (['country', 'city'], [])
        """
        return [] if self.key is None else [self.key, *self.also]

    @property
    def key_argument(self) -> str | list[str]:
        """The key as an argument of a specification: a single column needs no list."""
        return self.keys if self.also else str(self.key)


@dataclass(frozen=True)
class TableQuestion:
    """A question that a table of events can answer.

    Attributes
    ----------
    title, words : str
        The question's title, and a sentence about its answer.
    needs : dict of str to str
        The required roles, with a description of each.
    make : function
        Makes the specification for a choice.
    name : str
        The variable's name in the lines of Python.
    """

    title: str
    words: str
    needs: Mapping[str, str]
    make: Callable[[Choice], Any]
    name: str

    def missing(self, choice: Choice) -> str | None:
        """Return a sentence about what is yet to be chosen, or None if the choice is complete."""
        roles = [role for role in self.needs if getattr(choice, role) is None]
        if roles:
            needed = " and ".join(f"{role} ({self.needs[role]})" for role in roles)
            return f"{self.title} needs a column for {needed}; choose one above."
        others = [getattr(choice, role) for role in self.needs if role != "key"]
        chosen = [*choice.keys, *others]
        if repeated := [name for name in chosen if chosen.count(name) > 1]:
            return f"{self.title} needs different columns; {repeated[0]!r} is chosen twice."
        lacks_steps = self.name == "funnel" and not choice.steps
        return f"{self.title} needs steps; choose some." if lacks_steps else None

    def code_lines(self, choice: Choice, source: str) -> list[str]:
        """Return the lines of Python that make the specification and open its explorer.

        Parameters
        ----------
        choice : Choice
        source : str
            The Python expression that makes the table.
        """
        begin = ["import workbench as wb", "", f"events = {source}"]
        specification = f"{self.name} = {self.make(choice)!r}"
        if self.name != "backfill":
            return [*begin, specification, f"wb.explore({self.name}, events)"]
        columns = ", ".join(map(_column_text, [*choice.keys, choice.time]))
        queries = f"queries = events.select({columns})"
        return [*begin, queries, specification, "wb.explore(backfill, queries, events)"]


def _column_text(name: str | None) -> str:
    """Return a column as a Python literal for Spark, which reads dots as fields of structs."""
    return repr(name if str(name).isidentifier() else quoted(str(name)))


def _funnel(choice: Choice) -> Funnel:
    key, time, event = choice.key_argument, str(choice.time), str(choice.event)
    return Funnel(list(choice.steps), choice.window, key=key, time=time, event=event)


def _band(choice: Choice) -> Over:
    low = -choice.window if isinstance(choice.window, int) else f"-{choice.window}"
    band = fn.quantile(str(choice.value), [0.25, 0.5, 0.75])
    return Over(choice.keys, str(choice.time), Frame.range(low, 0), band=band)


def _features(choice: Choice) -> Backfill:
    windows: list[Any] = [choice.window]
    features = [Aggregation("count", windows=windows)]
    if choice.value is not None:
        features.append(Aggregation("avg", choice.value, windows=windows))
    window = "sawtooth" if _has_hop(choice.window) else "sliding"
    return Backfill(choice.key_argument, str(choice.time), features, window)


def _has_hop(window: Window) -> bool:
    """Whether a window contains a hop: one of integers, without a unit, or a short one does not."""
    if isinstance(window, int):
        return False
    size = microseconds(window)
    return size >= default_hop(size)


_KEY, _TIME = "whose events they are", "when they happened"
QUESTIONS = {
    one.title: one
    for one in (
        TableQuestion(
            "Funnel",
            "How many get from step to step within a window, and where the others stop.",
            {"key": _KEY, "time": _TIME, "event": "what happened"},
            _funnel,
            "funnel",
        ),
        TableQuestion(
            "Moving band",
            "The quartiles of a value over time, and what lies outside them.",
            {"time": _TIME, "value": "a number"},
            _band,
            "over",
        ),
        TableQuestion(
            "Features as of queries",
            "What was known about a key at a time: each event asks about what came before it.",
            {"key": _KEY, "time": _TIME},
            _features,
            "backfill",
        ),
    )
}


def windows_for(span: float, integers: bool, days: bool) -> list[Window]:
    """Return suitable windows for a range of times.

    Parameters
    ----------
    span : float
        Seconds between the first and the last time, or the ticks of integers.
    integers, days : bool
        Whether times are integers, or dates.

    Examples
    --------
    >>> windows_for(86_400, False, False)
    ['1 minute', '10 minutes', '1 hour', '6 hours', '1 day']
    >>> windows_for(100, True, False)
    [1, 10, 100]
    """
    if integers:
        return [10**power for power in range(len(str(max(int(span), 1))))][-4:] or [1]
    least = DAY if days else 0
    fits = [name for name, size in WINDOWS.items() if least <= size <= max(span, 10)]
    return list(fits[-5:] or (["1 day"] if days else ["10 seconds"]))


def default_window(windows: list[Window], span: float, rows_each: float) -> Window:
    """Return the window with about twenty rows of a key, at most a quarter of the whole time."""
    target = min(span / 4, 20 * span / max(rows_each, 1))
    sizes = {one: one if isinstance(one, int) else WINDOWS[one] for one in windows}
    return min(windows, key=lambda one: abs(sizes[one] - target))
