"""The page that `Player.to_html` writes, with no kernel and no network."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from workbench.frames.frame import Frame
from workbench.widgets.lessons.tree import play_tree
from workbench.widgets.stepper.player import Player

pytestmark = pytest.mark.browser

LESSON = json.loads((Path(__file__).parents[1] / "data/funnel_lesson.json").read_text("utf-8"))
COUNT = len(LESSON["steps"])
Show = Callable[..., Page]


@pytest.fixture
def show(page: Page, tmp_path: Path) -> Show:
    """A function that writes a lesson's page and opens it."""

    def open_(lesson: dict[str, Any] = LESSON, step: int = 0, address: str = "") -> Page:
        path = Player(lesson, step).to_html(tmp_path / "lesson.html")
        page.goto(path.as_uri() + address)
        expect(page.locator(".wbp")).to_be_visible()
        return page

    return open_


def expect_step(page: Page, number: int) -> None:
    step = LESSON["steps"][number - 1]
    expect(page.locator(".wbp-position")).to_have_text(f"Step {number} of {COUNT}")
    expect(page.locator(".wbp-caption")).to_have_text(step["caption"])
    line = LESSON["functions"][0]["first_line"] + step["line"] - 1
    expect(page.locator("[aria-current=step] .wbp-line-number")).to_have_text(str(line))
    expect(page.get_by_role("slider", name="Step")).to_have_value(str(number))


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def test_buttons_step(show: Show) -> None:
    page = show()
    expect_step(page, 1)
    for name, number in [
        ("Forward", 2),
        ("Forward", 3),
        ("Back", 2),
        ("Last", COUNT),
        ("First", 1),
    ]:
        press(page, name)
        expect_step(page, number)


@pytest.mark.parametrize(("end", "beyond"), [(1, "Back"), (COUNT, "Forward")])
def test_the_ends_hold(show: Show, end: int, beyond: str) -> None:
    page = show(step=end - 1)
    button = page.get_by_role("button", name=beyond, exact=True)
    expect(button).to_have_attribute("aria-disabled", "true")
    button.click(force=True)
    expect_step(page, end)


def test_keys_step_as_soon_as_the_page_is_open(show: Show) -> None:
    page = show()
    for key, number in [("ArrowRight", 2), ("ArrowRight", 3), ("ArrowLeft", 2), ("End", COUNT)]:
        page.keyboard.press(key)
        expect_step(page, number)
    page.keyboard.press("Home")
    expect_step(page, 1)


def test_the_scrub_bar_goes_anywhere(show: Show) -> None:
    page = show()
    page.get_by_role("slider", name="Step").fill("9")
    expect_step(page, 9)
    page.keyboard.press("ArrowRight")
    expect_step(page, 10)


def test_it_plays_to_the_end_and_again_from_the_start(show: Show) -> None:
    page = show(step=COUNT - 3)
    page.get_by_label("Speed").select_option("8")
    press(page, "Play")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    expect_step(page, COUNT)
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    press(page, "Play")
    expect_step(page, COUNT)


def test_space_plays_and_a_step_pauses(show: Show) -> None:
    page = show()
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    page.keyboard.press("End")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    expect_step(page, COUNT)


def test_the_address_names_the_step_and_follows_it(show: Show) -> None:
    page = show(address="#step=7")
    expect_step(page, 7)
    press(page, "Forward")
    expect(page).to_have_url(re.compile("#step=8$"))
    page.evaluate("location.hash = '#step=3'")
    expect_step(page, 3)


@pytest.mark.parametrize(("address", "number"), [("", 5), ("#step=999", COUNT), ("#step=x", 5)])
def test_the_page_opens_at_the_players_step(show: Show, address: str, number: int) -> None:
    expect_step(show(step=4, address=address), number)


def test_it_makes_no_request_to_the_network(show: Show, page: Page) -> None:
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    show()
    press(page, "Last")
    assert [url for url in requests if not url.startswith(("file://", "data:"))] == []


def test_changed_variables_are_marked_by_more_than_colour(show: Show) -> None:
    page = show(step=1)
    changed = [item["name"] for item in LESSON["steps"][1]["variables"] if item["changed"]]
    rows = page.locator(".wbp-variables tr[data-changed]")
    expect(rows.locator("th")).to_have_text(changed)
    for index in range(len(changed)):
        expect(rows.nth(index).locator(".wbp-mark")).to_be_visible()
    expect(page.locator(".wbp-cells [data-changed] .wbp-cell-mark")).to_contain_text("changed")


