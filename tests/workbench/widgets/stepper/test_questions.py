"""Questions before a step: the right answer is what the step shows, the others other states."""

import pytest

from tests.workbench.widgets.played import RUNG, shop
from workbench.frames.frame import Frame
from workbench.widgets.lessons.tiling import play_rung
from workbench.widgets.lessons.tree import tree_lesson
from workbench.widgets.stepper.lesson import Lesson
from workbench.widgets.stepper.questions import MOST_CHOICES, WHAT_NEXT, questions_of
from workbench.widgets.stepper.side_by_side import in_step

LESSONS: dict[str, Lesson] = {
    "funnel": shop()(None),
    "strict once": shop("strict_once")(None),
    "tree": tree_lesson("sum", [5, 7, 3, 10, 6], Frame.rows(-2, 1)),
    "tiles": play_rung("tiles", "max", **RUNG).lesson,
    "sawtooth": play_rung("sawtooth", "avg", **RUNG).lesson,
    "beside": in_step(shop()(None), shop("strict_order")(None)),
}


def right_answers(lesson: Lesson) -> list[tuple[str, str]]:
    questions = filter(None, questions_of(lesson))
    return [(one["ask"], one["choices"][one["right"]]) for one in questions]


@pytest.mark.parametrize("name", LESSONS)
def test_every_question_has_a_few_choices_that_differ(name: str) -> None:
    questions = questions_of(LESSONS[name])
    assert len(questions) == len(LESSONS[name].get("pairs") or LESSONS[name]["steps"])
    first, *others = questions
    assert first is None
    for one in others:
        assert one is not None
        assert 2 <= len(one["choices"]) == len(set(one["choices"])) <= MOST_CHOICES
        assert one["choices"][one["right"]]


def test_the_right_answer_is_what_the_step_shows() -> None:
    assert right_answers(LESSONS["funnel"]) == [
        ("00:00 landing_page. Which events count after it?", "none"),
        ("When the chain that each level holds began: what will 1 signup hold?", "00:01"),
        ("00:02 welcome. Which events count after it?", "00:01 signup"),
        ("When the chain that each level holds began: what will 2 add_to_cart hold?", "00:01"),
        ("00:04 related. Which events count after it?", "00:01 signup, 00:03 add_to_cart"),
        ("00:05 add_to_cart. Which events count after it?", "00:01 signup, 00:05 add_to_cart"),
        ("When the chain that each level holds began: what will 3 checkout hold?", "00:01"),
        ("What happens next?", "Every step is reached, nothing can be better."),
        ("What happens next?", "The answer is level 3 of 3."),
    ]


def test_where_no_picture_can_be_predicted_the_captions_around_it_are_the_choices() -> None:
    lesson = LESSONS["tree"]
    captions = [step["caption"] for step in lesson["steps"]]
    questions = {at: one for at, one in enumerate(questions_of(lesson)) if one}
    of_captions = {at: one for at, one in questions.items() if one["ask"] == WHAT_NEXT}
    assert 0 < len(of_captions) < len(questions)
    for at, one in of_captions.items():
        assert one["choices"][one["right"]] == captions[at]
        assert {*one["choices"]} <= {*captions}


def test_steps_with_the_same_caption_are_not_asked_about() -> None:
    step = {"function": "f", "line": 1, "caption": "on"}
    assert questions_of({"steps": [step, step]}) == [None, None]


def test_a_time_that_is_mistaken_for_the_begin_of_its_chain_is_among_the_choices() -> None:
    slot = questions_of(LESSONS["funnel"])[4]
    assert slot is not None
    assert slot["choices"] == ["00:01", "00:03", "nothing"]


def test_numbered_events_are_named_as_ranges() -> None:
    answers = [answer for _, answer in right_answers(LESSONS["sawtooth"])]
    assert any(answer.startswith("events ") and " to " in answer for answer in answers)


def test_in_a_tree_the_next_node_is_asked_for() -> None:
    ask, answer = right_answers(LESSONS["tree"])[0]
    assert ask == "Which node is next?"
    assert answer == "level 1: 2-3"


def test_side_by_side_the_lesson_that_moves_is_asked_about() -> None:
    titles = {one["title"] for one in (LESSONS["beside"], LESSONS["beside"]["beside"])}
    questions = [ask for ask, _ in right_answers(LESSONS["beside"])]
    assert {ask.partition(": ")[0] for ask in questions} <= titles


def test_without_pictures_a_changed_variable_is_asked_for() -> None:
    steps = [
        {"function": "f", "line": 1, "caption": "", "variables": variables}
        for variables in (
            [{"name": "n", "value": 1, "changed": True}],
            [{"name": "n", "value": 3, "changed": True}],
        )
    ]
    assert questions_of({"steps": steps}) == [
        None,
        {"ask": "What will n be?", "choices": ["1", "3"], "right": 1},
    ]
