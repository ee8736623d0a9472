"""Count how many values a kernel reads, while it runs uncompiled."""

from typing import Any

import numpy as np

from kernels.core.kernel import STATE, Kernel
from kernels.core.trace import interpreted

#: The names of the column that kernels of aggregates read.
COLUMNS = ("value", "key")


class _Counter:
    """The number of reads."""

    reads = 0


class _Column(np.ndarray[Any, Any]):
    """A column that counts how often one of its values is read."""

    counter: _Counter

    def __getitem__(self, at: Any) -> Any:
        self.counter.reads += 1
        return super().__getitem__(at)


def values_read(kernel: Kernel, *args: Any) -> int:
    """Return how many values a kernel reads from its column and from the states it has stored.

    Parameters
    ----------
    kernel : Kernel
        A kernel that aggregates frames.
    *args
        The kernel's arguments; it writes into the arrays themselves.

    Returns
    -------
    int

    Notes
    -----
    The kernel runs uncompiled, on a column and a state that count their reads. Compiled kernels are
    not affected.

    Examples
    --------
    >>> import numpy as np
    >>> from kernels.windows.naive import naive_states
    >>> from kernels.states.states import Sum
    >>> value, states = np.array([1, 2, 4]), np.zeros((2, 2), np.int64)
    >>> begin, end = np.array([[0], [1]]), np.array([[2], [3]])
    >>> values_read(naive_states, Sum(0, 0), value, value, begin, end, states)
    4
    """
    counter, counted = _Counter(), []
    for (name, parameter), arg in zip(kernel.parameters.items(), args, strict=True):
        if name in COLUMNS:
            counted.append(_column(arg, counter))
        elif STATE in getattr(parameter.annotation, "__metadata__", ()):
            counted.append(_state(arg, counter))
        else:
            counted.append(arg)
    interpreted(kernel)(*counted)
    return counter.reads


def _column(values: Any, counter: _Counter) -> _Column:
    column = np.asarray(values).view(_Column)
    column.counter = counter
    return column


def _state(empty: Any, counter: _Counter) -> Any:
    """Return the state as one of a subclass that counts how often stored states are read."""
    state_type = type(empty)

    def read(cls: Any, *fields: Any) -> Any:
        counter.reads += 1
        return tuple.__new__(cls, fields)

    def update(self: Any, value: Any, other: Any, row: int) -> Any:
        return tuple.__new__(counting, state_type.update(self, value, other, row))

    def combine(self: Any, later: Any) -> Any:
        return tuple.__new__(counting, state_type.combine(self, later))

    methods = {"__new__": read, "update": update, "combine": combine}
    if hasattr(state_type, "inverse"):
        methods["inverse"] = lambda *args: tuple.__new__(counting, state_type.inverse(*args))
    counting: Any = type(state_type.__name__, (state_type,), methods)
    return tuple.__new__(counting, empty)
