"""A funnel's kernel on one key's rows, traced and made into a lesson for the step player."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernels import Trace, trace, window_funnel, window_funnel_once
from kernels.funnel.levels import entries
from workbench.described import noun
from workbench.durations import duration_text
from workbench.funnel.funnel import Funnel
from workbench.funnel.inspect.one_key import KeyRows
from workbench.widgets.lessons.edited import FunnelInput, LessonMaker
from workbench.widgets.lessons.fields import Rows
from workbench.widgets.lessons.funnel_chains import AnyOrderView, ChainView, chains_of
from workbench.widgets.lessons.funnel_view import UNWRITTEN, Clock, FunnelView, clock_for
from workbench.widgets.stepper.lesson import Lesson
from workbench.widgets.stepper.trace_lesson import lesson_of

TIMES = ("time", "start", "now", "reached", "chain")


def funnel_maker(funnel: Funnel, rows: KeyRows, who: str) -> LessonMaker:
    """Return the maker of a funnel's lesson on one key's rows, or on edited ones.

    Parameters
    ----------
    funnel, rows, who
        As in :func:`funnel_lesson`.

    Returns
    -------
    function
    """
    key_input = FunnelInput(funnel, rows)

    def make(edited: Rows | None) -> Lesson:
        now = rows if edited is None else key_input.read(edited)
        return {**funnel_lesson(funnel, now, who), "input": key_input.table(now)}

    return make


def funnel_lesson(funnel: Funnel, rows: KeyRows, who: str) -> Lesson:
    """Return the lesson that steps through a funnel on one key's rows.

    Parameters
    ----------
    funnel : Funnel
    rows : KeyRows
    who : str
        The key, for the title.

    Returns
    -------
    dict
        As :class:`workbench.widgets.stepper.player.Player` takes it.
    """
    clock = clock_for(rows.time, rows.integer_time)
    show = {"time": clock, "step": lambda k: f"step {k + 1} ({funnel.labels[k]})"}
    view = _view(funnel, rows)
    run = view.run(show)
    lesson = lesson_of(
        run, f"{funnel_title(funnel, rows)} · {who}", _formatters(funnel, rows, clock)
    )
    if rows.cut:
        lesson["intro"] = f"Only the first {len(rows.time)} rows of {who} are shown."
    if (after := view.after(run)) is not None:
        lesson["steps"][-1]["caption"] += f" {after}"
        lesson["result"] = "0"
    lesson["pictures"] = [view.timeline(run, clock), view.slots(run, clock)]
    lesson["telling"] = len(run.steps) - 1
    return lesson


def _view(funnel: Funnel, rows: KeyRows) -> FunnelView:
    """Return the view of the kernel that answers this funnel."""
    if funnel.rules.order == "any":
        return AnyOrderView(funnel, rows)
    if funnel.rules.some:
        return ChainView(funnel, rows)
    return _Once(funnel, rows) if "strict_once" in funnel.modes else _Scan(funnel, rows)


def funnel_title(funnel: Funnel, rows: KeyRows) -> str:
    """Return the title of a lesson."""
    window = funnel.window if rows.integer_time else duration_text(funnel.span(integer_time=False))
    rules = [f"{name} {value}" for name, value, usual in funnel.rule_arguments() if value != usual]
    suffix = "".join(f", {one}" for one in (*funnel.modes, *rules))
    steps = len(funnel.labels)
    return f"Funnel of {steps} {noun(steps, 'steps')} within {window}{suffix}"


def _formatters(funnel: Funnel, rows: KeyRows, clock: Clock) -> dict[str, Callable[[Any], Any]]:
    """Return the formatters of variables by name."""

    def times(value: Any) -> Any:
        if isinstance(value, list):
            return [times(v) for v in value]
        return "" if value == UNWRITTEN else clock(value)

    def window(value: int) -> Any:
        return value if rows.integer_time else duration_text(value)

    return {**dict.fromkeys(TIMES, times), "window": window, "states": chains_of(clock)}


class _Scan(FunnelView):
    """A run of ``window_funnel``: entries of time and step, one slot a level."""

    def __init__(self, funnel: Funnel, rows: KeyRows) -> None:
        super().__init__(funnel, rows)
        whole = np.array([0, len(rows.time)])
        _, self.time, self.step = entries(whole, rows.time, rows.conditions, self.steps)
        self.row = _rows_of_entries(rows, self.time, self.step)
        self.names = [rows.names[row] for row in self.row]

    def run(self, show: Any) -> Trace:
        slots = np.full((2, self.steps), UNWRITTEN, np.int64)
        parent = np.zeros(len(self.time), np.int32)
        reached = np.full(self.steps, UNWRITTEN, np.int64)
        columns = self.time.copy(), self.step.copy()
        return trace(
            window_funnel, *columns, self.window, *self.modes, *slots, parent, reached, show=show
        )

    def slots_of(self, state: dict[str, Any]) -> list[int | None]:
        pairs = zip(state["start"], state["holder"], strict=True)
        return [start if holder >= 0 else None for start, holder in pairs]

    def chain_of(self, state: dict[str, Any]) -> list[int]:
        level, chain = state.get("level", 0), []
        at = state["holder"][level - 1] if level else -1
        while at >= 0:
            chain.append(at)
            at = state["parent"][at]
        return chain[::-1]


class _Once(FunnelView):
    """A run of ``window_funnel_once``: rows of time and conditions, a chain of times a level."""

    def __init__(self, funnel: Funnel, rows: KeyRows) -> None:
        super().__init__(funnel, rows)
        order = np.lexsort((rows.conditions, rows.time))
        self.time, self.conditions = rows.time[order], rows.conditions[order]
        self.row = order.tolist()
        self.names = [rows.names[i] or str(bin(rows.conditions[i])) for i in order]
        # A row that fulfils several steps is drawn on the first of them.
        self.step = np.array([(int(c) & -int(c)).bit_length() for c in self.conditions])

    def run(self, show: Any) -> Trace:
        size = len(self.time)
        slots, reached = np.zeros((4, self.steps), np.int64), np.full(self.steps, UNWRITTEN)
        slots[0] = UNWRITTEN
        chain = np.full((self.steps, self.steps), UNWRITTEN, np.int64)
        of_rows = np.zeros((2, size), np.int64)
        columns = self.time.copy(), self.conditions.copy()
        return trace(
            window_funnel_once, *columns, self.window, *self.modes, *slots, chain, *of_rows,
            np.zeros(size, np.uint32), reached, show=show,
        )  # fmt: skip

    def slots_of(self, state: dict[str, Any]) -> list[int | None]:
        level = state.get("level", 0)
        starts = (state["chain"][k][0] if k < level else UNWRITTEN for k in range(self.steps))
        return [None if start == UNWRITTEN else start for start in starts]

    def position_of(self, state: dict[str, Any]) -> tuple[int | None, int]:
        first = state.get("first", 0)
        return (first if first < len(self.time) else None), min(first + 1, len(self.time))

    def chain_of(self, state: dict[str, Any]) -> list[int]:
        level = state.get("level", 0)
        rows_of_chain: list[int] = []
        for k, time in enumerate(state["chain"][level - 1][:level] if level else []):
            fits = (self.time == time) & ((self.conditions >> np.uint32(k)) & 1 == 1)
            rows_of_chain += [int(i) for i in np.flatnonzero(fits) if i not in rows_of_chain][:1]
        return rows_of_chain


def _rows_of_entries(rows: KeyRows, time: NDArray[np.int64], step: NDArray[Any]) -> list[int]:
    """Return the row of each entry; rows with the same time and step are taken in order."""
    waiting: dict[tuple[int, int], list[int]] = {}
    for row, (at, conditions) in enumerate(zip(rows.time, rows.conditions, strict=True)):
        fulfilled = [k + 1 for k in range(32) if int(conditions) >> k & 1] or [0]
        for k in fulfilled:
            waiting.setdefault((int(at), k), []).append(row)
    return [waiting[int(at), int(k)].pop(0) for at, k in zip(time, step, strict=True)]
