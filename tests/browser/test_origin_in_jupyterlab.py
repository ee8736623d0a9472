"""The explorer of a backfill as a person uses it, in a real JupyterLab."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenNotebook
from tests.browser.geometry import looks_wrong
from tests.browser.latency import milliseconds_until, print_latency
from tests.browser.pointing import click_mark, click_point

pytestmark = pytest.mark.browser

CELLS = [
    """
import workbench as wb
spark = wb.session({"spark.master": "local[2]"})
views = spark.range(60).selectExpr(
    "if(id % 3 = 0, 'bob', 'ann') AS user", "timestamp_micros(id * 400000000 + 123456) AS at",
    "id AS price", "concat('p', id % 4) AS page")
features = [wb.Aggregation("count", windows="5 hours"), wb.Aggregation("max", "price", "5 hours")]
backfill = wb.Backfill("user", "at", features)
wb.explore(backfill, views.select("user", "at"), views)
""",
    'wb.plan(backfill.run(views.select("user", "at"), views))',
]


def test_an_analyst_asks_where_a_number_comes_from(
    open_notebook: OpenNotebook, capsys: pytest.CaptureFixture[str]
) -> None:
    page = open_notebook(CELLS)
    chart = page.locator(".js-plotly-plot").first
    expect(page.get_by_text("count_5h = 30, of")).to_be_visible()
    expect(chart).to_contain_text("tail: hops")
    expect(chart).to_contain_text("query: 30")
    click_mark(page, chart.locator(".barlayer .point").first)
    expect(page.get_by_text(re.compile("^Hop of [0-9]+ events? from"))).to_be_visible()
    click_point(page, chart, "merge", 1)
    expect(
        page.get_by_text(re.compile("^[0-9]+ events up to the .* from .*: [0-9]+"))
    ).to_be_visible()
    slider = page.locator(".widget-slider .noUi-handle, .widget-hslider [role=slider]").first
    slider.focus()
    for _ in range(19):
        page.keyboard.press("ArrowLeft")
    expect(page.get_by_text("count_5h = 20, of")).to_be_visible()
    moves = [
        milliseconds_until(
            page, lambda: page.keyboard.press("ArrowLeft"),
            "shown => document.body.textContent.includes(shown)", f"count_5h = {count}, of",
        )
        for count in (19, 18, 17, 16)
    ]  # fmt: skip
    print_latency("another query of the origin explorer", moves, capsys)
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(chart).to_contain_text("query: 19")
    page.get_by_label("Feature", exact=True).select_option(label="price_max_5h")
    expect(page.get_by_text("price_max_5h = ")).to_be_visible()
    page.get_by_label("Key", exact=True).select_option(label="bob · 20 queries")
    expect(page.get_by_text("price_max_5h = 54, of")).to_be_visible()
    # The first query of a key has no event before it.
    page.get_by_label("Feature", exact=True).select_option(label="count_5h")
    slider.focus()
    page.keyboard.press("Home")
    expect(page.get_by_text("count_5h = 0, of 0 hops and 0 single events")).to_be_visible()
    expect(chart).to_contain_text("query: 0")
    expect(chart.locator(".xtick, .x2tick").first).to_be_visible()
    # Compared with another query: the events that only one of the two sees.
    page.get_by_role("button", name="another query").click()
    expect(chart).to_contain_text("only the other sees")
    expect(page.get_by_text("for the other alone")).to_be_visible()
    assert "\n".join(looks_wrong(page)) == ""
