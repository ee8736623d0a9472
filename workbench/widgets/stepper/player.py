"""The step player: a kernel's trace, stepped through in the browser."""

import gzip
import json
from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from workbench.errors import WorkbenchError
from workbench.figures.theme import stylesheet_of
from workbench.markup import Markup, as_json, filled, in_base64, own_file, stylesheet
from workbench.widgets.script import STATIC, loader
from workbench.widgets.sharing.files import write_file
from workbench.widgets.sharing.kept import LESSON, saved_output
from workbench.widgets.stepper.lesson import Lesson, checked
from workbench.widgets.stepper.pictures import HALF, WIDTH, for_browser
from workbench.widgets.stepper.questions import questions_of
from workbench.widgets.stepper.side_by_side import length, sides_of
from workbench.widgets.stepper.still import still
from workbench.widgets.stepper.telling import telling_step

_MODULE = STATIC / "player.js"
# Pictures are drawn in the colours of a light page, which the style puts in those of the theme.
_STYLE = stylesheet_of(".wbp-picture") + (STATIC / "player.css").read_text("utf-8")
_PAGE = STATIC / "player.html"
_LEVEL = 6  # of gzip: a twentieth is left of a long trace, in a fraction of a second

#: Makes a lesson from the rows of an edited input, as in ``lesson["input"]``.
RemakeLesson = Callable[[list[list[Any]]], Lesson]


def _browser_data(lesson: Lesson) -> Lesson:
    """Return what a browser needs in addition to the lesson: its drawn pictures and questions."""
    beside = lesson.get("beside")
    width = WIDTH if beside is None else HALF
    data: Lesson = {
        "pictures": for_browser(lesson, width=width),
        "questions": questions_of(lesson),
    }
    if beside is not None:
        data["beside"] = {**beside, "pictures": for_browser(beside, width=width)}
    return data


def _compressed(lesson: Lesson) -> bytes:
    """Return the lesson with its pictures as compressed JSON; complete steps compress well."""
    text = json.dumps({**lesson, **_browser_data(lesson)}, allow_nan=False, separators=(",", ":"))
    # Without a modification time, the same lesson gives the same page.
    return gzip.compress(text.encode("utf-8"), _LEVEL, mtime=0)


def _serialized(lesson: Lesson, _player: Any) -> dict[str, bytes]:
    # As bytes, which are sent apart from the state: a Jupyter server drops a state of megabytes.
    return {"packed": _compressed(lesson)}


def still_step(lesson: Lesson) -> int:
    """Return the step of the still until another is chosen: the telling one."""
    telling = telling_step(lesson)
    pairs = lesson.get("pairs") or []
    matching = (step for step, pair in enumerate(pairs) if pair[0] == telling)
    return next(matching, telling)


def player_page(lesson: Lesson, step: int, mode: str, still_at: int) -> Markup:
    """Return the page of a player, which needs no widget.

    Parameters
    ----------
    lesson : dict
        A checked lesson.
    step : int
        The step that it opens at, from 0.
    mode : str
        One of :data:`MODES`.
    still_at : int
        The step of the still, which is shown where no script runs.
    """
    parts = {
        "title": lesson["title"],
        "style": stylesheet(_STYLE),
        "module": own_file(_MODULE),
        "lesson": in_base64(_compressed(lesson)),
        "picture": still(lesson, still_at),
        "step": step + 1,
        "mode": as_json(mode),
    }
    return filled(own_file(_PAGE), parts)


MODES = ("watch", "predict", "lecture", "edit")


