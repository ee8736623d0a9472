"""Lessons of funnels with an order, optional steps, windows of steps or exclusions."""

from collections.abc import Callable
from typing import Any

import numpy as np

from kernels import Trace, trace
from kernels.funnel.any_order import NONE, any_order_funnel
from kernels.funnel.chain_levels import Rules, chain_arguments, kinds
from kernels.funnel.chains import EMPTY, LAST, START, TAKEN, chain_funnel
from workbench.funnel.funnel import Funnel
from workbench.funnel.inspect.one_key import KeyRows
from workbench.widgets.lessons.funnel_view import UNWRITTEN, Clock, FunnelView


class KindsView(FunnelView):
    """A run over rows with kinds, each of which fulfils and excludes steps, as bits."""

    def __init__(self, funnel: Funnel, rows: KeyRows) -> None:
        super().__init__(funnel, rows)
        rules = funnel.rules.for_kernel(self.steps, self.window, rows.integer_time)
        self.rules = rules or Rules(self.steps, self.window)
        kind, self.fulfils, self.bars = kinds(rows.conditions, self.rules)
        order = np.lexsort((kind, rows.time))
        self.time, self.kind = rows.time[order], kind[order]
        self.row = order.tolist()
        bits = self.fulfils[self.kind]
        self.names = [rows.names[i] or str(bin(rows.conditions[i])) for i in order]
        # A row that fulfils several steps is drawn on the first of them.
        self.step = np.array([(int(one) & -int(one)).bit_length() for one in bits])

    def rows_at(self, times: list[tuple[int, int]]) -> list[int]:
        """Return the rows that took these steps at these times, each row once."""
        rows: list[int] = []
        for k, time in times:
            fits = (self.time == time) & (self.fulfils[self.kind] >> k & 1 == 1)
            rows += [int(i) for i in np.flatnonzero(fits) if i not in rows][:1]
        return rows


class ChainView(KindsView):
    """A run of ``chain_funnel``: for each step, the newest chain that waits there."""

    def run(self, show: Any) -> Trace:
        """Trace the kernel on the key's rows."""
        columns = self.time.copy(), self.kind.copy(), self.fulfils, self.bars
        settings, (states, chain) = chain_arguments(self.rules)
        chain[:] = UNWRITTEN
        outcome, reached = np.zeros(4, np.int64), np.full(self.steps, UNWRITTEN)
        return trace(chain_funnel, *columns, *settings, states, chain, outcome, reached, show=show)

    def after(self, run: Trace) -> str | None:
        """Return the sentence for a key that an excluded event takes out of all steps."""
        ended = run.steps[-1].variables["outcome"][2] == 1
        if self.funnel.rules.exclude_from != "all" or not ended:
            return None
        return "But an excluded event ended its chain: exclude_from='all' makes it level 0."

    def slots_of(self, state: dict[str, Any]) -> list[int | None]:
        """Return the begin of the newest chain of each step."""
        counts = len(state["states"]) // self.steps
        slots = [state["states"][k * counts : (k + 1) * counts] for k in range(self.steps)]
        return [
            max((one[START] for one in slot if one[LAST] != EMPTY), default=None) for slot in slots
        ]

    def chain_of(self, state: dict[str, Any]) -> list[int]:
        """Return the rows of the best chain so far."""
        taken = state.get("taken", 0)
        times = [(k, state["reached"][k]) for k in range(self.steps) if taken >> k & 1]
        return self.rows_at([(k, time) for k, time in times if time != UNWRITTEN])


class AnyOrderView(KindsView):
    """A run of ``any_order_funnel``: for each step, the row that is matched to it."""

    slots_title = "Time of the row that each step is matched to"

    def run(self, show: Any) -> Trace:
        """Trace the kernel on the key's rows."""
        columns = self.time.copy(), self.kind.copy(), self.fulfils
        matching = np.zeros((3, self.steps), np.int64)
        outcome, reached = np.zeros(4, np.int64), np.full(self.steps, UNWRITTEN)
        return trace(
            any_order_funnel, *columns, self.window, *matching, outcome, reached, show=show
        )

    def slots_of(self, state: dict[str, Any]) -> list[int | None]:
        """Return the time of each step's row."""
        rows = state["row_of"]
        return [None if row == NONE else int(self.time[row]) for row in rows]

    def window_at(self, state: dict[str, Any], origin: int) -> dict[str, Any] | None:
        """Return the window that ends at the current row."""
        current, _ = self.position_of(state)
        return (
            None if current is None else self._from(int(self.time[current]) - self.window, origin)
        )

    def chain_of(self, state: dict[str, Any]) -> list[int]:
        """Return the rows of the window with the most steps so far."""
        taken = int(state["outcome"][0])
        return sorted(
            self.rows_at([(k, state["reached"][k]) for k in range(self.steps) if taken >> k & 1])
        )


def chains_of(clock: Clock) -> Callable[[Any], list[str]]:
    """Return a formatter of a table of chains: the begin of each, and the steps it took.

    Examples
    --------
    >>> chains_of(str)([[4, 10, 20, 0b101], [-1, 0, 0, 0]])
    ['10: steps 1, 3', '']
    """

    def chain_texts(table: Any) -> list[str]:
        return [
            ""
            if one[LAST] == EMPTY
            else f"{clock(one[START])}: steps "
            + ", ".join(str(k + 1) for k in range(32) if int(one[TAKEN]) >> k & 1)
            for one in table
        ]

    return chain_texts
