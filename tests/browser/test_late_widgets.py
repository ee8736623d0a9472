"""Widgets that are too late on a busy page still hear Python."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import OpenNotebook, WatchedPage, watched_page

pytestmark = pytest.mark.browser

#: Makes a timeout of two seconds in this page one of none.
LATE = """
const timeout = AbortSignal.timeout.bind(AbortSignal);
AbortSignal.timeout = (ms) => (ms === 2000 ? AbortSignal.abort() : timeout(ms));
"""
#: Also calls a listener that is added to a signal after it has fired.
TELL = """
const listen = AbortSignal.prototype.addEventListener;
AbortSignal.prototype.addEventListener = function (type, listener, ...more) {
  if (type === "abort" && this.aborted) setTimeout(listener, 0);
  return listen.call(this, type, listener, ...more);
};
"""
CELLS = [
    """
import pandas as pd
import plotly.graph_objects as go
from tests.workbench.widgets.played import shop
from workbench.widgets.chart import Chart
from workbench.widgets.lessons.edited import open_player
from workbench.widgets.table import Table
player, chart, table = open_player(shop()), Chart(go.Figure(go.Bar(y=[1], name="before"))), Table()
chart.layout.title.text = "one"
table.show(pd.DataFrame({"n": [1]}), "one")
display(player, chart, table)
""",
    """
player.step = 4
chart.layout.title.text = "another"
table.show(pd.DataFrame({"n": [77]}), "another")
""",
]


@pytest.fixture
def lab_page(chromium: Browser) -> Iterator[WatchedPage]:
    """A page where widgets are always too late, for this notebook alone."""
    with watched_page(chromium) as watched:
        watched.page.add_init_script(LATE + TELL)
        yield watched


def test_a_widget_that_is_late_shows_later_changes_from_python(open_notebook: OpenNotebook) -> None:
    page = open_notebook(CELLS)
    expect(page.locator(".wbp-position")).to_contain_text("Step 5 of")
    expect(page.locator(".js-plotly-plot")).to_contain_text("another")
    expect(page.locator("td", has_text="77")).to_be_visible()
