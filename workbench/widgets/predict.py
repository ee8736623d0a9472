"""Ten questions like those of a notebook, on a new input."""

from workbench.arguments import whole_number
from workbench.errors import WorkbenchError
from workbench.widgets.lessons.fresh import FRESH, fresh_lesson
from workbench.widgets.stepper.player import Player


def predict(notebook: str, seed: int = 0) -> Player:
    """Open the step player as an exercise: ten questions on a run that the notebook has not shown.

    The kernel of the notebook runs on a few rows that are drawn by a seed; the questions are about
    ten of its steps, and their answers are the next states of that run. Each step is asked about
    before it is shown, and the score follows at the end. Neither Spark nor Java is needed.

    Parameters
    ----------
    notebook : str
        One of the workbench's own, such as ``"03-segment-tree"``.
    seed : int
        The same seed draws the same rows.

    Returns
    -------
    Player
        In its mode "lecture"; ``to_html(path)`` writes it as one page to hand out.

    Raises
    ------
    WorkbenchError
        When no questions are drawn for a notebook of this name.

    Examples
    --------
    >>> predict("03-segment-tree", seed=2).mode
    'lecture'
    """
    if not isinstance(notebook, str) or notebook not in FRESH:
        raise WorkbenchError(
            f"notebook: no questions are drawn for {notebook!r}; use one of {', '.join(FRESH)}."
        )
    number = whole_number(seed)
    if number is None:
        raise WorkbenchError(f"seed: {seed!r} is not a whole number; give one, such as 7.")
    player = Player(fresh_lesson(notebook, number))
    player.mode = "lecture"
    return player
