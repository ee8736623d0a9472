"""A lesson's page on a dark screen: its tables, and the frames of its players and explorers."""

from pathlib import Path
from typing import Any

import nbformat
import pandas as pd
import plotly.graph_objects as go
import pytest
from playwright.sync_api import Page, expect

from workbench.described import frame_table
from workbench.figures.stills.still import still
from workbench.widgets import TileExplorer
from workbench.widgets.lesson_page import lesson_page

pytestmark = pytest.mark.browser

TABLE = pd.DataFrame({"step": ["visit"], "users": [7]})
WORDS = "| notebook | the question |\n|---|---|\n| 01 | How far? |"
CODE = f"```python\nfunnel = wb.Funnel({['a step with a long name'] * 6})\n```"
#: The widest line at the side of a cell, and the least contrast of the texts in cells.
CELLS = """() => {
  const light = (colour) => {
    const linear = colour.match(/[0-9.]+/g).slice(0, 3).map((part) => part / 255).map(
      (one) => one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] + 0.05;
  };
  const ground = light(getComputedStyle(document.body).backgroundColor);
  const cells = [...document.querySelectorAll('th, td')].map((it) => getComputedStyle(it));
  const against = cells.map((it) => light(it.color) / ground).map((one) => Math.max(one, 1 / one));
  const beside = cells.flatMap((it) => [it.borderLeftWidth, it.borderRightWidth].map(parseFloat));
  return [Math.max(...beside), Math.min(...against)];
}"""


@pytest.fixture
def lesson(tmp_path: Path, page: Page, monkeypatch: pytest.MonkeyPatch) -> Page:
    monkeypatch.setenv("WORKBENCH_KEEP_PAGES", "1")
    new: Any = nbformat.v4
    explorer: Any = TileExplorer(64, 4, 14)._repr_mimebundle_()
    explorer_bundle = explorer[0] if isinstance(explorer, tuple) else explorer
    bundles = [
        {"text/html": TABLE.to_html()},
        {"text/html": str(frame_table("Steps", TABLE))},
        explorer_bundle,
        {"image/svg+xml": str(still(go.Figure(), "Steps"))},
    ]
    outputs = [new.new_output("display_data", data=one) for one in bundles]
    notebook = tmp_path / "lesson.ipynb"
    cells = [new.new_markdown_cell(f"{WORDS}\n\n{CODE}"), new.new_code_cell("x", outputs=outputs)]
    nbformat.write(new.new_notebook(cells=cells), notebook)
    written = tmp_path / "lesson.html"
    written.write_text(lesson_page(notebook), "utf-8")
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 900, "height": 1000})
    page.goto(written.as_uri())
    return page


def test_tables_are_readable_in_the_dark_and_have_lines_only_between_rows(lesson: Page) -> None:
    widest_line, contrast = lesson.evaluate(CELLS)
    assert widest_line == 0
    assert contrast >= 4.5


def test_the_scroll_bar_of_the_page_is_dark(lesson: Page) -> None:
    root = lesson.evaluate("getComputedStyle(document.documentElement).colorScheme")
    assert "dark" in root


def test_a_frame_is_as_high_as_its_content_and_has_no_scroll_bar(lesson: Page) -> None:
    frame = lesson.locator("iframe.wb-living")
    frame.scroll_into_view_if_needed()
    inside = frame.content_frame.locator("html")
    expect(inside.locator("svg").first).to_be_visible()
    expect(inside).to_have_css("overflow-y", "hidden")
    lesson.wait_for_timeout(500)
    assert inside.evaluate("it => Math.abs(it.scrollHeight - innerHeight) <= 1")


def test_words_of_a_table_begin_at_one_line(lesson: Page) -> None:
    expect(lesson.get_by_role("cell", name="How far?")).to_have_css("text-align", "left")


def test_a_page_is_no_wider_than_a_phone(lesson: Page) -> None:
    lesson.set_viewport_size({"width": 400, "height": 800})
    root = "document.documentElement"
    assert lesson.evaluate(f"{root}.scrollWidth <= {root}.clientWidth")
    # A picture keeps a readable size, and is moved along.
    box = lesson.locator(".output_svg > img").bounding_box()
    assert box
    assert box["width"] > 700
