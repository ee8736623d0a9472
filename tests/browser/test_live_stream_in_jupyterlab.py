"""The live view of a stream as a person uses it, in a real JupyterLab."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenNotebook
from tests.browser.geometry import looks_wrong
from tests.browser.pointing import click_point

pytestmark = pytest.mark.browser

CELLS = [
    """
from pathlib import Path
from tempfile import mkdtemp
import pyarrow as pa
import workbench as wb
from workbench.lessons.replay import Replay
spark = wb.session({"spark.master": "local[2]", "spark.sql.shuffle.partitions": 1})
at = pa.array(range(0, 600 * 240_000_000, 240_000_000)).cast(pa.timestamp("us", "UTC"))
rows = pa.table({"line": ["A", "B"] * 300, "at": at, "delay": [float(n % 7) for n in range(600)]})
replay = Replay(rows, "at", Path(mkdtemp()), delay="0 minutes", late=0, lateness="4 hours")
quartiles = wb.fn.quantile("delay", [0.25, 0.5, 0.75])
over = wb.Over("line", "at", wb.Frame.range("-2 hours", 0), iqr=quartiles)
""",
    "live = wb.explore(over, replay)\nlive.step(2)\nlive",
]


def test_a_person_plays_is_late_and_kills(open_notebook: OpenNotebook) -> None:
    page = open_notebook(CELLS)
    status = page.get_by_role("status").filter(has_text="✓")
    chart = page.locator(".js-plotly-plot").first
    expect(status).to_have_text("✓ 569 rows are still to come.")
    expect(chart).to_contain_text("median")
    page.get_by_role("button", name="Step").click()
    expect(status).to_have_text("✓ 554 rows are still to come.")
    click_point(page, chart, "median", 5)
    listed = page.get_by_text(re.compile("^A at .* of the 6 rows in its frame, as emitted so far"))
    expect(listed).to_be_visible()
    page.get_by_role("button", name="Late event").click()
    expect(status).to_contain_text("arrived late; changes emitted: 1 +I")
    page.get_by_role("button", name="Kill and restart").click()
    expect(status).to_contain_text("restarted from the checkpoint")
    expect(page.locator("td", has_text="late rows, left out").locator("+ td")).to_have_text("0")
    page.get_by_role("button", name="Play").click()
    expect(status).to_contain_text("rows are still to come")
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    assert "\n".join(looks_wrong(page)) == ""
    page.locator("button.jupyter-button", has_text="End").click()
    expect(status).to_contain_text("Ended after")
    expect(page.get_by_text("Again", exact=True)).to_be_visible()
    expect(listed).to_be_visible()
    assert "\n".join(looks_wrong(page)) == ""
