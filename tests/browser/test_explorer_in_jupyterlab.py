"""The funnel explorer as a person uses it, in a real JupyterLab."""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import OpenNotebook, WatchedPage, watched_page
from tests.browser.geometry import looks_wrong
from tests.browser.latency import milliseconds_until, print_latency
from tests.browser.pointing import click_mark

pytestmark = pytest.mark.browser

CELLS = [
    """
import workbench as wb
spark = wb.session({"spark.master": "local[2]"})
flights = wb.datasets.flights(spark)
steps = ["departed 15 min late", "departed 60 min late", "landed 120 min late"]
cascade = wb.Funnel(steps, "12 hours", key="tailnum", time="time", unit="aircraft")
explorer = wb.explore(cascade, flights)
explorer
""",
]
SLIDER = ".widget-hslider .noUi-handle"
ANSWERED = re.compile(r"answered in [\d,]+ ms")
ROWS = ".wb-choose tbody tr"
# How many aircraft reach the third step within a day and within 12 hours.
MOVES = {"ArrowRight": "166", "ArrowLeft": "86"}


def move_the_window(page: Page, key: str) -> float:
    """Move the slider by one and return the milliseconds until the chart shows its answer."""
    page.locator(SLIDER).first.focus()
    milliseconds = milliseconds_until(
        page,
        lambda: page.keyboard.press(key),
        "users => document.querySelector('.js-plotly-plot').textContent.includes(` ${users} `)",
        MOVES[key],
    )
    # The histogram follows the chart; the next move starts from rest.
    expect(page.get_by_text("Asking Spark")).to_be_hidden()
    return milliseconds


def list_people(page: Page, level: str, many: str) -> float:
    """Choose a drop-off and return the milliseconds until its people are there."""
    # The table changes after the line above it, so the rows of the previous choice are marked.
    page.evaluate(
        "rows => document.querySelectorAll(rows).forEach(row => { row.dataset.before = '' })", ROWS
    )
    return milliseconds_until(
        page,
        lambda: page.get_by_label("who stopped").select_option(label=level),
        "([many, rows]) => document.querySelector('.wb-over')?.textContent.includes(many)"
        " && document.querySelectorAll(`${rows}:not([data-before])`).length === 10",
        [many, ROWS],
    )


def sort_search_and_save(page: Page) -> None:
    """Sort by the time in between, the longest first, search an aircraft, and save all."""
    table = page.locator(".wb-choose")
    for _ in range(2):
        table.get_by_role("columnheader", name="after").click()
    expect(page.locator(ROWS).first).to_contain_text("day")
    table.get_by_role("searchbox").fill("N0EGMQ")
    expect(page.locator(ROWS)).to_have_count(1)
    table.get_by_role("searchbox").fill("")
    with page.expect_download() as saved:
        table.get_by_role("button", name="CSV").click()
    head, first, *rest = saved.value.path().read_text("utf-8").splitlines()
    assert head == '"tailnum","last_step","next_event","after"'
    assert re.fullmatch(r'"N\w+","2013-[\d: -]+","[\w ]+","[\d.]+"', first)
    assert len(rest) == 499


@pytest.fixture
def lab_page(chromium: Browser) -> Iterator[WatchedPage]:
    """A new page, as the shared one has loaded JupyterLab before."""
    with watched_page(chromium) as watched:
        yield watched


def test_an_analyst_moves_the_window_and_opens_one_aircraft(
    lab_page: WatchedPage, open_notebook: OpenNotebook, capsys: pytest.CaptureFixture[str]
) -> None:
    hosts = set[str]()
    lab_page.page.on("request", lambda request: hosts.add(urlsplit(request.url).netloc))
    page = open_notebook(CELLS)
    expect(page.get_by_text("661,610 events")).to_be_visible()
    expect(page.get_by_text("4,043 aircraft")).to_be_visible()
    expect(page.get_by_text(ANSWERED)).to_be_visible()
    moves = [move_the_window(page, key) for key in [*MOVES] * 5]
    print_latency("the funnel of another window", moves, capsys)
    list_people(page, "after 2 departed 60 min late", "the first 500 of 555 aircraft")
    lists = [
        list_people(page, f"after {k} {step}", of)
        for k, step, of in [
            (1, "departed 15 min late", "2,949"),
            (2, "departed 60 min late", "555"),
        ]
        * 3
    ]
    print_latency("the people of a drop-off", lists, capsys)
    sort_search_and_save(page)
    page.locator(ROWS).first.click()
    # Under the mouse as well: the text is not readable on the table's own blue.
    expect(page.locator(f"{ROWS}.selected:hover td").first).to_have_css("box-shadow", "none")
    expect(page.get_by_text("Step 1 of")).to_be_visible()
    bar = page.locator(".wb-chart .trace.bars").first.locator(".point path").nth(2)
    click_mark(page, bar)
    expect(page.locator(".wb-over")).to_contain_text("Reached 3 landed 120 min late")
    assert hosts - {""} == {urlsplit(page.url).netloc}
    assert "\n".join(looks_wrong(page)) == ""