def test_the_pictures_show_the_state_of_the_step(show: Show) -> None:
    page = show(step=7)
    state = LESSON["pictures"][0]["states"][7]
    events = page.locator(".wbp-timeline > svg .wbp-event")
    expect(events).to_have_count(len(LESSON["pictures"][0]["events"]))
    read = "marks => marks.map((mark) => [Number(mark.dataset.event), mark.dataset.state])"
    states = dict(events.evaluate_all(read))
    assert [index for index in sorted(states) if states[index] == "chain"] == state["chain"]
    assert list(states.values()).count("future") == len(states) - state["seen"]
    expect(page.locator(".wbp-band")).to_be_visible()
    values = page.locator(".wbp-cells .wbp-cell-value")
    expect(values).to_have_text(["1 s", "1 s", ""])


def test_a_tree_lights_the_nodes_that_a_frame_is_merged_from(show: Show) -> None:
    lesson = play_tree("sum", [5, 7, 3, 10, 6, 2, 8, 4], Frame.rows(-5, 1)).lesson
    page = show(lesson, step=2)
    nodes = page.locator(".wbp-tree .wbp-node:has(title)")
    expect(nodes).to_have_count(8 + 4 + 2 + 1)
    expect(page.locator(".wbp-tree > svg .wbp-node[data-empty]")).to_have_count(4)
    expect(page.locator(".wbp-tree > svg .wbp-node[data-current]")).to_contain_text("▶ 8")
    page.evaluate("location.hash = '#step=35'")
    expect(page.locator(".wbp-tree .wbp-band-label")).to_have_text(
        "frame of row 6: rows 1 to 7 = 40"
    )
    lit = page.locator(".wbp-tree > svg .wbp-node[data-lit] .wbp-node-value")
    expect(lit).to_have_text(["● 7", "● 13", "● 20"])
    expect(page.locator(".wbp-here")).to_have_text("▲ row 6")


def test_a_long_list_is_shortened_around_its_change(show: Show) -> None:
    variable = {"name": "big", "value": list(range(1000)), "changed": [500]}
    step = {**LESSON["steps"][0], "variables": [variable]}
    page = show({**LESSON, "steps": [step], "pictures": []})
    row = page.locator(".wbp-variables tbody tr")
    expect(row).to_contain_text("1000 in all")
    expect(row.locator(".wbp-cell")).to_have_count(40)
    expect(row.locator(".wbp-cell[data-changed] .wbp-cell-value")).to_have_text("500")


@pytest.mark.parametrize(("changed", "first"), [(True, "0"), (False, "0"), ([299], "260")])
def test_a_list_is_shown_from_its_beginning_or_around_its_changed_cell(
    show: Show, changed: Any, first: str
) -> None:
    long = {"name": "time", "value": [f"10 Jan 11:{n:03}" for n in range(300)], "changed": changed}
    step = {**LESSON["steps"][0], "variables": [long]}
    page = show({**LESSON, "steps": [step], "pictures": []})
    cells = page.locator(".wbp-variables tbody .wbp-cell:visible")
    expect(cells.first.locator(".wbp-cell-label")).to_have_text(first)
    # The change is in sight: the first cell of a whole list, or the changed cell.
    box = page.locator(".wbp-variables").bounding_box()
    seen = cells.last if isinstance(changed, list) else cells.first
    place = seen.bounding_box()
    assert box is not None
    assert place is not None
    assert box["y"] <= place["y"] + 2
    assert place["y"] + place["height"] <= box["y"] + box["height"] + 2


def test_nested_kernels_show_their_own_source(show: Show) -> None:
    inner = {"name": "inner", "source": ["def inner():", "    return 1"]}
    steps = [LESSON["steps"][0], {"function": "inner", "line": 2, "caption": "Inside."}]
    functions = [*LESSON["functions"], inner]
    page = show({**LESSON, "functions": functions, "steps": steps, "pictures": []})
    press(page, "Forward")
    expect(page.locator(".wbp-listing:visible")).to_contain_text("return 1")
    expect(page.locator("[aria-current=step]")).to_have_count(1)
    press(page, "Back")
    expect(page.locator(".wbp-listing:visible")).to_contain_text("def window_funnel")


def test_a_lesson_without_steps_says_so(show: Show) -> None:
    page = show({"title": "Nothing", "functions": [], "steps": []})
    expect(page.locator(".wbp")).to_contain_text("this lesson has no steps")


@pytest.mark.parametrize("width", [360, 700, 1400])
def test_the_page_never_scrolls_sideways(show: Show, page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    show()
    inside = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    assert page.evaluate(inside)


def test_stepping_never_scrolls_the_page(show: Show, page: Page) -> None:
    page.set_viewport_size({"width": 700, "height": 400})
    show()
    for _ in range(COUNT):
        page.keyboard.press("ArrowRight")
    assert page.evaluate("scrollY") == 0
