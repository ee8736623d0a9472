"""The step of a lesson that says the most: the one that a still shows."""

from typing import Any

from workbench.widgets.stepper.lesson import Lesson


def telling_step(lesson: Lesson) -> int:
    """Return the last of the steps that show the most: cells that hold something, events, nodes.

    Parameters
    ----------
    lesson : dict
        A checked lesson; its own ``telling`` comes first.

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
    shown = [0] * len(lesson["steps"])
    for picture in lesson.get("pictures") or []:
        for step, state in enumerate(picture["states"]):
            shown[step] += _shown(state or {})
    return max(range(len(shown)), key=lambda step: (shown[step], step), default=0)


def _shown(state: dict[str, Any]) -> int:
    held = sum(cell not in (None, "") for cell in state.get("cells") or [])
    marked = sum(len(state.get(name) or []) for name in ("chain", "lit", "values"))
    return held + marked + (state.get("window") is not None) + bool(state.get("frames"))
