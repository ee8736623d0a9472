"""How many values a kernel looks at: counted while it runs, uncompiled, as it was written."""

from typing import Any

import numpy as np

from kernels.core.kernel import STATE, Kernel
from kernels.core.trace import interpreted

#: What kernels of aggregates call the column that they read.
COLUMNS = ("value", "key")


class _Counter:
    """How often something was read."""

    reads = 0


class _Column(np.ndarray[Any, Any]):
    """A column that counts how often one of its values is read."""

    counter: _Counter

    def __getitem__(self, at: Any) -> Any:
        self.counter.reads += 1
        return super().__getitem__(at)


def values_read(kernel: Kernel, *args: Any) -> int:
    """Return how many values a kernel reads: of its column, and of states that it has stored.

    Parameters
    ----------
    kernel : Kernel
        One that aggregates frames.
    *args
        The kernel's arguments; arrays that it writes to are written to.

    Returns
    -------
    int

    Notes
    -----
    The kernel runs uncompiled, on a column and a state that count; a compiled kernel knows nothing
    of them and pays nothing.

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
    """The same state, of a kind that counts how often one of it is read from where it is stored."""
    kind = type(empty)

    def read(cls: Any, *fields: Any) -> Any:
        counter.reads += 1
        return tuple.__new__(cls, fields)

    def update(self: Any, value: Any, other: Any, row: int) -> Any:
        return tuple.__new__(counting, kind.update(self, value, other, row))

    def combine(self: Any, later: Any) -> Any:
        return tuple.__new__(counting, kind.combine(self, later))

    methods = {"__new__": read, "update": update, "combine": combine}
    if hasattr(kind, "inverse"):
        methods["inverse"] = lambda *args: tuple.__new__(counting, kind.inverse(*args))
    counting: Any = type(kind.__name__, (kind,), methods)
    return tuple.__new__(counting, empty)
