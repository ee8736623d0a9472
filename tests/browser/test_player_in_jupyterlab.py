"""The step player as a widget in JupyterLab."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

DATA = Path(__file__).parents[1] / "data/funnel_lesson.json"
COUNT = len(json.loads(DATA.read_text("utf-8"))["steps"])
MAKE = f"""
import json
from pathlib import Path
from workbench.widgets.stepper.player import Player
player = Player(json.loads(Path({str(DATA)!r}).read_text("utf-8")))
player
"""
CELL_OF_THE_NOTEBOOK = "window.jupyterapp.shell.currentWidget.content.activeCellIndex"
CELLS = "window.jupyterapp.shell.currentWidget.content.widgets.length"
KERNEL = "window.jupyterapp.shell.currentWidget.sessionContext.session.kernel"
KEEP_BUSY = f"void {KERNEL}.requestExecute({{ code: 'import time; time.sleep(600)' }})"
RUN_LAST = """async () => {
  const { content, sessionContext } = window.jupyterapp.shell.currentWidget;
  content.activeCellIndex = content.widgets.length - 1;
  await window.jupyterapp.commands.execute('notebook:run-cell');
}"""

OpenNotebook = Callable[[list[str]], Page]


def expect_step(page: Page, number: int, view: int = 0) -> None:
    position = page.locator(".wbp-position").nth(view)
    expect(position).to_have_text(f"Step {number} of {COUNT}")


def press(page: Page, name: str, view: int = 0) -> None:
    page.locator(".wbp").nth(view).get_by_role("button", name=name, exact=True).click()


def test_the_live_player_is_chosen_before_its_still(open_notebook: OpenNotebook) -> None:
    page = open_notebook([MAKE])
    expect(page.locator(".wbp")).to_be_visible()
    expect(page.locator(".jp-RenderedSVG")).to_have_count(0)
    expect_step(page, 1)


def test_the_step_is_read_back_in_python(open_notebook: OpenNotebook) -> None:
    page = open_notebook([MAKE, "player.step"])
    press(page, "Last")
    press(page, "Back")
    expect_step(page, COUNT - 1)
    page.evaluate(RUN_LAST)
    expect(page.locator(".jp-OutputArea-executeResult").last).to_contain_text(str(COUNT - 2))


def test_python_moves_the_view(open_notebook: OpenNotebook) -> None:
    page = open_notebook([MAKE, "player.step = 4"])
    expect_step(page, 5)


def test_the_current_line_is_in_sight_from_the_start(open_notebook: OpenNotebook) -> None:
    page = open_notebook([MAKE, f"player.step = {COUNT - 1}", "player"])
    source = page.locator(".wbp-source").last
    expect(source.locator("[aria-current=step]")).to_contain_text("return level")
    is_seen = """() => {
      const box = [...document.querySelectorAll('.wbp-source')].at(-1);
      const line = box.querySelector('[aria-current=step]').getBoundingClientRect();
      return line.bottom <= box.getBoundingClientRect().bottom && line.height > 0;
    }"""
    page.wait_for_function(is_seen)


def test_two_views_of_one_player_keep_in_step(open_notebook: OpenNotebook) -> None:
    page = open_notebook([MAKE, "player"])
    expect(page.locator(".wbp")).to_have_count(2)
    press(page, "Forward", view=1)
    expect_step(page, 2, view=0)
    press(page, "Forward", view=0)
    expect_step(page, 3, view=1)


def test_two_players_step_apart(open_notebook: OpenNotebook) -> None:
    page = open_notebook([MAKE, MAKE])
    press(page, "Last", view=1)
    expect_step(page, COUNT, view=1)
    expect_step(page, 1, view=0)


def test_it_steps_while_the_kernel_is_busy(open_notebook: OpenNotebook) -> None:
    page = open_notebook([MAKE])
    page.evaluate(KEEP_BUSY)
    page.wait_for_function(f"{KERNEL}.status === 'busy'")
    press(page, "Forward")
    expect_step(page, 2)
    page.keyboard.press("End")
    expect_step(page, COUNT)
    assert page.evaluate(f"{KERNEL}.status") == "busy"


def test_keys_step_the_player_and_never_the_notebook(open_notebook: OpenNotebook) -> None:
    page = open_notebook(["1 + 1", MAKE, "2 + 2"])
    page.locator(".wbp-caption").click()
    cell, cells = page.evaluate(CELL_OF_THE_NOTEBOOK), page.evaluate(CELLS)
    for key, number in [("ArrowRight", 2), ("End", COUNT), ("ArrowLeft", COUNT - 1), ("Home", 1)]:
        page.keyboard.press(key)
        expect_step(page, number)
    for key in ("ArrowDown", "ArrowUp", "a", "b", "x", "d", "d"):
        page.keyboard.press(key)
    expect_step(page, 1)
    assert page.evaluate(CELL_OF_THE_NOTEBOOK) == cell
    assert page.evaluate(CELLS) == cells


def test_a_cleared_output_leaves_nothing_running(open_notebook: OpenNotebook) -> None:
    page = open_notebook([MAKE, "player"])
    press(page, "Play")
    page.evaluate("window.jupyterapp.commands.execute('notebook:clear-all-cell-outputs')")
    expect(page.locator(".wbp")).to_have_count(0)
    page.evaluate(RUN_LAST)
    expect(page.locator(".wbp")).to_have_count(1)
    expect_step(page, 1)


def test_a_new_lesson_takes_the_place_of_the_old(open_notebook: OpenNotebook) -> None:
    shorter = "player.lesson = {**player.lesson, 'title': 'Shorter', 'steps': [], 'pictures': []}"
    page = open_notebook([MAKE, shorter])
    expect(page.locator(".wbp")).to_have_count(1)
    expect(page.locator(".wbp h2")).to_have_text("Shorter")


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_its_colours_follow_the_theme(open_notebook: OpenNotebook, theme: str) -> None:
    page = open_notebook([MAKE])
    change = "(theme) => window.jupyterapp.commands.execute('apputils:change-theme', { theme })"
    page.evaluate(change, theme)
    dark = "Dark" in theme
    expect(page.locator("body")).to_have_attribute("data-jp-theme-light", str(not dark).lower())
    is_so = """(dark) => {
      const ground = getComputedStyle(document.querySelector('.wbp')).backgroundColor;
      return (Math.max(...ground.match(/\\d+/g).map(Number)) < 100) === dark;
    }"""
    page.wait_for_function(is_so, arg=dark)
