"""The most informative step of a lesson, which a still shows."""

from typing import Any

from workbench.widgets.stepper.lesson import Lesson


def telling_step(lesson: Lesson) -> int:
    """Return the last of the steps that show the most filled cells, events and nodes.

    Parameters
    ----------
    lesson : dict
        A checked lesson; its own ``telling`` takes precedence.

    Returns
    -------
    int

    Examples
    --------
    >>> cells = {"kind": "cells", "states": [{"cells": [None]}, {"cells": [5]}, {"cells": [None]}]}
    >>> telling_step({"steps": [{}, {}, {}], "pictures": [cells]})
    1
    """
    chosen: int | None = lesson.get("telling")
    if chosen is not None:
        return chosen
    amounts = [0] * len(lesson["steps"])
    for picture in lesson.get("pictures") or []:
        for step, state in enumerate(picture["states"]):
            amounts[step] += _amount_shown(state or {})
    return max(range(len(amounts)), key=lambda step: (amounts[step], step), default=0)


def _amount_shown(state: dict[str, Any]) -> int:
    filled = sum(cell not in (None, "") for cell in state.get("cells") or [])
    marked = sum(len(state.get(name) or []) for name in ("chain", "lit", "values"))
    return filled + marked + (state.get("window") is not None) + bool(state.get("frames"))