class Player(anywidget.AnyWidget):
    """A lesson that is stepped through in the browser, with or without a kernel.

    Parameters
    ----------
    lesson : dict
        Plain data: ``title``, ``functions`` (name, source), ``steps`` (function, line, caption,
        variables) and, optionally, ``intro``, ``result`` and ``pictures`` (timeline, cells, tree)
        with one state a step; ``telling``, ``input``, ``beside`` and ``pairs`` as
        :func:`workbench.widgets.stepper.lesson.checked` takes them.
    step : int
        The step shown first, from 0. A step outside the lesson is moved to its nearest end.
    again : function, optional
        Makes the lesson of an edited input from rows like those of ``lesson["input"]``; without
        it, the input cannot be edited.

    Attributes
    ----------
    mode : str
        "watch"; "predict", which asks about each step before it is shown; "lecture", for an
        audience: large, and each step is asked about before it is shown; "edit", to change the
        input.
    answers : dict of str to int
        The predictions: for each step asked about the choice, or -1 if it was shown without one.

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

    _moved = False
    _esm = loader(_MODULE.name)
    _css = _STYLE
    lesson = traitlets.Dict().tag(sync=True, to_json=_serialized)
    step = traitlets.Int(0).tag(sync=True)
    mode = traitlets.Unicode("watch").tag(sync=True)
    answers = traitlets.Dict().tag(sync=True)
    problem = traitlets.Unicode("").tag(sync=True)
    editable = traitlets.Bool(False).tag(sync=True)

    def __init__(self, lesson: Lesson, step: int = 0, again: RemakeLesson | None = None) -> None:
        if not isinstance(step, int):
            raise WorkbenchError(f"step: {step!r} is not a whole number; the first step is 0.")
        super().__init__(lesson=lesson, step=step, editable=again is not None)
        self._again = again
        self._moved = step != 0
        self.on_msg(self._take_message)

    def edit(self, rows: list[list[Any]]) -> None:
        """Run the kernel on another input, and show that run.

        Parameters
        ----------
        rows : list of list
            The input, like ``lesson["input"]["rows"]``. If the kernel cannot run on it, the player
            does not change, and ``problem`` says why.
        """
        if self._again is None:
            self.problem = "The input of this lesson cannot be edited."
            return
        # Reset, so that the browser is notified also of the same sentence again.
        self.problem = ""
        try:
            lesson = checked(self._again(rows))
        except WorkbenchError as error:
            self.problem = str(error)
            return
        except Exception as error:
            self.problem = f"The kernel does not run on this input: {error}"
            return
        self.answers = {}
        self.lesson = lesson

    def _take_message(self, _player: object, message: dict[str, Any], _buffers: object) -> None:
        if "rows" in message:
            self.edit(message["rows"])

    @traitlets.validate("lesson")
    def _check_lesson(self, proposal: dict[str, Any]) -> Lesson:
        return checked(proposal["value"])

    @traitlets.validate("step")
    def _clamp_step(self, proposal: dict[str, Any]) -> int:
        return int(min(max(proposal["value"], 0), max(length(self.lesson) - 1, 0)))

    @traitlets.validate("mode")
    def _check_mode(self, proposal: dict[str, Any]) -> str:
        mode: str = proposal["value"]
        if mode not in MODES:
            raise WorkbenchError(f"mode: {mode!r} is not known; use {', '.join(MODES)}.")
        return mode

    @traitlets.observe("step")
    def _remember_move(self, _change: object) -> None:
        self._moved = True

    @traitlets.observe("lesson")
    def _keep_step_inside(self, _change: object) -> None:
        self.step = self._clamp_step({"value": self.step})

    @property
    def _still_step(self) -> int:
        """The step of the still: the telling one, until another is chosen."""
        return self.step if self._moved else still_step(self.lesson)

    def to_html(self, path: str | PathLike[str]) -> Path:
        """Write the lesson as one page that needs no kernel and no network.

        The page opens at the player's step; ``#step=17`` at the end of its address opens the 17th.
        The lesson is compressed in it: that of a funnel's 500 rows takes less than 2 MB.

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
        return write_file(path, player_page(self.lesson, self.step, self.mode, self._still_step))

    def __repr__(self) -> str:
        count = length(self.lesson)
        if not count:
            return f"Player({self.lesson['title']!r}, no steps)"
        captions = [one["steps"][at]["caption"] for one, at in sides_of(self.lesson, self.step)]
        place = f"step {self.step + 1} of {count}"
        return f"Player({self.lesson['title']!r}, {place}: {' | '.join(captions)})"

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the live view and, for readers of a saved notebook, a still of one step."""
        data, metadata = super()._repr_mimebundle_(**kwargs) or ({}, {})
        stored = {
            "image/svg+xml": still(self.lesson, self._still_step),
            **saved_output(LESSON, self._saved_output),
        }
        return {**data, **stored}, metadata

    def _saved_output(self) -> Lesson:
        return {"lesson": self.lesson, "step": self.step, "mode": self.mode}
