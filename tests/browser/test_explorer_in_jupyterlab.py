"""The funnel explorer as a person uses it, in a real JupyterLab."""

import re
import time

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenNotebook
from tests.browser.geometry import looks_wrong

pytestmark = pytest.mark.browser

CELLS = [
    """
import workbench as wb
spark = wb.session({"spark.master": "local[2]"})
flights = wb.datasets.flights(spark)
steps = ["departed 15 min late", "departed 60 min late", "landed 120 min late"]
cascade = wb.Funnel(steps, "12 hours", key="tailnum", time="time")
explorer = wb.explore(cascade, flights)
explorer
""",
]
SLIDER = ".widget-hslider .noUi-handle"
ANSWERED = re.compile(r"answered in [\d.]+ s")
# How many aircraft reach the third step within a day and within 12 hours.
MOVES = {"ArrowRight": "166", "ArrowLeft": "86"}


def move_the_window(page: Page, key: str) -> float:
    """Move the slider by one and return the milliseconds until the chart shows its answer."""
    page.locator(SLIDER).first.focus()
    start = time.perf_counter()
    page.keyboard.press(key)
    page.wait_for_function(
        "users => document.querySelector('.js-plotly-plot').innerText.includes(` ${users} `)",
        arg=MOVES[key],
        polling=5,
    )
    seconds = time.perf_counter() - start
    # The histogram follows the chart; the next move starts from rest.
    expect(page.get_by_text("Asking Spark")).to_be_hidden()
    return 1000 * seconds


def test_an_analyst_moves_the_window_and_opens_one_aircraft(
    open_notebook: OpenNotebook, capsys: pytest.CaptureFixture[str]
) -> None:
    page = open_notebook(CELLS)
    expect(page.get_by_text("661,610 events of 4,043 keys")).to_be_visible()
    expect(page.get_by_text(ANSWERED)).to_be_visible()
    times = sorted(move_the_window(page, key) for key in [*MOVES] * 5)
    with capsys.disabled():
        print(
            f"\nslider to new figure: median {times[5]:.0f} ms of 10 moves, worst {times[-1]:.0f}"
        )
    page.get_by_label("Who stopped").select_option(label="after 2 departed 60 min late")
    expect(
        page.locator("select[multiple] option, .widget-select select option").first
    ).to_be_attached()
    page.get_by_role("button", name="Step through").click()
    expect(page.get_by_text("Step 1 of")).to_be_visible(timeout=30_000)
    assert "\n".join(looks_wrong(page)) == ""
