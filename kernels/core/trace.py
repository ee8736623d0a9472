"""Run a kernel's Python function and record every captioned step.

A trace is a list of full states, each readable without its neighbours, so stepping back, scrubbing
and a link to step 17 cost nothing. Traces are for small inputs: their number of steps is limited.
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from string import Formatter
from types import CodeType, FrameType, FunctionType
from typing import Any

import numpy as np

from kernels.core.kernel import Kernel

Show = Mapping[str, Callable[[Any], str]]

MAX_STEPS = 2_000


@dataclass(frozen=True)
class Step:
    """The state after one captioned line has run.

    Attributes
    ----------
    kernel : str
        The kernel that the line belongs to.
    line : int
        The line of that kernel's ``source``, from 1.
    caption : str
        The line's caption with its values filled in.
    variables : dict of str to value
        Every local, in order of appearance; arrays as (nested) lists.
    changed : dict of str to bool or list of int
        What differs from the previous step of that kernel: True for a new or different value, the
        indices of the changed cells for a list of the same length.
    """

    kernel: str
    line: int
    caption: str
    variables: dict[str, Any]
    changed: dict[str, bool | list[int]]


@dataclass(frozen=True)
class Trace:
    """A kernel's run as a list of steps.

    Attributes
    ----------
    kernels : tuple of Kernel
        The kernel that ran, and the kernels that it calls.
    steps : list of Step
    result : value
        The kernel's return value.
    """

    kernels: tuple[Kernel, ...]
    steps: list[Step] = field(repr=False)
    result: Any


def trace(kernel: Kernel, *args: Any, show: Show | None = None, limit: int = MAX_STEPS) -> Trace:
    """Run a kernel uncompiled and record its captioned steps.

    Parameters
    ----------
    kernel : Kernel
        Its Python function runs, and those of the kernels it calls.
    *args
        The kernel's arguments; it writes into the arrays themselves.
    show : mapping of str to function, optional
        Formats the values in captions by their kind: ``{now:time}`` is passed to ``show["time"]``.
    limit : int
        The greatest number of steps.

    Returns
    -------
    Trace

    Raises
    ------
    ValueError
        When the run has more than ``limit`` steps.

    Examples
    --------
    >>> import numpy as np
    >>> from kernels.structures.order import insertion_sort
    >>> steps = trace(insertion_sort, np.array([2, 1]), np.array([1, 1], np.uint32)).steps
    >>> [step.caption for step in steps]
    ['The entry at 1 looks for its place.', 'Its place is 0.']
    >>> steps[-1].variables["time"], steps[-1].changed["time"]
    ([1, 2], [0, 1])
    """
    kernels = family(kernel)
    recorder = _Recorder({k.python.__code__: k for k in kernels}, show or {}, limit)
    with recorder.installed():
        result = interpreted(kernel)(*args)
    return Trace(kernels, recorder.steps, _plain(result))


def family(kernel: Kernel) -> tuple[Kernel, ...]:
    """Return a kernel and the kernels that it calls, directly or not, each once."""
    visited: dict[str, Kernel] = {}
    queue = [kernel]
    while queue:
        current = queue.pop(0)
        if current.__name__ not in visited:
            visited[current.__name__] = current
            queue += _called_kernels(current).values()
    return tuple(visited.values())


def _called_kernels(kernel: Kernel) -> dict[str, Kernel]:
    scope = kernel.python.__globals__
    names = kernel.python.__code__.co_names
    return {name: scope[name] for name in names if isinstance(scope.get(name), Kernel)}


def interpreted(kernel: Kernel) -> Callable[..., Any]:
    """Return the kernel's Python function, which calls other kernels uncompiled as well.

    Parameters
    ----------
    kernel : Kernel

    Returns
    -------
    function

    Examples
    --------
    >>> import numpy as np
    >>> from kernels.structures.order import in_order
    >>> interpreted(in_order)(np.array([1, 2]), np.ones(2, np.uint8))
    1
    """
    python = kernel.python
    scope = dict(python.__globals__)
    scope |= {name: interpreted(called) for name, called in _called_kernels(kernel).items()}
    return FunctionType(python.__code__, scope, python.__name__, python.__defaults__)


class _Recorder:
    """A trace function for the interpreter that records a step after every captioned line."""

    def __init__(self, kernels: dict[CodeType, Kernel], show: Show, limit: int) -> None:
        self.kernels, self.show, self.limit = kernels, show, limit
        self.steps: list[Step] = []
        self._pending_lines: dict[FrameType, int] = {}

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Record what runs inside this context, and restore the trace function before it."""
        previous = sys.gettrace()
        sys.settrace(self._on_call)
        try:
            yield
        finally:
            sys.settrace(previous)

    def _on_call(self, frame: FrameType, _event: str, _arg: Any) -> Any:
        return self._on_line if frame.f_code in self.kernels else None

    def _on_line(self, frame: FrameType, event: str, _arg: Any) -> Any:
        # The interpreter reports a line before it runs, so its state is known at the next event.
        kernel = self.kernels[frame.f_code]
        if frame in self._pending_lines:
            self._record(kernel, self._pending_lines.pop(frame), frame)
        if event == "line":
            line = frame.f_lineno - kernel.first_line + 1
            if line in kernel.captions:
                self._pending_lines[frame] = line
        return self._on_line

    def _record(self, kernel: Kernel, line: int, frame: FrameType) -> None:
        if len(self.steps) == self.limit:
            raise ValueError(
                f"The run of {kernel.__name__} has more than {self.limit} steps; "
                "give it fewer rows, or a higher limit."
            )
        variables = {name: _plain(value) for name, value in frame.f_locals.items()}
        previous = self._previous_variables(kernel.__name__)
        changed = {name: _changed(previous, name, value) for name, value in variables.items()}
        caption = fill(kernel.captions[line], frame.f_locals, self.show)
        self.steps.append(Step(kernel.__name__, line, caption, variables, changed))

    def _previous_variables(self, kernel: str) -> dict[str, Any]:
        return next((s.variables for s in reversed(self.steps) if s.kernel == kernel), {})


def fill(caption: str, scope: Mapping[str, Any], show: Show) -> str:
    """Return a caption with its values filled in.

    Parameters
    ----------
    caption : str
        Text with ``{expression}`` or ``{expression:kind}``.
    scope : mapping
        The locals for the expressions.
    show : mapping of str to function
        Formats the values of each kind; values of another kind are shown as plain text.

    Returns
    -------
    str

    Examples
    --------
    >>> fill("{k + 1} at {now:time}", {"k": 1, "now": 90}, {"time": "{} s".format})
    '2 at 90 s'
    """
    text = ""
    for literal, expression, kind, _ in Formatter().parse(caption):
        text += literal
        if expression is not None:
            value = eval(expression, {}, dict(scope))
            text += show.get(kind or "", _as_text)(_plain(value))
    return text


def _as_text(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {item}" for name, item in value.items())
    return str(value)


def _plain(value: Any) -> Any:
    if hasattr(value, "_fields"):
        return {name: _plain(item) for name, item in value._asdict().items()}
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def _changed(previous: dict[str, Any], name: str, value: Any) -> bool | list[int]:
    old = previous.get(name, previous)
    if isinstance(value, list) and isinstance(old, list) and len(old) == len(value):
        return [i for i, pair in enumerate(zip(old, value, strict=True)) if pair[0] != pair[1]]
    return bool(old is previous or old != value)
