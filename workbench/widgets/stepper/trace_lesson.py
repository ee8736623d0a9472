"""A kernel's trace as a lesson for the step player."""

from collections.abc import Callable, Mapping
from typing import Any

from kernels import Trace

Formatters = Mapping[str, Callable[[Any], Any]]


def lesson_of(run: Trace, title: str, formatters: Formatters | None = None) -> dict[str, Any]:
    """Return a trace as the plain data of a lesson.

    Parameters
    ----------
    run : kernels.Trace
    title : str
    formatters : mapping of str to function, optional
        Formats the variable of a name; others are shown unchanged.

    Returns
    -------
    dict
        A lesson without pictures, as :class:`workbench.widgets.stepper.player.Player` takes it.

    Examples
    --------
    >>> import numpy as np
    >>> from kernels import registry, trace
    >>> run = trace(registry["insertion_sort"], np.array([2, 1]), np.array([1, 1], np.uint32))
    >>> lesson = lesson_of(run, "Insertion sort")
    >>> lesson["steps"][1]["caption"], lesson["steps"][1]["variables"][0]
    ('Its place is 0.', {'name': 'time', 'value': [1, 2], 'changed': [0, 1]})
    """
    formatters = formatters or {}
    used = {step.kernel for step in run.steps}
    functions = [
        {
            "name": kernel.__name__,
            "first_line": kernel.first_line,
            "source": kernel.source.splitlines(),
        }
        for kernel in run.kernels
        if kernel.__name__ in used or kernel is run.kernels[0]
    ]
    steps = [
        {
            "function": step.kernel,
            "line": step.line,
            "caption": step.caption,
            "variables": [
                {
                    "name": name,
                    "value": formatters[name](value) if name in formatters else value,
                    "changed": step.changed[name],
                }
                for name, value in step.variables.items()
            ],
        }
        for step in run.steps
    ]
    return {"title": title, "functions": functions, "steps": steps, "result": str(run.result)}


def array_pictures(run: Trace, formatters: Formatters | None = None) -> list[dict[str, Any]]:
    """Return a picture of cells for each list among a kernel's variables.

    Parameters
    ----------
    run : kernels.Trace
    formatters : mapping of str to function, optional
        Formats the list of a name, as in :func:`lesson_of`.

    Returns
    -------
    list of dict
    """
    first = run.steps[0].variables if run.steps else {}
    names = [name for name, value in first.items() if isinstance(value, list) and value]
    read = formatters or {}
    return [
        _cells(run, name, read.get(name, list))
        for name in names
        if not isinstance(first[name][0], list)
    ]


def _cells(run: Trace, name: str, read: Callable[[Any], Any]) -> dict[str, Any]:
    states: list[dict[str, Any] | None] = []
    for step in run.steps:
        value, changed = step.variables.get(name), step.changed.get(name)
        marked = changed if isinstance(changed, list) else []
        cells = read(value) if value else None
        states.append({"cells": cells, "changed": marked, "current": None} if cells else None)
    return {"kind": "cells", "title": name, "states": states}
