"""The series explorer as a person uses it, in a real JupyterLab."""

import re
from functools import partial

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenNotebook
from tests.browser.geometry import looks_wrong
from tests.browser.latency import milliseconds_until, print_latency
from tests.browser.pointing import IS_DRAWN, zoom

pytestmark = pytest.mark.browser

CELLS = [
    """
import workbench as wb
from workbench.widgets.explorers.series import SeriesExplorer
spark = wb.session({"spark.master": "local[2]"})
over = wb.Over("origin", "time", wb.Frame.range("-3 days", "3 days"),
               iqr=wb.fn.quantile("temp", [0.25, 0.5, 0.75]))
explorer = SeriesExplorer(over, wb.datasets.weather(spark))
explorer
""",
    """
points = spark.range(2_000_000).selectExpr(
    "timestamp_seconds(id) AS time", "sin(id / 999) + pmod(xxhash64(id), 1000) / 999D AS value")
many = wb.explore(wb.Over(order_by="time", frame=wb.Frame.rows(-500, 500),
                          iqr=wb.fn.quantile("value", [0.25, 0.5, 0.75])), points)
many
""",
    # Both views are moved before they are shown.
    """
many.shown.view = tuple(many.shown.band.x[[1_000, 4_000]])
many.shown.view = None
moved = wb.explore(over, wb.datasets.weather(spark))
moved.shown.view = tuple(moved.shown.band.x[[100, 7_000]])
moved
""",
    # The plan of a window call has a sample next to it; two plans have less room each.
    """
run = over.run(wb.datasets.weather(spark))
display(wb.plan(run, run=True), wb.plan({"the band": run, "in order": run.sort("time")}))
""",
]
IS_NEW = """(before) => [...document.querySelectorAll('.wb-told')].map((one) => one.textContent)
  .some((text) => text !== before && text.includes('✓ 2,000,000 rows'))"""
#: The traces of a figure that have no name or, as markers, no colour.
WITHOUT_LOOK = """(figure) => figure.data.filter(
  (trace) => !trace.name || (trace.mode === 'markers' && !trace.marker?.color))"""
ALL, WEEKLY = "8,703 rows in", "47 outliers in all"


def test_an_analyst_moves_the_window_zooms_in_and_comes_back(
    open_notebook: OpenNotebook, capsys: pytest.CaptureFixture[str]
) -> None:
    page = open_notebook(CELLS)
    card, many, moved, *plans = page.locator(".jp-OutputArea .wb-card").all()
    assert len(plans) == 3
    status = card.locator(".wb-told", has_text="rows in")
    expect(status).to_contain_text(ALL)
    expect(status).to_contain_text(WEEKLY)
    for explorer in (card, many, moved):
        expect(explorer.locator(".js-plotly-plot")).to_contain_text("median of its window")
        assert explorer.locator(".js-plotly-plot").evaluate(WITHOUT_LOOK) == []
    card.locator(".widget-hslider .noUi-handle").first.focus()
    page.keyboard.press("ArrowRight")
    expect(status).not_to_contain_text(WEEKLY)
    line = page.get_by_text("wb.Frame.range('-7 days', '7 days')").filter(visible=True)
    expect(line.first).to_be_visible()
    [whole] = re.findall(r"with [\d,]+ points", status.inner_text())
    chart = card.locator(".js-plotly-plot")
    for _ in range(2):
        chart.evaluate(IS_DRAWN)
        zoom(page)
        expect(status).to_have_text(re.compile(rf"(?!{whole})with \d?,?\d{{3}} points"))
        chart.evaluate(IS_DRAWN)
        chart.locator(".nsewdrag").dblclick()
        expect(status).to_contain_text(whole)
    # A drag moves the axis once the toolbar says so.
    chart.hover()
    chart.locator("[data-title=Pan]").click()
    chart.evaluate(IS_DRAWN)
    zoom(page)
    expect(status).not_to_contain_text(whole)
    chart.evaluate(IS_DRAWN)
    chart.locator(".nsewdrag").dblclick()
    expect(status).to_contain_text(whole)
    # Another airport below the first, and an outlier of the table: its frame and its kernel.
    card.locator("select").nth(1).select_option(label="JFK (8,706 rows)")
    expect(status).to_contain_text("17,409 rows in")
    expect(page.locator(".js-plotly-plot").first).to_contain_text("JFK")
    card.locator("table.dataTable tbody tr").first.click()
    expect(card.get_by_text("Its frame has").first).to_be_visible()
    # Two million points, and other windows.
    status = many.locator(".wb-told", has_text="rows in")
    many.locator(".widget-hslider .noUi-handle").first.focus()
    moves = []
    for key in ["ArrowRight", "ArrowLeft"] * 2:
        page.wait_for_timeout(1_000)  # The previous move has ended by then.
        press = partial(page.keyboard.press, key)
        moves.append(milliseconds_until(page, press, IS_NEW, status.text_content()))
    print_latency("a band of 2,000,000 points in another window", moves, capsys)
    assert "\n".join(looks_wrong(page)) == ""
