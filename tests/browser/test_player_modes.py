"""The player's modes: questions before a step, another input, and two lessons side by side."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

import workbench as wb
from tests.workbench.widgets.played import shop
from workbench.widgets.lessons.edited import make_both, open_player
from workbench.widgets.stepper.questions import questions_of

pytestmark = pytest.mark.browser

LESSON = shop()(None)
QUESTIONS = questions_of(LESSON)
COUNT = len(LESSON["steps"])
MAKE = """
from tests.workbench.widgets.played import shop
from workbench.widgets.lessons.edited import open_player
player = open_player(shop())
player
"""
#: Milliseconds from a key to the layout of its step.
TIMED = """async () => {
  const root = document.querySelector('.wbp'), taken = [];
  for (let k = 0; k < 8; k += 1) {
    const start = performance.now();
    root.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }));
    root.getBoundingClientRect();
    taken.push(performance.now() - start);
    await new Promise((done) => setTimeout(done, 5));
  }
  return taken.sort((a, b) => a - b);
}"""
#: Whether an element of the fields is visible, and not covered by their scroll bar.
IS_IN_SIGHT = """(it) => {
  const place = it.closest('.wbp-fields'), left = place.getBoundingClientRect().left;
  const box = it.getBoundingClientRect();
  return box.left >= left && box.right <= left + place.clientWidth - 14;
}"""
OpenNotebook = Callable[[list[str]], Page]


@pytest.fixture(scope="module")
def shared(chromium: Browser) -> Iterator[Page]:
    """One page for all tests without a kernel, as high as a small screen; errors fail the last."""
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    page, errors = context.new_page(), []
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    context.close()
    assert errors == []


@pytest.fixture
def offline(shared: Page, tmp_path: Path) -> Page:
    """The page of the shop's funnel."""
    shared.goto(open_player(shop()).to_html(tmp_path / "lesson.html").as_uri())
    # The lesson in the page is unpacked before it is drawn.
    expect(shared.locator(".wbp-caption")).to_be_visible()
    return shared


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def test_a_right_and_a_wrong_prediction_are_counted_and_explained(offline: Page) -> None:
    press(offline, "Predict")
    answered = 0
    for step, question in enumerate(QUESTIONS[1:4], 1):
        assert question is not None or step == 1
        if question is None:
            offline.keyboard.press("ArrowRight")
            continue
        expect(offline.locator(".wbp-ask")).to_have_text(question["ask"])
        wrong = (question["right"] + 1) % len(question["choices"])
        chosen = question["right"] if answered == 0 else wrong
        offline.locator(".wbp-choice").nth(chosen).click()
        verdict = "✓ Right." if answered == 0 else f"✕ No: {question['choices'][question['right']]}"
        expect(offline.locator(".wbp-verdict")).to_have_text(verdict)
        expect(offline.locator(".wbp-caption")).to_have_text(LESSON["steps"][step]["caption"])
        answered += 1
        expect(offline.locator(".wbp-score")).to_have_text(f"1 of {answered} right")
    press(offline, "Back")
    expect(offline.locator(".wbp-choice[aria-disabled]")).not_to_have_count(0)


def test_keys_answer_and_playing_stops_at_a_question(offline: Page) -> None:
    press(offline, "Predict")
    first = next(step for step, question in enumerate(QUESTIONS) if question)
    press(offline, "Last")
    press(offline, "First")
    offline.get_by_label("Speed").select_option("8")
    offline.locator(".wbp").focus()
    offline.keyboard.press("Space")
    expect(offline.locator(".wbp-position")).to_have_text(f"Step {first} of {COUNT}")
    expect(offline.get_by_role("button", name="Play", exact=True)).to_be_visible()
    offline.keyboard.press("1")
    expect(offline.locator(".wbp-position")).to_have_text(f"Step {first + 1} of {COUNT}")


