"""The tabs of the funnel explorer as a person uses them, in a real JupyterLab."""

import time

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenNotebook
from tests.browser.geometry import looks_wrong
from tests.browser.latency import print_latency
from tests.browser.pointing import click_mark, click_point

pytestmark = pytest.mark.browser

CELLS = [
    """
import workbench as wb
spark = wb.session({"spark.master": "local[2]"})
flights = wb.datasets.flights(spark)
steps = ["departed 15 min late", "departed 60 min late", "landed 120 min late"]
cascade = wb.Funnel(steps, "12 hours", key="tailnum", time="time", unit="aircraft")
explorer = wb.explore(cascade, flights, by="origin")
explorer
""",
]
SLIDER = ".widget-hslider .noUi-handle"
#: Makes a promise for the next time that the visible picture is drawn.
WATCH = """() => {
  const seen = [...document.querySelectorAll('.js-plotly-plot')].find((one) => one.offsetParent);
  window.drawn = new Promise((done) => seen.once('plotly_afterplot', done));
}"""


def move_the_window(page: Page, key: str) -> float:
    """Move the slider by one and return the milliseconds until the new picture is drawn."""
    page.evaluate(WATCH)
    page.locator(SLIDER).first.focus()
    start = time.perf_counter()
    page.keyboard.press(key)
    page.evaluate("() => window.drawn")
    seconds = time.perf_counter() - start
    # The table follows the picture; the next move starts from rest.
    page.wait_for_timeout(500)
    return 1000 * seconds


def move_to_and_fro(page: Page, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Move the window to and fro, and print how long the answers took."""
    moves = [move_the_window(page, key) for key in ["ArrowRight", "ArrowLeft"] * 2]
    print_latency(f"the {name} of another window", moves, capsys)


def test_an_analyst_asks_by_time_and_compares_segments(
    open_notebook: OpenNotebook, capsys: pytest.CaptureFixture[str]
) -> None:
    page = open_notebook(CELLS)
    expect(page.get_by_text("661,610 events")).to_be_visible()
    page.get_by_role("button", name="Trend").click()
    expect(page.get_by_text("entries of aircraft reached the last step")).to_be_visible()
    page.get_by_label("every").select_option(label="month")
    expect(page.get_by_text("Reached landed 120 min late, by the time")).to_be_visible()
    assert "\n".join(looks_wrong(page)) == ""
    chart = page.locator(".wb-chart:visible").first
    click_mark(page, chart.locator(".scatterlayer .point").nth(5))
    expect(page.locator(".wb-over")).to_contain_text("entered from")
    move_to_and_fro(page, "trend", capsys)
    # So many points are a line without marks; the bars below it are the entries.
    page.get_by_label("every").select_option(label="day")
    expect(page.get_by_text("Periods of 1 day")).to_be_visible()
    assert "\n".join(looks_wrong(page)) == ""
    chart = page.locator(".wb-chart:visible").first
    click_point(page, chart, "LGA", 180)
    expect(page.locator(".wb-over")).to_contain_text("LGA: reached 3 landed 120 min late")
    expect(page.locator(".wb-over")).to_contain_text("entered from 30 Jun 00:00 on")
    click_point(page, chart, "entered", 181)
    expect(page.locator(".wb-over")).to_contain_text("Reached 1 departed 15 min late")
    expect(page.locator(".wb-over")).to_contain_text("entered from 01 Jul 00:00 on")
    page.get_by_role("button", name="Compare").click()
    expect(page.get_by_text("less the baseline's").first).to_be_visible()
    assert "\n".join(looks_wrong(page)) == ""
    chart = page.locator(".wb-chart:visible").first
    click_mark(page, chart.locator(".scatterlayer .point").first)
    expect(page.locator(".wb-over")).to_contain_text("reached 2 departed 60 min late")
    move_to_and_fro(page, "comparison", capsys)
    page.get_by_role("button", name="Drivers").click()
    expect(page.get_by_text("This is association, not cause")).to_be_visible()
    assert "\n".join(looks_wrong(page)) == ""
    move_to_and_fro(page, "drivers", capsys)
    # The names of the lines stand at times, where the axis had numbers: no error on the console.
    page.get_by_role("button", name="Trend").click()
    expect(page.get_by_text("Periods of 1 day")).to_be_visible()
    expect(page.locator(".wb-chart:visible .annotation")).to_have_count(3)
    page.get_by_role("button", name="Paths").click()
    expect(page.get_by_text("different paths of")).to_be_visible()
    move_to_and_fro(page, "paths", capsys)
    page.get_by_role("button", name="Steps").click()
    expect(page.get_by_text("Who goes on")).to_be_visible()
    assert "\n".join(looks_wrong(page)) == ""
