"""A query that takes long, as a person sees it: its progress, a stop button, and a free kernel.

A call in a cell shows its progress in one line, which disappears at its end.
"""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenNotebook

pytestmark = pytest.mark.browser

CELLS = [
    """
import time
import workbench as wb
spark = wb.session({"spark.master": "local[2]"})
clicks = wb.datasets.clickstream(spark, users=200)
explorer = wb.explore(wb.Funnel(["signup", "checkout"], window="1 day"), clicks)
explorer
""",
    """
def slowly(batches):
    for batch in batches:
        time.sleep(2)
        yield batch

def slow_table(tasks):
    return clicks.repartition(tasks).mapInArrow(slowly, clicks.schema)

at_once = wb.Funnel.summary

def summary(self, events, by=None, bins=30):
    if self.window != "1 day":
        wb.prepare(slow_table(60)).free()
    return at_once(self, events, by, bins)

wb.Funnel.summary = summary
""",
    """
runs = globals().get("runs", 0) + 1
if runs == 2:
    print("there are", wb.prepare(slow_table(6)).keys, "users")
""",
]
KERNEL_ANSWERS = """async () => {
  const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
  return (await kernel.requestExecute({code: "6 * 7", store_history: false}).done).content.status;
}"""
RUN_THE_LAST_CELL = """() => {
  const notebook = window.jupyterapp.shell.currentWidget.content;
  notebook.activeCellIndex = notebook.widgets.length - 1;
  void window.jupyterapp.commands.execute('notebook:run-cell');
}"""
#: The opacity of the first picture, including that of the elements around it.
OPACITY = """() => {
  let seen = 1;
  for (let e = document.querySelector('.js-plotly-plot'); e; e = e.parentElement)
    seen *= Number(getComputedStyle(e).opacity);
  return seen;
}"""
#: Whether a button shows all of its word beside words that have to wrap.
IS_WHOLE_IN_A_NARROW_PLACE = """(button) => {
  button.parentElement.style.width = '250px';
  return button.scrollWidth <= button.clientWidth;
}"""
SLIDER = ".widget-hslider .noUi-handle"


def test_a_slow_query_shows_its_progress_and_can_be_stopped(open_notebook: OpenNotebook) -> None:
    page = open_notebook(CELLS)
    expect(page.get_by_text("answered in")).to_be_visible()
    drawn = page.locator(".js-plotly-plot").first
    expect(drawn).to_contain_text("Who goes on")
    before = drawn.inner_text()
    page.locator(SLIDER).first.focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text(" of 60 tasks")).to_be_visible()
    page.wait_for_function(f"({OPACITY})() === 0.4")
    assert page.evaluate(KERNEL_ANSWERS) == "ok"
    expect(page.get_by_text(" of 60 tasks")).to_be_visible()
    stop = page.get_by_role("button", name="Stop")
    assert stop.evaluate(IS_WHOLE_IN_A_NARROW_PLACE)
    stop.click()
    expect(page.get_by_text("Stopped: the previous answer is still shown.")).to_be_visible()
    expect(page.locator(".wb-asking")).to_have_count(0)
    expect(page.get_by_role("button", name="Ask again")).to_be_visible()
    expect(drawn).to_have_text(before, use_inner_text=True)
    page.keyboard.press("Tab")
    _expect_a_line_that_disappears(page)


def _expect_a_line_that_disappears(page: Page) -> None:
    page.evaluate(RUN_THE_LAST_CELL)
    line = page.get_by_text("Spark: stage")
    expect(line).to_be_visible()
    expect(page.get_by_text("there are 200 users")).to_be_visible()
    expect(line).to_have_count(0)
