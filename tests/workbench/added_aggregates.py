"""Two aggregates that the kernels lack: one with a state of the kernels, one with a new state."""

from typing import Any, NamedTuple

import numpy as np

from kernels.states.aggregates import Aggregate
from kernels.states.states import ScaledSpread


class Logarithms(NamedTuple):
    """A state that the kernels lack: the sum of logarithms, and the number of rows."""

    total: float = 0.0
    rows: float = 0.0

    def update(self, value: float, other: float, row: int) -> "Logarithms":
        return Logarithms(self.total + np.log(value), self.rows + 1.0)

    def combine(self, later: "Logarithms") -> "Logarithms":
        return Logarithms(self.total + later.total, self.rows + later.rows)


def _quadratic(s: Any) -> Any:
    return np.sqrt(s.squares / s.rows + s.mean * s.mean) * s.unit


def _geometric(s: Any) -> Any:
    return np.exp(s.total / s.rows)


ADDED = {
    "quadratic_mean": Aggregate(ScaledSpread(), _quadratic),
    "geometric_mean": Aggregate(Logarithms(), _geometric),
}
