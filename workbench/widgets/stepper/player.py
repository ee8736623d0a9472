"""The step player: a kernel's trace, stepped through in the browser."""

from os import PathLike
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from workbench.errors import WorkbenchError
from workbench.figures.markup import as_json, filled, own_file
from workbench.widgets.stepper.lesson import Lesson, checked
from workbench.widgets.stepper.pictures import for_browser
from workbench.widgets.stepper.still import still

_STATIC = Path(__file__).parents[1] / "static"
_MODULE = _STATIC / "player.js"
_STYLE = _STATIC / "player.css"
_PAGE = _STATIC / "player.html"


def _sent(lesson: Lesson, _player: Any) -> Lesson:
    """The lesson as a browser needs it: with its pictures drawn."""
    return {**lesson, "pictures": for_browser(lesson)}


class Player(anywidget.AnyWidget):
    """A lesson that is stepped through in the browser, with or without a kernel.

    Parameters
    ----------
    lesson : dict
        Plain data: ``title``, ``functions`` (name, source), ``steps`` (function, line, caption,
        variables) and, optionally, ``intro``, ``result`` and ``pictures`` (timeline, cells, tree)
        with one state a step.
    step : int
        The step shown first, from 0. A step outside the lesson is moved to its nearest end.

    Raises
    ------
    WorkbenchError
        If a part of the lesson is missing or does not fit the others.

    Examples
    --------
    >>> source = ["def double(x):", "    return 2 * x  #: twice {x}"]
    >>> lesson = {
    ...     "title": "double",
    ...     "functions": [{"name": "double", "source": source}],
    ...     "steps": [{"function": "double", "line": 2, "caption": "twice 4"}],
    ... }
    >>> Player(lesson, step=7)
    Player('double', step 1 of 1: twice 4)
    """

    _esm = _MODULE
    _css = _STYLE
    lesson = traitlets.Dict().tag(sync=True, to_json=_sent)
    step = traitlets.Int(0).tag(sync=True)

    def __init__(self, lesson: Lesson, step: int = 0) -> None:
        if not isinstance(step, int):
            raise WorkbenchError(f"step: {step!r} is not a whole number; the first step is 0.")
        super().__init__(lesson=lesson, step=step)

    @traitlets.validate("lesson")
    def _check_lesson(self, proposal: dict[str, Any]) -> Lesson:
        return checked(proposal["value"])

    @traitlets.validate("step")
    def _clamp_step(self, proposal: dict[str, Any]) -> int:
        last = max(len(self.lesson.get("steps", ())) - 1, 0)
        return int(min(max(proposal["value"], 0), last))

    @traitlets.observe("lesson")
    def _keep_step_inside(self, _change: object) -> None:
        self.step = self._clamp_step({"value": self.step})

    def to_html(self, path: str | PathLike[str]) -> Path:
        """Write the lesson as one page that needs no kernel and no network.

        The page opens at the player's step; ``#step=17`` at the end of its address opens the 17th.

        Parameters
        ----------
        path : str or path
            The file to write; one that exists is replaced.

        Returns
        -------
        pathlib.Path
            The file that was written.

        Raises
        ------
        WorkbenchError
            When there is no such folder, or nothing can be written there.
        """
        parts = {
            "title": self.lesson["title"],
            "style": own_file(_STYLE),
            "module": own_file(_MODULE),
            "lesson": as_json(self.lesson),
            "picture": still(self.lesson, self.step),
            "pictures": as_json(for_browser(self.lesson)),
            "step": self.step + 1,
        }
        return _write(Path(path), filled(own_file(_PAGE), parts))

    def __repr__(self) -> str:
        steps = self.lesson["steps"]
        if not steps:
            return f"Player({self.lesson['title']!r}, no steps)"
        place = f"step {self.step + 1} of {len(steps)}"
        return f"Player({self.lesson['title']!r}, {place}: {steps[self.step]['caption']})"

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """The live view and, for who only reads the notebook, a picture of the current step."""
        data, metadata = super()._repr_mimebundle_(**kwargs) or ({}, {})
        return {**data, "image/svg+xml": still(self.lesson, self.step)}, metadata


def _write(path: Path, page: str) -> Path:
    try:
        path.write_text(page, encoding="utf-8")
    except FileNotFoundError:
        raise WorkbenchError(
            f"path: there is no folder {str(path.parent)!r}; make it first, or name another."
        ) from None
    except IsADirectoryError:
        raise WorkbenchError(f"path: {str(path)!r} is a folder; name a file in it.") from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise WorkbenchError(
            f"path: {str(path)!r} cannot be written, {why}; name another file."
        ) from None
    return path