def test_a_lecture_shows_no_step_before_its_question_is_answered_and_ends_with_the_score(
    shared: Page, tmp_path: Path
) -> None:
    player = wb.predict("03-segment-tree", seed=1)
    asked_steps = player.lesson["asked"]
    questions = questions_of(player.lesson)
    shared.goto(player.to_html(tmp_path / "lecture.html").as_uri())
    place, ask = shared.locator(".wbp-position"), shared.locator(".wbp-ask")
    expect(ask).to_be_visible()
    for number, step in enumerate(asked_steps):
        # No step after the question can be reached without an answer.
        shared.keyboard.press("End")
        expect(place).to_have_text(f"Step {step} of {len(questions)}")
        expect(ask).to_have_text(questions[step]["ask"])
        shared.keyboard.press("0" if number == 9 else f"{questions[step]['right'] + 1}")
        verdict = shared.locator(".wbp-verdict")
        expect(verdict).to_have_text(re.compile("^Shown: " if number == 9 else "^✓ Right"))
    shared.keyboard.press("End")
    expect(ask).to_have_text("The end: 9 of 10 right.")
    large = shared.evaluate("parseFloat(getComputedStyle(document.querySelector('.wbp')).fontSize)")
    assert large >= 17
    press(shared, "Full screen")
    expect(shared.locator(".wbp:fullscreen")).to_be_visible()
    press(shared, "Full screen")
    press(shared, "Once more")
    expect(place).to_have_text(f"Step 1 of {len(questions)}")
    shared.keyboard.press("n")
    expect(ask).to_have_text(questions[asked_steps[0]]["ask"])


def test_without_a_kernel_an_edit_says_that_it_needs_one(offline: Page) -> None:
    press(offline, "Edit")
    expect(offline.locator(".wbp-edit")).to_contain_text("needs a kernel")
    press(offline, "Edit")
    expect(offline.locator(".wbp-edit")).to_be_hidden()


def test_controls_and_changes_stay_in_sight_and_steps_are_quick(
    offline: Page, capsys: pytest.CaptureFixture[str]
) -> None:
    times = offline.evaluate(TIMED)
    with capsys.disabled():
        print(f"\na step of the player: {times[4]:.1f} ms, {times[0]:.1f} ms the quickest")
    while not offline.locator(".wbp-change").count():
        press(offline, "Forward")
    for selector in (".wbp-controls", ".wbp-caption", ".wbp-change >> nth=0", ".wbp-timeline"):
        box = offline.locator(selector).bounding_box()
        assert box is not None
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= 900
    offline.mouse.wheel(0, 2_000)
    expect(offline.locator(".wbp-caption")).to_be_in_viewport()
    expect(offline.locator(".wbp-controls")).to_be_in_viewport()


def test_two_modes_go_in_step(shared: Page, tmp_path: Path) -> None:
    player = open_player(make_both(shop(), shop("strict_order")))
    shared.goto(player.to_html(tmp_path / "beside.html").as_uri())
    captions = shared.locator(".wbp-caption")
    expect(captions).to_have_count(2)
    for step, pair in enumerate(player.lesson["pairs"]):
        sides = zip((player.lesson, player.lesson["beside"]), pair, strict=True)
        expect(captions).to_have_text([one["steps"][at]["caption"] for one, at in sides])
        expect(shared.locator(".wbp-position")).to_contain_text(f"Step {step + 1} of")
        shared.keyboard.press("ArrowRight")
    boxes = [shared.locator(".wbp-pane").nth(side).bounding_box() for side in (0, 1)]
    assert boxes[0] is not None
    assert boxes[1] is not None
    assert boxes[0]["x"] + boxes[0]["width"] <= boxes[1]["x"]
    assert boxes[0]["y"] == pytest.approx(boxes[1]["y"], abs=1)


def test_in_a_notebook_the_kernel_runs_on_the_edited_input(open_notebook: OpenNotebook) -> None:
    page = open_notebook([MAKE])
    press(page, "Last")
    expect(page.locator(".wbp-result")).to_have_text("Result: 3")
    press(page, "Edit")
    page.get_by_label("event of row 6").focus()
    page.get_by_label("event of row 6").select_option("welcome")
    expect(page.locator(".wbp-result")).to_have_text("Result: 2")
    expect(page.get_by_label("event of row 6")).to_be_focused()
    page.get_by_label("event of row 6").select_option("checkout")
    expect(page.locator(".wbp-result")).to_have_text("Result: 3")
    # The button that removes a row is visible next to the scroll bar, however long a name is.
    page.locator(".wbp-fields option").first.evaluate("(it) => { it.text = 'long '.repeat(60); }")
    remove = page.locator(".wbp-fields tbody button").first
    remove.scroll_into_view_if_needed()
    assert remove.evaluate(IS_IN_SIGHT)
    # The checkout is dragged out of the window of an hour.
    mark = page.locator('.wbp-timeline [data-row="6"]')
    mark.scroll_into_view_if_needed()
    box, far = mark.bounding_box(), page.locator('.wbp-timeline [data-row="8"]').bounding_box()
    assert box is not None
    assert far is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move((x + far["x"]) / 2, y)
    page.mouse.move(far["x"], y)
    page.mouse.up()
    expect(page.locator(".wbp-result")).to_have_text("Result: 2")
