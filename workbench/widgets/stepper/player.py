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
from workbench.widgets.sharing.kept import LESSON, kept
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

#: What makes a lesson of an edited input: of its rows, as ``lesson["input"]`` has them.
Again = Callable[[list[list[Any]]], Lesson]


def _drawn(lesson: Lesson) -> Lesson:
    """What a browser needs beside the lesson: its pictures, drawn, and its questions."""
    beside = lesson.get("beside")
    width = WIDTH if beside is None else HALF
    found: Lesson = {
        "pictures": for_browser(lesson, width=width),
        "questions": questions_of(lesson),
    }
    if beside is not None:
        found["beside"] = {**beside, "pictures": for_browser(beside, width=width)}
    return found


def _packed(lesson: Lesson) -> bytes:
    """The lesson with its pictures as compressed JSON: steps are complete, and so much alike."""
    text = json.dumps({**lesson, **_drawn(lesson)}, allow_nan=False, separators=(",", ":"))
    # No time of writing: the same lesson is the same page.
    return gzip.compress(text.encode("utf-8"), _LEVEL, mtime=0)


def _sent(lesson: Lesson, _player: Any) -> dict[str, bytes]:
    # Bytes travel beside a widget's state, and a Jupyter server drops a change of some megabytes.
    return {"packed": _packed(lesson)}


def told_first(lesson: Lesson) -> int:
    """The step of the still until someone has chosen another: the telling one."""
    telling = telling_step(lesson)
    pairs = lesson.get("pairs") or []
    found = (step for step, pair in enumerate(pairs) if pair[0] == telling)
    return next(found, telling)


def player_page(lesson: Lesson, step: int, mode: str, told: int) -> Markup:
    """Return the page of a player, for which no widget is needed.

    Parameters
    ----------
    lesson : dict
        A checked lesson.
    step : int
        The step that it opens at, from 0.
    mode : str
        One of :data:`MODES`.
    told : int
        The step of the still, for who runs no script.
    """
    parts = {
        "title": lesson["title"],
        "style": stylesheet(_STYLE),
        "module": own_file(_MODULE),
        "lesson": in_base64(_packed(lesson)),
        "picture": still(lesson, told),
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
        Makes the lesson of an edited input, of rows such as those of ``lesson["input"]``; without
        it, the input cannot be edited.

    Attributes
    ----------
    mode : str
        "watch"; "predict", to be asked for each step before it is shown; "lecture", for an
        audience: large, and no step is shown before it was asked for; "edit", to change the input.
    answers : dict of str to int
        What was predicted: the choice for each step that was asked for, -1 where it was shown
        without one.

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
    lesson = traitlets.Dict().tag(sync=True, to_json=_sent)
    step = traitlets.Int(0).tag(sync=True)
    mode = traitlets.Unicode("watch").tag(sync=True)
    answers = traitlets.Dict().tag(sync=True)
    problem = traitlets.Unicode("").tag(sync=True)
    editable = traitlets.Bool(False).tag(sync=True)

    def __init__(self, lesson: Lesson, step: int = 0, again: Again | None = None) -> None:
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
            The input as ``lesson["input"]["rows"]`` has it. Where no run comes of it, the player
            stays as it is, and says why in ``problem``.
        """
        if self._again is None:
            self.problem = "The input of this lesson cannot be edited."
            return
        # The same sentence once more has to reach the browser as news.
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
    def _told(self) -> int:
        """The step of the still: the telling one, until someone has chosen another."""
        return self.step if self._moved else told_first(self.lesson)

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
        return write_file(path, player_page(self.lesson, self.step, self.mode, self._told))

    def __repr__(self) -> str:
        count = length(self.lesson)
        if not count:
            return f"Player({self.lesson['title']!r}, no steps)"
        captions = [one["steps"][at]["caption"] for one, at in sides_of(self.lesson, self.step)]
        place = f"step {self.step + 1} of {count}"
        return f"Player({self.lesson['title']!r}, {place}: {' | '.join(captions)})"

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """The live view and, for who only reads the notebook, a picture of its telling step."""
        data, metadata = super()._repr_mimebundle_(**kwargs) or ({}, {})
        shown = {"image/svg+xml": still(self.lesson, self._told), **kept(LESSON, self._kept)}
        return {**data, **shown}, metadata

    def _kept(self) -> Lesson:
        return {"lesson": self.lesson, "step": self.step, "mode": self.mode}
