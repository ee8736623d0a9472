"""Ten questions on an input that was not shown: drawn by a seed, answered by the run itself."""

import re
from typing import Any

import nbformat
import numpy as np
import pytest

import workbench as wb
from tests.notebooks.test_committed_notebooks import NOTEBOOKS
from workbench.widgets.lessons.fresh import FRESH, fresh_lesson
from workbench.widgets.stepper.questions import questions_of
from workbench.widgets.stepper.still import still

SEEDS = range(6)


def questions_in(lesson: dict[str, Any]) -> list[dict[str, Any]]:
    return [one for one in questions_of(lesson) if one is not None]


@pytest.mark.parametrize("name", FRESH)
def test_each_seed_has_ten_questions_that_can_be_answered_wrongly(name: str) -> None:
    lessons = [fresh_lesson(name, seed) for seed in SEEDS]
    for lesson in lessons:
        questions = questions_in(lesson)
        assert len(questions) == 10
        assert all(len(one["choices"]) > 1 for one in questions)
    # The right answer is not always at the same place.
    places = {one["right"] for lesson in lessons for one in questions_in(lesson)}
    assert len(places) > 1


@pytest.mark.parametrize("name", FRESH)
def test_a_seed_draws_the_same_input_again_and_another_seed_another_input(name: str) -> None:
    assert fresh_lesson(name, 1) == fresh_lesson(name, 1)
    runs = [[step["caption"] for step in fresh_lesson(name, seed)["steps"]] for seed in (1, 2)]
    assert runs[0] != runs[1]


def test_a_path_is_told_in_times_and_names() -> None:
    lesson = fresh_lesson("09-funnel-questions", 10)
    assert re.fullmatch(
        r"\d\d:\d\d: event 1 of the path is [a-z_]+\.", lesson["steps"][1]["caption"]
    )
    variables = {one["name"]: one["value"] for one in lesson["steps"][0]["variables"]}
    assert set(variables["between"]) < set(variables["time"])
    assert all(re.fullmatch(r"\d\d:\d\d", time) for time in variables["time"])


def test_the_exercise_is_a_lecture_whose_still_gives_nothing_away() -> None:
    player = wb.predict("04-moving-iqr", seed=np.int64(3))  # type: ignore[arg-type]
    assert player.mode == "lecture"
    assert "step 1 of" in still(player.lesson, player._still_step)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("99-nothing",), "notebook: no questions are drawn for '99-nothing'; use one of 00"),
        ((["03-segment-tree"],), r"notebook: no questions are drawn for \['03"),
        (("03-segment-tree", "a"), "seed: 'a' is not a whole number"),
        (("03-segment-tree", True), "seed: True is not a whole number"),
    ],
)
def test_invalid_notebooks_and_seeds_are_refused_in_a_sentence(
    arguments: tuple[Any, ...], message: str
) -> None:
    with pytest.raises(wb.WorkbenchError, match=message):
        wb.predict(*arguments)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_says_what_its_reader_will_predict_and_ends_with_questions(path: Any) -> None:
    notebook = nbformat.read(path, as_version=4)
    assert "you will be able to predict" in notebook.cells[0].source
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    predicting = [cell for cell in cells if "wb.predict(" in cell.source]
    assert f'wb.predict("{path.stem}", seed=' in predicting[-1].source
    output = predicting[-1].outputs[0].data
    assert "application/vnd.window-workbench.lesson+json" in output
